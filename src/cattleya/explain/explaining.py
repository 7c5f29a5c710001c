"""From a row to its explanation, of a tree or of an ensemble."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cattleya.explain.context import ModelContext
from cattleya.explain.ensemble.context import EnsembleContext
from cattleya.explain.ensemble.explanation import EnsembleExplanation
from cattleya.explain.ensemble.row import EnsembleRow
from cattleya.explain.explanation import Explanation
from cattleya.explain.row import ExplainedRow
from cattleya.support.arrays import Floats

__all__ = ["explain_numbers", "explanation_of"]


def explanation_of(
    context: ModelContext,
    row: Floats,
    raw: Any = None,
    label: Any = None,
    exclude: Iterable[Any] = (),
    immutable: Iterable[Any] = (),
) -> Explanation:
    """Explain a row, in the tree's columns; ``raw`` is the same as the user gave it."""
    if isinstance(context, EnsembleContext):
        return EnsembleExplanation(EnsembleRow(context, row, raw, label, exclude, immutable))
    return Explanation(ExplainedRow(context, row, raw, label, exclude, immutable))


def explain_numbers(
    context: ModelContext, row: Floats, exclude: Iterable[Any] = (), immutable: Iterable[Any] = ()
) -> Explanation:
    """Explain a row as the model's reader of rows gives it: numbers in the tree's columns."""
    return explanation_of(context, row, exclude=exclude, immutable=immutable)

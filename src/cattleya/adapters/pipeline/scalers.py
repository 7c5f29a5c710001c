"""Scalers: their arithmetic on a number, written down in the order in which scikit-learn does it.

On columns of finitely many values a scaler is simply asked, so that whatever precision it computes
in there, it is the same here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from copy import copy
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from cattleya.adapters.pipeline.wires import REFUSED, Block, Coded, Scaled, Wire, key, mapped
from cattleya.model.domain.scaling import Steps

__all__ = ["max_abs", "min_max", "robust", "standard"]


def _scaler(steps_of: Callable[[Any, int, bool], Steps]) -> Callable[[Any, Block], Block]:
    """Return how a scaler is carried out, of which the arithmetic on one column is given."""

    def carry(step: Any, block: Block) -> Block:
        asked = _asked(step, block)
        made: list[Wire] = []
        for place, wire in enumerate(block.wires):
            if isinstance(wire, Scaled):
                made.append(wire.scaled(steps_of(step, place, block.is_sparse)))
            elif isinstance(wire, Coded):
                made.append(asked[place])
            else:
                made.append(wire)
        dtype = block.dtype if np.dtype(block.dtype) in (np.float32, np.float64) else np.float64
        return Block(made, block.is_sparse, dtype)

    return carry


def _asked(step: Any, block: Block) -> dict[int, Coded]:
    """Return the columns of finitely many values after a step that treats each by itself."""
    coded = {i: wire for i, wire in enumerate(block.wires) if isinstance(wire, Coded)}
    if not coded:
        return {}
    numbers = {
        place: list(dict.fromkeys(map(key, (*wire.table.values(), wire.other))))
        for place, wire in coded.items()
    }
    matrix = np.zeros((max(map(len, numbers.values())), len(block.wires)), dtype=block.dtype)
    for place, column in numbers.items():
        matrix[: len(column), place] = [0.0 if value is REFUSED else value for value in column]
    nameless = copy(step)  # asked about a matrix, a step that knows names would warn
    vars(nameless).pop("feature_names_in_", None)
    vars(nameless).pop("_sklearn_output_config", None)
    result = nameless.transform(sparse.csr_matrix(matrix) if block.is_sparse else matrix)
    after = np.asarray(result.toarray() if sparse.issparse(result) else result)
    answers = {
        place: dict(zip(column, after[:, place].tolist(), strict=False))
        for place, column in numbers.items()
    }
    return {place: mapped(wire, partial(_answer, answers[place])) for place, wire in coded.items()}


def _answer(answers: dict[Hashable, float], value: Any) -> float:
    return answers[key(value)]


def _standard(step: Any, place: int, is_sparse: bool) -> Steps:
    steps: Steps = ()
    if step.with_mean:
        steps += (("add", -float(step.mean_[place])),)
    if step.with_std:
        steps += (_division(step.scale_[place], is_sparse),)
    return steps


def _robust(step: Any, place: int, is_sparse: bool) -> Steps:
    steps: Steps = ()
    if step.with_centering:
        steps += (("add", -float(step.center_[place])),)
    if step.with_scaling:
        steps += (_division(step.scale_[place], is_sparse),)
    return steps


def _max_abs(step: Any, place: int, is_sparse: bool) -> Steps:
    steps: Steps = (_division(step.scale_[place], is_sparse),)
    if getattr(step, "clip", False):
        steps += (("at least", -1.0), ("at most", 1.0))
    return steps


def _min_max(step: Any, place: int, is_sparse: bool) -> Steps:
    steps: Steps = (
        ("multiply", float(step.scale_[place])),
        ("add", float(step.min_[place])),
    )
    if step.clip:
        low, high = map(float, step.feature_range)
        steps += (("at least", low), ("at most", high))
    return steps


def _division(scale: Any, is_sparse: bool) -> tuple[str, float]:
    # scikit-learn divides arrays, but multiplies sparse matrices.
    return ("multiply", float(1.0 / scale)) if is_sparse else ("divide", float(scale))


standard = _scaler(_standard)
robust = _scaler(_robust)
max_abs = _scaler(_max_abs)
min_max = _scaler(_min_max)

"""What may change, as the command line takes it: ``age=up``, ``hours=..48``, ``job=cook,clerk``."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import click

from cattleya.explain.explainer import Explainer, context_of
from cattleya.explain.ranges import FORMS, parse_range

__all__ = ["class_named", "parse_ranges"]


def parse_ranges(texts: Iterable[str], explainer: Explainer) -> dict[str, Any] | None:
    """Return what features may change to, as ``counterfactuals`` takes it."""
    found: dict[str, Any] = {}
    for text in texts:
        name, sign, values = text.rpartition("=")
        if not sign or not name or not values:
            raise click.UsageError(f"--range must be NAME=VALUES, not {text!r}; VALUES is {FORMS}")
        if name in found:
            raise click.UsageError(f"--range {text!r}: {name!r} has a range already; give one")
        try:
            found[name] = parse_range(context_of(explainer), name, values)
        except ValueError as error:
            raise click.UsageError(f"--range {text!r}: {error}") from None
    return found or None


def class_named(explainer: Explainer, text: str) -> Hashable:
    """Return the label of the class that a text names: labels may be numbers."""
    labels = context_of(explainer).outcome_names
    return next((label for label in labels if str(label) == text), text)

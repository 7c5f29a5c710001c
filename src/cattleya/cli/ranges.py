"""What may change, as the command line takes it: ``age=up``, ``hours=..48``, ``job=cook,clerk``."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import click

from cattleya.explain.explainer import Explainer, context_of
from cattleya.model.domain.domain import Attribute, Category, OneOf

__all__ = ["class_named", "parse_ranges"]

DIRECTIONS = {"up": "increase", "down": "decrease"}
OF_NUMBERS = "up, down, missing or LOW..HIGH (either end may be left out)"
FORMS = f"{OF_NUMBERS} of a number, or values of a category with commas between them"


def parse_ranges(texts: Iterable[str], explainer: Explainer) -> dict[str, Any] | None:
    """Return what features may change to, as ``counterfactuals`` takes it.

    >>> import cattleya
    >>> tree = cattleya.Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 0, 1],
    ...                      n_features=3, feature_names=["age", "hours", "job"])
    >>> explainer = cattleya.Explainer(tree, categories={"job": ["cook", "clerk", "nurse"]})
    >>> parse_ranges(["age=up", "hours=..48", "job=nurse,clerk"], explainer) == {
    ...     "age": "increase", "hours": (None, 48.0), "job": {"nurse", "clerk"}}
    True
    """
    attributes = {one.name: one for one in context_of(explainer).domain.attributes}
    found: dict[str, Any] = {}
    for text in texts:
        name, sign, values = text.rpartition("=")
        if not sign or not name or not values:
            raise click.UsageError(f"--range must be NAME=VALUES, not {text!r}; VALUES is {FORMS}")
        if name in found:
            raise click.UsageError(f"--range {text!r}: {name!r} has a range already; give one")
        found[name] = _range(text, values, attributes.get(name))
    return found or None


def _range(text: str, values: str, attribute: Attribute | None) -> Any:
    """Return one range; that of an unknown feature is refused later, with what was meant."""
    if isinstance(attribute, Category):
        return _values(values, attribute)
    if values in DIRECTIONS or values == "missing":
        return DIRECTIONS.get(values, values)
    low, sign, high = values.partition("..")
    if not sign:
        raise click.UsageError(f"--range {text!r}: {values!r} is none of {OF_NUMBERS}")
    ends = [_end(text, end) for end in (low, high)]
    if None not in ends and ends[0] > ends[1]:
        raise click.UsageError(f"--range {text!r}: {low} is above {high}; give LOW..HIGH")
    return tuple(ends)


def _end(text: str, end: str) -> Any:
    try:
        return float(end) if end else None
    except ValueError:
        raise click.UsageError(
            f"--range {text!r}: {end!r} is no number; VALUES is {OF_NUMBERS}"
        ) from None


def _values(text: str, category: Category) -> Any:
    """Return the values that a text lists; they may be numbers, and have commas in them."""
    each = (one.values if isinstance(one, OneOf) else (one,) for one in category.values)
    known = {str(value): value for values in each for value in values}
    if text in known:
        return {known[text]}
    if text in DIRECTIONS:  # in the order of its codes, where it has any
        return DIRECTIONS[text]
    return {known.get(one, one) for one in text.split(",")}


def class_named(explainer: Explainer, text: str) -> Hashable:
    """Return the label of the class that a text names: labels may be numbers."""
    labels = context_of(explainer).outcome_names
    return next((label for label in labels if str(label) == text), text)

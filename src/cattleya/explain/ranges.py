"""What a feature may change to, as text: ``up``, ``down``, ``..48``, ``cook,clerk``."""

from __future__ import annotations

from typing import Any

from cattleya.explain.context import ModelContext
from cattleya.model.domain.domain import Category, OneOf
from cattleya.support.text import shown

__all__ = ["FORMS", "parse_range"]

DIRECTIONS = {"up": "increase", "down": "decrease"}
OF_NUMBERS = "up, down, missing or LOW..HIGH (either end may be left out)"
FORMS = f"{OF_NUMBERS} of a number, or values of a category with commas between them"


def parse_range(context: ModelContext, name: str, text: str) -> Any:
    """Return what a feature may change to, as ``counterfactuals`` takes it.

    That of an unknown feature is refused there, with what was probably meant.

    >>> import cattleya
    >>> from cattleya.explain.explainer import context_of
    >>> tree = cattleya.Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 0, 1],
    ...                      n_features=3, feature_names=["age", "hours", "job"])
    >>> jobs = {"job": ["cook", "clerk", "nurse"]}
    >>> context = context_of(cattleya.Explainer(tree, categories=jobs))
    >>> parse_range(context, "age", "up"), parse_range(context, "hours", "..48")
    ('increase', (None, 48.0))
    >>> parse_range(context, "job", "cook,clerk") == {"cook", "clerk"}
    True
    """
    attribute = next((one for one in context.domain.attributes if one.name == name), None)
    if isinstance(attribute, Category):
        return _values(text, attribute)
    if text in DIRECTIONS or text == "missing":
        return DIRECTIONS.get(text, text)
    low, sign, high = text.partition("..")
    if not sign:
        raise ValueError(f"{shown(text)} is none of {OF_NUMBERS}")
    ends = [_end(end.strip()) for end in (low, high)]
    if None not in ends and ends[0] > ends[1]:
        raise ValueError(f"{low} is above {high}; give LOW..HIGH")
    return tuple(ends)


def _end(end: str) -> Any:
    try:
        return float(end) if end else None
    except ValueError:
        raise ValueError(f"{shown(end)} is no number; give {OF_NUMBERS}") from None


def _values(text: str, category: Category) -> Any:
    """Return the values that a text lists; they may be numbers, and have commas in them."""
    each = (one.values if isinstance(one, OneOf) else (one,) for one in category.values)
    known = {str(value): value for values in each for value in values}
    if text in known:
        return {known[text]}
    if text in DIRECTIONS:  # in the order of its codes, where it has any
        return DIRECTIONS[text]
    return {known.get(one, one) for one in text.split(",")}

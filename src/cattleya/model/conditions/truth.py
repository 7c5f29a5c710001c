"""Truth values as the numbers that a model sees for them, and numbers as truth values.

A column of truth values prints as ``b = True`` where its type is known, and as ``b > 0.5`` where
the model only says that it is a number. Either text is read where the other would be printed; here
is what ``reading`` needs for that. False is 0 and True is 1, as in Python. What holds for
truth values holds for every category that is written in numbers.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence

import numpy as np

from cattleya.model.domain.domain import Category, is_missing
from cattleya.support.arrays import Bools, Floats
from cattleya.support.text import shown

__all__ = ["NUMBER", "TRUTH", "as_number", "bounds_in", "numbers_of", "places_within"]

NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
TRUTH = (("False",), ("True",), ("missing",))  # the words for 0, for 1, and for neither
Bound = tuple[str, str]  # a sign, and the number after it
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
}


def bounds_in(rest: str, before: str | None) -> list[Bound]:
    """Return how a text compares a feature: signs and numbers; none where it does not.

    ``rest`` is what stands after the feature's name, ``before`` what stands before it.
    ``ValueError`` where a number is too large for one.

    >>> bounds_in(" is 35 to 39", None), bounds_in(" <= 41.5", "30.5 <"), bounds_in(" = x", None)
    ([('>=', '35'), ('<=', '39')], [('<=', '41.5'), ('>', '30.5')], [])
    """
    bounds: list[Bound] = []
    if found := re.fullmatch(rf" is ({NUMBER})(?: to ({NUMBER}))?", rest):
        bounds = [(">=", found.group(1)), ("<=", found.group(2) or found.group(1))]
    elif found := re.fullmatch(rf" (<=|>=|<|>) ({NUMBER})", rest):
        bounds = [(found.group(1), found.group(2))]
    elif rest:
        return []  # of which nothing is to be left unread
    if before is not None:
        text, sign = before.split(" ")
        bounds.append((">" if sign == "<" else ">=", text))
    for _, text in bounds:
        as_number(text)
    return bounds


def as_number(text: str) -> float:
    """Return a number that was written; ``ValueError`` where no number is so far from 0."""
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{shown(text)} is too far from 0 to be a number; write a smaller one")
    return value


def numbers_of(category: Category) -> list[float] | None:
    """Return the number that each value is written as, NaN where it is missing; None if one is not.

    >>> numbers_of(Category("b", (0,), (False, True), ((0.0,), (1.0,))))
    [0.0, 1.0]
    >>> numbers_of(Category("job", (0,), ("clerk", "nurse"), ((0.0,), (1.0,))))
    """
    written: Sequence[object] = category.values
    if category.written is not None:
        if len(category.columns) > 1:
            return None  # a group of columns
        written = [one[0] for one in category.written]
    known = [one for one in written if not is_missing(one)]
    if not all(isinstance(one, (int, float, np.bool_, np.number)) for one in known):
        return None
    return [math.nan if is_missing(one) else float(one) for one in written]  # type: ignore[arg-type]  # numbers


def places_within(
    category: Category, numbers: Sequence[float], bounds: Sequence[Bound], thresholds: Floats
) -> Bools:
    """Tell which values of a category a text allows that compares it with numbers.

    What is filled in for a missing value is a number, too, if one that nobody writes: it is on the
    side of the tree's threshold between the numbers around a bound, or in proportion to them.

    >>> b = Category("b", (0,), (False, True, math.nan), ((0.0,), (1.0,), (0.3,)), missing=2)
    >>> places_within(b, [0.0, 1.0, math.nan], [("<=", "0.5")], np.array([0.5])).tolist()
    [True, False, True]
    """
    allowed = np.ones(len(numbers), dtype=np.bool_)
    own = np.array(numbers)
    for sign, text in bounds:
        limit = float(text)
        compared = np.array([_COMPARE[sign](number, limit) for number in numbers])
        if category.missing is not None and math.isnan(own[category.missing]):
            up_to = sign in ("<", "<=")
            lower = compared if up_to else ~compared & ~np.isnan(own)
            compared[category.missing] = up_to == _is_filled_below(
                category, own, lower, limit, thresholds
            )
        allowed &= compared
    return allowed


def _is_filled_below(
    category: Category, numbers: Floats, lower: Bools, limit: float, thresholds: Floats
) -> bool:
    """Tell whether what is filled in for a missing value is below a limit."""
    assert category.missing is not None
    points = np.array([point[0] for point in category.points])
    present = ~np.isnan(numbers)
    filled = points[category.missing]
    below, above = points[present & lower], points[present & ~lower]
    first, last = (below.max() if len(below) else -np.inf), (above.min() if len(above) else np.inf)
    between = np.unique(thresholds[(first <= thresholds) & (thresholds < last)])
    if len(between) == 1:
        return bool(filled <= between[0])
    order = np.argsort(numbers[present])
    at = np.interp(limit, numbers[present][order], points[present][order])
    return bool(filled <= at)

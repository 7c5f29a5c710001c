"""Where the values of a number part at a threshold: the last one at most it, the first one above.

What the tree sees is rounded to its grid (float32, say) after the arithmetic of the pipeline, and
it is there that a value falls on one side or the other; so a boundary is exact only as a pair of
neighbours of the grid. ``edges`` gives such pairs in the user's units, for regions of values;
``neighbours`` gives what the tree sees of them, for its tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cattleya.model.domain.domain import Attribute, Domain, Number
from cattleya.support.arrays import Bools, Floats, Int32s, Places

__all__ = ["bounds", "edges", "neighbours", "snapped"]


# Whole numbers up to these are on the grid, each by itself; above, neighbours become one.
_WHOLE = {"float32": 2.0**24, "float64": 2.0**53}


def edges(
    attributes: Sequence[Attribute], attribute: Places, threshold: Floats, dtype: str
) -> tuple[Floats, Floats]:
    """Return, for thresholds of some attributes, the last value at most each and the first above.

    Where there is no such value, it is infinite. A category's entries mean nothing.
    """
    integer, plain = _kinds(attributes)
    with np.errstate(over="ignore", under="ignore"):
        near = threshold.astype(dtype)
        last = np.where(near > threshold, np.nextafter(near, -np.inf), near).astype(np.float64)
        first = np.where(near <= threshold, np.nextafter(near, np.inf), near).astype(np.float64)
    whole = integer[attribute]
    last[whole] = np.floor(threshold[whole])
    first[whole] = last[whole] + 1
    large = whole & (np.abs(threshold) >= _WHOLE[dtype])
    odd = np.flatnonzero(np.isfinite(threshold) & (large | ~plain[attribute]))
    for place in np.unique(attribute[odd]).tolist():
        number = attributes[place]
        if isinstance(number, Number):
            here = odd[attribute[odd] == place]
            at_most = number.boundary(threshold[here], dtype)
            last[here] = np.floor(at_most) if number.integer else at_most
            first[here] = last[here] + 1 if number.integer else np.nextafter(at_most, np.inf)
    return last, first


def bounds(attributes: Sequence[Attribute], dtype: str) -> tuple[Floats, Floats]:
    """Return the least and the greatest value of each number; they are finite."""
    lower = [a.lower if isinstance(a, Number) else 0.0 for a in attributes]
    upper = [a.upper if isinstance(a, Number) else 0.0 for a in attributes]
    return snapped(attributes, np.array(lower), np.array(upper), dtype)


def snapped(
    attributes: Sequence[Attribute], low: Floats, high: Floats, dtype: str
) -> tuple[Floats, Floats]:
    """Return the least and the greatest value that each number can take between two bounds."""
    integer, plain = _kinds(attributes)
    with np.errstate(over="ignore", under="ignore"):
        least, most = low.astype(dtype), high.astype(dtype)
        least = np.where(least < low, np.nextafter(least, np.inf), least)
        most = np.where(most > high, np.nextafter(most, -np.inf), most)
    least = np.where(plain, least.astype(np.float64), low)
    most = np.where(plain, most.astype(np.float64), high)
    least = np.where(integer, np.ceil(low), least)
    most = np.where(integer, np.floor(high), most)
    largest = float(np.finfo(dtype).max)
    return np.maximum(least, -largest), np.minimum(most, largest)


def _kinds(attributes: Sequence[Attribute]) -> tuple[Bools, Bools]:
    """Tell which attributes are whole numbers, and which reach the tree as they are."""
    integer = [isinstance(a, Number) and a.integer for a in attributes]
    plain = [isinstance(a, Number) and not a.steps for a in attributes]
    return np.array(integer, dtype=np.bool_), np.array(plain, dtype=np.bool_)


def neighbours(
    domain: Domain, columns: Int32s, thresholds: Floats, dtype: str
) -> tuple[Floats, Floats]:
    """Return the greatest value up to each threshold of a column, and the least above it.

    They are -inf and inf where the column has none; and both are inf for an infinite threshold,
    which tells a missing value from the others. The columns of categories are left at NaN.

    Examples
    --------
    >>> age = Domain((Number("age", 0, integer=True, upper=99.0),), 1)
    >>> below, above = neighbours(age, np.zeros(3, np.int32), np.array([1.5, 2, 99]), "float64")
    >>> below.tolist(), above.tolist()
    ([1.0, 2.0, 99.0], [2.0, 3.0, inf])
    """
    below, above = np.full(len(columns), np.nan), np.full(len(columns), np.nan)
    # Numbers of one and the same grid are asked at once: there may be thousands of columns.
    grids: dict[Number, int] = {}
    grid_of = np.array(
        [
            grids.setdefault(replace(a, name="", column=0, raw=()), len(grids))
            if isinstance(a, Number)
            else -1
            for a in domain.attributes
        ],
        dtype=np.intp,
    )[domain.of_column[columns]]
    order = np.argsort(grid_of, kind="stable")
    ends = np.searchsorted(grid_of[order], np.arange(len(grids) + 1))
    for grid, number in grids.items():
        chosen = order[ends[number] : ends[number + 1]]
        finite = chosen[np.isfinite(thresholds[chosen])]
        below[chosen] = above[chosen] = np.inf
        if finite.size:
            below[finite] = grid.largest(thresholds[finite], dtype)
            above[finite] = grid.smallest_above(thresholds[finite], dtype)
    return below, above

"""The values that a column can have beside each threshold: all that a test depends on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cattleya.model.domain.domain import Domain
from cattleya.model.domain.number import Number
from cattleya.support.arrays import Floats, Int32s

__all__ = ["neighbours"]


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

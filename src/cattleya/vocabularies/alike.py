"""Which rows a tree cannot tell apart.

Rows in one cell of the grid of a tree's thresholds meet every condition alike, and have the same
explanations over conditions. Where explanations speak of values, only equal rows are alike.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cattleya.model.conditions.tests import Conditions
from cattleya.support.arrays import Floats, Int32s, Places

__all__ = ["distinct", "grid_cells"]


MISSING = -1


def grid_cells(conditions: Conditions, matrix: Floats) -> Int32s:
    """Return the cell of the tree's grid that each row is in: one number a tested feature."""
    tested = np.unique(conditions.feature)
    found = np.empty((len(matrix), len(tested)), dtype=np.int32)
    for place, feature in enumerate(tested):
        thresholds = conditions.threshold[conditions.feature == feature]  # in order
        value = matrix[:, feature]
        found[:, place] = np.searchsorted(thresholds, value, side="left")
        found[np.isnan(value), place] = MISSING
    return found


def distinct(table: npt.NDArray[np.generic]) -> tuple[Places, Places]:
    """Return the first row of each kind, in order, and the kind of each row."""
    if len(table) == 0 or table.shape[1] == 0:
        return np.zeros(min(len(table), 1), dtype=np.intp), np.zeros(len(table), dtype=np.intp)
    if table.dtype.kind == "f":
        numbers = table.astype(np.float64) + 0.0  # which makes -0.0 zero
        table = np.where(np.isnan(numbers), np.nan, numbers)  # one NaN only
    raw = np.ascontiguousarray(table)
    keys = raw.view(np.dtype((np.void, raw.dtype.itemsize * raw.shape[1]))).ravel()
    _, first, same = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[same]

"""Which rows a tree cannot tell apart.

Rows in one cell of the grid of a tree's thresholds meet every condition alike, and have the same
explanations over conditions: what is in the other columns, or missing there, tells them apart only
where it is refused. Where explanations speak of values, only equal rows are alike.
"""

from __future__ import annotations

import numpy as np

from cattleya.model.conditions.tests import Conditions
from cattleya.support.arrays import Floats, Int32s

__all__ = ["grid_cells"]


MISSING = -1


def grid_cells(conditions: Conditions, matrix: Floats) -> Int32s:
    """Return the cell of the tree's grid that each row is in: one number per tested feature."""
    tested = np.unique(conditions.feature)
    found = np.empty((len(matrix), len(tested)), dtype=np.int32)
    for place, feature in enumerate(tested):
        thresholds = conditions.threshold[conditions.feature == feature]  # in order
        value = matrix[:, feature]
        found[:, place] = np.searchsorted(thresholds, value, side="left")
        found[np.isnan(value), place] = MISSING
    return found

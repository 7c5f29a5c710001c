"""The rows of a table that get a class, in cells: what the reach of a box is counted on."""

from __future__ import annotations

import numpy as np

from cattleya.changes.cell_regions import CellRegions
from cattleya.changes.general.box import Box, Range
from cattleya.model.conditions.parts import values_part
from cattleya.model.domain.domain import Category
from cattleya.support.arrays import Bools, Floats, Int32s, Places
from cattleya.support.distinct import distinct

__all__ = ["TableRows"]

NONE = -1  # the cell of a missing number, and of what is no value of a category


class TableRows:
    """Rows that get one class, each with its cells; made once for a table and a class.

    A box that forces the class never covers a row of another one, so that these are all that it can
    cover. Rows with the same cells are one, with a number.

    Parameters
    ----------
    cells : CellRegions
        The regions of the tree.
    matrix : array
        The rows of the table that get the class, in the tree's columns.
    """

    def __init__(self, cells: CellRegions, matrix: Floats) -> None:
        coded = np.zeros((len(matrix), len(cells.regions.attributes)), dtype=np.int32)
        if len(matrix):
            for attribute in range(coded.shape[1]):
                coded[:, attribute] = self._codes(cells, attribute, matrix)
        first, group = distinct(coded)
        self._times = np.bincount(group, minlength=len(first))
        self._cells: Int32s = np.ascontiguousarray(coded[first].T)
        self._lacks: Bools = (self._cells == NONE).any(axis=1)

    @staticmethod
    def _codes(cells: CellRegions, attribute: int, matrix: Floats) -> Int32s:
        described = cells.regions.attributes[attribute]
        if isinstance(described, Category):
            codes = np.full(len(matrix), NONE, dtype=np.int32)
            for place in range(len(described.values)):
                own = np.arange(len(described.values)) == place
                codes[values_part(described, own).holds_in(matrix)] = place
            return codes
        value = matrix[:, described.column]
        codes = np.searchsorted(cells.thresholds(attribute), value).astype(np.int32)
        codes[np.isnan(value)] = NONE
        return codes

    @property
    def every(self) -> Places:
        """The numbers of all distinct rows."""
        return np.arange(len(self._times))

    def lacks(self, attribute: int) -> bool:
        """Tell whether some row has no cell of an attribute."""
        return bool(self._lacks[attribute])

    def within(self, rows: Places, attribute: int, allowed: Range | Bools) -> Places:
        """Return those of some rows whose cell of an attribute is allowed."""
        of_all = self._cells[attribute]
        own = of_all if len(rows) == len(of_all) else of_all.take(rows)
        if isinstance(allowed, Range):
            # One comparison for both ends: what is below the first is far above, without a sign.
            size = max(allowed.last - allowed.first + 1, 0)
            kept: Bools = (own - np.int32(allowed.first)).view(np.uint32) < np.uint32(size)
            if allowed.missing:
                kept |= own == NONE
        else:
            kept = np.append(allowed, False)[own]  # what is no value is the last
        return rows.compress(kept)

    def count(self, rows: Places) -> int:
        """Return how many rows of the table some of the distinct ones are."""
        return int(self._times.take(rows).sum())

    def covered(self, box: Box) -> int:
        """Return how many rows of the table a box covers."""
        rows = self.every
        for attribute, allowed in box.narrowed.items():
            rows = self.within(rows, attribute, allowed)
        return self.count(rows)

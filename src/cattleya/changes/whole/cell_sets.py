"""Sets of cells of an attribute: how many there are, what they are called, a value among them.

Of a number, a set is the cells from ``low`` to ``high``, and perhaps that it is missing; of a
category, it is one bit for each cell (``Cells`` says what a cell is).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from cattleya.changes.raw_row import concrete
from cattleya.model.conditions.parts import Part, interval_part, missing_part, values_part
from cattleya.model.domain.domain import Category
from cattleya.model.domain.number import Number
from cattleya.model.domain.shortest import inside
from cattleya.vocabularies.cells import Cells

__all__ = ["CellSet", "CellWords", "Range", "cell_set"]


class Range(NamedTuple):
    """Cells of a number."""

    low: int
    high: int
    missing: bool

    @property
    def is_present(self) -> bool:
        """Whether some value that is not missing is in it."""
        return self.low <= self.high


#: The bits of an int are the cells of a category.
CellSet = Range | int


def cell_set(is_number: bool, low: int, high: int, missing: bool, bits: Any) -> CellSet:
    """Return a set as the core tells it: a range, or the words of ``bits`` from low to high."""
    if is_number:
        return Range(low, high, missing)
    return sum(int(word) << 64 * place for place, word in enumerate(bits[low:high]))


class CellWords:
    """Sizes, words and values of sets of cells.

    Parameters
    ----------
    cells : Cells
    printed : mapping, optional
        How thresholds are printed, by attribute and threshold, where that is not as they are.
    """

    def __init__(
        self, cells: Cells, printed: Mapping[tuple[int, float], float] | None = None
    ) -> None:
        self.cells, self.domain = cells, cells.domain
        self._printed = printed or {}
        self._dtype = cells.tree.row_dtype

    def size(self, found: CellSet) -> int:
        """Return how many cells there are in a set; to be missing is one."""
        if isinstance(found, int):
            return found.bit_count()
        return max(found.high - found.low + 1, 0) + found.missing

    def all_cells(self, attribute: int) -> int:
        """Return how many cells an attribute has."""
        levels = int(self.cells.n_levels[attribute])
        if levels < 0:
            return int(self.cells.n_cells[attribute])
        return levels + 1 + bool(self.cells.may_be_missing[attribute])

    def part(self, attribute: int, found: CellSet) -> Part:
        """Return what a set says of the attribute."""
        described = self.domain.attributes[attribute]
        if isinstance(described, Category):
            return values_part(described, self._values(attribute, found))
        assert isinstance(found, Range)
        if not found.is_present:
            return missing_part(described, self._dtype)
        ends = self._thresholds(attribute, found)
        part = interval_part(described, *ends, found.missing, self._dtype)
        if not self._printed or described.integer:
            return part
        low, high = (self._printed.get((attribute, end), end) for end in ends)
        return part.worded(low, high)

    def value(self, attribute: int, found: CellSet | None, aim: Any) -> Any:
        """Return a value of the user's in a set, near to ``aim``; a number that is missing is NaN.

        ``aim`` is a number, or the place of a category's value.
        """
        described = self.domain.attributes[attribute]
        if isinstance(described, Category):
            allowed = self._values(attribute, found)
            usual = isinstance(aim, int) and bool(allowed[aim])
            place = aim if usual else int(np.argmax(allowed))
            if described.written is not None and len(described.raw) > 1:
                return described.written[place]
            return concrete(described, place)  # None and NaN may be two values to a model
        if isinstance(found, Range) and not found.is_present:
            return math.nan
        above, up_to = -math.inf, math.inf
        if isinstance(found, Range):
            above, up_to = self._thresholds(attribute, found)
        first, last = described.within(above, up_to, self._dtype)
        if first > last:  # only what an imputer fills in is there
            return math.nan
        near = inside(first, last, aim if isinstance(aim, (int, float)) else 0.0)
        # Where values may be missing, a column of whole numbers is one of floats.
        gaps = described.extra or self.cells.may_be_missing[attribute]
        return int(near) if described.integer and not gaps else near

    def _values(self, attribute: int, found: CellSet | None) -> Any:
        category = self.domain.attributes[attribute]
        assert isinstance(category, Category)
        if found is None:
            return np.ones(len(category.values), dtype=np.bool_)
        assert isinstance(found, int)
        cells = self.cells.cell_of_value[attribute].tolist()
        return np.array([bool(found >> cell & 1) for cell in cells])

    def _thresholds(self, attribute: int, found: Range) -> tuple[float, float]:
        start = int(self.cells.level_start[attribute])
        known = self.cells.level_threshold
        levels = int(self.cells.n_levels[attribute])
        above = float(known[start + found.low - 1]) if found.low > 0 else -math.inf
        up_to = float(known[start + found.high]) if found.high < levels else math.inf
        return above, up_to

    def is_number(self, attribute: int) -> bool:
        """Tell whether an attribute is a number."""
        return isinstance(self.domain.attributes[attribute], Number)

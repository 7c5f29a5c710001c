"""Facts of a row as boxes of cells, and back.

A set of atoms leaves a box: of each attribute the cells that agree with all of them. Over features
and over conditions an atom fixes its attribute; over intervals it is one side of a level, and a
number has as many as it has levels.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from cattleya._core import EnsembleRow
from cattleya.support.arrays import Bools, Bytes, Floats, Int32s, Int64s, Words
from cattleya.vocabularies.cells import CATEGORY, MISSING
from cattleya.vocabularies.interface import RowAtoms
from cattleya.vocabularies.intervals import IntervalRow

__all__ = ["Box", "Change", "FactBoxes"]

ANY, DOWN, UP, GONE = range(4)
NEVER = np.inf


class Box(NamedTuple):
    """A box as the core takes it."""

    low: Int32s
    high: Int32s
    missing: Bytes
    words: Words

    def copy(self) -> Box:
        """Return a box that can be changed by itself."""
        return Box(self.low.copy(), self.high.copy(), self.missing.copy(), self.words.copy())


class Change(NamedTuple):
    """A change of one attribute: any, down to a cell or further, up to it, or to missing."""

    attribute: int
    kind: int
    cell: int


@dataclass(frozen=True, eq=False)
class Layout:
    """The attributes of the native ensemble, and where the sets of its categories are."""

    n_levels: Int32s
    n_cells: Int32s
    may_be_missing: Bytes

    @cached_property
    def is_number(self) -> Bools:
        """Which attributes are numbers."""
        return np.asarray(self.n_levels != CATEGORY)

    @cached_property
    def last(self) -> Int32s:
        """The last cell of each number."""
        return np.where(self.is_number, self.n_levels, 0).astype(np.int32)

    @cached_property
    def first_word(self) -> Int64s:
        """Where the set of each category starts, and the end."""
        count = np.where(self.is_number, 0, -(-self.n_cells // 64))
        return np.concatenate(([0], np.cumsum(count))).astype(np.int64)

    @cached_property
    def categories(self) -> list[int]:
        """The attributes that are no numbers."""
        return [int(a) for a in np.flatnonzero(~self.is_number)]

    @cached_property
    def _all_rows(self) -> Box:
        """The box of all rows; not to be changed."""
        words = np.zeros(int(self.first_word[-1]), dtype=np.uint64)
        for a in self.categories:
            start, end = int(self.first_word[a]), int(self.first_word[a + 1])
            words[start:end] = np.uint64(0xFFFFFFFFFFFFFFFF)
            if rest := int(self.n_cells[a]) % 64:
                words[end - 1] = np.uint64((1 << rest) - 1)
        low = np.zeros(len(self.n_levels), dtype=np.int32)
        return Box(low, self.last, self.may_be_missing, words)

    def everything(self) -> Box:
        """Return the box of all rows."""
        return self._all_rows.copy()

    def set_cells(self, box: Box, a: int, marks: Bools) -> None:
        """Allow of a category the marked cells."""
        start, end = int(self.first_word[a]), int(self.first_word[a + 1])
        bits = np.zeros(64 * (end - start), dtype=np.uint8)
        bits[: len(marks)] = marks
        box.words[start:end] = np.packbits(bits, bitorder="little").view("<u8")


class FactBoxes:
    """The atoms of one row, and the boxes that sets of them leave.

    Parameters
    ----------
    atoms : RowAtoms
        Those of the row.
    layout : Layout
        The attributes.
    cells : ndarray
        The row's own cells.
    native : EnsembleRow, optional
        The same row, where atoms of boxes are asked for.
    """

    def __init__(
        self, atoms: RowAtoms, layout: Layout, cells: Int32s, native: EnsembleRow | None = None
    ) -> None:
        self._native = native
        self.atoms, self.layout, self.cells = atoms, layout, cells
        self._intervals = atoms if isinstance(atoms, IntervalRow) else None
        self._first_word = layout.first_word
        self._number = layout.is_number
        self._last = layout.last

    def __len__(self) -> int:
        return len(self.atoms)

    @property
    def has_sides(self) -> bool:
        """Whether the sides of a number are atoms of their own."""
        return self._intervals is not None

    def everything(self) -> Box:
        """Return the box of all rows."""
        return self.layout.everything()

    def _fix(self, box: Box, a: int) -> None:
        cell = int(self.cells[a])
        if not self._number[a]:
            start, end = int(self._first_word[a]), int(self._first_word[a + 1])
            box.words[start:end] = 0
            box.words[start + cell // 64] = np.uint64(1 << (cell % 64))
        elif cell == MISSING:
            box.low[a], box.high[a], box.missing[a] = 0, -1, 1
        else:
            box.low[a], box.high[a], box.missing[a] = cell, cell, 0

    def box(self, numbers: Iterable[int]) -> Box:
        """Return the box of the rows that have some of the atoms."""
        box = self.everything()
        if self._intervals is None:
            for number in numbers:
                self._fix(box, number)
            return box
        attribute, single = self._intervals.attribute, self._intervals.has_single
        first = self._intervals.first_atom
        for number in numbers:
            a = int(attribute[number])
            level = int(number - first[a]) - bool(single[a])
            cell = int(self.cells[a])
            if level >= 0:
                box.missing[a] = 0
                if cell <= level:
                    box.high[a] = min(int(box.high[a]), level)
                else:
                    box.low[a] = max(int(box.low[a]), level + 1)
            elif self._number[a] and cell != MISSING:
                box.missing[a] = 0
            else:
                self._fix(box, a)
        return box

    def atoms_of(self, box: Box, open_: Bytes | None = None) -> tuple[list[int], list[int]]:
        """Return the atoms that leave a box, the fewest, and those of them that are open."""
        assert self._native is not None
        found, undecided = self._native.facts(*box, open_)
        return found.tolist(), undecided.tolist()

    def violated(self, other: Int32s) -> list[int]:
        """Return the row's atoms that another row, in cells, does not have."""
        changed = np.flatnonzero(self.cells != other).tolist()
        row = self._intervals
        if row is None:
            return [int(a) for a in changed]
        found: list[int] = []
        for a in changed:
            first, single = int(row.first_atom[a]), bool(row.has_single[a])
            own, cell = int(self.cells[a]), int(other[a])
            if not self._number[a] or own == MISSING:
                found.append(first)
            elif cell == MISSING:
                found += range(first, first + single + int(self._last[a]))
            else:
                low, high = sorted((own, cell))
                found += range(first + single + low, first + single + high)
        return found

    @cached_property
    def tightest(self) -> list[int]:
        """The atoms of the narrowest box: on each side of a number, all others follow from one.

        Whatever row lacks an atom of a side lacks that one.
        """
        if self._intervals is None:
            return list(range(len(self)))
        return self.atoms_of(self.box(range(len(self))))[0]

    def change(self, other: Int32s) -> list[Change]:
        """Return what another row changes, so that it and more can be excluded."""
        found = []
        for a in np.flatnonzero(self.cells != other).tolist():
            own, cell = int(self.cells[a]), int(other[a])
            if self._intervals is None or not self._number[a] or own == MISSING:
                found.append(Change(a, ANY, 0))
            elif cell == MISSING:
                found.append(Change(a, GONE, 0))
            else:
                found.append(Change(a, DOWN if cell < own else UP, cell))
        return found

    def costs(self, frozen: Iterable[int]) -> tuple[Int64s, Floats]:
        """Return what each cell of each attribute costs, in atoms, and where attributes start.

        What would change a frozen atom is never permitted.
        """
        frozen = set(frozen)
        first, costs = [0], []
        for a in range(len(self.cells)):
            own = int(self.cells[a])
            count = int(self._last[a] + 1 if self._number[a] else self.layout.n_cells[a])
            cells = np.arange(count)
            if self._intervals is None or not self._number[a] or own == MISSING:
                cost = (cells != own).astype(np.float64)
                gap = float(own != MISSING)
                atom = a if self._intervals is None else int(self._intervals.first_atom[a])
                if atom in frozen:
                    cost[cells != own], gap = NEVER, NEVER if own != MISSING else 0.0
            else:
                single = bool(self._intervals.has_single[a])
                cost = np.abs(cells - own).astype(np.float64)
                gap = float(self._last[a] + single)
                start = int(self._intervals.first_atom[a]) + single
                # Beyond the nearest frozen level on either side.
                for level in range(count - 1):
                    if start + level in frozen:
                        cost[level + 1 :] = NEVER if own <= level else cost[level + 1 :]
                        cost[: level + 1] = NEVER if own > level else cost[: level + 1]
                        gap = NEVER
                if single and int(self._intervals.first_atom[a]) in frozen:
                    gap = NEVER
            if own == MISSING:
                gap = 0.0
            costs += [*cost.tolist(), gap if self.layout.may_be_missing[a] else NEVER]
            first.append(len(costs))
        return np.array(first, dtype=np.int64), np.array(costs, dtype=np.float64)

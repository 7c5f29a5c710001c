"""The widest box of rows of one class that is about given attributes, by branch and bound.

A box has the row in it, and no leaf of another class. So of every such leaf it leaves out all the
values of some attribute, and a number does that by an end before the leaf: there is one way per
attribute, or none. The search starts with everything allowed, takes a leaf that is still inside and
has the fewest ways to be kept out, and tries them, the widest first. What remains is never wider
than what it was made from, so that all that is not wider than the best so far is left.

Wide is what covers many rows of a table, where there is one, and of as many what has many cells.
Both only shrink on the way, and the rows that remain are found among those that were there before.

A number that is missing in the row has no cell that its interval must contain: there the interval
ends before the leaf, or begins after it.

The search is exact if it ends within its steps; nothing is said to be the widest otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from cattleya.changes.cell_regions import CellRegions
from cattleya.changes.general.box import Box, Range
from cattleya.changes.general.table_rows import TableRows
from cattleya.model.domain.domain import Category
from cattleya.support.arrays import Bools, Floats, Int32s, Places
from cattleya.support.limits import Deadline

__all__ = ["Largest", "Steps", "Width"]

WORD = 62  # bits of a number without a sign

_Allowed = tuple["_Cells | bytes", ...]  # of each attribute, in order


class _Cells(NamedTuple):
    """The cells that are allowed of a number, and whether it may be missing."""

    first: int
    last: int
    missing: bool


class Width(NamedTuple):
    """How wide a box is: the rows of a table that it covers, then the share of the cells."""

    rows: int
    cells: Fraction


class Steps:
    """How many steps searches may still take, all together."""

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self) -> bool:
        """Take a step, if one is left."""
        self.left -= 1
        return self.left >= 0


class Largest:
    """Finds widest boxes around a row; made once for a row.

    Parameters
    ----------
    cells : CellRegions
        The regions of the tree.
    row, row_class
        The row, in the tree's columns, and its class.
    table : TableRows
        The rows of a table that get the class; none where there is no table.
    """

    def __init__(self, cells: CellRegions, row: Floats, row_class: int, table: TableRows) -> None:
        self._cells, self._row, self._table = cells, row, table
        self._others = cells.others(row_class)

    def search(
        self, attributes: Sequence[int], best: Width, steps: Steps, deadline: Deadline
    ) -> tuple[Box | None, bool]:
        """Return the widest box about some attributes, and whether the search came to its end.

        None where none is wider than ``best``.
        """
        if not attributes or not len(self._others):
            return None, True  # nothing has to be left out
        factors = [self._cells.above(attribute)[self._others] for attribute in attributes]
        kept = _distinct(factors)  # leaves that are alike here are one
        sides = [
            self._side(attribute, kept[:, place]) for place, attribute in enumerate(attributes)
        ]
        every = math.prod(side.count for side in sides)
        # How many rows and cells the best so far would have here.
        least = best.rows, math.floor(best.cells * every)
        found: _Allowed | None = None
        waiting = [self._start(attributes, sides, len(kept))]
        seen = {waiting[0].allowed}
        ways = np.sum([side.ways for side in sides], axis=0)
        while waiting:
            deadline.check()
            allowed, rows, inside, size = waiting.pop()
            if size <= least:
                continue
            if not steps.take():
                return self._box(attributes, found), False
            if not len(inside):
                found, least = allowed, size
                continue
            leaf = int(inside[ways.take(inside).argmin()])  # the hardest to be kept out
            new = []
            for place, side in enumerate(sides):
                for less in side.without(allowed[place], leaf):
                    way = (*allowed[:place], less, *allowed[place + 1 :])
                    if way not in seen:
                        seen.add(way)
                        kept_rows = self._table.within(rows, attributes[place], _range(less))
                        cells = size[1] // side.size(allowed[place]) * side.size(less)
                        own = self._table.count(kept_rows), cells
                        if own > least:
                            still = inside.compress(side.meets(less, inside))  # what is out stays
                            new.append(_State(way, kept_rows, still, own))
            waiting += sorted(new, key=lambda state: state.size)
        return self._box(attributes, found), True

    def _start(self, attributes: Sequence[int], sides: Sequence[_Side], leaves: int) -> _State:
        allowed = tuple(side.everything for side in sides)
        rows, inside = self._table.every, np.arange(leaves)
        for attribute, side, one in zip(attributes, sides, allowed, strict=True):
            if self._table.lacks(attribute):
                rows = self._table.within(rows, attribute, _range(one))
            inside = inside[side.meets(one, inside)]
        cells = math.prod(side.size(one) for side, one in zip(sides, allowed, strict=True))
        return _State(allowed, rows, inside, (self._table.count(rows), cells))

    def _box(self, attributes: Sequence[int], found: _Allowed | None) -> Box | None:
        if found is None:
            return None
        box = Box(self._cells)
        for attribute, one in zip(attributes, found, strict=True):
            box.narrowed[attribute] = _range(one)
        return box

    def _side(self, attribute: int, nodes: Int32s) -> _Side:
        described = self._cells.regions.attributes[attribute]
        if isinstance(described, Category):
            own = described.value_of(self._row)
            return _Values(self._cells, attribute, nodes, len(described.values), own)
        value = float(self._row[described.column])
        own_cell = None if math.isnan(value) else self._cells.cell(attribute, value)
        return _Numbers(self._cells, attribute, nodes, own_cell)


class _Numbers:
    """What leaves have of a number, and how they are kept out."""

    def __init__(self, cells: CellRegions, attribute: int, nodes: Int32s, own: int | None) -> None:
        top, is_root = int(cells.top[attribute]), nodes == 0
        self._first = np.where(is_root, 0, cells.first[nodes])
        self._last = np.where(is_root, top, cells.last[nodes])
        self._missing: Bools = (is_root | cells.missing[nodes]) & cells.takes_missing
        self._own = own
        self.everything: _Cells | bytes = _Cells(0, top, cells.takes_missing)
        self.count = top + 1 + cells.takes_missing
        some = self._first <= self._last
        if own is None:
            self.ways: Places = np.where(self._missing, 0, 2).astype(np.intp)
        else:
            self.ways = (~(some & (self._first <= own) & (own <= self._last))).astype(np.intp)

    def meets(self, allowed: _Cells | bytes, leaves: Places) -> Bools:
        """Tell of some leaves whether any of their values is allowed."""
        assert isinstance(allowed, _Cells)
        low = np.maximum(self._first.take(leaves), allowed.first)
        met: Bools = low <= np.minimum(self._last.take(leaves), allowed.last)
        if allowed.missing:
            met |= self._missing.take(leaves)
        return met

    def size(self, allowed: _Cells | bytes) -> int:
        assert isinstance(allowed, _Cells)
        return max(allowed.last - allowed.first + 1, 0) + allowed.missing

    def without(self, allowed: _Cells | bytes, leaf: int) -> Iterator[_Cells]:
        assert isinstance(allowed, _Cells)
        if not self.ways[leaf]:
            return
        first, last = int(self._first[leaf]), int(self._last[leaf])
        missing = allowed.missing and not self._missing[leaf]
        if max(first, allowed.first) > min(last, allowed.last):  # only a missing value is shared
            yield _Cells(allowed.first, allowed.last, missing)
            return
        if self._own is None or first > self._own:
            yield _Cells(allowed.first, first - 1, missing)
        if self._own is None or last < self._own:
            yield _Cells(last + 1, allowed.last, missing)


class _Values:
    """What leaves have of a category, and how they are kept out."""

    def __init__(
        self, cells: CellRegions, attribute: int, nodes: Int32s, count: int, own: int
    ) -> None:
        sets = cells.regions.sets[attribute]
        bits = np.ones((len(nodes), count), dtype=np.bool_)
        known = nodes != 0
        lines = sets.bits[np.searchsorted(sets.nodes, nodes[known])]
        bits[known] = np.unpackbits(lines, axis=1, count=count).astype(np.bool_)
        self._bits = bits
        self.everything: _Cells | bytes = np.ones(count, dtype=np.bool_).tobytes()
        self.count = count
        self.ways: Places = (~bits[:, own]).astype(np.intp)

    def meets(self, allowed: _Cells | bytes, leaves: Places) -> Bools:
        """Tell of some leaves whether any of their values is allowed."""
        met: Bools = np.any(self._bits[leaves] & _marks(allowed), axis=1)
        return met

    def size(self, allowed: _Cells | bytes) -> int:
        return int(_marks(allowed).sum())

    def without(self, allowed: _Cells | bytes, leaf: int) -> Iterator[bytes]:
        if self.ways[leaf]:
            yield (_marks(allowed) & ~self._bits[leaf]).tobytes()


_Side = _Numbers | _Values


class _State(NamedTuple):
    """What is allowed, the rows of the table and the leaves that it has, and its rows and cells."""

    allowed: _Allowed
    rows: Places
    inside: Places
    size: tuple[int, int]


def _distinct(factors: Sequence[Int32s]) -> Int32s:
    """Return the distinct lines of some columns, in order: as ``np.unique``, some times faster."""
    # As many columns as there is room for in a word are compared at once.
    bits = max(1, *(int(column.max(initial=0)).bit_length() for column in factors))
    each = WORD // bits
    words = []
    for first in range(0, len(factors), each):
        word = np.zeros(len(factors[0]), dtype=np.int64)
        for column in factors[first : first + each]:
            word = word << bits | column
        words.append(word)
    order = np.lexsort(words[::-1])
    new = np.zeros(len(order), dtype=np.bool_)
    new[:1] = True
    for word in words:
        ordered = word.take(order)
        new[1:] |= ordered[1:] != ordered[:-1]
    kept = order.compress(new)
    lines: Int32s = np.stack([column.take(kept) for column in factors], axis=1)
    return lines


def _range(allowed: _Cells | bytes) -> Range | Bools:
    return _marks(allowed).copy() if isinstance(allowed, bytes) else Range(*allowed)


def _marks(allowed: _Cells | bytes) -> Bools:
    assert isinstance(allowed, bytes)
    return np.frombuffer(allowed, dtype=np.bool_)

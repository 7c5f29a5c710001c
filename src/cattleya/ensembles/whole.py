"""Whether two halves differ anywhere: a model with one value and another, or two models.

Each half is an ensemble over the same cells, perhaps with some attributes fixed. A box of rows is
settled by the exact search where one half decides the same about all of it: the other half is then
asked for a row that it decides otherwise. Where both vary, the box is cut between two rows that
are decided differently. Rows drawn at random come first: most differences are found by them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from cattleya._core import EnsembleCells, EnsembleRow
from cattleya.ensembles.boxes import Box, Layout
from cattleya.support.arrays import Int32s
from cattleya.support.limits import Deadline
from cattleya.vocabularies.cells import MISSING

__all__ = ["Half", "Halves", "Search"]

NO, YES, OPEN = range(3)
DRAWN = 2000  # rows
DRAWING = 0.2  # the share of the time that they may take
TIME = 60.0  # seconds, where nobody said

Wanted = Callable[[int, int], bool]


@dataclass(frozen=True, eq=False)
class Half:
    """An ensemble over cells, with the cells at which some attributes are fixed.

    ``place`` has the place of each of its outcomes among those of both halves.
    """

    native: EnsembleCells
    fixed: Mapping[int, int] = field(default_factory=dict)
    place: Sequence[int] | None = None

    def row(self, cells: Int32s) -> Int32s:
        """Return a row with what is fixed."""
        own = cells.copy()
        for attribute, cell in self.fixed.items():
            own[attribute] = cell
        return own

    def outcome(self, cells: Int32s) -> int:
        """Return the outcome of a row with what is fixed."""
        found = self.native.decide(self.row(cells))
        return found if self.place is None else self.place[found]


Halves = tuple[Half, Half]


class Search:
    """Looks for a row that two halves decide differently, in a way that is wanted."""

    def __init__(self, layout: Layout, memory: int, rows: Iterable[Int32s] = ()) -> None:
        self._layout, self._memory = layout, memory
        self._rows = list(rows)  # some of a table, in cells
        self._random = np.random.default_rng(0)

    def run(self, halves: Halves, wanted: Wanted, deadline: Deadline) -> tuple[int, Int32s | None]:
        """Return whether there is such a row (0 no, 1 yes, 2 open), and it."""
        found = self._drawn(halves, wanted, deadline)
        if found is not None:
            return YES, found
        boxes = [self._layout.everything()]
        while boxes:
            if not deadline.seconds():
                return OPEN, None
            answer, row, parts = self._look(boxes.pop(), halves, wanted, deadline)
            if answer != NO:
                return answer, row
            boxes += parts
        return NO, None

    def _drawn(self, halves: Halves, wanted: Wanted, deadline: Deadline) -> Int32s | None:
        """Try rows of the table, and rows drawn at random."""
        end = time.monotonic() + min(deadline.seconds(), TIME) * DRAWING
        for number in range(DRAWN + len(self._rows)):
            is_drawn = number >= len(self._rows)
            row = self._random_row() if is_drawn else self._rows[number]
            if wanted(halves[0].outcome(row), halves[1].outcome(row)):
                return row
            if time.monotonic() > end:
                break
        return None

    def _random_row(self) -> Int32s:
        layout = self._layout
        sizes = np.where(layout.is_number, layout.last + 1, layout.n_cells)
        return self._random.integers(0, np.maximum(sizes, 1)).astype(np.int32)

    def _look(
        self, box: Box, halves: Halves, wanted: Wanted, deadline: Deadline
    ) -> tuple[int, Int32s | None, list[Box]]:
        """Settle a box, or cut it in two."""
        row = self._row_of(box)
        rows, outcomes = [row], [half.outcome(row) for half in halves]
        if wanted(outcomes[0], outcomes[1]):
            return YES, row, []
        others: list[Int32s | None] = []
        for half in halves:
            native = EnsembleRow(half.native, half.row(row))
            fixed = self.fixed(box, half.fixed)
            answer, other = native.other_outcome(*fixed, deadline.seconds(), self._memory)
            if answer == OPEN:
                return OPEN, None, []
            others.append(self._freed(other, row, half) if answer == YES else None)
            if answer == YES:
                rows.append(self._freed(other, row, half))
        for one in rows[1:]:
            if wanted(halves[0].outcome(one), halves[1].outcome(one)):
                return YES, one, []
        constant = [other is None for other in others]
        if all(constant) or (any(constant) and _is_settled(halves, outcomes, constant, wanted)):
            return NO, None, []
        return NO, None, self._cut(box, row, next(one for one in others if one is not None))

    @staticmethod
    def _freed(cells: Int32s, row: Int32s, half: Half) -> Int32s:
        """Return a row of a half with what is fixed there as in another row."""
        found = cells.copy()
        for attribute in half.fixed:
            found[attribute] = row[attribute]
        return found

    def fixed(self, box: Box, cells: Mapping[int, int]) -> Box:
        """Return a box in which some attributes are at one cell."""
        if not cells:
            return box
        made, first = box.copy(), self._layout.first_word
        for attribute, cell in cells.items():
            if not self._layout.is_number[attribute]:
                part = slice(int(first[attribute]), int(first[attribute + 1]))
                made.words[part] = 0
                made.words[int(first[attribute]) + cell // 64] = np.uint64(1 << (cell % 64))
            elif cell == MISSING:
                made.low[attribute], made.high[attribute], made.missing[attribute] = 0, -1, 1
            else:
                made.low[attribute] = made.high[attribute] = cell
                made.missing[attribute] = 0
        return made

    def _row_of(self, box: Box) -> Int32s:
        """Return a row in the middle of a box."""
        row = ((box.low.astype(np.int64) + box.high) // 2).astype(np.int32)
        row[box.low > box.high] = MISSING
        for a in np.flatnonzero(~self._layout.is_number).tolist():
            row[a] = self._cells(box, a)[0]
        return row

    def _cells(self, box: Box, a: int) -> list[int]:
        first = self._layout.first_word
        words = box.words[int(first[a]) : int(first[a + 1])].tolist()
        return [
            64 * place + bit for place, word in enumerate(words) for bit in range(64)
            if word >> bit & 1
        ]  # fmt: skip  # as it reads

    def _cut(self, box: Box, row: Int32s, other: Int32s) -> list[Box]:
        """Return two boxes: of the first attribute in which two rows differ, each has one side."""
        differ = np.flatnonzero(row != other).tolist()
        # Where most is left to cut: halves shrink fastest there.
        a = max(differ, key=lambda place: self._left(box, place))
        one, two = box.copy(), box.copy()
        if not self._layout.is_number[a]:
            first, cells = int(self._layout.first_word[a]), self._cells(box, a)
            apart = [cell for cell in cells if cell != int(other[a])]
            half = [*apart[: len(apart) // 2], int(other[a])]
            if int(row[a]) in half:
                half = [int(other[a])]
            for made, keep in ((one, half), (two, [c for c in cells if c not in half])):
                made.words[first : int(self._layout.first_word[a + 1])] = 0
                for cell in keep:
                    made.words[first + cell // 64] |= np.uint64(1 << (cell % 64))
        elif MISSING in (int(row[a]), int(other[a])):
            one.low[a], one.high[a] = 0, -1
            two.missing[a] = 0
        else:
            low, high = sorted((int(row[a]), int(other[a])))
            middle = (low + high) // 2
            one.high[a], two.low[a] = middle, middle + 1
            two.missing[a] = 0
        return [one, two]

    def _left(self, box: Box, a: int) -> int:
        if not self._layout.is_number[a]:
            return len(self._cells(box, a))
        return int(box.high[a] - box.low[a]) + 1 + int(box.missing[a])


def _is_settled(
    halves: Halves, outcomes: Sequence[int], constant: Sequence[bool], wanted: Wanted
) -> bool:
    """Tell whether no outcome of the half that varies is wanted beside that of the other."""
    own, varies = (outcomes[0], halves[1]) if constant[0] else (outcomes[1], halves[0])
    every = varies.place if varies.place is not None else range(varies.native.n_outcomes)
    return not any(wanted(own, one) if constant[0] else wanted(one, own) for one in every)

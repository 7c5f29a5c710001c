"""Where a minimal change of an ensemble's row leads: the values that do it, and what follows.

A contrastive explanation says what has to change, not to what. All else stays as it is in the row.
Of a single feature every cell is decided, so that the nearest values on either side are known, and
all up to the next ones of another outcome. Several features change together: the nearest row whose
values do it (see ``changes.minimal.needed``) is found by the search, and the values of each feature
are then made as many as do it with all those of the others; every combination, also of some with
the row's own values for the rest, is decided by the ensemble itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product

import numpy as np

from cattleya._core import EnsembleCells
from cattleya.changes.general.box import Range
from cattleya.changes.minimal.needed import Allowed, Part
from cattleya.support.arrays import Int32s
from cattleya.support.limits import Deadline
from cattleya.vocabularies.cells import MISSING

__all__ = ["Combinations", "cell_of", "cells_of", "part_of", "sides_of"]

MOST_COMBINATIONS = 2000  # that are decided for one destination, and for what rules it out


def sides_of(
    native: EnsembleCells, own: Int32s, place: int, allowed: list[int], *, ordered: bool
) -> Iterator[tuple[int, list[int]]]:
    """Give the outcomes that one attribute alone leads to, and the cells that do.

    Of a number the nearest cells on either side that follow each other; of a category all.
    """
    cells, mine = own.copy(), native.decide(own)
    outcome = {}
    for cell in allowed:
        cells[place] = cell
        outcome[cell] = native.decide(cells)
    others = sorted(set(outcome.values()) - {mine})
    for number in others:
        found = [cell for cell in allowed if outcome[cell] == number]
        if not ordered or own[place] == MISSING:
            yield number, found if not ordered else _run(found, found[0])
            continue
        below = [cell for cell in found if cell < own[place]]
        above = [cell for cell in found if cell > own[place]]
        if below:
            yield number, _run(below, below[-1])
        if above:
            yield number, _run(above, above[0])


def _run(cells: list[int], start: int) -> list[int]:
    """Return the cells that follow each other, one of which is ``start``."""
    known, low, high = set(cells), start, start
    while low - 1 in known:
        low -= 1
    while high + 1 in known:
        high += 1
    return list(range(low, high + 1))


def cells_of(part: Part) -> list[int]:
    """Return the cells of a part, without that of missing values."""
    if isinstance(part, Range):
        return list(range(part.first, part.last + 1))
    return np.flatnonzero(part).tolist()


def cell_of(part: Part) -> int:
    """Return the one cell of a part."""
    cells = cells_of(part)
    return cells[0] if cells else MISSING


def part_of(cells: list[int], like: Part) -> Part:
    """Return cells as a part: those of a number follow each other."""
    if not isinstance(like, Range):
        return np.isin(np.arange(len(like)), cells)
    if cells == [MISSING]:
        return Range(like.last + 1, like.last, missing=True)
    return Range(min(cells), max(cells), missing=False)


class Combinations:
    """The outcomes of combinations of cells of some attributes; all others stay as in the row.

    Parameters
    ----------
    native : EnsembleCells
    own : array
        The row's cells.
    everything : dict
        By attribute that may change: all that it can become.
    spoils : callable
        Tells which outcomes must not follow where only some of them change.
    deadline : Deadline
    """

    def __init__(
        self,
        native: EnsembleCells,
        own: Int32s,
        everything: Allowed,
        spoils: Callable[[int], bool],
        deadline: Deadline,
    ) -> None:
        self._native, self._own, self._everything = native, own, everything
        self._spoils, self._deadline = spoils, deadline

    def outcome(self, cells: dict[int, int]) -> int:
        """Return the outcome of the row with some other cells."""
        self._deadline.check()
        row = self._own.copy()
        row[list(cells)] = list(cells.values())
        return self._native.decide(row)

    def enough(self, point: Allowed) -> Allowed | None:
        """Return parts around some of the cells that are enough without the rest; None if none."""
        cells = {place: cell_of(part) for place, part in point.items()}
        for size in range(1, len(cells)):
            for some in combinations(cells, size):
                chosen = {place: cells[place] for place in some}
                if self._spoils(self.outcome(chosen)):
                    return self._grown(chosen, self._are_enough)
        return None

    def _are_enough(self, choices: dict[int, list[int]]) -> bool:
        return all(
            self._spoils(self.outcome(dict(zip(choices, cells, strict=True))))
            for cells in product(*choices.values())
        )

    def widened(self, point: Allowed, allowed: Allowed, wanted: int) -> Allowed:
        """Return parts around cells that do it, all combinations of which do."""

        def do_it(choices: dict[int, list[int]]) -> bool:
            stay = {place: int(self._own[place]) for place in choices}
            either = [[*cells, stay[place]] for place, cells in choices.items()]
            for cells in product(*either):
                chosen = dict(zip(choices, cells, strict=True))
                if chosen == stay:
                    continue
                outcome = self.outcome(chosen)
                some_stay = any(cell == stay[place] for place, cell in chosen.items())
                if self._spoils(outcome) if some_stay else outcome != wanted:
                    return False
            return True

        cells = {place: cell_of(part) for place, part in point.items()}
        return self._grown(cells, do_it, allowed)

    def _grown(
        self,
        cells: dict[int, int],
        holds: Callable[[dict[int, list[int]]], bool],
        allowed: Allowed | None = None,
    ) -> Allowed:
        """Return parts around cells for all combinations of which something holds."""
        chosen, left = {place: [cell] for place, cell in cells.items()}, MOST_COMBINATIONS

        def can_add(place: int, cell: int) -> bool:
            nonlocal left
            if cell == self._own[place]:
                return False
            choices = chosen | {place: [cell]}
            left -= int(np.prod([len(one) + 1 for one in choices.values()]))
            return left >= 0 and holds(choices)

        for place, start in cells.items():
            part = (allowed or self._everything)[place]
            if start == MISSING:
                continue
            if not isinstance(part, Range):
                rest = (cell for cell in cells_of(part) if cell != start)
                chosen[place] += [cell for cell in rest if can_add(place, cell)]
                continue
            for step in (-1, 1):
                cell = start + step
                while part.first <= cell <= part.last and can_add(place, cell):
                    chosen[place].append(cell)
                    cell += step
        return {place: part_of(one, self._everything[place]) for place, one in chosen.items()}

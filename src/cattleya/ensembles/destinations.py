"""Where a minimal change of an ensemble's row leads: the values that do it, and what follows.

A contrastive explanation says what has to change, not to what. All else stays as it is in the row.
Of a single feature every cell is decided, so that the nearest values on either side are known, and
all up to the next ones of another outcome. Several features change together: the nearest row is
found by the search, and the values of each feature are then made as many as lead to the same
outcome with all those of the others; every combination is decided by the ensemble itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from cattleya._core import EnsembleCells
from cattleya.support.arrays import Int32s
from cattleya.support.limits import Deadline
from cattleya.vocabularies.cells import MISSING

__all__ = ["sides_of", "widened"]

MOST_COMBINATIONS = 500  # that are decided for one destination


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


def widened(
    native: EnsembleCells,
    found: Int32s,
    places: list[int],
    allowed: list[list[int]],
    ordered: list[bool],
    deadline: Deadline,
) -> list[list[int]]:
    """Return cells of each attribute, all combinations of which have the outcome of ``found``.

    ``allowed`` has the cells that each attribute may have.
    """
    wanted = native.decide(found)
    chosen = [[int(found[place])] for place in places]
    left = MOST_COMBINATIONS

    def lead_there(at: int, cell: int) -> bool:
        nonlocal left
        choices = [[cell] if i == at else cells for i, cells in enumerate(chosen)]
        left -= int(np.prod([len(cells) for cells in choices]))
        if left < 0:
            return False
        row = found.copy()
        for values in product(*choices):
            deadline.check()
            row[places] = values
            if native.decide(row) != wanted:
                return False
        return True

    for at, place in enumerate(places):
        start, known = int(found[place]), frozenset(allowed[at])
        if start == MISSING:
            continue
        if not ordered[at]:
            rest = [cell for cell in allowed[at] if cell != start]
            chosen[at] += [cell for cell in rest if lead_there(at, cell)]
            continue
        for step in (-1, 1):
            cell = start + step
            while cell in known and lead_there(at, cell):
                chosen[at].append(cell)
                cell += step
    return [sorted(cells) for cells in chosen]

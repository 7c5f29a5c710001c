"""Few reasons that together cover most rows of a table.

Every reason is one of a row, made as general as it can be: every row that has its facts gets its
class, whatever else it has. That is proved on the tree, not counted on the table. Which of them to
show is a set cover: the next reason is always the one that covers most rows that none before it
covers (the greedy algorithm, which needs at most ln n times as many as the shortest list); at the
end, what the others cover without it is dropped. A shorter list may exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from cattleya.changes.general.general_reason import General
from cattleya.support.arrays import Bools, Floats, Int32s, Places

__all__ = ["Cover", "Covering", "cover", "covers", "few"]

ENOUGH = Fraction(9, 10)  # of the rows
MOST = 20  # reasons


@dataclass(frozen=True, eq=False)
class Covering:
    """A reason of the list.

    Attributes
    ----------
    reason : General
        What every row has that it covers.
    prediction : label
        The class that all of these get.
    rows : int
        How many rows of the table it covers.
    share : Fraction
        Of the rows that get this class, how many these are.
    """

    reason: General
    prediction: Any
    rows: int
    share: Fraction


@dataclass(frozen=True, eq=False)
class Cover:
    """The list, and how many rows its reasons cover together, of how many."""

    reasons: tuple[Covering, ...] = ()
    covered: int = 0
    of: int = 0

    @property
    def share(self) -> Fraction:
        """The share of the rows that at least one reason covers."""
        return Fraction(self.covered, self.of) if self.of else Fraction(0)


def cover(candidates: Iterable[tuple[General, int]], matrix: Floats, classes: Int32s) -> Cover:
    """Choose reasons that cover nine tenths of the rows, or twenty of them.

    Parameters
    ----------
    candidates : iterable of General and int
        The reasons, each with the number of its class.
    matrix : array
        The rows, in the tree's columns.
    classes : array
        The class of each row, by number.
    """
    found: dict[str, tuple[General, int, Places]] = {}
    for reason, number in candidates:
        text = f"{number} {reason}"
        if text not in found:
            found[text] = reason, number, np.flatnonzero(covers(reason, matrix))
    known = list(found.values())
    everything = np.ones(len(matrix), dtype=np.bool_)
    chosen = few([rows for _, _, rows in known], everything, ENOUGH, MOST)
    size = np.bincount(classes, minlength=1)
    listed, covered = [], ~everything
    for place in chosen:
        reason, number, rows = known[place]
        covered[rows] = True
        share = Fraction(len(rows), int(size[number]))
        listed.append(Covering(reason, reason.prediction, len(rows), share))
    listed.sort(key=lambda one: -one.rows)
    return Cover(tuple(listed), int(covered.sum()), len(matrix))


def covers(reason: General, matrix: Floats) -> Bools:
    """Tell of each row, in the tree's columns, whether it has what a reason says."""
    covered = np.ones(len(matrix), dtype=np.bool_)
    for part in reason.parts:
        covered &= part.holds_in(matrix)
    return covered


def few(
    sets: Sequence[Places], wanted: Bools, enough: Fraction, most: int | None = None
) -> list[int]:
    """Return the places of few sets that together have enough of the wanted rows.

    The next is always the one with most that are left, the first of several; at the end, those go
    whose rows the others have, too. What a set adds only ever shrinks: few are counted again.

    >>> sets = [np.array([0, 1]), np.array([1, 2, 3]), np.array([3])]
    >>> few(sets, np.array([True] * 4), Fraction(1))
    [1, 0]
    """
    left = wanted.copy()
    may_stay = int((1 - enough) * int(wanted.sum()))
    n_left = int(wanted.sum())
    heap = [(-int(left[rows].sum()), place) for place, rows in enumerate(sets)]
    heapify(heap)
    chosen: list[int] = []
    while heap and n_left > may_stay and (most is None or len(chosen) < most):
        _, place = heappop(heap)
        now = -int(left[sets[place]].sum()), place
        if heap and heap[0] < now:
            heappush(heap, now)
        elif now[0]:
            chosen.append(place)
            left[sets[place]] = False
            n_left += now[0]
    often = np.zeros(len(wanted), dtype=np.int64)
    for place in chosen:
        often[sets[place]] += 1
    kept = []
    for place in chosen:
        own = sets[place][wanted[sets[place]]]
        if (often[own] > 1).all():
            often[sets[place]] -= 1
        else:
            kept.append(place)
    return kept

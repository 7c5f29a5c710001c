"""Few reasons that together cover most rows of a table.

Every reason is one of a row, made as general as it can be: every row that has its facts gets its
class, whatever else it has. That is proved on the tree, not counted on the table. Which of them to
show is a set cover: the next reason is always the one that covers most rows that none before it
covers (the greedy algorithm, which needs at most ln n times as many as the shortest list); at the
end, what the others cover without it is dropped. A shorter list may exist.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from cattleya.changes.general.general_reason import General
from cattleya.support.arrays import Bools, Floats, Int32s

__all__ = ["Cover", "Covering", "cover", "covers", "needed"]

Key = TypeVar("Key", bound=Hashable)

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
    found: dict[str, tuple[General, int, Bools]] = {}
    for reason, number in candidates:
        text = f"{number} {reason}"
        if text not in found:
            found[text] = reason, number, covers(reason, matrix)
    left = np.ones(len(matrix), dtype=np.bool_)
    gains = {text: int(rows.sum()) for text, (_, _, rows) in found.items()}
    chosen: list[str] = []
    while gains and len(chosen) < MOST and left.sum() > (1 - ENOUGH) * len(matrix):
        best = _best(gains, found, left)
        if not gains.pop(best):
            break
        chosen.append(best)
        left &= ~found[best][2]
    kept = needed([(text, found[text][2]) for text in chosen])
    size = np.bincount(classes, minlength=1)
    listed = []
    for text in kept:
        reason, number, rows = found[text]
        count = int(rows.sum())
        listed.append(
            Covering(reason, reason.prediction, count, Fraction(count, int(size[number])))
        )
    listed.sort(key=lambda one: -one.rows)
    return Cover(tuple(listed), len(matrix) - int(left.sum()), len(matrix))


def covers(reason: General, matrix: Floats) -> Bools:
    """Tell of each row, in the tree's columns, whether it has what a reason says."""
    covered = np.ones(len(matrix), dtype=np.bool_)
    for part in reason.parts:
        covered &= part.holds_in(matrix)
    return covered


def _best(gains: dict[str, int], found: dict[str, tuple[General, int, Bools]], left: Bools) -> str:
    """Return the reason that covers most of what is left.

    What a reason adds only ever shrinks, so that few of them are counted again.
    """
    fresh: set[str] = set()
    while True:
        best = max(gains, key=gains.__getitem__)
        if best in fresh:
            return best
        gains[best] = int((found[best][2] & left).sum())
        fresh.add(best)


def needed(chosen: Sequence[tuple[Key, Bools]]) -> list[Key]:
    """Return the keys of sets of rows without those whose rows the others cover."""
    kept = dict(chosen)
    for key, rows in chosen:
        others = [other for one, other in kept.items() if one != key]
        if others and not (rows & ~np.logical_or.reduce(others)).any():
            del kept[key]
    return list(kept)

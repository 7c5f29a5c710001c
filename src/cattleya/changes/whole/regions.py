"""The regions in which a decision depends on some features alone, over the whole domain.

The core finds them (``free_regions.cpp``): boxes of the other features, no two of which meet, and
in each how the outcome goes with the free ones; boxes side by side become one there
(``region_merging.cpp``). Here they are counted, exactly, and put in order, the largest first; each
is made into an object when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from cattleya.changes.whole.cell_sets import CellSet, CellWords, cell_set
from cattleya.support.arrays import Int64s, Places
from cattleya.support.limits import Deadline

__all__ = ["MANY", "Case", "Found", "Region", "Wanted", "find"]

MANY = 1 << 40


class Wanted(IntEnum):
    """Which regions are told: where the outcome differs, or rises or falls along a number."""

    DIFFERS = 0
    RISES = 1
    FALLS = 2


@dataclass(frozen=True)
class Case:
    """A part of the free attributes, and the place of its outcome."""

    outcome: int
    box: tuple[CellSet, ...]


@dataclass(frozen=True)
class Region:
    """A box of the attributes that stay (those of which not every cell is in it), and its cases."""

    box: Mapping[int, CellSet]
    cases: tuple[Case, ...]


class Found:
    """The regions, the largest first.

    Attributes
    ----------
    free : tuple of int
        The free attributes that are tested.
    complete : bool
        Whether there are no others; else time ran out.
    """

    def __init__(
        self, words: CellWords, free: tuple[int, ...], arrays: Sequence[Any], complete: bool
    ) -> None:
        self.free, self.complete = free, complete
        self._words, self._arrays = words, arrays

    def __len__(self) -> int:
        return len(self._arrays[0]) - 1 if self._arrays else 0

    def region(self, number: int) -> Region:
        """Return the region of a rank; the largest is 0."""
        part_start, attribute, low, high, missing = self._arrays[:5]
        case_start, outcome, free_low, free_high, free_missing, bits = self._arrays[5:]
        at = int(self._order[number])
        words = self._words

        def made(owner: int, first: Any, last: Any, gap: Any) -> CellSet:
            return cell_set(words.is_number(owner), int(first), int(last), bool(gap), bits)

        box = {
            int(attribute[i]): made(int(attribute[i]), low[i], high[i], missing[i])
            for i in range(part_start[at], part_start[at + 1])
        }
        cases = []
        for case in range(case_start[at], case_start[at + 1]):
            start = case * len(self.free)
            own = [
                made(owner, free_low[start + i], free_high[start + i], free_missing[start + i])
                for i, owner in enumerate(self.free)
            ]
            cases.append(Case(int(outcome[case]), tuple(own)))
        return Region(box, tuple(cases))

    @cached_property
    def total(self) -> int:
        """How many joint cells the attributes that stay have."""
        words = self._words
        tested = np.flatnonzero(words.cells.tested).tolist()
        return prod(words.all_cells(a) for a in tested if a not in self.free)

    @cached_property
    def sizes(self) -> list[int]:
        """How many of them are in each region."""
        return [self._size[at] for at in self._order.tolist()]

    @cached_property
    def share(self) -> Fraction:
        """The share of them that are in a region."""
        return Fraction(sum(self._size), self.total)

    @cached_property
    def _order(self) -> Places:
        sizes = self._size
        return np.array(sorted(range(len(sizes)), key=lambda at: -sizes[at]), dtype=np.intp)

    @cached_property
    def _size(self) -> list[int]:
        """The size of each, as the core has them: products of whole numbers without a bound."""
        if not len(self):
            return []
        start, attribute, low, high, missing = self._arrays[:5]
        bits = self._arrays[10]
        counted = np.zeros(len(bits) + 1, dtype=np.int64)
        if len(bits):
            ones = np.unpackbits(bits.view(np.uint8)).reshape(len(bits), 64).sum(axis=1)
            np.cumsum(ones, out=counted[1:])
        words = self._words
        number = np.array([words.is_number(a) for a in range(len(words.domain.attributes))])[
            attribute
        ]
        own: Int64s = np.maximum(high.astype(np.int64) - low + 1, 0) + missing
        own[~number] = counted[high[~number]] - counted[low[~number]]
        every = {a: words.all_cells(a) for a in np.unique(attribute).tolist()}
        whole = np.array([every[a] for a in attribute.tolist()], dtype=object)
        inside, outside = _products(own.astype(object), start), _products(whole, start)
        return [self.total // out * into for into, out in zip(inside, outside, strict=True)]


def _products(values: Any, start: Int64s) -> list[int]:
    """Return the product of each part of an array; 1 where there is nothing."""
    padded = np.append(values, np.array([1], dtype=object))
    found: list[int] = np.multiply.reduceat(padded, start[:-1]).tolist()
    for place in np.flatnonzero(start[1:] == start[:-1]).tolist():
        found[place] = 1
    return found


def find(
    words: CellWords,
    free: Sequence[int],
    wanted: Wanted = Wanted.DIFFERS,
    *,
    most: int = MANY,
    deadline: Deadline,
    memory: int,
) -> Found:
    """Find the regions whose outcome depends on some attributes alone, or some of them."""
    tested = words.cells.tested
    free = tuple(attribute for attribute in dict.fromkeys(free) if tested[attribute])
    if not free:  # no test looks at them
        return Found(words, free, (), True)
    complete, *arrays = words.cells.core.free_regions(
        np.array(free, dtype=np.int32),
        int(wanted),
        most,
        most == MANY,
        deadline.seconds(),
        memory,
    )
    found = Found(words, free, arrays, complete)
    found.complete = complete or len(found) >= most
    return found

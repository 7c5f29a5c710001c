"""The regions in which a decision depends on some features alone, over the whole domain.

The core finds them (``free_regions.cpp``): boxes of the other features, no two of which meet, and
in each how the outcome goes with the free ones. Here they get their sizes and their words, and
boxes that differ in one feature only, and there are side by side, become one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from math import prod

import numpy as np

from cattleya.changes.whole.cell_sets import CellSet, CellWords, Range
from cattleya.support.limits import Deadline

__all__ = ["MANY", "Case", "Found", "Region", "Wanted", "find", "merged"]

MANY = 1 << 40
LOOK = 1024  # regions between two looks at the clock


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


@dataclass(frozen=True)
class Found:
    """The regions; ``complete`` where there are no others."""

    free: tuple[int, ...]
    regions: tuple[Region, ...]
    complete: bool

    def share(self, words: CellWords) -> Fraction:
        """Return the share of the cells of the other attributes that are in a region."""
        tested = np.flatnonzero(words.cells.tested).tolist()
        sizes = {a: words.all_cells(a) for a in tested if a not in self.free}
        total = prod(sizes.values())
        return Fraction(sum(_cells(region, sizes, total, words) for region in self.regions), total)


def _cells(region: Region, sizes: Mapping[int, int], total: int, words: CellWords) -> int:
    """Return how many joint cells are in a region."""
    count = total
    for attribute, found in region.box.items():
        count = count // sizes[attribute] * words.size(found)
    return count


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
        return Found(free, (), True)
    complete, *arrays = words.cells.core.free_regions(
        np.array(free, dtype=np.int32), int(wanted), most, deadline.seconds(), memory
    )
    regions = tuple(_regions(words, free, arrays, deadline))
    return Found(free, regions, complete or len(regions) >= most)


def _regions(
    words: CellWords, free: tuple[int, ...], arrays: Sequence[object], deadline: Deadline
) -> Iterator[Region]:
    lists = [array.tolist() for array in arrays]  # type: ignore[attr-defined]  # all are arrays
    part_start, attribute, low, high, missing = lists[:5]
    case_start, outcome, free_low, free_high, free_missing, bits = lists[5:]

    def made(owner: int, first: int, last: int, gap: int) -> CellSet:
        if words.is_number(owner):
            return Range(first, last, bool(gap))
        return int(sum(word << 64 * place for place, word in enumerate(bits[first:last])))

    for number in range(len(part_start) - 1):
        if number % LOOK == 0:
            deadline.check()
        box = {
            attribute[i]: made(attribute[i], low[i], high[i], missing[i])
            for i in range(part_start[number], part_start[number + 1])
        }
        cases = []
        for case in range(case_start[number], case_start[number + 1]):
            at = case * len(free)
            own = [
                made(owner, free_low[at + i], free_high[at + i], free_missing[at + i])
                for i, owner in enumerate(free)
            ]
            cases.append(Case(outcome[case], tuple(own)))
        yield Region(box, tuple(sorted(cases, key=_order)))


def _order(case: Case) -> tuple[object, ...]:
    return tuple((one.low, one.high) if isinstance(one, Range) else (one, 0) for one in case.box)


def merged(found: Found, words: CellWords, deadline: Deadline) -> Found:
    """Return the same regions, fewer: those side by side along one attribute, alike in all else."""
    regions = [(dict(region.box), _outcomes(region.cases)) for region in found.regions]
    before = -1
    while len(regions) != before:
        before = len(regions)
        for attribute in sorted({a for box, _ in regions for a in box}):
            deadline.check()
            regions = _merged_along(attribute, regions, words)
    sizes = {a: words.all_cells(a) for a in range(len(words.domain.attributes))}
    joined = [Region(box, outcomes) for box, outcomes in regions]
    total = prod(size for a, size in sizes.items() if a not in found.free)
    joined.sort(key=lambda region: -_cells(region, sizes, total, words))
    return Found(found.free, tuple(joined), found.complete)


_Boxed = tuple[dict[int, CellSet], tuple[Case, ...]]


def _outcomes(cases: Sequence[Case]) -> tuple[Case, ...]:
    """Return how the outcome goes with the free attributes: of one, what is alike is one case."""
    if len(cases[0].box) > 1:
        return tuple(cases)
    if isinstance(cases[0].box[0], int):
        union: dict[int, int] = {}
        for case in cases:
            assert isinstance(case.box[0], int)
            union[case.outcome] = union.get(case.outcome, 0) | case.box[0]
        return tuple(Case(outcome, (bits,)) for outcome, bits in sorted(union.items()))
    found: list[Case] = []
    for case in cases:
        own, joined = case.box[0], None
        if found and found[-1].outcome == case.outcome:
            last = found[-1].box[0]
            assert isinstance(last, Range)
            assert isinstance(own, Range)
            joined = last.joined(own)
        if joined is None:
            found.append(case)
        else:
            found[-1] = Case(case.outcome, (joined,))
    return tuple(found)


def _merged_along(attribute: int, regions: list[_Boxed], words: CellWords) -> list[_Boxed]:
    groups: dict[tuple[object, object, bool], list[_Boxed]] = {}
    for box, outcomes in regions:
        rest = tuple(item for item in box.items() if item[0] != attribute)
        groups.setdefault((rest, outcomes, attribute in box), []).append((box, outcomes))
    result: list[_Boxed] = []
    for (_, _, there), group in groups.items():
        if not there or len(group) == 1:
            result += group
            continue
        for joined in _joined([box[attribute] for box, _ in group]):
            box, outcomes = dict(group[0][0]), group[0][1]
            if words.size(joined) == words.all_cells(attribute):
                del box[attribute]
            else:
                box[attribute] = joined
            result.append((box, outcomes))
    return result


def _joined(sets: list[CellSet]) -> list[CellSet]:
    if isinstance(sets[0], int):
        union = 0
        for one in sets:
            assert isinstance(one, int)
            union |= one
        return [union]
    result: list[Range] = []
    for one in sorted(sets):
        assert isinstance(one, Range)
        joined = result[-1].joined(one) if result else None
        if joined is None:
            result.append(one)
        else:
            result[-1] = joined
    return list(result)

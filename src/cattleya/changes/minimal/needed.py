"""The nearest values of some attributes that lead to a class, each of which is needed for it.

Values *do it* when they lead to the class together, and any of them without the rest, which then
stay as they are in the row, do not change the outcome (or, where one class is asked for, do not
lead to it). The nearest values that lead to the class may fail the second: then some of them do it
without the rest. All values that are as those rule each other out, so what is left of the boxes is
looked at again, the nearest first, until the nearest values do it. Nothing is lost on the way.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

from cattleya.changes.general.box import Range
from cattleya.support.arrays import Bools

__all__ = ["Allowed", "Near", "Part", "is_empty", "meet", "minus", "nearest_needed"]

#: Of one attribute: the cells of a number, or marks of the values or cells of a category.
Part: TypeAlias = "Range | Bools"
Allowed: TypeAlias = dict[int, Part]


@dataclass(frozen=True, eq=False)
class Near:
    """The nearest values of a box: what they cost, one cell or value of each attribute.

    And what is around them in the box that leads to the same class.
    """

    cost: float
    point: Allowed
    inside: Allowed


def nearest_needed(
    allowed: Allowed,
    nearest: Callable[[Allowed], Near | None],
    enough: Callable[[Allowed], Allowed | None],
) -> Near | None:
    """Return the nearest values in a box that do it; None if none do.

    Parameters
    ----------
    allowed : dict
        What each attribute may become.
    nearest : callable
        Gives the nearest values of a box that lead to the class; None if there are none.
    enough : callable
        Given such values: of some of the attributes, not of all, parts of which all values do
        without the rest, and which those given are in; None if all are needed.
    """
    number = count()  # of two that are equally near, the first that was found
    first = nearest(allowed)
    heap = [] if first is None else [(first.cost, next(number), allowed, first)]
    while heap:
        _, _, box, near = heapq.heappop(heap)
        parts = enough(near.point)
        if parts is None:
            return near
        for piece in _outside(box, parts):
            found = nearest(piece)
            if found is not None:
                heapq.heappush(heap, (found.cost, next(number), piece, found))
    return None


def _outside(box: Allowed, parts: Allowed) -> Iterator[Allowed]:
    """Give boxes of all that is not in every one of some parts, none of it twice."""
    inside = dict(box)
    for place, hole in parts.items():
        for piece in minus(inside[place], hole):
            yield inside | {place: piece}
        inside[place] = meet(inside[place], hole)


def minus(part: Part, hole: Part) -> list[Part]:
    """Return what one part has and another has not: intervals; missing by itself."""
    if not isinstance(part, Range):
        assert not isinstance(hole, Range)
        rest = part & ~hole
        return [rest] if rest.any() else []
    assert isinstance(hole, Range)
    cut = part.last + 1 if hole.is_empty else hole.first
    below = Range(part.first, min(part.last, cut - 1), missing=False)
    above = Range(max(part.first, cut, hole.last + 1), part.last, missing=False)
    pieces: list[Part] = [one for one in (below, above) if not one.is_empty]
    if part.missing and not hole.missing:
        pieces.append(gap_after(part))
    return pieces


def meet(part: Part, other: Part) -> Part:
    """Return what two parts of an attribute have in common."""
    if not isinstance(part, Range):
        assert not isinstance(other, Range)
        return part & other
    assert isinstance(other, Range)
    first, last = max(part.first, other.first), min(part.last, other.last)
    return Range(first, last, part.missing and other.missing)


def is_empty(part: Part) -> bool:
    """Tell whether nothing is in a part."""
    return part.size == 0 if isinstance(part, Range) else not part.any()


def gap_after(part: Range) -> Range:
    """Return what has no number: only that the value is missing."""
    return Range(part.last + 1, part.last, missing=True)

"""What is left of a tree when all but some attributes stay as they are in a row.

The leaves that agree with all other attributes, as cells or values of those that change. A leaf of
another class that some of the row's own values agree with rules out what it has of the others: they
do it without the rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cattleya.changes.general.box import Range
from cattleya.changes.minimal.needed import (
    Allowed,
    Near,
    Part,
    is_empty,
    meet,
    minus,
    nearest_needed,
)
from cattleya.support.arrays import Bools, Floats, Int32s, Places

__all__ = ["Left", "LeftNumber", "LeftValues"]

WHOLE = 1.0  # what a change of a category costs, and one from or to a missing value


@dataclass(frozen=True, eq=False)
class LeftNumber:
    """A number that may change: of each leaf the first and the last cell, and whether missing.

    ``value`` and ``cell`` are the row's own, NaN and -1 where it is missing; ``low`` and ``high``
    the least and the greatest value of each cell.
    """

    first: Places
    last: Places
    missing: Bools
    value: float
    cell: int
    low: Floats
    high: Floats

    @property
    def own(self) -> Range:
        """The cell of the row."""
        return Range(self.cell, self.cell if self.cell >= 0 else -2, self.cell < 0)

    def meets(self, part: Part) -> Bools:
        """Tell which leaves have some of a part."""
        assert isinstance(part, Range)
        inside: Bools = np.maximum(self.first, part.first) <= np.minimum(self.last, part.last)
        return inside | (self.missing & part.missing)

    def of_leaf(self, leaf: int) -> Range:
        """Return all that a leaf has."""
        return Range(int(self.first[leaf]), int(self.last[leaf]), bool(self.missing[leaf]))

    def costs(self, part: Part) -> Floats:
        """Return what it costs to come to what each leaf has of a part; infinite where nothing."""
        assert isinstance(part, Range)
        first, last = np.maximum(self.first, part.first), np.minimum(self.last, part.last)
        gap, top = self.missing & part.missing, len(self.low) - 1
        if self.cell < 0:
            return np.where(gap, 0.0, np.where(first <= last, WHOLE, math.inf))
        away = np.full(len(first), WHOLE)
        if not math.isnan(self.value):  # as one is that an imputer filled in
            least, most = self.low[first.clip(0, top)], self.high[last.clip(0, top)]
            near = np.clip(self.value, least, most)
            away = np.abs(near.astype(np.longdouble) - self.value)  # which is never infinite
        away[(first <= self.cell) & (self.cell <= last)] = 0.0
        away[first > last] = math.inf
        return np.where(gap, np.minimum(away, WHOLE), away)

    def nearest(self, part: Part) -> Range:
        """Return the cell of a part that it costs least to come to."""
        assert isinstance(part, Range)
        gap = Range(len(self.low), -1, missing=True)
        if part.missing and (self.cell < 0 or part.is_empty):
            return gap
        cell = min(max(self.cell, part.first), part.last)
        low, high = float(self.low[cell]), float(self.high[cell])
        far = part.missing and max(low - self.value, self.value - high)
        return gap if far > WHOLE else Range(cell, cell, missing=False)

    def like(self, part: Part, point: Part) -> Part:
        """Return what of a part is like one of its cells: numbers, or missing."""
        assert isinstance(part, Range)
        assert isinstance(point, Range)
        return point if point.is_empty else Range(part.first, part.last, missing=False)

    def wider(self, part: Part, out: Bools, allowed: Part) -> Part:
        """Return an interval with all up to the next cells of some leaves on either side."""
        assert isinstance(part, Range)
        assert isinstance(allowed, Range)
        if part.is_empty:
            return part
        first, last = self.first[out], self.last[out]
        some = first <= last
        below, above = last[some & (last < part.first)], first[some & (first > part.last)]
        low = max(allowed.first, int(below.max(initial=-1)) + 1)
        high = min(allowed.last, int(above.min(initial=len(self.low))) - 1)
        return Range(low, high, missing=False)


@dataclass(frozen=True, eq=False)
class LeftValues:
    """A category that may change: marks of the values of each leaf, and the row's own value."""

    marks: Bools
    value: int

    @property
    def own(self) -> Bools:
        """The value of the row."""
        own: Bools = np.arange(self.marks.shape[1]) == self.value
        return own

    def meets(self, part: Part) -> Bools:
        """Tell which leaves have some of a part."""
        assert not isinstance(part, Range)
        met: Bools = np.any(self.marks[:, part], axis=1)
        return met

    def of_leaf(self, leaf: int) -> Bools:
        """Return all that a leaf has."""
        marks: Bools = self.marks[leaf]
        return marks

    def costs(self, part: Part) -> Floats:
        """Return what it costs to come to what each leaf has of a part; infinite where nothing."""
        assert not isinstance(part, Range)
        stays = self.meets(part & self.own)
        return np.where(stays, 0.0, np.where(self.meets(part), WHOLE, math.inf))

    def nearest(self, part: Part) -> Bools:
        """Return the value of a part that it costs least to come to."""
        assert not isinstance(part, Range)
        stays = bool(part[self.value])
        return self.own if stays else np.arange(len(part)) == int(np.argmax(part))

    def like(self, part: Part, point: Part) -> Part:
        """Return what of a part is like one of its values: all are."""
        del point
        return part

    def wider(self, part: Part, out: Bools, allowed: Part) -> Part:
        """Return the values with all others that are allowed and that some leaves do not have."""
        assert not isinstance(part, Range)
        assert not isinstance(allowed, Range)
        return part | (allowed & ~self.marks[out].any(axis=0))


class Left:
    """The leaves that are left, and what each has of the attributes that change.

    Parameters
    ----------
    leaf_class : array
    attributes : dict
        By place: what each leaf has.
    row_class : int
        The row's own.
    target : int, optional
        The only class that is asked for.

    Attributes
    ----------
    classes : list of int
        The other classes that are left.
    """

    def __init__(
        self,
        leaf_class: Int32s,
        attributes: dict[int, LeftNumber | LeftValues],
        row_class: int,
        target: int | None = None,
    ) -> None:
        self._class, self._attributes = leaf_class, attributes
        self._agrees = {place: one.meets(one.own) for place, one in attributes.items()}
        other = leaf_class != row_class if target is None else leaf_class == target
        self.classes = np.unique(leaf_class[leaf_class != row_class]).tolist()
        self._enough: Bools = other & np.logical_or.reduce(list(self._agrees.values()))

    def values(self, allowed: Allowed, number: int) -> Allowed | None:
        """Return the nearest values that do it, with all around them that do; None if none do."""
        found = nearest_needed(allowed, lambda box: self._nearest(box, number), self._enough_at)
        if found is None:
            return None
        return self._widened(self._clear(found), allowed, number)

    def _having(self, box: Allowed, *, or_own: bool = False, but: int | None = None) -> Bools:
        """Tell which leaves have some of every part; or, if so asked, agree with the row there."""
        having = np.ones(len(self._class), dtype=np.bool_)
        for place, one in self._attributes.items():
            if place != but:
                met = one.meets(box[place])
                having &= met | self._agrees[place] if or_own else met
        return having

    def _nearest(self, box: Allowed, number: int) -> Near | None:
        reached = np.flatnonzero(self._having(box) & (self._class == number))
        if not len(reached):
            return None
        every = [one.costs(box[place])[reached] for place, one in self._attributes.items()]
        cost = np.add.reduce(every)
        at = int(np.argmin(cost))
        leaf = int(reached[at])
        of = self._attributes
        inside = {place: meet(box[place], one.of_leaf(leaf)) for place, one in of.items()}
        point: Allowed = {place: one.nearest(inside[place]) for place, one in of.items()}
        return Near(cost[at], point, inside)

    def _enough_at(self, point: Allowed) -> Allowed | None:
        """Return what a leaf rules out that some of the values come to without the rest."""
        found = np.flatnonzero(self._enough & self._having(point, or_own=True))
        return None if not len(found) else self._ruled_out(int(found[0]))

    def _ruled_out(self, leaf: int) -> Allowed:
        return {
            place: one.of_leaf(leaf)
            for place, one in self._attributes.items()
            if not self._agrees[place][leaf]
        }

    def _clear(self, near: Near) -> Allowed:
        """Return what a leaf has around values that do it, and in which all do."""
        of, point = self._attributes, near.point
        box = {place: one.like(near.inside[place], point[place]) for place, one in of.items()}
        while len(found := np.flatnonzero(self._enough & self._having(box, or_own=True))):
            for place, hole in self._ruled_out(int(found[0])).items():
                pieces = minus(box[place], hole)
                kept = [one for one in pieces if not is_empty(meet(one, point[place]))]
                if kept:
                    box[place] = kept[0]
                    break
        return box

    def _widened(self, box: Allowed, allowed: Allowed, number: int) -> Allowed:
        """Return a box with all around it that does it, one attribute after the other."""
        wrong = self._class != number
        for place, one in self._attributes.items():
            out = wrong & self._having(box, but=place)
            alone = self._enough & ~self._agrees[place]
            out |= alone & self._having(box, or_own=True, but=place)
            box[place] = one.wider(box[place], out, allowed[place])
        return box

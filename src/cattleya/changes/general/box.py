"""A box of rows: of each attribute that a tree tests, the cells or the values that are allowed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from cattleya.changes.cell_regions import CellRegions
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.fact import Fact
from cattleya.model.conditions.parts import IntervalPart, Part, interval_part, values_part
from cattleya.model.domain.domain import Category, Number
from cattleya.support.arrays import Bools, Floats, Int32s, Places

__all__ = ["Box"]


@dataclass
class Range:
    """Cells of a number, from the first to the last, and whether it may be missing."""

    first: int
    last: int
    missing: bool

    @property
    def is_empty(self) -> bool:
        return self.first > self.last

    @property
    def size(self) -> int:
        """How many cells there are; to be missing is one."""
        return max(self.last - self.first + 1, 0) + self.missing


class Box:
    """What is allowed of each tested attribute; at first everything.

    Attributes
    ----------
    regions, cells : Regions, CellRegions
    narrowed : dict
        What is allowed of the attributes that a condition was about: the cells of a number, or a
        mark for each value of a category.
    """

    def __init__(self, cells: CellRegions) -> None:
        self.regions = cells.regions
        self.cells = cells
        self.narrowed: dict[int, Range | Bools] = {}

    def _all(self, attribute: int) -> Range | Bools:
        described = self.regions.attributes[attribute]
        if isinstance(described, Category):
            return np.ones(len(described.values), dtype=np.bool_)
        return Range(0, int(self.cells.top[attribute]), self.cells.takes_missing)

    @classmethod
    def at(cls, cells: CellRegions, row: Floats) -> Box:
        """Return the box of the rows that no test tells from one."""
        box = cls(cells)
        for attribute, described in enumerate(box.regions.attributes):
            if isinstance(described, Category):
                own = described.value_of(row)
                box.narrowed[attribute] = np.arange(len(described.values)) == own
            elif math.isnan(value := float(row[described.column])):
                box.narrowed[attribute] = Range(int(cells.top[attribute]) + 1, -1, missing=True)
            else:
                cell = cells.cell(attribute, value)
                box.narrowed[attribute] = Range(cell, cell, missing=False)
        return box

    def copy(self) -> Box:
        """Return a box that can be changed by itself."""
        other = Box(self.cells)
        other.narrowed = {
            attribute: replace(allowed) if isinstance(allowed, Range) else allowed.copy()
            for attribute, allowed in self.narrowed.items()
        }
        return other

    def free(self, attribute: int, *, missing: bool = True) -> None:
        """Allow everything of an attribute; of a number also that it is missing, if so asked."""
        self.narrowed[attribute] = allowed = self._all(attribute)
        if isinstance(allowed, Range):
            allowed.missing &= missing

    def meet_node(self, node: int) -> None:
        """Allow of its attribute only what a node's factor has, too."""
        attribute = int(self.regions.attribute[node])
        allowed = self.narrowed[attribute]
        if isinstance(allowed, Range):
            allowed.first = max(allowed.first, int(self.cells.first[node]))
            allowed.last = min(allowed.last, int(self.cells.last[node]))
            allowed.missing &= bool(self.cells.missing[node])
        else:
            allowed &= self.regions.sets[attribute].of(node, len(allowed))

    def meet(self, other: Box, attributes: Iterable[int]) -> None:
        """Allow of some attributes only what another box allows, too."""
        for attribute in attributes:
            allowed, also = self.narrowed[attribute], other.narrowed[attribute]
            if isinstance(allowed, Range) and isinstance(also, Range):
                allowed.first = max(allowed.first, also.first)
                allowed.last = min(allowed.last, also.last)
                allowed.missing &= also.missing
            elif not isinstance(allowed, Range) and not isinstance(also, Range):
                allowed &= also

    def joined(self, other: Box) -> Box:
        """Return the smallest box that has all that two boxes of single rows have."""
        box = self.copy()
        for attribute, allowed in box.narrowed.items():
            also = other.narrowed[attribute]
            if isinstance(allowed, Range) and isinstance(also, Range):
                known = [one for one in (allowed, also) if not one.is_empty]
                box.narrowed[attribute] = Range(
                    min((one.first for one in known), default=allowed.first),
                    max((one.last for one in known), default=allowed.last),
                    allowed.missing or also.missing,
                )
            elif not isinstance(allowed, Range) and not isinstance(also, Range):
                box.narrowed[attribute] = allowed | also
        return box

    def leave_out(self, condition: Condition) -> None:
        """Allow only that for which a condition does not hold; an interval has no missing value.

        Of a fact about the value of a number, nothing is left out.
        """
        place = int(self.regions.domain.of_column[condition.index])
        attribute = self.regions.tested.get(place)
        if attribute is None:
            return
        allowed, described = self.narrowed[attribute], self.regions.attributes[attribute]
        if isinstance(condition, Comparison):
            gap = isinstance(allowed, Range) and allowed.missing and not condition.holds(math.nan)
            self.narrow(condition.negated())
            if isinstance(allowed, Range):
                allowed.missing = gap
        elif isinstance(described, Category) and not isinstance(allowed, Range):
            allowed &= ~_values_with(described, condition)

    def narrow(self, condition: Condition) -> None:
        """Allow only that for which a condition holds."""
        place = int(self.regions.domain.of_column[condition.index])
        attribute = self.regions.tested.get(place)
        if attribute is None:
            return
        allowed = self.narrowed.setdefault(attribute, self._all(attribute))
        described = self.regions.attributes[attribute]
        if isinstance(described, Category):
            assert not isinstance(allowed, Range)
            allowed &= _values_with(described, condition)
        else:
            assert isinstance(allowed, Range)
            self._narrow_number(attribute, allowed, condition)

    def _narrow_number(self, attribute: int, allowed: Range, condition: Condition) -> None:
        top = int(self.cells.top[attribute])
        if isinstance(condition, Fact):
            value = condition.point[0]
            first = last = self.cells.cell(attribute, value)
            if math.isnan(value):
                first, last = top + 1, -1
        else:
            assert isinstance(condition, Comparison)  # a condition is one or the other
            level: int | None = top  # of what tells missing values from all others
            if math.isfinite(condition.threshold):
                level = self.cells.last_left(condition.index, condition.threshold)
            if level is None:
                raise ValueError(
                    f"the tree does not test {str(condition)!r}; take conditions from an "
                    f"explanation of this row"
                )
            first, last = (0, level) if condition.sense else (level + 1, top)
        allowed.first, allowed.last = max(allowed.first, first), min(allowed.last, last)
        allowed.missing &= condition.holds(math.nan)

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all is allowed of some attribute."""
        every = self.narrowed.values()
        return any(not (one.size if isinstance(one, Range) else one.any()) for one in every)

    def away(self) -> Bools:
        """Tell which nodes no value that is allowed of their attribute comes to."""
        regions, cells = self.regions, self.cells
        first, last = np.zeros_like(cells.top), cells.top.copy()
        missing = np.full(len(cells.top), cells.takes_missing, dtype=np.bool_)
        for attribute, allowed in self.narrowed.items():
            if isinstance(allowed, Range):
                first[attribute], last[attribute] = allowed.first, allowed.last
                missing[attribute] = allowed.missing
        of = regions.attribute[1:]  # the root has no factor
        low, high = np.maximum(cells.first[1:], first[of]), np.minimum(cells.last[1:], last[of])
        away = np.zeros(len(regions), dtype=np.bool_)
        away[1:] = (low > high) & ~(cells.missing[1:] & missing[of])
        for attribute, sets in regions.sets.items():
            values = self.narrowed.get(attribute, self._all(attribute))
            assert not isinstance(values, Range)
            away[sets.nodes] = ~sets.meet(values)
        return away

    def away_from(self, attribute: int, nodes: Int32s) -> Bools:
        """Tell of nodes with factors of one attribute which no value that is allowed comes to.

        The root stands for no factor.
        """
        allowed, cells = self.narrowed[attribute], self.cells
        if not isinstance(allowed, Range):
            sets = self.regions.sets[attribute]
            of_node = np.zeros(len(self.regions), dtype=np.bool_)
            of_node[sets.nodes] = ~sets.meet(allowed)
            return of_node.take(nodes)
        low = np.maximum(cells.first.take(nodes), allowed.first)
        away: Bools = low > np.minimum(cells.last.take(nodes), allowed.last)
        away &= nodes != 0
        if allowed.missing:
            away &= ~cells.missing.take(nodes)
        return away

    def widen(self, attribute: int, nodes: Places) -> bool:
        """Allow all that the factors of some nodes leave; tell whether that is more."""
        allowed = self.narrowed[attribute]
        if isinstance(allowed, Range):
            wider = self._widened(attribute, allowed, nodes)
            self.narrowed[attribute] = wider
            return wider != allowed
        sets = self.regions.sets[attribute]
        bits = np.bitwise_or.reduce(sets.bits[np.searchsorted(sets.nodes, nodes)], axis=0)
        values = np.unpackbits(bits, count=len(allowed)) == 0
        self.narrowed[attribute] = values
        return bool((values != allowed).any())

    def _widened(self, attribute: int, allowed: Range, nodes: Places) -> Range:
        cells, top = self.cells, int(self.cells.top[attribute])
        missing = cells.takes_missing and not cells.missing[nodes].any()
        nodes = nodes[cells.first[nodes] <= cells.last[nodes]]
        change = np.bincount(cells.first[nodes], minlength=top + 2)
        change -= np.bincount(cells.last[nodes] + 1, minlength=top + 2)
        # The cells that must stay out, with one at either end.
        out = np.concatenate(([-1], np.flatnonzero(np.cumsum(change)[:-1]), [top + 1]))
        if allowed.is_empty:
            gap = int(np.argmax(np.diff(out)))
        else:
            gap = int(np.searchsorted(out, allowed.first)) - 1
        return Range(int(out[gap]) + 1, int(out[gap + 1]) - 1, missing)

    @property
    def width(self) -> Fraction:
        """The share of the cells that are allowed: see ``general_reason.MEASURE``."""
        width = Fraction(1)
        for attribute, allowed in self.narrowed.items():
            if isinstance(allowed, Range):
                every = self._all(attribute)
                assert isinstance(every, Range)
                width *= Fraction(allowed.size, every.size)
            else:
                width *= Fraction(int(allowed.sum()), len(allowed))
        return width

    def part(self, attribute: int) -> Part | None:
        """Return what is allowed, in the user's terms; None where that is everything."""
        allowed = self.narrowed[attribute]
        every = self._all(attribute)
        same = allowed == every if isinstance(allowed, Range) else bool(allowed.all())
        return None if same else self.restricted_part(attribute)

    def restricted_part(self, attribute: int) -> Part:
        """Return what is allowed, in the user's terms, if it is everything, too."""
        allowed, described = self.narrowed[attribute], self.regions.attributes[attribute]
        if isinstance(allowed, Range):
            assert isinstance(described, Number)
            return self._interval(attribute, described, allowed)
        assert isinstance(described, Category)
        return values_part(described, allowed)

    def _interval(self, attribute: int, number: Number, allowed: Range) -> IntervalPart:
        above, up_to = math.inf, -math.inf
        if not allowed.is_empty:
            bounds = [-math.inf, *self.cells.thresholds(attribute).tolist(), math.inf]
            above, up_to = bounds[allowed.first], bounds[allowed.last + 1]
        dtype = self.regions.tree.row_dtype
        return interval_part(number, above, up_to, allowed.missing, dtype)


def _values_with(category: Category, condition: Condition) -> Bools:
    """Tell for which values of a category a condition holds."""
    if isinstance(condition, Fact):
        if condition.columns != category.columns:
            raise ValueError(f"{str(condition)!r} is no value of {category.name!r}")
        own = category.value_of(dict(zip(condition.columns, condition.point, strict=True)))
        return np.array([place == own for place in range(len(category.values))])
    column = category.columns.index(condition.index)
    return np.array([condition.holds(point[column]) for point in category.points])

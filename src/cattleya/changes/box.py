"""A box of rows: of each attribute that a tree tests, the cells or the values that are allowed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from cattleya.changes.cell_regions import CellRegions
from cattleya.changes.general_reason import IntervalPart, ValuesPart
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.fact import Fact
from cattleya.model.domain.domain import Category, Number
from cattleya.support.arrays import Bools, Places

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

    def part(self, attribute: int) -> IntervalPart | ValuesPart | None:
        """Return what is allowed, in the user's terms; None where that is everything."""
        allowed, described = self.narrowed[attribute], self.regions.attributes[attribute]
        if isinstance(allowed, Range):
            assert isinstance(described, Number)
            is_all = allowed == self._all(attribute)
            return None if is_all else self._interval(attribute, described, allowed)
        assert isinstance(described, Category)
        return None if allowed.all() else _values(described, allowed)

    def _interval(self, attribute: int, number: Number, allowed: Range) -> IntervalPart:
        above, up_to = math.inf, -math.inf
        if not allowed.is_empty:
            bounds = [-math.inf, *self.cells.thresholds(attribute).tolist(), math.inf]
            above, up_to = bounds[allowed.first], bounds[allowed.last + 1]
        dtype = self.regions.tree.row_dtype
        low, high = (
            number.user_threshold(bound, dtype) if math.isfinite(bound) else bound
            for bound in (above, up_to)
        )
        missing = allowed.missing
        if number.extra:  # what an imputer fills in decides
            missing = above < number.extra[0] <= up_to
            present = replace(number, extra=())
            if present.smallest_above(above, dtype) > present.largest(up_to, dtype):
                low, high = math.inf, -math.inf
        return IntervalPart(
            number.name,
            low,
            high,
            missing,
            column=number.column,
            above=above,
            up_to=up_to,
            nan=allowed.missing,
            boolean=number.boolean,
        )


def _values(category: Category, allowed: Bools) -> ValuesPart:
    places = tuple(np.flatnonzero(allowed).tolist())
    return ValuesPart(
        category.name,
        tuple(category.values[place] for place in places),
        tuple(category.values[place] for place in np.flatnonzero(~allowed).tolist()),
        category.columns,
        tuple(category.points[place] for place in places),
        places,
    )


def _values_with(category: Category, condition: Condition) -> Bools:
    """Tell for which values of a category a condition holds."""
    if isinstance(condition, Fact):
        if condition.columns != category.columns:
            raise ValueError(f"{str(condition)!r} is no value of {category.name!r}")
        own = category.value_of(dict(zip(condition.columns, condition.point, strict=True)))
        return np.array([place == own for place in range(len(category.values))])
    column = category.columns.index(condition.index)
    return np.array([condition.holds(point[column]) for point in category.points])

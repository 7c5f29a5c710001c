"""Where a minimal change leads: the values of its features that do it, and the class that follows.

A contrastive explanation says what has to change, not to what. All else stays as it is in the row,
so what is left of the tree is a tree over the features that change; every leaf of it is looked at.
For each class that can be reached, the nearest leaf gives a start, and from there the values are
made as many as lead to the class (``generalise`` does the same for reasons): of a category all of
them; of a number all up to the next one of another class. Of one number the nearest values on
either side are given. Several features change together, each to any of the values given for it;
nearest is then what the sum of absolute changes says, as for counterfactuals, where a change of
category, and one from or to a missing value, counts 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cattleya.changes.cell_regions import CellRegions
from cattleya.changes.costs import Permitted, Start, cost_of_nodes, sum_over_regions
from cattleya.changes.counterfactual import Question
from cattleya.changes.general.box import Box, Range
from cattleya.changes.general.generalise import widen
from cattleya.changes.minimal.change import Change, Destination, Moved
from cattleya.changes.prices import Pricing
from cattleya.changes.raw_row import RawRow
from cattleya.model.conditions.condition import Comparison
from cattleya.model.domain.domain import Category
from cattleya.reasons.reason import Reason
from cattleya.support.arrays import Floats, Places
from cattleya.support.limits import Deadline

__all__ = ["Destinations"]


@dataclass(frozen=True, eq=False)
class Destinations:
    """Finds where the minimal changes of one row lead.

    Parameters
    ----------
    question : Question
        The row, its class, and the regions of the tree.
    cells : CellRegions
        The same regions, counted in cells.
    before : sequence
        The value of each attribute of the domain in the row, as the user gave it.
    deadline : Deadline
    """

    question: Question
    cells: CellRegions
    before: Sequence[object]
    deadline: Deadline

    def of(self, contrast: Reason, target: int | None = None) -> Change:
        """Return where one contrastive explanation leads: to any other class, or to one."""
        regions = self.question.regions
        owners = {int(regions.domain.of_column[c.index]) for c in contrast}
        tested = sorted(regions.tested[place] for place in owners if place in regions.tested)
        found = list(self._found(self._permitted(contrast, tested, missing=False), tested, target))
        if self.cells.takes_missing:  # other classes, where a value that is there becomes missing
            permitted = self._permitted(contrast, tested, missing=True)
            known = {one.outcome for one in found}
            found += [d for d in self._found(permitted, tested, target) if d.outcome not in known]
        names = tuple(regions.attributes[place].name for place in tested)
        return Change(contrast, names, tuple(found))

    @cached_property
    def _own(self) -> Box:
        """What is left when every attribute stays."""
        return Box.at(self.cells, self.question.row)

    def _permitted(self, contrast: Reason, tested: list[int], *, missing: bool) -> Box:
        """Return the rows that change only some attributes, and in which no condition holds."""
        box = self._own.copy()
        for place in tested:
            box.free(place)
            own, allowed = self._own.narrowed[place], box.narrowed[place]
            if isinstance(own, Range) and isinstance(allowed, Range):
                allowed.missing &= missing or own.missing
        for condition in contrast:
            if isinstance(condition, Comparison):
                self._leave_out(box, condition)
            else:
                box.leave_out(condition)
        return box

    def _leave_out(self, box: Box, condition: Comparison) -> None:
        """Allow only that for which a condition does not hold; an interval has no missing value."""
        regions = self.question.regions
        place = regions.tested[int(regions.domain.of_column[condition.index])]
        allowed = box.narrowed[place]
        gap = isinstance(allowed, Range) and allowed.missing and not condition.holds(math.nan)
        box.narrow(condition.negated())
        if isinstance(allowed, Range):
            allowed.missing = gap

    def _found(self, box: Box, tested: list[int], target: int | None) -> Iterator[Destination]:
        regions, own = self.question.regions, self.question.row_class
        if box.is_empty:  # which a leaf that does not test the attribute cannot tell
            return
        away = sum_over_regions(regions, box.away().astype(np.float64), self.deadline)
        reached = regions.leaves[away[regions.leaves] == 0] if len(regions) > 1 else []
        leaf_class = regions.tree.leaf_class[regions.node[reached]]
        for number in np.unique(leaf_class).tolist():
            if number == own or target not in (None, number):
                continue
            for leaf in self._nearest(reached[leaf_class == number], tested):
                self.deadline.check()
                yield self._destination(leaf, number, box, tested)

    def _nearest(self, leaves: Places, tested: list[int]) -> list[int]:
        """Return the nearest leaf; of one number, the nearest on either side."""
        regions, cells = self.question.regions, self.cells
        if len(tested) == 1 and not isinstance(regions.attributes[tested[0]], Category):
            (place,) = tested
            own = self._own.narrowed[place]
            assert isinstance(own, Range)
            if not own.is_empty:
                node = np.array([self._factor(leaf, place) for leaf in leaves.tolist()])
                below, above = cells.last[node] < own.first, cells.first[node] > own.first
                below &= cells.first[node] <= cells.last[node]
                above &= cells.first[node] <= cells.last[node]
                sides = []
                if below.any():
                    sides.append(int(leaves[np.argmax(np.where(below, cells.last[node], -1))]))
                if above.any():
                    last = int(cells.top[place]) + 1
                    sides.append(int(leaves[np.argmin(np.where(above, cells.first[node], last))]))
                return sides or leaves[:1].tolist()
        return [int(leaves[np.argmin(self._cost[leaves])])]

    def _factor(self, leaf: int, place: int) -> int:
        """Return the node whose factor is a leaf's, of an attribute that is tested on its path."""
        regions = self.question.regions
        return next(node for node in regions.above(leaf) if regions.attribute[node] == place)

    @cached_property
    def _cost(self) -> Floats:
        """The sum of absolute changes that it takes to come to each node."""
        question, regions = self.question, self.question.regions
        raw = None if question.raw is None else RawRow(regions, question.raw)
        start = Start.of(regions, question.row, None if raw is None else raw.values)
        count = len(regions.attributes)
        every = np.full(count, np.inf)
        values = {
            place: np.ones(len(category.values), dtype=np.bool_)
            for place, category in enumerate(regions.attributes)
            if isinstance(category, Category)
        }
        anything = Permitted(-every, every, np.ones(count, dtype=np.bool_), values)
        prices = Pricing(regions, None, None, self.deadline).of(start)
        return cost_of_nodes(regions, start, anything, prices, 1, self.deadline).total

    def _destination(
        self, leaf: int, number: int, permitted: Box, tested: list[int]
    ) -> Destination:
        regions = self.question.regions
        box = permitted.copy()
        factors = {int(regions.attribute[node]): node for node in regions.above(leaf)}
        for place in tested:
            if place in factors:
                box.meet_node(factors[place])
        widen(box, number, tested, self.deadline)
        box.meet(permitted, tested)
        moved = []
        for place in tested:
            attribute = regions.attributes[place]
            before = self.before[int(regions.places[place])]
            moved.append(
                Moved(attribute, before, box.restricted_part(place), regions.tree.row_dtype)
            )
        label = regions.tree.class_names[number]
        return Destination(label, self.question.named(number), tuple(moved))

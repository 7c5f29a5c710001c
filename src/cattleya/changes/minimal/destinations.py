"""Where a minimal change leads: the values of its features that do it, and the class that follows.

A contrastive explanation says what has to change, not to what. All else stays as it is in the row,
so what is left of the tree is a tree over the features that change (``left``). Values of them *do
it* when they lead to the class together, and when changing only some of the features to the same
values does not change the outcome (where one class is asked for: does not lead to it). So nothing
that a change names can be left out of it. A class is told under a change if some values do it.

Of the values that do it the nearest are found, exactly, and from there they are made as many as do
it: of a category all of them; of a number all up to the next one that does not. Of one number the
nearest values on either side are given. Several features change together, each to any of the values
given for it; nearest is then what the sum of absolute changes says, as for counterfactuals, where a
change of category, and one from or to a missing value, counts 1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cattleya.changes.cell_regions import CellRegions
from cattleya.changes.costs import Start, sum_over_regions
from cattleya.changes.counterfactual import Question
from cattleya.changes.general.box import Box, Range
from cattleya.changes.minimal.change import Change, Destination, Moved
from cattleya.changes.minimal.left import Left, LeftNumber, LeftValues
from cattleya.changes.minimal.needed import Allowed, minus
from cattleya.changes.raw_row import RawRow
from cattleya.reasons.reason import Reason
from cattleya.support.arrays import Places
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
            found += self._found(permitted, tested, target, known)
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
            own = self._own.narrowed[place]
            box.free(place, missing=missing or (isinstance(own, Range) and own.missing))
        for condition in contrast:
            box.leave_out(condition)
        return box

    def _found(
        self, box: Box, tested: list[int], target: int | None, known: Collection[object] = ()
    ) -> Iterator[Destination]:
        if not tested or box.is_empty:  # which a leaf that does not test the attribute cannot tell
            return
        left = self._left(box, tested, target)
        for number in left.classes if target is None else [target]:
            if self.question.regions.tree.class_names[number] in known:
                continue
            for allowed in self._sides(box, tested):
                self.deadline.check()
                values = left.values(allowed, number)
                if values is not None:
                    yield self._destination(values, number)

    def _sides(self, box: Box, tested: list[int]) -> list[Allowed]:
        """Return what may become of the attributes; of one number, on either side of its own."""
        allowed: Allowed = {place: box.narrowed[place] for place in tested}
        own = self._own.narrowed[tested[0]]
        if len(tested) > 1 or not isinstance(own, Range) or own.is_empty:
            return [allowed]
        return [{tested[0]: side} for side in minus(allowed[tested[0]], own)]

    def _left(self, box: Box, tested: list[int], target: int | None) -> Left:
        """Return the leaves that agree with the row in all but some attributes."""
        regions, cells = self.question.regions, self.cells
        free = box.copy()
        for place in tested:
            free.free(place)
        away = sum_over_regions(regions, free.away().astype(np.float64), self.deadline)
        at = np.flatnonzero(away[regions.leaves] == 0)
        attributes: dict[int, LeftNumber | LeftValues] = {}
        for place in tested:
            node, own = cells.above(place)[at].astype(np.intp), self._own.narrowed[place]
            if isinstance(own, Range):
                attributes[place] = self._number(place, node, own)
            else:
                marks = np.ones((len(node), len(own)), dtype=np.bool_)
                marks[node > 0] = regions.sets[place].lines(node[node > 0], len(own))
                attributes[place] = LeftValues(marks, int(np.argmax(own)))
        return Left(regions.leaf_class[at], attributes, self.question.row_class, target)

    def _number(self, place: int, node: Places, own: Range) -> LeftNumber:
        cells, free = self.cells, node == 0  # the root has no factor
        first = np.where(free, 0, cells.first[node])
        last = np.where(free, cells.top[place], cells.last[node])
        missing = np.where(free, cells.takes_missing, cells.missing[node])
        low, high = cells.spans(place)
        value, cell = float(self._start.number[place]), -1 if own.is_empty else own.first
        return LeftNumber(first, last, missing, value, cell, low, high)

    @cached_property
    def _start(self) -> Start:
        question, regions = self.question, self.question.regions
        raw = None if question.raw is None else RawRow(regions, question.raw)
        return Start.of(regions, question.row, None if raw is None else raw.values)

    def _destination(self, values: Allowed, number: int) -> Destination:
        regions, box = self.question.regions, Box(self.cells)
        box.narrowed = dict(values)
        moved = []
        for place in values:
            attribute = regions.attributes[place]
            before = self.before[int(regions.places[place])]
            moved.append(
                Moved(attribute, before, box.restricted_part(place), regions.tree.row_dtype)
            )
        label = regions.tree.class_names[number]
        return Destination(label, self.question.named(number), tuple(moved))

"""Other rows of an ensemble: the nearest of another class, fairness, and general reasons.

The values of each attribute are cut into the cells that the ensemble tells apart; what it costs to
come to a cell is what its nearest permitted value costs. The native search then finds the cheapest
row of cells of another class, and proves that there is none cheaper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from cattleya._core import EnsembleRow
from cattleya.changes.cell_regions import CellRegions
from cattleya.changes.costs import Permitted, Prices, Start
from cattleya.changes.counterfactual import Counterfactual, Span, ValueChange, distance
from cattleya.changes.errors import NoSuchCounterfactual
from cattleya.changes.fairness import Fairness
from cattleya.changes.general.box import Box as ValueBox
from cattleya.changes.general.box import Range
from cattleya.changes.general.general_reason import General, Widest, with_proof
from cattleya.changes.general.generalise import general_of
from cattleya.changes.general.largest import Width
from cattleya.changes.general.table_rows import TableRows
from cattleya.changes.limits import Limits, everything
from cattleya.changes.minimal.change import Change, Destination, Moved
from cattleya.changes.minimal.needed import Allowed, Near, Part, is_empty, nearest_needed
from cattleya.changes.nearest import METRICS
from cattleya.changes.prices import Pricing, Sample
from cattleya.changes.raw_row import RawRow, tree_row, written
from cattleya.changes.regions import Regions
from cattleya.ensembles.boxes import ANY, Box, FactBoxes
from cattleya.ensembles.boxes import Change as CellChange
from cattleya.ensembles.cell_costs import CellCosts
from cattleya.ensembles.destinations import Combinations, cells_of, part_of, sides_of
from cattleya.ensembles.prepared import PreparedEnsemble
from cattleya.ensembles.search import NO, OPEN, Unsettled
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.fact import Fact
from cattleya.model.domain.domain import NOT_GIVEN, Category, Number, OneOf, value_in
from cattleya.model.domain.lookup import listed
from cattleya.model.tree.rows import is_frame
from cattleya.reasons.reason import Reason
from cattleya.support.arrays import Bools, Floats, Int32s
from cattleya.support.errors import TimeoutExpired
from cattleya.support.guards import is_whole
from cattleya.support.limits import Deadline
from cattleya.vocabularies.cells import CATEGORY, MISSING
from cattleya.vocabularies.features import Features

__all__ = ["CellChanges", "Judge"]

#: What the model predicts for a row: in the trees' columns, and as the user gives it, if known.
Judge = Callable[[Floats, Any], Any]

WIDENING_PARTS = 10_000  # of a box, that one question of widening may look at


class CellChanges:
    """One row of an ensemble, and the rows around it."""

    def __init__(
        self,
        prepared: PreparedEnsemble,
        row: Floats,
        memory: int,
        judge: Judge,
        raw: Any = None,
    ) -> None:
        self._prepared, self._row, self._memory = prepared, row, memory
        self._classes = prepared.classes
        self._judge, self._given = judge, raw
        self._own = prepared.cells_of(row)
        atoms = Features(prepared.cells).row(row)
        self._boxes = FactBoxes(atoms, prepared.layout_of_values, self._own)
        self._native = EnsembleRow(prepared.of_values, self._own)
        self.outcome = self._native.outcome

    @property
    def _regions(self) -> Regions:
        return self._prepared.regions

    @cached_property
    def _raw(self) -> RawRow | None:
        return None if self._given is None else RawRow(self._regions, self._given)

    @cached_property
    def _start(self) -> Start:
        raw = self._raw
        return Start.of(self._regions, self._row, None if raw is None else raw.values)

    # The nearest rows.

    def nearest(
        self,
        n: int,
        toward: Hashable,
        immutable: Iterable[Any],
        ranges: Mapping[Any, Any] | None,
        metric: str,
        data: Sample | None,
        weights: Any,
        deadline: Deadline,
    ) -> tuple[Counterfactual, ...]:
        """Return the nearest rows of another class, the nearest first.

        None of them changes all the attributes that one before it changes.
        """
        if not is_whole(n) or n < 1:
            raise ValueError(f"n must be a whole number, 1 or more, not {n!r}")
        if metric not in METRICS:
            raise ValueError(f"metric must be 'l0', 'l1' or 'l2', not {metric!r}")
        target = -1 if toward is None else self._classes.other_than(self.outcome, toward)
        limits = Limits(self._regions, self._start, listed("immutable", immutable), ranges)
        prices = Pricing(self._regions, weights, data, deadline).of(self._start)
        costs = self._costs(limits.permitted, prices, metric)
        found: list[Int32s] = []
        while len(found) < n:
            cells = self._search(self._boxes.everything(), costs, found, target, deadline)
            if cells is None:
                break
            found.append(cells)
        if not found:
            noun = self._classes.noun
            goal = f"another {noun}" if toward is None else f"the {noun} {toward!r}"
            raise NoSuchCounterfactual(f"no row under these constraints gets {goal}")
        return tuple(self._made(cells, limits, prices, metric) for cells in found)

    def _search(
        self, box: Box, costs: CellCosts, before: list[Int32s], toward: int, deadline: Deadline
    ) -> Int32s | None:
        blocked = [
            [CellChange(a, ANY, 0) for a in np.flatnonzero(cells != self._own).tolist()]
            for cells in before
        ]
        return self._asked(self._native, box, costs, blocked, toward, deadline)[0]

    def _asked(
        self,
        row: EnsembleRow,
        box: Box,
        costs: CellCosts,
        blocked: list[list[CellChange]],
        toward: int,
        deadline: Deadline,
    ) -> tuple[Int32s | None, float]:
        """Return the cheapest row of another outcome, or of one, and what it costs."""
        answer, cells, _, cost = row.nearest(
            *box,
            costs.first,
            costs.changes,
            costs.total,
            np.cumsum([0, *map(len, blocked)]).astype(np.int64),
            np.array([part for one in blocked for change in one for part in change], np.int32),
            toward,
            deadline.seconds(),
            self._memory,
        )
        if answer == OPEN:
            raise Unsettled("the time limit was reached; give a longer timeout")
        return (None, math.inf) if answer == NO else (cells, cost)

    def _costs(self, permitted: Permitted, prices: Prices, metric: str) -> CellCosts:
        spans, number = self._prepared.cell_spans, self._start.number
        return spans.costs(self._own, number, permitted, prices, metric)

    def _made(self, cells: Int32s, limits: Limits, prices: Prices, metric: str) -> Counterfactual:
        values: dict[int, float | int] = {}
        costs: list[float] = []
        for place in np.flatnonzero(cells != self._own).tolist():
            tested = self._regions.tested[place]
            values[tested], cost = self._value(tested, place, int(cells[place]), limits, prices)
            costs.append(cost)
        changes = tuple(self._change(tested, value, limits) for tested, value in values.items())
        row, label, outcome = self._judged(values, limits)
        far, called = distance(costs, metric), self._classes.names[outcome]
        return Counterfactual(row, changes, far, label, self._spans(cells, limits), called)

    def _judged(self, values: dict[int, float | int], limits: Limits) -> tuple[Any, Any, int]:
        """Return a changed row as the user gives it, what the model predicts, and its outcome."""
        numbers = tree_row(self._regions, self._start.row, values)
        seen = numbers.astype(self._prepared.tree.row_dtype).astype(np.float64)
        outcome = int(self._prepared.outcomes.of(seen[None, :])[0])
        if outcome == self.outcome:
            raise RuntimeError(
                "internal error: a counterfactual has the outcome of the row; please report this "
                "model"
            )
        if self._raw is not None and self._raw.can_change(values):
            row = self._raw.changed(values, limits.named)
            given = row if is_frame(row) else row[None, :]
            return row, self._judge(seen, given), outcome
        return numbers, self._judge(seen, None), outcome

    def _spans(self, cells: Int32s, limits: Limits) -> dict[str, Span]:
        """Return the values that do as well as the nearest, of numbers that are not whole."""
        spans, dtype = {}, self._prepared.tree.row_dtype
        for place in np.flatnonzero((cells != self._own) & (cells != MISSING)).tolist():
            tested = self._regions.tested[place]
            number = self._regions.attributes[tested]
            if isinstance(number, Number) and not number.integer:
                low, high = self._prepared.cell_spans.of(tested, limits.permitted)
                cell = int(cells[place])
                spans[number.name] = Span(number, float(low[cell]), float(high[cell]), dtype)
        return spans

    def _value(
        self, tested: int, place: int, cell: int, limits: Limits, prices: Prices
    ) -> tuple[float | int, float]:
        """Return the nearest permitted value in a cell, and what it costs."""
        permitted = limits.permitted
        if isinstance(self._regions.attributes[tested], Category):
            inside: Bools = self._prepared.cells.cell_of_value[place] == cell
            chosen = int(np.argmax(inside & permitted.values[tested]))
            return chosen, float(prices.whole[tested])
        if cell == MISSING:
            return math.nan, float(prices.whole[tested])
        low, high = self._prepared.cell_spans.of(tested, permitted)
        own = float(self._start.number[tested])
        was_missing = math.isnan(own)
        aim = prices.usual[tested] if was_missing else own
        value = float(min(max(aim, low[cell]), high[cell])) + 0.0
        cost = prices.whole[tested] if was_missing else abs(value - own) * prices.unit[tested]
        return value, float(cost)

    def _change(self, tested: int, value: float | int, limits: Limits) -> ValueChange:
        attribute = self._regions.attributes[tested]
        before = self.before(tested)
        after = written(attribute, value, limits.named.get(tested))
        if isinstance(before, bool) and after in (0, 1):
            after = bool(after)  # as the column has it
        return ValueChange(attribute.name, before, after)

    def before(self, tested: int) -> Any:
        """Return the value of a tested attribute in the row, as the user gave it."""
        attribute = self._regions.attributes[tested]
        given = NOT_GIVEN if self._raw is None else self._raw.values.get(tested, NOT_GIVEN)
        value = value_in(attribute, self._start.row, given, self._prepared.tree.row_dtype)
        if isinstance(value, OneOf):  # one of those that are alike to the model
            return written(attribute, int(self._start.category[tested]))
        whole = isinstance(attribute, Number) and attribute.integer and given is NOT_GIVEN
        return int(value) if whole and value is not None else value

    # Where minimal changes lead.

    def destination(self, contrast: Reason, toward: int, deadline: Deadline) -> Change:
        """Return where a contrastive explanation leads: to any other outcome, or to one."""
        regions = self._regions
        owners = {int(regions.domain.of_column[c.index]) for c in contrast}
        places = sorted(place for place in owners if place in regions.tested)
        names = tuple(regions.attributes[regions.tested[place]].name for place in places)
        found: list[Destination] = []
        # First without values that become missing; with them, other outcomes only.
        for missing in (False, True) if places and self._prepared.takes_missing else (False,):
            allowed = self._allowed_by(contrast, places, missing)
            if not places or any(map(is_empty, allowed.values())):
                continue
            known = {one.outcome for one in found}
            found += self._destinations(allowed, toward, known, deadline)
        return Change(contrast, names, tuple(found))

    def _allowed_by(self, contrast: Reason, places: list[int], missing: bool) -> Allowed:
        """Return the cells of each attribute in which none of the contrast's conditions holds."""
        box = ValueBox(CellRegions(self._regions, self._prepared.cells))
        for place in places:
            gaps = bool(self._boxes.layout.may_be_missing[place])
            own = self._own[place] == MISSING
            box.free(self._regions.tested[place], missing=gaps and (missing or own))
        for condition in contrast:
            box.leave_out(condition)
        allowed: Allowed = {}
        for place in places:
            part = box.narrowed[self._regions.tested[place]]
            if not isinstance(part, Range):
                inside = self._prepared.cells.cell_of_value[place][part]
                part = np.isin(np.arange(self._count(place)), inside)
                part[self._own[place]] = False
            allowed[place] = part
        return allowed

    def _destinations(
        self, allowed: Allowed, toward: int, known: set[Any], deadline: Deadline
    ) -> Iterator[Destination]:
        native, own, labels = self._prepared.of_values, self._own, self._classes.labels
        wanted = [k for k in range(len(labels)) if k != self.outcome and toward in (-1, k)]
        wanted = [k for k in wanted if labels[k] not in known]
        if len(allowed) == 1:
            ((place, part),) = allowed.items()
            ordered, cells = isinstance(part, Range), cells_of(part)
            cells += [MISSING] if isinstance(part, Range) and part.missing else []
            for outcome, some in sides_of(native, own, place, cells, ordered=ordered):
                if outcome in wanted:
                    yield self._to(outcome, {place: part_of(some, part)})
            return

        def spoils(outcome: int) -> bool:
            return outcome != self.outcome if toward < 0 else outcome == toward

        free = {place: self._everything(place) for place in allowed}
        tried = Combinations(native, own, free, spoils, deadline)
        for outcome in wanted:
            # Over conditions, each a variable of its own, perhaps no row makes the change alone.
            nearest = partial(self._nearest_in, toward=outcome, deadline=deadline)
            near = nearest_needed(allowed, nearest, tried.enough)
            if near is not None:
                yield self._to(outcome, tried.widened(near.point, allowed, outcome))

    def _everything(self, place: int) -> Part:
        """Return all cells of an attribute."""
        count = self._count(place)
        number = self._boxes.layout.is_number[place]
        return Range(0, count - 1, missing=False) if number else np.ones(count, dtype=np.bool_)

    def _nearest_in(self, allowed: Allowed, toward: int, deadline: Deadline) -> Near | None:
        """Return the nearest row of an outcome that changes some attributes in certain ways.

        The search starts from the row of the box that costs least, and counts from there.
        """
        box = self._boxes.box(set(range(len(self._own))) - set(allowed))
        start, total, least = self._own.copy(), self._l1.total.copy(), 0.0
        for place, part in allowed.items():
            cells = [
                *cells_of(part),
                *([MISSING] if isinstance(part, Range) and part.missing else []),
            ]
            start[place] = min(cells, key=lambda cell: self._l1.of(place, cell))
            cost = self._l1.of(place, int(start[place]))
            own = slice(*self._l1.first[place : place + 2].tolist())
            total[own] = np.maximum(total[own] - cost, 0.0)
            least += cost
            if isinstance(part, Range):
                box.low[place], box.high[place] = part.first, part.last
                box.missing[place] = part.missing
            else:
                self._boxes.layout.set_cells(box, place, part)
        found, more = start, 0.0
        if self._prepared.of_values.decide(start) != toward:
            row = EnsembleRow(self._prepared.of_values, start)
            costs = CellCosts(self._l1.first, self._l1.changes, total)
            cells_found, more = self._asked(row, box, costs, [], toward, deadline)
            if cells_found is None:
                return None
            found = cells_found
        point = {place: part_of([int(found[place])], allowed[place]) for place in allowed}
        return Near(least + more, point, point)

    @cached_property
    def _l1(self) -> CellCosts:
        """What it costs to come to each cell: the sum of absolute changes."""
        prices = Pricing(self._regions, None, None, Deadline(None)).of(self._start)
        return self._costs(everything(self._regions), prices, "l1")

    def _count(self, place: int) -> int:
        """Return how many cells an attribute has, without that of missing values."""
        layout = self._boxes.layout
        number = layout.n_levels[place] != CATEGORY
        return int(layout.n_levels[place] + 1 if number else layout.n_cells[place])

    def _to(self, outcome: int, parts: Allowed) -> Destination:
        """Return a destination in the user's terms."""
        regions = self._regions
        box, moved = ValueBox(CellRegions(regions, self._prepared.cells)), []
        for place, part in parts.items():
            tested = regions.tested[place]
            box.narrowed[tested] = part
            if not isinstance(part, Range):
                box.narrowed[tested] = part[self._prepared.cells.cell_of_value[place]]
            to, dtype = box.restricted_part(tested), regions.tree.row_dtype
            moved.append(Moved(regions.attributes[tested], self.before(tested), to, dtype))
        classes = self._classes
        return Destination(classes.labels[outcome], classes.names[outcome], tuple(moved))

    # Fairness.

    def is_fair(self, protected: Iterable[Any], deadline: Deadline) -> Fairness:
        """Tell whether the class stays the same whatever some features are."""
        names = listed("protected", protected)
        if not names:
            raise ValueError("protected is empty: name at least one feature")
        found = [self._regions.lookup.find("protected", name).attributes for name in names]
        places, attributes = [i for one in found for i in one], self._prepared.domain.attributes
        called = tuple(dict.fromkeys([attributes[i].name for i in places] or map(str, names)))
        limits = Limits(self._regions, self._start)
        limits.permitted = everything(self._regions)
        limits.only(places)
        prices = Pricing(self._regions, None, None, deadline).of(self._start)
        costs = self._costs(limits.permitted, prices, "l0")
        cells = self._search(self._boxes.everything(), costs, [], -1, deadline)
        noun = self._classes.noun
        if cells is None:
            return Fairness(called, noun=noun)
        other = self._made(cells, limits, prices, "l0")
        words = other.changes, other.outcome, noun, str(other)
        return Fairness(called, other.row, other.prediction, *words)

    # General reasons.

    def generalise(self, conditions: list[Condition], deadline: Deadline) -> General:
        """Return conditions as intervals and sets of values, as wide as is proved."""
        values = ValueBox(self._prepared.cell_regions)
        for condition in conditions:
            self._check_holds(condition)
            values.narrow(condition)
        answer, _ = self._native.other_outcome(
            *self._native_box(values), deadline.seconds(), self._memory
        )
        if answer == OPEN:
            raise Unsettled("the time limit was reached; give a longer timeout")
        if answer != NO:
            said = " and ".join(map(str, conditions)) or "no condition"
            raise ValueError(
                f"{said} does not force the {self._classes.noun} "
                f"{self._classes.labels[self.outcome]}; give a sufficient reason of this row"
            )
        self._widen(self._native, values, deadline)
        return with_proof(self._general(values), Widest(0, bounded=True))

    def widest(
        self,
        sets: Iterable[Iterable[Condition]],
        most: int,
        table: TableRows | None,
        deadline: Deadline,
    ) -> General:
        """Return the widest of several reasons, each given by the facts of its features.

        Each is widened as by :meth:`generalise`. ``table`` has the rows of a table that get the
        outcome, where there is one. Time that runs out ends the comparison.
        """
        # What was asked before must not decide which box is found.
        native = EnsembleRow(self._prepared.of_values, self._own)
        best: ValueBox | None = None
        width = Width(0, Fraction(0))
        compared, every = 0, True
        try:
            for facts in sets:
                if compared == most:
                    every = False
                    break
                values = ValueBox(self._prepared.cell_regions)
                for fact in facts:
                    values.narrow(fact)
                best = values if best is None else best  # it is a reason as it is
                self._widen(native, values, deadline)
                compared += 1
                own = Width(0 if table is None else table.covered(values), values.width)
                if own > width:
                    best, width = values, own
        except TimeoutExpired:
            if best is None:
                raise
            compared, every = max(compared, 1), False
        assert best is not None  # there is a reason
        rows = None if table is None else table.covered(best)
        return with_proof(self._general(best), Widest(compared, every, rows=rows, bounded=True))

    def _widen(self, native: EnsembleRow, values: ValueBox, deadline: Deadline) -> None:
        """Make a box as wide as is proved, one attribute after the other."""
        _, low, high, missing, words, _ = native.wider(
            *self._native_box(values), WIDENING_PARTS, deadline.seconds(), self._memory
        )
        wide = Box(low, high, missing, words)
        for tested in values.narrowed:
            place = int(self._regions.places[tested])
            values.narrowed[tested] = self._allowed(wide, tested, place)

    def _general(self, values: ValueBox) -> General:
        return general_of(values, self._classes.labels[self.outcome])

    def _check_holds(self, condition: Condition) -> None:
        if isinstance(condition, Fact):
            holds = bool(condition.holds_in(self._row[None, :])[0])
        else:
            assert isinstance(condition, Comparison)  # a condition is one or the other
            holds = condition.holds(float(self._row[condition.index]))
        if not holds:
            raise ValueError(
                f"{str(condition)!r} does not hold in the row; give a sufficient reason of this row"
            )

    def _native_box(self, values: ValueBox) -> Box:
        box = self._boxes.everything()
        first = self._boxes.layout.first_word
        for tested, allowed in values.narrowed.items():
            place = int(self._regions.places[tested])
            if isinstance(allowed, Range):
                box.low[place], box.high[place] = max(allowed.first, 0), allowed.last
                box.missing[place] = allowed.missing
                continue
            start, end = int(first[place]), int(first[place + 1])
            bits = [0] * (end - start)
            cell_of_value = self._prepared.cells.cell_of_value[place]
            for cell in set(cell_of_value[allowed].tolist()):
                bits[cell // 64] |= 1 << (cell % 64)
            box.words[start:end] = np.array(bits, dtype=np.uint64)
        return box

    def _allowed(self, box: Box, tested: int, place: int) -> Range | Bools:
        if not isinstance(self._regions.attributes[tested], Category):
            low, high = int(box.low[place]), int(box.high[place])
            return Range(low, high, bool(box.missing[place]))
        start = int(self._boxes.layout.first_word[place])
        cells = self._prepared.cells.cell_of_value[place]
        inside = [int(box.words[start + cell // 64]) >> (cell % 64) & 1 for cell in cells.tolist()]
        return np.array(inside, dtype=np.bool_)

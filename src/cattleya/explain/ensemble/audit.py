"""Questions about a whole ensemble, by the exact search: proved, refuted, or open in time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise, product
from typing import Any

import numpy as np

from cattleya._core import EnsembleRow
from cattleya.changes.fairness import DataFairness
from cattleya.changes.whole.cell_sets import CellSet, CellWords, Range
from cattleya.ensembles.whole import NO, OPEN, TIME, YES, Half, Halves, Search
from cattleya.explain.audit import (
    DIRECTIONS,
    GOES,
    Asked,
    Audit,
    AuditRegion,
    Monotone,
    in_order,
    is_put_in_order,
    order_of,
)
from cattleya.explain.ensemble.context import EnsembleContext
from cattleya.explain.whole import RegionList, RowPair, Rows, status_of
from cattleya.model.domain.domain import Category
from cattleya.support.arrays import Int32s, Places
from cattleya.support.distinct import distinct
from cattleya.support.limits import Deadline
from cattleya.vocabularies.cells import MISSING

__all__ = ["audit_ensemble", "box_of"]

ROWS_TRIED = 200  # of a table
FOR_ROWS = 0.5  # of the time that is left after fairness everywhere

Step = tuple[Halves, Int32s]


def audit_ensemble(
    context: EnsembleContext,
    protected: Iterable[Any],
    data: Any,
    monotone: Mapping[str, str] | None,
    timeout: float | None,
) -> Audit:
    """Ask all questions; :meth:`cattleya.Explainer.audit` says what they are."""
    return _Auditor(context, data, timeout).run(protected, monotone)


class _Auditor(Asked):
    def __init__(self, context: EnsembleContext, data: Any, timeout: float | None) -> None:
        if context.is_around_row and context.target.bound is None:
            raise ValueError(
                "the model predicts numbers: for a whole model give a target, such as "
                "cattleya.Value(at_least=100)"
            )
        super().__init__(context, data, Deadline(timeout))
        self._timeout = TIME if timeout is None else timeout
        self._all = Deadline(self._timeout)
        self._prepared = context.of_rows_like(self.matrix)
        ensemble: Any = self._prepared  # an ensemble, by the words of a tree
        self._native, self._layout = ensemble.in_order, ensemble.layout_of_values
        self._words = CellWords(self._prepared.cells)
        self._rows = Rows(self._words, self.near)
        self._search = Search(self._layout, context.memory_limit, self._of_table())

    def _of_table(self) -> Iterator[Int32s]:
        """Give some rows of the table, in cells."""
        for place in range(0 if self.matrix is None else min(len(self.matrix), ROWS_TRIED)):
            yield self._cells_of(place)

    def run(self, protected: Iterable[Any], monotone: Mapping[str, str] | None) -> Audit:
        names, free = self.protected(protected)
        stated = self.stated(monotone)
        tested = self._words.cells.tested
        asked = [
            place
            for place, attribute in enumerate(self.domain.attributes)
            if tested[place] and (is_put_in_order(attribute) or place in stated)
        ]
        others = [p for p in np.flatnonzero(tested).tolist() if p not in asked]
        questions = bool(names) + 2 * len(asked) + len(others)
        answer, witness = NO, None
        protected_places = [p for p in free if tested[p]]
        if names:
            answer, witness = self._fair(protected_places, questions)
            questions -= 1
        fair = {YES: False, NO: True}.get(answer) if names else None
        within = Deadline(self._all.seconds() * FOR_ROWS)
        rows, left = self._of_rows(names, protected_places, fair, within)
        if fair is None and rows is not None and not rows:
            fair, witness = self._shown_by(rows, protected_places)
        found, unused = {}, []
        for place in asked:
            name = self.domain.attributes[place].name
            found[name], is_unused = self._monotone(place, stated.get(place), questions)
            questions -= 2
            unused += [name] * is_unused
        for place in others:
            settled, _ = self._fair([place], questions)
            questions -= 1
            unused += [self.domain.attributes[place].name] * (settled == NO)
        outcomes = tuple(self._prepared.classes.names)
        nothing: RegionList[AuditRegion] = RegionList(None, _none)
        untested = [a.name for i, a in enumerate(self.domain.attributes) if not tested[i]]
        return Audit(
            names, fair, witness, nothing, rows, found, tuple(unused),
            tuple(untested), outcomes, self.context.assumptions, self._prepared.classes.noun,
            status=status_of(fair, self._timeout) if names else "",
            model_hash=self.context.tree_hash,
            open_rows=left,
        )  # fmt: skip  # one answer after the other

    def _of_rows(
        self, names: tuple[str, ...], places: list[int], fair: bool | None, deadline: Deadline
    ) -> tuple[DataFairness | None, int]:
        """Tell which rows of the table depend on some attributes, and how many are left open.

        Each row is a search of its own, in which all else is as it is; rows that are alike in all
        else have one.
        """
        if self.matrix is None or not names:
            return None, 0
        kept = np.ones(len(self.matrix), dtype=np.bool_)
        left = 0
        if not fair and len(kept):
            first, kind = self._kinds(places)
            settled = [
                self._depends(self._cells_of(at), places, deadline)[0] for at in first.tolist()
            ]
            answer = np.array(settled, dtype=np.int64)[kind]
            kept, left = answer != YES, int((answer == OPEN).sum())
        return DataFairness(names, kept, self._prepared.classes.noun), left

    def _kinds(self, places: list[int]) -> tuple[Places, Places]:
        """Return the first rows of the table that differ in other attributes, and each row's."""
        assert self.matrix is not None
        cells = np.array([self._cells_of(at) for at in range(len(self.matrix))])
        cells[:, places] = 0
        return distinct(cells)

    def _cells_of(self, place: int) -> Int32s:
        """Return a row of the table, in cells."""
        assert self.matrix is not None
        return self._prepared.cells.of_row(self.matrix[place])

    def _depends(
        self, row: Int32s, places: list[int], deadline: Deadline
    ) -> tuple[int, Int32s | None]:
        """Tell whether another value of some attributes gives a row another outcome, and it."""
        if not deadline.seconds():
            return OPEN, None
        rest = {a: int(cell) for a, cell in enumerate(row.tolist()) if a not in places}
        box = self._search.fixed(self._layout.everything(), rest)
        asked = EnsembleRow(self._native, row)
        return asked.other_outcome(*box, deadline.seconds(), self.context.memory_limit)

    def _shown_by(
        self, rows: DataFairness, places: list[int]
    ) -> tuple[bool | None, RowPair | None]:
        """Return two rows, the first like one of the table, that the model decides differently."""
        for at in rows.rows[:ROWS_TRIED].tolist():
            row = self._cells_of(at)
            answer, other = self._depends(row, places, self._all)
            if answer == YES and other is not None:
                pair = self._pair(self._halves(places, row[places], other[places]), row)
                if pair is not None:
                    return False, pair
        return None, None

    def _deadline(self, questions: int) -> Deadline:
        """Return the part of the time that one of several questions has."""
        return Deadline(max(self._all.seconds() / max(questions, 1), 1e-3))

    # Fair.

    def _fair(self, places: list[int], questions: int) -> tuple[int, RowPair | None]:
        """Tell whether some attributes change a decision, with two rows."""
        deadline, answer = self._deadline(questions), NO
        first: tuple[int, ...] | None = None
        for cells in product(*(self._cells(place) for place in places)):
            if first is None:
                first = cells
                continue
            halves = self._halves(places, first, cells)
            found, row = self._search.run(halves, lambda a, b: a != b, deadline)
            if found == YES and row is not None:
                pair = self._pair(halves, row)
                if pair is not None:
                    return YES, pair
                found = 2
            answer = max(answer, found)
            if found != NO:
                break
        return answer, None

    def _halves(self, places: list[int], one: Iterable[int], two: Iterable[int]) -> Halves:
        return (
            Half(self._native, dict(zip(places, one, strict=True))),
            Half(self._native, dict(zip(places, two, strict=True))),
        )

    def _cells(self, place: int) -> list[int]:
        """Return all cells of an attribute."""
        if not self._layout.is_number[place]:
            return list(range(int(self._layout.n_cells[place])))
        gaps = [MISSING] if self._layout.may_be_missing[place] else []
        return [*range(int(self._layout.last[place]) + 1), *gaps]

    # Monotone.

    def _monotone(self, place: int, expected: str | None, questions: int) -> tuple[Monotone, bool]:
        """Return how the outcome goes with an attribute, and whether nothing depends on it."""
        attribute = self.domain.attributes[place]
        cells = [cell for cell in self._cells(place) if cell != MISSING]
        if isinstance(attribute, Category):
            cell_of = self._words.cells.cell_of_value[place].tolist()
            cells = [cell_of[value] for value in in_order(attribute)]
        steps = [self._halves([place], [a], [b]) for a, b in pairwise(cells)]
        rises = self._step(steps, up=True, deadline=self._deadline(questions))
        falls = self._step(steps, up=False, deadline=self._deadline(questions - 1))
        known = {answer for answer, _ in (rises, falls)} <= {NO, YES}
        goes = GOES[rises[0] == YES, falls[0] == YES] if known else "open"
        both = zip(DIRECTIONS, (rises, falls), strict=True)
        seen = tuple(way for way, (answer, _) in both if answer == YES)
        against = {"up": falls, "down": rises}.get(expected or "")
        holds, witness = None, None
        if against is not None:
            holds = {YES: False, NO: True}.get(against[0])
            witness = None if against[1] is None else self._pair(*against[1])
            holds = None if holds is False and witness is None else holds
        is_unused = goes == "never" and not self._layout.may_be_missing[place]
        seen, order = () if known else seen, order_of(attribute)
        told = Monotone(goes, expected, witness, holds, self._timeout, seen, order)
        return told, is_unused

    def _step(
        self, steps: list[Halves], *, up: bool, deadline: Deadline
    ) -> tuple[int, Step | None]:
        """Tell whether an outcome rises, or falls, at any of some steps."""
        answer = NO
        for halves in steps:
            found, row = self._search.run(
                halves, (lambda a, b: a < b) if up else (lambda a, b: a > b), deadline
            )
            if found == YES and row is not None:
                return YES, (halves, row)
            answer = max(answer, found)
        return answer, None

    # Rows.

    def _pair(self, halves: Halves, row: Int32s) -> RowPair | None:
        """Return two rows that the model itself decides about as the search says, or None."""
        values, columns = [], self.domain.raw_names or self._prepared.tree.feature_names
        rows, outcomes = [], []
        for half in halves:
            own = self._rows.values(box_of(self._words, half.row(row)))
            values.append(own)
            rows.append(self._rows.by_column(own, columns))
            outcomes.append(half.outcome(row))
            if self.context.asked_of_model(rows[-1]) != outcomes[-1]:
                return None
        names = self._prepared.classes.names
        told = names[outcomes[0]], names[outcomes[1]]
        return RowPair(rows[0], rows[1], told, self._rows.changes(*values))


def box_of(words: CellWords, row: Int32s) -> dict[int, CellSet]:
    """Return the box of one row, in cells."""
    found: dict[int, CellSet] = {}
    for place, cell in enumerate(row.tolist()):
        if not words.is_number(place):
            found[place] = 1 << cell
        else:
            found[place] = Range(0, -1, True) if cell == MISSING else Range(cell, cell, False)
    return found


def _none(found: Any, place: int) -> AuditRegion:
    raise IndexError("regions are told of single trees")

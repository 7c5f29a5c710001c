"""Short reasons of a row: the table that they are counted on, and the questions about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from cattleya._core import ShortTable
from cattleya.explain.context import ModelContext
from cattleya.explain.prepared import PreparedTree
from cattleya.explain.row import ExplainedRow
from cattleya.explain.weighed import reweighed, weighed
from cattleya.model.conditions.condition import Condition
from cattleya.model.tree.rows import RowReader
from cattleya.proof.recount import Recount, recount
from cattleya.proof.reweigh import Reweighing
from cattleya.reasons.short.coding import Coding, coding_of, table_of
from cattleya.reasons.short.find import ShortSearch, WeighedSearch
from cattleya.reasons.short.share import Share, wanted
from cattleya.reasons.short.short_reason import ShortReason, TradeOff, counted
from cattleya.reasons.short.weighing import RowWeighing
from cattleya.reasons.short.worlds import Chance, TrainingWeights, World
from cattleya.support.arrays import Bools, Floats
from cattleya.support.limits import Deadline
from cattleya.support.text import shown

__all__ = ["Among", "ShortQuestions"]

KEPT = 16  # native tables: one as a rule, more where each row has an outcome of its own


class Among:
    """The rows of a table that facts are counted on, read once. Made by ``explainer.among``.

    Examples
    --------
    >>> import cattleya
    >>> explainer = cattleya.Explainer(cattleya.Tree.from_nested(("a", "no", "yes")))
    >>> rows = explainer.among([[0], [1], [1]])
    >>> len(rows), str(explainer.explain([1]).short_reason(among=rows))
    (3, 'a')
    """

    def __init__(self, context: ModelContext, X: Any) -> None:
        self._context = context
        self.matrix: Floats = context.model.rows.matrix(X)
        context.check_rows(self.matrix, Deadline(None))
        if len(self.matrix) == 0:
            raise ValueError("among has no rows; give the rows that facts are to be counted on")
        self._codings: dict[int, tuple[PreparedTree, Coding]] = {}
        self._tables: dict[int, tuple[PreparedTree, ShortTable]] = {}

    def __len__(self) -> int:
        return len(self.matrix)

    def __repr__(self) -> str:
        return f"<Among {len(self):,} rows>"

    def of(self, context: ModelContext) -> Among:
        """Return these rows for an explanation; refuse those of another explainer."""
        if context is not self._context:
            raise ValueError(
                "among was made by another explainer; make it with the one that made this "
                "explanation"
            )
        return self

    def table(self, prepared: PreparedTree) -> tuple[Coding, ShortTable]:
        """Return the rows as the tree that decides about a row tells them apart."""
        # By identity: a prepared tree is kept beside its number, so that no other can have it.
        found = self._tables.get(id(prepared))
        if found is None:
            coding = coding_of(prepared.vocabulary, self.matrix)
            outcome = self._context.outcomes_for(prepared, self.matrix)
            made = table_of(coding, self.matrix, np.ascontiguousarray(outcome, dtype=np.int32))
            while len(self._tables) >= KEPT:
                self._tables.pop(next(iter(self._tables)), None)
            self._codings[id(prepared)] = prepared, coding
            found = self._tables[id(prepared)] = prepared, made
        return self._codings[id(prepared)][1], found[1]


class RowOutcome:
    """The outcome of an explained row, and which other rows get it. Picklable."""

    def __init__(self, row: ExplainedRow) -> None:
        self._row = row

    @property
    def name(self) -> str:
        """The outcome, as it is shown."""
        return self._row.classes.names[self._row.row_class]

    @property
    def reader(self) -> RowReader:
        """How to read rows."""
        return self._row.context.model.rows

    def gets(self, matrix: Floats) -> Bools:
        """Tell of each row, in the tree's columns, whether it gets the outcome."""
        row = self._row
        gets: Bools = row.context.outcomes_for(row.prepared, matrix) == row.row_class
        return gets


class ShortQuestions:
    """The questions about a row that are answered by counting rows."""

    def __init__(self, row: ExplainedRow, table: Callable[[], Among | None] | None = None) -> None:
        self._row, self._table = row, table

    @cached_property
    def _outcome(self) -> RowOutcome:
        return RowOutcome(self._row)

    def _among(self, among: Any) -> Among | World:
        context = self._row.context
        if among is None and self._table is not None:
            among = self._table()
        if among is None:
            if context.is_ensemble or context.model.training is None:
                raise TypeError(
                    "among is missing: give the table of rows that facts are to be counted on; "
                    "this model keeps no counts of its training rows, which would do without"
                )
            return TrainingWeights()
        if isinstance(among, World):
            return among
        if isinstance(among, type) and issubclass(among, World):
            raise TypeError(f"among is a class; give {among.__name__}(...), with its brackets")
        return among.of(context) if isinstance(among, Among) else Among(context, among)

    def _search(self, among: Among | World) -> ShortSearch | WeighedSearch:
        row = self._row
        if isinstance(among, World):
            weighing, lead, about = weighed(row.context, row.prepared, among)
            own = (weighing, row.tree, row.atoms, row.row, row.row_class, row.excluded)
            told = (lead, about, row.atoms, self._outcome, row.context.memory_limit)
            return WeighedSearch(RowWeighing(*own), *told)
        rows = among
        coding, table = rows.table(row.prepared)
        facts = coding.facts(row.atoms, row.row, row.excluded)
        memory = row.context.memory_limit
        return ShortSearch(table, len(rows), facts, row.atoms, row.row_class, self._outcome, memory)

    def reason(
        self,
        precision: Any,
        among: Any,
        max_size: Any,
        min_coverage: Any,
        prove: bool,
        timeout: float | None,
    ) -> ShortReason:
        """Return the smallest set of facts that is right often enough."""
        deadline, rows = Deadline(timeout), self._among(among)
        asked = wanted(precision, max_size, min_coverage, is_weighed=isinstance(rows, World))
        if not isinstance(prove, (bool, np.bool_)):
            raise TypeError(f"prove must be True or False, not {shown(prove)}")
        return self._search(rows).reason(asked, bool(prove), deadline)

    def trade_off(
        self, among: Any, max_size: Any, min_coverage: Any, timeout: float | None
    ) -> TradeOff:
        """Return the safest facts of every size."""
        deadline, rows = Deadline(timeout), self._among(among)
        asked = wanted(1, max_size, min_coverage, is_weighed=isinstance(rows, World))
        return self._search(rows).trade_off(asked, deadline)

    def precision(self, facts: Iterable[Condition | str] | str, among: Any) -> Share | Chance:
        """Count any facts, or weigh facts of the row."""
        row, rows = self._row, self._among(among)
        if isinstance(rows, World):
            search = self._search(rows)
            assert isinstance(search, WeighedSearch)
            return search.measured([row.atoms.number(one) for one in row.meant(facts)])
        read = row.read_facts(facts)
        return counted(read, rows.matrix, self._outcome.gets(rows.matrix))

    def verify(self, short: Any, among: Any) -> Recount | Reweighing:
        """Count a short reason again, by the proof's own means."""
        if not isinstance(short, ShortReason):
            raise TypeError(
                f"with among, verify takes a short reason, not {shown(short)}; precision(facts, "
                f"among) counts any facts"
            )
        row, share, rows = self._row, short.measure, self._among(among)
        if isinstance(rows, World) != isinstance(share, Chance):
            raise TypeError("the short reason was found among something else; give the same among")
        if isinstance(rows, World):
            return reweighed(row, short, rows)
        assert isinstance(share, Share)
        claimed = (share.right, share.covered, share.rows)
        return recount(row.judge(), row.row, short.conditions, rows.matrix, claimed)

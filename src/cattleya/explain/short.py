"""Short reasons of a row: the table that they are counted on, and the questions about them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from cattleya._core import ShortTable
from cattleya.changes.cell_regions import CellRegions
from cattleya.changes.general.table_rows import TableRows
from cattleya.explain.context import ModelContext
from cattleya.explain.prepared import PreparedTree
from cattleya.explain.row import NONE, ExplainedRow
from cattleya.explain.weighed import reweighed, weighed
from cattleya.model.conditions.condition import Condition
from cattleya.model.conditions.parts import parts_of
from cattleya.model.conditions.phrases import merged
from cattleya.model.domain.domain import stands_for_others
from cattleya.model.tree.rows import RowReader
from cattleya.proof.recount import Recount, recount
from cattleya.proof.reweigh import Reweighing
from cattleya.reasons.reason import joined
from cattleya.reasons.short.coding import Coding, coding_of, table_of
from cattleya.reasons.short.find import ShortSearch, WeighedSearch
from cattleya.reasons.short.share import Share, wanted
from cattleya.reasons.short.short_reason import ShortReason, TradeOff, counted
from cattleya.reasons.short.weighing import RowWeighing
from cattleya.reasons.short.worlds import Chance, TrainingWeights, World
from cattleya.support.arrays import Bools, Floats, Int32s
from cattleya.support.limits import Deadline
from cattleya.support.text import shown

__all__ = ["Among", "CountedOn", "ShortQuestions", "facts_text", "recounted"]

OVERGROWN = 20  # rows to a leaf, below which a tree has learned single rows
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
    >>> rows.matrix.tolist(), rows.warning
    ([[0.0], [1.0], [1.0]], '')
    """

    def __init__(
        self, context: ModelContext, X: Any, *, in_numbers: bool = False, called: str = "among"
    ) -> None:
        self._context = context
        self.matrix: Floats = X if in_numbers else context.model.rows.matrix(X)
        if not in_numbers:
            context.check_rows(self.matrix, Deadline(None))
        if len(self.matrix) == 0:
            raise ValueError(f"{called} has no rows; give the rows that facts are to be counted on")
        self._codings: dict[int, tuple[PreparedTree, Coding]] = {}
        self._tables: dict[int, tuple[PreparedTree, ShortTable]] = {}
        self._of_class: dict[tuple[int, int], tuple[CellRegions, TableRows]] = {}
        self._outcomes: dict[int, tuple[PreparedTree, Int32s]] = {}

    @classmethod
    def of_matrix(cls, context: ModelContext, matrix: Floats) -> Among:
        """Return rows that were read before: in the tree's columns.

        :meta private:
        """
        made = cls.__new__(cls)
        made._context, made.matrix = context, matrix
        made._codings, made._tables, made._of_class, made._outcomes = {}, {}, {}, {}
        return made

    def outcomes(self, prepared: PreparedTree) -> Int32s:
        """Return the outcome of each row, by its place; an ensemble takes time to decide.

        :meta private:
        """
        found = self._outcomes.get(id(prepared))
        if found is None:
            while len(self._outcomes) >= KEPT:
                self._outcomes.pop(next(iter(self._outcomes)), None)
            made = self._context.outcomes_for(prepared, self.matrix)
            found = self._outcomes[id(prepared)] = prepared, made
        return found[1]

    def of_class(self, prepared: PreparedTree, number: int, cells: CellRegions) -> TableRows:
        """Return the rows that get an outcome, by the cells that a tree tells apart.

        :meta private:
        """
        found = self._of_class.get((id(cells), number))
        if found is None:
            gets = self.outcomes(prepared) == number
            while len(self._of_class) >= KEPT:
                self._of_class.pop(next(iter(self._of_class)), None)
            found = self._of_class[id(cells), number] = cells, TableRows(cells, self.matrix[gets])
        return found[1]

    def __len__(self) -> int:
        return len(self.matrix)

    def __repr__(self) -> str:
        return f"<Among {len(self):,} rows>"

    @cached_property
    def warning(self) -> str:
        """What to beware of: rows that an overgrown tree was trained on flatter it."""
        model = self._context.model
        training = None if self._context.is_ensemble else model.training
        if training is None or training.rows[0] != len(self):
            return ""
        tree = model.tree_for_all
        is_leaf = tree.left < 0
        leaves = np.bincount(tree.apply(self.matrix), minlength=tree.n_nodes)
        if (leaves[is_leaf] != training.rows[is_leaf]).any():
            return ""
        each = len(self) / int(is_leaf.sum())
        if each >= OVERGROWN:
            return ""
        return (
            f"The tree was trained on just as many rows, which come to the same leaves, {each:.1f} "
            f"to a leaf: rows that it was trained on flatter it; count on others."
        )

    def of(self, context: ModelContext) -> Among:
        """Return these rows for an explanation; refuse those of another explainer.

        :meta private:
        """
        if context is not self._context:
            raise ValueError(
                "among was made by another explainer; make it with the one that made this "
                "explanation"
            )
        return self

    def table(self, prepared: PreparedTree) -> tuple[Coding, ShortTable]:
        """Return the rows as the tree that decides about a row tells them apart.

        :meta private:
        """
        # By identity: a prepared tree is kept beside its number, so that no other can have it.
        found = self._tables.get(id(prepared))
        if found is None:
            coding = coding_of(prepared.vocabulary, self.matrix)
            outcome = self.outcomes(prepared)
            made = table_of(coding, self.matrix, np.ascontiguousarray(outcome, dtype=np.int32))
            while len(self._tables) >= KEPT:
                self._tables.pop(next(iter(self._tables)), None)
            self._codings[id(prepared)] = prepared, coding
            found = self._tables[id(prepared)] = prepared, made
        return self._codings[id(prepared)][1], found[1]


class CountedOn:
    """Rows in the tree's columns that short reasons of many rows are counted on. Picklable."""

    def __init__(self, matrix: Floats) -> None:
        self._matrix = matrix
        digest = hashlib.sha256(np.ascontiguousarray(matrix).tobytes())
        self._token = digest.hexdigest(), matrix.shape

    def of(self, context: ModelContext) -> Among:
        """Return these rows for a model: made once in a process, and kept."""
        known: tuple[Any, Among] | None = context.__dict__.get("_counted_on")
        if known is None or known[0] != self._token:
            known = self._token, Among(context, self._matrix, in_numbers=True)
            context.__dict__["_counted_on"] = known
        return known[1]


def recounted(
    row: ExplainedRow, facts: Sequence[Condition], among: Among, claimed: tuple[int, int, int]
) -> Recount:
    """Count facts of a row again, by the proof's own means."""
    return recount(row.judge(), row.row, facts, among.matrix, claimed)


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

    def text(self, facts: Sequence[Condition]) -> str:
        """Return facts as they are true of the rows that were counted."""
        return facts_text(self._row, facts)


def facts_text(row: ExplainedRow, facts: Iterable[Condition]) -> str:
    """Return facts in words that are true, in the user's columns, of the rows that have them.

    What is filled in for a missing value, or for one never seen, counts as that.
    """
    domain, dtype = row.context.domain, row.context.model.row_dtype
    over = row.atoms.over
    by_attribute: dict[int, list[Condition]] = {}
    for fact in facts:
        by_attribute.setdefault(int(domain.of_column[fact.index]), []).append(fact)
    texts: list[str] = []
    for place, own in by_attribute.items():
        if stands_for_others(domain.attributes[place]):
            each = [own] if over.merges else [[one] for one in own]
            texts += [str(part) for one in each for part in parts_of(one, domain, dtype)]
        else:
            texts += merged(own) if over.merges else map(str, own)
    return joined(texts)


class ShortQuestions:
    """The questions about a row that are answered by counting rows."""

    def __init__(self, row: ExplainedRow, table: Callable[[], Among | None] | None = None) -> None:
        self._row, self._table = row, table

    @cached_property
    def _outcome(self) -> RowOutcome:
        return RowOutcome(self._row)

    def table(self, among: Any) -> Among | None:
        """Return the rows of a table, by default those that the explainer has, if any."""
        if among is None:
            return None if self._table is None else self._table()
        if isinstance(among, World):
            raise TypeError(f"{among!r} has no rows to count; give a table, or leave among out")
        context = self._row.context
        return among.of(context) if isinstance(among, Among) else Among(context, among)

    def _among(self, among: Any) -> Among | World:
        if isinstance(among, World):
            return among
        if isinstance(among, type) and issubclass(among, World):
            raise TypeError(f"among is a class; give {among.__name__}(...), with its brackets")
        found, context = self.table(among), self._row.context
        if found is not None:
            return found
        if context.is_ensemble or context.model.training is None:
            raise TypeError(
                "among is missing: give the table of rows that facts are to be counted on; "
                "this model keeps no counts of its training rows, which would do without"
            )
        return TrainingWeights()

    def _search(
        self, among: Among | World, excluded: Int32s | None = None
    ) -> ShortSearch | WeighedSearch:
        row = self._row
        excluded = row.excluded if excluded is None else excluded
        if isinstance(among, World):
            weighing, lead, about = weighed(row.context, row.prepared, among)
            own = (weighing, row.atoms, row.row, row.row_class, excluded)
            told = (lead, about, row.atoms, self._outcome, row.context.memory_limit)
            return WeighedSearch(RowWeighing(*own), *told)
        rows = among
        coding, table = rows.table(row.prepared)
        facts = coding.facts(row.atoms, row.row, excluded)
        memory = row.context.memory_limit
        return ShortSearch(
            *(table, len(rows), facts, row.atoms, row.row_class, self._outcome, memory),
            warning=rows.warning,
        )

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
            search = self._search(rows, NONE)  # facts that no reason may have can be weighed
            assert isinstance(search, WeighedSearch)
            own = row.meant(row.split(facts))
            return search.measured([row.atoms.number(one) for one in own])
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
        return recounted(row, short.conditions, rows, claimed)

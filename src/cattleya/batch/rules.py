"""Few rules that cover the rows of each class: exact ones, or short ones that are usually right.

At precision 1 every rule is a general reason, proved on the model: no row that has its facts gets
another class, in the table or out of it. Below, a rule is a short reason, counted on the table.

Rules are made of rows: a row that none covers yet is explained, until all of them are covered. Of
those found the fewest that cover as much are chosen, as a minimum hitting set (each row is to be
hit by a rule that covers it) or, where that takes too long, one after the other by what each adds.
Other rules than those found might be fewer still. How many are needed at the least is bounded by
rows of which no two have a common reason: the smallest box around both has a row of another class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any, overload

import numpy as np

from cattleya._core import minimum_hitting_set
from cattleya.batch.cover import few
from cattleya.changes.general.box import Box
from cattleya.changes.general.generalise import widen
from cattleya.explain.context import ModelContext
from cattleya.explain.explaining import explain_numbers
from cattleya.explain.explanation import Explanation
from cattleya.explain.short import Among
from cattleya.model.conditions.condition import Condition
from cattleya.model.conditions.parts import parts_of
from cattleya.reasons.errors import NoSuchReason
from cattleya.reasons.reason import Reason
from cattleya.reasons.short.share import Share, Wanted, checked_share, wanted
from cattleya.support.arrays import Bools, Floats, Int32s, Places
from cattleya.support.errors import MemoryLimitExceeded, TimeoutExpired
from cattleya.support.guards import is_whole
from cattleya.support.limits import Deadline
from cattleya.support.progress import Advance, progress_bar
from cattleya.support.text import shown

__all__ = ["ClassRules", "Rule", "Rules", "rules"]

SHORT_SIZE = 4  # facts of a short rule, where nothing is said
SHORT_COVER = Fraction(4, 5)  # of the rows of a class: few rules, not all
MOST_ASKED = 400  # rows of a class that short rules are made of
ASKING = 0.8  # of the time
CHOOSING = 5.0  # seconds for the fewest of the rules found
SHORTEST = 1e-9  # seconds: a time limit must be positive
MOST_PAIRED = 150  # rules whose rows are compared with each other


@dataclass(frozen=True, eq=False)
class Rule:
    """Facts, and what rows that have them get.

    Attributes
    ----------
    reason : Reason
        The facts: a general reason, which forces the outcome, or a short one, which does not.
    conditions : tuple of Condition
        The facts as what each feature may be, in the columns of the table: where a missing value is
        filled in as one of those, that is said.
    prediction : label
        The class, or what else is explained, that rows with these facts get, always or usually.
    outcome : str
        The same in words.
    share : Share
        Counted on the table: rows with these facts, and those of them that get the outcome.
    of_class : Fraction
        The share of the rows of the table with this outcome that have these facts.
    together : Share
        The same counts as ``share`` for this rule and those before it of its class, together.
    held_out : Share or None
        The same counts as ``share`` on the rows that were held out.
    forces : bool
        Whether it is proved that every row with these facts gets the outcome.
    """

    reason: Reason
    conditions: tuple[Condition, ...]
    prediction: Any
    outcome: str
    share: Share
    of_class: Fraction
    together: Share
    held_out: Share | None
    forces: bool

    @property
    def precision(self) -> Fraction:
        """The share of the rows with these facts that get the outcome; 1 where it is forced."""
        return self.share.precision or Fraction(1)

    @property
    def coverage(self) -> Fraction:
        """The share of all rows of the table that have these facts."""
        return self.share.coverage

    def __str__(self) -> str:
        from cattleya.present.words.whole import rule_text

        return rule_text(self)


@dataclass(frozen=True, eq=False)
class ClassRules:
    """The rules of one class, or of what else is explained.

    Attributes
    ----------
    prediction, outcome
        As for each :class:`Rule`.
    rules : tuple of Rule
        In the order of what each adds.
    rows : int
        The rows of the table that get this outcome.
    union : Share
        Counted on the table: rows that at least one rule covers, and those that get the outcome.
    held_out : Share or None
        The same on the rows that were held out.
    at_least : int
        So many general reasons are needed to cover the same rows: proved. 0 for short rules, of
        which nothing is proved.
    unasked : int
        The rows that no rule covers and that were not explained, for want of time or by the limit
        on rows that are asked. Of the others, no reason as short and as precise as was wanted was
        found, or so many were to stay uncovered.
    """

    prediction: Any
    outcome: str
    rules: tuple[Rule, ...]
    rows: int
    union: Share
    held_out: Share | None
    at_least: int
    unasked: int

    @property
    def covered(self) -> int:
        """The rows with this outcome that some rule covers."""
        return self.union.right

    @property
    def proved_fewest(self) -> bool:
        """Whether it is proved that no fewer general reasons cover the same rows."""
        return 0 < len(self.rules) == self.at_least

    def __str__(self) -> str:
        from cattleya.present.words.whole import class_rules_text

        return class_rules_text(self)


class Rules(Sequence[Rule]):
    """Few rules that cover the rows of each class. Made by :meth:`cattleya.Explainer.rules`.

    Attributes
    ----------
    classes : tuple of ClassRules
        The rules of each class that a row of the table gets, with what they cover together.
    wanted : Fraction
        The precision that was asked for.
    """

    def __init__(self, classes: Sequence[ClassRules], wanted: Fraction) -> None:
        self.classes, self.wanted = tuple(classes), wanted
        self._rules = tuple(rule for one in self.classes for rule in one.rules)

    @overload
    def __getitem__(self, place: int) -> Rule: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Rule]: ...
    def __getitem__(self, place: int | slice) -> Rule | Sequence[Rule]:
        return self._rules[place]

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    def __str__(self) -> str:
        return "\n".join(map(str, self.classes))

    def __repr__(self) -> str:
        return f"<Rules: {len(self)} of {len(self.classes)} outcomes>"


def rules(
    context: ModelContext,
    data: Any,
    precision: Any,
    max_size: Any,
    *,
    held_out: Any,
    cover: Any,
    min_coverage: Any,
    timeout: float | None,
    progress: bool | Advance,
) -> Rules:
    """Return few rules that cover the rows of each class."""
    deadline = Deadline(timeout)
    share = checked_share("precision", precision, lambda one: 0 < one <= 1)
    is_exact = share == 1
    if is_exact and max_size is not None and (not is_whole(max_size) or max_size < 0):
        raise ValueError(f"max_size must be a whole number or None, not {shown(max_size)}")
    short = wanted(share, SHORT_SIZE if max_size is None else max_size, min_coverage)
    enough = Fraction(1) if is_exact else SHORT_COVER
    if cover is not None:
        enough = checked_share("cover", cover, lambda one: 0 < one <= 1)
    if not context.outcome_names:
        raise ValueError(
            "rules are about outcomes that many rows share; here each row has its own: give the "
            "Explainer a target such as Value(at_least=...)"
        )
    table = Among(context, data, called="data")
    held = None if held_out is None else Among(context, held_out, called="held_out")
    finder = _Finder(context, table, held, short, max_size if is_exact else None, enough)
    outcomes = np.unique(finder.classes).tolist()
    found = []
    with progress_bar("covering rows", lambda: len(finder.classes), progress) as advance:
        for left, outcome in zip(range(len(outcomes), 0, -1), outcomes, strict=True):
            found.append(finder.of(outcome, _part(deadline, 1 / left), advance, is_exact=is_exact))
    return Rules(found, share)


def _part(deadline: Deadline, part: float) -> Deadline:
    """Return a deadline that leaves a part of the time."""
    seconds = deadline.seconds()
    return deadline if seconds == inf else Deadline(max(part * seconds, SHORTEST))


@dataclass(frozen=True, eq=False)
class _Found:
    """A rule that was found: its facts, and the rows that have them."""

    reason: Reason
    rows: Places
    maker: int  # the row that it was made of


class _Finder:
    """Finds the rules of one class after the other."""

    def __init__(
        self,
        context: ModelContext,
        table: Among,
        held: Among | None,
        short: Wanted,
        max_size: int | None,
        enough: Fraction,
    ) -> None:
        self._context, self._table, self._held = context, table, held
        self._short, self._max_size, self._enough = short, max_size, enough
        self._matrix: Floats = table.matrix
        self._dtype = context.model.row_dtype
        self.classes: Int32s = context.outcomes_of(self._matrix)
        self._first, self._kind = context.distinct(self._matrix)

    def of(
        self, outcome: int, deadline: Deadline, advance: Advance, *, is_exact: bool
    ) -> ClassRules:
        """Return the rules of one outcome."""
        own = self.classes == outcome
        asking = _part(deadline, ASKING)  # the rest is for choosing
        found, unasked, e = self._candidates(own, asking, advance, is_exact=is_exact)
        chosen = self._chosen(found, own, deadline)
        at_least = 0
        if is_exact and chosen:
            is_tree = not self._context.is_ensemble
            at_least = self._bound(chosen, own, outcome, deadline) if is_tree else 1
        label, name = e.class_labels[outcome], e.outcome
        prediction = next((p for p, text in self._context.outcome_names.items() if text == name))
        rules, together = [], np.zeros(len(own), dtype=np.bool_)
        for one in chosen:
            together[one.rows] = True
            share = Share(int(own[one.rows].sum()), len(one.rows), len(own))
            of_class = Fraction(share.right, int(own.sum()))
            rules.append(
                Rule(
                    one.reason,
                    parts_of(one.reason.conditions, self._context.domain, self._dtype),
                    *(prediction, label, share, of_class),
                    self._share(together, own),
                    self._held_out([one], outcome),
                    is_exact,
                )
            )
        union, held = self._share(together, own), self._held_out(chosen, outcome)
        return ClassRules(
            *(prediction, label, tuple(rules), int(own.sum()), union, held, at_least),
            int((unasked & own & ~together).sum()),
        )

    @staticmethod
    def _share(rows: Bools, own: Bools) -> Share:
        return Share(int((rows & own).sum()), int(rows.sum()), len(own))

    def _held_out(self, found: Sequence[_Found], outcome: int) -> Share | None:
        if self._held is None:
            return None
        matrix = self._held.matrix
        rows = np.zeros(len(matrix), dtype=np.bool_)
        for one in found:
            rows |= _covers(one.reason, matrix)
        return self._share(rows, self._context.outcomes_of(matrix) == outcome)

    def _candidates(
        self, own: Bools, deadline: Deadline, advance: Advance, *, is_exact: bool
    ) -> tuple[list[_Found], Bools, Explanation]:
        """Return rules that cover the rows of a class, which rows were not asked, and one of it."""
        first = self._first[own[self._first]]
        size = np.bincount(self._kind, minlength=len(self._first))
        order = np.argsort(-size[self._kind[first]], kind="stable")
        makers: Places = first[order]
        left, unasked = own.copy(), own.copy()
        before = int(left.sum())
        found: dict[str, _Found] = {}
        asked, e = 0, explain_numbers(self._context, self._matrix[makers[0]])
        for maker in makers.tolist():
            if not left[maker]:
                unasked[self._kind == self._kind[maker]] = False
                continue
            if not deadline.seconds() or (not is_exact and asked == MOST_ASKED):
                break
            asked += 1
            e = explain_numbers(self._context, self._matrix[maker])
            try:
                reason = self._reason(e, deadline, is_exact=is_exact)
            except NoSuchReason:
                unasked[self._kind == self._kind[maker]] = False
                continue
            except TimeoutExpired:
                break
            unasked[self._kind == self._kind[maker]] = False
            if self._max_size is not None and len(reason) > self._max_size:
                continue
            rows = _covers(reason, self._matrix)
            found.setdefault(str(reason), _Found(reason, np.flatnonzero(rows), maker))
            left &= ~rows
            advance(before - int(left.sum()))
            before = int(left.sum())
        return list(found.values()), unasked, e

    def _reason(self, e: Explanation, deadline: Deadline, *, is_exact: bool) -> Reason:
        seconds = max(deadline.seconds(), SHORTEST)
        if is_exact:
            return e.reason(seconds)
        how = self._short
        return e.short_reason(
            how.precision, self._table, how.max_size, how.min_coverage, timeout=seconds
        )

    def _chosen(self, found: list[_Found], own: Bools, deadline: Deadline) -> list[_Found]:
        """Return few of the rules that cover as much, in the order of what each adds."""
        if self._enough == 1:
            found = self._fewest(found, own, deadline)
        places = few([one.rows for one in found], own, self._enough)
        return [found[place] for place in places]

    def _fewest(self, found: list[_Found], own: Bools, deadline: Deadline) -> list[_Found]:
        """Return the fewest of some rules that cover the same rows; all where time runs out."""
        if not found:
            return found
        rule = np.repeat(np.arange(len(found), dtype=np.int32), [len(one.rows) for one in found])
        row = np.concatenate([one.rows for one in found])
        order = np.lexsort((rule, row))
        rule, row = rule[order][own[row[order]]], row[order][own[row[order]]]
        ends = np.flatnonzero(np.diff(row)) + 1
        hits = {one.tobytes(): one for one in np.split(rule, ends)}.values()
        start = np.concatenate(([0], np.cumsum([len(one) for one in hits]))).astype(np.int64)
        atom = np.concatenate(list(hits)).astype(np.int32)
        seconds = min(deadline.seconds(), CHOOSING)
        memory = self._context.memory_limit
        none = np.zeros(0, dtype=np.uint64)
        try:
            fewest = minimum_hitting_set(start, atom, len(found), none, seconds, memory)
        except (TimeoutExpired, MemoryLimitExceeded):
            return found
        return [found[place] for place in fewest.tolist()]

    def _bound(self, chosen: Sequence[_Found], own: Bools, outcome: int, deadline: Deadline) -> int:
        """Return how many general reasons are needed: rows of which no two have one in common."""
        often = np.zeros(len(own), dtype=np.int64)
        for one in chosen:
            often[one.rows] += 1
        apart: list[Box] = []
        for one in chosen[:MOST_PAIRED]:
            alone = one.rows[own[one.rows] & (often[one.rows] == 1)]
            row = self._matrix[alone[0] if len(alone) else one.maker]
            try:
                cells = self._context.prepared_for(row).cell_regions(deadline)
                box = Box.at(cells, row)
                together = (
                    box.cells is other.cells and widen(box.joined(other), outcome, (), deadline)
                    for other in apart
                )
                if not any(together):
                    apart.append(box)
            except TimeoutExpired:
                break
        return max(len(apart), 1)


def _covers(reason: Reason, matrix: Floats) -> Bools:
    covered = np.ones(len(matrix), dtype=np.bool_)
    for condition in reason.conditions:
        covered &= condition.holds_in(matrix)
    return covered

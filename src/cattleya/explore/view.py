"""What stands on the page about one row, beside what every page about a row has."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from cattleya.changes.counterfactual import Counterfactual
from cattleya.changes.errors import NoSuchCounterfactual
from cattleya.explain.edits import MISSING, Editable, typed
from cattleya.explain.explanation import Explanation, explained_row, refuting_outcome
from cattleya.explain.ranges import parse_range
from cattleya.explain.row import OwnValue
from cattleya.explore.explorer import Explorer
from cattleya.explore.state import FIRST, WHOLE, Chosen, State
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.present.findings import (
    CHANGES_FOUND,
    COUNTED,
    count_further,
    prove_again,
)
from cattleya.present.pages.content import Content
from cattleya.present.words.numbers import class_name, name
from cattleya.present.words.sentences import VOCABULARIES
from cattleya.present.words.statements import Statement, moves_of, one_by_one
from cattleya.present.words.verdicts import enough
from cattleya.proof.verification import Verification
from cattleya.support.errors import TimeoutExpired
from cattleya.vocabularies.over import Over

__all__ = ["RowView", "Verdict"]

FACTS_A_FEATURE = 8
FIELDS_AT_ONCE = 40
WITH_CHANGES = ("", "rest", "changes", WHOLE)


@dataclass(frozen=True)
class Field:
    """A feature of the row, as it can be looked at and changed."""

    it: Editable
    place: int  # among all of them
    shown: str  # its name
    value: str  # as it is now, to be typed
    before: str  # as the table has it, where that is another
    excluded: bool
    fixed: bool
    range: str
    part: str = ""
    stops: str = "[]"  # the values of the slider, for the script
    thresholds: str = "[]"  # those between them
    typed: str = ""  # what was typed, where that cannot be taken
    refused: str = ""  # why it cannot

    @property
    def changed(self) -> bool:
        """Whether it is set to another value."""
        return self.before != ""

    @property
    def position(self) -> int:
        """Where the slider stands."""
        if self.value == MISSING:
            return 0
        return bisect_left(self.it.thresholds, float(self.value))


@dataclass(frozen=True)
class OfferedFact:
    """A fact of the row that can be taken into a reason."""

    text: str
    statement: Statement
    taken: bool
    in_reason: bool = False


@dataclass(frozen=True)
class Verdict:
    """Whether the facts that were taken are enough."""

    word: str
    sentence: str
    holds: bool
    differs: list[tuple[str, str, str]] = field(default_factory=list)  # feature, here, there
    assignment: list[str] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    sets: dict[str, str] = field(default_factory=dict)
    error: str = ""


@dataclass(frozen=True)
class Near:
    """A nearest row of another class, and the address at which it is put in."""

    changes: list[tuple[str, str, str]]
    leads_to: str
    query: str


#: What is said while a step of counting is taken.
STEPS = {
    "proof": "the reason is proved again",
    "count": "the reasons are counted",
    "sizes": "they are counted by size",
    "importance": "how often each condition is in one",
    "features": "how often each feature is mentioned",
}


class RowView(Content):
    """The contents of the page about one row."""

    view = "row"

    def __init__(self, explorer: Explorer, state: State, part: str = "") -> None:
        ask = partial(explorer.found, whole=part in WITH_CHANGES)
        if explorer.context.is_ensemble:  # may take seconds for either: they are parts of their own
            reason, changes = part in ("reason", WHOLE), part in ("changes", WHOLE)
            ask = partial(explorer.found, whole=changes, reason=reason)
        #: Values that the row cannot have, and why: the page is about the row without them.
        self.refused: dict[str, str] = {}
        self._typed = state.sets
        try:
            found = ask(state)
        except (ValueError, TypeError):
            self.refused = explorer.refused(state)
            if not self.refused:
                raise
            kept = {one: text for one, text in state.sets.items() if one not in self.refused}
            state = replace(state, sets=kept)
            found = ask(state)
        super().__init__(found, explorer.shape, f"row {state.row} of {explorer.about}")
        self.explorer, self.state, self.follows = explorer, state, part == FIRST
        #: Whether everything is on the page itself, and nothing follows by script.
        self.is_whole = part == WHOLE
        self.n_rows = len(explorer.table)
        self.overs = [(over, VOCABULARIES[over][0]) for over in Over]
        self.steps = len(STEPS)

    @property
    def row_query(self) -> str:
        """What the other views are told of the row."""
        return self.state.query(facts=(), ranges={})

    def with_sets(self, sets: dict[str, str]) -> dict[str, str]:
        """Return the values that are set, and some more."""
        return {**self.state.sets, **sets}

    # Counting, step by step.

    @property
    def open_steps(self) -> list[str]:
        """The steps of proving and counting that are still to be taken."""
        found = self.found
        if "count" in found.limits:  # the rest is at least as hard
            return []
        answers = {step: getattr(found, step) for step in COUNTED} | {"proof": found.verification}
        return [step for step in STEPS if answers[step] is None and step not in found.limits]

    @property
    def steps_done(self) -> int:
        """How many steps were taken."""
        return self.steps - len(self.open_steps)

    @property
    def next_step(self) -> str:
        """What is done next, in words."""
        return STEPS[self.open_steps[0]]

    @property
    def short_known(self) -> bool:
        """Whether it was looked for few facts that are usually right."""
        return self.found.wish.short is not None

    def find_short(self) -> None:
        """Look for them, on the rows of the table."""
        self.explorer.find_short(self.found)

    def rows_behind(self, kind: str) -> str:
        """Return the address of the rows with the facts of the short reason, or its exceptions."""
        own = self.state.query(facts=(), ranges={}, toward="", n=3, metric="l0", other=None)
        return f"/?{Chosen(found=f'{kind}:{own}').query()}"

    def find_changes(self) -> None:
        """Find out where all changes lead that a page has room for."""
        e, timeout = self._e, self.explorer.timeout
        if not self.found.of_ensemble:  # of an ensemble these are all that are searched for
            self.found = replace(self.found, changes=e.changes(CHANGES_FOUND, timeout=timeout))

    def take_step(self) -> None:
        """Take the next step."""
        for step in self.open_steps[:1]:
            if step == "proof":
                prove_again(self.found, self.explorer.timeout)
            else:
                count_further(self.found, step, self.explorer.timeout)
        self.__dict__.pop("sentences", None)

    @property
    def query(self) -> str:
        """The whole state, as the end of an address."""
        return self.state.query()

    def link(self, **changes: Any) -> str:
        """Return the address of the same with some changes."""
        return f"/row?{self.state.query(**changes)}"

    @property
    def row_names(self) -> list[str]:
        """The outcomes that changes can lead to."""
        return [one for one in self.explorer.table.decisions if one != self._e.outcome]

    # The row, and what it is changed to.

    @cached_property
    def fields(self) -> list[Field]:
        """Every feature, with its value now and before."""
        state = self.state
        before = self._before if state.sets else self._e
        parts = {feature: part for feature, _, part in self.values}
        made: list[Field] = []
        for it, own, old in zip(
            self.explorer.editables, self._e.values, before.values, strict=True
        ):
            now, then = _text(own, it, self._e), _text(old, it, before)
            made.append(
                Field(
                    it,
                    len(made),
                    name(it.name),
                    now,
                    then if now != then else "",
                    it.name in state.exclude,
                    it.name in state.fix,
                    state.ranges.get(it.name, ""),
                    parts.get(name(it.name), ""),
                    *self.explorer.sliders[it.name],
                    self._typed[it.name] if it.name in self.refused else "",
                    self.refused.get(it.name, ""),
                )
            )
        if len(made) > FIELDS_AT_ONCE:  # what plays a part goes first
            rank = {feature: place for place, (feature, _, _) in enumerate(self.values)}
            made.sort(
                key=lambda one: (not (one.changed or one.refused), rank.get(one.shown, len(rank)))
            )
        return made

    @cached_property
    def _before(self) -> Explanation:
        return self.explorer.explanation(replace(self.state, sets={}, facts=()))

    @property
    def was(self) -> str:
        """The decision about the row as the table has it, where something is changed."""
        return class_name(self._before.outcome) if self.state.sets else ""

    # Is this enough?

    @cached_property
    def facts(self) -> list[tuple[str, list[OfferedFact], int]]:
        """The facts that are offered, by feature, and how many more there are of each."""
        e, taken = self._e, frozenset(self.state.facts)
        reason = list(self.found.reason or ())
        in_reason = frozenset(map(str, reason))
        groups: dict[str, dict[str, Condition]] = {}
        for condition in (*reason, *self._own_facts()):
            groups.setdefault(condition.feature, {}).setdefault(str(condition), condition)
        order = {own.feature: place for place, own in enumerate(e.values)}
        self.explorer.offer(
            self.state, {text: one for group in groups.values() for text, one in group.items()}
        )
        made = []
        shown_features = sorted(groups, key=lambda one: order.get(one, len(order)))
        if len(groups) > FIELDS_AT_ONCE:  # what plays a part goes first; all else can be written
            spoken = {condition.feature for condition in reason}
            told = {one for one in groups if not taken.isdisjoint(groups[one])}
            some = self.found.mentioned[0]
            rank = {one: (one not in told, one not in spoken, one not in some) for one in groups}
            shown_features.sort(key=rank.__getitem__)
        for feature in shown_features[:FIELDS_AT_ONCE]:
            every = groups[feature]
            first = sorted(every.values(), key=lambda c: (str(c) not in in_reason, self._far(c)))
            shown = first[:FACTS_A_FEATURE]
            shown += [c for c in first[FACTS_A_FEATURE:] if str(c) in taken]
            said = one_by_one(e, shown)
            offered = [
                OfferedFact(str(c), s, str(c) in taken, str(c) in in_reason)
                for c, s in zip(shown, said, strict=True)
            ]
            made.append((name(feature), offered, len(every) - len(shown)))
        return made

    @property
    def features_more(self) -> int:
        """How many features are left whose facts are not offered."""
        left = len(self._e.values) - len(self.facts)
        return left if len(self.facts) == FIELDS_AT_ONCE else 0

    def _own_facts(self) -> Iterable[Condition]:
        """Return the facts of the row in the vocabulary, and where it has more, its values."""
        e = self._e
        if e.over is Over.FEATURES:
            return sorted(e.conditions, key=lambda c: (c.index, str(c)))
        own: list[Condition] = []
        if e.over is Over.INTERVALS:
            atoms = explained_row(e).over_features.atoms
            own += atoms.named(range(len(atoms)))
        return (*own, *self.found.relevant, *e.direct_reason())

    def _far(self, condition: Condition) -> float:
        """Return how far the threshold of a condition is from the value of the row."""
        if not isinstance(condition, Comparison) or not math.isfinite(condition.threshold):
            return -1.0
        value = float(self._e.row[condition.index])
        return math.inf if math.isnan(value) else abs(condition.threshold - value)

    @property
    def example(self) -> str:
        """A fact of the row as it can be typed."""
        return next((facts[0].text for _, facts, _ in self.facts if facts), "")

    @property
    def own_words(self) -> list[str]:
        """The facts that were typed."""
        offered = {one.text for _, facts, _ in self.facts for one in facts}
        return [fact for fact in self.state.facts if fact not in offered]

    @property
    def fact_error(self) -> str:
        """What is wrong with a fact that was typed, if anything is."""
        error = self.verdict.error if self.own_words and self.verdict else ""
        return f"{error}." if error else ""

    @property
    def reason_facts(self) -> str:
        """The address at which the reason above is taken as one's own."""
        return self.link(facts=tuple(map(str, self.found.reason or ()))) + "#enough"

    @cached_property
    def verdict(self) -> Verdict | None:
        """Whether the facts that were taken are enough; None where none are."""
        return verdict_of(self.explorer, self._e, self.state)

    # The nearest rows of another class.

    @cached_property
    def near(self) -> tuple[list[Near], str]:
        """The nearest rows of another class, and why there are none."""
        state, e = self.state, self._e
        try:
            known = state.ranges.items()
            ranges = {one: parse_range(self.explorer.context, one, text) for one, text in known}
            with self.explorer.turn(self.found):
                found = e.counterfactuals(
                    state.n,
                    toward=self.explorer.class_named(state.toward) if state.toward else None,
                    ranges=ranges or None,
                    metric=state.metric,
                    data=self.explorer.measured if state.metric != "l0" else None,
                    timeout=self.explorer.timeout,
                )
        except TimeoutExpired:
            return [], f"They were not found within {self.explorer.timeout:g} seconds."
        except (NoSuchCounterfactual, ValueError, TypeError) as error:
            return [], str(error)
        return [self._near(one) for one in found], ""

    def _near(self, other: Counterfactual) -> Near:
        sets = dict(self.state.sets)
        whole = {it.name: it.whole for it in self.explorer.editables}
        for change in other.changes:
            sets[change.feature] = typed(change.after, whole.get(change.feature, False))
        query = self.state.query(sets=sets, facts=())
        return Near(moves_of(other), class_name(other.outcome), query)


def verdict_of(explorer: Explorer, e: Explanation, state: State) -> Verdict | None:
    """Say whether the facts of an address force the decision."""
    if not state.facts:
        return None
    try:
        offered = explorer.offered.get(state.key, {})
        proved = e.verify([offered.get(text, text) for text in state.facts])
    except (ValueError, TypeError) as error:
        return Verdict("", "", False, error=str(error))
    word, sentence = enough(e, proved)
    made = Verdict(word, sentence, proved.sufficient and not proved.foreign, notes=proved.notes)
    if proved.sufficient or proved.foreign or proved.in_rows:
        return made
    if proved.row is not None and refuting_outcome(e, proved) is not None:
        differs, sets = _difference(explorer, e, proved)
        return replace(made, differs=differs, sets=sets)
    others = sorted(proved.witness - e.conditions, key=str)
    return replace(made, assignment=[str(one) for one in others[:FACTS_A_FEATURE]])


def _difference(
    explorer: Explorer, e: Explanation, proved: Verification
) -> tuple[list[tuple[str, str, str]], dict[str, str]]:
    """Return in which features the row that refutes facts differs, and the values to set."""
    row = explained_row(e)
    domain, dtype = row.context.domain, row.tree.row_dtype
    differs, sets = [], {}
    assert proved.row is not None
    for place, (own, it) in enumerate(zip(e.values, explorer.editables, strict=True)):
        columns = list(own.columns)
        if np.array_equal(proved.row[columns], e.row[columns], equal_nan=True):
            continue
        there = domain.user_value(place, proved.row, None, dtype)
        here = _text(own, it, e)
        text = typed(there, it.whole, dtype)
        if text != here:
            differs.append((name(own.feature), here, text))
            sets[own.feature] = text
    return differs, sets


def _text(own: OwnValue, it: Editable, e: Explanation) -> str:
    """Return a value as it is typed."""
    return typed(own.value, it.whole, e.tree.row_dtype)

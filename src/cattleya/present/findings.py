"""What a reader wants to know about a row, found out within a time limit for each question.

Counting can take longer than anybody waits. What could not be settled is said to be so; it is
never left out silently, and never guessed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cattleya.changes.counterfactual import Counterfactual
from cattleya.changes.errors import NoSuchCounterfactual
from cattleya.changes.fairness import Fairness
from cattleya.changes.minimal.change import Change
from cattleya.explain.ensemble.explanation import EnsembleExplanation
from cattleya.explain.explanation import Explanation, checked_explanation, explained_row
from cattleya.explain.questions import QUESTIONS
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.proof.verification import Verification
from cattleya.reasons.errors import NoSuchReason
from cattleya.reasons.reach import Reach
from cattleya.reasons.reason import Reason
from cattleya.reasons.short.short_reason import ShortReason
from cattleya.support.errors import MemoryLimitExceeded, TimeoutExpired
from cattleya.support.limits import Deadline
from cattleya.vocabularies.over import Over

if TYPE_CHECKING:
    from cattleya.explain.short import Among

__all__ = [
    "COUNTED",
    "TIME_LIMIT",
    "Findings",
    "Wish",
    "begin",
    "count_further",
    "find_changes",
    "find_first",
    "find_out",
    "find_reason",
    "find_short",
    "noun",
    "prove_again",
]

TIME_LIMIT = 5.0  # seconds per question
FIRST_CHANGES = 3  # that every surface shows
CHANGES_FOUND = 100  # of which the destinations are found: a page shows no more
CHANGES_OF_ENSEMBLE = 5  # that are searched for one after the other, the smallest first


@dataclass(frozen=True)
class Wish:
    """What a reader asks for, beside the questions that are always asked.

    Attributes
    ----------
    data : callable, optional
        Gives rows as the model takes them, of which those that the reason covers are counted.
    table : str
        What these rows are, in words.
    protected : tuple of features
        Features that the decision should not depend on.
    counterfactuals : int
        How many of the nearest rows of another class.
    changes : int
        Of how many minimal changes it is found out where they lead.
    toward : label, optional
        The class that changes have to lead to; by default any other.
    immutable, ranges, metric
        As for :meth:`cattleya.Explanation.counterfactuals`.
    short : number or None
        How often a short reason has to be right among the rows of the table; None for none.
    """

    data: Callable[[], Any] | None = None
    protected: tuple[Any, ...] = ()
    counterfactuals: int = 1
    toward: Hashable = None
    ranges: Mapping[Any, Any] | None = None
    metric: str = "l0"
    short: Any = 0.95
    changes: int = CHANGES_FOUND
    table: str = "of the table"


@dataclass
class Findings:
    """The answers about one row. None stands for what was not settled in time.

    Attributes
    ----------
    explanation : Explanation
        Where the answers are from.
    wish : Wish
        What was asked for besides.
    searched : bool
        Whether the tree was searched to its end: otherwise only the path is known.
    reason : Reason or None
        The one to show: over intervals, that of the fewest features and as wide as it can be; else
        a shortest sufficient reason. Where not ``is_shortest``, one that may be longer.
    refusal : NoSuchReason or None
        Why there is none: every one needs what was excluded.
    reach : Reach or None
        How many rows of a table it covers, where one was given.
    short : ShortReason or None
        Few facts that are usually right, counted on the rows of the table, where one was given.
    no_short : NoSuchReason or None
        Why there is none, with the best of every size.
    changes : tuple of Change
        The minimal changes, those of the fewest features first, with where they lead; the first of
        ``n_changes``.
    counterfactuals : tuple of Counterfactual
        The nearest rows of another class.
    no_counterfactual : str
        Why there is none.
    fairness : Fairness or None
        Whether the class depends on protected features, where some were named.
    necessary : tuple of Condition
        Those in every sufficient reason, in the order of the features.
    in_every : tuple of str
        Features that every sufficient reason mentions, whether or not by the same condition.
    idle : list of str
        Features that the tree tests, and no sufficient reason mentions.
    excluded, immutable : list of str
        Features that no reason was allowed to mention, and that no change may change.
    count, shortest, sizes, importance, features
        How many reasons there are, how many of them are shortest, how many of each size, and
        the share of them that has each condition, and that mentions each feature.
    verification : Verification or None
        The proof of ``reason``.
    limits : dict
        The limit that was reached, by question: "within 5 seconds".
    more_changes : bool
        Whether there may be more than ``n_changes``: those of ensembles are not all listed.
    changes_asked : bool
        Whether it was asked for changes and the nearest rows: what is above says nothing before.
    reason_asked : bool
        Whether it was asked for the reason.
    turn : lock
        Held while an ensemble is searched: what searches at the same time would disturb it.
    """

    explanation: Explanation
    wish: Wish = field(default_factory=Wish)
    searched: bool = False
    reason: Reason | None = None
    is_shortest: bool = False
    refusal: NoSuchReason | None = None
    reach: Reach | None = None
    short: ShortReason | None = None
    no_short: NoSuchReason | None = None
    changes: tuple[Change, ...] = ()
    n_changes: int = 0
    counterfactuals: tuple[Counterfactual, ...] = ()
    no_counterfactual: str = ""
    fairness: Fairness | None = None
    necessary: tuple[Condition, ...] = ()
    in_every: tuple[str, ...] = ()
    idle: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    immutable: list[str] = field(default_factory=list)
    count: int | None = None
    shortest: int | None = None
    sizes: dict[int, int] | None = None
    importance: dict[Condition, Fraction] | None = None
    features: dict[str, Fraction] | None = None
    verification: Verification | None = None
    limits: dict[str, str] = field(default_factory=dict)
    more_changes: bool = False
    changes_asked: bool = False
    reason_asked: bool = False
    turn: Any = field(default_factory=threading.Lock, repr=False, compare=False)

    @property
    def of_ensemble(self) -> bool:
        """Whether an ensemble decided: its reasons are not counted."""
        return explained_row(self.explanation).context.is_ensemble

    @cached_property
    def table(self) -> Among | None:
        """The rows of the table, read once: as asked for, or those that the explainer has."""
        data = self.wish.data
        if data is None:
            return self.explanation.table
        from cattleya.explain.short import Among

        rows = data()
        if isinstance(rows, Among):
            return rows
        return Among(explained_row(self.explanation).context, rows)

    @property
    def has_reasons(self) -> bool:
        """Whether the reasons of a tree are known, all of them."""
        return self.reason is not None and self.searched and not self.of_ensemble

    @cached_property
    def relevant(self) -> tuple[Condition, ...]:
        """The conditions in some sufficient reason, in the order of the features.

        Over intervals they are thousands: made only where they are shown.
        """
        e = self.explanation
        return tuple(sorted(e.relevant(), key=_order(e))) if self.has_reasons else ()

    @cached_property
    def mentioned(self) -> tuple[frozenset[str], frozenset[int]]:
        """The features, and the columns of the tree, that some sufficient reason is about."""
        row = explained_row(self.explanation)
        if not self.has_reasons or row.over is Over.CONDITIONS:
            own = self.relevant
            columns = (column for c in own for column in c.columns)
            return frozenset(c.feature for c in own), frozenset(columns)
        complete = row.sufficient(Deadline(None)).complete
        places = np.unique(row.attribute_of_atom[complete.relevant]).tolist()
        found = [row.context.domain.attributes[place] for place in places]
        columns = (column for one in found for column in one.columns)
        return frozenset(one.name for one in found), frozenset(columns)

    @property
    def by_feature(self) -> bool:
        """Whether reasons are told by feature: conditions on one are said as one interval."""
        return self.explanation.over.merges

    @property
    def all_decisive(self) -> bool:
        """Whether the reason is nothing but what every reason has."""
        if not self.reason:
            return False
        if self.by_feature:
            return {c.feature for c in self.reason} <= set(self.in_every)
        return len(self.reason) == len(self.necessary)

    @property
    def nearest_change(self) -> int | None:
        """Which of the first changes leads to the one nearest row of another class, if one does."""
        if len(self.counterfactuals) != 1:
            return None
        wanted = {(change.feature, change.after) for change in self.counterfactuals[0].changes}
        for place, change in enumerate(self.changes[:FIRST_CHANGES]):
            ways = ({(m.feature, m.nearest) for m in one.moved} for one in change.destinations)
            if wanted in ways:
                return place
        return None

    def ask(self, name: str, timeout: float | None) -> Any:
        """Return the answer to a question, or note the limit that was reached."""
        e = self.explanation
        if isinstance(e, EnsembleExplanation) and name in _OF_ENSEMBLES:
            own = _OF_ENSEMBLES[name]
            return self.within(lambda: own(e, timeout), name, timeout)
        if name == "reason":
            return self.within(lambda: e.reason(timeout, self.table), name, timeout)
        ask = _ASKED_HERE.get(name) or QUESTIONS[name].ask
        return self.within(lambda: ask(e, timeout), name, timeout)

    def within(self, ask: Callable[[], Any], name: str, timeout: float | None) -> Any:
        """Return an answer, or note the limit that was reached."""
        self.limits.pop(name, None)  # of an attempt that was cancelled
        try:
            return ask()
        except TimeoutExpired:
            seconds = f"{timeout:g} second{'' if timeout == 1 else 's'}"
            self.limits[name] = f"within {seconds}"
        except MemoryLimitExceeded:
            self.limits[name] = "within the memory limit"
        return None


#: What only a summary asks, besides :data:`cattleya.explain.questions.QUESTIONS`.
_ASKED_HERE: dict[str, Callable[[Explanation, float | None], Any]] = {
    "search": lambda e, timeout: e.count("contrastive", timeout),
    "sizes": lambda e, timeout: e.count_by_size(timeout),
    "features": lambda e, timeout: e.feature_importance(timeout),
}

#: What is asked of ensembles, where each question may take long.
_OF_ENSEMBLES: dict[str, Callable[[EnsembleExplanation, float | None], Any]] = {
    "necessary": lambda e, timeout: e.necessary(timeout=timeout),
    "in_every": lambda e, timeout: e.necessary_features(timeout),
}


def find_out(
    explanation: Explanation, timeout: float | None = TIME_LIMIT, wish: Wish | None = None
) -> Findings:
    """Ask everything that a reader wants to know, each question for at most ``timeout`` seconds."""
    found = find_first(explanation, timeout, wish)
    find_changes(found, timeout)
    prove_again(found, timeout)
    for step in COUNTED:
        count_further(found, step, timeout)
    return found


def find_first(
    explanation: Explanation, timeout: float | None = TIME_LIMIT, wish: Wish | None = None
) -> Findings:
    """Ask what a reader looks at first: the reason, and what is decisive."""
    Deadline(timeout)  # refuse a bad value before anything is done
    found = begin(explanation, wish)
    _fairness(found, timeout)
    find_short(found, timeout)
    find_reason(found, timeout)
    return found


def begin(explanation: Explanation, wish: Wish | None = None) -> Findings:
    """Return what is known of a row without any search."""
    e = checked_explanation(explanation)
    return Findings(
        e,
        wish or Wish(),
        searched=isinstance(e, EnsembleExplanation),
        excluded=_features(e, e.excluded),
        immutable=_features(e, e.immutable),
    )


def find_reason(found: Findings, timeout: float | None = TIME_LIMIT) -> None:
    """Ask for the reason and what is decisive, where that was not done before."""
    if found.reason_asked:
        return
    e = found.explanation
    if isinstance(e, EnsembleExplanation):
        _of_ensemble(found, e, timeout)
    else:
        _of_tree(found, e, timeout)
    found.reason_asked = True


def _of_tree(found: Findings, e: Explanation, timeout: float | None) -> None:
    """Find out what can be told of a single tree's row."""
    if found.ask("search", timeout) is None:
        return
    found.searched = True
    try:
        _reason(found, timeout)
    except NoSuchReason as refusal:
        found.refusal = refusal
        return
    found.necessary = tuple(sorted(e.necessary(), key=_order(e)))
    found.in_every = e.necessary_features()
    mentioned = found.mentioned[0] | {c.feature for c in e.excluded}
    found.idle = [name for name in _tested(e) if name not in mentioned]


def find_changes(found: Findings, timeout: float | None = TIME_LIMIT) -> None:
    """Ask what would have changed the decision, if that was not asked before."""
    if found.changes_asked or not found.searched:
        return
    if isinstance(found.explanation, EnsembleExplanation):
        _changes_of_ensemble(found, found.explanation, timeout)
    else:
        _changes(found, timeout)
    found.changes_asked = True


def prove_again(found: Findings, timeout: float | None = TIME_LIMIT) -> None:
    """Prove the reason again, by other means than it was found by."""
    e, reason = found.explanation, found.reason
    if reason is None or found.refusal is not None:
        return
    if isinstance(e, EnsembleExplanation):
        found.verification = found.within(lambda: e.verify(reason, timeout), "proof", timeout)
    else:
        found.verification = e.verify(reason)


#: What takes counting the reasons, one step after the other: each is at least as hard as the first.
COUNTED = ("count", "sizes", "importance", "features")


def count_further(found: Findings, step: str, timeout: float | None = TIME_LIMIT) -> None:
    """Take one of the steps of counting, where there is something to count."""
    if found.of_ensemble or found.reason is None or found.refusal is not None:
        return
    if not found.searched or (step != "count" and found.count is None):
        return
    setattr(found, step, found.ask(step, timeout))
    if step == "sizes" and found.sizes and found.is_shortest and not found.by_feature:
        found.shortest = found.sizes[len(found.reason)]


def _of_ensemble(found: Findings, e: EnsembleExplanation, timeout: float | None) -> None:
    """Find out what can be told of an ensemble's row, each question within its time."""
    try:
        any_reason = e.sufficient_reason(timeout)
    except NoSuchReason as refusal:
        found.refusal = refusal
        return
    best = found.ask("reason" if found.by_feature else "minimal", timeout)
    reason = any_reason if best is None else best
    reach = None if found.table is None else e.reach(reason, found.table)
    necessary = tuple(sorted(found.ask("necessary", timeout) or (), key=_order(e)))
    found.in_every = found.ask("in_every", timeout) or ()
    # All at once: it is looked at while this is at work, and may be cancelled.
    found.reason, found.is_shortest = reason, best is not None
    found.reach, found.necessary = reach, necessary


def _changes_of_ensemble(found: Findings, e: EnsembleExplanation, timeout: float | None) -> None:
    wish = found.wish
    toward = found.within(
        lambda: e.changes(CHANGES_OF_ENSEMBLE, wish.toward, timeout), "changes", timeout
    )
    found.changes = toward or ()
    if found.by_feature:  # they are found by the number of their conditions
        found.changes = tuple(sorted(found.changes, key=_n_features))
    found.n_changes = len(found.changes)
    found.more_changes = found.n_changes == CHANGES_OF_ENSEMBLE
    if wish.counterfactuals and (found.changes or toward is None):
        _counterfactuals(found, timeout)


def _n_features(change: Change) -> int:
    return len({condition.feature for condition in change.contrast})


def _counterfactuals(found: Findings, timeout: float | None) -> None:
    wish = found.wish
    try:
        nearest = found.within(
            lambda: found.explanation.counterfactuals(
                wish.counterfactuals,
                toward=wish.toward,
                ranges=wish.ranges,
                metric=wish.metric,
                data=None if wish.data is None or wish.metric == "l0" else wish.data(),
                timeout=timeout,
            ),
            "counterfactuals",
            timeout,
        )
        found.counterfactuals = nearest or ()
    except NoSuchCounterfactual as error:
        found.no_counterfactual = str(error)


def _reason(found: Findings, timeout: float | None) -> None:
    """Find the reason to show, and see how far it reaches."""
    e = found.explanation
    any_reason = e.sufficient_reason()  # where there is none, it says so in the reader's vocabulary
    found.reason = found.ask("reason" if found.by_feature else "minimal", timeout)
    found.is_shortest = found.reason is not None
    found.reason = any_reason if found.reason is None else found.reason
    if found.table is not None:
        found.reach = e.reach(found.reason, found.table)


def _changes(found: Findings, timeout: float | None) -> None:
    """Find the minimal changes, where they lead, and the nearest rows of another class."""
    e, wish = found.explanation, found.wish
    try:
        found.n_changes = len(e.contrastive(wish.toward, timeout=timeout))
        found.changes = e.changes(wish.changes, wish.toward, timeout)
        if wish.counterfactuals and found.n_changes:
            _counterfactuals(found, timeout)
    except TimeoutExpired:
        found.limits["changes"] = f"within {timeout:g} second{'' if timeout == 1 else 's'}"


def _fairness(found: Findings, timeout: float | None) -> None:
    """See whether the class depends on protected features, where some were named."""
    if found.wish.protected:
        found.fairness = found.explanation.is_fair(found.wish.protected, timeout)


def find_short(found: Findings, timeout: float | None = TIME_LIMIT) -> None:
    """Find few facts that are usually right, where there is a table to count them on."""
    e, wish = found.explanation, found.wish
    if wish.short is None or found.table is None:
        return
    try:
        found.short = e.short_reason(wish.short, found.table, timeout=timeout)
    except NoSuchReason as refusal:
        found.no_short = refusal
    except TimeoutExpired:
        found.limits["short"] = f"within {timeout:g} second{'' if timeout == 1 else 's'}"
    except MemoryLimitExceeded:
        found.limits["short"] = "within the memory limit"


def noun(explanation: Explanation) -> str:
    """Return what an outcome is called: "class", "number", or "outcome" for what else is asked."""
    return explained_row(explanation).classes.noun


def _order(explanation: Explanation) -> Callable[[Condition], tuple[int, int, float]]:
    """Return the order of conditions: that of the user's features, then of the thresholds."""
    owner = explained_row(explanation).context.domain.of_column
    return lambda c: (
        int(owner[c.index]),
        c.index,
        c.threshold if isinstance(c, Comparison) else 0.0,
    )


def _tested(explanation: Explanation) -> list[str]:
    """Return the features that the tree tests and the row has conditions of, in their order."""
    tested = frozenset(np.unique(explanation.tree.feature).tolist())
    row = explained_row(explanation)
    if row.over is Over.CONDITIONS:
        own = (c for c in explanation.conditions if not tested.isdisjoint(c.columns))
        return _features(explanation, own)
    attributes = row.context.domain.attributes  # none of the thousands of atoms needs its words
    found = (attributes[place] for place in np.unique(row.attribute_of_atom).tolist())
    return [one.name for one in found if not tested.isdisjoint(one.columns)]


def _features(explanation: Explanation, conditions: Iterable[Condition]) -> list[str]:
    """Return the names of the features of some conditions, in the order of the user's columns."""
    owner = explained_row(explanation).context.domain.of_column
    names = {condition.index: condition.feature for condition in conditions}
    ordered = sorted(names, key=lambda column: (int(owner[column]), column))
    return list(dict.fromkeys(names[column] for column in ordered))

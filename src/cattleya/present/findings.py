"""What a reader wants to know about a row, found out within a time limit for each question.

Counting can take longer than anybody waits. What could not be settled is said to be so; it is
never left out silently, and never guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from cattleya.explain.explanation import Explanation, checked_explanation, explained_row
from cattleya.explain.questions import QUESTIONS
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.proof.verification import Verification
from cattleya.reasons.errors import NoSuchReason
from cattleya.reasons.reason import Reason
from cattleya.support.errors import MemoryLimitExceeded, TimeoutExpired
from cattleya.support.limits import Deadline
from cattleya.vocabularies.over import Over

__all__ = ["TIME_LIMIT", "Change", "Findings", "change", "find_out", "only_other_class"]

TIME_LIMIT = 5.0  # seconds per question


@dataclass
class Findings:
    """The answers about one row. None stands for what was not settled in time.

    Attributes
    ----------
    explanation : Explanation
        Where the answers are from.
    searched : bool
        Whether the tree was searched to its end: otherwise only the path is known.
    reason : Reason or None
        A shortest sufficient reason where ``is_shortest``, else one that may not be.
    refusal : NoSuchReason or None
        Why there is none: every one needs what was excluded.
    contrasts : tuple of Reason
        All contrastive explanations, the smallest first; where conditions on one feature are said
        as one, those of the fewest features.
    necessary, relevant : tuple of Condition
        Those in every and in some sufficient reason, in the order of the features.
    in_every : tuple of str
        Features that every sufficient reason mentions, whether or not by the same condition.
    idle : list of str
        Features that the tree tests, and no sufficient reason mentions.
    excluded : list of str
        Features that no reason was allowed to mention.
    count, shortest, sizes, importance
        How many reasons there are, how many of them are shortest, how many of each size, and
        the share of them that has each condition.
    verification : Verification or None
        The proof of ``reason``.
    limits : dict
        The limit that was reached, by question: "within 5 seconds".
    """

    explanation: Explanation
    searched: bool = False
    reason: Reason | None = None
    is_shortest: bool = False
    refusal: NoSuchReason | None = None
    contrasts: tuple[Reason, ...] = ()
    necessary: tuple[Condition, ...] = ()
    relevant: tuple[Condition, ...] = ()
    in_every: tuple[str, ...] = ()
    idle: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    immutable: list[str] = field(default_factory=list)
    count: int | None = None
    shortest: int | None = None
    sizes: dict[int, int] | None = None
    importance: dict[Condition, Fraction] | None = None
    verification: Verification | None = None
    limits: dict[str, str] = field(default_factory=dict)

    @property
    def all_decisive(self) -> bool:
        """Whether the reason is nothing but what every reason has: then it is the only one."""
        return bool(self.reason) and len(self.reason or ()) == len(self.necessary)

    def ask(self, name: str, timeout: float | None) -> Any:
        """Return the answer to a question, or note the limit that was reached."""
        ask = _ASKED_HERE.get(name) or QUESTIONS[name].ask
        try:
            return ask(self.explanation, timeout)
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
}


def find_out(explanation: Explanation, timeout: float | None = TIME_LIMIT) -> Findings:
    """Ask everything that a reader wants to know, each question for at most ``timeout`` seconds."""
    Deadline(timeout)  # refuse a bad value before anything is done
    e = checked_explanation(explanation)
    found = Findings(e, excluded=_features(e, e.excluded), immutable=_features(e, e.immutable))
    if found.ask("search", timeout) is None:
        return found
    found.searched = True
    found.contrasts = e.contrasts_as_read()
    try:
        found.reason = found.ask("minimal", timeout)
    except NoSuchReason as refusal:
        found.refusal = refusal
        return found
    found.is_shortest = found.reason is not None
    found.reason = found.reason or e.sufficient_reason()
    found.verification = e.verify(found.reason)
    found.necessary = tuple(sorted(e.necessary(), key=_order(e)))
    found.relevant = tuple(sorted(e.relevant(), key=_order(e)))
    found.in_every = e.necessary_features()
    mentioned = {c.feature for c in (*found.relevant, *e.excluded)}
    tested = frozenset(np.unique(e.tree.feature).tolist())
    asked = frozenset(c for c in e.conditions if not tested.isdisjoint(c.columns))
    found.idle = [name for name in _features(e, asked) if name not in mentioned]
    found.count = found.ask("count", timeout)
    if found.count is not None:  # the rest is at least as hard
        found.sizes = found.ask("sizes", timeout)
        found.importance = found.ask("importance", timeout)
    if found.sizes and found.is_shortest:
        found.shortest = found.sizes[len(found.reason)]
    return found


@dataclass(frozen=True)
class Change:
    """What a contrastive explanation comes to, when all that it does not mention stays.

    Attributes
    ----------
    conditions : tuple of Condition
        The tests of the changed features on the way, each on its new side.
    leads_to : str or None
        The name of the class there.
    """

    conditions: tuple[Condition, ...]
    leads_to: str


def change(explanation: Explanation, contrast: Reason) -> Change | None:
    """Walk the tree with the conditions of a contrast changed, and those alone.

    None where the tree is not walked by such conditions: a fact has many opposites.
    """
    if explanation.over is not Over.CONDITIONS:
        return None
    tree, changed = explanation.tree, frozenset(contrast)
    features = {condition.index for condition in changed}
    met: list[Condition] = []
    node = 0
    while (index := int(tree.feature[node])) >= 0:
        test = explanation.test_at(node)
        stays = test not in changed
        left = test.sense == stays
        if index in features:
            met.append(test if stays else test.negated())
        node = int((tree.left if left else tree.right)[node])
    return Change(tuple(met), explanation.class_labels[int(tree.leaf_class[node])])


def only_other_class(explanation: Explanation) -> str | None:
    """Return the name of the class that every change leads to, where there are but two."""
    others = [c for c in explanation.class_labels if c != explanation.prediction_name]
    return others[0] if len(others) == 1 == len(explanation.class_labels) - 1 else None


def _order(explanation: Explanation) -> Callable[[Condition], tuple[int, int, float]]:
    """Return the order of conditions: that of the user's features, then of the thresholds."""
    owner = explained_row(explanation).context.domain.of_column
    return lambda c: (
        int(owner[c.index]),
        c.index,
        c.threshold if isinstance(c, Comparison) else 0.0,
    )


def _features(explanation: Explanation, conditions: frozenset[Condition]) -> list[str]:
    """Return the names of the features of some conditions, in the order of the user's columns."""
    owner = explained_row(explanation).context.domain.of_column
    names = {condition.index: condition.feature for condition in conditions}
    ordered = sorted(names, key=lambda column: (int(owner[column]), column))
    return list(dict.fromkeys(names[column] for column in ordered))

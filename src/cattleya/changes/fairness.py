"""Could the class change if only protected attributes changed? Exact, over the whole domain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cattleya.changes.costs import Start, cost_of_nodes
from cattleya.changes.counterfactual import Question, ValueChange
from cattleya.changes.drafts import Drafts, confirmed
from cattleya.changes.limits import Limits, everything
from cattleya.changes.nearest import first
from cattleya.changes.prices import Pricing
from cattleya.changes.raw_row import RawRow
from cattleya.changes.regions import Regions
from cattleya.model.domain.lookup import listed
from cattleya.support.arrays import Bools, Floats, Places
from cattleya.support.limits import Deadline
from cattleya.support.text import printable

__all__ = ["DataFairness", "Fairness", "are_fair", "fairness", "is_fair"]


@dataclass(frozen=True, eq=False)
class Fairness:
    """Whether the decision about a row depends on protected attributes. True where it does not.

    Made by :meth:`cattleya.Explanation.is_fair`.

    Attributes
    ----------
    protected : tuple of str
        The attributes that were asked about; all of them may change together.
    witness : ndarray, DataFrame or None
        Where it depends on them: a row that differs in these only and gets another class, with
        as few changes as possible; its numbers are as the model sees them, as a
        counterfactual's are.
    prediction : label or number, or None
        What the model predicts for the witness.
    outcome : str
        Its outcome in words: by default its class as it is shown.
    noun : str
        What stays the same: the "class", or what else is explained.
    changes : tuple of ValueChange
        What the witness changes, as ``(feature, before, after)``.
    """

    protected: tuple[str, ...]
    witness: Any = None
    prediction: Any = None
    changes: tuple[ValueChange, ...] = ()
    outcome: str = ""
    noun: str = "class"
    _text: str = ""

    def __bool__(self) -> bool:
        return self.witness is None

    @property
    def change(self) -> str:
        """What the witness changes, in words: ``sex: Female -> Male``; empty where it is fair."""
        return self._text

    def __str__(self) -> str:
        if self:
            names = printable(", ".join(self.protected))
            return f"fair: no change of {names} changes the {self.noun}"
        return f"not fair: with {self._text} the {self.noun} is {printable(self.outcome)}"

    def __repr__(self) -> str:
        return f"<Fairness {bool(self)}: {self}>"


@dataclass(frozen=True, eq=False)
class DataFairness:
    """Whether decisions about the rows of a data set depend on protected attributes.

    True where none does. Made by :meth:`cattleya.Explainer.is_fair`.

    Attributes
    ----------
    protected : tuple of str
        The attributes that were asked about.
    fair : ndarray of bool
        For each row: does the class stay the same, whatever these attributes are?
    share : float
        The share of the rows whose class does; 1.0 for no rows.
    rows : ndarray of int
        The places of the other rows.
    """

    protected: tuple[str, ...]
    fair: Bools
    noun: str = "class"

    @property
    def share(self) -> float:
        """The share of the rows whose class does not depend on the protected attributes."""
        return float(self.fair.mean()) if len(self.fair) else 1.0

    @property
    def rows(self) -> Places:
        """The places of the rows whose class does."""
        return np.flatnonzero(~self.fair)

    def __bool__(self) -> bool:
        return bool(self.fair.all())

    def __str__(self) -> str:
        return (
            f"{self.share:.1%} of {len(self.fair):,} rows are fair: "
            f"no change of {printable(', '.join(self.protected))} changes their {self.noun}"
        )

    def __repr__(self) -> str:
        return f"<DataFairness {self}>"


def is_fair(
    question: Question, protected: Any, timeout: float | Deadline | None = None
) -> Fairness:
    """Tell whether a row keeps its class whatever its protected attributes are.

    All of them may change together, to any value of the domain: also to missing, where the model
    takes missing values, and to a category that it has never seen, where it takes such.
    """
    (found,) = are_fair([question], protected, timeout)
    return found


def are_fair(
    questions: Iterable[Question], protected: Any, timeout: float | Deadline | None = None
) -> list[Fairness]:
    """Tell the same of several rows; the model is asked about all the witnesses at once."""
    deadline = Deadline.of(timeout)
    asked = [(one, *_draft(one, protected, deadline)) for one in questions]
    found = iter(confirmed([draft for _, _, draft in asked if draft is not None]))
    told = []
    for question, names, draft in asked:
        noun = question.classes.noun
        if draft is None:
            told.append(Fairness(names, noun=noun))
            continue
        (other,) = next(found)
        words = other.changes, other.outcome, noun, str(other)
        told.append(Fairness(names, other.row, other.prediction, *words))
    return told


def _draft(
    question: Question, protected: Any, deadline: Deadline
) -> tuple[tuple[str, ...], Drafts | None]:
    """Return a row of another class that differs in protected attributes only, if there is one."""
    deadline.check()
    regions = question.regions
    names, places = _protected(regions, protected)
    raw = None if question.raw is None else RawRow(regions, question.raw)
    start = Start.of(regions, question.row, None if raw is None else raw.values)
    limits = Limits(regions, start)
    limits.permitted = everything(regions)
    limits.only(places)
    one_each = Pricing(regions, None, None, deadline).of(start)
    costs = cost_of_nodes(regions, start, limits.permitted, one_each, 1, deadline)
    leaf = first(regions, costs, question.leaves(), 1, "l0")
    if not len(leaf):
        return names, None
    return names, Drafts(question, raw, start, limits, costs, leaf, "l0", deadline)


def fairness(
    regions: Regions, matrix: Floats, protected: Any, timeout: float | Deadline | None = None
) -> DataFairness:
    """Tell of each row of a data set whether it keeps its class whatever is protected.

    The rows go down the tree together: at a test of a protected attribute to both sides, as far
    as the domain lets any row get there, else to their own.

    Parameters
    ----------
    regions : Regions
        Of the tree and the domain.
    matrix : array
        The rows, in the tree's columns.
    protected : list of names
        The protected attributes.
    timeout : float, optional
        Seconds after which :class:`cattleya.TimeoutExpired` is raised.
    """
    deadline = Deadline.of(timeout)
    names, places = _protected(regions, protected)
    tree = regions.tree
    free = np.isin(np.append(regions.places, -1)[regions.attribute], places)
    open_ = free & ~_empty(regions)
    own_class = tree.leaf_class[tree.apply(matrix)]
    fair = np.ones(len(matrix), dtype=np.bool_)
    first_child = np.zeros(len(regions), dtype=np.intp)
    first_child[regions.parent[1::2]] = np.arange(1, len(regions), 2)
    columns = np.asfortranarray(matrix)
    stack = [(0, np.arange(len(matrix)))]
    while stack:
        deadline.check()
        node, rows = stack.pop()
        left, at = int(first_child[node]), int(regions.node[node])
        if not left:
            fair[rows[own_class[rows] != tree.leaf_class[at]]] = False
            continue
        if free[left]:
            sides = [(child, rows) for child in (left, left + 1) if open_[child]]
        else:
            value = columns[rows, tree.feature[at]]
            goes_left = value <= tree.threshold[at]
            if tree.missing_left is not None and tree.missing_left[at]:
                goes_left |= np.isnan(value)
            sides = [(left, rows[goes_left]), (left + 1, rows[~goes_left])]
        stack += [side for side in sides if len(side[1])]
    return DataFairness(names, fair)


def _empty(regions: Regions) -> Bools:
    """Tell which nodes no value of their attribute comes to."""
    empty: Bools = (regions.low > regions.high) & ~regions.missing
    for sets in regions.sets.values():
        empty[sets.nodes] = ~sets.bits.any(axis=1)
    return empty


def _protected(regions: Regions, protected: Any) -> tuple[tuple[str, ...], list[int]]:
    names = listed("protected", protected)
    if not names:
        raise ValueError("protected is empty: name at least one feature")
    places = [regions.lookup.find("protected", name).attributes for name in names]
    attributes = regions.domain.attributes
    shown = [attributes[i].name for found in places for i in found] or map(str, names)
    return tuple(dict.fromkeys(shown)), [i for found in places for i in found]

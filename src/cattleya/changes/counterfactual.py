"""One counterfactual, in words; and the question that it answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cattleya.changes.regions import Regions
from cattleya.model.domain.domain import Number
from cattleya.model.tree.classes import Classes
from cattleya.support.arrays import Floats, Places
from cattleya.support.text import printable

__all__ = ["Change", "Counterfactual", "Question", "Span", "distance"]


FEWEST_DIGITS, MOST_DIGITS = 6, 17


class Change(NamedTuple):
    """One attribute that changes; None stands for a missing value."""

    feature: str
    before: Any
    after: Any


class Span(NamedTuple):
    """The values of a number that would do as well as the nearest: from low to high."""

    number: Number
    low: float
    high: float
    dtype: str

    def shown(self, value: float) -> str:
        """Return a value with no more digits than it takes to be among these."""
        for digits in range(FEWEST_DIGITS, MOST_DIGITS):
            short = seen = float(f"{value:.{digits}g}")
            if not self.number.steps:
                seen = self.number.to_tree(short, self.dtype)
            if self.low <= seen <= self.high:
                return _text(short)
        return _text(value)


@dataclass(frozen=True, eq=False)
class Counterfactual:
    """A row that gets another class, close to the one that was explained.

    Attributes
    ----------
    row : ndarray or DataFrame
        As the model takes it. For a bare model, a row of numbers, as it sees them (scikit-learn's:
        rounded to single precision); for a Pipeline, one line of the columns that the user gave.
        Where one of the changes cannot be traced back to these, all rows are in the tree's columns.
    changes : tuple of Change
        The attributes that change, as ``(feature, before, after)``.
    distance : float
        In the metric asked for.
    prediction : label
        Its class, as the model gives it.

    Examples
    --------
    >>> str(Counterfactual([40.0], (Change("age", 38, 40),), 2.0, "yes"))
    'age: 38 -> 40'
    """

    row: Any
    changes: tuple[Change, ...]
    distance: float
    prediction: Any
    _spans: Mapping[str, Span] = field(default_factory=dict)

    def __str__(self) -> str:
        return ", ".join(map(self._said, self.changes))

    def _said(self, change: Change) -> str:
        span = self._spans.get(change.feature)
        before, after = _text(change.before), _text(change.after)
        if span is not None and isinstance(change.after, float):
            after = span.shown(change.after)
            if isinstance(change.before, float) and not span.number.steps:
                # As the user wrote it, before the model made single precision of it.
                before = str(np.dtype(span.dtype).type(change.before)).removesuffix(".0")
        return printable(f"{change.feature}: {before} -> {after}")

    def __repr__(self) -> str:
        return f"<Counterfactual {self.prediction!r}: {self}>"


@dataclass(frozen=True, eq=False)
class Question:
    """A row whose class might be another: what both counterfactuals and fairness start from.

    Attributes
    ----------
    regions : Regions
        Of the tree and the domain; made once for a model.
    row : ndarray
        In the tree's columns, on the model's grid.
    row_class : int
        Its class, by number.
    predict : callable
        The model's own prediction: labels for a table of rows as the user gives them.
    raw : DataFrame or array of one line, optional
        The row as the user gave it, where that is not in the tree's columns.
    class_labels : sequence of str, optional
        The classes as they are shown.
    predict_numbers : callable, optional
        Labels for a table of rows in the tree's columns; by default, by the tree of the regions.
    """

    regions: Regions
    row: Floats
    row_class: int
    predict: Callable[[Any], Any]
    raw: Any = None
    class_labels: Sequence[str] = ()
    predict_numbers: Callable[[Any], Any] | None = None

    @cached_property
    def classes(self) -> Classes:
        """The classes of the model."""
        return Classes.of(self.regions.tree.class_names, self.class_labels)

    def toward(self, label: Hashable) -> int | None:
        """Return the place of the class that is wanted; None is any other."""
        return None if label is None else self.classes.other_than(self.row_class, label)

    def leaves(self, target: int | None = None) -> Places:
        """Return the leaves of a class, by default of any other than the row's."""
        regions = self.regions
        wanted = (
            regions.leaf_class != self.row_class if target is None else regions.leaf_class == target
        )
        chosen: Places = regions.leaves[wanted]
        return chosen

    def shown(self, number: int) -> str:
        """Return a class for a message."""
        return repr((self.class_labels or self.classes.labels)[number])


def distance(costs: list[float], metric: str) -> float:
    """Return the distance that the costs of some changes add up to; infinite if too large."""
    if metric == "l0":
        return float(len(costs))
    if metric == "l2":
        return math.hypot(*costs)
    return math.fsum(costs) if math.isfinite(sum(costs)) else math.inf


def _text(value: Any) -> str:
    """Return a value as the user may have written it."""
    if value is None:
        return "missing"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value)

"""One counterfactual, in words; and the question that it answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cattleya.changes.regions import Regions
from cattleya.model.domain.domain import Number, value_word
from cattleya.model.domain.shortest import inside
from cattleya.model.tree.classes import Classes
from cattleya.support.arrays import Floats, Places
from cattleya.support.text import plain_value, printable

__all__ = ["Counterfactual", "Question", "Span", "ValueChange", "distance"]


class ValueChange(NamedTuple):
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

    def shown(self, value: float, before: str) -> str:
        """Return a value near to one, written like the one before, that is among these."""
        low, high = self.low, self.high
        if not self.number.steps:  # any number that the model sees as one of these will do
            low, high = self.number.seen_between(low, high, self.dtype)
        aim = -math.inf if value <= self.low else math.inf if value >= self.high else value
        short = inside(low, high, aim, len(before.partition("e")[0].partition(".")[2]))
        return _text(short if math.isfinite(short) else value)


@dataclass(frozen=True, eq=False)
class Counterfactual:
    """A row that gets another outcome, by default another class, close to the explained one.

    Made by :meth:`cattleya.Explanation.counterfactuals`.

    Attributes
    ----------
    row : ndarray or DataFrame
        As the model takes it. For a bare model, a row of numbers, as it sees them (scikit-learn's:
        rounded to single precision); for a Pipeline, one line of the columns that the user gave.
        Where one of the changes cannot be traced back to these, all rows are in the tree's columns.
    changes : tuple of ValueChange
        The attributes that change, as ``(feature, before, after)``.
    distance : float
        In the metric asked for.
    prediction : label or number
        What the model predicts for it.
    outcome : str
        Its outcome in words: by default its class as it is shown.

    Examples
    --------
    >>> str(Counterfactual([40.0], (ValueChange("age", 38, 40),), 2.0, "yes"))
    'age: 38 -> 40'
    """

    row: Any
    changes: tuple[ValueChange, ...]
    distance: float
    prediction: Any
    _spans: Mapping[str, Span] = field(default_factory=dict)
    outcome: str = ""

    def __str__(self) -> str:
        return ", ".join(map(self.said, self.changes))

    def said(self, change: ValueChange) -> str:
        """Return one of the changes in words: ``age: 38 -> 40``."""
        span = self._spans.get(change.feature)
        before, after = _text(change.before), _text(change.after)
        if span is not None and isinstance(change.after, float):
            if isinstance(change.before, float) and not span.number.steps:
                # As the user wrote it, before the model made single precision of it.
                before = str(np.dtype(span.dtype).type(change.before)).removesuffix(".0")
            after = span.shown(change.after, before)
        return printable(f"{change.feature}: {before} -> {after}")

    @property
    def goal(self) -> str:
        """What the changes lead to, without what was there before: ``age -> 40``."""
        texts = []
        for feature, _, after in self.changes:
            span = self._spans.get(feature)
            is_number = span is not None and isinstance(after, float)
            text = span.shown(after, "") if span is not None and is_number else _text(after)
            texts.append(printable(f"{feature} -> {text}"))
        return ", ".join(texts)

    def __repr__(self) -> str:
        return f"<Counterfactual {self.prediction!r}: {self}>"


@dataclass(frozen=True, eq=False)
class Question:
    """A row whose outcome might be another: what both counterfactuals and fairness start from.

    Attributes
    ----------
    regions : Regions
        Of the tree and the domain; made once for a model.
    row : ndarray
        In the tree's columns, on the model's grid.
    row_class : int
        Its outcome, by number: a class of the tree of the regions.
    predict : callable
        The model's own word on each of a table of rows as the user gives them: its label.
    raw : DataFrame or array of one line, optional
        The row as the user gave it, where that is not in the tree's columns.
    known : Classes, optional
        The outcomes as they are shown.
    predict_numbers : callable, optional
        The same for a table of rows in the tree's columns; by default, by the tree of the regions.
    read : callable, optional
        Gives the prediction and the label of the outcome that the model's word comes to; by
        default both are the word itself.
    """

    regions: Regions
    row: Floats
    row_class: int
    predict: Callable[[Any], Any]
    raw: Any = None
    known: Classes | None = None
    predict_numbers: Callable[[Any], Any] | None = None
    read: Callable[[Any], tuple[Any, Any]] | None = None

    @cached_property
    def classes(self) -> Classes:
        """The outcomes that are told apart: by default the classes."""
        return self.known or Classes.of(self.regions.tree.class_names)

    def understood(self, word: Any) -> tuple[Any, Any]:
        """Return the prediction and the outcome that the model's word on a row comes to."""
        if self.read is not None:
            return self.read(word)
        return plain_value(word), word

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

    def named(self, number: int) -> str:
        """Return a class as it is shown."""
        return self.classes.names[number]

    def shown(self, number: int) -> str:
        """Return a class for a message."""
        return repr((self.classes.names if self.known else self.classes.labels)[number])


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
    return value_word(value)

"""The numbers of a row as the reader knows them: in their units, and with sensible digits."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from cattleya.explain.explanation import Explanation, explained_row
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.user_condition import UserCondition
from cattleya.model.domain.number import Number
from cattleya.model.domain.shortest import shortest_same
from cattleya.present.words.numbers import name, number_in, plain, rounded

__all__ = ["Units", "units_of"]


class _Met(NamedTuple):
    """The thresholds that a tree has for a column, in order: its own, and as they are shown."""

    own: list[float]
    shown: list[float]


class Units:
    """How thresholds and values of one row are shown.

    A number is shown the same way wherever it stands. A threshold has as many digits as it takes to
    tell it from the tree's other thresholds of the feature, and to leave the row's value, as that
    is shown, on the side that it is on.
    """

    def __init__(self, explanation: Explanation) -> None:
        self._row, self._dtype = explanation.row, explanation.tree.row_dtype
        self._tree, self._domain = explanation.tree, explained_row(explanation).context.domain
        self._value_of = explanation.value_of
        self._met: dict[int, _Met] = {}
        self._values: dict[int, str] = {}

    def value(self, condition: Condition) -> str:
        """Return what the row has of the feature of a test."""
        if condition.index not in self._values:
            self._values[condition.index] = self._value(condition)
        return self._values[condition.index]

    def threshold(self, condition: Comparison) -> str:
        """Return the threshold of a test."""
        if condition.whole:
            return str(condition.bound)
        shown = condition.shown if isinstance(condition, UserCondition) else condition.threshold
        return self.rounded(condition, shown)

    def rounded(self, condition: Condition, shown: float) -> str:
        """Return a number that a condition compares with: no threshold next to it looks so."""
        met = self._thresholds(condition.index).shown
        place = bisect_left(met, shown)
        near = [
            other
            for other in met[max(place - 2, 0) : place + 3]
            if shown not in (other, shortest_same(other, self._dtype))
        ]
        return rounded(shown, number_in(self.value(condition)), near)

    def _value(self, condition: Condition) -> str:
        own = self._value_of(condition)
        if own is None:
            return "missing"
        if not isinstance(own, float):
            return name(str(own))
        met, seen = self._thresholds(condition.index), float(self._row[condition.index])
        place = bisect_left(met.own, seen)
        texts = [plain(own, self._dtype), repr(own)]
        if number := self._scaled(condition.index):
            texts.append(plain(number.near(seen, self._dtype), self._dtype))
        # What was given may differ from what the tree makes of it, and stand beside a threshold.
        return next((t for t in texts if bisect_left(met.shown, number_in(t)) == place), texts[0])

    def _thresholds(self, column: int) -> _Met:
        if column not in self._met:
            found = np.unique(self._tree.threshold[self._tree.feature == column])
            found = shown = found[np.isfinite(found)]
            if len(found) and (number := self._scaled(column)):
                shown = number.user_threshold(found, self._dtype)
            self._met[column] = _Met(found.tolist(), shown.tolist())
        return self._met[column]

    def _scaled(self, column: int) -> Number | None:
        """Return the number in a column that has other units there than the reader knows."""
        attribute = self._domain.attributes[self._domain.of_column[column]]
        return attribute if isinstance(attribute, Number) and attribute.steps else None


_OF_ROWS: WeakKeyDictionary[Explanation, Units] = WeakKeyDictionary()


def units_of(explanation: Explanation) -> Units:
    """Return how the numbers of a row are shown; made once."""
    if explanation not in _OF_ROWS:
        _OF_ROWS[explanation] = Units(explanation)
    return _OF_ROWS[explanation]

"""What a feature may be, as one condition: an interval of a number, or a set of values.

The conditions of a tree are sides of its tests; a general reason is made of these instead, one for
each feature. They are conditions like all others: they hold in a row or not, print, and are proved
(``proof.boxes``).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from cattleya.model.conditions.condition import Comparison, Condition, check_columns
from cattleya.model.conditions.fact import Fact
from cattleya.model.domain.domain import Category, Domain, OneOf, is_nameless, said
from cattleya.model.domain.number import Number
from cattleya.model.domain.scaling import neighbour
from cattleya.support.arrays import Bools, Floats

__all__ = [
    "IntervalPart",
    "Part",
    "ValuesPart",
    "interval_part",
    "interval_text",
    "missing_part",
    "parts_of",
    "values_part",
]

WHOLE_END = 2.0**53  # beyond, doubles are not all whole numbers


class _Part(Condition):
    """A condition that says what one whole feature may be.

    Attributes
    ----------
    name : str
        The feature, as the user knows it.
    """

    __slots__ = ("_fields",)

    _fields: tuple[Any, ...]

    @property
    def name(self) -> str:
        """The feature, as the user knows it."""
        return self.feature

    @property
    @abstractmethod
    def _key(self) -> tuple[Any, ...]:
        """What two equal parts have in common."""

    def negated(self) -> Condition:
        """Refuse: what is left of a feature is in general no one interval."""
        raise TypeError(f"{str(self)!r} has no single opposite")

    def holds(self, value: float) -> bool:
        """Tell whether it allows a value of its only column."""
        if len(self.columns) > 1:
            raise TypeError(f"{self.feature!r} has {len(self.columns)} columns; use holds_in")
        row = np.full((1, self.index + 1), math.nan)
        row[0, self.index] = value
        return bool(self.holds_in(row)[0])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Condition):
            return NotImplemented
        return isinstance(other, _Part) and self._key == other._key

    __hash__ = Condition.__hash__

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self._fields


class IntervalPart(_Part):
    """What a number may be: ``30.5 < age <= 41.5``, ``age is 31 to 41``, ``age > 3.5 or missing``.

    Attributes
    ----------
    low, high : float
        The interval, in the user's units: above ``low``, and at most ``high``; infinite where there
        is no such bound. Where the number has to be missing, ``low`` is above ``high``.
    missing : bool
        Whether it may be missing.
    column, above, up_to, nan
        The same for the tree: its column, its thresholds, and whether NaN is allowed there.
    boolean, whole : bool
        Whether the number is a Boolean variable; whether it takes whole numbers only.

    Examples
    --------
    >>> print(IntervalPart("age", 46.5, math.inf, True, 0, 0.55, math.inf, True))
    age > 46.5 or missing
    >>> print(IntervalPart("age", 34.5, 39.5, False, 0, 34.5, 39.5, False, whole=True))
    age is 35 to 39
    """

    __slots__ = ("above", "boolean", "high", "low", "missing", "nan", "up_to", "whole")

    low: float
    high: float
    missing: bool
    above: float
    up_to: float
    nan: bool
    boolean: bool
    whole: bool

    def __init__(
        self,
        name: str,
        low: float,
        high: float,
        missing: bool,
        column: int,
        above: float,
        up_to: float,
        nan: bool,
        boolean: bool = False,
        whole: bool = False,
    ) -> None:
        self._put(feature=name, index=column, low=low, high=high, missing=missing, above=above)
        self._put(up_to=up_to, nan=nan, boolean=boolean, whole=whole, _text=None)
        given = (name, low, high, missing, column, above, up_to, nan, boolean, whole)
        self._put(_fields=given, _hash=hash(given))

    def worded(self, low: float, high: float) -> IntervalPart:
        """Return the same part, with other words for its ends; one that is missing stays so."""
        return self if self.is_missing else IntervalPart(self.name, low, high, *self._fields[3:])

    @property
    def _key(self) -> tuple[Any, ...]:
        return self._fields

    @property
    def column(self) -> int:
        """The tree's column."""
        return self.index

    @property
    def columns(self) -> tuple[int, ...]:
        """The tree's column."""
        return (self.index,)

    @property
    def is_missing(self) -> bool:
        """Whether it says that the number is missing."""
        return self.missing and self.low >= self.high

    def holds_in(self, matrix: Floats) -> Bools:
        """Tell of each row, in the tree's columns, whether its value is allowed."""
        check_columns(matrix, self.index)
        value = matrix[:, self.index]
        covered: Bools = (self.above < value) & (value <= self.up_to)
        return covered | np.isnan(value) if self.nan else covered

    def _worded(self) -> str:
        if self.is_missing:
            return f"{self.feature} is missing"
        bounded = self.low > -math.inf, self.high < math.inf
        if bounded == (False, False):
            return f"{self.feature} is present"
        if self.boolean:
            text = self.feature if bounded[0] else f"not {self.feature}"
        else:
            text = interval_text(self.feature, self.low, self.high, whole=self.whole)
        return f"{text} or missing" if self.missing else text


def interval_text(name: str, low: float, high: float, *, whole: bool = False) -> str:
    """Return an interval of a number in words; of whole numbers, by its ends.

    >>> interval_text("age", 34.5, 39.5), interval_text("age", 34.5, 39.5, whole=True)
    ('34.5 < age <= 39.5', 'age is 35 to 39')
    >>> interval_text("age", 34.5, math.inf, whole=True), interval_text("age", 3, 4, whole=True)
    ('age >= 35', 'age is 4')
    """
    if whole and all(math.isinf(end) or abs(end) < WHOLE_END for end in (low, high)):
        first = None if math.isinf(low) else math.floor(low) + 1
        last = None if math.isinf(high) else math.floor(high)
        if first is None:
            return f"{name} <= {last}"
        if last is None:
            return f"{name} >= {first}"
        return f"{name} is {first}" if first == last else f"{name} is {first} to {last}"
    low, high = low + 0.0, high + 0.0  # no -0.0
    if math.isinf(low):
        return f"{name} <= {high!r}"
    return f"{name} > {low!r}" if math.isinf(high) else f"{low!r} < {name} <= {high!r}"


class ValuesPart(_Part):
    """What a category may be: ``job = nurse``, ``job in {clerk, nurse}``, ``job is not pilot``.

    Attributes
    ----------
    values, others : tuple
        The values that are allowed, and those that are not, in the order of the category; a
        ``OneOf`` where one stands for others, such as those that are missing and filled in as it.
    columns, points, places
        The same for the tree: its columns, the points there that are allowed; and the places of
        the allowed values in the category.

    Examples
    --------
    >>> points = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    >>> print(ValuesPart("job", ("clerk", "nurse"), ("pilot", "cook"), (1, 2, 3), points, (0, 1)))
    job in {clerk, nurse}
    """

    __slots__ = ("_columns", "others", "places", "points", "values")

    values: tuple[Hashable, ...]
    others: tuple[Hashable, ...]
    points: tuple[tuple[float, ...], ...]
    places: tuple[int, ...]
    _columns: tuple[int, ...]

    def __init__(
        self,
        name: str,
        values: tuple[Hashable, ...],
        others: tuple[Hashable, ...],
        columns: tuple[int, ...],
        points: tuple[tuple[float, ...], ...],
        places: tuple[int, ...],
    ) -> None:
        self._put(feature=name, index=columns[0], _columns=columns, values=values, others=others)
        self._put(points=points, places=places, _text=None, _hash=hash((name, columns, places)))
        self._put(_fields=(name, values, others, columns, points, places))

    @property
    def _key(self) -> tuple[Any, ...]:
        # NaN may be a value: what is allowed is compared by its places.
        return self.feature, self._columns, self.places

    @property
    def columns(self) -> tuple[int, ...]:
        """The tree's columns."""
        return self._columns

    def holds_in(self, matrix: Floats) -> Bools:
        """Tell of each row, in the tree's columns, whether its value is allowed."""
        check_columns(matrix, max(self._columns))
        covered = np.zeros(len(matrix), dtype=np.bool_)
        for point in self.points:
            rows = np.arange(len(matrix))
            # Few rows of a one-hot group are left after the column that is not 0.
            for column, own in sorted(zip(self._columns, point, strict=True), key=_is_zero):
                value = matrix[rows, column]
                rows = rows[np.isnan(value) if math.isnan(own) else value == own]
            covered[rows] = True
        return covered

    def _worded(self) -> str:
        values, others = list(said(self.values)), list(said(self.others))
        if len(values) == 1:
            return f"{self.feature} = {values[0]}"
        if len(others) == 1:
            return f"{self.feature} is not {others[0]}"
        few = len(others) < len(values) and not is_nameless(others)
        if few or is_nameless(values):
            return f"{self.feature} not in {{{', '.join(others)}}}"
        return f"{self.feature} in {{{', '.join(values)}}}"


Part = IntervalPart | ValuesPart


def interval_part(
    number: Number, above: float, up_to: float, nan: bool, dtype: str
) -> IntervalPart:
    """Return that a number is between two thresholds of the tree's, or missing where ``nan``."""
    low, high = (
        number.printed(bound, dtype) if math.isfinite(bound) else bound for bound in (above, up_to)
    )
    missing = nan
    if number.extra:  # what an imputer fills in decides
        missing = above < number.extra[0] <= up_to
        present = replace(number, extra=())
        if present.smallest_above(above, dtype) > present.largest(up_to, dtype):
            low, high = math.inf, -math.inf
    ends = (number.name, low, high, missing, number.column, above, up_to, nan)
    return IntervalPart(*ends, number.boolean, number.integer and not number.boolean)


def missing_part(number: Number, dtype: str) -> IntervalPart:
    """Return that a number is missing."""
    above, up_to = math.inf, -math.inf
    if number.extra:
        up_to = number.extra[0]
        above = float(neighbour(np.asarray(up_to), -np.inf, dtype))
    name, column = number.name, number.column
    return IntervalPart(name, math.inf, -math.inf, True, column, above, up_to, not number.extra)


def values_part(category: Category, allowed: Bools) -> ValuesPart:
    """Return that a category has one of some values, marked by their places."""
    places = tuple(np.flatnonzero(allowed).tolist())
    return ValuesPart(
        category.name,
        tuple(category.told(place) for place in places),
        tuple(category.told(place) for place in np.flatnonzero(~allowed).tolist()),
        category.columns,
        tuple(category.points[place] for place in places),
        places,
    )


def parts_of(conditions: Iterable[Condition], domain: Domain, dtype: str) -> tuple[Condition, ...]:
    """Return conditions as what each feature may be, in the user's column: one for each feature.

    Where a missing value is filled in as one that is allowed, that is said.
    """
    found: dict[int, list[Condition]] = {}
    for condition in conditions:
        found.setdefault(int(domain.of_column[condition.index]), []).append(condition)
    parts: list[Condition] = []
    for place, own in sorted(found.items()):
        attribute = domain.attributes[place]
        if any(isinstance(one, _Part) for one in own):
            parts += own
        elif isinstance(attribute, Category):
            parts.append(values_part(attribute, _allowed(attribute, own)))
        else:
            parts.append(_interval_of(attribute, own, dtype))
    return tuple(parts)


def _allowed(category: Category, conditions: Iterable[Condition]) -> Bools:
    """Tell which values of a category meet conditions."""
    points = np.array(category.points)
    matrix = np.zeros((len(points), max(category.columns) + 1))
    matrix[:, category.columns] = points
    allowed: Bools = np.logical_and.reduce([one.holds_in(matrix) for one in conditions])
    return allowed


def _interval_of(number: Number, conditions: list[Condition], dtype: str) -> Condition:
    """Return what conditions on a number say together: an interval, or its own value."""
    above, up_to = -math.inf, math.inf
    for one in conditions:
        if isinstance(one, Fact):
            filled = one.value is not None and one.point[0] in number.extra
            value = OneOf((one.value, None)) if filled else one.value
            return Fact(one.feature, one.index, value, one.columns, one.point)
        assert isinstance(one, Comparison)  # a condition is one or the other
        if one.threshold == math.inf and not one.sense:
            return missing_part(number, dtype)
        if one.sense:
            up_to = min(up_to, one.threshold)
        else:
            above = max(above, one.threshold)
    nan = all(one.holds(math.nan) for one in conditions)
    return interval_part(number, above, up_to, nan, dtype)


def _is_zero(entry: tuple[int, float]) -> bool:
    return entry[1] == 0

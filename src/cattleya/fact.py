"""Conditions in the user's own terms: facts, thresholds in the user's units, merged intervals."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable

import numpy as np
import numpy.typing as npt

from cattleya.condition import Condition
from cattleya.domain import Attribute, Category, OneOf, is_missing

__all__ = ["Fact", "UserCondition", "fact_about", "fact_of", "merged"]


class Fact(Condition):
    """What a row has of a feature: ``job = nurse``, ``age = 38.0``, ``age = missing``.

    An immutable value. It holds in the rows that have the same in all the tree's columns behind the
    feature.

    Attributes
    ----------
    feature : str
        The feature's name, as the user knows it.
    index : int
        The first of the tree's columns behind it.
    value : hashable
        What the user calls it; None where it is missing.
    columns : tuple of int
        The tree's columns behind the feature: more than one for a one-hot group.
    point : tuple of float
        What the row has there; NaN where it is missing.

    Examples
    --------
    >>> job = Fact("job", 1, "nurse", (1, 2), (0.0, 1.0))
    >>> print(job)
    job = nurse
    >>> job.holds_in(np.array([[38.0, 0.0, 1.0], [38.0, 1.0, 0.0]])).tolist()
    [True, False]
    >>> print(Fact("age", 0, None, (0,), (math.nan,)))
    age = missing
    """

    __slots__ = ("_columns", "point", "value")

    value: Hashable
    point: tuple[float, ...]

    is_test = False

    def __init__(
        self,
        feature: str,
        index: int,
        value: Hashable,
        columns: tuple[int, ...],
        point: tuple[float, ...],
    ) -> None:
        super().__init__(feature, index, point[0], sense=True)
        put = object.__setattr__
        put(self, "value", value)
        put(self, "_columns", columns)
        put(self, "point", point)
        put(self, "_hash", hash((feature, columns, self._numbers)))

    @property
    def columns(self) -> tuple[int, ...]:
        """The tree's columns behind the feature."""
        return self._columns  # type: ignore[attr-defined, no-any-return]

    @property
    def _numbers(self) -> tuple[float | None, ...]:
        # NaN is no number to compare: it differs from itself.
        return tuple(None if math.isnan(number) else number for number in self.point)

    def negated(self) -> Condition:
        """Refuse: a fact has more than one opposite."""
        raise TypeError(f"{str(self)!r} has no one opposite: every other value is one")

    def holds(self, value: float) -> bool:
        """Tell whether a value of the feature's only column is this one."""
        if len(self.columns) > 1:
            raise TypeError(f"{self.feature!r} is {len(self.columns)} columns; ask holds_in")
        return bool(value == self.point[0] or (math.isnan(value) and math.isnan(self.point[0])))

    def holds_in(self, matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Tell for each row, in the tree's columns, whether it has this."""
        given, own = matrix[:, self.columns], np.array(self.point)
        same: npt.NDArray[np.bool_] = ((given == own) | (np.isnan(given) & np.isnan(own))).all(1)
        return same

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fact):
            return False if isinstance(other, Condition) else NotImplemented
        return (
            self.columns == other.columns
            and self._numbers == other._numbers
            and self.feature == other.feature
            and (self.value is None) == (other.value is None)
        )

    def __hash__(self) -> int:
        return self._hash  # type: ignore[attr-defined, no-any-return]

    def __str__(self) -> str:
        return f"{self.feature} = {'missing' if self.value is None else self.value}"

    def __repr__(self) -> str:
        return f"<Fact {self}>"

    def __reduce__(self) -> tuple[object, ...]:
        return Fact, (self.feature, self.index, self.value, self.columns, self.point)


def fact_of(attribute: Attribute, row: npt.NDArray[np.float64], dtype: str) -> Fact:
    """Return what a row has of an attribute."""
    if isinstance(attribute, Category):
        return fact_about(attribute, attribute.value_of(row))
    seen = float(row[attribute.column])
    as_is = not attribute.steps and not attribute.extra
    # As it was written, before the model made single precision of it: 1.79, not 1.789999961853.
    value = float(str(np.dtype(dtype).type(seen))) if as_is else attribute.to_user(seen, dtype)
    shown = None if math.isnan(value) else int(value) if attribute.integer else value
    return Fact(attribute.name, attribute.column, shown, attribute.columns, (seen,))


def fact_about(category: Category, place: int) -> Fact:
    """Return that a category has one of its values."""
    value = category.values[place]
    shown = None if is_missing(value) else value
    if shown is None and category.other == place:
        shown = OneOf((value,), others=True)  # the tree cannot tell which
    columns = category.columns
    return Fact(category.name, columns[0], shown, columns, category.points[place])


class UserCondition(Condition):
    """A condition that prints its threshold in the user's units.

    ``threshold`` stays the tree's, and decides; ``shown`` is what is printed.

    Examples
    --------
    >>> condition = UserCondition("age", 0, 0.55, 46.5, sense=True)
    >>> print(condition, "|", condition.negated())
    age <= 46.5 | age > 46.5
    >>> condition.holds(0.5)
    True
    """

    __slots__ = ("shown",)

    shown: float

    def __init__(
        self,
        feature: str,
        index: int,
        threshold: float,
        shown: float,
        *,
        sense: bool,
        boolean: bool = False,
    ) -> None:
        super().__init__(feature, index, threshold, sense=sense, boolean=boolean)
        object.__setattr__(self, "shown", shown)

    def negated(self) -> UserCondition:
        """Return the other side of the same test."""
        return UserCondition(
            self.feature,
            self.index,
            self.threshold,
            self.shown,
            sense=not self.sense,
            boolean=self.boolean,
        )

    def __str__(self) -> str:
        if self.boolean:
            return super().__str__()
        return f"{self.feature} {'<=' if self.sense else '>'} {self.shown!r}"

    def __reduce__(self) -> tuple[object, ...]:
        arguments = (self.feature, self.index, self.threshold, self.shown, self.sense, self.boolean)
        return _restore, arguments


def _restore(
    feature: str, index: int, threshold: float, shown: float, sense: bool, boolean: bool
) -> UserCondition:
    return UserCondition(feature, index, threshold, shown, sense=sense, boolean=boolean)


def merged(conditions: Iterable[Condition], *, to_change: bool = False) -> list[str]:
    """Return the parts of a sentence: the thresholds of a feature as one interval.

    A feature stands where its first condition does.

    Parameters
    ----------
    conditions : iterable of Condition
    to_change : bool
        Conditions that all hold are said by the tightest, which imply the others. Conditions that
        all have to change, as in a contrastive explanation, are said by the widest: where these do
        not hold, no other does.

    Examples
    --------
    >>> lower, upper = (Condition("age", 0, t, sense=t > 40) for t in (30.5, 41.5))
    >>> merged([upper, Fact("job", 1, "nurse", (1,), (2.0,)), lower])
    ['30.5 < age <= 41.5', 'job = nurse']
    >>> higher = Condition("age", 0, 35.5, sense=False)
    >>> merged([lower, higher]), merged([lower, higher], to_change=True)
    (['age > 35.5'], ['age > 30.5'])
    """
    parts: dict[object, list[Condition]] = {}
    for condition in conditions:
        alone = isinstance(condition, Fact) or condition.boolean
        plain = condition.missing_left is None or math.isinf(condition.threshold)
        key = condition if alone or not plain else (condition.index, condition.feature)
        parts.setdefault(key, []).append(condition)
    said = (
        str(part[0]) if len(part) == 1 else _interval(part, to_change) for part in parts.values()
    )
    return list(said)


def _interval(conditions: list[Condition], to_change: bool) -> str:
    """Return conditions of one number as one."""
    presence = [c for c in conditions if math.isinf(c.threshold)]
    if presence and (to_change or presence == conditions):
        return str(presence[0])
    bounds = [c for c in conditions if not math.isinf(c.threshold)]
    highest, lowest = (min, max) if to_change else (max, min)
    lower = highest((c for c in bounds if not c.sense), key=lambda c: c.threshold, default=None)
    upper = lowest((c for c in bounds if c.sense), key=lambda c: c.threshold, default=None)
    if lower is None or upper is None:
        return str(lower or upper)
    return f"{_threshold(lower)} < {lower.feature} <= {_threshold(upper)}"


def _threshold(condition: Condition) -> str:
    shown = condition.shown if isinstance(condition, UserCondition) else condition.threshold
    return repr(shown)

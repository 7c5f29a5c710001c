"""Facts: the value of a whole feature in a row."""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np

from cattleya.model.conditions.condition import Condition, check_columns
from cattleya.model.domain.domain import Attribute, Category, OneOf, is_missing, value_word
from cattleya.support.arrays import Bools, Floats

__all__ = ["Fact", "fact_about", "fact_of"]


class Fact(Condition):
    """The value of a feature in a row: ``job = nurse``, ``age = 38.0``, ``age = missing``.

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
    >>> import numpy as np
    >>> from cattleya import Fact
    >>> job = Fact("job", 1, "nurse", (1, 2), (0.0, 1.0))
    >>> print(job)
    job = nurse
    >>> job.holds_in(np.array([[38.0, 0.0, 1.0], [38.0, 1.0, 0.0]])).tolist()
    [True, False]
    >>> print(Fact("age", 0, None, (0,), (float("nan"),)))
    age = missing
    >>> age = Fact("age", 0, 38, (0,), (38.0,))
    >>> age.holds(38), age.columns
    (True, (0,))
    >>> age.negated()
    Traceback (most recent call last):
        ...
    TypeError: 'age = 38' has no single opposite: every other value is one
    """

    __slots__ = ("_columns", "point", "value")

    _columns: tuple[int, ...]

    value: Hashable
    point: tuple[float, ...]

    def __init__(
        self,
        feature: str,
        index: int,
        value: Hashable,
        columns: tuple[int, ...],
        point: tuple[float, ...],
    ) -> None:
        self._put(feature=feature, index=index, value=value, _columns=columns, point=point)
        self._put(_text=None, _hash=hash((feature, columns, self._numbers)))

    @property
    def columns(self) -> tuple[int, ...]:
        """The tree's columns behind the feature."""
        return self._columns

    @property
    def _numbers(self) -> tuple[float | None, ...]:
        # NaN is no number to compare: it differs from itself.
        return tuple(None if math.isnan(number) else number for number in self.point)

    def negated(self) -> Condition:
        """Refuse: a fact has more than one opposite."""
        raise TypeError(f"{str(self)!r} has no single opposite: every other value is one")

    def holds(self, value: float) -> bool:
        """Tell whether a value of the feature's only column is this one."""
        if len(self.columns) > 1:
            raise TypeError(f"{self.feature!r} has {len(self.columns)} columns; use holds_in")
        return bool(value == self.point[0] or (math.isnan(value) and math.isnan(self.point[0])))

    def holds_in(self, matrix: Floats) -> Bools:
        """Tell for each row, in the tree's columns, whether it has this."""
        check_columns(matrix, max(self.columns))
        given, own = matrix[:, self.columns], np.array(self.point)
        same: Bools = ((given == own) | (np.isnan(given) & np.isnan(own))).all(1)
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

    __hash__ = Condition.__hash__

    def _worded(self) -> str:
        return f"{self.feature} = {value_word(self.value)}"

    def __repr__(self) -> str:
        return f"<Fact {self}>"

    def __reduce__(self) -> tuple[object, ...]:
        return Fact, (self.feature, self.index, self.value, self.columns, self.point)


def fact_of(attribute: Attribute, row: Floats, dtype: str) -> Fact:
    """Return the value of an attribute in a row."""
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

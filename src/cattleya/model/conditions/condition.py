"""A condition: one side of a test, or the value of a feature; it holds in a row or not."""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import partial
from typing import Any, Self

import numpy as np

from cattleya._core import ConditionBase
from cattleya.model.domain.shortest import shortest_same
from cattleya.support.arrays import Bools, Floats
from cattleya.support.text import printable, shown

__all__ = ["Comparison", "Condition", "check_columns", "spellings"]

_SPREAD = 0x9E3779B97F4A7C15  # the golden ratio, in 64 bits
_MASK = (1 << 60) - 1

TWO_DIMENSIONS = 2
LARGEST_WHOLE = 2.0**53  # beyond, doubles are not all whole numbers


class Condition(ConditionBase):
    """Something that can be said of a row; an immutable value.

    Either one side of a test of the tree, ``age <= 30.5`` (a ``Comparison``), or the value of a
    whole feature, ``job = nurse`` (a ``Fact``).

    Attributes
    ----------
    feature : str
        The feature's name.
    index : int
        The (first) column of the tree that it is about.
    columns : tuple of int
        The columns of the tree that it is about.

    Examples
    --------
    >>> import numpy as np
    >>> from cattleya import Condition
    >>> condition = Condition("age", 0, 30.5, sense=True)
    >>> print(condition, "|", condition.negated())
    age <= 30.5 | age > 30.5
    >>> condition.holds(30.5), condition.holds(31)
    (True, False)
    >>> condition.holds_in(np.array([[30.0], [45.0]])).tolist(), condition.columns
    ([True, False], (0,))
    """

    __slots__ = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Make a comparison where the kind of condition is not said."""
        if cls is Condition:
            return object.__new__(Comparison)  # type: ignore[return-value]  # a Condition, too
        return object.__new__(cls)

    def _put(self, **values: object) -> None:
        """Set the fields of a new condition; it never changes again."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Condition is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Condition is immutable: cannot delete {name!r}")

    @property
    @abstractmethod
    def columns(self) -> tuple[int, ...]:
        """The columns of the tree that it is about."""

    @abstractmethod
    def negated(self) -> Condition:
        """Return what holds where this does not; ``TypeError`` where that is no one condition."""

    @abstractmethod
    def holds(self, value: float) -> bool:
        """Tell whether it holds for a value of its only column."""

    @abstractmethod
    def holds_in(self, matrix: Floats) -> Bools:
        """Tell for each row, in the tree's columns, whether it holds."""

    @abstractmethod
    def _worded(self) -> str:
        """Return the text."""

    __hash__ = ConditionBase.__hash__

    def __str__(self) -> str:
        text = self._text
        if text is None:  # made when first asked for, and then kept
            text = printable(self._worded())  # a column may be called anything
            object.__setattr__(self, "_text", text)
        return text

    def __repr__(self) -> str:
        return f"<Condition {self}>"


class Comparison(Condition):
    """One side of a test ``feature <= threshold``; an immutable value.

    Attributes
    ----------
    feature : str
        The feature's name.
    index : int
        The feature's number.
    threshold : float
        The threshold of the test.
    sense : bool
        True on the side ``feature <= threshold``, False on the side ``feature > threshold``.
    missing_left : bool or None
        Where the test sends a missing value: with ``<=`` (True), with ``>`` (False). None where
        missing values are no part of the test.
    boolean : bool
        Whether the feature is a Boolean variable, printed ``x1`` and ``not x1``.
    shown : float
        The threshold as it is printed: in the user's units, where these are not the tree's, and
        with as few digits as say the same to the model (``row_dtype``).
    whole : bool
        Whether the feature takes whole numbers only, and is said to: ``age >= 35``, ``age <= 39``.
    row_dtype : str
        What the model casts its rows to, as far as that is to show: 0.8 is then the same test as
        0.800000011920929.

    Examples
    --------
    >>> import numpy as np
    >>> from cattleya import Comparison
    >>> print(Comparison("age", 0, 30.5, sense=False, missing_left=False))
    age > 30.5 or missing
    >>> single = Comparison("width", 0, 0.800000011920929, sense=True, row_dtype="float32")
    >>> print(single, "|", Comparison("age", 0, 34.5, sense=False, whole=True))
    width <= 0.8 | age >= 35
    >>> age = Comparison("age", 0, 34.5, sense=False, whole=True, missing_left=False)
    >>> age.operator, age.bound, age.shown, age.or_missing, age.columns
    ('>=', 35, 34.5, True, (0,))
    >>> print(age.negated())
    age <= 34
    >>> age.holds(35), age.holds_in(np.array([[34.0], [np.nan]])).tolist()
    (True, [False, True])
    """

    __slots__ = ("boolean", "missing_left", "row_dtype", "sense", "threshold", "whole")

    threshold: float
    sense: bool
    missing_left: bool | None
    boolean: bool
    whole: bool
    row_dtype: str

    def __init__(
        self,
        feature: str,
        index: int,
        threshold: float,
        *,
        sense: bool,
        missing_left: bool | None = None,
        boolean: bool = False,
        whole: bool = False,
        row_dtype: str = "float64",
    ) -> None:
        # One by one: a tree may have a million.
        put = object.__setattr__
        put(self, "feature", feature)
        put(self, "index", index)
        put(self, "threshold", threshold)
        put(self, "sense", sense)
        put(self, "missing_left", missing_left)
        put(self, "boolean", boolean)
        put(self, "whole", whole)
        put(self, "row_dtype", row_dtype)
        put(self, "_text", None)
        # Neighbouring features get neighbouring hashes, so that a set of a million conditions is
        # filled in the order of memory; thresholds, often neighbours too, are spread.
        put(self, "_hash", 2 * index + sense + (hash(threshold) * _SPREAD & _MASK))

    @property
    def columns(self) -> tuple[int, ...]:
        """The column that is tested."""
        return (self.index,)

    @property
    def shown(self) -> float:
        """The threshold as it is printed."""
        return shortest_same(self.threshold, self.row_dtype)

    @property
    def operator(self) -> str:
        """How the feature stands to ``bound``: ``<=``, ``>``, or of whole numbers ``>=``."""
        return "<=" if self.sense else ">=" if self._counts else ">"

    @property
    def bound(self) -> float | int:
        """The number that is printed: ``shown``, or of whole numbers the last or the first one."""
        shown = self.shown + 0.0  # no -0.0
        return math.floor(shown) + (not self.sense) if self._counts else shown

    @property
    def _counts(self) -> bool:
        return self.whole and abs(self.shown) < LARGEST_WHOLE

    @property
    def or_missing(self) -> bool:
        """Whether missing values are on this side, too."""
        return self.missing_left is not None and self.missing_left == self.sense

    def negated(self) -> Comparison:
        """Return the other side of the same test."""
        return Comparison(
            self.feature,
            self.index,
            self.threshold,
            sense=not self.sense,
            missing_left=self.missing_left,
            boolean=self.boolean,
            whole=self.whole,
            row_dtype=self.row_dtype,
        )

    def counting(self) -> Comparison:
        """Return the same, said as of whole numbers.

        >>> from cattleya import Comparison
        >>> print(Comparison("age", 0, 34.5, sense=False).counting())
        age >= 35
        """
        return Comparison(
            self.feature,
            self.index,
            self.threshold,
            sense=self.sense,
            missing_left=self.missing_left,
            boolean=self.boolean,
            whole=True,
            row_dtype=self.row_dtype,
        )

    def holds(self, value: float) -> bool:
        """Tell whether a value of the feature is on this side of the test."""
        try:
            missing = math.isnan(value)
        except TypeError:
            raise TypeError(f"{self.feature!r} is a number, not {shown(value)}") from None
        return self.or_missing if missing else (value <= self.threshold) == self.sense

    def holds_in(self, matrix: Floats) -> Bools:
        """Tell for each row, in the tree's columns, whether it is on this side of the test."""
        check_columns(matrix, self.index)
        value = matrix[:, self.index]
        holds: Bools = (value <= self.threshold) == self.sense
        holds[np.isnan(value)] = self.or_missing
        return holds

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Comparison):
            return False if isinstance(other, Condition) else NotImplemented
        return (
            self.index == other.index
            and self.sense == other.sense
            and self.threshold == other.threshold
            and self.missing_left == other.missing_left
            and self.boolean == other.boolean
            and self.feature == other.feature
        )

    __hash__ = Condition.__hash__

    def _worded(self) -> str:
        if self.boolean:
            text = f"not {self.feature}" if self.sense else self.feature
        elif math.isinf(self.threshold):
            return f"{self.feature} is {'present' if self.sense else 'missing'}"
        else:
            text = f"{self.feature} {self.operator} {self.bound!r}"
        return f"{text} or missing" if self.or_missing else text

    def __reduce__(self) -> tuple[object, ...]:
        made = partial(
            Comparison,
            sense=self.sense,
            missing_left=self.missing_left,
            boolean=self.boolean,
            whole=self.whole,
            row_dtype=self.row_dtype,
        )
        return made, (self.feature, self.index, self.threshold)


def spellings(text: str) -> tuple[str, ...]:
    """Return how a condition may read that a user has written: 26 is shown for 26.0, 0.0 for -0.0.

    Examples
    --------
    >>> spellings("age <= 26")
    ('age <= 26', 'age <= 26.0')
    >>> spellings("x = -0.0")[-1]
    'x = 0.0'
    """
    written = (text, f"{text}.0")
    zero = [w.removesuffix("-0.0") + "0.0" for w in written if w.endswith(" -0.0")]
    return (*written, *zero)


def check_columns(matrix: Floats, last: int) -> None:
    """Refuse what is no array with so many columns."""
    if (
        not isinstance(matrix, np.ndarray)
        or matrix.ndim != TWO_DIMENSIONS
        or matrix.shape[1] <= last
    ):
        raise TypeError(
            f"holds_in takes an array with the tree's columns, one line per row, not "
            f"{shown(matrix)}"
        )

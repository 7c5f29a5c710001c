"""A condition: one binary test of a tree, with the side of it that a row is on."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from cattleya.printable import printable, shown

__all__ = ["Condition", "check_columns", "spellings"]

_SPREAD = 0x9E3779B97F4A7C15  # the golden ratio, in 64 bits
_MASK = (1 << 60) - 1


class Condition:
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
        The threshold as it is printed: in the user's units, where these are not the tree's.

    Notes
    -----
    What is said of a whole feature, such as ``job = nurse``, is a condition too, but no test: it
    has no threshold, and no one opposite. ``is_test`` tells them apart.

    Examples
    --------
    >>> condition = Condition("age", 0, 30.5, sense=True)
    >>> print(condition, "|", condition.negated())
    age <= 30.5 | age > 30.5
    >>> condition.holds(30.5), condition.holds(31)
    (True, False)
    >>> print(Condition("age", 0, 30.5, sense=False, missing_left=False))
    age > 30.5 or missing
    """

    __slots__ = (
        "_hash",
        "_text",
        "boolean",
        "feature",
        "index",
        "missing_left",
        "sense",
        "threshold",
    )

    feature: str
    index: int
    threshold: float
    sense: bool
    missing_left: bool | None
    boolean: bool

    #: Whether it is one side of a test; else it is a fact about a whole feature.
    is_test: ClassVar[bool] = True

    def __init__(
        self,
        feature: str,
        index: int,
        threshold: float,
        *,
        sense: bool,
        missing_left: bool | None = None,
        boolean: bool = False,
    ) -> None:
        put = object.__setattr__
        put(self, "feature", feature)
        put(self, "index", index)
        put(self, "threshold", threshold)
        put(self, "sense", sense)
        put(self, "missing_left", missing_left)
        put(self, "boolean", boolean)
        put(self, "_text", None)  # made when first asked for, and then kept
        # Neighbouring features get neighbouring hashes, so that a set of a million conditions is
        # filled in the order of memory; thresholds, often neighbours too, are spread.
        put(self, "_hash", 2 * index + sense + (hash(threshold) * _SPREAD & _MASK))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Condition is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Condition is immutable: cannot delete {name!r}")

    @property
    def columns(self) -> tuple[int, ...]:
        """The tree's columns that it is about."""
        return (self.index,)

    @property
    def shown(self) -> float:
        """The threshold as it is printed."""
        return self.threshold

    def negated(self) -> Condition:
        """Return the other side of the same test."""
        return Condition(
            self.feature,
            self.index,
            self.threshold,
            sense=not self.sense,
            missing_left=self.missing_left,
            boolean=self.boolean,
        )

    def holds(self, value: float) -> bool:
        """Tell whether a value of the feature is on this side of the test."""
        try:
            missing = math.isnan(value)
        except TypeError:
            raise TypeError(f"{self.feature!r} is a number, not {shown(value)}") from None
        if missing:
            return self.missing_left is not None and self.missing_left == self.sense
        return (value <= self.threshold) == self.sense

    def holds_in(self, matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Tell for each row, in the tree's columns, whether it is on this side of the test."""
        check_columns(matrix, self.index)
        value = matrix[:, self.index]
        holds: npt.NDArray[np.bool_] = (value <= self.threshold) == self.sense
        holds[np.isnan(value)] = self.missing_left == self.sense
        return holds

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Condition):
            return NotImplemented
        return (
            self.index == other.index
            and self.sense == other.sense
            and self.threshold == other.threshold
            and self.missing_left == other.missing_left
            and self.boolean == other.boolean
            and self.feature == other.feature
        )

    def __hash__(self) -> int:
        return self._hash  # type: ignore[attr-defined, no-any-return]  # put there by __init__

    def __str__(self) -> str:
        text: str | None = self._text  # type: ignore[attr-defined]  # put there by __init__
        if text is None:
            text = printable(self._worded())  # a column may be called anything
            object.__setattr__(self, "_text", text)
        return text

    def _worded(self) -> str:
        if self.boolean:
            text = f"not {self.feature}" if self.sense else self.feature
            return f"{text} or missing" if self.missing_left == self.sense else text
        if math.isinf(self.threshold):
            return f"{self.feature} is {'present' if self.sense else 'missing'}"
        text = f"{self.feature} {'<=' if self.sense else '>'} {(self.shown or 0.0)!r}"
        return f"{text} or missing" if self.missing_left == self.sense else text

    def __repr__(self) -> str:
        return f"<Condition {self}>"

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (
            self.feature,
            self.index,
            self.threshold,
            self.sense,
            self.missing_left,
            self.boolean,
        )


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


def check_columns(matrix: npt.NDArray[np.float64], last: int) -> None:
    """Refuse what is no array with so many columns."""
    if not isinstance(matrix, np.ndarray) or matrix.ndim != 2 or matrix.shape[1] <= last:  # noqa: PLR2004 - rows and columns
        raise TypeError(
            f"holds_in takes an array with the tree's columns, one row a line, not {shown(matrix)}"
        )


def _restore(
    feature: str,
    index: int,
    threshold: float,
    sense: bool,
    missing_left: bool | None,
    boolean: bool,
) -> Condition:
    return Condition(
        feature, index, threshold, sense=sense, missing_left=missing_left, boolean=boolean
    )

"""A number of the user's, in one column of the tree: which values it takes, and which go left."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import overload

import numpy as np

from cattleya.model.domain.scaling import (
    Steps,
    backward,
    cast,
    forward,
    last_left,
    neighbour,
    shortest_between,
)
from cattleya.model.domain.shortest import shortest_same
from cattleya.support.arrays import Bools, Floats

__all__ = ["Number"]

_SLACK = 1e-6
_HALVES_END = 2.0**52  # beyond, doubles have no halves


@dataclass(frozen=True)
class Number:
    """A number, in one column of the tree.

    Attributes
    ----------
    name : str
        As the user knows it.
    column : int
        The tree's column.
    integer : bool
        Whether it takes whole numbers only.
    lower, upper : float
        The least and the greatest value it can take, in the user's units.
    steps : tuple of (str, float)
        The arithmetic from the user's value to the tree's, in 64 bits, in order: ("add", c),
        ("multiply", c), ("divide", c) with positive factors, ("at least", c), ("at most", c). Empty
        where the tree sees the value itself.
    extra : tuple of float
        Values of the column, beyond the grid, that stand for a missing one (an imputer's).
    boolean : bool
        Whether it is a Boolean variable, printed ``x1`` and ``not x1``.
    raw : tuple of int
        The user's column behind it, by its place; none where it could not be traced.

    Notes
    -----
    ``dtype`` is what the tree casts its rows to. A value of the *grid* is what the tree can see
    here: the column's value, cast, for some value of the user's, or an extra one. Methods that take
    a threshold take an array of them as well.

    Examples
    --------
    >>> age = Number("age", column=0, integer=True, steps=(("add", -40.0), ("divide", 12.0)))
    >>> age.to_tree(46, "float32")
    0.5
    >>> age.to_user(0.5, "float32")
    46.0
    >>> age.largest(0.55, "float32"), age.user_threshold(0.55, "float32")
    (0.5, 46.5)
    """

    name: str
    column: int
    integer: bool = False
    lower: float = -math.inf
    upper: float = math.inf
    steps: Steps = ()
    extra: tuple[float, ...] = ()
    boolean: bool = False
    raw: tuple[int, ...] = ()

    @property
    def columns(self) -> tuple[int, ...]:
        """The tree's columns."""
        return (self.column,)

    @overload
    def to_tree(self, value: float, dtype: str) -> float: ...
    @overload
    def to_tree(self, value: Floats, dtype: str) -> Floats: ...
    def to_tree(self, value: float | Floats, dtype: str) -> float | Floats:
        """Return what the tree sees for a value of the user's; a missing one as it is filled in."""
        values = np.asarray(value, dtype=np.float64)
        seen = cast(forward(values, self.steps), dtype)
        if self.extra:
            seen = np.where(np.isnan(values), self.extra[0], seen)
        return _like(value, seen)

    def to_user(self, tree_value: float, dtype: str) -> float:
        """Return a value of the user's that the tree sees as this one: the shortest to write.

        It is NaN where only a missing value is seen as this one.
        """
        if math.isnan(tree_value):
            return math.nan
        value = np.asarray(tree_value, dtype=np.float64)
        last = self.last(value, dtype)
        first = self._after(last_left(neighbour(value, -np.inf, dtype), self.steps, dtype))
        if first <= last and self.to_tree(float(last), dtype) == tree_value:
            itself = not self.steps and first <= tree_value <= last
            return tree_value if itself else shortest_between(float(first), float(last))
        if tree_value in self.extra:
            return math.nan
        raise ValueError(f"no value of {self.name!r} is {tree_value!r} to the tree")

    def near(self, tree_value: float, dtype: str) -> float:
        """Return a value of the user's that the tree sees as this one, or else about this one.

        Whoever gives a scaler 32 bits gets its arithmetic in 32 bits, a little beside the grid.
        """
        try:
            return self.to_user(float(tree_value), dtype)
        except ValueError:
            return float(backward(np.asarray(tree_value, dtype=np.float64), self.steps))

    def doubtful(self, tree_values: Floats) -> Bools:
        """Tell which of many values of the column :meth:`check` has to look at more closely."""
        if not self.integer:
            return np.zeros(len(tree_values), dtype=np.bool_)
        plain: Bools = np.isnan(tree_values)
        if not self.steps:
            whole = np.floor(tree_values) == tree_values
            plain |= whole & (self.lower <= tree_values) & (tree_values <= self.upper)
        return ~plain

    def check(self, tree_value: float, dtype: str) -> None:
        """Refuse a value of the column that stands for none that the number can take."""
        if math.isnan(tree_value):
            return
        if not self.steps and tree_value.is_integer() and self.lower <= tree_value <= self.upper:
            return
        near_by = np.round(backward(np.asarray(tree_value), self.steps))
        if self.lower <= near_by <= self.upper and self.to_tree(near_by, dtype) == tree_value:
            return
        near = (self.largest(tree_value, dtype), self.smallest_above(tree_value, dtype))
        # Whoever gives a scaler 32 bits gets its arithmetic in 32 bits, a little beside the grid.
        slack = _SLACK * (1.0 + abs(tree_value)) if self.steps else 0.0
        if min(abs(tree_value - value) for value in near) > slack:
            free = replace(self, integer=False, lower=-math.inf, upper=math.inf)
            kind = "whole number" if self.integer else "number"
            bounds = "" if math.isinf(self.lower) else f" from {self.lower:g} to {self.upper:g}"
            raise ValueError(
                f"{self.name!r} is a {kind}{bounds}, but the row has "
                f"{free.to_user(tree_value, dtype)!r}"
            )

    @overload
    def largest(self, threshold: float, dtype: str) -> float: ...
    @overload
    def largest(self, threshold: Floats, dtype: str) -> Floats: ...
    def largest(self, threshold: float | Floats, dtype: str) -> float | Floats:
        """Return the largest value of the grid that is at most the threshold, -inf if none is.

        Two tests of the column are one and the same exactly where these are equal.
        """
        limits = np.asarray(threshold, dtype=np.float64)
        last = self.last(limits, dtype)
        none = (last < self.lower) | np.isinf(last)
        seen = np.where(none, -np.inf, cast(forward(last, self.steps), dtype))
        for value in self.extra:
            seen = np.where(value <= limits, np.maximum(seen, value), seen)
        return _like(threshold, seen)

    @overload
    def smallest_above(self, threshold: float, dtype: str) -> float: ...
    @overload
    def smallest_above(self, threshold: Floats, dtype: str) -> Floats: ...
    def smallest_above(self, threshold: float | Floats, dtype: str) -> float | Floats:
        """Return the smallest value of the grid above the threshold, inf if none is."""
        limits = np.asarray(threshold, dtype=np.float64)
        first = self._after(last_left(limits, self.steps, dtype))
        none = (first > self.upper) | np.isinf(first)
        seen = np.where(none, np.inf, cast(forward(first, self.steps), dtype))
        for value in self.extra:
            seen = np.where(value > limits, np.minimum(seen, value), seen)
        return _like(threshold, seen)

    @overload
    def boundary(self, threshold: float, dtype: str) -> float: ...
    @overload
    def boundary(self, threshold: Floats, dtype: str) -> Floats: ...
    def boundary(self, threshold: float | Floats, dtype: str) -> float | Floats:
        """Return the last double that goes left: v does exactly where ``v <= boundary``."""
        limits = np.asarray(threshold, dtype=np.float64)
        return _like(threshold, last_left(limits, self.steps, dtype))

    @overload
    def user_threshold(self, threshold: float, dtype: str) -> float: ...
    @overload
    def user_threshold(self, threshold: Floats, dtype: str) -> Floats: ...
    def user_threshold(self, threshold: float | Floats, dtype: str) -> float | Floats:
        """Return the threshold in the user's units, to be read and to be compared with.

        Where the tree sees the value itself, it is the tree's own: the value is cast, then
        compared. Between whole numbers it is half-way. Otherwise it is the shortest number which
        the tree sees as the last that goes left (``boundary`` itself has all seventeen digits): a
        value goes left exactly where the tree sees it as at most what it sees this number as.
        """
        limits = np.asarray(threshold, dtype=np.float64)
        if self.integer:
            last = np.maximum(self.last(limits, dtype), np.ceil(self.lower) - 1.0)
            return _like(threshold, np.where(np.abs(last) < _HALVES_END, last + 0.5, last))
        if not self.steps:
            return threshold
        last = last_left(limits, self.steps, dtype)
        seen = cast(forward(last, self.steps), dtype)
        first = neighbour(last_left(neighbour(seen, -np.inf, dtype), self.steps, dtype), np.inf)
        return _like(threshold, np.vectorize(shortest_between, otypes=[float])(first, last))

    def printed(self, threshold: float, dtype: str) -> float:
        """Return a threshold as it is printed: with as few digits as say the same to the tree."""
        if self.integer or self.steps:
            return self.user_threshold(threshold, dtype)
        return shortest_same(threshold, dtype)

    def seen_between(self, low: float, high: float, dtype: str) -> tuple[float, float]:
        """Return the first and the last double that the tree sees as one from low to high."""
        ends = np.array([low, high])
        below = neighbour(ends[:1], -np.inf, dtype)
        first = neighbour(last_left(below, self.steps, dtype), np.inf)
        last = last_left(ends[1:], self.steps, dtype)
        return float(first[0]), float(last[0])

    def within(self, above: float, up_to: float, dtype: str) -> tuple[float, float]:
        """Return the first and the last value of the user's between two thresholds."""
        ends = last_left(np.array([above, up_to]), self.steps, dtype)
        first = self.lower if math.isinf(above) else float(self._after(ends[:1])[0])
        last = self.upper if math.isinf(up_to) else float(self.last(np.array([up_to]), dtype)[0])
        return (math.ceil(first) if self.integer and math.isfinite(first) else first), last

    def last(self, limits: Floats, dtype: str) -> Floats:
        """Return the user's last value at most each threshold; bounds and whole numbers count."""
        last = np.minimum(last_left(limits, self.steps, dtype), self.upper)
        return np.floor(last) if self.integer else last

    def _after(self, last: Floats) -> Floats:
        """Return the user's first value after these."""
        first = np.maximum(neighbour(last, np.inf), self.lower)
        return np.ceil(first) if self.integer else first


def _like(given: float | Floats, result: Floats) -> float | Floats:
    """Return an array for an array, a float for a number."""
    return result if isinstance(given, np.ndarray) and given.ndim else float(result)

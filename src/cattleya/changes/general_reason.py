"""A general reason: of each feature an interval or a set of values, all of which force a class."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cattleya.model.domain.domain import said
from cattleya.model.tree.rows import RowReader
from cattleya.support.arrays import Bools, Floats
from cattleya.support.text import printable

__all__ = ["General", "IntervalPart", "ValuesPart"]


@dataclass(frozen=True)
class IntervalPart:
    """What a number may be: ``30.5 < age <= 41.5``, ``age > 30.5 or missing``.

    Attributes
    ----------
    name : str
        The feature, as the user knows it.
    low, high : float
        The interval, in the user's units: above ``low``, and at most ``high``; infinite where there
        is no such bound. Where the number has to be missing, ``low`` is above ``high``.
    missing : bool
        Whether it may be missing.
    column, above, up_to, nan
        The same for the tree: its column, its thresholds, and whether NaN is allowed there.

    Examples
    --------
    >>> print(IntervalPart("age", 46.5, math.inf, True, 0, 0.55, math.inf, True))
    age > 46.5 or missing
    """

    name: str
    low: float
    high: float
    missing: bool
    column: int
    above: float
    up_to: float
    nan: bool
    boolean: bool = False

    def covers(self, matrix: Floats) -> Bools:
        """Tell of each row, in the tree's columns, whether its value is allowed."""
        value = matrix[:, self.column]
        covered: Bools = (self.above < value) & (value <= self.up_to)
        return covered | np.isnan(value) if self.nan else covered

    def __str__(self) -> str:
        name = printable(self.name)
        if self.low >= self.high:
            return f"{name} is missing"
        bounded = self.low > -math.inf, self.high < math.inf
        if bounded == (False, False):
            return f"{name} is present"
        if self.boolean:
            text = name if bounded[0] else f"not {name}"
        elif bounded == (True, True):
            text = f"{self.low!r} < {name} <= {self.high!r}"
        else:
            text = f"{name} {f'> {self.low!r}' if bounded[0] else f'<= {self.high!r}'}"
        return f"{text} or missing" if self.missing else text


@dataclass(frozen=True)
class ValuesPart:
    """What a category may be: ``job = nurse``, ``job in {clerk, nurse}``, ``job not in {pilot}``.

    Attributes
    ----------
    name : str
        The feature, as the user knows it.
    values, others : tuple
        The values that are allowed, and those that are not, in the order of the category.
    columns, points, places
        The same for the tree: its columns, the points there that are allowed; and the places of
        the allowed values in the category.

    Examples
    --------
    >>> points = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    >>> print(ValuesPart("job", ("clerk", "nurse"), ("pilot", "cook"), (1, 2, 3), points, (0, 1)))
    job in {clerk, nurse}
    """

    # NaN may be a value: what is allowed is compared by its places.
    name: str
    values: tuple[Hashable, ...] = field(compare=False)
    others: tuple[Hashable, ...] = field(compare=False)
    columns: tuple[int, ...]
    points: tuple[tuple[float, ...], ...] = field(compare=False)
    places: tuple[int, ...]

    def covers(self, matrix: Floats) -> Bools:
        """Tell of each row, in the tree's columns, whether its value is allowed."""
        covered = np.zeros(len(matrix), dtype=np.bool_)
        for point in self.points:
            rows = np.arange(len(matrix))
            # Few rows of a one-hot group are left after the column that is not 0.
            for column, own in sorted(zip(self.columns, point, strict=True), key=_is_zero):
                value = matrix[rows, column]
                rows = rows[np.isnan(value) if math.isnan(own) else value == own]
            covered[rows] = True
        return covered

    def __str__(self) -> str:
        values, others = list(said(self.values)), list(said(self.others))
        if len(values) == 1:
            return printable(f"{self.name} = {values[0]}")
        if len(others) < len(values):
            return printable(f"{self.name} not in {{{', '.join(others)}}}")
        return printable(f"{self.name} in {{{', '.join(values)}}}")


def _is_zero(entry: tuple[int, float]) -> bool:
    return entry[1] == 0


@dataclass(frozen=True)
class General:
    """A reason as general as it can be; an immutable value.

    Attributes
    ----------
    parts : tuple of IntervalPart or ValuesPart
        What each feature may be, in the order of the features; those left out may be anything.
    prediction : label
        The class that the tree gives to every row that it covers.
    n_columns : int
        How many columns the tree has.
    rows : RowReader, optional
        Reads rows as the model takes them; without it they are given in the tree's columns.

    Examples
    --------
    >>> age = IntervalPart("age", 30.5, 41.5, False, 0, 30.5, 41.5, False)
    >>> points = ((0.0,), (1.0,))
    >>> job = ValuesPart("job", ("clerk", "nurse"), ("pilot", "cook"), (1,), points, (0, 1))
    >>> general = General((age, job), "yes", 2)
    >>> print(general)
    30.5 < age <= 41.5 and job in {clerk, nurse}
    >>> general.covers(np.array([[38.0, 1.0], [38.0, 2.0]])).tolist()
    [True, False]
    """

    parts: tuple[IntervalPart | ValuesPart, ...]
    prediction: Any
    n_columns: int
    rows: RowReader | None = field(default=None, compare=False, repr=False)

    kind = "general reason"

    @property
    def definition(self) -> str:
        """What this is, in a sentence."""
        return (
            f"An interval or a set of values of some features, such that every row that has these "
            f"gets the class {self.prediction}, under the logic of the features' values; none of "
            f"them can be made larger without letting in a row of another class."
        )

    def covers(self, X: Any) -> Bools:
        """Tell of each row whether every part allows it."""
        matrix = X if self.rows is None else self.rows.matrix(X)
        if matrix.shape[1:] != (self.n_columns,):
            raise ValueError(
                f"rows must be a matrix with the tree's {self.n_columns} columns, not of shape "
                f"{matrix.shape}"
            )
        covered = np.ones(len(matrix), dtype=np.bool_)
        for part in self.parts:
            covered &= part.covers(matrix)
        return covered

    def share(self, X: Any) -> float:
        """Return the share of the rows that it covers."""
        covered = self.covers(X)
        if len(covered) == 0:
            raise ValueError("there are no rows, so no share of them is covered: give at least one")
        return float(covered.mean())

    def __str__(self) -> str:
        texts = [str(part) for part in self.parts]
        if len(texts) > 1:
            texts = [f"({text})" if text.endswith(" or missing") else text for text in texts]
        return " and ".join(texts) or "(no condition)"

    def __repr__(self) -> str:
        return f"<General: {self}>"

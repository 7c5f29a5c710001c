"""Rows in every form users have them, out as plain numbers on the model's own grid.

A row may be an array, a list, a dict by name, a Series, a one-row DataFrame or a sparse row. What
comes out is float64, but already rounded to what the model rounds to (scikit-learn: float32), so
that a comparison with a float64 threshold is the model's own comparison, ties included.

pandas and scipy are recognised by what their objects can do, and never imported.
"""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from cattleya._core import on_grid
from cattleya.support.arrays import Floats
from cattleya.support.frames import as_pandas
from cattleya.support.suggestions import known_names
from cattleya.support.text import quoted, shown

__all__ = [
    "Columns",
    "RangedRows",
    "RawRows",
    "RowReader",
    "is_frame",
    "is_series",
    "is_sparse",
    "label_of",
    "match_names",
    "one_row",
    "warn_unmatched",
]


DOUBLE = np.dtype(np.float64)
TWO_DIMENSIONS = 2
ROWS_AT_ONCE = 64
NOT_A_ROW = "a row must be an array, a list, a dict, a Series or a DataFrame, not {}"


class RowReader(Protocol):
    """Turns a user's rows into numbers in the tree's columns."""

    def row(self, x: Any) -> Floats:
        """Read one row."""

    def matrix(self, X: Any) -> Floats:
        """Read any number of rows."""

    def lines(self, X: Any) -> Any:
        """Return rows in a form of which :meth:`matrix` reads a part without looking at names."""


@runtime_checkable
class RawRows(Protocol):
    """Also tells what a row was before it was transformed."""

    def raw_values(self, x: Any) -> Sequence[Any] | None:
        """Return the values of one row in the user's columns."""

    def raw_row(self, x: Any) -> Any:
        """Return a row, or several, as the model takes them: a frame or an array."""


@runtime_checkable
class RangedRows(Protocol):
    """Also tells the ranges of many rows faster than they can be read."""

    def ranges(self, X: Any) -> tuple[Floats, Floats] | None:
        """Return the least and the largest number of each of the tree's columns.

        None where :meth:`RowReader.matrix` has to look more closely.
        """


@dataclass(frozen=True)
class Columns:
    """The columns of a model that takes numbers.

    ``names`` is None where the model knows none: its columns are then known by their place, and
    in a dict by ``x0``, ``x1`` and so on. ``labels`` gives what messages call them all the same.
    """

    names: tuple[str, ...] | None
    count: int
    dtype: str = "float64"
    boolean: tuple[int, ...] = ()
    takes_missing: bool = False
    takes_infinite: bool = False
    labels: Callable[[], Sequence[str]] | None = field(default=None, repr=False, compare=False)
    _grid: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_grid", np.dtype(self.dtype))

    def name(self, column: int) -> str:
        """Return a column's name for an error message."""
        if self.names is not None:
            return self.names[column]
        return f"x{column}" if self.labels is None else self.labels()[column]

    def row(self, x: Any) -> Floats:
        """Read one row; ``ValueError`` or ``TypeError`` names the offender."""
        if type(x) is np.ndarray and x.ndim == 1:
            return self._numbers(x)
        if is_frame(x) or is_sparse(x):  # before Mapping: scipy has sparse dictionaries
            return one_row(self.matrix(x))
        if isinstance(x, list) and len(x) == 1 and isinstance(x[0], Mapping):
            x = x[0]
        if isinstance(x, Mapping):
            values = self._by_name(x)
            return self._cast(_as_array(values), values)
        if is_series(x):
            x = self._series_in_order(x)
            return self._cast(np.asarray(x), None, x)
        values = _listed(x)
        array = _as_array(values)
        if array.ndim == TWO_DIMENSIONS:
            return one_row(self._cast(array, None, values))
        if array.ndim != 1:
            if array.ndim == 0:
                raise TypeError(NOT_A_ROW.format(shown(x)))
            raise ValueError(f"a row must be one-dimensional, not of shape {array.shape}")
        return self._cast(array, values, values)

    def _numbers(self, x: npt.NDArray[Any]) -> Floats:
        """Read one row from an array: of doubles that are all finite, as usual, in one step."""
        if x.dtype == DOUBLE and len(x) == self.count and not self.boolean:
            found = on_grid(x, self._grid != DOUBLE)
            if len(found) == self.count:
                return found
        return self._cast(x, x)

    def matrix(self, X: Any) -> Floats:
        """Read any number of rows."""
        if is_sparse(X):
            return self._from_sparse(X)
        if is_frame(X):
            frame = self._frame_in_order(as_pandas(X))
            return self._cast(np.asarray(frame), None, frame)
        if isinstance(X, Mapping) or is_series(X):
            return self.row(X)[None, :]
        values = _listed(X)
        array = _as_array(values)
        if array.ndim == 1 and array.size == 0:
            array = array.reshape(0, self.count)
        if array.ndim == 1 and isinstance(values, list):
            self._check_lengths(values)
        if array.ndim == TWO_DIMENSIONS and array.dtype.kind in "US" and isinstance(values, list):
            array = np.array(values, dtype=object)  # what was given, not what numpy made of it
        if array.ndim != TWO_DIMENSIONS:
            raise ValueError(
                f"rows must be two-dimensional, one row per line, not of shape {array.shape}; "
                f"give a single row as [row]"
            )
        return self._cast(array, None, values)

    def ranges(self, X: Any) -> tuple[Floats, Floats] | None:
        """Return the least and the largest number of each column of an array or frame of doubles.

        None where a number is missing or infinite, and for anything else.
        """
        if self.names is not None and is_frame(X):
            X = self.lines(X)
        if type(X) is not np.ndarray or X.dtype != DOUBLE or X.shape[1:] != (self.count,):
            return None
        if not X.size or self.boolean:
            return None
        ends = np.array([_over_rows(np.minimum, X), _over_rows(np.maximum, X)])
        with np.errstate(over="ignore"):  # what is rounded keeps its order
            low, high = ends.astype(self._grid).astype(np.float64) + 0.0
        return (low, high) if np.isfinite([low, high]).all() else None

    def lines(self, X: Any) -> Any:
        """Return a frame as an array in the model's order; anything else as it is."""
        if not is_frame(X):
            return X
        frame = self._frame_in_order(as_pandas(X))
        array = np.asarray(frame)
        return frame if array.dtype.kind == "O" and hasattr(frame, "iloc") else array

    def _check_lengths(self, rows: list[Any]) -> None:
        """Name the first of several rows that is not as long as the model takes it."""
        for number, row in enumerate(rows):
            if isinstance(row, (list, tuple, np.ndarray)) and len(row) != self.count:
                raise ValueError(
                    f"row {number} has {len(row)} values, but the model takes {self.count} features"
                )

    def _by_name(self, x: Mapping[Any, Any]) -> list[Any]:
        names = self.names or tuple(f"x{i}" for i in range(self.count))
        match_names(x.keys(), names)
        return [x[name] for name in names]

    def _series_in_order(self, x: Any) -> Any:
        labels = list(x.index)
        if self.names is not None and any(isinstance(label, str) for label in labels):
            match_names(labels, self.names)
            x = x[list(self.names)]
        elif any(isinstance(label, str) for label in labels):
            warn_unmatched()
        return x

    def _frame_in_order(self, X: Any) -> Any:
        labels = list(X.columns)
        if self.names is not None and any(isinstance(label, str) for label in labels):
            match_names(labels, self.names)
            return X[list(self.names)]
        if any(isinstance(label, str) for label in labels):
            warn_unmatched()
        return X

    def _from_sparse(self, X: Any) -> Floats:
        if len(X.shape) == 1:
            X = X.reshape(1, -1)
        X = X.tocsr() if len(X.shape) == TWO_DIMENSIONS else X
        if np.isnan(X.data).any():
            raise ValueError("a sparse row must not hold NaN: scikit-learn accepts none there")
        return self._cast(X.toarray(), None)

    def _cast(self, array: npt.NDArray[Any], given: Any, source: Any = None) -> Floats:
        """Check the length, the kind and the range of the numbers, and round them to the grid.

        ``source`` is the list, the Series or the frame that they come from.
        """
        if array.ndim > TWO_DIMENSIONS or (array.ndim > 1 and isinstance(given, list)):
            raise ValueError(f"a row must hold single numbers, not arrays of shape {array.shape}")
        if array.shape[-1] != self.count:
            raise ValueError(
                f"the row has {array.shape[-1]} values, but the model takes {self.count} features"
            )
        if self.names is None and self.labels is None and hasattr(source, "columns"):
            labels = tuple(map(str, source.columns))  # the user's, though the model knows none
            return replace(self, labels=lambda: labels)._cast(array, given, source)
        if array.dtype.kind not in "fiub":
            array = self._numbers_only(array, given)
        result: Floats = self._rounded(array, source).astype(np.float64)
        result += 0.0  # which makes -0.0 zero: one value has one text
        if not np.isfinite(result).all():
            self._check_finite(array, result)
        if self.boolean:
            self._check_boolean(result)
        return result

    def _rounded(self, array: npt.NDArray[Any], source: Any) -> npt.NDArray[Any]:
        """Round to the grid as scikit-learn does: a whole number is rounded once or twice.

        A list goes there value by value, and a frame of columns of several kinds by column, as
        does a Series of one kind that numpy does not have.
        """
        if array.dtype == self._grid:
            return array
        of_numpy = isinstance(getattr(source, "dtype", array.dtype), np.dtype)
        with np.errstate(over="ignore"):
            with suppress(TypeError, ValueError, OverflowError):
                if isinstance(source, list) and array.size:
                    return np.asarray(source, dtype=self._grid)
                if (array.dtype.kind == "O" or not of_numpy) and hasattr(source, "iloc"):
                    return np.asarray(source.astype(self._grid))
            return array.astype(self._grid)

    def _numbers_only(self, array: npt.NDArray[Any], given: Any) -> npt.NDArray[Any]:
        """Return an array of some other kind as numbers, or name what is none."""
        if array.dtype.kind in "mM" and array.size:  # which would be numbers of nanoseconds
            raise TypeError(self._no_number(array.reshape(-1)[0], 0))
        if array.dtype.kind != "O" and isinstance(given, (list, tuple)):
            # numpy made one kind of a mixed list; look at what was really given.
            array = np.array(given, dtype=object)
        values = array.astype(object)  # a copy: the user's own array stays as it is
        for place, value in np.ndenumerate(values):
            values[place] = self._number(value, place[-1])
        return values

    def _number(self, value: Any, column: int) -> Any:
        if value is None or type(value).__name__ == "NAType":
            return math.nan
        if isinstance(value, (numbers.Real, Decimal, np.bool_)):
            try:
                float(value)
            except ValueError:
                raise ValueError(
                    f"{self.name(column)!r} is {value!r}, which is not a number; give None where "
                    f"it is missing"
                ) from None
            except OverflowError:
                raise ValueError(
                    f"{self.name(column)!r} is {shown(value)}, which is too large for a "
                    f"{self.dtype} number; correct it"
                ) from None
            return value
        raise TypeError(self._no_number(value, column))

    def _no_number(self, value: Any, column: int) -> str:
        return (
            f"{self.name(column)!r} is {shown(value)}, but the model takes a number there; "
            f"correct it, or encode it as the model was trained (a Pipeline does)"
        )

    def _check_finite(self, array: npt.NDArray[Any], result: Floats) -> None:
        infinite = np.argwhere(np.isinf(result))
        if infinite.size and not self.takes_infinite:
            place = tuple(infinite[0])
            raise ValueError(
                f"{self.name(int(place[-1]))!r} is {array[place]}, which is not a finite "
                f"{self.dtype} number; correct it, or leave it missing where the model takes that"
            )
        missing = np.argwhere(np.isnan(result))
        if missing.size and not self.takes_missing:
            columns = sorted({int(place[-1]) for place in missing})
            raise ValueError(
                f"{quoted([self.name(c) for c in columns])} is missing (NaN), but the model "
                f"takes no missing values; fill it in, or train on data with missing values"
            )

    def _check_boolean(self, result: Floats) -> None:
        values = result[..., list(self.boolean)] if len(self.boolean) < self.count else result
        wrong = np.argwhere((values != 0) & (values != 1) & ~np.isnan(values))
        if wrong.size:
            column = self.boolean[int(wrong[0][-1])]
            raise ValueError(
                f"{self.name(column)!r} is {values[tuple(wrong[0])]}, but it is a Boolean "
                f"variable: give 0 or 1"
            )


def _over_rows(reduced: np.ufunc, X: Floats) -> Floats:
    """Reduce each column of an array to a number; NaN where there is one."""
    if X.flags.c_contiguous:  # of few columns, numpy is ten times as fast with long lines
        many = len(X) - len(X) % ROWS_AT_ONCE
        lines = X[:many].reshape(-1, ROWS_AT_ONCE * X.shape[1])
        if len(lines):
            X = np.concatenate((reduced.reduce(lines).reshape(ROWS_AT_ONCE, -1), X[many:]))
    found: Floats = reduced.reduce(X)
    return found


def match_names(given: Any, expected: Sequence[str]) -> None:
    """Refuse names that are unknown, missing, or there twice."""
    labels = list(given)
    known = set(expected)
    if unknown := [label for label in labels if label not in known]:
        lined = [str(label).replace(" ", "_") for label in unknown]
        if known.issuperset(lined):
            raise ValueError(
                f"unknown feature {quoted(unknown)}: the model has underscores for the spaces, as "
                f"LightGBM writes names; rename the columns, to {lined[0]!r} and so on"
            )
        raise ValueError(
            f"unknown feature {quoted(unknown)}; the model knows "
            f"{known_names(unknown, list(expected))}"
        )
    if missing := [name for name in expected if name not in set(labels)]:
        plural = "s" if len(missing) > 1 else ""
        raise ValueError(
            f"the row lacks the feature{plural} {quoted(missing)}; give None where it is missing"
        )
    if len(labels) != len(known):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise ValueError(f"the feature {shown(twice)} is there twice; keep one")


def is_series(x: Any) -> bool:
    """Tell a pandas Series by its looks."""
    return hasattr(x, "index") and hasattr(x, "to_frame") and not hasattr(x, "columns")


def is_frame(x: Any) -> bool:
    """Tell a DataFrame by its looks."""
    return hasattr(x, "columns") and hasattr(x, "shape") and hasattr(x, "__array__")


def is_sparse(x: Any) -> bool:
    """Tell a scipy sparse matrix or array by its looks."""
    return hasattr(x, "toarray") and hasattr(x, "nnz")


def label_of(x: Any) -> Any:
    """Return what a row is called in the table that it was taken from; None where it is in none.

    Of a one-row frame the label of the row, of a Series its name, which is that label.
    """
    if type(x) is np.ndarray:  # the usual case costs nothing
        return None
    if is_series(x):
        return x.name
    return x.index[0] if is_frame(x) and hasattr(x, "index") and len(x) == 1 else None


def one_row(matrix: Floats) -> Floats:
    """Return the one row of a matrix; refuse more, and none."""
    if len(matrix) != 1:
        raise ValueError(f"explain takes one row, but {len(matrix)} were given; call it for each")
    row: Floats = matrix[0]
    return row


def warn_unmatched() -> None:
    """Warn that names were given to a model that knows none."""
    warnings.warn(
        "the row has feature names, but the model was trained without; its values are taken in "
        "the order given",
        UserWarning,
        stacklevel=5,
    )


def _listed(x: Any) -> Any:
    if isinstance(x, (str, bytes)) or x is None or isinstance(x, (numbers.Number, set, frozenset)):
        raise TypeError(NOT_A_ROW.format(shown(x)))
    if isinstance(x, Iterator):
        raise TypeError(f"a row must be an array, a list or a dict, not {shown(x)}; use list(...)")
    if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
        raise TypeError(
            f"the row {shown(x)} is masked, and a mask would be lost; give x.filled(numpy.nan) "
            f"where masked means missing"
        )
    return list(x) if isinstance(x, (tuple, range)) else x


def _as_array(values: Any) -> npt.NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError:
        # Unequal lengths inside: one by one, so that the offender can be named.
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array

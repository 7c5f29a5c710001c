"""Raw rows of a pipeline: into the form it was fitted on, through its steps, out as numbers.

What ``pipeline.predict`` takes in a DataFrame is taken here in every form: a dict or a Series is a
frame of one line, an array stays the array it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from cattleya.model.domain.number import Number
from cattleya.model.tree.rows import (
    NOT_A_ROW,
    TWO_DIMENSIONS,
    RowReader,
    is_frame,
    is_series,
    is_sparse,
    match_names,
    one_row,
    warn_unmatched,
)
from cattleya.support.arrays import Floats
from cattleya.support.frames import as_pandas
from cattleya.support.suggestions import known_names
from cattleya.support.text import quoted, shown

if TYPE_CHECKING:
    from cattleya.model.domain.domain import Domain

__all__ = ["PipelineRows", "RawColumns"]


class Behind(Protocol):
    """The model behind the steps of a pipeline: a tree, or an ensemble."""

    @property
    def row_dtype(self) -> str:
        """What rows are cast to before they meet a threshold."""

    @property
    def tested(self) -> frozenset[int]:
        """The columns that some node tests."""

    def classes_of(self, numbers: Floats) -> Any:
        """Return what is decided about each of several rows of numbers."""


@dataclass(frozen=True)
class RawColumns:
    """The columns that a user gives to a model which has others inside.

    ``names`` and ``count`` are theirs; ``count`` is None where a pipeline's first step does not
    take columns at all, but texts or dicts (a ``TfidfVectorizer``, a ``DictVectorizer``).
    ``fitted_on_frame`` tells whether the model takes frames.
    """

    names: tuple[str, ...] | None
    count: int | None
    fitted_on_frame: bool

    def lines(self, X: Any) -> Any:
        """Return rows as they are: they are for the pipeline to look at."""
        return X

    def raw_row(self, x: Any) -> Any:
        """Return a row, or several, as the pipeline takes them: a frame or an array."""
        return None if self.count is None else self._raw(x)

    def raw_values(self, x: Any) -> list[Any] | None:
        """Return the values of one row in the raw columns; None where there are no columns."""
        if self.count is None:
            return None
        raw = self._raw(x)
        if is_frame(raw):
            # Not all may be there: a pipeline does without the columns that it drops.
            at = {name: place for place, name in enumerate(raw.columns)}
            return [raw.iloc[0, at[n]] if n in at else math.nan for n in self.names or ()]
        if is_sparse(raw):
            raw = raw.toarray()
        return list(raw[0])

    def _raw(self, X: Any) -> Any:
        if is_sparse(X):
            return X.reshape(1, -1) if len(X.shape) == 1 else X
        if is_frame(X):
            return self._frame(as_pandas(X))
        if isinstance(X, list) and len(X) == 1 and isinstance(X[0], Mapping):
            X = X[0]
        if is_series(X) and not any(isinstance(label, str) for label in X.index):
            X = X.tolist()
        if isinstance(X, Mapping) or is_series(X):
            return self._named(X)
        array = X if isinstance(X, np.ndarray) else _array(X)
        if array.ndim == 1:
            array = array[None, :]
        if array.ndim != TWO_DIMENSIONS:
            raise ValueError(f"rows must be two-dimensional, not of shape {array.shape}")
        if array.shape[1] != self.count:
            raise ValueError(
                f"the row has {array.shape[1]} values, but the pipeline takes {self.count} columns"
            )
        if not self.fitted_on_frame:
            return array
        import pandas as pd

        try:
            return pd.DataFrame(array, columns=list(self.names or ())).infer_objects()
        except OverflowError:  # before pandas 3: a whole number too large for a float
            return pd.DataFrame(array, columns=list(self.names or ()), dtype=object)

    def _frame(self, X: Any) -> Any:
        if self.names is None:
            if any(isinstance(label, str) for label in X.columns):
                warn_unmatched()
            return np.asarray(X)
        if set(X.columns) == set(self.names) and len(X.columns) == len(self.names):
            X = X[list(self.names)]
        elif not self.fitted_on_frame:
            match_names(X.columns, self.names)
        # Otherwise it is for the pipeline to say whether it can do with these columns.
        return X if self.fitted_on_frame else np.asarray(X)

    def _named(self, X: Any) -> Any:
        """Turn a dict or a Series into one line."""
        if self.names is None and is_series(X):
            warn_unmatched()
            return self._raw(X.tolist())
        if self.fitted_on_frame:
            import pandas as pd

            # In a frame, columns that the pipeline ignores do no harm; in a dict, they are typos.
            if unknown := [name for name in dict(X.items()) if name not in (self.names or ())]:
                raise ValueError(
                    f"unknown feature {quoted(unknown)}; the model knows "
                    f"{known_names(unknown, self.names or ())}"
                )
            if is_series(X) and getattr(X.dtype, "kind", "O") in "fiub":
                return self._frame(X.to_frame().T)  # in as many bits
            return self._frame(pd.DataFrame([dict(X.items())]))
        names = self.names or tuple(f"x{i}" for i in range(self.count or 0))
        match_names(X.keys(), names)
        return _array([X[name] for name in names])[None, :]


@dataclass(frozen=True)
class PipelineRows(RawColumns):
    """Reads rows as they are before the pipeline's transformations.

    ``model`` is the tree behind, and ``trace`` finds the user's columns behind its own.
    """

    transformer: Any
    transformed: RowReader
    model: Behind
    trace: Callable[[], Domain]

    def row(self, x: Any) -> Floats:
        """Read one row."""
        if self.count is None and isinstance(x, (str, Mapping)):
            x = [x]
        return one_row(self.matrix(x))

    def matrix(self, X: Any) -> Floats:
        """Read any number of rows."""
        raw = X if self.count is None else self._raw(X)
        if len(getattr(raw, "shape", ())) == TWO_DIMENSIONS and raw.shape[0] == 0:
            return self.transformed.matrix([])  # scikit-learn transforms at least one row
        try:
            transformed = self.transform(raw)
        except (ValueError, TypeError, AttributeError, KeyError, OverflowError) as error:
            if is_frame(raw) and self.names is not None:
                match_names(raw.columns, self.names)
            raise ValueError(
                f"the pipeline cannot transform {self._given(raw)}{self._culprits(raw, error)}: "
                f"{error}; give rows as it was fitted on"
            ) from error
        if is_frame(transformed):  # whose names are not those that the user knows
            as_array = not hasattr(transformed, "set_axis")
            places = range(transformed.shape[1])
            transformed = (
                np.asarray(transformed) if as_array else transformed.set_axis(places, axis=1)
            )
        return self._as_said(raw, self.transformed.matrix(transformed))

    def _as_said(self, raw: Any, result: Floats) -> Floats:
        """Return the rows as a dense row of 64 bits would be: what is said of them is about that.

        A scaler computes in as many bits as it is given. Next to a threshold, a number of 32 bits
        may so come to lie on its other side: what is said would be false there. It is refused only
        where the class depends on it.
        """
        said = result
        for place, given in self._otherwise_computed(raw):
            for number in self._scaled[place]:
                seen = number.to_tree(given.astype(np.float64), self.model.row_dtype)
                own, known = result[:, number.column], ~np.isnan(given)
                if is_sparse(raw) and (far := known & ~np.isclose(seen, own, 1e-4, 1e-4)).any():
                    raise ValueError(
                        f"{number.name!r} is {given[far][0]} in a sparse row, which the "
                        f"pipeline transforms differently from a dense one; give X.toarray()"
                    )
                said = result.copy() if said is result else said
                said[known, number.column] = seen[known]
        if said is not result:
            self._check_same_class(raw, result, said)
        return said

    def _check_same_class(self, raw: Any, result: Floats, said: Floats) -> None:
        wrong = np.flatnonzero(self.model.classes_of(result) != self.model.classes_of(said))
        if wrong.size:
            moved = set(np.flatnonzero(result[wrong[0]] != said[wrong[0]]).tolist())
            told = [
                f"{number.name!r} is {given[wrong[0]]}"
                for place, given in self._otherwise_computed(raw)
                for number in self._scaled[place]
                if number.column in moved
            ]
            raise ValueError(
                f"{' and '.join(told)} in numbers of 32 bits or fewer: with these, the pipeline "
                f"rounds to another side of a threshold than with 64, and the class depends on it; "
                f"give rows of 64 bits, as X.astype('float64')"
            )

    def _otherwise_computed(self, raw: Any) -> Iterator[tuple[int, npt.NDArray[Any]]]:
        """Give the columns of fewer than 64 bits, or of a sparse row, that are computed with."""
        if is_sparse(raw):
            raw = raw.tocsc()  # not every form of them has columns
        for place in self._scaled if self._may_differ(raw) else ():
            if is_sparse(raw):
                yield place, raw[:, [place]].toarray()[:, 0]
            elif not is_frame(raw):
                yield place, raw[:, place]
            elif _is_narrow(raw.dtypes.get((self.names or ())[place])):
                yield place, np.asarray(raw[(self.names or ())[place]])

    def _may_differ(self, raw: Any) -> bool:
        if is_frame(raw):
            return hasattr(raw.dtypes, "get") and any(map(_is_narrow, raw.dtypes))
        return is_sparse(raw) or (isinstance(raw, np.ndarray) and _is_narrow(raw.dtype))

    @cached_property
    def _scaled(self) -> dict[int, list[Number]]:
        """The numbers that the tree tests behind a user's column that is computed with."""
        found: dict[int, list[Number]] = {}
        tested = self.model.tested
        for attribute in self.trace().attributes:
            if not isinstance(attribute, Number) or attribute.column not in tested:
                continue
            if attribute.steps and attribute.raw:
                found.setdefault(attribute.raw[0], []).append(attribute)
        return found

    def transform(self, raw: Any) -> Any:
        """Transform; a missing cell may belong to a column of texts or of numbers.

        A frame made of one row cannot tell: such a column is first given as objects, which both
        kinds of transformers take, and as numbers where one does not.
        """
        if is_frame(raw):
            # Looking at each column by itself would cost as much as the transformation.
            missing = np.asarray(raw.isna())
            empty = raw.columns[missing.all(axis=0)] if missing.any() else []
            if any(raw[name].dtype != object for name in empty):
                try:
                    return self.transformer.transform(raw.astype(dict.fromkeys(empty, object)))
                except (ValueError, TypeError):
                    pass
        return self.transformer.transform(raw)

    def _given(self, raw: Any) -> str:
        """Name the row, where it is one."""
        if is_frame(raw) and len(raw) == 1:
            return f"the row {shown(raw.iloc[0].to_dict())}"
        if isinstance(raw, np.ndarray) and len(raw) == 1:
            return f"the row {shown(raw[0].tolist())}"
        return "the row"

    def _culprits(self, raw: Any, error: Exception) -> str:
        """Name the columns whose value the error is about, as far as that can be told."""
        message = str(error)
        if is_frame(raw):
            names, values = list(raw.columns), raw.iloc[0].tolist() if len(raw) else []
        elif isinstance(raw, np.ndarray) and raw.ndim > 1 and len(raw):
            names = list(self.names or (f"x{i}" for i in range(raw.shape[1])))
            values = raw[0].tolist()
        else:
            return ""
        found = [
            name for name, value in zip(names, values, strict=True) if _is_about(message, value)
        ]
        return f" ({quoted(found)})" if found else ""


def _is_narrow(dtype: Any) -> bool:
    return getattr(dtype, "kind", "") == "f" and dtype.itemsize < np.dtype(np.float64).itemsize


def _is_about(message: str, value: Any) -> bool:
    if isinstance(value, str):
        return f"'{value}'" in message
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "NaN" in message or "isnan" in message
    return isinstance(value, float) and math.isinf(value) and "infinity" in message


def _array(X: Any) -> Any:
    """Return a list as an array that keeps each value's own type."""
    if isinstance(X, (str, bytes)) or not isinstance(X, Sequence):
        raise TypeError(NOT_A_ROW.format(shown(X)))
    try:
        array = np.array(X)
    except ValueError:
        raise ValueError(f"rows must be of one length: {shown(X)}") from None
    return array if array.dtype.kind in "fiub" else np.array(X, dtype=object)

"""The rows of a data set as numbers, and what is wrong with those that are none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cattleya.model.tree.rows import RowReader, is_frame, is_series, is_sparse
from cattleya.support.arrays import Floats
from cattleya.support.frames import as_pandas

__all__ = ["Ids", "ReadRows", "chunks", "index_of", "n_rows", "read_rows", "taken"]

Ids = list[str | None] | None  # what names each row of a table, if anything does

BAD = (ValueError, TypeError)


@dataclass(frozen=True)
class ReadRows:
    """Rows as numbers; ``error[i]`` says why row ``i`` could not be read, if it could not.

    The numbers of such a row are meaningless.
    """

    matrix: Floats
    error: dict[int, Exception]


def n_rows(X: Any) -> int:
    """Return the number of rows; refuse what has no rows."""
    if is_sparse(X):  # before Mapping: scipy has sparse dictionaries
        return int(X.shape[0])
    if isinstance(X, (str, bytes, Mapping)) or is_series(X) or not hasattr(X, "__len__"):
        raise TypeError(
            f"rows must be a DataFrame, an array, a sparse matrix or a list of rows, not "
            f"{type(X).__name__}; give a single row as [row]"
        )
    if isinstance(X, np.ndarray) and X.ndim == 0:
        raise TypeError(f"rows must be an array of rows, not the one value {X}; give [row]")
    return len(X)


def index_of(X: Any) -> Any:
    """Return the row labels that a DataFrame has, else None."""
    return X.index if is_frame(X) and hasattr(X, "index") else None


def taken(X: Any, places: Sequence[int]) -> Any:
    """Return some rows of a data set, as it has them."""
    if is_frame(X):
        X = X if hasattr(X, "iloc") else X.to_pandas()  # of pyarrow or polars
        return X.iloc[list(places)]
    if is_sparse(X):
        return X.tocsr()[list(places)]
    return X[list(places)] if isinstance(X, np.ndarray) else [list(X)[i] for i in places]


def read_rows(reader: RowReader, X: Any, n_columns: int) -> ReadRows:
    """Read all rows; bad ones are found by halving, so that a few of them cost little."""
    count = n_rows(X)
    matrix = np.full((count, n_columns), np.nan)
    try:
        X = reader.lines(as_pandas(X))
    except BAD as problem:  # the same for every row, such as a column that is not there
        return ReadRows(matrix, dict.fromkeys(range(count), problem))
    error: dict[int, Exception] = {}
    open_ = [(0, count)] if count else []
    while open_:
        first, last = open_.pop()
        try:
            matrix[first:last] = _read(reader, X, first, last)
        except BAD as problem:
            if last - first == 1:
                error[first] = problem
            else:
                middle = (first + last) // 2
                open_ += [(middle, last), (first, middle)]
    return ReadRows(matrix, error)


def _read(reader: RowReader, X: Any, first: int, last: int) -> Floats:
    if is_frame(X):
        return reader.matrix(X.iloc[first:last])
    if isinstance(X, np.ndarray) or is_sparse(X):
        part = X[first:last] if not is_sparse(X) else X.tocsr()[first:last]
        return reader.matrix(part)
    rows = list(X[first:last]) if isinstance(X, Sequence) else list(X)[first:last]
    if len(rows) == 1 or any(isinstance(row, Mapping) or is_series(row) for row in rows):
        return np.array([reader.row(row) for row in rows])
    return reader.matrix(rows)


def chunks(count: int, size: int) -> Iterator[range]:
    """Cut the numbers up to ``count`` into ranges of at most ``size``."""
    for first in range(0, count, size):
        yield range(first, min(first + size, count))

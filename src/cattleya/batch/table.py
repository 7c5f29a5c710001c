"""Answers about many rows as a table: a pandas DataFrame, or pyarrow on request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cattleya.batch.reading import index_of
from cattleya.batch.run import Columns, explained
from cattleya.batch.task import Task, checked_task, columns_of
from cattleya.explain.context import ModelContext
from cattleya.explain.questions import Kind
from cattleya.support.progress import Advance

if TYPE_CHECKING:
    import pandas as pd


__all__ = ["explain_all", "frame_of"]

OUTPUTS = ("pandas", "pyarrow")


def explain_all(
    context: ModelContext,
    X: Any,
    want: Sequence[str],
    *,
    n_jobs: int | None,
    timeout: float | None,
    progress: bool,
    errors: str,
    exclude: Iterable[Any],
    immutable: Iterable[Any],
    contrasts: int,
    output: str,
) -> Any:
    """Explain every row of ``X``."""
    if output not in OUTPUTS:
        raise ValueError(f"output must be 'pandas' or 'pyarrow', not {output!r}")
    task = checked_task(context, want, timeout, errors, exclude, immutable, contrasts)
    if output == "pyarrow":
        from cattleya.batch.arrow import as_arrow

        return as_arrow(context, X, task, n_jobs, progress)
    return frame_of(context, X, task, n_jobs, progress)


def frame_of(
    context: ModelContext, X: Any, task: Task, n_jobs: int | None, progress: bool | Advance
) -> pd.DataFrame:
    """Explain every row of ``X``, as a DataFrame with its index."""
    import pandas as pd

    found = explained(context, X, task, n_jobs, progress, by_column)
    columns = {}
    for column in columns_of(task):
        values = [value for block in found.blocks for value in block[column.name]]
        taken = _values(column.kind, values).take(found.kind)
        # With its type said: pandas 3 would take text for text only, and what is missing for NaN.
        columns[column.name] = pd.Series(taken, dtype=taken.dtype)
    frame = pd.DataFrame(columns, index=pd.RangeIndex(len(found.kind)))
    index = index_of(X)
    return frame if index is None else frame.set_axis(index)


def by_column(context: ModelContext, task: Task, columns: Columns) -> Columns:
    """Return answers as they are."""
    return columns


def _values(kind: Kind, values: list[Any]) -> Any:
    """Return a column: whole numbers that may be missing stay whole; counts are Python's own."""
    import pandas as pd

    if kind is Kind.SMALL:
        return pd.array(values, dtype="Int64")
    if kind is Kind.SECONDS:
        return np.array(values, dtype=np.float64)
    if kind is Kind.FLAG:
        return pd.array(values, dtype="boolean")
    if kind is Kind.LABEL and values and len({type(value) for value in values}) == 1:
        return pd.Series(values).to_numpy() if values[0] is not None else _objects(values)
    return _objects(values)


def _objects(values: list[Any]) -> Any:
    made = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):  # not at once: numpy would look into tuples
        made[place] = value
    return made

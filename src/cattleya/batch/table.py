"""Answers about many rows as a table: a pandas DataFrame, or pyarrow on request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cattleya.batch.progress import progress_bar
from cattleya.batch.questions import checked_questions
from cattleya.batch.reading import index_of, read_rows
from cattleya.batch.run import Block, Columns, Found, Make, Task, columns_of, explain_parts
from cattleya.explain.context import ModelContext
from cattleya.support.guards import is_whole
from cattleya.support.limits import Deadline
from cattleya.support.text import shown

if TYPE_CHECKING:
    import pandas as pd


__all__ = ["WHOLE", "checked_task", "explain_all", "explained"]

#: Columns of whole numbers that are small.
WHOLE = (
    "sufficient_size", "minimal_size", "contrastive_size", "contrastive_count", "necessary_count",
    "relevant_count",
)  # fmt: skip  # a list in few lines
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
    context: ModelContext, X: Any, task: Task, n_jobs: int | None, progress: bool
) -> pd.DataFrame:
    """Explain every row of ``X``, as a DataFrame with its index."""
    import pandas as pd

    found = explained(context, X, task, n_jobs, progress, by_column)
    columns = {}
    for name in columns_of(task):
        values = [value for block in found.blocks for value in block[name]]
        taken = _column(name, values).take(found.kind)
        # With its type said: pandas 3 would take text for text only, and what is missing for NaN.
        columns[name] = pd.Series(taken, dtype=taken.dtype)
    frame = pd.DataFrame(columns, index=pd.RangeIndex(len(found.kind)))
    index = index_of(X)
    return frame if index is None else frame.set_axis(index)


def by_column(context: ModelContext, task: Task, columns: Columns) -> Columns:
    """Return answers as they are."""
    return columns


def explained(
    context: ModelContext,
    X: Any,
    task: Task,
    n_jobs: int | None,
    progress: bool,
    make: Make[Block],
) -> Found[Block]:
    """Return the answers about each row of ``X``."""
    _check_jobs(n_jobs)
    rows = read_rows(context.model.rows, X, context.tree.n_features)
    with progress_bar("explaining", lambda: len(rows.matrix), progress) as advance:
        return next(explain_parts(context, [rows], task, n_jobs, make, advance))


def checked_task(
    context: ModelContext,
    want: Sequence[str],
    timeout: float | None = None,
    errors: str = "row",
    exclude: Iterable[Any] = (),
    immutable: Iterable[Any] = (),
    contrasts: int = 5,
    protected: Iterable[Any] = (),
) -> Task:
    """Return what is asked of every row; refuse what makes no sense for any row."""
    Deadline(timeout)
    if errors not in ("row", "raise"):
        raise ValueError(f"errors must be 'row' or 'raise', not {errors!r}")
    if not is_whole(contrasts) or contrasts < 0:
        raise ValueError(f"contrasts must be a whole number, 0 or more, not {shown(contrasts)}")
    named: dict[str, tuple[Any, ...]] = {}
    for what, features in (
        ("exclude", exclude), ("immutable", immutable), ("protected", protected),
    ):  # fmt: skip  # a list in few lines
        if isinstance(features, (str, bytes)) or not isinstance(features, Iterable):
            raise TypeError(f"{what} must be a list of features, not {features!r}")
        named[what] = tuple(features)
        context.features.check(what, named[what])
    return Task(
        checked_questions(want), timeout, int(contrasts), named["exclude"], named["immutable"],
        errors == "raise", named["protected"],
    )  # fmt: skip  # a list in few lines


def _check_jobs(n_jobs: int | None) -> None:
    if n_jobs is None:
        return
    if not is_whole(n_jobs):
        raise TypeError(f"n_jobs must be a whole number or None, not {shown(n_jobs)}")
    if n_jobs == 0:
        raise ValueError("n_jobs must be 1 or more, or -1 for as many as there are cores, not 0")


def _column(name: str, values: list[Any]) -> Any:
    """Return a column: whole numbers that may be missing stay whole; counts are Python's own."""
    import pandas as pd

    if name in WHOLE:
        return pd.array(values, dtype="Int64")
    if name == "seconds":
        return np.array(values, dtype=np.float64)
    if name == "needs_protected":
        return pd.array(values, dtype="boolean")
    if name == "prediction" and values and None not in values:
        return pd.Series(values).to_numpy()
    return _objects(values)


def _objects(values: list[Any]) -> Any:
    made = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):  # not at once: numpy would look into tuples
        made[place] = value
    return made

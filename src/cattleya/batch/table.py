"""Answers about many rows as a table: a pandas DataFrame, or pyarrow on request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from cattleya.batch.questions import QUESTIONS, Answers, checked_questions
from cattleya.batch.reading import index_of, read_rows
from cattleya.batch.running import Task, explain_rows
from cattleya.limits import Deadline

if TYPE_CHECKING:
    import pandas as pd

    from cattleya.explainer import Explainer

__all__ = ["columns_of", "explain_all"]

ALWAYS = ("prediction", "status", "error", "seconds")


def columns_of(want: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a table of answers, in order."""
    answers = [column for name in want for column in QUESTIONS[name].columns]
    return ("prediction", "status", "error", *answers, "seconds")


def explain_all(
    explainer: Explainer,
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
) -> pd.DataFrame:
    """Explain every row of ``X``."""
    import pandas as pd

    from cattleya.batch.progress import watched

    Deadline(timeout)
    task = checked_task(want, timeout, errors, exclude, immutable, contrasts)
    rows = read_rows(explainer.rows, X, explainer.tree.n_features)
    count = len(rows.matrix)
    found: list[Answers] = [{} for _ in range(count)]
    for number, answers in watched(explain_rows(explainer, rows, task, n_jobs), count, progress):
        found[number] = answers
    index = index_of(X)
    columns = {
        name: _column(name, [answers.get(name) for answers in found])
        for name in columns_of(task.want)
    }
    return pd.DataFrame(columns, index=pd.RangeIndex(count) if index is None else index)


def checked_task(
    want: Sequence[str],
    timeout: float | None,
    errors: str,
    exclude: Iterable[Any],
    immutable: Iterable[Any],
    contrasts: int,
) -> Task:
    """Return what is asked of every row; refuse what makes no sense."""
    if errors not in ("row", "raise"):
        raise ValueError(f"errors must be 'row' or 'raise', not {errors!r}")
    if isinstance(contrasts, bool) or not isinstance(contrasts, int) or contrasts < 0:
        raise ValueError(f"contrasts must be a whole number, 0 or more, not {contrasts!r}")
    for what, features in (("exclude", exclude), ("immutable", immutable)):
        if isinstance(features, str):
            raise TypeError(f"{what} must be a list of features, not {features!r}")
    return Task(
        checked_questions(want), timeout, contrasts, tuple(exclude), tuple(immutable),
        errors == "raise",
    )  # fmt: skip


def _column(name: str, values: list[Any]) -> Any:
    """Return a column: whole numbers that may be missing stay whole; counts are Python's own."""
    import pandas as pd

    if name.endswith("_size") or name in ("contrastive_count", "necessary_count", "relevant_count"):
        return pd.array(values, dtype="Int64")
    if name == "seconds":
        return pd.array(values, dtype="float64")
    if name == "prediction":
        return pd.Series(values).to_numpy() if None not in values else _objects(values)
    return _objects(values)


def _objects(values: list[Any]) -> Any:
    import numpy as np

    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made

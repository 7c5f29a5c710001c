"""What is asked of every row of many, and the columns that the answers fill."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cattleya.batch.reading import ReadRows
from cattleya.explain.context import ModelContext
from cattleya.explain.ensemble.explanation import NOT_COUNTED
from cattleya.explain.explaining import explain_numbers
from cattleya.explain.explanation import Explanation, count_on
from cattleya.explain.questions import QUESTIONS, Asked, Column, Kind, checked_questions
from cattleya.explain.reached import Reached
from cattleya.explain.short import CountedOn
from cattleya.support.arrays import Floats
from cattleya.support.guards import is_whole
from cattleya.support.limits import Deadline
from cattleya.support.text import shown

__all__ = ["Task", "check_jobs", "checked_task", "columns_of", "explanation_by"]


@dataclass(frozen=True)
class Task:
    """What is asked of every row."""

    want: tuple[str, ...]
    timeout: float | None
    contrasts: int
    exclude: tuple[Any, ...]
    immutable: tuple[Any, ...]
    raises: bool
    protected: tuple[Any, ...] = ()  # whether each row needs one of these features
    tells_outcome: bool = False  # whether what is explained is something else than the prediction
    of_ensemble: bool = False
    among: CountedOn | None = None  # the rows that short reasons are counted on
    reached: Reached | None = None  # the rows that other reasons are counted on

    @property
    def needs_table(self) -> bool:
        """Whether something is counted on all rows."""
        return self._is_short or self._is_reached

    @property
    def _is_short(self) -> bool:
        return any(QUESTIONS[name].is_of_table for name in self.want)

    @property
    def _is_reached(self) -> bool:
        return any(QUESTIONS[name].is_reached for name in self.want)

    def counted_on(
        self, context: ModelContext, parts: Iterable[ReadRows], *, every: bool = False
    ) -> Task:
        """Return the same, counted on all rows that can be read and that there can be.

        Rows that are alike are kept once, unless ``every`` or where short reasons are wanted.
        """
        if not self.needs_table:
            return self
        read = (np.delete(one.matrix, list(one.error), axis=0) for one in parts)
        reached = Reached.of_parts(context, read, every=every or self._is_short)
        if reached is None:
            return self
        among = CountedOn(reached.matrix) if self._is_short else None
        return replace(self, among=among, reached=reached if self._is_reached else None)

    def asked(self, timeout: float | None) -> Asked:
        """Return how its questions are asked, within some time."""
        return Asked(timeout, self.contrasts, self.reached)


def explanation_by(context: ModelContext, row: Floats, task: Task) -> Explanation:
    """Return the explanation that a task asks, with the rows that it counts on."""
    e = explain_numbers(context, row, task.exclude, task.immutable)
    among = task.among
    if among is not None:
        count_on(e, lambda: among.of(context))
    return e


def columns_of(task: Task) -> tuple[Column, ...]:
    """Return the columns of a table of answers, in order."""
    answers: list[Column] = []
    for name in task.want:
        answers += QUESTIONS[name].columns
        if task.of_ensemble and name == "sufficient":
            answers.append(Column("sufficient_open", Kind.TEXTS))  # not proved to be needed
            answers.append(Column("sufficient_features", Kind.TEXTS))
    needs = [Column("needs_protected", Kind.FLAG)] if task.protected else []
    return (
        Column("prediction", Kind.LABEL),
        *([Column("outcome", Kind.TEXT)] if task.tells_outcome else []),
        Column("status", Kind.TEXT),
        Column("error", Kind.TEXT),
        *answers,
        *needs,
        Column("seconds", Kind.SECONDS),
    )


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
    wanted = checked_questions(want)
    if context.is_ensemble:
        for name in wanted:
            if not QUESTIONS[name].of_ensembles:
                raise TypeError(f"want: {NOT_COUNTED.format(what=name)}")
    return Task(
        wanted, timeout, int(contrasts), named["exclude"], named["immutable"],
        errors == "raise", named["protected"], context.target.bound is not None,
        context.is_ensemble,
    )  # fmt: skip  # a list in few lines


def check_jobs(n_jobs: int | None) -> None:
    """Refuse what is no number of jobs."""
    if n_jobs is None:
        return
    if not is_whole(n_jobs):
        raise TypeError(f"n_jobs must be a whole number or None, not {shown(n_jobs)}")
    if n_jobs == 0:
        raise ValueError("n_jobs must be 1 or more, or -1 for as many as there are cores, not 0")

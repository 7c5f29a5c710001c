"""Rows explained one after the other, or on several cores, or on a cluster.

Rows that no condition of the tree tells apart have the same explanations, and are explained once.
Answers are kept by column, and put into the form that is wanted where they are found: the process
that gathers them has little to do, so that two workers are nearly twice as fast as one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

import numpy as np

from cattleya.batch.parallel import n_workers, shared_out
from cattleya.batch.progress import Advance, progress_bar
from cattleya.batch.reading import ReadRows, chunks, read_rows
from cattleya.batch.task import Task, check_jobs, columns_of
from cattleya.explain.context import ModelContext
from cattleya.explain.explanation import explain_numbers
from cattleya.explain.questions import QUESTIONS, Answers, Asked
from cattleya.reasons.errors import NoSuchReason
from cattleya.support.arrays import Floats, Places
from cattleya.support.errors import Cancelled, MemoryLimitExceeded, TimeoutExpired
from cattleya.support.limits import Deadline

__all__ = ["Columns", "Found", "explain_parts", "explained"]

Columns = dict[str, list[Any]]
Block = TypeVar("Block")
Make = Callable[[ModelContext, Task, Columns], Block]

CHUNK = 256  # rows that go to a worker at once, at the most: some tenths of a second
CHUNKS = 8  # for each worker, where there are rows enough: none waits long for the last
SMALLEST = 16  # rows
ROUND = 4  # parts that are under way at once: answers that nobody takes must not pile up
SHORTEST = 1e-9  # seconds: a time limit must be positive
STATUS: dict[type[Exception], str] = {
    TimeoutExpired: "timeout",
    MemoryLimitExceeded: "memory",
    MemoryError: "memory",
    NoSuchReason: "no such reason",
}


@dataclass(frozen=True)
class Found(Generic[Block]):
    """The answers about the rows of a part: those of each kind of row once.

    ``blocks`` hold the kinds one after the other; ``kind`` is that of each row.
    """

    blocks: list[Block]
    kind: Places


def explain_parts(
    context: ModelContext,
    parts: Iterable[ReadRows],
    task: Task,
    n_jobs: int | None,
    make: Make[Block],
    advance: Advance,
) -> Iterator[Found[Block]]:
    """Give the answers about each part, in order; ``make`` puts them into form, in the worker."""
    coming = iter(parts)
    while some := list(islice(coming, ROUND)):
        plans = [_plan(context, rows, task, n_workers(n_jobs)) for rows in some]
        jobs = ((chunk, task, make) for plan in plans for chunk in plan.chunks)
        blocks = shared_out(explain_chunk, context, jobs, n_jobs)
        for plan in plans:
            found = []
            for chunk in plan.chunks:
                Deadline(None).check()  # workers do not see who cancels: between two of them
                found.append(next(blocks))
                advance(chunk.n_alike)
            if plan.unreadable["status"]:
                found.append(make(context, task, plan.unreadable))
                advance(len(plan.unreadable["status"]))
            yield Found(found, plan.kind)


def explained(
    context: ModelContext,
    X: Any,
    task: Task,
    n_jobs: int | None,
    progress: bool,
    make: Make[Block],
) -> Found[Block]:
    """Return the answers about each row of ``X``."""
    check_jobs(n_jobs)
    rows = read_rows(context.model.rows, X, context.tree.n_features)
    with progress_bar("explaining", lambda: len(rows.matrix), progress) as advance:
        return next(explain_parts(context, [rows], task, n_jobs, make, advance))


@dataclass(frozen=True)
class Chunk:
    """Rows that go to a worker at once, their places, and how many rows are like one of them."""

    matrix: Floats
    places: Places
    n_alike: int


@dataclass(frozen=True)
class Plan:
    """A part, cut into chunks of different rows; what cannot be read comes after them."""

    chunks: list[Chunk]
    unreadable: Columns
    kind: Places


def _plan(context: ModelContext, rows: ReadRows, task: Task, workers: int) -> Plan:
    bad = sorted(rows.error)
    if bad and task.raises:
        problem = rows.error[bad[0]]
        raise type(problem)(f"row {bad[0]}: {problem}") from problem
    good = np.setdiff1d(np.arange(len(rows.matrix)), bad, assume_unique=True)
    first, alike = context.distinct(rows.matrix[good])
    kind = np.empty(len(rows.matrix), dtype=np.intp)
    kind[good] = alike
    kind[bad] = len(first) + np.arange(len(bad))
    size = min(CHUNK, max(SMALLEST, -(-len(first) // (CHUNKS * workers))))
    members = np.bincount(alike, minlength=len(first))
    cut = []
    for part in chunks(len(first), size):
        places = good[first[part.start : part.stop]]
        n_alike = int(members[part.start : part.stop].sum())
        cut.append(Chunk(rows.matrix[places], places, n_alike))
    problems = [_unreadable(rows.error[place]) for place in bad]
    return Plan(cut, _by_column(problems, task), kind)


def explain_chunk(context: ModelContext, chunk: Chunk, task: Task, make: Make[Block]) -> Block:
    """Explain some rows, in a worker."""
    rows = zip(chunk.places.tolist(), chunk.matrix, strict=True)
    found = [_explain_row(context, row, place, task) for place, row in rows]
    return make(context, task, _by_column(found, task))


def _by_column(found: list[Answers], task: Task) -> Columns:
    names = [column.name for column in columns_of(task)]
    return {name: [answers.get(name) for answers in found] for name in names}


def _explain_row(context: ModelContext, row: Floats, place: int, task: Task) -> Answers:
    begin = time.perf_counter()
    deadline = Deadline(task.timeout)
    answers: Answers = {"status": "ok"}
    try:
        e = explain_numbers(context, row, task.exclude, task.immutable)
        answers["prediction"] = e.prediction
        if task.timeout is not None:
            e.count("contrastive", timeout=_left(deadline))  # what all else needs
        if task.protected:
            answers["needs_protected"] = not e.is_free_of(task.protected)
        asked = Asked(None, task.contrasts)
        for name in task.want:
            if task.timeout is not None:
                deadline.check()
                asked = Asked(_left(deadline), task.contrasts)
            answers.update(QUESTIONS[name].fill(e, asked))
    except Cancelled:
        raise
    except Exception as problem:  # one bad row must never lose the others
        if task.raises:
            problem.add_note(f"row {place}")
            raise
        kinds = (status for kind, status in STATUS.items() if isinstance(problem, kind))
        answers["status"] = next(kinds, "error")
        answers["error"] = str(problem) or type(problem).__name__
    answers["seconds"] = time.perf_counter() - begin
    return answers


def _left(deadline: Deadline) -> float:
    return max(deadline.seconds(), SHORTEST)


def _unreadable(problem: Exception) -> Answers:
    return {"status": "error", "error": str(problem), "seconds": 0.0}

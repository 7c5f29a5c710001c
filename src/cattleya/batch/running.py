"""Rows explained one after the other, or on several cores, or on a cluster: by joblib.

Rows that no condition of the tree tells apart have the same explanations, and are explained once.
What crosses to another process is an explainer, rows of numbers, and plain answers.
"""

from __future__ import annotations

import pickle
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cattleya.batch.questions import QUESTIONS, Answers
from cattleya.batch.reading import ReadRows, chunks
from cattleya.errors import MemoryLimitExceeded, NoSuchReason, TimeoutExpired
from cattleya.limits import Deadline

if TYPE_CHECKING:
    from cattleya.explainer import Explainer

__all__ = ["Task", "explain_rows"]

Floats = npt.NDArray[np.float64]

CHUNK = 256  # rows that go to a worker at once: some tenths of a second
SHORTEST = 1e-9  # seconds: a time limit must be positive
STATUS: dict[type[Exception], str] = {
    TimeoutExpired: "timeout",
    MemoryLimitExceeded: "memory",
    MemoryError: "memory",
    NoSuchReason: "no such reason",
}


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


def explain_rows(
    explainer: Explainer, rows: ReadRows, task: Task, n_jobs: int | None
) -> Iterator[tuple[int, Answers]]:
    """Give the number and the answers of each row, as they are found."""
    for number, problem in sorted(rows.error.items()):
        if task.raises:
            raise type(problem)(f"row {number}: {problem}") from problem
        yield number, _unreadable(problem)
    readable = np.ones(len(rows.matrix), dtype=np.bool_)
    readable[list(rows.error)] = False
    good = np.flatnonzero(readable)
    first, same = explainer.distinct(rows.matrix[good])
    jobs = [rows.matrix[good[first[part.start : part.stop]]] for part in chunks(len(first), CHUNK)]
    members: list[list[int]] = [[] for _ in first]
    for place, group in enumerate(same.tolist()):
        members[group].append(int(good[place]))
    at = 0
    for answers in _parallel(explainer, jobs, task, n_jobs):
        for answer in answers:
            if problem := answer.pop("exception", None):
                problem.add_note(f"row {members[at][0]}")
                raise problem
            for number in members[at]:
                yield number, answer
            at += 1


def _parallel(
    explainer: Explainer, jobs: Sequence[Floats], task: Task, n_jobs: int | None
) -> Iterator[list[Answers]]:
    """Give the answers of each chunk, in order."""
    from joblib import Parallel, delayed, effective_n_jobs

    if effective_n_jobs(n_jobs) == 1 and not _elsewhere():
        yield from (explain_chunk(explainer, job, task) for job in jobs)
        return
    parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    sent = Sent(explainer)
    yield from parallel(delayed(explain_sent)(sent, job, task) for job in jobs)


def _elsewhere() -> bool:
    """Tell whether the user has chosen a backend that works on other machines."""
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    return not type(backend).__module__.startswith("joblib._parallel_backends")


class Sent:
    """An explainer on its way to a worker, which keeps it: its texts are made once, not a chunk."""

    def __init__(self, explainer: Explainer, token: str | None = None) -> None:
        self.explainer = explainer
        self._token = token or uuid.uuid4().hex

    @cached_property
    def _payload(self) -> bytes:
        return pickle.dumps(self.explainer, protocol=pickle.HIGHEST_PROTOCOL)

    def __reduce__(self) -> tuple[Any, ...]:
        return _receive, (self._token, self._payload)


_received: dict[str, Sent] = {}  # one at the most


def _receive(token: str, payload: bytes) -> Sent:
    known = _received.get(token)
    if known is None:
        known = Sent(pickle.loads(payload), token)
        _received.clear()
        _received[token] = known
    return known


def explain_sent(sent: Sent, matrix: Floats, task: Task) -> list[Answers]:
    """Explain some rows in a worker."""
    return explain_chunk(sent.explainer, matrix, task)


def explain_chunk(explainer: Explainer, matrix: Floats, task: Task) -> list[Answers]:
    """Explain some rows."""
    return [_explain_row(explainer, row, task) for row in matrix]


def _explain_row(explainer: Explainer, row: Floats, task: Task) -> Answers:
    begin = time.perf_counter()
    deadline = Deadline(task.timeout)
    answers: Answers = {"prediction": None, "status": "ok", "error": None}
    try:
        e = explainer.explain_numbers(row.copy(), task.exclude, task.immutable)
        answers["prediction"] = e.prediction
        if task.timeout is not None:
            e.count("contrastive", timeout=_left(deadline))  # what all else needs
        if task.protected:
            answers["needs_protected"] = not e.is_free_of(task.protected)
        for name in task.want:
            deadline.check()
            left = None if task.timeout is None else _left(deadline)
            answers.update(QUESTIONS[name].ask(e, left, task.contrasts))
    except Exception as problem:  # one bad row must never lose the others
        kinds = (status for kind, status in STATUS.items() if isinstance(problem, kind))
        answers["status"] = next(kinds, "error")
        answers["error"] = str(problem) or type(problem).__name__
        if task.raises:
            answers["exception"] = problem
    answers["seconds"] = time.perf_counter() - begin
    return answers


def _left(deadline: Deadline) -> float:
    return max(deadline.seconds(), SHORTEST)


def _unreadable(problem: Exception) -> Answers:
    return {"status": "error", "error": str(problem), "seconds": 0.0}

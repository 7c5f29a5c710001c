"""Who counts the sufficient reasons of a row: the library through its public API, and its peers.

A contender takes a job and a time limit, and gives the fields of a record that it can tell.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from apart import TIME_LIMIT, run_apart
from cases import Case
from timing import Row, settled

import cattleya

STARTING = 120.0  # seconds that a process may need beside its time limit
Fields = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """One row of a tree, whose explainer was made beforehand."""

    case: Case
    explainer: cattleya.Explainer
    row: Row

    def clauses(self) -> list[list[int]]:
        """Give the row's clauses over the numbers 0, 1, ..."""
        number: dict[cattleya.Condition, int] = {}
        return [
            [number.setdefault(condition, len(number)) for condition in reason]
            for reason in self.explainer.explain(self.row).contrastive()
        ]


def count(job: Job, limit: float, **options: int) -> Fields:
    """Count alone, from the row to the number."""

    def ask() -> int:
        explanation: Any = job.explainer.explain(job.row)
        return int(explanation.count(timeout=limit, **options))

    return _timed(ask, lambda n: {"count": str(n)})


def importance_and_count(job: Job, limit: float) -> Fields:
    """Weigh every condition, then count."""

    def ask() -> int:
        explanation = job.explainer.explain(job.row)
        explanation.importance(timeout=limit)
        return explanation.count(timeout=limit)

    return _timed(ask, lambda n: {"count": str(n)})


def circuit(job: Job, limit: float) -> Fields:
    """Compile the circuit, and tell its size."""
    return _timed(
        lambda: job.explainer.explain(job.row).compile(timeout=limit),
        lambda compiled: {"value": compiled.size},
    )


def two_threads(job: Job, limit: float) -> Fields:
    """Count on two cores."""
    return count(job, limit, threads=2)


def offers_threads() -> bool:
    """Tell whether the library can be asked to use more cores than one."""
    return "threads" in inspect.signature(cattleya.Explanation.count).parameters


def ganak(job: Job, limit: float) -> Fields:
    """Let Ganak count the models of the paper's CNF."""
    return _apart("ganak_worker.py", (job.clauses(), limit), limit)


def d4(job: Job, limit: float) -> Fields:
    """Let PyXAI count, which has d4 do it."""
    return _apart("d4_worker.py", (job.case.model, job.row, limit), limit)


def memory(job: Job, limit: float) -> Fields:
    """Measure the peak memory of a process that weighs and counts this row only."""
    told, trouble = run_apart(
        "memory_worker.py", (job.case.model, job.row, limit), limit + STARTING
    )
    if told is None:
        return {"trouble": trouble}
    return {"value": told["peak"], "seconds": 0.0, "trouble": told["trouble"]}


def _timed(ask: Callable[[], Any], tell: Callable[[Any], Fields]) -> Fields:
    try:
        seconds, answer = settled(ask)
    except cattleya.TimeoutExpired:
        return {"trouble": TIME_LIMIT}
    except cattleya.MemoryLimitExceeded:
        return {"trouble": "memory limit"}
    return {"seconds": seconds} | tell(answer)


def _apart(worker: str, given: object, limit: float) -> Fields:
    told, trouble = run_apart(worker, given, limit + STARTING)
    return told if told is not None else {"trouble": trouble or "no answer"}

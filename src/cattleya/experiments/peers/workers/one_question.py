"""The library on one tree and one row: the time of a question, and the memory that it takes.

Here the "rows" are the names of questions. Each is asked in a process of its own, so that the peak
of its memory is its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cattleya
from cattleya.experiments.machine import resident
from cattleya.experiments.peers.apart import TIME_LIMIT, serve
from cattleya.experiments.peers.workers.clocks import settled

QUESTIONS: dict[str, Callable[[cattleya.Explanation, float], Any]] = {
    "direct": lambda e, _: len(e.direct_reason()),
    "sufficient": lambda e, _: len(e.sufficient_reason()),
    "contrastive": lambda e, limit: e.count("contrastive", timeout=limit),
    "necessary and relevant": lambda e, _: (len(e.necessary()), len(e.relevant())),
    "minimal": lambda e, limit: len(e.minimal_reason(timeout=limit)),
    "count": lambda e, limit: e.count(timeout=limit),
    "importance": lambda e, limit: len(e.importance(timeout=limit)),
    "count minimal": lambda e, limit: e.count("minimal", timeout=limit),
    "verify": lambda e, _: bool(e.verify(e.direct_reason())),
}


def start(given: dict[str, Any]) -> Callable[[Any], dict[str, Any]]:
    """Make the explainer beforehand."""
    explainer = cattleya.Explainer(given["tree"])
    row, limit = given["row"], given["question_limit"]

    def answer(question: Any) -> dict[str, Any]:
        before = resident("VmRSS")
        try:
            seconds, _ = settled(lambda: QUESTIONS[question](explainer.explain(row), limit))
        except cattleya.TimeoutExpired:
            return {"trouble": TIME_LIMIT}
        except cattleya.MemoryLimitExceeded:
            return {"trouble": "memory limit"}
        peak = resident("VmHWM")
        return {"seconds": seconds, "bytes": max(0, peak - before), "peak": peak}

    return answer


if __name__ == "__main__":
    serve(start)

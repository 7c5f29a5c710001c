"""The library on one tree and one row: the time of a question, and the memory that it takes.

Here the "rows" are the names of questions. Each is asked in a process of its own, so that the peak
of its memory is its own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cattleya
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
        before = _memory("VmRSS")
        try:
            seconds, _ = settled(lambda: QUESTIONS[question](explainer.explain(row), limit))
        except cattleya.TimeoutExpired:
            return {"trouble": TIME_LIMIT}
        except cattleya.MemoryLimitExceeded:
            return {"trouble": "memory limit"}
        return {"seconds": seconds, "bytes": max(0, _memory("VmHWM") - before)}

    return answer


def _memory(what: str) -> int:
    """Return the resident set, now or at its peak: where Linux tells it, else what the process had.

    ``ru_maxrss`` is handed down from the process that started this one, ``VmHWM`` is not.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text().splitlines():
            if line.startswith(f"{what}:"):
                return int(line.split()[1]) * 1024
    import resource
    import sys

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    serve(start)

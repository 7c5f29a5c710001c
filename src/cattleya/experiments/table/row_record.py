"""All the questions of the paper about one row: the answers in numbers, and the time of each."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import cattleya

__all__ = ["STEPS", "RowRecord", "record"]

#: The steps in the order in which they are asked; each has its own clock and its own limit.
STEPS = (
    "contrastive",
    "sufficient",
    "features",
    "minimal",
    "count",
    "importance",
    "count minimal",
)


@dataclass
class RowRecord:
    """What is known about one row of one fold; None where a step did not finish.

    ``contrastive`` has how many contrastive explanations there are of each size. The explanatory
    importance of all conditions adds up to ``mean_size``, the mean size of a sufficient reason, and
    ``weighed`` conditions have some. ``unfinished`` says which steps stopped, and why.
    """

    data: str
    setting: str
    fold: int
    row: int
    limit: float
    contrastive: dict[int, int] | None = None
    sufficient: int | None = None
    necessary: int | None = None
    relevant: int | None = None
    minimal: int | None = None
    count: int | None = None
    mean_size: float | None = None
    weighed: int | None = None
    count_minimal: int | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    unfinished: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, int, int]:
        """Which row this is about."""
        return self.data, self.setting, self.fold, self.row


def record(
    explainer: cattleya.Explainer,
    row: Any,
    data: str,
    setting: str,
    fold: int,
    number: int,
    limit: float,
) -> RowRecord:
    """Ask everything about a row, each step within ``limit`` seconds."""
    found = RowRecord(data, setting, fold, number, limit)
    explanation: list[cattleya.Explanation] = []

    def contrastive() -> dict[str, Any]:
        # The complete reason, on which all else rests, is computed here and never again.
        e = explainer.explain(row)
        e.count("contrastive", timeout=limit)
        explanation.append(e)
        return {"contrastive": dict(sorted(Counter(map(len, e.contrastive())).items()))}

    def importance() -> dict[str, Any]:
        shares = [share for share in explanation[0].importance(timeout=limit).values() if share]
        return {"weighed": len(shares), "mean_size": float(sum(shares))}

    steps: dict[str, Callable[[], dict[str, Any]]] = {
        "contrastive": contrastive,
        "sufficient": lambda: {"sufficient": len(explanation[0].sufficient_reason())},
        "features": lambda: {
            "necessary": len(explanation[0].necessary()),
            "relevant": len(explanation[0].relevant()),
        },
        "minimal": lambda: {"minimal": len(explanation[0].minimal_reason(timeout=limit))},
        "count": lambda: {"count": explanation[0].count(timeout=limit)},
        "importance": importance,
        "count minimal": lambda: {"count_minimal": explanation[0].count("minimal", timeout=limit)},
    }
    for name, ask in steps.items():
        needs = "contrastive" if name != "importance" else "count"
        if name != "contrastive" and needs in found.unfinished:
            # Whoever weighs counts as well, and takes longer.
            found.unfinished[name] = found.unfinished[needs]
            continue
        begin = time.perf_counter()
        try:
            for key, value in ask().items():
                setattr(found, key, value)
        except cattleya.TimeoutExpired:
            found.unfinished[name] = "time"
        except cattleya.MemoryLimitExceeded:
            found.unfinished[name] = "memory"
        found.seconds[name] = time.perf_counter() - begin
    return found

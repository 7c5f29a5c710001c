"""How long reasons are: the number of facts in the shortest one over intervals, for some rows."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any

from cattleya.explain.explainer import Explainer
from cattleya.support.errors import MemoryLimitExceeded, TimeoutExpired
from cattleya.support.limits import Deadline

__all__ = ["Lengths", "reason_lengths"]

MOST_ROWS = 25  # a tree of ten thousand nodes takes about a tenth of a second per row
SECONDS_A_ROW, SECONDS_A_TREE = 10.0, 60.0


@dataclass(frozen=True)
class Lengths:
    """The median over the rows that were settled in time; None where there is none."""

    median: float | None
    settled: int
    asked: int


def reason_lengths(model: Any, rows: Any, deadline: Deadline) -> Lengths:
    """Measure reasons for at most ``MOST_ROWS`` rows of a frame, evenly spaced."""
    some = rows.iloc[:: -(-len(rows) // MOST_ROWS) or 1]
    explainer = Explainer(model, over="intervals")
    own = Deadline(SECONDS_A_TREE)
    sizes: list[int] = []
    for place in range(len(some)):
        left = min(deadline.seconds(), own.seconds(), SECONDS_A_ROW)
        if not left:
            break
        try:
            sizes.append(len(explainer.explain(some.iloc[[place]]).minimal_reason(timeout=left)))
        except (TimeoutExpired, MemoryLimitExceeded):
            continue
    return Lengths(float(median(sizes)) if sizes else None, len(sizes), len(some))

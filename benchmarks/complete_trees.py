"""Complete trees with a variable of its own at every node: how time and memory grow with depth.

These are the trees of the paper's Proposition 1: the bottom nodes each have a 0-leaf and a 1-leaf.
For the row of all ones every bottom node gives a contrastive explanation, 2^(depth-1) in all, so no
method can do with fewer steps than there are nodes; to read them takes half the depth times as many
steps. Each depth runs in a process of its own, so that memory is its own too: this is its program.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import mean, median
from typing import Any

import cattleya
from benchmarks.package import package, unread
from benchmarks.settings import Settings
from benchmarks.timing import Row
from cattleya.experiments.data.families import complete
from cattleya.experiments.machine import resident
from cattleya.experiments.peers.apart import rows_apart, serve

__all__ = ["Measurement", "measure_apart"]


@dataclass(frozen=True)
class Measurement:
    """One depth: the package's seconds for the row, and the process's peak memory in bytes.

    ``processor`` is the median of the processor's seconds, which other programs disturb less.
    ``memory_before`` is the peak once the explainer was there and before it had explained anything.
    """

    depth: int
    nodes: int
    contrastive: int
    first: float
    median: float
    mean: float
    processor: float
    unread: float
    memory_before: int
    memory: int


def measure_apart(depth: int, settings: Settings) -> Measurement | str:
    """Measure in a new process; give what went wrong where something did."""
    given = {
        "least": settings.tree_runs[0],
        "most": settings.tree_runs[1],
        "enough": settings.tree_seconds,
    }
    (entry,) = rows_apart("benchmarks.complete_trees", given, [depth], settings.tree_limit)
    return str(entry["trouble"]) if "trouble" in entry else Measurement(**entry)


def start(given: dict[str, Any]) -> Callable[[Any], dict[str, Any]]:
    """Time the package on the row of all ones: the first time, then again until it is enough."""

    def runs(
        ask: Callable[[cattleya.Explainer, Row], object], explainer: cattleya.Explainer, row: Row
    ) -> list[tuple[float, float]]:
        seconds: list[tuple[float, float]] = []
        while len(seconds) < given["least"] or (
            sum(wall for wall, _ in seconds) < given["enough"] and len(seconds) < given["most"]
        ):
            seconds.append(_seconds(ask, explainer, row))
        return seconds

    def answer(depth: int) -> dict[str, Any]:
        tree, row = complete(2 ** (depth + 1) - 1)
        explainer = cattleya.Explainer(tree)
        before = resident()
        first, _ = _seconds(package, explainer, row)
        wall, processor = zip(*runs(package, explainer, row), strict=True)
        peak = resident()
        left = median(seconds for seconds, _ in runs(unread, explainer, row))
        contrasts = explainer.explain(row).count("contrastive")
        middle, usual = median(wall), mean(wall)
        return asdict(
            Measurement(
                depth, tree.n_nodes, contrasts, first, middle, usual, median(processor), left,
                before, peak,
            )
        )  # fmt: skip  # a list in few lines

    return answer


def _seconds(
    ask: Callable[[cattleya.Explainer, Row], object], explainer: cattleya.Explainer, row: Row
) -> tuple[float, float]:
    """Time the package once, by the clock and by the processor, without freeing the answers."""
    begin, begin_cpu = time.perf_counter(), time.process_time()
    answers = ask(explainer, row)
    taken = time.perf_counter() - begin, time.process_time() - begin_cpu
    del answers
    return taken


if __name__ == "__main__":
    serve(start)

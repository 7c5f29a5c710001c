"""Complete trees with a variable of its own at every node: how time and memory grow with depth.

These are the trees of the paper's Proposition 1: the bottom nodes each have a 0-leaf and a 1-leaf.
For the row of all ones every bottom node gives a contrastive explanation, 2^(depth-1) in all, so no
method can do with fewer steps than there are nodes. Each depth runs in a process of its own
(`python complete_trees.py DEPTH` prints its measurement as JSON), so that memory is its own too.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median

import numpy as np
from package import package
from timing import Row, peak_memory

import cattleya

MIN_RUNS = 5
MAX_RUNS = 50
ENOUGH_SECONDS = 5.0


@dataclass(frozen=True)
class Measurement:
    """One depth: the package's seconds for the row, and the process's peak memory in bytes.

    `processor` is the median of the processor's seconds, which other programs disturb less.
    `memory_before` is the peak once the explainer was there and before it had explained anything.
    """

    depth: int
    nodes: int
    contrastive: int
    first: float
    median: float
    mean: float
    processor: float
    memory_before: int
    memory: int


def complete_tree(depth: int) -> cattleya.Tree:
    """Build the complete tree, its nodes and its variables numbered breadth first."""
    inner = 2**depth - 1
    nodes = np.arange(2 * inner + 1)
    is_inner = nodes < inner
    return cattleya.Tree(
        left=np.where(is_inner, 2 * nodes + 1, -1),
        right=np.where(is_inner, 2 * nodes + 2, -1),
        feature=np.where(is_inner, nodes, -1),
        threshold=np.where(is_inner, 0.5, 0.0),
        leaf_class=np.where(is_inner, -1, (nodes - inner) % 2),
        n_features=inner,
        boolean=range(inner),
    )


def measure(depth: int) -> Measurement:
    """Time the package on the row of all ones: the first time, then again until it is enough."""
    explainer = cattleya.Explainer(complete_tree(depth))
    row = np.ones(2**depth - 1)
    before = peak_memory()
    first, _ = _seconds(explainer, row)
    seconds: list[float] = []
    processor: list[float] = []
    while len(seconds) < MIN_RUNS or (sum(seconds) < ENOUGH_SECONDS and len(seconds) < MAX_RUNS):
        wall, cpu = _seconds(explainer, row)
        seconds.append(wall)
        processor.append(cpu)
    contrastive = explainer.explain(row).count("contrastive")
    return Measurement(
        depth,
        2 ** (depth + 1) - 1,
        contrastive,
        first,
        median(seconds),
        mean(seconds),
        median(processor),
        before,
        peak_memory(),
    )


def _seconds(explainer: cattleya.Explainer, row: Row) -> tuple[float, float]:
    """Time the package once, by the clock and by the processor, without freeing the answers."""
    start, start_cpu = time.perf_counter_ns(), time.process_time_ns()
    answers = package(explainer, row)
    wall, cpu = time.perf_counter_ns() - start, time.process_time_ns() - start_cpu
    del answers
    return wall / 1e9, cpu / 1e9


def measure_apart(depth: int, time_limit: float) -> Measurement | str:
    """Measure in a new process; give what went wrong where something did."""
    command = [sys.executable, str(Path(__file__).resolve()), str(depth)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=time_limit, check=False
        )
    except subprocess.TimeoutExpired:
        return f"killed after {time_limit:.0f} s"
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return Measurement(**json.loads(done.stdout))


if __name__ == "__main__":
    print(json.dumps(asdict(measure(int(sys.argv[1])))))

"""How time and memory are measured, the same way for the library and for its peers."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Answer = TypeVar("Answer")
Row = NDArray[np.float64]
WARM_UP = 10
ROUNDS = 3
SHORT = 0.1  # seconds


@dataclass(frozen=True)
class Timing:
    """Seconds that calls took, one number a call: row after row, round after round."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median call."""
        return median(self.seconds)

    @property
    def mean(self) -> float:
        """The mean call, which garbage collection and outliers do show in."""
        return mean(self.seconds)


def time_rows(
    contenders: Mapping[str, Callable[[Row], object]], rows: Sequence[Row]
) -> dict[str, Timing]:
    """Time every contender on every row, a call a row, garbage collection left on.

    After a warm-up the contenders take turns, each over all rows, for some rounds: a change in
    the machine's speed or load then falls on all of them. Every call counts; none is dropped.
    """
    for call in contenders.values():
        for row in rows[:WARM_UP]:
            call(row)
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, call in contenders.items():
            seconds[name] += time_once(call, rows).seconds
    return {name: Timing(tuple(taken)) for name, taken in seconds.items()}


def time_once(call: Callable[[Row], object], rows: Sequence[Row]) -> Timing:
    """Time a call a row, without any warm-up."""
    seconds = []
    for row in rows:
        start = time.perf_counter_ns()
        call(row)
        seconds.append((time.perf_counter_ns() - start) / 1e9)
    return Timing(tuple(seconds))


def settled(call: Callable[[], Answer]) -> tuple[float, Answer]:
    """Give the seconds and the answer of a call; where it is short, the median of three calls."""
    seconds: list[float] = []
    while not seconds or (max(seconds) < SHORT and len(seconds) < 3):
        start = time.perf_counter_ns()
        answer = call()
        seconds.append((time.perf_counter_ns() - start) / 1e9)
    return median(seconds), answer


def peak_memory() -> int:
    """Bytes of the largest resident set this process ever had.

    Linux hands `ru_maxrss` down from the process that started this one, which may have been the
    larger of the two; `VmHWM` starts afresh, and is read where there is one.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (
        1 if sys.platform == "darwin" else 1024
    )

"""How calls in one process are timed, the same way for the library and for its peers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import mean, median

import numpy as np
from numpy.typing import NDArray

from cattleya.experiments.peers.workers.clocks import once

__all__ = ["Row", "Timing", "time_once", "time_rows"]

Row = NDArray[np.float64]
WARM_UP = 10


@dataclass(frozen=True)
class Timing:
    """Seconds that calls took, one number per call: row after row, round after round."""

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
    contenders: Mapping[str, Callable[[Row], object]], rows: Sequence[Row], rounds: int
) -> dict[str, Timing]:
    """Time every contender on every row, one call per row, garbage collection left on.

    After a warm-up the contenders take turns, each over all rows, for some rounds: a change in
    the machine's speed or load then falls on all of them. Every call counts; none is dropped.
    """
    for call in contenders.values():
        time_once(call, rows[:WARM_UP])
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, call in contenders.items():
            seconds[name] += time_once(call, rows).seconds
    return {name: Timing(tuple(taken)) for name, taken in seconds.items()}


def time_once(call: Callable[[Row], object], rows: Sequence[Row]) -> Timing:
    """Time one call per row, without any warm-up."""
    return Timing(tuple(once(partial(call, row))[0] for row in rows))

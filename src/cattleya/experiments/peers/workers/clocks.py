"""How the workers measure time: as the library is measured beside them."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import TypeVar

__all__ = ["once", "settled"]

Answer = TypeVar("Answer")
SHORT = 0.1  # seconds
TIMES = 3


def once(call: Callable[[], Answer]) -> tuple[float, Answer]:
    """Return the seconds and the answer of one call."""
    begin = time.perf_counter()
    answer = call()
    return time.perf_counter() - begin, answer


def settled(call: Callable[[], Answer]) -> tuple[float, Answer]:
    """Return the seconds and the answer of a call; where it is short, the median of three calls."""
    seconds, answer = once(call)
    taken = [seconds]
    while max(taken) < SHORT and len(taken) < TIMES:
        seconds, answer = once(call)
        taken.append(seconds)
    return median(taken), answer

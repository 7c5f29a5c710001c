"""How long, and with how much memory, a question may be worked on."""

from __future__ import annotations

import math
import time

from cattleya._core import check_cancelled
from cattleya.support.errors import MemoryLimitExceeded, TimeoutExpired
from cattleya.support.guards import is_real, is_whole
from cattleya.support.text import shown

__all__ = ["MEMORY_LIMIT", "Deadline", "check_answer", "checked_memory", "checked_threads"]

#: What one question may take by default, in bytes.
MEMORY_LIMIT = 1 << 30
MOST_THREADS = 256
FOREVER = 1e9  # seconds


class Deadline:
    """A time limit that several steps share: each may take what the ones before it left."""

    def __init__(self, timeout: float | None) -> None:
        if timeout is None:
            self._end = math.inf
            return
        if not is_real(timeout):
            raise TypeError(f"timeout must be a number of seconds or None, not {shown(timeout)}")
        if not timeout > 0:
            raise ValueError(f"timeout must be a positive number of seconds, not {shown(timeout)}")
        self._end = time.monotonic() + float(min(timeout, FOREVER))

    @classmethod
    def of(cls, timeout: float | Deadline | None) -> Deadline:
        """Return a deadline that is one already, or begins now."""
        return timeout if isinstance(timeout, Deadline) else cls(timeout)

    def seconds(self) -> float:
        """Return the seconds that are left; none is 0, not negative."""
        return max(self._end - time.monotonic(), 0.0)

    def check(self) -> None:
        """Raise :class:`cattleya.TimeoutExpired` where no time is left, ``Cancelled`` likewise."""
        check_cancelled()
        if time.monotonic() >= self._end:
            raise TimeoutExpired("the time limit was reached; give a longer timeout")


def checked_memory(limit: int) -> int:
    """Return a bound on memory in bytes; refuse what is none."""
    if not is_whole(limit):
        raise TypeError(f"memory_limit must be a whole number of bytes, not {shown(limit)}")
    if limit <= 0:
        raise ValueError(f"memory_limit must be a positive number of bytes, not {shown(limit)}")
    return int(min(limit, (1 << 63) - 1))


def check_answer(needed: int, limit: int) -> None:
    """Refuse an answer that takes too many bytes as Python's objects, before they are made."""
    if needed > limit:
        raise MemoryLimitExceeded(
            f"the answer needs more than {limit} bytes (about {needed}); give a larger memory_limit"
        )


def checked_threads(threads: int) -> int:
    """Return a number of threads; refuse what is none."""
    if not is_whole(threads):
        raise TypeError(f"threads must be a whole number, not {shown(threads)}")
    if not 1 <= threads <= MOST_THREADS:
        raise ValueError(f"threads must be 1 to {MOST_THREADS}, not {shown(threads)}")
    return int(threads)

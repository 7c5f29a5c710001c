"""How far a long run is, and when it will be done: on stderr."""

from __future__ import annotations

import sys
import time

from cattleya.support.text import printable

__all__ = ["Progress", "duration"]

EVERY = 0.2  # seconds, on a terminal
EVERY_IN_A_FILE = 30.0


class Progress:
    """Tells how many of the rows are done. The time left supposes that the others are like them."""

    def __init__(self, total: int, done: int = 0, quiet: bool = False) -> None:
        self._total = total
        self._start = self._done = done
        self._begin = self._told = time.monotonic()
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()

    def advance(self, about: str) -> None:
        """Count one more row as done."""
        self._done += 1
        now = time.monotonic()
        pause = EVERY if self._terminal else EVERY_IN_A_FILE
        if self._quiet or now - self._told < pause:
            return
        self._told = now
        left = (now - self._begin) / (self._done - self._start) * (self._total - self._done)
        done = f"{self._done:,} of {self._total:,} rows"
        text = f"{printable(about)}: {done}, about {duration(left)} left"
        if self._terminal:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Remove the line from the terminal."""
        if self._terminal and not self._quiet:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """Write a time as people say it.

    Examples
    --------
    >>> duration(0.0042), duration(4.2), duration(252), duration(40000)
    ('4.2 ms', '4.2 s', '4 min', '11.1 h')
    """
    if seconds < 1e-4:  # noqa: PLR2004 - digits
        return f"{1e6 * seconds:.0f} µs"
    if seconds < 1:
        return f"{1000 * seconds:.{1 if seconds < 0.1 else 0}f} ms"  # noqa: PLR2004 - digits
    for unit, length, most in (("s", 1, 120), ("min", 60, 7200)):
        if seconds < most:
            return f"{seconds / length:.{1 if unit == 's' else 0}f} {unit}"
    return f"{seconds / 3600:.1f} h"

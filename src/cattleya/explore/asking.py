"""Questions run in a few threads, each within its time, and end when nobody waits for them.

The server itself only waits: whatever computes runs here. What is quick has threads of its own, so
that it never stands behind what is not. The core releases the interpreter's lock, and looks about
once a millisecond whether its question was cancelled.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from cattleya.support.cancellation import Cancellation

__all__ = ["Asking", "Busy", "Gone"]

T = TypeVar("T")

QUICK_THREADS, SLOW_THREADS = 2, 2
MOST_WAITING = 16  # of each kind


class Busy(Exception):
    """As many questions wait as may wait."""


class Gone(Exception):
    """Nobody waits for the answer any more."""


class Asking:
    """Runs questions, some at once, and cancels those whose reader is gone."""

    def __init__(self) -> None:
        self._pools = {
            True: ThreadPoolExecutor(QUICK_THREADS, "quick question"),
            False: ThreadPoolExecutor(SLOW_THREADS, "question"),
        }
        self._waiting = {True: 0, False: 0}
        self._open: set[Cancellation] = set()
        self._behind = Cancellation()
        #: Ends what runs in a thread of its own, if anything does.
        self.end_others: Callable[[], None] = lambda: None

    async def ask(
        self, question: Callable[[], T], gone: Callable[[], Awaitable[Any]], *, quick: bool
    ) -> T:
        """Return an answer; ``gone`` ends when nobody waits for it any more."""
        if self._waiting[quick] >= MOST_WAITING:
            raise Busy
        cancellation = Cancellation()

        def within() -> T:
            with cancellation:
                return question()

        self._waiting[quick] += 1
        self._open.add(cancellation)
        future = self._pools[quick].submit(within)
        answer = asyncio.wrap_future(future)
        left = asyncio.ensure_future(gone())
        try:
            await asyncio.wait({answer, left}, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                return answer.result()
            raise Gone
        finally:
            self._end(future, cancellation)
            answer.cancel()  # nobody retrieves what it ends with
            left.cancel()
            self._waiting[quick] -= 1

    def ask_behind(self, question: Callable[[], object]) -> None:
        """Have something made ready that nobody waits for yet, in place of what was before."""
        self.end_behind()
        cancellation = self._behind = Cancellation()

        def within() -> None:
            with cancellation, contextlib.suppress(Exception):  # whoever asks is told
                question()
            self._open.discard(cancellation)

        self._open.add(cancellation)
        self._pools[False].submit(within)

    def end_behind(self) -> None:
        """End what nobody waits for: somebody waits for something else."""
        self._behind.cancel()

    def _end(self, future: Future[Any], cancellation: Cancellation) -> None:
        self._open.discard(cancellation)
        if not future.done():
            cancellation.cancel()
            future.cancel()

    def close(self) -> None:
        """End all questions."""
        for cancellation in list(self._open):
            cancellation.cancel()
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        self.end_others()

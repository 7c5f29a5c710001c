"""Workers end with the process that started them, however that one ends.

A pool asks its workers to stop. One that was killed asks nobody, and a worker that then waits for a
lock which another held would wait for ever.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time

__all__ = ["end_with_parent"]

SECONDS = 0.5


def end_with_parent() -> None:
    """In a worker process, start to watch the process that started it, once."""
    if multiprocessing.current_process().name != "MainProcess" and not _watching.is_set():
        _watching.set()
        threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()


_watching = threading.Event()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(SECONDS)
    os._exit(1)

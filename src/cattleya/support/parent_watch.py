"""Workers end with the process that started them, however that one ends.

A pool asks its workers to stop. One that was killed asks nobody, and a worker that then waits for a
lock which another held would wait for ever.

Who started a worker is what it was told when it was started. To ask the system for its parent is
too late: by then the process may be gone, and the parent be another one, which never ends.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from typing import Any

__all__ = ["end_with_parent", "that_end_with_parent"]

SECONDS = 0.5


def end_with_parent(parent: int | None = None) -> None:
    """In a worker process, start to watch the process that started it, once.

    ``parent`` is its number, where it is no worker of :mod:`multiprocessing` or of joblib, which
    know it.
    """
    started_by = multiprocessing.parent_process()
    if parent is None and started_by is not None:
        parent = started_by.pid
    if parent is not None and not _watching.is_set():
        _watching.set()
        threading.Thread(target=_watch, args=(parent, started_by), daemon=True).start()


def that_end_with_parent() -> dict[str, Any]:
    """Return settings of :class:`joblib.Parallel`: its processes watch before their first job.

    A backend of the user's choice gets none, nor one with an initializer of the user's.
    """
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    is_joblibs = type(backend).__module__.startswith("joblib._parallel_backends")
    if not is_joblibs or "initializer" in getattr(backend, "backend_kwargs", {}):
        return {}
    return {"initializer": end_with_parent}


_watching = threading.Event()


def _watch(parent: int, started_by: Any) -> None:
    while not _is_gone(parent, started_by):
        time.sleep(SECONDS)
    os._exit(1)


def _is_gone(parent: int, started_by: Any) -> bool:
    if os.getppid() == parent:
        return False
    try:  # a fork server is between, and there is a pipe that tells
        return not started_by.is_alive()
    except (AttributeError, TypeError, ValueError):  # no such pipe: it was the parent itself
        return True

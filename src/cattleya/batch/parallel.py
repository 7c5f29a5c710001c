"""Work shared out by joblib: over threads, processes or a cluster, as the user has chosen.

What crosses to another process is a context, once, then what each job is about, and answers.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from cattleya.explain.context import ModelContext
from cattleya.support.arrays import Bytes
from cattleya.support.parent_watch import end_with_parent, that_end_with_parent

__all__ = ["n_workers", "shared_out", "stays_here"]

SHARED = 1 << 16  # bytes: larger arrays are mapped by the workers, not sent with every job
Answer = TypeVar("Answer")
Work = Callable[..., Answer]


def shared_out(
    work: Work[Answer],
    context: ModelContext,
    jobs: Iterable[tuple[Any, ...]],
    n_jobs: int | None,
) -> Iterator[Answer]:
    """Give ``work(context, *job)`` for each job, in order.

    All jobs are taken at once, and the answers are not waited with: those that are not taken pile
    up.
    """
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    if _is_joblibs(backend) and n_workers(n_jobs) == 1:
        yield from (work(context, *job) for job in jobs)
        return
    one_by_one = getattr(backend, "supports_return_generator", False)  # Ray's does not
    # Every job is sent at once and by itself: no worker waits for this process to send the next,
    # nor for another worker that was given several of the last.
    parallel = Parallel(
        n_jobs=n_jobs,
        batch_size=1,
        pre_dispatch="all",
        max_nbytes=SHARED,
        return_as="generator" if one_by_one else "list",
        **that_end_with_parent(),
    )
    sent = Sent(context)
    yield from parallel(delayed(work_on)(work, sent, job) for job in jobs)


def stays_here() -> bool:
    """Tell whether work that needs no interpreter is shared out to threads of this process.

    It is, unless the user has chosen something else: processes, or a cluster.
    """
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend(prefer="threads")
    return bool(getattr(backend, "supports_sharedmem", False)) and _is_joblibs(backend)


def _is_joblibs(backend: Any) -> bool:
    # One of the user's choice may work on another machine, even one row after the other.
    return type(backend).__module__.startswith("joblib._parallel_backends")


def n_workers(n_jobs: int | None) -> int:
    """Return how many jobs are worked on at once."""
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def work_on(work: Work[Answer], sent: Sent, job: tuple[Any, ...]) -> Answer:
    """Do a job in a worker."""
    end_with_parent()
    return work(sent.context, *job)


class Sent:
    """A context on its way to a worker, which keeps it for the next job, and the next call.

    All that is costly to make, such as the texts of conditions, is then made once a worker.
    """

    def __init__(self, context: ModelContext) -> None:
        self.context = context

    @cached_property
    def _payload(self) -> Bytes:
        # As an array: joblib hands large ones over in shared memory.
        return np.frombuffer(
            pickle.dumps(self.context.of_numbers(), protocol=pickle.HIGHEST_PROTOCOL),
            dtype=np.uint8,
        )

    @cached_property
    def _token(self) -> str:
        return hashlib.sha256(self._payload.data).hexdigest()

    def __reduce__(self) -> tuple[Any, ...]:
        return _receive, (self._token, self._payload)


_received: dict[str, Sent] = {}  # one at the most


def _receive(token: str, payload: Bytes) -> Sent:
    known = _received.get(token)
    if known is None:
        known = Sent(pickle.loads(payload.data))
        _received.clear()
        _received[token] = known
    return known

"""Explains the rows of a whole table behind the page, as far as there is time.

The rows are explained in a random order that is always the same, so that what was explained at any
time says something about all of them. It ends when all are, when its time is over, when the reader
stops it (what was explained so far is then put together), and when nobody asks for it any more.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from cattleya.batch.cover import covers
from cattleya.batch.summary import Summary, gathered, task_of_summary
from cattleya.explore.state import BadAddress
from cattleya.support.arrays import Bools, Places
from cattleya.support.cancellation import Cancellation
from cattleya.support.errors import Cancelled

__all__ = ["MOST_EXPLAINED", "Job", "Jobs"]

MOST_EXPLAINED = 100_000  # rows: their explanations are kept in memory
FIRST, AT_ONCE = 200, 250  # rows after which something is shown, and that are kept at once
BEGIN = 5  # rows that are explained at once at first, and then as many as take:
SECONDS_AT_ONCE, SHOWN_AFTER = 0.5, 3.0  # seconds; and those after which something is shown
SECONDS_A_ROW = 1.0
PATIENCE = 5.0  # seconds without anybody who asks


class _Enough(Exception):
    """The time is over, or the reader has enough."""


class Job:
    """Explains some rows in a thread of its own, as long as somebody asks for its progress.

    Attributes
    ----------
    key : tuple
        What it explains.
    places : array
        The rows that are to be explained.
    done : int
        How many are.
    stage : int
        0 as long as there is nothing to show, 1 with the first rows, 2 at its end.
    summary : Summary or None
        What the rows that were explained say together; they are named by their places.
    seconds : int
        How long it may take.
    """

    def __init__(
        self, explorer: Any, key: tuple[Hashable, ...], places: Places, protected: Any, seconds: int
    ) -> None:
        self.key, self.total, self.seconds, self.done, self.stage = key, len(places), seconds, 0, 0
        self.places = even(places, MOST_EXPLAINED)
        self.protected = tuple(protected)
        self.summary: Summary | None = None
        self.error: Exception | None = None
        self._explorer, self._stop = explorer, threading.Event()
        self._cancellation, self._asked = Cancellation(), time.monotonic()
        self._thread = threading.Thread(target=self._run, name="report", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether it is at work."""
        return self._thread.is_alive()

    @property
    def is_lost(self) -> bool:
        """Whether it ended without an answer, because nobody asked."""
        return not self.is_alive and self.summary is None and self.error is None

    @property
    def explained(self) -> int:
        """How many rows its answer is about."""
        return 0 if self.summary is None else len(self.summary.rows)

    @property
    def is_whole(self) -> bool:
        """Whether every row that was chosen is explained."""
        return self.explained == self.total

    @property
    def which(self) -> str:
        """Which rows its answer is about."""
        if self.is_whole:
            return f"all {self.total:,} rows" if self.total > 1 else "the only row"
        if self.is_alive:
            so_far = f"{self.explained:,} {'row' if self.explained == 1 else 'rows'} so far"
            return f"{so_far}, drawn at random from {self.total:,}; the others follow"
        of = f"{self.explained:,} of {self.total:,} rows"
        if self.explained == MOST_EXPLAINED:
            return f"{of}, evenly spaced: no more are kept"
        return f"{of}, drawn at random: it ended before the others were explained"

    def wait(self, seconds: float) -> bool:
        """Wait for a while; return whether it is at its end."""
        self._asked = time.monotonic()
        self._thread.join(seconds)
        self._asked = time.monotonic()
        return not self._thread.is_alive()

    def finish(self) -> None:
        """Put together what there is, and end."""
        self._stop.set()

    def end(self) -> None:
        """End it, without an answer."""
        self._cancellation.cancel()

    def close(self) -> None:
        """End it, and wait until it has: a process must not end in the middle of it."""
        self.end()
        self._thread.join(PATIENCE)

    def rows_of(self, finding: str) -> Bools:
        """Tell of every row of the table whether it is one behind a part of the answer."""
        kind, _, which = finding.partition(":")
        found = np.zeros(len(self._explorer.table), dtype=np.bool_)
        if self.summary is not None:
            rows = self.summary.rows
            places = np.asarray(rows.index, dtype=np.intp)
            found[places[self._kept(kind, which)]] = True
        return found

    def _kept(self, kind: str, which: str) -> Any:
        assert self.summary is not None
        summary, rows = self.summary, self.summary.rows
        if kind in ("decisive", "mentions"):  # as Summary.features counts them
            decisive = kind == "decisive"
            if not summary.of_ensemble:
                shares = ((own or {}).get(which, 0) for own in rows["feature_importance"])
                return [share == 1 if decisive else share > 0 for share in shares]
            column = "necessary_features" if decisive else "sufficient_features"
            return [which in (own or ()) for own in rows[column]]
        if kind == "depends":
            return rows.index.isin(summary.unfair.index)
        number = int(which) if which.isdecimal() else -1
        if kind == "length":
            return (rows[f"{summary.shown_reason}_size"].fillna(-1) == number).to_numpy(bool)
        if kind != "reason" or not 0 <= number < len(summary.cover.reasons):
            raise BadAddress(f"the report has no {kind!r} {which!r}; open it anew")
        reason = summary.cover.reasons[number].reason
        read = self._explorer.table.read(rows.index.tolist())
        return covers(reason, read.matrix) & (rows["status"] != "error").to_numpy()

    def _note(self, rows: int) -> None:
        self.done += rows
        if time.monotonic() - self._asked > PATIENCE:
            self.end()
        if self._stop.is_set() or time.monotonic() > self._end:
            raise _Enough

    def _run(self) -> None:
        self._end = time.monotonic() + self.seconds
        try:
            with self._cancellation:
                self._explain()
        except Cancelled:
            pass
        except Exception as error:
            self.error = error

    def _explain(self) -> None:
        import pandas as pd

        from cattleya.batch.table import frame_of

        explorer, context = self._explorer, self._explorer.context
        task = task_of_summary(context, SECONDS_A_ROW, protected=self.protected)
        every = explorer.table.taken(self.places.tolist()).set_axis(self.places, axis=0)
        order = np.random.default_rng(0).permutation(len(every))
        frames: list[pd.DataFrame] = []
        first, size, start = 0, BEGIN, time.monotonic()
        try:
            while first < len(order):
                began = time.monotonic()
                rows = every.iloc[order[first : first + size]]
                found = frame_of(context, self._given(rows), task, None, self._note)
                frames.append(found.set_axis(rows.index))
                first += len(rows)
                now = time.monotonic()
                size = int(len(rows) * SECONDS_AT_ONCE / max(now - began, 1e-3))
                size = max(1, min(size, AT_ONCE))
                enough = first >= FIRST or now - start > SHOWN_AFTER
                if self.stage == 0 and enough and first < len(order):
                    told = pd.concat(frames).sort_index()
                    rows = every.loc[told.index]
                    self.summary = gathered(context, self._given(rows), task, told, candidates=0)
                    self.stage = 1
        except _Enough:
            pass
        if not frames:
            raise ValueError(
                f"no row was explained within {self.seconds} seconds; give it more time"
            )
        told = pd.concat(frames).sort_index()
        rows = every.loc[told.index]
        self.summary = gathered(context, self._given(rows), task, told)
        self.stage, self.done = 2, len(told)

    def _given(self, rows: Any) -> Any:
        return rows.to_numpy() if self._explorer.by_place else rows


class Jobs:
    """The job that runs, or ran last; a new one takes its place."""

    def __init__(self, start: Callable[..., Job]) -> None:
        self._start, self._lock = start, threading.Lock()
        self._job: Job | None = None

    def of(self, key: tuple[Hashable, ...], places: Places, protected: Any, seconds: int) -> Job:
        """Return what explains these rows: the one that does already, or a new one."""
        with self._lock:
            known = self._job
            if known is None or known.key != key or known.is_lost:
                if known is not None:
                    known.end()
                known = self._job = self._start(key, places, protected, seconds)
            return known

    def close(self) -> None:
        """End it."""
        if self._job is not None:
            self._job.close()


def even(places: Places, most: int) -> Places:
    """Return all rows, or some of them that are evenly spaced."""
    if len(places) <= most:
        return places
    spaced: Places = places[np.linspace(0, len(places) - 1, most).astype(np.intp)]
    return spaced

"""The figures of the counting benchmark, from the records of the rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cattleya.experiments.peers.apart import TIME_LIMIT

__all__ = ["Gain", "Record", "RowRecords", "gains", "hardest", "quantile", "wrong"]


@dataclass(frozen=True)
class Record:
    """One contender on one row; ``seconds`` is None where it did not finish, ``trouble`` says why.

    ``value`` is what else there is to say: the size of a circuit, bytes, or how many times faster.
    """

    limit: float
    seconds: float | None = None
    count: str | None = None
    value: float | None = None
    trouble: str | None = None


@dataclass(frozen=True)
class RowRecords:
    """All that was measured on one row of one data set."""

    data_set: str
    number: int
    clauses: int
    by: Mapping[str, Record]

    def seconds(self, who: str) -> float:
        """Give a contender's seconds, infinite where it did not finish."""
        record = self.by.get(who)
        return math.inf if record is None or record.seconds is None else record.seconds

    def counts(self) -> dict[str, str]:
        """Give the counts of all who finished."""
        return {who: one.count for who, one in self.by.items() if one.count is not None}


@dataclass(frozen=True)
class Gain:
    """How many times the library was faster on a row; at least that where the peer gave up."""

    gain: float
    peer_seconds: float
    peer_finished: bool


def gains(rows: Sequence[RowRecords], peer: str, more_than: float = 0.0) -> list[Gain]:
    """Compare counting alone with a peer, on rows where that needs more than some seconds.

    A row that the peer did not finish counts with the peer's time limit, and one that the library
    did not finish counts as 0. Where neither did, and where the peer failed, nothing is known.
    """
    found = []
    for row in rows:
        record = row.by.get(peer)
        if record is None or record.trouble not in (None, TIME_LIMIT):
            continue
        finished = record.seconds is not None
        theirs, ours = record.seconds or record.limit, row.seconds("count")
        if theirs > more_than and (finished or math.isfinite(ours)):
            found.append(Gain(theirs / ours, theirs, finished))
    return found


def hardest(found: Sequence[Gain], n: int) -> list[Gain]:
    """Give the rows that took the peer longest among those it finished."""
    return sorted((g for g in found if g.peer_finished), key=lambda g: -g.peer_seconds)[:n]


def quantile(values: Sequence[float], share: float) -> float:
    """Give the smallest value that a share of the values does not exceed."""
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)]


def wrong(rows: Sequence[RowRecords]) -> list[RowRecords]:
    """Give the rows on which not all who finished counted the same."""
    return [row for row in rows if len(set(row.counts().values())) > 1]

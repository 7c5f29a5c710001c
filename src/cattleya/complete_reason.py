"""The complete reason of a row: the antichain of clauses that every question is about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

__all__ = ["CompleteReason"]

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class CompleteReason:
    """Clauses over condition numbers, none inside another, the smallest first.

    Clause ``i`` is ``atom[start[i]:start[i + 1]]``. Each is a contrastive explanation; the sets
    that meet all of them, and have nothing to spare, are the sufficient reasons.
    """

    start: npt.NDArray[np.int64]
    atom: Ints
    n_conditions: int

    def __len__(self) -> int:
        return len(self.start) - 1

    @cached_property
    def occurrences(self) -> npt.NDArray[np.intp]:
        """In how many clauses each condition is."""
        return np.bincount(self.atom, minlength=self.n_conditions)

    @cached_property
    def relevant(self) -> Ints:
        """The conditions that are in some clause; equally, in some sufficient reason."""
        return np.flatnonzero(self.occurrences).astype(np.int32)

    @cached_property
    def units(self) -> Ints:
        """The conditions that are a clause by themselves: those in every sufficient reason."""
        # Smaller clauses come first, and no clause is empty: it would be the row's own class.
        count = int(np.searchsorted(np.diff(self.start), 1, side="right"))
        return np.sort(self.atom[:count])

    @cached_property
    def renumbered(self) -> Ints:
        """The atoms of the clauses as places in ``relevant``: small numbers without gaps."""
        place = np.zeros(self.n_conditions, dtype=np.int32)
        place[self.relevant] = np.arange(len(self.relevant), dtype=np.int32)
        return place[self.atom]

    @cached_property
    def in_every_clause(self) -> Ints:
        """The conditions that every clause contains; none where there is no clause."""
        if len(self) == 0:
            return self.atom[:0]
        return np.flatnonzero(self.occurrences == len(self)).astype(np.int32)

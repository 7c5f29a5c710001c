"""The complete reason of a row: the antichain of clauses that every question is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from cattleya._core import minimal_clauses
from cattleya.support.arrays import Bools, Int32s, Int64s, Places

__all__ = ["CompleteReason"]


NONE = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class CompleteReason:
    """Clauses over atom numbers, none inside another, the smallest first.

    Clause ``i`` is ``atom[start[i]:start[i + 1]]``. Each is a contrastive explanation; the sets
    that meet all of them, and have nothing to spare, are the sufficient reasons. ``excluded`` are
    atoms that were taken out of all clauses.
    """

    start: Int64s
    atom: Int32s
    n_atoms: int
    excluded: Int32s = field(default_factory=NONE.copy)

    def __len__(self) -> int:
        return len(self.start) - 1

    @cached_property
    def occurrences(self) -> Places:
        """In how many clauses each condition is."""
        return np.bincount(self.atom, minlength=self.n_atoms)

    @cached_property
    def relevant(self) -> Int32s:
        """The conditions that are in some clause; equally, in some sufficient reason."""
        return np.flatnonzero(self.occurrences).astype(np.int32)

    @cached_property
    def units(self) -> Int32s:
        """The conditions that are a clause by themselves: those in every sufficient reason."""
        # Smaller clauses come first, and no clause is empty: it would be the row's own class.
        count = int(np.searchsorted(np.diff(self.start), 1, side="right"))
        return np.sort(self.atom[:count])

    def within_one(self, group: Int32s) -> Int32s:
        """Return the groups that some clause is inside of: every sufficient reason has one of each.

        ``group`` is that of each atom.
        """
        if len(self) == 0:
            return self.atom[:0]
        of_atom, first = group[self.atom], self.start[:-1]
        low, high = np.minimum.reduceat(of_atom, first), np.maximum.reduceat(of_atom, first)
        return np.unique(low[low == high])

    @cached_property
    def renumbered(self) -> Int32s:
        """The atoms of the clauses as places in ``relevant``: small numbers without gaps."""
        place = np.zeros(self.n_atoms, dtype=np.int32)
        place[self.relevant] = np.arange(len(self.relevant), dtype=np.int32)
        return place[self.atom]

    @cached_property
    def in_every_clause(self) -> Int32s:
        """The conditions that every clause contains; none where there is no clause."""
        if len(self) == 0:
            return self.atom[:0]
        return np.flatnonzero(self.occurrences == len(self)).astype(np.int32)

    @cached_property
    def irrelevant(self) -> Int32s:
        """The atoms that are in no clause."""
        return np.flatnonzero(self.occurrences == 0).astype(np.int32)

    def shorter_than(self, size: int) -> Iterator[list[int]]:
        """Give the clauses with fewer atoms than ``size``, as lists of places in ``relevant``."""
        for first, last in pairwise(self.start.tolist()):
            if last - first >= size:
                return
            yield self.renumbered[first:last].tolist()

    def inside(self, atoms: Int32s) -> list[Int32s]:
        """Return the clauses all of whose atoms are among those given."""
        start = self._start_without(self._among(atoms))
        empty = np.flatnonzero(start[1:] == start[:-1])
        return [self.atom[self.start[i] : self.start[i + 1]] for i in empty.tolist()]

    def without(self, atoms: Int32s, seconds: float, memory: int) -> CompleteReason:
        """Return the complete reason of the sufficient reasons that have none of some atoms.

        Such a reason meets every clause in its other atoms; no clause may lie inside ``atoms``.
        """
        gone = self._among(atoms)
        start, atom = minimal_clauses(
            self._start_without(gone), self.atom[~gone], self.n_atoms, seconds, memory
        )
        return CompleteReason(start, atom, self.n_atoms, atoms)

    def avoiding(self, atoms: Int32s) -> CompleteReason:
        """Return the clauses that have none of some atoms."""
        inside = self._among(atoms)
        met = np.concatenate(([0], np.cumsum(inside)))[self.start]
        kept = met[1:] == met[:-1]
        sizes = np.diff(self.start)
        start = np.concatenate(([0], np.cumsum(sizes[kept])))
        return CompleteReason(start, self.atom[np.repeat(kept, sizes)], self.n_atoms)

    def _among(self, atoms: Int32s) -> Bools:
        mask = np.zeros(self.n_atoms, dtype=np.bool_)
        mask[atoms] = True
        return mask[self.atom]

    def _start_without(self, gone: Bools) -> Int64s:
        kept: Int64s = np.concatenate(([0], np.cumsum(~gone)))[self.start]
        return kept

"""The sufficient reasons of a row: the minimal hitting sets of its clauses, asked in every way.

One of them, a shortest one, all of them, how many, which size, how often each condition is in one,
a fair draw. Each question goes to the native core with the clauses alone.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise

import numpy as np

from cattleya._core import Circuit as NativeCircuit
from cattleya._core import (
    HittingSets,
    MinimumHittingSets,
    count_hitting_sets,
    count_hitting_sets_by_size,
    count_minimum_hitting_sets,
    greedy_hitting_set,
    minimum_hitting_set,
    sample_hitting_sets,
    weigh_hitting_sets,
)
from cattleya.model.tree.rows import RowReader
from cattleya.reasons.circuit import Circuit
from cattleya.reasons.complete import CompleteReason
from cattleya.reasons.limbs import COPIES, Weights, integer, integers, weights_from
from cattleya.reasons.reason import Reason
from cattleya.reasons.reason_list import RowReasons
from cattleya.support.arrays import Int32s, Int64s, Words
from cattleya.support.limits import Deadline, check_answer
from cattleya.vocabularies.interface import RowAtoms

__all__ = ["SufficientReasons"]

Sets = tuple[bool, Int64s, Int32s]

LARGEST_BATCH = 4096
BYTES_AN_ATOM, BYTES_A_SET = 64, 256  # of a set of atoms, as Python's objects
BATCHES_IN_MEMORY = 8  # at the least: a batch may be larger than the one before
NO_WEIGHTS = np.zeros(0, dtype=np.uint64)


class SufficientReasons:
    """The sufficient reasons that a complete reason has; no answer is computed twice."""

    def __init__(
        self, atoms: RowAtoms, complete: CompleteReason, rows: RowReader, memory_limit: int
    ) -> None:
        self.complete = complete
        self._atoms = atoms
        self._rows = rows
        self._memory = memory_limit
        self._count: int | None = None
        self._minimum: tuple[int, int] | None = None
        self._weights: Weights | None = None
        self._sizes: dict[int, int] | None = None
        self._circuit: Circuit | None = None

    @cached_property
    def greedy(self) -> Reason:
        """The paper's: conditions are dropped from the leaf upwards while the rest suffices."""
        complete, path = self.complete, self._atoms.path
        first = path[::-1]
        if len(complete.excluded):
            # What is left of the path may not be enough: what is not on it goes first.
            others = np.setdiff1d(complete.relevant, path)
            first = np.concatenate((others, first[~np.isin(first, complete.excluded)]))
        kept = greedy_hitting_set(
            complete.start, complete.atom, np.ascontiguousarray(first), len(self._atoms)
        )
        return self._single("sufficient reason", kept)

    def minimal(self, deadline: Deadline, weights: Words | None = None) -> Reason:
        """Return one with the fewest conditions, or of the least weight (two limbs per atom)."""
        relevant = self.complete.relevant
        if weights is None:
            kind, limbs = "minimal sufficient reason", NO_WEIGHTS
        else:
            kind = "sufficient reason of least weight"
            limbs = weights.reshape(-1, 2)[relevant].ravel()
        found = minimum_hitting_set(*self._clauses, limbs, deadline.seconds(), self._memory)
        return self._single(kind, relevant[found])

    def every(self, limit: float, deadline: Deadline) -> Iterator[Reason]:
        """Give all, one after the other."""
        found = HittingSets(*self._clauses, self._memory)
        return self._batches("sufficient reason", found.next, limit, deadline)

    def every_minimal(self, limit: float, deadline: Deadline) -> Iterator[Reason]:
        """Give all with the fewest conditions, one after the other."""
        found = MinimumHittingSets(*self._clauses, self._memory)
        return self._batches("minimal sufficient reason", found.next, limit, deadline)

    def _batches(
        self, kind: str, give: Callable[[int, float], Sets], limit: float, deadline: Deadline
    ) -> Iterator[Reason]:
        more, given, batch = True, 0, 1
        while more and given < limit:
            deadline.check()  # a native call may find some sets before it looks at the clock
            # A little at first, so that the first comes at once; then more, so that most is native.
            more, start, atom = give(int(min(batch, limit - given)), deadline.seconds())
            yield from self._source(kind, start, atom, self.complete.relevant).all()
            sets = len(start) - 1
            given += sets
            bytes_a_set = BYTES_A_SET + BYTES_AN_ATOM * len(atom) // max(1, sets)
            most = self._memory // (BATCHES_IN_MEMORY * bytes_a_set)
            batch = max(1, min(4 * batch, LARGEST_BATCH, most))

    def every_as_atoms(self, limit: int, deadline: Deadline) -> Iterator[frozenset[int]]:
        """Give all as sets of places among the relevant atoms."""
        found = HittingSets(*self._clauses, self._memory)
        _, start, atom = found.next(limit, deadline.seconds())
        check_answer(BYTES_AN_ATOM * len(atom) + BYTES_A_SET * len(start), self._memory)
        atoms, ends = atom.tolist(), start.tolist()
        return (frozenset(atoms[a:b]) for a, b in pairwise(ends))

    def lightest_without(
        self, weights: Mapping[int, int], without: frozenset[int], deadline: Deadline
    ) -> frozenset[int] | None:
        """Return the lightest that has none of some atoms, if there is one.

        Atoms are places among the relevant ones; what has no weight weighs 1.
        """
        start, atom, n_atoms = self._clauses
        clauses = CompleteReason(start, atom, n_atoms)
        gone = np.array(sorted(without), dtype=np.int32)
        if clauses.inside(gone):
            return None
        clauses = clauses.without(gone, deadline.seconds(), self._memory)
        limbs = np.zeros((n_atoms, 2), dtype=np.uint64)
        limbs[:, 0] = 1
        for number, weight in weights.items():
            limbs[number, 0] = weight
        found = minimum_hitting_set(
            clauses.start, clauses.atom, n_atoms, limbs.ravel(), deadline.seconds(), self._memory
        )
        return frozenset(found.tolist())

    def named(self, sets: Iterable[frozenset[int]]) -> tuple[Reason, ...]:
        """Return sets of places among the relevant atoms as reasons."""
        relevant = self.complete.relevant
        return tuple(self._single("sufficient reason", relevant[sorted(atoms)]) for atoms in sets)

    def count(self, deadline: Deadline, threads: int) -> int:
        """Return how many there are."""
        if self._weights is not None:
            return self._weights.count
        if self._count is None:
            limbs = count_hitting_sets(*self._clauses, deadline.seconds(), self._memory, threads)
            self._count = integer(limbs)
        return self._count

    def minimum(self, deadline: Deadline) -> tuple[int, int]:
        """Return the fewest conditions of one, and how many have so few."""
        if self._minimum is None:
            size, limbs = count_minimum_hitting_sets(
                *self._clauses, deadline.seconds(), self._memory
            )
            self._minimum = size, integer(limbs)
        return self._minimum

    def weigh(self, deadline: Deadline, threads: int) -> Weights:
        """Return how many there are with each relevant atom."""
        if self._weights is None:
            answer = weigh_hitting_sets(*self._clauses, deadline.seconds(), self._memory, threads)
            self._weights = weights_from(answer, self._memory, deadline)
        return self._weights

    def by_size(self, deadline: Deadline) -> dict[int, int]:
        """Return how many of each size there are."""
        if self._sizes is None:
            limbs, start = count_hitting_sets_by_size(
                *self._clauses, deadline.seconds(), self._memory
            )
            check_answer(COPIES * limbs.nbytes, self._memory)
            self._sizes = {size: n for size, n in enumerate(integers(limbs, start)) if n}
        return self._sizes

    def sample(self, n: int, seed: int | None, deadline: Deadline) -> tuple[Reason, ...]:
        """Return some, drawn uniformly."""
        start, atom = sample_hitting_sets(
            *self._clauses,
            n,
            (secrets.randbits(64) if seed is None else seed) & (1 << 64) - 1,
            deadline.seconds(),
            self._memory,
        )
        return self._source("sufficient reason", start, atom, self.complete.relevant).all()

    def compiled(self, deadline: Deadline) -> Circuit:
        """Return the circuit behind the counts."""
        if self._circuit is None:
            core = NativeCircuit.compile(*self._clauses, deadline.seconds(), self._memory)
            named = self._atoms.named(self.complete.relevant.tolist())
            self._circuit = Circuit(core, named, self._memory, over=self._atoms.over.definition)
        return self._circuit

    @cached_property
    def _clauses(self) -> tuple[Int64s, Int32s, int]:
        complete = self.complete
        return complete.start, complete.renumbered, len(complete.relevant)

    def _source(
        self, kind: str, start: Int64s, atom: Int32s, numbers: Int32s | None = None
    ) -> RowReasons:
        return RowReasons(kind, self._atoms, self._rows, start, atom, numbers=numbers)

    def _single(self, kind: str, numbers: Int32s) -> Reason:
        return Reason(self._source(kind, np.array([0, len(numbers)]), numbers), 0)

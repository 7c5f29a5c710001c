"""The questions about one row of an ensemble, asked in atoms and answered with proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from cattleya._core import EnsembleRow, HittingSets, MinimumHittingSets, minimum_hitting_set
from cattleya.ensembles.boxes import Box, Change, FactBoxes
from cattleya.ensembles.prepared import PreparedEnsemble
from cattleya.support.arrays import Bytes, Floats, Int32s, Int64s, Words
from cattleya.support.errors import TimeoutExpired
from cattleya.support.limits import Deadline
from cattleya.vocabularies.attributes import AttributeAtoms
from cattleya.vocabularies.intervals import IntervalRow
from cattleya.vocabularies.over import Over

__all__ = ["RowSearch", "Unsettled"]

NO, YES, OPEN = range(3)
BATCH = 64
NEARER_PARTS = 200  # of a box, that one question of making a contrast smaller may look at


class Unsettled(TimeoutExpired):
    """Time ran out before a question was settled.

    Of a smallest reason: ``at_least`` is how many atoms every reason has, and ``smallest`` the
    smallest that is known.
    """

    at_least: int = 0
    smallest: list[int] | None = None


class RowSearch:
    """One row of an ensemble.

    Parameters
    ----------
    prepared : PreparedEnsemble
    row : ndarray
        The row, in the ensemble's columns.
    memory : int
        What one question may take, in bytes.
    """

    def __init__(self, prepared: PreparedEnsemble, row: Floats, memory: int) -> None:
        self.prepared, self.row, self.memory = prepared, row, memory
        self.atoms = atoms = prepared.vocabulary.row(row)
        self.cells = atoms.cells if isinstance(atoms, AttributeAtoms) else prepared.truth_of(row)
        self._native = (
            EnsembleRow(prepared.native, self.cells, atoms.first_atom, atoms.has_single)
            if isinstance(atoms, IntervalRow)
            else EnsembleRow(prepared.native, self.cells)
        )
        self.outcome = self._native.outcome
        self.excluded: frozenset[int] = frozenset()  # atoms that no reason may have
        self.immutable: frozenset[int] = frozenset()  # atoms that no contrast may change
        self._clauses: set[frozenset[int]] = set()  # atoms of which every reason has one

    @cached_property
    def boxes(self) -> FactBoxes:
        """What sets of atoms leave."""
        return FactBoxes(self.atoms, self.prepared.layout, self.cells, self._native)

    @property
    def is_sure(self) -> bool:
        """Whether the row has its outcome in whatever order the library may add."""
        return self._native.is_sure

    @property
    def path(self) -> Int32s:
        """The atoms of the tests on the ways through all trees, each once."""
        if isinstance(self.atoms, IntervalRow):
            return self._native.path_facts()
        tests = self.prepared.native.path(self.cells)
        if self.prepared.over is Over.CONDITIONS:
            return tests
        cells = self.prepared.cells
        found = cells.test_attribute[tests[cells.tells[tests]]]
        return np.array(list(dict.fromkeys(found.tolist())), dtype=np.int32)

    # Reasons.

    def is_forced(self, numbers: Iterable[int], deadline: Deadline) -> bool:
        """Tell whether all rows with some of the atoms have the row's outcome."""
        return self._witness(self.boxes.box(numbers), deadline) is None

    def _witness(self, box: Box, deadline: Deadline) -> Int32s | None:
        answer, cells = self._native.other_outcome(*box, deadline.seconds(), self.memory)
        if answer == OPEN:
            raise Unsettled("the time limit was reached; give a longer timeout")
        return cells if answer == YES else None

    def quick(self, deadline: Deadline) -> Int32s | None:
        """Return atoms that force the outcome by the quick bound; None where it fails."""
        return self._native.quick_reason(self._freed, deadline.seconds(), self.memory)

    def sufficient(self, deadline: Deadline) -> tuple[list[int], list[int]] | None:
        """Return atoms that force the outcome, and those that are not proved to be needed.

        None where every reason needs an excluded one.
        """
        forces, low, high, missing, words, open_ = self._native.sufficient_reason(
            self._freed, self.boxes.has_sides, deadline.seconds(), self.memory
        )
        return self.boxes.atoms_of(Box(low, high, missing, words), open_) if forces else None

    @cached_property
    def _freed(self) -> Bytes:
        """Marks of the attributes of excluded atoms: all atoms of an attribute are at once."""
        if not self.excluded:
            return self.prepared.none_freed
        freed = np.zeros(len(self.cells), dtype=np.uint8)
        for number in self.excluded:
            freed[self._attribute[number]] = 1
        return freed

    @cached_property
    def _attribute(self) -> Int32s:
        """The attribute of the native ensemble that each atom is about."""
        if isinstance(self.atoms, IntervalRow):
            return self.atoms.attribute
        return np.arange(len(self.boxes), dtype=np.int32)

    # Implicit hitting sets: every row of another outcome gives a clause, the atoms that it does not
    # have, of which every reason has one. A smallest set that hits all known clauses is no larger
    # than any reason; where it forces the outcome, it is a smallest reason.

    def _add_clause(self, cells: Int32s, deadline: Deadline) -> frozenset[int]:
        """Keep the clause of a row, as small as moving it nearer makes it, and return it."""
        near = self._native.nearer(
            cells, self.boxes.has_sides, NEARER_PARTS, deadline.seconds(), self.memory
        )
        clause = frozenset(self.boxes.violated(near)) - self.excluded
        self._clauses.add(clause)
        return clause

    @property
    def _has_none(self) -> bool:
        """Whether every reason needs an excluded atom: some row differs in these only."""
        return frozenset() in self._clauses

    def minimal(self, weights: Words | None, deadline: Deadline) -> list[int] | None:
        """Return a smallest set of atoms that forces the outcome; None where all need excluded.

        Raises
        ------
        Unsettled
            Where time runs out first: with ``at_least``, the size of a smallest reason at the
            least, and ``smallest``, the smallest reason that is known.
        """
        chosen: list[int] = []
        known: list[int] | None = None
        usable = self._usable(weights)
        while not self._has_none:
            try:
                chosen = self._hitting(usable, weights, deadline)
                witness = self._witness(self.boxes.box(chosen), deadline)
                if witness is None:
                    return chosen
                # Further clauses that have nothing in common: each takes an atom of its own.
                taken = set(chosen)
                while witness is not None and not self._has_none:
                    taken |= self._add_clause(witness, deadline)
                    witness = self._witness(self.boxes.box(taken), deadline)
                if witness is None and weights is None:
                    known = self._smaller_of(known, taken & usable, deadline)
                    if known is not None and len(known) == len(chosen):
                        return known
            except TimeoutExpired:
                raise self._unsettled(weights, len(chosen), known) from None
        return None

    def _unsettled(
        self, weights: Words | None, at_least: int, known: list[int] | None
    ) -> Unsettled:
        said = "" if weights is not None else f"; every reason has {at_least} or more"
        if known is not None:
            said += f", and the smallest known has {len(known)}"
        stop = Unsettled(
            f"the time limit was reached before a smallest reason was found{said}; give a longer "
            f"timeout"
        )
        stop.at_least, stop.smallest = at_least, known
        return stop

    def _smaller_of(
        self, known: list[int] | None, enough: Iterable[int], deadline: Deadline
    ) -> list[int] | None:
        """Return the smaller of a reason and of one made of atoms that force the outcome."""
        atoms = sorted(enough)
        order = np.array(sorted({int(self._attribute[n]) for n in atoms}), dtype=np.int32)
        _, low, high, missing, words, open_ = self._native.smaller(
            *self.boxes.box(atoms), order, self.boxes.has_sides, deadline.seconds(), self.memory
        )
        made, _ = self.boxes.atoms_of(Box(low, high, missing, words), open_)
        return made if known is None or len(made) < len(known) else known

    def _usable(self, weights: Words | None) -> frozenset[int]:
        """Return the atoms that some smallest reason is made of.

        Of atoms of which one follows from the other only the narrower, where it weighs no more.
        """
        if weights is None or self._weighs_alike(weights):
            return frozenset(self.boxes.tightest)
        return frozenset(range(len(self.boxes)))

    def _weighs_alike(self, weights: Words) -> bool:
        """Tell whether all atoms of each attribute have one weight."""
        if not isinstance(self.atoms, IntervalRow):
            return True
        limbs = weights.reshape(-1, 2)
        of_first = limbs[self.atoms.first_atom[self.atoms.attribute]]
        return bool((limbs == of_first).all())

    def _hitting(
        self, usable: frozenset[int], weights: Words | None, deadline: Deadline
    ) -> list[int]:
        if not self._clauses:
            return []
        start, atom = self._arrays(usable)
        none = np.zeros(0, dtype=np.uint64)
        found = minimum_hitting_set(
            start,
            atom,
            len(self.boxes),
            none if weights is None else weights,
            deadline.seconds(),
            self.memory,
        )
        return [int(number) for number in found]

    def _arrays(self, usable: frozenset[int] | None = None) -> tuple[Int64s, Int32s]:
        """Return the clauses, of usable atoms, that contain no other, the smallest first."""
        clauses = self._clauses if usable is None else {c & usable for c in self._clauses}
        least: list[frozenset[int]] = []
        for clause in sorted(clauses, key=lambda clause: (len(clause), sorted(clause))):
            if not any(smaller <= clause for smaller in least):
                least.append(clause)
        start = np.cumsum([0, *map(len, least)]).astype(np.int64)
        atom = np.array([n for clause in least for n in sorted(clause)], dtype=np.int32)
        return start, atom

    def every(self, deadline: Deadline) -> Iterator[list[int]]:
        """Give all reasons, each once: the sets that hit all clauses, with nothing to spare.

        Such a set of the clauses that are known either forces the outcome, and is then a reason, or
        some row gives a further clause.
        """
        yield from self._reasons(HittingSets, deadline)

    def every_minimal(self, deadline: Deadline) -> Iterator[list[int]]:
        """Give all smallest reasons, each once.

        As soon as one is known, no smallest set that hits the known clauses is smaller.
        """
        first = self.minimal(None, deadline)
        if first is not None:
            yield first
            yield from self._reasons(MinimumHittingSets, deadline, frozenset(first))

    def _reasons(
        self,
        sets: type[HittingSets | MinimumHittingSets],
        deadline: Deadline,
        *before: frozenset[int],
    ) -> Iterator[list[int]]:
        given = set(before)
        known = -1
        while known != len(self._clauses) and not self._has_none:
            known = len(self._clauses)
            for chosen in self._hitting_sets(sets, deadline):
                if frozenset(chosen) in given:
                    continue
                witness = self._witness(self.boxes.box(chosen), deadline)
                if witness is not None:
                    self._add_clause(witness, deadline)
                    break
                given.add(frozenset(chosen))
                yield chosen

    def _hitting_sets(
        self, sets: type[HittingSets | MinimumHittingSets], deadline: Deadline
    ) -> Iterator[list[int]]:
        if not self._clauses:
            yield []
            return
        listing = sets(*self._arrays(), len(self.boxes), self.memory)
        more = True
        while more:
            more, start, atom = listing.next(BATCH, deadline.seconds())
            for first, end in zip(start[:-1].tolist(), start[1:].tolist(), strict=True):
                yield [int(number) for number in atom[first:end]]

    # Contrasts.

    def contrasts(self, toward: int, deadline: Deadline) -> Iterator[list[int]]:
        """Give the contrastive explanations, the smallest first, each proved to be minimal.

        Each is what the nearest row of another outcome changes, counted in atoms; then no row that
        changes that and perhaps more is wanted again. (Smallest sets that hit all known reasons
        were tried instead, and took several times longer.)
        """
        first, costs = self.boxes.costs(self.immutable)
        nothing = np.zeros_like(costs)
        blocked: list[list[Change]] = []
        box = self.boxes.everything()
        while True:
            answer, cells, _, _ = self._native.nearest(
                *box,
                first,
                costs,
                np.where(np.isinf(costs), np.inf, nothing),
                np.cumsum([0, *map(len, blocked)]).astype(np.int64),
                np.array([part for one in blocked for change in one for part in change], np.int32),
                toward,
                deadline.seconds(),
                self.memory,
            )
            if answer == OPEN:
                raise Unsettled(
                    f"the time limit was reached after {len(blocked)} contrastive explanations; "
                    f"give a longer timeout, or a limit"
                )
            if answer == NO:
                return
            blocked.append(self.boxes.change(cells))
            found = self.boxes.violated(cells)
            self._clauses.add(frozenset(found) - self.excluded)
            yield found

    def necessary(self, deadline: Deadline) -> list[int]:
        """Return the atoms that every reason has: without one, all others do not force it."""
        own = [number for number in range(len(self.boxes)) if number not in self.excluded]
        tight = self.boxes.box(own)
        # What others imply is in no danger: only the tightest are asked about.
        asked = self.boxes.atoms_of(tight)[0] if self.boxes.has_sides else own
        return [n for n in asked if self._witness(self._without(tight, n), deadline) is not None]

    def _without(self, tight: Box, number: int) -> Box:
        """Return the box that all atoms but one leave."""
        a = int(self._attribute[number])
        box = tight.copy()
        if isinstance(self.atoms, IntervalRow):
            single = bool(self.atoms.has_single[a])
            level = number - int(self.atoms.first_atom[a]) - single
            if level >= 0:  # the next side is still there
                if int(self.boxes.cells[a]) <= level:
                    box.high[a] += 1
                else:
                    box.low[a] -= 1
                return box
        free = self.boxes.everything()
        box.low[a], box.high[a], box.missing[a] = free.low[a], free.high[a], free.missing[a]
        first = self.boxes.layout.first_word
        part = slice(int(first[a]), int(first[a + 1]))
        box.words[part] = free.words[part]
        return box

    def needed(self, deadline: Deadline) -> frozenset[int]:
        """Return excluded atoms of which every reason has one, where there is no reason without."""
        rest = [number for number in range(len(self.boxes)) if number not in self.excluded]
        witness = self._witness(self.boxes.box(rest), deadline)
        return frozenset() if witness is None else frozenset(self.boxes.violated(witness))

    def is_only(self, number: int, deadline: Deadline) -> bool:
        """Tell whether one atom alone forces the outcome: it is then in every contrast."""
        return self.is_forced([number], deadline)

"""Finding short reasons, counted or weighed: what the core finds, as conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cattleya._core import ShortChances, ShortTable
from cattleya.reasons.short.coding import RowFacts
from cattleya.reasons.short.share import Share, Wanted
from cattleya.reasons.short.short_reason import (
    NoShortReason,
    Outcome,
    ShortReason,
    Step,
    TradeOff,
)
from cattleya.reasons.short.weighing import RowWeighing
from cattleya.reasons.short.worlds import Chance
from cattleya.support.arrays import Int32s, Int64s
from cattleya.support.errors import TimeoutExpired
from cattleya.support.limits import Deadline
from cattleya.vocabularies.interface import RowAtoms

__all__ = ["ShortSearch", "WeighedSearch"]

Sets = tuple[Int64s, Int32s, Int64s, Int64s]
FAR = 1e-6  # above any rounding of a probability in the core


@dataclass(frozen=True, eq=False)
class ShortSearch:
    """A row, the facts that may be said of it, and the table that they are counted on."""

    table: ShortTable
    rows: int
    facts: RowFacts
    atoms: RowAtoms
    row_class: int
    outcome: Outcome
    memory: int
    warning: str = ""

    def reason(self, wanted: Wanted, prove: bool, deadline: Deadline) -> ShortReason:
        """Return the smallest set of facts that is found; ``NoShortReason`` where there is none."""
        best, reached, at_least = self._search(wanted, every_size=False, deadline=deadline)
        found = self._named(reached, wanted, at_least)
        if prove:
            found, at_least = self._proved(found, wanted, at_least, deadline)
        if found:
            return found[0].reason.with_bound(at_least)
        steps = self._named(best, wanted, at_least)
        raise NoShortReason(steps, wanted.precision, wanted.max_size, at_least)

    def trade_off(self, wanted: Wanted, deadline: Deadline) -> TradeOff:
        """Return the safest facts of each size, and facts that are added one after the other."""
        best, _, at_least = self._search(wanted, every_size=True, deadline=deadline)
        rungs, _, _ = self._search(wanted, every_size=True, is_ladder=True, deadline=deadline)
        return TradeOff(
            _until_sure(self._named(best, wanted, at_least)),
            _until_sure(self._named(rungs, wanted, at_least)),
        )

    def _search(
        self, wanted: Wanted, *, every_size: bool, deadline: Deadline, is_ladder: bool = False
    ) -> tuple[Sets, Sets, int]:
        return self.table.search(
            *self.facts.arrays,
            self.row_class,
            wanted.max_size,
            wanted.least_rows(self.rows),
            wanted.precision.numerator,
            wanted.precision.denominator,
            every_size,
            is_ladder,
            deadline.seconds(),
            self.memory,
        )

    def _proved(
        self, found: list[Step], wanted: Wanted, at_least: int, deadline: Deadline
    ) -> tuple[list[Step], int]:
        """Return the smallest set there is and its size, or how far that is proved in time."""
        end = found[0].size if found else wanted.max_size + 1
        for size in range(at_least, end):
            try:
                smaller = self.table.smaller(
                    *self.facts.arrays,
                    self.row_class,
                    size,
                    wanted.least_rows(self.rows),
                    wanted.precision.numerator,
                    wanted.precision.denominator,
                    deadline.seconds(),
                    self.memory,
                )
            except TimeoutExpired:
                return found, size
            if steps := self._named(smaller, wanted, size):
                return steps, size
        return found, end

    def _named(self, sets: Sets, wanted: Wanted, at_least: int) -> list[Step]:
        """Return sets of facts as reasons; a size of which none was found is left out."""
        start, fact, right, wrong = (array.tolist() for array in sets)
        atom = self.facts.atom
        steps = []
        for place, count in enumerate(right):
            if count < 0:
                continue
            atoms = sorted(atom[fact[start[place] : start[place + 1]]].tolist())
            share = Share(count, count + wrong[place], self.rows)
            reason = ShortReason(
                tuple(self.atoms.named(atoms)),
                share,
                self.outcome,
                wanted.precision,
                at_least,
                merges=self.atoms.over.merges,
                warning=self.warning,
            )
            steps.append(Step(len(reason), reason.precision, share.coverage, reason))
        return steps


@dataclass(frozen=True, eq=False)
class WeighedSearch:
    """A row, the facts that may be said of it, and the weights that they are measured by."""

    weighing: RowWeighing
    lead: str
    about: str
    atoms: RowAtoms
    outcome: Outcome
    memory: int

    def reason(self, wanted: Wanted, prove: bool, deadline: Deadline) -> ShortReason:
        """Return the smallest set of facts that is found; ``NoShortReason`` where there is none."""
        native = self._native(wanted)
        met = self._search(native, wanted, every_size=False, deadline=deadline)
        sets, errors, is_settled = met
        found = self._smallest(sets, errors, wanted)
        at_least = 2
        if not is_settled:
            at_least = int(not _is_enough(self._named(sets[:1], wanted)[0], wanted))
        if prove:
            found, at_least = self._proved(native, found, wanted, at_least, deadline)
        if found:
            return found[0].reason.with_bound(at_least)
        steps = self._named(sets, wanted)
        raise NoShortReason(steps, wanted.precision, wanted.max_size, at_least)

    def _smallest(self, sets: list[list[int]], errors: list[float], wanted: Wanted) -> list[Step]:
        """Return the smallest set that suffices, if one does.

        The search ends with the first that suffices beyond rounding; any before it may suffice
        exactly, the empty one, too. What is wrong by far more than rounding is not weighed.
        """
        most = float(1 - wanted.precision) + FAR
        for facts, error in zip(sets, errors, strict=True):
            if error <= most:
                steps = self._named([facts], wanted)
                if _is_enough(steps[0], wanted):
                    return steps
        return []

    def trade_off(self, wanted: Wanted, deadline: Deadline) -> TradeOff:
        """Return the likeliest facts of each size, and facts that are added one after the other."""
        native, made = self._native(wanted), []
        for is_ladder in (False, True):
            how = {"every_size": True, "is_ladder": is_ladder}
            steps = self._named(self._search(native, wanted, deadline=deadline, **how)[0], wanted)
            made.append(_until_sure(steps))
        return TradeOff(*made)

    def measured(self, atoms: Sequence[int]) -> Chance:
        """Return how likely the row's own facts are right, by their atoms."""
        facts = self.weighing.fact_of_atom[list(atoms)].tolist()
        for atom, fact in zip(atoms, facts, strict=True):
            if fact < 0:
                (said,) = self.atoms.named([atom])
                raise ValueError(
                    f"{str(said)!r} cannot be weighed: the tree does not test it, or nothing that "
                    f"is weighed has it"
                )
        return self._chance(facts)

    def _native(self, wanted: Wanted) -> ShortChances:
        return self.weighing.native(is_covered=wanted.min_coverage > 0)

    def _search(
        self,
        native: ShortChances,
        wanted: Wanted,
        *,
        every_size: bool,
        deadline: Deadline,
        is_ladder: bool = False,
    ) -> tuple[list[list[int]], list[float], bool]:
        sets, errors, is_settled = native.search(
            wanted.max_size,
            float(1 - wanted.precision),
            float(wanted.min_coverage),
            every_size,
            is_ladder,
            deadline.seconds(),
            self.memory,
        )
        return _listed(sets), errors.tolist(), is_settled

    def _proved(
        self,
        native: ShortChances,
        found: list[Step],
        wanted: Wanted,
        at_least: int,
        deadline: Deadline,
    ) -> tuple[list[Step], int]:
        """Return the smallest set there is and its size, or how far that is proved in time."""
        end = found[0].size if found else wanted.max_size + 1
        error, coverage = float(1 - wanted.precision), float(wanted.min_coverage)
        for size in range(max(at_least, 1), end):
            try:
                sets, is_cut = native.smaller(
                    size, error, coverage, deadline.seconds(), self.memory
                )
            except TimeoutExpired:
                return found, size
            steps = [one for one in self._named(_listed(sets), wanted) if _is_enough(one, wanted)]
            if steps:
                return [max(steps, key=lambda one: (-one.size, one.precision, one.coverage))], size
            if is_cut:
                return found, size
        return found, max(end, at_least) if not found else end

    def _chance(self, facts: Sequence[int]) -> Chance:
        return Chance(*self.weighing.measured(facts), self.lead, self.about)

    def _named(self, sets: Sequence[Sequence[int]], wanted: Wanted) -> list[Step]:
        steps = []
        for facts in sets:
            chance = self._chance(facts)
            atoms = sorted(self.weighing.facts.atom[list(facts)].tolist())
            given = (tuple(self.atoms.named(atoms)), chance, self.outcome, wanted.precision, 0)
            reason = ShortReason(*given, merges=self.atoms.over.merges)
            steps.append(Step(len(reason), chance.precision, chance.coverage, reason))
        return steps


def _until_sure(steps: list[Step]) -> list[Step]:
    """Return the steps up to one that is always right: a further fact gains nothing."""
    sure = next((place for place, step in enumerate(steps) if step.precision == 1), len(steps))
    return steps[: sure + 1]


def _listed(sets: tuple[Int64s, Int32s]) -> list[list[int]]:
    start, fact = (array.tolist() for array in sets)
    return [fact[start[i] : start[i + 1]] for i in range(len(start) - 1)]


def _is_enough(step: Step, wanted: Wanted) -> bool:
    return step.precision >= wanted.precision and step.coverage >= wanted.min_coverage

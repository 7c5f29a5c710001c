"""A few reasons that differ, and whether one stands for all.

The overlap of some reasons is the number of conditions that two of them share, summed over all
pairs. ``diverse`` adds one reason after the other, each with the least overlap with those before
(a minimum-weight hitting set, proved), and then exchanges single reasons as long as that helps. The
result is compared with a bound that no choice can beat: each clause has to be met by all ``k``
reasons, so where it has fewer than ``k`` conditions some must share one.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, count, islice
from math import comb
from typing import TYPE_CHECKING

from cattleya.model.conditions.condition import Condition
from cattleya.reasons.reason import Reason
from cattleya.support.limits import Deadline

if TYPE_CHECKING:
    from cattleya.reasons.sufficient import SufficientReasons

__all__ = ["DiverseReasons", "Representation", "diverse", "represent"]

Atoms = frozenset[int]

MOST_CHOICES = 20_000  # so many choices of k reasons are all compared


class DiverseReasons(tuple[Reason, ...]):
    """Sufficient reasons that overlap as little as can be had: a tuple that knows how much.

    Attributes
    ----------
    overlap : int
        The number of conditions that two of the reasons share, summed over all pairs.
    coverage : Fraction
        The share of the relevant conditions that are in one of the reasons.
    proved : bool
        Whether it is proved that no choice of as many reasons overlaps less.

    Examples
    --------
    >>> import cattleya
    >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
    >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
    >>> found = e.diverse_reasons(2)
    >>> print(*found, sep=" | ")
    a and c | b and c
    >>> found.overlap, found.coverage, found.proved
    (1, Fraction(1, 1), True)
    """

    overlap: int
    coverage: Fraction
    proved: bool

    def __new__(
        cls, reasons: Iterable[Reason], overlap: int, coverage: Fraction, proved: bool
    ) -> DiverseReasons:
        """Make a tuple with its three figures."""
        made = super().__new__(cls, reasons)
        made.overlap, made.coverage, made.proved = overlap, coverage, proved
        return made

    def __getnewargs__(self) -> tuple[tuple[Reason, ...], int, Fraction, bool]:
        return tuple(self), self.overlap, self.coverage, self.proved


@dataclass(frozen=True)
class Representation:
    """How far one sufficient reason is from what all of them have, and from what any has.

    Attributes
    ----------
    beyond_necessary : frozenset of Condition
        What the reason contains although it is not in every sufficient reason.
    relevant_missing : frozenset of Condition
        What the reason lacks although it is in some sufficient reason.
    size, n_relevant : int
        The numbers of conditions of the reason, and of relevant ones.

    Examples
    --------
    >>> import cattleya
    >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
    >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
    >>> how = e.representative(e.minimal_reason())
    >>> how.distance_to_necessary, how.distance_to_relevant, how.size, how.n_relevant, bool(how)
    (1, 1, 2, 3, False)
    """

    beyond_necessary: frozenset[Condition]
    relevant_missing: frozenset[Condition]
    size: int
    n_relevant: int

    @property
    def distance_to_necessary(self) -> int:
        """How many conditions the reason has beyond the necessary ones."""
        return len(self.beyond_necessary)

    @property
    def distance_to_relevant(self) -> int:
        """How many relevant conditions the reason lacks."""
        return len(self.relevant_missing)

    def __bool__(self) -> bool:
        """Tell whether the reason is the only one: both distances are then 0."""
        return not self.beyond_necessary and not self.relevant_missing

    def __str__(self) -> str:
        if self:
            return "it is the only sufficient reason"
        beyond, missing = self.distance_to_necessary, self.distance_to_relevant
        return (
            f"{beyond} of its {self.size} conditions {_is(beyond)} not in every sufficient reason; "
            f"{missing} of the {self.n_relevant} conditions that are in some sufficient reason "
            f"{_is(missing)} not in it"
        )


def represent(
    reason: frozenset[Condition], necessary: frozenset[Condition], relevant: frozenset[Condition]
) -> Representation:
    """Compare a reason with the necessary and the relevant conditions."""
    return Representation(reason - necessary, relevant - reason, len(reason), len(relevant))


def diverse(reasons: SufficientReasons, k: int, deadline: Deadline) -> DiverseReasons:
    """Choose ``k`` sufficient reasons, or all where there are fewer."""
    few = _every_one(reasons, k, deadline)
    if few is not None:
        k = min(k, len(few))
        chosen = _least_of_all(few, k, deadline)
        proved = True
    else:
        chosen = _step_by_step(reasons, k, deadline)
        proved = _overlap(chosen) == _least_overlap(reasons, k)
    covered = frozenset[int]().union(*chosen)
    relevant = len(reasons.complete.relevant)
    coverage = Fraction(len(covered), relevant) if relevant else Fraction(1)
    ordered = sorted(chosen, key=lambda atoms: (len(atoms), sorted(atoms)))
    return DiverseReasons(reasons.named(ordered), _overlap(chosen), coverage, proved)


def _every_one(reasons: SufficientReasons, k: int, deadline: Deadline) -> list[Atoms] | None:
    """Return all reasons where all choices of ``k`` of them can be compared, else None."""
    most = _most_compared(k)
    found = list(islice(reasons.every_as_atoms(most + 1, deadline), most + 1))
    return found if len(found) <= most else None


@cache
def _most_compared(k: int) -> int:
    """Return of how many reasons all choices of ``k`` can be compared."""
    most = min(k, MOST_CHOICES)
    while comb(most + 1, k) <= MOST_CHOICES and most < MOST_CHOICES:
        most += 1
    return most


def _least_of_all(few: list[Atoms], k: int, deadline: Deadline) -> tuple[Atoms, ...]:
    def cost(sets: tuple[Atoms, ...]) -> tuple[int, int]:
        deadline.check()
        return _overlap(sets), sum(map(len, sets))

    return min(combinations(few, k), key=cost)


def _step_by_step(reasons: SufficientReasons, k: int, deadline: Deadline) -> tuple[Atoms, ...]:
    chosen: list[Atoms] = []
    while len(chosen) < k:
        chosen.append(_least_shared(reasons, chosen, deadline))
    improved = True
    while improved:
        improved = False
        for place in range(k):
            deadline.check()
            others = chosen[:place] + chosen[place + 1 :]
            other = _least_shared(reasons, others, deadline)
            if _overlap([*others, other]) < _overlap(chosen):
                chosen[place] = other
                improved = True
    return tuple(chosen)


def _least_shared(reasons: SufficientReasons, given: Sequence[Atoms], deadline: Deadline) -> Atoms:
    """Return the reason, other than those given, that shares least with them; of such a shortest.

    Another reason lacks some condition of each one given. So where the best is one of those, the
    search goes on without each of its conditions in turn.
    """
    used = Counter(atom for atoms in given for atom in atoms)
    heavy = len(reasons.complete.relevant) + 1  # sharing one more is worse than any length
    weights = {atom: 1 + heavy * times for atom, times in used.items()}
    ticket = count()
    open_: list[tuple[int, int, Atoms, Atoms]] = []
    tried: set[Atoms] = set()

    def look(without: Atoms) -> None:
        if without in tried:
            return
        tried.add(without)
        deadline.check()
        best = reasons.lightest_without(weights, without, deadline)
        if best is not None:
            cost = sum(weights.get(atom, 1) for atom in best)
            heapq.heappush(open_, (cost, next(ticket), best, without))

    look(frozenset())
    while open_:
        deadline.check()
        _, _, best, without = heapq.heappop(open_)
        if best not in given:
            return best
        for atom in sorted(best):
            look(without | {atom})
    raise RuntimeError("internal error: there are more reasons than were found")


def _overlap(chosen: Sequence[Atoms]) -> int:
    times = Counter(atom for atoms in chosen for atom in atoms)
    return sum(comb(number, 2) for number in times.values())


def _least_overlap(reasons: SufficientReasons, k: int) -> int:
    """Return a bound that the overlap of ``k`` reasons cannot be below."""
    met: set[int] = set()
    bound = 0
    for clause in reasons.complete.shorter_than(k):
        if met.isdisjoint(clause):  # what clauses without common conditions force adds up
            met.update(clause)
            times, rest = divmod(k, len(clause))
            bound += rest * comb(times + 1, 2) + (len(clause) - rest) * comb(times, 2)
    return bound


def _is(number: int) -> str:
    return "is" if number == 1 else "are"

"""How many explanations of a row there are, and how often a condition is in one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from cattleya.explain.row import ExplainedRow
from cattleya.model.conditions.condition import Condition
from cattleya.reasons.circuit import count_without
from cattleya.reasons.limbs import ranked
from cattleya.reasons.reason import Reason
from cattleya.support.errors import MemoryLimitExceeded
from cattleya.support.guards import is_whole
from cattleya.support.limits import Deadline, checked_threads
from cattleya.support.text import shown

__all__ = ["Counting", "checked_kind"]

BYTES_PER_SAMPLE = 256
KINDS = ("sufficient", "contrastive")


class Counting:
    """The questions about a row that are answered by counting."""

    def __init__(self, row: ExplainedRow) -> None:
        self._row = row

    def count(self, kind: str, timeout: float | None, threads: int) -> int:
        """Return how many explanations of a kind there are."""
        deadline, threads = Deadline(timeout), checked_threads(threads)
        if checked_kind(kind, (*KINDS, "minimal")) == "contrastive":
            self._row.complete_within(deadline)
            return len(self._row.changeable)
        reasons = self._row.sufficient(deadline)
        if kind == "minimal":
            return reasons.minimum(deadline)[1]
        return reasons.count(deadline, threads)

    def importance(
        self, kind: str, timeout: float | None, threads: int
    ) -> dict[Condition, Fraction]:
        """Return the share of the explanations of a kind that contain each condition."""
        deadline, threads = Deadline(timeout), checked_threads(threads)
        if checked_kind(kind) == "contrastive":
            self._row.complete_within(deadline)
            complete = self._row.changeable
            numbers = complete.occurrences[complete.relevant].tolist()
            known = {number: Fraction(number, len(complete)) for number in set(numbers)}
            shares = [known[number] for number in numbers]
        else:
            reasons = self._row.sufficient(deadline)
            complete = reasons.complete
            weights = reasons.weigh(deadline, threads)
            numbers, shares = list(weights.containing), list(weights.shares)
        relevant = self._row.named_in_time(complete.relevant, deadline)
        others = self._row.named_in_time(complete.irrelevant, deadline)
        deadline.check()
        return ranked(relevant, numbers, shares) | dict.fromkeys(others, Fraction(0))

    def feature_importance(self, timeout: float | None) -> dict[str, Fraction]:
        """Return the share of the sufficient reasons that mention each feature at all."""
        deadline, row = Deadline(timeout), self._row
        reasons = row.sufficient(deadline)
        complete = reasons.complete
        owner = row.attribute_of_atom[complete.relevant]
        shares = dict.fromkeys(np.unique(owner).tolist(), Fraction(1))
        decisive = frozenset(complete.within_one(row.attribute_of_atom).tolist())
        # All but those that a reason cannot do without: the others are left out one by one.
        open_ones = [place for place in shares if place not in decisive]
        if open_ones:
            circuit = reasons.compiled(deadline)
            total = reasons.count(deadline, 1)
            for place in open_ones:
                atoms = np.flatnonzero(owner == place).astype(np.int32)
                shares[place] = 1 - Fraction(count_without(circuit, atoms, deadline), total)
        attributes = row.context.domain.attributes
        by_name: dict[str, Fraction] = {}
        order = sorted(range(len(attributes)), key=lambda place: (-shares.get(place, 0), place))
        for place in order:
            by_name.setdefault(attributes[place].name, shares.get(place, Fraction(0)))
        return by_name

    def sample(self, n: int, seed: int | None, timeout: float | None) -> tuple[Reason, ...]:
        """Return sufficient reasons drawn uniformly from all of them."""
        deadline, memory = Deadline(timeout), self._row.context.memory_limit
        if not is_whole(n) or n < 0:
            raise ValueError(f"n must be a whole number, 0 or more, not {shown(n)}")
        if n * BYTES_PER_SAMPLE > memory:
            raise MemoryLimitExceeded(
                f"{shown(int(n))} samples need more than {memory} bytes; "
                f"draw fewer at a time, or give a larger memory_limit"
            )
        if seed is not None and (not is_whole(seed) or seed < 0):
            raise ValueError(f"seed must be a whole number, 0 or more, or None, not {shown(seed)}")
        seed = None if seed is None else int(seed)
        return self._row.sufficient(deadline).sample(int(n), seed, deadline)


def checked_kind(kind: str, kinds: tuple[str, ...] = KINDS) -> str:
    """Return a kind of explanations; refuse what is none."""
    if not isinstance(kind, str) or kind not in kinds:
        names = " or ".join(map(repr, kinds))
        raise ValueError(f"kind must be {names}, not {shown(kind)}")
    return kind

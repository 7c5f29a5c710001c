"""How many explanations there are, and how often a condition is in one: the counting questions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from cattleya.explain.row import ExplainedRow
from cattleya.model.conditions.condition import Condition
from cattleya.reasons.circuit import Circuit
from cattleya.reasons.limbs import ranked
from cattleya.reasons.reason import Reason
from cattleya.support.arrays import Floats, Int32s
from cattleya.support.errors import MemoryLimitExceeded
from cattleya.support.guards import is_whole
from cattleya.support.limits import Deadline, checked_threads
from cattleya.support.text import shown

__all__ = ["HowMany", "checked_kind"]

BYTES_A_SAMPLE = 256
NAMED_AT_ONCE = 10_000  # conditions
KINDS = ("sufficient", "contrastive")


class HowMany(ExplainedRow):
    """The questions of an explanation that are answered by counting."""

    def count(
        self, kind: str = "sufficient", timeout: float | None = None, threads: int = 1
    ) -> int:
        """Return how many explanations of a kind there are, exactly.

        Parameters
        ----------
        kind : {"sufficient", "minimal", "contrastive"}
            Sufficient reasons are counted without listing them: there may be 10^40. So are the
            minimal ones, those with the fewest conditions.
        timeout : float, optional
            Seconds after which :class:`cattleya.TimeoutExpired` is raised. The explanation stays
            usable, and can be asked again.
        threads : int
            How many cores may work on it, where it is hard enough to share.
        """
        deadline, threads = Deadline(timeout), checked_threads(threads)
        if checked_kind(kind, (*KINDS, "minimal")) == "contrastive":
            self._complete_within(deadline)
            return len(self._changeable)
        reasons = self._sufficient(deadline)
        if kind == "minimal":
            return reasons.minimum(deadline)[1]
        return reasons.count(deadline, threads)

    def importance(
        self, kind: str = "sufficient", timeout: float | None = None, threads: int = 1
    ) -> dict[Condition, Fraction]:
        """Return the share of the explanations that contain each condition, highest first.

        Every condition of the row is there, with 0 if it is in no explanation. The shares are
        exact; :meth:`importance_array` has them as floating point numbers. The parameters are
        those of :meth:`count`.
        """
        deadline, threads = Deadline(timeout), checked_threads(threads)
        if checked_kind(kind) == "contrastive":
            self._complete_within(deadline)
            complete = self._changeable
            numbers = complete.occurrences[complete.relevant].tolist()
            known = {number: Fraction(number, len(complete)) for number in set(numbers)}
            shares = [known[number] for number in numbers]
        else:
            reasons = self._sufficient(deadline)
            complete = reasons.complete
            weights = reasons.weigh(deadline, threads)
            numbers, shares = list(weights.containing), list(weights.shares)
        relevant = self._named(complete.relevant, deadline)
        others = self._named(complete.irrelevant, deadline)
        deadline.check()
        return ranked(relevant, numbers, shares) | dict.fromkeys(others, Fraction(0))

    def _named(self, numbers: Int32s, deadline: Deadline) -> list[Condition]:
        """Return atoms as conditions; large trees have so many that it takes time."""
        found: list[Condition] = []
        for start in range(0, len(numbers), NAMED_AT_ONCE):
            deadline.check()
            found += self._atoms.named(numbers[start : start + NAMED_AT_ONCE].tolist())
        return found

    def importance_array(
        self, kind: str = "sufficient", timeout: float | None = None
    ) -> tuple[tuple[Condition, ...], Floats]:
        """Return the relevant conditions and their importance as floating point numbers.

        The same as :meth:`importance`, rounded, and faster to work with: for plots.
        """
        ranked = self.importance(kind, timeout)
        positive = [(condition, float(share)) for condition, share in ranked.items() if share]
        return tuple(c for c, _ in positive), np.array([share for _, share in positive])

    def count_by_size(self, timeout: float | None = None) -> dict[int, int]:
        """Return how many sufficient reasons of each size there are, exactly."""
        deadline = Deadline(timeout)
        return dict(self._sufficient(deadline).by_size(deadline))

    def sample(
        self, n: int, seed: int | None = None, timeout: float | None = None
    ) -> tuple[Reason, ...]:
        """Return sufficient reasons drawn uniformly from all of them, each independently.

        Parameters
        ----------
        n : int
            How many to draw. One may come more than once.
        seed : int, optional
            The same seed gives the same reasons.
        timeout : float, optional
            As for :meth:`count`.
        """
        deadline = Deadline(timeout)
        if not is_whole(n) or n < 0:
            raise ValueError(f"n must be a whole number, 0 or more, not {shown(n)}")
        if n * BYTES_A_SAMPLE > self._memory:
            raise MemoryLimitExceeded(
                f"{shown(int(n))} samples need more than {self._memory} bytes; "
                f"draw fewer at a time, or give a larger memory_limit"
            )
        if seed is not None and (not is_whole(seed) or seed < 0):
            raise ValueError(f"seed must be a whole number, 0 or more, or None, not {shown(seed)}")
        return self._sufficient(deadline).sample(
            int(n), None if seed is None else int(seed), deadline
        )

    def compile(self, timeout: float | None = None) -> Circuit:
        """Return the circuit behind the counts, to be asked many times or kept in a file."""
        deadline = Deadline(timeout)
        return self._sufficient(deadline).compiled(deadline)


def checked_kind(kind: str, kinds: tuple[str, ...] = KINDS) -> str:
    """Return a kind of explanations; refuse what is none."""
    if not isinstance(kind, str) or kind not in kinds:
        names = " or ".join(map(repr, kinds))
        raise ValueError(f"kind must be {names}, not {shown(kind)}")
    return kind

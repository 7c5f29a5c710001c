"""What the explanations of one row are made of: numbered atoms, and the words for them.

A vocabulary decides which facts about a row are atoms, and which of them the path to a leaf
contradicts. Nothing that works on the clauses knows which vocabulary is in use.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from cattleya.condition import Condition
from cattleya.domain import Domain
from cattleya.verification import Verification, is_contrast, verify
from cattleya.walker import Walker

__all__ = [
    "ANY_OTHER_CLASS",
    "OVER_CONDITIONS",
    "ConditionAtoms",
    "RowAtoms",
]

Ints = npt.NDArray[np.int32]
Clauses = tuple[npt.NDArray[np.int64], Ints]

ANY_OTHER_CLASS = -1
OVER_CONDITIONS = "over the tree's binary conditions, each taken as a Boolean variable of its own"


class RowAtoms(Protocol):
    """The atoms of a row, numbered from 0."""

    @property
    def over(self) -> str:
        """What the atoms are; the end of a definition."""

    @property
    def merges(self) -> bool:
        """Whether conditions on one feature are said as one interval."""

    def attributes(self, domain: Domain) -> Ints:
        """Return the attribute of the domain that each atom speaks of."""

    @property
    def row_class(self) -> int:
        """The class of the row."""

    @property
    def path(self) -> Ints:
        """The direct reason: atoms in the order of the row's path, each once, none implied."""

    def __len__(self) -> int: ...

    def named(self, numbers: Iterable[int]) -> list[Condition]:
        """Return atoms as conditions, in the order given."""

    def set_of(self, numbers: Ints) -> frozenset[Condition]:
        """Return atoms as a set of conditions."""

    def number(self, condition: Condition | str) -> int:
        """Return the number of a condition, or of its text; ``ValueError`` if it is no atom."""

    def of_attribute(self, domain: Domain, attribute: int) -> Ints:
        """Return the atoms that speak of an attribute of the domain."""

    def of_column(self, domain: Domain, column: int) -> Ints:
        """Return the atoms that speak of a column of the tree."""

    def complete_reason(self, toward: int, seconds: float, memory: int) -> Clauses:
        """Return the minimal clauses, smallest first; toward a class, or any other."""

    def verify(self, conditions: Iterable[Condition | str]) -> Verification:
        """Prove or refute that conditions are a sufficient reason."""

    def is_contrast(self, conditions: Iterable[Condition | str]) -> bool:
        """Prove or refute that conditions are a contrastive explanation."""


class ConditionAtoms:
    """The paper's atoms: every condition of the tree, on the side that the row is on."""

    over = OVER_CONDITIONS
    merges = False

    def __init__(self, walker: Walker, row: npt.NDArray[np.float64]) -> None:
        self._walker = walker
        self._row = row
        self._truth = walker.engine.evaluate(row)
        self.row_class, self.path = walker.engine.path(self._truth)

    def attributes(self, domain: Domain) -> Ints:
        """Return the attribute of each condition's column."""
        return domain.of_column[self._walker.conditions.feature]

    def __len__(self) -> int:
        return len(self._walker.conditions)

    def named(self, numbers: Iterable[int]) -> list[Condition]:
        """Return atoms as conditions."""
        holds = self._holds
        return self._walker.conditions.sides([2 * n + holds[n] for n in numbers])

    @cached_property
    def _holds(self) -> bytes:
        return self._truth.tobytes()

    def set_of(self, numbers: Ints) -> frozenset[Condition]:
        """Return atoms as a set of conditions."""
        return self._walker.conditions.set_of(numbers, self._truth)

    def number(self, condition: Condition | str) -> int:
        """Return the number of a condition that holds in the row."""
        code = self._walker.conditions.code_of(condition)
        if code % 2 != self._truth[code // 2]:
            raise ValueError(f"{str(condition)!r} does not hold in the row")
        return code // 2

    def of_attribute(self, domain: Domain, attribute: int) -> Ints:
        """Return the conditions on the columns of an attribute."""
        return np.flatnonzero(self.attributes(domain) == attribute).astype(np.int32)

    def of_column(self, domain: Domain, column: int) -> Ints:
        """Return the conditions on a column."""
        return np.flatnonzero(self._walker.conditions.feature == column).astype(np.int32)

    def complete_reason(self, toward: int, seconds: float, memory: int) -> Clauses:
        """Return the minimal clauses."""
        return self._walker.engine.complete_reason(
            self._truth, self.row_class, toward, seconds, memory
        )

    def verify(self, conditions: Iterable[Condition | str]) -> Verification:
        """Prove or refute that conditions are a sufficient reason."""
        return verify(self._walker.prover, self._row, self.row_class, conditions)

    def is_contrast(self, conditions: Iterable[Condition | str]) -> bool:
        """Prove or refute that conditions are a contrastive explanation."""
        return is_contrast(self._walker.prover, self._row, self.row_class, conditions)

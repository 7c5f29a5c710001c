"""What explanations are made of: a vocabulary makes the numbered atoms of a row, and names them.

A vocabulary decides which facts about a row are atoms, and which of them the path to a leaf
contradicts. Nothing that works on the clauses knows which vocabulary is in use.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from cattleya._core import Names
from cattleya.model.conditions.condition import Condition
from cattleya.model.domain.domain import Domain
from cattleya.support.arrays import Floats, Int32s, Int64s
from cattleya.vocabularies.over import Over

__all__ = ["ANY_OTHER_CLASS", "Clauses", "RowAtoms", "SpokenOf", "Vocabulary"]

Clauses = tuple[Int64s, Int32s]

ANY_OTHER_CLASS = -1


class Vocabulary(Protocol):
    """Makes the atoms of rows; made once for a tree."""

    def row(self, row: Floats) -> RowAtoms:
        """Return the atoms of a row, given in the tree's columns."""

    def alike(self, matrix: Floats) -> Any:
        """Return a table with one line per row; rows with equal lines have equal explanations."""


class SpokenOf(Protocol):
    """Finds the atoms that speak of an attribute."""

    def of_attribute(self, domain: Domain, attribute: int) -> Int32s:
        """Return the atoms that speak of an attribute of the domain."""

    def of_column(self, domain: Domain, column: int) -> Int32s:
        """Return the atoms that speak of a column of the tree."""


class RowAtoms(SpokenOf, Protocol):
    """The atoms of a row, numbered from 0, and their names."""

    @property
    def over(self) -> Over:
        """Which vocabulary they are of."""

    @property
    def row_class(self) -> int:
        """The class of the row."""

    @property
    def path(self) -> Int32s:
        """The direct reason: atoms in the order of the row's path, each once, none implied."""

    def __len__(self) -> int: ...

    def complete_reason(self, toward: int, seconds: float, memory: int) -> Clauses:
        """Return the minimal clauses, smallest first; toward a class, or any other."""

    def attributes(self, domain: Domain) -> Int32s:
        """Return the attribute of the domain that each atom speaks of."""

    def names(self, numbers: Int32s | None = None) -> Names:
        """Return what atoms are called, or those with some numbers, for the native core."""

    def named(self, numbers: Iterable[int]) -> Sequence[Condition]:
        """Return atoms as conditions, in the order given."""

    def set_of(self, numbers: Int32s) -> frozenset[Condition]:
        """Return atoms as a set of conditions."""

    def number(self, condition: Condition | str) -> int:
        """Return the number of a condition, or of its text; ``ValueError`` if it is no atom."""

    def same_as(self, condition: Condition) -> Condition | None:
        """Return the condition of this vocabulary that says the same as a part, if there is one."""

    def meant(self, condition: Condition | str) -> Condition:
        """Return what is meant by a condition, or by its text; it need not hold in the row."""

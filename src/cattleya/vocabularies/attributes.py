"""What the vocabularies in the user's own terms have in common: features and intervals.

Both are made of a tree and a domain, and their atoms know the attribute that they speak of.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from cattleya._core import Names
from cattleya.model.conditions.condition import Condition
from cattleya.model.conditions.known_facts import KnownFacts
from cattleya.model.conditions.reading import Reader
from cattleya.model.domain.domain import Domain
from cattleya.support.arrays import Bools, Floats, Int32s
from cattleya.vocabularies.cells import Cells

__all__ = ["AttributeAtoms", "DomainVocabulary"]


class DomainVocabulary:
    """The cells of a tree and a domain, ready to be asked about rows. Picklable, never changes."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.facts = KnownFacts(cells.tree, cells.domain)
        self.reader = Reader(cells.tree, cells.domain)

    def _or_values(self, own: Any, matrix: Floats, refused: Bools) -> Any:
        """Return what tells rows apart; those that are refused are, by all their values.

        What is said of these names a value.
        """
        if not refused.any():
            return own
        return np.column_stack((own, np.where(refused[:, None], matrix, 0.0), refused))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.cells,)


class AttributeAtoms(ABC):
    """The atoms of one row, each about one attribute.

    Attributes
    ----------
    attribute : ndarray
        The attribute of each atom.
    """

    attribute: Int32s

    def __init__(self, vocabulary: DomainVocabulary, row: Floats) -> None:
        self._vocabulary = vocabulary
        self._row = row
        self._cells, self._lacks = vocabulary.cells.read(row)

    @cached_property
    def _way(self) -> tuple[int, Int32s]:
        """The class of the row and the tests on its path: nobody asks them of an ensemble."""
        return self._vocabulary.cells.core.path(self._cells)

    @property
    def row_class(self) -> int:
        """The class of the row."""
        return self._way[0]

    @property
    def cells(self) -> Int32s:
        """The cell of each attribute of the row."""
        return self._cells

    def attributes(self, domain: Domain) -> Int32s:
        """Return the attribute of each atom."""
        return self.attribute

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def names(self, numbers: Int32s | None = None) -> Names:
        """Return what atoms are called, or those with some numbers."""

    @abstractmethod
    def named(self, numbers: Iterable[int]) -> list[Condition]:
        """Return atoms as conditions, in the order given."""

    @abstractmethod
    def number(self, condition: Condition | str) -> int:
        """Return the number of an atom; ``ValueError`` where the row has no such atom."""

    @abstractmethod
    def meant(self, condition: Condition | str) -> Condition:
        """Return what is meant by a condition, or by its text; it need not hold in the row."""

    def same_as(self, condition: Condition) -> Condition | None:
        """Return the condition of this vocabulary that says the same as a part, if there is one."""
        return None

    def set_of(self, numbers: Int32s) -> frozenset[Condition]:
        """Return atoms as a set of conditions."""
        return frozenset(self.named(numbers.tolist()))

    def of_attribute(self, domain: Domain, attribute: int) -> Int32s:
        """Return the atoms that speak of an attribute."""
        return np.flatnonzero(self.attribute == attribute).astype(np.int32)

    def of_column(self, domain: Domain, column: int) -> Int32s:
        """Return the atoms that speak of the attribute behind a column."""
        return self.of_attribute(domain, int(domain.of_column[column]))

"""What the vocabularies in the user's own terms have in common: features and intervals.

Both are made of a tree and a domain. Their atoms know the attribute that they speak of, and are
proved by a prover that shares no code with the search.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from cattleya.model.conditions.condition import Condition
from cattleya.model.domain.domain import Domain
from cattleya.model.tree.tree import Tree
from cattleya.proof.conditions import Verification
from cattleya.proof.contrasts import ContrastProver
from cattleya.proof.domain import DomainProver, conditions_of
from cattleya.support.arrays import Floats, Int32s
from cattleya.vocabularies.cells import Cells

__all__ = ["AttributeAtoms", "DomainVocabulary"]


class DomainVocabulary:
    """A tree and a domain, ready to be asked about rows. Picklable, never changes."""

    def __init__(self, tree: Tree, domain: Domain) -> None:
        self.cells = Cells(tree, domain)

    @cached_property
    def prover(self) -> DomainProver:
        """The prover, which shares no code with the search; made when first asked for."""
        return DomainProver(self.cells.tree, self.cells.domain)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.cells.tree, self.cells.domain)


class AttributeAtoms(ABC):
    """The atoms of one row, each about one attribute.

    Attributes
    ----------
    attribute : ndarray
        The attribute of each atom.
    row_class : int
        The class of the row.
    """

    attribute: Int32s
    merges: bool

    def __init__(self, vocabulary: DomainVocabulary, row: Floats) -> None:
        self._vocabulary = vocabulary
        self._row = row
        self._cells = vocabulary.cells.of_row(row)
        self.row_class, self._tests = vocabulary.cells.core.path(self._cells)

    def attributes(self, domain: Domain) -> Int32s:
        """Return the attribute of each atom."""
        return self.attribute

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def named(self, numbers: Iterable[int]) -> list[Condition]:
        """Return atoms as conditions, in the order given."""

    @abstractmethod
    def number(self, condition: Condition | str) -> int:
        """Return the number of an atom; ``ValueError`` where the row has no such atom."""

    @abstractmethod
    def meant(self, condition: Condition | str) -> Condition:
        """Return what is meant by a condition, or by its text; it need not hold in the row."""

    def set_of(self, numbers: Int32s) -> frozenset[Condition]:
        """Return atoms as a set of conditions."""
        return frozenset(self.named(numbers.tolist()))

    def of_attribute(self, domain: Domain, attribute: int) -> Int32s:
        """Return the atoms that speak of an attribute."""
        return np.flatnonzero(self.attribute == attribute).astype(np.int32)

    def of_column(self, domain: Domain, column: int) -> Int32s:
        """Return the atoms that speak of the attribute behind a column."""
        return self.of_attribute(domain, int(domain.of_column[column]))

    def verify(self, conditions: Iterable[Condition | str]) -> Verification:
        """Prove or refute that conditions are a sufficient reason for the row."""
        given = conditions_of(conditions, self.meant)
        return self._vocabulary.prover.verify(self._row, given)

    @cached_property
    def contrasts(self) -> ContrastProver:
        """What proves contrastive explanations of the row."""
        conditions = self.named(range(len(self)))
        return ContrastProver(self._vocabulary.prover, self._row, self.row_class, conditions)

    def is_contrast(self, conditions: Iterable[Condition | str]) -> bool:
        """Prove or refute that conditions are a contrastive explanation."""
        given = conditions_of(conditions, self.meant)
        try:
            changed = {self.number(condition) for condition in given}
        except ValueError:  # known, but not one of the row's
            return False
        return self.contrasts.is_contrast(sorted(changed))

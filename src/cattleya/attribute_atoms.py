"""What the vocabularies in the user's own terms have in common: features and intervals.

Both are made of a tree and a domain. Their atoms know the attribute that they speak of, and are
proved by a prover that knows nothing of the search.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from cattleya.cells import Cells
from cattleya.condition import Condition
from cattleya.domain import Domain
from cattleya.domain_contrasts import ContrastProver
from cattleya.domain_verification import DomainProver, conditions_of
from cattleya.tree import Tree
from cattleya.verification import Verification

__all__ = ["AttributeAtoms", "DomainVocabulary"]

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


class DomainVocabulary:
    """A tree and a domain, ready to be asked about rows. Picklable, never changes."""

    def __init__(self, tree: Tree, domain: Domain) -> None:
        self.cells = Cells(tree, domain)

    @cached_property
    def prover(self) -> DomainProver:
        """The prover, which knows nothing of the search; made when first asked for."""
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

    attribute: Ints
    merges: bool

    def __init__(self, vocabulary: DomainVocabulary, row: Floats) -> None:
        self._vocabulary = vocabulary
        self._row = row
        self._cells = vocabulary.cells.of_row(row)
        self.row_class, self._tests = vocabulary.cells.core.path(self._cells)

    def attributes(self, domain: Domain) -> Ints:
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

    def set_of(self, numbers: Ints) -> frozenset[Condition]:
        """Return atoms as a set of conditions."""
        return frozenset(self.named(numbers.tolist()))

    def of_attribute(self, domain: Domain, attribute: int) -> Ints:
        """Return the atoms that speak of an attribute."""
        return np.flatnonzero(self.attribute == attribute).astype(np.int32)

    def of_column(self, domain: Domain, column: int) -> Ints:
        """Return the atoms that speak of the attribute behind a column."""
        return self.of_attribute(domain, int(domain.of_column[column]))

    def verify(self, conditions: Iterable[Condition | str]) -> Verification:
        """Prove or refute that conditions are a sufficient reason for the row."""
        given = conditions_of(conditions, self.meant)
        return self._vocabulary.prover.verify(self._row, self.row_class, given)

    @cached_property
    def contrasts(self) -> ContrastProver:
        """What proves contrastive explanations of the row."""
        prover, whole = self._vocabulary.prover, not self.merges
        return ContrastProver(prover, self._row, self.row_class, whole=whole)

    def is_contrast(self, conditions: Iterable[Condition | str]) -> bool:
        """Prove or refute that conditions are a contrastive explanation."""
        return self.contrasts.is_contrast(conditions_of(conditions, self.meant))

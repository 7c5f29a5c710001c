"""A tree made ready: all that its explanations share, each part made once, when first needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from cattleya.changes.cell_regions import CellRegions
from cattleya.changes.regions import Regions
from cattleya.model.conditions.tests import Conditions
from cattleya.model.domain.domain import Domain
from cattleya.model.tree.tree import Tree
from cattleya.proof.conditions import ConditionProver, ConditionRow
from cattleya.proof.domain import DomainProver
from cattleya.proof.domain_row import DomainRow
from cattleya.proof.verification import RowProver
from cattleya.support.arrays import Floats
from cattleya.support.limits import Deadline
from cattleya.vocabularies.cells import Cells
from cattleya.vocabularies.conditions import ConditionVocabulary
from cattleya.vocabularies.features import Features
from cattleya.vocabularies.interface import Vocabulary
from cattleya.vocabularies.intervals import Intervals
from cattleya.vocabularies.over import Over

__all__ = ["PreparedTree"]


class PreparedTree:
    """A tree, the values that its rows can have, and what is made of both.

    Parameters
    ----------
    tree : Tree
        Its leaves labelled with the outcomes that are explained.
    over : Over
        What explanations are made of.
    domain : callable
        Finds the values that rows can have; asked when they are first needed.
    is_traced : bool
        Whether the user's columns are others than the tree's: conditions are then in the user's
        words.
    """

    def __init__(
        self, tree: Tree, over: Over, domain: Callable[[], Domain], *, is_traced: bool
    ) -> None:
        self.tree, self.over = tree, over
        self._domain, self._is_traced = domain, is_traced
        self._regions: Regions | None = None
        self._cell_regions: CellRegions | None = None

    @cached_property
    def domain(self) -> Domain:
        """The values that rows can have."""
        return self._domain()

    @cached_property
    def tests(self) -> Conditions:
        """The distinct tests of the tree, in the user's words."""
        return Conditions(self.tree, self._domain if self._is_traced else None)

    @cached_property
    def cells(self) -> Cells:
        """What the tree can tell apart of each feature's values."""
        return Cells(self.tests, self.domain)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Makes the atoms of rows."""
        if self.over is Over.CONDITIONS:
            return ConditionVocabulary(self.tests)
        return (Features if self.over is Over.FEATURES else Intervals)(self.cells)

    def prover(self, row: Floats, claimed_class: int) -> RowProver:
        """Return what proves or refutes what is said of a row; it knows nothing of the search."""
        if self.over is Over.CONDITIONS:
            return ConditionRow(self._condition_prover, row, claimed_class)
        whole = self.over is Over.FEATURES
        return DomainRow(self._domain_prover, row, claimed_class, whole=whole)

    @cached_property
    def _condition_prover(self) -> ConditionProver:
        return ConditionProver(self.tree, self.tests)

    @cached_property
    def _domain_prover(self) -> DomainProver:
        return DomainProver(self.tree, self.domain)

    def regions(self, deadline: Deadline) -> Regions:
        """Return the part of the domain behind each node, made in time or not at all."""
        if self._regions is None:
            self._regions = Regions(self.tree, self.domain, deadline)
        return self._regions

    def cell_regions(self, deadline: Deadline) -> CellRegions:
        """Return the same, counted in cells."""
        if self._cell_regions is None:
            self._cell_regions = CellRegions(self.regions(deadline), self.cells)
        return self._cell_regions

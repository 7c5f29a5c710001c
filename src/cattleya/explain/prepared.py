"""A tree made ready: all that its explanations share, each part made once, when first needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from cattleya.changes.cell_regions import CellRegions
from cattleya.changes.regions import Regions
from cattleya.model.conditions.reading import Reader
from cattleya.model.conditions.tests import Conditions
from cattleya.model.domain.domain import Domain
from cattleya.model.tree.classes import Classes
from cattleya.model.tree.target import Target
from cattleya.model.tree.tree import Tree
from cattleya.proof.boxes import BoxProver
from cattleya.proof.conditions import ConditionProver, ConditionRow
from cattleya.proof.domain import DomainProver
from cattleya.proof.domain_row import DomainRow
from cattleya.proof.judge import Judge
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
    model_tree : Tree
        The tree as the model predicts.
    target : Target
        What is explained: which outcome each leaf stands for.
    model_classes : Classes
        The classes of the model.
    over : Over
        What explanations are made of.
    domain : callable
        Finds the values that rows can have; asked when they are first needed.
    is_traced : bool
        Whether the user's columns are others than the tree's: conditions are then in the user's
        words.
    own : float, optional
        The row's own number, where the target is around it.

    Attributes
    ----------
    tree : Tree
        Its leaves labelled with the outcomes that are explained.
    """

    def __init__(
        self,
        model_tree: Tree,
        target: Target,
        model_classes: Classes,
        over: Over,
        domain: Callable[[], Domain],
        *,
        is_traced: bool,
        own: float | None = None,
    ) -> None:
        self.tree = target.outcomes(model_tree, model_classes, own)
        self.model_tree, self.over, self.own = model_tree, over, own
        self._target, self._model_classes = target, model_classes
        self._domain, self._is_traced = domain, is_traced
        self._judge = Judge(model_tree, target, model_classes)
        self._proved: tuple[Tree, ConditionProver | DomainProver] | None = None
        self._regions: Regions | None = None
        self._cell_regions: CellRegions | None = None
        self._made_from: PreparedTree | None = None
        self._boxes: tuple[Tree, BoxProver] | None = None

    def over_another(self, over: Over) -> PreparedTree:
        """Return the same tree for explanations made of something else; all else is shared."""
        other = PreparedTree(
            *(self.model_tree, self._target, self._model_classes, over, self._domain),
            is_traced=self._is_traced,
            own=self.own,
        )
        other.__dict__.update(tests=self.tests, cells=self.cells, domain=self.domain)
        other._made_from = self
        return other

    def around(self, target: Target, own: float) -> PreparedTree:
        """Return the same for a target around a row's own number; the tests are made only once."""
        other = PreparedTree(
            self.model_tree,
            target,
            self._model_classes,
            self.over,
            self._domain,
            is_traced=self._is_traced,
            own=own,
        )
        other.__dict__["tests"] = self.tests.of_labels(other.tree)
        return other

    @cached_property
    def classes(self) -> Classes:
        """The outcomes, and how they are shown."""
        return self._target.classes(self.tree, self._model_classes)

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
        prover = self._prover(self._judge.tree_for(row))
        if isinstance(prover, ConditionProver):
            return ConditionRow(prover, row, claimed_class)
        return DomainRow(prover, row, claimed_class, whole=self.over is Over.FEATURES)

    def box_prover(self, row: Floats) -> BoxProver:
        """Return what proves or refutes what intervals and sets of values force."""
        judged = self._judge.tree_for(row)
        if self._boxes is None or self._boxes[0] is not judged:
            self._boxes = judged, BoxProver(DomainProver(judged, self.domain))
        return self._boxes[1]

    @cached_property
    def reader(self) -> Reader:
        """Reads conditions that were printed."""
        return Reader(self.tree, self.domain)

    def judged(self, row: Floats) -> int:
        """Return the place of the outcome that the proof finds for a row."""
        tree = self._judge.tree_for(row)
        return int(tree.leaf_class[tree.apply(row[None, :])[0]])

    def _prover(self, judged: Tree) -> ConditionProver | DomainProver:
        """Return the prover for leaves that the proof has labelled."""
        proved = self._proved
        if proved is None or proved[0] is not judged:
            over_tests = self.over is Over.CONDITIONS
            made = ConditionProver(judged, self.tests) if over_tests else None
            proved = self._proved = judged, made or DomainProver(judged, self.domain)
        return proved[1]

    def regions(self, deadline: Deadline) -> Regions:
        """Return the part of the domain behind each node, made in time or not at all."""
        if self._made_from is not None:
            return self._made_from.regions(deadline)
        if self._regions is None:
            self._regions = Regions(self.tree, self.domain, deadline)
        return self._regions

    def cell_regions(self, deadline: Deadline) -> CellRegions:
        """Return the same, counted in cells."""
        if self._made_from is not None:
            return self._made_from.cell_regions(deadline)
        if self._cell_regions is None:
            self._cell_regions = CellRegions(self.regions(deadline), self.cells)
        return self._cell_regions

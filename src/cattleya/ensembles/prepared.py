"""An ensemble made ready: its facts, its cells, and the native search over them."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property

import numpy as np

from cattleya._core import EnsembleCells
from cattleya.changes.cell_regions import CellRegions
from cattleya.changes.regions import Regions
from cattleya.ensembles.boxes import Layout
from cattleya.ensembles.cell_costs import CellSpans
from cattleya.ensembles.skeleton import skeleton_of
from cattleya.model.conditions.reading import Reader
from cattleya.model.conditions.tests import Conditions
from cattleya.model.domain.domain import Domain
from cattleya.model.ensemble.ensemble import Ensemble, over_tests
from cattleya.model.ensemble.outcomes import Outcomes
from cattleya.model.tree.classes import Classes
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bytes, Floats, Int32s, Words
from cattleya.vocabularies.cells import CATEGORY, Cells
from cattleya.vocabularies.conditions import ConditionVocabulary
from cattleya.vocabularies.features import Features
from cattleya.vocabularies.interface import Vocabulary
from cattleya.vocabularies.intervals import Intervals
from cattleya.vocabularies.over import Over

__all__ = ["PreparedEnsemble", "check_ensemble"]


def check_ensemble(ensemble: Ensemble) -> None:
    """Refuse an ensemble that cannot be explained, and say what to do."""
    if (ensemble.category_set >= 0).any():
        raise TypeError(
            "this ensemble tests sets of categories, which are not explained yet; train it on "
            "one-hot or ordinal columns"
        )
    if ensemble.n_trees == 0:
        raise TypeError("this ensemble has no trees, and decides the same about every row")


class PreparedEnsemble:
    """An ensemble, the values that its rows can have, and what is made of both.

    Parameters
    ----------
    outcomes : Outcomes
        What is explained of an ensemble.
    over : Over
        What explanations are made of.
    takes_missing : bool
        Whether rows with missing values are among those that are considered.
    domain : callable, optional
        Finds the values that rows can have, for a tree with the same tests.
    is_traced : bool
        Whether the user's columns are others than the ensemble's: conditions are then in the user's
        words.
    """

    def __init__(
        self,
        outcomes: Outcomes,
        over: Over,
        *,
        takes_missing: bool,
        domain: Callable[[Tree], Domain] = Domain.plain,
        is_traced: bool = False,
    ) -> None:
        check_ensemble(outcomes.ensemble)
        self.outcomes, self.over, self.takes_missing = outcomes, over, takes_missing
        self._find_domain, self._is_traced = domain, is_traced
        self._skeleton = skeleton_of(outcomes.ensemble, takes_missing=takes_missing)

    @property
    def ensemble(self) -> Ensemble:
        """The ensemble whose sums decide."""
        return self.outcomes.ensemble

    @property
    def classes(self) -> Classes:
        """The outcomes, and how they are shown."""
        return self.outcomes.classes

    def another(
        self, *, over: Over | None = None, outcomes: Outcomes | None = None
    ) -> PreparedEnsemble:
        """Return the same for another vocabulary, or for other outcomes; all else is shared."""
        made = copy(self)
        made.__dict__.update(tests=self.tests, cells=self.cells, domain=self.domain)
        if over is not None:
            made.over = over
            for name in ("vocabulary", "layout", "none_freed"):
                made.__dict__.pop(name, None)
        if outcomes is not None:
            made.outcomes = outcomes
            for name in ("of_values", "of_tests", "in_order", "cell_regions"):
                made.__dict__.pop(name, None)
        return made

    def judged(self, row: Floats) -> int:
        """Return the place of the outcome of a row, by the ensemble itself."""
        return int(self.outcomes.of(row[None, :])[0])

    @cached_property
    def reader(self) -> Reader:
        """Reads conditions that were printed."""
        return Reader(self.tree, self.domain)

    @property
    def tree(self) -> Tree:
        """A tree with the same tests: for names, not for outcomes."""
        return self._skeleton.tree

    @cached_property
    def domain(self) -> Domain:
        """The values that rows can have."""
        return self._find_domain(self.tree)

    @cached_property
    def tests(self) -> Conditions:
        """The distinct tests of all trees."""
        return Conditions(self.tree, (lambda: self.domain) if self._is_traced else None)

    @cached_property
    def cells(self) -> Cells:
        """What the ensemble can tell apart of each feature's values."""
        return Cells(self.tests, self.domain)

    @cached_property
    def regions(self) -> Regions:
        """The attributes that are tested, and the values of each: for changes."""
        return Regions(self.tree, self.domain)

    @cached_property
    def cell_spans(self) -> CellSpans:
        """The values of each cell: for changes."""
        return CellSpans(self.regions, self.cells, self.layout_of_values)

    @cached_property
    def cell_regions(self) -> CellRegions:
        """The same, by cells: for general reasons."""
        return CellRegions(self.regions, self.cells)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Makes the atoms of rows."""
        if self.over is Over.CONDITIONS:
            return ConditionVocabulary(self.tests)
        return (Features if self.over is Over.FEATURES else Intervals)(self.cells)

    @cached_property
    def layout(self) -> Layout:
        """The attributes of :attr:`native`."""
        if self.over is Over.CONDITIONS:
            ones = np.ones(len(self.tests), dtype=np.int32)
            return Layout(ones, ones * 0, np.zeros(len(ones), dtype=np.uint8))
        return self.layout_of_values

    @cached_property
    def none_freed(self) -> Bytes:
        """A mark for each attribute of :attr:`native`, none of them set; not to be changed."""
        return np.zeros(len(self.layout.n_levels), dtype=np.uint8)

    @cached_property
    def layout_of_values(self) -> Layout:
        """The attributes of :attr:`of_values`."""
        cells = self.cells
        gaps = (cells.n_levels != CATEGORY) & cells.tested & self.takes_missing
        return Layout(cells.n_levels, cells.n_cells, gaps.astype(np.uint8))

    @cached_property
    def of_values(self) -> EnsembleCells:
        """The ensemble over the cells of the attributes."""
        return self._of_values(any_order=True)

    @cached_property
    def in_order(self) -> EnsembleCells:
        """The same, whose sums are those in the order of the trees."""
        return self.of_values if self.ensemble.ordered_sum else self._of_values(any_order=False)

    def _of_values(self, *, any_order: bool) -> EnsembleCells:
        cells, tests = self.cells, self.tests
        gaps = (cells.n_levels != CATEGORY) & cells.tested & self.takes_missing
        return self.over_cells(
            np.ascontiguousarray(cells.n_levels),
            np.ascontiguousarray(cells.n_cells),
            gaps.astype(np.uint8),
            np.ascontiguousarray(cells.test_attribute),
            np.ascontiguousarray(cells.test_level),
            np.ascontiguousarray(tests.missing_left),
            np.ascontiguousarray(cells.words),
            any_order=any_order,
        )

    @cached_property
    def of_tests(self) -> EnsembleCells:
        """The ensemble over its tests, each a Boolean of its own: cell 0 is true, 1 is false."""
        count = len(self.tests)
        nothing = np.zeros(count, dtype=np.uint8)
        return self.over_cells(
            np.ones(count, dtype=np.int32),
            np.zeros(count, dtype=np.int32),
            nothing,
            np.arange(count, dtype=np.int32),
            np.zeros(count, dtype=np.int32),
            nothing,
            np.zeros(0, dtype=np.uint64),
            any_order=True,
        )

    def of_booleans(self) -> Ensemble:
        """Return the same trees over the tests as features: 0 where a test holds, 1 otherwise."""
        return over_tests(self.ensemble, self._skeleton.test_of_node, len(self.tests))

    @property
    def native(self) -> EnsembleCells:
        """The ensemble over what explanations are made of."""
        return self.of_tests if self.over is Over.CONDITIONS else self.of_values

    def cells_of(self, row: Floats) -> Int32s:
        """Return the cell of each attribute of a row."""
        return self.cells.of_row(row)

    def truth_of(self, row: Floats) -> Int32s:
        """Return the side of each test that a row is on: 0 true, 1 false."""
        tests = self.tests
        value = row[tests.feature]
        left = value <= tests.threshold
        left |= np.isnan(value) & (tests.missing_left != 0)
        return np.where(left, 0, 1).astype(np.int32)

    def over_cells(
        self,
        n_levels: Int32s,
        n_cells: Int32s,
        gaps: Bytes,
        attribute: Int32s,
        level: Int32s,
        missing_left: Bytes,
        words: Words,
        *,
        any_order: bool = False,
    ) -> EnsembleCells:
        """Return the ensemble over some cells; the last four say what each test is there.

        With ``any_order``, outcomes hold in whatever order the library may add.
        """
        model = self.ensemble
        in_order = model.ordered_sum or not any_order
        by_sums = in_order and not model.ordered_sum
        outputs = np.zeros(0, dtype=np.int32)
        return EnsembleCells(
            n_levels,
            n_cells,
            gaps,
            model.tree_start,
            model.left,
            model.right,
            self._skeleton.test_of_node,
            outputs if model.output_of_tree is None else model.output_of_tree,
            np.ascontiguousarray(model.value, dtype=np.float64).ravel(),
            attribute,
            level,
            missing_left,
            words,
            np.ascontiguousarray(model.base, dtype=np.float64),
            model.sum_dtype == "float32",
            model.divide_by,
            model.scale,
            np.ascontiguousarray(model.offset, dtype=np.float64),
            self._cuts(),
            np.zeros(0) if by_sums else self.outcomes.doubt,
            in_order,
            model.link.removeprefix("c_") if model.by_probability else "",
            model.link_scale,
        )

    def _cuts(self) -> Floats:
        """Return the cuts between outcomes; none where the largest sum decides."""
        cuts = self.outcomes.cuts
        if cuts is None:
            model = self.ensemble
            cuts = np.array([model.cut] if model.decision == "threshold" else [])
        return np.ascontiguousarray(cuts, dtype=np.float64)

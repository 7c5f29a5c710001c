"""An ensemble made ready: its facts, its cells, and the native search over them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from cattleya._core import EnsembleCells
from cattleya.ensembles.boxes import Layout
from cattleya.ensembles.skeleton import skeleton_of
from cattleya.model.conditions.tests import Conditions
from cattleya.model.domain.domain import Domain
from cattleya.model.ensemble.ensemble import Ensemble
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
    if ensemble.class_names is None:
        raise TypeError(
            "this ensemble predicts numbers, and only decisions between classes are explained so "
            "far; give an ensemble that has a class for each outcome (decision='threshold')"
        )
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
    ensemble : Ensemble
    over : Over
        What explanations are made of.
    takes_missing : bool
        Whether rows with missing values are among those that are considered.
    """

    def __init__(self, ensemble: Ensemble, over: Over, *, takes_missing: bool) -> None:
        check_ensemble(ensemble)
        self.ensemble, self.over, self.takes_missing = ensemble, over, takes_missing
        self._skeleton = skeleton_of(ensemble, takes_missing=takes_missing)

    @property
    def tree(self) -> Tree:
        """A tree with the same tests: for names, not for outcomes."""
        return self._skeleton.tree

    @cached_property
    def domain(self) -> Domain:
        """The values that rows can have."""
        return Domain.plain(self.tree)

    @cached_property
    def tests(self) -> Conditions:
        """The distinct tests of all trees."""
        return Conditions(self.tree)

    @cached_property
    def cells(self) -> Cells:
        """What the ensemble can tell apart of each feature's values."""
        return Cells(self.tests, self.domain)

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
    def layout_of_values(self) -> Layout:
        """The attributes of :attr:`of_values`."""
        cells = self.cells
        gaps = (cells.n_levels != CATEGORY) & cells.tested & self.takes_missing
        return Layout(cells.n_levels, cells.n_cells, gaps.astype(np.uint8))

    @cached_property
    def of_values(self) -> EnsembleCells:
        """The ensemble over the cells of the attributes."""
        cells, tests = self.cells, self.tests
        gaps = (cells.n_levels != CATEGORY) & cells.tested & self.takes_missing
        return self._native(
            np.ascontiguousarray(cells.n_levels),
            np.ascontiguousarray(cells.n_cells),
            gaps.astype(np.uint8),
            np.ascontiguousarray(cells.test_attribute),
            np.ascontiguousarray(cells.test_level),
            np.ascontiguousarray(tests.missing_left),
            np.ascontiguousarray(cells.words),
        )

    @cached_property
    def of_tests(self) -> EnsembleCells:
        """The ensemble over its tests, each a Boolean of its own: cell 0 is true, 1 is false."""
        count = len(self.tests)
        nothing = np.zeros(count, dtype=np.uint8)
        return self._native(
            np.ones(count, dtype=np.int32),
            np.zeros(count, dtype=np.int32),
            nothing,
            np.arange(count, dtype=np.int32),
            np.zeros(count, dtype=np.int32),
            nothing,
            np.zeros(0, dtype=np.uint64),
        )

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

    def _native(
        self,
        n_levels: Int32s,
        n_cells: Int32s,
        gaps: Bytes,
        attribute: Int32s,
        level: Int32s,
        missing_left: Bytes,
        words: Words,
    ) -> EnsembleCells:
        model = self.ensemble
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
            np.array([model.cut] if model.decision == "threshold" else [], dtype=np.float64),
        )

"""The regions of a tree's nodes, counted in cells: what a tree can tell apart of a number.

Whether two boxes have a row in common must not depend on rounding. In the cells of a number (see
``cells``) an interval is from one whole number to another, it is never empty for want of a value
between two thresholds, and it has a next cell on either side.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from cattleya.changes.regions import Regions
from cattleya.model.domain.domain import Attribute, Domain
from cattleya.model.domain.edges import bounds, edges
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bools, Floats, Int32s, Places
from cattleya.vocabularies.cells import Cells

__all__ = ["CellRegions"]

MOST_KEPT = 1 << 24  # nodes above leaves


class CellRegions:
    """The factors of numbers in cells; made once for the regions of a tree, never changed.

    A missing value that an imputer fills in is to the tree the number that it is filled in as, and
    so it is here. ``missing`` is about values that reach the tree as missing.

    Attributes
    ----------
    first, last : array
        By node, where its factor is a number's: the first and the last cell; none is left where
        the last is before the first.
    missing : array
        By node: whether the number can be missing.
    top : array
        By tested attribute: the last cell of a number.
    takes_missing : bool
        Whether any number can be.
    """

    def __init__(self, regions: Regions, cells: Cells) -> None:
        self.regions, self._cells = regions, cells
        self._above: dict[int, Int32s] = {}
        self._places = regions.places
        self.takes_missing = cells.takes_missing
        self.top: Places = cells.n_levels[regions.places].astype(np.intp)
        n, is_left, attribute = len(regions), regions.is_left[1:], regions.attribute[1:]
        test = cells.tests.of_node[regions.node[regions.parent[1:]]]
        level = cells.test_level[test]
        routed = (cells.tests.missing_left[test] != 0) == is_left
        # After the nodes, each attribute as it is above all its tests.
        none = np.zeros(len(self.top), dtype=np.intp)
        first = np.concatenate(([0], np.where(is_left, 0, level + 1), none))
        last = np.concatenate(([0], np.where(is_left, level, self.top[attribute]), self.top))
        missing = np.concatenate(([False], routed, none == 0)) & self.takes_missing
        for nodes, _ in regions.levels:
            link = regions.link[nodes]
            first[nodes] = np.maximum(first[nodes], first[link])
            last[nodes] = np.minimum(last[nodes], last[link])
            missing[nodes] &= missing[link]
        self.first, self.last, self.missing = first[:n], last[:n], missing[:n]

    @cached_property
    def possible(self) -> Bools:
        """By node: whether any row comes to it; tests may contradict each other."""
        regions = self.regions
        own = (self.first <= self.last) | self.missing
        for sets in regions.sets.values():
            own[sets.nodes] = sets.bits.any(axis=1)
        own[:1] = True  # the root has no factor
        for nodes, parents in regions.levels:
            own[nodes] &= own[parents]
        return own

    def others(self, row_class: int) -> Places:
        """Return, among the leaves, those of other classes that some row comes to."""
        regions = self.regions
        return np.flatnonzero((regions.leaf_class != row_class) & self.possible[regions.leaves])

    def above(self, attribute: int) -> Int32s:
        """Return the node above each leaf that has its factor of an attribute; the root if none."""
        found = self._above.get(attribute)
        if found is None:
            regions = self.regions
            own = np.where(regions.attribute == attribute, np.arange(len(regions)), 0)
            for nodes, parents in regions.levels:
                here = own[nodes]
                own[nodes] = np.where(here != 0, here, own[parents])
            found = own[regions.leaves].astype(np.int32)
            if len(found) * (len(self._above) + 1) <= MOST_KEPT:
                self._above[attribute] = found
        return found

    @classmethod
    def of(cls, tree: Tree, domain: Domain) -> CellRegions:
        """Return the regions of a tree that nobody has made ready yet."""
        return cls(Regions(tree, domain), Cells.of(tree, domain))

    def thresholds(self, tested: int) -> Floats:
        """Return the tree's thresholds between the cells of a number, in order."""
        place = self._places[tested]
        start, end = self._cells.level_start[place : place + 2]
        return self._cells.level_threshold[start:end]

    def spans(self, tested: int) -> tuple[Floats, Floats]:
        """Return the least and the greatest value of each cell of a number, in the user's units."""
        dtype = self.regions.tree.row_dtype
        return _cell_spans(self.regions.attributes[tested], self.thresholds(tested), dtype)

    def cell(self, tested: int, value: float) -> int:
        """Return the cell of a number's value, as the tree sees it."""
        return int(np.searchsorted(self.thresholds(tested), value))

    def last_left(self, column: int, threshold: float) -> int | None:
        """Return the last cell that a test of a number sends left, -1 for none.

        None where the tree has no such test.
        """
        tests = self._cells.tests  # in the order of columns, then thresholds
        start, end = np.searchsorted(tests.feature, [column, column + 1])
        at = start + np.searchsorted(tests.threshold[start:end], threshold)
        if at == end or tests.threshold[at] != threshold:
            return None
        return int(self._cells.test_level[at])


def _cell_spans(number: Attribute, thresholds: Floats, dtype: str) -> tuple[Floats, Floats]:
    """Return the least and the greatest value of a number between thresholds, in order."""
    last, first = edges([number], np.zeros(len(thresholds), np.intp), thresholds, dtype)
    lower, upper = bounds([number], dtype)
    return np.concatenate((lower, first)), np.concatenate((last, upper))

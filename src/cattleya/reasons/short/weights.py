"""The weights of a tree: what is the same for all rows that are explained by them.

Two kinds of nodes (``core/short_reasons/chances.hpp``): *range* nodes test a column of cells with
masses; *step* nodes go on by a probability of their own, unless a fact decides them. By training
weights all nodes are steps, with the shares of the training rows. Where features are on their own,
numbers are columns, and nodes that test a category are steps, whose probability is that of the
values that are left there. Fair coins are columns of two cells, one per test.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cattleya.model.conditions.tests import Conditions
from cattleya.model.domain.domain import Category
from cattleya.model.tree.tree import Tree
from cattleya.reasons.short.coding import Coding, ConditionCoding, coding_of
from cattleya.support.arrays import Bools, Bytes, Floats, Int32s, Int64s, Places
from cattleya.vocabularies.cells import CATEGORY, Cells
from cattleya.vocabularies.conditions import ConditionVocabulary
from cattleya.vocabularies.features import Features
from cattleya.vocabularies.interface import Vocabulary
from cattleya.vocabularies.intervals import Intervals

__all__ = ["NO_COLUMN", "Weighing", "by_training", "coins", "on_their_own"]

NO_COLUMN = -1


@dataclass(frozen=True, eq=False)
class Weighing:
    """A tree with its weights: what is the same for all rows.

    Attributes
    ----------
    vocabulary : Vocabulary
    tree : Tree
    column, level : ndarray
        Of range nodes: the column, and the last code that goes left; ``column`` is -1 for others.
    weight : ndarray
        Of step nodes: what comes to each node; of range nodes it is not looked at. One line per
        node: what goes left, what goes right.
    masses : list of ndarray
        Of each column: the masses of its cells, and of missing values.
    coding : Coding or None
        Makes the facts of a row as ranges of cells; None where facts decide single tests.
    by_training : bool
        Whether the weights are training rows.
    """

    vocabulary: Vocabulary
    tree: Tree
    column: Int32s
    level: Int32s
    weight: Int64s
    masses: list[Int64s]
    coding: Coding | None = None
    values: dict[int, dict[int, int]] | None = None  # by category: the mass of each code
    pins: dict[int, dict[float | None, int]] | None = None  # by number: the rows of each value
    by_training: bool = False
    routed: Bools | None = None  # of each node, whether missing values go left

    @property
    def tests(self) -> Conditions:
        """The distinct tests of the tree."""
        return _tests(self.vocabulary)

    # As the core takes it.

    @cached_property
    def is_leaf(self) -> Bools:
        """Of each node, whether it is a leaf."""
        found: Bools = self.tree.left < 0
        return found

    @cached_property
    def is_inner(self) -> Bools:
        """Of each node, whether it has children."""
        return ~self.is_leaf

    @cached_property
    def tested(self) -> Int32s:
        """The column of the tree that each node tests; some column at leaves."""
        return np.where(self.is_leaf, 0, self.tree.feature).astype(np.int32)

    @cached_property
    def steps(self) -> Places:
        """The nodes that go on by a probability of their own."""
        return np.flatnonzero(self.is_inner & (self.column == NO_COLUMN))

    @cached_property
    def chances(self) -> tuple[Floats, Floats]:
        """The probabilities of going left and right at each step node."""
        of = np.maximum(self.weight.sum(axis=1), 1)
        left, right = (np.ascontiguousarray(side / of) for side in self.weight.T)
        return left, right

    @cached_property
    def flat_weight(self) -> Int64s:
        """The weights in one line."""
        return np.ascontiguousarray(self.weight).ravel()

    @cached_property
    def n_cells(self) -> Int32s:
        """The number of cells of each column."""
        return np.array([len(one) - 1 for one in self.masses], dtype=np.int32)

    @cached_property
    def flat_masses(self) -> Int64s:
        """The masses of all columns in one line."""
        return np.concatenate([np.zeros(0, dtype=np.int64), *self.masses])

    @cached_property
    def sums(self) -> list[list[int]]:
        """Of each column, the masses before each cell, and that of all."""
        return [np.concatenate(([0], np.cumsum(one))).tolist() for one in self.masses]

    @cached_property
    def every_cell(self) -> tuple[Int32s, Int32s, Bytes]:
        """Of each column, its first and its last cell; and missing values."""
        none = np.zeros(len(self.masses), dtype=np.int32)
        return none, self.n_cells - 1, np.ones(len(none), dtype=np.uint8)

    @cached_property
    def factors(self) -> Int64s:
        """The mass of all values of each category."""
        totals = [sum(known.values()) or 1 for known in (self.values or {}).values()]
        return np.array(totals, dtype=np.int64)

    @cached_property
    def missing_left(self) -> Bytes:
        """Of each node, whether missing values go left."""
        if self.routed is not None:
            return self.routed.astype(np.uint8)
        of_node = self.tests.of_node
        found = np.zeros(len(of_node), dtype=np.uint8)
        inner = of_node >= 0
        found[inner] = self.tests.missing_left[of_node[inner]] != 0
        return found


def _tests(vocabulary: Vocabulary) -> Conditions:
    if isinstance(vocabulary, ConditionVocabulary):
        return vocabulary.conditions
    assert isinstance(vocabulary, (Features, Intervals))
    return vocabulary.cells.tests


def by_training(vocabulary: Vocabulary, tree: Tree, rows: Places) -> Weighing:
    """Weigh by the training rows that came to each node."""
    n, inner = tree.n_nodes, tree.left >= 0
    weight = np.zeros((n, 2), dtype=np.int64)
    weight[inner] = np.column_stack((rows[tree.left[inner]], rows[tree.right[inner]]))
    if not inner[0]:
        weight[0] = rows[0], 0
    none = np.full(n, NO_COLUMN, dtype=np.int32)
    is_intervals = isinstance(vocabulary, Intervals)
    coding = coding_of(vocabulary, np.zeros((0, tree.n_features))) if is_intervals else None
    return Weighing(vocabulary, tree, none, none, weight, [], coding, by_training=True)


def coins(vocabulary: ConditionVocabulary, tree: Tree) -> Weighing:
    """Weigh every test as a fair coin of its own."""
    test = vocabulary.conditions.of_node.astype(np.int32)
    two = np.array([1, 1, 0], dtype=np.int64)
    level, weight = np.zeros(tree.n_nodes, dtype=np.int32), np.zeros((tree.n_nodes, 2), np.int64)
    return Weighing(vocabulary, tree, test, level, weight, [two] * len(vocabulary.conditions))


def on_their_own(
    vocabulary: Vocabulary, tree: Tree, matrix: Floats | None, routed: Bools | None = None
) -> Weighing:
    """Weigh each feature on its own: as often as some rows have its values, or all alike."""
    if isinstance(vocabulary, ConditionVocabulary):
        assert matrix is not None  # else tests are coins
        coding = ConditionCoding(vocabulary.conditions)
        codes = coding.codes(matrix)
        masses = [_counted(codes[:, i], int(n)) for i, n in enumerate(coding.n_cells.tolist())]
        test, inner = vocabulary.conditions.of_node, tree.left >= 0
        column = np.full(tree.n_nodes, NO_COLUMN, dtype=np.int32)
        level = np.zeros(tree.n_nodes, dtype=np.int32)
        column[inner], level[inner] = coding.columns_of_tests(test[inner])
        none = np.zeros((tree.n_nodes, 2), dtype=np.int64)
        return Weighing(vocabulary, tree, column, level, none, masses, coding, routed=routed)
    assert isinstance(vocabulary, (Features, Intervals))
    return _of_attributes(vocabulary, vocabulary.cells, tree, matrix, routed)


def _counted(codes: Int32s, cells: int) -> Int64s:
    """Return how often each cell comes; missing values are last."""
    return np.bincount(np.where(codes < 0, cells, codes), minlength=cells + 1).astype(np.int64)


def _of_attributes(
    vocabulary: Features | Intervals,
    cells: Cells,
    tree: Tree,
    matrix: Floats | None,
    routed: Bools | None,
) -> Weighing:
    told = np.flatnonzero(cells.told)
    attributes = cells.domain.attributes
    given = _every_value(cells) if matrix is None else matrix
    coding = coding_of(Intervals(cells), given)
    codes = coding.codes(given)
    masses, values = [], {}
    for place, attribute in enumerate(told.tolist()):
        n = int(coding.n_cells[place])
        if cells.n_levels[attribute] == CATEGORY:
            own = _counted(codes[:, place], n)
            mass = {code: int(rows) for code, rows in enumerate(own[:-1].tolist()) if rows}
            values[place] = dict.fromkeys(mass, 1) if matrix is None else mass
            masses.append(np.array([1, 0], dtype=np.int64))  # no node has this column
        elif matrix is None:
            masses.append(np.array([1] * n + [0], dtype=np.int64))
        else:
            masses.append(_counted(codes[:, place], n))
    inner = tree.left >= 0
    test = cells.tests.of_node
    place_of = np.full(len(attributes), NO_COLUMN, dtype=np.int32)
    place_of[told] = np.arange(len(told))
    is_number = np.zeros(tree.n_nodes, dtype=np.bool_)
    owner = np.zeros(tree.n_nodes, dtype=np.int32)
    owner[inner] = cells.test_attribute[test[inner]]
    is_number[inner] = (cells.n_levels[owner[inner]] != CATEGORY) & cells.told[owner[inner]]
    column = np.where(is_number, place_of[owner], NO_COLUMN).astype(np.int32)
    level = np.zeros(tree.n_nodes, dtype=np.int32)
    level[is_number] = cells.test_level[test[is_number]]
    weight = _category_weights(cells, tree, given, column, place_of, values, codes, routed)
    pins = None
    if isinstance(vocabulary, Features) and matrix is not None:
        pins = {a: _pins(matrix[:, attributes[a].columns[0]]) for a in told.tolist()}
    more = (coding, values, pins)
    return Weighing(vocabulary, tree, column, level, weight, masses, *more, routed=routed)


def _pins(column: Floats) -> dict[float | None, int]:
    """Return how many rows have each value; None is missing."""
    known, count = np.unique(column[~np.isnan(column)] + 0.0, return_counts=True)
    found: dict[float | None, int] = dict(zip(known.tolist(), count.tolist(), strict=True))
    found[None] = int(np.isnan(column).sum())
    return found


def _every_value(cells: Cells) -> Floats:
    """Return rows that have every value of every category; numbers do not matter."""
    categories = [a for a in cells.domain.attributes if isinstance(a, Category)]
    made = np.zeros((max((len(c.points) for c in categories), default=1), cells.domain.n_columns))
    for category in categories:
        for row in range(len(made)):
            made[row, list(category.columns)] = category.points[min(row, len(category.points) - 1)]
    return made


def _category_weights(
    cells: Cells,
    tree: Tree,
    matrix: Floats,
    column: Int32s,
    place_of: Int32s,
    values: dict[int, dict[int, int]],
    codes: Int32s,
    routed: Bools | None,
) -> Int64s:
    """Return the masses of the values that go left and right at nodes that test categories."""
    weight = np.zeros((tree.n_nodes, 2), dtype=np.int64)
    points: dict[int, Floats] = {}
    masses: dict[int, Int64s] = {}
    for place, mass in values.items():
        first = {
            int(code): row for row, code in reversed(list(enumerate(codes[:, place].tolist())))
        }
        points[place] = matrix[[first[code] for code in mass]]
        masses[place] = np.array(list(mass.values()), dtype=np.int64)
    missing = tree.missing_left if routed is None else routed
    stack: list[tuple[int, dict[int, Bools]]] = [(0, {})]
    while stack:
        node, left_of = stack.pop()
        if tree.left[node] < 0:
            continue
        place = int(place_of[cells.domain.of_column[tree.feature[node]]])
        children = int(tree.left[node]), int(tree.right[node])
        if column[node] != NO_COLUMN:
            stack += [(child, left_of) for child in children]
            continue
        if place not in points:  # a test that tells nothing of its feature: all go one way
            level = int(cells.test_level[cells.tests.of_node[node]])
            weight[node] = (0, 1) if level < 0 else (1, 0)
            stack += [(child, left_of) for child in children]
            continue
        known = left_of.get(place, np.ones(len(masses[place]), dtype=np.bool_))
        value = points[place][:, tree.feature[node]]
        goes = value <= tree.threshold[node]
        if missing is not None:
            goes = np.where(np.isnan(value), missing[node], goes)
        for side, (child, part) in enumerate(
            zip(children, (known & goes, known & ~goes), strict=True)
        ):
            weight[node, side] = masses[place][part].sum()
            stack.append((child, left_of | {place: part}))
    return weight

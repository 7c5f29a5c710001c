"""What a tree can tell apart of the values of each attribute, and the native tree over that.

Values of an attribute that every test sends the same way are one *cell*. The cells of a number are
in order, with a *level* between one and the next: the tests that lie between the same two values of
the number's grid are one level, whatever their thresholds.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from cattleya._core import DomainTree
from cattleya.model.conditions.tests import Conditions
from cattleya.model.domain.domain import Category, Domain
from cattleya.model.domain.edges import neighbours
from cattleya.model.domain.number import Number
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bools, Floats, Int32s, Places, Words
from cattleya.support.distinct import distinct

__all__ = ["Cells"]


MISSING = -1
CATEGORY = -1


class Cells:
    """The cells of each attribute, and the native tree over them. Picklable, never changes.

    Attributes
    ----------
    tree : Tree
    domain : Domain
    takes_missing : bool
        Whether numbers may be missing.
    never_missing : frozenset of int
        Attributes of which that is not so.
    tests : Conditions
        The distinct tests of the tree: of a column, with a threshold and a side for missing values.
    test_attribute, test_level : ndarray
        Of each test: its attribute, and of a number the level: -1 where no value goes left,
        ``n_levels`` where all do.
    n_levels : ndarray
        How many levels a number has; -1 for a category.
    n_cells : ndarray
        How many cells a category has; 0 for a number.
    level_start : ndarray
        Where the levels of each attribute start in the two arrays below; and their end.
    level_value : ndarray
        The greatest value of the grid that goes left.
    level_threshold : ndarray
        The smallest of the tree's thresholds there.
    cell_of_value : dict
        By attribute that is a category: the cell of each of its values.
    words : ndarray
        The sets of cells that tests of categories send left, as bits; ``test_level`` has the start.
    """

    def __init__(
        self, tests: Conditions, domain: Domain, never_missing: frozenset[int] = frozenset()
    ) -> None:
        tree = tests.tree
        if domain.n_columns != tree.n_features:
            raise ValueError(
                f"the domain has {domain.n_columns} columns, but the tree has {tree.n_features}"
            )
        self.tree, self.domain = tree, domain
        self.takes_missing = tree.missing_left is not None
        self.tests = tests
        self.never_missing = never_missing
        attributes = domain.attributes
        self.test_attribute = domain.of_column[tests.feature]
        self.n_levels = np.where(
            [isinstance(a, Number) for a in attributes], np.int32(0), np.int32(CATEGORY)
        )
        self._find_levels()
        self.n_cells = np.zeros(len(attributes), dtype=np.int32)
        self._splits = np.zeros(len(tests), dtype=np.bool_)  # of categories' tests
        self.cell_of_value: dict[int, Int32s] = {}
        self.words = self._find_sets()
        self._column = np.array([a.columns[0] for a in attributes], dtype=np.intp)
        self.core = DomainTree(
            tree.left,
            tree.right,
            tests.of_node,
            tree.leaf_class,
            self.test_attribute,
            self.test_level,
            tests.missing_left,
            self.n_levels,
            self.n_cells,
            self.level_value,
            self.words,
            self.takes_missing,
            len(tree.class_names),
            np.isin(np.arange(len(attributes)), list(never_missing)).astype(np.uint8),
        )

    @classmethod
    def of(cls, tree: Tree, domain: Domain) -> Cells:
        """Return the cells of a tree whose tests nobody has numbered yet."""
        return cls(Conditions(tree), domain)

    def _find_levels(self) -> None:
        """Find the levels of each number: the distinct last values that go left."""
        tests, of = self.tests, self.test_attribute
        below, above = neighbours(self.domain, tests.feature, tests.threshold, self.tree.row_dtype)
        tells = np.flatnonzero(np.isfinite(below) & np.isfinite(above))
        tells = tells[np.lexsort((tests.threshold[tells], below[tells], of[tells]))]
        value, owner = below[tells], of[tells]
        is_new = np.ones(len(tells), dtype=np.bool_)
        is_new[1:] = (value[1:] != value[:-1]) | (owner[1:] != owner[:-1])
        counted = np.bincount(owner[is_new], minlength=len(self.n_levels))
        self.n_levels += counted.astype(np.int32)
        self.level_start = np.concatenate(([0], np.cumsum(counted)))
        self.level_value = value[is_new]
        self.level_threshold = tests.threshold[tells][is_new]
        # Tests that tell nothing: all values are up to them, or none is.
        self.test_level = np.where(np.isneginf(below), np.int32(-1), self.n_levels[of])
        self.test_level[tells] = np.cumsum(is_new) - 1 - self.level_start[owner]

    def _find_sets(self) -> Words:
        """Find the cells of each category, and return the sets of them that tests send left."""
        words: list[Words] = [np.empty(0, dtype=np.uint64)]
        start = 0
        for number, category in enumerate(self.domain.attributes):
            if isinstance(category, Category):
                chosen = np.flatnonzero(self.test_attribute == number)
                sets, cell_of_value = self._category_sets(category, chosen)
                self.n_cells[number] = cell_of_value.max(initial=0) + 1
                self.cell_of_value[number] = cell_of_value
                self.test_level[chosen] = start + np.arange(len(chosen)) * sets.shape[1]
                words.append(sets.ravel())
                start += sets.size
        return np.concatenate(words)

    def _category_sets(self, category: Category, chosen: Places) -> tuple[Words, Int32s]:
        """Return the cells that each test sends left, as bits, and the cell of each value."""
        if len(chosen) == 0:
            return np.zeros((0, 1), dtype=np.uint64), np.zeros(len(category.points), np.int32)
        tests = self.tests
        place = {column: i for i, column in enumerate(category.columns)}
        places = [place[column] for column in tests.feature[chosen].tolist()]
        points = np.array(category.points, dtype=np.float64).T[places]  # one line per test
        left = points <= tests.threshold[chosen, None]
        left |= np.isnan(points) & (tests.missing_left[chosen, None] != 0)
        self._splits[chosen] = left.any(axis=1) & ~left.all(axis=1)
        cells, cell_of_value = np.unique(left, axis=1, return_inverse=True)
        bits = np.zeros((len(chosen), -(-cells.shape[1] // 64) * 64), dtype=np.uint8)
        bits[:, : cells.shape[1]] = cells
        packed = np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64)
        return packed, cell_of_value.ravel().astype(np.int32)

    def of_row(self, row: Floats) -> Int32s:
        """Return the cell of each attribute of a row; ``ValueError`` where it has no such value."""
        return self.read(row)[0]

    def read(self, row: Floats) -> tuple[Int32s, bool]:
        """Return the same, and whether a number that is tested is missing."""
        cells, lacks = self.core.cells(row[self._column])
        if lacks:
            cells[~self.tested] = 0  # where no test looks, a gap is as good as any value
            if not self.takes_missing:
                self._refuse_missing(cells)
            lacks = bool((cells == MISSING).any())
        for number, cell_of_value in self.cell_of_value.items():
            category = self.domain.attributes[number]
            assert isinstance(category, Category)
            cells[number] = cell_of_value[category.value_of(row)]
        for bounded in self._bounded:
            _check_value(bounded, float(row[bounded.column]))
        return cells, lacks

    def kinds(self, matrix: Floats) -> tuple[Int32s, Bools]:
        """Return the cell of each number of each row, and the place of the value of each category.

        With them, which rows :meth:`of_row` refuses; what it says of them is found there.
        """
        kinds = np.zeros((len(matrix), len(self.n_levels)), dtype=np.int32)
        refused = np.zeros(len(matrix), dtype=np.bool_)
        for number, attribute in enumerate(self.domain.attributes):
            if isinstance(attribute, Category):
                first, same = distinct(matrix[:, list(attribute.columns)])
                places = np.array([_place(attribute, matrix[row]) for row in first.tolist()])
                kinds[:, number] = places.astype(np.int32)[same]
                refused |= kinds[:, number] == MISSING
            elif self.tested[number]:
                value = matrix[:, attribute.column]
                start, end = self.level_start[number : number + 2]
                kinds[:, number] = np.searchsorted(self.level_value[start:end], value)
                kinds[np.isnan(value), number] = MISSING
                if not self.takes_missing:
                    refused |= np.isnan(value)
        for bounded in self._bounded:
            value = matrix[:, bounded.column]
            wrong = (value < bounded.lower) | (value > bounded.upper)
            if bounded.integer:
                wrong |= value != np.floor(value)
            refused |= wrong & ~np.isnan(value) & ~np.isin(value, bounded.extra)
        return kinds, refused

    def of_kinds(self, kinds: Int32s) -> Int32s:
        """Return the cell of each attribute of each row: :meth:`of_row` of many."""
        cells = kinds.copy()
        for number, cell_of_value in self.cell_of_value.items():
            cells[:, number] = cell_of_value[kinds[:, number]]
        return cells

    @cached_property
    def tested(self) -> Bools:
        """Of each attribute, whether the tree tests it."""
        return np.bincount(self.test_attribute, minlength=len(self.n_levels)) > 0

    @property
    def may_be_missing(self) -> Bools:
        """Of each attribute, whether it is a number that may be missing."""
        found: Bools = (self.n_levels != CATEGORY) & self.takes_missing
        found[list(self.never_missing)] = False
        return found

    def _refuse_missing(self, cells: Int32s) -> None:
        missing = np.flatnonzero((cells == MISSING) & (self.n_levels != CATEGORY)).tolist()
        names = ", ".join(repr(self.domain.attributes[number].name) for number in missing)
        if names:
            raise ValueError(f"{names} is missing (NaN), but the tree takes no missing values")

    @cached_property
    def _bounded(self) -> list[Number]:
        """The numbers of which some floating point values are none, as far as that shows."""
        numbers = (a for a in self.domain.attributes if isinstance(a, Number) and not a.steps)
        return [n for n in numbers if n.integer or n.lower > -np.inf or n.upper < np.inf]

    @cached_property
    def tells(self) -> Bools:
        """Of each test, whether it tells some values of its attribute from others."""
        of, level = self.test_attribute, self.test_level
        count = self.n_levels[of]
        left, right = level >= 0, level < count
        if self.takes_missing:
            missing_left = self.tests.missing_left != 0
            left, right = left | missing_left, right | ~missing_left
        # The sets of categories, by whether they are empty or all there is.
        category = np.flatnonzero(count == CATEGORY)
        tells: Bools = left & right
        tells[category] = self._splits[category]
        return tells

    @cached_property
    def told(self) -> Bools:
        """Of each attribute, whether the tree tells some of its values from others."""
        told = np.zeros(len(self.n_levels), dtype=np.bool_)
        told[self.test_attribute[self.tells]] = True
        return told

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.tests, self.domain, self.never_missing)


def _place(category: Category, row: Floats) -> int:
    """Return the place of a row's value, -1 where it has none."""
    try:
        return category.value_of(row)
    except ValueError:
        return MISSING


def _check_value(number: Number, value: float) -> None:
    if np.isnan(value) or value in number.extra:
        return
    if number.integer and value != np.floor(value):
        raise ValueError(f"{number.name!r} is {value!r} in this row, but takes whole numbers only")
    if not number.lower <= value <= number.upper:
        raise ValueError(
            f"{number.name!r} is {value!r} in this row, but takes values from {number.lower!r} "
            f"to {number.upper!r} only"
        )

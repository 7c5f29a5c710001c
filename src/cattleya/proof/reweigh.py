"""Weighs facts again, by the definitions: node by node, with fractions, from the model's tree.

The search makes cells and columns of a tree and sums over its leaves (``reasons/short/weighing``,
``core/short_reasons``). Here the tree is walked from the root, and what comes to a node is divided
among its children: by the facts, by the training rows, by the values of a feature that are left, or
by a coin. Nothing is shared but the tree, the values that features have and what a condition says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.domain.domain import Category, Domain
from cattleya.model.domain.edges import neighbours
from cattleya.model.tree.tree import Tree
from cattleya.proof.recount import has_fact
from cattleya.support.arrays import Floats, Int64s, Places

__all__ = ["Points", "Reweighing", "every_cell", "table_points", "weigh_coins", "weigh_features",
           "weigh_training"]  # fmt: skip  # a list in few lines


@dataclass(frozen=True)
class Reweighing:
    """Facts weighed again. True where they hold in the row and weigh what was claimed.

    Attributes
    ----------
    precision, coverage : Fraction
        As they were found again.
    claimed : tuple of Fraction
        What was claimed of the same.
    foreign : frozenset of Condition
        The facts that do not hold in the row.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> print(Reweighing(half, half, (half, half), frozenset()))
    weighed again: precision 1/2, coverage 1/2
    """

    precision: Fraction
    coverage: Fraction
    claimed: tuple[Fraction, Fraction]
    foreign: frozenset[Condition]

    def __bool__(self) -> bool:
        return not self.foreign and self.claimed == (self.precision, self.coverage)

    def __str__(self) -> str:
        if self.foreign:
            named = ", ".join(sorted(map(str, self.foreign)))
            return f"no reason for this row: {named} does not hold in it"
        text = f"precision {self.precision}, coverage {self.coverage}"
        if self:
            return f"weighed again: {text}"
        return f"wrong weights: {text}, not {self.claimed[0]} and {self.claimed[1]}"


Test = tuple[int, float, bool]  # a column, a threshold, and whether missing values go left


def _test_of(fact: Comparison) -> Test:
    return fact.index, fact.threshold, bool(fact.missing_left)


def _test_at(tree: Tree, node: int) -> Test:
    missing = tree.missing_left is not None and bool(tree.missing_left[node])
    return int(tree.feature[node]), float(tree.threshold[node]), missing


def _own_side(tree: Tree, row: Floats, node: int) -> bool:
    """Tell whether the row goes left at a node."""
    value = row[tree.feature[node]]
    if np.isnan(value) and tree.missing_left is not None:
        return bool(tree.missing_left[node])
    return bool(value <= tree.threshold[node])


def _own_class(tree: Tree, row: Floats) -> int:
    node = 0
    while tree.left[node] >= 0:
        node = int((tree.left if _own_side(tree, row, node) else tree.right)[node])
    return int(tree.leaf_class[node])


def weigh_training(
    tree: Tree, row: Floats, facts: Sequence[Condition], rows: Places, domain: Domain, over: str
) -> tuple[Fraction, Fraction]:
    """Weigh facts by the training rows that came to each node."""
    own, decides = _own_class(tree, row), _Deciding(tree, row, facts, domain, over)
    bad = Fraction(0)
    covered = 0
    stack = [(0, Fraction(1))]
    while stack:
        node, weight = stack.pop()
        if tree.left[node] < 0:
            covered += int(rows[node])
            bad += weight * (int(tree.leaf_class[node]) != own)
            continue
        left, right = int(tree.left[node]), int(tree.right[node])
        if decides(node):
            stack.append((left if _own_side(tree, row, node) else right, weight))
            continue
        total = int(rows[left]) + int(rows[right])
        stack += [(child, weight * Fraction(int(rows[child]), total)) for child in (left, right)]
    return 1 - bad, Fraction(covered, int(rows[0]))


class _Deciding:
    """Tells whether facts decide the test of a node."""

    def __init__(
        self, tree: Tree, row: Floats, facts: Sequence[Condition], domain: Domain, over: str
    ) -> None:
        # That a number is present decides the tests that only ask for this; its lack decides all.
        self._tree, self._over = tree, over
        self._tests = {_test_of(f) for f in facts if isinstance(f, Comparison)}
        self._columns = {c for f in facts if not isinstance(f, Comparison) for c in f.columns}
        self._ends: dict[int, list[tuple[bool, float]]] = {}
        self._below: dict[int, float] = {}
        self._present: set[int] = set()
        if over != "intervals":
            return
        inner = np.flatnonzero(tree.left >= 0)
        below, above = neighbours(
            domain, tree.feature[inner], tree.threshold[inner], tree.row_dtype
        )
        below[~(np.isfinite(below) & np.isfinite(above))] = np.inf
        self._below = dict(zip(inner.tolist(), below.tolist(), strict=True))
        compared = [f for f in facts if isinstance(f, Comparison)]
        finite = [f for f in compared if np.isfinite(f.threshold)]
        columns = np.array([f.index for f in finite], dtype=np.int32)
        at = np.array([f.threshold for f in finite], dtype=np.float64)
        ends = neighbours(domain, columns, at, tree.row_dtype)[0] if finite else at
        for fact, end in zip(finite, ends.tolist(), strict=True):
            self._ends.setdefault(fact.index, []).append((fact.sense, end))
        for fact in compared:
            if not np.isfinite(fact.threshold):
                if np.isnan(row[fact.index]):
                    self._columns.add(fact.index)
                self._present.add(fact.index)

    def __call__(self, node: int) -> bool:
        feature = int(self._tree.feature[node])
        if self._over == "conditions":
            return _test_at(self._tree, node) in self._tests
        if feature in self._columns:
            return True
        below = self._below.get(node, 0.0)
        if below == np.inf:
            return feature in self._present
        ends = self._ends.get(feature, ())
        return any(end <= below if sense else end >= below for sense, end in ends)


def weigh_coins(tree: Tree, row: Floats, facts: Sequence[Condition]) -> tuple[Fraction, Fraction]:
    """Weigh facts where every test is a fair coin of its own."""
    own = _own_class(tree, row)
    given = {_test_of(f) for f in facts if isinstance(f, Comparison)}
    bad = Fraction(0)
    stack: list[tuple[int, Fraction, dict[Test, bool]]] = [(0, Fraction(1), {})]
    while stack:
        node, weight, met = stack.pop()
        if tree.left[node] < 0:
            bad += weight * (int(tree.leaf_class[node]) != own)
            continue
        test = _test_at(tree, node)
        left, right = int(tree.left[node]), int(tree.right[node])
        if test in given or test in met:
            goes_left = met[test] if test in met else _own_side(tree, row, node)
            stack.append((left if goes_left else right, weight, met))
            continue
        for child, side in ((left, True), (right, False)):
            stack.append((child, weight / 2, {**met, test: side}))
    return 1 - bad, Fraction(1, 2 ** len(given))


@dataclass(frozen=True, eq=False)
class Points:
    """The values of a feature, as points in the tree's columns, and how much each weighs."""

    columns: tuple[int, ...]
    points: Floats
    mass: Int64s
    pinned: int | None = None  # where every cell is a point: the one of the row

    def having(self, facts: Iterable[Condition], n_columns: int) -> Points:
        """Return the points that have all facts about the feature."""
        keep = np.ones(len(self.points), dtype=np.bool_)
        for fact in facts:
            if not set(fact.columns) <= set(self.columns):
                continue
            if self.pinned is not None and not isinstance(fact, Comparison):
                keep &= np.arange(len(keep)) == self.pinned
                continue
            for place, point in enumerate(self.points.tolist()):
                values = [0.0] * n_columns
                for column, value in zip(self.columns, point, strict=True):
                    values[column] = value
                keep[place] = keep[place] and has_fact(values, fact)
        return Points(self.columns, self.points[keep], self.mass[keep])

    @property
    def total(self) -> int:
        """What all of them weigh."""
        return int(self.mass.sum())


def table_points(columns: tuple[int, ...], matrix: Floats) -> Points:
    """Return the points of a feature in a table, each as often as rows have it."""
    known: dict[tuple[float | None, ...], int] = {}
    for point in matrix[:, list(columns)].tolist():
        key = tuple(None if value != value else value + 0.0 for value in point)  # noqa: PLR0124 - NaN
        known[key] = known.get(key, 0) + 1
    points = [[np.nan if value is None else value for value in key] for key in known]
    return Points(columns, np.array(points), np.array(list(known.values()), dtype=np.int64))


def every_cell(tree: Tree, domain: Domain, row: Floats) -> list[Points]:
    """Return of every feature one point for all that the tree tells apart of it."""
    found = []
    inner = tree.left >= 0
    for attribute in domain.attributes:
        tested = inner & np.isin(tree.feature, attribute.columns)
        if not tested.any():
            continue
        if isinstance(attribute, Category):
            points = np.array(attribute.points, dtype=np.float64)
            pinned = attribute.value_of(row)
        else:
            feature, at = tree.feature[tested], tree.threshold[tested]
            below, above = neighbours(domain, feature, at, tree.row_dtype)
            tells = np.isfinite(below) & np.isfinite(above)
            ends = np.unique(below[tells])
            last = above[tells].max() if len(ends) else 0.0
            points = np.append(ends, last)[:, None]
            pinned = int(np.searchsorted(ends, row[attribute.columns[0]], side="left"))
        found.append(Points(attribute.columns, points, np.ones(len(points), np.int64), pinned))
    return found


def weigh_features(
    tree: Tree, row: Floats, facts: Sequence[Condition], features: Sequence[Points]
) -> tuple[Fraction, Fraction]:
    """Weigh facts where each feature has its values on its own."""
    own, left_of, coverage = _own_class(tree, row), {}, Fraction(1)
    owner = {column: place for place, one in enumerate(features) for column in one.columns}
    for place, one in enumerate(features):
        left_of[place] = one.having(facts, tree.n_features)
        coverage *= Fraction(left_of[place].total, one.total)
    if not coverage:
        return Fraction(0), coverage
    bad = Fraction(0)
    stack: list[tuple[int, Fraction, dict[int, Points]]] = [(0, Fraction(1), left_of)]
    while stack:
        node, weight, known = stack.pop()
        if tree.left[node] < 0:
            bad += weight * (int(tree.leaf_class[node]) != own)
            continue
        feature = int(tree.feature[node])
        here = known[owner[feature]]
        value = here.points[:, here.columns.index(feature)]
        goes = value <= tree.threshold[node]
        if tree.missing_left is not None:
            goes = np.where(np.isnan(value), tree.missing_left[node], goes)
        for child, side in ((int(tree.left[node]), goes), (int(tree.right[node]), ~goes)):
            part = Points(here.columns, here.points[side], here.mass[side])
            if part.total:
                share = Fraction(part.total, here.total)
                stack.append((child, weight * share, {**known, owner[feature]: part}))
    return 1 - bad, coverage

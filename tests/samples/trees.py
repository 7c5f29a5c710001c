"""Trees to test with: as plain arrays and as nested tuples, enumerated and drawn at random.

Nothing here uses the library but the two `build` steps at the end of each form; how a tree
classifies an assignment of its conditions is walked here, so that the tests have their own word
for it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

import cattleya
from tests.oracles.definitions import Case, Classes, Truths
from tests.oracles.rows import Node, Rows
from tests.samples.conditions import as_test

Variable = tuple[int, float, bool | None]  # feature, threshold, does NaN go left (None: no NaN)
Nested = Any  # a class, or (name, subtree if 0, subtree if 1)


@dataclass(frozen=True)
class Nodes:
    """A tree as arrays: left where the row's value is at most the threshold, -1 at leaves."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    feature: tuple[int, ...]
    threshold: tuple[float, ...]
    leaf_class: tuple[int, ...]
    n_features: int
    n_classes: int = 2
    missing_left: tuple[bool, ...] | None = None
    row_dtype: str = "float64"
    boolean: tuple[int, ...] = ()
    centre: tuple[float, ...] = ()  # a row around which the other classes are far

    def variable(self, node: int) -> Variable:
        """The condition that an inner node asks."""
        missing = None if self.missing_left is None else self.missing_left[node]
        return self.feature[node], self.threshold[node], missing

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The distinct conditions of the tree."""
        inner = [node for node in range(len(self.left)) if self.left[node] >= 0]
        return tuple(dict.fromkeys(self.variable(node) for node in inner))

    @cached_property
    def column(self) -> Classes:
        """The number of each inner node's condition in `variables`; 0 at leaves."""
        number = {variable: i for i, variable in enumerate(self.variables)}
        return np.array(
            [number.get(self.variable(node), 0) for node in range(len(self.left))], dtype=np.intp
        )

    def classify(self, truths: Truths) -> Classes:
        """The class of each assignment of the conditions, by walking from the root."""
        column, left, right = self.column, np.array(self.left), np.array(self.right)
        node = np.zeros(len(truths), dtype=np.intp)
        while (left[node] >= 0).any():
            inner = np.flatnonzero(left[node] >= 0)
            at = node[inner]
            node[inner] = np.where(truths[inner, column[at]], left[at], right[at])
        classes: Classes = np.array(self.leaf_class)[node]
        return classes

    def holds(self, variable: Variable, value: float) -> bool:
        """Does the condition hold for this value of its feature?"""
        _, threshold, missing_left = variable
        if np.isnan(value):
            assert missing_left is not None
            return missing_left
        return bool(np.dtype(self.row_dtype).type(value).astype(np.float64) <= threshold)

    def walk(self, row: Sequence[float] | npt.NDArray[Any]) -> list[int]:
        """The nodes on a row's way from the root; the last is its leaf."""
        path = [0]
        while self.left[path[-1]] >= 0:
            variable = self.variable(path[-1])
            holds = self.holds(variable, float(row[variable[0]]))
            path.append((self.left if holds else self.right)[path[-1]])
        return path

    def class_of(self, row: Sequence[float] | npt.NDArray[Any]) -> int:
        """The class of a row."""
        return self.leaf_class[self.walk(row)[-1]]

    def all_rows(
        self, columns: Sequence[Sequence[int]], points: Sequence[Sequence[Sequence[float]]]
    ) -> Rows:
        """All rows over attributes that lie in some columns and can have some points there."""
        place = {c: (a, i) for a, own in enumerate(columns) for i, c in enumerate(own)}
        found = []
        for node, (left, right) in enumerate(zip(self.left, self.right, strict=True)):
            attribute, goes_left = 0, []
            if left >= 0:
                attribute, i = place[self.feature[node]]
                variable = self.variable(node)
                goes_left = [self.holds(variable, point[i]) for point in points[attribute]]
            found.append(Node(left, right, attribute, goes_left, self.leaf_class[node]))
        return Rows(tuple(map(len, points)), found)

    def case(self, row: Sequence[float] | npt.NDArray[Any]) -> Case:
        """The question about this tree that a row asks."""
        values = tuple(self.holds(variable, float(row[variable[0]])) for variable in self.variables)
        return Case(self.variables, values, self.classify)

    def candidates(self, feature: int) -> list[float]:
        """Values of one feature that give its conditions every combination of truths there is."""
        if feature in self.boolean:
            return [0.0, 1.0]
        dtype = np.dtype(self.row_dtype).type
        values = {0.0}
        for of, threshold, _ in self.variables:
            if of == feature:
                near = dtype(threshold)
                around = (np.nextafter(near, dtype(-np.inf)), near, np.nextafter(near, dtype(9e9)))
                values.update(float(value) for value in around)
        return sorted(values) + ([np.nan] if self.missing_left is not None else [])

    def build(self, **names: Any) -> cattleya.Tree:
        """The library's tree."""
        return cattleya.Tree(
            self.left,
            self.right,
            self.feature,
            self.threshold,
            self.leaf_class,
            n_features=self.n_features,
            missing_left=self.missing_left,
            boolean=self.boolean,
            row_dtype=self.row_dtype,
            **{"class_names": tuple(range(self.n_classes)), **names},
        )


def literal(condition: cattleya.Condition) -> tuple[Variable, bool]:
    """A condition as (variable, value), whatever it says about missing values left out."""
    test = as_test(condition)
    return (test.index, test.threshold, None), test.sense


def missing_literal(condition: cattleya.Condition) -> tuple[Variable, bool]:
    """The same for a tree that takes NaN, with the side that NaN goes to."""
    test = as_test(condition)
    return (test.index, test.threshold, test.missing_left), test.sense


def nodes_of(model: Any, *, missing: bool = False) -> Nodes:
    """A fitted scikit-learn tree's arrays, read here rather than by the library's adapter."""
    t = model.tree_
    is_leaf = t.children_left < 0
    return Nodes(
        left=tuple(t.children_left.tolist()),
        right=tuple(t.children_right.tolist()),
        feature=tuple(np.where(is_leaf, -1, t.feature).tolist()),
        threshold=tuple(t.threshold.tolist()),
        leaf_class=tuple(t.value[:, 0, :].argmax(axis=1).tolist()),
        n_features=t.n_features,
        n_classes=len(model.classes_),
        missing_left=tuple(t.missing_go_to_left.astype(bool).tolist()) if missing else None,
        row_dtype="float32",
    )


# x0 <= 1.5 ? class 0 : (x1 <= -2.0 ? class 1 : class 0)
SMALL = Nodes(
    left=(1, -1, 3, -1, -1),
    right=(2, -1, 4, -1, -1),
    feature=(0, -1, 1, -1, -1),
    threshold=(1.5, 0.0, -2.0, 0.0, 0.0),
    leaf_class=(-1, 0, -1, 1, 0),
    n_features=2,
)


# Nested tuples: Boolean trees


def nested_class(nested: Nested, value: dict[str, bool]) -> Any:
    """Where an instance ends in a nested tuple."""
    while isinstance(nested, tuple):
        nested = nested[2] if value[nested[0]] else nested[1]
    return nested


def nested_case(nested: Nested, names: Sequence[str], row: Sequence[int]) -> Case:
    """The question that a row asks about a Boolean tree whose classes are integers."""

    def classify(truths: Truths) -> Classes:
        instances = (dict(zip(names, truth, strict=True)) for truth in truths.tolist())
        return np.array([nested_class(nested, instance) for instance in instances])

    return Case(tuple(names), tuple(bool(value) for value in row), classify)


def nested_literal(condition: cattleya.Condition) -> tuple[str, bool]:
    """A Boolean tree's condition as (name, value)."""
    return condition.feature, not as_test(condition).sense


def names_of(nested: Nested) -> set[str]:
    """The variables that a nested tuple tests."""
    if not isinstance(nested, tuple):
        return set()
    return {nested[0]} | names_of(nested[1]) | names_of(nested[2])


def negation(nested: Nested) -> Nested:
    """The tree with every leaf's label complemented."""
    if not isinstance(nested, tuple):
        return 1 - nested
    return nested[0], negation(nested[1]), negation(nested[2])


def all_nested(inner: int, names: Sequence[str], classes: Sequence[int]) -> Iterator[Nested]:
    """Every tree with `inner` inner nodes, whatever its shape, names and leaves."""
    if inner == 0:
        yield from classes
    for name, below in product(names, range(inner)):
        lows = list(all_nested(below, names, classes))
        highs = list(all_nested(inner - 1 - below, names, classes))
        yield from ((name, low, high) for low, high in product(lows, highs))


# Random trees. Hypothesis draws how large they are; all else is drawn evenly, from a seed of its.
# What it draws itself is mostly small and alike: trees with three contrasts at the most.

evenly = st.randoms(use_true_random=True)


def shape(draw: random.Random, inner: int) -> tuple[list[int], list[int]]:
    """Children of a random tree; node 0 is the root, the others are numbered in any order."""
    left, right, leaves = [-1], [-1], [0]
    for _ in range(inner):
        node = leaves.pop(draw.randrange(len(leaves)))
        left[node], right[node] = len(left), len(left) + 1
        leaves += [len(left), len(left) + 1]
        left += [-1, -1]
        right += [-1, -1]
    number = [0, *draw.sample(range(1, len(left)), len(left) - 1)]
    new_left, new_right = left.copy(), right.copy()
    for node in range(len(left)):
        if left[node] >= 0:
            new_left[number[node]] = number[left[node]]
            new_right[number[node]] = number[right[node]]
        else:
            new_left[number[node]] = new_right[number[node]] = -1
    return new_left, new_right


@st.composite
def random_nodes(
    draw: st.DrawFn,
    *,
    max_inner: int = 14,
    pool: Sequence[Variable] = tuple((feature, 0.5, None) for feature in range(10)),
    n_classes: int = 2,
    row_dtype: str = "float64",
    boolean: bool = False,
) -> Nodes:
    """A random tree whose conditions come from a pool, repeated on a path or not."""
    inner, chance = draw(st.integers(0, max_inner)), draw(evenly)
    left, right = shape(chance, inner)
    size = len(left)
    conditions = chance.choices(pool, k=size)
    labels = chance.choices(range(n_classes), k=size)
    is_inner = [child >= 0 for child in left]
    takes_missing = pool[0][2] is not None
    n_features = 1 + max(feature for feature, _, _ in pool)
    nodes = Nodes(
        left=tuple(left),
        right=tuple(right),
        feature=tuple(c[0] if is_inner[i] else -1 for i, c in enumerate(conditions)),
        threshold=tuple(c[1] if is_inner[i] else 0.0 for i, c in enumerate(conditions)),
        leaf_class=tuple(-1 if is_inner[i] else label for i, label in enumerate(labels)),
        n_features=n_features,
        n_classes=n_classes,
        missing_left=tuple(bool(c[2]) for c in conditions) if takes_missing else None,
        row_dtype=row_dtype,
        boolean=tuple(range(n_features)) if boolean else (),
    )
    return centred(nodes, chance) if chance.random() < CENTRED else nodes


CENTRED = 0.7
OTHER_CLASS = (0.0, 0.1, 0.4, 0.7)  # how often, by the number of conditions that must change


def centred(nodes: Nodes, chance: random.Random) -> Nodes:
    """The same tree with other leaves: there is a row whose class many changes lead away from.

    With leaves drawn evenly, one condition is mostly enough, and there are two or three contrasts.
    """
    row = [chance.choice(nodes.candidates(feature)) for feature in range(nodes.n_features)]
    labels = list(nodes.leaf_class)
    own = chance.randrange(nodes.n_classes)
    others = [label for label in range(nodes.n_classes) if label != own]
    open_nodes: list[tuple[int, frozenset[Variable]]] = [(0, frozenset())]
    while open_nodes:
        node, changed = open_nodes.pop()
        if nodes.left[node] < 0:
            far = OTHER_CLASS[min(len(changed), len(OTHER_CLASS) - 1)]
            labels[node] = chance.choice(others) if chance.random() < far else own
            continue
        variable = nodes.variable(node)
        holds = nodes.holds(variable, row[variable[0]])
        for child, side in ((nodes.left[node], True), (nodes.right[node], False)):
            open_nodes.append((child, changed if side == holds else changed | {variable}))
    return replace(nodes, leaf_class=tuple(labels), centre=tuple(row))


@st.composite
def rows_of(draw: st.DrawFn, nodes: Nodes) -> list[float]:
    """A row: for each feature a value on one of the edges of the tree's conditions."""
    chance = draw(evenly)
    if nodes.centre and chance.random() < CENTRED:
        return list(nodes.centre)
    return [chance.choice(nodes.candidates(feature)) for feature in range(nodes.n_features)]

"""The smallest tree that is left when splits go, against all that could be left."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import cattleya

NAMES = ("a", "b", "c", "d")
Nested = Any


def drawn(rng: np.random.Generator, depth: int) -> Nested:
    """A random tree in which tests repeat on the way, and leaves are often alike."""
    if depth == 0 or rng.random() < 0.15:
        return int(rng.random() < 0.4)
    name = NAMES[int(rng.integers(0, 4))]
    return name, drawn(rng, depth - 1), drawn(rng, depth - 1)


def decide(tree: Nested, row: dict[str, int]) -> int:
    while isinstance(tree, tuple):
        tree = tree[1 + row[tree[0]]]
    return int(tree)


def reached(tree: Nested, known: dict[str, int]) -> Nested:
    """The tree without the branches that no row reaches."""
    if not isinstance(tree, tuple):
        return tree
    name, low, high = tree
    if name in known:
        return reached((low, high)[known[name]], known)
    return name, reached(low, known | {name: 0}), reached(high, known | {name: 1})


@cache
def left_over(tree: Nested) -> frozenset[Nested]:
    """All trees that are left when any splits go, each replaced by one of its sides."""
    if not isinstance(tree, tuple):
        return frozenset([tree])
    name, low, high = tree
    kept = {(name, one, two) for one in left_over(low) for two in left_over(high)}
    return frozenset(kept) | left_over(low) | left_over(high)


def leaves(tree: Nested) -> int:
    return leaves(tree[1]) + leaves(tree[2]) if isinstance(tree, tuple) else 1


@pytest.mark.parametrize("seed", range(60))
def test_none_that_is_left_and_decides_the_same_is_smaller(seed: int) -> None:
    tree = drawn(np.random.default_rng(seed), 4 if seed % 3 == 0 else 3)
    if not isinstance(tree, tuple) or len(left_over(reached(tree, {}))) > 20000:
        return
    rows = [dict(zip(NAMES, bits, strict=True)) for bits in product((0, 1), repeat=4)]
    wanted = [decide(tree, row) for row in rows]
    smallest = min(
        leaves(one)
        for one in left_over(reached(tree, {}))
        if [decide(one, row) for row in rows] == wanted
    )
    made = cattleya.Tree.from_nested(tree, feature_names=NAMES, class_names=[0, 1])
    small = made.simplified()
    matrix = [list(row.values()) for row in rows]
    assert small.predict(matrix).tolist() == wanted
    assert int((small.left < 0).sum()) == smallest


@pytest.mark.parametrize("seed", range(20))
def test_numbers_with_gaps(seed: int) -> None:
    """Thresholds that repeat, and missing values: the same decisions, and never more leaves."""
    rng = np.random.default_rng(seed)
    left: list[int] = []
    right: list[int] = []
    feature: list[int] = []
    leaf: list[int] = []
    threshold: list[float] = []
    missing: list[bool] = []

    def grow(depth: int) -> int:
        at = len(left)
        for one in (left, right, feature, leaf):
            one.append(-1)
        threshold.append(0.0)
        missing.append(False)
        if depth == 0 or rng.random() < 0.1:
            leaf[at] = int(rng.random() < 0.3)
            return at
        feature[at], threshold[at] = int(rng.integers(0, 2)), float(rng.integers(0, 4))
        missing[at] = bool(rng.random() < 0.5)
        left[at] = grow(depth - 1)
        right[at] = grow(depth - 1)
        return at

    grow(5)
    gaps = seed % 2 == 0
    tree = cattleya.Tree(left, right, feature, threshold, leaf, n_features=2, class_names=[0, 1],
                         missing_left=missing if gaps else None)  # fmt: skip  # as it reads
    small = tree.simplified()
    values = [*np.arange(-0.5, 4, 0.5), *([np.nan] if gaps else [])]
    rows = list(product(values, repeat=2))
    assert small.predict(rows).tolist() == tree.predict(rows).tolist()
    assert small.n_nodes <= tree.n_nodes
    assert small.simplified().n_nodes == small.n_nodes
    found = cattleya.Explainer(tree, over="intervals").audit()
    assert found.simplified is not None
    assert found.removable == (tree.n_nodes - small.n_nodes) // 2
    check_survey(tree, found, rows)


def check_survey(tree: Any, found: Any, rows: list[tuple[float, ...]]) -> None:
    """What is said of classes and branches, by the rows that get and reach them."""
    matrix = np.array(rows)
    decided = tree.predict(rows)
    reached = set(tree.apply(matrix).tolist())
    for outcome in (0, 1):
        own = matrix[decided == outcome]
        assert (len(own) == 0) == (str(outcome) in found.impossible)
        for part in found.facts.get(str(outcome), ()):
            assert part.holds_in(own).all()
            # It is the least interval: no fact about the feature says more.
            seen = own[:, part.column]
            seen = seen[~np.isnan(seen)]
            if len(seen) and np.isfinite(part.low):
                assert seen.min() <= part.low + 0.5
            if len(seen) and np.isfinite(part.high):
                assert seen.max() >= part.high - 0.5
    lost = sum(branch.leaves for branch in found.unreachable)
    assert int((tree.left < 0).sum()) - lost == len(reached)


def test_numbers_at_leaves_stay() -> None:
    tree = cattleya.Tree([1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -1, 0, -1, -1],
                         [1.5, 0, 0.5, 0, 0], None, n_features=1,
                         leaf_value=[0, 1.0, 0, 7.0, 2.0])  # fmt: skip  # as it reads
    small = tree.simplified()
    assert small.predict([[1], [2]]).tolist() == [1.0, 2.0]
    assert small.n_nodes == 3

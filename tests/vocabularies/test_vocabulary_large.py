"""Features and intervals of large trees: deep, wide, of many values, and within limits."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import cattleya
from cattleya import Tree
from cattleya.model.conditions.phrases import merged
from cattleya.model.domain.domain import Category, Domain
from cattleya.vocabularies.interface import RowAtoms
from tests.samples.prepared import AskedRow, asked, prepared

ANY = -1
NO_LIMIT = (1e9, 1 << 30)
DEEP = 20_000
RARE = 2  # the class of one leaf

over = pytest.mark.parametrize("over", ["features", "intervals"])


def family(row: RowAtoms, toward: int = ANY) -> list[list[str]]:
    start, atom = row.complete_reason(toward, *NO_LIMIT)
    return [[str(c) for c in row.named(atom[i:j].tolist())] for i, j in pairwise(start.tolist())]


def chain(attributes: bool) -> Tree:
    """A tree 20,000 deep: of one number with as many thresholds, or of as many numbers."""
    inner = np.arange(DEEP)
    left, right = np.full(2 * DEEP + 1, -1), np.full(2 * DEEP + 1, -1)
    feature, threshold = np.full(2 * DEEP + 1, -1), np.zeros(2 * DEEP + 1)
    leaf_class = np.full(2 * DEEP + 1, -1)
    left[2 * inner], right[2 * inner] = 2 * inner + 1, 2 * inner + 2
    feature[2 * inner] = inner if attributes else 0
    threshold[2 * inner] = 0.5 if attributes else inner
    leaf_class[2 * inner + 1] = 1 if attributes else inner % 2
    leaf_class[-1] = 0
    return Tree(left, right, feature, threshold, leaf_class, DEEP if attributes else 1)


def test_a_deep_tree_of_one_number() -> None:
    tree = chain(attributes=False)
    asked_row = asked(tree, "intervals", np.array([9_999.5]))
    row = asked_row.atoms
    assert len(row) == DEEP
    assert merged(row.named(row.path)) == ["9999.0 < x0 <= 10000.0"]
    assert sorted(family(row)) == [["x0 <= 10000.0"], ["x0 > 9999.0"]]
    assert asked_row.verify(row.named(row.path))
    assert not asked_row.verify(row.named(row.path[:1]))
    features = asked(tree, "features", np.array([9_999.5]))
    assert family(features.atoms) == [["x0 = 9999.5"]]
    assert features.verify(features.atoms.named([0]))


@over
def test_a_deep_tree_of_many_numbers(over: str) -> None:
    made = prepared(chain(attributes=True), over)
    ones = AskedRow(made, np.ones(DEEP))
    start, atom = ones.atoms.complete_reason(ANY, *NO_LIMIT)
    assert start.tolist() == list(range(DEEP + 1))
    assert sorted(atom.tolist()) == list(range(DEEP))
    assert ones.verify(ones.atoms.named(range(DEEP)))
    start, atom = made.vocabulary.row(np.zeros(DEEP)).complete_reason(ANY, *NO_LIMIT)
    assert start.tolist() == [0, DEEP]
    assert atom.tolist() == list(range(DEEP))


def full(depth: int, n_features: int, *, missing: bool = False) -> Tree:
    """A full tree that tests random features, with random classes; only the last leaf has 2."""
    rng = np.random.default_rng(0)
    inner, size = 2**depth - 1, 2 ** (depth + 1) - 1
    number = np.arange(size)
    is_inner = number < inner
    return Tree(
        np.where(is_inner, 2 * number + 1, -1),
        np.where(is_inner, 2 * number + 2, -1),
        np.where(is_inner, rng.integers(0, n_features, size), -1),
        np.where(is_inner, rng.integers(0, 9, size) + 0.5, 0.0),
        np.where(is_inner, -1, np.where(number == size - 1, RARE, rng.integers(0, 2, size))),
        n_features,
        missing_left=rng.random(size) < 0.5 if missing else None,
    )


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("n_features", [64, 65, 300])
def test_wide_trees_need_no_word(n_features: int, missing: bool) -> None:
    """Clauses of more features than a word has bits, beside those of the same tree's leaves."""
    tree = full(9, n_features, missing=missing)
    rng = np.random.default_rng(1)
    for row in rng.integers(0, 9, (5, n_features)).astype(np.float64):
        if missing:
            row[rng.random(n_features) < 0.3] = np.nan
        atoms = asked(tree, "features", row).atoms
        start, atom = atoms.complete_reason(ANY, *NO_LIMIT)
        found = {frozenset(atom[i:j].tolist()) for i, j in pairwise(start)}
        assert found == minimal_leaf_clauses(tree, row, atoms.row_class)


def minimal_leaf_clauses(tree: Tree, row: Any, row_class: int) -> set[frozenset[int]]:
    """Of each leaf of another class that can be reached, the features whose values on its path
    exclude the row's; and of these sets the minimal ones."""
    routes = tree.missing_left if tree.missing_left is not None else np.zeros(tree.n_nodes, bool)
    free = (-np.inf, np.inf, tree.missing_left is not None)
    found = set()
    open_: list[tuple[int, dict[int, tuple[float, float, bool]]]] = [(0, {})]
    while open_:
        node, box = open_.pop()
        if any(low >= high and not missing for low, high, missing in box.values()):
            continue
        if tree.left[node] < 0:
            if tree.leaf_class[node] != row_class:
                found.add(
                    frozenset(
                        f
                        for f, (low, high, missing) in box.items()
                        if not (missing if np.isnan(row[f]) else low < row[f] <= high)
                    )
                )
            continue
        f, t = int(tree.feature[node]), float(tree.threshold[node])
        low, high, missing = box.get(f, free)
        below = (low, min(high, t), missing and bool(routes[node]))
        above = (max(low, t), high, missing and not routes[node])
        open_ += [
            (int(tree.left[node]), {**box, f: below}),
            (int(tree.right[node]), {**box, f: above}),
        ]
    return {clause for clause in found if not any(other < clause for other in found)}


@over
def test_categories_of_many_values(over: str) -> None:
    """A code of 150 values and a one-hot group of 130, beside each leaf's sets of values."""
    coded = Category("code", (0,), tuple(range(150)), tuple((float(i),) for i in range(150)))
    group = Category(
        "group", tuple(range(1, 131)), tuple(range(130)), tuple(map(tuple, np.eye(130)))
    )
    rng = np.random.default_rng(3)
    for _ in range(20):
        nodes = full(8, 131)
        is_code = rng.random(nodes.n_nodes) < 0.5
        feature = np.where(is_code, 0, rng.integers(1, 131, nodes.n_nodes))
        threshold = np.where(is_code, rng.integers(0, 150, nodes.n_nodes) - 0.5, 0.5)
        tree = Tree(
            nodes.left,
            nodes.right,
            np.where(nodes.left < 0, -1, feature),
            threshold,
            nodes.leaf_class,
            131,
        )
        row = np.concatenate(([float(rng.integers(150))], np.eye(130)[rng.integers(130)]))
        domain = Domain((coded, group), 131)
        asked_row = asked(tree, over, row, domain)
        atoms, attribute = asked_row.atoms, asked_row.atoms.attributes(domain)
        start, atom = atoms.complete_reason(ANY, *NO_LIMIT)
        found = {frozenset(attribute[atom[i:j]].tolist()) for i, j in pairwise(start)}
        wanted = minimal_category_clauses(tree, (coded, group), row, atoms.row_class)
        assert found == wanted
        assert len(found) == len(start) - 1
        for clause in found:
            rest = [i for i in range(len(atoms)) if int(attribute[i]) not in clause]
            verdict = asked_row.verify(atoms.named(rest))
            assert not verdict.sufficient
            assert verdict.row is not None
            assert group.value_of(verdict.row) >= 0
        assert asked_row.verify(atoms.named(range(len(atoms)))).sufficient


def minimal_category_clauses(
    tree: Tree, categories: tuple[Category, ...], row: Any, row_class: int
) -> set[frozenset[int]]:
    found = set()
    open_ = [(0, tuple(np.ones(len(c.points), dtype=bool) for c in categories))]
    while open_:
        node, left = open_.pop()
        if not all(values.any() for values in left):
            continue
        if tree.left[node] < 0:
            if tree.leaf_class[node] != row_class:
                own = [c.value_of(row) for c in categories]
                found.add(frozenset(i for i, values in enumerate(left) if not values[own[i]]))
            continue
        column = int(tree.feature[node])
        i = next(i for i, c in enumerate(categories) if column in c.columns)
        values = np.array(categories[i].points)[:, categories[i].columns.index(column)]
        goes_left = values <= tree.threshold[node]
        for child, side in ((tree.left[node], goes_left), (tree.right[node], ~goes_left)):
            open_.append((int(child), (*left[:i], left[i] & side, *left[i + 1 :])))
    return {clause for clause in found if not any(other < clause for other in found)}


@pytest.mark.parametrize("n_features", [60, 500])
@over
def test_limits_are_honoured(over: str, n_features: int) -> None:
    tree = full(16, n_features)
    row = asked(tree, over, np.full(n_features, 4.0)).atoms
    assert row.row_class != RARE
    with pytest.raises(cattleya.TimeoutExpired):
        row.complete_reason(RARE, 0.0, 1 << 30)
    with pytest.raises(cattleya.MemoryLimitExceeded):
        row.complete_reason(RARE, 1e9, 2_000)
    start, _ = row.complete_reason(RARE, *NO_LIMIT)
    assert len(start) > 1

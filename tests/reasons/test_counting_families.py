"""The paper's families of trees in closed form, far beyond what can be listed, and very deep trees.

Prop. 1: complete trees. Prop. 2: combs. `docs/findings.md` says what the propositions should say;
its examples run here.
"""

from __future__ import annotations

import doctest
from fractions import Fraction
from itertools import product
from math import comb as choose

import numpy as np
import pytest

import cattleya
from tests import ROOT
from tests.samples.families import comb, complete, explain_ones
from tests.samples.trees import all_nested

# Prop. 1


def complete_counts(depth: int) -> list[int]:
    """a(1), ..., a(depth), where a(1) = 1 and a(d + 1) = a(d)^2 + a(d)."""
    counts = [1]
    while len(counts) < depth:
        counts.append(counts[-1] ** 2 + counts[-1])
    return counts


@pytest.mark.parametrize("depth", range(1, 15))
def test_complete_trees_have_as_many_reasons_as_the_sequence_says(depth: int) -> None:
    expected = complete_counts(depth)[-1]
    assert explain_ones(complete(depth)).count() == expected
    assert depth < 14 or expected.bit_length() > 5000


@pytest.mark.parametrize("depth", range(1, 15))
def test_the_circuit_of_a_complete_tree(depth: int) -> None:
    circuit = explain_ones(complete(depth)).compile()
    *_, below, expected = [0, *complete_counts(depth)]
    assert circuit.count() == expected
    root = next(c for c in circuit.conditions if c.index == 0)
    # A reason is one of the right subtree, with the root or with one of the left subtree.
    assert circuit.count(including=[root]) == max(below, 1)
    assert circuit.count(excluding=[root]) == below**2


def complete_sizes(depth: int) -> dict[int, int]:
    """How many reasons of each size, by the recurrence: f(d + 1) = f(d)^2 + t f(d)."""
    below = np.array([0, 1], dtype=object)
    for _ in range(depth - 1):
        square = np.convolve(below, below)
        square[1 : len(below) + 1] += below
        below = square
    return {size: int(n) for size, n in enumerate(below) if n}


def complete_importance(depth: int) -> list[Fraction]:
    """The share of each level's leftmost and rightmost test, in this order, by the recurrence."""
    shares = [Fraction(1)] * 2  # of the only test of a tree of depth 1
    for count in complete_counts(depth)[:-1]:
        root = Fraction(1, count + 1)
        left = [(1 - root) * share for share in shares[0::2]]
        shares = [root, root] + [x for pair in zip(left, shares[1::2], strict=True) for x in pair]
    return shares


@pytest.mark.parametrize("depth", range(1, 11))
def test_sizes_and_importance_in_complete_trees(depth: int) -> None:
    e = explain_ones(complete(depth))
    assert e.count_by_size() == complete_sizes(depth)
    of_test = {condition.index: share for condition, share in e.importance().items()}
    levels = [(2**level - 1, 2 ** (level + 1) - 2) for level in range(depth)]
    found = [of_test[index] for pair in levels for index in pair]
    assert found == complete_importance(depth)
    sizes, count = e.count_by_size(), e.count()
    assert sum(of_test.values()) == Fraction(sum(s * n for s, n in sizes.items()), count)


def test_proposition_1_does_not_hold_for_every_row() -> None:
    for depth, below in ((2, {1}), (3, {1, 2, 3, 4})):
        tree = complete(depth)
        n = tree.n_features
        explainer = cattleya.Explainer(tree)
        counts = {explainer.explain(row).count() for row in product((0, 1), repeat=n)}
        assert counts == below | {complete_counts(depth)[-1]}
        assert {count for count in counts if count < int(1.5 ** ((n + 1) / 2))} == below


def test_proposition_1_holds_for_every_row_of_no_tree_at_all() -> None:
    """Over three variables, of depth two: no other tree would do either."""
    names = ("x1", "x2", "x3")
    for nested in (t for inner in range(4) for t in all_nested(inner, names, (0, 1))):
        tree = cattleya.Tree.from_nested(nested, feature_names=names, class_names=(0, 1))
        if tree.depth == 2:
            explainer = cattleya.Explainer(tree)
            counts = [explainer.explain(row).count() for row in product((0, 1), repeat=3)]
            assert min(counts) < 2


# Prop. 2


@pytest.mark.parametrize("k", [1, 2, 3, 10, 31, 64, 65, 300, 1000])
def test_combs(k: int) -> None:
    tree = comb(k)
    n = 2 * k - 1
    assert (tree.n_features, tree.n_nodes, tree.depth) == (n, 2 * n + 1, k)
    e = explain_ones(tree)
    assert e.count() == 2 ** (k - 1) == 2 ** ((n - 1) // 2)
    assert e.count_by_size() == {k: 2 ** (k - 1)}
    half = Fraction(1, 2)
    assert {c.index: s for c, s in e.importance().items()} == {n - 1: 1} | dict.fromkeys(
        range(n - 1), half
    )
    circuit = e.compile()
    assert circuit.count() == 2 ** (k - 1)
    teeth = [c for c in circuit.conditions if k - 1 <= c.index < n - 1]
    assert circuit.count(including=teeth) == 1
    assert circuit.count(excluding=teeth[::2]) == 2 ** (len(teeth) - len(teeth[::2]))


@pytest.mark.parametrize("k", [20_000])
def test_a_very_deep_comb(k: int) -> None:
    tree = comb(k)
    assert tree.depth == k
    e = explain_ones(tree)
    assert e.count() == 2 ** (k - 1)
    assert e.count_by_size() == {k: 2 ** (k - 1)}
    shares = list(e.importance().values())
    assert shares[0] == 1
    assert set(shares[1:]) == {Fraction(1, 2)}
    (reason,) = e.sample(1, seed=0)
    assert len(reason) == k
    assert e.compile().count() == 2 ** (k - 1)


# One chain of clauses that hang together, deeper than any recursion


def path_count(n: int) -> int:
    """The number of minimal vertex covers of a path with n vertices (OEIS A000931)."""
    counts = [1, 1, 2, 2]
    while len(counts) <= n:
        counts.append(counts[-2] + counts[-3])
    return counts[n]


def chained(n: int) -> cattleya.Tree:
    """A tree whose clauses on the row of ones are {x0, x1}, {x1, x2}, ..., and no others.

    It asks for x0, x1, ... in turn; where x(i) is 0, x(i + 1) decides.
    """
    # Node i asks for x(i), node n - 1 + i for x(i + 1) after x(i) was 0; the leaves follow.
    inner = n - 1
    left, right, feature, leaf_class = (np.full(4 * inner + 1, -1) for _ in range(4))
    main, after = np.arange(inner), inner + np.arange(inner)
    leaf = 2 * inner + np.arange(2 * inner + 1)
    feature[main], feature[after] = np.arange(inner), np.arange(inner) + 1
    left[main], right[main] = after, np.append(main[1:], leaf[-1])
    left[after], right[after] = leaf[:inner], leaf[inner : 2 * inner]
    leaf_class[leaf] = 1
    leaf_class[leaf[:inner]] = 0
    threshold = np.full(len(left), 0.5)
    return cattleya.Tree(
        left, right, feature, threshold, leaf_class, n_features=n, boolean=range(n)
    )


@pytest.mark.parametrize("n", [2, 3, 4, 5, 10, 100, 1000, 5000])
def test_long_paths_of_clauses(n: int) -> None:
    e = explain_ones(chained(n))
    assert {frozenset(c.index for c in r) for r in e.contrastive()} == {
        frozenset({i, i + 1}) for i in range(n - 1)
    }
    assert e.count() == path_count(n)
    assert e.compile().count() == path_count(n)


@pytest.mark.parametrize("n", [2, 5, 10, 100, 400])
def test_sizes_and_importance_on_long_paths(n: int) -> None:
    """Of a path's vertices those left out are apart by two or three, and by one at the ends."""
    e = explain_ones(chained(n))
    sizes: dict[int, int] = {}
    for out in range(1, n + 1):  # gaps: out - 1 inner ones of 2 or 3, two outer ones of 0 or 1
        for longer in range(out):
            rest = n - 1 - 2 * (out - 1) - longer
            if 0 <= rest <= 2:
                ways = choose(out - 1, longer) * choose(2, rest)
                sizes[n - out] = sizes.get(n - out, 0) + ways
    assert e.count_by_size() == sizes
    assert sum(sizes.values()) == path_count(n)
    mean = Fraction(sum(size * ways for size, ways in sizes.items()), path_count(n))
    assert sum(e.importance().values()) == mean
    assert e.importance() == e.compile().importance()


def test_the_page_about_the_paper_is_true() -> None:
    page = ROOT / "docs" / "findings.md"
    if not page.is_file():
        pytest.skip(f"{page} is not there: this is not the project's folder")
    outcome = doctest.testfile(str(page), module_relative=False)
    assert outcome.failed == 0
    assert outcome.attempted > 5

"""The paper's propositions, each on families of trees, by brute force.

Prop. 1 and 2: how many (minimal) sufficient reasons there can be. Prop. 3: explanatory features.
Prop. 6: all contrastive explanations. And what the text uses around them: closure under negation,
and the duality of sufficient reasons and contrastive explanations as minimal hitting sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cattleya
from tests.checks.explanation import family, term
from tests.oracles import definitions as oracle
from tests.oracles.definitions import Case, Family, Term, minimal_hitting_sets
from tests.samples.trees import (
    Nested,
    Nodes,
    literal,
    nested_case,
    nested_literal,
    random_nodes,
    rows_of,
)


def explain(nodes: Nodes, row: Sequence[float]) -> cattleya.Explanation:
    return cattleya.Explainer(nodes.build()).explain(row)


# Prop. 1: exponentially many sufficient reasons, in trees of logarithmic depth


def complete(depth: int, number: int = 1, side: int = 0) -> Nested:
    """The complete tree whose tests are x1, x2, x3, ... in breadth-first order."""
    if depth == 0:
        return side
    low, high = (complete(depth - 1, 2 * number + child, child) for child in (0, 1))
    return f"x{number}", low, high


def complete_names(depth: int) -> list[str]:
    return [f"x{i + 1}" for i in range(2**depth - 1)]


@pytest.mark.parametrize(("depth", "expected"), [(1, 1), (2, 2), (3, 6), (4, 42)])
@pytest.mark.parametrize("bottom", [0, 1])
def test_proposition_1_counts_sufficient_reasons(depth: int, expected: int, bottom: int) -> None:
    """The proof counts reasons of both subtrees for the row's class, so both must give it.

    That is so where the tests just above the leaves all come out alike; for other rows there can
    be fewer sufficient reasons than the proposition says (see the next test).
    """
    names = complete_names(depth)
    tree = cattleya.Tree.from_nested(complete(depth), feature_names=names)
    n, above = len(names), 2 ** (depth - 1) - 1
    assert expected >= int(1.5 ** ((n + 1) / 2))
    rng = np.random.default_rng(depth)
    for upper in rng.integers(0, 2, size=(4, above)).tolist():
        e = cattleya.Explainer(tree).explain(upper + [bottom] * (n - above))
        reasons = minimal_hitting_sets(family(e.contrastive(), nested_literal))
        assert len(reasons) == expected
        assert term(e.sufficient_reason(), nested_literal) in reasons


@pytest.mark.parametrize("depth", [2, 3])
def test_complete_trees_every_row(depth: int) -> None:
    names = complete_names(depth)
    nested = complete(depth)
    explainer = cattleya.Explainer(cattleya.Tree.from_nested(nested, feature_names=names))
    counts = set()
    for row in product((0, 1), repeat=len(names)):
        e, case = explainer.explain(row), nested_case(nested, names, row)
        assert family(e.contrastive(), nested_literal) == case.contrastive
        assert term(e.sufficient_reason(), nested_literal) in case.sufficient
        counts.add(len(case.sufficient))
    assert max(counts) == {2: 2, 3: 6}[depth]
    assert min(counts) == 1


# Prop. 2: exponentially many minimal sufficient reasons


def comb(depth: int) -> Nested:
    """The tree of the proof's figure, its variables all distinct."""
    nested: Nested = ("last", 0, 1)
    for level in range(depth - 1, 0, -1):
        nested = (f"spine{level}", (f"tooth{level}", 0, 1), nested)
    return nested


def comb_names(depth: int) -> list[str]:
    levels = range(1, depth)
    return [f"spine{i}" for i in levels] + [f"tooth{i}" for i in levels] + ["last"]


@pytest.mark.parametrize("depth", range(1, 8))
def test_proposition_2_counts_minimal_sufficient_reasons(depth: int) -> None:
    n = 2 * depth - 1
    tree = cattleya.Tree.from_nested(comb(depth), feature_names=comb_names(depth))
    assert tree.n_nodes == 2 * n + 1
    e = cattleya.Explainer(tree).explain([1] * n)
    reasons = minimal_hitting_sets(family(e.contrastive(), nested_literal))
    case = nested_case(comb(depth), comb_names(depth), [1] * n)
    assert reasons == case.sufficient
    smallest = [reason for reason in reasons if len(reason) == case.minimum_size]
    assert len(smallest) == 2 ** (depth - 1)
    assert {len(reason) for reason in smallest} == {depth} == {len(e.sufficient_reason())}


def test_proposition_2_large() -> None:
    depth = 300
    tree = cattleya.Tree.from_nested(comb(depth), feature_names=comb_names(depth))
    e = cattleya.Explainer(tree).explain([1] * (2 * depth - 1))
    pairs = [{f"spine{i}", f"tooth{i}"} for i in range(1, depth)]
    found = [{condition.feature for condition in reason} for reason in e.contrastive()]
    assert found[0] == {"last"}
    assert sorted(map(sorted, found[1:])) == sorted(map(sorted, pairs))
    assert len(e.sufficient_reason()) == depth
    assert {condition.feature for condition in e.necessary()} == {"last"}


# Prop. 3 and Prop. 6: read off the clauses of the tree's CNF


def reduced_clauses(nodes: Nodes, case: Case) -> list[Term]:
    """{c intersected with t_x : c a clause of CNF}, each clause the negation of a path."""
    clauses: list[Term] = []
    open_paths: list[tuple[int, dict[object, bool]]] = [(0, {})]
    while open_paths:
        node, path = open_paths.pop()
        if nodes.left[node] < 0:
            if nodes.leaf_class[node] != case.predicted:
                clauses.append(case.row & {(v, not value) for v, value in path.items()})
            continue
        variable = nodes.variable(node)
        for value, child in ((True, nodes.left[node]), (False, nodes.right[node])):
            if path.get(variable, value) == value:  # read once: the first test decides
                open_paths.append((child, {**path, variable: value}))
    return clauses


def smallest(clauses: Sequence[Term]) -> Family:
    """The clauses that contain no other."""
    return frozenset(c for c in clauses if not any(other < c for other in clauses))


def draw_case(data: st.DataObject) -> tuple[Nodes, list[float]]:
    nodes = data.draw(random_nodes(max_inner=48, n_classes=data.draw(st.integers(2, 3))))
    return nodes, data.draw(rows_of(nodes))


@given(st.data())
@settings(max_examples=100)
def test_proposition_3_explanatory_features(data: st.DataObject) -> None:
    nodes, row = draw_case(data)
    case, e = nodes.case(row), explain(nodes, row)
    clauses = smallest(reduced_clauses(nodes, case))
    units = frozenset[oracle.Literal]().union(*(clause for clause in clauses if len(clause) == 1))
    occurring = frozenset[oracle.Literal]().union(*clauses)
    assert term(e.necessary("sufficient"), literal) == units == oracle.necessary(case.sufficient)
    assert term(e.relevant("sufficient"), literal) == occurring == oracle.relevant(case.sufficient)
    assert term(e.irrelevant("sufficient"), literal) == case.row - occurring


@given(st.data())
@settings(max_examples=100)
def test_proposition_6_all_contrastive_explanations(data: st.DataObject) -> None:
    nodes, row = draw_case(data)
    case, e = nodes.case(row), explain(nodes, row)
    expected = smallest(reduced_clauses(nodes, case))
    assert family(e.contrastive(), literal) == expected == case.contrastive


def shannon(case: Case, order: Sequence[int], path: dict[int, bool]) -> Nested:
    """The complete tree of a function that tests its variables in the given order."""
    if len(path) == len(order):
        truths = np.array([[path[i] for i in range(len(order))]])
        return int(case.classify(truths)[0])
    i = order[len(path)]
    low, high = (shannon(case, order, {**path, i: value}) for value in (False, True))
    return f"x{i}", low, high


@pytest.mark.parametrize("seed", range(4))
def test_equivalent_trees_have_the_same_explanations(seed: int) -> None:
    """The proof of Prop. 6 holds for any CNF of the function, so for any tree of it."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 2, size=16)
    names = [f"x{i}" for i in range(4)]
    row = rng.integers(0, 2, size=4).tolist()
    case = Case(tuple(names), tuple(map(bool, row)), lambda v: table[v @ (1 << np.arange(4))])
    for order in permutations(range(4)):
        tree = cattleya.Tree.from_nested(shannon(case, order, {}), feature_names=names)
        e = cattleya.Explainer(tree).explain(row)
        assert family(e.contrastive(), nested_literal) == case.contrastive
        assert term(e.necessary(), nested_literal) == oracle.necessary(case.sufficient)
        assert term(e.sufficient_reason(), nested_literal) in case.sufficient


# Around the propositions


@given(st.data())
@settings(max_examples=100)
def test_minimal_hitting_set_duality(data: st.DataObject) -> None:
    nodes, row = draw_case(data)
    case, e = nodes.case(row), explain(nodes, row)
    contrastive = family(e.contrastive(), literal)
    assert minimal_hitting_sets(contrastive) == case.sufficient
    assert contrastive == minimal_hitting_sets(case.sufficient)
    assert term(e.sufficient_reason(), literal) in minimal_hitting_sets(contrastive)


@given(st.data())
@settings(max_examples=60)
def test_closure_under_negation(data: st.DataObject) -> None:
    nodes = data.draw(random_nodes(max_inner=48))
    row = data.draw(rows_of(nodes))
    labels = tuple(label if label < 0 else 1 - label for label in nodes.leaf_class)
    e, n = explain(nodes, row), explain(replace(nodes, leaf_class=labels), row)
    assert n.prediction == 1 - e.prediction
    assert n.direct_reason() == e.direct_reason()
    assert n.sufficient_reason() == e.sufficient_reason()
    assert n.contrastive() == e.contrastive()
    for kind in ("sufficient", "contrastive"):
        assert n.necessary(kind) == e.necessary(kind)
        assert n.relevant(kind) == e.relevant(kind)
        assert n.irrelevant(kind) == e.irrelevant(kind)


def test_an_instance_that_nothing_contradicts() -> None:
    """One class only: the empty term is the sufficient reason, and nothing is contrastive."""
    nested = ("x1", ("x2", 1, 1), ("x3", 1, 1))
    tree = cattleya.Tree.from_nested(nested, class_names=(0, 1))
    e = cattleya.Explainer(tree).explain([0, 1, 1])
    assert len(e.direct_reason()) == 2
    assert len(e.sufficient_reason()) == 0
    assert e.contrastive() == () == e.contrastive(toward=0)
    assert e.count("contrastive") == 0
    for kind in ("sufficient", "contrastive"):
        assert e.necessary(kind) == e.relevant(kind) == frozenset()
        assert e.irrelevant(kind) == e.conditions

"""Counts, importance, sizes, samples and circuits against other ways to the same numbers.

Small trees: brute force from the definition. Middling ones: all sufficient reasons listed. Large
ones: the model counter Ganak on the paper's CNF, where `pyganak` is installed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.experiments.peers.prime_cnf import prime_cnf
from tests.checks.explanation import ToLiteral, clauses_of, listed, naming, term
from tests.oracles import definitions as oracle
from tests.oracles.definitions import Case
from tests.samples.families import grid_tree
from tests.samples.trees import (
    Nested,
    Nodes,
    all_nested,
    literal,
    missing_literal,
    names_of,
    nested_case,
    nested_literal,
    random_nodes,
    rows_of,
)

NAMES = ("a", "b", "c")


# Small trees, by brute force from the definition


def check_counting(e: cattleya.Explanation, case: Case, to_literal: ToLiteral) -> None:
    """Every answer about the number of sufficient reasons."""
    expected = case.sufficient
    sizes = Counter(len(reason) for reason in expected)
    assert e.count() == len(expected)
    assert e.count_by_size() == sizes
    shares = e.importance()
    assert {to_literal(c): share for c, share in shares.items()} == oracle.importance(
        expected, case.row
    )
    check_ranked(shares)
    drawn = e.sample(3, seed=len(expected))
    assert all(term(reason, to_literal) in expected for reason in drawn)
    check_circuit(e, shares)
    assert e.count() == len(expected)


def check_ranked(shares: dict[cattleya.Condition, Fraction]) -> None:
    assert all(type(share) is Fraction for share in shares.values())
    assert list(shares.values()) == sorted(shares.values(), reverse=True)


def check_circuit(
    e: cattleya.Explanation, shares: dict[cattleya.Condition, Fraction]
) -> cattleya.Circuit:
    """The circuit, as it is and from its arrays, says what the explanation says."""
    circuit = e.compile()
    assert circuit.count() == e.count()
    assert set(circuit.conditions) == e.relevant()
    assert circuit.importance() == {c: share for c, share in shares.items() if share}
    check_ranked(circuit.importance())
    return circuit


def check_nested(nested: Nested, names: Sequence[str]) -> None:
    """All rows of one Boolean tree."""
    explainer = cattleya.Explainer(cattleya.Tree.from_nested(nested, feature_names=names))
    tested = tuple(name for name in names if name in names_of(nested))
    for row in product((0, 1), repeat=len(tested)):
        value = dict(zip(tested, row, strict=True))
        e = explainer.explain([value.get(name, 0) for name in names])
        check_counting(e, nested_case(nested, tested, row), nested_literal)


def names_in_order(nested: Nested) -> tuple[str, ...]:
    """The names that a nested tuple tests, as they come first."""
    if not isinstance(nested, tuple):
        return ()
    found = (nested[0], *names_in_order(nested[1]), *names_in_order(nested[2]))
    return tuple(dict.fromkeys(found))


@pytest.mark.parametrize("inner", [0, 1, 2])
def test_every_tree_of_at_most_two_tests(inner: int) -> None:
    for nested in all_nested(inner, NAMES[:2], classes=(0, 1)):
        check_nested(nested, NAMES[:2])


@pytest.mark.parametrize("inner", [1, 2])
def test_every_tree_of_at_most_two_tests_with_three_classes(inner: int) -> None:
    for nested in all_nested(inner, NAMES[:2], classes=(0, 1, 2)):
        check_nested(nested, NAMES[:2])


def test_every_tree_of_three_tests() -> None:
    """One of those that differ only in the names of their variables."""
    for nested in all_nested(3, NAMES, classes=(0, 1)):
        tested = names_in_order(nested)
        if tested == NAMES[: len(tested)]:
            check_nested(nested, NAMES)


def check_nodes(data: st.DataObject, nodes: Nodes, to_literal: ToLiteral = literal) -> None:
    row = data.draw(rows_of(nodes))
    e = cattleya.Explainer(nodes.build()).explain(row)
    check_counting(e, nodes.case(row), to_literal)


@given(st.data())
@settings(max_examples=200)
def test_random_trees_over_ten_variables(data: st.DataObject) -> None:
    check_nodes(data, data.draw(random_nodes(max_inner=56, boolean=True)))


@given(st.data(), st.integers(3, 5))
@settings(max_examples=100)
def test_random_trees_of_several_classes(data: st.DataObject, n_classes: int) -> None:
    check_nodes(data, data.draw(random_nodes(max_inner=56, n_classes=n_classes)))


@given(st.data())
@settings(max_examples=100)
def test_random_trees_with_several_thresholds(data: st.DataObject) -> None:
    pool = [(feature, float(threshold), None) for feature in range(3) for threshold in range(4)]
    check_nodes(data, data.draw(random_nodes(max_inner=56, pool=pool)))


@given(st.data())
@settings(max_examples=60)
def test_random_trees_with_missing_values(data: st.DataObject) -> None:
    pool = [(f, float(t), side) for f in range(2) for t in range(2) for side in (False, True)]
    check_nodes(data, data.draw(random_nodes(max_inner=36, pool=pool)), missing_literal)


def test_a_tree_that_nothing_contradicts_has_one_reason_the_empty_one() -> None:
    tree = cattleya.Tree.from_nested(("x1", ("x2", 1, 1), 1), class_names=(0, 1))
    e = cattleya.Explainer(tree).explain([0, 1])
    assert e.count() == 1
    assert e.count("contrastive") == 0
    assert e.count_by_size() == {0: 1}
    assert set(e.importance().values()) == {0}
    assert [len(reason) for reason in e.sample(3)] == [0, 0, 0]
    assert e.compile().count() == 1
    assert e.compile().importance() == {}


# Middling trees, by listing


@pytest.mark.parametrize(
    ("depth", "n_features", "seed"),
    [(8, 40, 1), (9, 60, 4), (9, 60, 5), (10, 60, 3), (10, 60, 5), (11, 80, 0), (11, 80, 5)],
)
def test_middling_trees_against_listing(depth: int, n_features: int, seed: int) -> None:
    tree = grid_tree(depth, n_features, seed)
    rng = np.random.default_rng(seed)
    e = cattleya.Explainer(tree).explain(rng.integers(0, 2, n_features))
    reasons = listed(e)
    assert e.count() == len(reasons) > 10
    assert e.count_by_size() == Counter(map(len, reasons))
    shares = e.importance()
    within = Counter(condition for reason in reasons for condition in reason)
    assert shares == {c: Fraction(within[c], len(reasons)) for c in e.conditions}
    check_ranked(shares)
    circuit = check_circuit(e, shares)
    assert {frozenset(reason) for reason in e.sample(50, seed=seed)} <= reasons
    for condition in circuit.conditions[:10]:
        assert circuit.count(including=[condition]) == within[condition]
        assert circuit.count(excluding=[condition]) == len(reasons) - within[condition]


@pytest.mark.parametrize("seed", range(6))
def test_importance_and_the_other_answers_fit_together(seed: int) -> None:
    """Of trees too large to list the reasons of."""
    n_features = 120
    tree = grid_tree(11, n_features, seed)
    rng = np.random.default_rng(seed)
    e = cattleya.Explainer(tree).explain(rng.integers(0, 2, n_features))
    check_consistent(e)


def check_consistent(e: cattleya.Explanation) -> None:
    sizes, shares, count = e.count_by_size(), e.importance(), e.count()
    assert sum(sizes.values()) == count > 0
    mean = Fraction(sum(size * n for size, n in sizes.items()), count)
    assert sum(shares.values()) == mean
    assert shares.keys() == e.conditions
    assert {c for c, share in shares.items() if share == 1} == e.necessary()
    assert {c for c, share in shares.items() if share > 0} == e.relevant()
    assert {c for c, share in shares.items() if share == 0} == e.irrelevant()
    assert all(0 <= share <= 1 for share in shares.values())
    check_ranked(shares)
    assert min(sizes) <= len(e.sufficient_reason()) <= max(sizes)


def test_real_trees_fit_together() -> None:
    bunch: Any = load_breast_cancer()
    model = DecisionTreeClassifier(random_state=0).fit(bunch.data, bunch.target)
    explainer = cattleya.Explainer(model)
    for row in bunch.data[:40]:
        e = explainer.explain(row)
        check_consistent(e)
        assert e.count() == len(listed(e))


def test_importance_as_an_array() -> None:
    e = cattleya.Explainer(grid_tree(8, 40, 1)).explain(np.ones(40))
    for kind in ("sufficient", "contrastive"):
        conditions, shares = e.importance_array(kind)
        expected = {c: float(share) for c, share in e.importance(kind).items() if share}
        assert dict(zip(conditions, shares.tolist(), strict=True)) == expected
        assert shares.dtype == np.float64


def test_a_kind_that_does_not_exist() -> None:
    e = cattleya.Explainer(grid_tree(3, 5, 0)).explain(np.ones(5))
    for ask in (e.count, e.importance, e.importance_array):
        with pytest.raises(ValueError, match=naming("kind", "sufficient", "necessary")):
            ask("necessary")


def test_answers_can_be_changed_by_the_caller_without_harm() -> None:
    e = cattleya.Explainer(grid_tree(8, 40, 1)).explain(np.ones(40))
    before = e.importance(), e.count_by_size()
    e.importance().clear()
    e.count_by_size().clear()
    assert (e.importance(), e.count_by_size()) == before


# Large trees, by Ganak on the paper's CNF


def ganak_count(e: cattleya.Explanation) -> int:
    pyganak = pytest.importorskip("pyganak")
    number = {condition: i for i, condition in enumerate(e.relevant())}
    variables, cnf = prime_cnf([[number[c] for c in clause] for clause in clauses_of(e)])
    counter = pyganak.Counter()
    counter.new_vars(variables)
    counter.add_clauses(cnf)
    return int(counter.count())


@pytest.mark.parametrize(("depth", "seed"), [(11, 1), (12, 3), (13, 3), (13, 2)])
def test_large_trees_against_ganak(depth: int, seed: int) -> None:
    n_features = 120 if depth < 13 else 200
    e = cattleya.Explainer(grid_tree(depth, n_features, seed)).explain(np.ones(n_features))
    assert e.count() == ganak_count(e)


def test_trees_of_digits_against_ganak() -> None:
    bunch: Any = load_digits()
    model = DecisionTreeClassifier(random_state=0).fit(bunch.data, bunch.target)
    explainer = cattleya.Explainer(model)
    for row in bunch.data[:200:40]:
        e = explainer.explain(row)
        check_consistent(e)
        assert e.count() == ganak_count(e)

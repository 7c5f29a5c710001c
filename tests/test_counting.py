"""Counts, importance, sizes, samples and circuits against other ways to the same numbers.

Small trees: brute force from the definition (see `oracle`). Middling ones: all sufficient reasons
listed (see `prime_cnf`). Large ones: the model counter Ganak on the paper's CNF, where `pyganak` is
installed, and the checked answers of `clauses.json`, where that file is.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import oracle
import pytest
from checks import ToLiteral, naming, term
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Case
from prime_cnf import (
    as_arrays,
    brute_force_models,
    minimal_hitting_sets,
    prime_cnf,
    renumbered,
)
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.tree import DecisionTreeClassifier
from test_counting_families import grid_tree
from trees import (
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

import cattleya
from cattleya import _core
from cattleya.reasons.limbs import integer, integers, weights_from
from cattleya.support.limits import MEMORY_LIMIT

NAMES = ("a", "b", "c")
NO_LIMITS = (float("inf"), MEMORY_LIMIT)
NO_ATOMS = np.array([], dtype=np.int32)


def reference_file() -> Path:
    """The file with checked answers (CATTLEYA_REFERENCE, or beside the project)."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "reference"
    path = Path(os.environ.get("CATTLEYA_REFERENCE", beside)) / "clauses.json"
    if not path.is_file():
        pytest.skip(f"{path} is not there; CATTLEYA_REFERENCE names another folder")
    return path


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


def clauses_of(e: cattleya.Explanation) -> list[list[cattleya.Condition]]:
    return [list(reason) for reason in e.contrastive()]


def listed(e: cattleya.Explanation) -> frozenset[frozenset[cattleya.Condition]]:
    """All sufficient reasons, from the contrastive explanations."""
    conditions = sorted(e.relevant(), key=str)
    number = {condition: i for i, condition in enumerate(conditions)}
    found = minimal_hitting_sets([[number[c] for c in clause] for clause in clauses_of(e)])
    return frozenset(frozenset(conditions[i] for i in reason) for reason in found)


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


# The core, on clauses that no tree needs to have


SETS = st.sets(st.integers(0, 9), min_size=1, max_size=5).map(sorted)
CLAUSES = st.integers(0, 12).flatmap(lambda n: st.lists(SETS, min_size=n, max_size=n))


@given(CLAUSES, st.sets(st.integers(0, 9), max_size=3), st.sets(st.integers(0, 9), max_size=3))
@settings(max_examples=300)
def test_any_clauses_and_any_assumptions(
    clauses: list[list[int]], including: set[int], excluding: set[int]
) -> None:
    """Clauses that contain others, or are there twice; atoms in none of them."""
    reasons = minimal_hitting_sets(clauses)
    arrays = as_arrays(clauses, 10)
    assert integer(_core.count_hitting_sets(*arrays, *NO_LIMITS)) == len(reasons)
    weights = weights_from(_core.weigh_hitting_sets(*arrays, *NO_LIMITS))
    assert weights.count == len(reasons)
    within = Counter(atom for reason in reasons for atom in reason)
    assert weights.shares == tuple(Fraction(within[atom], len(reasons)) for atom in range(10))
    by_size = integers(*_core.count_hitting_sets_by_size(*arrays, *NO_LIMITS))
    assert {size: n for size, n in enumerate(by_size) if n} == Counter(map(len, reasons))
    start, atom = _core.sample_hitting_sets(*arrays, 5, 1, *NO_LIMITS)
    assert {frozenset(drawn.tolist()) for drawn in np.split(atom, start[1:-1])} <= reasons
    check_assumptions(_core.Circuit.compile(*arrays, *NO_LIMITS), reasons, including, excluding)


def check_assumptions(
    circuit: _core.Circuit,
    reasons: frozenset[frozenset[int]],
    including: set[int],
    excluding: set[int],
) -> None:
    wanted = [r for r in reasons if including <= r and not excluding & r]
    given = (
        np.array(sorted(including), dtype=np.int32),
        np.array(sorted(excluding), dtype=np.int32),
    )
    assert integer(circuit.count(*given, *NO_LIMITS)) == len(wanted)
    weights = weights_from(circuit.weigh(*given, *NO_LIMITS))
    within = Counter(atom for reason in wanted for atom in reason)
    assert weights.count == len(wanted)
    total = max(len(wanted), 1)
    assert weights.shares == tuple(Fraction(within[atom], total) for atom in range(10))


def test_no_clause_and_the_empty_clause() -> None:
    for clauses, expected in (([], 1), ([[]], 0), ([[0], []], 0)):
        arrays = as_arrays(clauses, 2)
        assert integer(_core.count_hitting_sets(*arrays, *NO_LIMITS)) == expected
        assert weights_from(_core.weigh_hitting_sets(*arrays, *NO_LIMITS)).count == expected
        assert sum(integers(*_core.count_hitting_sets_by_size(*arrays, *NO_LIMITS))) == expected
        circuit = _core.Circuit.compile(*arrays, *NO_LIMITS)
        assert integer(circuit.count(NO_ATOMS, NO_ATOMS, *NO_LIMITS)) == expected


@pytest.mark.parametrize(
    ("start", "atom", "n_atoms"),
    [
        ([0, 2], [0, 2], 2),
        ([0, 2], [0, -1], 2),
        ([0, 2], [0, 0], 2),
        ([0, 3], [0, 1], 2),
        ([0, 1], [0, 1], 2),
        ([1, 2], [0, 1], 2),
        ([0, 2, 1], [0, 1], 2),
        ([0, -1, 2], [0, 1], 2),
        ([], [], 0),
        ([0], [], -1),
    ],
)
def test_clauses_that_are_none(start: list[int], atom: list[int], n_atoms: int) -> None:
    arrays = np.array(start, dtype=np.int64), np.array(atom, dtype=np.int32), n_atoms
    ways: list[Any] = [
        _core.count_hitting_sets,
        _core.weigh_hitting_sets,
        _core.count_hitting_sets_by_size,
        _core.Circuit.compile,
    ]
    for way in ways:
        with pytest.raises(ValueError, match=r"clause|atom|start"):
            way(*arrays, *NO_LIMITS)
    with pytest.raises(ValueError, match=r"clause|atom|start"):
        _core.sample_hitting_sets(*arrays, 1, 0, *NO_LIMITS)


@pytest.mark.parametrize("seed", range(20))
def test_random_clauses_of_middling_size(seed: int) -> None:
    """Dense and sparse ones, some of several components."""
    rng = np.random.default_rng(seed)
    n_atoms = int(rng.integers(12, 31))
    longest = int(rng.integers(2, 7))
    clauses = [
        sorted(rng.choice(n_atoms, size=rng.integers(1, longest + 1), replace=False).tolist())
        for _ in range(int(rng.integers(5, 25)))
    ]
    reasons = minimal_hitting_sets(clauses)
    arrays = as_arrays(clauses, n_atoms)
    weights = weights_from(_core.weigh_hitting_sets(*arrays, *NO_LIMITS))
    within = Counter(atom for reason in reasons for atom in reason)
    assert integer(_core.count_hitting_sets(*arrays, *NO_LIMITS)) == len(reasons) == weights.count
    assert weights.shares == tuple(Fraction(within[a], len(reasons)) for a in range(n_atoms))
    by_size = integers(*_core.count_hitting_sets_by_size(*arrays, *NO_LIMITS))
    assert {size: n for size, n in enumerate(by_size) if n} == Counter(map(len, reasons))


# Large trees, by Ganak on the paper's CNF


@given(st.lists(st.sets(st.integers(0, 4), min_size=1, max_size=3).map(sorted), max_size=4))
@settings(max_examples=60)
def test_the_encoding_has_a_model_for_every_reason(clauses: list[list[int]]) -> None:
    assert brute_force_models(*prime_cnf(clauses)) == len(minimal_hitting_sets(clauses))


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


# Checked answers about real rows


QUICK = 0.5  # seconds that a prototype took
VERY_QUICK = 0.02


def quick_problems(limit: float) -> list[dict[str, Any]]:
    problems = json.loads(reference_file().read_text())
    return [p for p in problems if p["fast_prototype_seconds"] < limit]


def test_checked_counts() -> None:
    problems = quick_problems(QUICK)
    assert len(problems) > 20
    for problem in problems:
        arrays = as_arrays(*renumbered(problem["clauses"]))
        found = integer(_core.count_hitting_sets(*arrays, *NO_LIMITS))
        assert found == int(problem["count"]), problem["name"]


def test_checked_counts_and_sizes_by_every_way() -> None:
    for problem in quick_problems(VERY_QUICK):
        arrays = as_arrays(*renumbered(problem["clauses"]))
        count = int(problem["count"])
        sizes = integers(*_core.count_hitting_sets_by_size(*arrays, *NO_LIMITS))
        assert sum(sizes) == count, problem["name"]
        assert min(size for size, n in enumerate(sizes) if n) == problem["minimum"]
        weights = weights_from(_core.weigh_hitting_sets(*arrays, *NO_LIMITS))
        assert weights.count == count
        assert sum(weights.shares) * count == sum(size * n for size, n in enumerate(sizes))
        circuit = _core.Circuit.compile(*arrays, *NO_LIMITS)
        assert integer(circuit.count(NO_ATOMS, NO_ATOMS, *NO_LIMITS)) == count
        assert weights_from(circuit.weigh(NO_ATOMS, NO_ATOMS, *NO_LIMITS)) == weights

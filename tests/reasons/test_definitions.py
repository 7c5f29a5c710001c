"""Every answer against brute force from the paper's definitions.

All trees up to a small size with all of their rows, and random ones: Boolean, with several
thresholds of one feature, with missing values, with 32-bit rows, with several classes, and trees
that scikit-learn grows. Conditions of one feature count as independent variables, as in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import cattleya
from tests.checks.explanation import (
    ToLiteral,
    check_explanation,
    check_refuting_row,
    check_toward,
    check_verify,
    path_literals,
    term,
)
from tests.samples.trees import (
    Nested,
    Nodes,
    Variable,
    all_nested,
    literal,
    missing_literal,
    names_of,
    nested_case,
    nested_literal,
    nodes_of,
    random_nodes,
    rows_of,
)

NAMES = ("a", "b", "c")


# All small trees


def check_nested(nested: Nested, names: Sequence[str], verify: bool = False) -> None:
    """All rows of one Boolean tree."""
    tree = cattleya.Tree.from_nested(nested, feature_names=names)
    explainer = cattleya.Explainer(tree)
    for row in product((0, 1), repeat=len(names)):
        tested = tuple(name for name in names if name in names_of(nested))
        case = nested_case(nested, tested, [row[names.index(name)] for name in tested])
        e = explainer.explain(row)
        assert e.prediction == case.predicted
        assert term(e.direct_reason(), nested_literal) == nested_path(nested, names, row)
        check_explanation(e, case, nested_literal)
        if verify:
            conditions = sorted(e.conditions, key=str)
            for choice in product((False, True), repeat=len(conditions)):
                kept = [c for c, is_in in zip(conditions, choice, strict=True) if is_in]
                check_verify(e, case, kept, nested_literal)


def nested_path(
    nested: Nested, names: Sequence[str], row: Sequence[int]
) -> frozenset[tuple[str, bool]]:
    """The conditions on a row's way through a nested tuple."""
    found = set()
    while isinstance(nested, tuple):
        value = bool(row[names.index(nested[0])])
        found.add((nested[0], value))
        nested = nested[2] if value else nested[1]
    return frozenset(found)


@pytest.mark.parametrize("inner", [0, 1, 2])
def test_every_tree_of_at_most_two_tests_every_row_and_set_of_conditions(inner: int) -> None:
    for nested in all_nested(inner, NAMES[:2], classes=(0, 1)):
        check_nested(nested, NAMES[:2], verify=True)


@pytest.mark.parametrize("root", NAMES)
def test_every_tree_of_three_tests_over_three_variables(root: str) -> None:
    for nested in all_nested(3, NAMES, classes=(0, 1)):
        if nested[0] == root:
            check_nested(nested, NAMES)


@pytest.mark.parametrize("inner", [1, 2])
def test_every_tree_of_at_most_two_tests_with_three_classes(inner: int) -> None:
    for nested in all_nested(inner, NAMES[:2], classes=(0, 1, 2)):
        check_nested(nested, NAMES[:2])


# Random trees


def check_nodes(nodes: Nodes, row: Sequence[float], choice: int, to_literal: ToLiteral) -> None:
    """One row of a random tree, with `verify` on the set of conditions that `choice` picks."""
    tree = nodes.build()
    case = nodes.case(row)
    e = cattleya.Explainer(tree).explain(row)
    assert e.prediction == case.predicted == tree.predict([row])[0]
    assert term(e.direct_reason(), to_literal) == path_literals(nodes, row)
    check_explanation(e, case, to_literal)
    check_toward(e, case, to_literal, range(nodes.n_classes))
    conditions = sorted(e.conditions, key=repr)
    for bits in (choice, ~choice, choice | choice >> 3):
        kept = [condition for i, condition in enumerate(conditions) if bits >> i & 1]
        verdict = check_verify(e, case, kept, to_literal)
        check_refuting_row(verdict, nodes, case, term(kept, to_literal), tree)


CHOICES = st.integers(0, 2**10 - 1)


@given(st.data(), CHOICES)
@settings(max_examples=150)
def test_random_boolean_trees_over_ten_variables(data: st.DataObject, choice: int) -> None:
    nodes = data.draw(random_nodes(max_inner=48, boolean=True))
    check_nodes(nodes, data.draw(rows_of(nodes)), choice, literal)


@given(st.data(), CHOICES, st.integers(3, 5))
@settings(max_examples=150)
def test_random_trees_of_several_classes(data: st.DataObject, choice: int, classes: int) -> None:
    pool = tuple((feature, 0.5, None) for feature in range(8))
    nodes = data.draw(random_nodes(max_inner=48, pool=pool, n_classes=classes, boolean=True))
    check_nodes(nodes, data.draw(rows_of(nodes)), choice, literal)


THRESHOLDS: tuple[Variable, ...] = tuple(
    (feature, threshold, None) for feature in range(3) for threshold in (-1.5, 0.0, 0.1)
)


@given(st.data(), CHOICES, st.sampled_from(["float64", "float32"]), st.integers(2, 3))
@settings(max_examples=200)
def test_random_trees_with_several_thresholds_of_a_feature(
    data: st.DataObject, choice: int, row_dtype: str, classes: int
) -> None:
    nodes = data.draw(
        random_nodes(pool=THRESHOLDS, max_inner=36, n_classes=classes, row_dtype=row_dtype)
    )
    check_nodes(nodes, data.draw(rows_of(nodes)), choice, literal)


ROUTED: tuple[Variable, ...] = (
    *((0, threshold, side) for threshold in (0.1, 2.0) for side in (False, True)),
    *((feature, 0.5, side) for feature in (1, 2) for side in (False, True)),
    (3, -4.0, True),
)


@given(st.data(), CHOICES, st.sampled_from(["float64", "float32"]))
@settings(max_examples=150)
def test_random_trees_that_route_missing_values(
    data: st.DataObject, choice: int, row_dtype: str
) -> None:
    nodes = data.draw(random_nodes(pool=ROUTED, max_inner=36, row_dtype=row_dtype))
    check_nodes(nodes, data.draw(rows_of(nodes)), choice, missing_literal)


def test_two_zeros_are_one_threshold() -> None:
    nodes = Nodes(
        (1, -1, 3, -1, -1),
        (2, -1, 4, -1, -1),
        (0, -1, 0, -1, -1),
        (0.0, 0.0, -0.0, 0.0, 0.0),
        (-1, 0, -1, 0, 1),
        n_features=1,
    )
    assert len(nodes.variables) == 1
    for row in ([0.0], [-0.0], [1.0]):
        check_nodes(nodes, row, 1, literal)


# Trees that scikit-learn grows


def grown(seed: int, n_classes: int) -> tuple[DecisionTreeClassifier, np.ndarray]:
    """A tree of at most nine tests on random numbers of few digits, and its data."""
    rng = np.random.default_rng(seed)
    data = rng.integers(0, 7, size=(60, 4)) / 10
    labels = rng.integers(0, n_classes, size=60)
    model = DecisionTreeClassifier(max_leaf_nodes=10, random_state=seed)
    return model.fit(data, labels), data


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("n_classes", [2, 4])
def test_trees_that_scikit_learn_grows(seed: int, n_classes: int) -> None:
    model, data = grown(seed, n_classes)
    nodes = nodes_of(model)
    explainer = cattleya.Explainer(model)
    for row, predicted in zip(data[::6], model.predict(data[::6]), strict=True):
        case = nodes.case(row)
        e = explainer.explain(row)
        assert e.prediction == predicted == model.classes_[case.predicted]
        assert term(e.direct_reason(), literal) == path_literals(nodes, row)
        check_explanation(e, case, literal)
        check_toward(e, case, literal, model.classes_.tolist())
        check_verify(e, case, e.direct_reason(), literal)

"""Whether a class depends on protected attributes, against every change of them there is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.changes.counterfactual import Question
from cattleya.changes.fairness import fairness, is_fair
from cattleya.changes.regions import Regions
from cattleya.model.domain.domain import Category, Domain, Number, OneOf
from cattleya.model.tree.tree import Tree
from tests.samples.models import numbers
from tests.samples.problems import Problem, problems


def fair_by_definition(problem: Problem, protected: set[int]) -> bool:
    """No row that differs in the protected attributes only has another class."""
    rows = problem.all_rows
    kept = [number for number in range(len(problem.kinds)) if number not in protected]
    alike = (rows.places[:, kept] == np.array(problem.own)[kept]).all(axis=1)
    return len(set(rows.classes[alike].tolist())) == 1  # the row itself is among them


@pytest.mark.parametrize("missing", [False, True])
@given(data=st.data())
@settings(max_examples=200)
def test_fairness_is_that_of_the_definition(missing: bool, data: st.DataObject) -> None:
    problem = data.draw(problems(missing=missing))
    every = range(len(problem.kinds))
    protected = data.draw(st.sets(st.sampled_from(every), min_size=1))
    names = [problem.kinds[number].name for number in sorted(protected)]
    tree, row = problem.nodes.build(), problem.row(problem.own)
    regions = Regions(tree, problem.domain)
    row_class = problem.nodes.class_of(row)
    found = is_fair(Question(regions, row, row_class, tree.predict), names)
    assert bool(found) == fair_by_definition(problem, protected)
    # Over data: this row, and others of the domain.
    owns = [problem.own] + [
        tuple(data.draw(st.sampled_from(range(len(kind.values)))) for kind in problem.kinds)
        for _ in range(3)
    ]
    others = [Problem(problem.nodes, problem.kinds, own) for own in owns]
    matrix = np.array([other.row(other.own) for other in others])
    over_data = fairness(regions, matrix, names)
    expected = [fair_by_definition(other, protected) for other in others]
    assert over_data.fair.tolist() == expected
    assert over_data.share == sum(expected) / 4
    assert over_data.rows.tolist() == [i for i, fair in enumerate(expected) if not fair]
    assert bool(over_data) == all(expected)
    if found:
        assert (found.witness, found.prediction, found.changes) == (None, None, ())
        return
    assert problem.nodes.class_of(found.witness) == found.prediction != row_class
    assert {change.feature for change in found.changes} <= set(names)
    for number, kind in enumerate(problem.kinds):
        point = found.witness[list(kind.columns)]
        assert any(np.array_equal(point, known, equal_nan=True) for known in kind.points)
        if number not in protected:
            assert np.array_equal(point, row[list(kind.columns)], equal_nan=True)


SEX = Category("sex", (0,), ("female", "male"), ((0.0,), (1.0,)))


def by_sex() -> tuple[Tree, Domain]:
    """Above 40 always yes; otherwise men only."""
    tree = Tree(
        [1, 3, -1, -1, -1],
        [2, 4, -1, -1, -1],
        [1, 0, -1, -1, -1],
        [40.0, 0.5, 0, 0, 0],
        [-1, -1, 1, 0, 1],
        n_features=2,
        feature_names=["sex", "age"],
        class_names=["no", "yes"],
    )
    return tree, Domain((SEX, Number("age", 1)), 2, raw_names=("sex", "age"))


def question(row: list[float]) -> Question:
    tree, domain = by_sex()
    row_class = list(tree.class_names).index(tree.predict([row])[0])
    return Question(Regions(tree, domain), np.array(row), row_class, tree.predict)


def test_the_witness_and_the_words() -> None:
    unfair = is_fair(question([0.0, 30.0]), ["sex"])
    assert not unfair
    assert (unfair.witness.tolist(), unfair.prediction) == ([1.0, 30.0], "yes")
    assert unfair.changes == (("sex", "female", "male"),)
    assert str(unfair) == "not fair: with sex: female -> male the class is yes"
    fair = is_fair(question([0.0, 41.0]), ["sex"])
    assert fair
    assert str(fair) == "fair: no change of sex changes the class"
    assert not is_fair(question([0.0, 41.0]), ["sex", "age"])
    assert "Fairness True" in repr(fair)


def test_over_data_in_words() -> None:
    tree, domain = by_sex()
    found = fairness(Regions(tree, domain), np.array([[0, 30], [1, 50], [0, 60.0]]), ["sex"])
    assert str(found) == "66.7% of 3 rows are fair: no change of sex changes their class"
    assert fairness(Regions(tree, domain), np.zeros((0, 2)), ["sex"]).share == 1.0


@pytest.mark.parametrize(
    ("protected", "error", "message"),
    [
        (["gender"], ValueError, "protected: unknown feature 'gender'; the model knows 'sex'"),
        ([], ValueError, "protected is empty"),
        ("sex", TypeError, "protected must be a list of features, not 'sex'"),
        (None, TypeError, "protected must be a list"),
    ],
)
def test_bad_arguments(protected: Any, error: type[Exception], message: str) -> None:
    tree, domain = by_sex()
    with pytest.raises(error, match=message):
        is_fair(question([0.0, 30.0]), protected)
    with pytest.raises(error, match=message):
        fairness(Regions(tree, domain), np.zeros((1, 2)), protected)


def test_time_limits() -> None:
    tree, domain = by_sex()
    with pytest.raises(cattleya.TimeoutExpired):
        is_fair(question([0.0, 30.0]), ["sex"], timeout=1e-9)
    with pytest.raises(cattleya.TimeoutExpired):
        fairness(Regions(tree, domain), np.zeros((1, 2)), ["sex"], timeout=1e-9)


def test_a_value_never_seen_in_training_counts() -> None:
    """An encoder that takes unknown values gives them a point of their own."""
    points = ((1.0, 0.0), (0.0, 1.0), (0.0, 0.0))
    sex = Category("sex", (0, 1), ("f", "m", OneOf((), others=True)), points, other=2, raw=(0,))
    tree = Tree.from_nested(("f", ("m", "no", "yes"), "yes"))
    regions = Regions(tree, Domain((sex,), 2, raw_names=("sex",)))

    def predict(rows: Any) -> Any:
        return np.array(["yes" if row[0] in ("f", "m") else "no" for row in rows])

    raw = np.array([["f"]], dtype=object)
    found = is_fair(Question(regions, np.array([1.0, 0.0]), 1, predict, raw), ["sex"])
    assert not found
    assert found.witness[0] not in ("f", "m")


def test_a_fitted_tree_agrees_with_a_fine_grid() -> None:
    table, classes = numbers(n_classes=3)
    data = table.to_numpy()
    model = DecisionTreeClassifier(random_state=0, max_depth=6).fit(data, classes)
    tree = cattleya.Explainer(model).tree
    regions = Regions(tree, Domain.plain(tree))
    matrix = tree.columns.matrix(data)
    found = fairness(regions, matrix, ["x1", 2])
    first, second = (
        np.sort(model.tree_.threshold[model.tree_.feature == feature]) for feature in (1, 2)
    )
    corners = [
        np.concatenate(([-math.inf], t)).clip(-1e9) + 1e-6 if len(t) else np.zeros(1)
        for t in (first, second)
    ]
    for row, fair in zip(matrix, found.fair, strict=True):
        grid = np.repeat(row[None, :], len(corners[0]) * len(corners[1]), axis=0)
        grid[:, 1], grid[:, 2] = (axis.ravel() for axis in np.meshgrid(*corners))
        assert (len(set(model.predict(grid)) | set(model.predict([row]))) == 1) == fair
        row_class = int(np.argmax(model.predict_proba([row])))
        assert bool(is_fair(Question(regions, row, row_class, model.predict), ["x1", 2])) == fair

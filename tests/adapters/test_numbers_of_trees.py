"""Regression trees, trees of several outputs, and trees of forests: what they predict, exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

import cattleya
from cattleya.adapters.model_files import read_model

X, Y = load_diabetes(return_X_y=True, as_frame=True)
ABOVE = cattleya.Value(at_least=150)


def check(model: Any, rows: pd.DataFrame, expected: Any, **how: Any) -> None:
    """Compare predictions, outcomes, counterfactuals and proofs with the model's own numbers."""
    explainer = cattleya.Explainer(model, target=ABOVE, **how)
    for place in range(0, len(rows), 97):
        e = explainer.explain(rows.iloc[[place]])
        assert e.prediction == expected[place]
        assert e.outcome == ("at least 150" if expected[place] >= 150 else "below 150")
        assert e.verify(e.minimal_reason())
        (nearest,) = e.counterfactuals()
        assert (nearest.prediction >= 150) == (expected[place] < 150)


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeRegressor(random_state=0),
        DecisionTreeRegressor(max_depth=4, criterion="absolute_error", random_state=0),
        DecisionTreeRegressor(criterion="poisson", min_samples_leaf=5, random_state=0),
        ExtraTreeRegressor(max_leaf_nodes=30, random_state=0),
        make_pipeline(StandardScaler(), DecisionTreeRegressor(max_depth=5, random_state=0)),
        TransformedTargetRegressor(DecisionTreeRegressor(max_depth=5, random_state=0)),
        TransformedTargetRegressor(
            make_pipeline(StandardScaler(), DecisionTreeRegressor(max_depth=5, random_state=0))
        ),
        make_pipeline(
            StandardScaler(),
            TransformedTargetRegressor(DecisionTreeRegressor(max_depth=5, random_state=0)),
        ),
    ],
    ids=str,
)
def test_regressors(model: Any, tmp_path: Path) -> None:
    model.fit(X, Y)
    check(model, X, model.predict(X))
    skops.io.dump(model, tmp_path / "m.skops")
    loaded = read_model(tmp_path / "m.skops")  # without trust
    assert cattleya.Explainer(loaded).tree == cattleya.Explainer(model).tree


def test_missing_values_and_categories() -> None:
    gaps = X.copy()
    gaps.iloc[::7, 2] = np.nan
    model = DecisionTreeRegressor(max_leaf_nodes=40, random_state=0).fit(gaps, Y)
    check(model, gaps, model.predict(gaps))
    named = X.assign(sex=np.where(X["sex"] > 0, "f", "m"))
    coding = make_column_transformer((OneHotEncoder(), ["sex"]), remainder="passthrough")
    pipeline = make_pipeline(coding, DecisionTreeRegressor(max_leaf_nodes=40, random_state=0))
    check(pipeline.fit(named, Y), named, pipeline.predict(named), over="intervals")


@pytest.mark.parametrize("make", [DecisionTreeRegressor, ExtraTreeRegressor])
def test_several_numbers(make: Any) -> None:
    both = np.column_stack([Y, 1000 - Y])
    model = make(max_leaf_nodes=30, random_state=0).fit(X, both)
    for output in (0, 1):
        expected = model.predict(X)[:, output]
        explainer = cattleya.Explainer(model, output=output)
        assert np.array_equal(explainer.tree.predict(X), expected)
        target = cattleya.Value(at_least=float(np.median(expected)))
        e = cattleya.Explainer(model, output=output, target=target).explain(X.iloc[[5]])
        assert e.prediction == expected[5]
        assert e.counterfactuals()[0].outcome != e.outcome


@pytest.mark.parametrize("make", [DecisionTreeClassifier, ExtraTreeClassifier])
def test_several_classes(make: Any) -> None:
    wine, kind = load_wine(return_X_y=True)
    both = np.column_stack([kind, kind % 2])
    model = make(max_leaf_nodes=6, random_state=0).fit(wine, both)
    for output in (0, 1):
        explainer = cattleya.Explainer(model, output=output)
        assert explainer.tree.predict(wine).tolist() == model.predict(wine)[:, output].tolist()
        chances = model.predict_proba(wine)[output]
        assert np.array_equal(explainer.tree.predict_proba(wine), chances)
        target = cattleya.Probability(1, at_least=0.25)
        e = cattleya.Explainer(model, output=output, target=target).explain(wine[0])
        assert ("at least" in e.outcome) == (chances[0, 1] >= 0.25)
        assert e.counterfactuals()[0].outcome != e.outcome


def test_one_tree_of_a_forest() -> None:
    wine, kind = load_wine(return_X_y=True)
    names = np.array(["barolo", "grignolino", "barbera"])
    forest = RandomForestClassifier(3, random_state=0).fit(wine, names[kind])
    tree = forest.estimators_[2]
    explainer = cattleya.Explainer(tree, class_names=forest.classes_)
    e = explainer.explain(wine[0])
    assert e.prediction == tree.predict(wine[:1])[0]
    assert e.outcome == forest.classes_[int(e.prediction)]
    target = cattleya.Probability("barolo", at_least=0.5)
    asked = cattleya.Explainer(tree, class_names=forest.classes_, target=target)
    assert asked.explain(wine[0]).outcome == "probability of barolo at least 0.5"
    numbers = RandomForestRegressor(2, max_leaf_nodes=20, random_state=0).fit(X, Y).estimators_[1]
    matrix = X.to_numpy()
    found = [cattleya.Explainer(numbers).explain(matrix[i]).prediction for i in (0, 100, 200)]
    assert found == numbers.predict(matrix[[0, 100, 200]]).tolist()

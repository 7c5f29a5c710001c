"""Ensembles that test sets of categories: definitions, models of each library, and words."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import cattleya
from cattleya.model.ensemble.category_columns import as_columns
from tests.oracles.ensembles import OVERS, VALUES, case, check, gaps
from tests.samples.explained_ensembles import drawn

JOBS = ["clerk", "cook", "nurse", "pilot", "sales", "tech", "vet"]
WISE = ("nurse", "pilot", "sales")


def _table(count: int = 300) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(0)
    known = np.array([*JOBS, None], dtype=object)
    table = pd.DataFrame(
        {
            "age": rng.integers(0, 8, count),
            "job": pd.Categorical(rng.choice(known, count), categories=JOBS),
            "hours": rng.integers(0, 6, count).astype(float),
        }
    )
    wise = table["job"].isin(WISE)
    return table, ((table["age"] > 3) & wise | (table["hours"] > 4)).to_numpy().astype(int)


def _rows(jobs: list[Any]) -> pd.DataFrame:
    """Return every row that the models below can tell apart."""
    every = list(product(range(8), jobs, map(float, range(6))))
    table = pd.DataFrame(every, columns=["age", "job", "hours"])
    return table.assign(job=pd.Categorical(table["job"], categories=JOBS))


def _histogram(table: pd.DataFrame, label: Any) -> Any:
    return HistGradientBoostingClassifier(
        max_iter=4, max_leaf_nodes=5, min_samples_leaf=3, categorical_features="from_dtype"
    ).fit(table, label)


def _lightgbm(table: pd.DataFrame, label: Any) -> Any:
    lightgbm = pytest.importorskip("lightgbm")
    how = {"n_estimators": 4, "num_leaves": 5, "min_child_samples": 3, "cat_smooth": 1}
    return lightgbm.LGBMClassifier(**how, n_jobs=1, verbose=-1).fit(table, label)


def _xgboost(table: pd.DataFrame, label: Any) -> Any:
    xgboost = pytest.importorskip("xgboost")
    how = {"n_estimators": 4, "max_depth": 3, "enable_categorical": True, "n_jobs": 1}
    return xgboost.XGBClassifier(**how).fit(table, label)


@pytest.mark.parametrize("over", OVERS)
def test_every_answer_by_brute_force(over: str) -> None:
    tried = 0
    for seed in range(1000, 1030):
        oracle = case(seed, over, sets=True)
        if oracle is None or not len(oracle.e._row.context.adapted.as_read.set_left):
            continue
        tried += 1
        check(oracle)
        reasons = oracle.reasons() if len(oracle.facts) < 9 else set()
        if reasons:
            assert oracle.numbers(oracle.e.minimal_reason()) in reasons
            assert len(oracle.e.minimal_reason()) == min(map(len, reasons))
        assert oracle.e.verify(oracle.e.sufficient_reason()), seed
    assert tried > (3 if over == "conditions" else 15)


def test_columns_decide_as_the_sets_did() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        ensemble = drawn(rng, missing=bool(seed % 2), sets=True)
        some = [*VALUES, -1.0, 2.5, 1e12, *gaps(ensemble)]
        rows = rng.choice(some, (60, ensemble.n_features))
        plain, columns = as_columns(ensemble)
        np.testing.assert_array_equal(
            plain.margins_of(columns.columns_of(rows)), ensemble.margins_of(rows)
        )


def test_codes_without_labels() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(1)
    table = np.column_stack([rng.integers(0, 8, 200), rng.integers(0, 6, 200)]).astype(float)
    label = np.isin(table[:, 1], [2, 3, 5])
    how = {"objective": "binary", "cat_smooth": 1, "min_data_per_group": 3, "verbose": -1}
    data = lightgbm.Dataset(table, label, categorical_feature=[1])
    model = lightgbm.train(how | {"num_leaves": 2, "num_threads": 1, "learning_rate": 0.9}, data, 3)
    explainer = cattleya.Explainer(model, over="intervals")
    for code in (2, 0, 17, 2.7, -0.5, -3, np.nan):
        e: Any = explainer.explain([7, code])
        assert e.prediction == int(model.predict([[7, code]])[0] > 0.5)
        assert e.verify(e.sufficient_reason())
        assert (str(e.sufficient_reason()) == "x1 = 2, 3 or 5") == (code in (2, 2.7))
    assert str(e.sufficient_reason()) == "x1 = any but 2, 3 or 5"
    assert str(e.reason()) == "x1 not in {2, 3, 5}"


@pytest.mark.parametrize("fit", [_histogram, _lightgbm, _xgboost])
def test_models_with_categories(fit: Any) -> None:
    table, label = _table()
    model = fit(table, label)
    rows = _rows([*JOBS, None])
    predicted = np.asarray(model.predict(rows))
    assert (cattleya.read_ensemble(model).category_set >= 0).any()
    explainer = cattleya.Explainer(model, over="intervals")
    for place in range(0, len(table), 67):
        e: Any = explainer.explain(table.iloc[[place]])
        assert e.prediction == model.predict(table.iloc[[place]])[0]
        reason = e.sufficient_reason()
        for found in (reason, e.minimal_reason(), e.quick_reason(), e.reason()):
            covered = found.covers(rows)
            assert covered.any()
            assert (predicted[covered] == e.prediction).all(), (place, str(found))
            assert e.verify(str(found)).sufficient
        assert e.verify(reason)
        for contrast in e.contrastive(limit=4):
            assert e.is_contrastive(contrast)
        for other in e.counterfactuals(n=2):
            assert model.predict(other.row)[0] == other.prediction != e.prediction
    assert explainer.explain_all(table.iloc[:20], progress=False)["status"].eq("ok").all()


def test_words_are_the_users() -> None:
    table, label = _table()
    model = _histogram(table, label)
    row = {"age": 7, "job": "nurse", "hours": 1.0}
    e: Any = cattleya.Explainer(model, over="intervals").explain(row)
    assert "job = nurse or sales" in str(e.sufficient_reason())  # which no set tells apart
    assert "job in {nurse, sales, pilot}" in str(e.reason())  # as wide as it can be
    e = cattleya.Explainer(model).explain(row)
    assert "job in {nurse, sales, pilot}" in str(e.sufficient_reason())
    # What was never seen is what is missing, to scikit-learn.
    for other in (None, "astronaut"):
        e = cattleya.Explainer(model, over="features").explain(row | {"job": other})
        assert e.prediction == 0
        assert str(e.contrastive()[0]).startswith("job = ")
    with pytest.raises(ValueError, match="missing values were ruled out"):
        cattleya.Explainer(model, missing_values=False).explain(row | {"job": None})
    for given in (row | {"job": "astronaut"}, table.iloc[[0]].assign(job="astronaut")):
        with pytest.raises(
            ValueError, match="'job' is 'astronaut', a category that the model does"
        ):
            cattleya.Explainer(model, missing_values=False).explain(given)


def test_codes_behind_an_encoder_are_the_users_labels() -> None:
    table, label = _table()
    table["job"] = table["job"].astype(object)
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    step = make_column_transformer((encoder, ["job"]), remainder="passthrough")
    model = make_pipeline(
        step, HistGradientBoostingClassifier(max_iter=4, categorical_features=[0])
    ).fit(table, label)
    e: Any = cattleya.Explainer(model, over="intervals").explain(
        {"age": 7, "job": "pilot", "hours": 1.0}
    )
    assert "job in {nurse, pilot, sales}" in str(e.reason())
    assert e.verify(e.sufficient_reason())
    (other,) = e.counterfactuals()
    assert model.predict(other.row)[0] != e.prediction


def test_a_single_tree_of_sets_is_a_tree() -> None:
    table, label = _table()
    model = HistGradientBoostingRegressor(
        max_iter=1, categorical_features="from_dtype", min_samples_leaf=3
    ).fit(table, label * 100.0)
    explainer = cattleya.Explainer(model, target=cattleya.Value(at_least=50), over="intervals")
    e = explainer.explain(table.iloc[[0]])
    assert e.count() >= 1  # which ensembles do not answer
    assert (model.predict(table.iloc[[0]])[0] >= 50) == (e.outcome == "at least 50")
    assert e.verify(e.minimal_reason())


def test_a_feature_of_both_kinds_is_refused() -> None:
    ensemble = cattleya.Ensemble(
        *([0, 3, 6], [1, -1, -1, 4, -1, -1], [2, -1, -1, 5, -1, -1], [0, -1, -1, 0, -1, -1]),
        *([0.5, 0, 0, 0, 0, 0], [1, 2, 3, 4], 1),
        category_set=[-1, -1, -1, 0, -1, -1],
        set_start=[0, 1],
        set_codes=[2],
        set_left=[True],
    )
    with pytest.raises(TypeError, match="'x0' is a category in one node"):
        cattleya.Explainer(ensemble)

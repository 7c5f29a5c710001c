"""Ensembles on the command line: described, trained, or refused with what to give instead."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn import ensemble as library
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC

import cattleya
from cattleya.adapters.model_files import read_model
from tests.checks.command import answer, fails, succeeds
from tests.samples.boosters import catboost_export, lightgbm_text, ubjson, xgboost_document

RANDOM = np.random.default_rng(0)
HOMES = pd.DataFrame(
    {
        "rooms": RANDOM.integers(1, 7, 90),
        "size": RANDOM.integers(20, 150, 90),
        "kind": np.array(["flat", "house", "loft"])[RANDOM.integers(0, 3, 90)],
    }
)
SOLD = np.where(HOMES["size"] + 9 * HOMES["rooms"] > 100, "yes", "no")
NUMBERS = HOMES.drop(columns="kind")
MODELS: dict[str, Any] = {
    "forest": library.RandomForestClassifier(7, max_depth=4, random_state=0),
    "extra": library.ExtraTreesClassifier(7, max_depth=4, random_state=0),
    "bag": library.BaggingClassifier(n_estimators=4, random_state=0),
    "boosted": library.GradientBoostingClassifier(n_estimators=6, random_state=0),
    "histogram": library.HistGradientBoostingClassifier(max_iter=6, random_state=0),
    "ada": library.AdaBoostClassifier(n_estimators=4, random_state=0),
}


@pytest.mark.parametrize("pipeline", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_scikit_learn_is_described(name: str, pipeline: bool, tmp_path: Path) -> None:
    model, rows = MODELS[name], NUMBERS
    if pipeline:
        steps = make_column_transformer(
            (OneHotEncoder(sparse_output=False), ["kind"]), remainder="passthrough"
        )
        model, rows = make_pipeline(steps, model), HOMES
    model.fit(rows, SOLD)
    skops.io.dump(model, tmp_path / "m.skops")
    ensemble = cattleya.read_ensemble(model)
    told = answer("tree", "m.skops", cwd=tmp_path)
    assert told["classes"] == ["no", "yes"]
    assert told["trees"] == ensemble.n_trees
    assert told["leaves"] == ensemble.n_leaves
    assert told["depth"] == ensemble.depth
    assert {one["feature"] for one in told["features"]} == set(rows)
    shown = succeeds("tree", "m.skops", cwd=tmp_path)
    assert f"Trees: {ensemble.n_trees}" in shown
    assert "Sums: in float64 numbers" in shown
    (tmp_path / "own.json").write_text(ensemble.to_json())
    again = answer("tree", "own.json", cwd=tmp_path)
    assert {key: again[key] for key in ("trees", "leaves", "decides", "sums")} == {
        key: told[key] for key in ("trees", "leaves", "decides", "sums")
    }


def _foreign() -> dict[str, bytes]:
    return {
        "xgboost.json": json.dumps(xgboost_document()).encode(),
        "xgboost.ubj": ubjson(xgboost_document()),
        "lightgbm.txt": lightgbm_text().encode(),
        "catboost.json": json.dumps(catboost_export()).encode(),
    }


@pytest.mark.parametrize("name", _foreign())
def test_a_file_of_another_library_is_described(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(_foreign()[name])
    shown = succeeds("tree", name, cwd=tmp_path)
    classes = "no, yes" if name == "catboost.json" else "0, 1"
    assert f"Classes: {classes}" in shown
    told = answer("tree", name, cwd=tmp_path)
    assert "Probabilities: the logistic function of the sum" in shown
    assert told["trees"] == (1 if name == "catboost.json" else 2)
    if name == "catboost.json":  # one tree, with the leaves of a tree
        assert "Size: 7 nodes, 4 of them leaves; depth 2" in shown
    assert told["conditions"] == 2
    assert [one["feature"] for one in told["features"]] == ["x0", "x1"]


def test_a_file_of_one_round_is_explained_as_a_tree(tmp_path: Path) -> None:
    document = xgboost_document()
    model = document["learner"]["gradient_booster"]["model"]
    model |= {"trees": model["trees"][:1], "tree_info": [0], "iteration_indptr": [0, 1]}
    model["gbtree_model_param"]["num_trees"] = "1"
    (tmp_path / "m.json").write_text(json.dumps(document))
    (tmp_path / "own.json").write_text(read_model(tmp_path / "m.json").to_json())
    (tmp_path / "d.csv").write_text("x0,x1\n0.25,1\n0.5,1\n")
    for name in ("m.json", "own.json"):
        asked = ("--want", "sufficient,count,importance", "--out", f"{name}.csv")
        succeeds("batch", name, "d.csv", *asked, cwd=tmp_path)  # ensembles have no counts
        succeeds("verify", f"{name}.csv", "--model", name, "--data", "d.csv", cwd=tmp_path)
        assert "Size: 3 nodes, 2 of them leaves; depth 1" in succeeds("tree", name, cwd=tmp_path)


@pytest.mark.parametrize("name", _foreign())
def test_half_a_file_is_refused(name: str, tmp_path: Path) -> None:
    whole = _foreign()[name]
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    assert f"'{name}'" in fails(2, "tree", name, cwd=tmp_path)


@pytest.mark.parametrize(
    ("model", "told", "remedy"),
    [
        (LinearRegression(), "cannot explain LinearRegression", "an ensemble of trees"),
        (SVC(), "cannot explain SVC", "an ensemble of trees"),
        (library.AdaBoostRegressor(n_estimators=2), "weighted median", "GradientBoostingRegressor"),
        (library.IsolationForest(n_estimators=2), "lengths of paths", "tree trained on"),
        (library.BaggingRegressor(LinearRegression(), 2), "LinearRegression", "give"),
    ],
)
def test_what_is_no_tree_is_refused(model: Any, told: str, remedy: str, tmp_path: Path) -> None:
    skops.io.dump(model.fit(NUMBERS, np.arange(90) % 2), tmp_path / "m.skops")
    said = fails(2, "tree", "m.skops", cwd=tmp_path)
    assert told in said
    assert remedy in said


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"CBM1\0\0", "format='json'"),
        (b"binf\0\0", "save_model('model.ubj')"),
        (b"hello", "no model that XGBoost, LightGBM or CatBoost wrote"),
    ],
)
def test_other_formats_are_named(content: bytes, told: str, tmp_path: Path) -> None:
    for ending in (".cbm", ".model", ".txt"):
        (tmp_path / f"m{ending}").write_bytes(content)
        assert told in fails(2, "tree", f"m{ending}", cwd=tmp_path)


@pytest.mark.parametrize("kind", ["forest", "boosted"])
def test_training_tells_what_it_made(kind: str, tmp_path: Path) -> None:
    HOMES.assign(sold=SOLD).to_csv(tmp_path / "homes.csv", index=False)
    given = ("homes.csv", "--target", "sold", "--model", kind, "--out", "m.skops")
    shown = succeeds("train", *given, cwd=tmp_path)
    told = answer("tree", "m.skops", cwd=tmp_path)
    assert f"Ensemble: {told['trees']:,} trees, {told['leaves']:,} leaves" in shown
    assert "that it had not seen (baseline, the most frequent class:" in shown
    assert {one["feature"] for one in told["features"]} == set(HOMES)


def test_sets_of_categories_on_the_command_line(tmp_path: Path) -> None:
    rows = HOMES.assign(kind=HOMES["kind"].astype("category"))
    sold = np.where((HOMES["kind"] != "loft") & (HOMES["size"] > 60), "yes", "no")
    model = library.HistGradientBoostingClassifier(
        max_iter=3, min_samples_leaf=5, categorical_features="from_dtype"
    ).fit(rows, sold)
    skops.io.dump(model, tmp_path / "m.skops")
    HOMES[:8].to_csv(tmp_path / "homes.csv", index=False)
    told = succeeds("explain", "m.skops", "homes.csv", "--row", "0", cwd=tmp_path)
    assert "kind" in str(told)
    succeeds("batch", "m.skops", "homes.csv", "--out", "answers.csv", cwd=tmp_path)
    assert (pd.read_csv(tmp_path / "answers.csv")["prediction"] == model.predict(rows[:8])).all()
    succeeds("verify", "answers.csv", "--model", "m.skops", "--data", "homes.csv", cwd=tmp_path)

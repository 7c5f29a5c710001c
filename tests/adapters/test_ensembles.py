"""scikit-learn's ensembles: equal to the last bit, behind pipelines, in files; and refusals."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn import ensemble as library
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_wine
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_array

import cattleya
from cattleya.adapters.ensembles import AdaptedEnsemble
from cattleya.adapters.model_files import ModelFileError, read_model
from cattleya.adapters.registry import adapt, adapt_any
from fuzz.models import KINDS, check, one
from tests.checks.command import called

X, Y = load_wine(return_X_y=True)
SMALL: dict[str, Any] = {"n_estimators": 3, "random_state": 0}
TREE = DecisionTreeClassifier(max_depth=2, random_state=0)
HIST: dict[str, Any] = {"max_iter": 3, "min_samples_leaf": 5}
MODELS: dict[str, Callable[[], Any]] = {
    "forest": lambda: library.RandomForestClassifier(**SMALL).fit(X, Y),
    "extra trees": lambda: library.ExtraTreesRegressor(**SMALL).fit(X, Y),
    "bagging": lambda: library.BaggingClassifier(TREE, max_features=0.5, **SMALL).fit(X, Y),
    "bagging of numbers": lambda: library.BaggingRegressor(**SMALL).fit(X, Y),
    "boosted": lambda: library.GradientBoostingClassifier(**SMALL).fit(X, Y),
    "boosted numbers": lambda: library.GradientBoostingRegressor(loss="huber", **SMALL).fit(X, Y),
    "histogram": lambda: library.HistGradientBoostingClassifier(**HIST).fit(X, Y),
    "histogram of numbers": lambda: library.HistGradientBoostingRegressor(**HIST).fit(X, Y),
    "histogram with categories": lambda: library.HistGradientBoostingClassifier(
        **HIST, categorical_features=[1]
    ).fit(np.column_stack((X[:, 0], Y * 3, X[:, 2:])), Y),
    "AdaBoost": lambda: library.AdaBoostClassifier(TREE, **SMALL).fit(X, Y),
}  # fmt: skip  # a table


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", KINDS)
def test_random_models_to_the_last_bit(kind: str, seed: int) -> None:
    assert one(kind, seed) == ""


def people() -> tuple[pd.DataFrame, Any]:
    random = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"job": random.choice(["cook", "nurse", "clerk"], 200), "age": random.normal(40, 9, 200)}
    )
    return frame, np.where((frame.age > 38) ^ (frame.job == "cook"), "yes", "no")


@pytest.mark.parametrize(
    "last",
    [
        library.RandomForestClassifier(5, max_depth=3, random_state=0),
        library.GradientBoostingClassifier(n_estimators=5, random_state=0),
        library.HistGradientBoostingClassifier(max_iter=5),
    ],
    ids=lambda model: type(model).__name__,
)
def test_behind_a_pipeline(last: Any) -> None:
    frame, y = people()
    first = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["job"]), (StandardScaler(), ["age"])
    )
    model = make_pipeline(first, last).fit(frame, y)
    adapted = adapt_any(model, None)
    assert isinstance(adapted, AdaptedEnsemble)
    margins = adapted.ensemble.margins_of(adapted.rows.matrix(frame))
    assert adapted.ensemble.decided(margins).tolist() == model.predict(frame).tolist()
    assert adapted.predict(frame).tolist() == model.predict(frame).tolist()
    assert (adapted.predict_proba(frame) == model.predict_proba(frame)).all()
    assert adapted.trace is not None
    assert {attribute.name for attribute in adapted.trace().attributes} == {"job", "age"}
    row = dict(frame.iloc[0])
    assert adapted.rows.row(row).tolist() == adapted.rows.matrix(frame.iloc[:1])[0].tolist()


def test_labels_of_a_frame_in_any_order_of_columns() -> None:
    frame, y = people()
    frame["job"] = frame["job"].astype("category")
    model = library.HistGradientBoostingClassifier(max_iter=5).fit(frame, y)
    ensemble = cattleya.read_ensemble(model)
    assert ensemble.categories == {0: ("clerk", "cook", "nurse")}
    proba = model.predict_proba(frame)
    assert (ensemble.predict_proba(frame[["age", "job"]]) == proba).all()
    assert (ensemble.predict_proba(frame.astype({"job": str})) == proba).all()
    assert (ensemble.predict_proba({"age": frame.age[0], "job": frame.job[0]}) == proba[0]).all()
    assert (ensemble.predict_proba(frame.iloc[0]) == proba[0]).all()


@pytest.mark.parametrize(
    "model",
    [
        library.RandomForestClassifier(1, max_depth=3, random_state=0),
        library.GradientBoostingClassifier(n_estimators=1, random_state=0),
        library.GradientBoostingClassifier(n_estimators=1, loss="exponential", random_state=0),
        library.HistGradientBoostingClassifier(max_iter=1),
        library.AdaBoostClassifier(TREE, n_estimators=1),
        library.BaggingClassifier(TREE, n_estimators=1, max_features=3, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_one_tree_is_a_tree(model: Any) -> None:
    y = np.array(["low", "high"])[(Y > 0).astype(int)]
    model.fit(X, y)
    explainer = cattleya.Explainer(model)
    assert explainer.tree.predict(X).tolist() == model.predict(X).tolist()
    assert (explainer.tree.predict_proba(X) == model.predict_proba(X)).all()
    for row in X[::40]:
        e = explainer.explain(row)
        assert e.prediction == model.predict([row])[0]
        assert e.verify(e.sufficient_reason())
    assert cattleya.read_ensemble(model).n_trees == 1
    at_least = cattleya.Probability("low", at_least=0.4)
    e = cattleya.Explainer(model, target=at_least).explain(X[0])
    assert e.verify(e.minimal_reason())


@pytest.mark.parametrize("number", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["RandomForest", "Bagging", "GradientBoosting", "AdaBoost"])
def test_leaves_must_be_finite(name: str, number: float) -> None:
    model = getattr(library, f"{name}Classifier")(n_estimators=2).fit(X, Y > 0)
    for tree in np.ravel(model.estimators_):
        tree.tree_.value[...] = number
    with pytest.raises(ValueError, match=f"has {number}; the numbers of an ensemble must be"):
        cattleya.Explainer(model)


def test_one_tree_of_numbers_is_a_tree() -> None:
    for model in (
        library.GradientBoostingRegressor(n_estimators=1),
        library.HistGradientBoostingRegressor(max_iter=1, loss="poisson"),
        library.RandomForestRegressor(1, random_state=0),
    ):
        model.fit(X, Y + 1.5)
        explainer = cattleya.Explainer(model, target=cattleya.Value(at_least=2.0))
        assert explainer.tree.predict(X).tolist() == model.predict(X).tolist()
        assert explainer.explain(X[0]).prediction == model.predict(X[:1])[0]


def test_one_tree_with_missing_values() -> None:
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    for model in (
        library.RandomForestClassifier(1, random_state=0),
        library.HistGradientBoostingClassifier(max_iter=1),
    ):
        model.fit(gaps, Y > 0)
        explainer = cattleya.Explainer(model)
        for row in gaps[::30]:
            assert explainer.explain(row).prediction == model.predict([row])[0]


def test_several_outputs() -> None:
    model = library.RandomForestClassifier(4, random_state=0).fit(X, np.column_stack((Y, Y > 0)))
    with pytest.raises(ValueError, match="output=0 to 1"):
        cattleya.read_ensemble(model)
    for place, proba in enumerate(model.predict_proba(X)):
        ensemble = cattleya.read_ensemble(model, output=place)
        assert (ensemble.predict_proba(X) == proba).all()
        assert ensemble.predict(X).tolist() == model.predict(X)[:, place].tolist()


REFUSED = {
    library.AdaBoostRegressor(n_estimators=2): "weighted median.*GradientBoostingRegressor",
    library.IsolationForest(n_estimators=2): "no sum of leaves; give",
    library.RandomTreesEmbedding(n_estimators=2): "predicts nothing; give",
    library.VotingClassifier([("a", TREE)]): r"give one of them, model\.estimators_\[0\]",
    library.StackingClassifier([("a", TREE)]): r"give one of these, model\.estimators_\[0\]",
    library.BaggingClassifier(LogisticRegression(max_iter=9999)): "made of LogisticRegression",
    library.AdaBoostClassifier(LogisticRegression(max_iter=9999)): "made of LogisticRegression",
    library.GradientBoostingClassifier(init=TREE): "init='zero'",
    library.GradientBoostingClassifier(init=DummyClassifier(strategy="uniform")): "no constant",
}


@pytest.mark.filterwarnings("ignore:scipy.optimize")  # older scikit-learn beside newer scipy
@pytest.mark.parametrize("model", REFUSED, ids=lambda model: type(model).__name__)
def test_refusals_say_what_to_give(model: Any) -> None:
    for given in (model.fit(X / 1000, Y), make_pipeline(StandardScaler(), model).fit(X, Y)):
        with pytest.raises(TypeError, match=REFUSED[model]):
            cattleya.read_ensemble(given)
        with pytest.raises(TypeError, match=REFUSED[model]):
            cattleya.Explainer(given)


def test_a_constant_to_start_from() -> None:
    always = DummyClassifier(strategy="constant", constant=True)
    for start in ("zero", DummyClassifier(strategy="prior"), always):
        model = library.GradientBoostingClassifier(init=start, n_estimators=4).fit(X, Y > 0)
        assert check(model, X, np.random.default_rng(0)) == ""


def test_ensembles_are_explained_as_they_are_read() -> None:
    forest = MODELS["forest"]()
    for model in (forest, cattleya.read_ensemble(forest)):
        explainer = cattleya.Explainer(model, over="intervals")
        assert explainer.explain(X[0]).prediction == forest.predict(X[:1])[0]
    with pytest.raises(NotFittedError, match="call its fit"):
        cattleya.read_ensemble(library.HistGradientBoostingClassifier())


def test_an_ensemble_of_one_tree_is_explained() -> None:
    model = library.RandomForestClassifier(1, random_state=0).fit(X, Y)
    e = cattleya.Explainer(cattleya.read_ensemble(model), feature_names=list("abcdefghijklm"))
    assert e.explain(X[0]).prediction == model.predict(X[:1])[0]
    assert adapt(model, None).ensemble == cattleya.read_ensemble(model)


@pytest.mark.parametrize("kind", MODELS)
def test_files_load_without_trust(kind: str, tmp_path: Path) -> None:
    model = MODELS[kind]()
    for given in (model, make_pipeline(StandardScaler(), model)):
        path = tmp_path / "model.skops"
        skops.io.dump(given, path)
        again = read_model(path)
        assert cattleya.read_ensemble(again) == cattleya.read_ensemble(model)
    path = tmp_path / "model.json"
    path.write_text(cattleya.read_ensemble(model).to_json())
    assert read_model(path) == cattleya.read_ensemble(model)


def _leads_out(model: Any) -> Any:
    tree = model.estimators_[1].tree_
    state = tree.__getstate__()
    state["nodes"] = state["nodes"].copy()
    state["nodes"]["left_child"][0] = 10**6
    tree.__setstate__(state)
    return model


def _tests_another(model: Any) -> Any:
    model.n_features_in_ = 2
    return model


def _histogram(field: str, value: int, model: Any) -> Any:
    nodes = model._predictors[0][0].nodes
    nodes[field][nodes["is_leaf"] == 0] = value
    return model


HARMFUL: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "a child out of a tree": ("forest", _leads_out),
    "a child out of a tree of a bag": ("bagging", _leads_out),
    "a child out of a tree of AdaBoost": ("AdaBoost", _leads_out),
    "fewer features than are tested": ("forest", _tests_another),
    "a node out of a histogram's tree": ("histogram", partial(_histogram, "left", 10**6)),
    "its own child": ("histogram", partial(_histogram, "left", 0)),
    "a feature out of range": ("histogram", partial(_histogram, "feature_idx", 10**6)),
    "a set out of range": ("histogram with categories", partial(_histogram, "bitset_idx", 10**6)),
    "a category where there are none": ("histogram", partial(_histogram, "is_categorical", 1)),
}


@pytest.mark.parametrize("what", HARMFUL)
def test_harmful_files_are_refused(what: str, tmp_path: Path) -> None:
    kind, change = HARMFUL[what]
    path = tmp_path / "model.skops"
    skops.io.dump(change(MODELS[kind]()), path)
    with pytest.raises(ModelFileError, match="damaged"):
        read_model(path)


def test_other_functions_with_arguments_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.skops"
    for function in (partial(np.sin), partial(check_array, 1)):
        model = make_pipeline(FunctionTransformer(function), TREE)
        skops.io.dump(model, path)
        with pytest.raises(ModelFileError, match=r"function with arguments|not known to be safe"):
            read_model(path)


@pytest.mark.parametrize("kind", ["forest", "boosted"])
def test_ensembles_are_trained_on_the_command_line(kind: str, tmp_path: Path) -> None:
    frame, y = people()
    frame.assign(income=y).to_csv(tmp_path / "t.csv", index=False)
    options = ("--target", "income", "--model", kind, "--max-depth", 3, "--out", f"{kind}.skops")
    done = called("train", "t.csv", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "100 trees" in done.stdout
    assert "Accuracy" in done.stdout
    assert f"cattleya explain {kind}.skops t.csv" in done.stdout
    model = read_model(tmp_path / f"{kind}.skops")
    adapted = adapt_any(model, None)
    assert isinstance(adapted, AdaptedEnsemble)
    assert adapted.ensemble.depth == 3
    assert adapted.classes_of(adapted.rows.matrix(frame)).tolist() == model.predict(frame).tolist()
    told = called("tree", f"{kind}.skops", cwd=tmp_path).stdout
    assert "Trees: 100" in told
    assert "over 2 of 2 features" in told


def test_a_million_leaves() -> None:
    """A thousand trees of a thousand leaves, there and back."""
    size, trees = 1999, 1000
    inner = np.arange(size) < 999
    left = np.where(inner, 2 * np.arange(size) + 1, -1)
    ahead = np.repeat(np.arange(trees) * size, size)
    every = np.tile(inner, trees)
    random = np.random.default_rng(0)
    ensemble = cattleya.Ensemble(
        np.arange(trees + 1, dtype=np.int32) * size,
        np.where(every, np.tile(left, trees) + ahead, -1).astype(np.int32),
        np.where(every, np.tile(left, trees) + 1 + ahead, -1).astype(np.int32),
        np.where(every, random.integers(0, 20, len(every)), -1).astype(np.int32),
        random.normal(size=len(every)),
        random.normal(size=(trees * 1000, 1)),
        n_features=20,
    )
    assert (ensemble.n_trees, ensemble.n_leaves, ensemble.depth) == (1000, 1_000_000, 10)
    text = ensemble.to_json()
    assert len(text) < 1 << 27
    again = cattleya.Ensemble.from_json(text)
    assert again == ensemble
    rows = random.normal(size=(50, 20))
    assert (again.margins(rows) == ensemble.margins(rows)).all()

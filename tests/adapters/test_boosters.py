"""Live models of XGBoost, LightGBM and CatBoost against what is read of them: a short sweep.

``python -m fuzz.boosters`` is the long one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cattleya._core import link32, link64
from cattleya.adapters.flat_trees import first_at_least
from fuzz import boosters

LIBRARIES = [
    pytest.param(name, marks=pytest.mark.skipif(not boosters.installed(name), reason=name))
    for name in boosters.LIBRARIES
]
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 3))
Y = (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("seed", range(8))
def test_random_models_to_the_last_bit(library: str, seed: int) -> None:
    assert boosters.one(library, 1000 + seed) == ""


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_where_a_probability_passes_a_half(dtype: Any) -> None:
    link: Any = link32 if dtype is np.float32 else link64
    cut = first_at_least(lambda x: link("logistic", x, 1) > dtype(0.5), dtype)
    near = np.full(2001, dtype(cut))
    steps = np.arange(-1000, 1001)
    places = near.view(f"i{near.itemsize}")
    near = (places + steps.astype(places.dtype)).view(dtype)
    above = link("logistic", near, 1) > 0.5
    assert above.tolist() == (steps >= 0).tolist()


@pytest.mark.filterwarnings("ignore:.*gblinear:UserWarning")  # of newer releases
def test_what_xgboost_has_that_cannot_be_read() -> None:
    xgboost = pytest.importorskip("xgboost")
    from sklearn.exceptions import NotFittedError

    from cattleya.adapters.xgboost.models import read

    with pytest.raises(NotFittedError, match="this XGBClassifier is not fitted yet"):
        read(xgboost.XGBClassifier())
    linear = xgboost.XGBRegressor(booster="gblinear").fit(X, Y)
    with pytest.raises(ValueError, match="cannot read this XGBRegressor: it is a linear model"):
        read(linear)
    labels = xgboost.XGBClassifier(n_estimators=2).fit(X, np.column_stack((Y, 1 - Y)))
    with pytest.raises(ValueError, match="multi-label"):
        read(labels)
    with pytest.raises(TypeError, match="cannot read DMatrix"):
        read(xgboost.DMatrix(X))


@pytest.mark.filterwarnings("ignore::FutureWarning:sklearn")  # of older releases
def test_what_lightgbm_has_that_cannot_be_read() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    from sklearn.exceptions import NotFittedError

    from cattleya.adapters.lightgbm.models import read

    with pytest.raises(NotFittedError, match="this LGBMClassifier is not fitted yet"):
        read(lightgbm.LGBMClassifier())
    linear = lightgbm.LGBMRegressor(linear_tree=True, verbose=-1, min_child_samples=5).fit(X, Y)
    with pytest.raises(ValueError, match="linear_tree=False"):
        read(linear)
    with pytest.raises(TypeError, match="cannot read Dataset"):
        read(lightgbm.Dataset(X))


def test_what_catboost_has_that_cannot_be_read() -> None:
    catboost = pytest.importorskip("catboost")
    from sklearn.exceptions import NotFittedError

    from cattleya.adapters.catboost.models import read

    options: dict[str, Any] = {"iterations": 3, "verbose": 0, "allow_writing_files": False}
    with pytest.raises(NotFittedError, match="this CatBoostClassifier is not fitted yet"):
        read(catboost.CatBoostClassifier())
    frame = np.column_stack((X.astype(object), np.array(list("abcd"))[RANDOM.integers(0, 4, 60)]))
    counted = catboost.CatBoostClassifier(**options).fit(frame[:, 3:], Y, cat_features=[0])
    with pytest.raises(ValueError, match="one_hot_max_size"):
        read(counted)
    hashed = catboost.CatBoostClassifier(**options, one_hot_max_size=9)
    hashed.fit(frame[:, 3:], frame[:, 3] == "a", cat_features=[0])
    with pytest.raises(ValueError, match="only their hashes"):
        read(hashed)
    with pytest.raises(TypeError, match="cannot read Pool"):
        read(catboost.Pool(X))


def test_frames_with_categories() -> None:
    pd = pytest.importorskip("pandas")
    xgboost = pytest.importorskip("xgboost", "3.1")
    lightgbm = pytest.importorskip("lightgbm")
    from cattleya.adapters.lightgbm.models import read as read_lightgbm
    from cattleya.adapters.xgboost.models import read as read_xgboost

    job = np.array(["ash", "beech", "cedar", "date"])[RANDOM.integers(0, 4, 60)]
    frame = pd.DataFrame({"n": X[:, 0], "job": pd.Categorical(job)})
    y = (job == "beech").astype(int)
    one = xgboost.XGBClassifier(n_estimators=3, enable_categorical=True).fit(frame, y)
    read = read_xgboost(one)
    assert read.categories[1] == ("ash", "beech", "cedar", "date")
    assert (read.predict_proba(frame) == one.predict_proba(frame)).all()
    with pytest.raises(ValueError, match="'job' is 'elm', a category that the model does not know"):
        read.predict([[0.5, "elm"]])
    two = lightgbm.LGBMClassifier(n_estimators=3, verbose=-1, min_data_per_group=1).fit(frame, y)
    read = read_lightgbm(two)
    new = frame.assign(job=pd.Categorical(["elm", *job[1:]]))
    assert (read.predict_proba(new) == two.predict_proba(new)).all()


@pytest.mark.filterwarnings("ignore::FutureWarning:sklearn")  # of older releases
@pytest.mark.filterwarnings("ignore::DeprecationWarning:sklearn")
@pytest.mark.parametrize("library", LIBRARIES)
def test_behind_a_pipeline(library: str) -> None:
    import pandas as pd
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    import cattleya
    from cattleya.adapters.registry import adapt_any

    module: Any = pytest.importorskip(library)
    last = {
        "xgboost": lambda: module.XGBClassifier(n_estimators=3),
        "lightgbm": lambda: module.LGBMClassifier(n_estimators=3, verbose=-1),
        "catboost": lambda: module.CatBoostClassifier(
            iterations=3, verbose=0, allow_writing_files=False
        ),
    }[library]()
    job = np.array(["ash", "beech"])[RANDOM.integers(0, 2, 60)]
    frame = pd.DataFrame({"n": X[:, 0], "job": job})
    steps = make_column_transformer((StandardScaler(), ["n"]), (OneHotEncoder(), ["job"]))
    pipeline = make_pipeline(steps, last).fit(frame, Y)
    ensemble = cattleya.read_ensemble(pipeline)
    chances = pipeline.predict_proba(frame)
    assert (ensemble.predict_proba(pipeline[:-1].transform(frame)) == chances).all()
    adapted: Any = adapt_any(pipeline, None)
    assert (adapted.predict(frame) == pipeline.predict(frame)).all()
    assert (ensemble.predict(adapted.rows.matrix(frame)) == pipeline.predict(frame)).all()

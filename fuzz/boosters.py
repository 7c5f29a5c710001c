"""Models of XGBoost, LightGBM and CatBoost, against the ensembles read from them and their files.

``python -m fuzz.boosters`` trains 200 models of each library with random settings on random data.
Class, probability and margin of every row must be equal to the last bit, by way of the live model
and of every file that it writes: on rows of the training data, and on rows whose values are exactly
at thresholds or next to them, missing, infinite, -0.0, tiny, and categories that it has not seen.
Only CatBoost's probabilities of three classes and more, and its exponentials, may differ in the
last places. ``--library NAME`` and ``--seed N`` repeat one model.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from fuzz.boosters_compared import compare_catboost, compare_lightgbm, compare_xgboost

__all__ = ["LIBRARIES", "installed", "one"]

Random = np.random.Generator


def pick(random: Random, *options: Any) -> Any:
    """One of several, as it is."""
    return options[int(random.integers(len(options)))]


def table(random: Random, missing: bool, categories: int) -> pd.DataFrame:
    """Columns of numbers, some of few values, and columns of categories, the last ones."""
    rows, columns = int(random.integers(30, 200)), int(random.integers(1, 5))
    X = random.normal(size=(rows, columns)) * 10.0 ** random.integers(-3, 4, columns)
    X = np.where(random.random(columns) < 0.4, np.round(X), X)
    if missing:
        X[random.random(X.shape) < 0.15] = np.nan
    frame = pd.DataFrame(X, columns=[f"n{i}" for i in range(columns)])
    for number in range(categories):
        count = int(pick(random, 2, 5, 40))
        frame[f"c{number}"] = random.integers(0, count, rows)
    return frame


def labels(random: Random, frame: pd.DataFrame, classes: int) -> Any:
    """A label that has to do with the columns; every class is there."""
    score = np.zeros(len(frame))
    for name in frame:
        column = frame[name].fillna(0).to_numpy()
        score += random.normal() * (column > np.median(column))
    score += random.normal(size=len(frame)) * pick(random, 0.0, 0.5)
    ranks = score.argsort().argsort() * classes // len(frame)
    return np.concatenate((np.arange(classes), ranks[classes:]))[: len(frame)]


def xgboost_options(random: Random, kinds: list[str]) -> dict[str, Any]:
    """How to train, but for the objective."""
    options: dict[str, Any] = {
        "n_estimators": int(random.integers(1, 15)),
        "max_depth": int(pick(random, 1, 2, 4, 8)),
        "learning_rate": float(pick(random, 0.05, 0.3, 1.0)),
        "booster": pick(random, "gbtree", "gbtree", "gbtree", "dart"),
        "num_parallel_tree": int(pick(random, 1, 1, 3)),
        "min_child_weight": float(pick(random, 0.0, 1.0)),
        "max_cat_to_onehot": int(pick(random, 1, 4, 100)),
        "feature_types": kinds,
        "n_jobs": int(pick(random, 1, 2)),
        "missing": float(pick(random, math.nan, math.nan, 0.0, 1.0)),
        "random_state": int(random.integers(2**31)),
    }
    if options["booster"] == "dart":
        options["rate_drop"] = 0.4
    if random.random() < 0.2:
        options["base_score"] = 0.3
    if "c" not in kinds and random.random() < 0.2:
        options |= {"tree_method": "exact", "gamma": 1.0}
    return options


def xgboost_model(random: Random, frame: pd.DataFrame, kinds: list[str]) -> Any:
    """A fitted model with scikit-learn's interface."""
    import xgboost

    classes = int(pick(random, 2, 2, 3, 5))
    y = labels(random, frame, classes)
    options = xgboost_options(random, kinds)
    kind: Any = xgboost.XGBRegressor
    if random.random() < 0.6:
        kind = pick(random, xgboost.XGBClassifier, xgboost.XGBClassifier, xgboost.XGBRFClassifier)
        of_two = ("binary:logistic", "binary:logistic", "binary:hinge", "binary:logitraw")
        of_more = ("multi:softprob", "multi:softmax")
        options["objective"] = pick(random, *(of_two if classes == 2 else of_more))
    else:
        options["objective"] = pick(
            random, "reg:squarederror", "reg:absoluteerror", "reg:logistic", "count:poisson",
            "reg:gamma", "reg:tweedie", "reg:pseudohubererror", "reg:squaredlogerror",
        )  # fmt: skip  # a list
        y = y / classes if options["objective"] == "reg:logistic" else y + 1.0
    if kind is xgboost.XGBRFClassifier:
        options |= {"booster": "gbtree", "num_parallel_tree": None, "tree_method": "hist"}
    model = kind(**options)
    if random.random() < 0.7 or kind is xgboost.XGBRFClassifier:
        return model.fit(frame, y)
    model.set_params(early_stopping_rounds=1)
    return model.fit(frame, y, verbose=False, eval_set=[(frame, random.permutation(y))])


def xgboost_models(random: Random) -> Iterator[str]:
    """One of XGBoost."""
    frame = table(random, missing=random.random() < 0.5, categories=int(pick(random, 0, 0, 1, 2)))
    kinds = ["c" if str(name).startswith("c") else "q" for name in frame]
    model = xgboost_model(random, frame, kinds)
    yield from compare_xgboost(random, model, frame, kinds)


def lightgbm_models(random: Random) -> Iterator[str]:
    """One of LightGBM: as a Booster or a class of scikit-learn's kind, and from its file."""
    import lightgbm

    classes = int(pick(random, 2, 2, 3, 5))
    frame = table(random, missing=random.random() < 0.5, categories=int(pick(random, 0, 0, 1, 2)))
    y = labels(random, frame, classes)
    kind = pick(random, "gbdt", "gbdt", "gbdt", "dart", "rf")
    options: dict[str, Any] = {
        "n_estimators": int(random.integers(1, 15)),
        "num_leaves": int(pick(random, 2, 4, 31)),
        "learning_rate": float(pick(random, 0.05, 0.3, 1.0)),
        "boosting_type": kind,
        "min_child_samples": int(pick(random, 1, 5)),
        "min_data_per_group": 1,
        "min_data_in_bin": 1,
        "cat_smooth": 1.0,
        "cat_l2": 0.0,
        "max_cat_to_onehot": int(pick(random, 1, 4, 100)),
        "zero_as_missing": bool(random.random() < 0.2),
        "use_missing": bool(random.random() < 0.8),
        "n_jobs": int(pick(random, 1, 2)),
        "verbose": -1,
        "random_state": int(random.integers(2**31)),
    }
    if kind == "rf":
        options |= {"subsample": 0.7, "subsample_freq": 1}
    model: Any
    if random.random() < 0.6:
        options["objective"] = (
            "binary" if classes == 2 else pick(random, "multiclass", "multiclassova")
        )
        options["sigmoid"] = float(pick(random, 1.0, 1.0, 0.5, 1.23456789))
        model = lightgbm.LGBMClassifier(**options)
        y = np.array(["ash", "beech", "cedar", "date", "elm"])[y] if random.random() < 0.3 else y
    else:
        options["objective"] = pick(
            random, "regression", "regression_l1", "huber", "poisson", "gamma", "tweedie",
            "quantile", "cross_entropy", "cross_entropy_lambda",
        )  # fmt: skip  # a list
        y = y / classes if options["objective"].startswith("cross") else y + 1.0
        options["reg_sqrt"] = bool(options["objective"] == "regression" and random.random() < 0.3)
        model = lightgbm.LGBMRegressor(**options)
    places = [place for place, name in enumerate(frame) if str(name).startswith("c")]
    stops = random.random() < 0.3 and kind == "gbdt"
    model.fit(
        frame.to_numpy(), y, categorical_feature=places or "auto",
        eval_set=[(frame.to_numpy(), y)] if stops else None,
        callbacks=[lightgbm.early_stopping(1, verbose=False)] if stops else None,
    )  # fmt: skip  # three lines
    yield from compare_lightgbm(random, model, frame, as_booster=random.random() >= 0.7)


def catboost_models(random: Random) -> Iterator[str]:
    """One of CatBoost, and its export."""
    import catboost

    classes = int(pick(random, 2, 2, 3, 5))
    frame = table(random, missing=random.random() < 0.5, categories=0)
    y = labels(random, frame, classes)
    options: dict[str, Any] = {
        "iterations": int(random.integers(1, 15)),
        "depth": int(pick(random, 1, 2, 4, 9)),
        "nan_mode": pick(random, "Min", "Max"),
        "border_count": int(pick(random, 3, 32, 254)),
        "grow_policy": pick(random, "SymmetricTree", "SymmetricTree", "Lossguide", "Depthwise"),
        "thread_count": int(pick(random, 1, 2)),
        "random_seed": int(random.integers(2**31)),
        "verbose": 0,
        "allow_writing_files": False,
    }
    model: Any
    if random.random() < 0.6:
        if classes > 2:
            options["loss_function"] = pick(random, "MultiClass", "MultiClassOneVsAll")
        model = catboost.CatBoostClassifier(**options)
        y = np.array(["ash", "beech", "cedar", "date", "elm"])[y] if random.random() < 0.3 else y
    else:
        options["loss_function"] = pick(random, "RMSE", "MAE", "Quantile:alpha=0.3", "Poisson")
        model = catboost.CatBoostRegressor(**options)
    try:
        model.fit(frame.to_numpy(), y)
    except catboost.CatBoostError:  # one number in all rows, of which it makes no model
        yield from catboost_models(random)
        return
    if random.random() < 0.2 and options.get("loss_function") is None:
        model.set_probability_threshold(0.3)
    yield from compare_catboost(random, model, frame)


LIBRARIES: dict[str, Callable[[Random], Iterator[str]]] = {
    "xgboost": xgboost_models,
    "lightgbm": lightgbm_models,
    "catboost": catboost_models,
}


def installed(library: str) -> bool:
    """Whether a library is there to compare with."""
    return importlib.util.find_spec(library) is not None


def one(library: str, seed: int) -> str:
    """Train one model, and say what differs, or nothing."""
    random = np.random.default_rng([seed, list(LIBRARIES).index(library)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of training on little data
        return next((fault for fault in LIBRARIES[library](random) if fault), "")


def main(arguments: list[str] | None = None) -> int:
    """Train and compare; return 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.boosters", description=__doc__)
    parser.add_argument("--models", type=int, default=200, help="models of each library")
    parser.add_argument("--library", choices=list(LIBRARIES), action="append")
    parser.add_argument("--seed", type=int, help="only this one")
    given = parser.parse_args(arguments)
    faults = 0
    for library in given.library or LIBRARIES:
        if not installed(library):
            print(f"{library}: skipped, as it is not installed")
            continue
        seeds = range(given.models) if given.seed is None else [given.seed]
        for seed in seeds:
            if fault := one(library, seed):
                faults += 1
                print(f"{library} {seed}: {fault}; repeat with --library {library} --seed {seed}")
        print(f"{library}: {len(seeds)} models compared", flush=True)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())

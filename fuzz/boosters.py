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
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import cattleya
from cattleya.adapters.model_files import read_model

__all__ = ["LIBRARIES", "installed", "one"]

Random = np.random.Generator
ODD = (0.0, -0.0, 1e-36, -1e-36, 1e-35, -1e-35, 0.5, -0.5, -1.0, 3.7, 1e10, 1e38)
CLOSE = 1e-14  # CatBoost's exponentials


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


def hard_rows(
    random: Random, ensemble: cattleya.Ensemble, frame: pd.DataFrame, infinite: bool
) -> Any:
    """Rows of the data, and as many in which values are hard to get right."""
    number = np.dtype(ensemble.row_dtype).type
    more = frame.to_numpy(dtype=np.float64, copy=True)
    for column in range(ensemble.n_features):
        tested = ensemble.feature == column
        own = ensemble.threshold[tested & (ensemble.category_set < 0)]
        with np.errstate(over="ignore"):
            near = np.concatenate((own, ODD)).astype(number)
            pool = np.concatenate(
                [np.nextafter(near, number(way)) for way in (-np.inf, np.inf)] + [near, [np.nan]]
            ).astype(np.float64)
        codes = [float(code) for code in ensemble.set_codes[:50]]
        if (ensemble.category_set[tested] >= 0).any():
            pool = np.array([*codes, 0.0, 1.0, 77.0, 1e9, np.nan, 2.0, 3.0])
        pool = np.concatenate((pool, [np.inf, -np.inf] if infinite else [0.0]))
        pool = pool if infinite else pool[~np.isinf(pool)]
        chosen = random.random(len(more)) < 0.6
        more[chosen, column] = random.choice(pool, int(chosen.sum()))
    return np.concatenate((frame.to_numpy(dtype=np.float64), more))


def same(ours: Any, own: Any) -> bool:
    """Whether all numbers are the same bits (but for the sign of zeros), or all labels equal."""
    ours, own = np.asarray(ours), np.asarray(own)
    if ours.dtype.kind not in "fO" or own.dtype.kind not in "f":
        return bool(ours.tolist() == own.tolist())
    return bool(np.array_equal(ours.astype(np.float64), own.astype(np.float64)))


def compared(ensemble: cattleya.Ensemble, rows: Any, own: dict[str, Any], close: bool) -> str:
    """Say what of an ensemble is not what the library has."""
    ensemble = cattleya.Ensemble.from_json(ensemble.to_json())
    margins = ensemble.margins(rows)
    if not same(margins, own["margins"].reshape(margins.shape)):
        return "a margin differs"
    if "classes" in own and not same(ensemble.predict(rows), own["classes"]):
        return "a class differs"
    told = ensemble.predict(rows) if ensemble.class_names is None else ensemble.predict_proba(rows)
    expected = own["values"].reshape(told.shape) if told.shape[1:] != (2,) else own["values"]
    if close:
        return "" if np.allclose(told, expected, rtol=CLOSE, atol=0) else "a probability is far off"
    return "" if same(told, expected) else "a probability or a number differs"


def two_columns(chance: Any) -> Any:
    """The probabilities of both classes."""
    return np.column_stack((1 - chance, chance)) if chance.ndim == 1 else chance


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
    """One of XGBoost: as a class of scikit-learn's kind, as a Booster, and from its files."""
    from cattleya.adapters.xgboost.models import read

    frame = table(random, missing=random.random() < 0.5, categories=int(pick(random, 0, 0, 1, 2)))
    kinds = ["c" if str(name).startswith("c") else "q" for name in frame]
    model = xgboost_model(random, frame, kinds)
    ensemble, booster = read(model), model.get_booster()
    rows = hard_rows(random, ensemble, frame, infinite=True)
    own = {"margins": model.predict(rows, output_margin=True), "values": model.predict(rows)}
    if ensemble.class_names is not None:
        raw = model.objective == "binary:logitraw"
        own["classes"] = own["values"]
        own["values"] = two_columns(own["margins"]) if raw else model.predict_proba(rows)
    yield compared(ensemble, rows, own, close=False)
    by_booster = read(booster)
    yield by_matrix(random, model, by_booster, frame, kinds)
    if not math.isnan(model.missing):
        return  # which a file does not tell
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("json", "ubj"):
            path = Path(folder) / f"model.{ending}"
            model.save_model(path)
            yield unlike(read_model(path), ensemble)
            booster.save_model(path)
            yield unlike(read_model(path), by_booster)


def by_matrix(
    random: Random, model: Any, ensemble: cattleya.Ensemble, frame: pd.DataFrame, kinds: list[str]
) -> str:
    """Compare with what ``Booster.predict`` says of a DMatrix, which takes no infinite values."""
    import xgboost

    booster, rows = model.get_booster(), hard_rows(random, ensemble, frame, infinite=False)
    rows[np.abs(rows) > np.finfo(np.float32).max] = 0.0
    matrix = xgboost.DMatrix(rows, feature_types=kinds, feature_names=list(frame))
    own = {
        "margins": booster.predict(matrix, output_margin=True),
        "values": booster.predict(matrix),
    }
    if ensemble.class_names is not None:
        if model.objective == "multi:softmax":  # the library gives no probabilities
            own["classes"] = own["values"].astype(int)
            own["values"] = ensemble.predict_proba(rows)
        else:
            own["values"] = two_columns(own["values"])
            own["classes"] = own["values"].argmax(axis=1)
    return compared(ensemble, rows, own, close=False)


def unlike(from_file: cattleya.Ensemble, live: cattleya.Ensemble) -> str:
    """Say whether a file and the live model are two models."""
    return "" if from_file == live else "the model in a file is not the live one"


def lightgbm_models(random: Random) -> Iterator[str]:
    """One of LightGBM: as a Booster or a class of scikit-learn's kind, and from its file."""
    import lightgbm

    from cattleya.adapters.lightgbm.models import read

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
    chosen = model if random.random() < 0.7 else model.booster_
    ensemble = read(chosen)
    rows = hard_rows(random, ensemble, frame, infinite=True)
    raw = model.predict(rows, raw_score=True)
    n_rounds = ensemble.n_trees // ensemble.n_outputs
    own = {
        "margins": raw / n_rounds if kind == "rf" else raw,
        "values": model.booster_.predict(rows),
    }
    if ensemble.class_names is not None:
        own["values"] = two_columns(own["values"])
        own["classes"] = (
            own["values"].argmax(axis=1) if chosen is not model else model.predict(rows)
        )
    yield compared(ensemble, rows, own, close=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.txt"
        model.booster_.save_model(path)
        loaded = lightgbm.Booster(model_file=path)
        yield unlike(read_model(path), read(loaded))


def catboost_models(random: Random) -> Iterator[str]:
    """One of CatBoost, and its export."""
    import catboost

    from cattleya.adapters.catboost.models import read

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
    model.fit(frame.to_numpy(), y)
    if random.random() < 0.2 and options.get("loss_function") is None:
        model.set_probability_threshold(0.3)
    ensemble = read(model)
    rows = hard_rows(random, ensemble, frame, infinite=True)
    own = {"margins": model.predict(rows, prediction_type="RawFormulaVal")}
    if ensemble.class_names is None:
        own["values"] = model.predict(rows)
    else:
        own |= {"values": model.predict_proba(rows), "classes": model.predict(rows).reshape(-1)}
    close = options.get("loss_function") in ("MultiClass", "Poisson")
    yield compared(ensemble, rows, own, close=close)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        yield unlike(read_model(path), ensemble)


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

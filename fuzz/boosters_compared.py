"""A model of XGBoost, LightGBM or CatBoost, compared with the ensemble that is read from it.

Class, probability and margin of rows must be equal to the last bit, by way of the live model and of
every file that it writes. Only CatBoost's probabilities of three classes and more, and its
exponentials, may differ in the last places.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import cattleya
from cattleya.adapters.model_files import read_model

__all__ = ["compare_catboost", "compare_lightgbm", "compare_xgboost"]

Random = np.random.Generator
ODD = (0.0, -0.0, 1e-36, -1e-36, 1e-35, -1e-35, 0.5, -0.5, -1.0, 3.7, 1e10, 1e38)
CLOSE = 1e-14  # CatBoost's exponentials
MOST = 5_000  # rows that are made up, of a large table


def compare_xgboost(
    random: Random, model: Any, frame: pd.DataFrame, kinds: list[str]
) -> Iterator[str]:
    """Compare a model with scikit-learn's interface, its Booster, and their files."""
    from cattleya.adapters.xgboost.models import read

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


def compare_lightgbm(
    random: Random, model: Any, frame: pd.DataFrame, *, as_booster: bool = False
) -> Iterator[str]:
    """Compare a model with scikit-learn's interface, or its Booster, and its file."""
    import lightgbm

    from cattleya.adapters.lightgbm.models import read

    ensemble = read(model.booster_ if as_booster else model)
    rows = hard_rows(random, ensemble, frame, infinite=True)
    raw = model.predict(rows, raw_score=True)
    n_rounds = ensemble.n_trees // ensemble.n_outputs
    own = {
        "margins": raw / n_rounds if model.boosting_type == "rf" else raw,
        "values": model.booster_.predict(rows),
    }
    if ensemble.class_names is not None:
        own["values"] = two_columns(own["values"])
        own["classes"] = own["values"].argmax(axis=1) if as_booster else model.predict(rows)
    yield compared(ensemble, rows, own, close=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.txt"
        model.booster_.save_model(path)
        loaded = lightgbm.Booster(model_file=path)
        yield unlike(read_model(path), read(loaded))


def compare_catboost(random: Random, model: Any, frame: pd.DataFrame) -> Iterator[str]:
    """Compare a model and its export."""
    from cattleya.adapters.catboost.models import read

    ensemble = read(model)
    rows = hard_rows(random, ensemble, frame, infinite=True)
    own = {"margins": model.predict(rows, prediction_type="RawFormulaVal")}
    if ensemble.class_names is None:
        own["values"] = model.predict(rows)
    else:
        own |= {"values": model.predict_proba(rows), "classes": model.predict(rows).reshape(-1)}
    close = model.get_all_params()["loss_function"] in ("MultiClass", "Poisson")
    yield compared(ensemble, rows, own, close=close)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        yield unlike(read_model(path), ensemble)


def hard_rows(
    random: Random, ensemble: cattleya.Ensemble, frame: pd.DataFrame, infinite: bool
) -> Any:
    """Rows of the data, and as many in which values are hard to get right."""
    number = np.dtype(ensemble.row_dtype).type
    data = frame.to_numpy(dtype=np.float64)
    more = data[random.permutation(len(data))[:MOST]]
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
    return np.concatenate((data, more))


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

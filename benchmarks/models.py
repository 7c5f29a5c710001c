"""Reading ensembles, and predicting with them, beside the libraries that made them.

Each model is saved with joblib and loaded again, which is what reading it is compared with; it is
then read as a :class:`cattleya.Ensemble`, and both predict the same rows on one core, in turn.
Ensembles of a thousand trees are made of fewer that were trained, each copied: an ensemble takes as
long whatever its trees say.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from sklearn import ensemble as library
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

import cattleya
from benchmarks.booster_files import saved_models
from benchmarks.report import Report, at_most, milliseconds, table, times
from benchmarks.settings import Settings
from benchmarks.timing import Timing, time_rows
from cattleya.adapters.model_files import read_model

__all__ = ["measure"]

FEATURES = 20
TRAINED = 40  # trees, before they are copied
TRAINED_FILES = 10  # likewise, of other libraries
MODELS: dict[str, Callable[[int, int], Any]] = {
    "RandomForestClassifier": lambda trees, leaves: library.RandomForestClassifier(
        trees, max_leaf_nodes=leaves, random_state=0
    ),
    "ExtraTreesRegressor": lambda trees, leaves: library.ExtraTreesRegressor(
        trees, max_leaf_nodes=leaves, random_state=0
    ),
    "GradientBoostingClassifier": lambda trees, leaves: library.GradientBoostingClassifier(
        n_estimators=trees, max_leaf_nodes=leaves, max_depth=None, random_state=0
    ),
    "HistGradientBoostingClassifier": lambda trees, leaves: library.HistGradientBoostingClassifier(
        max_iter=trees, max_leaf_nodes=leaves, min_samples_leaf=1, random_state=0
    ),
}


def measure(settings: Settings, folder: Path | None) -> Report:
    """Time loading, reading and predicting; the data is made up, whatever ``folder`` has."""
    X, y = make_classification(
        min(settings.made_up_rows, 20_000), FEATURES, n_informative=10, flip_y=0.1, random_state=0
    )
    asked = np.resize(X, (settings.predicted_rows, FEATURES))
    reading, predicting, wrong = [], [], False
    with threadpool_limits(1):
        for name, make in MODELS.items():
            model = _grown(make(min(TRAINED, settings.trees), settings.leaves).fit(X, y), settings)
            loaded, read, back, ensemble = _read(model, settings.rounds)
            size = f"{name}, {ensemble.n_trees:,} trees, {ensemble.n_leaves:,} leaves"
            ratio = read.median / loaded.median
            again = back.median / loaded.median
            reading.append([
                size, *map(_told, (loaded, read)), times(ratio), *at_most(ratio, 3), _told(back),
                times(again),
            ])  # fmt: skip  # a line of the table
            decide = "predict_proba" if hasattr(model, "predict_proba") else "predict"
            calls: dict[str, Any] = {
                "theirs": lambda _, m=model, d=decide: getattr(m, d)(asked),
                "ours": lambda _, e=ensemble, d=decide: getattr(e, d)(asked),
            }
            timings = time_rows(calls, [asked[0]], settings.rounds)
            ratio = timings["ours"].median / timings["theirs"].median
            wrong |= bool((calls["ours"](None) != calls["theirs"](None)).any())
            predicting.append([
                size, *map(_told, (timings["theirs"], timings["ours"])), times(ratio),
                *at_most(ratio, 3),
            ])  # fmt: skip  # a line of the table
        of_files = _files(settings, X, y, asked)
    wrong |= any(one.wrong for one in of_files)
    parts = [
        f"Data: a synthetic stand-in, {FEATURES} features. Loading is `joblib.load`, reading "
        f"`cattleya.read_ensemble` of the loaded model, `from JSON` `Ensemble.from_json`.",
        table(
            ["reading", "loading", "reading it", "against loading", "bar", "verdict", "from JSON",
             "against loading"],
            reading,
        ),
        f"`predict_proba`, or `predict` of numbers, for {len(asked):,} rows on one core; the "
        f"answers are compared bit by bit{': THEY DIFFER' if wrong else ', and equal'}.",
        table(["predicting", "theirs", "ours", "against theirs", "bar", "verdict"], predicting),
        "Files of other libraries: each loads its own, and `cattleya` reads the same file without "
        "it. Predicting is the probability of the second class.",
        table(["reading", "loading", "reading it", "against loading", "bar", "verdict"],
              [one.reading for one in of_files]),
        table(["predicting", "theirs", "ours", "against theirs", "bar", "verdict"],
              [one.predicting for one in of_files]),
    ]  # fmt: skip  # as the tables look
    return Report("Ensembles: reading and predicting", parts, wrong=wrong)


@dataclass(frozen=True)
class _File:
    """The lines of a file in the two tables."""

    reading: list[str]
    predicting: list[str]
    wrong: bool


def _files(settings: Settings, X: Any, y: Any, asked: Any) -> list[_File]:
    """Time loading, reading and predicting of the files of other libraries."""
    found = []
    trained = min(TRAINED_FILES, settings.trees)
    with tempfile.TemporaryDirectory() as folder:
        for saved in saved_models(Path(folder), X, y, trained, settings.trees, settings.leaves):
            ensemble, loaded = read_model(saved.path), saved.load()
            size = f"{saved.name}, {ensemble.n_trees:,} trees, {ensemble.n_leaves:,} leaves"
            calls: dict[str, Any] = {
                "theirs": lambda _, s=saved: s.load(),
                "ours": lambda _, s=saved: read_model(s.path),
            }
            reading = time_rows(calls, [asked[0]], settings.rounds)
            calls = {
                "theirs": lambda _, s=saved, m=loaded: s.predict(m, asked),
                "ours": lambda _, e=ensemble: e.predict_proba(asked)[:, 1],
            }
            predicting = time_rows(calls, [asked[0]], settings.rounds)
            far = np.abs(calls["ours"](None) - calls["theirs"](None)).max()
            found.append(_File(_line(size, reading), _line(size, predicting), far > saved.error))
    return found


def _line(size: str, timings: dict[str, Timing]) -> list[str]:
    ratio = timings["ours"].median / timings["theirs"].median
    told = map(_told, (timings["theirs"], timings["ours"]))
    return [size, *told, times(ratio), *at_most(ratio, 3)]


def _told(timing: Timing) -> str:
    return milliseconds(timing.median)


def _grown(model: Any, settings: Settings) -> Any:
    """Return a model with as many trees as are asked for."""
    histogram = hasattr(model, "_predictors")
    trees = model._predictors if histogram else model.estimators_
    times_over = -(-settings.trees // len(trees))
    copies = [deepcopy(list(trees)) for _ in range(times_over)]
    every = [tree for copied in copies for tree in copied][: settings.trees]
    if histogram:
        model._predictors = every
    else:
        model.estimators_ = np.array(every) if isinstance(trees, np.ndarray) else every
        model.n_estimators = len(every)
    return model


def _read(model: Any, rounds: int) -> tuple[Timing, Timing, Timing, cattleya.Ensemble]:
    """Return how long loading, reading, and reading from JSON take, and the ensemble."""
    handle, path = tempfile.mkstemp(suffix=".joblib")
    os.close(handle)
    try:
        joblib.dump(model, path)
        text = cattleya.read_ensemble(model).to_json()
        calls: dict[str, Callable[[Any], object]] = {
            "load": lambda _: joblib.load(path),
            "read": lambda _: cattleya.read_ensemble(model),
            "json": lambda _: cattleya.Ensemble.from_json(text),
        }
        timings = time_rows(calls, [np.zeros(1)], rounds)
    finally:
        Path(path).unlink()
    return timings["load"], timings["read"], timings["json"], cattleya.read_ensemble(model)

"""Models trained on real data, against the ensembles read from them, on every row.

``python -m fuzz.real_data --data-dir DIR`` takes the data sets of the paper that the folder has;
without a folder, those that come with scikit-learn. On each it trains one model of every kind that
is read, classifiers on its label and regressors on its first column that is not always the same.
Class, probability and margin of all rows, and of some with values at thresholds, missing and
infinite ones, must be equal to the last bit (``fuzz.models`` and ``fuzz.boosters`` say what else is
tried). A table with texts is also given as it is, with categories, to the libraries that take them.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import ensemble as library
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import cattleya
from cattleya.adapters.model_files import read_model
from cattleya.experiments.data.coding import Data
from cattleya.experiments.data.registry import BUNDLED, available, load
from cattleya.support.files.tables import read_table
from fuzz import models
from fuzz.boosters import installed
from fuzz.boosters_compared import (
    compare_catboost,
    compare_lightgbm,
    compare_xgboost,
    compared,
    two_columns,
)

__all__ = ["main"]

Random = np.random.Generator
WORDS = 5_000  # of a text: as many of the commonest ones as fit into memory as numbers
TRAINED = 20_000  # rows at most
MOST_CATEGORIES = 255  # that the libraries take in a column

SKLEARN: dict[str, Callable[[], Any]] = {
    "RandomForestClassifier": lambda: library.RandomForestClassifier(20, random_state=0),
    "ExtraTreesClassifier": lambda: library.ExtraTreesClassifier(20, random_state=0),
    "BaggingClassifier": lambda: library.BaggingClassifier(
        DecisionTreeClassifier(max_depth=8), 10, max_features=0.5, random_state=0
    ),
    "GradientBoostingClassifier": lambda: library.GradientBoostingClassifier(
        n_estimators=20, max_features="sqrt", random_state=0
    ),
    "HistGradientBoostingClassifier": lambda: library.HistGradientBoostingClassifier(
        max_iter=20, random_state=0
    ),
    "AdaBoostClassifier": lambda: library.AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=2, max_features="sqrt"), n_estimators=20, random_state=0
    ),
    "RandomForestRegressor": lambda: library.RandomForestRegressor(
        10, max_depth=12, max_features="sqrt", random_state=0
    ),
    "ExtraTreesRegressor": lambda: library.ExtraTreesRegressor(
        10, max_depth=12, max_features="sqrt", random_state=0
    ),
    "BaggingRegressor": lambda: library.BaggingRegressor(
        DecisionTreeRegressor(max_depth=12, max_features="sqrt"), 5, random_state=0
    ),
    "GradientBoostingRegressor": lambda: library.GradientBoostingRegressor(
        n_estimators=20, max_features="sqrt", random_state=0
    ),
    "HistGradientBoostingRegressor": lambda: library.HistGradientBoostingRegressor(
        max_iter=20, random_state=0
    ),
}


def boosters() -> dict[str, Callable[[], Any]]:
    """Return what makes a model of each library that is installed."""
    makes: dict[str, Callable[[], Any]] = {}
    if installed("xgboost"):
        import xgboost

        makes["XGBClassifier"] = lambda: xgboost.XGBClassifier(n_estimators=20)
        makes["XGBRegressor"] = lambda: xgboost.XGBRegressor(n_estimators=20)
    if installed("lightgbm"):
        import lightgbm

        makes["LGBMClassifier"] = lambda: lightgbm.LGBMClassifier(n_estimators=20, verbose=-1)
        makes["LGBMRegressor"] = lambda: lightgbm.LGBMRegressor(n_estimators=20, verbose=-1)
    if installed("catboost"):
        import catboost

        quiet: dict[str, Any] = {"iterations": 20, "verbose": 0, "allow_writing_files": False}
        makes["CatBoostClassifier"] = lambda: catboost.CatBoostClassifier(**quiet)
        makes["CatBoostRegressor"] = lambda: catboost.CatBoostRegressor(**quiet)
    return makes


def numbers_of(data: Data) -> Any:
    """Return the rows as an array; of a sparse matrix the commonest columns."""
    if not data.sparse:
        return np.asarray(data.x, dtype=np.float64)
    often = np.argsort(-np.asarray((data.x != 0).sum(axis=0)).ravel(), kind="stable")[:WORDS]
    return data.x[:, np.sort(often)].toarray().astype(np.float64)


def compare(random: Random, make: Callable[[], Any], X: Any, y: Any) -> Iterator[str]:
    """Train one model, and compare all that it says."""
    some = random.permutation(len(X))[:TRAINED]
    model = make()
    if type(model).__module__.startswith("sklearn"):
        yield models.check(model.fit(X[some], y[some]), X, random)
        return
    frame = pd.DataFrame(X, columns=[f"n{i}" for i in range(X.shape[1])])
    model.fit(frame.iloc[some].to_numpy(), y[some])
    if type(model).__name__.startswith("XGB"):
        booster = model.get_booster()
        booster.feature_names = list(frame)
        yield from compare_xgboost(random, model, frame, ["float"] * X.shape[1])
    elif type(model).__name__.startswith("LGBM"):
        yield from compare_lightgbm(random, model, frame)
    else:
        yield from compare_catboost(random, model, frame)


def categories_of(path: Path) -> tuple[pd.DataFrame, Any] | None:
    """Return a table as it is, its texts as categories, and its label; None without any texts."""
    if path.suffix == ".npz":
        return None
    table = read_table(path)
    y = pd.factorize(table.iloc[:, -1])[0]
    table = table.iloc[:, :-1]
    texts = [name for name in table if not pd.api.types.is_numeric_dtype(table[name])]
    few = [name for name in texts if table[name].nunique() <= MOST_CATEGORIES]
    table = table.drop(columns=[name for name in texts if name not in few])
    for name in few:
        table[name] = pd.Categorical(table[name].astype(object))
    return (table, y) if few else None


def with_gaps(random: Random, table: pd.DataFrame, unseen: bool) -> pd.DataFrame:
    """Return the rows, and as many with empty cells, and with categories that nobody has seen."""
    more = table.copy()
    for name in more:
        empty = random.random(len(more)) < 0.2
        if isinstance(more[name].dtype, pd.CategoricalDtype):
            labels = more[name].astype(object)
            labels[empty] = "never seen" if unseen and random.random() < 0.5 else None
            known = [*table[name].cat.categories, *(["never seen"] if unseen else [])]
            more[name] = pd.Categorical(labels, categories=known)
        else:
            more[name] = more[name].astype(np.float64).mask(empty)
    both = pd.concat([table.astype(object), more.astype(object)], ignore_index=True)
    for name in table:
        if isinstance(table[name].dtype, pd.CategoricalDtype):
            both[name] = pd.Categorical(both[name], categories=more[name].cat.categories)
        else:
            both[name] = both[name].astype(np.float64)
    return both


def with_categories(random: Random, table: pd.DataFrame, y: Any) -> dict[str, str]:
    """Train a model of each library that takes categories, and say what differs of each."""
    found: dict[str, str] = {}
    model: Any = library.HistGradientBoostingClassifier(max_iter=20, random_state=0)
    model.set_params(categorical_features="from_dtype").fit(table, y)
    ensemble = cattleya.read_ensemble(model)
    rows = with_gaps(random, table, unseen=True)
    own = {
        "margins": model.decision_function(rows),
        "classes": model.predict(rows),
        "values": model.predict_proba(rows),
    }
    found["HistGradientBoostingClassifier"] = compared(ensemble, rows, own, close=False)
    if installed("xgboost"):
        import xgboost

        model = xgboost.XGBClassifier(n_estimators=20, enable_categorical=True).fit(table, y)
        known = with_gaps(random, table, unseen=False)  # it refuses others
        own = {
            "margins": model.predict(known, output_margin=True),
            "classes": model.predict(known),
            "values": model.predict_proba(known),
        }
        found["XGBClassifier"] = compared(cattleya.read_ensemble(model), known, own, close=False)
    if installed("lightgbm"):
        import lightgbm

        model = lightgbm.LGBMClassifier(n_estimators=20, verbose=-1).fit(table, y)
        own = {
            "margins": model.predict(rows, raw_score=True),
            "classes": model.predict(rows),
            "values": two_columns(model.booster_.predict(rows)),
        }
        found["LGBMClassifier"] = compared(cattleya.read_ensemble(model), rows, own, close=False)
    if installed("catboost"):
        found["CatBoostClassifier"] = _catboost(table, y, rows)
    return found


def _catboost(table: pd.DataFrame, y: Any, rows: pd.DataFrame) -> str:
    """Compare CatBoost's export with categories as texts, none of which may be empty."""
    import catboost

    texts = [str(n) for n in table if isinstance(table[n].dtype, pd.CategoricalDtype)]

    def told(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(
            **{n: frame[n].astype(object).fillna("none").astype(str) for n in texts}
        )

    pool = catboost.Pool(told(table), y, cat_features=texts)
    model = catboost.CatBoostClassifier(
        iterations=20, verbose=0, allow_writing_files=False, one_hot_max_size=MOST_CATEGORIES,
        max_ctr_complexity=0,
    )  # fmt: skip  # two lines
    model.fit(pool)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json", pool=pool)
        ensemble = read_model(path)
    rows = told(rows)
    own = {
        "margins": model.predict(rows, prediction_type="RawFormulaVal"),
        "classes": model.predict(rows).reshape(-1),
        "values": model.predict_proba(rows),
    }
    return compared(ensemble, rows, own, close=len(np.unique(y)) > 2)


def check(name: str, folder: Path | None, seed: int) -> int:
    """Compare every kind of model on one data set; return how many differ."""
    data = load(name, folder)
    X, y = numbers_of(data), data.y
    print(f"{name}: {X.shape[0]:,} rows x {X.shape[1]:,} columns", flush=True)
    faults = 0

    def told(kind: str, fault: str, begun: float) -> None:
        nonlocal faults
        faults += bool(fault)
        seconds = time.monotonic() - begun
        print(f"  {kind}: {fault.upper() if fault else 'equal'}, {seconds:.0f} s", flush=True)

    number = int((X[0] != X).any(axis=0).argmax())
    for kind, make in (SKLEARN | boosters()).items():
        begun, random = time.monotonic(), np.random.default_rng(seed)
        columns, target = X, y
        if kind.endswith("Regressor"):
            columns, target = np.delete(X, number, axis=1), X[:, number]
        every = compare(random, make, columns, target)
        told(kind, next((fault for fault in every if fault), ""), begun)
    path = None if folder is None else next(folder.glob(f"{name}.*"), None)
    if path is not None and (own := categories_of(path)) is not None:
        begun = time.monotonic()
        for kind, fault in with_categories(np.random.default_rng(seed), *own).items():
            told(f"{kind} with categories", fault, begun)
    return faults


def main(arguments: list[str] | None = None) -> int:
    """Train and compare; return 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.real_data", description=__doc__)
    named = os.environ.get("CATTLEYA_DATA")
    parser.add_argument("--data-dir", type=Path, default=named, help="default: $CATTLEYA_DATA")
    parser.add_argument("--only", action="append", help="a data set; may be given several times")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    names = given.only or (available(given.data_dir) if given.data_dir else list(BUNDLED))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of training
        faults = sum(check(name, given.data_dir, given.seed) for name in names)
    print(f"{len(names)} data sets, {faults} models differ")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())

"""Models of the learning libraries, trained on random data, against the ensembles read from them.

``python -m fuzz.models`` trains 200 models of each kind: class, probability and margin of every row
must be equal to the last bit, on rows of the training data, on rows whose values are exactly at
thresholds or next to them, on missing and infinite values where the library takes them, and on
categories that it has not seen. ``--kind NAME`` and ``--seed N`` repeat one of them.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn import ensemble as library
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

import cattleya

__all__ = ["KINDS", "check", "main"]

Random = np.random.Generator
HISTOGRAMS = (library.HistGradientBoostingClassifier, library.HistGradientBoostingRegressor)


def pick(random: Random, options: list[Any]) -> Any:
    """One of several, as it is: numpy would make numbers or texts of all of them."""
    return options[int(random.integers(len(options)))]


def table(random: Random, missing: bool = False) -> Any:
    """Numbers, some of few values, some between two float32 numbers; perhaps some missing."""
    rows, columns = int(random.integers(20, 120)), int(random.integers(1, 6))
    X = random.normal(size=(rows, columns)) * 10.0 ** random.integers(-3, 4, columns)
    X = np.where(random.random(columns) < 0.4, np.round(X), X)
    if missing:
        X[random.random(X.shape) < 0.15] = np.nan
    return X


def classes(random: Random, rows: int) -> Any:
    """Labels of two to twelve classes, numbers or texts, each of them there."""
    count = int(pick(random, [2, 2, 3, 5, 12]))
    labels = random.choice(np.arange(-50, 50), count, replace=False)
    y = labels[random.permutation(np.arange(rows) % count)]
    return np.char.add("c", y.astype(str)) if random.random() < 0.3 else y


def two_classes(random: Random, rows: int) -> Any:
    return random.permutation(np.arange(rows) % 2).astype(bool)


def numbers(random: Random, rows: int) -> Any:
    return random.normal(size=rows) * 10.0 ** random.integers(-3, 4)


def amounts(random: Random, rows: int) -> Any:
    return random.integers(1, 50, rows) * 1.0


def tree_options(random: Random) -> dict[str, Any]:
    return {
        "max_depth": pick(random, [None, 1, 3, 6]),
        "random_state": int(random.integers(2**31)),
    }


def forest(random: Random) -> tuple[Any, Any]:
    X = table(random, missing=random.random() < 0.3)
    options = tree_options(random) | {"n_estimators": int(random.integers(1, 30))}
    options["n_jobs"] = pick(random, [None, None, 1, 1, 2])
    if random.random() < 0.5:
        kind = pick(random, [library.RandomForestClassifier, library.ExtraTreesClassifier])
        weight = pick(random, [None, "balanced"])
        return kind(**options, class_weight=weight).fit(X, classes(random, len(X))), X
    kind = pick(random, [library.RandomForestRegressor, library.ExtraTreesRegressor])
    return kind(**options).fit(X, numbers(random, len(X))), X


def bagging(random: Random) -> tuple[Any, Any]:
    X = table(random, missing=random.random() < 0.3)
    options: dict[str, Any] = {
        "n_estimators": int(random.integers(1, 20)),
        "max_features": float(pick(random, [0.5, 1.0])),
        "max_samples": float(pick(random, [0.1, 1.0])),  # few samples: not all classes
        "bootstrap_features": bool(random.random() < 0.5),
        "random_state": int(random.integers(2**31)),
        "n_jobs": pick(random, [None, None, None, None, 2]),
    }
    depth = pick(random, [None, 2])
    if random.random() < 0.6:
        tree = pick(random, [DecisionTreeClassifier, ExtraTreeClassifier])(max_depth=depth)
        return library.BaggingClassifier(tree, **options).fit(X, classes(random, len(X))), X
    bag = library.BaggingRegressor(DecisionTreeRegressor(max_depth=depth), **options)
    return bag.fit(X, numbers(random, len(X))), X


def boosted(random: Random) -> tuple[Any, Any]:
    X = table(random)
    options = {
        "n_estimators": int(random.integers(1, 20)),
        "learning_rate": float(pick(random, [0.1, 1.0, 0.37])),
        "max_depth": int(random.integers(1, 5)),
        "subsample": float(pick(random, [1.0, 0.5])),
        "init": pick(random, [None, "zero"]),
        "random_state": int(random.integers(2**31)),
    }
    if random.random() < 0.6:
        binary = random.random() < 0.5
        y = two_classes(random, len(X)) if binary else classes(random, len(X))
        loss = "exponential" if binary and random.random() < 0.5 else "log_loss"
        return library.GradientBoostingClassifier(loss=loss, **options).fit(X, y), X
    loss = pick(random, ["squared_error", "absolute_error", "huber", "quantile"])
    return library.GradientBoostingRegressor(loss=loss, **options).fit(
        X, numbers(random, len(X))
    ), X


def histogram(random: Random) -> tuple[Any, Any]:
    X: Any = table(random, missing=random.random() < 0.5)
    rows = len(X)
    options: dict[str, Any] = {
        "max_iter": int(random.integers(1, 20)),
        "min_samples_leaf": int(pick(random, [1, 5])),
        "max_leaf_nodes": pick(random, [None, 4, 31]),
        "early_stopping": bool(random.random() < 0.3),
        "random_state": int(random.integers(2**31)),
    }
    coded = random.random()
    if coded < 0.3:  # categories as numbers
        X[:, 0] = random.integers(0, 9, rows) * 3
        X[random.random(rows) < 0.1, 0] = np.nan
        options["categorical_features"] = [0]
    elif coded < 0.6:  # as labels of a frame
        frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
        labels = np.array(["ash", "beech", "cedar", "date", "elm"])[random.integers(0, 5, rows)]
        where = int(random.integers(0, X.shape[1] + 1))
        frame.insert(where, "job", pd.Series(pd.Categorical(labels)))
        frame.loc[random.random(rows) < 0.1, "job"] = np.nan
        X = frame
        options["categorical_features"] = "from_dtype"
    if random.random() < 0.6:
        y = two_classes(random, rows) if random.random() < 0.5 else classes(random, rows)
        if options["early_stopping"]:
            y = two_classes(random, rows)
        return library.HistGradientBoostingClassifier(**options).fit(X, y), X
    loss = pick(random, ["squared_error", "absolute_error", "quantile", "poisson", "gamma"])
    if loss == "quantile":
        options["quantile"] = 0.3
    y = amounts(random, rows) if loss in ("poisson", "gamma") else numbers(random, rows)
    return library.HistGradientBoostingRegressor(loss=loss, **options).fit(X, y), X


def ada_boost(random: Random) -> tuple[Any, Any]:
    X = table(random)
    y = two_classes(random, len(X)) if random.random() < 0.4 else classes(random, len(X))
    tree = DecisionTreeClassifier(max_depth=int(random.integers(1, 4)))
    model = library.AdaBoostClassifier(
        tree,
        n_estimators=int(random.integers(1, 20)),
        learning_rate=float(pick(random, [1.0, 0.1])),
        random_state=int(random.integers(2**31)),
    )
    try:
        return model.fit(X, y), X
    except ValueError:  # a tree worse than chance, of which scikit-learn makes nothing
        return ada_boost(random)


KINDS: dict[str, Callable[[Random], tuple[Any, Any]]] = {
    "forest": forest,
    "bagging": bagging,
    "boosted": boosted,
    "histogram": histogram,
    "ada_boost": ada_boost,
}


def rows_to_ask(random: Random, ensemble: cattleya.Ensemble, X: Any) -> Any:
    """Rows of the data, and as many of which values are replaced by what is hard to get right."""
    more = X.copy()
    number = np.dtype(ensemble.row_dtype).type
    for column in range(ensemble.n_features):
        own = ensemble.threshold[(ensemble.feature == column) & (ensemble.category_set < 0)]
        pool: list[Any] = [0.0, *own[np.isfinite(own)].tolist()]
        with np.errstate(over="ignore"):
            near = np.array(pool, dtype=number)
            pool += [*near.tolist()]
            pool += [*np.nextafter(near, number(np.inf)).tolist()]
            pool += [*np.nextafter(near, number(-np.inf)).tolist()]
        pool = [value for value in pool if math.isfinite(value)]
        if ensemble.missing_left is not None:
            pool += [math.nan] * (1 + len(pool) // 5)
        if ensemble.takes_infinite:
            pool += [math.inf, -math.inf]
        labels = ensemble.categories.get(column)
        chosen = np.flatnonzero(random.random(len(X)) < 0.6)
        if labels is not None and isinstance(X, pd.DataFrame):
            known = [*labels, "fir", math.nan]
            places = random.integers(0, len(known), len(X))
            replaced = [known[place] for place in places]
            more[more.columns[column]] = pd.Categorical(replaced, categories=[*labels, "fir"])
            continue
        if labels is not None:
            pool = [*labels, 7.5, -1.0, 300.0, 1e9, math.nan]
        values = random.choice(np.array(pool), len(chosen))
        if isinstance(X, pd.DataFrame):
            more.iloc[chosen, column] = values
        else:
            more[chosen, column] = values
    return pd.concat([X, more], ignore_index=True) if isinstance(X, pd.DataFrame) else \
        np.concatenate([X, more])  # fmt: skip  # one expression


def check(model: Any, X: Any, random: Random, exact: bool | None = None) -> str:
    """Compare a model with its ensemble, also as read from JSON; return what differs, or ""."""
    ensemble = cattleya.Ensemble.from_json(cattleya.read_ensemble(model).to_json())
    rows = rows_to_ask(random, ensemble, X)
    exact = not ensemble.rounding_bound.any() if exact is None else exact
    margins = ensemble.margins(rows)
    own = _margins(model, rows)
    if not exact:
        return _beyond_bound(model, ensemble, rows, np.abs(margins - own))
    if not _same(margins, own):
        return "a margin differs"
    if not _same(ensemble.predict(rows), model.predict(rows)):
        return "a prediction differs"
    if ensemble.class_names is not None and not _same(
        ensemble.predict_proba(rows), model.predict_proba(rows)
    ):
        return "a probability differs"
    return ""


def _beyond_bound(model: Any, ensemble: cattleya.Ensemble, rows: Any, far: Any) -> str:
    """Compare a model that adds in no fixed order."""
    if (far > ensemble.rounding_bound).any():
        return "a margin is beyond the bound"
    if ensemble.class_names is None:
        return ""
    unlike = ensemble.predict(rows) != model.predict(rows)
    close = ensemble.too_close(rows)
    return "a class differs that is not too close to call" if (unlike & ~close).any() else ""


def _margins(model: Any, rows: Any) -> Any:
    """What the library adds up, one line per row."""
    raw = "_raw_predict" if isinstance(model, HISTOGRAMS) else "decision_function"
    for name in (raw, "predict_proba", "predict"):
        if hasattr(model, name):
            found = np.asarray(getattr(model, name)(rows), dtype=np.float64)
            return found.reshape(len(rows), -1)
    raise TypeError(f"{model} has no margins")


def _same(ours: Any, own: Any) -> bool:
    """Whether all numbers are the same bits, or all labels equal."""
    ours, own = np.asarray(ours), np.asarray(own)
    if ours.dtype.kind != "f":
        return bool(ours.tolist() == own.tolist())
    return bool(ours.dtype == own.dtype and np.array_equal(ours + 0.0, own + 0.0))


def one(kind: str, seed: int) -> str:
    """Train one model, and say what differs."""
    random = np.random.default_rng([seed, sorted(KINDS).index(kind)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of training on little data
        model, X = KINDS[kind](random)
        return check(model, X, random)


def main(arguments: list[str] | None = None) -> int:
    """Train and compare; return 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.models", description=__doc__)
    parser.add_argument("--models", type=int, default=200, help="models of each kind")
    parser.add_argument("--kind", choices=sorted(KINDS), action="append")
    parser.add_argument("--seed", type=int, help="only this one")
    given = parser.parse_args(arguments)
    faults = 0
    for kind in given.kind or KINDS:
        seeds = range(given.models) if given.seed is None else [given.seed]
        for seed in seeds:
            if fault := one(kind, seed):
                faults += 1
                print(f"{kind} {seed}: {fault}; repeat with --kind {kind} --seed {seed}")
        print(f"{kind}: {len(seeds)} models compared")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())

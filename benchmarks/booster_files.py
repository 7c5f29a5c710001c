"""Model files of XGBoost, LightGBM and CatBoost with a thousand trees, made of a few trained ones.

A library loads its file, and :func:`cattleya.adapters.model_files.read_model` reads the same file;
then both predict the same rows on one thread. The few trees that are trained are written several
times into the file: loading and predicting take as long whatever the trees say.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["Saved", "saved_models"]


@dataclass(frozen=True)
class Saved:
    """A file; what loads it in its library; and what predicts the second class with what loaded.

    ``error`` is how far that may be from what the file says: CatBoost misreads the last digits of
    its own JSON.
    """

    name: str
    path: Path
    load: Callable[[], Any]
    predict: Callable[[Any, Any], Any]
    error: float = 0.0


def saved_models(
    folder: Path, X: Any, y: Any, trained: int, trees: int, leaves: int
) -> Iterator[Saved]:
    """Give a file of every library that is installed."""
    makers = {"xgboost": _xgboost, "lightgbm": _lightgbm, "catboost": _catboost}
    for library, make in makers.items():
        if importlib.util.find_spec(library) is not None:
            yield make(folder, X, y, trained, trees, leaves)


def _xgboost(folder: Path, X: Any, y: Any, trained: int, trees: int, leaves: int) -> Saved:
    import xgboost

    model = xgboost.XGBClassifier(
        n_estimators=trained, max_leaves=leaves, max_depth=0, grow_policy="lossguide",
        min_child_weight=0, reg_lambda=0.01, n_jobs=1,
    ).fit(X, y)  # fmt: skip  # three lines
    document = json.loads(bytes(model.get_booster().save_raw("json")))
    booster = document["learner"]["gradient_booster"]["model"]
    few = booster["trees"]
    booster["trees"] = [few[number % len(few)] | {"id": number} for number in range(trees)]
    booster["gbtree_model_param"]["num_trees"] = str(trees)
    booster["iteration_indptr"] = list(range(trees + 1))
    booster["tree_info"] = [0] * trees
    path = folder / "model.ubj"
    xgboost.Booster(model_file=bytearray(json.dumps(document).encode())).save_model(path)

    def predict(loaded: Any, rows: Any) -> Any:
        loaded.set_param({"nthread": 1})
        return loaded.inplace_predict(rows)

    return Saved("XGBoost, .ubj", path, lambda: xgboost.Booster(model_file=path), predict)


def _lightgbm(folder: Path, X: Any, y: Any, trained: int, trees: int, leaves: int) -> Saved:
    import lightgbm

    model = lightgbm.LGBMClassifier(
        n_estimators=trained, num_leaves=leaves, min_child_samples=1, n_jobs=1, verbose=-1
    ).fit(X, y)
    head, *blocks = re.split(r"(?m)^Tree=\d+\n", model.booster_.model_to_string())
    blocks[-1], _, rest = blocks[-1].partition("end of trees")
    many = (f"Tree={number}\n{blocks[number % len(blocks)]}" for number in range(trees))
    head = re.sub(r"(?m)^tree_sizes=.*\n", "", head)
    path = folder / "model.txt"
    path.write_text(f"{head}{''.join(many)}end of trees{rest}")
    # Written by the library once more, it has the sizes by which it finds its trees.
    lightgbm.Booster(model_file=path).save_model(path)
    return Saved(
        "LightGBM, .txt",
        path,
        lambda: lightgbm.Booster(model_file=path),
        lambda loaded, rows: loaded.predict(rows, num_threads=1),
    )


def _catboost(folder: Path, X: Any, y: Any, trained: int, trees: int, leaves: int) -> Saved:
    import catboost

    model = catboost.CatBoostClassifier(
        iterations=trained, depth=int(np.log2(leaves)) + 1, thread_count=1, verbose=0,
        allow_writing_files=False,
    ).fit(X, y)  # fmt: skip  # three lines
    few, path = folder / "few.json", folder / "model.json"
    model.save_model(str(few), format="json")
    document = json.loads(few.read_text())
    some = document["oblivious_trees"]
    document["oblivious_trees"] = [some[number % len(some)] for number in range(trees)]
    path.write_text(json.dumps(document))

    def load() -> Any:
        loaded = catboost.CatBoostClassifier()
        return loaded.load_model(str(path), format="json")

    return Saved(
        "CatBoost, .json",
        path,
        load,
        lambda loaded, rows: loaded.predict_proba(rows, thread_count=1)[:, 1],
        1e-12,
    )

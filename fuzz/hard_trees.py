"""Trees whose rows take milliseconds to minutes: what load is made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.experiments.data.registry import load
from cattleya.explain.explainer import context_of

__all__ = ["Hard", "hard_trees"]

Rows = npt.NDArray[np.float64]
Hard = tuple[str, cattleya.Tree, Rows]  # a name, a tree, and rows of it

DATA_SETS = ("adult", "bank_marketing", "bank", "lending_loan")
ROWS_A_TREE = 3


def hard_trees(folder: Path | None, small: bool) -> Iterator[Hard]:
    """Give trees of the data sets in a folder, or of data made here; smaller ones where wanted."""
    if folder is not None:
        for name in DATA_SETS:
            data = load(name, folder)
            yield name, *_trained(data.x, data.y)
        return
    for seed in range(2 if small else 4):
        made = make_classification(
            n_samples=600 if small else 8_000,
            n_features=16,
            n_informative=8,
            n_classes=2 + seed % 2,
            flip_y=0.2,
            random_state=seed,
        )
        yield f"made {seed}", *_trained(*made)


def _trained(data: Any, labels: Any) -> tuple[cattleya.Tree, Rows]:
    model = DecisionTreeClassifier(random_state=0).fit(data, labels)
    explainer = cattleya.Explainer(model)
    matrix = context_of(explainer).model.rows.matrix(data)
    chosen = np.random.default_rng(0).choice(len(matrix), ROWS_A_TREE, replace=False)
    return explainer.tree, matrix[chosen]

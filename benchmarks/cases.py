"""The trees and rows that are timed: the first fold of the paper's protocol, as in the experiments.

Where a data set is not at hand, made-up data stands in for it, and says so.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.timing import Row
from cattleya.experiments.data.coding import Data
from cattleya.experiments.data.families import noisy_data
from cattleya.experiments.data.protocol import Fold, folds
from cattleya.experiments.data.registry import available, load

__all__ = ["DATA_SETS", "about", "load_case", "rows_of"]

#: All that the tables are about.
DATA_SETS = (
    "adult",
    "bank_marketing",
    "bank",
    "lending_loan",
    "farm_ads",
    "mnist49",
    "compas",
    "spambase",
)
SEED = 0


def load_case(name: str, folder: Path | None, rows: int, made_up: int) -> Fold:
    """Give the first of ten folds with some rows that were held out, drawn at random.

    ``made_up`` is how many rows a stand-in has.
    """
    if folder is not None and name in available(folder):
        data = load(name, folder)
    else:
        x, y = noisy_data(made_up, seed=len(name))
        features = tuple(f"f{i}" for i in range(x.shape[1]))
        data = Data(name, f"**a synthetic stand-in**: no {name}", x, y, features, ("0", "1"))
    return next(folds(data, 10, rows, SEED))


def rows_of(case: Fold) -> list[Row]:
    """Give the drawn rows as arrays."""
    return [np.ascontiguousarray(case.data.dense_row(number)) for number in case.drawn]


def about(case: Fold) -> str:
    """Describe the data and the tree."""
    rows, features = case.data.x.shape
    tree = case.model.tree_
    return (
        f"{case.data.origin}, {rows:,} rows x {features:,} features; a tree of "
        f"{tree.node_count:,} nodes, depth {tree.max_depth}; {len(case.drawn):,} held-out rows"
    )

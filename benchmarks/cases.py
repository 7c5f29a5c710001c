"""The trees and rows that are timed: real data where at hand, else a synthetic stand-in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier
from timing import Row


@dataclass(frozen=True)
class Case:
    """One fitted tree and held-out rows to explain; a row is a 1-D float64 array."""

    name: str
    origin: str
    model: DecisionTreeClassifier
    rows: tuple[Row, ...]
    numbers: tuple[int, ...]  # of the rows in the data, the first being 0


def data_directory(given: Path | None) -> Path | None:
    """Find the folder of data: `given`, else $CATTLEYA_DATA, else `../shared/data`, else none."""
    if given is not None:
        if not given.is_dir():
            raise SystemExit(f"--data {given}: there is no such folder")
        return given
    named = os.environ.get("CATTLEYA_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    return folder if folder.is_dir() else None


def load_case(name: str, folder: Path | None, n_rows: int, seed: int | None = None) -> Case:
    """Grow the tree of one data set: scikit-learn's defaults on the first of ten shuffled folds.

    The rows are the first of the held-out ones, or with a seed random ones: more rows then are the
    same and others.
    """
    path = folder / f"{name}.csv.gz" if folder else None
    if path is not None and path.is_file():
        x, y = _read(path)
        origin = f"`{path.name}`"
    else:
        x, y = _synthetic(seed=len(name))
        origin = f"**synthetic stand-in**, no `{name}.csv.gz` found"
    train, test = next(KFold(10, shuffle=True, random_state=0).split(x))
    model = DecisionTreeClassifier(random_state=0).fit(x[train], y[train])
    chosen = test if seed is None else np.random.default_rng(seed).permutation(test)
    numbers = tuple(chosen[:n_rows].tolist())
    rows = tuple(np.ascontiguousarray(x[i]) for i in numbers)
    shape = f"{x.shape[0]:,} rows x {x.shape[1]} features"
    return Case(name, f"{origin}, {shape}", model, rows, numbers)


def _read(path: Path) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Read a CSV file as numbers; the last column is the label, as 0, 1, ...

    Text becomes its rank among the column's sorted values. An empty cell becomes -1 in a column
    of text and the median in a column of numbers.
    """
    table = pd.read_csv(path, skipinitialspace=True)
    columns = [_numbers(table[name]) for name in table.columns[:-1]]
    return np.column_stack(columns), _ranks(table[table.columns[-1]])


def _numbers(column: pd.Series) -> NDArray[np.float64]:
    if pd.api.types.is_numeric_dtype(column):
        return column.fillna(column.median()).to_numpy(dtype=np.float64)
    return _ranks(column).astype(np.float64)


def _ranks(column: pd.Series) -> NDArray[np.int64]:
    return pd.Categorical(column).codes.astype(np.int64)


def _synthetic(seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Make data as large as `adult` with a tree as large.

    Half the columns are small integers, and a quarter of the labels is drawn at random.
    """
    x, y = make_classification(
        n_samples=48_842, n_features=14, n_informative=8, flip_y=0.25, random_state=seed
    )
    x[:, ::2] = np.round(2 * x[:, ::2])
    return x.astype(np.float64), y.astype(np.int64)

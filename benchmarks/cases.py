"""The trees and rows that are timed: real data where at hand, else a synthetic stand-in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
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
    x, y, origin = load_table(name, folder)
    train, test = next(KFold(10, shuffle=True, random_state=0).split(x))
    model = DecisionTreeClassifier(random_state=0).fit(x[train], y[train])
    chosen = test if seed is None else np.random.default_rng(seed).permutation(test)
    numbers = tuple(chosen[:n_rows].tolist())
    rows = tuple(_one_row(x, i) for i in numbers)
    shape = f"{x.shape[0]:,} rows x {x.shape[1]} features"
    return Case(name, f"{origin}, {shape}", model, rows, numbers)


def load_table(name: str, folder: Path | None) -> tuple[Any, NDArray[np.int64], str]:
    """Give the rows of a data set, their labels, and where they are from."""
    path = _find(folder, name) if folder else None
    if path is None:
        return *_synthetic(seed=len(name)), f"**synthetic stand-in**, no `{name}` found"
    return *(_read(path) if path.suffix == ".gz" else _read_arrays(path)), f"`{path.name}`"


def _find(folder: Path, name: str) -> Path | None:
    paths = (folder / f"{name}{suffix}" for suffix in (".csv.gz", ".npz"))
    return next((path for path in paths if path.is_file()), None)


def _one_row(x: Any, number: int) -> Row:
    row = x[[number]].toarray()[0] if hasattr(x, "toarray") else x[number]
    return np.ascontiguousarray(row, dtype=np.float64)


def _read_arrays(path: Path) -> tuple[Any, NDArray[np.int64]]:
    """Read images (`pixels`, `digit`) or a binary sparse matrix (`indices`, `indptr`, `y`)."""
    data = np.load(path)
    if "pixels" in data:
        return data["pixels"].astype(np.float64), _ranks(pd.Series(data["digit"]))
    ones = np.ones(len(data["indices"]))
    matrix = csr_matrix((ones, data["indices"], data["indptr"]), shape=tuple(data["shape"]))
    return matrix, _ranks(pd.Series(data["y"]))


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

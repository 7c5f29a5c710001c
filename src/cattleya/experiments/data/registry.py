"""Where the data comes from: a folder, a file, OpenML, or scikit-learn itself.

The registry names the paper's data sets. OpenML's files are cached by scikit-learn, which compares
each with the MD5 sum that OpenML publishes; the shape is compared with the one expected here. The
SHA-256 of the numbers goes into every result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cattleya.experiments.data.coding import Data, from_arrays_file, from_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BUNDLED", "REGISTRY", "DataSetError", "Registered", "available", "load"]

SUFFIXES = (".csv.gz", ".csv", ".tsv", ".parquet", ".npz")
#: scikit-learn's own, which need neither files nor a network.
BUNDLED = ("breast_cancer", "wine", "digits", "iris")


class DataSetError(ValueError):
    """A data set that cannot be had; the message says how to get it."""


@dataclass(frozen=True)
class Registered:
    """One of the paper's data sets.

    ``openml`` is the number of the set at OpenML that is the same extract, or None where we know of
    none: then a file is needed, and ``where`` says where it comes from. ``digits`` are the classes
    to keep of a larger set.
    """

    rows: int
    features: int
    openml: int | None
    where: str
    digits: tuple[str, ...] = ()


REGISTRY = {
    "recidivism": Registered(9549, 16, None, "ICPSR 8987, releases of 1978 and 1980"),
    "adult": Registered(48842, 14, 1590, "UCI 2, Adult"),
    "bank_marketing": Registered(45211, 16, 1461, "UCI 222, Bank Marketing, bank-full.csv"),
    "bank": Registered(41188, 16, None, "UCI 222, Bank Marketing, bank-additional-full.csv"),
    "lending_loan": Registered(39786, 15, None, "Kaggle, Lending Club loan data"),
    "contraceptive": Registered(1473, 9, 23, "UCI 30, Contraceptive Method Choice"),
    "compas": Registered(6172, 11, None, "ProPublica, compas-analysis"),
    "christine": Registered(5418, 1636, 41142, "the AutoML challenge"),
    "farm_ads": Registered(4143, 54877, None, "UCI 218, Farm Ads"),
    "mnist49": Registered(13782, 784, 554, "mnist_784", ("4", "9")),
    "spambase": Registered(4601, 57, 44, "UCI 94, Spambase"),
    "mnist38": Registered(13966, 784, 554, "mnist_784", ("3", "8")),
}


def available(folder: Path) -> list[str]:
    """Name the paper's data sets that a folder has, in the paper's order."""
    return [name for name in REGISTRY if _in_folder(folder, name) is not None]


def load(name: str, folder: Path | None = None, target: str | None = None) -> Data:
    """Load a data set.

    Parameters
    ----------
    name : str
        One of the registry or of scikit-learn's bundled sets, a file's name without its ending in
        ``folder``, or the path of a table.
    folder : Path, optional
        Where files are looked for first.
    target : str, optional
        The column to predict, of a table that is not in the registry; by default its last one.
        Such a table is called by the name of its file, so that ``adult.csv`` is not ``adult``.

    Examples
    --------
    >>> load("iris").x.shape
    (150, 4)
    """
    known = name.strip().lower().replace(" ", "_").replace("-", "_")
    path = _in_folder(folder, name) if folder else None
    if target is not None and (known in REGISTRY or (path is None and known in BUNDLED)):
        raise DataSetError(
            f"{name} has its own target, so that {target!r} cannot be predicted; leave --target "
            f"out, or give a table of your own by its path, such as people.csv"
        )
    if known in REGISTRY:
        return _registered(known, folder)
    if path is None and Path(name).name.lower().endswith(SUFFIXES):
        path = Path(name)
        if not path.is_file():
            raise DataSetError(f"there is no file {name!r}; give the path of a table")
    if path is not None:
        return _from_file(path.name, path, target)  # by its full name: none of the paper's
    if known in BUNDLED:
        return _bundled(known)
    raise DataSetError(
        f"there is no data set {name!r}; there are {', '.join((*REGISTRY, *BUNDLED))}, and any "
        f"table: give its path, such as people.csv, and --target"
    )


def _registered(name: str, folder: Path | None) -> Data:
    entry = REGISTRY[name]
    path = _in_folder(folder, name) if folder else None
    if path is not None:
        return _from_file(name, path, None)
    files = " or ".join(f"{name}{suffix}" for suffix in (".csv", ".csv.gz", ".npz"))
    looked = f"there is no {files} in {str(folder)!r}" if folder else "no folder was given"
    by_file = f"put {files} (the target last; from {entry.where}) in a folder and give --data-dir"
    if entry.openml is None:
        raise DataSetError(
            f"{name} is not at OpenML in the paper's form, and {looked}; {by_file}, or name a data "
            f"set that is there"
        )
    try:
        return _from_openml(name, entry)
    except (OSError, ImportError) as error:  # URLError is an OSError
        raise DataSetError(
            f"{name}: {looked}, and OpenML cannot be reached ({error}); {by_file}, or connect to "
            f"the network: it is fetched once, as https://www.openml.org/d/{entry.openml}"
        ) from error


def _from_openml(name: str, entry: Registered) -> Data:
    from sklearn.datasets import fetch_openml

    fetched = fetch_openml(data_id=entry.openml, as_frame=True, parser="auto")
    table: pd.DataFrame = fetched.data.assign(**{"the target": fetched.target})
    if entry.digits:
        table = table[table["the target"].astype(str).isin(entry.digits)]
    data = from_table(name, f"OpenML {entry.openml}", table)
    if data.x.shape != (entry.rows, entry.features):
        raise DataSetError(
            f"OpenML {entry.openml} has {data.x.shape[0]} rows x {data.x.shape[1]} features, where "
            f"{name} has {entry.rows} x {entry.features}: the copy in scikit-learn's cache is "
            f"another version, or damaged"
        )
    return data


def _from_file(name: str, path: Path, target: str | None) -> Data:
    from cattleya.support.files.tables import read_table

    if path.suffix == ".npz":
        if target is not None:
            raise DataSetError(f"{path.name} has its own target; leave --target {target!r} out")
        return from_arrays_file(name, path)
    return from_table(name, path.name, read_table(path), target)


def _bundled(name: str) -> Data:
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    x: np.ndarray[tuple[int, int], np.dtype[np.float64]] = bunch.data.astype(np.float64)
    return Data(
        name,
        "scikit-learn",
        x,
        bunch.target.astype(np.int64),
        tuple(map(str, bunch.feature_names)),
        tuple(map(str, bunch.target_names)),
    )


def _in_folder(folder: Path, name: str) -> Path | None:
    paths: Sequence[Path] = [folder / f"{name}{suffix}" for suffix in SUFFIXES]
    return next((path for path in paths if path.is_file()), None)

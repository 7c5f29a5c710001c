"""A table of wines with its model, in files, and the commands that explain and prove it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

from cattleya.adapters.model_files import write_model

WANT = "sufficient,minimal,contrastive,necessary,count,importance"
BATCH = (
    "batch", "wine.skops", "wine.parquet", "--id", "bottle", "--out", "out.parquet", "--want", WANT
)  # fmt: skip  # a list in few lines
VERIFY = ("verify", "out.parquet", "--model", "wine.skops", "--data", "wine.parquet")


def wine_files(folder: Path, n_rows: int) -> None:
    bunch = load_wine(as_frame=True)
    model = DecisionTreeClassifier(random_state=0).fit(bunch.data, bunch.target)
    write_model(folder / "wine.skops", model)
    rows = pd.concat([bunch.data] * 3, ignore_index=True)[:n_rows]
    rows += np.random.default_rng(0).normal(0, 0.1, rows.shape) * rows.std().to_numpy()
    rows["bottle"] = [f"{number:04d}" for number in range(len(rows))]
    rows.to_parquet(folder / "wine.parquet", row_group_size=100)
    rows.to_csv(folder / "wine.csv", index=False)


def contents(path: Path) -> Any:
    from pyarrow import parquet

    return parquet.read_table(path).drop_columns(["seconds"])


def change(path: Path, column: str, row: int, value: Any) -> None:
    """Change a cell of a result by hand."""
    import pyarrow as pa
    from pyarrow import parquet

    table = parquet.read_table(path)
    values = table.column(column).to_pylist()
    values[row] = value(values[row])
    place = table.schema.get_field_index(column)
    field = table.schema.field(column)
    table = table.set_column(place, field, pa.array(values, type=field.type))
    parquet.write_table(table, path)

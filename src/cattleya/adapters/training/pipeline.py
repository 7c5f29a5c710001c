"""A Pipeline that takes the columns of a table as they are, and a model behind it.

Categories become numbers in alphabetical order, as in the paper ("arbitrary numbers"), or one
column each (one-hot). Missing numbers stay missing, and the model learns where to send them; so do
missing categories where they are numbers. One-hot, missing is a category of its own.

A category that the rows to learn from do not have is accepted: as a number it is -1, before all
others; one-hot it is none of the columns. What explains such a row says that it is unseen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cattleya.adapters.training.table import TrainingTable
from cattleya.support.arrays import Places

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CODINGS", "pipeline_of"]

CODINGS = ("ordinal", "onehot")
UNSEEN = -1
MOST_BYTES = 2 << 30


def pipeline_of(table: TrainingTable, learned: Places, coding: str, model: Any) -> Any:
    """Return an unfitted Pipeline; ``learned`` are the rows whose categories are known to it."""
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

    if coding not in CODINGS:
        raise ValueError(f"the coding of categories must be one of {CODINGS}, not {coding!r}")
    numbers, categories = table.numbers, table.categories
    columns = table.columns.iloc[learned]
    _check_width(table, coding)
    known = [_known(columns[name]) for name in categories]
    encoder = (
        OrdinalEncoder(categories=known, handle_unknown="use_encoded_value", unknown_value=UNSEEN)
        if coding == "ordinal"
        else OneHotEncoder(categories=known, handle_unknown="ignore", sparse_output=False)
    )
    parts = [("numbers", "passthrough", numbers), ("categories", encoder, categories)]
    used = [part for part in parts if part[2]]
    one_hot = [f"{name}_{value}" for name, k in zip(categories, known, strict=True) for value in k]
    made = [*numbers, *(one_hot if coding == "onehot" else categories)]
    to_numbers = ColumnTransformer(used, verbose_feature_names_out=len(set(made)) < len(made))
    return Pipeline([("columns", to_numbers), ("tree", model)])


def _check_width(table: TrainingTable, coding: str) -> None:
    """Refuse a table that one-hot coding makes too wide, before it is made."""
    counts = {name: table.columns[name].nunique(dropna=False) for name in table.categories}
    width = len(table.numbers) + (sum(counts.values()) if coding == "onehot" else len(counts))
    if 8 * width * len(table.columns) > MOST_BYTES:
        largest = max(counts, key=lambda name: counts[name], default="")
        raise ValueError(
            f"the table would be too large for memory: {width} columns; {largest!r} has "
            f"{counts.get(largest, 0)} categories: drop it, or code categories as numbers (ordinal)"
        )


def _known(column: pd.Series[Any]) -> np.ndarray[Any, Any]:
    """Return the categories of a column in their order, what is missing at the end."""
    import pandas as pd

    of_numbers = isinstance(column.dtype, pd.CategoricalDtype) and (
        column.cat.categories.dtype.kind in "fiu"
    )
    present = column.dropna()
    values: list[Any] = sorted((present if of_numbers else present.astype(str)).unique())
    if column.isna().any() or not values:
        values.append(np.nan)
    return np.array(values, dtype=np.float64 if of_numbers else object)

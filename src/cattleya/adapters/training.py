"""A tree from a table of raw columns: numbers, categories, missing cells.

The model is a scikit-learn Pipeline that takes the columns as they are in the table, so that
explanations start from them too. Categories become numbers in alphabetical order, as in the paper
("arbitrary numbers"), or one column each (one-hot).

Missing numbers stay missing, and the tree learns where to send them; so do missing categories where
they are numbers. One-hot, missing is a category of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from cattleya.support.files.gaps import gaps_as_nan
from cattleya.support.text import quoted, shown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CODINGS", "Trained", "classes_of", "train"]

CODINGS = ("ordinal", "onehot")
FEWEST_CLASSES = 2
MOST_BYTES = 2 << 30
LARGEST_EXACT = 2.0**53
FLOAT32_MAX = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained model, and what is to be said about it."""

    model: Any
    numbers: list[str]
    categories: list[str]
    missing: dict[str, int]
    identifiers: list[str]  # columns that look like it
    rows_without_target: int
    class_sizes: dict[Any, int]
    trained_on: int
    held_out: list[int]
    right: int
    always_right: int  # by always giving the class that was most frequent in training

    @property
    def accuracy(self) -> Fraction:
        """The share of the held-out rows that get their own class."""
        return Fraction(self.right, len(self.held_out))


def train(
    table: pd.DataFrame,
    target: str,
    *,
    drop: Sequence[str] = (),
    coding: str = "ordinal",
    held_out: float = 0.25,
    seed: int = 0,
    **settings: Any,
) -> Trained:
    """Train a tree with scikit-learn's defaults, and try it on rows it has not seen.

    Parameters
    ----------
    table : DataFrame
        The rows, with the target among the columns.
    target : str
        The column to predict. Rows that lack it are left out.
    drop : sequence of str
        Columns that the tree shall not see.
    coding : {"ordinal", "onehot"}
        How categories become numbers.
    held_out : float
        The share of the rows that is kept for the trial.
    seed : int
        The same seed gives the same tree.
    **settings
        Of ``DecisionTreeClassifier``, such as ``max_depth``.
    """
    _check_columns(table, target, drop)
    known = table[table[target].notna()]
    classes = classes_of(known[target], target)
    columns = known.drop(columns=[target, *drop])
    numbers, categories = _kinds(columns)
    columns = columns.astype(dict.fromkeys(numbers, np.float64))
    gaps_as_nan(columns)
    _check_numbers(columns, numbers)
    kept, tried = _split(classes, held_out, seed)
    model = _pipeline(columns, numbers, categories, coding, {"random_state": seed} | settings)
    model.fit(columns.iloc[kept], classes[kept])
    predicted = model.predict(columns.iloc[tried])
    labels, counts = np.unique(classes[kept], return_counts=True)
    every_label, sizes = np.unique(classes, return_counts=True)
    return Trained(
        model=model,
        numbers=numbers,
        categories=categories,
        missing={str(name): int(n) for name, n in columns.isna().sum().items() if n},
        identifiers=_identifiers(columns, numbers, categories),
        rows_without_target=len(table) - len(known),
        class_sizes=dict(zip(every_label.tolist(), sizes.tolist(), strict=True)),
        trained_on=len(kept),
        held_out=np.flatnonzero(table[target].notna().to_numpy())[tried].tolist(),
        right=int((predicted == classes[tried]).sum()),
        always_right=int((classes[tried] == labels[counts.argmax()]).sum()),
    )


def _check_columns(table: pd.DataFrame, target: str, drop: Sequence[str]) -> None:
    names = list(table.columns)
    if target not in names:
        raise ValueError(f"there is no column {target!r} to predict; there are {quoted(names)}")
    if unknown := [name for name in drop if name not in names]:
        raise ValueError(f"there is no column {quoted(unknown)} to drop; there are {quoted(names)}")
    if target in drop:
        raise ValueError(f"{target!r} is to be predicted; it cannot be dropped")
    if set(names) == {target, *drop}:
        raise ValueError(f"besides {target!r} there is no column left to learn from")


def classes_of(column: pd.Series[Any], target: str) -> np.ndarray[Any, Any]:
    """Return the classes as text, whole numbers or truth values; refuse what is none."""
    import pandas as pd

    if not len(column):
        raise ValueError(f"{target!r} is missing in every row")
    if pd.api.types.is_bool_dtype(column):
        classes: np.ndarray[Any, Any] = column.to_numpy(dtype=np.bool_)
    elif pd.api.types.is_numeric_dtype(column):
        numbers = column.to_numpy(dtype=np.float64)
        if not np.isfinite(numbers).all() or (numbers != np.floor(numbers)).any():
            wrong = next(n for n in numbers if not math.isfinite(n) or n != math.floor(n))
            raise ValueError(
                f"{target!r} holds numbers such as {wrong:g}: a classification tree needs classes, "
                f"as text or whole numbers"
            )
        if column.dtype.kind == "f" and (np.abs(numbers) >= LARGEST_EXACT).any():
            raise ValueError(
                f"{target!r} holds numbers such as {numbers[np.abs(numbers).argmax()]:.0f}, too "
                f"large to be told apart in a column with blanks; write the classes as text"
            )
        classes = column.to_numpy(dtype=np.uint64 if numbers.max() >= 2.0**63 else np.int64)
    else:
        classes = column.astype(str).to_numpy(dtype=object)
    found = np.unique(classes)
    if len(found) < FEWEST_CLASSES:
        raise ValueError(
            f"every row has the same {target!r}, {found.tolist()[0]!r}: there is nothing to learn"
        )
    return classes


def _kinds(columns: pd.DataFrame) -> tuple[list[str], list[str]]:
    import pandas as pd

    numbers: list[str] = []
    categories: list[str] = []
    for name, column in columns.items():
        dtype: Any = column.dtype
        kinds = set(map(type, column.dropna())) if dtype.kind == "O" else set()
        is_category = bool(kinds) and all(issubclass(kind, str) for kind in kinds)
        if isinstance(dtype, pd.CategoricalDtype):
            is_number, is_category = False, is_category or dtype.categories.dtype.kind in "fiu"
        elif dtype.kind == "O":
            # Truth values with a gap, decimals, more than 64 bits, or blank in every row.
            is_number = all(issubclass(kind, (Real, Decimal)) for kind in kinds)
        else:
            is_number = dtype.kind in "fiub"
        if not is_number and not is_category:
            strange = (one for one in column.dropna() if not isinstance(one, str))
            example = next(strange, pd.NaT)
            only = "" if kinds.isdisjoint({str}) else ", and a text in others"
            raise TypeError(
                f"{name!r} is {shown(example)} in some rows{only}: write it as numbers or as "
                f"texts, or drop the column"
            )
        (numbers if is_number else categories).append(str(name))
    return numbers, categories


def _identifiers(
    columns: pd.DataFrame, numbers: Sequence[str], categories: Sequence[str]
) -> list[str]:
    """Return the columns that number or name the rows: there is nothing to learn from them."""
    names = [name for name in categories if columns[name].is_unique]
    steps = ((name, np.diff(columns[name].to_numpy())) for name in numbers)
    running = [name for name, step in steps if len(step) and (step == 1).all()]
    return [name for name in columns if name in {*names, *running}]


def _check_numbers(columns: pd.DataFrame, numbers: Sequence[str]) -> None:
    for name in numbers:
        wrong = columns[name].abs() > FLOAT32_MAX
        if wrong.any():
            raise ValueError(
                f"{name!r} is {columns[name][wrong].iloc[0]} in some row, which is too large for "
                f"scikit-learn; correct it, or drop the column"
            )


def _split(
    classes: np.ndarray[Any, Any], held_out: float, seed: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the places of rows to train on and to try, each class in proportion if it can be."""
    from sklearn.model_selection import train_test_split

    if not 0 < held_out < 1:
        raise ValueError(f"the share of rows held out must be between 0 and 1, not {held_out}")
    _, sizes = np.unique(classes, return_counts=True)
    tried = math.ceil(held_out * len(classes))
    enough = sizes.min() >= FEWEST_CLASSES and len(sizes) <= min(tried, len(classes) - tried)
    kept, others = train_test_split(
        np.arange(len(classes)),
        test_size=held_out,
        random_state=seed,
        stratify=classes if enough else None,
    )
    return np.sort(kept), np.sort(others)


def _pipeline(
    columns: pd.DataFrame,
    numbers: list[str],
    categories: list[str],
    coding: str,
    settings: dict[str, Any],
) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
    from sklearn.tree import DecisionTreeClassifier

    if coding not in CODINGS:
        raise ValueError(f"the coding of categories must be one of {CODINGS}, not {coding!r}")
    # The categories of all rows: one that only a held-out row has is known too, and one that no
    # row has is an error rather than a number of its own.
    known = [_known(columns[name]) for name in categories]
    width = len(numbers) + (sum(map(len, known)) if coding == "onehot" else len(known))
    if 8 * width * len(columns) > MOST_BYTES:
        largest = max(zip(map(len, known), categories, strict=True), default=(0, ""))
        raise ValueError(
            f"the table would be too large for memory: {width} columns; {largest[1]!r} has "
            f"{largest[0]} categories: drop it, or code categories as numbers (ordinal)"
        )
    encoder = (
        OrdinalEncoder(categories=known)
        if coding == "ordinal"
        else OneHotEncoder(categories=known, sparse_output=False)
    )
    parts = [("numbers", "passthrough", numbers), ("categories", encoder, categories)]
    used = [part for part in parts if part[2]]
    one_hot = [f"{name}_{value}" for name, k in zip(categories, known, strict=True) for value in k]
    made = [*numbers, *(one_hot if coding == "onehot" else categories)]
    to_numbers = ColumnTransformer(used, verbose_feature_names_out=len(set(made)) < len(made))
    return Pipeline([("columns", to_numbers), ("tree", DecisionTreeClassifier(**settings))])


def _known(column: pd.Series[Any]) -> np.ndarray[Any, Any]:
    """Return the categories of a column in their order, what is missing at the end."""
    import pandas as pd

    of_numbers = isinstance(column.dtype, pd.CategoricalDtype) and (
        column.cat.categories.dtype.kind in "fiu"
    )
    present = column.dropna()
    values: list[Any] = sorted((present if of_numbers else present.astype(str)).unique())
    if column.isna().any():
        values.append(np.nan)
    return np.array(values, dtype=np.float64 if of_numbers else object)

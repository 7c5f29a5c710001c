"""A table to learn from: which columns are numbers, which are categories, and what is wrong.

Columns are taken as they are in the table, so that explanations start from them too. What cannot be
learned from is refused by name; what probably should not be learned from (identifiers, dates) is
pointed out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cattleya.support.files.gaps import gaps_as_nan
from cattleya.support.frames import as_pandas
from cattleya.support.suggestions import known_names
from cattleya.support.text import quoted, shown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TrainingTable", "classes_of"]

FEWEST_CLASSES = 2
LARGEST_EXACT = 2.0**53
FLOAT32_MAX = float(np.finfo(np.float32).max)
MOST_LOOKED_AT = 1000  # cells of a column, to tell whether it holds dates
DATE = re.compile(r"\s*(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{2,4})(?!\d).*")


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """The rows of a table that have a target, and what is known of its columns.

    ``places`` are those of these rows in the table as it was given.
    """

    target: str
    columns: pd.DataFrame
    classes: npt.NDArray[Any]
    places: npt.NDArray[np.intp]
    numbers: list[str]
    categories: list[str]
    rows_without_target: int

    @classmethod
    def of(cls, table: Any, target: Any, drop: Iterable[Any] = ()) -> TrainingTable:
        """Look at a table: of pandas, polars or pyarrow."""
        table = _as_table(table)
        drop = _dropped(drop)
        _check_columns(table, target, drop)
        known = table[table[target].notna()]
        classes = classes_of(known[target], target)
        columns = known.drop(columns=[target, *drop])
        numbers, categories = _kinds(columns)
        columns = columns.astype(dict.fromkeys(numbers, np.float64))
        gaps_as_nan(columns)
        _check_numbers(columns, numbers)
        places = np.flatnonzero(table[target].notna().to_numpy())
        return cls(target, columns, classes, places, numbers, categories, len(table) - len(known))

    @property
    def missing(self) -> dict[str, int]:
        """The number of missing cells of each column that has any."""
        return {str(name): int(n) for name, n in self.columns.isna().sum().items() if n}

    @property
    def class_sizes(self) -> dict[Any, int]:
        """The number of rows of each class."""
        labels, sizes = np.unique(self.classes, return_counts=True)
        return dict(zip(labels.tolist(), sizes.tolist(), strict=True))

    @property
    def identifiers(self) -> list[str]:
        """The columns that number or name the rows: there is nothing to learn from them."""
        columns = self.columns
        names = [name for name in self.categories if columns[name].is_unique]
        steps = ((name, np.diff(columns[name].to_numpy())) for name in self.numbers)
        running = [name for name, step in steps if len(step) and (step == 1).all()]
        return [name for name in columns if name in {*names, *running}]

    @property
    def dates(self) -> list[str]:
        """The columns of texts that look like dates, each of which is a category by itself."""
        found = []
        for name in self.categories:
            cells = [cell for cell in self.columns[name].head(MOST_LOOKED_AT) if cell == cell]  # noqa: PLR0124 - not NaN
            if cells and all(isinstance(cell, str) and DATE.fullmatch(cell) for cell in cells):
                found.append(name)
        return found


def _as_table(table: Any) -> pd.DataFrame:
    table = as_pandas(table)
    if not hasattr(table, "iloc") or not hasattr(table, "columns"):
        raise TypeError(
            f"a table to learn from must be a DataFrame of pandas or polars, or a pyarrow table, "
            f"not {shown(table)}"
        )
    if not len(table):
        raise ValueError("the table has no rows; there is nothing to learn")
    if not table.columns.is_unique:
        twice = table.columns[table.columns.duplicated()][0]
        raise ValueError(f"the table has the column {shown(twice)} twice; keep one")
    if wrong := [name for name in table.columns if not isinstance(name, str)]:
        raise TypeError(
            f"the table has the column {shown(wrong[0])}, whose name is no text; rename it, as "
            f"with frame.rename(columns=str)"
        )
    return table  # type: ignore[no-any-return]  # told by its looks


def _dropped(drop: Any) -> list[Any]:
    if isinstance(drop, (str, bytes)) or not isinstance(drop, Iterable):
        raise TypeError(f"drop must be a list of columns, not {shown(drop)}")
    return list(drop)


def _check_columns(table: pd.DataFrame, target: Any, drop: Sequence[Any]) -> None:
    names = list(table.columns)
    if target not in names:
        raise ValueError(
            f"there is no column {shown(target)} to predict; there are "
            f"{known_names([target], names)}"
        )
    if unknown := [name for name in drop if name not in names]:
        raise ValueError(
            f"there is no column {quoted(unknown)} to drop; there are {known_names(unknown, names)}"
        )
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


def _check_numbers(columns: pd.DataFrame, numbers: Sequence[str]) -> None:
    for name in numbers:
        wrong = columns[name].abs() > FLOAT32_MAX
        if wrong.any():
            raise ValueError(
                f"{name!r} is {columns[name][wrong].iloc[0]} in some row, which is too large for "
                f"scikit-learn; correct it, or drop the column"
            )

"""The columns that a model takes from a table, by name, and as what.

A table alone cannot tell whether ``1234`` is a number or a category: the model knows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cattleya.adapters.wrappers import unwrapped
from cattleya.model.domain.domain import Domain, Number
from cattleya.model.tree.tree import Tree
from cattleya.support.files.errors import TableFileError
from cattleya.support.suggestions import hint
from cattleya.support.text import quoted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ModelColumns"]

WHOLE = 2.0**53  # beyond, not every whole number is a float
TRUTH = {"true": True, "false": False}  # as pandas reads a column that has nothing else


@dataclass(frozen=True)
class ModelColumns:
    """The columns of a model: ``names`` is None where it was trained without names.

    ``categories`` are the columns that an encoder in the model takes as text, with its categories
    in the order of their numbers. ``numbers`` are those in which it takes numbers, as far as known.
    """

    names: tuple[str, ...] | None
    count: int | None
    categories: dict[str, tuple[Any, ...]]
    all_numbers: bool
    numbers: frozenset[str] = frozenset()

    @classmethod
    def of(cls, model: Any, domain: Domain | None = None) -> ModelColumns:
        """Find out what a model takes; ``domain`` says which columns its steps take as numbers."""
        model, _ = unwrapped(model)
        if isinstance(model, Tree):
            names = model.feature_names if model.has_names else None
            return cls(names, model.n_features, {}, all_numbers=True)
        known = getattr(model, "feature_names_in_", None)
        names = None if known is None else tuple(str(name) for name in known)
        count = getattr(model, "n_features_in_", None)
        categories, plain = _categories(model, names or ()), not hasattr(model, "steps")
        numbers = {name for name, known in categories.items() if all(map(_is_number, known))}
        if domain is not None:
            for one in domain.attributes:  # of which some are categories that are written as codes
                if isinstance(one, Number) or one.written is not None:
                    numbers |= {domain.raw_names[place] for place in one.raw}
        return cls(names, count, categories, plain, frozenset(numbers))

    @property
    def text(self) -> tuple[str, ...]:
        """The columns to be read as text."""
        return tuple(
            name
            for name, known in self.categories.items()
            if any(isinstance(category, str) for category in known)
        )

    def choose(self, table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
        """Return the model's columns of a table in its order, and the names of the others."""
        names, extra = self.chosen([str(name) for name in table.columns])
        return (table if names is None else self._as_numbers(table[list(names)])), extra

    def chosen(self, given: list[str]) -> tuple[tuple[str, ...] | None, list[str]]:
        """Return which columns the model takes, None for all as they are, and the others."""
        names = self.names
        if names is None and self.count is not None:
            by_place = tuple(f"x{i}" for i in range(self.count))
            if len(given) != self.count and not set(by_place) <= set(given):
                raise TableFileError(
                    f"the model was trained without names and takes {self.count} columns in "
                    f"order, but the table has {len(given)}: {quoted(given)}; remove the others"
                )
            names = by_place if set(by_place) <= set(given) else tuple(given)
        if names is None:
            return None, []
        extra = [name for name in given if name not in set(names)]
        if missing := [name for name in names if name not in set(given)]:
            others = f"; it has {quoted(extra)} instead" if extra else ""
            plural = "s" if len(missing) > 1 else ""
            raise TableFileError(
                f"the table lacks the model's column{plural} {quoted(missing)}{others}"
                f"{hint(missing, extra)}"
            )
        return names, extra

    def _as_numbers(self, table: pd.DataFrame) -> pd.DataFrame:
        """Read numbers in columns that some other row has made text; leave what is none."""
        import pandas as pd

        mixed = [
            str(name)
            for name, dtype in table.dtypes.items()
            if (self.all_numbers or name in self.numbers)
            and not pd.api.types.is_numeric_dtype(dtype)
            and dtype.kind not in "mM"  # dates are none
        ]
        read = {name: _numbers(table[name]) for name in mixed}
        return table.assign(
            **{
                name: values
                if values.notna().all()
                else _objects(values).where(values.notna(), _whole(table[name]))
                for name, values in read.items()
            }
        )


def _objects(values: pd.Series[Any]) -> pd.Series[Any]:
    """Return numbers with gaps as objects: as whole ones, where all that are there are whole."""
    present = values.dropna()
    whole = np.isfinite(present).all() and (present % 1 == 0).all() and present.abs().max() < WHOLE
    return values.astype("Int64" if whole else values.dtype).astype(object)


def _numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return the numbers of a column, and NaN for what is none."""
    import pandas as pd

    try:
        return pd.to_numeric(column, errors="coerce")
    except OverflowError:  # a whole number too large for a float: none, like what is no number
        return column.map(_number)


def _whole(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return what a file says of what is no float: truth values, and whole numbers too large."""
    import pandas as pd

    return pd.Series([_otherwise(cell) for cell in column], index=column.index, dtype=object)


def _otherwise(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    if cell.lower() in TRUTH:
        return TRUTH[cell.lower()]
    try:
        return int(cell) if cell.strip("+-").isdecimal() else cell
    except ValueError:  # of more digits than Python reads
        return cell


def _number(cell: Any) -> float:
    try:
        number = float(cell)
    except (ValueError, TypeError, OverflowError):
        return math.nan
    return number if math.isfinite(number) else math.nan


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number, np.bool_))


def _categories(model: Any, names: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """Find the encoders of a model, and the columns that each of them takes."""
    known = getattr(model, "categories_", None)
    if known is not None and len(known) == len(names):
        return {name: tuple(found) for name, found in zip(names, known, strict=True)}
    found: dict[str, tuple[Any, ...]] = {}
    for _, step in getattr(model, "steps", ()):
        found |= _categories(step, names)
    for _, step, columns in getattr(model, "transformers_", ()):
        found |= _categories(step, _chosen(columns, names))
    return found


def _chosen(columns: Any, names: Sequence[str]) -> list[str]:
    """Return the names of what a ColumnTransformer selects: names, places, or a slice or mask."""
    if isinstance(columns, str):
        return [columns]
    if all(isinstance(column, str) for column in (columns if np.iterable(columns) else [0])):
        return list(columns)
    return np.atleast_1d(np.array(names, dtype=object)[columns]).tolist() if names else []

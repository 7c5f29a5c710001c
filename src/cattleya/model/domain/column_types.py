"""What the column types of a table say about the values that features can have.

Only types are looked at, never values: a column of integers holds whole numbers and nothing else,
but one of floats that happen to be whole may hold others tomorrow. Truth values are a type, too,
where some are missing and pandas calls them objects.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cattleya.model.domain.domain import Attribute, Category, Domain, Number
from cattleya.model.domain.stated import coded, tests_beyond_whole
from cattleya.model.tree.rows import is_frame
from cattleya.model.tree.tree import Tree
from cattleya.support.frames import as_pandas
from cattleya.support.suggestions import known_names
from cattleya.support.text import shown

__all__ = ["ColumnTypes", "only_types", "types_of", "under_types"]


@dataclass(frozen=True)
class ColumnTypes:
    """The names of a table's columns, and their types: what there is to know, without pandas."""

    columns: tuple[str, ...]
    dtypes: tuple[Any, ...]

    def __len__(self) -> int:
        return 0  # rows

    @classmethod
    def of_numbers(cls, columns: tuple[str, ...], dtypes: tuple[Any, ...]) -> ColumnTypes | None:
        """Return the same as :func:`types_of`: None where no column is of whole numbers."""
        return cls(columns, dtypes) if any(dtype.kind in "iu" for dtype in dtypes) else None


def only_types(data: Any) -> Any:
    """Return a table without its rows."""
    if isinstance(data, ColumnTypes):
        return data
    data = as_pandas(data)
    if not is_frame(data) or not hasattr(data, "iloc"):
        raise TypeError(
            f"data must be a DataFrame as the model takes it, whose column types say what values "
            f"there are, not {type(data).__name__}; state integer= and categories= instead"
        )
    return data.astype(dict.fromkeys(_of_truth_values(data), "boolean")).iloc[:0]


def _of_truth_values(data: Any) -> list[Any]:
    """Return the columns of truth values that pandas takes for objects, as some are missing."""
    objects = [place for place, dtype in enumerate(data.dtypes) if str(dtype) == "object"]
    if not data.columns.is_unique:
        return []
    present = {data.columns[i]: data.iloc[:, i].dropna() for i in objects}
    return [n for n, own in present.items() if len(own) and all(type(v) is bool for v in own)]


def types_of(frames: Iterable[Any]) -> Any:
    """Return a table without rows that has the types of the columns of all frames together.

    A file of texts cannot say what type a column has: one of whole numbers with gaps is read as
    floats. Such a column is one of whole numbers here, if all that is there is whole; so is one
    that has texts among its numbers. None where no column is of whole numbers or truth values.

    Examples
    --------
    >>> import pandas as pd
    >>> frames = [pd.DataFrame({"age": [38, 51]}), pd.DataFrame({"age": [None, 7.0]})]
    >>> types_of(frames)["age"].dtype
    Int64Dtype()
    """
    import pandas as pd

    kinds: dict[Any, set[str]] = {}
    for frame in frames:
        for place, name in enumerate(frame.columns):
            kinds.setdefault(name, set()).add(_kind(frame.iloc[:, place]))
    found = {name: kind - {"nothing"} for name, kind in kinds.items()}
    known = {
        name: DTYPES.get(next(iter(kind)), "object") if len(kind) == 1 else "object"
        for name, kind in found.items()
    }
    if not set(known.values()) - {"object"}:
        return None
    return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in known.items()})


DTYPES = {"whole": "Int64", "truth": "boolean"}


def _kind(column: Any) -> str:
    """Return what a column holds: whole numbers, truth values, something else, or nothing."""
    import pandas as pd

    kind = getattr(column.dtype, "kind", "O")
    present = column.dropna()
    if not len(present):
        return "nothing"
    if kind in "iub":
        return "truth" if kind == "b" else "whole"
    if kind == "f" and len(present) < len(column):
        values = np.asarray(present, dtype=np.float64)
        return "whole" if (np.isfinite(values) & (values == np.floor(values))).all() else "other"
    # A column of texts only may be long, and is not looked through.
    if kind == "O" and not isinstance(column.dtype, pd.StringDtype):
        # a cell that is no number makes objects of a column, and its row is refused
        numbers = [value for value in present if not isinstance(value, str)]
        if numbers and all(type(value) is bool for value in numbers):
            return "truth"
        if numbers and all(
            type(v) is int or (type(v) is float and v.is_integer()) for v in numbers
        ):
            return "whole"
    return "other"


def under_types(domain: Domain, tree: Tree, data: Any) -> Domain:
    """Return the domain under the column types of a table, as the model takes it.

    A number in a column of integers takes whole numbers only; in a pandas categorical of numbers,
    or in a column of truth values, it is a category.

    Examples
    --------
    >>> import pandas as pd
    >>> tree = Tree([-1], [-1], [-1], [0.0], [0], n_features=2, feature_names=["age", "pay"])
    >>> table = pd.DataFrame({"age": [38, 51], "pay": [7.0, 9.0]})
    >>> [number.integer for number in under_types(Domain.plain(tree), tree, table).attributes]
    [True, False]
    """
    names, dtypes = list(data.columns), list(data.dtypes)
    by_name = _are_named(names, domain.raw_names)

    def typed(attribute: Attribute) -> Attribute:
        if isinstance(attribute, Category) or len(attribute.raw) != 1:
            return attribute
        (raw,) = attribute.raw
        place = names.index(domain.raw_names[raw]) if by_name else raw
        return _typed(attribute, dtypes[place], tree)

    return replace(domain, attributes=tuple(map(typed, domain.attributes)))


def _are_named(names: list[Any], known: tuple[str, ...]) -> bool:
    """Tell whether columns go by their names; where neither side has any they go by their places.

    Refuse a table of which some column cannot be told.
    """
    if set(known) <= set(names):
        if twice := [name for name in known if names.count(name) > 1]:
            raise ValueError(f"data has the column {shown(twice[0])} twice; keep one")
        return True
    unnamed = all(name == f"x{place}" for place, name in enumerate(known))
    if unnamed or not any(isinstance(name, str) for name in names):
        if len(names) == len(known):
            return False
        raise ValueError(
            f"data has {len(names)} columns, but the model takes {len(known)}; give it as the "
            f"model takes it"
        )
    missing = next(name for name in known if name not in names)
    raise ValueError(
        f"data lacks the column {shown(missing)}, which the model takes; it has "
        f"{known_names([missing], names)}"
    )


def _typed(number: Number, dtype: Any, tree: Tree) -> Attribute:
    kind = getattr(dtype, "kind", "O")
    if kind in "iu" and not tests_beyond_whole(number, tree):
        return replace(number, integer=True)
    if kind == "b":
        return coded(number, {False: False, True: True}, f"data[{number.name!r}]", tree)
    categories = getattr(dtype, "categories", None)
    if categories is not None and categories.dtype.kind in "iuf":
        codes = {code: code for code in categories.tolist()}
        return coded(number, codes, f"data[{number.name!r}]", tree)
    return number

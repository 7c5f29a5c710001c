"""Rows with some attributes changed: in the tree's columns, and in those that the user gave."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from cattleya.changes.regions import Regions
from cattleya.model.domain.domain import Attribute, Category, OneOf, is_missing
from cattleya.model.tree.rows import is_frame, is_sparse
from cattleya.support.arrays import Floats

__all__ = ["RawRow", "concrete", "layout", "like", "stacked", "tree_row", "written"]


#: New values by tested attribute: a number in the user's units (NaN: missing), or the place of a
#: category's value.
NewValues = Mapping[int, float | int]

#: Which of the user's values to write, by the place of a category's, where several are alike.
Named = Mapping[int, Hashable]


def tree_row(regions: Regions, row: Floats, values: NewValues) -> Floats:
    """Return the row in the tree's columns; the user's own numbers as they are before the cast."""
    changed = row.copy()
    for tested, value in values.items():
        attribute = regions.attributes[tested]
        if isinstance(attribute, Category):
            changed[list(attribute.columns)] = attribute.points[int(value)]
        elif attribute.steps or attribute.extra:
            changed[attribute.column] = attribute.to_tree(float(value), regions.tree.row_dtype)
        else:
            changed[attribute.column] = float(value)
    return changed


def written(attribute: Attribute, value: float | int, named: Named | None = None) -> Any:
    """Return a new value as the user would write it; None is missing."""
    if isinstance(attribute, Category):
        found = concrete(attribute, int(value), named)
        return None if is_missing(found) else found
    if math.isnan(value):
        return None
    return int(value) if attribute.integer else float(value)


def concrete(category: Category, place: int, named: Named | None = None) -> Any:
    """Return one value of the user's, where a category's own stands for several."""
    if named and place in named:
        return named[place]
    value = category.values[place]
    if not isinstance(value, OneOf):
        return value
    present = [one for one in value.values if not is_missing(one)]
    return (present or value.values or (_unseen(category),))[0]


def _unseen(category: Category) -> Any:
    """Return a value that the model has never seen, of the kind of those that it has."""
    known = [v for value in category.values for v in _parts(value) if not is_missing(v)]
    if known and all(isinstance(v, (int, float, np.number)) for v in known):
        return max(known) + 1  # type: ignore[type-var, operator]  # they are numbers
    name = "another value"
    while name in known:
        name += "'"
    return name


def _parts(value: Hashable) -> Sequence[Hashable]:
    return value.values if isinstance(value, OneOf) else (value,)


def layout(row: Any) -> Hashable:
    """Return the types of a row's columns, or of its array."""
    return tuple(map(str, row.dtypes)) if is_frame(row) else str(row.dtype)


def stacked(rows: Sequence[Any]) -> Any:
    """Return several rows of one layout as one table."""
    if not is_frame(rows[0]):
        return np.stack(rows)
    import pandas as pd

    return pd.concat(rows, ignore_index=True)


class RawRow:
    """One row as a pipeline takes it: a frame of one line, or an array of one line."""

    def __init__(self, regions: Regions, given: Any) -> None:
        self._regions = regions
        self._given = given.toarray() if is_sparse(given) else given
        self._is_frame = is_frame(given)

    @cached_property
    def values(self) -> dict[int, object]:
        """The user's own values by tested attribute, for those of a single raw column."""
        return {
            tested: self._cell(attribute.raw[0])
            for tested, attribute in enumerate(self._regions.attributes)
            if len(attribute.raw) == 1
        }

    def can_change(self, attributes: Iterable[int]) -> bool:
        """Tell whether some attributes were all traced back to raw columns."""
        return all(self._regions.attributes[tested].raw for tested in attributes)

    def changed(self, values: NewValues, named: Mapping[int, Named]) -> Any:
        """Return the row with new values: a frame of one line, or an array."""
        cells: dict[int, Any] = {}
        for tested, value in values.items():
            attribute = self._regions.attributes[tested]
            if not isinstance(attribute, Category):
                cells[attribute.raw[0]] = written(attribute, value)
            elif attribute.written is None:
                cells[attribute.raw[0]] = concrete(attribute, int(value), named.get(tested))
            else:
                cells.update(zip(attribute.raw, attribute.written[int(value)], strict=True))
        return self._frame(cells) if self._is_frame else self._array(cells)

    def _cell(self, column: int) -> object:
        if self._is_frame:
            return self._given[self._name(column)].iloc[0]
        return self._given[0, column]

    def _name(self, column: int) -> str:
        return self._regions.domain.raw_names[column]

    def _frame(self, cells: dict[int, Any]) -> Any:
        frame = self._given.copy()
        for column, value in cells.items():
            name = self._name(column)
            frame[name] = like(frame[name], value)
        return frame

    def _array(self, cells: dict[int, Any]) -> Any:
        row = self._given[0]
        whole = all(isinstance(value, (int, np.integer)) for value in cells.values())
        # Single precision would round a value that is only just on its side of a threshold.
        keeps = row.dtype.kind in ("iub" if whole else "") or row.dtype in (object, np.float64)
        row = row.copy() if keeps else row.astype(np.float64)
        for column, value in cells.items():
            row[column] = math.nan if value is None else value
        return row


def like(column: Any, value: Any) -> Any:
    """Return a column of one value, of the type of another where that can hold the value.

    An imputer that was fitted on floating point numbers takes no column of whole ones.
    """
    import pandas as pd

    new, dtype = pd.Series([value], index=column.index, dtype=object), column.dtype
    other = new.astype(float) if is_missing(value) else new.infer_objects()
    is_category = isinstance(dtype, pd.CategoricalDtype)
    if is_category and not is_missing(value) and value not in dtype.categories:
        return other
    try:
        kept = new.astype(dtype)
    except (TypeError, ValueError, OverflowError):
        return other
    (held,) = kept.tolist()
    same = is_missing(held) if is_missing(value) else not is_missing(held) and held == value
    return kept if same else other

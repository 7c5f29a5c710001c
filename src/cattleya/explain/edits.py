"""A row with other values: what each feature can be set to, and the row that comes of it.

For whoever asks "what if": on the page of the explorer, values are typed and chosen as text.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cattleya.changes.raw_row import like
from cattleya.explain.context import ModelContext
from cattleya.model.domain.domain import Attribute, Category, Number, OneOf, is_missing
from cattleya.model.domain.shortest import inside
from cattleya.support.arrays import Floats
from cattleya.support.text import quoted, shown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MISSING", "Editable", "editables", "typed", "with_values"]

MISSING = "missing"
LARGEST_WHOLE = 1e16
MOST_STOPS = 200  # of a slider: of more thresholds some are passed over


@dataclass(frozen=True)
class Editable:
    """A feature, and what it can be set to.

    Attributes
    ----------
    name : str
    choices : tuple of str
        The values of a category, as text; empty for a number.
    stops : tuple of float
        Of a number that the model tests: one value between each two of its thresholds, in order.
    thresholds : tuple of float
        The thresholds between these, in the user's units.
    whole : bool
        Whether it takes whole numbers only.
    can_change : bool
        Whether it was traced back to the user's columns.
    """

    name: str
    choices: tuple[str, ...] = ()
    stops: tuple[float, ...] = ()
    thresholds: tuple[float, ...] = ()
    whole: bool = False
    can_change: bool = True

    @property
    def is_number(self) -> bool:
        """Whether a number is typed, and not a category chosen."""
        return not self.choices


def editables(context: ModelContext) -> tuple[Editable, ...]:
    """Return what each feature of a model can be set to."""
    return tuple(
        _editable(context, place, attribute)
        for place, attribute in enumerate(context.domain.attributes)
    )


def with_values(context: ModelContext, row: pd.DataFrame, given: Mapping[str, str]) -> pd.DataFrame:
    """Return a row, a frame of one line in the model's order, with some features set to others.

    A number is given as text, a category by its name, ``missing`` for no value. ``ValueError``
    names what cannot be set so.
    """
    attributes = {attribute.name: attribute for attribute in context.domain.attributes}
    changed = row.copy()
    for name, text in given.items():
        attribute = attributes.get(name)
        if attribute is None:
            raise ValueError(f"there is no feature {shown(name)}; there are {_known(attributes)}")
        if not attribute.raw:
            raise ValueError(
                f"{shown(name)} is computed from several columns, and cannot be set by itself"
            )
        for column, value in zip(attribute.raw, _cells(attribute, text), strict=True):
            label = changed.columns[column]
            changed[label] = like(changed[label], value)
    return changed


def _known(attributes: Mapping[str, Attribute]) -> str:
    return quoted(list(attributes))


def _cells(attribute: Attribute, text: str) -> tuple[Any, ...]:
    """Return what is written in the user's columns of an attribute for a value given as text."""
    if isinstance(attribute, Number):
        return (_number(attribute, text),)
    if text == MISSING and attribute.written is None and MISSING not in _choices(attribute):
        return (None,)
    for place, value in enumerate(attribute.values):
        for one in _concrete(value):
            if _said(one) == text:
                return (one,) if attribute.written is None else attribute.written[place]
    raise ValueError(
        f"{attribute.name!r} cannot be {shown(text)}; its values are {quoted(_choices(attribute))}"
    )


def _number(number: Number, text: str) -> Any:
    if text == MISSING:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(
            f"{number.name!r} cannot be {shown(text)}; give a number, or {MISSING!r}"
        ) from None
    if number.integer and not value.is_integer():
        raise ValueError(f"{number.name!r} cannot be {shown(text)}; it takes whole numbers only")
    if not number.lower <= value <= number.upper:
        raise ValueError(
            f"{number.name!r} cannot be {shown(text)}; it is from {number.lower:g} to "
            f"{number.upper:g}"
        )
    return int(value) if number.integer else value


def _choices(category: Category) -> list[str]:
    texts = [_said(one) for value in category.values for one in _concrete(value)]
    return list(dict.fromkeys(texts))


def _concrete(value: Hashable) -> tuple[Hashable, ...]:
    return value.values if isinstance(value, OneOf) else (value,)


def _said(value: Hashable) -> str:
    return MISSING if is_missing(value) else str(value)


def typed(value: Any, whole: bool, dtype: str = "float64") -> str:
    """Return a value as one would type it, so that :func:`with_values` takes it.

    >>> typed(38.0, True), typed(0.10000000149011612, False, "float32"), typed(None, False)
    ('38', '0.1', 'missing')
    """
    if isinstance(value, OneOf):
        value = value.values[0] if value.values else None
    if is_missing(value):
        return MISSING
    if not isinstance(value, float):
        return str(value)
    if value.is_integer() and abs(value) < LARGEST_WHOLE:
        return str(int(value))
    seen = np.dtype(dtype).type(value)
    return str(seen) if float(seen) == value else repr(value)


def _editable(context: ModelContext, place: int, attribute: Attribute) -> Editable:
    if isinstance(attribute, Category):
        return Editable(attribute.name, tuple(_choices(attribute)), can_change=bool(attribute.raw))
    stops, thresholds = _stops(context, place, attribute)
    return Editable(
        attribute.name,
        stops=stops,
        thresholds=thresholds,
        whole=attribute.integer,
        can_change=bool(attribute.raw),
    )


def _stops(
    context: ModelContext, place: int, number: Number
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return a value between each two thresholds of a number, and the thresholds."""
    cells = context.of_complete_rows.cells
    own: Floats = cells.level_threshold[cells.level_start[place] : cells.level_start[place + 1]]
    if len(own) > MOST_STOPS:
        own = own[np.linspace(0, len(own) - 1, MOST_STOPS).astype(np.intp)]
    if not len(own):
        return (), ()
    dtype = context.model.row_dtype
    shown_as = [number.printed(float(threshold), dtype) for threshold in own]
    ends = [-math.inf, *own.tolist(), math.inf]
    stops = []
    for above, up_to in itertools.pairwise(ends):
        first, last = number.within(above, up_to, dtype)
        stops.append(_between(first, last))
    return tuple(stops), tuple(shown_as)


def _between(first: float, last: float) -> float:
    """Return a value from first to last that is short to write, near the middle if there is one."""
    if math.isinf(first) and math.isinf(last):
        return 0.0
    if math.isinf(first):
        return inside(first, last, math.inf)
    if math.isinf(last):
        return inside(first, last, -math.inf)
    middle = (first + last) / 2
    for digits in range(1, 17):
        short = float(f"{middle:.{digits}g}")
        if first <= short <= last:
            return short
    return middle

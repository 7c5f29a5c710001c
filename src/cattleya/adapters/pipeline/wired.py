"""The steps of a pipeline by their wires alone: rows are transformed without scikit-learn.

Only what is plain is done here, in the arithmetic that the domain is made of as well: 64-bit
numbers, and texts that are known. For everything else, and so for every error, the steps
themselves are asked.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cattleya.adapters.pipeline.wires import MISSING, REFUSED, Coded, Scaled, key
from cattleya.model.domain.domain import is_missing
from cattleya.model.domain.scaling import forward
from cattleya.model.tree.rows import is_frame
from cattleya.support.arrays import Floats, Places

__all__ = ["WiredSteps"]

WHOLE = 2.0**53  # up to here, a whole number is a double
DOUBLE = np.dtype(np.float64)


class _NotPlain(Exception):
    """Something that the steps themselves have to look at."""


@dataclass(frozen=True)
class WiredSteps:
    """The steps before a tree; ``load`` gives them as scikit-learn has them."""

    wires: tuple[Scaled | Coded, ...]
    names: tuple[str, ...] | None
    load: Callable[[], Any]

    @cached_property
    def steps(self) -> Any:
        """The steps themselves."""
        return self.load()

    def transform(self, raw: Any) -> Any:
        """Return rows as the tree takes them."""
        try:
            return self._transformed(raw)
        except _NotPlain:
            return self.steps.transform(raw)

    def _transformed(self, raw: Any) -> Floats:
        if not len(raw):  # which some steps refuse
            raise _NotPlain
        columns = _Columns(raw, self.names)
        made = np.empty((len(raw), len(self.wires)))
        for place, wire in enumerate(self.wires):
            if isinstance(wire, Scaled):
                made[:, place] = _scaled(wire, columns.numbers(wire.raw))
            else:
                codes, values = columns.values(wire.raw, _takes_text(wire))
                made[:, place] = np.array([_coded(wire, value) for value in values])[codes]
        return made


class _Columns:
    """The columns of some rows, each read once."""

    def __init__(self, raw: Any, names: tuple[str, ...] | None) -> None:
        if is_frame(raw):
            if names is None or not hasattr(raw, "iloc") or tuple(raw.columns) != names:
                raise _NotPlain
            self._column: Callable[[int], Any] = lambda place: raw.iloc[:, place]
        elif isinstance(raw, np.ndarray) and names is None and raw.ndim > 1:
            self._column = lambda place: raw[:, place]
        else:
            raise _NotPlain
        self._numbers: dict[int, Floats] = {}
        self._values: dict[int, tuple[Places, list[Any]]] = {}

    def numbers(self, place: int) -> Floats:
        """Return a column of numbers; NaN where one is missing."""
        if place not in self._numbers:
            self._numbers[place] = _doubles(self._column(place))
        return self._numbers[place]

    def values(self, place: int, text: bool) -> tuple[Places, list[Any]]:
        """Return the different values of a column, and the place of each row's among them.

        Numbers where an encoder knows texts are for the encoder, and the other way round.
        """
        if place not in self._values:
            column = self._column(place)
            if text != _is_text(column.dtype):
                raise _NotPlain
            column = column if text else _doubles(column)
            places: dict[Any, int] = {}
            found = [places.setdefault(cell, len(places)) for cell in column.tolist()]
            if text and not all(map(_is_text_cell, places)):
                raise _NotPlain
            self._values[place] = np.array(found, dtype=np.intp), [*map(key, places)]
        return self._values[place]


def _takes_text(wire: Coded) -> bool:
    return any(isinstance(value, str) for value in wire.table)


def _is_text(dtype: Any) -> bool:
    return str(dtype) in ("object", "str")


def _is_text_cell(cell: Any) -> bool:
    return cell is None or isinstance(cell, str) or (isinstance(cell, float) and math.isnan(cell))


def _doubles(column: Any) -> Floats:
    """Return numbers of 64 bits, which are the same however they are cast."""
    dtype = column.dtype
    if _is_text(dtype):  # numbers of which none is there
        cells = column.tolist()
        if any(isinstance(cell, str) or not _is_text_cell(cell) or cell is None for cell in cells):
            raise _NotPlain
        return np.full(len(cells), np.nan)
    if not isinstance(dtype, np.dtype) or not (dtype == DOUBLE or dtype.kind in "iu"):
        raise _NotPlain
    numbers: Floats = np.asarray(column).astype(np.float64)
    if np.isinf(numbers).any() or (dtype.kind != "f" and (np.abs(numbers) >= WHOLE).any()):
        raise _NotPlain
    return numbers


def _scaled(wire: Scaled, numbers: Floats) -> Floats:
    made, gaps = forward(numbers, wire.steps), np.isnan(numbers)
    if gaps.any():
        if MISSING not in wire.instead:
            raise _NotPlain
        made = np.where(gaps, wire.instead[MISSING], made)
    return made


def _coded(wire: Coded, value: Any) -> float:
    found = wire.table.get(value, REFUSED if is_missing(value) else wire.other)
    if found is REFUSED:
        raise _NotPlain
    return float(found)

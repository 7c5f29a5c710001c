"""One column on its way through a pipeline, as a function of one of the user's columns.

A ``Scaled`` column is the user's number after some arithmetic; a ``Coded`` one knows what finitely
many values of the user's became; of a ``Mixed`` one it is only known what it was made from. At the
end, the columns made from one of the user's are one attribute.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya.model.domain.domain import (
    Attribute,
    Category,
    Domain,
    Number,
    OneOf,
    is_missing,
    plain,
)
from cattleya.model.domain.scaling import Steps, cast, forward

__all__ = [
    "MISSING",
    "REFUSED",
    "Block",
    "CannotTrace",
    "Coded",
    "Mixed",
    "Scaled",
    "Wire",
    "domain_of",
    "key",
    "mapped",
    "raws_of",
]

Table = Mapping[Hashable, Any]


class _Refused:
    def __repr__(self) -> str:
        return "REFUSED"


MISSING = math.nan  # the one NaN of all tables: as an object, it is equal to itself there
REFUSED: Any = _Refused()  # what an encoder makes of a value that it has no code for


def key(value: Any) -> Hashable:
    """Return a value as tables hold it: plain Python, one zero, one NaN for all but None."""
    if value is not None and is_missing(value):
        return MISSING
    if isinstance(value, np.generic) and value.dtype.kind not in "biufUS":
        return value
    return plain(value)  # type: ignore[no-any-return]  # of a table: hashable


@dataclass(frozen=True)
class Scaled:
    """The user's column after ``steps``, but ``instead`` for some values, such as missing ones."""

    raw: int
    steps: Steps
    instead: Table

    def __call__(self, value: Hashable) -> Any:
        """Return what a value becomes."""
        if value in self.instead:
            return self.instead[value]
        if not self.steps:
            return value
        try:
            number = np.float64(value)  # type: ignore[arg-type]  # or it is refused here
        except (TypeError, ValueError):
            return REFUSED
        return float(forward(np.asarray(number), self.steps))

    def scaled(self, steps: Steps) -> Scaled | Mixed:
        """Return the column after more steps."""
        instead = {
            value: float(forward(np.asarray(became, dtype=np.float64), steps))
            for value, became in self.instead.items()
        }
        if not all(
            math.isfinite(by) and (by > 0 or operation not in ("multiply", "divide"))
            for operation, by in steps
        ):
            return Mixed(frozenset((self.raw,)))
        return Scaled(self.raw, self.steps + steps, instead)


@dataclass(frozen=True)
class Coded:
    """What each value of the user's column became, and what any ``other`` value does."""

    raw: int
    table: Table
    other: Any = REFUSED

    def __call__(self, value: Hashable) -> Any:
        """Return what a value becomes."""
        return self.table.get(value, self.other)


@dataclass(frozen=True)
class Mixed:
    """A column made from any number of the user's, nobody knows how; ``by`` names the step."""

    raws: frozenset[int]
    by: str = ""


Wire = Scaled | Coded | Mixed


def mapped(wire: Coded, change: Callable[[Any], Any]) -> Coded:
    """Return a column of which each number has become another."""

    def changed(became: Any) -> Any:
        return REFUSED if became is REFUSED else change(became)

    table = {value: changed(became) for value, became in wire.table.items()}
    return Coded(wire.raw, table, changed(wire.other))


@dataclass(frozen=True)
class Block:
    """The columns between two steps, and how scikit-learn holds them."""

    wires: list[Wire]
    is_sparse: bool = False
    dtype: npt.DTypeLike = np.float64


class CannotTrace(Exception):
    """Raised where a step, or the way it is set up, is not understood."""


def raws_of(wires: Sequence[Wire]) -> frozenset[int]:
    """Return the user's columns from which these were made."""
    found: set[int] = set()
    for wire in wires:
        found |= wire.raws if isinstance(wire, Mixed) else {wire.raw}
    return frozenset(found)


def domain_of(
    wires: Sequence[Wire],
    raw_names: Sequence[str],
    names: Sequence[str],
    dtype: str,
    untraced: Sequence[str],
    groups: Sequence[tuple[tuple[int, ...], Sequence[Wire]]] = (),
) -> Domain:
    """Return the domain of a tree whose columns, called ``names``, are these wires.

    ``groups`` are columns that are one category together even where they are not traced back, each
    with what it is made of by itself.
    """
    said = list(untraced)
    behind: dict[int, list[int]] = {}
    for column, wire in enumerate(wires):
        if not isinstance(wire, Mixed):
            behind.setdefault(wire.raw, []).append(column)
    mixed = raws_of([wire for wire in wires if isinstance(wire, Mixed)])
    attributes: list[Attribute] = []
    for raw in sorted(behind):
        columns, name = behind[raw], raw_names[raw]
        found = None if raw in mixed else _attribute(name, raw, columns, wires, dtype)
        if found is not None:
            attributes.append(found)
            continue
        if raw in mixed:
            why = "also reaches the tree through a step that cannot be traced back"
        elif len(columns) > 1:
            why = "reaches the tree as several columns that are no single number or category"
        else:
            why = "has numbers that become others on their way to the tree"
        shown = ", ".join(repr(names[column]) for column in columns)
        said.append(f"{name!r} {why}: {shown} {'is' if len(columns) == 1 else 'are'} used")
    used = {attribute.name for attribute in attributes}
    owned = {column for attribute in attributes for column in attribute.columns}
    sources = [frozenset[int]()] * len(wires)
    together = {made[0]: (made, by) for made, by in groups}
    for column in range(len(wires)):
        if column in owned:
            continue
        name = _own_name(names[column], wires[column], raw_names)
        if name in used:
            name = f"{names[column]} (transformed)"
        used.add(name)
        made, by = together.get(column, ((column,), ()))
        category = _category(name, column, list(made), by, dtype) if by else None
        attributes.append(Number(name, column) if category is None else replace(category, raw=()))
        owned |= set(made)
        for one in made:
            sources[one] = raws_of([wires[one]])
    return Domain(tuple(attributes), len(wires), tuple(said), tuple(raw_names), tuple(sources))


def _own_name(name: str, wire: Wire, raw_names: Sequence[str]) -> str:
    """Return what to call a column that is not traced: not what one of the user's is called.

    Steps often hand on the names that they are given, though the numbers are others.
    """
    column = name if name in raw_names else name.rpartition("__")[2]
    if column not in raw_names or not isinstance(wire, Mixed) or not wire.by:
        return name
    raw = raw_names.index(column)
    if raw not in wire.raws:  # it is called like another column, which is not behind it
        return name
    if wire.by.endswith("()") and wire.raws == {raw}:
        return f"{wire.by[:-1]}{column})"
    return f"{column} after {wire.by.removesuffix('()')}"


def _attribute(
    name: str, raw: int, columns: list[int], wires: Sequence[Wire], dtype: str
) -> Attribute | None:
    """Return the one attribute that these columns are, if they are one."""
    made = [wires[column] for column in columns]
    coded = [wire for wire in made if isinstance(wire, Coded)]
    scaled = [wire for wire in made if isinstance(wire, Scaled)]
    if not coded:
        if len(scaled) > 1 or not set(scaled[0].instead) <= {MISSING}:
            return None
        extra = [float(cast(np.asarray(v), dtype)) for v in scaled[0].instead.values()]
        filled = tuple(value for value in extra if not math.isnan(value))
        return Number(name, columns[0], steps=scaled[0].steps, extra=filled, raw=(raw,))
    open_to_others = all(wire.other is not REFUSED for wire in coded)
    if scaled and open_to_others:
        return None  # any number at all, besides the categories
    return _category(name, raw, columns, made, dtype)


def _category(
    name: str, raw: int, columns: list[int], made: Sequence[Any], dtype: str
) -> Category | None:
    """Return the category that these columns are: values by the points that they become."""
    known: dict[Hashable, None] = {}
    for wire in made:
        known |= dict.fromkeys(wire.table if isinstance(wire, Coded) else wire.instead)
    known.pop(MISSING, None)
    places: dict[bytes, int] = {}
    points: list[tuple[float, ...]] = []
    alike: list[list[Hashable]] = []

    def put(becomes: Sequence[Any], value: Sequence[Hashable]) -> int | None:
        """Put a value to those that become the same point; return that point's place."""
        try:
            point = cast(np.array(becomes, dtype=np.float64), dtype)
        except (TypeError, ValueError):  # refused by some encoder
            return None
        place = places.setdefault(point.tobytes(), len(places))
        if place == len(points):
            points.append(tuple(point.tolist()))
            alike.append([])
        alike[place] += value
        return place

    for value in known:
        put([wire(value) for wire in made], [value])
    missing = put([wire(MISSING) for wire in made], [MISSING])  # mostly filled in as another
    closed = any(isinstance(wire, Scaled) for wire in made)
    other = None if closed else put([wire.other for wire in made], [])
    if not points:
        return None
    told = tuple(value for group in alike for value in group if value is not MISSING)
    labels = tuple(
        _others(group, told) if place == other and group in ([], [MISSING]) else _label(group)
        for place, group in enumerate(alike)
    )
    return Category(name, tuple(columns), labels, tuple(points), missing, other, (raw,))


def _others(group: list[Hashable], told: tuple[Hashable, ...]) -> OneOf:
    """Return the value of all that is not told; what is missing goes with it, or has its own."""
    return OneOf(tuple(group), others=True, but=told if group else ())


def _label(group: list[Hashable]) -> Hashable:
    """Return one value for those that are alike; a missing one is told only where it is alone."""
    told = tuple(value for value in group if value is not MISSING)
    if not told:
        return MISSING
    return told[0] if len(told) == 1 else OneOf(told)

"""What the answers about whole models are made of: pairs of rows, and regions in words.

Every row that is shown was given to the model itself, and got the outcome that is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, TypeVar, overload

import numpy as np

from cattleya.changes.whole.cell_sets import CellSet, CellWords
from cattleya.changes.whole.regions import Case, Found, Region
from cattleya.explain.context import ModelContext
from cattleya.model.conditions.parts import Part
from cattleya.model.domain.domain import Category, is_missing
from cattleya.support.arrays import Floats

__all__ = ["RegionList", "RowPair", "Rows", "WholeRegion", "status_of", "typical"]


@dataclass(frozen=True, eq=False)
class RowPair:
    """Two rows that differ in some features only, and what the model decides about each.

    Attributes
    ----------
    first, second : dict
        The rows, by column; a number that is missing is NaN.
    outcomes : tuple of str
        The outcome of each, as it is shown; the model itself was asked.
    changes : tuple of (name, before, after)
        What differs.
    """

    first: dict[str, Any]
    second: dict[str, Any]
    outcomes: tuple[str, str]
    changes: tuple[tuple[str, Any, Any], ...]

    def __str__(self) -> str:
        from cattleya.present.words.whole import pair_text

        return pair_text(self)


_Region = TypeVar("_Region")


class RegionList(Sequence[_Region], Generic[_Region]):
    """Regions, the largest first; each is made when it is asked for.

    Attributes
    ----------
    complete : bool
        Whether there are no others; else time ran out.
    share : Fraction
        The share of the cells that are in any of them: no two of them meet.
    """

    def __init__(self, found: Found | None, make: Callable[[Found, int], _Region]) -> None:
        self._found, self._make = found, make
        self._made: dict[int, _Region] = {}
        self.complete = found is not None and found.complete

    @property
    def share(self) -> Fraction:
        """The share of the cells of the other features that are in a region."""
        return Fraction(0) if self._found is None else self._found.share

    def __len__(self) -> int:
        return 0 if self._found is None else len(self._found)

    @overload
    def __getitem__(self, place: int) -> _Region: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[_Region, ...]: ...
    def __getitem__(self, place: int | slice) -> _Region | tuple[_Region, ...]:
        if isinstance(place, slice):
            return tuple(self[i] for i in range(*place.indices(len(self))))
        place = range(len(self))[place]
        if place not in self._made:
            assert self._found is not None
            self._made[place] = self._make(self._found, place)
        return self._made[place]

    def __iter__(self) -> Iterator[_Region]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self):,} regions>"


class WholeRegion:
    """A box of rows.

    Attributes
    ----------
    conditions : tuple of Condition
        What features are there; those that are not named can be anything.
    share : Fraction
        The share of the cells of the features that are in it.
    """

    def __init__(self, words: CellWords, names: Sequence[str], found: Found, place: int) -> None:
        self._words, self._names, self._free = words, names, found.free
        self._region: Region = found.region(place)
        self.share = Fraction(found.sizes[place], found.total)

    @cached_property
    def conditions(self) -> tuple[Part, ...]:
        """What the other features are; those that are not named can be anything."""
        return tuple(self._words.part(a, one) for a, one in sorted(self._region.box.items()))

    def _parts(self, case: Case) -> tuple[Part, ...]:
        parts, words = zip(self._free, case.box, strict=True), self._words
        told = [(a, one) for a, one in parts if words.size(one) < words.all_cells(a)]
        return tuple(words.part(a, one) for a, one in told)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"


class Rows:
    """Makes rows in boxes of cells, as the user would write them, near to typical ones."""

    def __init__(self, words: CellWords, near: Mapping[int, Any]) -> None:
        self._words, self._near = words, near
        self._attributes = words.domain.attributes

    def values(self, box: Mapping[int, CellSet]) -> dict[int, Any]:
        """Return a value of each attribute."""
        return {
            a: self._words.value(a, box.get(a), self._near.get(a))
            for a in range(len(self._attributes))
        }

    def by_column(self, values: Mapping[int, Any], names: Sequence[str]) -> dict[str, Any]:
        """Return the row in the user's columns."""
        row: dict[str, Any] = dict.fromkeys(names)
        for place, attribute in enumerate(self._attributes):
            if len(attribute.raw) > 1:
                row |= zip([names[raw] for raw in attribute.raw], values[place], strict=True)
            elif attribute.raw:
                row[names[attribute.raw[0]]] = values[place]
        return row

    def changes(
        self, one: Mapping[int, Any], two: Mapping[int, Any]
    ) -> tuple[tuple[str, Any, Any], ...]:
        """Return what differs between two rows."""
        return tuple(
            (attribute.name, one[a], two[a])
            for a, attribute in enumerate(self._attributes)
            if one[a] != two[a] and not (is_missing(one[a]) and is_missing(two[a]))
        )


def typical(context: ModelContext, matrix: Floats) -> dict[int, Any]:
    """Return the middle of each number's values in a table, and each category's usual value."""
    found: dict[int, Any] = {}
    for place, attribute in enumerate(context.domain.attributes):
        if isinstance(attribute, Category):
            points, counts = np.unique(matrix[:, attribute.columns], axis=0, return_counts=True)
            if len(points):
                usual = points[int(np.argmax(counts))]
                row = dict(zip(attribute.columns, usual.tolist(), strict=True))
                try:
                    found[place] = attribute.value_of(row)
                except ValueError:
                    continue  # a row with a value that is none
            continue
        seen = matrix[:, attribute.column]
        # What an imputer fills in is nobody's number.
        seen = np.sort(seen[~np.isnan(seen) & ~np.isin(seen, attribute.extra)])
        if len(seen):
            found[place] = attribute.near(float(seen[len(seen) // 2]), context.model.row_dtype)
    return found


def status_of(holds: bool | None, timeout: float | None) -> str:
    """Return what is known, in a word: proved, refuted, or open."""
    if holds is None:
        return "open" if timeout is None else f"open within {timeout:g} seconds"
    return "proved" if holds else "refuted"

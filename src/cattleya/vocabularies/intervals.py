"""The vocabulary of intervals: the row's sides of the tests, under the logic of the domain."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from cattleya._core import Names
from cattleya.model.conditions.condition import Comparison, Condition, spellings
from cattleya.model.conditions.fact import Fact, fact_about, fact_of
from cattleya.model.conditions.parts import IntervalPart, ValuesPart
from cattleya.model.conditions.user_condition import UserCondition
from cattleya.model.domain.domain import Category
from cattleya.model.domain.number import Number
from cattleya.support.arrays import Bools, Floats, Int32s, Int64s
from cattleya.vocabularies.attributes import AttributeAtoms, DomainVocabulary
from cattleya.vocabularies.cells import CATEGORY, MISSING, Cells
from cattleya.vocabularies.over import Over

__all__ = ["IntervalRow", "Intervals"]


class Intervals(DomainVocabulary):
    """What a tree can say of a row under the logic of its domain. Picklable.

    Examples
    --------
    >>> from cattleya import Tree
    >>> from cattleya.model.domain.domain import Domain
    >>> tree = Tree([1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -1, 0, -1, -1],
    ...             [18.5, 0, 30.5, 0, 0], [-1, 0, -1, 1, 0], n_features=1, feature_names=["age"])
    >>> row = Intervals(Cells.of(tree, Domain.plain(tree))).row(np.array([38.0]))
    >>> print(*row.named(range(len(row))), sep=" | ")
    age > 18.5 | age > 30.5
    >>> print(*row.named(row.path))
    age > 30.5
    """

    def __init__(self, cells: Cells) -> None:
        super().__init__(cells)
        # Level i on its false side (above) is at 2 i, on its true side at 2 i + 1.
        self._made: list[Comparison | None] = [None] * (2 * len(self.cells.level_value))

    def alike(self, matrix: Floats) -> Any:
        """Return the levels that a row's numbers lie between, and the values of its categories."""
        kinds, refused = self.cells.kinds(matrix)
        return self._or_values(kinds[:, self.cells.told], matrix, refused)

    def row(self, row: Floats) -> IntervalRow:
        """Return the atoms of a row, given in the tree's columns."""
        return IntervalRow(self, row)

    @cached_property
    def is_number(self) -> Bools:
        """Of each attribute, whether it is a number."""
        return np.asarray(self.cells.n_levels != CATEGORY)

    @cached_property
    def has_single(self) -> Bools:
        """Of each attribute, whether it has an atom besides levels: its value, present, missing."""
        return self.cells.told & (~self.is_number | self.cells.takes_missing)

    @cached_property
    def places(self) -> tuple[Int32s, Int32s]:
        """The first atom of each attribute, and the attribute of each atom; no number missing."""
        return self.places_without(np.zeros(len(self.is_number), dtype=np.bool_))

    def places_without(self, gaps: Bools) -> tuple[Int32s, Int32s]:
        """Return the same of a row that lacks some numbers."""
        levels = np.where(self.is_number & ~gaps, self.cells.n_levels, 0)
        count = levels + self.has_single
        first = (np.cumsum(count) - count).astype(np.int32)
        return first, np.repeat(np.arange(len(count), dtype=np.int32), count)

    def side(self, attribute: int, level: int, sense: bool) -> Comparison:
        """Return one side of a level of a number."""
        place = int(self.cells.level_start[attribute]) + level
        made = self._made[2 * place + sense]
        if made is None:
            number = self.cells.domain.attributes[attribute]
            assert isinstance(number, Number)
            threshold = float(self.cells.level_threshold[place])
            shown = threshold
            if number.steps:
                shown = number.user_threshold(threshold, self.cells.tree.row_dtype)
            make = (number.name, number.column, threshold)
            whole = number.integer and not number.boolean
            if shown == threshold:
                dtype = self.cells.tree.row_dtype
                how = {"boolean": number.boolean, "whole": whole, "row_dtype": dtype}
                made = Comparison(*make, sense=sense, **how)  # type: ignore[arg-type]  # each its own
            else:
                made = UserCondition(*make, shown, sense=sense, boolean=number.boolean, whole=whole)
            self._made[2 * place + sense] = made
        return made

    def single(self, attribute: int, row: Floats) -> Condition:
        """Return what a row has of an attribute besides levels."""
        described = self.cells.domain.attributes[attribute]
        if not isinstance(described, Number):
            return fact_of(described, row, self.cells.tree.row_dtype)
        return _presence(described, sense=not math.isnan(row[described.column]))

    def told_by(self, attribute: int, matrix: Floats) -> Floats:
        """Return columns by which rows have the same of an attribute besides levels."""
        described = self.cells.domain.attributes[attribute]
        own = matrix[:, list(described.columns)]
        return np.isnan(own).astype(np.float64) if isinstance(described, Number) else own

    def of_code(self, code: int) -> Comparison:
        """Return the side of a level that the core gives a code: of all levels in order."""
        place = code // 2
        attribute = int(np.searchsorted(self.cells.level_start, place, side="right")) - 1
        return self.side(attribute, place - int(self.cells.level_start[attribute]), code % 2 == 1)

    def level_of(self, condition: Condition) -> tuple[int, int]:
        """Return the attribute and the level of a condition; ``ValueError`` if there is none."""
        cells = self.cells
        if 0 <= condition.index < cells.domain.n_columns and isinstance(condition, Comparison):
            attribute = int(cells.domain.of_column[condition.index])
            first, end = cells.level_start[attribute : attribute + 2].tolist()
            threshold = cells.level_threshold[first:end]
            level = int(np.searchsorted(threshold, condition.threshold))
            if level < len(threshold) and condition == self.side(attribute, level, condition.sense):
                return attribute, level
        raise ValueError(
            f"the tree does not test {str(condition)!r}; take conditions from this explanation"
        )

    @cached_property
    def by_text(self) -> dict[str, Condition]:
        """Both sides of every level, by their texts."""
        cells = self.cells
        return {
            str(made): made
            for attribute, count in enumerate(cells.n_levels.tolist())
            for level in range(count)
            for made in (self.side(attribute, level, sense) for sense in (False, True))
        }


class IntervalRow(AttributeAtoms):
    """The atoms of one row.

    In the order of the domain's attributes: of a category, its value; of a number, its side of each
    level, before these that it is present where it may be missing, and only that it is missing
    where it is. Attributes whose values the tree does not tell apart have none.

    Attributes
    ----------
    first_atom : ndarray
        By attribute, its first atom.
    has_single : ndarray
        By attribute, whether that is one beside its levels: a category's value, or whether a number
        is present.
    """

    over = Over.INTERVALS

    def __init__(self, intervals: Intervals, row: Floats) -> None:
        super().__init__(intervals, row)
        self._intervals = intervals
        self.has_single = intervals.has_single
        places = intervals.places
        if self._lacks:
            places = intervals.places_without((self._cells == MISSING) & intervals.is_number)
        self.first_atom, self.attribute = places
        self._size = len(self.attribute)

    @cached_property
    def _made(self) -> list[Condition | None]:
        return [None] * self._size

    @cached_property
    def path(self) -> Int32s:
        """The tightest atoms on the path of the row, in the order of the path."""
        core = self._intervals.cells.core
        return core.interval_path(self._way[1], self._cells, self.first_atom)

    def __len__(self) -> int:
        return self._size

    def names(self, numbers: Int32s | None = None) -> Names:
        """Return what atoms are called, or those with some numbers."""
        return Names(self._made, self._make, None, numbers)

    def named(self, numbers: Iterable[int]) -> list[Condition]:
        """Return the atoms as conditions."""
        numbers = numbers.tolist() if isinstance(numbers, np.ndarray) else numbers
        return [self._made[number] or self._name(number) for number in numbers]

    def _name(self, number: int) -> Condition:
        made = self._made[number] = self._make(number)
        return made

    def _make(self, number: int) -> Condition:
        attribute = int(self.attribute[number])
        level = int(number - self.first_atom[attribute]) - bool(self.has_single[attribute])
        if level >= 0:
            return self._intervals.side(attribute, level, bool(self._cells[attribute] <= level))
        return self._intervals.single(attribute, self._row)

    def number(self, condition: Condition | str) -> int:
        """Return the number of an atom; ``ValueError`` where the row has no such atom."""
        meant = self.meant(condition)
        attribute = int(self._intervals.cells.domain.of_column[meant.index])
        found = int(self.first_atom[attribute])
        if isinstance(meant, Comparison) and math.isfinite(meant.threshold):
            found += bool(self.has_single[attribute]) + self._intervals.level_of(meant)[1]
        ends = np.searchsorted(self.attribute, attribute, side="right")
        if found >= ends or self._name(found) != meant:
            raise ValueError(
                f"{str(condition)!r} does not hold in this row; take conditions from this "
                f"explanation"
            )
        return found

    def complete_reason(self, toward: int, seconds: float, memory: int) -> tuple[Int64s, Int32s]:
        """Return all minimal sets of atoms whose change can change the class.

        They come as (start, atom), the smallest first. ``toward`` is the class to be reached, or -1
        for any other than the row's.
        """
        core = self._intervals.cells.core
        return core.interval_reason(
            self._cells, self.first_atom, self.row_class, toward, seconds, memory
        )

    def same_as(self, condition: Condition) -> Condition | None:
        """Return the side of a level, or the fact, that says the same as a part, if one does."""
        cells = self._intervals.cells
        attribute = int(cells.domain.of_column[condition.index])
        described = cells.domain.attributes[attribute]
        if isinstance(condition, ValuesPart) and isinstance(described, Category):
            return (
                fact_about(described, condition.places[0]) if len(condition.places) == 1 else None
            )
        if not isinstance(condition, IntervalPart) or condition.is_missing or condition.nan:
            return None
        first, end = cells.level_start[attribute : attribute + 2].tolist()
        bounds = (condition.up_to, True), (condition.above, False)
        found = [(bound, sense) for bound, sense in bounds if math.isfinite(bound)]
        if len(found) != 1:
            return None
        ((threshold, sense),) = found
        level = int(np.searchsorted(cells.level_threshold[first:end], threshold))
        if first + level == end or cells.level_threshold[first + level] != threshold:
            return None
        return self._intervals.side(attribute, level, sense)

    def meant(self, condition: Condition | str) -> Condition:
        """Return what is meant by a condition, or by its text; it need not hold in the row."""
        facts = self._intervals.facts
        if isinstance(condition, str):
            tests = self._intervals.by_text
            known = next((tests[one] for one in spellings(condition) if one in tests), None)
            known = known or self._presences.get(condition) or self._read(condition)
            return known or facts.category_fact(condition)
        if isinstance(condition, Fact):
            return facts.known_fact(condition, numbers=False)
        is_presence = isinstance(condition, Comparison) and math.isinf(condition.threshold)
        if is_presence and self._presences.get(str(condition)) == condition:
            return condition
        self._intervals.level_of(condition)
        return condition

    def _read(self, text: str) -> Condition | None:
        """Return what a text says in other words, if that is something of this vocabulary."""
        try:
            return self.same_as(self._intervals.reader.read(text).condition)
        except ValueError:
            return None

    @cached_property
    def _presences(self) -> dict[str, Condition]:
        """That a number is present, and that it is missing, by their texts."""
        cells = self._intervals.cells
        told = zip(cells.domain.attributes, cells.told.tolist(), strict=True)
        numbers = [a for a, is_told in told if is_told and isinstance(a, Number)]
        made = [_presence(n, sense=s) for n in numbers for s in (True, False)]
        return {str(condition): condition for condition in made} if cells.takes_missing else {}


def _presence(number: Number, *, sense: bool) -> Condition:
    """Return that a number is present (the sense of it), or that it is missing."""
    return Comparison(number.name, number.column, math.inf, sense=sense, missing_left=False)

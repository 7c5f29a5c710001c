"""The vocabulary of features: the value of each in a row, taken as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from cattleya._core import Names
from cattleya.model.conditions.condition import Condition, spellings
from cattleya.model.conditions.fact import Fact, fact_of
from cattleya.model.domain.number import Number
from cattleya.support.arrays import Floats, Int32s, Int64s
from cattleya.vocabularies.attributes import AttributeAtoms, DomainVocabulary
from cattleya.vocabularies.over import Over

__all__ = ["FeatureRow", "Features"]


class Features(DomainVocabulary):
    """The features of a model, each an atom: that it is as in the row. Picklable.

    Examples
    --------
    >>> from cattleya import Tree
    >>> from cattleya.model.domain.domain import Domain
    >>> from cattleya.vocabularies.cells import Cells
    >>> tree = Tree.from_nested(("x1", 0, ("x2", 0, 1)))
    >>> row = Features(Cells.of(tree, Domain.plain(tree))).row(np.array([1.0, 0.0]))
    >>> print(*row.named(row.path))
    x1 = 1 x2 = 0
    >>> start, atom = row.complete_reason(-1, 60.0, 1 << 20)
    >>> start.tolist(), atom.tolist()
    ([0, 1], [1])
    """

    def alike(self, matrix: Floats) -> Any:
        """Return the values of the attributes of which the tree tells some apart."""
        cells = self.cells
        told = cells.told[cells.domain.of_column]
        return self._or_values(matrix[:, told], matrix, cells.kinds(matrix)[1])

    def single(self, attribute: int, row: Floats) -> Fact:
        """Return what a row has of an attribute."""
        return fact_of(self.cells.domain.attributes[attribute], row, self.cells.tree.row_dtype)

    def told_by(self, attribute: int, matrix: Floats) -> Floats:
        """Return columns by which rows have the same of an attribute."""
        return matrix[:, list(self.cells.domain.attributes[attribute].columns)]

    def row(self, row: Floats) -> FeatureRow:
        """Return the atoms of a row, given in the tree's columns."""
        return FeatureRow(self, row)


class FeatureRow(AttributeAtoms):
    """The atoms of one row: atom i is what it has of the domain's attribute i."""

    over = Over.FEATURES

    def __init__(self, features: Features, row: Floats) -> None:
        super().__init__(features, row)
        self._features = features
        self.attribute: Int32s = np.arange(len(self._cells), dtype=np.int32)
        self._made: list[Fact | None] = [None] * len(self._cells)

    @cached_property
    def path(self) -> Int32s:
        """The attributes that are tested on the path of the row, in the order of the path."""
        cells = self._vocabulary.cells
        found = cells.test_attribute[self._way[1][cells.tells[self._way[1]]]]
        return np.array(list(dict.fromkeys(found.tolist())), dtype=np.int32)

    def __len__(self) -> int:
        return len(self._cells)

    def names(self, numbers: Int32s | None = None) -> Names:
        """Return what atoms are called, or those with some numbers."""
        return Names(self._made, self._make, None, numbers)

    def named(self, numbers: Iterable[int]) -> list[Condition]:
        """Return the atoms as facts."""
        numbers = numbers.tolist() if isinstance(numbers, np.ndarray) else numbers
        return [self._made[number] or self._make(number) for number in numbers]

    def _make(self, number: int) -> Fact:
        made = self._made[number] = self._features.single(number, self._row)
        return made

    def number(self, condition: Condition | str) -> int:
        """Return the number of an atom; ``ValueError`` where the row has no such atom."""
        if isinstance(condition, str):
            found = self._named(condition)
        else:
            owner = self._vocabulary.cells.domain.of_column
            known = 0 <= condition.index < len(owner)
            found = int(owner[condition.index]) if known else -1
        if found < 0 or (isinstance(condition, Condition) and self.named([found])[0] != condition):
            raise ValueError(
                f"{str(condition)!r} is no feature of this row with its value; "
                f"take facts from this explanation"
            )
        return found

    def _named(self, text: str) -> int:
        """Return the number of the atom that a text is about, -1 where the row has none."""
        exact = self._by_text.get(text, -1)
        other = (self._by_text.get(one, -1) for one in spellings(text))
        attributes = self._vocabulary.cells.domain.attributes
        numbers = (one for one in other if one >= 0 and isinstance(attributes[one], Number))
        return exact if exact >= 0 else next(numbers, -1)

    @cached_property
    def _by_text(self) -> dict[str, int]:
        return {str(fact): number for number, fact in enumerate(self.named(range(len(self))))}

    def complete_reason(self, toward: int, seconds: float, memory: int) -> tuple[Int64s, Int32s]:
        """Return all minimal sets of features whose change can change the class.

        They come as (start, atom), the smallest first. ``toward`` is the class to be reached, or -1
        for any other than the row's.
        """
        core = self._vocabulary.cells.core
        return core.feature_reason(self._cells, self.row_class, toward, seconds, memory)

    def meant(self, condition: Condition | str) -> Condition:
        """Return what is meant by a condition, or by its text; it need not hold in the row."""
        if isinstance(condition, str):
            number = self._named(condition)
            if number >= 0:
                return self.named([number])[0]
            return self._vocabulary.facts.category_fact(condition)
        return self._vocabulary.facts.known_fact(condition)

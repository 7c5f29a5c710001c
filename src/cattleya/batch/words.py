"""What the core is given of many rows, in each vocabulary, and what its numbers are called.

The core answers in codes, which mean the same in every row, but for one thing: what a row has of an
attribute besides levels has the attribute's code, and is looked up in the row. So each block of
answers is first read into numbers of conditions, and the text of each is made once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from cattleya._core import BatchRows, texts_of
from cattleya.changes.general.box import Box, Range
from cattleya.explain.context import ModelContext
from cattleya.explain.prepared import PreparedTree
from cattleya.explain.reached import Reached
from cattleya.model.conditions.condition import Condition
from cattleya.model.conditions.parts import Part
from cattleya.model.domain.domain import Domain
from cattleya.reasons.reason import joined, sentence
from cattleya.support.arrays import Bools, Floats, Int32s, Int64s
from cattleya.support.distinct import distinct
from cattleya.support.limits import Deadline
from cattleya.vocabularies.conditions import ConditionVocabulary
from cattleya.vocabularies.features import Features
from cattleya.vocabularies.interface import SpokenOf
from cattleya.vocabularies.intervals import Intervals

__all__ = ["Codes", "Words", "words_of"]

MOST_KEPT = 1 << 16  # conditions, parts and sentences of one block that the next may have, too
NO_CELL = -2  # which the core refuses
NO_BYTES = np.zeros(0, dtype=np.uint8)

Codes = tuple[Int64s, Int32s]  # lists: where each starts, and what is in them
Texts = tuple[str, ...]


class Words(Protocol):
    """The rows of one tree for the core, and the words for its answers.

    Attributes
    ----------
    rows : BatchRows
        Those that have no atoms are refused by the core: asked alone, they say why.
    atoms : SpokenOf
        Finds what is excluded, immutable or protected, as the core numbers it.
    """

    rows: BatchRows
    atoms: SpokenOf

    def read(self, codes: Codes, rows: Floats, owner: Int64s | None = None) -> Codes:
        """Return lists of codes as lists of conditions; ``owner`` is the row of each list."""

    def texts(self, lists: Codes) -> list[Texts]:
        """Return lists of conditions as texts."""

    def conditions(self, numbers: Int32s) -> Sequence[Condition]:
        """Return conditions by their numbers."""

    def changes(self, lists: Codes, texts: list[Texts], chosen: Sequence[int]) -> list[str]:
        """Return some of the lists as sentences: what would have to change."""
        return [joined(texts[place]) for place in chosen]

    def told(
        self, lists: Codes, texts: list[Texts], parts: Codes, ends: Int64s
    ) -> tuple[list[str], list[Sequence[Condition]]]:
        """Return the sentence of the reason of each row, and what a row must have to be covered."""
        facts = self.conditions(lists[1])
        return list(map(joined, texts)), [facts[a:b] for a, b in pairwise(lists[0].tolist())]


def words_of(
    context: ModelContext, prepared: PreparedTree, matrix: Floats, reached: Reached | None
) -> Words:
    """Return the words for rows of a tree, in its vocabulary."""
    vocabulary = prepared.vocabulary
    if isinstance(vocabulary, ConditionVocabulary):
        table = None if reached is None else reached.native(context, prepared)
        return _OfTests(prepared, vocabulary, matrix, table)
    assert isinstance(vocabulary, (Features, Intervals))  # there are no others
    make = _OfIntervals if isinstance(vocabulary, Intervals) else _OfFeatures
    return make(prepared, vocabulary, matrix)


class _OfTests(Words):
    """Rows over the conditions of a tree, all of which have the same atoms."""

    def __init__(
        self, prepared: PreparedTree, vocabulary: ConditionVocabulary, matrix: Floats, table: Any
    ) -> None:
        given = vocabulary.engine, table, np.ascontiguousarray(matrix).ravel(), len(matrix)
        self.rows = BatchRows.over_conditions(*given)
        self.atoms = vocabulary.row(matrix[0])
        self._tests = prepared.tests

    def read(self, codes: Codes, rows: Floats, owner: Int64s | None = None) -> Codes:
        return codes

    def texts(self, lists: Codes) -> list[Texts]:
        return texts_of(self._tests.texts(lists[1]), *lists)

    def conditions(self, numbers: Int32s) -> Sequence[Condition]:
        return self._tests.sides(numbers.tolist())


class _Attributes:
    """Attributes as atoms: what is excluded is so with all that speaks of its attribute."""

    def of_attribute(self, domain: Domain, attribute: int) -> Int32s:
        return np.array([attribute], dtype=np.int32)

    def of_column(self, domain: Domain, column: int) -> Int32s:
        return domain.of_column[[column]]


class _OfFeatures(Words):
    """Rows over features: codes are attributes, whose values are those of the row."""

    levels = False
    _first_single = 0  # the code of the first attribute

    def __init__(
        self, prepared: PreparedTree, vocabulary: Features | Intervals, matrix: Floats
    ) -> None:
        self._prepared, self._vocabulary = prepared, vocabulary
        cells = vocabulary.cells
        kinds, refused = cells.kinds(matrix)
        own = cells.of_kinds(kinds)
        own[refused] = NO_CELL
        given = (
            cells.core,
            np.ascontiguousarray(own).ravel(),
            len(matrix),
            self.levels,
            self._has_single(),
        )
        self.rows = BatchRows.over_attributes(*given)
        self.atoms = _Attributes()
        self._forget()

    def _has_single(self) -> Any:
        return NO_BYTES

    def _forget(self) -> None:
        """Let go of what was made: rows without end may have values without end."""
        self._made: list[Condition | None] = [None] * self._first_single
        self._texts = [""] * self._first_single
        self._single: dict[tuple[int, bytes], int] = {}

    def read(self, codes: Codes, rows: Floats, owner: Int64s | None = None) -> Codes:
        start, code = codes
        if len(self._made) > MOST_KEPT + self._first_single:
            self._forget()
        single = np.flatnonzero(code >= self._first_single)
        number = code.copy()
        if len(single):
            of_list = np.repeat(np.arange(len(start) - 1), np.diff(start))[single]
            row = of_list if owner is None else owner[of_list]
            attribute = code[single] - self._first_single
            for one in np.unique(attribute).tolist():
                among = attribute == one
                number[single[among]] = self._numbers(one, rows[row[among]])
        for new in np.unique(number).tolist():
            if self._made[new] is None:
                self._put(new, self._of_code(new))
        return start, number

    def _numbers(self, attribute: int, rows: Floats) -> Int32s:
        """Return the numbers of what rows have of an attribute besides levels."""
        told = self._vocabulary.told_by(attribute, rows)
        first, kind = distinct(told)
        found = np.empty(len(first), dtype=np.int32)
        for place, row in enumerate(first.tolist()):
            key = attribute, told[row].tobytes()
            number = self._single.get(key)
            if number is None:
                number = self._single[key] = len(self._made)
                self._made.append(None)
                self._texts.append("")
                self._put(number, self._vocabulary.single(attribute, rows[row]))
            found[place] = number
        return found[kind]

    def _put(self, number: int, condition: Condition) -> None:
        self._made[number], self._texts[number] = condition, str(condition)

    def _of_code(self, code: int) -> Condition:
        raise AssertionError(f"code {code} is no level")

    def texts(self, lists: Codes) -> list[Texts]:
        return texts_of(self._texts, *lists)

    def conditions(self, numbers: Int32s) -> Sequence[Condition]:
        return [self._made[number] for number in numbers.tolist()]


class _OfIntervals(_OfFeatures):
    """Rows over intervals: codes are sides of levels, and what a row has besides these.

    A reason prints in parts, which say how wide each interval can be.
    """

    levels = True
    _vocabulary: Intervals

    def __init__(
        self, prepared: PreparedTree, vocabulary: Features | Intervals, matrix: Floats
    ) -> None:
        self._first_single = 2 * len(vocabulary.cells.level_value)
        super().__init__(prepared, vocabulary, matrix)

    def _has_single(self) -> Any:
        return self._vocabulary.has_single.astype(np.uint8)

    def _forget(self) -> None:
        super()._forget()
        self._parts: dict[bytes, tuple[str, Part]] = {}
        self._changes: dict[bytes, str] = {}

    def _of_code(self, code: int) -> Condition:
        return self._vocabulary.of_code(code)

    def changes(self, lists: Codes, texts: list[Texts], chosen: Sequence[int]) -> list[str]:
        start, number = lists
        if len(self._changes) > MOST_KEPT:
            self._changes.clear()
        found = []
        for place in chosen:
            own = number[start[place] : start[place + 1]]
            key = own.tobytes()
            said = self._changes.get(key)
            if said is None:
                conditions = self.conditions(own)
                said = self._changes[key] = sentence(conditions, merges=True, to_change=True)
            found.append(said)
        return found

    def told(
        self, lists: Codes, texts: list[Texts], parts: Codes, ends: Int64s
    ) -> tuple[list[str], list[Sequence[Condition]]]:
        if len(self._parts) > MOST_KEPT:
            self._parts.clear()
        start, value = parts
        size, raw = value.itemsize, value.tobytes()
        keys = [raw[a:b] for a, b in pairwise((start * size).tolist())]
        made = [self._parts.get(key) or self._part(key) for key in keys]
        sentences: list[str] = []
        facts: list[Sequence[Condition]] = []
        for first, last in pairwise([0, *ends.tolist()]):
            own = made[first:last]
            sentences.append(joined([text for text, _ in own]))
            facts.append([part for _, part in own])
        return sentences, facts

    def _part(self, key: bytes) -> tuple[str, Part]:
        """Return a part of a reason: an attribute, and what is allowed of it."""
        attribute, *allowed = np.frombuffer(key, dtype=np.int32).tolist()
        regions = self._prepared.cell_regions(Deadline(None))
        tested = regions.regions.tested[attribute]
        box = Box(regions)
        values: Range | Bools
        if attribute in self._vocabulary.cells.cell_of_value:
            values = np.isin(self._vocabulary.cells.cell_of_value[attribute], allowed)
        else:
            first, last, missing = allowed
            values = Range(first, last, bool(missing))
        box.narrowed[tested] = values
        part = box.restricted_part(tested)
        made = self._parts[key] = str(part), part
        return made

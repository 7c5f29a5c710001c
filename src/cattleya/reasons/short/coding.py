"""The rows of a table as codes, and the facts of a row as ranges of codes.

The search counts how often facts are right (``core/short_reasons``). For that each column of the
table is cut where the vocabulary can: at the thresholds of the tree, or value by value. A fact of a
row is then a range of codes of one column. Facts come in slots, of which a set needs one at most:
the upper bounds of a number, its lower bounds, a value.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from cattleya._core import ShortTable
from cattleya.model.conditions.tests import Conditions
from cattleya.support.arrays import Bools, Bytes, Floats, Int32s
from cattleya.vocabularies.cells import CATEGORY, Cells
from cattleya.vocabularies.conditions import ConditionVocabulary
from cattleya.vocabularies.features import Features
from cattleya.vocabularies.interface import RowAtoms, Vocabulary
from cattleya.vocabularies.intervals import IntervalRow, Intervals

__all__ = ["Coding", "ConditionCoding", "RowFacts", "coding_of", "table_of"]

MISSING = -1


@dataclass(frozen=True, eq=False)
class RowFacts:
    """The facts of a row, slot by slot, in each from the widest to the narrowest.

    ``atom`` has the atom of the vocabulary that each fact is; the others are as for the core.
    """

    slot: Int32s
    column: Int32s
    first: Int32s
    last: Int32s
    missing: Bytes
    atom: Int32s

    @property
    def arrays(self) -> tuple[Int32s, Int32s, Int32s, Int32s, Bytes]:
        """The arrays that the core takes, in its order."""
        return self.slot, self.column, self.first, self.last, self.missing


class Coding(Protocol):
    """Makes codes of rows and facts of a row, for one vocabulary."""

    n_cells: Int32s

    def codes(self, matrix: Floats) -> Int32s:
        """Return a code per row and column, -1 where a value is missing."""

    def facts(self, atoms: RowAtoms, row: Floats, excluded: Int32s) -> RowFacts:
        """Return the facts of a row but those that are excluded, by their atoms."""


def coding_of(vocabulary: Vocabulary, matrix: Floats) -> Coding:
    """Return the coding of a vocabulary, for the rows of a table."""
    if isinstance(vocabulary, ConditionVocabulary):
        return ConditionCoding(vocabulary.conditions)
    if isinstance(vocabulary, Intervals):
        return _IntervalCoding(vocabulary.cells, matrix)
    assert isinstance(vocabulary, Features)
    return _FeatureCoding(vocabulary.cells, matrix)


def table_of(coding: Coding, matrix: Floats, outcome: Int32s) -> ShortTable:
    """Return the native table of some rows with their outcomes."""
    return ShortTable(coding.codes(matrix).ravel(), coding.n_cells, outcome)


def _in_slots(
    key: tuple[npt.NDArray[Any], ...],
    column: Int32s,
    first: Int32s,
    last: Int32s,
    missing: Bools,
    atom: Int32s,
    keep: Bools,
) -> RowFacts:
    """Return facts whose slots have equal keys, in order; the last key is the order in a slot."""
    order = np.lexsort(key[::-1])
    order = order[keep[order]]
    is_new = np.zeros(len(order), dtype=np.bool_)
    for part in key[:-1]:
        sorted_part = part[order]
        is_new[1:] |= sorted_part[1:] != sorted_part[:-1]
    made = (np.cumsum(is_new), column[order], first[order], last[order])
    slot, column, first, last = (np.ascontiguousarray(one, dtype=np.int32) for one in made)
    return RowFacts(
        *(slot, column, first, last),
        np.ascontiguousarray(missing[order]).astype(np.uint8),
        np.ascontiguousarray(atom[order], dtype=np.int32),
    )


def _kept(n_atoms: int, atom: Int32s, excluded: Int32s) -> Bools:
    allowed = np.ones(n_atoms, dtype=np.bool_)
    allowed[excluded] = False
    kept: Bools = allowed[atom]
    return kept


class ConditionCoding:
    """Columns are those that the tree tests, cut at its thresholds."""

    def __init__(self, tests: Conditions) -> None:
        self._tests = tests
        self._features, self._column = np.unique(tests.feature, return_inverse=True)
        is_new = np.ones(len(tests), dtype=np.bool_)  # tests may differ in missing values only
        is_new[1:] = tests.threshold[1:] != tests.threshold[:-1]
        is_new[1:] |= tests.feature[1:] != tests.feature[:-1]
        rank = np.cumsum(is_new) - 1
        start = rank[np.searchsorted(self._column, np.arange(len(self._features)))]
        self._level = (rank - start[self._column]).astype(np.int32)
        self._thresholds = np.split(tests.threshold[is_new], start[1:]) if len(start) else []
        self.n_cells = np.array([len(one) + 1 for one in self._thresholds], dtype=np.int32)

    def columns_of_tests(self, test: Int32s) -> tuple[Int32s, Int32s]:
        """Return the column of some tests, and the last code that each sends left."""
        return self._column[test].astype(np.int32), self._level[test]

    def codes(self, matrix: Floats) -> Int32s:
        """Return a code per row and column, -1 where a value is missing."""
        found = np.empty((len(matrix), len(self._features)), dtype=np.int32)
        for place, feature in enumerate(self._features.tolist()):
            found[:, place] = _levels(self._thresholds[place], matrix[:, feature])
        return found

    def facts(self, atoms: RowAtoms, row: Floats, excluded: Int32s) -> RowFacts:
        """Return the facts of a row but those that are excluded, by their atoms."""
        tests = self._tests
        value = row[tests.feature]
        gap, left = np.isnan(value), tests.missing_left != 0
        sense = np.where(gap, left, value <= tests.threshold)
        last = self.n_cells[self._column] - 1 if len(self._column) else self._level
        takes_missing = tests.tree.missing_left is not None
        missing = (left == sense) & takes_missing
        return _in_slots(
            (self._column, sense, missing, np.where(sense, -self._level, self._level)),
            self._column.astype(np.int32),
            np.where(sense, 0, self._level + 1),
            np.where(sense, self._level, last),
            missing,
            np.arange(len(tests), dtype=np.int32),
            _kept(len(tests), np.arange(len(tests), dtype=np.int32), excluded),
        )


class _IntervalCoding:
    """Columns are attributes: numbers cut at the tree's levels, categories value by value."""

    def __init__(self, cells: Cells, matrix: Floats) -> None:
        self._cells = cells
        self._attributes = np.flatnonzero(cells.told)
        self._values = {
            attribute: _Values(cells.domain.attributes[attribute].columns, matrix)
            for attribute in self._attributes.tolist()
            if cells.n_levels[attribute] == CATEGORY
        }
        numbers = (max(int(n), 0) + 1 for n in cells.n_levels[self._attributes].tolist())
        listed = zip(self._attributes.tolist(), numbers, strict=True)
        self.n_cells = np.array(
            [len(self._values[a]) if a in self._values else n for a, n in listed], dtype=np.int32
        )

    def codes(self, matrix: Floats) -> Int32s:
        found = np.empty((len(matrix), len(self._attributes)), dtype=np.int32)
        for place, attribute in enumerate(self._attributes.tolist()):
            if attribute in self._values:
                found[:, place] = self._values[attribute].codes(matrix)
            else:
                column = self._cells.domain.attributes[attribute].columns[0]
                found[:, place] = _levels(self._thresholds(attribute), matrix[:, column])
        return found

    def _thresholds(self, attribute: int) -> Floats:
        first, end = self._cells.level_start[attribute : attribute + 2].tolist()
        thresholds: Floats = self._cells.level_threshold[first:end]
        return thresholds

    def facts(self, atoms: RowAtoms, row: Floats, excluded: Int32s) -> RowFacts:
        assert isinstance(atoms, IntervalRow)
        parts: list[tuple[int, int, int, int, int, bool, int]] = []
        own = self.codes(row[None, :])[0].tolist()
        made: list[tuple[npt.NDArray[Any], ...]] = []
        for place, attribute in enumerate(self._attributes.tolist()):
            code, cells = own[place], int(self.n_cells[place])
            atom, single = int(atoms.first_atom[attribute]), bool(atoms.has_single[attribute])
            if attribute in self._values:
                parts.append((place, 2, 0, code, code, False, atom))
                continue
            if single:
                ends = (0, MISSING, True) if code == MISSING else (0, cells - 1, False)
                parts.append((place, 2, 0, *ends, atom))
            if code != MISSING and cells > 1:
                level = np.arange(cells - 1)
                sense = code <= level
                made.append(
                    (
                        np.full(cells - 1, place),
                        sense.astype(np.int64),
                        np.where(sense, -level, level),
                        np.where(sense, 0, level + 1),
                        np.where(sense, level, cells - 1),
                        np.zeros(cells - 1, dtype=np.int64),
                        atom + single + level,
                    )
                )
        if parts:
            made.append(tuple(np.array(column) for column in zip(*parts, strict=True)))
        if not made:
            made.append(tuple(np.zeros(0, dtype=np.int64) for _ in range(7)))
        column, side, order, first, last, missing, atom_of = (
            np.concatenate(arrays).astype(np.int32) for arrays in zip(*made, strict=True)
        )
        keep = _kept(len(atoms), atom_of, excluded)
        key = (column, side, order)
        return _in_slots(key, column, first, last, missing != 0, atom_of, keep)


class _FeatureCoding:
    """Columns are the attributes that the tree tests, value by value."""

    def __init__(self, cells: Cells, matrix: Floats) -> None:
        self._attributes = np.flatnonzero(cells.tested)
        attributes = cells.domain.attributes
        listed = [attributes[number] for number in self._attributes.tolist()]
        self._values = [_Values(attribute.columns, matrix) for attribute in listed]
        self.n_cells = np.array([len(one) for one in self._values], dtype=np.int32)

    def codes(self, matrix: Floats) -> Int32s:
        found = np.empty((len(matrix), len(self._values)), dtype=np.int32)
        for place, values in enumerate(self._values):
            found[:, place] = values.codes(matrix)
        return found

    def facts(self, atoms: RowAtoms, row: Floats, excluded: Int32s) -> RowFacts:
        places = np.arange(len(self._values), dtype=np.int32)
        own = self.codes(row[None, :])[0]
        atom = self._attributes.astype(np.int32)
        keep = _kept(len(atoms), atom, excluded)
        none = np.zeros(len(places), dtype=np.bool_)
        return _in_slots((places, none), places, own, own, none, atom, keep)


class _Values:
    """The values of an attribute in a table; the last code is for all that are not there."""

    def __init__(self, columns: Sequence[int], matrix: Floats) -> None:
        self._columns = list(columns)
        self._known: dict[Hashable, int] = {}
        first = _first_of_each(matrix[:, self._columns])
        for key in map(_key, matrix[first][:, self._columns].tolist()):
            self._known.setdefault(key, len(self._known))

    def __len__(self) -> int:
        return len(self._known) + 1

    def codes(self, matrix: Floats) -> Int32s:
        values, other = matrix[:, self._columns], len(self._known)
        if len(values) == 1:
            return np.array([self._known.get(_key(values[0].tolist()), other)], dtype=np.int32)
        group, first = _groups(values)
        of_group = [self._known.get(_key(point), other) for point in values[first].tolist()]
        return np.array(of_group, dtype=np.int32)[group]


def _key(point: Sequence[float]) -> Hashable:
    """Return what equal points have in common: a gap equals a gap."""
    return tuple(None if math.isnan(number) else number for number in point)


def _groups(values: Floats) -> tuple[Int32s, Int32s]:
    """Return the group of equal rows that each row is in, and the first row of each group."""
    group = np.zeros(len(values), dtype=np.int64)
    for column in values.T:
        known, place = np.unique(column, return_inverse=True)
        group = np.unique(group * len(known) + place, return_inverse=True)[1]
    return group.astype(np.int32), np.unique(group, return_index=True)[1].astype(np.int32)


def _first_of_each(values: Floats) -> Int32s:
    return _groups(values)[1] if len(values) else np.zeros(0, dtype=np.int32)


def _levels(thresholds: Floats, value: Floats) -> Int32s:
    """Return how many thresholds each value is above; -1 where it is missing."""
    found = np.searchsorted(thresholds, value, side="left").astype(np.int32)
    found[np.isnan(value)] = MISSING
    return found

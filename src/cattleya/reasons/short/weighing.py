"""The facts of a row where rows are weighed: what the core searches, and exact weights.

The core computes in floating point; here the weights of a set of facts are whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from cattleya._core import ShortChances
from cattleya.model.tree.tree import Tree
from cattleya.reasons.short.coding import RowFacts
from cattleya.reasons.short.weights import NO_COLUMN, Weighing
from cattleya.support.arrays import Bools, Floats, Int32s, Places
from cattleya.vocabularies.cells import CATEGORY
from cattleya.vocabularies.conditions import ConditionVocabulary
from cattleya.vocabularies.features import Features
from cattleya.vocabularies.interface import RowAtoms
from cattleya.vocabularies.intervals import IntervalRow, Intervals

__all__ = ["RowWeighing"]

Cell = tuple[int, int, bool]  # the first and the last cell, and whether a value may be missing


class RowWeighing:
    """The facts of one row, and what is left of the tree under any of them."""

    def __init__(
        self,
        weighing: Weighing,
        tree: Tree,
        atoms: RowAtoms,
        row: Floats,
        row_class: int,
        excluded: Int32s,
    ) -> None:
        self._weighing, self._tree, self._row, self._atoms = weighing, tree, row, atoms
        inner = tree.left >= 0
        self._wrong = (~inner & (tree.leaf_class != row_class)).astype(np.uint8)
        value = row[np.where(inner, tree.feature, 0)]
        gaps = np.isnan(value)
        left = np.where(gaps, weighing.missing_left != 0, value <= tree.threshold)
        self._row_left = (left & inner).astype(np.uint8)
        self.facts, self.shares = self._found(excluded)
        place = np.full(len(atoms), -1, dtype=np.int32)
        place[self.facts.atom] = np.arange(len(self.facts.atom), dtype=np.int32)
        self.fact_of_atom = place
        steps = np.flatnonzero(inner & (weighing.column == NO_COLUMN))
        self._decided = np.full(tree.n_nodes, -1, dtype=np.int32)
        self._decided[steps] = self._deciding(steps)

    # The facts, and which nodes each decides.

    def _found(self, excluded: Int32s) -> tuple[RowFacts, list[Fraction | None]]:
        """Return the facts that some row has, and of each its share where cells do not say it."""
        weighing, atoms = self._weighing, self._atoms
        if isinstance(weighing.vocabulary, ConditionVocabulary) and weighing.coding is None:
            return self._single(np.setdiff1d(np.arange(len(atoms)), excluded))
        if isinstance(weighing.vocabulary, Features):
            return self._pinned(excluded)
        coding = weighing.coding
        assert coding is not None
        facts = coding.facts(atoms, self._row, excluded)
        if weighing.by_training:
            return _steps(facts), [None] * len(facts.slot)
        shares: list[Fraction | None] = []
        for column, first in zip(facts.column.tolist(), facts.first.tolist(), strict=True):
            known = None if weighing.values is None else weighing.values.get(column)
            share = None
            if known is not None:
                share = Fraction(known.get(first, 0), sum(known.values()) or 1)
            shares.append(share)
        step = np.array([share is not None for share in shares], dtype=np.bool_)
        keep = np.array([share is None or share > 0 for share in shares], dtype=np.bool_)
        facts = _kept(_steps(facts, step), keep)
        return facts, [share for share, kept in zip(shares, keep, strict=True) if kept]

    def _single(self, atom: Places) -> tuple[RowFacts, list[Fraction | None]]:
        """Return the sides of single tests, each a slot of its own."""
        weighing, tests = self._weighing, self._weighing.tests
        value = self._row[tests.feature]
        true = np.where(np.isnan(value), tests.missing_left != 0, value <= tests.threshold)
        cell = np.where(true, 0, 1).astype(np.int32)[atom]
        number: Int32s = atom.astype(np.int32)
        none = np.full(len(atom), NO_COLUMN, dtype=np.int32)
        column = none if weighing.by_training else number
        slot, present = np.arange(len(atom), dtype=np.int32), np.zeros(len(atom), dtype=np.uint8)
        return RowFacts(slot, column, cell, cell, present, number), [None] * len(atom)

    def _pinned(self, excluded: Int32s) -> tuple[RowFacts, list[Fraction | None]]:
        """Return the values of the row, each a slot of its own."""
        weighing = self._weighing
        vocabulary = weighing.vocabulary
        assert isinstance(vocabulary, Features)
        cells = vocabulary.cells
        out, lines = set(excluded.tolist()), []
        shares: list[Fraction | None] = []
        told = np.flatnonzero(cells.told)
        column_of = {attribute: place for place, attribute in enumerate(told.tolist())}
        own = None if weighing.coding is None else weighing.coding.codes(self._row[None, :])[0]
        for attribute, column in column_of.items():
            if attribute in out:
                continue
            if own is None:  # by training weights
                lines.append((NO_COLUMN, 0, 0, 0, attribute))
                shares.append(None)
                continue
            code = int(own[column])
            if cells.n_levels[attribute] == CATEGORY:
                assert weighing.values is not None
                known = weighing.values[column]
                line = (NO_COLUMN, 0, 0, 0, attribute)
                share = Fraction(known.get(code, 0), sum(known.values()) or 1)
            else:
                line = (column, max(code, 0), code, int(code < 0), attribute)
                number = cells.domain.attributes[attribute].columns[0]
                value = float(self._row[number])
                key = None if np.isnan(value) else value + 0.0
                if weighing.pins is None:  # every cell is as likely
                    share = Fraction(int(code >= 0), len(weighing.masses[column]) - 1)
                else:
                    pins = weighing.pins[attribute]
                    share = Fraction(pins.get(key, 0), sum(pins.values()))
            if share > 0:
                lines.append(line)
                shares.append(share)
        table = np.array(lines, dtype=np.int32).reshape(len(lines), 5)
        columns, first, last, missing, atom = (np.ascontiguousarray(one) for one in table.T)
        slot = np.arange(len(lines), dtype=np.int32)
        return RowFacts(slot, columns, first, last, missing.astype(np.uint8), atom), shares

    def _deciding(self, steps: Places) -> Int32s:
        """Return the first fact that decides each step node; -1 where none does."""
        weighing, vocabulary = self._weighing, self._weighing.vocabulary
        test = weighing.tests.of_node[steps]
        if isinstance(vocabulary, ConditionVocabulary):
            return self.fact_of_atom[test]
        assert isinstance(vocabulary, (Features, Intervals))
        cells = vocabulary.cells
        attribute = cells.test_attribute[test]
        if isinstance(vocabulary, Features):
            return self.fact_of_atom[attribute]
        atoms = self._atoms
        assert isinstance(atoms, IntervalRow)
        first, level = atoms.first_atom[attribute], cells.test_level[test]
        count = cells.n_levels[attribute]
        single = atoms.has_single[attribute].astype(np.int64)
        columns = np.array([a.columns[0] for a in cells.domain.attributes])[attribute]
        gap = np.isnan(self._row[columns])
        # Its value decides all tests of a category, and its lack all those of a number; that a
        # number is present decides the tests that only ask for this.
        by_single = (count == CATEGORY) | gap | (level < 0) | (level >= count)
        atom = np.where(by_single, first, first + single + level)
        found = np.full(len(steps), -1, dtype=np.int32)
        use = cells.told[attribute] & ((single > 0) | ~by_single)
        found[use] = self.fact_of_atom[atom[use]]
        return found

    # What the core takes.

    def native(self, *, is_covered: bool) -> ShortChances:
        """Return the leaves that are weighed; what facts cover is not asked for by default."""
        weighing, facts = self._weighing, self.facts
        total = weighing.weight.sum(axis=1)
        chance = weighing.weight / np.maximum(total, 1)[:, None]
        share = np.array([-1.0 if one is None else float(one) for one in self.shares], dtype=float)
        return ShortChances(
            self._tree.left,
            self._tree.right,
            self._wrong,
            weighing.column,
            weighing.level,
            weighing.missing_left,
            np.ascontiguousarray(chance[:, 0]),
            np.ascontiguousarray(chance[:, 1]),
            self._decided,
            self._row_left,
            np.array([len(one) - 1 for one in weighing.masses], dtype=np.int32),
            np.concatenate([np.zeros(0, dtype=np.int64), *weighing.masses]),
            facts.slot,
            facts.column,
            facts.first,
            facts.last,
            facts.missing,
            share,
            is_covered and weighing.by_training,
        )

    # Exact weights.

    def measured(self, chosen: Sequence[int]) -> tuple[Fraction, Fraction]:
        """Return the precision and the coverage of some facts, exactly."""
        return self._by_training(chosen) if self._weighing.by_training else self._by_mass(chosen)

    @cached_property
    def _lists(self) -> tuple[list[int], ...]:
        tree, weighing = self._tree, self._weighing
        arrays = (tree.left, tree.right, self._wrong, weighing.column, weighing.level)
        more = (weighing.missing_left, self._decided, self._row_left)
        return tuple(array.tolist() for array in arrays + more)

    def _is_decided(self, chosen: Sequence[int]) -> list[bool]:
        """Tell of each node whether a fact decides it."""
        slot, decided = self.facts.slot, self._decided
        narrowest = np.full(int(slot.max(initial=-1)) + 1, -1, dtype=np.int64)
        narrowest[slot[list(chosen)]] = list(chosen)
        found = decided >= 0
        found[found] = narrowest[slot[decided[found]]] >= decided[found]
        listed: list[bool] = found.tolist()
        return listed

    def _by_training(self, chosen: Sequence[int]) -> tuple[Fraction, Fraction]:
        left, right, wrong, _, _, _, _, row_left = self._lists
        is_decided, weight = self._is_decided(chosen), self._weighing.weight.tolist()
        # The chances of undecided tests multiply to quotients of counts: only decided tests change
        # the factor of what came to a leaf.
        bad: dict[tuple[int, int], int] = {}
        every = sum(weight[0]) or 1
        covered = 0
        stack = [(0, 1, 1, every)]
        while stack:
            node, upper, lower, rows = stack.pop()
            if left[node] < 0:
                covered += rows
                if wrong[node]:
                    bad[upper, lower] = bad.get((upper, lower), 0) + rows
                continue
            to_left, to_right = weight[node]
            if is_decided[node]:
                child, own = (left, to_left) if row_left[node] else (right, to_right)
                stack.append((child[node], upper * rows, lower * own, own))
            else:
                stack.append((left[node], upper, lower, to_left))
                stack.append((right[node], upper, lower, to_right))
        error = sum(
            (Fraction(upper * rows, lower * every) for (upper, lower), rows in bad.items()),
            Fraction(0),
        )
        return 1 - error, Fraction(covered, every)

    def _by_mass(self, chosen: Sequence[int]) -> tuple[Fraction, Fraction]:
        sums, facts = self._sums, self.facts
        box: dict[int, Cell] = {}
        coverage, every = Fraction(1), 1
        for fact in chosen:
            place, share = int(facts.column[fact]), self.shares[fact]
            coverage *= 1 if share is None else share
            if place != NO_COLUMN:
                own = int(facts.first[fact]), int(facts.last[fact]), bool(facts.missing[fact])
                box[place] = _both(box.get(place, self._all(place)), own)
        for place in range(len(sums)):
            here = _mass(sums[place], box.get(place, self._all(place)))
            every *= here
            if place in box and not isinstance(self._weighing.vocabulary, Features):
                coverage *= Fraction(here, _mass(sums[place], self._all(place)))
        return 1 - self._wrong_mass(every, box, self._is_decided(chosen)) / every, coverage

    def _wrong_mass(self, every: int, box: dict[int, Cell], is_decided: list[bool]) -> Fraction:
        """Return the mass of what is wrong in a box: products of the masses of its columns."""
        left, right, wrong, column, level, missing_left, _, row_left = self._lists
        sums, weight = self._sums, self._weighing.weight.tolist()
        bad = Fraction(0)
        stack: list[tuple[int, int, dict[int, Cell], Fraction]] = [(0, every, box, Fraction(1))]
        while stack:
            node, mass, allowed, chance = stack.pop()
            place = column[node]
            if left[node] < 0:
                bad += mass * chance * wrong[node]
            elif place != NO_COLUMN:
                before = allowed.get(place, self._all(place))
                total, last, gaps = (
                    _mass(sums[place], before),
                    level[node],
                    bool(missing_left[node]),
                )
                sides = (0, last, gaps), (last + 1, len(sums[place]), not gaps)
                for child, side in zip((left, right), sides, strict=True):
                    part = _both(before, side)
                    if own := _mass(sums[place], part):
                        rest = mass // total * own, allowed | {place: part}
                        stack.append((child[node], *rest, chance))
            elif is_decided[node]:
                child = left if row_left[node] else right
                stack.append((child[node], mass, allowed, chance))
            else:
                total = sum(weight[node])
                for child, own in zip((left, right), weight[node], strict=True):
                    if own:
                        stack.append((child[node], mass, allowed, chance * Fraction(own, total)))
        return bad

    @cached_property
    def _sums(self) -> list[list[int]]:
        return [np.concatenate(([0], np.cumsum(one))).tolist() for one in self._weighing.masses]

    def _all(self, place: int) -> Cell:
        return 0, len(self._weighing.masses[place]) - 2, True


def _both(a: Cell, b: Cell) -> Cell:
    return max(a[0], b[0]), min(a[1], b[1]), a[2] and b[2]


def _mass(sums: list[int], cell: Cell) -> int:
    first, last, missing = cell
    inside = sums[last + 1] - sums[first] if first <= last else 0
    return inside + (sums[-1] - sums[-2] if missing else 0)


def _steps(facts: RowFacts, which: Bools | None = None) -> RowFacts:
    """Return facts that decide step nodes: they are of no column."""
    column = np.full(len(facts.column), NO_COLUMN, dtype=np.int32)
    if which is not None:
        column = np.where(which, column, facts.column).astype(np.int32)
    return RowFacts(facts.slot, column, facts.first, facts.last, facts.missing, facts.atom)


def _kept(facts: RowFacts, keep: Bools) -> RowFacts:
    slot = np.unique(facts.slot[keep], return_inverse=True)[1].astype(np.int32)
    rest = (np.ascontiguousarray(one[keep]) for one in (facts.column, facts.first, facts.last))
    column, first, last = rest
    return RowFacts(slot, column, first, last, facts.missing[keep], facts.atom[keep])

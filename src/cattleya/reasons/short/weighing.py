"""The facts of a row where rows are weighed: what the core searches, and exact weights.

The core computes in floating point; here the weights of a set of facts are whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from cattleya._core import ShortChances, training_parts, wrong_mass
from cattleya.reasons.limbs import integer
from cattleya.reasons.short.coding import RowFacts
from cattleya.reasons.short.weights import NO_COLUMN, Weighing
from cattleya.support.arrays import Bools, Bytes, Floats, Int32s, Int64s, Places
from cattleya.support.limits import MEMORY_LIMIT, Deadline
from cattleya.vocabularies.cells import CATEGORY
from cattleya.vocabularies.conditions import ConditionVocabulary
from cattleya.vocabularies.features import Features
from cattleya.vocabularies.interface import RowAtoms
from cattleya.vocabularies.intervals import IntervalRow, Intervals

__all__ = ["RowWeighing"]

Cell = tuple[int, int, int]  # the first and the last cell, and whether a value may be missing
FOREVER = Deadline(None).seconds()


class RowWeighing:
    """The facts of one row, and what is left of the tree under any of them."""

    def __init__(
        self, weighing: Weighing, atoms: RowAtoms, row: Floats, row_class: int, excluded: Int32s
    ) -> None:
        self._weighing, self._row, self._atoms = weighing, row, atoms
        self._tree = tree = weighing.tree
        self._wrong = (weighing.is_leaf & (tree.leaf_class != row_class)).view(np.uint8)
        value = row[weighing.tested]
        left = np.where(np.isnan(value), weighing.missing_left != 0, value <= tree.threshold)
        self._row_left = (left & weighing.is_inner).view(np.uint8)
        self.facts, self.shares = self._found(excluded)
        place = np.full(len(atoms), -1, dtype=np.int32)
        place[self.facts.atom] = np.arange(len(self.facts.atom), dtype=np.int32)
        self.fact_of_atom = place
        self._decided = np.full(tree.n_nodes, -1, dtype=np.int32)
        self._decided[weighing.steps] = self._deciding(weighing.steps)

    # The facts, and which nodes each decides.

    def _found(self, excluded: Int32s) -> tuple[RowFacts, list[Fraction | None]]:
        """Return the facts that some row has, and of each its share where cells do not say it."""
        weighing, atoms = self._weighing, self._atoms
        if isinstance(weighing.vocabulary, ConditionVocabulary) and weighing.coding is None:
            every = np.arange(len(atoms))
            return self._single(np.setdiff1d(every, excluded) if len(excluded) else every)
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
        cell = (~true).astype(np.int32)[atom]
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
        share = np.array([-1.0 if one is None else float(one) for one in self.shares], dtype=float)
        return ShortChances(
            self._tree.left,
            self._tree.right,
            self._wrong,
            weighing.column,
            weighing.level,
            weighing.missing_left,
            *weighing.chances,
            self._decided,
            self._row_left,
            weighing.n_cells,
            weighing.flat_masses,
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

    def _is_decided(self, chosen: Sequence[int]) -> Bytes:
        """Tell of each node whether a fact decides it."""
        slot, decided = self.facts.slot, self._decided
        # Of no slot, and of none that is chosen: no fact.
        narrowest = np.full(int(slot.max(initial=-1)) + 2, -1, dtype=np.int32)
        narrowest[slot[list(chosen)]] = list(chosen)
        of_node = narrowest[self._slot_of_node]
        return ((decided >= 0) & (of_node >= decided)).view(np.uint8)

    @cached_property
    def _slot_of_node(self) -> Int32s:
        slots = np.append(self.facts.slot, np.int32(-1))  # the last, which -1 takes, is of no slot
        found: Int32s = slots[self._decided]
        return found

    def _exact(self, chosen: Sequence[int]) -> tuple[Int32s, Int32s, Bytes, Int64s, Bytes, Bytes]:
        weighing, tree = self._weighing, self._tree
        decided = self._is_decided(chosen)
        return tree.left, tree.right, self._wrong, weighing.flat_weight, decided, self._row_left

    def _by_training(self, chosen: Sequence[int]) -> tuple[Fraction, Fraction]:
        found = training_parts(*self._exact(chosen), FOREVER, MEMORY_LIMIT)
        parent, before, after, wrong = (array.tolist() for array in found[:4])
        every = int(self._weighing.weight[0].sum()) or 1
        # From the last part to the first: upper / lower is the wrong weight of what comes to it.
        upper, lower = wrong, [1] * len(wrong)
        for part in range(len(parent) - 1, 0, -1):
            if upper[part]:
                own, of = upper[part] * before[part], lower[part] * after[part]
                up, down = upper[parent[part]], lower[parent[part]]
                upper[parent[part]] = up * of + own * down
                lower[parent[part]] = down * of
        return 1 - Fraction(upper[0], lower[0] * every), Fraction(found[4], every)

    def _by_mass(self, chosen: Sequence[int]) -> tuple[Fraction, Fraction]:
        weighing, facts = self._weighing, self.facts
        first, last, missing = weighing.every_cell
        first, last, missing = first.copy(), last.copy(), missing.copy()
        places = set()
        coverage = Fraction(1)
        for fact in chosen:
            place, share = int(facts.column[fact]), self.shares[fact]
            coverage *= 1 if share is None else share
            if place != NO_COLUMN:
                places.add(place)
                first[place] = max(first[place], facts.first[fact])
                last[place] = min(last[place], facts.last[fact])
                missing[place] &= facts.missing[fact]
        if not isinstance(weighing.vocabulary, Features):
            for place in places:
                sums, cell = weighing.sums[place], (first[place], last[place], missing[place])
                coverage *= Fraction(_mass(sums, cell), sums[-1])
        columns = weighing.column, weighing.level, weighing.missing_left
        masses = weighing.n_cells, weighing.flat_masses
        box = first, last, missing, weighing.factors
        given = (*self._exact(chosen), *columns, *masses, *box)
        bad, every = map(integer, wrong_mass(*given, FOREVER, MEMORY_LIMIT))
        if every == 0:
            raise ValueError("nothing that is weighed has these facts")
        return 1 - Fraction(bad, every), coverage


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

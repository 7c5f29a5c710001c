"""The atoms of a row in each of the three vocabularies, from their definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from cattleya import Condition
from cattleya.model.conditions.fact import Fact
from fuzz.brute_force import Family, World, family
from fuzz.drawing import Drawn, Test

__all__ = ["Atoms", "Truth"]


@dataclass(frozen=True)
class Atoms:
    """The atoms of a row in one vocabulary: each is a factor of a world and some of its places."""

    world: World
    meaning: tuple[tuple[int, int], ...]  # factor, places as bits

    @cached_property
    def rows(self) -> list[int]:
        """The rows in which each atom holds."""
        return [self.world.rows_with(factor, places) for factor, places in self.meaning]

    @cached_property
    def table(self) -> int:
        """The sufficient sets of atoms."""
        return self.world.sufficient(self.rows, self.world.others)

    @property
    def reasons(self) -> Family:
        """The sufficient reasons."""
        return family(self.table, len(self.meaning), False)

    @property
    def contrasts(self) -> Family:
        """The contrastive explanations."""
        return family(self.table, len(self.meaning), True)

    def toward(self, label: int) -> Family:
        """Return the contrastive explanations toward one class."""
        world = self.world
        table = world.sufficient(self.rows, world.of_class[label])
        return family(table, len(self.meaning), True)

    def is_sufficient(self, atoms: int) -> bool:
        """Tell whether a set of atoms forces the class."""
        return bool(self.table >> atoms & 1)

    def rows_of(self, atoms: int) -> int:
        """Return the rows in which all of some atoms hold."""
        rows = self.world.everything
        for i, own in enumerate(self.rows):
            if atoms >> i & 1:
                rows &= own
        return rows


class Truth:
    """What there is to know about a drawn tree and its row."""

    def __init__(self, drawn: Drawn) -> None:
        self.drawn = drawn
        self.tests: list[Test] = list(dict.fromkeys(test for test in drawn.test if test))
        self.cells = [drawn.cells(feature) for feature in range(drawn.n_features)]
        self.own = [self.place_of(f, value) for f, value in enumerate(drawn.row)]
        self._left = {
            test: sum(
                1 << place
                for place, (low, _) in enumerate(self.cells[test[0]])
                if drawn.goes_left(test, low)
            )
            for test in self.tests
        }

    def place_of(self, feature: int, value: float) -> int:
        """Return the place of a number on the grid among the cells of a feature."""
        if math.isnan(value):
            return len(self.cells[feature]) - 1
        return next(i for i, (low, high) in enumerate(self.cells[feature]) if low <= value <= high)

    @cached_property
    def assignments(self) -> World:
        """All assignments of the tests, each taken as a Boolean variable; place 0 is true."""
        drawn = self.drawn
        number = {test: i for i, test in enumerate(self.tests)}
        own = [not drawn.goes_left(test, drawn.row[test[0]]) for test in self.tests]
        nodes = [
            (left, right, -1 if test is None else number[test], 1, label)
            for left, right, test, label in zip(
                drawn.left, drawn.right, drawn.test, drawn.leaf_class, strict=True
            )
        ]
        return World([2] * len(self.tests), own, nodes)

    @cached_property
    def rows(self) -> World:
        """All rows that the tests tell apart, under the logic of numbers."""
        drawn = self.drawn
        nodes = [
            (left, right, -1 if test is None else test[0], self._left.get(test, 0), label)  # type: ignore[arg-type]  # None is in no dict
            for left, right, test, label in zip(
                drawn.left, drawn.right, drawn.test, drawn.leaf_class, strict=True
            )
        ]
        return World([len(known) for known in self.cells], self.own, nodes)

    @cached_property
    def conditions(self) -> Atoms:
        """Each test on the row's side, taken as a variable of its own: the paper's."""
        world = self.assignments
        return Atoms(world, tuple((i, 1 << own) for i, own in enumerate(world.own)))

    @cached_property
    def features(self) -> Atoms:
        """Each feature as it is in the row."""
        return Atoms(self.rows, tuple((f, 1 << own) for f, own in enumerate(self.own)))

    @cached_property
    def intervals(self) -> Atoms:
        """The row's sides of what the tests tell apart of each feature, and that it is present."""
        found: list[tuple[int, int]] = []
        for feature, known in enumerate(self.cells):
            everything = (1 << len(known)) - 1
            present = everything >> 1 if self.drawn.takes_missing else everything
            own = 1 << self.own[feature]
            sides = {left for test, left in self._left.items() if test[0] == feature}
            if not sides - {0, everything}:
                continue
            if not own & present:
                found.append((feature, own))
                continue
            if self.drawn.takes_missing:
                found.append((feature, present))
            ours = {(left if left & own else everything ^ left) & present for left in sides}
            found += [(feature, side) for side in ours - {present}]
        return Atoms(self.rows, tuple(found))

    def atoms(self, over: str) -> Atoms:
        """Return the atoms of a vocabulary."""
        found: Atoms = getattr(self, over)
        return found

    def numbered(self, over: str, conditions: Sequence[Condition]) -> dict[Condition, int]:
        """Return which atom each of the library's conditions is; all of them must be there."""
        meant = self._condition if over == "conditions" else self._fact
        meaning = [meant(condition) for condition in conditions]
        expected = {atom: i for i, atom in enumerate(self.atoms(over).meaning)}
        numbers = {c: expected[m] for c, m in zip(conditions, meaning, strict=True)}
        assert sorted(numbers.values()) == list(range(len(expected))), "not the atoms of the row"
        return numbers

    def _condition(self, condition: Condition) -> tuple[int, int]:
        test = condition.index, condition.threshold, condition.missing_left
        return self.tests.index(test), 1 if condition.sense else 2

    def _fact(self, condition: Condition) -> tuple[int, int]:
        known = self.cells[condition.index]
        if isinstance(condition, Fact):  # what the row has
            assert _same(condition.point[0], self.drawn.row[condition.index])
            return condition.index, 1 << self.own[condition.index]
        held = [condition.holds(low) for low, _ in known]
        assert held == [condition.holds(high) for _, high in known]
        return condition.index, sum(1 << place for place, holds in enumerate(held) if holds)


def _same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))

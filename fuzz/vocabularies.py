"""The atoms of a row in each of the three vocabularies, from their definitions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from cattleya import Condition
from cattleya.model.conditions.condition import Comparison
from cattleya.model.conditions.fact import Fact
from fuzz.drawing import Drawn, Test
from tests.oracles.definitions import Explained, Truths
from tests.oracles.rows import Atom, Node, Rows, sides

__all__ = ["Truth"]


class Truth:
    """What there is to know about a drawn tree and its row."""

    def __init__(self, drawn: Drawn) -> None:
        self.drawn = drawn
        self.tests: list[Test] = list(dict.fromkeys(test for test in drawn.test if test))
        self.cells = [drawn.cells(feature) for feature in range(drawn.n_features)]
        self.own = [self.place_of(f, value) for f, value in enumerate(drawn.row)]
        self._left = {
            test: [drawn.goes_left(test, low) for low, _ in self.cells[test[0]]]
            for test in self.tests
        }

    def place_of(self, feature: int, value: float) -> int:
        """Return the place of a number on the grid among the cells of a feature."""
        if math.isnan(value):
            return len(self.cells[feature]) - 1
        return next(i for i, (low, high) in enumerate(self.cells[feature]) if low <= value <= high)

    @cached_property
    def assignments(self) -> Rows:
        """All assignments of the tests, each taken as a Boolean variable; place 0 is true."""
        asked = {test: (i, [True, False]) for i, test in enumerate(self.tests)}
        return Rows((2,) * len(asked), self._nodes(asked))

    @cached_property
    def rows(self) -> Rows:
        """All rows that the tests tell apart, under the logic of numbers."""
        asked = {test: (test[0], left) for test, left in self._left.items()}
        return Rows(tuple(map(len, self.cells)), self._nodes(asked))

    def _nodes(self, asked: dict[Test, tuple[int, list[bool]]]) -> list[Node]:
        """Return the tree; each test asks for an attribute, and sends some of its places left."""
        drawn = self.drawn
        return [
            Node(left, right, *((0, []) if test is None else asked[test]), label)
            for left, right, test, label in zip(
                drawn.left, drawn.right, drawn.test, drawn.leaf_class, strict=True
            )
        ]

    @cached_property
    def own_row(self) -> int:
        """The number of the row among all rows."""
        return self.rows.number(self.own)

    @cached_property
    def row_class(self) -> int:
        """The class of the row."""
        return int(self.rows.classes[self.own_row])

    @cached_property
    def others(self) -> Truths:
        """The rows of another class."""
        found: Truths = self.rows.classes != self.row_class
        return found

    def having_own(self, features: Iterable[int]) -> Truths:
        """Return the rows in which some features are as in the row."""
        kept = list(features)
        found: Truths = np.all(self.rows.places[:, kept] == np.array(self.own)[kept], axis=1)
        return found

    @cached_property
    def conditions(self) -> Explained:
        """Each test on the row's side, taken as a variable of its own: the paper's."""
        drawn, world = self.drawn, self.assignments
        own = [int(not drawn.goes_left(test, drawn.row[test[0]])) for test in self.tests]
        atoms = [(i, frozenset([place])) for i, place in enumerate(own)]
        return world.explained(world.number(own), atoms, [(0, 1)] * len(own))

    @cached_property
    def features(self) -> Explained:
        """Each feature as it is in the row."""
        return self._explained([(f, frozenset([own])) for f, own in enumerate(self.own)])

    @cached_property
    def intervals(self) -> Explained:
        """The row's sides of what the tests tell apart of each feature, and that it is present."""
        found: list[Atom] = []
        for feature, known in enumerate(self.cells):
            places = range(len(known))
            tests = [left for test, left in self._left.items() if test[0] == feature]
            lefts = [frozenset(place for place in places if left[place]) for left in tests]
            missing = frozenset(places[-1:] if self.drawn.takes_missing else ())
            said = sides(self.own[feature], places, lefts, missing)
            found += [(feature, side) for side in said]
        return self._explained(found)

    def _explained(self, atoms: Sequence[Atom]) -> Explained:
        return self.rows.explained(self.own_row, atoms, [range(len(known)) for known in self.cells])

    def atoms(self, over: str) -> Explained:
        """Return the row and its atoms in a vocabulary."""
        found: Explained = getattr(self, over)
        return found

    def numbered(self, over: str, conditions: Sequence[Condition]) -> dict[Condition, int]:
        """Return which atom each of the library's conditions is; all of them must be there."""
        meant = self._condition if over == "conditions" else self._fact
        meaning = [meant(condition) for condition in conditions]
        expected = {atom: i for i, atom in enumerate(self.atoms(over).atoms)}
        numbers = {c: expected[m] for c, m in zip(conditions, meaning, strict=True)}
        assert sorted(numbers.values()) == list(range(len(expected))), "not the atoms of the row"
        return numbers

    def _condition(self, condition: Condition) -> Atom:
        assert isinstance(condition, Comparison)
        test = condition.index, condition.threshold, condition.missing_left
        return self.tests.index(test), frozenset([0 if condition.sense else 1])

    def _fact(self, condition: Condition) -> Atom:
        known = self.cells[condition.index]
        if isinstance(condition, Fact):  # what the row has
            assert _same(condition.point[0], self.drawn.row[condition.index])
            return condition.index, frozenset([self.own[condition.index]])
        held = [condition.holds(low) for low, _ in known]
        assert held == [condition.holds(high) for _, high in known]
        return condition.index, frozenset(place for place, holds in enumerate(held) if holds)


def _same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))

"""Small domains to test with, all of whose rows can be listed.

An attribute is listed here by the values that its columns can have: a few between all thresholds.
The domain that the library is given says the same in its own words. An atom is the set of values of
one attribute for which it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, product
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

import cattleya
from cattleya.model.conditions.fact import Fact
from cattleya.model.domain.domain import Category, Domain, Number
from tests.oracles.definitions import Explained
from tests.oracles.rows import Atom, Rows, sides
from tests.samples.trees import Nodes, Variable, evenly, random_nodes

Value = tuple[float, ...]  # of one attribute, in its columns
Family = frozenset[frozenset[Atom]]

NAN = float("nan")
CLOSE = float(np.nextafter(np.float32(1.5), np.float32(2)))  # float32's neighbour of 1.5


def key(value: Value) -> tuple[float | str, ...]:
    """A value that can be looked up: NaN is no number to compare."""
    return tuple("missing" if np.isnan(number) else number for number in value)


@dataclass(frozen=True)
class Kind:
    """A kind of attribute, made for the columns it is given."""

    thresholds: tuple[float, ...]
    width: int = 1
    number: Number | None = None  # as the library is told, but for its name and column
    points: tuple[Value, ...] = ()  # of a category; NaN only where missing values are taken
    values: tuple[float, ...] | None = None  # what the tree sees; None: around the thresholds

    def attribute(self, name: str, first: int) -> Number | Category:
        if self.number is not None:
            return replace(self.number, name=name, column=first)
        columns = tuple(range(first, first + self.width))
        values = tuple(f"v{i}" for i in range(len(self.points)))
        return Category(name, columns, values, self.points)

    def listed(self, dtype: str, takes_missing: bool) -> list[Value]:
        """The values that the tree can see, or enough of them."""
        if self.number is None:
            return list(self.points)
        cast = np.dtype(dtype).type
        values = around(self.thresholds, dtype) if self.values is None else self.values
        listed: list[Value] = [(float(cast(value)),) for value in values]
        return listed + [(NAN,)] * takes_missing


def around(thresholds: Sequence[float], dtype: str) -> list[float]:
    """Values on the thresholds, just beside them, and far away."""
    cast = np.dtype(dtype).type
    found = {-1e6, 0.0, 1e6}
    for threshold in thresholds:
        near = cast(threshold)
        for value in (np.nextafter(near, cast(-9e9)), near, np.nextafter(near, cast(9e9))):
            found.add(float(value))
    return sorted(found)


ONE_HOT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
HALVES = (-0.5, 0.5, 0.7, 1.5, 2.5, 3.5)
KINDS = {
    "number": Kind((0.5, 1.5, 2.5), number=Number("", 0)),
    "close": Kind((1.5, CLOSE, 1.5 + 1e-9), number=Number("", 0)),
    "bounded": Kind(
        (-0.5, 0.5, 2.0, 2.5),
        number=Number("", 0, lower=0.0, upper=2.0),
        values=(0.0, 0.25, 0.5, 0.75, 1.0, 2.0),
    ),
    "integer": Kind(
        (0.5, 0.7, 1.5, 2.0, 2.5),
        number=Number("", 0, integer=True),
        values=tuple(float(i) for i in range(-1, 5)),
    ),
    "bounded integer": Kind(
        HALVES,
        number=Number("", 0, integer=True, lower=0.0, upper=3.0),
        values=(0.0, 1.0, 2.0, 3.0),
    ),
    "boolean": Kind(
        (0.5,),
        number=Number("", 0, integer=True, lower=0.0, upper=1.0, boolean=True),
        values=(0.0, 1.0),
    ),
    "scaled": Kind(
        (-0.6, -0.2, 0.1, 0.2, 0.4),
        number=Number(
            "", 0, integer=True, lower=0.0, upper=3.0, steps=(("add", -2.0), ("divide", 3.0))
        ),
        values=tuple((i - 2.0) / 3.0 for i in range(4)),
    ),
    "filled in": Kind(
        (0.5, 1.2, 1.3, 1.7),
        number=Number("", 0, integer=True, lower=0.0, upper=2.0, extra=(1.25,)),
        values=(0.0, 1.0, 1.25, 2.0),
    ),
    "coded": Kind((-0.5, 0.5, 1.5, 2.0, 2.5), points=((0.0,), (1.0,), (2.0,), (3.0,))),
    "coded, gaps": Kind((0.5, 1.5, 4.0), points=((7.0,), (0.0,), (3.0,))),
    "coded, missing": Kind((0.5, 1.5), points=((0.0,), (1.0,), (NAN,), (2.0,))),
    "one-hot": Kind((0.5,), width=3, points=ONE_HOT),
    "one-hot, first left out": Kind(
        (0.5, 0.2), width=2, points=((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
    ),
}


@dataclass(frozen=True)
class World:
    """A tree, the kinds of its attributes, and so all rows there are."""

    nodes: Nodes
    kinds: tuple[str, ...]

    @cached_property
    def takes_missing(self) -> bool:
        return self.nodes.missing_left is not None

    @cached_property
    def first_column(self) -> tuple[int, ...]:
        widths = [KINDS[kind].width for kind in self.kinds]
        return tuple(int(i) for i in np.cumsum([0, *widths]))

    @cached_property
    def domain(self) -> Domain:
        attributes = tuple(
            KINDS[kind].attribute(f"a{i}", self.first_column[i])
            for i, kind in enumerate(self.kinds)
        )
        return Domain(attributes, self.first_column[-1])

    @cached_property
    def tree(self) -> cattleya.Tree:
        return self.nodes.build()

    @cached_property
    def listed(self) -> list[list[Value]]:
        """The values of each attribute."""
        dtype = self.nodes.row_dtype
        return [KINDS[kind].listed(dtype, self.takes_missing) for kind in self.kinds]

    @cached_property
    def rows(self) -> npt.NDArray[np.float64]:
        """All rows."""
        return np.array([sum(values, ()) for values in product(*self.listed)])

    @cached_property
    def all_rows(self) -> Rows:
        """All rows, in the order of `rows`, with their leaves."""
        ends = pairwise(self.first_column)
        return self.nodes.all_rows([range(*columns) for columns in ends], self.listed)

    @property
    def numbers(self) -> npt.NDArray[np.intp]:
        """For each row, the place of each attribute's value in `listed`."""
        return self.all_rows.places

    @property
    def classes(self) -> npt.NDArray[np.intp]:
        """The class of every row, by walking it."""
        return self.all_rows.classes

    def explained(self, number: int, atoms: Sequence[Atom]) -> Explained:
        """A row and the atoms that explain it, among all rows."""
        values = [[key(value) for value in values] for values in self.listed]
        return self.all_rows.explained(number, atoms, values)

    def meaning(self, condition: cattleya.Condition) -> Atom:
        """A condition as an atom: for which of the listed values does it hold?"""
        attribute = int(np.searchsorted(self.first_column, condition.index, side="right")) - 1
        held = frozenset(key(v) for v in self.listed[attribute] if self.holds(condition, v))
        return attribute, held

    def holds(self, condition: cattleya.Condition, value: Value) -> bool:
        """Does a condition hold for a value of its attribute?"""
        if not isinstance(condition, Fact):
            return condition.holds(value[0])
        assert len(value) == len(condition.columns)
        return key(value) == key(condition.point)

    def of_row(self, number: int, attribute: int) -> Value:
        """What a row has of an attribute."""
        return self.listed[attribute][int(self.numbers[number, attribute])]

    def told_on_path(self, number: int) -> list[tuple[int, frozenset[Any]]]:
        """What the tests on a row's path tell: of an attribute, the side that the row is on."""
        found = []
        for node in self.nodes.walk(self.rows[number])[:-1]:
            a = next(a for a in range(len(self.kinds)) if node in self.tests_of(a))
            own = key(self.of_row(number, a))
            side = next(side for side in self.sides(a, node) if own in side)
            if len(side) < len(self.listed[a]):
                found.append((a, side))
        return found

    # The atoms of a row, from the definitions.

    def features(self, row: Sequence[int]) -> list[Atom]:
        """One atom an attribute: that it is as in the row."""
        return [(a, frozenset([key(self.listed[a][v])])) for a, v in enumerate(row)]

    def intervals(self, row: Sequence[int]) -> list[Atom]:
        """The row's sides of what the tests can tell apart; of a category, its value."""
        found: list[Atom] = []
        for a, own in enumerate(row):
            values = [key(value) for value in self.listed[a]]
            missing = frozenset(key(v) for v in self.listed[a] if np.isnan(v[0]))
            tests = [self.sides(a, node)[0] for node in self.tests_of(a)]
            said = sides(values[own], values, tests, missing)
            if said and KINDS[self.kinds[a]].number is None:
                said = [frozenset([values[own]])]
            found += [(a, side) for side in said]
        return found

    def tests_of(self, attribute: int) -> list[int]:
        """The nodes that test an attribute."""
        first, end = self.first_column[attribute : attribute + 2]
        nodes = self.nodes
        return [n for n in range(len(nodes.left)) if first <= nodes.feature[n] < end]

    def sides(self, attribute: int, node: int) -> tuple[frozenset[Any], frozenset[Any]]:
        """The values that a test sends left, and those that it sends right."""
        place = self.nodes.feature[node] - self.first_column[attribute]
        variable = self.nodes.variable(node)
        left = {key(v) for v in self.listed[attribute] if self.nodes.holds(variable, v[place])}
        return frozenset(left), frozenset(map(key, self.listed[attribute])) - left


@st.composite
def worlds(draw: st.DrawFn, *, missing: bool = False, most: int = 3, max_inner: int = 24) -> World:
    """A random tree over attributes of random kinds."""
    choice = sorted(kind for kind in KINDS if missing or kind != "coded, missing")
    number = draw(st.integers(1, most))
    kinds = tuple(draw(evenly).choices(choice, k=number))
    pool: list[Variable] = []
    column = 0
    for kind in kinds:
        for _ in range(KINDS[kind].width):
            for threshold in KINDS[kind].thresholds:
                pool += [
                    (column, threshold, side) for side in ((False, True) if missing else (None,))
                ]
            if missing:
                pool.append((column, float("inf"), False))
            column += 1
    nodes = draw(
        random_nodes(
            max_inner=max_inner,
            pool=pool,
            n_classes=draw(st.integers(2, 4)),
            row_dtype=draw(st.sampled_from(["float32", "float64"])),
        )
    )
    return World(replace(nodes, n_features=column), kinds)

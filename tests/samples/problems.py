"""Trees with a row that may become another: every value of every attribute that matters.

An attribute is described here by the list of its values and what each is in the tree's columns; a
real number by those that can be nearest: the row's own, and the neighbours of every boundary.
Nothing uses the library but the step that builds its domain.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from hypothesis import strategies as st

from cattleya.model.domain.domain import Category, Domain, Number
from tests.oracles.rows import Rows
from tests.samples.trees import Nodes, Variable

MISSING = "missing"


@dataclass(frozen=True)
class Kind:
    """One attribute: a number with its values, or a category with a point for each value."""

    name: str
    columns: tuple[int, ...]
    values: tuple[Any, ...]
    points: tuple[tuple[float, ...], ...]
    number: bool
    attribute: Number | Category


def around(threshold: float, dtype: str) -> list[float]:
    """The neighbours of a threshold on the grid, on both sides."""
    cast = np.dtype(dtype).type
    near = cast(threshold)
    below, above = np.nextafter(near, cast(-np.inf)), np.nextafter(near, cast(np.inf))
    return [float(below), float(near), float(above)]


@dataclass(frozen=True)
class Problem:
    """A tree, its attributes, and a row: of each attribute the place of its value."""

    nodes: Nodes
    kinds: tuple[Kind, ...]
    own: tuple[int, ...]

    @property
    def domain(self) -> Domain:
        return Domain(tuple(kind.attribute for kind in self.kinds), self.nodes.n_features)

    @cached_property
    def all_rows(self) -> Rows:
        """Every value of every attribute that matters."""
        return self.nodes.all_rows(
            [kind.columns for kind in self.kinds], [kind.points for kind in self.kinds]
        )

    def row(self, places: Sequence[int]) -> np.ndarray:
        """The row of some values, in the tree's columns."""
        row = np.zeros(self.nodes.n_features)
        for kind, place in zip(self.kinds, places, strict=True):
            row[list(kind.columns)] = kind.points[place]
        return row

    def cost(self, kind: int, place: int, weights: dict[str, float]) -> float:
        """What it costs one attribute to become a value."""
        if place == self.own[kind]:
            return 0.0
        it = self.kinds[kind]
        weight = weights.get(it.name, 1.0)
        before, after = it.values[self.own[kind]], it.values[place]
        if not it.number or MISSING in (before, after):
            return weight
        return weight * float(abs(after - before))

    def nearest(
        self,
        permitted: Sequence[Sequence[int]],
        metric: str,
        weights: dict[str, float],
        toward: int | None = None,
    ) -> list[tuple[float, ...]]:
        """The distances of the nearest permitted row of each leaf of another class, in order."""
        costs = [
            [
                self.cost(number, place, weights) if place in permitted[number] else math.nan
                for place in range(len(kind.values))
            ]
            for number, kind in enumerate(self.kinds)
        ]
        return self.all_rows.nearest(self.own, costs, metric, toward)


# The thresholds of real numbers: on the grid, between two of its numbers, and next to each other.
REAL = (-1.0, 0.1, 0.5, float(np.nextafter(np.float32(0.5), np.float32(1))), 2.25)
WHOLE = (0.5, 1.2, 1.7, 2.0, 3.5)
KINDS = ("real", "bounded", "whole", "boolean", "coded", "one-hot", "dropped")


def _kind(kind: str, name: str, column: int, dtype: str) -> tuple[Kind, list[tuple[int, float]]]:
    """An attribute that starts at a column, and the tests there can be of it."""
    if kind in ("real", "bounded"):
        low, high = (-math.inf, math.inf) if kind == "real" else (0.0, 2.0)
        values = {v for t in REAL for v in around(t, dtype)} | {0.0, 2.0, -3.0, 7.5}
        inside = tuple(sorted(value for value in values if low <= value <= high))
        attribute: Number | Category = Number(name, column, lower=low, upper=high)
        tests = [(column, t) for t in REAL]
        return Kind(name, (column,), inside, tuple((v,) for v in inside), True, attribute), tests
    if kind in ("whole", "boolean"):
        top = 1 if kind == "boolean" else 4
        attribute = Number(name, column, integer=True, lower=0, upper=top, boolean=top == 1)
        numbers = tuple(range(top + 1))
        tests = [(column, t) for t in (WHOLE if top > 1 else (0.5,))]
        each = tuple((float(v),) for v in numbers)
        return Kind(name, (column,), numbers, each, True, attribute), tests
    points: tuple[tuple[float, ...], ...]
    if kind == "coded":
        labels, points = ("c", "a", "b"), ((0.0,), (2.5,), (7.0,))
        tests = [(column, t) for t in (-1.0, 0.5, 2.5, 6.0)]
    else:
        labels, points = ("u", "v", "w"), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        if kind == "dropped":
            points = tuple(point[1:] for point in points)
        tests = [(column + i, t) for i in range(len(points[0])) for t in (0.3, 0.5)]
    columns = tuple(range(column, column + len(points[0])))
    attribute = Category(name, columns, labels, points)
    return Kind(name, columns, labels, points, False, attribute), tests


def problem_of(seed: int, *, missing: bool = False) -> Problem:
    """A random tree over attributes of every kind, with a row; never a trivial one."""
    draw = random.Random(seed)
    dtype = draw.choice(["float32", "float64"])
    kinds: list[Kind] = []
    pool: list[Variable] = []
    column = 0
    for number in range(draw.randint(1, 3)):
        made, tests = _kind(draw.choice(KINDS), f"a{number}", column, dtype)
        if missing and made.number:
            values, points = (*made.values, MISSING), (*made.points, (math.nan,))
            made = replace(made, values=values, points=points)
        kinds.append(made)
        column += len(made.columns)
        sides = (True, False) if missing else (None,)
        pool += [(test, threshold, side) for test, threshold in tests for side in sides]
    nodes = _nodes(draw, pool, column, dtype)
    own = tuple(draw.randrange(len(kind.values)) for kind in kinds)
    return Problem(nodes, tuple(kinds), own)


def _nodes(draw: random.Random, pool: Sequence[Variable], columns: int, dtype: str) -> Nodes:
    left, right, tests, leaves = [-1], [-1], [pool[0]], [0]
    for _ in range(draw.randint(1, 9)):
        node = leaves.pop(draw.randrange(len(leaves)))
        left[node], right[node], tests[node] = len(left), len(left) + 1, draw.choice(pool)
        leaves += [len(left), len(left) + 1]
        left, right, tests = [*left, -1, -1], [*right, -1, -1], [*tests, pool[0], pool[0]]
    inner = [child >= 0 for child in left]
    return Nodes(
        left=tuple(left),
        right=tuple(right),
        feature=tuple(test[0] if i else -1 for test, i in zip(tests, inner, strict=True)),
        threshold=tuple(test[1] if i else 0.0 for test, i in zip(tests, inner, strict=True)),
        leaf_class=tuple(-1 if i else draw.randrange(3) for i in inner),
        n_features=columns,
        n_classes=3,
        missing_left=None if pool[0][2] is None else tuple(bool(test[2]) for test in tests),
        row_dtype=dtype,
    )


def problems(*, missing: bool = False) -> st.SearchStrategy[Problem]:
    """Random problems; a seed each, since smaller draws would mostly be trees without a choice."""
    return st.integers(0, 2**32).map(lambda seed: problem_of(seed, missing=missing))

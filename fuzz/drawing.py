"""Draws a small tree and a row from a seed: the same from the same, always.

The shapes and numbers are chosen to hurt: chains, conditions that come again on a path, equal
thresholds of several features, neighbours on the grid of 32 or 64 bits, zeros of both signs,
numbers at the ends of the range, many classes, missing values that go to either side.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np

import cattleya

__all__ = ["Drawn", "Test", "cells", "draw"]

Test = tuple[int, float, bool | None]  # feature, threshold, whether NaN goes left (None: no NaN)
Cell = tuple[float, float]  # the least and the greatest number in it; NaN twice: missing

MOST_TESTS = 8  # distinct ones of a tree: 2^8 assignments
FEW_TESTS = 4
MOST_ROWS = 400  # that differ for the tree, under the logic of its numbers

LARGEST = float(np.finfo(np.float64).max)
LARGEST_32 = float(np.finfo(np.float32).max)
NEXT_TO_HALF = float(np.nextafter(np.float32(0.5), np.float32(1)))
POOLS: tuple[tuple[float, ...], ...] = (
    (0.5, 1.5, 2.5),
    (0.5,),
    (0.1, 0.30000000000000004, 0.3),
    (0.5, NEXT_TO_HALF, 0.5 + 1e-9, math.nextafter(0.5, 1)),
    (0.0, -0.0, 5e-324, -5e-324, 1e-45),
    (1e-300, 1e-30, -1e-300),
    (LARGEST, -LARGEST, 1e308, math.nextafter(LARGEST, 0)),
    (LARGEST_32, -LARGEST_32, 3.5e38, -3.5e38),
    (16777216.0, 16777217.0, 9007199254740992.0, 9007199254740993.0),
    (-1.0, 0.0, 1.0, 1e6),
)


@dataclass(frozen=True)
class Drawn:
    """A tree as plain lists, one entry per node, and a row."""

    left: list[int]
    right: list[int]
    test: list[Test | None]  # None at leaves
    leaf_class: list[int]
    n_features: int
    n_classes: int
    takes_missing: bool
    boolean: tuple[int, ...]
    row_dtype: str
    row: list[float]

    def tree(self) -> cattleya.Tree:
        """Return the library's tree."""
        tests = [test or (-1, 0.0, False) for test in self.test]
        return cattleya.Tree(
            self.left,
            self.right,
            [test[0] for test in tests],
            [test[1] for test in tests],
            self.leaf_class,
            n_features=self.n_features,
            class_names=tuple(range(self.n_classes)),
            missing_left=[bool(test[2]) for test in tests] if self.takes_missing else None,
            boolean=self.boolean,
            row_dtype=self.row_dtype,
        )

    def goes_left(self, test: Test, value: float) -> bool:
        """Tell where a value on the grid goes."""
        return bool(test[2]) if math.isnan(value) else value <= test[1]

    def walk(self, row: list[float]) -> tuple[int, list[Test]]:
        """Return the class of a row on the grid, and the tests on its way."""
        at, path = 0, []
        while (test := self.test[at]) is not None:
            path.append(test)
            at = self.left[at] if self.goes_left(test, row[test[0]]) else self.right[at]
        return self.leaf_class[at], path

    def leaf(self, row: list[float]) -> int:
        """Return the leaf of a row on the grid."""
        at = 0
        while (test := self.test[at]) is not None:
            at = self.left[at] if self.goes_left(test, row[test[0]]) else self.right[at]
        return at

    def cells(self, feature: int) -> tuple[Cell, ...]:
        """Return what the tree's tests tell apart of a feature, in order; missing comes last."""
        tested = {test[1] for test in self.test if test is not None and test[0] == feature}
        boolean = feature in self.boolean
        return cells(tuple(sorted(tested)), self.row_dtype, boolean, self.takes_missing)


@cache
def last_at_most(threshold: float, dtype: str) -> float:
    """Return the largest finite number of a type that is at most a threshold, or -inf."""
    kind = np.dtype(dtype).type
    top = float(np.finfo(dtype).max)
    if threshold >= top:
        return top
    if threshold < -top:
        return -math.inf
    near = kind(threshold)
    return float(near if float(near) <= threshold else np.nextafter(near, kind(-np.inf)))


@cache
def next_after(value: float, dtype: str) -> float:
    """Return the next finite number of a type, or inf."""
    kind = np.dtype(dtype).type
    if math.isinf(value):
        return -float(np.finfo(dtype).max)
    with np.errstate(over="ignore", under="ignore"):
        return float(np.nextafter(kind(value), kind(np.inf)))


@lru_cache(maxsize=4096)
def cells(
    thresholds: tuple[float, ...], dtype: str, boolean: bool, takes_missing: bool
) -> tuple[Cell, ...]:
    """Return the intervals of numbers between thresholds that have a number in them."""
    missing = ((math.nan, math.nan),) if takes_missing else ()
    if boolean:
        return (((0.0, 0.0), (1.0, 1.0)) if thresholds else ((0.0, 1.0),)) + missing
    found: list[Cell] = []
    low = -float(np.finfo(dtype).max)
    for threshold in thresholds:
        high = last_at_most(threshold, dtype)
        if low <= high:
            found.append((low, high))
            low = next_after(high, dtype)
    top = float(np.finfo(dtype).max)
    return (*found, *(((low, top),) if low <= top else ()), *missing)


def draw(seed: int) -> Drawn:
    """Return the tree and the row of a seed."""
    rng = random.Random(seed)
    while (found := _draw(rng)) is None:
        pass
    return found


def _draw(rng: random.Random) -> Drawn | None:
    n_features = rng.choice((1, 2, 3, 4, 4, 5, 6, 7, 7, 8))
    kind = rng.choice(("boolean", "boolean", "numbers", "numbers", "missing", "mixed"))
    takes_missing = kind == "missing" or (kind == "mixed" and rng.random() < 0.5)
    boolean: tuple[int, ...] = ()
    if kind == "boolean":
        boolean = tuple(range(n_features))
    elif kind == "mixed":
        boolean = tuple(f for f in range(n_features) if rng.random() < 0.5)
    dtype = rng.choice(("float64", "float32"))
    tests = _tests(rng, n_features, rng.choice(POOLS), boolean, takes_missing)
    left, right = _shape(rng)
    if min(len(tests), len(left) // 2) < FEW_TESTS and rng.random() < 0.8:
        return None  # there are not so many of these
    n_classes = rng.choice((2, 2, 2, 2, 3, 4, 7))
    drawn = Drawn(
        left,
        right,
        _tested(rng, tests, left, right),
        _classes(rng, left, right, n_classes),
        n_features,
        n_classes,
        takes_missing,
        boolean,
        dtype,
        [],
    )
    row, rows = [], 1
    for feature in range(n_features):
        known = drawn.cells(feature)
        rows *= len(known)
        row.append(_between(rng, *rng.choice(known), "bool" if feature in boolean else dtype))
    if rows > MOST_ROWS:
        return None
    drawn = replace(drawn, row=row)
    return _centred(rng, drawn) if rng.random() < 0.5 else drawn


def _tests(
    rng: random.Random,
    n_features: int,
    pool: tuple[float, ...],
    boolean: tuple[int, ...],
    takes_missing: bool,
) -> list[Test]:
    """Return some distinct tests; zeros of both signs are one threshold."""
    found: dict[Test, Test] = {}
    wanted = rng.choice((1, 3, 4, 5, 6, 6, 7, 7, MOST_TESTS))
    for _ in range(2 * wanted):
        feature = rng.randrange(n_features)
        threshold = 0.5 if feature in boolean else rng.choice(pool)
        side = rng.random() < 0.5 if takes_missing else None
        if takes_missing and feature not in boolean and rng.random() < 0.15:
            threshold, side = math.inf, False  # scikit-learn's way to ask whether it is missing
        test = feature, threshold, side
        found.setdefault(test, test)
        if len(found) == wanted:
            break
    return list(found.values())


def _shape(rng: random.Random) -> tuple[list[int], list[int]]:
    """Return the children of a tree whose nodes are in any order, the root first."""
    n_inner = rng.choice((0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 25, 30))
    chain = rng.random() < 0.2
    left, right, leaves = [-1], [-1], [0]
    for _ in range(n_inner):
        node = leaves.pop(-1 if chain else rng.randrange(len(leaves)))
        left[node], right[node] = len(left), len(left) + 1
        leaves += [len(left), len(left) + 1]
        if chain and rng.random() < 0.5:
            leaves[-1], leaves[-2] = leaves[-2], leaves[-1]
        left += [-1, -1]
        right += [-1, -1]
    if rng.random() < 0.3:
        order = list(range(1, len(left)))
        rng.shuffle(order)
        place = [0, *order, -1]  # the last for -1
        new = {place[node]: (place[left[node]], place[right[node]]) for node in range(len(left))}
        left, right = ([new[node][side] for node in range(len(left))] for side in (0, 1))
    return left, right


def _tested(
    rng: random.Random, tests: list[Test], left: list[int], right: list[int]
) -> list[Test | None]:
    """Return a test for each inner node, seldom one that was asked above it."""
    found: list[Test | None] = [None] * len(left)
    again = rng.choice((0.0, 0.1, 0.5))
    open_ = [(0, tests)]
    while open_:
        node, fresh = open_.pop()
        if left[node] < 0:
            continue
        test = rng.choice(fresh if fresh and rng.random() >= again else tests)
        found[node] = test
        rest = [other for other in fresh if other is not test]
        open_ += [(left[node], rest), (right[node], rest)]
    return found


def _classes(rng: random.Random, left: list[int], right: list[int], n_classes: int) -> list[int]:
    """Return a class for each leaf, mostly the first; seldom one for both of a pair of leaves."""
    rare = rng.choice((0.1, 0.3, 0.5))
    same = rng.choice((0.0, 0.1, 1.0))
    found = [
        -1 if child >= 0 else rng.randrange(1, n_classes) if rng.random() < rare else 0
        for child in left
    ]
    for one, other in zip(left, right, strict=True):
        if one >= 0 and found[one] == found[other] == 0 and rng.random() >= same:
            found[rng.choice((one, other))] = rng.randrange(1, n_classes)
    return found


def _centred(rng: random.Random, drawn: Drawn) -> Drawn:
    """Return the tree with other leaves: the more must change of the row, the rarer its class.

    Elsewhere one condition is mostly enough to change it, and explanations are few and short.
    """
    found = drawn.leaf_class.copy()
    own = rng.randrange(drawn.n_classes)
    rare = rng.choice(((0.0, 0.1, 0.4, 0.7), (0.0, 0.0, 0.5, 0.9), (0.0, 0.0, 0.1, 0.6)))
    open_: list[tuple[int, frozenset[Test]]] = [(0, frozenset())]
    while open_:
        node, changed = open_.pop()
        test = drawn.test[node]
        if test is None:
            other = rng.random() < rare[min(len(changed), len(rare) - 1)]
            found[node] = (
                (own + rng.randrange(1, drawn.n_classes)) % drawn.n_classes if other else own
            )
            continue
        ways = (drawn.left[node], drawn.right[node])
        kept, left = ways if drawn.goes_left(test, drawn.row[test[0]]) else reversed(ways)
        open_ += [(kept, changed), (left, changed | {test})]
    return drawn if set(found) <= {-1, own} else replace(drawn, leaf_class=found)


def _between(rng: random.Random, low: float, high: float, dtype: str) -> float:
    """Return a number of a cell: mostly one of its ends."""
    choice = rng.random()
    if choice < 0.4 or low == high or math.isnan(low):
        return low
    if choice < 0.8 or dtype == "bool":
        return high
    middle = float(np.dtype(dtype).type(low / 2 + high / 2))
    return middle if low <= middle <= high else high

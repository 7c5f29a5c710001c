"""All rows of a small tree: every combination of the values of some attributes, and where it ends.

An attribute is the list of its values, of which a row has one, named by its place in the list. What
can be said of an attribute is a set of its values. Which rows are nearest is read off the list.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.oracles.definitions import Classes, Explained, Truths

Numbers = npt.NDArray[np.float64]
Atom = tuple[int, frozenset[Any]]  # an attribute, and the values for which it holds


@dataclass(frozen=True)
class Node:
    """A node of a tree: its children (-1 at leaves), what it tests, its class."""

    left: int
    right: int
    attribute: int
    goes_left: Sequence[bool]  # by the place of the attribute's value
    label: int


@lru_cache(maxsize=1 << 12)
def _combinations(sizes: tuple[int, ...]) -> npt.NDArray[np.intp]:
    found = list(product(*map(range, sizes)))
    return np.array(found, dtype=np.intp).reshape(len(found), len(sizes))


@dataclass(frozen=True, eq=False)
class Rows:
    """All rows over attributes that have so many values, in a tree."""

    sizes: tuple[int, ...]
    nodes: Sequence[Node]

    @cached_property
    def places(self) -> npt.NDArray[np.intp]:
        """One line per row: the place of each attribute's value."""
        return _combinations(self.sizes)

    @cached_property
    def leaf(self) -> npt.NDArray[np.intp]:
        """The leaf of every row, by walking from the root."""
        found = np.zeros(len(self.places), dtype=np.intp)
        waiting = [(0, np.arange(len(self.places)))]
        while waiting:
            at, rows = waiting.pop()
            node = self.nodes[at]
            if node.left < 0:
                found[rows] = at
                continue
            goes_left = self.having(node.attribute, node.goes_left)[rows]
            waiting += [(node.left, rows[goes_left]), (node.right, rows[~goes_left])]
        return found

    @cached_property
    def classes(self) -> Classes:
        """The class of every row."""
        return np.array([node.label for node in self.nodes], dtype=np.intp)[self.leaf]

    def number(self, places: Sequence[int]) -> int:
        """The number of a row."""
        return int(np.ravel_multi_index(tuple(places), self.sizes)) if self.sizes else 0

    def having(self, attribute: int, allowed: Sequence[bool] | Truths) -> Truths:
        """Which rows have an attribute at one of the allowed places?"""
        return np.asarray(allowed, dtype=np.bool_)[self.places[:, attribute]]

    def explained(
        self, row: int, atoms: Sequence[Atom], values: Sequence[Sequence[Hashable]]
    ) -> Explained:
        """A row and its atoms; `values` are those of each attribute."""
        held = np.zeros(len(self.places), dtype=np.intp)
        for bit, (attribute, said) in enumerate(atoms):
            has = self.having(attribute, [value in said for value in values[attribute]])
            held |= has.astype(np.intp) << bit
        return Explained(tuple(atoms), held, self.classes, row)

    def nearest(
        self,
        own: Sequence[int],
        costs: Sequence[Sequence[float]],
        metric: str,
        toward: int | None = None,
    ) -> list[tuple[float, ...]]:
        """The distances of the nearest row of each leaf of another class, in order.

        `costs` says what it costs each attribute to come to each place, NaN where it may not.
        """
        columns = zip(costs, self.places.T, strict=True)
        paid = np.column_stack([np.array(cost)[places] for cost, places in columns])
        other = self.classes != self.classes[self.number(own)]
        if toward is not None:
            other &= self.classes == toward
        rows = np.flatnonzero(other & ~np.isnan(paid).any(axis=1))
        changed = (self.places[rows] != np.asarray(own)).sum(axis=1)
        best: dict[int, tuple[float, ...]] = {}
        distances = map(tuple, measure(paid[rows], changed, metric).tolist())
        for leaf, distance in zip(self.leaf[rows].tolist(), distances, strict=True):
            best[leaf] = min(best.get(leaf, distance), distance)
        return sorted(best.values())


def measure(paid: Numbers, changed: npt.ArrayLike, metric: str) -> Numbers:
    """Distances, of the costs along the last axis; with l0, what decides between equals follows."""
    with np.errstate(over="ignore"):
        total = np.hypot.reduce(paid, axis=-1) if metric == "l2" else paid.sum(axis=-1)
    return np.stack([changed, total] if metric == "l0" else [total], axis=-1)


def sides(
    own: Hashable,
    values: Collection[Hashable],
    tests: Iterable[frozenset[Any]],
    missing: frozenset[Any],
) -> list[frozenset[Any]]:
    """What can be said of a number in the vocabulary of intervals: each atom's values.

    The row's sides of what the tests can tell apart, and that the number is there where it could be
    missing; or that it is missing. Nothing, where no test tells any two values apart.

    Parameters
    ----------
    own : the row's value
    values : all values
    tests : for each test, the values that it sends left
    missing : those of the values that stand for a missing one
    """
    everything = frozenset(values)
    every_side = {side for left in tests for side in (left, everything - left)}
    if every_side <= {frozenset(), everything}:
        return []
    if own in missing:
        return [missing]
    present = everything - missing
    ours = {side & present for side in every_side if own in side} - {present}
    return [*([present] if missing else []), *ours]


def check_change(
    change: Any,
    matrix: npt.NDArray[Any],
    own: npt.NDArray[Any],
    classify: Callable[[npt.NDArray[Any]], npt.NDArray[Any]],
    toward: Any = None,
    seen: npt.NDArray[Any] | None = None,
) -> Truths:
    """Hold a minimal change against its definition over all rows; return those that do it.

    Such a row changes all the columns that the change is about and no other, in such a way that
    none of its conditions holds any more; it gets another class (the class `toward`, if given); and
    whoever changes only some of these columns to the same values keeps the class (does not get the
    class `toward`). Every class of such a row has to be told, with values that all do it.
    `seen` has the rows in the columns of the conditions, where these are others: features f0, f1.
    """
    labels, prediction = classify(matrix), classify(own[None, :])[0]
    columns = sorted({condition.index for condition in change.contrast})
    if seen is not None:
        columns = sorted(int(feature[1:]) for feature in change.features)
    seen = matrix if seen is None else seen
    stays = np.ones(len(matrix), dtype=np.bool_)
    for column in set(range(matrix.shape[1])) - set(columns):
        stays &= (matrix[:, column] == own[column]) | (
            np.isnan(matrix[:, column]) & np.isnan(own[column])
        )
    does = stays.copy()
    for condition in change.contrast:
        does &= ~condition.holds_in(seen)

    def reached(found: npt.NDArray[Any]) -> Truths:
        return np.asarray(found != prediction if toward is None else found == toward)

    does &= reached(labels)
    rows = matrix[does]
    needed = np.ones(len(rows), dtype=np.bool_)
    for size in range(1, len(columns)):
        for some in combinations(columns, size):
            mixed = np.tile(own, (len(rows), 1))
            mixed[:, some] = rows[:, some]
            needed &= ~reached(classify(mixed))
    does[does] = needed
    assert set(change.outcomes) == set(labels[does].tolist())
    for one in change.destinations:
        inside = stays & np.logical_and.reduce([part.holds_in(seen) for part in one.parts])
        assert inside.any(), f"{one}: no row has these values"
        assert set(labels[inside].tolist()) == {one.outcome}, f"{one}: another class follows"
        assert does[inside].all(), f"{one}: some of it is enough"
    return does

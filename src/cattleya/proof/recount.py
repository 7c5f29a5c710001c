"""Counts again how often facts are right: by the definitions, row by row, from the model's tree.

The search codes the rows of a table and counts codes (``core/short_reasons``). Here each row walks
down the tree, and each fact is compared with the values in the row. Nothing is shared but the tree
itself, the matrix of rows and what a condition says; of an ensemble, also the sums of its trees.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.fact import Fact
from cattleya.model.conditions.parts import IntervalPart, ValuesPart
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Floats

__all__ = ["Recount", "Walk", "has_fact", "recount"]


@dataclass(frozen=True)
class Recount:
    """Facts counted again. True where they hold in the row and the counts are those claimed.

    Attributes
    ----------
    right, covered, rows : int
        The rows that have the facts and get the outcome; that have them; all rows.
    claimed : tuple of int
        What was claimed of the same.
    foreign : frozenset of Condition
        The facts that do not hold in the row.

    Examples
    --------
    >>> print(Recount(9, 10, 20, (9, 10, 20), frozenset()))
    counted again: 9 of the 10 rows with these facts, of 20, get the outcome
    """

    right: int
    covered: int
    rows: int
    claimed: tuple[int, int, int]
    foreign: frozenset[Condition]

    def __bool__(self) -> bool:
        return not self.foreign and self.claimed == (self.right, self.covered, self.rows)

    def __str__(self) -> str:
        if self.foreign:
            named = ", ".join(sorted(map(str, self.foreign)))
            return f"no reason for this row: {named} does not hold in it"
        text = (
            f"{self.right:,} of the {self.covered:,} rows with these facts, of {self.rows:,}, get "
            f"the outcome"
        )
        if self:
            return f"counted again: {text}"
        right, covered, rows = self.claimed
        return f"miscounted: {text}, not {right:,} of {covered:,}, of {rows:,}"


def recount(
    gets: Callable[[Floats], bool],
    row: Floats,
    facts: Sequence[Condition],
    matrix: Floats,
    claimed: tuple[int, int, int],
) -> Recount:
    """Count the rows that have some facts, and those of them that get the outcome of a row."""
    foreign = [fact for fact in facts if not has_fact(row.tolist(), fact)]
    right = covered = 0
    for values in matrix:
        listed = values.tolist()
        if all(has_fact(listed, fact) for fact in facts):
            covered += 1
            right += gets(values)
    return Recount(right, covered, len(matrix), claimed, frozenset(foreign))


def has_fact(values: Sequence[float], fact: Condition) -> bool:
    """Tell whether a row has a fact, by what the fact says."""
    if isinstance(fact, Comparison):
        value = values[fact.index]
        if math.isnan(value):  # with which side of the test a gap goes is part of the test
            return fact.missing_left is not None and fact.missing_left is fact.sense
        return (value <= fact.threshold) if fact.sense else (value > fact.threshold)
    if isinstance(fact, Fact):
        return _is_at(values, fact.columns, fact.point)
    if isinstance(fact, ValuesPart):
        return any(_is_at(values, fact.columns, point) for point in fact.points)
    assert isinstance(fact, IntervalPart)
    value = values[fact.column]
    return fact.nan if math.isnan(value) else fact.above < value <= fact.up_to


def _is_at(values: Sequence[float], columns: Sequence[int], point: Sequence[float]) -> bool:
    here = [values[column] for column in columns]
    return all(
        a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(here, point, strict=True)
    )


class Walk:
    """A tree as lists, to be walked by single rows; its leaves are labelled by the proof."""

    def __init__(self, tree: Tree, row: Floats) -> None:
        self._left, self._right = tree.left.tolist(), tree.right.tolist()
        self._feature, self._threshold = tree.feature.tolist(), tree.threshold.tolist()
        self._missing = None if tree.missing_left is None else tree.missing_left.tolist()
        self._class = tree.leaf_class.tolist()
        self._own = self._outcome(row)

    def gets(self, row: Floats) -> bool:
        """Tell whether another row gets the outcome of the row."""
        return self._outcome(row) == self._own

    def _outcome(self, row: Floats) -> int:
        values, node = row.tolist(), 0
        while self._left[node] >= 0:
            value = values[self._feature[node]]
            if math.isnan(value) and self._missing is not None:
                goes_left = bool(self._missing[node])
            else:
                goes_left = value <= self._threshold[node]
            node = self._left[node] if goes_left else self._right[node]
        return int(self._class[node])

"""The paper's vocabulary: every condition of the tree, on the side that the row is on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from cattleya._core import Engine, NamedSet, NamedSets, Names
from cattleya.model.conditions.condition import Condition
from cattleya.model.conditions.parts import IntervalPart
from cattleya.model.conditions.tests import Conditions
from cattleya.model.domain.domain import Domain
from cattleya.support.arrays import Floats, Int32s
from cattleya.vocabularies.alike import grid_cells
from cattleya.vocabularies.interface import Clauses
from cattleya.vocabularies.over import Over

__all__ = ["ConditionAtoms", "ConditionVocabulary"]


class ConditionVocabulary:
    """The conditions of a tree, and the native engine that walks it. Picklable, never changes."""

    def __init__(self, conditions: Conditions) -> None:
        self.conditions = conditions
        tree = conditions.tree
        self.engine = Engine(
            tree.left,
            tree.right,
            conditions.of_node,
            tree.leaf_class,
            conditions.feature,
            conditions.threshold,
            conditions.missing_left,
            tree.n_features,
            len(tree.class_names),
        )

    def row(self, row: Floats) -> ConditionAtoms:
        """Return the atoms of a row, given in the tree's columns."""
        return ConditionAtoms(self, row)

    def alike(self, matrix: Floats) -> Int32s:
        """Return the cell of the tree's grid that each row is in."""
        return grid_cells(self.conditions, matrix)

    def __reduce__(self) -> tuple[object, ...]:
        return ConditionVocabulary, (self.conditions,)


class ConditionAtoms:
    """The atoms of one row: atom i is the tree's condition i, on the side that the row is on."""

    over = Over.CONDITIONS

    def __init__(self, vocabulary: ConditionVocabulary, row: Floats) -> None:
        self._conditions, self._engine = vocabulary.conditions, vocabulary.engine
        self._truth = self._engine.evaluate(row)
        self._holds = self._truth.tobytes()
        self.row_class, self.path = self._engine.path(self._truth)

    def attributes(self, domain: Domain) -> Int32s:
        """Return the attribute of each condition's column."""
        return domain.of_column[self._conditions.feature]

    def __len__(self) -> int:
        return len(self._conditions)

    def names(self, numbers: Int32s | None = None) -> Names:
        """Return what atoms are called, or those with some numbers."""
        return Names(*self._conditions.named_by_code, self._truth, numbers)

    def named(self, numbers: Iterable[int]) -> Sequence[Condition]:
        """Return atoms as conditions."""
        holds = self._holds
        return self._conditions.sides([2 * n + holds[n] for n in numbers])

    def set_of(self, numbers: Int32s) -> frozenset[Condition]:
        """Return atoms as a set of conditions."""
        start, atom = np.array([0, len(numbers)]), np.ascontiguousarray(numbers, dtype=np.int32)
        (one,) = NamedSets(self.names(), start, atom, True).all(NamedSet, self)
        return frozenset(one.conditions)

    def number(self, condition: Condition | str) -> int:
        """Return the number of a condition that holds in the row."""
        code = self._conditions.code_of(condition)
        if code % 2 != self._truth[code // 2]:
            raise ValueError(f"{str(condition)!r} does not hold in the row")
        return code // 2

    def same_as(self, condition: Condition) -> Condition | None:
        """Return the condition of the tree that says the same as a part, if there is one."""
        if not isinstance(condition, IntervalPart) or condition.is_missing:
            return None
        known = self._conditions
        bounds = (condition.up_to, True), (condition.above, False)
        found = [(bound, sense) for bound, sense in bounds if math.isfinite(bound)]
        if len(found) != 1:
            return None
        ((threshold, sense),) = found
        places = np.flatnonzero((known.feature == condition.index) & (known.threshold == threshold))
        sides = known.sides((2 * places + sense).tolist())
        return next((side for side in sides if side.or_missing == condition.nan), None)

    def meant(self, condition: Condition | str) -> Condition:
        """Return what is meant by a condition, or by its text; it need not hold in the row."""
        return self._conditions.side(self._conditions.code_of(condition))

    def of_attribute(self, domain: Domain, attribute: int) -> Int32s:
        """Return the conditions on the columns of an attribute."""
        return np.flatnonzero(self.attributes(domain) == attribute).astype(np.int32)

    def of_column(self, domain: Domain, column: int) -> Int32s:
        """Return the conditions on a column."""
        return np.flatnonzero(self._conditions.feature == column).astype(np.int32)

    def complete_reason(self, toward: int, seconds: float, memory: int) -> Clauses:
        """Return the minimal clauses."""
        return self._engine.complete_reason(self._truth, self.row_class, toward, seconds, memory)

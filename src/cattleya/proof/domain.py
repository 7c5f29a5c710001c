"""Proof or refutation of facts and intervals of a row, independent of how they were found.

Knows no cells, levels or clauses: what is fixed becomes, of each attribute, the least and the
greatest value that is left, and the native walk looks for a leaf of another class among the rows of
numbers that have such values.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cattleya._core import DomainVerifier
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.fact import Fact, fact_of
from cattleya.model.conditions.known_facts import place_of
from cattleya.model.domain.domain import Attribute, Category, Domain
from cattleya.model.domain.number import Number
from cattleya.model.tree.tree import Tree
from cattleya.proof.beside import beside_each, beside_one
from cattleya.proof.conditions import missing_left_of
from cattleya.proof.verification import Verification, check_class
from cattleya.support.arrays import Bools, Bytes, Floats, Int32s

__all__ = ["DomainProver", "Kept"]


NO_LEAF = -1
ANY_POINT = -1


@dataclass(frozen=True)
class _Left:
    """What is left of each attribute. Of a number, values that it can have, or infinite ends."""

    low: Floats
    high: Floats
    missing: Bytes
    point: Int32s

    def arrays(self) -> tuple[Floats, Floats, Bytes, Int32s]:
        return self.low, self.high, self.missing, self.point

    def is_empty(self, attribute: int) -> bool:
        return not self.missing[attribute] and bool(
            self.low[attribute] > self.high[attribute]
            or np.isposinf(self.low[attribute])
            or np.isneginf(self.high[attribute])
        )


@dataclass(frozen=True)
class _Kept:
    """What one condition leaves of its attribute."""

    attribute: int
    low: float = -math.inf
    high: float = math.inf
    missing: bool = False
    point: int = ANY_POINT


@dataclass(frozen=True, eq=False)
class Kept:
    """What each of several conditions leaves of its attribute: one entry each."""

    attribute: Int32s
    low: Floats
    high: Floats
    missing: Bytes
    point: Int32s

    def equal(self, one: _Kept) -> Bools:
        """Tell which conditions leave the same as this one."""
        same: Bools = self.attribute == one.attribute
        same &= (self.low == one.low) & (self.high == one.high)
        same &= (self.missing == one.missing) & (self.point == one.point)
        return same


class DomainProver:
    """The tree as given, ready for proofs about rows of a domain."""

    def __init__(self, tree: Tree, domain: Domain) -> None:
        self.tree, self.domain = tree, domain
        # Of each attribute, whether it may be missing: where no test looks, it does not matter.
        self.may_be_missing = np.full(len(domain.attributes), 1, dtype=np.uint8)
        if tree.missing_left is None:
            self.may_be_missing[domain.of_column[tree.feature[tree.left >= 0]]] = 0
        self._kept: dict[Condition, _Kept] = {}
        attributes, owner = domain.attributes, domain.of_column
        place = np.zeros(domain.n_columns, dtype=np.int32)
        for attribute in attributes:
            place[list(attribute.columns)] = np.arange(len(attribute.columns))
        below, above = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes)
        inner = np.flatnonzero(tree.left >= 0)
        below[inner], above[inner] = beside_each(
            domain, tree.feature[inner], tree.threshold[inner], tree.row_dtype
        )
        # The nodes that tell some values of a number from others.
        self._telling = inner[np.isfinite(below[inner]) & np.isfinite(above[inner])]
        self._below, self._above = below[self._telling], above[self._telling]
        self._column = np.array([a.columns[0] for a in attributes], dtype=np.intp)
        points = [
            np.ravel(a.points) if isinstance(a, Category) else np.empty(0) for a in attributes
        ]
        self._core = DomainVerifier(
            tree.left,
            tree.right,
            tree.feature,
            tree.leaf_class,
            tree.threshold,
            missing_left_of(tree),
            below,
            above,
            owner,
            place,
            np.array([_width(a) for a in attributes], dtype=np.int32),
            np.cumsum([0, *map(len, points)], dtype=np.int64),
            np.concatenate([np.empty(0), *points]),
            tree.missing_left is not None,
        )

    def verify(self, row: Floats, claimed_class: int, given: Sequence[Condition]) -> Verification:
        """Prove or refute that conditions are a sufficient reason for a row.

        ``RuntimeError`` where the row is not of the class claimed.
        """
        row_class = self.class_of(row)
        check_class(row_class, claimed_class)
        foreign = frozenset(c for c in given if not holds_in_row(c, row))
        kept = {condition: self.kept_by(condition) for condition in given}
        left = self._left(kept)
        own = self.own_points(row)
        leaf, low, high, missing, point = self._core.refute(*left.arrays(), own, row_class)
        witness: Floats | None = None
        changed: frozenset[Condition] = frozenset()
        gone: list[Condition] = []
        if leaf != NO_LEAF:
            witness = self._row_in(_Left(low, high, missing, point), row)
            self._check_witness(witness, given, row_class)
            changed = frozenset(self.changes(row, witness))
        else:
            gone = self._removable(kept, left, own, row_class)
        return Verification(
            conditions=frozenset(given),
            sufficient=leaf == NO_LEAF,
            irredundant=leaf == NO_LEAF and not gone,
            foreign=foreign,
            witness=changed,
            row=witness,
            redundant=frozenset(gone),
        )

    def refuting_row(
        self, low: Floats, high: Floats, missing: Bytes, allowed: Bytes, row: Floats, row_class: int
    ) -> Floats | None:
        """Return a row of another class within a box, as near to a row as can be, or None."""
        own = self.own_points(row)
        found = self._core.refute_box(low, high, missing, allowed, own, row_class)
        return None if found[0] == NO_LEAF else self._row_in(_Left(*found[1:]), row)

    def class_of(self, row: Floats) -> int:
        """Return the class that the tree gives to a row."""
        return int(self.tree.leaf_class[self.tree.apply(row[None, :])[0]])

    # What the conditions leave.

    def own_points(self, row: Floats) -> Int32s:
        """Return the place of the row's value in each category."""
        attributes = self.domain.attributes
        own = [a.value_of(row) if isinstance(a, Category) else ANY_POINT for a in attributes]
        return np.array(own, dtype=np.int32)

    def facts_of(self, row: Floats) -> Kept:
        """Return what is left of each attribute when it is fixed to what the row has."""
        kept = self._presence_of(row)
        value = row[self._column]
        has_number = (kept.point == ANY_POINT) & (kept.missing == 0)
        kept.low[has_number] = kept.high[has_number] = value[has_number]
        return kept

    def sides_of(self, row: Floats) -> Kept:
        """Return what each of the row's sides leaves: of every test of a number that it has.

        Besides, of each number whether it is missing, and of each category its value. Tests between
        the same two values leave the same.
        """
        column, threshold = self.tree.feature[self._telling], self.tree.threshold[self._telling]
        value = row[column]
        has = ~np.isnan(value)
        left, below, above = (value <= threshold)[has], self._below[has], self._above[has]
        count, first = int(has.sum()), self._presence_of(row)
        return Kept(
            np.append(first.attribute, self.domain.of_column[column[has]]),
            np.append(first.low, np.where(left, -np.inf, above)),
            np.append(first.high, np.where(left, below, np.inf)),
            np.append(first.missing, np.zeros(count, dtype=np.uint8)),
            np.append(first.point, np.full(count, ANY_POINT, dtype=np.int32)),
        )

    def _presence_of(self, row: Floats) -> Kept:
        """Return of each number whether it is missing in a row, of each category its value."""
        point = self.own_points(row)
        missing = (point == ANY_POINT) & np.isnan(row[self._column])
        return Kept(
            np.arange(len(point), dtype=np.int32),
            np.where(missing, np.inf, -np.inf),
            np.where(missing, -np.inf, np.inf),
            missing.astype(np.uint8),
            point,
        )

    def refuting_leaf(
        self,
        low: Floats,
        high: Floats,
        missing: Bytes,
        point: Int32s,
        own: Int32s,
        row_class: int,
    ) -> int:
        """Return a leaf of another class that rows with such values come to, or ``NO_LEAF``."""
        return int(self._core.refute(low, high, missing, point, own, row_class)[0])

    def kept_by(self, condition: Condition) -> _Kept:
        """Return what a condition leaves of its attribute."""
        if isinstance(condition, Fact):  # there may be one for each row
            return self._found_kept(condition)
        known = self._kept.get(condition)
        if known is None:
            known = self._kept[condition] = self._found_kept(condition)
        return known

    def _found_kept(self, condition: Condition) -> _Kept:
        place = int(self.domain.of_column[condition.index])
        attribute = self.domain.attributes[place]
        if isinstance(attribute, Category):
            return _Kept(place, point=place_of(attribute, condition, self.domain))
        if isinstance(condition, Fact):
            if math.isnan(condition.point[0]):
                return _Kept(place, math.inf, -math.inf, missing=True)
            return _Kept(place, condition.point[0], condition.point[0])
        assert isinstance(condition, Comparison)  # a condition is one or the other
        if math.isinf(condition.threshold):
            present = condition.sense
            return _Kept(place) if present else _Kept(place, math.inf, -math.inf, missing=True)
        below, above = beside_one(attribute, condition.threshold, self.tree.row_dtype)
        return _Kept(place, high=float(below)) if condition.sense else _Kept(place, float(above))

    def _left(self, given: Mapping[Condition, _Kept]) -> _Left:
        """Return what all conditions together leave."""
        count = len(self.domain.attributes)
        left = _Left(
            np.full(count, -np.inf),
            np.full(count, np.inf),
            self.may_be_missing.copy(),
            np.full(count, ANY_POINT, dtype=np.int32),
        )
        said: dict[int, Condition] = {}
        for condition, kept in given.items():
            i = kept.attribute
            clash = kept.point != left.point[i] != ANY_POINT
            left.low[i] = max(left.low[i], kept.low)
            left.high[i] = min(left.high[i], kept.high)
            left.missing[i] = left.missing[i] and kept.missing
            left.point[i] = kept.point
            if clash or left.is_empty(i):
                one, other = str(said.get(i, condition)), str(condition)
                raise ValueError(f"{one!r} and {other!r} contradict each other; keep one")
            said[i] = condition
        return left

    def _removable(
        self, given: Mapping[Condition, _Kept], left: _Left, own: Int32s, row_class: int
    ) -> list[Condition]:
        """Return what can go, all of it together, while the rest still forces the class."""
        needed = self._core.needed(*left.arrays(), row_class)
        count = Counter(kept.attribute for kept in given.values())
        rest, gone = dict(given), []
        for condition, kept in given.items():
            # What is needed beside all the others is needed beside fewer of them.
            if needed[kept.attribute] and count[kept.attribute] == 1:
                continue
            del rest[condition]
            if self._core.refute(*self._left(rest).arrays(), own, row_class)[0] == NO_LEAF:
                gone.append(condition)
            else:
                rest[condition] = kept
        return gone

    # The witness.

    def _row_in(self, left: _Left, row: Floats) -> Floats:
        """Return a row with what is left of each attribute, as near to the row as can be."""
        result = row.copy()
        for i, attribute in enumerate(self.domain.attributes):
            if isinstance(attribute, Category):
                result[list(attribute.columns)] = attribute.points[left.point[i]]
            else:
                own = float(row[attribute.column])
                low, high = float(left.low[i]), float(left.high[i])
                fits = bool(left.missing[i]) if math.isnan(own) else low <= own <= high
                if not fits:
                    result[attribute.column] = self._near(attribute, own, low, high)
        return result

    def _near(self, number: Number, own: float, low: float, high: float) -> float:
        """Return a value from low to high: a whole number where one is near, else the nearest."""
        if low > high or (math.isinf(low) and low == high):
            return math.nan
        aim = min(max(0.0 if math.isnan(own) else own, low), high)
        near = float(np.round(aim)) + 0.0  # of -0.3 it is -0.0
        whole = (near, float(np.floor(aim)) + 1.0, float(np.ceil(aim)) - 1.0)
        for value in () if number.steps else whole:
            if low <= value <= high and value == self._seen(number, value):
                return value
        seen = self._seen(number, aim)
        if math.isfinite(seen) and low <= seen:
            return seen
        return beside_one(number, aim, self.tree.row_dtype)[1]

    def _seen(self, number: Number, value: float) -> float:
        return beside_one(number, value, self.tree.row_dtype)[0]

    def _check_witness(self, witness: Floats, given: Iterable[Condition], row_class: int) -> None:
        """Walk the witness through the tree: a refutation must never rest on the search alone."""
        agrees = all(holds_in_row(condition, witness) for condition in given)
        if not agrees or self.class_of(witness) == row_class:
            raise RuntimeError(
                "internal error: the refutation does not hold; please report this tree"
            )

    def changes(self, row: Floats, witness: Floats) -> list[Condition]:
        """Return what the witness has of the attributes in which it differs from the row."""
        same = (row == witness) | (np.isnan(row) & np.isnan(witness))
        changed = sorted(set(self.domain.of_column[~same].tolist()))
        attributes = self.domain.attributes
        return [fact_of(attributes[i], witness, self.tree.row_dtype) for i in changed]


def holds_in_row(condition: Condition, row: Floats) -> bool:
    if isinstance(condition, Comparison):
        return condition.holds(float(row[condition.index]))
    return bool(condition.holds_in(row[None, :])[0])


def _width(attribute: Attribute) -> int:
    return len(attribute.columns) if isinstance(attribute, Category) else 0

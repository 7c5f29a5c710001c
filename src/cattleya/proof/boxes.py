"""Proof or refutation of intervals and sets of values: boxes of rows that force a class.

Any conditions can be asked about here, of whichever vocabulary: each leaves some values of one
feature, and together they leave a box. What each leaves is read off its definition: the values of
a category are held against the condition one by one, and the ends of a number are asked of
``beside``. The native walk then looks for a leaf of another class in the box.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.fact import Fact
from cattleya.model.conditions.parts import IntervalPart
from cattleya.model.domain.domain import Category
from cattleya.model.domain.number import Number
from cattleya.proof.beside import beside_one
from cattleya.proof.domain import DomainProver, holds_in_row
from cattleya.proof.verification import Verification, check_class
from cattleya.support.arrays import Bools, Bytes, Floats

__all__ = ["BoxProver"]


@dataclass(frozen=True)
class _Ends:
    """What is left of a number: values that it can have, and whether it may be missing."""

    low: float
    high: float
    missing: bool

    @property
    def has_number(self) -> bool:
        return self.low <= self.high and self.low != math.inf and self.high != -math.inf

    @property
    def is_empty(self) -> bool:
        return not (self.has_number or self.missing)

    def both(self, other: _Ends) -> _Ends:
        low, high = max(self.low, other.low), min(self.high, other.high)
        return _Ends(low, high, self.missing and other.missing)


_Left = dict[int, "_Ends | Bools"]  # by attribute, where it is not everything


class BoxProver:
    """Proves or refutes what boxes force; made once for a tree and a domain."""

    def __init__(self, prover: DomainProver) -> None:
        self._prover = prover
        self._attributes = prover.domain.attributes

    @cached_property
    def _categories(self) -> list[int]:
        return [i for i, a in enumerate(self._attributes) if isinstance(a, Category)]

    def verify(self, row: Floats, claimed_class: int, given: Sequence[Condition]) -> Verification:
        """Prove or refute that conditions of any kind are a sufficient reason for a row.

        ``RuntimeError`` where the row is not of the class claimed.
        """
        prover = self._prover
        row_class = prover.class_of(row)
        check_class(row_class, claimed_class)
        foreign = frozenset(c for c in given if not holds_in_row(c, row))
        kept = {condition: self._kept(condition) for condition in given}
        self._check_not_empty(kept)
        witness = self._refute(kept, row, row_class)
        changed: frozenset[Condition] = frozenset()
        gone: list[Condition] = []
        larger: frozenset[Condition] = frozenset()
        if witness is not None:
            agrees = all(holds_in_row(condition, witness) for condition in given)
            if not agrees or prover.class_of(witness) == row_class:
                raise RuntimeError(
                    "internal error: the refutation does not hold; please report this tree"
                )
            changed = frozenset(prover.changes(row, witness))
        else:
            gone = self._removable(kept, row, row_class)
            if not gone and not foreign:
                larger = frozenset(self._larger(kept, row, row_class))
        return Verification(
            conditions=frozenset(given),
            sufficient=witness is None,
            irredundant=witness is None and not gone,
            foreign=foreign,
            witness=changed,
            row=witness,
            redundant=frozenset(gone),
            larger=larger,
        )

    def forces(self, row: Floats, given: Sequence[Condition]) -> bool:
        """Tell whether conditions force the class of a row; what can go is not looked for."""
        kept = {condition: self._kept(condition) for condition in given}
        return self._refute(kept, row, self._prover.class_of(row)) is None

    # What conditions leave.

    def _kept(self, condition: Condition) -> tuple[int, _Ends | Bools]:
        """Return the attribute of a condition, and what is left of it."""
        domain = self._prover.domain
        place = int(domain.of_column[condition.index])
        attribute = self._attributes[place]
        if isinstance(attribute, Category):
            rows = np.zeros((len(attribute.points), domain.n_columns))
            rows[:, list(attribute.columns)] = attribute.points
            return place, condition.holds_in(rows)
        return place, self._ends(attribute, condition)

    def _ends(self, number: Number, condition: Condition) -> _Ends:
        missing = condition.holds(math.nan)
        if isinstance(condition, Fact):
            value = condition.point[0]
            return _Ends(math.inf, -math.inf, True) if missing else _Ends(value, value, False)
        if isinstance(condition, IntervalPart):
            above, up_to = condition.above, condition.up_to
        else:
            assert isinstance(condition, Comparison)  # a condition of a number is one of these
            up_to = condition.threshold if condition.sense else math.inf
            above = -math.inf if condition.sense else condition.threshold
        low = -math.inf if above == -math.inf else math.inf
        high = math.inf if up_to == math.inf else -math.inf
        dtype = self._prover.tree.row_dtype
        if math.isfinite(above):
            low = beside_one(number, above, dtype)[1]
        if math.isfinite(up_to):
            high = beside_one(number, up_to, dtype)[0]
        return _Ends(low, high, missing)

    def _everything(self, place: int) -> _Ends | Bools:
        attribute = self._attributes[place]
        if isinstance(attribute, Category):
            return np.ones(len(attribute.points), dtype=np.bool_)
        return _Ends(-math.inf, math.inf, bool(self._prover.may_be_missing[place]))

    def _together(self, kept: Mapping[Condition, tuple[int, _Ends | Bools]]) -> _Left:
        left: _Left = {}
        for place, one in kept.values():
            before = left.get(place, self._everything(place))
            if isinstance(one, _Ends) and isinstance(before, _Ends):
                left[place] = before.both(one)
            elif not isinstance(one, _Ends) and not isinstance(before, _Ends):
                left[place] = before & one
        return left

    def _check_not_empty(self, kept: Mapping[Condition, tuple[int, _Ends | Bools]]) -> None:
        for place, left in self._together(kept).items():
            if left.is_empty if isinstance(left, _Ends) else not left.any():
                texts = [repr(str(c)) for c, (of, _) in kept.items() if of == place]
                if len(texts) == 1:
                    raise ValueError(f"{texts[0]} leaves no value that there is; make it larger")
                raise ValueError(f"{' and '.join(texts)} contradict each other; keep one")

    def _refute(
        self,
        kept: Mapping[Condition, tuple[int, _Ends | Bools]],
        row: Floats,
        row_class: int,
        changed: _Left | None = None,
    ) -> Floats | None:
        """Return a row of another class among those that are left, or None."""
        left = self._together(kept) | (changed or {})
        count = len(self._attributes)
        low, high = np.full(count, -np.inf), np.full(count, np.inf)
        missing: Bytes = self._prover.may_be_missing.copy()
        allowed = [np.zeros(0, dtype=np.bool_)]
        for place in self._categories:
            values = left.get(place, self._everything(place))
            assert not isinstance(values, _Ends)
            allowed.append(values)
        for place, ends in left.items():
            if isinstance(ends, _Ends):
                low[place], high[place], missing[place] = ends.low, ends.high, ends.missing
        points = np.concatenate(allowed).astype(np.uint8)
        return self._prover.refuting_row(low, high, missing, points, row, row_class)

    # What can go, and what could be larger.

    def _removable(
        self,
        kept: Mapping[Condition, tuple[int, _Ends | Bools]],
        row: Floats,
        row_class: int,
    ) -> list[Condition]:
        """Return what can go, all of it together, while the rest still forces the class."""
        rest, gone = dict(kept), []
        for condition, what in kept.items():
            del rest[condition]
            if self._refute(rest, row, row_class) is None:
                gone.append(condition)
            else:
                rest[condition] = what
        return gone

    def _larger(
        self,
        kept: Mapping[Condition, tuple[int, _Ends | Bools]],
        row: Floats,
        row_class: int,
    ) -> list[Condition]:
        """Return the conditions that could allow one more value while they force the class."""
        found = []
        for condition, (place, one) in kept.items():
            others = {c: what for c, what in kept.items() if c != condition}
            if any(
                self._refute(others, row, row_class, self._met(others, place, more)) is None
                for more in self._one_more(place, one)
            ):
                found.append(condition)
        return found

    def _met(
        self,
        others: Mapping[Condition, tuple[int, _Ends | Bools]],
        place: int,
        one: _Ends | Bools,
    ) -> _Left:
        """Return what is left of an attribute beside the other conditions on it."""
        before = self._together(others).get(place, self._everything(place))
        if isinstance(one, _Ends) and isinstance(before, _Ends):
            return {place: before.both(one)}
        assert not isinstance(one, _Ends)
        assert not isinstance(before, _Ends)
        return {place: before & one}

    def _one_more(self, place: int, one: _Ends | Bools) -> list[_Ends | Bools]:
        """Return what is left of an attribute with one more value, in every way."""
        attribute, more = self._attributes[place], list[_Ends | Bools]()
        if not isinstance(one, _Ends):
            for value in np.flatnonzero(~one).tolist():
                wider = one.copy()
                wider[value] = True
                more.append(wider)
            return more
        assert isinstance(attribute, Number)
        dtype = self._prover.tree.row_dtype
        if self._prover.may_be_missing[place] and not one.missing:
            more.append(_Ends(one.low, one.high, True))
        if not one.has_number:
            return more
        if math.isfinite(one.low):
            before = np.nextafter(one.low, -np.inf)
            below = beside_one(attribute, float(before), dtype)[0]
            if math.isfinite(below):
                more.append(_Ends(below, one.high, one.missing))
        if math.isfinite(one.high):
            above = beside_one(attribute, one.high, dtype)[1]
            if math.isfinite(above):
                more.append(_Ends(one.low, above, one.missing))
        return more

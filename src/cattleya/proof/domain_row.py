"""Proof or refutation of facts or intervals of one row, and of their changes.

Like :mod:`cattleya.proof.domain`, it knows nothing of the search: which class the row has,
and which conditions, is read off the tree, and all that the conditions leave is walked through it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from cattleya.model.conditions.condition import Condition
from cattleya.proof.domain import ANY_POINT, NO_LEAF, DomainProver, Kept
from cattleya.proof.verification import Verification, check_class
from cattleya.support.arrays import Bools, Floats

__all__ = ["DomainRow"]


class DomainRow:
    """A row of a domain: all its conditions, as what each leaves of its attribute.

    With ``whole``, they are what the row has of each attribute; else its sides of the tests.
    ``RuntimeError`` where the row is not of the class claimed.
    """

    def __init__(
        self, prover: DomainProver, row: Floats, claimed_class: int, *, whole: bool
    ) -> None:
        self._prover, self._row, self._row_class = prover, row, prover.class_of(row)
        check_class(self._row_class, claimed_class)
        self._own = prover.own_points(row)
        self._whole = whole

    @cached_property
    def _all(self) -> Kept:
        find = self._prover.facts_of if self._whole else self._prover.sides_of
        return find(self._row)

    def verify(self, given: Sequence[Condition]) -> Verification:
        """Prove or refute that conditions are a sufficient reason for the row."""
        return self._prover.verify(self._row, self._row_class, given)

    def is_contrast(self, given: Sequence[Condition]) -> bool:
        """Tell whether these conditions are all the row's, and a minimal change.

        With all but these fixed another class is possible, and with any one of them fixed again
        none.
        """
        places = [self._all.equal(self._prover.kept_by(condition)) for condition in given]
        if not places or not all(place.any() for place in places):
            return False
        fixed = ~np.logical_or.reduce(places)
        return not self._is_forced(fixed) and all(self._is_forced(fixed | one) for one in places)

    def _is_forced(self, fixed: Bools) -> bool:
        """Tell whether all rows that have the fixed conditions are of the row's class."""
        kept, count, at = self._all, len(self._own), self._all.attribute[fixed]
        low, high = np.full(count, -np.inf), np.full(count, np.inf)
        missing = self._prover.may_be_missing.copy()
        point = np.full(count, ANY_POINT, dtype=np.int32)
        np.maximum.at(low, at, kept.low[fixed])
        np.minimum.at(high, at, kept.high[fixed])
        np.minimum.at(missing, at, kept.missing[fixed])
        np.maximum.at(point, at, kept.point[fixed])  # a category has one condition only
        return (
            self._prover.refuting_leaf(low, high, missing, point, self._own, self._row_class)
            == NO_LEAF
        )

"""Proof or refutation that a change of some facts or intervals of a row is a minimal one.

Like :mod:`cattleya.domain_verification`, it knows nothing of the search: all that the other
conditions of the row leave is walked through the tree.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cattleya.condition import Condition
from cattleya.domain_verification import ANY_POINT, NO_LEAF, DomainProver

__all__ = ["ContrastProver"]

Floats = npt.NDArray[np.float64]


class ContrastProver:
    """All the conditions of a row, as what each leaves of its attribute."""

    def __init__(
        self, prover: DomainProver, row: Floats, row_class: int, conditions: Sequence[Condition]
    ) -> None:
        self._prover, self._row_class = prover, row_class
        self._own = prover.own_points(row)
        kept = [prover.kept_by(condition) for condition in conditions]
        self._attribute = np.array([k.attribute for k in kept], dtype=np.intp)
        self._low = np.array([k.low for k in kept], dtype=np.float64)
        self._high = np.array([k.high for k in kept], dtype=np.float64)
        self._missing = np.array([k.missing for k in kept], dtype=np.uint8)
        self._point = np.array([k.point for k in kept], dtype=np.int32)

    def is_contrast(self, changed: Sequence[int]) -> bool:
        """Tell whether these conditions, by number, are a minimal change.

        With all but these fixed another class is possible, and with any one of them fixed again
        none.
        """
        fixed = np.ones(len(self._attribute), dtype=np.bool_)
        fixed[list(changed)] = False
        if not changed or self._is_forced(fixed):
            return False
        for one in changed:
            fixed[one] = True
            if not self._is_forced(fixed):
                return False
            fixed[one] = False
        return True

    def _is_forced(self, fixed: npt.NDArray[np.bool_]) -> bool:
        """Tell whether all rows that have the fixed conditions are of the row's class."""
        count, at = len(self._own), self._attribute[fixed]
        low, high = np.full(count, -np.inf), np.full(count, np.inf)
        missing = self._prover.may_be_missing.copy()
        point = np.full(count, ANY_POINT, dtype=np.int32)
        np.maximum.at(low, at, self._low[fixed])
        np.minimum.at(high, at, self._high[fixed])
        np.minimum.at(missing, at, self._missing[fixed])
        point[at] = self._point[fixed]  # a category has one condition only
        return (
            self._prover.refuting_leaf(low, high, missing, point, self._own, self._row_class)
            == NO_LEAF
        )

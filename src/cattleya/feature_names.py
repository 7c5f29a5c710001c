"""Features as users name them: which atoms of a row ``exclude=["sex"]`` speaks of.

A name may be that of an attribute (the user's column) or of a column of the tree; a number is the
place of a column of the tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from math import isfinite, lcm
from numbers import Rational, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya.condition import Condition
from cattleya.domain import Domain
from cattleya.row_atoms import RowAtoms
from cattleya.rows import quoted
from cattleya.tree import Tree

__all__ = ["FeatureNames"]

Ints = npt.NDArray[np.int32]
Limbs = npt.NDArray[np.uint64]

LIMB = 1 << 64
LARGEST_TOTAL = 1 << 120


class FeatureNames:
    """Finds the atoms of a row that speak of features."""

    def __init__(self, tree: Tree, domain: Domain) -> None:
        self._domain = domain
        self._n_columns = tree.n_features
        self._attribute = {a.name: number for number, a in enumerate(domain.attributes)}
        self._column = {name: number for number, name in enumerate(tree.feature_names)}

    def check(self, what: str, features: Iterable[Any]) -> None:
        """Refuse what are no features of the model."""
        for feature in _listed(what, features):
            self._place(what, feature)

    def atoms(self, what: str, features: Iterable[Any], atoms: RowAtoms) -> Ints:
        """Return the atoms that speak of any of some features."""
        found = [self._of_feature(what, feature, atoms) for feature in _listed(what, features)]
        return np.unique(np.concatenate([np.zeros(0, dtype=np.int32), *found]))

    def weights(self, weights: Any, atoms: RowAtoms) -> Limbs | None:
        """Return the weight of each atom as two 64-bit limbs, or None where all are the same.

        They are scaled to whole numbers, exactly. The weight of a condition goes before that of its
        feature; what is given none weighs 1.
        """
        if not isinstance(weights, Mapping):
            _positive("weights", weights)
            return None
        weight = [Fraction(1)] * len(atoms)
        of_conditions: dict[int, Fraction] = {}
        for key, value in weights.items():
            exact = _positive(f"the weight of {str(key)!r}", value)
            if self._is_condition(key, atoms):
                of_conditions[atoms.number(key)] = exact
                continue
            for atom in self._of_feature("weights", key, atoms).tolist():
                weight[atom] = exact
        for atom, exact in of_conditions.items():
            weight[atom] = exact
        return _limbs(weight)

    def _of_feature(self, what: str, feature: Any, atoms: RowAtoms) -> Ints:
        is_attribute, place = self._place(what, feature)
        of = atoms.of_attribute if is_attribute else atoms.of_column
        return of(self._domain, place)

    def _place(self, what: str, feature: Any) -> tuple[bool, int]:
        """Return the place of an attribute (True) or of a column of the tree (False)."""
        if isinstance(feature, str):
            if feature in self._attribute:
                return True, self._attribute[feature]
            if feature in self._column:
                return False, self._column[feature]
            known = quoted(list(self._attribute))
            raise ValueError(f"{what}: no feature is called {feature!r}; there are {known}")
        if isinstance(feature, (int, np.integer)) and not isinstance(feature, bool):
            if 0 <= feature < self._n_columns:
                return False, int(feature)
            raise ValueError(
                f"{what}: there is no feature {feature}; they are numbered from 0 to "
                f"{self._n_columns - 1}"
            )
        raise TypeError(f"{what}: {feature!r} is neither the name nor the number of a feature")

    def _is_condition(self, key: Any, atoms: RowAtoms) -> bool:
        if isinstance(key, Condition):
            return True
        if not isinstance(key, str) or key in self._attribute or key in self._column:
            return False
        try:
            atoms.number(key)
        except ValueError:
            return False
        return True


def _listed(what: str, features: Iterable[Any]) -> list[Any]:
    if isinstance(features, (str, bytes)) or not isinstance(features, Iterable):
        raise TypeError(f"{what} must be a list of features, not {features!r}")
    return list(features)


def _positive(what: str, value: Any) -> Fraction:
    is_number = isinstance(value, (Real, Decimal)) and not isinstance(value, bool)
    if not is_number:
        raise TypeError(f"{what} must be a positive number, not {value!r}")
    if not value > 0 or (not isinstance(value, Rational) and not isfinite(value)):
        raise ValueError(f"{what} must be a positive number, not {value!r}")
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    return Fraction(*value.as_integer_ratio())


def _limbs(weights: list[Fraction]) -> Limbs | None:
    different = set(weights)
    if len(different) <= 1:
        return None
    denominator = lcm(*(weight.denominator for weight in different))
    scaled = {weight: int(weight * denominator) for weight in different}
    numbers = [scaled[weight] for weight in weights]
    if sum(numbers) >= LARGEST_TOTAL:
        raise ValueError(
            f"the weights, from {float(min(different)):g} to {float(max(different)):g}, are too "
            f"far apart to be added exactly: scaled to whole numbers they must stay below 2^120 "
            f"together; give smaller ones, or fractions with small denominators, such as "
            f"Fraction(1, 10)"
        )
    limbs = [part for number in numbers for part in (number % LIMB, number // LIMB)]
    return np.array(limbs, dtype=np.uint64)

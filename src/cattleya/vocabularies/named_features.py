"""Which atoms of a row speak of the features that a user names, as in ``exclude=["sex"]``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from math import isfinite, lcm
from numbers import Rational, Real
from typing import Any

import numpy as np

from cattleya.model.conditions.condition import Condition
from cattleya.model.domain.domain import Domain
from cattleya.model.domain.lookup import FeatureLookup, listed
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Int32s, Words
from cattleya.support.text import shown
from cattleya.vocabularies.interface import RowAtoms, SpokenOf

__all__ = ["FeatureNames"]


LIMB = 1 << 64
LARGEST_TOTAL = 1 << 120


class FeatureNames:
    """Finds the atoms of a row that speak of features."""

    def __init__(self, tree: Tree, domain: Domain) -> None:
        self._domain = domain
        self._lookup = FeatureLookup(domain, tree.feature_names)

    def check(self, what: str, features: Iterable[Any]) -> None:
        """Refuse what are no features of the model."""
        for feature in listed(what, features):
            self._lookup.find(what, feature)

    def atoms(self, what: str, features: Iterable[Any], atoms: SpokenOf) -> Int32s:
        """Return the atoms that speak of any of some features."""
        found = [self._of_feature(what, feature, atoms) for feature in listed(what, features)]
        return np.unique(np.concatenate([np.zeros(0, dtype=np.int32), *found]))

    def weights(self, weights: Any, atoms: RowAtoms) -> Words | None:
        """Return the weight of each atom as two 64-bit limbs, or None where all are the same.

        They are scaled to whole numbers, exactly. The weight of a condition takes precedence over
        that of its feature; what is given none weighs 1.
        """
        if not isinstance(weights, Mapping):
            if not isinstance(weights, (Real, Decimal)):
                raise TypeError(
                    f"weights must be a dict by feature or condition, or a number, not "
                    f"{shown(weights)}"
                )
            _positive("weights", weights)
            return None
        weight = [Fraction(1)] * len(atoms)
        of_conditions: dict[int, Fraction] = {}
        for key, value in weights.items():
            exact = _positive(f"the weight of {shown(str(key))}", value)
            if self._is_condition(key, atoms):
                of_conditions[atoms.number(key)] = exact
                continue
            for atom in self._of_feature("weights", key, atoms).tolist():
                weight[atom] = exact
        for atom, exact in of_conditions.items():
            weight[atom] = exact
        return _limbs(weight)

    def _of_feature(self, what: str, feature: Any, atoms: SpokenOf) -> Int32s:
        found = self._lookup.find(what, feature)
        if found.column is not None:
            return atoms.of_column(self._domain, found.column)
        of = [atoms.of_attribute(self._domain, place) for place in found.attributes]
        return np.concatenate([np.zeros(0, dtype=np.int32), *of])

    def _is_condition(self, key: Any, atoms: RowAtoms) -> bool:
        if isinstance(key, Condition):
            return True
        if not isinstance(key, str) or self._lookup.knows(key):
            return False
        try:
            atoms.number(key)
        except ValueError:
            return False
        return True


def _positive(what: str, value: Any) -> Fraction:
    is_number = isinstance(value, (Real, Decimal)) and not isinstance(value, bool)
    if not is_number:
        raise TypeError(f"{what} must be a positive number, not {shown(value)}")
    finite = isinstance(value, Rational) or _is_finite(value)  # before a comparison: sNaN has none
    if not finite or not value > 0:
        raise ValueError(f"{what} must be a positive number, not {shown(value)}")
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    return Fraction(*value.as_integer_ratio())


def _is_finite(value: Any) -> bool:
    return value.is_finite() if isinstance(value, Decimal) else isfinite(value)


def _limbs(weights: list[Fraction]) -> Words | None:
    different = set(weights)
    if len(different) <= 1:
        return None
    denominator = lcm(*(weight.denominator for weight in different))
    scaled = {weight: int(weight * denominator) for weight in different}
    numbers = [scaled[weight] for weight in weights]
    if sum(numbers) >= LARGEST_TOTAL:
        raise ValueError(
            f"the weights, from {_rough(min(different))} to {_rough(max(different))}, are too "
            f"far apart to be added exactly: scaled to whole numbers they must stay below 2^120 "
            f"together; give smaller ones, or fractions with small denominators, such as "
            f"Fraction(1, 10)"
        )
    limbs = [part for number in numbers for part in (number % LIMB, number // LIMB)]
    return np.array(limbs, dtype=np.uint64)


def _rough(weight: Fraction) -> str:
    """Return a weight in a few digits, however large or small."""
    try:
        return f"{float(weight):g}"
    except OverflowError:
        return "more than 1e308"

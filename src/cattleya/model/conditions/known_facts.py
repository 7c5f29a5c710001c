"""Which facts about the features of a model there are, and what their texts mean."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from cattleya.model.conditions.condition import Condition
from cattleya.model.conditions.fact import Fact, fact_about
from cattleya.model.domain.domain import Attribute, Category, Domain
from cattleya.model.domain.number import Number
from cattleya.model.tree.tree import Tree

__all__ = ["KnownFacts", "place_of"]


class KnownFacts:
    """The facts about rows of a tree and a domain."""

    def __init__(self, tree: Tree, domain: Domain) -> None:
        self._tree, self._domain = tree, domain
        self._tested = frozenset(tree.feature[tree.left >= 0].tolist())

    def known_fact(self, condition: Condition, *, numbers: bool = True) -> Fact:
        """Return a fact of this domain; ``ValueError`` where it is none."""
        known = isinstance(condition, Fact) and 0 <= condition.index < self._domain.n_columns
        if known and isinstance(condition, Fact):
            attribute = self._domain.attributes[int(self._domain.of_column[condition.index])]
            named = attribute.columns == condition.columns and attribute.name == condition.feature
            if named and isinstance(attribute, Category):
                place_of(attribute, condition, self._domain)
                return condition
            if named and numbers and self._can_be(attribute, condition.point[0]):
                return condition
        raise ValueError(
            f"{str(condition)!r} is no fact of this model; take facts from this explanation"
        )

    def _can_be(self, attribute: Attribute, value: float) -> bool:
        if math.isnan(value):
            # Where no test looks, it does not matter whether a value is there.
            return self._tree.missing_left is not None or not (
                self._tested & frozenset(attribute.columns)
            )
        return (
            isinstance(attribute, Number)
            and attribute.largest(value, self._tree.row_dtype) == value
        )

    def category_fact(self, text: str) -> Fact:
        """Return the fact about a category that prints as ``text``."""
        fact = self._facts_by_text.get(text)
        if fact is None:
            raise ValueError(f"no fact reads {text!r}; take conditions from this explanation")
        return fact

    @cached_property
    def _facts_by_text(self) -> dict[str, Fact]:
        facts = (
            fact_about(category, place)
            for category in self._domain.attributes
            if isinstance(category, Category)
            for place in range(len(category.points))
        )
        return {str(fact): fact for fact in facts}


def place_of(category: Category, condition: Condition, domain: Domain) -> int:
    """Return the place of a fact's value in its category; ``ValueError`` where it is none."""
    row = np.zeros(domain.n_columns)
    if isinstance(condition, Fact) and condition.columns == category.columns:
        row[list(condition.columns)] = condition.point
        return category.value_of(row)
    raise ValueError(f"{str(condition)!r} is no value of {category.name!r}")

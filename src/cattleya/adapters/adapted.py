"""A model as the library sees it: a tree, its rows, and what values there are."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from cattleya.model.domain.domain import Domain
from cattleya.model.tree.rows import RowReader
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bools, Floats, Int32s

__all__ = ["AdaptedModel", "not_a_model"]


@dataclass(frozen=True, eq=False)
class AdaptedModel:
    """A model as the library sees it.

    ``tree_for_missing`` is the same tree with its routing of missing values, where the model takes
    such values but was not trained with any; None where ``tree`` serves every row. ``trace`` finds
    the domain of a model whose rows are transformed on their way to the tree; ``own_predict`` is
    the model's own word on rows as the user gives them.
    """

    tree: Tree
    rows: RowReader
    tree_for_missing: Tree | None = None
    trace: Callable[[], Domain] | None = None
    own_predict: Callable[[Any], Any] | None = None

    @cached_property
    def domain(self) -> Domain:
        """What values rows can have, in the user's columns; found when it is first asked for."""
        return Domain.plain(self.tree) if self.trace is None else self.trace()

    @property
    def tree_for_all(self) -> Tree:
        """The tree that takes every row that the model takes."""
        return self.tree if self.tree_for_missing is None else self.tree_for_missing

    def has_gap(self, matrix: Floats) -> Bools:
        """Tell for each row whether a value is missing that some test reads.

        Where the tree that decides has to be that with the routing. A gap in any other column
        changes nothing.
        """
        if self.tree_for_missing is None:
            return np.zeros(len(matrix), dtype=np.bool_)
        return np.asarray(np.isnan(matrix[:, self._tested]).any(axis=1))

    def lacks_tested(self, row: Floats) -> bool:
        """Tell the same of one row; NaN spreads, so that the usual row costs next to nothing."""
        return math.isnan(row.dot(self._zeros)) and bool(self.has_gap(row[None, :])[0])

    @cached_property
    def _zeros(self) -> Floats:
        return np.zeros(self.tree.n_features)

    @cached_property
    def _tested(self) -> Int32s:
        return np.unique(self.tree.feature[self.tree.left >= 0])

    def classes_of(self, numbers: Floats) -> Int32s:
        """Return the class of each of several rows of numbers, by its place."""
        tree = self.tree_for_all
        classes: Int32s = tree.leaf_class[tree.apply(numbers)]
        return classes

    def of_numbers(self) -> AdaptedModel:
        """Return the same for rows of numbers only: plain data, without the model's library."""
        known = partial(_known, self.domain)
        return replace(self, rows=self.tree.columns, trace=known, own_predict=None)

    def predict(self, X: Any) -> Any:
        """Return the labels of rows as the user gives them, by the model's own code."""
        return (self.own_predict or self.tree_for_all.predict)(X)


def _known(domain: Domain) -> Domain:
    return domain


def not_a_model(model: Any) -> str:
    """Return the message about what cannot be explained."""
    what = model.__name__ if isinstance(model, type) else type(model).__name__
    return (
        f"cannot explain {what}: give a cattleya.Tree, a fitted DecisionTreeClassifier or "
        f"ExtraTreeClassifier of scikit-learn, or a Pipeline that ends in one"
    )

"""Foreign models in, a ``Tree`` out. Nothing else in the package knows a learning library."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya.domain import Domain
from cattleya.rows import Floats, RowReader
from cattleya.tree import Tree
from cattleya.tree_checks import check_names

__all__ = ["AdaptedModel", "adapt"]


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

    @cached_property
    def _tested(self) -> npt.NDArray[np.int32]:
        return np.unique(self.tree.feature[self.tree.left >= 0])

    def tree_for(self, row: Floats) -> Tree:
        """Return the tree that decides about a row of numbers.

        That with the routing where a value is missing that some test reads; a gap in any other
        column changes nothing.
        """
        if self.tree_for_missing is None or not np.isnan(row[self._tested]).any():
            return self.tree
        return self.tree_for_missing

    def by_tree(self, matrix: Floats) -> list[tuple[Tree, npt.NDArray[np.intp]]]:
        """Return the trees that decide about several rows, and the places of those of each."""
        gaps = np.isnan(matrix[:, self._tested]).any(axis=1)
        if self.tree_for_missing is None or not gaps.any():
            return [(self.tree, np.arange(len(matrix)))]
        shared = (self.tree, np.flatnonzero(~gaps)), (self.tree_for_missing, np.flatnonzero(gaps))
        return [(tree, rows) for tree, rows in shared if len(rows)]

    def classes_of(self, numbers: Floats) -> npt.NDArray[np.int32]:
        """Return the class of each of several rows of numbers, by its place."""
        tree = self.tree_for_all
        classes: npt.NDArray[np.int32] = tree.leaf_class[tree.apply(numbers)]
        return classes

    def of_numbers(self) -> AdaptedModel:
        """Return the same for rows of numbers only: plain data, without the model's library."""
        known = partial(_known, self.domain)
        return replace(self, rows=self.tree.columns, trace=known, own_predict=None)

    def predict(self, X: Any) -> Any:
        """Return the labels of rows as the user gives them, by the model's own code."""
        return (self.own_predict or self.tree_for_all.predict)(X)


def adapt(
    model: Any, feature_names: Sequence[str] | None, missing_values: bool | None = None
) -> AdaptedModel:
    """Return the tree of a model, and the reader of its rows."""
    if isinstance(model, Tree):
        if feature_names is not None:
            check_names(feature_names, model.n_features)
            model = _renamed(model, feature_names)
        if missing_values and model.missing_left is None:
            raise ValueError("missing_values=True, but the tree has no missing_left: give it one")
        return AdaptedModel(model, model.columns)
    # A scikit-learn model cannot exist unless scikit-learn has been imported.
    if "sklearn" in sys.modules:
        from cattleya.adapters.sklearn import adapt_sklearn

        return adapt_sklearn(model, feature_names, missing_values)
    raise TypeError(_not_a_model(model))


def _known(domain: Domain) -> Domain:
    return domain


def _renamed(tree: Tree, names: Sequence[str]) -> Tree:
    return Tree(
        tree.left,
        tree.right,
        tree.feature,
        tree.threshold,
        tree.leaf_class,
        tree.n_features,
        names,
        tree.class_names,
        missing_left=tree.missing_left,
        boolean=tree.boolean,
        row_dtype=tree.row_dtype,
    )


def _not_a_model(model: Any) -> str:
    what = model.__name__ if isinstance(model, type) else type(model).__name__
    return (
        f"cannot explain {what}: give a cattleya.Tree, a fitted DecisionTreeClassifier or "
        f"ExtraTreeClassifier of scikit-learn, or a Pipeline that ends in one"
    )

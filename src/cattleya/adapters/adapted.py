"""A model as the library sees it: a tree, its rows, and what values there are."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from cattleya.adapters.category_sets import CategoryStep
from cattleya.model.domain.domain import Domain
from cattleya.model.ensemble.ensemble import Ensemble
from cattleya.model.tree.rows import RowReader
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bools, Floats, Int32s, Places
from cattleya.support.guards import is_whole
from cattleya.support.text import shown

__all__ = ["AdaptedModel", "TrainingRows", "chosen_output", "not_a_model"]


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """The rows that a tree was trained on, by node.

    Attributes
    ----------
    rows : array of int
        How many came to each node.
    mix : array
        The share of each class among them, one line per node, as the training weighed them; no
        columns where the tree predicts numbers.
    """

    rows: Places
    mix: Floats


@dataclass(frozen=True, eq=False)
class AdaptedModel:
    """A model as the library sees it.

    ``tree_for_missing`` is the same tree with its routing of missing values, where the model takes
    such values but was not trained with any; None where ``tree`` serves every row. ``trace`` finds
    the domain of a model whose rows are transformed on their way to the tree; ``own_predict`` and
    ``own_proba`` are the model's own word on rows as the user gives them. ``output`` is the number
    of the output that is explained, of a model that has several; ``ensemble`` the same as an
    ensemble, where it was one of a single tree, and ``step`` what makes the tree's columns of its
    categories. ``target_name`` is the column that it was trained
    to predict, and ``training`` the rows that came to each node, where the model has them.
    ``notes`` say what was taken for what.
    """

    tree: Tree
    rows: RowReader
    tree_for_missing: Tree | None = None
    trace: Callable[[], Domain] | None = None
    own_predict: Callable[[Any], Any] | None = None
    own_proba: Callable[[Any], Any] | None = None
    output: int | None = None
    ensemble: Ensemble | None = None
    step: CategoryStep | None = None
    target_name: str | None = None
    training: TrainingRows | None = None
    notes: tuple[str, ...] = ()

    @property
    def row_dtype(self) -> str:
        """What rows are cast to before they meet a threshold."""
        return self.tree.row_dtype

    @cached_property
    def tested(self) -> frozenset[int]:
        """The columns that some node tests."""
        return frozenset(self._tested.tolist())

    @property
    def shown_names(self) -> tuple[str, ...]:
        """The names of the columns of the tree."""
        return self.tree.feature_names

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
        if self.tree_for_missing is None:
            return False
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
        bare: dict[str, Any] = {"own_predict": None, "own_proba": None, "training": None}
        return replace(self, rows=self.tree.columns, trace=known, **bare)

    def predict(self, X: Any) -> Any:
        """Return the predictions for rows as the user gives them, by the model's own code."""
        return (self.own_predict or self.tree_for_all.predict)(X)

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of the classes likewise."""
        return (self.own_proba or self.tree_for_all.predict_proba)(X)


def _known(domain: Domain) -> Domain:
    return domain


def not_a_model(model: Any) -> str:
    """Return the message about what cannot be explained."""
    what = model.__name__ if isinstance(model, type) else type(model).__name__
    return (
        f"cannot explain {what}: give a cattleya.Tree, a fitted decision tree of scikit-learn "
        f"(DecisionTreeClassifier, DecisionTreeRegressor, ...), an ensemble of trees (a forest, "
        f"boosted trees; also of XGBoost, LightGBM, CatBoost), or a Pipeline that ends in one"
    )


def chosen_output(output: Any, count: int) -> int:
    """Return the number of the output to explain; refuse one that the model does not have.

    >>> chosen_output(None, 1), chosen_output(2, 3)
    (0, 2)
    """
    if output is None and count == 1:
        return 0
    every = "0" if count == 1 else f"0 to {count - 1}"
    if output is None:
        raise ValueError(
            f"the model predicts {count} outputs at once, which are explained one at a time; give "
            f"output={every}"
        )
    if not is_whole(output):
        raise TypeError(
            f"output must be the number of an output, {every}, not {shown(output)}; models do not "
            f"keep the names of their outputs"
        )
    if not 0 <= output < count:
        raise ValueError(f"output={shown(output)} is none of the model's outputs; give {every}")
    return int(output)

"""scikit-learn's trees one after the other, as the arrays of an ensemble."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.tree import BaseDecisionTree

from cattleya.support.arrays import Floats, Places

__all__ = ["check_trees_only", "joined", "leaf_values", "takes_missing"]


def check_trees_only(model: Any, estimators: Iterable[Any]) -> None:
    """Refuse an ensemble of anything but trees."""
    for estimator in estimators:
        if not isinstance(estimator, BaseDecisionTree):
            raise TypeError(
                f"cannot read this {type(model).__name__}: it is made of "
                f"{type(estimator).__name__}, which are no trees; give one of decision trees"
            )


def joined(
    estimators: Sequence[Any], missing: bool, columns: Sequence[Places] | None = None
) -> dict[str, Any]:
    """Return the nodes of all trees; ``columns`` are the features that each tree was given."""
    trees = [estimator.tree_ for estimator in estimators]
    start = np.zeros(len(trees) + 1, dtype=np.int64)
    np.cumsum([tree.node_count for tree in trees], out=start[1:])
    arrays: dict[str, Any] = {"tree_start": start}
    n_nodes = int(start[-1])
    left, right = np.empty(n_nodes, dtype=np.int64), np.empty(n_nodes, dtype=np.int64)
    feature, threshold = np.empty(n_nodes, dtype=np.int64), np.empty(n_nodes)
    missing_left = np.empty(n_nodes, dtype=np.bool_)
    for number, tree in enumerate(trees):
        own = slice(start[number], start[number + 1])
        inner = tree.children_left >= 0
        left[own] = np.where(inner, tree.children_left + start[number], -1)
        right[own] = np.where(inner, tree.children_right + start[number], -1)
        tested = np.where(inner, tree.feature, 0)
        if columns is not None:
            tested = np.asarray(columns[number])[tested]
        feature[own] = np.where(inner, tested, -1)
        threshold[own] = tree.threshold
        missing_left[own] = tree.missing_go_to_left
    arrays |= {"left": left, "right": right, "feature": feature, "threshold": threshold}
    return arrays | {"missing_left": missing_left if missing else None, "row_dtype": "float32"}


def leaf_values(estimator: Any, output: int) -> Floats:
    """Return what a tree has at each of its leaves for one output, one line per leaf."""
    tree = estimator.tree_
    values: Floats = tree.value[tree.children_left < 0, output, :]
    if not np.isfinite(values).all():
        found = values[~np.isfinite(values)][0]
        raise ValueError(f"a leaf has {found}; the numbers of an ensemble must be finite")
    return values


def takes_missing(estimator: Any) -> bool:
    """Ask a tree whether it takes missing values, which has changed from release to release."""
    nameless = estimator.__class__.__new__(estimator.__class__)
    vars(nameless).update({k: v for k, v in vars(estimator).items() if k != "feature_names_in_"})
    try:
        nameless.apply(np.full((1, estimator.n_features_in_), np.nan, dtype=np.float32))
    except ValueError:
        return False
    return True

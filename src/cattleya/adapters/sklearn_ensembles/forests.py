"""Forests and bags of trees: the mean of what the trees predict.

scikit-learn adds the probabilities (or numbers) of the trees in float64, one tree after the other,
and divides by the number of trees; the first of the classes with the largest mean is predicted.
With ``n_jobs`` other than 1, a forest adds in the order in which its threads finish, and a bag adds
the sums of parts: the order is then not known, and :attr:`cattleya.Ensemble.rounding_bound` says
how far that can lead.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from cattleya.adapters.sklearn_ensembles.joined import (
    check_trees_only,
    joined,
    leaf_values,
    takes_missing,
)
from cattleya.support.arrays import Floats

__all__ = ["bag", "forest"]


def forest(model: Any, output: int) -> dict[str, Any]:
    """Return what a ``RandomForest*`` or ``ExtraTrees*`` is made of."""
    trees = model.estimators_
    check_trees_only(model, trees)
    values = np.concatenate([leaf_values(tree, output) for tree in trees])
    parts = joined(trees, takes_missing(trees[0])) | _mean(model, len(trees))
    if not is_classifier(model):
        return parts | {"value": values[:, :1]}
    classes = model.classes_ if model.n_outputs_ == 1 else model.classes_[output]
    return parts | _classes(values[:, : len(classes)], classes)


def bag(model: Any) -> dict[str, Any]:
    """Return what a ``Bagging*`` of trees is made of."""
    trees, columns = model.estimators_, model.estimators_features_
    check_trees_only(model, trees)
    if model.n_estimators != len(trees):
        raise ValueError(
            f"this {type(model).__name__} has {len(trees)} trees and n_estimators="
            f"{model.n_estimators}; fit it again"
        )
    if any(tree.n_outputs_ != 1 for tree in trees):
        raise ValueError(f"this {type(model).__name__} has trees of several outputs; fit one each")
    parts = joined(trees, takes_missing(trees[0]), columns) | _mean(model, len(trees))
    if not is_classifier(model):
        return parts | {"value": np.concatenate([leaf_values(tree, 0)[:, :1] for tree in trees])}
    values = []
    for tree in trees:  # which may have seen only some of the classes
        if not is_classifier(tree):
            raise TypeError(f"cannot read this {type(model).__name__}: its trees predict numbers")
        own = leaf_values(tree, 0)[:, : len(tree.classes_)]
        every = np.zeros((len(own), model.n_classes_))
        every[:, tree.classes_] = own
        values.append(every)
    return parts | _classes(np.concatenate(values), model.classes_)


def _mean(model: Any, count: int) -> dict[str, Any]:
    return {"divide_by": count, "ordered_sum": count == 1 or model.n_jobs in (None, 1)}


def _classes(values: Floats, classes: Any) -> dict[str, Any]:
    return {
        "value": values,
        "base": np.zeros(len(classes)),
        "class_names": classes,
        "decision": "largest",
    }

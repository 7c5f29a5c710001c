"""Boosted trees of scikit-learn but for those on histograms.

``GradientBoosting*`` adds ``learning_rate * leaf`` tree by tree, in float64, to what its initial
estimator says; the product is rounded before it is added, so that it can be taken here. An initial
estimator that looks at the row is no tree, and refused. Of two classes, the second is predicted
where the sum is at least 0.

``AdaBoostClassifier`` has each tree vote with a weight: a leaf adds the weight w to its class, and
``-1 / (classes - 1) * w`` to the others; then the sum is divided by all the weights. With two
classes the two sums are opposite numbers, and the second class is predicted where twice the second
sum is above 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor

from cattleya.adapters.sklearn_ensembles.joined import check_trees_only, joined, leaf_values
from cattleya.support.text import shown

__all__ = ["ABOVE_ZERO", "ada_boost", "gradient_boosting"]

ABOVE_ZERO = float(np.nextafter(0.0, 1.0))
TWO = 2


def gradient_boosting(model: Any) -> dict[str, Any]:
    """Return what a ``GradientBoosting*`` is made of."""
    stages = np.asarray(model.estimators_)
    trees = stages.reshape(-1).tolist()
    check_trees_only(model, trees)
    base = _initial(model)
    if stages.ndim != TWO or stages.shape[1] != len(base):
        raise ValueError(
            f"this {type(model).__name__} is damaged: its trees do not fit its classes"
        )
    rate = float(model.learning_rate)
    values = [rate * leaf_values(tree, 0)[:, :1] for tree in trees]
    parts = joined(trees, missing=False)
    parts |= {
        "value": np.concatenate([np.zeros((0, 1)), *values]),
        "output_of_tree": np.tile(np.arange(len(base)), len(stages)),
        "base": base,
    }
    if not is_classifier(model):
        return parts
    if len(base) > 1:
        return parts | {
            "class_names": model.classes_, "decision": "largest", "link": "softmax_pairwise",
        }  # fmt: skip  # a short table
    link = {"log_loss": "logistic", "exponential": "half_logistic"}[model.loss]
    return parts | {"class_names": model.classes_, "decision": "threshold", "link": link}


def _initial(model: Any) -> Any:
    """Return what the sum starts with, if that is the same for all rows."""
    start = model.init_
    random = isinstance(start, DummyClassifier) and start.strategy in ("stratified", "uniform")
    if start != "zero" and (random or not isinstance(start, (DummyClassifier, DummyRegressor))):
        raise TypeError(
            f"cannot read this {type(model).__name__}: it starts from init={shown(start)}, which "
            f"is no constant; fit it with init=None or init='zero'"
        )
    row = np.zeros((1, model.n_features_in_), dtype=np.float32)
    return np.asarray(model._raw_predict_init(row), dtype=np.float64)[0]


def ada_boost(model: Any) -> dict[str, Any]:
    """Return what an ``AdaBoostClassifier`` of trees is made of."""
    trees, classes = model.estimators_, list(model.classes_)
    check_trees_only(model, trees)
    parts = joined(trees, missing=False)
    weights = np.asarray(model.estimator_weights_, dtype=np.float64)
    count = len(classes)
    if count == 1:
        leaves = sum(tree.get_n_leaves() for tree in trees)
        return parts | {
            "value": np.zeros((leaves, 1)), "class_names": classes, "decision": "largest",
            "link": "softmax",
        }  # fmt: skip  # a short table
    values = []
    for tree, weight in zip(trees, weights, strict=False):
        place = np.array([classes.index(label) for label in tree.classes_])
        own = place[leaf_values(tree, 0)[:, : len(place)].argmax(axis=1)]
        others = -1 / (count - 1) * weight
        values.append(np.where(np.arange(count) == own[:, None], weight, others))
    parts |= {"class_names": classes, "link": "samme", "divide_by": weights.sum()}
    every = np.concatenate(values)
    if count > TWO:
        return parts | {"value": every, "base": np.zeros(count), "decision": "largest"}
    return parts | {
        "value": every[:, 1], "scale": 2.0, "decision": "threshold", "cut": ABOVE_ZERO,
    }  # fmt: skip  # a short table

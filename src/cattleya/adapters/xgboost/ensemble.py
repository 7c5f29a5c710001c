"""A model that XGBoost saved, as an :class:`cattleya.Ensemble`: its own arithmetic, bit by bit.

Rows are float32 numbers and go left where ``x < t``, which is ``x <= u`` for the float32 number
``u`` before ``t``. The margin begins with the intercept, and each tree in turn adds the number of
its leaf, all in float32; threads share the rows among them, never a sum. The intercept is saved as
a prediction and taken through the inverse of the link, in float32. Probabilities are made with the
functions of the C library (``src/core/ensemble/links.hpp``); a class is decided by them, so that
sums whose probabilities are equal are a tie.

In a set of categories those of the set go right; all other categories, and what is no category, go
left. XGBoost finds the right child after the left one without looking, which is checked here.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cattleya._core import link32
from cattleya.adapters.flat_trees import Sets, first_at_least, reachable
from cattleya.adapters.xgboost.document import Saved, SavedTree, Single
from cattleya.model.ensemble.ensemble import Ensemble
from cattleya.support.arrays import Floats
from cattleya.support.text import shown

__all__ = ["Use", "ensemble_of"]

HALF = np.float32(0.5)
LEAST_CHANCE = np.float32(1e-6)
IN_ONE_PASS = (3, 3)  # the release that weighs the trees of dart as it adds them
#: What a prediction is made with, and how an intercept becomes a margin.
OBJECTIVES = {
    "reg:squarederror": ("identity", None),
    "reg:linear": ("identity", None),
    "reg:squaredlogerror": ("identity", None),
    "reg:pseudohubererror": ("identity", None),
    "reg:absoluteerror": ("identity", None),
    "reg:quantileerror": ("identity", None),
    "reg:expectileerror": ("identity", None),
    "reg:logistic": ("c_logistic", "logit"),
    "reg:gamma": ("c_exp", "log"),
    "reg:tweedie": ("c_exp", "log"),
    "count:poisson": ("c_exp", "log"),
    "survival:cox": ("c_exp", "log"),
    "survival:aft": ("c_exp", "log"),
    "rank:ndcg": ("identity", None),
    "rank:map": ("identity", None),
    "rank:pairwise": ("identity", None),
    "binary:logistic": ("c_logistic", "logit"),
    "binary:logitraw": ("identity", None),
    "binary:hinge": ("positive", None),
    "multi:softprob": ("c_softmax", None),
    "multi:softmax": ("c_softmax", None),
}


@dataclass(frozen=True)
class Use:
    """How a saved model is used, which the document does not tell.

    ``by_scikit_learn``: through ``XGBClassifier`` and the like, whose ``predict`` stops at the best
    round and gives a class; ``Booster.predict`` does neither. ``release`` is that of the library.
    """

    by_scikit_learn: bool = False
    is_classifier: bool = False
    missing: float = float("nan")
    release: tuple[int, ...] = ()


def ensemble_of(saved: Saved, use: Use, feature_names: Sequence[str] | None = None) -> Ensemble:
    """Return a saved model as an ensemble; ``ValueError`` says why it cannot be one."""
    if saved.objective not in OBJECTIVES:
        raise ValueError(
            f"its objective {shown(saved.objective)} is not known: what becomes of a sum cannot be "
            f"told; train with an objective of XGBoost's own"
        )
    link, inverse = OBJECTIVES[saved.objective]
    base = saved.base_score
    if inverse == "logit":
        base = np.clip(base, LEAST_CHANCE, np.float32(1) - LEAST_CHANCE)
    if inverse is not None:
        base = link32(inverse, base, 1)
    if not np.isfinite(base).all():
        raise ValueError(f"base_score is {saved.base_score.tolist()}, which {link!r} never gives")
    count = len(saved.trees)
    if use.by_scikit_learn and saved.best_iteration is not None:
        rounds = len(saved.round_start) - 1
        if not 0 <= saved.best_iteration < rounds:
            raise ValueError(f"best_iteration is {saved.best_iteration}, of {rounds} rounds")
        count = int(saved.round_start[saved.best_iteration + 1])
    nodes = _nodes(saved.trees[:count], saved.n_features)
    vectors = saved.trees[0].vectors is not None
    value = _leaves(saved, count, base, use)[nodes.pop("kept")]
    infinite = bool(np.isneginf(nodes["threshold"]).any())  # x < -inf is never so
    classes, decision = _decision(saved, use, link)
    return Ensemble(
        **nodes,
        value=value[nodes["left"] < 0],
        n_features=saved.n_features,
        feature_names=saved.feature_names if feature_names is None else feature_names,
        class_names=classes,
        output_of_tree=None if vectors else saved.output_of_tree[:count],
        base=base.astype(np.float64),
        sum_dtype="float32",
        row_dtype="float32",
        takes_infinite=use.by_scikit_learn and not infinite,
        missing_value=float(np.float32(use.missing)),
        categories=saved.labels,
        reading=dict.fromkeys(saved.labels, "known labels"),
        **decision,
    )


def _decision(
    saved: Saved, use: Use, link: str
) -> tuple[Sequence[Hashable] | None, dict[str, Any]]:
    """Return the classes and how one is decided; None where the prediction is a number."""
    objective, outputs = saved.objective, saved.n_outputs
    if objective.startswith("multi:"):
        # Asked for classes, the library looks at the sums; asked for probabilities, at these.
        by_probability = objective == "multi:softprob"
        if use.by_scikit_learn and not by_probability:
            link = "softmax_pairwise"  # scipy's
        return range(outputs), {
            "decision": "largest",
            "link": link,
            "by_probability": by_probability,
        }
    if objective.startswith("binary:") and outputs > 1:
        raise ValueError(
            f"it says yes or no to {outputs} labels at once (multi-label); train a model for each"
        )
    if objective == "binary:logistic" or (use.is_classifier and link == "c_logistic"):
        return (0, 1), {"decision": "threshold", "link": link, "cut": logistic_cut()}
    if objective == "binary:hinge":
        above = float(np.nextafter(np.float32(0), np.float32(1)))
        return (0, 1), {"decision": "threshold", "link": link, "cut": above}
    if objective == "binary:logitraw" and use.is_classifier:
        above = float(np.nextafter(HALF, np.float32(1)))  # its classifier compares sums with 0.5
        return (0, 1), {"decision": "threshold", "link": link, "cut": above}
    return None, {"decision": "value", "link": link}


def logistic_cut() -> float:
    """Return the smallest sum whose probability, in float32, is more than a half."""
    return first_at_least(lambda x: link32("logistic", x, 1) > HALF, np.float32)


def _nodes(trees: Sequence[SavedTree], n_features: int) -> dict[str, Any]:
    """Return the nodes of all trees in one; ``kept``: which of them are still part of a tree."""
    sizes = np.array([len(tree.left) for tree in trees])
    if sizes.sum() > np.iinfo(np.int32).max:
        raise ValueError(f"it has {sizes.sum()} nodes, which is too many")
    start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    shift = np.repeat(start[:-1], sizes)
    left, right = (_joined(trees, name) for name in ("left", "right"))
    leaf = left < 0
    if wrong := np.flatnonzero(~leaf & (right != left + 1)).tolist():
        raise ValueError(
            f"a node has the children {left[wrong[0]]} and {right[wrong[0]]}: in a model that "
            f"XGBoost saved, the right one comes next after the left one"
        )
    if (left >= np.repeat((sizes - 1).astype(np.int32), sizes)).any():  # a leaf has -1
        raise ValueError("a node has a child that is not there")
    condition, is_set = _joined(trees, "condition"), _joined(trees, "is_category")
    if np.isnan(condition[~leaf & ~is_set]).any():
        raise ValueError("a node has the threshold nan; thresholds must be numbers")
    threshold = np.nextafter(condition, np.float32(-np.inf)).astype(np.float64)
    sets = Sets(len(left), set_left=False)
    for first, tree in zip(start.tolist(), trees, strict=False):
        for node in np.flatnonzero(tree.is_category).tolist():
            if node not in tree.categories:
                raise ValueError(f"node {node} tests a set of categories that is not there")
            sets.put(first + node, tree.categories[node])
    nodes: dict[str, Any] = {
        "left": np.where(leaf, -1, left + shift),
        "right": np.where(leaf, -1, right + shift),
        "feature": np.where(leaf, -1, _joined(trees, "feature")),
        "threshold": np.where(leaf | is_set, 0.0, threshold),
        "missing_left": _joined(trees, "default_left") & ~leaf,
        "category_set": sets.of_node,
    }
    kept = np.ones(len(left), dtype=np.bool_)
    if 2 * int((~leaf).sum()) != len(left) - len(trees):
        kept = reachable(start, nodes["left"], nodes["right"])  # some nodes were pruned
        place = (np.cumsum(kept) - 1).astype(np.int32)
        nodes = {name: values[kept] for name, values in nodes.items()}
        for name in ("left", "right"):
            nodes[name] = np.where(nodes[name] < 0, -1, place[nodes[name]])
        start = np.concatenate((place[start[:-1]], [kept.sum()])).astype(np.int32)
    return {"tree_start": start, "kept": kept} | nodes | sets.arrays()


def _joined(trees: Sequence[SavedTree], name: str) -> Any:
    return np.concatenate([getattr(tree, name) for tree in trees])


def _leaves(saved: Saved, count: int, base: Single, use: Use) -> Floats:
    """Return what each node would add if it were a leaf, with the weights of dart.

    Until release 3.3, ``Booster.predict`` added the product of leaf and weight; its
    ``inplace_predict``, which scikit-learn's classes use, added the leaf to the intercept, took the
    intercept away, and then took the product.
    """
    trees = saved.trees[:count]
    if saved.trees[0].vectors is not None:
        if saved.weights is not None or any(tree.vectors is None for tree in saved.trees):
            raise ValueError("its trees with several numbers per leaf have weights (dart)")
        return np.asarray(_joined(trees, "vectors"), dtype=np.float64)
    numbers: Single = _joined(trees, "condition")
    if saved.weights is not None:
        sizes = [len(tree.left) for tree in trees]
        weight = np.repeat(saved.weights[:count], sizes)
        if use.by_scikit_learn and use.release < IN_ONE_PASS:
            start = base[np.repeat(saved.output_of_tree[:count], sizes)]
            numbers = (start + numbers) - start
        numbers = numbers * weight
    return numbers.astype(np.float64)

"""A model that LightGBM saved, as an :class:`cattleya.Ensemble`: its own arithmetic, bit by bit.

Rows are float64 numbers and go left where ``x <= t``. Trees of several classes take turns, and each
adds the number of its leaf in float64, in order; threads share the rows among them, never a sum.
Before all that, a number of at most 1e-35 (as float32, either sign) is read as 0, which moves a
threshold in that range to one of its ends, and changes nothing else.

A node says how it takes what is missing: not at all (NaN is read as 0), as NaN only, or NaN and 0
alike (``zero_as_missing``). In a set of categories, those of the set go left; all others, missing
and negative ones go right; a category is a number without its fraction, so that -0.5 is category 0.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from cattleya._core import link64
from cattleya.adapters.flat_trees import Sets, first_at_least
from cattleya.adapters.lightgbm.text import Saved, SavedTree
from cattleya.model.ensemble.ensemble import Ensemble
from cattleya.support.arrays import Bools, Floats, Int32s
from cattleya.support.text import shown

__all__ = ["ensemble_of"]

ZERO = float(np.float32(1e-35))
CATEGORICAL, DEFAULT_LEFT = 1, 2
NONE, AS_ZERO, AS_NAN = 0, 1, 2
IDENTITY = ("regression", "regression_l1", "huber", "fair", "quantile", "mape", "custom")
RANKS = ("lambdarank", "rank_xendcg")
EXPONENTIAL = ("poisson", "gamma", "tweedie")


def ensemble_of(
    saved: Saved,
    *,
    sigmoid: float | None = None,
    class_names: Sequence[Hashable] | None = None,
    feature_names: Sequence[str] | None = None,
) -> Ensemble:
    """Return a saved model as an ensemble; ``ValueError`` says why it cannot be one.

    ``sigmoid`` is the parameter of that name of a live model: the text has six digits of it.
    """
    nodes = _nodes(saved.trees)
    n_rounds = len(saved.trees) // saved.trees_per_round
    return Ensemble(
        **nodes,
        value=np.concatenate([tree.value for tree in saved.trees]),
        n_features=saved.n_features,
        feature_names=saved.feature_names if feature_names is None else feature_names,
        output_of_tree=np.tile(np.arange(saved.trees_per_round), n_rounds),
        base=np.zeros(saved.trees_per_round),
        divide_by=n_rounds if saved.averages else 1.0,
        takes_infinite=True,
        categories=saved.labels,
        **_decision(saved, sigmoid, class_names),
    )


def _decision(
    saved: Saved, sigmoid: float | None, class_names: Sequence[Hashable] | None
) -> dict[str, Any]:
    """Return how a sum decides, and between which classes."""
    name, *rest = saved.objective or ("custom",)
    options = dict(text.partition(":")[::2] for text in rest)
    try:
        scale = float(options.get("sigmoid", 1)) if sigmoid is None else float(sigmoid)
    except ValueError:
        raise ValueError(f"sigmoid must be a number, not {shown(options['sigmoid'])}") from None
    outputs = saved.trees_per_round
    if name == "binary":
        return {
            "decision": "threshold",
            "class_names": (0, 1) if class_names is None else class_names,
            "link": "c_logistic",
            "link_scale": scale,
            "cut": first_at_least(lambda x: _likelier(scale * x), np.float64),
        }
    if name in ("multiclass", "multiclassova"):
        one_by_one = name == "multiclassova"
        return {
            "decision": "largest",
            "class_names": range(outputs) if class_names is None else class_names,
            "link": "c_logistic" if one_by_one else "c_softmax",
            "link_scale": scale if one_by_one else 1.0,
            "by_probability": True,
        }
    links = dict.fromkeys((*IDENTITY, *RANKS), "identity") | dict.fromkeys(EXPONENTIAL, "c_exp")
    links |= {"cross_entropy": "c_logistic", "cross_entropy_lambda": "c_log1p_exp"}
    if name not in links:
        raise ValueError(f"its objective {shown(name)} is not known: what becomes of a sum?")
    link = "signed_square" if "sqrt" in rest and links[name] == "identity" else links[name]
    return {"decision": "value", "link": link}


def _likelier(sums: Floats) -> Bools:
    """Tell where the second of two classes has the larger probability."""
    chance = link64("logistic", sums, 1)
    return np.asarray(chance > 1.0 - chance)


def _nodes(trees: Sequence[SavedTree]) -> dict[str, Any]:
    """Return the nodes of all trees in one: of each tree first the inner ones, then the leaves."""
    inner = np.array([len(tree.left) for tree in trees])
    sizes = inner + [len(tree.value) for tree in trees]
    if sizes.sum() > np.iinfo(np.int32).max:
        raise ValueError(f"it has {sizes.sum()} nodes, which is too many")
    start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    of_tree = np.repeat(np.arange(len(trees)), inner)
    at = np.arange(inner.sum()) + np.repeat(start[:-1] - np.cumsum(inner) + inner, inner)
    count = int(sizes.sum())

    def spread(values: Any, otherwise: Any, dtype: Any) -> Any:
        array = np.full(count, otherwise, dtype=dtype)
        array[at] = values
        return array

    def children(name: str) -> Int32s:
        child = _joined(trees, name)
        leaf = child < 0
        last = np.where(leaf, (sizes - inner)[of_tree], inner[of_tree])
        if (np.where(leaf, ~child, child) >= last).any():
            raise ValueError("a node has a child that is not there")
        place = start[:-1][of_tree] + np.where(leaf, inner[of_tree] + ~child, child)
        return np.asarray(spread(place, -1, np.int32))

    decision, feature = _joined(trees, "decision"), _joined(trees, "feature")
    threshold = _joined(trees, "threshold")
    is_set = decision & CATEGORICAL != 0
    if np.isnan(threshold).any():
        raise ValueError("a node has the threshold nan; thresholds must be numbers")
    missing_left, reading = _missing(decision, feature, threshold, is_set)
    sets = Sets(count, set_left=True)
    known: dict[tuple[int, float], Int32s] = {}  # nodes may share a set, which may be large
    for place in np.flatnonzero(is_set).tolist():
        which = int(of_tree[place]), float(threshold[place])
        if which not in known:
            known[which] = _codes(trees[which[0]], which[1])
        sets.put(int(at[place]), known[which])
    moved = threshold.copy()
    moved[(threshold >= -ZERO) & (threshold < 0)] = np.nextafter(-ZERO, -1)
    moved[(threshold >= 0) & (threshold < ZERO)] = ZERO
    return {
        "tree_start": start,
        "left": children("left"),
        "right": children("right"),
        "feature": spread(feature, -1, np.int32),
        "threshold": spread(np.where(is_set, 0.0, moved), 0.0, np.float64),
        "missing_left": spread(missing_left, False, np.bool_),
        "category_set": sets.of_node,
        "reading": reading,
    } | sets.arrays()


def _missing(
    decision: Int32s, feature: Int32s, threshold: Floats, is_set: Bools
) -> tuple[Bools, dict[int, str]]:
    """Return where each node sends what is missing, and how some columns are read."""
    kind, default = decision >> 2 & 3, decision & DEFAULT_LEFT != 0
    if (kind > AS_NAN).any():
        raise ValueError("a node takes what is missing in a way that is not known")
    as_zero = threshold >= 0.0
    left = np.where(kind == NONE, as_zero, default) & ~is_set
    of_sets, of_zeros = np.unique(feature[is_set]), np.unique(feature[~is_set & (kind == AS_ZERO)])
    if np.isin(feature[~is_set], of_sets).any():
        raise ValueError("a column is a number in one node and a category in another")
    odd = np.isin(feature, of_zeros) & (kind == AS_NAN) & (default != as_zero) & ~is_set
    if odd.any():
        raise ValueError(
            "a column takes 0 as missing in one tree and as a number in another; train all trees "
            "with the same zero_as_missing"
        )
    reading = dict.fromkeys(of_sets.tolist(), "whole part")
    return left, reading | dict.fromkeys(of_zeros.tolist(), "zero is missing")


def _codes(tree: SavedTree, number: float) -> Int32s:
    """Return the categories of a set, from its bits."""
    if not 0 <= number < len(tree.set_start) - 1:
        raise ValueError("a node tests a set of categories that is not there")
    first, last = tree.set_start[int(number) : int(number) + 2].tolist()
    bits = np.unpackbits(tree.set_words[first:last].view(np.uint8), bitorder="little")
    return np.flatnonzero(bits).astype(np.int32)


def _joined(trees: Sequence[SavedTree], name: str) -> Any:
    return np.concatenate([getattr(tree, name) for tree in trees])

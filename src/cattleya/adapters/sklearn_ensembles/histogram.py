"""``HistGradientBoosting*``: float64 rows, leaves that are shrunk already, and categories.

The nodes hold thresholds in the user's units beside those of the bins. The categories of a feature
have codes, which an encoder inside the model gives them; here they are the labels of
:class:`cattleya.Ensemble`, so that rows have the user's own columns. A category that the encoder
does not know is missing; one that it knows but that no tree has seen (it was among the rows that
were held out) goes where missing values go. Of two classes, the second is predicted where the sum
is above 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import is_classifier

from cattleya.adapters.sklearn_ensembles.boosting import ABOVE_ZERO
from cattleya.support.arrays import Bools, Places

__all__ = ["histogram_boosting"]

LINKS = {"poisson": "exp", "gamma": "exp"}
WORDS = 8  # of 32 bits, in a set of categories
Nodes = npt.NDArray[Any]


def histogram_boosting(model: Any) -> dict[str, Any]:
    """Return what a ``HistGradientBoosting*`` is made of."""
    rounds = model._predictors
    trees = [tree for one in rounds for tree in one]
    base = np.asarray(model._baseline_prediction, dtype=np.float64).reshape(-1)
    if any(len(one) != len(base) for one in rounds):
        raise ValueError(
            f"this {type(model).__name__} is damaged: its trees do not fit its classes"
        )
    start = np.cumsum([0, *(len(tree.nodes) for tree in trees)])
    nodes: Nodes = np.concatenate([trees[0].nodes[:0], *(tree.nodes for tree in trees)])
    inner = nodes["is_leaf"] == 0
    ahead = np.repeat(start[:-1], np.diff(start))  # of each node's tree
    places, categories = _columns(model)
    if inner.any() and nodes["feature_idx"][inner].max() >= len(places):
        raise ValueError(f"this {type(model).__name__} is damaged: it tests a feature out of range")
    parts: dict[str, Any] = {
        "tree_start": start,
        "left": np.where(inner, nodes["left"] + ahead, -1),
        "right": np.where(inner, nodes["right"] + ahead, -1),
        "feature": np.where(inner, places[np.where(inner, nodes["feature_idx"], 0)], -1),
        "threshold": np.where(inner, nodes["num_threshold"], 0.0),
        "missing_left": nodes["missing_go_to_left"] != 0,
        "value": nodes["value"][~inner],
        "output_of_tree": np.tile(np.arange(len(base)), len(rounds)),
        "base": base,
        "takes_infinite": True,
        "categories": categories,
    }
    if (coded := inner & (nodes["is_categorical"] != 0)).any():
        _check_coded(model, nodes[coded], trees)
        parts |= _sets(model, trees, nodes, coded, start)
    if not is_classifier(model):
        return parts | {"link": LINKS.get(model.loss, "identity")}
    parts["class_names"] = model.classes_
    if len(base) > 1:
        return parts | {"decision": "largest", "link": "softmax"}
    return parts | {"decision": "threshold", "cut": ABOVE_ZERO, "link": "logistic"}


def _columns(model: Any) -> tuple[Places, dict[int, tuple[Any, ...]]]:
    """Return which of the user's columns each of the trees' is, and the labels of categories.

    The encoder puts columns with categories first.
    """
    if model.is_categorical_ is None:
        return np.arange(model.n_features_in_), {}
    coded = np.asarray(model.is_categorical_, dtype=np.bool_)
    places = np.concatenate((np.flatnonzero(coded), np.flatnonzero(~coded)))
    encoder = model._preprocessor.named_transformers_["encoder"]
    categories = {}
    for place, labels in zip(np.flatnonzero(coded).tolist(), encoder.categories_, strict=True):
        known = labels.tolist()
        if known and isinstance(known[-1], float) and np.isnan(known[-1]):
            known.pop()  # missing, which has no code
        categories[place] = tuple(known)
    return places, categories


def _check_coded(model: Any, nodes: Nodes, trees: Any) -> None:
    """Refuse what scikit-learn would follow out of its arrays: a file may say anything."""
    coded = np.asarray(model._bin_mapper.is_categorical_)
    whole = coded.shape == (model.n_features_in_,) and coded[nodes["feature_idx"]].all()
    if not whole or any(tree.raw_left_cat_bitsets.shape[1:] != (WORDS,) for tree in trees):
        raise ValueError(
            f"this {type(model).__name__} is damaged: its categories do not fit its trees"
        )


def _sets(model: Any, trees: Any, nodes: Nodes, coded: Bools, start: Places) -> dict[str, Any]:
    """Return the sets of categories that nodes test.

    What a node does not know goes where missing values go. Where that is left, the set is that of
    the known categories that go right.
    """
    known, of_feature = model._bin_mapper.make_known_categories_bitsets()
    tree_of = np.searchsorted(start, np.flatnonzero(coded), side="right") - 1
    numbers = np.full(len(nodes), -1)
    starts, codes, left = [0], [np.empty(0, dtype=np.int64)], []
    for number, (node, tree) in enumerate(zip(np.flatnonzero(coded), tree_of, strict=True)):
        goes_left = _codes(trees[tree].raw_left_cat_bitsets[nodes["bitset_idx"][node]])
        missing_left = bool(nodes["missing_go_to_left"][node])
        if missing_left:
            every = _codes(known[of_feature[nodes["feature_idx"][node]]])
            codes.append(np.setdiff1d(every, goes_left))
        else:
            codes.append(goes_left)
        numbers[node] = number
        left.append(not missing_left)
        starts.append(starts[-1] + len(codes[-1]))
    return {
        "category_set": numbers,
        "set_start": starts,
        "set_codes": np.concatenate(codes),
        "set_left": left,
    }


def _codes(bits: npt.NDArray[np.uint32]) -> Places:
    """Return the places of the bits that are set, in words of 32."""
    spread = np.asarray(bits, dtype="<u4").view(np.uint8)
    return np.flatnonzero(np.unpackbits(spread, bitorder="little"))

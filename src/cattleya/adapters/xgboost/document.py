"""What XGBoost saves of a model (JSON or UBJSON), field by field, checked as it is read.

The same document serves live models, which are asked for it, and files, so that a model is
explained the same way with and without the library. treelite would read these files as well, but
not those with categories, and its trees no longer say what was in the file. XGBoost's own
``dump_model`` rounds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya.model.tree.json_form import MOST_UNNAMED
from cattleya.support.arrays import Int32s
from cattleya.support.text import shown

__all__ = ["Saved", "SavedTree", "saved_model"]

MOST_FEATURES = 1 << 24
MOST_OUTPUTS = 1 << 16
LEAF = -1  # instead of a left child
BYTE = 255
SINGLE = 4  # bytes
Single = npt.NDArray[np.float32]


@dataclass(frozen=True)
class SavedTree:
    """The arrays of one tree, with one entry per node; children are numbers of its own nodes."""

    left: Int32s
    right: Int32s
    feature: Int32s
    condition: Single
    default_left: npt.NDArray[np.bool_]
    is_category: npt.NDArray[np.bool_]
    categories: Mapping[int, Int32s]
    vectors: Single | None


@dataclass(frozen=True)
class Saved:
    """A model as XGBoost saves it."""

    objective: str
    trees: Sequence[SavedTree]
    output_of_tree: Int32s
    weights: Single | None
    round_start: Int32s
    n_outputs: int
    n_features: int
    base_score: Single
    feature_names: tuple[str, ...] | None
    feature_types: tuple[str, ...] | None
    labels: Mapping[int, tuple[Any, ...]]
    best_iteration: int | None
    of_scikit_learn: bool
    is_classifier: bool
    version: tuple[int, ...]


def saved_model(document: Any) -> Saved:
    """Return what is in a document; ``ValueError`` says what is wrong with it."""
    learner = _entry(document, "learner", dict)
    booster = _entry(learner, "gradient_booster", dict)
    name, weights = _entry(booster, "name", str), None
    if name == "gblinear":
        raise ValueError(
            "it is a linear model (booster='gblinear') and has no trees; train with "
            "booster='gbtree'"
        )
    if name == "dart":
        weights, booster = booster.get("weight_drop"), _entry(booster, "gbtree", dict, booster)
    elif name != "gbtree":
        raise ValueError(f"its booster {shown(name)} is not known; train with booster='gbtree'")
    model = _entry(booster, "model", dict)
    weights = model.get("weight_drop", weights)
    said = _entry(learner, "learner_model_param", dict)
    n_features = _whole(said, "num_feature", MOST_FEATURES)
    n_outputs = max(
        _whole(said, "num_class", MOST_OUTPUTS, 0), _whole(said, "num_target", MOST_OUTPUTS, 1), 1
    )
    trees = [_tree(tree, n_features, n_outputs) for tree in _entry(model, "trees", list)]
    if not trees:
        raise ValueError("it has no trees: it was saved before it was trained")
    outputs = _ints(model, "tree_info", len(trees))
    if ((outputs < 0) | (outputs >= n_outputs)).any():
        raise ValueError(f"tree_info says to which of {n_outputs} outputs a tree adds, and errs")
    attributes = _entry(learner, "attributes", dict, {})
    best, kind = attributes.get("best_iteration"), attributes.get("scikit_learn")
    names = _texts(learner, "feature_names", n_features)
    if names is None and n_features > MOST_UNNAMED:
        raise ValueError(f"it has {n_features} columns without names; {MOST_UNNAMED} at most")
    types = _texts(learner, "feature_types", n_features)
    return Saved(
        objective=_entry(_entry(learner, "objective", dict), "name", str),
        trees=trees,
        output_of_tree=outputs,
        weights=None if weights is None else _weights(weights, len(trees)),
        round_start=_rounds(model, trees, n_outputs),
        n_outputs=n_outputs,
        n_features=n_features,
        base_score=_base_score(said, n_outputs),
        feature_names=names,
        feature_types=types,
        labels=_labels(model.get("cats"), n_features),
        best_iteration=None if best is None else _number_in(best, "best_iteration"),
        of_scikit_learn=isinstance(kind, str),
        is_classifier=isinstance(kind, str) and '"classifier"' in kind,
        version=tuple(_ints(document, "version").tolist()) if "version" in document else (),
    )


def _entry(within: Any, name: str, kind: type, otherwise: Any = None) -> Any:
    found = within.get(name, otherwise) if isinstance(within, dict) else None
    if not isinstance(found, kind):
        what = {"dict": "an object", "list": "a list", "str": "a text"}[kind.__name__]
        raise ValueError(f"it is no model that XGBoost saved: {name!r} must be {what}")
    return found


def _number_in(text: Any, name: str) -> int:
    try:
        return int(text)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must be a whole number, not {shown(text)}") from None


def _whole(said: dict[str, Any], name: str, most: int, otherwise: int | None = None) -> int:
    number = _number_in(said.get(name, otherwise), name)
    if not 0 <= number <= most:
        raise ValueError(f"{name} is {number}; it must be 0 to {most}")
    return number


def _base_score(said: dict[str, Any], n_outputs: int) -> Single:
    """Return the intercepts: one text in old files, a list in brackets in newer ones."""
    text = _entry(said, "base_score", str)
    try:
        numbers = np.array([float(part) for part in text.strip("[] ").split(",")])
    except ValueError:
        raise ValueError(f"base_score must be numbers, not {shown(text)}") from None
    if len(numbers) not in (1, n_outputs) or not np.isfinite(numbers).all():
        raise ValueError(f"base_score is {shown(text)}, but there are {n_outputs} outputs")
    return np.resize(_single(numbers, "base_score"), n_outputs)


def _weights(weights: Any, n_trees: int) -> Single:
    numbers = _array(weights, "weight_drop", "iuf")
    if len(numbers) > n_trees:
        raise ValueError(f"weight_drop has {len(numbers)} entries, but there are {n_trees} trees")
    found = np.ones(n_trees, dtype=np.float32)  # newer files leave out those at the end
    found[: len(numbers)] = _single(numbers, "weight_drop")
    return found


def _texts(learner: dict[str, Any], name: str, count: int) -> tuple[str, ...] | None:
    texts = learner.get(name)
    if texts is None or not len(texts):
        return None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"{name} must be a list of texts")
    if len(texts) != count:
        raise ValueError(f"{name} has {len(texts)} entries, but num_feature is {count}")
    return tuple(texts)


def _rounds(model: dict[str, Any], trees: Sequence[SavedTree], n_outputs: int) -> Int32s:
    """Return where each round of training starts, and the number of trees."""
    if "iteration_indptr" in model:
        starts = _ints(model, "iteration_indptr")
        ends = starts[:1].tolist() + starts[-1:].tolist()
        if ends != [0, len(trees)] or (np.diff(starts) <= 0).any():
            raise ValueError(f"iteration_indptr must ascend from 0 to {len(trees)}")
        return starts
    said = _entry(model, "gbtree_model_param", dict)
    parallel = _whole(said, "num_parallel_tree", 1 << 31, 1)
    a_round = max(parallel, 1) * (1 if trees[0].vectors is not None else n_outputs)
    if len(trees) % a_round:
        raise ValueError(f"it has {len(trees)} trees, which are not {a_round} per round")
    return np.arange(0, len(trees) + 1, a_round, dtype=np.int32)


def _labels(cats: Any, n_features: int) -> dict[int, tuple[Any, ...]]:
    """Return the categories by which a column of a frame was coded, where the file has them."""
    encoded = cats.get("enc") if isinstance(cats, dict) else None
    if not encoded:
        return {}
    if not isinstance(encoded, list) or len(encoded) != n_features:
        raise ValueError(
            f"cats has the categories of {shown(encoded)}, not of {n_features} columns"
        )
    found = {column: _labels_of(said) for column, said in enumerate(encoded)}
    return {column: labels for column, labels in found.items() if labels}


def _labels_of(said: Any) -> tuple[Any, ...]:
    """Return the categories of a column: numbers, or one text with offsets into it."""
    values = _array(said.get("values") if isinstance(said, dict) else None, "values", "iuf")
    if "offsets" not in said:
        return tuple(values.tolist())
    starts, content = _ints(said, "offsets").tolist(), values.astype(np.int64)
    if ((content < -128) | (content > BYTE)).any():  # noqa: PLR2004 - a signed byte
        raise ValueError("the categories of a column are no bytes of a text")
    if starts and (starts[0] or starts[-1] != len(content) or sorted(starts) != starts):
        raise ValueError("the offsets of the categories of a column are wrong")
    text = (content % (BYTE + 1)).astype(np.uint8).tobytes()
    try:
        return tuple(text[start:end].decode() for start, end in pairwise(starts))
    except UnicodeDecodeError:
        raise ValueError("a category is not UTF-8") from None


def _tree(tree: Any, n_features: int, n_outputs: int) -> SavedTree:
    left = _ints(tree, "left_children")
    count = len(left)
    if count == 0:
        raise ValueError("a tree has no nodes")
    if (least := int(left.min())) < LEAF:
        raise ValueError(f"a node has the left child {least}; a leaf has {LEAF}")
    right, feature = _ints(tree, "right_children", count), _ints(tree, "split_indices", count)
    vectors = None
    parameters = _entry(tree, "tree_param", dict)
    if _whole(parameters, "size_leaf_vector", MOST_OUTPUTS, 1) > 1:
        vectors = _vectors(tree, left, n_outputs)
    kinds = _ints(tree, "split_type", count) if "split_type" in tree else np.zeros(count, np.int32)
    is_category = (kinds == 1) & (left >= 0)
    return SavedTree(
        left=left,
        right=right,
        feature=feature,
        condition=_single(_of_length(tree, "split_conditions", "iuf", count), "split_conditions"),
        default_left=_of_length(tree, "default_left", "iub", count) != 0,
        is_category=is_category,
        categories=_categories(tree) if is_category.any() else {},
        vectors=vectors,
    )


def _vectors(tree: dict[str, Any], left: Int32s, n_outputs: int) -> Single:
    """Return one line per node of a tree whose leaves have a number for each output."""
    if "leaf_weights" in tree:  # of the leaves only, found by their right child
        leaves = np.flatnonzero(left < 0)
        lines = _of_length(tree, "leaf_weights", "iuf", len(leaves) * n_outputs)
        place = _ints(tree, "right_children", len(left))[leaves]
        if ((place < 0) | (place >= len(leaves))).any():
            raise ValueError("a leaf has no leaf_weights")
        found = np.zeros((len(left), n_outputs), dtype=np.float32)
        found[leaves] = _single(lines, "leaf_weights").reshape(-1, n_outputs)[place]
        return found
    lines = _of_length(tree, "base_weights", "iuf", len(left) * n_outputs)
    return _single(lines, "base_weights").reshape(-1, n_outputs)


def _categories(tree: dict[str, Any]) -> dict[int, Int32s]:
    nodes, codes = _ints(tree, "categories_nodes"), _ints(tree, "categories")
    starts = _ints(tree, "categories_segments", len(nodes))
    sizes = _ints(tree, "categories_sizes", len(nodes))
    found: dict[int, Int32s] = {}
    end = 0  # sets that share codes could be many more than the file has
    for node, start, size in zip(nodes.tolist(), starts.tolist(), sizes.tolist(), strict=True):
        if start != end or size < 0 or start + size > len(codes) or node in found:
            raise ValueError(f"the categories of node {node} are wrong")
        end = start + size
        found[node] = np.unique(codes[start:end])
    return found


def _array(values: Any, name: str, kinds: str) -> npt.NDArray[Any]:
    """Return a list of numbers as an array; an empty one has any kind."""
    try:
        array = np.asarray([] if values is None else values)
    except (TypeError, ValueError, OverflowError):
        array = np.asarray(name)
    if array.ndim != 1 or (array.size and array.dtype.kind not in kinds):
        raise ValueError(f"{name} must be a list of numbers, not {shown(values)}")
    return array


def _of_length(within: Any, name: str, kinds: str, count: int) -> npt.NDArray[Any]:
    if not isinstance(within, dict) or name not in within:
        raise ValueError(f"it is no model that XGBoost saved: {name!r} is not there")
    array = _array(within[name], name, kinds)
    if len(array) != count:
        raise ValueError(f"{name} has {len(array)} entries, not {count}")
    return array


def _ints(within: Any, name: str, count: int | None = None) -> Int32s:
    if not isinstance(within, dict) or name not in within:
        raise ValueError(f"it is no model that XGBoost saved: {name!r} is not there")
    array = _array(within[name], name, "iu")
    if count is not None and len(array) != count:
        raise ValueError(f"{name} has {len(array)} entries, not {count}")
    limits = np.iinfo(np.int32)
    fits = array.dtype.kind == "i" and array.dtype.itemsize <= limits.dtype.itemsize
    if not fits and array.size and (array.min() < limits.min or array.max() > limits.max):
        if name != "split_indices":  # of nodes that were pruned it is the largest there is
            raise ValueError(f"{name} has a number that is out of range")
        array = np.where(array > limits.max, -1, array)
    return np.ascontiguousarray(array, dtype=np.int32)


def _single(numbers: npt.NDArray[Any], name: str) -> Single:
    """Return numbers as the float32 numbers that they are.

    XGBoost writes the fewest digits that tell a float32 number from all others, and reads them as
    such. Read as float64 first, they are rounded twice, which makes a difference only if the
    float64 number is halfway between two of float32.
    """
    if numbers.dtype.kind == "f" and numbers.dtype.itemsize == SINGLE:
        return numbers.astype(np.float32)
    exact = np.asarray(numbers, dtype=np.float64)
    with np.errstate(over="ignore"):
        found = exact.astype(np.float32)
    if (np.isinf(found) & np.isfinite(exact)).any():
        raise ValueError(f"{name} has a number that is too large for float32")
    rounded = exact != found
    with np.errstate(invalid="ignore"):
        odd = exact[rounded] - found[rounded].astype(np.float64)
        gaps = np.nextafter(
            found[rounded], np.copysign(np.float32(math.inf), odd.astype(np.float32))
        )
        halfway = np.abs(odd) * 2 == np.abs(gaps.astype(np.float64) - found[rounded])
    if halfway.any():
        raise ValueError(
            f"{name} has a number halfway between two float32 numbers; save the model as .ubj"
        )
    return found

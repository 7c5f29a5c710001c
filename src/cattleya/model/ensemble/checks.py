"""What is asked of the parts of an ensemble before they become one."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from cattleya.model.ensemble.links import LINKS
from cattleya.model.tree.checks import (
    bool_array,
    check_features,
    check_labels,
    float_array,
    int_array,
    whole_number,
)
from cattleya.support.arrays import Floats
from cattleya.support.guards import is_real
from cattleya.support.text import quoted, shown

__all__ = [
    "checked_categories",
    "checked_decision",
    "checked_nodes",
    "checked_reading",
    "checked_sets",
    "checked_sum",
]

SUM_DTYPES = ("float64", "float32")
DECISIONS = ("largest", "threshold", "value")
READINGS = ("whole part", "zero is missing", "known labels")
TWO = 2


def checked_sets(set_start: Any, set_codes: Any, set_left: Any) -> dict[str, Any]:
    """Return the sets of categories."""
    start, codes = int_array("set_start", set_start), int_array("set_codes", set_codes)
    left = bool_array("set_left", set_left) if len(set_left) else np.empty(0, dtype=np.bool_)
    if len(start) != len(left) + 1:
        raise ValueError(
            f"set_start has {len(start)} entries and set_left {len(left)}; there must be one more "
            f"in set_start"
        )
    if start[0] != 0 or start[-1] != len(codes) or (np.diff(start) < 0).any():
        raise ValueError(f"set_start must ascend from 0 to {len(codes)}, the length of set_codes")
    if (codes < 0).any():
        raise ValueError(f"set_codes has {codes.min()}; codes of categories are 0, 1 and so on")
    inside = np.ones(len(codes), dtype=np.bool_)
    inside[start[:-1][start[:-1] < len(codes)]] = False  # the first of each set
    if wrong := np.flatnonzero(inside & (np.diff(codes, prepend=-1) <= 0)).tolist():
        raise ValueError(
            f"the codes of a set must ascend, but set_codes[{wrong[0]}] is {codes[wrong[0]]} "
            f"after {codes[wrong[0] - 1]}"
        )
    return {"set_start": start, "set_codes": codes, "set_left": left}


def checked_nodes(
    tree_start: Any,
    left: Any,
    right: Any,
    feature: Any,
    threshold: Any,
    missing_left: Any,
    category_set: Any,
    n_features: int,
    n_sets: int,
) -> dict[str, Any]:
    """Return the arrays of nodes, in one form where something is ignored; not yet their shape."""
    arrays: dict[str, Any] = {
        "left": int_array("left", left),
        "right": int_array("right", right),
        "feature": int_array("feature", feature),
        "threshold": float_array("threshold", threshold),
    }
    n_nodes = len(arrays["left"])
    if missing_left is not None:
        arrays["missing_left"] = bool_array("missing_left", missing_left)
    if category_set is None:
        arrays["category_set"] = np.full(n_nodes, -1, dtype=np.int32)
    else:
        arrays["category_set"] = int_array("category_set", category_set)
    lengths = {name: len(values) for name, values in arrays.items()}
    if len(set(lengths.values())) != 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"the arrays must be of one length, one entry per node: {told}")
    leaf = arrays["left"] < 0
    check_features(arrays["feature"], leaf, n_features)
    sets = arrays["category_set"]
    sets[leaf] = -1
    if ((sets < -1) | (sets >= n_sets)).any():
        node = int(np.flatnonzero((sets < -1) | (sets >= n_sets))[0])
        raise ValueError(
            f"node {node} tests the set of categories {sets[node]}, but there are {n_sets} sets"
        )
    ignored = leaf | (sets >= 0)
    arrays["threshold"][ignored] = 0.0
    arrays["threshold"] += 0.0  # which makes -0.0 zero: the same threshold
    if np.isnan(arrays["threshold"]).any():
        node = int(np.flatnonzero(np.isnan(arrays["threshold"]))[0])
        raise ValueError(f"node {node} has the threshold nan; thresholds must be numbers")
    arrays["feature"][leaf] = -1
    if missing_left is None:
        arrays["missing_left"] = None
    else:
        arrays["missing_left"][leaf] = False
    return {"tree_start": int_array("tree_start", tree_start)} | arrays


def checked_sum(
    value: Any,
    output_of_tree: Any,
    base: Any,
    divide_by: Any,
    scale: Any,
    offset: Any,
    sum_dtype: str,
    ordered_sum: bool,
    n_leaves: int,
    n_trees: int,
) -> dict[str, Any]:
    """Return what the leaves add, and how."""
    if sum_dtype not in SUM_DTYPES:
        raise ValueError(f"sum_dtype must be 'float32' or 'float64', not {shown(sum_dtype)}")
    if not isinstance(ordered_sum, bool):
        raise TypeError(f"ordered_sum must be True or False, not {shown(ordered_sum)}")
    parts: dict[str, Any] = {
        "sum_dtype": str(sum_dtype),
        "ordered_sum": ordered_sum,
        "base": float_array("base", base),
    }
    outputs = len(parts["base"])
    if outputs == 0:
        raise ValueError("base must have a number for each output, and there must be one output")
    parts["offset"] = np.zeros(outputs) if offset is None else float_array("offset", offset)
    if len(parts["offset"]) != outputs:
        raise ValueError(
            f"offset has {len(parts['offset'])} numbers, but there are {outputs} outputs"
        )
    parts["value"] = leaves = _leaf_values(value, n_leaves)
    one_each = output_of_tree is not None
    if leaves.shape[1] != (1 if one_each else outputs):
        raise ValueError(
            f"value has {leaves.shape[1]} numbers per leaf, but "
            + (
                "output_of_tree says that each leaf has 1"
                if one_each
                else f"there are {outputs} outputs; give output_of_tree where each tree adds to one"
            )
        )
    parts["output_of_tree"] = None
    if one_each:
        chosen = int_array("output_of_tree", output_of_tree)
        if len(chosen) != n_trees or ((chosen < 0) | (chosen >= outputs)).any():
            raise ValueError(
                f"output_of_tree must have one output for each of {n_trees} trees, from 0 to "
                f"{outputs - 1}"
            )
        parts["output_of_tree"] = None if outputs == 1 else chosen
    for name, number in (("divide_by", divide_by), ("scale", scale)):
        if not is_real(number):
            raise TypeError(f"{name} must be a number, not {shown(number)}")
        if not math.isfinite(number) or number == 0:
            raise ValueError(f"{name} is {shown(number)}; give a finite number that is not 0")
        parts[name] = float(number)
    _check_numbers(parts, np.dtype(sum_dtype))
    return parts


def _leaf_values(value: Any, n_leaves: int) -> Floats:
    array = np.asarray(value)
    if array.size == 0 and n_leaves == 0:
        array = np.zeros((0, array.shape[1] if array.ndim == TWO else 1))
    if array.dtype.kind not in "iuf":
        raise TypeError(f"value must hold numbers, but has dtype {array.dtype}")
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != TWO or len(array) != n_leaves:
        raise ValueError(
            f"value must have one line per leaf, for {n_leaves} leaves, not the shape {array.shape}"
        )
    return np.ascontiguousarray(array, dtype=np.float64) + 0.0


def _check_numbers(parts: dict[str, Any], grid: np.dtype[Any]) -> None:
    """Refuse numbers that are none, that the sum's type does not have, or whose sum overflows."""
    limit = np.finfo(grid).max
    for name in ("value", "base", "offset", "divide_by", "scale"):
        numbers = np.asarray(parts[name])
        if not np.isfinite(numbers).all():
            odd = numbers[~np.isfinite(numbers)][0]
            raise ValueError(f"{name} has {odd}; the numbers of an ensemble must be finite")
        with np.errstate(over="ignore"):
            rounded = numbers.astype(grid)
        if (rounded != numbers).any():
            odd = numbers[rounded != numbers][0]
            raise ValueError(f"{name} has {odd!r}, which is no {grid} number, as sum_dtype says")
    # At most one leaf of each tree is added; all of them are a bound that is soon computed.
    with np.errstate(over="ignore"):
        total = np.abs(parts["value"]).sum() + np.abs(parts["base"]).max()
        total = (total / abs(parts["divide_by"]) + total) * max(abs(parts["scale"]), 1.0)
        total += np.abs(parts["offset"]).max()
    if not total < limit:
        raise ValueError(
            f"the numbers of the ensemble add up to {total}, more than {grid} can hold"
        )


def checked_decision(
    decision: Any,
    cut: Any,
    link: Any,
    link_scale: Any,
    by_probability: Any,
    class_names: Sequence[Hashable] | None,
    outputs: int,
    sum_dtype: str,
) -> dict[str, Any]:
    """Return how the sum decides."""
    if decision not in DECISIONS:
        raise ValueError(f"decision must be one of {quoted(DECISIONS)}, not {shown(decision)}")
    if not isinstance(link, str) or link not in LINKS:
        raise ValueError(f"link must be one of {quoted(sorted(LINKS))}, not {shown(link)}")
    if not is_real(cut):
        raise TypeError(f"cut must be a number, not {shown(cut)}")
    if not math.isfinite(cut) or float(np.dtype(sum_dtype).type(cut)) != float(cut):
        raise ValueError(f"cut is {shown(cut)}, which is no finite {sum_dtype} number")
    _check_link(decision, link, link_scale, by_probability)
    classes = None
    if decision == "value":
        if class_names is not None:
            raise ValueError(
                "class_names were given, but the decision is 'value': leave them out, or say how "
                "the class is decided"
            )
    else:
        needed = TWO if decision == "threshold" else outputs
        classes = check_labels(range(needed) if class_names is None else class_names)
        if len(classes) != needed or (decision == "threshold" and outputs != 1):
            raise ValueError(
                f"the decision {decision!r} does not fit {len(classes)} classes and {outputs} "
                f"outputs: 'largest' has one output per class, 'threshold' one for two classes"
            )
    if LINKS[link].of_classes is not None and LINKS[link].of_classes != (classes is not None):
        raise ValueError(f"the link {link!r} does not fit the decision {decision!r}")
    return {
        "decision": str(decision),
        "cut": float(cut) + 0.0,
        "link": str(link),
        "link_scale": float(link_scale),
        "by_probability": by_probability,
        "class_names": classes,
    }


def _check_link(decision: str, link: str, link_scale: Any, by_probability: Any) -> None:
    if not is_real(link_scale):
        raise TypeError(f"link_scale must be a number, not {shown(link_scale)}")
    if not math.isfinite(link_scale) or link_scale <= 0:
        raise ValueError(f"link_scale is {shown(link_scale)}; give a finite number above 0")
    if not isinstance(by_probability, bool):
        raise TypeError(f"by_probability must be True or False, not {shown(by_probability)}")
    if by_probability and (decision != "largest" or LINKS[link].of_classes is False):
        raise ValueError("by_probability needs the decision 'largest', and a link to probabilities")


def checked_categories(
    categories: Mapping[int, Sequence[Hashable]] | None, n_features: int
) -> Mapping[int, tuple[Hashable, ...]]:
    """Return the labels of the features whose values are labels."""
    checked: dict[int, tuple[Hashable, ...]] = {}
    for feature, labels in sorted((categories or {}).items()):
        if whole_number("a feature with categories", feature) >= n_features:
            raise ValueError(
                f"feature {feature} with categories is not there; n_features is {n_features}"
            )
        checked[int(feature)] = check_labels(labels)
    return MappingProxyType(checked)


def checked_reading(reading: Mapping[int, str] | None, n_features: int) -> Mapping[int, str]:
    """Return how the values of some features are read."""
    checked: dict[int, str] = {}
    for feature, how in sorted((reading or {}).items()):
        if whole_number("a feature that is read in a way", feature) >= n_features:
            raise ValueError(f"feature {feature} of reading is not there; there are {n_features}")
        if how not in READINGS:
            raise ValueError(f"reading must be one of {quoted(READINGS)}, not {shown(how)}")
        checked[int(feature)] = str(how)
    return MappingProxyType(checked)

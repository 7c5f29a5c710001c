"""A tree as a JSON text, with a version, and back; nothing in the text is trusted."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cattleya.tree import Tree

__all__ = ["arrays_from_json", "tree_to_json"]

FORMAT = "cattleya-tree"
VERSION = 1

_INT_LISTS = ("left", "right", "feature", "leaf_class")
_KEYS = {
    *_INT_LISTS,
    "format",
    "version",
    "threshold",
    "n_features",
    "feature_names",
    "class_names",
    "missing_left",
    "boolean",
    "row_dtype",
}


def tree_to_json(tree: Tree) -> str:
    """Write a tree; class labels must be text, numbers or booleans."""
    for label in tree.class_names:
        if not isinstance(label, (str, bool, int, float)):
            raise TypeError(
                f"the class label {label!r} ({type(label).__name__}) cannot be written as JSON; "
                f"use text, numbers or booleans as class_names"
            )
        if isinstance(label, float) and not math.isfinite(label):
            raise ValueError(f"the class label {label!r} cannot be written as JSON")
    missing = tree.missing_left
    # JSON has no infinity: the threshold that splits off what is missing is written as text.
    threshold = [value if math.isfinite(value) else "inf" for value in tree.threshold.tolist()]
    return json.dumps(
        {
            "format": FORMAT,
            "version": VERSION,
            "left": tree.left.tolist(),
            "right": tree.right.tolist(),
            "feature": tree.feature.tolist(),
            "threshold": threshold,
            "leaf_class": tree.leaf_class.tolist(),
            "n_features": tree.n_features,
            "feature_names": list(tree.feature_names) if tree.has_names else None,
            "class_names": list(tree.class_names),
            "missing_left": None if missing is None else missing.tolist(),
            "boolean": list(tree.boolean),
            "row_dtype": tree.row_dtype,
        },
        allow_nan=False,
    )


def arrays_from_json(text: str) -> dict[str, Any]:
    """Return the arguments of ``Tree``; ``ValueError`` says what is wrong with the text."""
    if not isinstance(text, str):
        raise TypeError(f"a tree is read from a text, not from {type(text).__name__}")
    try:
        data = json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_refuse_constant)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"this is not a tree in JSON: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f'this JSON is not a tree of ours: it has no "format": "{FORMAT}"')
    if type(data.get("version")) is not int or data["version"] != VERSION:
        raise ValueError(
            f"the tree has version {data.get('version')!r}; this library reads version {VERSION}"
        )
    if absent := sorted(_KEYS - data.keys()):
        raise ValueError(f"the tree lacks {', '.join(map(repr, absent))}")
    if unknown := sorted(data.keys() - _KEYS):
        raise ValueError(f"the tree has unknown entries: {', '.join(map(repr, unknown))}")
    del data["format"], data["version"]

    for key in (*_INT_LISTS, "boolean"):
        _check_list(key, data[key], (int,), "a whole number")
    _check_list("class_names", data["class_names"], (str, bool, int, float), "a label")
    if data["feature_names"] is not None:
        _check_list("feature_names", data["feature_names"], (str,), "text")
    if data["missing_left"] is not None:
        _check_list("missing_left", data["missing_left"], (bool,), "true or false")
    if type(data["n_features"]) is not int:
        raise ValueError(f"n_features must be a whole number, not {data['n_features']!r}")
    if not isinstance(data["threshold"], list):
        raise ValueError("threshold must be a list")
    threshold = [math.inf if value == "inf" else value for value in data["threshold"]]
    _check_list("threshold", threshold, (int, float), "a number")
    data["threshold"] = [_as_float(value) for value in threshold]
    return data


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ValueError("a threshold is too large for a floating point number") from None


def _check_list(key: str, values: Any, types: tuple[type, ...], what: str) -> None:
    if not isinstance(values, list):
        raise ValueError(f"{key} must be a list, not {type(values).__name__}")
    for place, value in enumerate(values):
        # type(), not isinstance(): true is not the number 1 here.
        if type(value) not in types:
            raise ValueError(f"{key}[{place}] must be {what}, not {value!r}")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("this is not a tree in JSON: a key is there twice")
    return result


def _refuse_constant(name: str) -> float:
    raise ValueError(f"this is not a tree in JSON: {name} is not a JSON number")

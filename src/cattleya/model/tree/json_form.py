"""A tree as a JSON text, with a version, and back; nothing in the text is trusted."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from cattleya.support.arrays import Numbers
from cattleya.support.json_nesting import blocks_of, check_nesting
from cattleya.support.text import quoted, shown

__all__ = ["DEPTH", "arrays_from_json", "json_from_arrays", "no_duplicates", "refuse_constant"]

FORMAT = "cattleya-tree"
VERSION = 1
WITH_NUMBERS = 2  # the version of a tree that has numbers at its leaves
DEPTH = 2  # an object of lists: deeper ones take twenty times their text as objects
MOST_UNNAMED = 1 << 20  # features: a few bytes must not ask for the memory of a billion names

_UNNAMED = f"the tree has {{}} features without names; name them, or have at most {MOST_UNNAMED}"
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
_NUMBERS = ("leaf_value", "leaf_probability")
_KEYS_OF = {VERSION: _KEYS, WITH_NUMBERS: {*_KEYS, *_NUMBERS, "number_dtype"}}
_DTYPES = ("float32", "float64")


def json_from_arrays(tree: Mapping[str, Any]) -> str:
    """Write what a tree is made of; class labels must be text, numbers or booleans."""
    classes = tree["class_names"]
    for label in classes or ():
        if not isinstance(label, (str, bool, int, float)):
            raise TypeError(
                f"the class label {shown(label)} ({type(label).__name__}) cannot be written as "
                f"JSON; use text, numbers or booleans as class_names"
            )
        if isinstance(label, float) and not math.isfinite(label):
            raise ValueError(
                f"the class label {label!r} cannot be written as JSON; use text or finite numbers"
            )
    names, missing = tree["feature_names"], tree["missing_left"]
    if names is None and tree["n_features"] > MOST_UNNAMED:
        raise ValueError(_UNNAMED.format(tree["n_features"]))
    numbers = {name: tree[name] for name in _NUMBERS}
    given = [array for array in numbers.values() if array is not None]
    more: dict[str, Any] = {}
    if given:
        more = {name: None if a is None else a.ravel().tolist() for name, a in numbers.items()}
        more["number_dtype"] = given[0].dtype.name
    leaf_class = tree["leaf_class"]
    return json.dumps(
        {
            "format": FORMAT,
            "version": WITH_NUMBERS if given else VERSION,
            "left": tree["left"].tolist(),
            "right": tree["right"].tolist(),
            "feature": tree["feature"].tolist(),
            # JSON has no infinity: the threshold that splits off what is missing is text.
            "threshold": [t if math.isfinite(t) else "inf" for t in tree["threshold"].tolist()],
            "leaf_class": None if leaf_class is None else leaf_class.tolist(),
            "n_features": tree["n_features"],
            "feature_names": None if names is None else list(names),
            "class_names": None if classes is None else list(classes),
            "missing_left": None if missing is None else missing.tolist(),
            "boolean": list(tree["boolean"]),
            "row_dtype": tree["row_dtype"],
            **more,
        },
        allow_nan=False,
    )


def _decoded(text: Any) -> dict[str, Any]:
    """Return the entries of a tree, all of them and no other; what is in them is not looked at."""
    if not isinstance(text, str):
        raise TypeError(
            f"a tree is read from a text that Tree.to_json wrote, not from {shown(text)}, a "
            f"{type(text).__name__}"
        )
    try:
        check_nesting(blocks_of(text), DEPTH)
        data = json.loads(text, object_pairs_hook=no_duplicates, parse_constant=refuse_constant)
    except ValueError as error:
        raise ValueError(f"this is not JSON that Tree.to_json wrote: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(
            f'this JSON is not a tree that Tree.to_json wrote: it has no "format": "{FORMAT}"'
        )
    version = data.get("version")
    if type(version) is not int or version not in _KEYS_OF:
        raise ValueError(
            f"the tree has version {shown(version)}; this library reads version {VERSION} and "
            f"{WITH_NUMBERS}"
        )
    keys = _KEYS_OF[version]
    if absent := sorted(keys - data.keys()):
        raise ValueError(f"the tree lacks {quoted(absent)}; write it again with Tree.to_json")
    if unknown := sorted(data.keys() - keys):
        raise ValueError(f"the tree has unknown entries: {quoted(unknown)}; remove them")
    del data["format"], data["version"]
    return data


def arrays_from_json(text: str) -> dict[str, Any]:
    """Return the arguments of ``Tree``; ``ValueError`` says what is wrong with the text."""
    data = _decoded(text)
    predicts_numbers = data.get("leaf_value") is not None
    for key in (*_INT_LISTS, "boolean"):
        if not (predicts_numbers and key == "leaf_class"):
            _check_list(key, data[key], (int,), "a whole number")
    if predicts_numbers and not data["leaf_class"] is data["class_names"] is None:
        raise ValueError("a tree with leaf_value has neither leaf_class nor class_names: give null")
    if not predicts_numbers:
        _check_list("class_names", data["class_names"], (str, bool, int, float), "a label")
    for label in data["class_names"] or ():
        if isinstance(label, float) and not math.isfinite(label):
            raise ValueError(f"class_names has {label!r}; a label is text or a finite number")
    if data["feature_names"] is not None:
        _check_list("feature_names", data["feature_names"], (str,), "text")
    if data["missing_left"] is not None:
        _check_list("missing_left", data["missing_left"], (bool,), "true or false")
    if type(data["n_features"]) is not int:
        raise ValueError(f"n_features must be a whole number, not {shown(data['n_features'])}")
    if data["feature_names"] is None and data["n_features"] > MOST_UNNAMED:
        raise ValueError(_UNNAMED.format(shown(data["n_features"])))
    if not isinstance(data["threshold"], list):
        raise ValueError(f"threshold must be a list, not {shown(data['threshold'])}")
    threshold = [math.inf if value == "inf" else value for value in data["threshold"]]
    _check_list("threshold", threshold, (int, float), "a number")
    data["threshold"] = [_as_float(value) for value in threshold]
    return data | _numbers(data)


def _numbers(data: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers at the leaves as arrays."""
    if "number_dtype" not in data:
        return {}
    dtype = data.pop("number_dtype")
    if dtype not in _DTYPES:
        raise ValueError(f"number_dtype must be 'float32' or 'float64', not {shown(dtype)}")
    value, probability = (data[name] for name in _NUMBERS)
    if value is not None:
        _check_list("leaf_value", value, (int, float), "a number")
        value = _exactly("leaf_value", value, dtype)
    if probability is not None:
        _check_list("leaf_probability", probability, (int, float), "a number")
        shape = len(data["left"]), len(data["class_names"] or ())
        if len(probability) != math.prod(shape):
            raise ValueError(
                f"leaf_probability must have a number for every node and class, one node after the "
                f"other: {math.prod(shape)} in all, not {len(probability)}"
            )
        probability = _exactly("leaf_probability", probability, dtype).reshape(shape)
    return dict(zip(_NUMBERS, (value, probability), strict=True))


def _exactly(name: str, values: list[Any], dtype: str) -> Numbers:
    """Return numbers in as many bits as they had; refuse some that have more."""
    try:
        exact = np.array(values, dtype=np.float64)
    except OverflowError:
        raise ValueError(f"{name} has a number that is too large; correct it") from None
    with np.errstate(over="ignore"):
        found: Numbers = exact.astype(np.dtype(dtype))
    if not np.array_equal(found, exact):
        raise ValueError(f"{name} has numbers of more than 32 bits; give number_dtype float64")
    return found


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ValueError(
            f"the threshold {shown(value)} is too large for a floating point number; correct it"
        ) from None


def _check_list(key: str, values: Any, types: tuple[type, ...], what: str) -> None:
    if not isinstance(values, list):
        raise ValueError(f"{key} must be a list, not {shown(values)}")
    for place, value in enumerate(values):
        # type(), not isinstance(): true is not the number 1 here.
        if type(value) not in types:
            raise ValueError(f"{key}[{place}] must be {what}, not {shown(value)}")


def no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object with a key twice, of which a parser would take the last."""
    result = dict(pairs)
    if len(result) != len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise ValueError(f"the key {shown(twice)} is there twice")
    return result


def refuse_constant(name: str) -> float:
    """Refuse NaN and Infinity, which Python would read."""
    raise ValueError(f"{name} is not a JSON number")

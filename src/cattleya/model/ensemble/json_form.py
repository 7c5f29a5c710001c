"""An ensemble as a JSON text, with a version, and back; nothing in the text is trusted.

Arrays are written as base64 of their little-endian bytes, in pieces: a list of a million numbers
would take four times the room, and a hundred times the time. Base64 stands for fewer bytes than it
has, so that a text never unpacks to more than it is; every number is then checked like any other.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya.model.tree.json_form import MOST_UNNAMED, no_duplicates, refuse_constant
from cattleya.support.json_nesting import blocks_of, check_nesting
from cattleya.support.text import quoted, shown

__all__ = ["FORMAT", "arguments_from_json", "json_from_arguments"]

FORMAT = "cattleya-ensemble"
VERSION = 1
DEPTH = 2  # an object of lists: deeper ones take twenty times their text as objects
PIECE = 3 << 13  # bytes: a third more as base64, well below the longest text that is read

_ARRAYS = {
    "tree_start": "<i4",
    "left": "<i4",
    "right": "<i4",
    "feature": "<i4",
    "threshold": "<f8",
    "value": "<f8",
    "missing_left": "u1",
    "category_set": "<i4",
    "set_start": "<i4",
    "set_codes": "<i4",
    "set_left": "u1",
    "output_of_tree": "<i4",
    "base": "<f8",
    "offset": "<f8",
}
_MAY_BE_NULL = {"missing_left", "output_of_tree", "category_set", "feature_names", "class_names"}
_NUMBERS = {"divide_by", "scale", "cut", "link_scale"}
_TEXTS = {"sum_dtype", "decision", "link", "row_dtype"}
_TRUTHS = {"ordered_sum", "takes_infinite", "by_probability"}
_KEYS = {
    *_ARRAYS,
    *_NUMBERS,
    *_TEXTS,
    *_TRUTHS,
    "format",
    "version",
    "n_features",
    "feature_names",
    "class_names",
    "missing_value",
    "categories",
    "reading",
}
_LABEL_TYPES = (str, bool, int, float)


def json_from_arguments(ensemble: Mapping[str, Any]) -> str:
    """Write what an ensemble is made of; labels must be text, numbers or booleans."""
    if ensemble["feature_names"] is None and ensemble["n_features"] > MOST_UNNAMED:
        raise ValueError(
            f"the ensemble has {ensemble['n_features']} features without names; name them, or "
            f"have at most {MOST_UNNAMED}"
        )
    form: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    form |= {name: ensemble[name] for name in ("n_features", *_NUMBERS, *_TEXTS, *_TRUTHS)}
    names, missing = ensemble["feature_names"], ensemble["missing_value"]
    form["feature_names"] = None if names is None else list(names)
    form["class_names"] = _labels_out(ensemble["class_names"], "class label")
    form["missing_value"] = None if math.isnan(missing) else _number_out(missing)
    form["categories"] = [
        one
        for feature, labels in ensemble["categories"].items()
        for one in (feature, len(labels), *(_labels_out(labels, "category") or ()))
    ]
    form["reading"] = [one for pair in ensemble["reading"].items() for one in pair]
    for name, dtype in _ARRAYS.items():
        array = ensemble[name]
        if name == "category_set" and (array < 0).all():
            array = None
        form[name] = None if array is None else _pieces(array, dtype)
    return json.dumps(form, allow_nan=False)


def arguments_from_json(text: str) -> dict[str, Any]:
    """Return the arguments of ``Ensemble``; ``ValueError`` says what is wrong with the text."""
    data = _decoded(text)
    for name, dtype in _ARRAYS.items():
        if data[name] is None and name in _MAY_BE_NULL:
            continue
        data[name] = _array(name, data[name], dtype)
    bases, leaves = len(data["base"]), len(data["value"])
    width = 1 if data["output_of_tree"] is not None else max(bases, 1)
    if leaves % width:
        raise ValueError(f"value has {leaves} numbers, which are not {width} per leaf")
    data["value"] = data["value"].reshape(-1, width)
    for name in _NUMBERS:
        data[name] = _number(name, data[name])
    missing = data["missing_value"]
    data["missing_value"] = math.nan if missing is None else _number("missing_value", missing)
    for name in _TEXTS:
        if type(data[name]) is not str:
            raise ValueError(f"{name} must be text, not {shown(data[name])}")
    for name in _TRUTHS:
        if type(data[name]) is not bool:
            raise ValueError(f"{name} must be true or false, not {shown(data[name])}")
    if type(data["n_features"]) is not int:
        raise ValueError(f"n_features must be a whole number, not {shown(data['n_features'])}")
    if data["feature_names"] is None and data["n_features"] > MOST_UNNAMED:
        raise ValueError(
            f"the ensemble has {shown(data['n_features'])} features without names; name them"
        )
    if data["feature_names"] is not None:
        _list_of("feature_names", data["feature_names"], (str,), "text")
    if data["class_names"] is not None:
        data["class_names"] = _labels_in("class_names", data["class_names"])
    data["categories"] = _categories(data["categories"])
    data["reading"] = _reading(data["reading"])
    return data


def _decoded(text: Any) -> dict[str, Any]:
    """Return the entries of an ensemble, all of them and no other; not yet what is in them."""
    if not isinstance(text, str):
        raise TypeError(
            f"an ensemble is read from a text that Ensemble.to_json wrote, not from {shown(text)}, "
            f"a {type(text).__name__}"
        )
    try:
        check_nesting(blocks_of(text), DEPTH)
        data = json.loads(text, object_pairs_hook=no_duplicates, parse_constant=refuse_constant)
    except ValueError as error:
        raise ValueError(f"this is not JSON that Ensemble.to_json wrote: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(
            f'this JSON is not an ensemble that Ensemble.to_json wrote: it has no "format": '
            f'"{FORMAT}"'
        )
    if type(data.get("version")) is not int or data["version"] != VERSION:
        raise ValueError(
            f"the ensemble has version {shown(data.get('version'))}; this library reads version "
            f"{VERSION}"
        )
    if absent := sorted(_KEYS - data.keys()):
        raise ValueError(
            f"the ensemble lacks {quoted(absent)}; write it again with Ensemble.to_json"
        )
    if unknown := sorted(data.keys() - _KEYS):
        raise ValueError(f"the ensemble has unknown entries: {quoted(unknown)}; remove them")
    del data["format"], data["version"]
    return data


def _pieces(array: npt.NDArray[Any], dtype: str) -> list[str]:
    content = np.ascontiguousarray(array, dtype=dtype).tobytes()
    return [
        base64.b64encode(content[at : at + PIECE]).decode() for at in range(0, len(content), PIECE)
    ]


def _array(name: str, pieces: Any, dtype: str) -> npt.NDArray[Any]:
    _list_of(name, pieces, (str,), "base64")
    try:
        content = b"".join(base64.b64decode(piece, validate=True) for piece in pieces)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"{name} is not base64: {error}") from None
    size = np.dtype(dtype).itemsize
    if len(content) % size:
        raise ValueError(f"{name} has {len(content)} bytes, which are not {size} per number")
    return np.frombuffer(content, dtype=dtype)


def _number(name: str, value: Any) -> float:
    if value in ("inf", "-inf"):
        return float(value)
    if type(value) not in (int, float):
        raise ValueError(f"{name} must be a number, not {shown(value)}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is {shown(value)}, which is too large") from None


def _number_out(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def _labels_out(labels: Any, what: str) -> list[Any] | None:
    if labels is None:
        return None
    for label in labels:
        if type(label) not in _LABEL_TYPES:
            raise TypeError(
                f"the {what} {shown(label)} ({type(label).__name__}) cannot be written as JSON; "
                f"use text, numbers or booleans"
            )
        if isinstance(label, float) and not math.isfinite(label):
            raise ValueError(
                f"the {what} {label!r} cannot be written as JSON; use text or finite numbers"
            )
    return list(labels)


def _labels_in(name: str, labels: Any) -> list[Any]:
    _list_of(name, labels, _LABEL_TYPES, "a label")
    for label in labels:
        if isinstance(label, float) and not math.isfinite(label):
            raise ValueError(f"{name} has {label!r}; a label is text or a finite number")
    return list(labels)


def _reading(entries: Any) -> dict[int, str]:
    """Return how features are read, from a feature, how it is read, and so on."""
    _list_of("reading", entries, (int, str), "a feature or how it is read")
    features, ways = entries[::2], entries[1::2]
    whole = len(features) == len(ways) == len(set(features))
    if not whole or any(type(f) is not int for f in features):
        raise ValueError(
            f"reading has {shown(entries)}; give each feature once, with how it is read"
        )
    if odd := [way for way in ways if type(way) is not str]:
        raise ValueError(
            f"reading has {shown(odd[0])}; give each feature once, with how it is read"
        )
    return dict(zip(features, ways, strict=True))


def _categories(entries: Any) -> dict[int, list[Any]]:
    """Return the labels of features, from a feature, how many it has, the labels, and so on."""
    labels = _labels_in("categories", entries)
    found: dict[int, list[Any]] = {}
    at = 0
    while at < len(labels):
        feature, count = labels[at], labels[at + 1] if at + 1 < len(labels) else None
        if type(feature) is not int or type(count) is not int or count < 0 or feature in found:
            raise ValueError(
                f"categories has {shown(feature)}, {shown(count)}; give each feature once, with "
                f"how many labels follow"
            )
        found[feature] = labels[at + 2 : at + 2 + count]
        at += 2 + count
    if at != len(labels):
        raise ValueError(f"categories lacks {at - len(labels)} labels at its end")
    return found


def _list_of(name: str, values: Any, types: tuple[type, ...], what: str) -> None:
    if not isinstance(values, list):
        raise ValueError(f"{name} must be a list, not {shown(values)}")
    for place, value in enumerate(values):
        if type(value) not in types:
            raise ValueError(f"{name}[{place}] must be {what}, not {shown(value)}")

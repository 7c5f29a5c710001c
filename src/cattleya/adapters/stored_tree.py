"""A single tree of scikit-learn in a ``.skops`` file, read without skops and without scikit-learn.

To import both takes longer than everything else that a command does. Such a file is an archive: a
description, and the arrays of the tree, which say what it decides. What is not plainly that, in
every part, is not read here but by skops, which also says what is wrong with it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from io import BytesIO
from types import SimpleNamespace
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np

__all__ = ["StoredTree", "stored_tree"]

MODULE = "sklearn.tree._classes"
CLASSIFIERS = ("DecisionTreeClassifier", "ExtraTreeClassifier")
REGRESSORS = ("DecisionTreeRegressor", "ExtraTreeRegressor")
NODE = {
    "children_left": "left_child",
    "children_right": "right_child",
    "feature": "feature",
    "threshold": "threshold",
    "n_node_samples": "n_node_samples",
    "missing_go_to_left": "missing_go_to_left",
}


class _Other(Exception):
    """Something that is not plainly a part of such a file."""


class StoredTree:
    """A fitted tree of scikit-learn as its file has it; ``load`` gives the model itself.

    That is asked only whether it takes rows with missing values, which depends on the release.
    """

    def __init__(self, parts: dict[str, Any], load: Callable[[], Any]) -> None:
        vars(self).update(parts)
        self._load = load

    @cached_property
    def model(self) -> Any:
        """scikit-learn's own model, without the names that it would ask matrices for."""
        found = self._load()
        vars(found).pop("feature_names_in_", None)
        return found

    def apply(self, X: Any) -> Any:
        """Return the leaves of rows; what the model does not take, it refuses."""
        return self.model.apply(X)


def stored_tree(content: bytes, load: Callable[[], Any]) -> StoredTree | None:
    """Return the tree in a file, or None where it has to be read by skops."""
    try:
        with ZipFile(BytesIO(content)) as archive:
            return StoredTree(_parts(archive), load)
    except (_Other, BadZipFile, KeyError, ValueError, TypeError, EOFError, OSError):
        return None


def _parts(archive: ZipFile) -> dict[str, Any]:
    root = json.loads(archive.read("schema.json"))
    kind = root["__class__"]
    _need(root["__loader__"] == "ObjectNode" and root["__module__"] == MODULE)
    _need(kind in (*CLASSIFIERS, *REGRESSORS) and root["content"]["__loader__"] == "DictNode")
    given = dict(root["content"]["content"])
    native = given.pop("tree_")
    parts = {name: _value(archive, one) for name, one in given.items()}
    _need(all(type(name) is str and not hasattr(StoredTree, name) for name in parts))
    _need(parts["n_outputs_"] == 1 and ("classes_" in parts) == (kind in CLASSIFIERS))
    _need(type(parts["n_features_in_"]) is int)
    names = parts.get("feature_names_in_")
    _need(names is None or np.shape(names) == (parts["n_features_in_"],))
    parts["tree_"] = _tree(archive, native, parts)
    return parts


def _tree(archive: ZipFile, native: dict[str, Any], parts: dict[str, Any]) -> SimpleNamespace:
    """Return the arrays of the tree, as its native class gives them."""
    _need((native["__module__"], native["__class__"]) == ("sklearn.tree._tree", "Tree"))
    n_features, n_classes, n_outputs = (
        _value(archive, one) for one in native["__reduce__"]["args"]["content"]
    )
    state = native["content"]["content"]
    count, nodes, values = (
        _value(archive, state[key]) for key in ("node_count", "nodes", "values")
    )
    _need(n_outputs == 1 and n_features == parts["n_features_in_"])
    of_each = len(parts["classes_"]) if "classes_" in parts else 1
    _need(np.array_equal(n_classes, [of_each]) and np.ndim(parts.get("classes_", [])) == 1)
    _need(nodes.shape == (count,) and values.shape == (count, 1, of_each))
    _need(values.dtype == np.float64 and nodes.dtype["threshold"] == np.float64)
    arrays = {own: np.ascontiguousarray(nodes[theirs]) for own, theirs in NODE.items()}
    return SimpleNamespace(
        **arrays, value=values, node_count=count, capacity=count, n_features=n_features
    )


def _value(archive: ZipFile, part: dict[str, Any]) -> Any:
    """Return a number, a text or an array; nothing else is read here."""
    loader, kind = part["__loader__"], (part["__module__"], part["__class__"])
    if loader == "JsonNode":
        _need(kind == ("builtins", "str") and part["is_json"] is True)
        found = json.loads(part["content"])
        _need(found is None or isinstance(found, (bool, int, float, str)))
        return found
    _need(loader == "NdArrayNode" and kind[0] == "numpy")
    if part["type"] == "json":
        _need(kind[1] == "ndarray")
        made = [_value(archive, one) for one in part["content"]]
        _need([_value(archive, one) for one in part["shape"]["content"]] == [len(made)])
        array = np.empty(len(made), dtype=object)
        array[:] = made
        return array
    _need(part["type"] == "numpy")
    array = np.load(BytesIO(archive.read(part["file"])), allow_pickle=False)
    if kind[1] == "ndarray":
        return array
    _need(array.ndim == 0 and array.dtype.name == kind[1])
    return array.item()


def _need(holds: bool) -> None:
    if not holds:
        raise _Other

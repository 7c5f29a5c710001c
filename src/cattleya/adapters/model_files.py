"""Models in files: ``.skops``, our own ``.json``, and pickles for those who trust them.

Nothing in a file is trusted. A ``.skops`` file is loaded only if it holds types that are known to
be safe. scikit-learn's native tree is not one of them for skops, because its node numbers are used
unchecked; here they are checked before anything uses them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from cattleya._core import check_shape
from cattleya.adapters.skops_schema import check_references
from cattleya.model.tree.json_form import DEPTH
from cattleya.model.tree.tree import Tree
from cattleya.support.files.errors import one_line
from cattleya.support.files.unpacking import blocks_within, check_archive
from cattleya.support.json_nesting import check_nesting
from cattleya.support.text import shown

__all__ = ["ModelFileError", "read_model", "write_model"]

SKOPS = ".skops"
PICKLES = (".joblib", ".pkl", ".pickle")
NATIVE_TREE = "sklearn.tree._tree.Tree"
# Unknown to skops, but harmless, and in what everybody has: every imputer has a dtype, which numpy
# reads from an empty array; column transformers of scikit-learn 1.6 have a list of their own.
KNOWN_HERE = {
    NATIVE_TREE,
    "numpy.dtype",
    "sklearn.compose._column_transformer._RemainderColsList",
}
LARGEST, LARGEST_JSON = 1 << 30, 1 << 27  # bytes: of JSON, a tree of two million nodes
TYPES_SHOWN = 10
LONGEST_TOLD = 500


class ModelFileError(ValueError):
    """A model file that cannot be used, and why."""


def read_model(path: str | os.PathLike[str], *, trust: bool = False) -> Any:
    """Return the model in a file: a :class:`cattleya.Tree`, or what the file holds.

    Parameters
    ----------
    path : path of a ``.skops``, ``.json``, ``.joblib`` or ``.pkl`` file
        The format is told by the ending.
    trust : bool
        Whether the file may run code: pickles always can, and types unknown to skops might.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix in PICKLES and not trust:
        raise ModelFileError(
            f"{str(path)!r} is a pickle, which can run any code when it is loaded; save the model "
            f"with skops.io.dump(model, {path.stem + SKOPS!r}), or give --trust if you trust it"
        )
    if suffix not in (SKOPS, ".json", *PICKLES):
        raise ModelFileError(
            f"{str(path)!r} is not a model: its name must end in .skops, .json, .joblib or .pkl"
        )
    try:
        if suffix == ".json" and path.is_file():  # a pipe can be read only once
            _check_flat(path)
        content = b"".join(blocks_within(path, LARGEST_JSON if suffix == ".json" else LARGEST))
    except ValueError as error:
        raise ModelFileError(str(error)) from None
    if not content:
        raise ModelFileError(f"{str(path)!r} is empty; save the model again")
    if suffix == SKOPS:
        return _from_skops(path, content, trust)
    return _from_json(path, content) if suffix == ".json" else _from_pickle(path, content)


def _check_flat(path: Path) -> None:
    """Refuse a JSON file that is no flat one, block by block: it is not held in memory."""
    blocks = blocks_within(path, LARGEST_JSON)
    first = next(blocks, b"")  # an error of the file itself is told as such
    try:
        check_nesting(chain([first], blocks), DEPTH)
    except ValueError as error:
        raise ValueError(f"{str(path)!r} is not a tree that Tree.to_json wrote: {error}") from None
    finally:
        blocks.close()


def write_model(path: str | os.PathLike[str], model: Any) -> None:
    """Write a scikit-learn model as ``.skops``, the whole file or none."""
    from zipfile import ZIP_DEFLATED

    import skops.io

    from cattleya.support.files.atomic import write_bytes

    write_bytes(path, skops.io.dumps(model, compression=ZIP_DEFLATED))


def _from_json(path: Path, content: bytes) -> Tree:
    try:
        return Tree.from_json(content.decode())
    except (ValueError, TypeError) as error:
        raise ModelFileError(f"{str(path)!r} is damaged, or not a tree: {error}") from None


def _from_pickle(path: Path, content: bytes) -> Any:
    import joblib

    try:
        return joblib.load(BytesIO(content))
    except Exception as error:  # a pickle raises whatever its code raises
        raise ModelFileError(
            f"{str(path)!r} cannot be loaded: {_told(error)}; save the model again"
        ) from error


def _from_skops(path: Path, content: bytes, trust: bool) -> Any:
    import skops.io

    try:
        if not trust:
            remedy = "give --trust if you trust where it is from"
            check_archive(str(path), BytesIO(content), len(content), remedy)
            check_references(BytesIO(content))
        unknown = skops.io.get_untrusted_types(data=content)
    except Exception as error:  # damage shows up in every way
        raise ModelFileError(
            f"{str(path)!r} is damaged, or not skops: {_told(error)}; save the model again"
        ) from error
    unsafe = [name for name in unknown if name not in KNOWN_HERE]
    if unsafe and not trust:
        more = f" and {len(unsafe) - TYPES_SHOWN} more" if len(unsafe) > TYPES_SHOWN else ""
        raise ModelFileError(
            f"{str(path)!r} was not loaded: it holds types that are not known to be safe: "
            f"{', '.join(map(shown, unsafe[:TYPES_SHOWN]))}{more}; give --trust if you trust where "
            f"it is from"
        )
    try:
        model = skops.io.loads(content, trusted=unknown)
    except Exception as error:  # likewise, and other versions of scikit-learn
        raise ModelFileError(
            f"{str(path)!r} cannot be loaded: {_told(error)}; save the model again"
        ) from error
    if not trust:
        _check_native_trees(path, model)
    return model


def _check_native_trees(path: Path, model: Any) -> None:
    """Refuse node numbers that lead out of a tree.

    Only a pipeline's steps and its last tree are ever run. scikit-learn follows the numbers of a
    tree in native code without looking, so the last one is checked, and there must be no other.
    """
    from sklearn.pipeline import Pipeline
    from sklearn.tree import BaseDecisionTree

    last = model
    while isinstance(last, Pipeline):
        last = last.steps[-1][1]
    if not isinstance(last, BaseDecisionTree):
        return  # not explained at all
    native = getattr(last, "tree_", None)
    if any(other is not native for other in _native_trees(model)):
        raise ModelFileError(
            f"{str(path)!r} was not loaded: a step before its last has a tree of its own "
            f"({NATIVE_TREE}), which may be harmful; give --trust if you trust where it is from"
        )
    if native is None:
        return
    try:
        if not 1 <= native.node_count <= native.capacity:
            raise ValueError(f"it says it has {native.node_count} nodes")
        children = (native.children_left, native.children_right)
        if any(np.abs(child).max() > np.iinfo(np.int32).max for child in children):
            raise ValueError("a node number is out of range")
        check_shape(*(np.ascontiguousarray(child, dtype=np.int32) for child in children))
        tested = native.feature[children[0] >= 0]
        if ((tested < 0) | (tested >= min(native.n_features, last.n_features_in_))).any():
            raise ValueError("a node tests a feature that is out of range")
    except (ValueError, AttributeError) as error:
        raise ModelFileError(f"{str(path)!r} is damaged: it has no valid tree: {error}") from None


def _native_trees(model: Any) -> Iterator[Any]:
    """Give every native tree that can be reached from a model."""
    from sklearn.tree._tree import Tree as NativeTree

    stack, seen = [model], set()
    while stack:
        value = stack.pop()
        if id(value) in seen or isinstance(value, (str, bytes, type)):
            continue
        seen.add(id(value))
        if isinstance(value, NativeTree):
            yield value
        elif isinstance(value, dict):
            stack += [*value.keys(), *value.values()]
        elif isinstance(value, (list, tuple, set, frozenset)):
            stack += value
        elif isinstance(value, np.ndarray):
            stack += value.ravel().tolist() if value.dtype == object else []
        else:
            stack.append(getattr(value, "__dict__", ()))


def _told(error: Exception) -> str:
    """Return an error in a line, with its type where that says more."""
    text = one_line(error)[:LONGEST_TOLD]
    return text if isinstance(error, ValueError) and text else f"{type(error).__name__}: {text}"

"""What a result was made from, so that it can be made again: version, model, data, parameters."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

from cattleya.batch.running import Task
from cattleya.files.regular import check_regular

if TYPE_CHECKING:
    from cattleya.explainer import Explainer
    from cattleya.tree import Tree

__all__ = ["FORMAT", "KEY", "file_hash", "provenance", "tree_hash"]

FORMAT = "cattleya-batch"
VERSION = 1
KEY = b"cattleya"  # of the Parquet schema's metadata
BLOCK = 1 << 20


def provenance(explainer: Explainer, task: Task, **more: Any) -> dict[str, Any]:
    """Return what decides the answers, as JSON values; ``more`` is added, such as the files'."""
    from cattleya import __version__

    return {
        "format": FORMAT,
        "version": VERSION,
        "cattleya": __version__,
        "model": tree_hash(explainer.tree),
        "over": explainer.over,
        "definition": explainer.definition,
        "parameters": {
            "want": list(task.want),
            "timeout": task.timeout,
            "contrasts": task.contrasts,
            "exclude": [_plain(feature) for feature in task.exclude],
            "immutable": [_plain(feature) for feature in task.immutable],
            "memory_limit": explainer.memory_limit,
        },
        **more,
    }


def tree_hash(tree: Tree) -> str:
    """Return a SHA-256 of a tree: the same wherever it decides the same way under its names."""
    digest = hashlib.sha256()
    arrays = (tree.left, tree.right, tree.feature, tree.threshold, tree.leaf_class)
    for array in (*arrays, *(() if tree.missing_left is None else (tree.missing_left,))):
        digest.update(array.astype(array.dtype.newbyteorder("<")).tobytes())
    names = [list(tree.feature_names), [repr(_plain(label)) for label in tree.class_names]]
    rest = [names, tree.missing_left is None, list(map(int, tree.boolean)), tree.row_dtype]
    digest.update(json.dumps(rest).encode())
    return digest.hexdigest()


def file_hash(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file."""
    check_regular(path)
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _plain(value: Any) -> Any:
    """Return a label or a feature as Python has it, not numpy."""
    return value.item() if hasattr(value, "item") else value

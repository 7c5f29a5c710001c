"""The fingerprint of a tree, by which results say what they were made from."""

from __future__ import annotations

import hashlib
import json

from cattleya.model.tree.tree import Tree
from cattleya.support.text import plain_value

__all__ = ["tree_hash"]


def tree_hash(tree: Tree, *, probabilities: bool = False) -> str:
    """Return a SHA-256 of a tree: the same wherever it predicts the same under its names.

    Its ``probabilities`` are part of that only where a decision depends on them.
    """
    digest = hashlib.sha256()
    arrays = (tree.left, tree.right, tree.feature, tree.threshold, tree.leaf_class)
    for array in (*arrays, *(() if tree.missing_left is None else (tree.missing_left,))):
        digest.update(array.astype(array.dtype.newbyteorder("<")).tobytes())
    names = [list(tree.feature_names), [repr(plain_value(label)) for label in tree.class_names]]
    rest = [names, tree.missing_left is None, list(map(int, tree.boolean)), tree.row_dtype]
    for numbers in (tree.leaf_value, tree.leaf_probability if probabilities else None):
        if numbers is not None:
            digest.update(numbers.astype(numbers.dtype.newbyteorder("<")).tobytes())
            rest.append(numbers.dtype.name)
    digest.update(json.dumps(rest).encode())
    return digest.hexdigest()

"""One tree that has every test of an ensemble: for the names and the cells of its facts.

The vocabularies name the tests of a tree, and cut the values of attributes into the cells that its
tests tell apart. Both depend on which tests there are, and not on where they stand. So a balanced
tree of all the distinct tests of an ensemble serves them; its leaves mean nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cattleya.model.ensemble.ensemble import Ensemble
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bools, Floats, Int32s

__all__ = ["Skeleton", "skeleton_of"]


@dataclass(frozen=True, eq=False)
class Skeleton:
    """The tree, and which of its tests each node of the ensemble asks.

    Attributes
    ----------
    tree : Tree
    test_of_node : ndarray
        By node of the ensemble: its test, in the order of features and thresholds; -1 at leaves.
    """

    tree: Tree
    test_of_node: Int32s


def skeleton_of(ensemble: Ensemble, *, takes_missing: bool) -> Skeleton:
    """Return the skeleton of an ensemble.

    Parameters
    ----------
    ensemble : Ensemble
    takes_missing : bool
        Whether the side of missing values is part of each test.

    Examples
    --------
    >>> stumps = Ensemble([0, 3, 6], [1, -1, -1, 4, -1, -1], [2, -1, -1, 5, -1, -1],
    ...                   [0, -1, -1, 1, -1, -1], [30.5, 0, 0, 9.5, 0, 0], [-1, 2, -0.5, 0.5],
    ...                   n_features=2, class_names=["low", "high"], decision="threshold")
    >>> made = skeleton_of(stumps, takes_missing=False)
    >>> made.test_of_node.tolist(), made.tree.n_nodes
    ([0, -1, -1, 1, -1, -1], 5)
    """
    inner = np.flatnonzero(ensemble.left >= 0)
    feature, threshold = ensemble.feature[inner], ensemble.threshold[inner] + 0.0
    missing = np.zeros(len(inner), dtype=np.bool_)
    if takes_missing and ensemble.missing_left is not None:
        missing = ensemble.missing_left[inner]
    order = np.lexsort((missing, threshold, feature))
    feature, threshold, missing = feature[order], threshold[order], missing[order]
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = (
        (feature[1:] != feature[:-1])
        | (threshold[1:] != threshold[:-1])
        | (missing[1:] != missing[:-1])
    )
    test_of_node = np.full(ensemble.n_nodes, -1, dtype=np.int32)
    test_of_node[inner[order]] = np.cumsum(is_new) - 1
    tests = feature[is_new], threshold[is_new], missing[is_new]
    return Skeleton(_balanced(ensemble, *tests, takes_missing=takes_missing), test_of_node)


def _balanced(
    ensemble: Ensemble, feature: Int32s, threshold: Floats, missing: Bools, *, takes_missing: bool
) -> Tree:
    """Return a tree that tests the middle one first, and those before and after it below."""
    count = len(feature)
    size = 2 * count + 1
    left, right = np.full(size, -1, dtype=np.int32), np.full(size, -1, dtype=np.int32)
    test = np.full(size, -1, dtype=np.int64)
    free, spans = 1, [(0, 0, count)]
    while spans:
        node, first, end = spans.pop()
        if first == end:
            continue
        middle = (first + end) // 2
        test[node], left[node], right[node] = middle, free, free + 1
        spans += [(free, first, middle), (free + 1, middle + 1, end)]
        free += 2
    is_inner = test >= 0
    classes = ensemble.class_names
    return Tree(
        left,
        right,
        np.where(is_inner, np.append(feature, -1)[test], -1).astype(np.int32),
        np.where(is_inner, np.append(threshold, 0.0)[test], 0.0),
        np.where(is_inner, -1, 0).astype(np.int32),
        n_features=ensemble.n_features,
        feature_names=ensemble.feature_names if ensemble.has_names else None,
        class_names=classes,
        missing_left=is_inner & np.append(missing, False)[test] if takes_missing else None,
        row_dtype=ensemble.row_dtype,
    )

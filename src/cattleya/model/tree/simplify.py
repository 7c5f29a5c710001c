"""The smallest tree that is left when splits go, proved to decide as before.

Branches that no row reaches go first. Then a split goes when one of its sides takes its place; the
others stay in their order. The core finds
the smallest tree (``simplify.cpp``); that it decides the same about every row is then proved by
other code of the core: the walk that compares two trees (``free_regions.cpp``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cattleya._core import DomainTree
from cattleya.support.arrays import Bools, Bytes, Floats, Int32s
from cattleya.support.limits import MEMORY_LIMIT, Deadline

__all__ = ["DIFFERENT", "SmallTree", "Tests", "simplified_tree", "small_tree", "under_one_root"]

DIFFERENT = "the simplified tree decides otherwise; please report this tree"

Tree = Any  # a cattleya.Tree, whose methods these are; others are made as its kind
#: What the core tells of the smallest tree: whether it is, left, right, test, leaf_class.
SmallTree = tuple[bool, Int32s, Int32s, Int32s, Int32s]


class Tests(NamedTuple):
    """Tests of a tree, by their numbers."""

    feature: Int32s
    threshold: Floats
    missing_left: Bytes


def simplified_tree(tree: Tree, timeout: float | None) -> Tree:
    """Return the smallest tree for rows about which nothing more is known than the tree says."""
    deadline = Deadline(timeout)
    core, tests = _over_numbers(tree)
    made = small_tree(tree, tests, core.simplified(deadline.seconds(), MEMORY_LIMIT))
    labels = {label: place for place, label in enumerate(tree.class_names)}
    own = np.array([labels[label] for label in made.class_names], dtype=np.int32)
    both, _ = _over_numbers(under_one_root(tree, made, own, tree.class_names), which=True)
    free = np.array([tree.n_features], dtype=np.int32)
    _, start, *_ = both.free_regions(free, 0, 1, False, deadline.seconds(), MEMORY_LIMIT)
    if len(start) > 1:
        raise AssertionError(DIFFERENT)
    deadline.check()
    return made


def small_tree(tree: Tree, tests: Tests, found: SmallTree) -> Tree:
    """Return the tree that the core found, with all else as it was."""
    _, left, right, test, leaf_class = found
    inner = left >= 0
    known: dict[str, Any] = {"leaf_class": leaf_class, "class_names": tree.class_names}
    if tree.leaf_value is not None:
        value = np.zeros(len(left), dtype=tree.leaf_value.dtype)
        value[~inner] = np.array(tree.class_names, dtype=value.dtype)[leaf_class[~inner]]
        known = {"leaf_class": None, "leaf_value": value}
    if tree.missing_left is not None:
        known["missing_left"] = _at(inner, tests.missing_left, test, 0) != 0
    return type(tree)(
        left,
        right,
        _at(inner, tests.feature, test, -1),
        _at(inner, tests.threshold, test, 0),
        n_features=tree.n_features,
        feature_names=tree.feature_names if tree.has_names else None,
        boolean=tree.boolean,
        row_dtype=tree.row_dtype,
        **known,
    )


def under_one_root(first: Tree, second: Tree, of_second: Int32s, classes: tuple[Any, ...]) -> Tree:
    """Return one tree, whose root asks which is meant: left of it the first, right the second.

    ``of_second`` has the place among ``classes`` of each class of the second tree.
    """
    n_first, n_columns = first.n_nodes, first.n_features

    def moved(children: Int32s, by: int) -> Int32s:
        return np.where(children >= 0, children + by, -1).astype(np.int32)

    leaf = second.leaf_class
    missing = None
    if first.missing_left is not None and second.missing_left is not None:
        missing = np.concatenate(([False], first.missing_left, second.missing_left))
    return type(first)(
        np.concatenate(([1], moved(first.left, 1), moved(second.left, 1 + n_first))),
        np.concatenate(([1 + n_first], moved(first.right, 1), moved(second.right, 1 + n_first))),
        np.concatenate(([n_columns], first.feature, second.feature)),
        np.concatenate(([0.5], first.threshold, second.threshold)),
        np.concatenate(([-1], first.leaf_class, np.where(leaf >= 0, of_second[leaf], -1))),
        n_features=n_columns + 1,
        class_names=classes,
        missing_left=missing,
        boolean=first.boolean,
        row_dtype=first.row_dtype,
    )


def _over_numbers(tree: Tree, *, which: bool = False) -> tuple[DomainTree, Tests]:
    """Return a tree as the core takes it, each column a number; the last is perhaps ``which``."""
    inner = np.flatnonzero(tree.left >= 0)
    takes_missing = tree.missing_left is not None
    gap = np.zeros(tree.n_nodes, np.bool_) if tree.missing_left is None else tree.missing_left
    keys = np.stack((tree.feature[inner], tree.threshold[inner], gap[inner]))
    told, of_inner = np.unique(keys, axis=1, return_inverse=True)
    of_node = np.full(tree.n_nodes, -1, dtype=np.int32)
    of_node[inner] = of_inner.ravel()
    feature, threshold = told[0].astype(np.int32), told[1]
    tests = Tests(feature, threshold, np.ascontiguousarray(told[2]).astype(np.uint8))
    last = _last(tree, feature, threshold)
    # Where no value is above a threshold, or none up to it, it parts nothing.
    parts = np.isfinite(last)
    levels, of_part = np.unique(
        np.stack((feature[parts], last[parts])), axis=1, return_inverse=True
    )
    owner = levels[0].astype(np.intp)
    count = np.bincount(owner, minlength=tree.n_features)
    first = np.cumsum(count) - count
    level = np.where(np.isneginf(last), -1, count[feature])
    level[parts] = of_part.ravel() - first[feature[parts]]
    never = np.zeros(tree.n_features, dtype=np.uint8)
    never[-1:] = which
    core = DomainTree(
        tree.left,
        tree.right,
        of_node,
        tree.leaf_class,
        feature,
        level.astype(np.int32),
        tests.missing_left,
        count.astype(np.int32),
        np.zeros(tree.n_features, dtype=np.int32),
        np.ascontiguousarray(levels[1]),
        np.zeros(0, dtype=np.uint64),
        takes_missing,
        len(tree.class_names),
        never,
    )
    return core, tests


def _last(tree: Tree, feature: Int32s, threshold: Floats) -> Floats:
    """Return the last number up to each threshold; infinite where none is, or all are."""
    with np.errstate(over="ignore", under="ignore"):
        near = threshold.astype(tree.row_dtype)
        last = np.where(near > threshold, np.nextafter(near, -np.inf), near).astype(np.float64)
    largest = float(np.finfo(tree.row_dtype).max)
    last[last >= largest] = np.inf
    last[last < -largest] = -np.inf
    boolean: Bools = np.isin(feature, list(tree.boolean))
    sides = np.where(threshold < 0, -np.inf, np.where(threshold < 1, 0.0, np.inf))
    return np.where(boolean, sides, last)


def _at(inner: Bools, of_test: Any, test: Int32s, leaf: int) -> Any:
    """Return what each node has of its test, and what a leaf has."""
    found = np.full(len(inner), leaf, dtype=of_test.dtype)
    found[inner] = of_test[test[inner]]
    return found

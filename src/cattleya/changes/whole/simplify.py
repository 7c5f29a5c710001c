"""The smallest tree that is left when splits go, proved to decide as before.

A split goes when one of its sides takes its place; the others stay in their order. The core finds
the smallest tree (``simplify.cpp``); that it decides the same about every row of the domain is then
proved by other code: the walk that compares two trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cattleya.changes.whole.cell_sets import CellWords
from cattleya.changes.whole.joined import joined_trees
from cattleya.changes.whole.regions import find
from cattleya.model.domain.domain import Domain
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bools, Int32s
from cattleya.support.limits import MEMORY_LIMIT, Deadline
from cattleya.vocabularies.cells import Cells

__all__ = ["Simplified", "simplified", "simplified_tree"]


@dataclass(frozen=True)
class Simplified:
    """A tree that decides as another one, and whether none of its kind is smaller."""

    tree: Tree
    smallest: bool


def simplified_tree(tree: Tree, timeout: float | None) -> Tree:
    """Return the smallest tree for rows about which nothing more is known than the tree says."""
    cells = Cells.of(tree, Domain.plain(tree))
    return simplified(cells, Deadline(timeout), MEMORY_LIMIT).tree


def simplified(cells: Cells, deadline: Deadline, memory: int) -> Simplified:
    """Return the smallest tree over a domain."""
    smallest, left, right, test, leaf_class = cells.core.simplified(deadline.seconds(), memory)
    tree, tests = cells.tree, cells.tests
    inner = left >= 0
    known: dict[str, Any] = {"leaf_class": leaf_class, "class_names": tree.class_names}
    if tree.leaf_value is not None:
        value = np.zeros(len(left), dtype=tree.leaf_value.dtype)
        value[~inner] = np.array(tree.class_names, dtype=value.dtype)[leaf_class[~inner]]
        known = {"leaf_class": None, "leaf_value": value}
    if tree.missing_left is not None:
        known["missing_left"] = _at(inner, tests.missing_left, test, 0) != 0
    made = Tree(
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
    both = joined_trees(cells, made)
    differ = find(CellWords(both), [len(both.domain.attributes) - 1], most=1, deadline=deadline,
                  memory=memory)  # fmt: skip  # as it reads
    if len(differ):
        raise AssertionError("the simplified tree decides otherwise; please report this tree")
    deadline.check()
    return Simplified(made, smallest)


def _at(inner: Bools, of_test: Any, test: Int32s, leaf: int) -> Any:
    """Return what each node has of its test, and what a leaf has."""
    found = np.full(len(inner), leaf, dtype=of_test.dtype)
    found[inner] = of_test[test[inner]]
    return found

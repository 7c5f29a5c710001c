"""Two trees as one, whose root asks which of them is meant: where they differ, that decides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cattleya.model.conditions.tests import Conditions
from cattleya.model.domain.domain import Category, Domain
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Int32s
from cattleya.vocabularies.cells import Cells

__all__ = ["WHICH", "joined_trees", "under_one_root", "with_which"]

WHICH = "which model"


def joined_trees(cells: Cells, other: Tree) -> Cells:
    """Return a tree and another one over the same columns and domain as one."""
    tree = cells.tree
    labels = {label: place for place, label in enumerate(tree.class_names)}
    of_other = np.array([labels[label] for label in other.class_names], dtype=np.int32)
    both = under_one_root(tree, other, of_other, tree.class_names)
    domain = with_which(cells.domain, tree.n_features)
    return Cells(Conditions(both), domain, cells.never_missing)


def with_which(domain: Domain, column: int) -> Domain:
    """Return a domain with one attribute more, in a column after the others: which is meant."""
    which = Category(WHICH, (column,), ("old", "new"), ((0.0,), (1.0,)))
    return replace(
        domain,
        attributes=(*domain.attributes, which),
        n_columns=column + 1,
        sources=(*domain.sources, frozenset()) if domain.sources else (),
    )


def under_one_root(first: Tree, second: Tree, of_second: Int32s, classes: tuple[Any, ...]) -> Tree:
    """Return one tree: left of the root the first, right of it the second.

    ``of_second`` has the place among ``classes`` of each class of the second tree.
    """
    n_first, n_columns = first.n_nodes, first.n_features

    def moved(children: Int32s, by: int) -> Int32s:
        return np.where(children >= 0, children + by, -1).astype(np.int32)

    leaf = second.leaf_class
    missing = None
    if first.missing_left is not None and second.missing_left is not None:
        missing = np.concatenate(([False], first.missing_left, second.missing_left))
    return Tree(
        np.concatenate(([1], moved(first.left, 1), moved(second.left, 1 + n_first))),
        np.concatenate(([1 + n_first], moved(first.right, 1), moved(second.right, 1 + n_first))),
        np.concatenate(([n_columns], first.feature, second.feature)),
        np.concatenate(([0.5], first.threshold, second.threshold)),
        np.concatenate(([-1], first.leaf_class, np.where(leaf >= 0, of_second[leaf], -1))),
        n_features=n_columns + 1,
        class_names=classes,
        missing_left=missing,
        row_dtype=first.row_dtype,
    )

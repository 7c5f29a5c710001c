"""Two trees as one, whose root asks which of them is meant: where they differ, that decides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cattleya.model.conditions.tests import Conditions
from cattleya.model.domain.domain import Category, Domain
from cattleya.model.tree.simplify import under_one_root
from cattleya.model.tree.tree import Tree
from cattleya.vocabularies.cells import Cells

__all__ = ["WHICH", "joined_trees", "with_which"]

WHICH = "which model"


def joined_trees(cells: Cells, other: Tree) -> Cells:
    """Return a tree and another one over the same columns and domain as one."""
    tree = cells.tree
    labels = {label: place for place, label in enumerate(tree.class_names)}
    of_other = np.array([labels[label] for label in other.class_names], dtype=np.int32)
    both: Tree = under_one_root(tree, other, of_other, tree.class_names)
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

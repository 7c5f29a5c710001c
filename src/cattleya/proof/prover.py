"""The tree as it was given, ready for proofs about its conditions.

Deliberately shares nothing with the search for reasons: not the engine of ``walker``, not even for
which conditions hold in a row and which class it gets. What one gets wrong, the other is there to
catch.
"""

from __future__ import annotations

import numpy as np

from cattleya._core import Verifier
from cattleya.model.conditions.tests import Conditions
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bools, Bytes, Floats

__all__ = ["Prover"]

_DOMAINS = {"float64": 0, "float32": 1}
_BOOLEAN = 2

Truth = Bytes


class Prover:
    """The tree, its conditions, and the native walk that looks for a leaf of another class."""

    def __init__(self, tree: Tree, conditions: Conditions) -> None:
        self.tree, self.conditions = tree, conditions
        domain = np.full(tree.n_features, _DOMAINS[tree.row_dtype], dtype=np.uint8)
        domain[list(tree.boolean)] = _BOOLEAN
        self.core = Verifier(
            tree.left,
            tree.right,
            conditions.of_node,
            tree.leaf_class,
            conditions.feature,
            conditions.threshold,
            conditions.missing_left,
            domain,
            tree.missing_left is not None,
        )

    def truth(self, row: Floats) -> Truth:
        """Return of each condition whether it holds in a row."""
        value = row[self.conditions.feature]
        holds: Bools = value <= self.conditions.threshold
        holds |= np.isnan(value) & (self.conditions.missing_left != 0)
        return holds.view(np.uint8)

    def class_of(self, truth: Truth) -> int:
        """Return the class that the tree gives where the conditions are such."""
        node = 0
        while (condition := self.conditions.of_node[node]) >= 0:
            node = (self.tree.left if truth[condition] else self.tree.right)[node]
        return int(self.tree.leaf_class[node])

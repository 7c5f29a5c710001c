"""The tree as it was given, ready for proofs about its conditions.

What a proof has in common with the search, here and in ``verification``, ``domain_verification``,
``domain_contrasts`` and ``beside``, and why that cannot hide a fault of the search:

- Plain values: the arrays of the tree, the row, the attributes of the domain, conditions as they
  are given or read from their text. A proof is about what these say. Which class the tree gives to
  a row is read off its arrays (here, and by ``Tree.apply``), and so are the row's conditions; the
  class that an explanation claims must be the same.
- The numbering of the conditions (``vocabulary.Conditions``). It is checked against the tree when
  a prover is made: each node's condition is the node's test, and no two conditions are the same. A
  condition that is asked about is checked against the test of its number.
- Between which two values a threshold parts a number (``Number.last``). It is checked for each
  threshold (``beside``).

What remains is a definition that both take: which values a number can have and what the tree sees
of each (the attributes of ``Number`` and its ``to_tree``), which values a category has, and how a
condition is worded in the user's units. Were one of these wrong, search and proof would be wrong
alike. They are held against the definitions themselves, all rows of small domains and the
pipelines of scikit-learn, by the tests, as is the proof as a whole. On the native side, both check
with the same code that the nodes are a tree (``shape``), and stop by the same clock (``budget``).

Nothing else is shared: ``tests/test_independent_proof.py`` lists each module and file that a proof
reaches, and plants faults in the search that the proof must find.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cattleya import _core
from cattleya.tree import Tree
from cattleya.vocabulary import Conditions

__all__ = ["Prover", "check_class", "missing_left_of"]

_DOMAINS = {"float64": 0, "float32": 1}
_BOOLEAN = 2

Truth = npt.NDArray[np.uint8]


class Prover:
    """The tree, its conditions, and the native walk that looks for a leaf of another class."""

    def __init__(self, tree: Tree, conditions: Conditions) -> None:
        self.tree, self.conditions = tree, conditions
        _check_numbering(tree, conditions)
        domain = np.full(tree.n_features, _DOMAINS[tree.row_dtype], dtype=np.uint8)
        domain[list(tree.boolean)] = _BOOLEAN
        self.core = _core.Verifier(
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

    def truth(self, row: npt.NDArray[np.float64]) -> Truth:
        """Return of each condition whether it holds in a row."""
        value = row[self.conditions.feature]
        holds: npt.NDArray[np.bool_] = value <= self.conditions.threshold
        holds |= np.isnan(value) & (self.conditions.missing_left != 0)
        return holds.view(np.uint8)

    def class_of(self, truth: Truth) -> int:
        """Return the class that the tree gives where the conditions are such."""
        node = 0
        while self.tree.left[node] >= 0:
            holds = truth[self.conditions.of_node[node]]
            node = (self.tree.left if holds else self.tree.right)[node]
        return int(self.tree.leaf_class[node])


def _check_numbering(tree: Tree, conditions: Conditions) -> None:
    """Refuse conditions that are not the tree's tests, each once: the search has them, too."""
    inner = np.flatnonzero(tree.left >= 0)
    of = conditions.of_node[inner]
    feature, threshold, missing = conditions.feature, conditions.threshold, conditions.missing_left
    right = bool((of >= 0).all())
    right &= np.array_equal(feature[of], tree.feature[inner])
    right &= np.array_equal(threshold[of], tree.threshold[inner])
    right &= np.array_equal(missing[of], missing_left_of(tree)[inner])
    # In ascending order, so that no two are the same.
    is_later = missing[1:] > missing[:-1]
    for values in (threshold, feature):
        is_later = (values[1:] > values[:-1]) | ((values[1:] == values[:-1]) & is_later)
    if not right or not is_later.all():
        raise RuntimeError(
            "internal error: the conditions are not the tests of the tree; please report this tree"
        )


def check_class(by_the_tree: int, claimed: int) -> None:
    """Refuse a class that the search gives to a row, but not the tree: no reason is one for it."""
    if by_the_tree != claimed:
        raise RuntimeError(
            "internal error: the row has another class than its explanation says; please report "
            "this tree"
        )


def missing_left_of(tree: Tree) -> npt.NDArray[np.uint8]:
    """Return for each node whether it sends missing values to the left."""
    if tree.missing_left is None:
        return np.zeros(tree.n_nodes, dtype=np.uint8)
    return tree.missing_left.view(np.uint8)

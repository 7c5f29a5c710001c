"""What is explained: which outcome each leaf of a tree stands for.

Explanations are about an outcome, and every question asks which leaves give another. That is
decided here, once: a target labels the leaves, and the tree with these labels is what the
vocabularies, the proof and the search for other rows see. By default the outcome is the class that
the model predicts; a threshold on a probability or a number is another labelling.
"""

from __future__ import annotations

from typing import Protocol

from cattleya.model.tree.tree import Tree

__all__ = ["PredictedClass", "Target"]


class Target(Protocol):
    """Which leaves count as which outcome."""

    def labelled(self, tree: Tree) -> Tree:
        """Return the tree whose classes are the outcomes: the same tests, other leaves."""


class PredictedClass:
    """The class that the model predicts: the leaves as they are.

    Examples
    --------
    >>> tree = Tree.from_nested(("x1", "no", "yes"))
    >>> PredictedClass().labelled(tree) is tree
    True
    """

    def labelled(self, tree: Tree) -> Tree:
        """Return the tree itself."""
        return tree

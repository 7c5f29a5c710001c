"""A tree made ready for explaining: its conditions, the native engine over them, the prover."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from cattleya import _core
from cattleya.domain import Domain
from cattleya.prover import Prover
from cattleya.tree import Tree
from cattleya.vocabulary import Conditions

__all__ = ["Walker"]


class Walker:
    """The tree, its conditions, and the native objects that walk it. Picklable, never changes.

    ``domain`` finds the user's columns behind the tree's, where these are others.
    """

    def __init__(self, tree: Tree, domain: Callable[[], Domain] | None = None) -> None:
        self.tree, self._domain = tree, domain
        self.conditions = Conditions(tree, domain)
        self.engine = _core.Engine(
            tree.left,
            tree.right,
            self.conditions.of_node,
            tree.leaf_class,
            self.conditions.feature,
            self.conditions.threshold,
            self.conditions.missing_left,
            tree.n_features,
            len(tree.class_names),
        )

    @cached_property
    def prover(self) -> Prover:
        """The prover, which knows nothing of the engine; made when first asked for."""
        return Prover(self.tree, self.conditions)

    def __reduce__(self) -> tuple[object, ...]:
        return Walker, (self.tree, self._domain)

"""A tree made ready for explaining: its conditions, and the native engine over them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from cattleya import _core
from cattleya.domain import Domain
from cattleya.tree import Tree
from cattleya.vocabulary import Conditions

__all__ = ["Walker"]

_DOMAINS = {"float64": 0, "float32": 1}
_BOOLEAN = 2


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
    def verifier(self) -> _core.Verifier:
        """The prover, which shares no code with the engine; made when first asked for."""
        tree, conditions = self.tree, self.conditions
        domain = np.full(tree.n_features, _DOMAINS[tree.row_dtype], dtype=np.uint8)
        domain[list(tree.boolean)] = _BOOLEAN
        return _core.Verifier(
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

    def __reduce__(self) -> tuple[object, ...]:
        return Walker, (self.tree, self._domain)

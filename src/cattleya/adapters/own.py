"""Our own trees, which need no learning library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cattleya.adapters.adapted import AdaptedModel, not_a_model
from cattleya.model.tree.checks import check_names
from cattleya.model.tree.tree import Tree

__all__ = ["adapt"]


def adapt(
    model: Any, feature_names: Sequence[str] | None, missing_values: bool | None
) -> AdaptedModel:
    """Return a :class:`cattleya.Tree` as a model."""
    if not isinstance(model, Tree):
        raise TypeError(not_a_model(model))
    if feature_names is not None:
        check_names(feature_names, model.n_features)
        model = _renamed(model, feature_names)
    if missing_values and model.missing_left is None:
        raise ValueError("missing_values=True, but the tree has no missing_left: give it one")
    return AdaptedModel(model, model.columns)


def _renamed(tree: Tree, names: Sequence[str]) -> Tree:
    return Tree(
        tree.left,
        tree.right,
        tree.feature,
        tree.threshold,
        tree.leaf_class,
        tree.n_features,
        names,
        tree.class_names,
        missing_left=tree.missing_left,
        boolean=tree.boolean,
        row_dtype=tree.row_dtype,
    )

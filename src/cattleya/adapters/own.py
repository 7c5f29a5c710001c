"""Our own trees and ensembles, and models as files have them, which need no learning library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cattleya.adapters.adapted import AdaptedModel, chosen_output, not_a_model
from cattleya.adapters.ensembles import AdaptedEnsemble, adapted_ensemble
from cattleya.adapters.sklearn_tree import adapt_tree, matched_names
from cattleya.adapters.stored_tree import StoredTree
from cattleya.model.ensemble.ensemble import Ensemble
from cattleya.model.tree.checks import check_names
from cattleya.model.tree.tree import Tree

if TYPE_CHECKING:
    from cattleya.adapters.columns import ModelColumns

__all__ = ["KeptModel", "adapt"]


@dataclass(frozen=True, eq=False)
class KeptModel:
    """A model that was opened before, as it was kept; ``adapt`` asks the model itself."""

    adapted: AdaptedModel | AdaptedEnsemble
    columns: ModelColumns
    target_name_: str | None
    adapt: Callable[..., AdaptedModel | AdaptedEnsemble]


def adapt(
    model: Any,
    feature_names: Sequence[str] | None,
    missing_values: bool | None,
    output: int | None = None,
) -> AdaptedModel | AdaptedEnsemble:
    """Return a :class:`cattleya.Tree` or :class:`cattleya.Ensemble` as a model."""
    if isinstance(model, Ensemble):
        chosen_output(output, 1)
        if feature_names is not None:
            model = model.renamed(check_names(feature_names, model.n_features))
        if missing_values and model.missing_left is None:
            raise ValueError("missing_values=True, but the ensemble has no missing_left")
        adapted = AdaptedEnsemble(model, model.columns, "Ensemble")
        found = adapted_ensemble(adapted, missing_values)
        if isinstance(found, AdaptedEnsemble) and missing_values is None:
            # Where it sends missing values was stated.
            found = replace(found, takes_missing=model.missing_left is not None)
        return found
    if isinstance(model, KeptModel):
        settings = feature_names, missing_values, output
        is_plain = all(setting is None for setting in settings)
        return model.adapted if is_plain else model.adapt(*settings)
    if isinstance(model, StoredTree):
        names = matched_names(model, feature_names)
        return adapt_tree(model, missing_values, output, **names)
    if not isinstance(model, Tree):
        raise TypeError(not_a_model(model))
    chosen_output(output, 1)
    if feature_names is not None:
        check_names(feature_names, model.n_features)
        model = _renamed(model, feature_names)
    if missing_values and model.missing_left is None:
        raise ValueError("missing_values=True, but the tree has no missing_left: give it one")
    return AdaptedModel(model, model.columns)


def _renamed(tree: Tree, names: Sequence[str]) -> Tree:
    return Tree(**tree.arguments() | {"feature_names": names})

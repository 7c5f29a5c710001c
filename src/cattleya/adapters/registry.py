"""Which adapter takes a model: one per library, imported only when a model of it is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, Protocol, cast

from cattleya.adapters.adapted import AdaptedModel, not_a_model
from cattleya.adapters.ensembles import AdaptedEnsemble
from cattleya.adapters.wrappers import unwrapped
from cattleya.model.ensemble.ensemble import Ensemble

__all__ = [
    "ADAPTERS",
    "TARGET_NAME",
    "Adapt",
    "adapt",
    "adapt_any",
    "adapter_of",
    "read_ensemble",
]

#: The modules that adapt the models of each library, by the library's name. A new one is a line.
ADAPTERS = {
    "cattleya": "cattleya.adapters.own",
    "sklearn": "cattleya.adapters.sklearn",
    "xgboost": "cattleya.adapters.xgboost.models",
    "lightgbm": "cattleya.adapters.lightgbm.models",
    "catboost": "cattleya.adapters.catboost.models",
}


#: The attribute of a model in which :mod:`cattleya.adapters.training` keeps the target's name.
TARGET_NAME = "target_name_"


class Adapt(Protocol):
    """What each of these modules has, under the name ``adapt``."""

    def __call__(
        self,
        model: Any,
        feature_names: Sequence[str] | None,
        missing_values: bool | None,
        output: int | None,
    ) -> AdaptedModel | AdaptedEnsemble:
        """Return a model as the library sees it; ``TypeError`` says why it cannot be explained.

        ``output`` is the one to explain of a model that predicts several.
        """


def adapt(
    model: Any,
    feature_names: Sequence[str] | None,
    missing_values: bool | None = None,
    output: int | None = None,
) -> AdaptedModel:
    """Return the tree of a model, and the reader of its rows; ``TypeError`` if it has several."""
    adapted = adapt_any(model, feature_names, missing_values, output)
    if isinstance(adapted, AdaptedEnsemble):
        raise TypeError(
            f"{adapted.name} is no single tree: its {adapted.ensemble.n_trees} trees add up"
        )
    return adapted


def adapt_any(
    model: Any,
    feature_names: Sequence[str] | None,
    missing_values: bool | None = None,
    output: int | None = None,
) -> AdaptedModel | AdaptedEnsemble:
    """Return the tree of a model, or its ensemble, and the reader of its rows.

    The adapter is that of the library that the model's class, or the nearest of its bases, is from.
    Wrappers that decide as the model in them does are taken as that model.
    """
    outer = model
    model, notes = unwrapped(outer)
    if notes and feature_names is None and not hasattr(model, "feature_names_in_"):
        feature_names = getattr(outer, "feature_names_in_", None)  # the wrapper keeps them alone
    module = adapter_of(model)
    if module is None:
        raise TypeError(not_a_model(model))
    found = cast("Adapt", import_module(module).adapt)
    adapted = found(model, feature_names, missing_values, output)
    return replace(adapted, target_name=_target_name(model), notes=notes)


def adapter_of(model: Any) -> str | None:
    """Return the name of the module that adapts a model."""
    for base in type(model).__mro__:
        library = base.__module__.partition(".")[0]
        if library in ADAPTERS:
            return ADAPTERS[library]
    return None


def read_ensemble(
    model: Any, feature_names: Sequence[str] | None = None, *, output: int | None = None
) -> Ensemble:
    """Return a fitted ensemble of trees as a value that decides as the model does.

    Parameters
    ----------
    model : a fitted ensemble, or a Pipeline that ends in one
        ``RandomForest*``, ``ExtraTrees*``, ``Bagging*`` of trees, ``GradientBoosting*``,
        ``HistGradientBoosting*`` or ``AdaBoostClassifier`` of trees of scikit-learn, or a model of
        XGBoost, LightGBM or CatBoost. The ensemble of a Pipeline
        takes rows as its last step does.
    feature_names : sequence of str, optional
        Names to show; by default those the model was trained with.
    output : int, optional
        The output to read, of a forest that predicts several.

    Examples
    --------
    >>> from cattleya import read_ensemble
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, y)
    >>> ensemble = read_ensemble(model)
    >>> ensemble
    <Ensemble: 10 trees, 51 leaves, depth 3, 4 features, classes 0, 1, 2>
    >>> bool((ensemble.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    if isinstance(model, Ensemble):
        return model if feature_names is None else model.renamed(feature_names)
    adapted = adapt_any(model, feature_names, None, output)
    found = adapted.as_read if isinstance(adapted, AdaptedEnsemble) else adapted.ensemble
    if found is None:
        raise TypeError(
            f"cannot read {type(model).__name__} as an ensemble: it is a single tree; give it to "
            f"cattleya.Explainer"
        )
    return found


def _target_name(model: Any) -> str | None:
    """Return the column that a model predicts, as training writes it down in the model."""
    name = getattr(model, TARGET_NAME, None)
    return name if isinstance(name, str) else None

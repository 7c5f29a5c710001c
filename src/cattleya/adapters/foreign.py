"""Live models of boosting libraries as the library sees them, whichever library it is."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cattleya.adapters.adapted import AdaptedModel, chosen_output
from cattleya.adapters.ensembles import AdaptedEnsemble, adapted_ensemble
from cattleya.model.ensemble.ensemble import Ensemble

__all__ = ["adapted_booster"]


def adapted_booster(
    read: Callable[[Any], Ensemble],
    model: Any,
    feature_names: Sequence[str] | None,
    missing_values: bool | None,
    output: int | None,
) -> AdaptedModel | AdaptedEnsemble:
    """Return a model that ``read`` takes; conditions print ``feature_names``, where given.

    Rows are matched by the names that the model was trained with.
    """
    known = read(model)
    if known.class_names is None and known.n_outputs > 1:
        raise ValueError(
            f"this {type(model).__name__} predicts {known.n_outputs} numbers at once; train a "
            f"model for each"
        )
    chosen_output(output, 1)
    ensemble = known if feature_names is None else known.renamed(feature_names)
    names = known if known.has_names else ensemble
    matched = names.feature_names if names.has_names else None
    rows = replace(ensemble.columns, columns=replace(ensemble.columns.columns, names=matched))
    own: dict[str, Any] = {}
    if hasattr(model, "fit"):  # a Booster takes matrices of its own, and gives no classes
        own["own_predict"] = partial(_asked, model.predict, True)
        if known.class_names is not None and hasattr(model, "predict_proba"):
            own["own_proba"] = partial(_asked, model.predict_proba, False)
    adapted = AdaptedEnsemble(ensemble, rows, type(model).__name__, **own)
    return adapted_ensemble(adapted, missing_values)


def _asked(ask: Callable[[Any], Any], flat: bool, X: Any) -> Any:
    """Return what a model says itself; its word on names of columns is not of interest here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*valid feature names")
        answer = np.asarray(ask(X))
    return answer.reshape(-1) if flat else answer

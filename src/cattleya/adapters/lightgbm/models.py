"""LightGBM's live models: ``Booster``, and the classes with scikit-learn's interface.

The model is asked for the text that it would save (up to its best iteration, which is also how far
it predicts), and that is read as a file is. LightGBM is imported by whoever made the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from cattleya._core import link64
from cattleya.adapters.foreign import adapted_booster
from cattleya.adapters.lightgbm.ensemble import ensemble_of
from cattleya.adapters.lightgbm.text import Saved, saved_model
from cattleya.model.ensemble.ensemble import Ensemble

__all__ = ["adapt", "read"]

TWO = 2


def read(model: Any, feature_names: Sequence[str] | None = None) -> Ensemble:
    """Return a fitted model of LightGBM as a value."""
    import lightgbm

    what, classes = type(model).__name__, None
    if isinstance(model, lightgbm.LGBMModel):
        try:
            booster = model.booster_
        except NotFittedError:
            raise NotFittedError(f"this {what} is not fitted yet; call its fit first") from None
        classes = getattr(model, "classes_", None)
    elif isinstance(model, lightgbm.Booster):
        booster = model
    else:
        raise TypeError(f"cannot read {what}: give a Booster, or a fitted LGBMClassifier or such")
    try:
        saved = saved_model(booster.model_to_string())
        if classes is not None and len(classes) < TWO:
            raise ValueError(f"it knows one class only, {classes[0]!r}; train it on two or more")
        if classes is not None and saved.objective[:1] not in _OF_CLASSES:
            raise ValueError("its objective makes no classes; train with LightGBM's own objectives")
        return ensemble_of(
            saved,
            sigmoid=_sigmoid(booster, saved),
            class_names=None if classes is None else classes.tolist(),
            feature_names=feature_names,
        )
    except ValueError as error:
        raise ValueError(f"cannot read this {what}: {error}") from None


#: The model as the library sees it.
adapt = partial(adapted_booster, read)


_OF_CLASSES = (("binary",), ("multiclass",), ("multiclassova",))


def _sigmoid(booster: Any, saved: Saved) -> float | None:
    """Return the parameter ``sigmoid`` as the model has it in memory.

    Its text has six digits of it. A model that was trained, and not loaded since, has all of them:
    which ones it uses is asked of the model itself.
    """
    given = booster.params.get("sigmoid")
    if given is None or saved.objective[:1] not in (("binary",), ("multiclassova",)):
        return None
    row = np.zeros((1, saved.n_features))
    own, raw = booster.predict(row), booster.predict(row, raw_score=True)
    ours = link64("logistic", np.ravel(raw) * float(given), 1)
    return float(given) if np.array_equal(ours, np.ravel(own)) else None

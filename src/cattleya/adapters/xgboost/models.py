"""XGBoost's live models: ``Booster``, and the classes with scikit-learn's interface.

The model is asked for what it would save, and that is read as a file is. XGBoost is imported by
whoever made the model, never here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from sklearn.exceptions import NotFittedError

from cattleya.adapters.foreign import adapted_booster
from cattleya.adapters.xgboost.document import saved_model
from cattleya.adapters.xgboost.ensemble import Use, ensemble_of
from cattleya.adapters.xgboost.ubjson import read_ubjson
from cattleya.model.ensemble.ensemble import Ensemble

__all__ = ["adapt", "read"]

TWO = 2


def read(model: Any, feature_names: Sequence[str] | None = None) -> Ensemble:
    """Return a fitted model of XGBoost as a value."""
    import xgboost

    what = type(model).__name__
    release = tuple(map(int, re.findall(r"\d+", xgboost.__version__)[:3]))
    if isinstance(model, xgboost.Booster):
        booster, use = model, Use(release=release)
    elif isinstance(model, xgboost.XGBModel):
        try:
            booster = model.get_booster()
        except NotFittedError:
            raise NotFittedError(f"this {what} is not fitted yet; call its fit first") from None
        use = Use(
            by_scikit_learn=True,
            is_classifier=isinstance(model, xgboost.XGBClassifier),
            missing=model.missing,
            release=release,
        )
    else:
        raise TypeError(f"cannot read {what}: give a Booster, or a fitted XGBClassifier or such")
    try:
        saved = saved_model(read_ubjson(bytes(booster.save_raw("ubj"))))
        if use.is_classifier and saved.objective == "multi:softprob" and saved.n_outputs == TWO:
            raise ValueError(
                "a classifier of two classes that is trained with 'multi:softprob' predicts two "
                "columns; train it with 'binary:logistic'"
            )
        return ensemble_of(saved, use, feature_names)
    except ValueError as error:
        raise ValueError(f"cannot read this {what}: {error}") from None


#: The model as the library sees it.
adapt = partial(adapted_booster, read)

"""CatBoost's live models. The model is asked for its JSON export, and that is read as a file is.

CatBoost exports to files only: the export goes through a temporary folder. It is imported by
whoever made the model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sklearn.exceptions import NotFittedError

from cattleya.adapters.catboost.ensemble import ensemble_of
from cattleya.adapters.foreign import adapted_booster
from cattleya.model.ensemble.ensemble import Ensemble

__all__ = ["adapt", "read"]


def read(model: Any, feature_names: Sequence[str] | None = None) -> Ensemble:
    """Return a fitted model of CatBoost as a value."""
    import catboost

    what = type(model).__name__
    if not isinstance(model, catboost.CatBoost):
        raise TypeError(f"cannot read {what}: give a fitted CatBoostClassifier or such")
    if not model.is_fitted():
        raise NotFittedError(f"this {what} is not fitted yet; call its fit first")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        document = json.loads(path.read_bytes())
    try:
        return ensemble_of(document, feature_names)
    except ValueError as error:
        raise ValueError(f"cannot read this {what}: {error}") from None


#: The model as the library sees it.
adapt = partial(adapted_booster, read)

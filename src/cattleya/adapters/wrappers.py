"""What is inside a wrapper: a search over parameters, or an estimator that is only held.

A wrapper is taken as the model in it only where its ``predict`` is that model's own: that is known
of scikit-learn's searches, of ``FrozenEstimator``, ``SelfTrainingClassifier`` and ``RFE`` (behind
its selection of columns), and it shows where ``wrapper.predict`` is a method of the model itself.
Wrappers are told by the names of their classes: nothing is imported to recognise them. Those that
decide differently from what they hold, by a threshold or by calibration, are refused.
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["unwrapped"]

#: Wrappers of scikit-learn that decide as what they hold does, and where that is.
HELD = {
    "BaseSearchCV": "best_estimator_",
    "FrozenEstimator": "estimator",
    "SelfTrainingClassifier": "estimator_",
    "RFE": "estimator_",
}
#: Those that decide differently from the tree in them.
OTHERS = {
    "CalibratedClassifierCV": "calibrated_classifiers_[0].estimator",
    "TunedThresholdClassifierCV": "estimator_",
    "FixedThresholdClassifier": "estimator_",
}


def unwrapped(model: Any) -> tuple[Any, tuple[str, ...]]:
    """Return the model that decides, and one sentence for each wrapper around it.

    Examples
    --------
    >>> from sklearn.frozen import FrozenEstimator
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> unwrapped(FrozenEstimator(DecisionTreeClassifier()))[1]
    ('FrozenEstimator is taken as its estimator, a DecisionTreeClassifier',)
    """
    if "sklearn" not in sys.modules:  # then it is none of its wrappers
        return model, ()
    from sklearn.pipeline import Pipeline

    said: list[str] = []
    seen: list[Any] = []  # one that holds itself has no end
    while not any(model is one for one in seen):
        seen.append(model)
        if isinstance(model, Pipeline) and model.steps:
            name, last = model.steps[-1]
            inner, more = unwrapped(last)
            if inner is not last:
                model = Pipeline([*model.steps[:-1], (name, inner)])
                said += more
            break
        found = _inside(model)
        if found is None:
            break
        model, attribute = found
        said.append(
            f"{type(seen[-1]).__name__} is taken as its {attribute}, a {type(model).__name__}"
        )
    return model, tuple(said)


def _inside(model: Any) -> tuple[Any, str] | None:
    """Return what a wrapper holds, and under which name; None where it is no wrapper."""
    kind = _kind(model)
    if kind in OTHERS:
        raise TypeError(
            f"cannot explain {type(model).__name__}: it does not decide as the tree in it does; "
            f"give that tree, model.{OTHERS[kind]}, if its own decisions are what you ask about"
        )
    if kind == "BaseSearchCV" and not hasattr(model, "best_estimator_"):
        return _unfitted_search(model)
    if kind in HELD and hasattr(model, HELD[kind]):
        inner = getattr(model, HELD[kind])
        if kind != "RFE":
            return inner, HELD[kind]
        from sklearn.pipeline import Pipeline

        return Pipeline([("select", model), ("model", inner)]), "selection and its estimator_"
    for attribute in ("best_estimator_", "estimator_"):
        inner = getattr(model, attribute, None)
        own = getattr(model, "predict", None)
        if inner is not None and getattr(own, "__self__", None) is inner:
            return inner, attribute
    return None


def _kind(model: Any) -> str:
    """Return which of the known wrappers a model is, if its predict is scikit-learn's; else ''."""
    theirs = [base for base in type(model).__mro__ if base.__module__.startswith("sklearn.")]
    predicts = next((base for base in type(model).__mro__ if "predict" in vars(base)), None)
    if predicts is not None and predicts not in theirs:  # FrozenEstimator hands all on
        return ""
    return next((base.__name__ for base in theirs if base.__name__ in {*HELD, *OTHERS}), "")


def _unfitted_search(model: Any) -> tuple[Any, str]:
    if hasattr(model, "cv_results_"):
        raise TypeError(
            f"cannot explain {type(model).__name__}: with refit=False it keeps no model; fit it "
            f"with refit=True, or give the model that you trained with its best_params_"
        )
    return model.estimator, "estimator"  # which says that it is not fitted

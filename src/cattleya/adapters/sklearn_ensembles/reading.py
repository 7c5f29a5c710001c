"""Which scikit-learn ensemble is read how, and what is said of those that are not."""

from __future__ import annotations

from typing import Any

from sklearn import ensemble as library
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from cattleya.adapters.sklearn_ensembles.boosting import ada_boost, gradient_boosting
from cattleya.adapters.sklearn_ensembles.forests import bag, forest
from cattleya.adapters.sklearn_ensembles.histogram import histogram_boosting
from cattleya.model.ensemble.ensemble import Ensemble

__all__ = ["check_readable", "is_ensemble", "outputs_of", "read"]

FORESTS = (
    library.RandomForestClassifier,
    library.RandomForestRegressor,
    library.ExtraTreesClassifier,
    library.ExtraTreesRegressor,
)
BAGS = (library.BaggingClassifier, library.BaggingRegressor)
BOOSTED = (library.GradientBoostingClassifier, library.GradientBoostingRegressor)
HISTOGRAMS = (library.HistGradientBoostingClassifier, library.HistGradientBoostingRegressor)
#: What cannot be read, and what to give instead.
REFUSED = {
    library.AdaBoostRegressor: (
        "it predicts a weighted median of its trees, which is no sum; give a "
        "GradientBoostingRegressor or a RandomForestRegressor, or one tree, model.estimators_[0]"
    ),
    library.IsolationForest: (
        "it scores how unusual a row is by the lengths of paths, which is no sum of leaves; give a "
        "classifier of what it found, such as a tree trained on its predictions"
    ),
    library.RandomTreesEmbedding: (
        "it predicts nothing; give a model that does, such as a RandomForestClassifier"
    ),
    **dict.fromkeys(
        (library.VotingClassifier, library.VotingRegressor),
        "it is made of models of several kinds; give one of them, model.estimators_[0]",
    ),
    **dict.fromkeys(
        (library.StackingClassifier, library.StackingRegressor),
        "its last model looks at what others predict; give one of these, model.estimators_[0]",
    ),
}


def is_ensemble(model: Any) -> bool:
    """Tell whether a model is one of those that are read here, or refused here with a reason."""
    known = (*FORESTS, *BAGS, *BOOSTED, *HISTOGRAMS, library.AdaBoostClassifier, *REFUSED)
    return isinstance(model, known)


def outputs_of(model: Any) -> int:
    """Return how many outputs a fitted model predicts at once."""
    return int(model.n_outputs_) if isinstance(model, FORESTS) else 1


def check_readable(model: Any) -> None:
    """Refuse an ensemble that cannot be read, or is not fitted."""
    what = type(model).__name__
    for kind, reason in REFUSED.items():
        if isinstance(model, kind):
            raise TypeError(f"cannot read {what}: {reason}")
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise NotFittedError(f"this {what} is not fitted yet; call its fit first") from None


def read(model: Any, names: tuple[str, ...] | None, output: int = 0) -> Ensemble:
    """Return a fitted ensemble of scikit-learn as a value."""
    check_readable(model)
    return Ensemble(**_parts(model, output), n_features=model.n_features_in_, feature_names=names)


def _parts(model: Any, output: int) -> dict[str, Any]:
    if isinstance(model, FORESTS):
        return forest(model, output)
    if isinstance(model, BAGS):
        return bag(model)
    if isinstance(model, BOOSTED):
        return gradient_boosting(model)
    return histogram_boosting(model) if isinstance(model, HISTOGRAMS) else ada_boost(model)

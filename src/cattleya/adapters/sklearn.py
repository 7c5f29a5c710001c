"""scikit-learn's trees and ensembles of trees, and pipelines that end in one.

What scikit-learn decides, we decide: rows are cast to float32 and compared with float64
thresholds, the class of a leaf is the first of those with the largest value, a missing value goes
where the node sends it. The probabilities of the classes at a leaf, and the number that a
regression tree predicts there, are what the tree keeps (``tree_.value``), and given as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, cast

import numpy as np
from sklearn.base import is_regressor
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.tree import BaseDecisionTree
from sklearn.utils.validation import check_is_fitted

from cattleya.adapters.adapted import AdaptedModel, chosen_output, not_a_model
from cattleya.adapters.behind import behind_steps, with_columns
from cattleya.adapters.category_sets import CategoryStep
from cattleya.adapters.ensembles import AdaptedEnsemble, adapted_ensemble
from cattleya.adapters.pipeline.rows import RawColumns
from cattleya.adapters.registry import ADAPTERS, adapter_of
from cattleya.adapters.sklearn_ensembles.reading import (
    check_readable,
    is_ensemble,
    outputs_of,
    read,
)
from cattleya.adapters.sklearn_tree import (
    adapt_tree,
    matched_names,
    nameless,
    names_in,
    one_output,
    saw_missing,
)
from cattleya.model.domain.domain import Category, Domain
from cattleya.model.tree.checks import check_names

__all__ = ["adapt"]


def adapt(
    model: Any,
    feature_names: Sequence[str] | None,
    missing_values: bool | None = None,
    output: int | None = None,
) -> AdaptedModel | AdaptedEnsemble:
    """Return the tree or ensemble of a fitted scikit-learn model, and the reader of its rows."""
    if isinstance(model, TransformedTargetRegressor):
        return adapt(_of_plain_target(model), feature_names, missing_values, output)
    if isinstance(model, Pipeline):
        return _adapt_pipeline(model, feature_names, missing_values, output)
    _check_model(model)
    return _adapt_last(model, missing_values, output, **matched_names(model, feature_names))


def _adapt_last(
    model: Any,
    missing_values: bool | None,
    output: int | None,
    *,
    shown: tuple[str, ...] | None,
    matched: tuple[str, ...] | None,
) -> AdaptedModel | AdaptedEnsemble:
    """Adapt a checked model; conditions print the names ``shown``, rows are ``matched`` by name."""
    if isinstance(model, BaseDecisionTree):
        return adapt_tree(model, missing_values, output, shown=shown, matched=matched)
    if (module := _other_library(model)) is not None:
        found = import_module(module).adapt(model, shown, missing_values, output)
        return cast("AdaptedEnsemble", replace(found, rows=with_columns(found.rows, names=matched)))
    count = outputs_of(model)
    place = chosen_output(output, count)
    ensemble = read(model, shown, place)
    rows = replace(ensemble.columns, columns=replace(ensemble.columns.columns, names=matched))
    asked = model if ensemble.categories else nameless(model)  # labels come in frames
    own: dict[str, Any] = {"own_predict": asked.predict}
    if not is_regressor(model):
        own["own_proba"] = asked.predict_proba
    if count > 1:
        own = {name: partial(one_output, ask, place) for name, ask in own.items()}
        own["output"] = place
    trees = getattr(model, "estimators_", ())
    adapted = AdaptedEnsemble(ensemble, rows, type(model).__name__, **own)
    fitted = [tree.tree_ for tree in np.ravel(trees)] if ensemble.missing_left is not None else []
    seen = any(saw_missing(tree, tree.children_left >= 0) for tree in fitted)
    return adapted_ensemble(adapted, missing_values, seen)


def _of_plain_target(model: Any) -> Any:
    """Return the regressor inside, where it predicts what the whole model does."""
    if not hasattr(model, "regressor_"):
        raise NotFittedError(
            "this TransformedTargetRegressor is not fitted yet; call its fit first"
        )
    if any((model.func, model.inverse_func, model.transformer)):
        raise TypeError(
            "cannot explain a TransformedTargetRegressor that transforms its target, because its "
            "numbers are computed from the tree's; give its regressor_, with thresholds on the "
            "transformed scale"
        )
    return model.regressor_


def _adapt_pipeline(
    pipeline: Pipeline,
    feature_names: Sequence[str] | None,
    missing_values: bool | None,
    output: int | None,
) -> AdaptedModel | AdaptedEnsemble:
    steps = _flat_steps(pipeline)
    model = steps[-1][1]
    _check_model(model)
    if len(steps) == 1:
        return adapt(model, feature_names, missing_values, output)
    transformer = Pipeline(deepcopy(steps[:-1]))  # a later fit of the pipeline is not ours
    raw_names = names_in(pipeline)
    raw_count = getattr(pipeline, "n_features_in_", None)
    given = None if feature_names is None else check_names(feature_names)
    if given is not None and raw_names is None and len(given) == raw_count:
        raw_names = check_names(given, raw_count)
        shown = _names_out(transformer, model, raw_names)
    elif given is not None:
        shown = check_names(given, model.n_features_in_)
    else:
        shown = _names_out(transformer, model, None)
    adapted = _adapt_last(model, missing_values, output, shown=shown, matched=None)
    fitted_on_frame = names_in(pipeline) is not None
    step = adapted.step
    names = adapted.shown_names if step is None else step.columns.ensemble.feature_names
    trace = partial(_trace, transformer, raw_names, raw_count, names, adapted.row_dtype, step)
    raw = RawColumns(raw_names, raw_count, fitted_on_frame)
    return _with_coded_gaps(behind_steps(adapted, raw, transformer, trace))


def _with_coded_gaps(adapted: AdaptedModel | AdaptedEnsemble) -> AdaptedModel | AdaptedEnsemble:
    """Return the same; with its routing of missing values where a category's code may be NaN.

    An encoder writes NaN for a missing category. That is a value like the others, so that where the
    tests send it is part of what they say, whether or not the training shows that it saw one.
    """
    if isinstance(adapted, AdaptedModel):
        routed: dict[str, Any] = {"tree": adapted.tree_for_all, "tree_for_missing": None}
        is_open = adapted.tree_for_missing is not None
    else:
        routed = {"takes_missing": True}
        takes = adapted.ensemble.missing_left is not None
        is_open = takes and adapted.takes_missing is not True
    if not is_open or adapted.trace is None or not _may_be_coded(adapted.trace(), adapted.tested):
        return adapted
    return replace(adapted, **routed)


def _may_be_coded(domain: Domain, tested: Collection[int]) -> bool:
    """Tell whether a category may be NaN in a column that is tested."""
    categories = (one for one in domain.attributes if isinstance(one, Category))
    return any(
        column in tested and np.isnan(code)
        for category in categories
        for point in category.points
        for column, code in zip(category.columns, point, strict=True)
    )


def _trace(
    transformer: Any,
    raw_names: tuple[str, ...] | None,
    raw_count: int | None,
    shown: tuple[str, ...],
    row_dtype: str,
    step: CategoryStep | None,
) -> Domain:
    from cattleya.adapters.pipeline.tracing import trace

    behind = None if step is None else step.traced
    return trace(transformer, raw_names, raw_count, shown, row_dtype, behind)


def _flat_steps(pipeline: Pipeline) -> list[tuple[str, Any]]:
    """Return the steps of a pipeline whose last step may be a pipeline again."""
    steps: list[tuple[str, Any]] = list(pipeline.steps)
    while isinstance(steps[-1][1], (Pipeline, TransformedTargetRegressor)):
        name, last = steps.pop()
        if isinstance(last, TransformedTargetRegressor):
            steps.append((name, _of_plain_target(last)))
            continue
        steps += [(f"{name}__{inner}", step) for inner, step in last.steps]
    return [step for step in steps[:-1] if step[1] not in (None, "passthrough")] + steps[-1:]


def _check_model(model: Any) -> None:
    what = type(model).__name__
    if _other_library(model) is not None:
        return  # which its reader checks
    if is_ensemble(model):
        check_readable(model)
        return
    if not isinstance(model, BaseDecisionTree):
        if hasattr(model, "best_estimator_"):
            raise TypeError(f"cannot explain {what} itself: give its best_estimator_")
        if hasattr(model, "estimators_"):
            raise TypeError(f"cannot explain {what}, which is no ensemble of trees; give a tree")
        raise TypeError(not_a_model(model))
    try:
        check_is_fitted(model, "tree_")
    except NotFittedError:
        raise NotFittedError(f"this {what} is not fitted yet; call its fit first") from None


def _other_library(model: Any) -> str | None:
    """Return the adapter of a pipeline's last step that is not scikit-learn's."""
    module = adapter_of(model)
    return None if module == ADAPTERS["sklearn"] else module


def _names_out(
    transformer: Any, model: Any, raw_names: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    known = names_in(model)  # where the pipeline hands a DataFrame to the tree
    if known is not None:
        return known
    try:
        names = tuple(str(name) for name in transformer.get_feature_names_out(raw_names))
    except (AttributeError, ValueError, NotFittedError):
        return None  # a step that cannot tell: columns are known by their place
    return names if len(set(names)) == model.n_features_in_ else None

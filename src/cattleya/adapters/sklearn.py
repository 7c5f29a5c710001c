"""scikit-learn's trees, and pipelines that end in one.

What scikit-learn decides, we decide: rows are cast to float32 and compared with float64
thresholds, the class of a leaf is the first of those with the largest value, a missing value goes
where the node sends it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.tree import BaseDecisionTree
from sklearn.utils.validation import check_is_fitted

from cattleya.adapters.adapted import AdaptedModel, not_a_model
from cattleya.adapters.pipeline.rows import PipelineRows
from cattleya.model.domain.domain import Domain
from cattleya.model.tree.checks import check_names
from cattleya.model.tree.rows import Columns, is_frame
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bools, Floats

__all__ = ["adapt"]


def adapt(
    model: Any, feature_names: Sequence[str] | None, missing_values: bool | None = None
) -> AdaptedModel:
    """Return the tree of a fitted scikit-learn model, and the reader of its rows."""
    if isinstance(model, Pipeline):
        return _adapt_pipeline(model, feature_names, missing_values)
    _check_tree(model)
    known = _names_in(model)
    shown = known if feature_names is None else check_names(feature_names, model.n_features_in_)
    matched = shown if known is None else known
    return _adapt_tree(model, missing_values, shown=shown, matched=matched)


def _adapt_tree(
    model: Any,
    missing_values: bool | None,
    *,
    shown: tuple[str, ...] | None,
    matched: tuple[str, ...] | None,
) -> AdaptedModel:
    """Adapt a checked tree; conditions print the names ``shown``, rows are ``matched`` by name."""
    fitted = model.tree_
    inner = fitted.children_left >= 0
    arrays = {
        "left": fitted.children_left,
        "right": fitted.children_right,
        "feature": np.where(inner, fitted.feature, -1),
        "threshold": fitted.threshold,
        "leaf_class": fitted.value[:, 0, :].argmax(axis=1),
        "n_features": model.n_features_in_,
        "feature_names": shown,
        "class_names": _labels(model.classes_),
        "row_dtype": "float32",
    }
    if missing_values is None:
        missing_values = _saw_missing(fitted, inner)
    plain = None if missing_values else Tree(**arrays)
    routed = Tree(**arrays, missing_left=fitted.missing_go_to_left.astype(np.bool_))
    columns = Columns(names=matched, count=model.n_features_in_, dtype="float32")
    # Asked about matrices, a model that knows names would warn that they have none.
    nameless = copy(model)
    vars(nameless).pop("feature_names_in_", None)
    rows = _TreeRows(replace(columns, takes_missing=True), nameless)
    if plain is None:
        return AdaptedModel(routed, rows, own_predict=nameless.predict)
    return AdaptedModel(plain, rows, tree_for_missing=routed, own_predict=nameless.predict)


def _saw_missing(fitted: Any, inner: Bools) -> bool:
    """Tell whether a tree was trained with missing values.

    scikit-learn does not keep that, but it shows: a node that saw none sends them to the child
    with more samples, and no node that saw none has an infinite threshold.
    """
    samples = fitted.n_node_samples
    larger_left = samples[fitted.children_left[inner]] > samples[fitted.children_right[inner]]
    follows_rule = fitted.missing_go_to_left[inner].astype(np.bool_) == larger_left
    return bool(not follows_rule.all() or np.isinf(fitted.threshold[inner]).any())


@dataclass(frozen=True)
class _TreeRows:
    """Rows of a tree; whether it takes a missing value is asked of the model itself."""

    columns: Columns
    model: Any

    def row(self, x: Any) -> Floats:
        row = self.columns.row(x)
        if np.isnan(row).any():
            self._ask_model(row[None, :])
        return row

    def matrix(self, X: Any) -> Floats:
        matrix = self.columns.matrix(X)
        if np.isnan(matrix).any():
            self._ask_model(matrix)
        return matrix

    def lines(self, X: Any) -> Any:
        return self.columns.lines(X)

    def _ask_model(self, matrix: Floats) -> None:
        # Which trees take missing values has changed from release to release.
        try:
            self.model.apply(matrix.astype(np.float32))
        except ValueError as error:
            names = sorted({self.columns.name(int(c)) for c in np.argwhere(np.isnan(matrix))[:, 1]})
            raise ValueError(
                f"{', '.join(map(repr, names))} is missing (NaN), but the model takes no missing "
                f"values; fill it in, or put an imputer before the tree"
            ) from error


def _adapt_pipeline(
    pipeline: Pipeline, feature_names: Sequence[str] | None, missing_values: bool | None
) -> AdaptedModel:
    steps = _flat_steps(pipeline)
    model = steps[-1][1]
    _check_tree(model)
    if len(steps) == 1:
        return adapt(model, feature_names, missing_values)
    transformer = Pipeline(deepcopy(steps[:-1]))  # a later fit of the pipeline is not ours
    raw_names = _names_in(pipeline)
    raw_count = getattr(pipeline, "n_features_in_", None)
    given = None if feature_names is None else check_names(feature_names)
    if given is not None and raw_names is None and len(given) == raw_count:
        raw_names = check_names(given, raw_count)
        shown = _names_out(transformer, model, raw_names)
    elif given is not None:
        shown = check_names(given, model.n_features_in_)
    else:
        shown = _names_out(transformer, model, None)
    adapted = _adapt_tree(model, missing_values, shown=shown, matched=None)
    fitted_on_frame = _names_in(pipeline) is not None
    trace = partial(_trace, transformer, raw_names, raw_count, adapted.tree)
    rows = PipelineRows(
        *(transformer, adapted.rows, raw_names, raw_count, fitted_on_frame), adapted, trace
    )
    predict = partial(_predict, transformer, adapted.predict)
    return replace(adapted, rows=rows, trace=trace, own_predict=predict)


def _predict(transformer: Any, predict: Callable[[Any], Any], X: Any) -> Any:
    transformed = transformer.transform(X)
    return predict(np.asarray(transformed) if is_frame(transformed) else transformed)


def _trace(
    transformer: Any, raw_names: tuple[str, ...] | None, raw_count: int | None, tree: Tree
) -> Domain:
    from cattleya.adapters.pipeline.tracing import trace

    return trace(transformer, raw_names, raw_count, tree.feature_names, tree.row_dtype)


def _flat_steps(pipeline: Pipeline) -> list[tuple[str, Any]]:
    """Return the steps of a pipeline whose last step may be a pipeline again."""
    steps: list[tuple[str, Any]] = list(pipeline.steps)
    while isinstance(steps[-1][1], Pipeline):
        name, last = steps.pop()
        steps += [(f"{name}__{inner}", step) for inner, step in last.steps]
    return [step for step in steps[:-1] if step[1] not in (None, "passthrough")] + steps[-1:]


def _check_tree(model: Any) -> None:
    what = type(model).__name__
    if not isinstance(model, BaseDecisionTree):
        if hasattr(model, "best_estimator_"):
            raise TypeError(f"cannot explain {what} itself: give its best_estimator_")
        if hasattr(model, "estimators_"):
            trees = [tree for tree in np.ravel(model.estimators_)[:1] if is_classifier(tree)]
            remedy = "one of its trees, model.estimators_[0]" if trees else "a single tree"
            raise TypeError(f"cannot explain {what}, which is more than one tree; give {remedy}")
        raise TypeError(not_a_model(model))
    if is_regressor(model):
        raise TypeError(f"cannot explain {what}: it predicts numbers; give a classification tree")
    try:
        check_is_fitted(model, "tree_")
    except NotFittedError:
        raise NotFittedError(f"this {what} is not fitted yet; call its fit first") from None
    if model.n_outputs_ != 1:
        raise ValueError(
            f"this {what} predicts {model.n_outputs_} outputs at once; train a tree for each"
        )


def _names_in(model: Any) -> tuple[str, ...] | None:
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else tuple(str(name) for name in names)


def _names_out(
    transformer: Any, model: Any, raw_names: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    known = _names_in(model)  # where the pipeline hands a DataFrame to the tree
    if known is not None:
        return known
    try:
        names = tuple(str(name) for name in transformer.get_feature_names_out(raw_names))
    except (AttributeError, ValueError, NotFittedError):
        return None  # a step that cannot tell: columns are known by their place
    return names if len(set(names)) == model.n_features_in_ else None


def _labels(classes: npt.NDArray[Any]) -> tuple[Hashable, ...]:
    # Plain Python values print and compare better; dates lose their unit that way.
    return tuple(classes.tolist() if classes.dtype.kind in "biufUSO" else classes)

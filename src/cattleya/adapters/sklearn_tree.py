"""A fitted tree of scikit-learn, by the arrays that it keeps: nothing is imported from its library.

So a tree that lies in a file is explained without scikit-learn (``stored_tree``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya.adapters.adapted import AdaptedModel, TrainingRows, chosen_output
from cattleya.model.tree.checks import check_names
from cattleya.model.tree.rows import Columns
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bools, Floats

__all__ = [
    "TreeRows",
    "adapt_tree",
    "matched_names",
    "nameless",
    "names_in",
    "one_output",
    "saw_missing",
]


def adapt_tree(
    model: Any,
    missing_values: bool | None,
    output: int | None,
    *,
    shown: tuple[str, ...] | None,
    matched: tuple[str, ...] | None,
) -> AdaptedModel:
    """Adapt a checked tree; conditions print the names ``shown``, rows are ``matched`` by name."""
    fitted = model.tree_
    inner = fitted.children_left >= 0
    place = chosen_output(output, model.n_outputs_)
    several = model.n_outputs_ > 1
    arrays = {
        "left": fitted.children_left,
        "right": fitted.children_right,
        "feature": np.where(inner, fitted.feature, -1),
        "threshold": fitted.threshold,
        "n_features": model.n_features_in_,
        "feature_names": shown,
        "row_dtype": "float32",
        **_leaves(model, fitted.value[:, place, :], place if several else None),
    }
    if missing_values is None:
        missing_values = saw_missing(fitted, inner)
    plain = None if missing_values else Tree(**arrays)
    routed = Tree(**arrays, missing_left=fitted.missing_go_to_left.astype(np.bool_))
    columns = Columns(names=matched, count=model.n_features_in_, dtype="float32")
    bare = nameless(model)
    rows = TreeRows(replace(columns, takes_missing=True), bare)
    asked = {"own_predict": "predict", "own_proba": "predict_proba"}
    own: dict[str, Any] = {
        name: getattr(bare, ask) for name, ask in asked.items() if hasattr(bare, ask)
    }
    if several:
        own = {name: partial(one_output, ask, place) for name, ask in own.items()}
        own["output"] = place
    own["training"] = _training_rows(model, fitted.value[:, place, :])
    if plain is None:
        return AdaptedModel(routed, rows, **own)
    return AdaptedModel(plain, rows, tree_for_missing=routed, **own)


def _predicts_numbers(model: Any) -> bool:
    return not hasattr(model, "classes_")


def matched_names(
    model: Any, feature_names: Sequence[str] | None
) -> dict[str, tuple[str, ...] | None]:
    """Return the names that conditions print, and those that the columns of rows are matched by."""
    known = names_in(model)
    shown = known if feature_names is None else check_names(feature_names, model.n_features_in_)
    return {"shown": shown, "matched": shown if known is None else known}


def names_in(model: Any) -> tuple[str, ...] | None:
    """Return the names of the columns that a model was trained with."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else tuple(str(name) for name in names)


def nameless(model: Any) -> Any:
    """Return a model that does not warn that matrices have no names."""
    bare = copy(model)
    vars(bare).pop("feature_names_in_", None)
    return bare


def _training_rows(model: Any, value: Floats) -> TrainingRows:
    """Return what a tree keeps of the rows it was trained on: before scikit-learn 1.3, counts."""
    rows = model.tree_.n_node_samples.astype(np.intp)
    if _predicts_numbers(model):
        return TrainingRows(rows, np.zeros((len(rows), 0)))
    total = value.sum(axis=1, keepdims=True)
    mix = np.divide(value, total, out=np.zeros_like(value), where=total > 0)
    return TrainingRows(rows, mix)


def _leaves(model: Any, value: Floats, output: int | None) -> dict[str, Any]:
    """Return what the leaves predict of one output; None is the only one."""
    if _predicts_numbers(model):
        return {"leaf_class": None, "leaf_value": value[:, 0]}
    classes = model.classes_ if output is None else model.classes_[output]
    return {
        "leaf_class": value.argmax(axis=1),
        "class_names": _labels(classes),
        "leaf_probability": value[:, : len(classes)],
    }


def one_output(ask: Callable[[Any], Any], place: int, X: Any) -> Any:
    """Return one output of those that a model predicts: arrays side by side, or a list of them."""
    answer = ask(X)
    return answer[place] if isinstance(answer, list) else answer[:, place]


def saw_missing(fitted: Any, inner: Bools) -> bool:
    """Tell whether a tree was trained with missing values.

    scikit-learn does not keep that, but it shows: a node that saw none sends them to the child
    with more samples, and no node that saw none has an infinite threshold.
    """
    samples = fitted.n_node_samples
    larger_left = samples[fitted.children_left[inner]] > samples[fitted.children_right[inner]]
    follows_rule = fitted.missing_go_to_left[inner].astype(np.bool_) == larger_left
    return bool(not follows_rule.all() or np.isinf(fitted.threshold[inner]).any())


@dataclass(frozen=True)
class TreeRows:
    """Rows of a tree; whether it takes a missing value is asked of the model itself."""

    columns: Columns
    model: Any

    def row(self, x: Any) -> Floats:
        """Return a row as the tree sees it."""
        row = self.columns.row(x)
        if np.isnan(row).any():
            self._ask_model(row[None, :])
        return row

    def matrix(self, X: Any) -> Floats:
        """Return several rows likewise."""
        matrix = self.columns.matrix(X)
        if np.isnan(matrix).any():
            self._ask_model(matrix)
        return matrix

    def ranges(self, X: Any) -> tuple[Floats, Floats] | None:
        """Return the ranges of the columns, where no number is missing."""
        return self.columns.ranges(X)

    def lines(self, X: Any) -> Any:
        """Return rows to be read one by one."""
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


def _labels(classes: npt.NDArray[Any]) -> tuple[Hashable, ...]:
    # Plain Python values print and compare better; dates lose their unit that way.
    return tuple(classes.tolist() if classes.dtype.kind in "biufUSO" else classes)

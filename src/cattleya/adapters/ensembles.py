"""An ensemble as the library sees it; and the tree that an ensemble of one tree is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from cattleya.adapters.adapted import AdaptedModel
from cattleya.adapters.category_sets import CategoryStep, SetRows
from cattleya.model.domain.domain import Domain
from cattleya.model.ensemble.category_columns import as_columns
from cattleya.model.ensemble.ensemble import Ensemble
from cattleya.model.ensemble.links import probabilities
from cattleya.model.ensemble.rows import EnsembleRows
from cattleya.model.tree.rows import RowReader
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Floats

__all__ = ["AdaptedEnsemble", "adapted_ensemble"]


@dataclass(frozen=True, eq=False)
class AdaptedEnsemble:
    """An ensemble, its rows, and what values there are, as :class:`AdaptedModel` has them.

    ``name`` is what the user calls the model. ``takes_missing`` tells whether rows with missing
    values are considered: always, never, or (None) only in rows that lack a value that is tested.
    An ensemble that was read with categories tests columns that ``step`` makes of them.
    """

    ensemble: Ensemble
    rows: RowReader
    name: str
    step: CategoryStep | None = None
    takes_missing: bool | None = None
    trace: Callable[[], Domain] | None = None
    own_predict: Callable[[Any], Any] | None = None
    own_proba: Callable[[Any], Any] | None = None
    output: int | None = None
    target_name: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def as_read(self) -> Ensemble:
        """The ensemble as it was read, with its categories."""
        return self.ensemble if self.step is None else self.step.columns.ensemble

    @property
    def row_dtype(self) -> str:
        """What rows are cast to before they meet a threshold."""
        return self.ensemble.row_dtype

    @cached_property
    def tested(self) -> frozenset[int]:
        """The columns that some node tests."""
        return frozenset(np.unique(self.ensemble.feature[self.ensemble.left >= 0]).tolist())

    @property
    def shown_names(self) -> tuple[str, ...]:
        """The names of the columns of the trees."""
        return self.ensemble.feature_names

    def classes_of(self, numbers: Floats) -> Any:
        """Return the class of each of several rows of numbers, or what is predicted for it."""
        return self.ensemble.decided(self.ensemble.margins_of(numbers))

    def predict(self, X: Any) -> Any:
        """Return the predictions for rows as the user gives them, by the model's own code."""
        return (self.own_predict or self.ensemble.predict)(X)

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities of the classes likewise."""
        return (self.own_proba or self.ensemble.predict_proba)(X)

    def of_numbers(self, domain: Domain) -> AdaptedEnsemble:
        """Return the same for rows of numbers only: plain data, without the model's library."""
        plain = self.ensemble.columns.columns
        bare: dict[str, Any] = {"own_predict": None, "own_proba": None}
        return replace(self, rows=plain, trace=partial(_known, domain), **bare)


def _known(domain: Domain) -> Domain:
    return domain


def adapted_ensemble(
    adapted: AdaptedEnsemble, missing_values: bool | None, saw_missing: bool = False
) -> AdaptedModel | AdaptedEnsemble:
    """Return an ensemble as a model; one of a single tree as that tree, where it can be one.

    ``saw_missing`` tells whether it is known to be trained with missing values.
    """
    adapted = _without_categories(adapted, missing_values)
    ensemble, given = adapted.ensemble, missing_values
    routed = None if ensemble.missing_left is None else _as_tree(ensemble, routed=True)
    if missing_values is None:
        missing_values = saw_missing or bool(np.isinf(ensemble.threshold).any())
    plain = None if missing_values and routed is not None else _as_tree(ensemble, routed=False)
    tree = routed if plain is None else plain
    if tree is None:
        return replace(adapted, takes_missing=_takes_missing(ensemble, missing_values, given))
    return AdaptedModel(
        tree,
        adapted.rows,
        tree_for_missing=None if plain is None else routed,
        trace=adapted.trace,
        own_predict=adapted.own_predict,
        own_proba=adapted.own_proba,
        output=adapted.output,
        ensemble=adapted.as_read,
        step=adapted.step,
    )


def _without_categories(adapted: AdaptedEnsemble, missing_values: bool | None) -> AdaptedEnsemble:
    """Return an ensemble with categories as one whose columns are made of them."""
    given, read = adapted.ensemble, adapted.rows
    if not (len(given.set_left) or given.categories):
        return adapted
    assert isinstance(read, EnsembleRows)
    ensemble, columns = as_columns(given)
    takes_missing = given.missing_left is not None and missing_values is not False
    step = CategoryStep(columns, takes_missing, ensemble.feature_names)
    names = read.columns.names
    rows = SetRows(names, given.n_features, names is not None, read, step)
    asked: dict[str, Any] = {"own_predict": adapted.own_predict or given.predict}
    if given.class_names is not None:
        asked["own_proba"] = adapted.own_proba or given.predict_proba
    return replace(adapted, ensemble=ensemble, rows=rows, step=step, trace=step.domain, **asked)


def _takes_missing(ensemble: Ensemble, shows: bool, given: bool | None) -> bool | None:
    if ensemble.missing_left is None:
        return False
    return (True if shows else None) if given is None else given


def _as_tree(ensemble: Ensemble, *, routed: bool) -> Tree | None:
    """Return the tree that an ensemble of one is: what each leaf predicts, by the ensemble itself.

    None where it is more than one, or has a threshold or a number that a tree cannot have.
    """
    if ensemble.n_trees != 1 or (ensemble.class_names is None and ensemble.n_outputs > 1):
        return None
    if not np.isfinite(ensemble.threshold).all() and not routed:
        return None
    if not np.isnan(ensemble.missing_value) or ensemble.reading:
        return None
    margins = ensemble.margins_of_leaves()
    leaf = ensemble.left < 0
    leaves: dict[str, Any] = {"leaf_class": None, "class_names": ensemble.class_names}
    if ensemble.class_names is None:
        predicted = ensemble.decided(margins)
        leaves["leaf_value"] = np.zeros(len(leaf), dtype=predicted.dtype)
        leaves["leaf_value"][leaf] = predicted
    else:
        shares = probabilities(ensemble.link, margins, ensemble.link_scale)
        leaves["leaf_class"] = np.full(len(leaf), -1, dtype=np.int32)
        leaves["leaf_class"][leaf] = ensemble.classes_of(margins)
        leaves["leaf_probability"] = np.zeros((len(leaf), shares.shape[1]), dtype=shares.dtype)
        leaves["leaf_probability"][leaf] = shares
    return Tree(
        ensemble.left,
        ensemble.right,
        ensemble.feature,
        ensemble.threshold,
        n_features=ensemble.n_features,
        feature_names=ensemble.feature_names if ensemble.has_names else None,
        missing_left=ensemble.missing_left if routed else None,
        row_dtype=ensemble.row_dtype,
        **leaves,
    )

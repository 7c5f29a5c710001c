"""The way in: a model, then its rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from cattleya.adapters import adapt
from cattleya.explanation import Explanation
from cattleya.limits import MEMORY_LIMIT, checked_memory
from cattleya.tree import Tree, check_names
from cattleya.walker import Walker

__all__ = ["Explainer"]

VOCABULARIES = ("conditions",)


class Explainer:
    """Explains what a decision tree decides.

    Parameters
    ----------
    model : Tree, or a fitted scikit-learn tree, or a Pipeline that ends in one
        ``DecisionTreeClassifier`` or ``ExtraTreeClassifier``. It is read once: a model that is
        fitted again needs a new explainer.
    feature_names : sequence of str, optional
        Names to show; by default those the model was trained with.
    class_names : sequence of str, optional
        Names to show for the model's classes, in the order of ``model.classes_``.
    over : {"conditions"}
        What explanations are made of: the tree's binary conditions, as in the paper.
    missing_values : bool, optional
        Whether the model was trained with missing values. Then the side to which a test sends them
        is part of each condition (``age <= 30.5 or missing``). By default this is taken from the
        tree where it shows: scikit-learn does not keep it, and a tree with few missing values may
        look like one with none. It is then part of the conditions only in rows that have some.
    memory_limit : int
        What one question may take, in bytes (by default 1 GiB). One that would need more raises
        :class:`cattleya.MemoryLimitExceeded`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> import cattleya
    >>> iris = load_iris(as_frame=True)
    >>> model = DecisionTreeClassifier(random_state=0).fit(iris.data, iris.target)
    >>> e = cattleya.Explainer(model, class_names=iris.target_names).explain(iris.data.iloc[[0]])
    >>> e.prediction, e.prediction_name
    (0, 'setosa')
    >>> print(e.sufficient_reason())
    petal width (cm) <= 0.800000011920929
    """

    def __init__(
        self,
        model: Any,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
        over: str = "conditions",
        *,
        missing_values: bool | None = None,
        memory_limit: int = MEMORY_LIMIT,
    ) -> None:
        if over not in VOCABULARIES:
            raise ValueError(f"over must be one of {VOCABULARIES}, not {over!r}")
        self.over = over
        self.memory_limit = checked_memory(memory_limit)
        if missing_values not in (None, True, False):
            raise TypeError(f"missing_values must be True, False or None, not {missing_values!r}")
        self._model = adapt(model, feature_names, missing_values)
        self._class_labels = _labels(class_names, self._model.tree.class_names)
        self._walker = Walker(self._model.tree)

    @property
    def tree(self) -> Tree:
        """The tree that is explained."""
        return self._model.tree

    @cached_property
    def _walker_for_missing(self) -> Walker:
        # A model may take missing values without ever having seen one. Where they go is then part
        # of the conditions only for the rows that have some.
        tree = self._model.tree_for_missing
        return self._walker if tree is None else Walker(tree)

    def explain(self, x: Any) -> Explanation:
        """Explain one row.

        Parameters
        ----------
        x : array, list, dict by name, Series, one-row DataFrame or sparse row
            As the model takes it; for a Pipeline, before its transformations. Where both the model
            and the row have names, columns are matched by name.
        """
        row = self._model.rows.row(x)
        walker = self._walker
        if self._model.tree_for_missing is not None and np.isnan(row).any():
            walker = self._walker_for_missing
        return Explanation(walker, self._model.rows, row, self._class_labels, self.memory_limit)

    def __repr__(self) -> str:
        return f"<Explainer over {self.over} of {self.tree!r}>"


def _labels(names: Sequence[str] | None, classes: tuple[Any, ...]) -> tuple[str, ...]:
    if names is None:
        return tuple(str(label) for label in classes)
    if isinstance(names, str):
        raise TypeError(f"class_names must be a sequence of names, not the one text {names!r}")
    if len(names) != len(classes):
        raise ValueError(
            f"{len(names)} class names were given, but the model has {len(classes)} classes: "
            f"{', '.join(repr(label) for label in classes)}"
        )
    return check_names(list(names), len(classes), "class names")

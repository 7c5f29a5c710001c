"""scikit-learn models to test with, their data, and one row in every form a user may have it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import cattleya

COLUMNS = ["age", "income", "height", "weight"]


def numbers(n_classes: int = 2) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of four named numeric columns, and classes 0, 1, ..."""
    values, classes = make_classification(
        n_samples=150,
        n_features=4,
        n_informative=4,
        n_redundant=0,
        n_classes=n_classes,
        n_clusters_per_class=1,
        flip_y=0.2,
        random_state=0,
    )
    return pd.DataFrame(values, columns=COLUMNS), classes


def fitted(model: Any = None) -> tuple[Any, pd.DataFrame]:
    """A tree trained on a DataFrame, and the DataFrame."""
    table, classes = numbers()
    return (model or DecisionTreeClassifier(random_state=0)).fit(table, classes), table


def check_predictions(model: Any, rows: Any, forms: Any = None) -> None:
    """Every row gets the class that the model gives, and its reason holds."""
    explainer = cattleya.Explainer(model)
    for row, predicted in zip(
        forms if forms is not None else rows, model.predict(rows), strict=True
    ):
        e = explainer.explain(row)
        assert e.prediction == predicted
        assert e.verify(e.sufficient_reason())


def features(explainer: cattleya.Explainer, row: Any) -> set[str]:
    """The features that the conditions of a row are about."""
    return {condition.feature for condition in explainer.explain(row).conditions}


def as_sparse(form: Callable[[Any], Any]) -> Callable[[pd.Series], Any]:
    """A row as a sparse matrix of one line."""
    return lambda row: form(row.to_numpy().reshape(1, -1))


FORMS: dict[str, Callable[[pd.Series], Any]] = {
    "array": lambda row: row.to_numpy(),
    "array of objects": lambda row: row.to_numpy().astype(object),
    "list": lambda row: row.tolist(),
    "tuple": tuple,
    "dict": lambda row: row.to_dict(),
    "dict in another order": lambda row: dict(reversed(row.to_dict().items())),
    "Series": lambda row: row,
    "Series in another order": lambda row: row[["weight", "age", "height", "income"]],
    "one-row DataFrame": lambda row: row.to_frame().T,
    "one-row DataFrame in another order": lambda row: row[::-1].to_frame().T,
    "csr_matrix": as_sparse(sparse.csr_matrix),
    "csr_array": as_sparse(sparse.csr_array),
    "csc_matrix": as_sparse(sparse.csc_matrix),
    "coo_array": as_sparse(sparse.coo_array),
}

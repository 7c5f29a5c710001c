"""The data sets of the paper's table, where they are present: real trees, real rows.

One tree a set, trained on nine tenths with scikit-learn's defaults. Every row of the last tenth
gets the model's class; some of them are explained, and `verify` accepts every sufficient reason.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

import cattleya

EXPLAINED_ROWS = 30


def load_table(path: Path) -> tuple[Any, Any]:
    """A table whose last column is the label; text becomes numbers, gaps stay gaps."""
    table = pd.read_csv(path)
    labels = table.pop(table.columns[-1])
    for column in table.columns:
        if not pd.api.types.is_numeric_dtype(table[column]):
            codes, _ = pd.factorize(table[column], sort=True)
            table[column] = np.where(codes < 0, np.nan, codes)
    return table.astype(float), labels.to_numpy()


def load_pixels(path: Path) -> tuple[Any, Any]:
    with np.load(path) as arrays:
        return arrays["pixels"].reshape(len(arrays["digit"]), -1), arrays["digit"]


def load_words(path: Path) -> tuple[Any, Any]:
    with np.load(path) as arrays:
        indices, indptr = arrays["indices"], arrays["indptr"]
        ones = np.ones(len(indices), dtype=np.float32)
        shape = tuple(arrays["shape"].tolist())
        return sparse.csr_array((ones, indices, indptr), shape=shape), arrays["y"]


SETS: dict[str, Callable[[Path], tuple[Any, Any]]] = {
    "adult.csv.gz": load_table,
    "bank_marketing.csv.gz": load_table,
    "bank.csv.gz": load_table,
    "lending_loan.csv.gz": load_table,
    "recidivism.csv.gz": load_table,
    "contraceptive.csv.gz": load_table,
    "compas.csv.gz": load_table,
    "spambase.csv.gz": load_table,
    "farm_ads.npz": load_words,
    "mnist38.npz": load_pixels,
    "mnist49.npz": load_pixels,
}


def rows_of(table: Any, places: Any) -> list[Any]:
    """Single rows, in the form in which a user of such data has them."""
    if isinstance(table, pd.DataFrame):
        return list(table.to_numpy()[places])
    if sparse.issparse(table):
        return [table[[place]] for place in places]
    return list(table[places])


def fit(table: Any, labels: Any) -> tuple[Any, Any]:
    """A tree on nine tenths of the rows, and the places of the others."""
    places = np.random.default_rng(0).permutation(len(labels))
    held_out, rest = np.split(places, [len(labels) // 10])
    train = table.iloc[rest] if isinstance(table, pd.DataFrame) else table[rest]
    return DecisionTreeClassifier(random_state=0).fit(train, labels[rest]), held_out


@pytest.mark.parametrize("name", SETS)
def test_real_data(name: str, data_folder: Path) -> None:
    path = data_folder / name
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    table, labels = SETS[name](path)
    model, held_out = fit(table, labels)
    predicted = model.predict(table.iloc[held_out] if hasattr(table, "iloc") else table[held_out])
    explainer = cattleya.Explainer(model)
    explanations = [explainer.explain(row) for row in rows_of(table, held_out)]
    assert [e.prediction for e in explanations] == predicted.tolist()
    for e in explanations[:EXPLAINED_ROWS]:
        check_reasons(e)


def check_reasons(e: cattleya.Explanation) -> None:
    reason = e.sufficient_reason()
    assert e.verify(reason)
    assert e.necessary() <= reason <= e.relevant()
    assert reason <= e.direct_reason()
    assert e.verify(e.direct_reason()).sufficient
    for contrast in e.contrastive():
        assert not reason.isdisjoint(contrast)
    for contrast in (e.contrastive()[0], e.contrastive()[-1]):
        assert not e.verify(e.conditions.difference(contrast)).sufficient

"""Pipelines that end in a tree: rows are given as they are before the transformers."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import cattleya
from tests.checks.explanation import naming
from tests.samples.models import COLUMNS, FORMS, check_predictions, features, fitted, numbers
from tests.samples.trees import literal


def mixed() -> tuple[pd.DataFrame, list[str]]:
    """A table with text, numbers and gaps."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue"], size=120),
            "size": rng.normal(size=120).round(2),
            "shape": rng.choice(["round", "square"], size=120),
            "weight": rng.normal(size=120).round(2),
        }
    )
    table.loc[::7, "weight"] = np.nan
    labels = ["yes" if flip else "no" for flip in rng.integers(0, 2, size=120)]
    return table, labels


def mixed_pipeline(sparse_output: bool) -> Pipeline:
    columns = ColumnTransformer(
        [
            ("kind", OneHotEncoder(sparse_output=sparse_output), ["colour", "shape"]),
            ("number", make_pipeline(SimpleImputer(), StandardScaler()), ["weight", "size"]),
        ],
        sparse_threshold=1.0,
    )
    return make_pipeline(columns, DecisionTreeClassifier(random_state=0))


def test_a_scaler() -> None:
    model, table = fitted(make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0)))
    check_predictions(model, table, [row for _, row in table.iterrows()])
    explainer = cattleya.Explainer(model)
    assert features(explainer, table.iloc[0]) == set(COLUMNS)
    inner = cattleya.Explainer(model[-1])
    scaled = model[:-1].transform(table.iloc[:1])[0]
    plain = inner.explain(scaled).sufficient_reason()
    raw = explainer.explain(table.iloc[0]).sufficient_reason()
    assert set(map(literal, raw)) == set(map(literal, plain))


@pytest.mark.parametrize("form", ["dict", "Series", "one-row DataFrame", "list"])
@pytest.mark.parametrize("sparse_output", [False, True])
def test_text_columns_and_gaps(form: str, sparse_output: bool) -> None:
    table, labels = mixed()
    model = mixed_pipeline(sparse_output).fit(table, labels)
    check_predictions(model, table, [FORMS[form](row) for _, row in table.iterrows()])
    names = cattleya.Explainer(model).tree.feature_names
    assert names == tuple(model[:-1].get_feature_names_out())
    assert "kind__colour_red" in names


def test_text_columns_in_another_order() -> None:
    table, labels = mixed()
    model = mixed_pipeline(sparse_output=False).fit(table, labels)
    shuffled = table[["weight", "shape", "size", "colour"]]
    check_predictions(model, table, [row for _, row in shuffled.iterrows()])
    check_predictions(model, table, [shuffled.iloc[[i]] for i in range(len(shuffled))])


def test_a_pipeline_trained_on_an_array() -> None:
    table, classes = numbers()
    values = table.to_numpy()
    model = make_pipeline(StandardScaler(), ExtraTreeClassifier(random_state=0))
    check_predictions(model.fit(values, classes), values)
    check_predictions(model, values, values.tolist())


def test_text_and_numbers_in_an_array() -> None:
    table, labels = mixed()
    rows = table.to_numpy(dtype=object)
    columns = ColumnTransformer(
        [("kind", OneHotEncoder(), [0, 2]), ("number", SimpleImputer(), [1, 3])]
    )
    model = make_pipeline(columns, DecisionTreeClassifier(random_state=0)).fit(rows, labels)
    check_predictions(model, rows)
    check_predictions(model, rows, rows.tolist())


def test_a_gap_written_as_none() -> None:
    table, labels = mixed()
    model = mixed_pipeline(sparse_output=False).fit(table, labels)
    explainer = cattleya.Explainer(model)
    row = table.iloc[0].to_dict()
    assert np.isnan(row["weight"])
    assert explainer.explain({**row, "weight": None}).prediction == model.predict(table.iloc[:1])[0]


@pytest.mark.parametrize(
    "steps",
    [
        [DecisionTreeClassifier(random_state=0)],
        ["passthrough", DecisionTreeClassifier(random_state=0)],
        [SelectKBest(k=2), DecisionTreeClassifier(random_state=0)],
        [make_pipeline(StandardScaler(), SelectKBest(k=3)), ExtraTreeClassifier(random_state=0)],
        [OrdinalEncoder(), make_pipeline("passthrough", DecisionTreeClassifier(random_state=0))],
    ],
    ids=["tree alone", "passthrough", "selection", "pipeline inside", "pipeline at the end"],
)
def test_other_pipelines(steps: list[Any]) -> None:
    model, table = fitted(make_pipeline(*steps))
    check_predictions(model, table, [row for _, row in table.iterrows()])


def test_a_scaler_that_hands_on_a_data_frame() -> None:
    scaler = StandardScaler().set_output(transform="pandas")
    model, table = fitted(make_pipeline(scaler, DecisionTreeClassifier(random_state=0)))
    gaps = table.iloc[:40].copy()
    gaps.iloc[::2, 1] = np.nan
    check_predictions(model, gaps, [row for _, row in gaps.iterrows()])


def test_pickle() -> None:
    table, labels = mixed()
    model = mixed_pipeline(sparse_output=True).fit(table, labels)
    explainer = cattleya.Explainer(model)
    again = pickle.loads(pickle.dumps(explainer))
    for _, row in table.iloc[:10].iterrows():
        assert again.explain(row).contrastive() == explainer.explain(row).contrastive()


def test_reasons_cover_raw_rows() -> None:
    table, labels = mixed()
    model = mixed_pipeline(sparse_output=False).fit(table, labels)
    reason = cattleya.Explainer(model).explain(table.iloc[5]).sufficient_reason()
    covered = reason.covers(table)
    assert covered[5]
    assert not covered.all()
    assert set(model.predict(table[covered])) == {model.predict(table.iloc[[5]])[0]}


REFUSED: dict[str, tuple[Any, str]] = {
    "text for a number": ({"size": "huge"}, naming("huge")),
    "an unknown category": ({"colour": "mauve"}, naming("mauve")),
    "an unknown name": ({"price": 3.0}, naming("price")),
    "infinity": ({"size": np.inf}, naming("infinity")),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refuses_a_row_with(what: str) -> None:
    table, labels = mixed()
    explainer = cattleya.Explainer(mixed_pipeline(sparse_output=False).fit(table, labels))
    changes, message = REFUSED[what]
    with pytest.raises((ValueError, TypeError), match=message):
        explainer.explain({**table.iloc[1].to_dict(), **changes})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"colour": "red", "size": 1.0, "weight": 2.0}, naming("shape")),
        (pd.Series([], dtype=float), naming("row|colour")),
        (["red", 1.0], naming(r"\b2\b", r"\b4\b")),
        (None, naming("None")),
        ("red", naming("red")),
    ],
    ids=["a name lacks", "empty Series", "short", "None", "text"],
)
def test_refuses(row: Any, message: str) -> None:
    table, labels = mixed()
    explainer = cattleya.Explainer(mixed_pipeline(sparse_output=False).fit(table, labels))
    with pytest.raises((ValueError, TypeError), match=message):
        explainer.explain(row)


def test_refuses_two_rows() -> None:
    table, labels = mixed()
    explainer = cattleya.Explainer(mixed_pipeline(sparse_output=False).fit(table, labels))
    with pytest.raises((ValueError, TypeError), match=naming("row", r"\b2\b")):
        explainer.explain(table.iloc[:2])

"""Trees from tables of raw columns: which columns are numbers, categories, or neither."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.adapters.columns import ModelColumns
from cattleya.adapters.training.pipeline import CODINGS
from cattleya.adapters.training.table import TrainingTable
from cattleya.adapters.training.train import Trained, train_table
from cattleya.support.files.errors import TableFileError
from cattleya.support.files.tables import read_table
from tests.checks.command import wine_table

ROWS = 40


def train(data: pd.DataFrame, target: str, drop: Any = (), **settings: Any) -> Trained:
    return train_table(TrainingTable.of(data, target, drop), **settings)


def table(column: Any) -> pd.DataFrame:
    return pd.DataFrame({"c": column, "class": ["no", "yes"] * (ROWS // 2)})


NUMBERS: dict[str, Any] = {
    "truth values with a gap": [True, False, None, True] * 10,
    "truth values": [True, False] * 20,
    "decimals": [Decimal(n) / 3 for n in range(ROWS)],
    "nothing": [None] * ROWS,
    "large whole numbers": [10**25 + 10**20 * n for n in range(ROWS)],
}
CATEGORIES: dict[str, Any] = {
    "texts": ["a", "b", np.nan, "c"] * 10,
    "texts in a category": pd.Categorical(["a", "b", None, "c"] * 10),
    "numbers in a category": pd.Categorical([10, 9, None, 2] * 10),
}
NEITHER: dict[str, tuple[Any, str]] = {
    "lists": ([[1]] * ROWS, r"'c' is \[1\] in some rows:"),
    "days": (pd.date_range("2020", periods=ROWS), "'c' is Timestamp"),
    "no days": (pd.Series([None] * ROWS, dtype="datetime64[s]"), "'c' is NaT"),
    "dates": ([datetime.date(2020, 1, 1)] * ROWS, r"'c' is datetime.date\(2020, 1, 1\)"),
    "bytes": ([b"a"] * ROWS, "'c' is b'a' in some rows:"),
    "numbers and texts": (["a", 2] * 20, "'c' is 2 in some rows, and a text in others:"),
    "complex numbers": (np.arange(ROWS) * 1j, "'c' is 0j"),
    "durations": (pd.to_timedelta(range(ROWS), unit="s"), "'c' is Timedelta"),
}


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("what", [*NUMBERS, *CATEGORIES])
def test_columns_of_every_kind(what: str, coding: str) -> None:
    data = table(NUMBERS.get(what, CATEGORIES.get(what)))
    trained = train(data, "class", coding=coding)
    assert (trained.table.numbers if what in NUMBERS else trained.table.categories) == ["c"]
    explainer = cattleya.Explainer(trained.model)
    rows = data.drop(columns="class")
    predicted = trained.model.predict(rows)
    assert [e.prediction for e in map(explainer.explain, rows.to_dict("records"))] == [*predicted]
    for number in range(4):
        e = explainer.explain(rows.iloc[[number]])
        assert e.prediction == predicted[number]
        assert e.verify(e.sufficient_reason())


@pytest.mark.parametrize("coding", CODINGS)
def test_none_is_missing(coding: str, tmp_path: Path) -> None:
    texts = pd.Series(["a", "b", None, "c"] * 10, dtype=object)
    trained = train(table(texts), "class", coding=coding)
    assert trained.table.missing == {"c": 10}
    pytest.importorskip("pyarrow")
    table(texts).to_parquet(tmp_path / "t.parquet")
    rows = read_table(tmp_path / "t.parquet").drop(columns="class")
    assert len(trained.model.predict(rows)) == ROWS


@pytest.mark.parametrize("what", NEITHER)
def test_a_column_that_is_neither_numbers_nor_texts(what: str) -> None:
    column, message = NEITHER[what]
    with pytest.raises(TypeError, match=rf"{message}.* or drop the column"):
        train(table(column), "class")
    dropped = train(table(column).assign(n=[1, 2] * 20), "class", drop=["c"])
    assert dropped.table.numbers == ["n"]


def test_classes_that_are_large_numbers() -> None:
    large = [2**63, 2**63 + 5] * 20
    trained = train(pd.DataFrame({"c": [1, 2] * 20, "class": np.array(large, np.uint64)}), "class")
    assert trained.table.class_sizes == {2**63: 20, 2**63 + 5: 20}
    gap = pd.DataFrame({"c": [1, 2, 3] * 20, "class": [2**60, 2**60 + 1, None] * 20})
    with pytest.raises(ValueError, match=r"'class' .* 1152921504606846976, too large to be told"):
        train(gap, "class")


def test_columns_that_look_like_identifiers_are_named() -> None:
    data = table([1.5, 2.5] * 20).assign(
        key=[f"k{n}" for n in range(ROWS)], id=range(7, 7 + ROWS), size=[n * n for n in range(ROWS)]
    )
    assert train(data, "class").table.identifiers == ["key", "id"]


@pytest.mark.parametrize("columns", [["a", "b"], [0, 1], slice(0, 2), [True, True, False]])
@pytest.mark.parametrize("encoder", [OrdinalEncoder, OneHotEncoder])
def test_columns_that_a_model_takes_as_text(columns: object, encoder: type) -> None:
    table = pd.DataFrame({"a": ["x", "1"] * 5, "b": [3, 4] * 5, "c": [1.5, 2.5] * 5})
    model = make_pipeline(
        make_column_transformer((encoder(), columns), remainder="passthrough"),
        DecisionTreeClassifier(),
    ).fit(table, [0, 1] * 5)
    found = ModelColumns.of(model)
    assert found.names == ("a", "b", "c")
    assert found.text == ("a",)
    chosen, extra = found.choose(table.assign(d=1)[["d", "c", "b", "a"]])
    assert list(chosen.columns) == ["a", "b", "c"]
    assert extra == ["d"]
    with pytest.raises(TableFileError, match="lacks the model's column 'b'; it has 'd' instead"):
        found.choose(table.drop(columns="b").assign(d=1))


def test_a_model_without_names() -> None:
    model = DecisionTreeClassifier().fit([[1, 2], [3, 4]], [0, 1])
    found = ModelColumns.of(model)
    table = pd.DataFrame({"p": [1], "q": [2]})
    assert list(found.choose(table)[0].columns) == ["p", "q"]
    named = pd.DataFrame({"y": [0], "x1": [2], "x0": [1]})
    assert list(found.choose(named)[0].columns) == ["x0", "x1"]
    with pytest.raises(TableFileError, match="takes 2 columns in order, but the table has 3"):
        found.choose(table.assign(r=3))


@pytest.mark.parametrize("coding", ["ordinal", "onehot"])
def test_training(coding: str) -> None:
    table = wine_table()
    table.loc[5, "grower"] = None
    trained = train(table, "grower", drop=["bottle"], coding=coding)
    assert trained.table.rows_without_target == 1
    assert len(trained.learned) + len(trained.held_out) == len(table) - 1
    assert 5 not in trained.held_out
    rows = table.iloc[trained.held_out]
    right = trained.model.predict(rows.drop(columns=["bottle", "grower"])) == rows["grower"]
    assert trained.chosen.right == right.sum()
    assert trained.table.categories == ["colour"]
    names = trained.model[0].get_feature_names_out()
    assert ("colour" in names) == (coding == "ordinal")
    assert ("colour_dark" in names) == (coding == "onehot")


def test_training_with_one_hot_names_that_meet() -> None:
    table = pd.DataFrame({"a": ["b", "c"] * 10, "a_b": [1.0, 2.0] * 10, "y": ["u", "v"] * 10})
    trained = train(table, "y", coding="onehot")
    names = trained.model[0].get_feature_names_out()
    assert len(set(names)) == 3


def test_training_refuses_a_table_that_one_hot_makes_too_wide() -> None:
    table = pd.DataFrame({"name": [f"n{i}" for i in range(20_000)], "y": [0, 1] * 10_000})
    with pytest.raises(ValueError, match="'name' has 20000 categories"):
        train(table, "y", coding="onehot")


def test_training_on_whole_numbers_with_gaps() -> None:
    table = pd.DataFrame({"x": [1.0, 2.0] * 10, "y": [0.0, 1.0] * 9 + [0.0, np.nan]})
    trained = train(table, "y")
    assert trained.model.classes_.tolist() == [0, 1]
    assert trained.model.classes_.dtype.kind == "i"

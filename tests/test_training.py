"""Trees from tables of raw columns: which columns are numbers, categories, or neither."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import cattleya
from cattleya.adapters.training import CODINGS, train
from cattleya.support.files.tables import read_table

ROWS = 40


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
    assert (trained.numbers if what in NUMBERS else trained.categories) == ["c"]
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
    assert trained.missing == {"c": 10}
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
    assert dropped.numbers == ["n"]


def test_classes_that_are_large_numbers() -> None:
    large = [2**63, 2**63 + 5] * 20
    trained = train(pd.DataFrame({"c": [1, 2] * 20, "class": np.array(large, np.uint64)}), "class")
    assert trained.class_sizes == {2**63: 20, 2**63 + 5: 20}
    gap = pd.DataFrame({"c": [1, 2, 3] * 20, "class": [2**60, 2**60 + 1, None] * 20})
    with pytest.raises(ValueError, match=r"'class' .* 1152921504606846976, too large to be told"):
        train(gap, "class")


def test_columns_that_look_like_identifiers_are_named() -> None:
    data = table([1.5, 2.5] * 20).assign(
        key=[f"k{n}" for n in range(ROWS)], id=range(7, 7 + ROWS), size=[n * n for n in range(ROWS)]
    )
    assert train(data, "class").identifiers == ["key", "id"]

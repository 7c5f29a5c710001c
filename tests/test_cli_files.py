"""Files: written in full or not at all; models and tables in their many shapes."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command import wine_table
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from cattleya.files import tables
from cattleya.files.atomic import write_bytes, write_text
from cattleya.files.errors import TableFileError
from cattleya.files.model_columns import ModelColumns
from cattleya.files.models import read_model, write_model
from cattleya.files.tables import read_table
from cattleya.training import train


def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "file"
    target.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_text(target, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert target.read_text() == "old"


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_write_that_is_interrupted_leaves_one_of_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    rename = os.replace

    def interrupted(old: Path, new: Path) -> None:
        if moment == "after":
            rename(old, new)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_text(target, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert target.read_text() == ("old" if moment == "before" else "new")


def test_an_error_names_the_file_that_was_meant(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        write_text(tmp_path / "nowhere" / "file", "new")
    assert caught.value.filename == str(tmp_path / "nowhere" / "file")


def test_a_write_keeps_links_and_modes(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "file").chmod(0o600)
    (tmp_path / "link").symlink_to("file")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600


def test_a_device_is_written_to_not_replaced() -> None:
    write_bytes(os.devnull, b"anything")
    assert Path(os.devnull).is_char_device()


def test_a_name_of_the_longest_length(tmp_path: Path) -> None:
    write_bytes(tmp_path / ("n" * 255), b"content")
    assert (tmp_path / ("n" * 255)).read_bytes() == b"content"


@pytest.mark.parametrize(
    "text",
    ["a,b c\n1,x\n", "a;b c\n1;x\n", "a\tb c\n1\tx\n", "\ufeffa,b c\r\n1,x\r\n", '"a","b c"\n1,x'],
)
def test_dialects_of_csv(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.csv").write_text(text, encoding="utf-8", newline="")
    table = read_table(tmp_path / "t.csv")
    assert table.to_dict("records") == [{"a": 1, "b c": "x"}]


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_only_a_heading_must_be_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(tables, "HEADING_BLOCK", 8)
    monkeypatch.setattr(tables, "LONGEST_HEADING", 32)
    path = tmp_path / "t.csv"
    path.write_text(end.join(["age,income", *["1,2"] * 40, ""]), newline="")
    assert read_table(path).to_dict("records") == [{"age": 1, "income": 2}] * 40
    path.write_text(end.join(["age,income" * 4, "1,2", ""]), newline="")
    with pytest.raises(TableFileError, match="its first line has more than"):
        read_table(path)


def test_text_stays_as_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("code,size\n007,1\n,2\n")
    table = read_table(tmp_path / "t.csv", text=("code", "not there"))
    assert table["code"].iloc[0] == "007"
    assert pd.isna(table["code"].iloc[1])
    assert read_table(tmp_path / "t.csv")["code"].iloc[0] == 7


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
    assert chosen["a"].tolist() == ["x", "1"] * 5  # a category that looks like a number is none
    assert extra == ["d"]
    with pytest.raises(TableFileError, match="lacks the model's column 'b'; it has 'd' instead"):
        found.choose(table.drop(columns="b").assign(d=1))


def test_a_model_without_names() -> None:
    model = DecisionTreeClassifier().fit([[1, 2], [3, 4]], [0, 1])
    found = ModelColumns.of(model)
    table = pd.DataFrame({"p": [1], "q": [2]})
    assert list(found.choose(table)[0].columns) == ["p", "q"]
    mixed = pd.DataFrame({"p": ["1", "two"], "q": [2, 3]})
    assert found.choose(mixed)[0]["p"].tolist() == [1.0, "two"]
    named = pd.DataFrame({"y": [0], "x1": [2], "x0": [1]})
    assert list(found.choose(named)[0].columns) == ["x0", "x1"]
    with pytest.raises(TableFileError, match="takes 2 columns in order, but the table has 3"):
        found.choose(table.assign(r=3))


@pytest.mark.parametrize("coding", ["ordinal", "onehot"])
def test_training(coding: str) -> None:
    table = wine_table()
    table.loc[5, "grower"] = None
    trained = train(table, "grower", drop=["bottle"], coding=coding)
    assert trained.rows_without_target == 1
    assert trained.trained_on + len(trained.held_out) == len(table) - 1
    assert 5 not in trained.held_out
    rows = table.iloc[trained.held_out]
    right = trained.model.predict(rows.drop(columns=["bottle", "grower"])) == rows["grower"]
    assert trained.right == right.sum()
    assert trained.categories == ["colour"]
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


def test_a_model_of_one_leaf_is_read(tmp_path: Path) -> None:
    write_model(tmp_path / "m.skops", DecisionTreeClassifier().fit([[0.0], [1.0]], ["only"] * 2))
    assert read_model(tmp_path / "m.skops").predict([[7.0]]).tolist() == ["only"]


def test_a_parquet_file_with_a_column_twice(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["age", "age"])
    parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(TableFileError, match="has the column 'age' twice; keep one"):
        read_table(tmp_path / "t.parquet")

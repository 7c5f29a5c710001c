"""Files: written in full or not at all; tables in their many shapes."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from cattleya.adapters.model_files import read_model, write_model
from cattleya.support.files import csv_form
from cattleya.support.files.atomic import write_bytes, write_text
from cattleya.support.files.errors import TableFileError
from cattleya.support.files.tables import read_table


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


def test_text_stays_as_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("code,size\n007,1\n,2\n")
    table = read_table(tmp_path / "t.csv", text=("code", "not there"))
    assert table["code"].iloc[0] == "007"
    assert pd.isna(table["code"].iloc[1])
    assert read_table(tmp_path / "t.csv")["code"].iloc[0] == 7


def test_a_parquet_file_with_a_column_twice(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["age", "age"])
    parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(TableFileError, match="has the column 'age' twice; keep one"):
        read_table(tmp_path / "t.parquet")


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


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_only_a_heading_must_be_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(csv_form, "BLOCK", 8)
    monkeypatch.setattr(csv_form, "LONGEST_HEADING", 32)
    path = tmp_path / "t.csv"
    path.write_text(end.join(["age,income", *["1,2"] * 40, ""]), newline="")
    assert read_table(path).to_dict("records") == [{"age": 1, "income": 2}] * 40
    path.write_text(end.join(["age,income" * 4, "1,2", ""]), newline="")
    with pytest.raises(TableFileError, match="its first line has more than"):
        read_table(path)


def test_a_model_of_one_leaf_is_read(tmp_path: Path) -> None:
    write_model(tmp_path / "m.skops", DecisionTreeClassifier().fit([[0.0], [1.0]], ["only"] * 2))
    assert read_model(tmp_path / "m.skops").predict([[7.0]]).tolist() == ["only"]

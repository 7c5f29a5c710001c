"""Where the experiments' data comes from, and what is said where it cannot be had."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

from cattleya.experiments.data.coding import from_table
from cattleya.experiments.data.registry import BUNDLED, REGISTRY, DataSetError, available, load


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled(name: str) -> None:
    data = load(name)
    assert len(data.features) == data.x.shape[1]
    assert set(data.y.tolist()) == set(range(len(data.classes)))
    assert data.checksum == load(name).checksum


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("income,city,age\nhigh,Lens,30\nlow,,\nhigh,Arras,50\n,Lens,7\n")
    data = load(str(path), target="income")
    assert data.classes == ("high", "low")
    assert data.y.tolist() == [0, 1, 0]
    # Text by rank, empty text -1, an empty number the median.
    assert data.x.tolist() == [[1, 30], [-1, 40], [0, 50]]
    assert load("people", tmp_path, "income").checksum == data.checksum
    with pytest.raises(ValueError, match="no column 'wage' to predict"):
        load("people", tmp_path, "wage")


def test_the_last_column_is_the_target_of_a_registered_file(tmp_path: Path) -> None:
    (tmp_path / "compas.csv").write_text("a,y\n1,0\n2,1\n")
    assert available(tmp_path) == ["compas"]
    assert load("compas", tmp_path).features == ("a",)


def test_a_table_of_ones_own_is_none_of_the_papers(tmp_path: Path) -> None:
    (tmp_path / "adult.csv").write_text("a,b\n1,x\n2,y\n")
    assert load("adult", tmp_path).name == "adult"
    assert load(str(tmp_path / "adult.csv")).name == "adult.csv"


def test_arrays(tmp_path: Path) -> None:
    np.savez(tmp_path / "mnist49.npz", pixels=np.zeros((4, 9), np.uint8), digit=[4, 9, 9, 4])
    images = load("mnist49", tmp_path)
    assert (images.x.shape, images.classes) == ((4, 9), ("4", "9"))
    np.savez(tmp_path / "farm_ads.npz", indices=[1, 0, 2], indptr=[0, 1, 3], shape=[2, 3], y=[0, 1])
    words = load("farm-ads", tmp_path)
    assert words.dense_row(1).tolist() == [1, 0, 1]
    assert words.row(0).shape == (1, 3)
    np.savez(tmp_path / "other.npz", z=[1])
    with pytest.raises(ValueError, match="must have 'pixels' and 'digit'"):
        load("other", tmp_path)


def test_neither_a_file_nor_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(**_: Any) -> None:
        raise URLError("no network")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", unreachable)
    with pytest.raises(DataSetError) as caught:
        load("adult", tmp_path)
    for way in (f"no adult.csv or adult.csv.gz or adult.npz in {str(tmp_path)!r}", "--data-dir"):
        assert way in str(caught.value)
    assert "https://www.openml.org/d/1590" in str(caught.value)
    with pytest.raises(DataSetError, match="bank is not at OpenML in the paper's form"):
        load("bank")
    with pytest.raises(DataSetError, match="there is no data set 'people'"):
        load("people")
    with pytest.raises(DataSetError, match="there is no file"):
        load("people.csv")


def test_openml(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Fetched:
        data = pd.DataFrame(np.zeros((REGISTRY["spambase"].rows, 57)))
        target = pd.Series(np.arange(REGISTRY["spambase"].rows) % 2)

    def fetch(**options: Any) -> type[Fetched]:
        asked.append(options["data_id"])
        return Fetched

    Fetched.data.columns = [f"c{i}" for i in range(57)]
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    assert load("spambase").origin == "OpenML 44"
    assert asked == [44]
    with pytest.raises(DataSetError, match="another version, or damaged"):
        load("adult")


def test_one_class_only() -> None:
    with pytest.raises(ValueError, match="nothing to learn"):
        from_table("t", "t.csv", pd.DataFrame({"a": [1, 2], "y": ["b", "b"]}))
    with pytest.raises(ValueError, match="'a' is empty"):
        from_table("t", "t.csv", pd.DataFrame({"a": [np.nan, np.nan], "y": [0, 1]}))


@pytest.mark.parametrize("name", [n for n in REGISTRY if n != "christine"])
def test_the_files_at_hand(name: str, data_folder: Path) -> None:
    if name not in available(data_folder):
        pytest.skip(f"{name} is not there")
    data = load(name, data_folder)
    assert data.x.shape == (REGISTRY[name].rows, REGISTRY[name].features)
    assert data.sparse or np.isfinite(data.x).all()

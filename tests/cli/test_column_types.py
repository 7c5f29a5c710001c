"""What the types of the columns say, by default: in explain, batch, report, and proved again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from cattleya.model.domain.column_types import types_of
from tests.checks.command import answer, called, succeeds

WHOLE = "only whole numbers are possible for age"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """People whose age is whole, with a gap in one file; between 40 and 42 there is nobody."""
    folder = tmp_path_factory.mktemp("types")
    table = pd.DataFrame({"age": range(20, 100, 2), "pay": [1.5, 2.5] * 20})
    table["married"] = table["age"] % 3 == 0
    table["rich"] = (table["age"] > 41) ^ (table["married"] & (table["pay"] > 2))
    table.to_csv(folder / "people.csv", index=False)
    model = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0))
    model.fit(table[["age", "pay", "married"]], table["rich"])
    skops.io.dump(model, folder / "model.skops")
    gap = table.astype({"age": object})
    gap.loc[30, "age"] = None
    gap.to_csv(folder / "gap.csv", index=False)
    return folder


@pytest.mark.parametrize("data", ["people.csv", "gap.csv"])
def test_explain(folder: Path, data: str) -> None:
    ask = ("explain", "model.skops", data, "--row", 3)
    typed = answer(*ask, cwd=folder)
    assert WHOLE in typed["assumptions"]
    assert typed == answer(*ask, "--types-from-data", cwd=folder)
    plain = answer(*ask, "--no-types-from-data", cwd=folder)
    assert plain["assumptions"] == []
    assert typed["prediction"] == plain["prediction"]


def test_batch_and_verify(folder: Path) -> None:
    pytest.importorskip("pyarrow")
    found = {}
    for name, options in (("typed", ()), ("plain", ("--no-types-from-data",))):
        out = ("--out", f"{name}.csv", "--over", "features")
        succeeds("batch", "model.skops", "people.csv", *out, *options, cwd=folder)
        proof = ("verify", f"{name}.csv", "--model", "model.skops", "--data", "people.csv")
        succeeds(*proof, cwd=folder)
        found[name] = pd.read_csv(folder / f"{name}.csv")["sufficient"].tolist()
    assert any("married = " in text and "0.0" not in text for text in found["typed"])
    assert found["typed"] != found["plain"]
    other = ("batch", "model.skops", "people.csv", "--out", "typed.csv", "--over", "features")
    done = called(*other, "--no-types-from-data", "--resume", cwd=folder)
    assert done.returncode == 2
    assert "made with another types" in done.stderr


def test_report(folder: Path) -> None:
    assert "40 rows" in succeeds("report", "model.skops", "people.csv", cwd=folder)


def test_types_of_several_frames() -> None:
    first = pd.DataFrame({"a": [1, 2], "b": [1.0, 2.0], "c": [1, 2], "d": [True, False]})
    second = pd.DataFrame(
        {"a": [np.nan, 3.0], "b": [np.nan, 3.0], "c": [np.nan, 3.5], "d": [None, True]}
    )
    assert types_of([first, second]).dtypes.astype(str).to_dict() == {
        "a": "Int64", "b": "object", "c": "object", "d": "boolean",
    }  # fmt: skip  # a list in few lines
    assert types_of([second]).dtypes["b"] == "Int64"
    assert types_of([first[["b"]]]) is None
    empty = pd.DataFrame({"a": [np.nan, np.nan]})
    assert types_of([empty]) is None
    assert types_of([empty, first[["a"]]]).dtypes["a"] == "Int64"


def test_one_cell_that_is_no_number(folder: Path) -> None:
    """Only its row is refused, and said to be; the others are explained as if it were not there."""
    pytest.importorskip("pyarrow")
    written = pd.read_csv(folder / "people.csv", dtype=str)
    written.loc[7, "age"], written.loc[9, "married"] = "n/a?", "perhaps"
    written.to_csv(folder / "bad.csv", index=False)
    for row, name, cell in ((7, "'age'", "'n/a?'"), (9, "'married'", "'perhaps'")):
        done = called("explain", "model.skops", "bad.csv", "--row", row, cwd=folder)
        assert done.returncode == 2
        assert f"'bad.csv', row {row}: " in done.stderr
        assert name in done.stderr
        assert f"could not convert string to float: {cell}; give rows as it was" in done.stderr
    asked = ("--row", 3, "--json")
    kept = written.drop(index=[7, 9])
    kept.to_csv(folder / "kept.csv", index=False)
    found = called("explain", "model.skops", "bad.csv", *asked, cwd=folder)
    assert "not counted, as they cannot be read: row 7 (" in found.stderr
    assert json.loads(found.stdout) | {"data": ""} == (
        answer("explain", "model.skops", "kept.csv", *asked[:2], cwd=folder) | {"data": ""}
    )
    done = called("batch", "model.skops", "bad.csv", "--out", "bad.parquet", cwd=folder)
    assert done.returncode == 7
    succeeds("batch", "model.skops", "kept.csv", "--out", "kept.parquet", cwd=folder)
    all_rows = pd.read_parquet(folder / "bad.parquet")
    good = all_rows[all_rows["status"] == "ok"]
    assert good.index.tolist() == kept.index.tolist()
    expected = pd.read_parquet(folder / "kept.parquet").set_axis(kept.index)
    for column in expected.columns.drop(["row", "seconds"]):
        same = good[column].convert_dtypes(), expected[column].convert_dtypes()
        assert list(map(str, same[0])) == list(map(str, same[1]))
    proof = ("verify", "bad.parquet", "--model", "model.skops", "--data", "bad.csv")
    succeeds(*proof, cwd=folder)

"""Results as CSV: the same as in Parquet, and no cell is a formula."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas as pd
import pytest

import cattleya
from cattleya.support.files.chunks import count_rows, read_chunks
from tests.checks.command import called, fails, succeeds
from tests.samples.wines import BATCH, WANT, contents

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

CSV = ("batch", "wine.skops", "wine.csv", "--id", "bottle", "--out", "out.csv", "--want", WANT)
VERIFY_CSV = ("verify", "out.csv", "--model", "wine.skops", "--data", "wine.csv")


def test_a_result_as_csv(wine_folder: Path) -> None:
    succeeds(*CSV, cwd=wine_folder)
    succeeds(*BATCH, cwd=wine_folder)
    table = pd.read_csv(wine_folder / "out.csv", dtype={"id": str, "count": str})
    expected = contents(wine_folder / "out.parquet").to_pandas()
    assert table["id"].tolist() == [f"{number:04d}" for number in range(534)]
    for column in ("row", "prediction", "sufficient", "minimal_size", "count"):
        assert table[column].tolist() == expected[column].tolist()
    for column in ("sufficient_conditions", "contrastive_conditions"):
        lists = [json.dumps(value, default=list) for value in expected[column]]
        assert [json.dumps(json.loads(cell)) for cell in table[column]] == lists
    assert [json.loads(cell) for cell in table["importance"]] == [
        *map(dict, expected["importance"])
    ]
    made_from = json.loads((wine_folder / "out.csv.json").read_text())
    assert made_from["cattleya"] == cattleya.__version__
    assert "all 534 rows" in succeeds(*VERIFY_CSV, cwd=wine_folder)
    before = (wine_folder / "out.csv").read_bytes()
    succeeds(*CSV, "--resume", cwd=wine_folder)
    assert (wine_folder / "out.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("proline", "hue"), (",ok,", ",no,"), (",ok,", ",ok"), ('["', "['"), ("0077", "0076"),
        ("1/2", "1/3"), ('"', ""), ('"[', '"' + "[" * 100_000),
    ],
)  # fmt: skip  # a list in few lines
def test_a_csv_changed_by_hand(wine_folder: Path, old: str, new: str) -> None:
    succeeds(*CSV, cwd=wine_folder)
    lines = (wine_folder / "out.csv").read_text().splitlines()
    assert old in lines[78]
    lines[78] = lines[78].replace(old, new, 1)
    (wine_folder / "out.csv").write_text("\n".join(lines) + "\n")
    done = called(*VERIFY_CSV, cwd=wine_folder)
    assert done.returncode in ((2, 6) if '"' in old else (6,))  # quotes: no CSV any more
    (wine_folder / "out.csv.json").unlink()
    assert "out.csv.json" in fails(2, *VERIFY_CSV, cwd=wine_folder)


def test_no_cell_is_a_formula(wine_folder: Path) -> None:
    names, labels = ["=1+1", "-b", "@c", "'d"], ["=cmd|' /C calc'!A0", "-5", ""]
    (wine_folder / "tree.json").write_text(
        cattleya.Tree(
            [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -1, 1, -1, -1], [0.5, 0, 0.5, 0, 0],
            [-1, 0, -1, 1, 2], n_features=4, feature_names=names, class_names=labels,
        ).to_json()
    )  # fmt: skip  # arrays of nodes, side by side
    rows = pd.DataFrame([[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 1]], columns=names)
    rows["key"] = ["+1", "\tx", "'=", "-7"]
    rows.to_csv(wine_folder / "rows.csv", index=False)
    want = ("--want", WANT, "--out", "out.csv")
    succeeds("batch", "tree.json", "rows.csv", "--id", "key", *want, cwd=wine_folder)
    with (wine_folder / "out.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    cells = [cell for line in lines for name, cell in line.items() if not _is_number(cell)]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert [line["id"] for line in lines] == ["'+1", '\'"\\tx"', "''=", "'-7"]
    assert lines[0]["prediction"] == "'=cmd|' /C calc'!A0"
    check = ("--model", "tree.json", "--data", "rows.csv")
    assert "all 4 rows" in succeeds("verify", "out.csv", *check, cwd=wine_folder)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_numbers_stay_numbers(wine_folder: Path) -> None:
    tree = cattleya.Tree(
        [1, -1, -1], [2, -1, -1], [0, -1, -1], [0.5, 0, 0], [-1, 0, 1], n_features=1,
        feature_names=["age"], class_names=[-1, 1],
    )  # fmt: skip  # arrays of nodes, side by side
    (wine_folder / "tree.json").write_text(tree.to_json())
    table = pa.table({"age": [0.0, 1.0, 0.0], "key": pa.array([-7, None, 9])})
    parquet.write_table(table, wine_folder / "rows.parquet")
    given = ("tree.json", "rows.parquet", "--id", "key", "--out", "out.csv")
    succeeds("batch", *given, cwd=wine_folder)
    lines = (wine_folder / "out.csv").read_text().splitlines()
    assert [line.split(",")[:3] for line in lines[1:]] == [
        ["0", "\"'-7\"", "-1"], ["1", "", "1"], ["2", "9", "-1"]
    ]  # fmt: skip  # a list in few lines
    check = ("--model", "tree.json", "--data", "rows.parquet")
    succeeds("verify", "out.csv", *check, cwd=wine_folder)


def test_chunks_do_not_depend_on_the_file(wine_folder: Path) -> None:
    for name in ("wine.parquet", "wine.csv"):
        chunks = list(read_chunks(wine_folder / name, 150))
        assert [len(chunk) for chunk in chunks] == [150, 150, 150, 84]
        whole = pd.concat(chunks, ignore_index=True)
        whole["bottle"] = whole["bottle"].astype(int).map("{:04d}".format)
        pd.testing.assert_frame_equal(whole, pd.read_parquet(wine_folder / "wine.parquet"))


def test_the_rows_of_a_csv_are_counted_for_the_time_left(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('a,b\n1,"two\nlines"\n2,"a ""\n"" b"\n3,c')
    (tmp_path / "b.csv").write_text("a\r\n1\r\n")
    assert (count_rows(tmp_path / "a.csv"), count_rows(tmp_path / "b.csv")) == (3, 1)
    assert count_rows(tmp_path / "a.csv.gz") is None


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("importance", '{"a": "1/7", "a": "1"}'),
        ("sufficient_conditions", '{"a": "a lie", "c": 1}'),
        ("contrastive_conditions", '[{"a": "a lie"}]'),
        ("sufficient_size", "true"),
        ("sufficient_size", "2.0"),
        ("row", "false"),
        ("seconds", "[1, 2]"),
    ],
)
def test_a_cell_has_the_type_of_its_column(column: str, cell: str) -> None:
    from cattleya.batch.arrow import schema_of
    from cattleya.batch.disk.csv_cells import from_cells
    from cattleya.batch.task import checked_task
    from cattleya.explain.explainer import context_of

    context = context_of(cattleya.Explainer(cattleya.Tree.from_nested(("a", 0, 1))))
    task = checked_task(context, ("sufficient", "contrastive", "importance"))
    schema = schema_of(context, task)
    with pytest.raises(ValueError, match=r"belongs|twice"):
        from_cells(schema, [column], [cell])


def test_labels_of_several_types_stay_what_they_are() -> None:
    tree = cattleya.Tree.from_nested(("a", 2**53 + 1, ("b", 0.5, 2)))
    table = cattleya.Explainer(tree).explain_all([[0, 1], [1, 0], [1, 1]], progress=False)
    assert [repr(label) for label in table["prediction"]] == ["9007199254740993", "0.5", "2"]

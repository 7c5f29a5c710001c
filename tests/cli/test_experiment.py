"""``cattleya experiment`` as users meet it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sklearn.datasets

from tests.checks.command import answer, called, fails, process, succeeds, wine_table

SMALL = ("--folds", "3", "--rows", "2")


def test_table1_of_bundled_data_needs_nothing(tmp_path: Path) -> None:
    said = succeeds("experiment", "table1", *SMALL, cwd=tmp_path)
    for name in ("breast_cancer", "wine", "digits", "iris", "Every row finished."):
        assert name in said
    made = {path.name for path in (tmp_path / "results").iterdir()}
    assert {"rows.jsonl", "table1.txt", "table1.md", "table1-1.csv", "table1.tex"} <= made


@pytest.mark.parametrize(
    ("form", "sign"), [("markdown", "| ---:"), ("csv", '"data set",'), ("latex", r"\toprule")]
)
def test_tables_in_the_form_asked_for(tmp_path: Path, form: str, sign: str) -> None:
    command = ("experiment", "table1", *SMALL, "--datasets", "iris", "--format", form)
    assert sign in succeeds(*command, cwd=tmp_path)


def test_a_table_of_ones_own_and_a_page(tmp_path: Path) -> None:
    wine_table().to_csv(tmp_path / "wines.csv", index=False)
    command = ("experiment", "table1", *SMALL, "--datasets", "wines.csv", "--target", "grower")
    assert "wines" in succeeds(*command, "--report", "page.md", cwd=tmp_path)
    page = tmp_path / "page.md"
    page.write_text(page.read_text() + "\nWhat we think of it.\n")
    succeeds(*command, "--report", "page.md", cwd=tmp_path)
    assert page.read_text().count("**Numbers of reasons") == 1
    assert "What we think of it." in page.read_text()
    assert str(tmp_path) not in page.read_text()


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    command = ("experiment", "table1", *SMALL, "--datasets", "iris")
    whole = succeeds(*command, "--format", "csv", by=process, cwd=tmp_path)
    rows = tmp_path / "results" / "rows.jsonl"
    lines = rows.read_text().splitlines(keepends=True)
    rows.write_text("".join(lines[:4]) + lines[4][:9])
    again = succeeds(*command, "--format", "csv", by=process, cwd=tmp_path)
    assert again.split("\n\n")[:2] == whole.split("\n\n")[:2]  # all but the time


def test_what_cannot_be_run_is_told(tmp_path: Path) -> None:
    command = ("experiment", "table1")
    assert "has none of the paper's data sets" in fails(
        2, *command, "--data-dir", tmp_path, cwd=tmp_path
    )
    assert "there is no data set 'tulips'" in fails(
        2, *command, "--datasets", "tulips", cwd=tmp_path
    )
    assert "--target needs a table" in fails(2, *command, "--target", "income", cwd=tmp_path)
    assert "--jobs must be" in fails(2, *command, "--jobs", "0", cwd=tmp_path)
    assert "2 to 150 folds, not 200" in fails(
        2, *command, "--datasets", "iris", "--folds", "200", cwd=tmp_path
    )
    assert "--sizes must be whole numbers" in fails(
        2, "experiment", "growth", "--sizes", "1e3", cwd=tmp_path
    )
    assert "there is no family 'bush'" in fails(
        2, "experiment", "growth", "--families", "bush", cwd=tmp_path
    )
    assert "there is no peer 'LIME'" in fails(
        2, "experiment", "peers", "--only", "LIME", cwd=tmp_path
    )


def test_peers(tmp_path: Path) -> None:
    pytest.importorskip("pysat")
    command = ("experiment", "peers", "--datasets", "iris", "--rows", "2", "--only", "RC2")
    done = called(*command, "--report", "peers.md", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2 of 2" in done.stdout
    assert "python-sat" in (tmp_path / "peers.md").read_text()


def test_the_figure_is_of_bundled_data_unless_another_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")

    def fetch(**_: Any) -> None:
        raise AssertionError("nobody asked for the network")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    said = succeeds("experiment", "figure", "--out", "f.svg", cwd=tmp_path)
    assert "Row digits" in said
    assert "sufficient reasons" in said
    assert (tmp_path / "f.svg").read_text().startswith("<?xml")


def test_every_experiment_as_json(tmp_path: Path) -> None:
    found = answer("experiment", "table1", *SMALL, "--datasets", "iris", cwd=tmp_path)
    (summary,) = found["data_sets"]
    assert (found["command"], summary["data"], summary["rows"]) == ("experiment table1", "iris", 6)
    assert summary["spreads"]["#Sufficient"]["maximum"] >= 1
    assert summary["unfinished"] == []
    assert {Path(name).name for name in found["written"]} >= {"table1.md", "table1-1.csv"}
    done = called(
        *("experiment", "growth", "--sizes", "15", "--families", "comb", "--json"), cwd=tmp_path
    )
    points = json.loads(done.stdout)["points"]
    assert {point["family"] for point in points} == {"comb"}
    assert all(point["seconds"] > 0 for point in points)


def test_the_figure_as_json(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    command = ("experiment", "figure", "--data", "digits", "--out", "f.png")
    found = answer(*command, cwd=tmp_path)
    assert Path(found["out"]) == tmp_path / "f.png"
    assert found["count"] >= 1
    assert len(found["sizes"]) == 2


def test_peers_as_json(tmp_path: Path) -> None:
    pytest.importorskip("pysat")
    command = ("experiment", "peers", "--datasets", "iris", "--rows", "1", "--only", "RC2")
    done = called(*command, "--json", cwd=tmp_path)
    assert {cell["right"] for cell in json.loads(done.stdout)["answers"]} == {True}

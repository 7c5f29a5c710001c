"""Results on disk: killed at any moment they can be gone on with; changed by hand they fail."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command import answer, called, fails, succeeds
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.batch import on_disk
from cattleya.files.models import write_model
from cattleya.files.table_chunks import read_chunks

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

WANT = "sufficient,minimal,contrastive,necessary,count,importance"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    bunch = load_wine(as_frame=True)
    model = DecisionTreeClassifier(random_state=0).fit(bunch.data, bunch.target)
    write_model(tmp_path / "wine.skops", model)
    rows = pd.concat([bunch.data] * 3, ignore_index=True)
    rows += np.random.default_rng(0).normal(0, 0.1, rows.shape) * rows.std().to_numpy()
    rows.to_parquet(tmp_path / "wine.parquet", row_group_size=100)
    rows.to_csv(tmp_path / "wine.csv", index=False)
    return tmp_path


def contents(path: Path) -> Any:
    return parquet.read_table(path).drop_columns(["seconds"])


BATCH = ("batch", "wine.skops", "wine.parquet", "--out", "out.parquet", "--want", WANT)
VERIFY = ("verify", "out.parquet", "--model", "wine.skops", "--data", "wine.parquet")


def test_a_result_has_every_row_and_is_proved(folder: Path) -> None:
    found = answer(*BATCH, cwd=folder)
    assert (found["rows"], found["statuses"]) == (534, {"ok": 534})
    table = contents(folder / "out.parquet")
    assert table.column("row").to_pylist() == list(range(534))
    made_from = json.loads(table.schema.metadata[b"cattleya"])
    assert made_from["cattleya"] == cattleya.__version__
    assert made_from["parameters"]["want"] == WANT.split(",")
    assert "binary conditions" in made_from["definition"]
    assert "all 534 rows" in succeeds(*VERIFY, cwd=folder)
    assert not (folder / "out.parquet.parts").exists()


def test_csv_and_parquet_and_jobs_give_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    succeeds(*BATCH, cwd=folder)
    monkeypatch.setattr(on_disk.explain_file, "__kwdefaults__", {
        **(on_disk.explain_file.__kwdefaults__ or {}), "part": 100
    })  # fmt: skip
    other = ("batch", "wine.skops", "wine.csv", "--out", "csv.parquet", "--want", WANT)
    succeeds(*other, "--jobs", 2, cwd=folder)
    one, two = contents(folder / "out.parquet"), contents(folder / "csv.parquet")
    assert one.equals(two)


SLOW = """
import sys, time
from cattleya.batch import on_disk, parts
on_disk.explain_file.__kwdefaults__["part"] = 25
original = parts.Parts.write
def write(self, *rest):
    time.sleep(0.05)
    original(self, *rest)
parts.Parts.write = write
from cattleya.cli import run
sys.exit(run(sys.argv[1:]))
"""


def test_killed_and_resumed_it_is_the_same(folder: Path) -> None:
    chance = random.Random(0)
    command = [sys.executable, "-c", SLOW, *BATCH]
    subprocess.run([*command[:-3], "whole.parquet", *command[-2:]], cwd=folder, check=True)
    kills = 0
    for _ in range(40):
        process = subprocess.Popen([*command, "--resume"], cwd=folder, stdout=subprocess.DEVNULL)
        began = time.monotonic()
        parts = folder / "out.parquet.parts"
        before = len(list(parts.glob("part-*"))) if parts.exists() else 0
        while process.poll() is None and time.monotonic() - began < 60:
            now = len(list(parts.glob("part-*"))) if parts.exists() else 0
            if kills < 5 and now >= before + 3:
                time.sleep(chance.random() * 0.1)
                process.send_signal(signal.SIGKILL)
                kills += 1
                break
            time.sleep(0.01)
        process.wait()
        if process.returncode == 0:
            break
        for part in parts.glob("part-*"):
            parquet.read_table(part)  # whatever is there is whole
    assert kills == 5
    assert process.returncode == 0
    assert contents(folder / "out.parquet").equals(contents(folder / "whole.parquet"))
    assert sorted(path.name for path in folder.iterdir() if "parts" in path.name) == []
    again = succeeds(*BATCH, cwd=folder)
    assert "534" in again


def test_resuming_what_is_done_changes_nothing(folder: Path) -> None:
    succeeds(*BATCH, "--resume", cwd=folder)
    before = (folder / "out.parquet").read_bytes()
    succeeds(*BATCH, "--resume", cwd=folder)
    assert (folder / "out.parquet").read_bytes() == before
    assert "another contrasts: 5, not 2" in fails(
        2, *BATCH, "--resume", "--contrasts", 2, cwd=folder
    )


def test_a_full_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_disk.explain_file, "__kwdefaults__", {
        **(on_disk.explain_file.__kwdefaults__ or {}), "part": 100
    })  # fmt: skip
    original, left = os.fsync, [3]

    def full(number: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        original(number)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        told = fails(2, *BATCH, cwd=folder)
    assert "No space left" in told
    assert "2 parts" in told
    parts = sorted((folder / "out.parquet.parts").glob("*.parquet"))
    assert [parquet.read_table(part).num_rows for part in parts] == [100, 100]
    assert "--resume" in fails(2, *BATCH, cwd=folder)
    assert "made with another" in fails(2, *BATCH, "--resume", "--timeout", 3, cwd=folder)
    succeeds(*BATCH, "--resume", cwd=folder)
    succeeds(*VERIFY, cwd=folder)


def change(path: Path, column: str, row: int, value: Any) -> None:
    table = parquet.read_table(path)
    values = table.column(column).to_pylist()
    values[row] = value(values[row])
    place = table.schema.get_field_index(column)
    field = table.schema.field(column)
    table = table.set_column(place, field, pa.array(values, type=field.type))
    parquet.write_table(table, path)


@pytest.mark.parametrize(
    ("column", "by_hand"),
    [
        ("sufficient_conditions", lambda old: old[:-1]),
        ("sufficient", lambda old: old + "0"),
        ("sufficient_size", lambda old: old + 1),
        ("minimal_conditions", lambda old: ["nonsense > 3.0", *old[1:]]),
        ("contrastive_conditions", lambda old: old[1:] + old[:1]),
        ("contrastive_conditions", lambda old: [*old[:-1], old[0]]),
        ("contrastive_count", lambda old: old + 1),
        ("necessary", lambda old: old[1:]),
        ("count", lambda old: old + "0"),
        ("importance", lambda old: old[1:]),
        ("prediction", lambda old: (old + 1) % 3),
        ("status", lambda _: "error"),
        ("status", lambda _: "no such reason"),
        ("row", lambda old: old + 1),
    ],
)
def test_what_is_changed_by_hand_is_found(folder: Path, column: str, by_hand: Any) -> None:
    succeeds(*BATCH, cwd=folder)
    change(folder / "out.parquet", column, 77, by_hand)
    done = called(*VERIFY, cwd=folder)
    assert done.returncode == 6
    assert "REFUTED: row 77:" in done.stderr
    assert done.stderr.count("REFUTED") == 1


def test_another_model_other_data_no_result(folder: Path) -> None:
    succeeds(*BATCH, cwd=folder)
    bunch = load_wine(as_frame=True)
    other = DecisionTreeClassifier(random_state=1).fit(bunch.data, bunch.target)
    write_model(folder / "other.skops", other)
    done = called(*VERIFY[:3], "other.skops", *VERIFY[4:], cwd=folder)
    assert (done.returncode, "another model" in done.stderr) == (6, True)
    done = called(*VERIFY[:-1], "wine.csv", cwd=folder)
    assert (done.returncode, "other data" in done.stderr) == (6, True)
    told = fails(2, "verify", "wine.parquet", *VERIFY[2:], cwd=folder)
    assert "no result of cattleya" in told


def test_bad_rows_are_rows_with_their_error(folder: Path) -> None:
    (folder / "tree.json").write_text(
        cattleya.Tree(
            [1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 0, 1],
            n_features=1, feature_names=["age"], class_names=["no", "yes"],
        ).to_json()
    )  # fmt: skip
    (folder / "ages.csv").write_text("age,name\n20,a\nold,b\n,c\n40,d\n")
    succeeds("batch", "tree.json", "ages.csv", "--out", "ages.parquet", cwd=folder)
    table = contents(folder / "ages.parquet")
    assert table.column("status").to_pylist() == ["ok", "error", "error", "ok"]
    assert table.column("prediction").to_pylist() == ["no", None, None, "yes"]
    succeeds("verify", "ages.parquet", "--model", "tree.json", "--data", "ages.csv", cwd=folder)


def test_chunks_do_not_depend_on_the_file(folder: Path) -> None:
    for name in ("wine.parquet", "wine.csv"):
        chunks = list(read_chunks(folder / name, 150))
        assert [len(chunk) for chunk in chunks] == [150, 150, 150, 84]
        whole = pd.concat(chunks, ignore_index=True)
        pd.testing.assert_frame_equal(whole, pd.read_parquet(folder / "wine.parquet"))


def test_report(folder: Path) -> None:
    told = succeeds(
        "report", "wine.skops", "wine.csv", "--html", "r.html", "--protected", "hue", cwd=folder
    )
    assert "534 rows" in told
    assert "without hue" in told
    assert (folder / "r.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--out", "x.csv"), "must end in .parquet"),
        (("--out", "x.parquet", "--want", "all"), "'all' is no question"),
        (("--out", "x.parquet", "--jobs", "0"), "--jobs"),
        (("--out", "x.parquet", "--timeout", "-1"), "positive"),
        (("--out", "x.parquet", "--exclude", "age"), "'age'"),
        (("--out", "nowhere/x.parquet"), "cannot write"),
    ],
)
def test_bad_arguments(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    assert message in fails(2, "batch", "wine.skops", "wine.csv", *arguments, cwd=folder)

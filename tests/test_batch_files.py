"""Results on disk: killed at any moment they can be gone on with; changed by hand they fail."""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
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
from cattleya.batch.parts import Parts
from cattleya.files.models import read_model, write_model
from cattleya.files.table_chunks import count_rows, read_chunks

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

WANT = "sufficient,minimal,contrastive,necessary,count,importance"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    wine_files(tmp_path, 534)
    return tmp_path


def wine_files(folder: Path, n_rows: int) -> None:
    bunch = load_wine(as_frame=True)
    model = DecisionTreeClassifier(random_state=0).fit(bunch.data, bunch.target)
    write_model(folder / "wine.skops", model)
    rows = pd.concat([bunch.data] * 3, ignore_index=True)[:n_rows]
    rows += np.random.default_rng(0).normal(0, 0.1, rows.shape) * rows.std().to_numpy()
    rows["bottle"] = [f"{number:04d}" for number in range(len(rows))]
    rows.to_parquet(folder / "wine.parquet", row_group_size=100)
    rows.to_csv(folder / "wine.csv", index=False)


def contents(path: Path) -> Any:
    return parquet.read_table(path).drop_columns(["seconds"])


BATCH = (
    "batch", "wine.skops", "wine.parquet", "--id", "bottle", "--out", "out.parquet", "--want", WANT
)  # fmt: skip
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
    succeeds(*other, "--jobs", 2, "--id-column", "bottle", cwd=folder)
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


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux's list of children")
def test_workers_end_with_the_process_that_was_killed(folder: Path) -> None:
    command = [sys.executable, "-c", SLOW, *BATCH, "--jobs", "2"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    while process.poll() is None and not list(folder.glob("out.parquet.parts/part-*")):
        time.sleep(0.05)
    tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
    children = {pid for task in tasks for pid in task.read_text().split()}
    assert len(children) >= 2
    process.kill()
    process.wait()
    for _ in range(600):
        left = [pid for pid in children if Path(f"/proc/{pid}").exists()]
        if not left:
            break
        time.sleep(0.1)
    assert not left


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


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own that is soon full."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.call(mount, stderr=subprocess.DEVNULL):
        pytest.skip("needs the right to mount a tmpfs")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_disk_that_is_really_full(
    folder: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_disk.explain_file, "__kwdefaults__", {
        **(on_disk.explain_file.__kwdefaults__ or {}), "part": 50
    })  # fmt: skip
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * (160 << 10))
    batch = [*BATCH]
    batch[batch.index("out.parquet")] = str(small_disk / "out.parquet")
    told = fails(2, *batch, cwd=folder)
    assert "No space left" in told
    parts = sorted((small_disk / "out.parquet.parts").glob("*.parquet"))
    assert len(parts) > 0
    assert {parquet.read_table(part).num_rows for part in parts} == {50}
    assert not list((small_disk / "out.parquet.parts").glob(".cattleya-*"))
    ballast.unlink()
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    succeeds(*batch, "--resume", cwd=folder)
    succeeds("verify", small_disk / "out.parquet", *VERIFY[2:], cwd=folder)


def test_a_link_to_a_file_elsewhere(folder: Path) -> None:
    # The parts are where the result will be: a file cannot be renamed into another file system.
    (folder / "elsewhere").mkdir()
    (folder / "out.parquet").symlink_to("elsewhere/real.parquet")
    succeeds(*BATCH, cwd=folder)
    assert (folder / "out.parquet").is_symlink()
    assert [file.name for file in (folder / "elsewhere").iterdir()] == ["real.parquet"]
    succeeds(*VERIFY, cwd=folder)
    (folder / "elsewhere" / "begun.parquet.parts").mkdir()
    (folder / "begun.parquet").symlink_to("elsewhere/begun.parquet")
    told = fails(2, *BATCH[:6], "begun.parquet", cwd=folder)
    assert "elsewhere/begun.parquet.parts" in told


@pytest.mark.parametrize("link", [False, True])
@pytest.mark.parametrize("name", ["wine.csv", "wine.parquet", "out.csv.json"])
def test_a_result_is_not_written_over_what_it_is_made_from(
    folder: Path, name: str, link: bool
) -> None:
    data, model, out = name, "wine.skops", name
    if name == "out.csv.json":  # beside a result in CSV: what it was made from
        tree = cattleya.Explainer(read_model(folder / "wine.skops")).tree
        (folder / name).write_text(tree.to_json())
        data, model, out = "wine.csv", name, "out.csv"
    elif link:
        out = f"link.{name}"
        (folder / out).symlink_to(name)
    before = (folder / name).read_bytes()
    told = fails(2, "batch", model, data, "--out", out, cwd=folder)
    assert f"written over '{name}'" in told
    assert (folder / name).read_bytes() == before
    assert not list(folder.glob("*.parts"))


def test_what_is_no_file_is_refused_before_the_work(folder: Path) -> None:
    (folder / "results.parquet").mkdir()
    told = fails(2, *BATCH[:6], "results.parquet", cwd=folder)
    assert "'results.parquet' is no file" in told
    os.mkfifo(folder / "pipe.csv")
    told = fails(2, "batch", "wine.skops", "pipe.csv", "--out", "out.parquet", cwd=folder)
    assert "'pipe.csv' is a pipe" in told
    assert not list(folder.glob("*.parts"))


def test_two_runs_do_not_work_on_one_result(folder: Path) -> None:
    pytest.importorskip("fcntl")
    begun = Parts(folder / "out.parquet")
    assert begun.begin({"format": "some"}, resume=False)
    for more in ((), ("--resume",)):
        assert "another process is at work" in fails(2, *BATCH, *more, cwd=folder)
    begun.end()
    assert "made with another" in fails(2, *BATCH, "--resume", cwd=folder)
    shutil.rmtree(begun.folder)
    succeeds(*BATCH, "--resume", cwd=folder)


def test_an_older_result_is_not_taken_for_the_one_that_was_begun(folder: Path) -> None:
    succeeds(*BATCH, cwd=folder)
    expected = contents(folder / "out.parquet")
    change(folder / "out.parquet", "count", 77, lambda old: old + "0")
    old = Parts(folder / "out.parquet")
    made_from = json.loads(parquet.read_schema(folder / "out.parquet").metadata[b"cattleya"])
    assert old.begin(made_from, resume=False)  # and is killed
    old.end()
    succeeds(*BATCH, "--resume", cwd=folder)
    assert contents(folder / "out.parquet").equals(expected)


def test_stopped_while_it_tidied_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Parts, "_tidy", lambda _: None)
        succeeds(*BATCH, cwd=folder)
    before = (folder / "out.parquet").read_bytes()
    assert (folder / "out.parquet.parts").exists()
    succeeds(*BATCH, "--resume", cwd=folder)
    assert (folder / "out.parquet").read_bytes() == before
    assert not (folder / "out.parquet.parts").exists()


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
        ("id", lambda old: old + "0"),
        ("sufficient", lambda _: None),
        ("minimal_size", lambda old: old - 1),
        ("contrastive", lambda old: old + "0"),
        ("contrastive_size", lambda old: old + 1),
        ("contrastive_conditions", lambda _: None),
        ("necessary_features", lambda old: [*old, "hue"]),
        ("necessary_count", lambda old: old + 1),
        ("relevant_count", lambda old: old - 1),
        ("minimal_count", lambda _: None),
        ("feature_importance", lambda old: [(old[0][0], "1/7"), *old[1:]]),
        ("status", lambda _: "timeout"),
        ("status", lambda _: "memory"),
        ("status", lambda _: "fine"),
        ("error", lambda _: "none"),
    ],
)
def test_what_is_changed_by_hand_is_found(
    made: Path, tmp_path: Path, column: str, by_hand: Any
) -> None:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    change(tmp_path / "out.parquet", column, 77, by_hand)
    done = called(*VERIFY, cwd=tmp_path)
    assert done.returncode == 6
    assert "REFUTED: row 77:" in done.stderr
    assert done.stderr.count("REFUTED") == 1


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Few rows with their result, which tests copy and change."""
    folder = tmp_path_factory.mktemp("made")
    wine_files(folder, 100)
    succeeds(*BATCH, cwd=folder)
    return folder


@pytest.mark.parametrize("gone", [slice(50, 51), slice(99, 100), slice(0, 100)])
def test_rows_that_are_gone_or_too_many_are_found(made: Path, tmp_path: Path, gone: slice) -> None:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    table = parquet.read_table(made / "out.parquet")
    kept = pa.concat_tables([table.slice(0, gone.start), table.slice(gone.stop)])
    parquet.write_table(kept, tmp_path / "out.parquet")
    assert called(*VERIFY, cwd=tmp_path).returncode == 6
    parquet.write_table(pa.concat_tables([table, table.slice(0, 1)]), tmp_path / "out.parquet")
    assert "more rows than the data" in called(*VERIFY, cwd=tmp_path).stderr


def test_rows_that_are_gone_are_not_proved(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    parquet.write_table(parquet.read_table(made / "out.parquet")[:40], tmp_path / "out.parquet")
    found = json.loads(called(*VERIFY, "--json", cwd=tmp_path).stdout)
    assert (found["proved"], found["refuted"]) == (40, 60)


def test_a_row_without_a_reason_has_no_other_answers(folder: Path) -> None:
    succeeds(*BATCH, "--exclude", "proline", cwd=folder)
    statuses = contents(folder / "out.parquet").column("status").to_pylist()
    row = statuses.index("no such reason")
    result = (folder / "out.parquet").read_bytes()
    for column in ("sufficient_size", "contrastive_count", "count"):
        forged = "7" if column == "count" else 7
        change(folder / "out.parquet", column, row, lambda _, forged=forged: forged)
        done = called(*VERIFY, cwd=folder)
        assert (done.returncode, f"REFUTED: row {row}: it has no" in done.stderr) == (6, True)
        (folder / "out.parquet").write_bytes(result)


def test_a_column_of_another_type_or_without_its_name(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    table = parquet.read_table(made / "out.parquet")
    numbers = table.column("count").cast(pa.int64())
    place = table.schema.get_field_index("count")
    parquet.write_table(table.set_column(place, "count", numbers), tmp_path / "out.parquet")
    assert "'count' is of the type int64" in called(*VERIFY, cwd=tmp_path).stderr
    parquet.write_table(table.drop_columns(["count"]), tmp_path / "out.parquet")
    assert "asked for: count" in called(*VERIFY, cwd=tmp_path).stderr


def test_verify_in_two_processes_and_in_time(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    found = answer(*VERIFY, "--jobs", 2, "--timeout", 60, cwd=tmp_path)
    assert (found["proved"], found["refuted"], found["unsettled"]) == (100, 0, 0)
    change(tmp_path / "out.parquet", "count", 31, lambda old: old + "0")
    assert "row 31" in called(*VERIFY, "--jobs", 2, cwd=tmp_path).stderr
    assert "could not be proved" in called(*VERIFY, "--timeout", 1e-9, cwd=tmp_path).stderr
    assert "positive" in fails(2, *VERIFY, "--timeout", 0, cwd=tmp_path)


@pytest.mark.parametrize("over", ["features", "intervals"])
def test_results_in_other_terms_are_proved(folder: Path, over: str) -> None:
    succeeds(*BATCH, "--over", over, "--contrasts", 3, cwd=folder)
    assert "all 534 rows" in succeeds(*VERIFY, cwd=folder)
    change(folder / "out.parquet", "contrastive_conditions", 7, lambda old: [old[1], *old[1:]])
    assert called(*VERIFY, cwd=folder).returncode == 6


def test_without_contrasts_the_smallest_is_still_proved(folder: Path) -> None:
    succeeds(*BATCH, "--contrasts", 0, cwd=folder)
    succeeds(*VERIFY, cwd=folder)
    change(folder / "out.parquet", "contrastive", 7, lambda old: old + "0")
    assert called(*VERIFY, cwd=folder).returncode == 6


def test_rows_that_reached_a_limit_say_so(folder: Path) -> None:
    succeeds(*BATCH, "--timeout", 1e-9, cwd=folder)
    assert "534 say themselves" in succeeds(*VERIFY, cwd=folder)


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


CSV = ("batch", "wine.skops", "wine.csv", "--id", "bottle", "--out", "out.csv", "--want", WANT)
VERIFY_CSV = ("verify", "out.csv", "--model", "wine.skops", "--data", "wine.csv")


def test_a_result_as_csv(folder: Path) -> None:
    succeeds(*CSV, cwd=folder)
    succeeds(*BATCH, cwd=folder)
    table = pd.read_csv(folder / "out.csv", dtype={"id": str, "count": str})
    expected = contents(folder / "out.parquet").to_pandas()
    assert table["id"].tolist() == [f"{number:04d}" for number in range(534)]
    for column in ("row", "prediction", "sufficient", "minimal_size", "count"):
        assert table[column].tolist() == expected[column].tolist()
    for column in ("sufficient_conditions", "contrastive_conditions"):
        lists = [json.dumps(value, default=list) for value in expected[column]]
        assert [json.dumps(json.loads(cell)) for cell in table[column]] == lists
    assert [json.loads(cell) for cell in table["importance"]] == [
        *map(dict, expected["importance"])
    ]
    made_from = json.loads((folder / "out.csv.json").read_text())
    assert made_from["cattleya"] == cattleya.__version__
    assert "all 534 rows" in succeeds(*VERIFY_CSV, cwd=folder)
    before = (folder / "out.csv").read_bytes()
    succeeds(*CSV, "--resume", cwd=folder)
    assert (folder / "out.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("proline", "hue"), (",ok,", ",no,"), (",ok,", ",ok"), ('["', "['"), ("0077", "0076"),
        ("1/2", "1/3"), ('"', ""), ('"[', '"' + "[" * 100_000),
    ],
)  # fmt: skip
def test_a_csv_changed_by_hand(folder: Path, old: str, new: str) -> None:
    succeeds(*CSV, cwd=folder)
    lines = (folder / "out.csv").read_text().splitlines()
    assert old in lines[78]
    lines[78] = lines[78].replace(old, new, 1)
    (folder / "out.csv").write_text("\n".join(lines) + "\n")
    done = called(*VERIFY_CSV, cwd=folder)
    assert done.returncode in ((2, 6) if '"' in old else (6,))  # quotes: no CSV any more
    (folder / "out.csv.json").unlink()
    assert "out.csv.json" in fails(2, *VERIFY_CSV, cwd=folder)


def test_no_cell_is_a_formula(folder: Path) -> None:
    names, labels = ["=1+1", "-b", "@c", "'d"], ["=cmd|' /C calc'!A0", "-5", ""]
    (folder / "tree.json").write_text(
        cattleya.Tree(
            [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -1, 1, -1, -1], [0.5, 0, 0.5, 0, 0],
            [-1, 0, -1, 1, 2], n_features=4, feature_names=names, class_names=labels,
        ).to_json()
    )  # fmt: skip
    rows = pd.DataFrame([[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 1]], columns=names)
    rows["key"] = ["+1", "\tx", "'=", "-7"]
    rows.to_csv(folder / "rows.csv", index=False)
    want = ("--want", WANT, "--out", "out.csv")
    succeeds("batch", "tree.json", "rows.csv", "--id", "key", *want, cwd=folder)
    with (folder / "out.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    cells = [cell for line in lines for name, cell in line.items() if not _is_number(cell)]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert [line["id"] for line in lines] == ["'+1", "'\tx", "''=", "'-7"]
    assert lines[0]["prediction"] == "'=cmd|' /C calc'!A0"
    check = ("--model", "tree.json", "--data", "rows.csv")
    assert "all 4 rows" in succeeds("verify", "out.csv", *check, cwd=folder)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_numbers_stay_numbers(folder: Path) -> None:
    tree = cattleya.Tree(
        [1, -1, -1], [2, -1, -1], [0, -1, -1], [0.5, 0, 0], [-1, 0, 1], n_features=1,
        feature_names=["age"], class_names=[-1, 1],
    )  # fmt: skip
    (folder / "tree.json").write_text(tree.to_json())
    table = pa.table({"age": [0.0, 1.0, 0.0], "key": pa.array([-7, None, 9])})
    parquet.write_table(table, folder / "rows.parquet")
    given = ("tree.json", "rows.parquet", "--id", "key", "--out", "out.csv")
    succeeds("batch", *given, cwd=folder)
    lines = (folder / "out.csv").read_text().splitlines()
    assert [line.split(",")[:3] for line in lines[1:]] == [
        ["0", "'-7", "-1"], ["1", "", "1"], ["2", "9", "-1"]
    ]  # fmt: skip
    check = ("--model", "tree.json", "--data", "rows.parquet")
    succeeds("verify", "out.csv", *check, cwd=folder)


def test_chunks_do_not_depend_on_the_file(folder: Path) -> None:
    for name in ("wine.parquet", "wine.csv"):
        chunks = list(read_chunks(folder / name, 150))
        assert [len(chunk) for chunk in chunks] == [150, 150, 150, 84]
        whole = pd.concat(chunks, ignore_index=True)
        whole["bottle"] = whole["bottle"].astype(int).map("{:04d}".format)
        pd.testing.assert_frame_equal(whole, pd.read_parquet(folder / "wine.parquet"))


def test_the_rows_of_a_csv_are_counted_for_the_time_left(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('a,b\n1,"two\nlines"\n2,"a ""\n"" b"\n3,c')
    (tmp_path / "b.csv").write_text("a\r\n1\r\n")
    assert (count_rows(tmp_path / "a.csv"), count_rows(tmp_path / "b.csv")) == (3, 1)
    assert count_rows(tmp_path / "a.csv.gz") is None


def test_report(folder: Path) -> None:
    told = succeeds(
        "report", "wine.skops", "wine.csv", "--html", "r.html", "--protected", "hue", cwd=folder
    )
    assert "534 rows" in told
    assert "without hue" in told
    assert (folder / "r.html").read_text().startswith("<!doctype html>")


def test_report_as_json_and_its_options(made: Path) -> None:
    found = answer("report", "wine.skops", "wine.csv", "--protected", "hue", cwd=made)
    table = contents(made / "out.parquet")
    assert (found["rows"], found["statuses"], found["html"]) == (100, {"ok": 100}, None)
    sizes = {size["what"]: size for size in found["sizes"]}
    counts = sorted(map(int, table.column("count").to_pylist()))
    assert sizes["sufficient reasons"]["most"] == counts[-1]
    explainer = cattleya.Explainer(read_model(made / "wine.skops"))
    rows = pd.read_csv(made / "wine.csv").drop(columns="bottle")
    needing = [n for n in range(100) if not explainer.explain(rows.iloc[[n]]).is_free_of(["hue"])]
    assert found["needs_protected"] == needing
    assert found["features"][0]["importance"] >= found["features"][1]["importance"]
    without = answer("report", "wine.skops", "wine.csv", "--exclude", "proline", cwd=made)
    assert "proline" not in {feature["feature"] for feature in without["features"]}
    assert without["statuses"]["no such reason"] > 0
    other = answer("report", "wine.skops", "wine.csv", "--over", "intervals", cwd=made)
    assert "logic of the features" in other["definition"]
    few = answer("report", "wine.skops", "wine.csv", "--memory-limit", 1, cwd=made)
    assert few["rows"] == 100
    assert "--jobs" in fails(2, "report", "wine.skops", "wine.csv", "--jobs", 0, cwd=made)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--out", "x.txt"), "must end in .parquet or .csv"),
        (("--out", "x.parquet", "--id", "cellar"), "no column 'cellar'"),
        (("--out", "x.parquet", "--want", "all"), "'all' is no question"),
        (("--out", "x.parquet", "--jobs", "0"), "--jobs"),
        (("--out", "x.parquet", "--timeout", "-1"), "positive"),
        (("--out", "x.parquet", "--exclude", "age"), "'age'"),
        (("--out", "nowhere/x.parquet"), "cannot write"),
    ],
)
def test_bad_arguments(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    assert message in fails(2, "batch", "wine.skops", "wine.csv", *arguments, cwd=folder)

"""Results on disk: killed at any moment they can be gone on with; nothing is lost or half there."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.adapters.model_files import read_model, write_model
from cattleya.batch.disk import run as on_disk
from cattleya.batch.disk.checkpoint import Parts
from tests.checks.command import answer, called, fails, small_tree, succeeds
from tests.samples.wines import BATCH, VERIFY, WANT, change, contents

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def test_a_result_has_every_row_and_is_proved(wine_folder: Path) -> None:
    found = answer(*BATCH, cwd=wine_folder)
    assert (found["rows"], found["statuses"]) == (534, {"ok": 534})
    table = contents(wine_folder / "out.parquet")
    assert table.column("row").to_pylist() == list(range(534))
    made_from = json.loads(table.schema.metadata[b"cattleya"])
    assert made_from["cattleya"] == cattleya.__version__
    assert made_from["parameters"]["want"] == WANT.split(",")
    assert "under the logic" in made_from["definition"]
    assert "all 534 rows" in succeeds(*VERIFY, cwd=wine_folder)
    assert not (wine_folder / "out.parquet.parts").exists()


def test_csv_and_parquet_and_jobs_give_the_same(
    wine_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    succeeds(*BATCH, cwd=wine_folder)
    monkeypatch.setattr(on_disk.explain_file, "__kwdefaults__", {
        **(on_disk.explain_file.__kwdefaults__ or {}), "part": 100
    })  # fmt: skip  # a list in few lines
    other = ("batch", "wine.skops", "wine.csv", "--out", "csv.parquet", "--want", WANT)
    succeeds(*other, "--jobs", 2, "--id-column", "bottle", cwd=wine_folder)
    one, two = contents(wine_folder / "out.parquet"), contents(wine_folder / "csv.parquet")
    assert one.equals(two)


SLOW = """
import sys, time
from cattleya.batch.disk import checkpoint as parts, run as on_disk
on_disk.explain_file.__kwdefaults__["part"] = 25
original = parts.Parts.write
def write(self, *rest):
    time.sleep(0.05)
    original(self, *rest)
parts.Parts.write = write
from cattleya.cli import run
sys.exit(run(sys.argv[1:]))
"""


def test_killed_and_resumed_it_is_the_same(wine_folder: Path) -> None:
    chance = random.Random(0)
    command = [sys.executable, "-c", SLOW, *BATCH]
    subprocess.run([*command[:-3], "whole.parquet", *command[-2:]], cwd=wine_folder, check=True)
    kills = 0
    for _ in range(40):
        process = subprocess.Popen(
            [*command, "--resume"], cwd=wine_folder, stdout=subprocess.DEVNULL
        )
        parts = wine_folder / "out.parquet.parts"
        before = len(list(parts.glob("part-*"))) if parts.exists() else 0
        while process.poll() is None:
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
    assert contents(wine_folder / "out.parquet").equals(contents(wine_folder / "whole.parquet"))
    assert sorted(path.name for path in wine_folder.iterdir() if "parts" in path.name) == []
    again = succeeds(*BATCH, cwd=wine_folder)
    assert "534" in again


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux's list of children")
def test_workers_end_with_the_process_that_was_killed(wine_folder: Path) -> None:
    command = [sys.executable, "-c", SLOW, *BATCH, "--jobs", "2"]
    process = subprocess.Popen(command, cwd=wine_folder, stdout=subprocess.DEVNULL)
    while process.poll() is None and not list(wine_folder.glob("out.parquet.parts/part-*")):
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


def test_resuming_what_is_done_changes_nothing(wine_folder: Path) -> None:
    succeeds(*BATCH, "--resume", cwd=wine_folder)
    before = (wine_folder / "out.parquet").read_bytes()
    succeeds(*BATCH, "--resume", cwd=wine_folder)
    assert (wine_folder / "out.parquet").read_bytes() == before
    assert "another contrasts: 5, not 2" in fails(
        2, *BATCH, "--resume", "--contrasts", 2, cwd=wine_folder
    )


def test_a_full_disk(wine_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_disk.explain_file, "__kwdefaults__", {
        **(on_disk.explain_file.__kwdefaults__ or {}), "part": 100
    })  # fmt: skip  # a list in few lines
    original, left = os.fsync, [3]

    def full(number: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        original(number)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        told = fails(2, *BATCH, cwd=wine_folder)
    assert "No space left" in told
    assert "2 parts" in told
    parts = sorted((wine_folder / "out.parquet.parts").glob("*.parquet"))
    assert [parquet.read_table(part).num_rows for part in parts] == [100, 100]
    assert "--resume" in fails(2, *BATCH, cwd=wine_folder)
    assert "made with another" in fails(2, *BATCH, "--resume", "--timeout", 3, cwd=wine_folder)
    whole = parts[0].read_bytes()
    for spoiled in (whole[:-9], b"", shorter(parts[0], 50), parts[1].read_bytes()):
        parts[0].write_bytes(spoiled)
        told = fails(2, *BATCH, "--resume", cwd=wine_folder)
        assert f"{parts[0].name}' is damaged" in told
        assert "remove it, and continue with --resume" in told
    parts[0].unlink()
    succeeds(*BATCH, "--resume", cwd=wine_folder)
    succeeds(*VERIFY, cwd=wine_folder)


def shorter(part: Path, rows: int, without: str | None = None) -> bytes:
    buffer = BytesIO()
    table = parquet.read_table(part)[:rows]
    parquet.write_table(table.drop_columns([without]) if without else table, buffer)
    return buffer.getvalue()


def test_the_last_part_is_looked_at_too(wine_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Parts, "finish", lambda *_: None)
        assert called(*BATCH, cwd=wine_folder).returncode  # there is no result
    (part,) = (wine_folder / "out.parquet.parts").glob("part-*")
    whole = part.read_bytes()
    for spoiled in (shorter(part, 500), shorter(part, 0), shorter(part, 534, "sufficient_size")):
        part.write_bytes(spoiled)
        told = fails(2, *BATCH, "--resume", cwd=wine_folder)
        assert "it does not have the rows from 0 to 533" in told
    part.write_bytes(whole)
    manifest = wine_folder / "out.parquet.parts" / "manifest.json"
    kept = manifest.read_text()
    manifest.write_text("[" * 100_000)
    assert "is damaged" in fails(2, *BATCH, "--resume", cwd=wine_folder)
    manifest.write_text(kept)
    succeeds(*BATCH, "--resume", cwd=wine_folder)
    succeeds(*VERIFY, cwd=wine_folder)


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
    wine_folder: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_disk.explain_file, "__kwdefaults__", {
        **(on_disk.explain_file.__kwdefaults__ or {}), "part": 50
    })  # fmt: skip  # a list in few lines
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * (160 << 10))
    batch = [*BATCH]
    batch[batch.index("out.parquet")] = str(small_disk / "out.parquet")
    told = fails(2, *batch, cwd=wine_folder)
    assert "No space left" in told
    parts = sorted((small_disk / "out.parquet.parts").glob("*.parquet"))
    assert len(parts) > 0
    assert {parquet.read_table(part).num_rows for part in parts} == {50}
    assert not list((small_disk / "out.parquet.parts").glob(".cattleya-*"))
    ballast.unlink()
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    succeeds(*batch, "--resume", cwd=wine_folder)
    succeeds("verify", small_disk / "out.parquet", *VERIFY[2:], cwd=wine_folder)


def test_a_link_to_a_file_elsewhere(wine_folder: Path) -> None:
    # The parts are where the result will be: a file cannot be renamed into another file system.
    (wine_folder / "elsewhere").mkdir()
    (wine_folder / "out.parquet").symlink_to("elsewhere/real.parquet")
    succeeds(*BATCH, cwd=wine_folder)
    assert (wine_folder / "out.parquet").is_symlink()
    assert [file.name for file in (wine_folder / "elsewhere").iterdir()] == ["real.parquet"]
    succeeds(*VERIFY, cwd=wine_folder)
    (wine_folder / "elsewhere" / "begun.parquet.parts").mkdir()
    (wine_folder / "begun.parquet").symlink_to("elsewhere/begun.parquet")
    told = fails(2, *BATCH[:6], "begun.parquet", cwd=wine_folder)
    assert "elsewhere/begun.parquet.parts" in told


@pytest.mark.parametrize("link", [False, True])
@pytest.mark.parametrize("name", ["wine.csv", "wine.parquet", "out.csv.json"])
def test_a_result_is_not_written_over_what_it_is_made_from(
    wine_folder: Path, name: str, link: bool
) -> None:
    data, model, out = name, "wine.skops", name
    if name == "out.csv.json":  # beside a result in CSV: what it was made from
        tree = cattleya.Explainer(read_model(wine_folder / "wine.skops")).tree
        (wine_folder / name).write_text(tree.to_json())
        data, model, out = "wine.csv", name, "out.csv"
    elif link:
        out = f"link.{name}"
        (wine_folder / out).symlink_to(name)
    before = (wine_folder / name).read_bytes()
    told = fails(2, "batch", model, data, "--out", out, cwd=wine_folder)
    assert f"written over '{name}'" in told
    assert (wine_folder / name).read_bytes() == before
    assert not list(wine_folder.glob("*.parts"))


def test_what_is_no_file_is_refused_before_the_work(wine_folder: Path) -> None:
    (wine_folder / "results.parquet").mkdir()
    told = fails(2, *BATCH[:6], "results.parquet", cwd=wine_folder)
    assert "'results.parquet' is no file" in told
    os.mkfifo(wine_folder / "pipe.csv")
    told = fails(2, "batch", "wine.skops", "pipe.csv", "--out", "out.parquet", cwd=wine_folder)
    assert "'pipe.csv' is a pipe" in told
    assert not list(wine_folder.glob("*.parts"))


def test_two_runs_do_not_work_on_one_result(wine_folder: Path) -> None:
    pytest.importorskip("fcntl")
    begun = Parts(wine_folder / "out.parquet")
    assert begun.begin({"format": "some"}, resume=False)
    for more in ((), ("--resume",)):
        assert "another process is at work" in fails(2, *BATCH, *more, cwd=wine_folder)
    begun.end()
    assert "made with another" in fails(2, *BATCH, "--resume", cwd=wine_folder)
    shutil.rmtree(begun.folder)
    succeeds(*BATCH, "--resume", cwd=wine_folder)


def test_an_older_result_is_not_taken_for_the_one_that_was_begun(wine_folder: Path) -> None:
    succeeds(*BATCH, cwd=wine_folder)
    expected = contents(wine_folder / "out.parquet")
    change(wine_folder / "out.parquet", "count", 77, lambda old: old + "0")
    old = Parts(wine_folder / "out.parquet")
    made_from = json.loads(parquet.read_schema(wine_folder / "out.parquet").metadata[b"cattleya"])
    assert old.begin(made_from, resume=False)  # and is killed
    old.end()
    succeeds(*BATCH, "--resume", cwd=wine_folder)
    assert contents(wine_folder / "out.parquet").equals(expected)


def test_stopped_while_it_tidied_up(wine_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Parts, "_tidy", lambda _: None)
        succeeds(*BATCH, cwd=wine_folder)
    before = (wine_folder / "out.parquet").read_bytes()
    assert (wine_folder / "out.parquet.parts").exists()
    succeeds(*BATCH, "--resume", cwd=wine_folder)
    assert (wine_folder / "out.parquet").read_bytes() == before
    assert not (wine_folder / "out.parquet.parts").exists()


def test_report(wine_folder: Path) -> None:
    asked = ("report", "wine.skops", "wine.csv", "--html", "r.html")
    done = called(*asked, "--protected", "hue", cwd=wine_folder)
    assert (done.returncode, done.stderr) == (9, "")  # decisions depend on it
    told = done.stdout
    assert "534 rows" in told
    assert "depend on hue" in told
    assert (wine_folder / "r.html").read_text().startswith("<!doctype html>")


def test_report_as_json_and_its_options(made_result: Path) -> None:
    asked = ("--protected", "hue", "--timeout", "60")
    done = called("report", "wine.skops", "wine.csv", *asked, "--json", cwd=made_result)
    found = json.loads(done.stdout)
    assert done.returncode == (9 if found["unfair"] else 0)
    table = contents(made_result / "out.parquet")
    assert (found["rows"], found["statuses"], found["html"]) == (100, {"ok": 100}, None)
    sizes = {size["what"]: size for size in found["sizes"]}
    counts = sorted(map(int, table.column("count").to_pylist()))
    assert sizes["sufficient reasons"]["most"] == counts[-1]
    explainer = cattleya.Explainer(read_model(made_result / "wine.skops"), over="intervals")
    rows = pd.read_csv(made_result / "wine.csv").drop(columns="bottle")
    needing = [n for n in range(100) if not explainer.explain(rows.iloc[[n]]).is_free_of(["hue"])]
    assert found["needs_protected"] == needing
    unfair = [n for n in range(100) if not explainer.explain(rows.iloc[[n]]).is_fair(["hue"])]
    assert [one["row"] for one in found["unfair"]] == unfair
    assert found["fair"] is (not unfair)
    assert found["features"][0]["importance"] >= found["features"][1]["importance"]
    without = answer("report", "wine.skops", "wine.csv", "--exclude", "proline", cwd=made_result)
    assert "proline" not in {feature["feature"] for feature in without["features"]}
    assert without["statuses"]["no such reason"] > 0
    other = answer("report", "wine.skops", "wine.csv", "--over", "intervals", cwd=made_result)
    assert "logic of the features" in other["definition"]
    few = answer("report", "wine.skops", "wine.csv", "--memory-limit", 1, cwd=made_result)
    assert few["rows"] == 100
    assert "--jobs" in fails(2, "report", "wine.skops", "wine.csv", "--jobs", 0, cwd=made_result)


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
def test_bad_arguments(wine_folder: Path, arguments: tuple[str, ...], message: str) -> None:
    assert message in fails(2, "batch", "wine.skops", "wine.csv", *arguments, cwd=wine_folder)


@pytest.mark.parametrize("done", [False, True])
def test_a_folder_that_is_not_ours_is_left_alone(wine_folder: Path, done: bool) -> None:
    parts = wine_folder / "out.parquet.parts"
    parts.mkdir()
    (parts / "thesis.txt").write_text("precious")
    if done:
        (parts / "done.json").write_text("{}")
    for resume in ((), ("--resume",)):
        assert "'thesis.txt', which is not ours" in fails(2, *BATCH, *resume, cwd=wine_folder)
    assert (parts / "thesis.txt").read_text() == "precious"
    parts.rename(wine_folder / "elsewhere")
    parts.symlink_to("elsewhere")
    assert "no folder of ours" in fails(2, *BATCH, "--resume", cwd=wine_folder)
    assert (parts / "thesis.txt").read_text() == "precious"


def test_notes_beside_a_csv_are_left_alone(wine_folder: Path) -> None:
    notes = wine_folder / "out.csv.json"
    notes.write_text("my own notes")
    command = ("batch", "wine.skops", "wine.csv", "--out", "out.csv")
    assert "'out.csv.json', which exists" in fails(2, *command, cwd=wine_folder)
    assert notes.read_text() == "my own notes"


def test_a_name_that_is_too_long(wine_folder: Path) -> None:
    name = f"{'x' * 244}.parquet"
    assert "too long" in fails(2, "batch", "wine.skops", "wine.csv", "--out", name, cwd=wine_folder)


@pytest.mark.parametrize("end", ["csv", "parquet"])
@pytest.mark.parametrize(
    "ids",
    [
        *(
            [6, 7, None, 8],
            [6.5, 7.0, None, 8.25],
            [True, False, True, None],
            ["a", "b", None, "7"],
        ),
        pd.Series(["2020-01-01", None, "2021-02-03", "2022-03-04"], dtype="datetime64[s]"),
    ],
)
def test_a_row_is_found_by_the_identifier_that_batch_has_written(
    tmp_path: Path, ids: Any, end: str
) -> None:
    (tmp_path / "tree.json").write_text(small_tree().to_json())
    table = pd.DataFrame({"age": [20, 40, 30, 50], "income": [1, 2, 3, 4], "key": ids})
    getattr(table, f"to_{end}")(tmp_path / f"t.{end}", index=False)
    batch = ("batch", "tree.json", f"t.{end}", "--id", "key", "--out", "o.parquet")
    succeeds(*batch, cwd=tmp_path)
    written = contents(tmp_path / "o.parquet").column("id").to_pylist()
    for place, id_ in enumerate(written):
        if id_ is not None and written.count(id_) == 1:
            explain = ("explain", "tree.json", f"t.{end}", "--id-column", "key", "--id", id_)
            assert answer(*explain, cwd=tmp_path)["row"] == place


def test_a_column_of_the_model_may_name_the_rows(tmp_path: Path) -> None:
    table = pd.DataFrame({"flag": [True, False] * 10, "size": range(20)})
    model = DecisionTreeClassifier(random_state=0).fit(table, [0, 1] * 5 + [0, 0] * 5)
    write_model(tmp_path / "m.skops", model)
    table.to_parquet(tmp_path / "t.parquet")
    table.to_csv(tmp_path / "t.csv", index=False)
    for end in ("csv", "parquet"):
        for id_column in ("flag", "size"):
            batch = ("batch", "m.skops", f"t.{end}", "--id", id_column, "--out", "o.parquet")
            assert "20 ok" in succeeds(*batch, cwd=tmp_path)
            found = contents(tmp_path / "o.parquet").column("prediction").to_pylist()
            assert found == model.predict(table).tolist()


def test_an_identifier_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "tree.json").write_text(small_tree().to_json())
    key = pa.array([b"\xff\xfe"] * 2, pa.binary())
    table = pa.table({"age": [1, 2], "income": [1, 2], "key": key})
    parquet.write_table(table, tmp_path / "t.parquet")
    batch = ("batch", "tree.json", "t.parquet", "--id", "key", "--out", "o.parquet")
    assert "'key'" in fails(2, *batch, cwd=tmp_path)


def test_a_date_is_no_number(tmp_path: Path) -> None:
    (tmp_path / "tree.json").write_text(small_tree().to_json())
    days = pd.Series(["2020-01-01", None], dtype="datetime64[s]")
    pd.DataFrame({"age": days, "income": [1, 2]}).to_parquet(tmp_path / "t.parquet")
    pd.DataFrame({"age": days, "income": days}).to_parquet(tmp_path / "u.parquet")
    for name in ("t.parquet", "u.parquet"):
        told = fails(2, "explain", "tree.json", name, "--row", 0, cwd=tmp_path)
        assert "'age' is " in told
        assert "2020" in told
    done = called("batch", "tree.json", "t.parquet", "--out", "o.parquet", cwd=tmp_path)
    assert done.returncode == 8
    assert "2 error" in done.stdout

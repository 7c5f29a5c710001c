"""Work that is stopped in the middle of a part: what was done is there, and is not done again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cattleya.batch import run as running
from cattleya.batch.disk.checkpoint import Parts
from tests.checks.command import called, fails, small_tree, succeeds

pytest.importorskip("pyarrow")

ROWS = 60
# The importance is asked of one row after the other.
WANT = ("--want", "sufficient,importance")
COMMAND = ("batch", "tree.json", "t.csv", "--out", "r.parquet", "--over", "features", *WANT)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Rows that all differ; each is handed over and kept by itself."""
    (tmp_path / "tree.json").write_text(small_tree().to_json())
    table = pd.DataFrame({"age": np.arange(ROWS) + 0.5, "income": 1})
    table.to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.setattr(running, "SLICE", 0.0)
    monkeypatch.setattr(running, "KEEP_EVERY", 0.0)
    return tmp_path


class Stopping:
    """Explains rows, and is interrupted after some of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, after: int | None = None) -> None:
        self.rows: list[int] = []
        self._after, self._explain = after, running._explain_row
        monkeypatch.setattr(running, "_explain_row", self)

    def __call__(self, context: Any, row: Any, place: int, task: Any) -> Any:
        if self._after is not None and len(self.rows) >= self._after:
            raise KeyboardInterrupt
        self.rows.append(place)
        return self._explain(context, row, place, task)


def result(folder: Path) -> pd.DataFrame:
    return pd.read_parquet(folder / "r.parquet").drop(columns="seconds")


@pytest.mark.parametrize("after", [1, 17, ROWS - 1])
def test_what_was_done_is_not_done_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    succeeds(*COMMAND, cwd=folder)
    expected = result(folder)
    (folder / "r.parquet").unlink()
    with monkeypatch.context() as patch:
        stopped = Stopping(patch, after)
        done = called(*COMMAND, cwd=folder)
        assert done.returncode == 130
        assert "continue with --resume" in done.stderr
    assert not (folder / "r.parquet").exists()
    kinds, blocks = Parts(folder / "r.parquet").kept(0)
    assert len(kinds) == sum(map(len, blocks)) == after
    with monkeypatch.context() as patch:
        rest = Stopping(patch)
        succeeds(*COMMAND, "--resume", cwd=folder)
    assert sorted(stopped.rows + rest.rows) == list(range(ROWS))
    pd.testing.assert_frame_equal(result(folder), expected)
    assert not (folder / "r.parquet.parts").exists()
    succeeds("verify", "r.parquet", "--model", "tree.json", "--data", "t.csv", cwd=folder)


def test_stopped_more_than_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []
    for resume in ([], ["--resume"], ["--resume"]):
        with monkeypatch.context() as patch:
            stopping = Stopping(patch, 15)
            assert called(*COMMAND, *resume, cwd=folder).returncode == 130
            done += stopping.rows
    succeeds(*COMMAND, "--resume", "--jobs", 2, cwd=folder)
    assert len(set(done)) == len(done) == 45
    assert result(folder)["row"].tolist() == list(range(ROWS))


def test_a_row_that_was_not_kept_in_time_is_done_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is killed keeps nothing more: what it kept before is what there is."""
    monkeypatch.setattr(running, "KEEP_EVERY", 1e9)
    with monkeypatch.context() as patch:
        Stopping(patch, 10)
        patch.setattr(running, "_keep", lambda *_: None)
        assert called(*COMMAND, cwd=folder).returncode == 130
    assert not (folder / "r.parquet.parts").exists()
    succeeds(*COMMAND, cwd=folder)


def test_a_damaged_part(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        Stopping(patch, 10)
        called(*COMMAND, cwd=folder)
    (folder / "r.parquet.parts" / "part-00000000.open").write_bytes(b"PAR1")
    assert "part-00000000.open' is damaged" in fails(2, *COMMAND, "--resume", cwd=folder)


def test_exit_codes_say_whether_rows_failed(folder: Path) -> None:
    assert called(*COMMAND, cwd=folder).returncode == 0
    table = pd.read_csv(folder / "t.csv")
    table["age"] = table["age"].astype(object)
    for wrong, code, told in ((1, 7, "1 of the 60 rows"), (ROWS, 8, "none of the 60 rows")):
        table.iloc[:wrong, 0] = "old"
        table.to_csv(folder / "t.csv", index=False)
        done = called(*COMMAND[:4], f"r{code}.parquet", cwd=folder)
        assert done.returncode == code
        assert told in done.stderr
        assert f"{wrong} error" in done.stdout
        assert called(*COMMAND[:4], "j.parquet", "--json", cwd=folder).returncode == code
    assert "  7    some rows" in succeeds("batch", "--help", cwd=folder)

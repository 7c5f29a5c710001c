"""The benchmarks run, and publish all tables of one commit or none of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import TABLES, main
from benchmarks.build import Build, build_of, stale
from benchmarks.counting_figures import Record, RowRecords, gains
from benchmarks.publishing import commit_of, head, publish, reasons_against, section, write
from benchmarks.report import Finding, Report, at_least, at_most
from benchmarks.timing import Timing
from cattleya.experiments.results_page import BEGIN, END
from tests import ROOT


@pytest.fixture
def no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CATTLEYA_DATA", raising=False)


@pytest.mark.usefixtures("no_data")
@pytest.mark.parametrize("name", TABLES)
def test_each_table_is_made(name: str, tmp_path: Path) -> None:
    command = ["-m", "benchmarks", "--quick", "--only", name, "--out", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (path,) = tmp_path.iterdir()
    text = path.read_text(encoding="utf-8")
    assert path.name == f"{name}.md"
    assert "a synthetic stand-in" in text
    assert "--quick measures next to nothing" in text  # so that it is never published
    assert commit_of(text) is None


@pytest.mark.usefixtures("no_data")
def test_what_could_not_be_published_is_refused_before_it_is_measured() -> None:
    with pytest.raises(SystemExit, match=r"no data: adult.*(?s:.*)--out DIR"):
        main([])
    with pytest.raises(SystemExit):
        main(["--only", "nothing"])


def test_reasons_against_publishing() -> None:
    (one,) = [r for r in reasons_against(Build("a", "b", ("x.py",)), None, False) if "x.py" in r]
    assert one == "changes are not committed: x.py"
    assert any("no git repository" in reason for reason in reasons_against(None, None, False))


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_the_build_is_the_commit_and_what_differs_from_it(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    assert build_of(tmp_path) is None
    git("init")
    for name in ("README.md", "core.cpp"):
        Path(tmp_path, name).write_text("1")
    git("add", ".")
    git("commit", "-m", "one")
    found = build_of(tmp_path)
    assert found is not None
    assert found.changed == ()
    assert len(found.commit) == 12
    Path(tmp_path, "README.md").write_text("2")  # which a run writes itself
    Path(tmp_path, "core.cpp").write_text("2")
    Path(tmp_path, "new.py").write_text("2")
    changed = build_of(tmp_path)
    assert changed is not None
    assert set(changed.changed) == {"core.cpp", "new.py"}
    (tmp_path / "inner").mkdir()
    assert build_of(tmp_path / "inner") is None  # another repository's folder


def test_another_build_than_that_of_the_folder_is_noticed(tmp_path: Path) -> None:
    source, package = tmp_path / "src" / "cattleya", tmp_path / "installed"
    (tmp_path / "src" / "core").mkdir(parents=True)
    for folder in (source, package):
        folder.mkdir()
        (folder / "one.py").write_text("1")
    (tmp_path / "CMakeLists.txt").write_text("")
    (package / "_core.so").write_text("")
    assert stale(tmp_path, package) is None
    (source / "one.py").write_text("2")
    assert stale(tmp_path, package) == "the installed one.py is not that of src/cattleya"
    (package / "one.py").write_text("2")
    (tmp_path / "src" / "core" / "count.cpp").write_text("")
    newer = (package / "_core.so").stat().st_mtime + 5
    os.utime(tmp_path / "src" / "core" / "count.cpp", (newer, newer))
    assert "count.cpp" in str(stale(tmp_path, package))


def made(folder: Path, commits: dict[str, str], reasons: tuple[str, ...] = ()) -> None:
    for name, commit in commits.items():
        finding = Finding(f"a peer of {name}", "which?", "9 s", "1 s", "9.00 times", ("-", "met"))
        report = Report(name, ["All of it."], [finding], [f"{name} took 5 s."])
        write(folder / f"{name}.md", head(Build(commit, "2026-01-31", ()), reasons), report)


@pytest.mark.parametrize(
    ("commits", "reasons", "why"),
    [
        ({"one": "aa", "two": "bb"}, (), "one: aa, two: bb"),
        ({"one": "aa"}, (), "no two.md"),
        ({"one": "aa", "two": "aa"}, ("changes",), "one: none"),
    ],
)
def test_tables_of_different_builds_are_not_published(
    tmp_path: Path, commits: dict[str, str], reasons: tuple[str, ...], why: str
) -> None:
    made(tmp_path, commits, reasons)
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    assert why in str(publish(tmp_path, ["one", "two"], tmp_path / "results", readme))
    assert not (tmp_path / "results").exists()
    assert "old" in readme.read_text()


def test_what_is_published_is_what_was_measured(tmp_path: Path) -> None:
    made(tmp_path, {"one": "aa", "two": "aa"})
    readme, results = tmp_path / "README.md", tmp_path / "results"
    readme.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    assert publish(tmp_path, ["one", "two"], results, readme) is None
    texts = {name: (results / f"{name}.md").read_text() for name in ("one", "two")}
    text = readme.read_text()
    assert section(texts) in text
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "One run of `make bench`, commit `aa`" in text
    line = (
        "| [a peer of two](benchmarks/results/two.md) | which? | 9 s | 1 s | 9.00 times | - | met |"
    )
    assert line in text
    assert "- two took 5 s. [Table](benchmarks/results/two.md)." in text


def test_missed_bars_are_named_as_missed() -> None:
    assert at_least(1.69, 1.7) == ("at least 1.7 times", "**missed**")
    assert at_least(1.7, 1.7)[1] == at_most(2.0, 2, "GiB")[1] == "met"
    assert at_least(None, 5)[1] == "not measured"
    assert Timing((1.0, 2.0, 9.0)).median == 2.0


def test_a_peer_that_does_not_finish_counts_with_its_limit() -> None:
    ours = Record(20.0, seconds=0.5)
    row = RowRecords("x", 0, 1, {"count": ours, "ganak": Record(4.0, trouble="time limit")})
    (gain,) = gains([row], "ganak")
    assert (gain.gain, gain.peer_finished) == (8.0, False)
    failed = RowRecords("x", 0, 1, {"count": ours, "ganak": Record(4.0, trouble="crashed")})
    assert gains([failed], "ganak") == []

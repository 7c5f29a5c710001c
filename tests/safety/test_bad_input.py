"""Every bad input that is listed: refused as it says there, and no trace left.

The cases are data, in ``tests/data/bad_input``; here they are run.
"""

from __future__ import annotations

import inspect
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from stat import S_ISDIR
from typing import Any

import click
import pytest

import cattleya
from cattleya import plots
from cattleya.batch.summary import Summary
from cattleya.changes.general.general_reason import General
from cattleya.cli import commands
from tests.checks.command import Done, called, process
from tests.data.bad_input.case import CASES, Case
from tests.data.bad_input.prepared import FILES, NAMES, write_files

SLOW_STARTS = [case for case in CASES if case.is_command and "none" in case.text][:6]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder that everything runs in, and the one for temporary files."""
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("bad_input")
    write_files(folder)
    return folder, tmp_path_factory.mktemp("temporary")


@pytest.fixture
def folder(places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The same folder; whatever is written there, or left among temporary files, is a fault."""
    folder, temporary = places
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    before = listing(folder, temporary)
    yield folder
    assert listing(folder, temporary) == before


def listing(*folders: Path) -> list[tuple[str, int, int]]:
    """Everything below some folders; of files, what changes when they are written to."""
    found = [path for folder in folders for path in folder.rglob("*")]
    stats = [(str(path), path.lstat()) for path in found]
    return sorted(
        (path, 0, 0) if S_ISDIR(stat.st_mode) else (path, stat.st_size, stat.st_mtime_ns)
        for path, stat in stats
    )


def hide(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a library be as if it were not installed."""
    there = [name for name in sys.modules if name.partition(".")[0] == library]
    for name in [library, *there]:
        monkeypatch.setitem(sys.modules, name, None)


def check_command(case: Case, done: Done) -> None:
    assert done.returncode == int(case.outcome), done.stderr
    assert "Traceback" not in done.stderr
    assert "this is a fault" not in done.stderr
    assert done.stdout == ""
    assert 1 <= len(done.stderr.splitlines()) <= 2, done.stderr
    assert case.value in done.stderr
    assert case.remedy in done.stderr


def ids(case: Case) -> str:
    return f"{case.text}{' without ' + case.without if case.without else ''}"


@pytest.mark.parametrize("case", [case for case in CASES if not case.is_command], ids=ids)
def test_call(case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if case.without:
        hide(case.without, monkeypatch)
    with pytest.raises(case.error) as caught:
        eval(case.text, dict(NAMES))
    assert type(caught.value) is case.error
    assert case.value in str(caught.value)
    assert case.remedy in str(caught.value)


@pytest.mark.parametrize("case", [case for case in CASES if case.is_command], ids=ids)
def test_command(case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if case.without:
        hide(case.without, monkeypatch)
    _, *arguments = shlex.split(case.text)
    check_command(case, called(*arguments, cwd=folder))


@pytest.mark.parametrize("case", SLOW_STARTS, ids=ids)
def test_command_in_a_process_of_its_own(case: Case, folder: Path) -> None:
    _, *arguments = shlex.split(case.text)
    check_command(case, process(*arguments, cwd=folder))


# Whether the table is whole.


def methods(owner: type) -> Iterator[str]:
    """Name what users call on objects of a class, as far as it can be called wrongly."""
    for name, value in inspect.getmembers(owner, callable):
        if name.startswith("_") or name in SETS:
            continue
        if len(inspect.signature(value).parameters) > (0 if inspect.ismethod(value) else 1):
            yield f"{owner.__name__}.{name}"


#: What a Reason has as every set has it.
SETS = {"issubset", "issuperset", "union", "intersection", "difference", "isdisjoint"}
CLASSES = (
    *(cattleya.Circuit, cattleya.Condition, cattleya.Explainer, cattleya.Explanation),
    *(cattleya.Ensemble, cattleya.Reason, cattleya.Tree, General, Summary),
)


def leaves(command: click.Command, path: str) -> Iterator[str]:
    yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from leaves(inner, f"{path} {name}")


def functions(module: Any) -> Iterator[str]:
    short = module.__name__.rpartition(".")[2]
    return (f"{short}.{name}" for name in module.__all__ if callable(getattr(module, name)))


EVERY: list[Callable[[], Iterator[str]]] = [
    lambda: (name for owner in CLASSES for name in methods(owner)),
    lambda: leaves(commands, "cattleya"),
    lambda: functions(plots),
    lambda: iter(
        ["Tree", "Ensemble", "Condition", "Circuit", "Explainer", "words.describe", "words.render"]
    ),
]


@pytest.mark.parametrize("names", EVERY)
def test_every_public_name_is_in_the_table(names: Callable[[], Iterator[str]]) -> None:
    assert set(names()) <= {case.about for case in CASES}


def test_every_file_is_used() -> None:
    used = " ".join(case.text for case in CASES)
    assert [name for name in FILES if name.partition("/")[0] not in used] == []


def test_the_table_is_long_enough_and_says_nothing_twice() -> None:
    assert len(CASES) >= 150
    assert len({ids(case) for case in CASES}) == len(CASES)

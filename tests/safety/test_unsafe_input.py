"""Names, paths and files that somebody made to do harm: shown as they are, or refused.

Model files are in ``tests/safety/test_unsafe_files.py``.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import secrets
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import cattleya
from cattleya import plots
from cattleya.experiments.tables import FORMATS, Table
from cattleya.present import words
from cattleya.support.files import atomic
from tests.checks.command import called

#: What a column, a class, a file may be called by somebody who means ill.
NAMES = {
    "markup": "<script>alert(1)</script>",
    "an attribute": '" onload="alert(1)" x=\'',
    "a template": "{{ 7*7 }}{% raw %}",
    "an escape sequence": "\x1b[31mred\x1b[2J",
    "an operating system command": "\x1b]0;title\x07",
    "an 8-bit escape": "\x9b31m",
    "a line break": "age <= 3\nDecision: yes",
    "a carriage return": "yes\rno",
    "a line separator": "yes\u2028no",
    "a backspace": "yes\b\b\bno",
    "an override of direction": "\u202eegnahc\u202c",
    "an isolate": "\u2066a\u2069",
    "an invisible mark": "pay\u200bpal\ufeff",
    "a tag": "a\U000e0041",
    "a zero": "a\0b",
    "rich's markup": "[bold red]x[/]",
    "mathematics": "$\\alpha^{2}$",
    "a formula": "=cmd|' /C calc'!A0",
    "a formula behind a tab": "\t=1+1",
    "a formula behind a carriage return": "\r@SUM(1)",
    "a command of LaTeX": "\\input{/etc/passwd}",
    "a path": "../../../etc/passwd",
    "a code fence": "```\n# Yes\n```",
}
NAME = pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
#: One of each kind, for what takes long.
FEW = ("markup", "an escape sequence", "a line break", "an override of direction", "mathematics")
FEW_NAMES = pytest.mark.parametrize("name", [NAMES[kind] for kind in FEW], ids=FEW)


def is_harmless(text: str) -> bool:
    """Nothing that a terminal acts on, that reorders or hides, or that cannot be written."""
    allowed = "\n\u200c\u200d"
    harmful = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return all(c in allowed or unicodedata.category(c) not in harmful for c in text)


def is_safe(text: str, name: str) -> bool:
    """Harmless, and with no line that the name has made."""
    return is_harmless(text) and not ("\n" in name and name in text)


def named(name: str) -> cattleya.Tree:
    """A tree with a feature and a class of a name."""
    return cattleya.Tree(
        left=[1, -1, 3, -1, -1],
        right=[2, -1, 4, -1, -1],
        feature=[0, -1, 1, -1, -1],
        threshold=[30.5, 0, 2.5, 0, 0],
        leaf_class=[-1, 0, -1, 0, 1],
        n_features=2,
        feature_names=[name, "income"],
        class_names=[name, "other"],
    )


def explained(name: str, over: str = "conditions", **options: Any) -> cattleya.Explanation:
    categories = {name: {28: name, 50: "other"}} if over == "features" else None
    explainer = cattleya.Explainer(named(name), over=over, categories=categories)
    return explainer.explain([28, 3], **options)


# In words.


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
@NAME
def test_names_in_words(name: str, over: str) -> None:
    e = explained(name, over)
    reason = e.sufficient_reason()
    said: list[object] = [
        e,
        reason,
        repr(reason),
        *e.conditions,
        *e.contrastive(),
        e.generalise(reason),
    ]
    said += [e.verify(reason), e.verify([]), e.is_fair([name]), e.is_fair(["income"])]
    said += [*e.counterfactuals(), e.representative(reason), repr(e), repr(e.tree)]
    for one in said:
        assert is_safe(str(one), name), repr(one)


@NAME
def test_names_in_colours(name: str) -> None:
    from rich.console import Console

    console = Console(file=io.StringIO(), force_terminal=True, color_system=None, width=200)
    words.render(explained(name), console)
    text = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert is_safe(re.sub("\x1b\\[[0-9;]*m", "", text), name)  # its own styles
    if name.isprintable():
        assert name in text


def refusals(name: str) -> list[Callable[[], object]]:
    e = explained(name)
    return [
        lambda: explained(name, exclude=[name]).sufficient_reason(),
        lambda: e.counterfactuals(immutable=[name, "income"]),
        lambda: e.counterfactuals(ranges={name: (27, 29), "income": (3, 3)}),
        lambda: e.counterfactuals(ranges={name: "up"}),
        lambda: e.contrastive(toward=name),
        lambda: e.contrastive(toward="none"),
        lambda: e.verify([f"{name}? <= 1"]),
        lambda: e.minimal_reason(weights={name: -1}),
        lambda: e.is_free_of([f"{name}?"]),
        lambda: cattleya.Explainer(named(name)).explain({name: "old", "income": 3}),
        lambda: cattleya.Explainer(named(name)).explain({"income": 3}),
        lambda: cattleya.Explainer(named(name), integer=["none"]),
        lambda: cattleya.Explainer(named(name), class_names=["a"]),
        lambda: cattleya.Tree.from_nested((name, 0, 1), feature_names=["a"]),
        lambda: cattleya.Tree.from_nested(("a", name, 1), class_names=["b"]),
        lambda: cattleya.Tree.from_json(name),
        lambda: e.compile().count(including=[name]),
        lambda: plots.contrast(e, [name]),  # type: ignore[list-item]  # wrong on purpose
    ]


@NAME
def test_names_in_messages(name: str) -> None:
    for refused in refusals(name):
        with pytest.raises((ValueError, TypeError)) as caught:
            refused()
        assert is_safe(str(caught.value), name), str(caught.value)


# In pages and pictures.


@NAME
def test_names_in_pages(name: str) -> None:
    summary = cattleya.Explainer(named(name)).summarise([[28, 3], [50, 1]], protected=[name])
    assert is_safe(str(summary), name)
    e = explained(name)
    for html in (e.to_html(), e._repr_html_(), summary.to_html() or ""):
        assert "<script" not in html
        assert not re.search(r"<[^>]*\sonload=", html)
        assert "{{ 49" not in html
        assert is_safe(html, name)


@FEW_NAMES
def test_names_in_pictures(name: str) -> None:
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    e = explained(name)
    for draw in (plots.importance, plots.contrast, plots.tree, plots.sizes):
        figure = draw(e).figure
        assert isinstance(figure, Figure)
        figure.savefig(io.BytesIO(), format="svg")
        for text in figure.findobj(Text):
            assert isinstance(text, Text)
            assert is_harmless(text.get_text())
            assert not ("\n" in name and name in text.get_text())
            assert not text.get_parse_math() or "$" not in text.get_text()
        pyplot.close(figure)


# On the command line.


@FEW_NAMES
def test_names_on_the_command_line(name: str, tmp_path: Path) -> None:
    (tmp_path / "tree.json").write_text(named(name).to_json())
    rows = pd.DataFrame([[28, 3], [50, 1]], columns=[name, "income"])
    rows.to_csv(tmp_path / "t.csv", index=False)
    written = list(pd.read_csv(tmp_path / "t.csv").columns) == [name, "income"]
    for arguments in (
        ("tree", "tree.json"),
        ("tree", "tree.json", "--json"),
        ("explain", "tree.json", "t.csv", "--row", "0"),
        ("explain", "tree.json", "t.csv", "--row", "0", "--json"),
        ("explain", "tree.json", "t.csv", "--row", "0", "--exclude", name),
        ("explain", "tree.json", "t.csv", "--row", "0", "--html", "why.html"),
        ("report", "tree.json", "t.csv", "--protected", name),
        ("train", "t.csv", "--target", name),
        ("batch", "tree.json", "t.csv", "--out", "r.parquet"),
        ("verify", "r.parquet", "--model", "tree.json", "--data", "t.csv"),
        (name,),
    ):
        if "\0" in "".join(arguments) or (not written and "t.csv" in arguments):
            continue
        done = called(*arguments, cwd=tmp_path)
        assert done.returncode in (0, 2, 5, 9), done.stderr  # 9: it depends on what is protected
        assert is_safe(done.stdout + done.stderr, name), done


# In tables.


@NAME
@pytest.mark.parametrize("form", FORMATS)
def test_names_in_tables(name: str, form: str) -> None:
    table = Table("A title", ["data set", "n"], [[name, "1"]], [f"{name}."])
    text = FORMATS[form](table)
    assert is_safe(text, name)
    if form == "md":
        assert not re.search(r"(?<!\\)<script", text)
        assert "```" not in text
    if form == "tex":
        assert not re.search(r"(?<!\\)\\input", text)
        assert "\\textbackslash{}input" in text or "input" not in name


@pytest.mark.parametrize(
    "cell", ["=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1+1", "\r=1+1", " =1+1", "=cmd|' /C calc'!A0"]
)
def test_no_cell_of_a_csv_file_is_a_formula(cell: str) -> None:
    text = Table("t", ["data set"], [[cell]]).csv()
    (_, (written,)) = list(csv.reader(io.StringIO(text)))
    assert written.startswith("'")


@pytest.mark.parametrize("cell", ["-1.5", "+3", "-", "1e-5", "-2e+10", "iris", "1,234"])
def test_numbers_stay_numbers_in_csv_files(cell: str) -> None:
    (_, (written,)) = list(csv.reader(io.StringIO(Table("t", ["n"], [[cell]]).csv())))
    assert written == cell


# Paths.


def test_a_temporary_file_is_never_one_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who guesses its name, and puts a link there, gets nothing written and nothing removed."""
    monkeypatch.setattr(secrets, "token_hex", lambda n: "guessed")
    victim = tmp_path / "victim"
    victim.write_text("precious")
    trap = tmp_path / ".cattleya-guessed.tmp"
    trap.symlink_to(victim)
    with pytest.raises(FileExistsError, match=re.escape(repr(str(tmp_path / "out")))):
        atomic.write_text(tmp_path / "out", "harm")
    assert victim.read_text() == "precious"
    assert trap.is_symlink()
    assert not (tmp_path / "out").exists()


def test_temporary_names_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    replace = os.replace

    def noted(source: Path, target: Path) -> None:
        seen.append(str(source))
        replace(source, target)

    monkeypatch.setattr(os, "replace", noted)
    for _ in range(5):
        atomic.write_text(tmp_path / "out", "x")
    assert len(set(seen)) == 5
    assert all(Path(name).parent == tmp_path for name in seen)


def test_a_link_is_written_through_and_stays(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target = tmp_path / "elsewhere" / "page.html"
    target.write_text("old")
    (tmp_path / "page.html").symlink_to(target)
    explained("age").to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").is_symlink()
    assert target.read_text().startswith("<!doctype html>")
    assert sorted(p.name for p in (tmp_path / "elsewhere").iterdir()) == ["page.html"]


def test_names_never_become_paths(tmp_path: Path) -> None:
    """A model's names, and a data set's, decide nothing about where something is written."""
    inner = tmp_path / "inner"
    inner.mkdir()
    name = "../outside"
    (inner / "tree.json").write_text(named(name).to_json())
    pd.DataFrame([[28, 3], [50, 1]], columns=[name, "income"]).to_csv(inner / "t.csv", index=False)
    for arguments in (
        ("explain", "tree.json", "t.csv", "--row", 0, "--html", "why.html"),
        ("batch", "tree.json", "t.csv", "--out", "r.parquet"),
        ("report", "tree.json", "t.csv", "--html", "report.html"),
    ):
        assert called(*arguments, cwd=inner).returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["inner"]


# What the library does behind one's back: nothing.

WATCHED = """
import importlib, json, os, pkgutil, sys

seen = []


def watch(event, arguments):
    if event.startswith(("socket.", "urllib.", "ftplib.", "smtplib.", "webbrowser.")):
        seen.append([event, repr(arguments)])
    if event in ("os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "pty.spawn"):
        if arguments[0] != "lscpu":  # joblib before 1.6 asks how many cores there are
            seen.append([event, repr(arguments)])
    if event == "open" and isinstance(arguments[0], str):
        mode, flags = arguments[1] or "", arguments[2] or 0
        if set(mode) & set("wax+") or flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            seen.append([event, os.path.realpath(arguments[0])])


import cattleya

sys.addaudithook(watch)
for module in pkgutil.walk_packages(cattleya.__path__, "cattleya."):
    if ".workers" not in module.name and "__main__" not in module.name:
        importlib.import_module(module.name)
from cattleya.cli import run

for command in json.loads(sys.argv[1]):
    sys.stdout.flush()
    assert run(command) == 0, command
with open(sys.argv[2], "w") as file:
    seen, done = [], seen
    json.dump(done, file)
"""


def test_no_network_no_shell_and_no_file_that_was_not_asked_for(tmp_path: Path) -> None:
    """Everything is imported, and the commands are run, under Python's own audit hooks."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "t.csv").write_text("age,job,y\n" + "1,a,no\n2,b,yes\n3,a,no\n4,c,yes\n" * 5)
    commands = [
        ["demo", "--data", "iris", "--html", "demo.html"],
        ["train", "t.csv", "--target", "y"],
        ["tree", "model.skops"],
        ["explain", "model.skops", "t.csv", "--row", "0", "--html", "why.html"],
        ["explain", "model.skops", "t.csv", "--row", "0", "--over", "intervals", "--json"],
        ["batch", "model.skops", "t.csv", "--out", "r.parquet"],
        ["verify", "r.parquet", "--model", "model.skops", "--data", "t.csv"],
        ["report", "model.skops", "t.csv", "--html", "report.html"],
        ["experiment", "table1", "--datasets", "t.csv", "--folds", "2", "--rows", "2"],
    ]
    report = tmp_path / "seen.json"
    program = [sys.executable, "-B", "-c", WATCHED, json.dumps(commands), str(report)]
    environment = os.environ | {
        "MPLCONFIGDIR": str(tmp_path / "matplotlib"),
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(
        program, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(report.read_text())
    written = {path for event, path in seen if event == "open"}
    assert [entry for entry in seen if entry[0] != "open"] == []
    inside = {path for path in written if Path(path).is_relative_to(folder)}
    assert {
        p for p in written - inside if p != "/dev/null" and not p.startswith(str(tmp_path))
    } == set()
    asked = {"demo.html", "model.skops", "why.html", "r.parquet", "report.html", "rows.jsonl"}
    temporary = re.compile(r"\.cattleya-[0-9a-f]{16}\.tmp|whole(\.parquet)?|lock")
    odd = {Path(p).name for p in inside if not temporary.fullmatch(Path(p).name)} - asked
    assert odd == set()
    left = {path.name for path in folder.rglob("*") if path.is_file()}
    tables = {name for name in left if name.startswith("table1")}
    assert left - tables == {"t.csv", *asked}

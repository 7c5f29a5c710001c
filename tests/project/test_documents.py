"""What the documents show of the command line is what it prints; their links lead somewhere.

Their Python runs by itself, as doctests.
"""

from __future__ import annotations

import contextlib
import doctest
import re
import shlex
from pathlib import Path

import pytest

from tests import ROOT
from tests.checks.command import succeeds

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])

if not (ROOT / "docs").is_dir():
    reason = "the documents are not there: this is not the project's folder"
    pytest.skip(reason, allow_module_level=True)


def commands(text: str) -> list[tuple[str, str]]:
    """Return the commands in a document, each with what follows it."""
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


def test_the_guide_shows_what_the_command_line_prints(tmp_path: Path) -> None:
    guide = ROOT / "docs" / "guide.md"
    with contextlib.chdir(tmp_path):
        doctest.testfile(str(guide), module_relative=False)  # writes the table
    found = commands(guide.read_text(encoding="utf-8"))
    assert len(found) >= 2
    for command, text in found:
        shown = text
        name, *arguments = shlex.split(command)
        assert name == "cattleya"
        printed = succeeds(*arguments, cwd=tmp_path)
        if shown.endswith("\n...\n"):  # and so on
            shown = shown.removesuffix("...\n")
            printed = printed[: len(shown)]
        assert printed == shown


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", document.read_text(encoding="utf-8")):
        if not target.startswith("https://"):
            assert (document.parent / target.partition("#")[0]).exists(), target


def test_the_readme_shows_what_the_demonstration_prints(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```\n(Why .*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert shown in succeeds("demo", cwd=tmp_path)


def test_the_figures_in_the_readme_are_those_of_the_benchmarks() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[.*?\]\((benchmarks/.*?)\) \|[^|]*\|(.*)$", text, re.MULTILINE)
    assert len(rows) >= 5
    for path, cells in rows:
        made = (ROOT / path).read_text(encoding="utf-8")
        for number in re.findall(r"[\d.,]*\d", cells.partition(", ")[0]):
            assert number in made, f"{number} is not in {path}"

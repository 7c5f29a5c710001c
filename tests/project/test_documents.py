"""What the documents show of the command line is what it prints; their links lead somewhere.

Their Python runs by itself, as doctests.
"""

from __future__ import annotations

import contextlib
import doctest
import re
import runpy
import shlex
from pathlib import Path

import pytest

import cattleya
from tests import ROOT
from tests.checks.command import succeeds

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

if not (ROOT / "docs").is_dir():
    reason = "the documents are not there: this is not the project's folder"
    pytest.skip(reason, allow_module_level=True)


def commands(text: str) -> list[tuple[str, str]]:
    """Return the commands in a document, each with what follows it."""
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


GUIDES = ROOT / "docs" / "guides.md"  # its example writes the table of which the others speak
SHOWING = [path for path in DOCUMENTS if commands(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("document", SHOWING, ids=lambda path: path.name)
def test_documents_show_what_the_command_line_prints(document: Path, tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        doctest.testfile(str(GUIDES), module_relative=False)
    for command, text in commands(document.read_text(encoding="utf-8")):
        shown = text
        name, *arguments = shlex.split(command)
        assert name == "cattleya"
        printed = succeeds(*arguments, cwd=tmp_path)
        if shown.endswith("\n...\n"):  # and so on
            shown = shown.removesuffix("...\n")
            printed = printed[: len(shown)]
        assert printed == shown


def test_some_documents_show_commands() -> None:
    assert {path.stem for path in SHOWING} >= {"size", "terminal"}


def anchors(document: Path) -> set[str]:
    """Return what a link to a heading of the document can name."""
    text = re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", document.read_text(encoding="utf-8")):
        if not target.startswith("https://"):
            path, _, anchor = target.partition("#")
            file = document.parent / path if path else document
            assert file.exists(), target
            assert not anchor or anchor in anchors(file), target


def test_the_readme_shows_what_the_demonstration_prints(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```\n(Why .*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert shown in succeeds("demo", cwd=tmp_path)


def test_the_picture_in_the_readme_is_the_page_of_the_demonstration() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "picture.py"))
    assert made["PICTURE"].read_text(encoding="utf-8") == made["picture"]()


def test_the_picture_of_the_explorer_is_what_it_answers() -> None:
    pytest.importorskip("starlette")
    made = runpy.run_path(str(ROOT / "docs" / "picture.py"))
    assert made["EXPLORER"].read_text(encoding="utf-8") == made["explorer_picture"]()


def test_the_readme_is_read_in_a_minute() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_the_figures_in_the_readme_are_those_of_the_benchmarks() -> None:
    """Every number is in the table that stands with it, or is the ratio of the two beside it."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[.*?\]\((benchmarks/.*?)\) \|[^|]*\|(.*)\|$", text, re.MULTILINE)
    sentences = re.findall(r"^- (.*) \[Table\]\((benchmarks/.*?)\)\.$", text, re.MULTILINE)
    assert len(rows) >= 5
    assert len(sentences) >= 3
    for path, cells in rows:
        theirs, ours, faster, *_ = figures = [numbers(cell) for cell in cells.split("|")]
        made = numbers((ROOT / path).read_text(encoding="utf-8"))
        if faster[0] not in made:
            shown, ratio = faster[0], float(theirs[0]) / float(ours[0])
            assert f"{ratio:.{len(shown.partition('.')[2])}f}" == shown
            figures.remove(faster)
        assert {number for cell in figures for number in cell} <= set(made), path
    for sentence, path in sentences:
        made = numbers((ROOT / path).read_text(encoding="utf-8"))
        assert set(numbers(sentence)) <= set(made), sentence


def numbers(text: str) -> list[str]:
    return [number.replace(",", "") for number in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


def test_the_readme_says_of_which_build_its_figures_are() -> None:
    """Tables that name no commit, or not the same one, are not told as those of one run."""
    from benchmarks.__main__ import TABLES
    from benchmarks.publishing import RESULTS, commit_of, section

    texts = {name: (RESULTS / f"{name}.md").read_text(encoding="utf-8") for name in TABLES}
    commits = {commit_of(text) for text in texts.values()}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    if len(commits) == 1 and None not in commits:
        assert section(texts) in readme
    else:
        assert "on several earlier builds" in readme
        assert not re.search(r"[Oo]ne run of|in the same run", readme)


def test_every_public_name_is_in_the_reference() -> None:
    text = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^   (\w+)$", text, re.MULTILINE))
    assert listed == {*cattleya.__all__, *cattleya.plots.__all__} - {"__version__"}


def test_all_that_names_the_version_follows_it() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", cited, re.MULTILINE) == [cattleya.__version__]
    changed = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## (\S+) \((unreleased|\d{4}-\d\d-\d\d)\)$", changed, re.MULTILINE)
    released = [version for version, when in heads if when != "unreleased"]
    assert released[0] == cattleya.__version__
    assert len(released) >= len(heads) - 1  # only what comes next has no date yet

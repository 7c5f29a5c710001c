"""What a run writes: a file for each table, with the build it is of; and what is published of it.

Published are all tables of one commit together, and the README's section: never some of them, and
never figures of changes that are not committed, of made-up data or without a peer.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.build import ROOT, Build, stale
from benchmarks.cases import DATA_SETS
from benchmarks.report import IN_SHORT, Finding, Report, table
from cattleya.experiments.data.registry import available
from cattleya.experiments.machine import machine
from cattleya.experiments.peers.asking import PEERS, missing
from cattleya.experiments.results_page import between_marks
from cattleya.support.files.atomic import write_text

__all__ = ["RESULTS", "commit_of", "head", "options_of", "publish", "reasons_against", "write"]

RESULTS = ROOT / "benchmarks" / "results"
IN_FULL = "## In full"
NOT_PUBLISHED = "**Not for publication**"
HOW = (
    "Times are medians, for one row of `adult`. `faster` is the ratio of the two; for Ganak, and "
    "for PyXAI's minimal reason and first reasons, it is the median of the ratios of the single "
    "rows."
)
DISTRIBUTIONS = ("cattleya", "scikit-learn", "numpy", "pandas")


def reasons_against(
    build: Build | None, folder: Path | None, quick: bool, *, peers: bool = True
) -> list[str]:
    """List why the figures of a run may not be published; none where they may."""
    reasons = ["--quick measures next to nothing"] if quick else []
    if build is None:
        reasons.append("this folder is no git repository, so that the build has no name")
    elif build.changed:
        more = f" and {len(build.changed) - 3} more" if len(build.changed) > 3 else ""
        reasons.append(f"changes are not committed: {', '.join(build.changed[:3])}{more}")
    if old := stale():
        reasons.append(f"{old}: install it again")
    there = available(folder) if folder is not None else []
    if absent := [name for name in DATA_SETS if name not in there]:
        reasons.append(f"no data: {', '.join(absent)} (name their folder: CATTLEYA_DATA=DIR)")
    if unknown := missing(PEERS) if peers else []:
        reasons.append(f"not installed: {', '.join(unknown)} (pip install .[bench])")
    return reasons


def options_of(name: str, doc: str) -> argparse.ArgumentParser:
    """Return the options that every table of a command of its own has: the data, and the file."""
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{name}",
        description=doc,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    named = os.environ.get("CATTLEYA_DATA")
    parser.add_argument("--data", type=Path, default=Path(named) if named else None)
    parser.add_argument("--out", type=Path, default=RESULTS / f"{name}.md")
    return parser


def head(build: Build | None, reasons: Sequence[str]) -> str:
    """Say of which build, when and where something is measured."""
    today = datetime.now(UTC).date().isoformat()
    commit = f"Commit `{build.commit}` of {build.date}" if build else "No commit"
    lines = [f"{commit}; measured on {today} by `python -m benchmarks`."]
    if reasons:
        lines.append(f"{NOT_PUBLISHED}: {'; '.join(reasons)}.")
    peers = (peer.distribution for peer in PEERS.values())
    lines.append(f"{machine((*DISTRIBUTIONS, *peers))}.")
    if hasattr(os, "getloadavg"):
        load = ", ".join(f"{one:.2f}" for one in os.getloadavg())
        lines.append(f"Load average at the start: {load}.")
    return "  \n".join(lines)


def write(path: Path, heading: str, report: Report) -> None:
    """Write a table."""
    parts = [f"# {report.title}", heading]
    if report.findings:
        parts += ["## In short", table(IN_SHORT, map(Finding.cells, report.findings), left=2)]
    elif report.sentences:
        parts.append("## In short")
    if report.sentences:
        parts.append("\n".join(f"- {sentence}" for sentence in report.sentences))
    parts += [IN_FULL, *report.parts]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, "\n\n".join(parts) + "\n")


def commit_of(text: str) -> str | None:
    """Give the commit that a table names, None where it names none or is not for publication."""
    found = re.search(r"^Commit `([0-9a-f]+)` ", text, re.MULTILINE)
    return None if found is None or NOT_PUBLISHED in text else found[1]


def publish(made: Path, names: Sequence[str], results: Path, readme: Path) -> str | None:
    """Publish all tables, and the README's section; tell why not where they are not of one commit.

    Run once more for the tables that are of another commit, and they are.
    """
    texts = {}
    for name in names:
        path = made / f"{name}.md"
        if not path.is_file():
            return f"there is no {path.name} yet"
        texts[name] = path.read_text(encoding="utf-8")
    commits = {name: commit_of(text) for name, text in texts.items()}
    if None in commits.values() or len(set(commits.values())) > 1:
        told = ", ".join(f"{name}: {commit or 'none'}" for name, commit in commits.items())
        return f"the tables are not all of one commit ({told})"
    results.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_text(results / f"{name}.md", text)
    between_marks(readme, "# Cattleya", section(texts))
    return None


def section(texts: dict[str, str]) -> str:
    """Give the README's section: what the tables say in short, each line with its table."""
    lines, sentences = [], []
    for name, text in texts.items():
        _, _, rest = text.partition("## In short\n\n")
        link = f"benchmarks/results/{name}.md"
        for line in rest.partition(f"\n\n{IN_FULL}")[0].splitlines():
            if line.startswith("- "):
                sentences.append(f"{line} [Table]({link}).")
            elif line.startswith("| ") and not line.startswith(("| ---", f"| {IN_SHORT[0]} ")):
                peer, _, cells = line.removeprefix("| ").partition(" | ")
                lines.append([f"[{peer}]({link})", *cells.removesuffix(" |").split(" | ")])
    first = next(iter(texts.values()))
    ((date, where),) = re.findall(
        r"^Commit .*; measured on (\S+) .*\n(.*, \d+ cores, .*?); Python", first, re.MULTILINE
    )
    intro = f"One run of `make bench`, commit `{commit_of(first)}`, {date}; {where}. {HOW}"
    return "\n\n".join([intro, table(IN_SHORT, lines, left=2), "\n".join(sentences)])

"""A page of results: tables that are made anew, between marks, and words that stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cattleya.experiments.data.coding import Data
from cattleya.experiments.machine import machine
from cattleya.experiments.progress import duration
from cattleya.experiments.table.report import tables
from cattleya.experiments.table.statistics import Summary
from cattleya.experiments.table.table1 import Settings
from cattleya.experiments.tables import in_markdown
from cattleya.support.files.atomic import write_text
from cattleya.support.text import printable

__all__ = ["between_marks", "check_page", "write"]

BEGIN = "<!-- made by a command: from here -->"
END = "<!-- to here -->"


def write(
    path: Path, summaries: Sequence[Summary], sets: Sequence[Data], settings: Settings
) -> None:
    """Write the tables of a run into a page, with all that they depend on."""
    shown = {summary.data for summary in summaries}
    sets = [data for data in sets if data.name in shown]
    names = _in_code(",".join(data.name for data in sets))
    command = (
        f"cattleya experiment table1 --data-dir DIR --datasets {names} --folds {settings.folds} "
        f"--rows {settings.rows} --timeout {settings.timeout:g} --seed {settings.seed}"
    )
    data = [
        f"- {in_markdown(one.name)}: `{_in_code(one.origin)}`, {one.x.shape[0]:,} rows x "
        f"{one.x.shape[1]:,} features, {len(one.classes)} classes, checksum `{one.checksum}`"
        for one in sets
    ]
    total = sum(summary.total_seconds for summary in summaries)
    parts = [
        f"```\n{command}\n```",
        f"{machine()}. {sum(s.rows for s in summaries):,} rows, {duration(total)} of questions.",
        *_incomplete(summaries, settings),
        *(table.markdown() for table in tables(summaries)),
        "The data:",
        "\n".join(data),
    ]
    between_marks(path, "# The paper's table, run again", "\n\n".join(parts))


def _incomplete(summaries: Sequence[Summary], settings: Settings) -> list[str]:
    wanted = settings.folds * settings.rows
    few = [f"{s.data} ({s.rows:,} rows)" for s in summaries if s.rows < wanted]
    return [f"Fewer than {wanted:,} rows: {', '.join(few)}."] if few else []


def _in_code(text: str) -> str:
    """Return a text that stays within the code it is put in."""
    return printable(text).replace("`", "'")


def check_page(path: Path | None) -> None:
    """Refuse a page that has no place for the tables, before they are worked on."""
    if path is not None and path.is_file():
        _around(path)


def _around(path: Path) -> tuple[str, str]:
    """Return what is before and after the tables of a page."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(
            f"{str(path)!r} has no place for the tables: give it the lines {BEGIN!r} and {END!r}, "
            f"or name a new page"
        )
    return before, after


def between_marks(path: Path, title: str, text: str) -> None:
    """Put a text between the marks of a page, or in a new page."""
    before, after = _around(path) if path.is_file() else (f"{title}\n\n", "\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, f"{before}{BEGIN}\n\n{text.strip()}\n\n{END}{after}")

"""The tables of a run: the paper's two half-tables, ours beside it, and a third on time."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from cattleya.experiments.progress import duration
from cattleya.experiments.table.paper_table import (
    LIMIT_OF_MINIMAL,
    LOWER,
    OUT_OF_TIME,
    PAPER,
    UPPER,
    PaperRow,
    Spread,
)
from cattleya.experiments.table.row_record import STEPS
from cattleya.experiments.table.statistics import OurSpread, Summary
from cattleya.experiments.tables import FORMATS, Table
from cattleya.support.files.atomic import write_text

__all__ = ["tables", "unfinished", "write_tables"]

ABOUT = "median and maximum over all rows of all folds"


def tables(summaries: Sequence[Summary]) -> list[Table]:
    """Return the three tables, the data sets in the order given."""
    return [
        _half("Decision trees, sizes of reasons, explanatory features", summaries, UPPER, True),
        _half("Numbers of reasons", summaries, LOWER, False),
        _times(summaries),
    ]


def write_tables(summaries: Sequence[Summary], out: Path) -> list[Path]:
    """Write every table in every form; return the files."""
    out.mkdir(parents=True, exist_ok=True)
    made = tables(summaries)
    written = []
    for ending, form in FORMATS.items():
        if ending == "csv":  # one table a file, so that a program can read it
            texts = {f"table1-{n}.csv": form(table) for n, table in enumerate(made, 1)}
        else:
            texts = {f"table1.{ending}": "\n".join(form(table) for table in made)}
        for name, text in texts.items():
            write_text(out / name, text)
            written.append(out / name)
    return written


def unfinished(summaries: Sequence[Summary]) -> list[str]:
    """List the rows that did not finish, by number, one line per data set and step."""
    lines = []
    for summary in summaries:
        for step in STEPS:
            rows = [
                f"{row} (fold {fold + 1}{'' if why[step] == 'time' else ', ' + why[step]})"
                for fold, row, why in summary.unfinished
                if step in why
            ]
            if rows:
                lines.append(f"{summary.data}, {step}: {len(rows)} rows: {', '.join(rows)}")
    return lines


def _half(title: str, summaries: Sequence[Summary], columns: Sequence[str], tree: bool) -> Table:
    headings = ["data set", "", *(("%A", "#N", "#B") if tree else ())]
    headings += [f"{column} {which}" for column in columns for which in ("med", "max")]
    rows = []
    for summary in summaries:
        ours = [_ours(summary.spreads[column]) for column in columns]
        figures = (f"{n:.2f}" for n in (summary.accuracy, summary.nodes, summary.binary_features))
        shown = [*(figures if tree else ()), *(cell for pair in ours for cell in pair)]
        rows.append([summary.data, "ours", *shown])
        if paper := PAPER.get(summary.data):
            rows.append(["", "paper", *_paper(paper, columns, tree)])
    return Table(f"{title} ({ABOUT})", headings, rows, left=2)


def _ours(spread: OurSpread) -> tuple[str, str]:
    if spread.maximum is None or spread.low is None:
        return "not known", "not known"
    middle = _number(spread.low)
    if spread.high is None:
        middle = f">={middle}" if spread.low else "not known"
    elif spread.high != spread.low:
        middle = f"{middle} to {_number(spread.high)}"
    return middle, f"{'>=' if spread.open else ''}{spread.maximum}"


def _paper(paper: PaperRow, columns: Sequence[str], tree: bool) -> list[str]:
    figures = (paper.accuracy, paper.nodes, paper.binary_features) if tree else ()
    cells = [f"{figure:.2f}" for figure in figures]
    for column in columns:
        spread: Spread = paper.spreads[column]
        cells.append("-" if spread.median is None else _number(spread.median))
        cells.append(f"{'>=' if spread.is_bound else ''}{_number(spread.maximum)}")
    return cells


def _number(value: Fraction | Decimal) -> str:
    """Write a number that is whole or a half."""
    whole, rest = divmod(Fraction(value), 1)
    return f"{whole}" if not rest else f"{whole}.{int(10 * rest)}"


def _times(summaries: Sequence[Summary]) -> Table:
    steps = ("row", *STEPS)
    headings = ["data set", "rows", "together"]
    headings += [f"{step}, med / max" for step in steps]
    headings += ["not finished", "paper: out of time", "paper: over 10,000 minimal"]
    rows = []
    for summary in summaries:
        taken = [" / ".join(map(duration, summary.seconds[step])) for step in steps]
        late = str(len(summary.unfinished))
        known = summary.data in PAPER
        theirs = [
            str(of.get(summary.data, 0)) if known else "" for of in (OUT_OF_TIME, LIMIT_OF_MINIMAL)
        ]
        total = duration(summary.total_seconds)
        rows.append([summary.data, f"{summary.rows}", total, *taken, late, *theirs])
    lines = unfinished(summaries)
    notes = [f"Not finished: {line}." for line in lines] or ["Every row finished."]
    return Table("Time, and rows that did not finish", headings, rows, notes)

"""A table of text, in the forms that it is read in: text, Markdown, CSV, LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

__all__ = ["FORMATS", "Table"]

_LATEX = {"#": r"\#", "%": r"\%", "_": r"\_", "&": r"\&", "|": r"$|$", ">=": r"$\geq$ "}


@dataclass(frozen=True)
class Table:
    """A title, headings, rows, and notes to be read with it; ``left`` columns are words."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = field(default=())
    left: int = 1

    def text(self) -> str:
        """Return the table for a terminal."""
        lines = [self.headings, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        drawn = [self._line(line, widths) for line in lines]
        rule = "-" * max(map(len, drawn))
        return "\n".join([self.title, rule, drawn[0], rule, *drawn[1:], rule, *self.notes]) + "\n"

    def _line(self, cells: Sequence[str], widths: Sequence[int]) -> str:
        padded = [
            cell.ljust(width) if place < self.left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(padded).rstrip()

    def markdown(self) -> str:
        """Return the table in Markdown."""

        def line(cells: Sequence[str]) -> str:
            return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"

        sides = [":---" if place < self.left else "---:" for place in range(len(self.headings))]
        parts = [line(self.headings), line(sides), *map(line, self.rows)]
        notes = "".join(f"\n{note}\n" for note in self.notes)
        return f"**{self.title}**\n\n" + "\n".join(parts) + f"\n{notes}"

    def csv(self) -> str:
        """Return the table as comma-separated values, without title and notes."""
        file = io.StringIO()
        csv.writer(file, lineterminator="\n").writerows([self.headings, *self.rows])
        return file.getvalue()

    def latex(self) -> str:
        """Return the table in LaTeX; it needs the package booktabs."""
        columns = "l" * self.left + "r" * (len(self.headings) - self.left)
        rows = [" & ".join(map(_escaped, row)) + r" \\" for row in (self.headings, *self.rows)]
        notes = [rf"\par {_escaped(note)}" for note in self.notes]
        return "\n".join(
            [
                r"\begin{table}",
                rf"\caption{{{_escaped(self.title)}}}",
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                rows[0],
                r"\midrule",
                *rows[1:],
                r"\bottomrule",
                r"\end{tabular}",
                *notes,
                r"\end{table}",
                "",
            ]
        )


def _escaped(text: str) -> str:
    for plain, latex in _LATEX.items():
        text = text.replace(plain, latex)
    return text


#: By the ending of a file: how a table is written to it.
FORMATS: dict[str, Callable[[Table], str]] = {
    "txt": Table.text,
    "md": Table.markdown,
    "csv": Table.csv,
    "tex": Table.latex,
}

"""A table of text, in the forms that it is read in: text, Markdown, CSV, LaTeX.

A data set may be called anything. In none of the forms is a name more than a name: not a control
character in a terminal, not markup, not a formula in a spreadsheet, not a command in LaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cattleya.support.files.csv_text import as_cell, csv_line
from cattleya.support.text import printable

__all__ = ["FORMATS", "Table", "in_markdown"]

_LATEX = {
    **{"#": r"\#", "%": r"\%", "_": r"\_", "&": r"\&", "$": r"\$", "{": r"\{", "}": r"\}"},
    **{"|": r"$|$", ">=": r"$\geq$ ", "<": r"$<$", ">": r"$>$"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
}
_IN_LATEX = re.compile(">=|" + "|".join(re.escape(plain) for plain in _LATEX if plain != ">="))
_IN_MARKDOWN = re.compile(r"[\\`|<\[]")
# What no spreadsheet takes for a formula: a number, a dash, nothing.
_NUMBER = re.compile(r"-?|[+-]?[0-9.,]+([eE][+-]?[0-9]+)?")


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
        lines = [[printable(cell) for cell in line] for line in (self.headings, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        drawn = [self._line(line, widths) for line in lines]
        rule = "-" * max(map(len, drawn))
        notes = map(printable, self.notes)
        return "\n".join([self.title, rule, drawn[0], rule, *drawn[1:], rule, *notes]) + "\n"

    def _line(self, cells: Sequence[str], widths: Sequence[int]) -> str:
        padded = [
            cell.ljust(width) if place < self.left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(padded).rstrip()

    def markdown(self) -> str:
        """Return the table in Markdown."""

        def line(cells: Sequence[str]) -> str:
            return "| " + " | ".join(map(in_markdown, cells)) + " |"

        sides = [":---" if place < self.left else "---:" for place in range(len(self.headings))]
        parts = [line(self.headings), line(sides), *map(line, self.rows)]
        notes = "".join(f"\n{in_markdown(note)}\n" for note in self.notes)
        return f"**{self.title}**\n\n" + "\n".join(parts) + f"\n{notes}"

    def csv(self) -> str:
        """Return the table as comma-separated values, without title and notes."""
        return "".join(csv_line(map(_no_formula, line)) for line in (self.headings, *self.rows))

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


def in_markdown(text: str) -> str:
    r"""Return a text that Markdown shows as it is.

    >>> print(in_markdown("a|b <script>"))
    a\|b \<script>
    """
    return _IN_MARKDOWN.sub(lambda found: f"\\{found[0]}", printable(text))


def _no_formula(text: str) -> str:
    """Return a cell that no spreadsheet computes."""
    return text if _NUMBER.fullmatch(text) else printable(as_cell(text))


def _escaped(text: str) -> str:
    return _IN_LATEX.sub(lambda found: _LATEX[found[0]], printable(text))


#: By the ending of a file: how a table is written to it.
FORMATS: dict[str, Callable[[Table], str]] = {
    "txt": Table.text,
    "md": Table.markdown,
    "csv": Table.csv,
    "tex": Table.latex,
}

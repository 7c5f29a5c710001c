"""``python tests/document_bad_input.py`` writes ``docs/bad_input.md``: the table of bad inputs."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from bad_input.case import CASES, Case
from bad_input.prepared import FILES, PREPARED

__all__ = ["PATH", "document"]

PATH = Path(__file__).resolve().parents[1] / "docs" / "bad_input.md"

INTRODUCTION = """\
# Bad input

What comes of a wrong value, file or command: the exception or the exit code, and two things that
the message names, what was wrong and what to do. Nothing is coerced silently, no command shows a
traceback, and no file is left behind or changed. Each line is run as a test; the table is made from
the tests by `python tests/document_bad_input.py`.
"""


def document() -> str:
    """Return the page."""
    parts = [INTRODUCTION, f"{len(CASES)} bad inputs. In the calls,\n"]
    parts.append("".join(f"- `{name}`: {what}\n" for name, what in PREPARED.items()))
    for about, cases in groupby(CASES, key=lambda case: case.about):
        heading = about if about.startswith("A") and " " in about else f"`{about}`"
        lines = ["| | | names | and says |", "|---|---|---|---|", *map(_line, cases)]
        parts.append(f"## {heading}\n\n" + "\n".join(lines) + "\n")
    parts.append(
        "## The files\n\n" + "".join(f"- `{n}`: {what}\n" for n, (what, _) in FILES.items())
    )
    return "\n".join(parts)


def _line(case: Case) -> str:
    outcome = f"exit code {case.outcome}" if case.is_command else f"`{case.outcome}`"
    missing = f", without {case.without}" if case.without else ""
    cells = (_code(case.text) + missing, outcome, _code(case.value), _code(case.remedy))
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    """Return a text as code in a cell; a bar would end the cell."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text.replace('|', chr(92) + '|')}{fence}"


if __name__ == "__main__":
    PATH.write_text(document(), encoding="utf-8")

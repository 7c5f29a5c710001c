"""What the tables have in common: Markdown, bars, and the lines that the README repeats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.timing import Timing

__all__ = [
    "IN_SHORT",
    "Finding",
    "Report",
    "at_least",
    "at_most",
    "microseconds",
    "milliseconds",
    "spread",
    "table",
    "times",
]

IN_SHORT = ("beside", "the question, one row", "theirs", "ours", "faster", "bar", "verdict")


@dataclass(frozen=True)
class Finding:
    """A line that the README repeats; the name of the peer becomes a link to the table."""

    peer: str
    question: str
    theirs: str
    ours: str
    faster: str
    bar: tuple[str, str]

    def cells(self) -> list[str]:
        """Give the cells."""
        return [self.peer, self.question, self.theirs, self.ours, self.faster, *self.bar]


@dataclass(frozen=True)
class Report:
    """What goes into a file: a title, sections, and what is found in short."""

    title: str
    parts: Sequence[str]
    findings: Sequence[Finding] = ()
    sentences: Sequence[str] = ()  # that the README repeats, too
    wrong: bool = False  # an answer was not what another gave


def table(header: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """Lay out a Markdown table whose first columns are text and whose others are figures."""
    lines = [header, [*["---"] * left, *["---:"] * (len(header) - left)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def at_least(value: float | None, bound: float, unit: str = "times") -> tuple[str, str]:
    """Give the bar and the verdict as two cells; None is what could not be measured."""
    return f"at least {bound:,.12g} {unit}", _verdict(value is not None and value >= bound, value)


def at_most(value: float | None, bound: float, unit: str = "times") -> tuple[str, str]:
    """Give the bar and the verdict as two cells; None is what could not be measured."""
    return f"at most {bound:,.12g} {unit}", _verdict(value is not None and value <= bound, value)


def _verdict(met: bool, value: float | None) -> str:
    return "not measured" if value is None else "met" if met else "**missed**"


def times(ratio: float | None, what: str = "times") -> str:
    """Print a ratio."""
    if ratio is None:
        return "-"
    return f"{ratio:,.{2 if ratio < 10 else 1 if ratio < 100 else 0}f} {what}"


def microseconds(seconds: float) -> str:
    """Print seconds as microseconds."""
    return f"{seconds * 1e6:,.1f}" if seconds < 1e-4 else f"{seconds * 1e6:,.0f}"


def milliseconds(seconds: float) -> str:
    """Print seconds as milliseconds, with the unit."""
    return f"{seconds * 1e3:,.{2 if seconds < 1 else 0}f} ms"


def spread(timing: Timing) -> list[str]:
    """Give the median and the mean, in microseconds."""
    return [microseconds(timing.median), microseconds(timing.mean)]

"""Shortest reasons, all reasons, how many shortest ones.

On random held-out rows of trees that scikit-learn grows:

- one minimal reason through the public API, from the row to the conditions; RC2 (PySAT) on the same
  clauses, of which the search alone counts; PyXAI's `minimal_sufficient_reason`;
- the first sufficient reasons of a row through the iterator, each with its conditions read;
  PyXAI's, which gets them one by one from a SAT solver;
- the number of minimal reasons, exactly, beside one RC2 call.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import mean, median
from typing import Any

import cattleya
from benchmarks.cases import about, load_case, rows_of
from benchmarks.report import Finding, Report, at_least, at_most, milliseconds, table, times
from benchmarks.settings import Settings
from benchmarks.timing import Row
from cattleya.experiments.data.protocol import Fold
from cattleya.experiments.machine import installed
from cattleya.experiments.peers.apart import rows_apart
from cattleya.experiments.peers.asking import clauses_of
from cattleya.experiments.peers.workers.clocks import settled

DATA_SETS = ("adult", "bank_marketing", "farm_ads", "mnist49")
BESIDE_PYXAI = ("adult", "bank_marketing")
RC2_LIMIT = 60.0
RC2_BAR, MINIMAL_BAR, MANY_BAR = 1.2, 500, 100
READ_BAR = 1_000_000  # reasons per second, with every condition read


@dataclass(frozen=True)
class Measured:
    """One row: the seconds of each contender, and what they found."""

    clauses: int
    size: int
    number: int | None
    shortest: float
    rc2: float | None
    counting: float


def measure(settings: Settings, folder: Path | None) -> Report:
    """Measure all data sets; what is found in short is of the first."""
    findings: list[Finding] = []
    parts = []
    for name in DATA_SETS:
        case = load_case(name, folder, settings.shortest_rows, settings.made_up_rows)
        explainer = cattleya.Explainer(case.model)
        speed = _speed(explainer, case, settings) if name in BESIDE_PYXAI else None
        parts.append(_section(case, _measure(explainer, case, settings), settings, speed))
        if name in BESIDE_PYXAI:
            told, text = _beside_pyxai(case, explainer, settings)
            findings = findings or told
            parts.append(text)
    return Report("Shortest reasons, and all reasons", parts, findings)


def _measure(explainer: cattleya.Explainer, case: Fold, settings: Settings) -> list[Measured]:
    """Time each row's shortest reason, RC2 on its clauses, and the number of shortest reasons."""
    rows = rows_of(case)
    clauses = [clauses_of(explainer.explain(row))[0] for row in rows]
    rc2: list[dict[str, Any]] = [{}] * len(rows)
    if installed("python-sat") is not None:
        rc2 = rows_apart("cattleya.experiments.peers.workers.rc2", {}, clauses, RC2_LIMIT)
    measured = []
    for number, row, theirs, entry in zip(case.drawn, rows, clauses, rc2, strict=True):
        seconds, reason = settled(partial(_minimal, explainer, row))
        if "minimal" in entry and len(entry["minimal"]) != len(reason):
            needs = len(entry["minimal"])
            raise SystemExit(f"row {number}: {len(reason)} conditions, but RC2 needs {needs}")
        taken = entry.get("seconds", {}).get("search")
        try:
            counting, many = settled(partial(_number, explainer, row, settings.shortest_limit))
        except cattleya.TimeoutExpired:
            counting, many = settings.shortest_limit, None
        measured.append(Measured(len(theirs), len(reason), many, seconds, taken, counting))
    return measured


def _speed(explainer: cattleya.Explainer, case: Fold, settings: Settings) -> float:
    """Return how many reasons come through the iterator in a second, in the median row."""
    ask = [partial(_many, explainer, row, settings.many) for row in rows_of(case)]
    speeds = [settled(one) for one in ask[: settings.many_rows]]
    return median(number / seconds for seconds, number in speeds)


def _section(case: Fold, rows: list[Measured], settings: Settings, speed: float | None) -> str:
    limit = settings.shortest_limit
    finished = [row.number for row in rows if row.number is not None]
    slowest = max(row.counting for row in rows)
    lines = [
        ["one minimal reason, from the row", *_three([row.shortest for row in rows])],
        ["how many there are, from the row", *_three([row.counting for row in rows])],
    ]
    both = [(row.shortest, row.counting, row.rc2) for row in rows if row.rc2 is not None]
    cost = median(one / rc2 for one, _, rc2 in both) if both else None
    many = median(count / rc2 for _, count, rc2 in both) if both else None
    if both:
        what = f"RC2 on the clauses, {len(both)} rows"
        lines.append([what, *_three([rc2 for *_, rc2 in both])])
    figures = [
        [f"rows counted within {limit:g} s", f"{len(finished)} of {len(rows)}", "all",
         "met" if len(finished) == len(rows) else "**missed**"],
        ["the slowest count", f"{slowest:.3f} s", *at_most(slowest, limit, "s")],
        ["counting against one RC2 call, median", times(many), *at_most(many, 1)],
    ]  # fmt: skip  # a list in few lines
    if case.data.name in BESIDE_PYXAI:
        what = "one minimal reason against RC2, median"
        figures.insert(0, [what, times(cost), *at_most(cost, RC2_BAR)])
    if speed is not None:
        what = (
            f"the first {settings.many:,} sufficient reasons, every condition read, median of "
            f"{settings.many_rows} rows"
        )
        told = f"{speed:,.0f} reasons per second"
        figures.append([what, told, *at_least(speed, READ_BAR, "reasons per second")])
    return "\n\n".join(
        [
            f"## `{case.data.name}`",
            f"{about(case)} of up to {max(row.clauses for row in rows):,} clauses. Minimal reasons "
            f"have up to {max(row.size for row in rows)} conditions; there are up to "
            f"{max(finished, default=0):,} of a row.",
            table(["milliseconds per row", "median", "mean", "max"], lines),
            table(["", "figure", "bar", "verdict"], figures),
        ]
    )


def _beside_pyxai(
    case: Fold, explainer: cattleya.Explainer, settings: Settings
) -> tuple[list[Finding], str]:
    if installed("pyxai") is None:
        return [], "PyXAI is not installed."
    rows, many = rows_of(case)[: settings.many_rows], settings.many
    given = {"model": case.model, "questions": ("minimal", "many"), "many": many}
    entries = rows_apart(
        "cattleya.experiments.peers.workers.pyxai", given, rows, settings.pyxai_limit
    )
    lines, findings, notes = [], [], []
    for question, what, bar in (
        ("minimal", "one minimal reason", MINIMAL_BAR),
        ("many", f"the first {many:,} sufficient reasons", MANY_BAR),
    ):
        pairs = []
        for number, row, entry in zip(case.drawn, rows, entries, strict=False):
            if "trouble" in entry:
                continue
            if question == "minimal":
                ours, reason = settled(partial(_minimal, explainer, row))
                found, theirs = len(reason), len(entry["minimal"])
            else:
                ours, found = settled(partial(_many, explainer, row, many))
                theirs = entry["many"]
            if found == theirs:
                pairs.append((entry["seconds"][question], ours))
            else:
                notes.append(f"Row {number}, {what}: PyXAI found {theirs}, we {found}.")
        if not pairs:
            lines.append([f"{what}, 0 rows", "-", "-", "-", *at_least(None, bar)])
            continue
        gain = median(theirs / ours for theirs, ours in pairs)
        their_median, our_median = (median(side) for side in zip(*pairs, strict=True))
        shown = [f"{their_median:.2f} s", milliseconds(our_median), times(gain)]
        lines.append([f"{what}, {len(pairs)} rows", *shown, *at_least(gain, bar)])
        label = f"PyXAI {installed('pyxai')}"
        findings.append(Finding(label, what, shown[0], shown[1], shown[2], at_least(gain, bar)))
    notes += sorted({f"PyXAI: {entry['trouble']}." for entry in entries if "trouble" in entry})
    text = [
        table(["beside PyXAI", "PyXAI", "cattleya", "faster", "bar", "verdict"], lines),
        "Our times include turning every condition into a Python object.",
        *notes,
    ]
    return findings, "\n\n".join(text)


def _minimal(explainer: cattleya.Explainer, row: Row) -> list[cattleya.Condition]:
    return list(explainer.explain(row).minimal_reason())


def _number(explainer: cattleya.Explainer, row: Row, limit: float) -> int:
    return explainer.explain(row).count("minimal", limit)


def _many(explainer: cattleya.Explainer, row: Row, number: int) -> int:
    reasons = islice(explainer.explain(row).sufficient_reasons(), number)
    return sum(1 for reason in reasons if list(reason))


def _three(seconds: list[float]) -> list[str]:
    return [f"{value * 1e3:,.3f}" for value in (median(seconds), mean(seconds), max(seconds))]

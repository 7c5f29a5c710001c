"""Counting sufficient reasons, beside Ganak and d4.

Random held-out rows of the trees that scikit-learn grows on four data sets. On each, on one core:
counting through the public API, importance and counting, the circuit; Ganak on the paper's CNF of
the same clauses, and PyXAI, which calls d4, on the first of these rows. Everything is timed from
the row to the number, except Ganak, which is given the clauses. Explainers are made, and modules
imported, before the clock starts. A call that takes less than 0.1 s is made three times, and the
median counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import cattleya
from benchmarks import counting_report as report_of
from benchmarks.cases import about, load_case, rows_of
from benchmarks.counting_figures import Record, RowRecords, wrong
from benchmarks.report import Report, table
from benchmarks.settings import Settings
from benchmarks.timing import Row
from cattleya.experiments.data.protocol import Fold
from cattleya.experiments.machine import installed
from cattleya.experiments.peers.apart import TIME_LIMIT, rows_apart
from cattleya.experiments.peers.asking import PYXAI_BESIDE_D4, clauses_of
from cattleya.experiments.peers.workers.clocks import once, settled

DRAWN = 100  # reasons
ENOUGH = 10  # times the time of counting: whatever takes longer is far from its bar
WORKERS = "cattleya.experiments.peers.workers."


def measure(settings: Settings, folder: Path | None) -> Report:
    """Measure all contenders on all data sets; what is found in short is of the first."""
    parts, every, finding = [], [], None
    for name in settings.counted:
        case = load_case(name, folder, settings.counted_rows, settings.made_up_rows)
        rows = one_data_set(case, settings)
        finding = finding or report_of.finding(rows, settings.ganak_limit)
        every += rows
        parts += [_section(case, rows)]
    limits = (
        f"Time limits a row: the library {settings.count_limit:g} s, Ganak "
        f"{settings.ganak_limit:g} s, d4 {settings.d4_limit:g} s (of d4 alone, without PyXAI's "
        f"making of the CNF)."
    )
    intervals = over_intervals(settings, folder)
    together = ["## All of these", report_of.bars(every), report_of.errors(every), *intervals]
    findings = [finding] if finding is not None else []
    title = "Counting sufficient reasons"
    return Report(title, [limits, *parts, *together], findings, wrong=bool(wrong(every)))


def one_data_set(case: Fold, settings: Settings) -> list[RowRecords]:
    """Measure all contenders on the rows of one tree."""
    explainer, items = cattleya.Explainer(case.model), rows_of(case)
    list(explainer.explain(items[0]).contrastive())  # warms up
    limit = settings.count_limit
    by: list[dict[str, Record]] = [_ours(explainer, row, limit) for row in items]
    ganak = ask_ganak(explainer, items[: settings.ganak_rows], settings.ganak_limit)
    d4 = ask_d4(case.model, items[: settings.d4_rows], settings.d4_limit)
    for peer, records in (("ganak", ganak), ("d4", d4)):
        for mine, record in zip(by, records, strict=False):
            mine[peer] = record

    def cost(i: int) -> float:
        seconds = by[i]["importance"].seconds
        return float("inf") if seconds is None else seconds

    slowest = sorted(range(len(items)), key=cost, reverse=True)
    for i in slowest[: settings.memory_rows]:
        by[i]["memory"] = _memory(case.model, items[i], limit)
    counted = [i for i in slowest if by[i]["count"].seconds is not None]
    for i in counted[:1]:
        by[i]["threads"] = _two_threads(explainer, items[i], settings)
    for i in counted[: settings.sized_rows]:
        enough = 1 + ENOUGH * (by[i]["count"].seconds or 0)
        by[i] |= _like_counting(explainer, items[i], min(limit, enough))
    return [
        RowRecords(case.data.name, number, explainer.explain(row).count("contrastive"), records)
        for number, row, records in zip(case.drawn, items, by, strict=True)
    ]


def over_intervals(settings: Settings, folder: Path | None) -> list[str]:
    """Count rows over intervals, the vocabulary that people are shown."""
    lines = []
    for name in settings.counted_intervals:
        case = load_case(name, folder, settings.counted_rows, settings.made_up_rows)
        explainer = cattleya.Explainer(case.model, over="intervals")
        limit = settings.count_limit
        found = [
            _timed(partial(_count, explainer, row, limit), limit, lambda n: {"count": str(n)})
            for row in rows_of(case)
        ]
        lines.append([name, *report_of.within_a_second(found)])
    header = ["over intervals", "rows", "median s", "max s", "within 1 s", "bar", "verdict"]
    return ["## Over intervals", table(header, lines)]


def _count(explainer: cattleya.Explainer, row: Row, limit: float) -> int:
    return explainer.explain(row).count(timeout=limit)


# The library.


def _ours(explainer: cattleya.Explainer, row: Row, limit: float) -> dict[str, Record]:
    """Count; weigh every condition and count; compile. Where counting fails, the others would."""

    def importance_and_count() -> int:
        explanation = explainer.explain(row)
        dict(explanation.importance(timeout=limit))
        return explanation.count(timeout=limit)

    alone = _timed(
        lambda: explainer.explain(row).count(timeout=limit), limit, lambda n: {"count": str(n)}
    )
    if alone.seconds is None:
        return dict.fromkeys(("count", "importance", "compile"), alone)
    return {
        "count": alone,
        "importance": _timed(importance_and_count, limit, lambda n: {"count": str(n)}),
        "compile": _timed(
            lambda: explainer.explain(row).compile(timeout=limit),
            limit,
            lambda circuit: {"value": circuit.size},
        ),
    }


def _like_counting(explainer: cattleya.Explainer, row: Row, limit: float) -> dict[str, Record]:
    """Count by size, and draw reasons: what should cost little more than counting."""
    return {
        "sizes": _timed(
            lambda: explainer.explain(row).count_by_size(timeout=limit),
            limit,
            lambda found: {"count": str(sum(found.values()))},
        ),
        "sample": _timed(
            lambda: explainer.explain(row).sample(DRAWN, seed=0, timeout=limit),
            limit,
            lambda found: {"value": len(found)},
        ),
    }


def _timed(ask: Callable[[], Any], limit: float, tell: Callable[[Any], dict[str, Any]]) -> Record:
    try:
        seconds, answer = settled(ask)
    except cattleya.TimeoutExpired:
        return Record(limit, trouble=TIME_LIMIT)
    except cattleya.MemoryLimitExceeded:
        return Record(limit, trouble="memory limit")
    return Record(limit, seconds, **tell(answer))


def _memory(model: Any, row: Row, limit: float) -> Record:
    """Measure the peak memory of a process that weighs and counts this row only."""
    given = {"tree": model, "row": row, "question_limit": limit}
    (entry,) = rows_apart(WORKERS + "one_question", given, ["importance"], 4 * limit)
    return Record(limit, value=entry.get("peak"), trouble=entry.get("trouble"))


def _two_threads(explainer: cattleya.Explainer, row: Row, settings: Settings) -> Record:
    """Count on one core and on two, in turn; compare the medians."""
    limit = settings.count_limit
    taken: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(settings.thread_runs):
        for threads, seconds in taken.items():
            explanation = explainer.explain(row)
            try:
                spent, _ = once(partial(explanation.count, timeout=limit, threads=threads))
            except cattleya.TimeoutExpired:
                return Record(limit, trouble=TIME_LIMIT)
            seconds.append(spent)
    return Record(limit, median(taken[2]), value=median(taken[1]) / median(taken[2]))


# The peers.


def ask_ganak(explainer: cattleya.Explainer, rows: Sequence[Row], limit: float) -> list[Record]:
    """Let Ganak count the models of the paper's CNF."""
    if installed("pyganak") is None:
        return []
    clauses = [clauses_of(explainer.explain(row))[0] for row in rows]
    return [
        Record(limit, entry.get("seconds", {}).get("count"), entry.get("count"),
               trouble=entry.get("trouble"))
        for entry in rows_apart(WORKERS + "ganak", {}, clauses, limit)
    ]  # fmt: skip  # a list in few lines


def ask_d4(model: Any, rows: Sequence[Row], limit: float) -> list[Record]:
    """Let PyXAI count, which has d4 do it; from the row to the number."""
    if installed("pyxai") is None:
        return []
    given = {"model": model, "questions": ("count",), "d4_limit": limit}
    records = []
    for entry in rows_apart(WORKERS + "pyxai", given, rows, limit + PYXAI_BESIDE_D4):
        seconds = entry.get("seconds", {})
        if "count" in seconds:
            records.append(Record(limit, seconds["row"] + seconds["count"], entry["count"]))
        else:
            records.append(Record(limit, trouble=entry.get("trouble", TIME_LIMIT)))
    return records


def _section(case: Fold, rows: list[RowRecords]) -> str:
    return "\n\n".join(
        [
            f"## `{case.data.name}`",
            f"{about(case)}.",
            report_of.seconds_a_row(rows),
            report_of.bars(rows, case.data.name),
            report_of.unfinished(rows),
            report_of.errors(rows),
            report_of.slowest(rows),
        ]
    )

"""The tables of the counting benchmark: times, bars, rows that were not finished, wrong counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from benchmarks.counting_figures import Record, RowRecords, gains, hardest, quantile, wrong
from benchmarks.report import Finding, at_least, at_most, table, times
from cattleya.experiments.peers.apart import TIME_LIMIT

__all__ = ["bars", "errors", "finding", "seconds_a_row", "slowest", "unfinished", "within_a_second"]

LABELS = {
    "count": "**cattleya, counting**",
    "importance": "**cattleya, importance and counting**",
    "compile": "cattleya, the circuit",
    "ganak": "Ganak on the paper's CNF",
    "d4": "PyXAI with d4",
}
BARS: dict[str, tuple[tuple[float, float], ...]] = {  # a share of the rows, within seconds
    "lending_loan": ((0.95, 20.0),),
}
OTHER_BARS = ((1.0, 10.0), (0.99, 1.0))
GANAK_BAR, HARDEST_BAR, D4_BAR, IMPORTANCE_BAR, THREADS_BAR, MEMORY_BAR = (
    100,
    50,
    1000,
    4,
    1.6,
    1024,
)
SIZES_BAR = 4
INTERVALS_BAR = 0.95  # of the rows, within a second
N_HARDEST = 10
SHOWN = 5


def seconds_a_row(rows: Sequence[RowRecords]) -> str:
    """Lay out everyone's seconds per row."""
    lines = []
    for who, label in LABELS.items():
        taken = [row.seconds(who) for row in rows if who in row.by]
        if not taken:
            lines.append([label, "0", *["-"] * 6])
            continue
        within = [str(sum(t <= bound for t in taken)) for bound in (1, 10, 20)]
        figures = [_seconds(quantile(taken, share)) for share in (0.5, 0.99, 1.0)]
        lines.append([label, str(len(taken)), *figures, *within])
    header = ["seconds per row", "rows", "median", "99 %", "max", "in 1 s", "in 10 s", "in 20 s"]
    return table(header, lines)


def bars(rows: Sequence[RowRecords], data_set: str | None = None) -> str:
    """Hold the figures against the bars; those on the share of the rows are a data set's."""
    lines = []
    if data_set is not None:
        both = [row.seconds("importance") for row in rows]
        for share, bound in BARS.get(data_set, OTHER_BARS):
            reached = sum(t <= bound for t in both) / len(both)
            verdict = "met" if reached >= share else "**missed**"
            what = f"importance and counting within {bound:.0f} s"
            lines.append([what, f"{reached:.1%} of rows", f"{share:.0%} of rows", verdict])
    return table(
        ["", "figure", "bar", "verdict"],
        [
            *lines,
            *_against_ganak(rows),
            *_against_d4(rows),
            *_importance(rows),
            *_like_counting(rows),
            *_resources(rows),
        ],
    )


def finding(rows: Sequence[RowRecords], limit: float) -> Finding:
    """Tell in short how counting compares with Ganak, on the rows that it was given."""
    both = [row for row in rows if "ganak" in row.by]
    slow = gains(both, "ganak", 0.1)
    half = median(g.gain for g in slow) if slow else None
    theirs, ours = (quantile([row.seconds(who) for row in both], 0.5) for who in ("ganak", "count"))
    told = f"not finished in {limit:g} s" if math.isinf(theirs) else f"{_seconds(theirs)} s"
    question = (
        f"the number of sufficient reasons; the times are of {len(both)} rows, `faster` is of the "
        f"{len(slow)} for which Ganak needs more than 0.1 s"
    )
    if given_up := sum(not g.peer_finished for g in slow):
        question += f"; it did not finish {given_up} of them in {limit:g} s, which count as "
        question += f"{limit:g} s"
    bar = at_least(half, GANAK_BAR)
    return Finding("Ganak", question, told, f"{_seconds(ours)} s", times(half), bar)


def unfinished(rows: Sequence[RowRecords]) -> str:
    """List the rows that the library did not finish."""
    lines = [
        [f"{row.data_set}, row {row.number}", str(row.clauses), who, record.trouble or "?"]
        for row in rows
        for who, record in row.by.items()
        if who in ("count", "importance", "compile") and record.seconds is None
    ]
    if not lines:
        return "The library finished every row."
    return "Not finished:\n\n" + table(["row", "clauses", "question", "stopped by"], lines)


def errors(rows: Sequence[RowRecords]) -> str:
    """List the rows on which counts differ, or tell how many agree."""
    lines = [
        [f"**ERROR**: {row.data_set}, row {row.number}", str(row.clauses), who, count]
        for row in wrong(rows)
        for who, count in row.counts().items()
    ]
    if lines:
        return "Counts that differ:\n\n" + table(["row", "clauses", "who", "count"], lines)
    counted = [row.counts() for row in rows]
    compared = {who: sum({who, "count"} <= c.keys() for c in counted) for who in ("ganak", "d4")}
    failed = [
        f"{LABELS[who]} failed on row {row.number} ({row.by[who].trouble})."
        for row in rows
        for who in ("ganak", "d4")
        if who in row.by and row.by[who].trouble not in (None, TIME_LIMIT)
    ]
    agreed = f"Ganak gave the library's count on all {compared['ganak']} rows that both finished"
    return "  \n".join([f"{agreed}, d4 on all {compared['d4']}.", *failed])


def slowest(rows: Sequence[RowRecords]) -> str:
    """List the rows that took the library longest."""
    hard = sorted(rows, key=lambda row: -row.seconds("importance"))[:SHOWN]
    lines = []
    for row in hard:
        circuit, memory = row.by.get("compile"), row.by.get("memory")
        size = f"{circuit.value:,.0f}" if circuit and circuit.value is not None else "-"
        peak = f"{memory.value / 2**20:,.0f}" if memory and memory.value is not None else "-"
        count = next(iter(row.counts().values()), None)
        reasons = f"{int(count):.2e}" if count else "-"
        seconds = [_seconds(row.seconds(who)) for who in ("count", "importance", "ganak")]
        lines.append([str(row.number), str(row.clauses), reasons, *seconds, size, peak])
    header = ["slowest rows", "clauses", "reasons", "counting s", "with importance s"]
    return table([*header, "Ganak s", "circuit", "peak MiB"], lines)


def _against_ganak(rows: Sequence[RowRecords]) -> list[list[str]]:
    slow, found = gains(rows, "ganak", 0.1), gains(rows, "ganak")
    hard = [g.gain for g in hardest(found, N_HARDEST)]
    every = [g.gain for g in found if g.peer_finished]
    half = median(g.gain for g in slow) if slow else None
    least, least_hard = (min(gained, default=None) for gained in (every, hard))
    given_up = sum(not g.peer_finished for g in slow)
    return [
        [
            f"against Ganak, median of {len(slow)} rows where it needs > 0.1 s"
            + (f" ({given_up} at its time limit)" if given_up else ""),
            *_faster(half, GANAK_BAR),
        ],
        [f"the least on the {len(hard)} hardest it finishes", *_faster(least_hard, HARDEST_BAR)],
        [f"the least on all {len(every)} rows it finishes", *_faster(least, 1)],
    ]


def _against_d4(rows: Sequence[RowRecords]) -> list[list[str]]:
    found = gains(rows, "d4", 1.0)
    half = median(g.gain for g in found) if found else None
    given_up = sum(not g.peer_finished for g in found)
    limit = f" ({given_up} at its time limit)" if given_up else ""
    what = f"against d4, median of {len(found)} rows where it needs > 1 s{limit}"
    return [[what, *_faster(half, D4_BAR)]]


def _importance(rows: Sequence[RowRecords]) -> list[list[str]]:
    pairs = [(row.seconds("importance"), row.seconds("count")) for row in rows]
    pairs = [(both, alone) for both, alone in pairs if math.isfinite(both + alone)]
    if not pairs:
        return [["importance and counting against counting", "-", "-", "not measured"]]
    ratios = [both / alone for both, alone in pairs]
    total = sum(both for both, _ in pairs) / sum(alone for _, alone in pairs)
    long = [both / alone for both, alone in pairs if alone > 0.01]
    named = [("all rows together", total), ("median row", median(ratios))]
    named += [(f"largest of {len(long)} rows over 10 ms", max(long))] if long else []
    return [
        [
            f"importance and counting against counting, {what}",
            f"{ratio:.2f} times",
            *at_most(ratio, IMPORTANCE_BAR),
        ]
        for what, ratio in named
    ]


def _like_counting(rows: Sequence[RowRecords]) -> list[list[str]]:
    """Hold what should cost little more than counting against it, on the slowest rows."""
    lines = []
    for who, what in (("sizes", "counting by size"), ("sample", "drawing 100 reasons")):
        both = [(row.seconds(who), row.seconds("count")) for row in rows if who in row.by]
        worst = max((one / alone for one, alone in both), default=None)
        figure = "not finished" if worst == math.inf else times(worst)
        of = f"{what} against counting, the most of {len(both)} slow rows"
        lines.append([of, figure, *at_most(worst, SIZES_BAR)])
    return lines


def within_a_second(found: Sequence[Record]) -> list[str]:
    """Tell how long rows took, and hold the share of those within a second against the bar."""
    taken = [math.inf if one.seconds is None else one.seconds for one in found]
    share = sum(seconds <= 1 for seconds in taken) / len(taken)
    verdict = "met" if share >= INTERVALS_BAR else "**missed**"
    figures = [_seconds(quantile(taken, part)) for part in (0.5, 1.0)]
    bar = f"{INTERVALS_BAR:.0%} of rows"
    return [str(len(taken)), *figures, f"{share:.1%} of rows", bar, verdict]


def _resources(rows: Sequence[RowRecords]) -> list[list[str]]:
    peaks = [row.by["memory"].value for row in rows if "memory" in row.by]
    known = [peak / 2**20 for peak in peaks if peak is not None]
    peak = max(known, default=None)
    figure = "-" if peak is None else f"{peak:,.0f} MiB"
    lines = [["peak memory of the worst row", figure, *at_most(peak, MEMORY_BAR, "MiB")]]
    gained = [row.by["threads"].value for row in rows if "threads" in row.by]
    least = min((gain for gain in gained if gain is not None), default=None)
    what = "two cores on the hardest row that is finished, median of the runs"
    return [*lines, [what, *_faster(least, THREADS_BAR)]]


def _faster(gain: float | None, bar: float) -> list[str]:
    return [times(gain, "times faster"), *at_least(gain, bar)]


def _seconds(seconds: float) -> str:
    if math.isinf(seconds):
        return "not finished"
    return f"{seconds:.4f}" if seconds < 1 else f"{seconds:,.2f}"

"""The three vocabularies beside each other.

One sufficient reason and all contrastive explanations of a row, through the public API and with
every condition read, over the tree's conditions, over features and over intervals: the same tree,
the same rows, taking turns.
"""

from __future__ import annotations

from pathlib import Path

import cattleya
from benchmarks.cases import about, load_case, rows_of
from benchmarks.report import Report, at_most, microseconds, table, times
from benchmarks.settings import Settings
from benchmarks.timing import Row, time_rows

VOCABULARIES = ("conditions", "features", "intervals")


def measure(settings: Settings, folder: Path | None) -> Report:
    """Time each vocabulary on the same rows."""
    case = load_case("adult", folder, settings.rows, settings.made_up_rows)
    explainers = {over: cattleya.Explainer(case.model, over=over) for over in VOCABULARIES}

    def ask(explainer: cattleya.Explainer, row: Row) -> list[object]:
        e = explainer.explain(row)
        return [list(e.sufficient_reason()), *(list(contrast) for contrast in e.contrastive())]

    calls = {over: lambda row, x=explainer: ask(x, row) for over, explainer in explainers.items()}
    timings = time_rows(calls, rows_of(case), settings.rounds)
    paper = timings["conditions"].median
    rows = []
    for over, timing in timings.items():
        cost = timing.median / paper
        bar = at_most(cost, 1) if over == "features" else ("-", "-")
        rows.append([f'over="{over}"', microseconds(timing.median), times(cost), *bar])
    parts = [
        f"{about(case)}, {settings.rounds} rounds. Every condition of every answer is read.",
        table(["one row", "median µs", "against conditions", "bar", "verdict"], rows),
    ]
    return Report("A reason and all contrasts, over each vocabulary", parts)

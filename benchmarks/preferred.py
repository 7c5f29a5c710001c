"""Shortest reasons, all reasons, how many shortest ones: `python benchmarks/preferred.py`.

On random held-out rows of trees that scikit-learn grows, in one run on the same rows:

- one minimal reason through the public API, from the row to the answer; RC2 (PySAT) on the same
  clauses, which are made beforehand; PyXAI's `minimal_sufficient_reason`;
- the first 10,000 sufficient reasons of a row through the iterator; PyXAI's, which gets them one by
  one from a SAT solver;
- the number of minimal reasons, exactly, beside one RC2 call.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from apart import run_apart
from cases import Case, data_directory, load_case
from peers import installed
from report import at_least, at_most, machine, table, write
from timing import Row, settled

import cattleya

SEED = 0
COUNTED = ("adult", "bank_marketing", "farm_ads", "mnist49")
SHORTEST = ("adult", "bank_marketing")
REASONS = 10_000
COUNT_LIMIT = 10.0
PYXAI_LIMIT = 900.0


@dataclass(frozen=True)
class Measured:
    """One row: seconds of each contender, and what they found."""

    row: int
    clauses: int
    size: int
    number: int | None
    shortest: float
    rc2: float | None
    counting: float


def main() -> None:
    """Run all of it, print the report and write it to a file."""
    arguments = _arguments()
    folder = data_directory(arguments.data)
    parts = ["# Shortest reasons, and all reasons", machine()]
    if installed("python-sat") is None:
        parts.append("Not found: python-sat; `pip install .[bench]` gets it.")
    for name in COUNTED:
        print(f"{name} ...", file=sys.stderr, flush=True)
        case = load_case(name, folder, arguments.rows, SEED)
        explainer = cattleya.Explainer(case.model)
        rows = [
            measure(explainer, row, number)
            for row, number in zip(case.rows, case.numbers, strict=True)
        ]
        parts.append(_section(case, rows))
        if name in SHORTEST:
            parts.append(_beside_pyxai(case, explainer, arguments.peer_rows))
        write(arguments.out, "\n\n".join(parts) + "\n")
    print("\n\n".join(parts))
    print(f"written to {arguments.out}", file=sys.stderr)


def measure(explainer: cattleya.Explainer, row: Row, number: int) -> Measured:
    """Time one row's shortest reason, RC2 on its clauses, and the number of shortest reasons."""
    seconds, reason = settled(lambda: explainer.explain(row).minimal_reason())
    explanation = explainer.explain(row)
    clauses = _clauses(explanation)
    rc2 = _rc2(clauses)
    found = None if rc2 is None else settled(rc2)
    if found is not None and found[1] != len(reason):
        raise SystemExit(f"row {number}: {len(reason)} conditions, but RC2 needs {found[1]}")
    try:
        counting, many = settled(lambda: explainer.explain(row).count("minimal", COUNT_LIMIT))
    except cattleya.TimeoutExpired:
        counting, many = COUNT_LIMIT, None
    taken = None if found is None else found[0]
    return Measured(number, len(clauses), len(reason), many, seconds, taken, counting)


def _clauses(explanation: cattleya.Explanation) -> list[list[int]]:
    number: dict[cattleya.Condition, int] = {}
    return [
        [number.setdefault(condition, len(number) + 1) for condition in reason]
        for reason in explanation.contrastive()
    ]


def _rc2(clauses: list[list[int]]) -> Callable[[], int] | None:
    """Give RC2 on clauses: the size of a minimum hitting set."""
    if installed("python-sat") is None:
        return None
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    formula = WCNF()
    for clause in clauses:
        formula.append(clause)
    for atom in sorted({atom for clause in clauses for atom in clause}):
        formula.append([-atom], weight=1)

    def solve() -> int:
        with RC2(formula) as solver:
            model = solver.compute()
            return sum(literal > 0 for literal in model)

    return solve


def _section(case: Case, rows: list[Measured]) -> str:
    finished = [row for row in rows if row.number is not None]
    slowest = max(row.counting for row in rows)
    lines = [
        ["one minimal reason, from the row", *_three([r.shortest for r in rows]), "-", "-"],
        ["how many there are, from the row", *_three([r.counting for r in rows]), "-", "-"],
    ]
    cost = many = None
    if all(row.rc2 is not None for row in rows):
        rc2 = [row.rc2 or 0.0 for row in rows]
        lines.append(["RC2 on the clauses", *_three(rc2), "-", "-"])
        cost = median(r.shortest / s for r, s in zip(rows, rc2, strict=True))
        many = median(r.counting / s for r, s in zip(rows, rc2, strict=True))
    figures = [
        [f"rows counted within {COUNT_LIMIT:g} s", f"{len(finished)} of {len(rows)}",
         "all", "met" if len(finished) == len(rows) else "**not met**"],
        ["the slowest count", f"{slowest:.3f} s", *at_most(slowest, COUNT_LIMIT, "s")],
        ["counting against one RC2 call, median", _times(many), *at_most(many, 1)],
    ]  # fmt: skip  # a list in few lines
    if case.name in SHORTEST:
        figures.insert(0, ["one minimal reason against RC2, median", _times(cost),
                           "at most 1.2 times", _verdict(cost)])  # fmt: skip  # a list in few lines
    largest = max((row.number or 0 for row in finished), default=0)
    return "\n\n".join(
        [
            f"## `{case.name}`",
            f"{case.origin}; a tree of {case.model.tree_.node_count:,} nodes; {len(rows)} held-out "
            f"rows of up to {max(r.clauses for r in rows):,} clauses. Minimal reasons have up to "
            f"{max(r.size for r in rows)} conditions; there are up to {largest:,} of a row.",
            table(["milliseconds a row", "median", "mean", "max", "", ""], lines),
            table(["", "figure", "bar", "verdict"], figures),
        ]
    )


def _beside_pyxai(case: Case, explainer: cattleya.Explainer, peer_rows: int) -> str:
    if installed("pyxai") is None or not peer_rows:
        return "PyXAI was not measured."
    rows = list(case.rows[:peer_rows])
    entries: list[dict[str, Any]]
    entries, trouble = run_apart("pyxai_preferred_worker.py", (case.model, rows, REASONS),
                                 PYXAI_LIMIT)  # fmt: skip  # a list in few lines
    lines = []
    for who, bar in (("minimal", 500), ("all", 100)):
        ask = _minimal if who == "minimal" else _many
        gains = []
        for row, entry in zip(rows, entries or [], strict=False):
            if entry.get(who) is not None:
                seconds, number = settled(partial(ask, explainer, row))
                if number == entry[f"{who} found"]:
                    gains.append((entry[who] / seconds, entry[who], seconds, number))
                else:
                    lines.append([f"{who}: PyXAI found {entry[f'{who} found']}, we {number}",
                                  *["-"] * 5])  # fmt: skip  # a list in few lines
        gain = median(g[0] for g in gains) if gains else None
        what = "one minimal reason" if who == "minimal" else f"the first {REASONS:,} reasons"
        theirs = f"{median(g[1] for g in gains):.2f} s" if gains else "-"
        ours = f"{median(g[2] for g in gains) * 1e3:.2f} ms" if gains else "-"
        lines.append([f"{what}, {len(gains)} rows", theirs, ours, _times(gain),
                      *at_least(gain, bar)])  # fmt: skip  # a list in few lines
    rate = [settled(partial(_many, explainer, row)) for row in case.rows[:5]]
    speed = median(number / seconds for seconds, number in rate)
    return "\n\n".join(
        [
            table(["beside PyXAI", "PyXAI", "cattleya", "faster", "bar", "verdict"], lines),
            f"Through the iterator come {speed:,.0f} reasons a second (median of 5 rows, from the "
            f"row)." + (f" PyXAI: {trouble}." if trouble else ""),
        ]
    )


def _minimal(explainer: cattleya.Explainer, row: Row) -> int:
    return len(explainer.explain(row).minimal_reason())


def _many(explainer: cattleya.Explainer, row: Row) -> int:
    return sum(1 for _ in islice(explainer.explain(row).sufficient_reasons(), REASONS))


def _three(seconds: list[float]) -> list[str]:
    mean = sum(seconds) / len(seconds)
    return [f"{value * 1e3:,.3f}" for value in (median(seconds), mean, max(seconds))]


def _times(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:,.{0 if ratio > 100 else 2}f} times"


def _verdict(ratio: float | None) -> str:
    return "not measured" if ratio is None else "met" if ratio <= 1.2 else "**not met**"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time shortest and all reasons, and their peers.")
    out = Path(__file__).resolve().parent / "results" / "preferred.md"
    parser.add_argument("--data", type=Path, help="folder of data (else $CATTLEYA_DATA)")
    parser.add_argument("--rows", type=int, default=100, help="rows a data set (default: 100)")
    parser.add_argument("--peer-rows", type=int, default=3, help="rows for PyXAI (default: 3)")
    parser.add_argument("--out", type=Path, default=out, help="file for the report")
    return parser.parse_args()


if __name__ == "__main__":
    main()

"""The nearest counterfactuals beside DiCE's, on the same tree and rows.

`python benchmarks/counterfactuals.py`. Timed is the question "the three nearest rows of another
class", a call a row; explainers are made before the clock starts. Distances are measured here, for
everybody alike, from the rows that were given: the nearest of three against the nearest of three.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from apart import TIME_LIMIT, run_apart
from cases import Case, data_directory, load_case, load_table
from numpy.typing import NDArray
from peers import HOW_TO_GET, installed
from report import at_least, machine, microseconds, table, write
from timing import ROUNDS, Row, Timing, time_rows

import cattleya
from cattleya.changes.counterfactual import Counterfactual, Question
from cattleya.changes.nearest import nearest
from cattleya.changes.regions import Regions
from cattleya.model.domain.domain import Domain

DATA_SETS = ("adult", "bank_marketing")
METHODS = ("random", "genetic")
METRICS = ("l0", "l1", "l2")
COUNT = 3
SPEED_BAR = 100
SECONDS = 900.0  # for DiCE, on one data set with one method
# Distances are sums of rounded numbers; a difference in the last digits is none.
SLACK = 1e-9

Floats = NDArray[np.float64]


class Ours:
    """The library on one tree; a unit of each number is its range in the data."""

    def __init__(self, case: Case, data: Floats) -> None:
        self.explainer = cattleya.Explainer(case.model)
        tree = self.explainer.tree
        self.regions = Regions(tree, Domain.plain(tree))
        self.predict = case.model.predict
        span = np.ptp(data, axis=0)
        self.weights = {i: 1 / width for i, width in enumerate(span.tolist()) if width > 0}

    def __call__(self, row: Row, metric: str = "l0") -> tuple[Counterfactual, ...]:
        """Give the nearest rows of another class."""
        e = self.explainer.explain(row)
        row_class = self.explainer.tree.class_names.index(e.prediction)
        question = Question(self.regions, e.row, row_class, self.predict)
        return nearest(question, n=COUNT, metric=metric, weights=self.weights)

    def distance(self, row: Row, other: Row, metric: str) -> tuple[float, ...]:
        """Measure a row; with l0, what decides between equals follows."""
        seen = row.astype(np.float32).astype(np.float64)  # as the model sees them
        other = other.astype(np.float32).astype(np.float64)
        unit = np.array([self.weights.get(i, 1.0) for i in range(len(row))])
        costs = np.abs(other - seen) * unit
        if metric == "l0":
            return float((other != seen).sum()), float(costs.sum())
        return (float(costs.sum()) if metric == "l1" else float(np.sqrt((costs**2).sum())),)


@dataclass(frozen=True)
class Dice:
    """What DiCE did with one method: an entry a finished row, and why it stopped if it did."""

    method: str
    entries: tuple[dict[str, Any], ...]
    trouble: str | None

    def valid(self, case: Case, place: int) -> list[Row]:
        """Give the rows that it found for one row, and that really get another class."""
        found = [np.array(row) for row in self.entries[place]["rows"]]
        own = case.model.predict([case.rows[place]])[0]
        return [row for row in found if case.model.predict([row])[0] != own]


def main() -> None:
    """Run all of it, print the report and write it to a file."""
    arguments = _arguments()
    folder = data_directory(arguments.data)
    parts = [f"# The {COUNT} nearest counterfactuals", machine()]
    if installed("dice-ml") is None:
        parts.append(f"Not found: dice-ml; `{HOW_TO_GET}` gets it.")
    if folder is None:
        parts.append("No data found (`--data DIR` or `CATTLEYA_DATA`): the data is synthetic.")
    for name in DATA_SETS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        parts.append(one_data_set(name, folder, arguments.rows, arguments.peer_rows))
    text = "\n\n".join(parts) + "\n"
    write(arguments.out, text)
    print(text)
    print(f"written to {arguments.out}", file=sys.stderr)


def one_data_set(name: str, folder: Path | None, n_rows: int, peer_rows: int) -> str:
    """Time and measure everybody on one tree."""
    case = load_case(name, folder, n_rows)
    x, y, _ = load_table(name, folder)
    ours = Ours(case, x)
    timings = time_rows(
        {metric: partial(ours.__call__, metric=metric) for metric in METRICS}, case.rows
    )
    peers = [ask_dice(case, x, y, peer_rows, method) for method in METHODS]
    rows = [
        [f"**cattleya**, `{metric}`", *_two(timing), "-", "-", "-"]
        for metric, timing in timings.items()
    ]
    for method, peer in zip(METHODS, peers, strict=True):
        label = f"DiCE {installed('dice-ml') or '0.12'}, `{method}`"
        if peer is None or not peer.entries:
            trouble = "not found" if peer is None else peer.trouble or "no row"
            rows.append([label, trouble, "-", "-", *at_least(None, SPEED_BAR)])
            continue
        done = case.rows[: len(peer.entries)]
        same = time_rows({"l0": ours}, done)["l0"].median
        taken = Timing(tuple(entry["seconds"] for entry in peer.entries))
        gain = taken.median / same
        label += f", {len(done)} rows (cattleya on them: {microseconds(same)})"
        faster = f"{gain:,.0f} times faster"
        rows.append([label, *_two(taken), faster, *at_least(gain, SPEED_BAR)])
    tree = case.model.tree_
    text = [
        f"## `{name}`",
        f"{case.origin}; a tree of {tree.node_count:,} nodes, depth {tree.max_depth}; "
        f"{len(case.rows)} held-out rows, {ROUNDS} rounds.",
        table(["one row", "median µs", "mean µs", "cattleya is", "bar", ""], rows),
    ]
    measured = [peer for peer in peers if peer is not None and peer.entries]
    if measured:
        text += [
            "The nearest of three against the nearest of three, row by row; `l1` and `l2` in units "
            "of each column's range. With `l0`, the `l1` distance decides between equals.",
            _distances(case, ours, measured),
        ]
    return "\n\n".join(text)


def ask_dice(case: Case, x: Floats, y: NDArray[np.int64], count: int, method: str) -> Dice | None:
    """Ask DiCE in its own process, within a time limit."""
    if installed("dice-ml") is None or not count:
        return None
    given = (case.model, x, y, list(case.rows[:count]), COUNT, method)
    entries, trouble = run_apart("dice_worker.py", given, SECONDS)
    if trouble == TIME_LIMIT:
        trouble = f"killed after {SECONDS:.0f} s"
    return Dice(method, tuple(entries or ()), trouble)


def _distances(case: Case, ours: Ours, peers: Sequence[Dice]) -> str:
    lines = []
    for peer in peers:
        for metric in METRICS:
            nearer = equal = farther = none = 0
            mean: list[tuple[float, float]] = []
            for place in range(len(peer.entries)):
                row = case.rows[place]
                valid = peer.valid(case, place)
                if not valid:
                    none += 1
                    continue
                theirs = min(ours.distance(row, other, metric) for other in valid)
                own = min(ours.distance(row, cf.row, metric) for cf in ours(row, metric))
                mean.append((own[0], theirs[0]))
                if np.allclose(own, theirs, rtol=SLACK, atol=0):
                    equal += 1
                elif own < theirs:
                    nearer += 1
                else:
                    farther += 1
            figures = np.mean(mean, axis=0) if mean else (np.nan, np.nan)
            lines.append(
                [
                    f"DiCE `{peer.method}`, `{metric}`",
                    f"{figures[0]:.3g}",
                    f"{figures[1]:.3g}",
                    str(nearer),
                    str(equal),
                    str(farther),
                    str(none),
                    "met" if mean and not farther else "**not met**" if mean else "not measured",
                ]
            )
    header = ["against", "our mean", "its mean", "nearer", "equal", "farther", "it found none"]
    return table([*header, "never farther"], lines)


def _two(timing: Timing) -> list[str]:
    return [microseconds(timing.median), microseconds(timing.mean)]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Counterfactuals beside DiCE's.")
    out = Path(__file__).resolve().parent / "results" / "counterfactuals.md"
    parser.add_argument("--data", type=Path, help="folder of NAME.csv.gz (else $CATTLEYA_DATA)")
    parser.add_argument("--rows", type=int, default=200, help="rows a data set (default: 200)")
    parser.add_argument("--peer-rows", type=int, default=20, help="rows for DiCE (default: 20)")
    parser.add_argument("--out", type=Path, default=out, help="file for the report")
    return parser.parse_args()


if __name__ == "__main__":
    main()

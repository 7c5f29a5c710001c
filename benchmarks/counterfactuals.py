"""The nearest counterfactuals beside DiCE's, on the same tree and rows.

Timed is the question "the three nearest rows of another class", one call per row, through the
public API; explainers are made before the clock starts. Each call is given the training data, and
takes the units of distance from it while the clock runs, as DiCE does. Distances are measured here,
for everybody alike, from the rows that were given: the nearest of three against the nearest of
three.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cattleya
from benchmarks.cases import about, load_case, rows_of
from benchmarks.report import Finding, Report, at_least, microseconds, spread, table, times
from benchmarks.settings import Settings
from benchmarks.timing import Row, Timing, time_rows
from cattleya.experiments.data.protocol import Fold
from cattleya.experiments.machine import installed
from cattleya.experiments.peers.apart import rows_apart

DATA_SETS = ("adult", "bank_marketing")
METHODS = ("random", "genetic")
METRICS = ("l0", "l1", "l2")
COUNT = 3
SPEED_BAR = 100
# Distances are sums of rounded numbers; a difference in the last digits is none.
SLACK = 1e-9

Floats = NDArray[np.float64]


class Ours:
    """The library on one tree; a unit of each number is its range in the training data."""

    def __init__(self, case: Fold) -> None:
        self.explainer = cattleya.Explainer(case.model)
        self.data: Floats = np.asarray(case.data.x[case.train], dtype=np.float64)
        span = np.ptp(self.data, axis=0)
        self.unit = 1 / np.where(span > 0, span, 1.0)
        self.weights = dict(enumerate(self.unit.tolist()))

    def __call__(self, row: Row, metric: str = "l0") -> list[Floats]:
        """Give the nearest rows of another class."""
        found = self.explainer.explain(row).counterfactuals(COUNT, metric=metric, data=self.data)
        return [np.asarray(one.row) for one in found]

    def prepared(self, row: Row) -> list[Floats]:
        """Give the same with `l0`, the units of distance made beforehand."""
        found = self.explainer.explain(row).counterfactuals(COUNT, weights=self.weights)
        return [np.asarray(one.row) for one in found]

    def distance(self, row: Row, other: Row, metric: str) -> tuple[float, ...]:
        """Measure a row; with l0, what decides between equals follows."""
        seen = row.astype(np.float32).astype(np.float64)  # as the model sees them
        other = other.astype(np.float32).astype(np.float64)
        costs = np.abs(other - seen) * self.unit
        if metric == "l0":
            return float((other != seen).sum()), float(costs.sum())
        return (float(costs.sum()) if metric == "l1" else float(np.sqrt((costs**2).sum())),)


@dataclass(frozen=True)
class Dice:
    """What DiCE did with one method: its entry for each row, which has its trouble or its rows."""

    method: str
    case: Fold
    entries: tuple[tuple[Row, dict[str, Any]], ...]

    @property
    def finished(self) -> list[tuple[Row, dict[str, Any]]]:
        """The rows for which it ended, with an answer or with none."""
        return [(row, entry) for row, entry in self.entries if "trouble" not in entry]

    def valid(self) -> list[tuple[Row, list[Row]]]:
        """Give for each row what it found and what really gets another class."""
        predict = self.case.model.predict
        return [
            (row, [np.array(o) for o in entry["rows"] if predict([o])[0] != predict([row])[0]])
            for row, entry in self.finished
        ]


def measure(settings: Settings, folder: Path | None) -> Report:
    """Time and compare; what is found in short is of the first data set."""
    findings: list[Finding] = []
    parts = []
    for name in DATA_SETS:
        case = load_case(name, folder, settings.changed_rows, settings.made_up_rows)
        told, text = one_data_set(case, settings)
        findings = findings or told
        parts.append(text)
    return Report(f"The {COUNT} nearest counterfactuals", parts, findings)


def one_data_set(case: Fold, settings: Settings) -> tuple[list[Finding], str]:
    """Time and measure everybody on one tree."""
    ours, rows, rounds = Ours(case), rows_of(case), settings.rounds
    contenders: dict[str, Callable[[Row], object]] = {
        f"**cattleya**, `{metric}`": partial(ours, metric=metric) for metric in METRICS
    }
    contenders["cattleya, `l0`, the units of distance made beforehand"] = ours.prepared
    timings = time_rows(contenders, rows, rounds)
    lines = [[name, *spread(timing), "-", "-", "-"] for name, timing in timings.items()]
    findings = []
    peers = [ask_dice(case, rows[: settings.dice_rows], method, settings) for method in METHODS]
    label = f"DiCE {installed('dice-ml') or '(not installed)'}"
    for peer in peers:
        done = peer.finished
        what = f"{label}, `{peer.method}`, {len(done)} rows"
        if not done:
            trouble = peer.entries[0][1]["trouble"] if peer.entries else "-"
            lines.append([what, trouble, "-", "-", *at_least(None, SPEED_BAR)])
            continue
        same = time_rows({"l0": ours}, [row for row, _ in done], rounds)["l0"].median
        taken = Timing(tuple(entry["seconds"]["counterfactual"] for _, entry in done))
        gain = taken.median / same
        what += f" (cattleya on them: {microseconds(same)})"
        bar = at_least(gain, SPEED_BAR)
        lines.append([what, *spread(taken), times(gain, "times faster"), *bar])
        nearer = _against(ours, peer, "l0")
        findings.append(
            Finding(
                label,
                f"{COUNT} counterfactuals (`{peer.method}`; nearer in {nearer.nearer} of "
                f"{nearer.compared} rows)",
                f"{microseconds(taken.median)} µs",
                f"{microseconds(same)} µs",
                times(gain),
                bar,
            )
        )
    text = [
        f"## `{case.data.name}`",
        f"{about(case)}, {rounds} rounds. The units of distance are taken from the "
        f"{len(case.train):,} training rows within each call.",
        table(["one row", "median µs", "mean µs", "cattleya is", "bar", "verdict"], lines),
    ]
    measured = [peer for peer in peers if peer.finished]
    if measured:
        text += [
            "The nearest of three against the nearest of three, row by row; `l1` and `l2` in units "
            "of each column's range. With `l0`, the `l1` distance decides between equals.",
            _distances(ours, measured),
        ]
    return findings, "\n\n".join(text)


def ask_dice(case: Fold, rows: list[Row], method: str, settings: Settings) -> Dice:
    """Ask DiCE in its own process, within a time limit."""
    if installed("dice-ml") is None or not rows:
        return Dice(method, case, ())
    train = np.asarray(case.data.x[case.train], dtype=np.float64), case.data.y[case.train]
    given = {"model": case.model, "train": train, "number": COUNT, "method": method}
    worker = "cattleya.experiments.peers.workers.dice"
    entries = rows_apart(worker, given, rows, settings.dice_limit)
    return Dice(method, case, tuple(zip(rows, entries, strict=True)))


@dataclass(frozen=True)
class Against:
    """How near two are: on how many rows one is nearer, and the mean distances of both."""

    nearer: int
    equal: int
    farther: int
    none: int
    means: tuple[float, float]

    @property
    def compared(self) -> int:
        """On how many rows both have found some."""
        return self.nearer + self.equal + self.farther


def _against(ours: Ours, peer: Dice, metric: str) -> Against:
    nearer = equal = farther = none = 0
    first: list[tuple[float, float]] = []
    for row, valid in peer.valid():
        if not valid:
            none += 1
            continue
        theirs = min(ours.distance(row, other, metric) for other in valid)
        own = min(ours.distance(row, other, metric) for other in ours(row, metric))
        first.append((own[0], theirs[0]))
        if np.allclose(own, theirs, rtol=SLACK, atol=0):
            equal += 1
        elif own < theirs:
            nearer += 1
        else:
            farther += 1
    own_mean, their_mean = np.mean(first, axis=0).tolist() if first else (np.nan, np.nan)
    return Against(nearer, equal, farther, none, (own_mean, their_mean))


def _distances(ours: Ours, peers: Sequence[Dice]) -> str:
    lines = []
    for peer in peers:
        for metric in METRICS:
            one = _against(ours, peer, metric)
            verdict = "**missed**" if one.farther else "met" if one.compared else "not measured"
            lines.append(
                [
                    f"DiCE `{peer.method}`, `{metric}`",
                    *(f"{mean:.3g}" for mean in one.means),
                    *map(str, (one.nearer, one.equal, one.farther, one.none)),
                    verdict,
                ]
            )
    header = ["against", "our mean", "its mean", "nearer", "equal", "farther", "it found none"]
    return table([*header, "never farther"], lines)

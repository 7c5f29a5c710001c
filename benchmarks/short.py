"""Short reasons beside alibi's anchors, HiGHS and z3: ``python -m benchmarks.short``.

Of each data set a full tree, and rows that were held out of its training. One half of these rows
is the table that facts are counted on, by us and by alibi (AnchorTabular, quartiles); the other
half is kept to count again. Times are CPU seconds of one call per row through the public API,
Python included; what is made once for a model is made beforehand on both sides. alibi and z3 may
have a Python of their own (``--peer-python``); each gets a limit for a data set, is asked about
fewer rows, and the ratios are over the rows that it answered.

    python -m benchmarks.short --data DIR --peer-python PYTHON --out FILE     # about 9 minutes
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from statistics import mean, median
from typing import Any

import joblib
import numpy as np

import cattleya
from benchmarks.build import ROOT, build_of
from benchmarks.cases import load_case
from benchmarks.publishing import RESULTS, head
from benchmarks.report import table
from cattleya.support.files.atomic import write_text

DATA_SETS = ("adult", "bank_marketing", "spambase", "compas")
PRECISIONS = (0.9, 0.95, 0.99)
WORKER = ROOT / "benchmarks" / "short_peers.py"
SEEDS = 5


@dataclass
class Found:
    """What was measured, and the lines of bars."""

    parts: list[str] = field(default_factory=list)
    bars: list[list[str]] = field(default_factory=list)

    def bar(self, what: str, value: str, met: bool | None, *, is_barred: bool = True) -> None:
        """Add a line with its verdict, where there is a bar."""
        verdict = "not measured" if met is None else "met" if met else "**missed**"
        verdict = verdict if is_barred else "-"
        self.bars.append([what, value, verdict])


@dataclass(frozen=True)
class Case:
    """A tree, the table that facts are counted on, other rows, and the rows that are explained."""

    name: str
    model: Any
    table: np.ndarray
    others: np.ndarray
    rows: np.ndarray

    @classmethod
    def of(cls, name: str, folder: Path | None, rows: int, made_up: int) -> Case:
        """Train on the first fold; the rows that it holds out are halved."""
        fold = load_case(name, folder, rows, made_up)
        every = np.array([fold.data.dense_row(n) for n in range(len(fold.data.y))], dtype=float)
        labels, model = np.asarray(fold.data.y), fold.model
        half = np.random.default_rng(0).permutation(len(every))
        cut = len(every) // 2
        model = type(model)(**model.get_params()).fit(every[half[:cut]], labels[half[:cut]])
        held = every[half[cut:]]
        own = min(rows, len(held) // 3)
        middle = own + (len(held) - own) // 2
        return cls(name, model, held[own:middle], held[middle:], held[:own])


def asked(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of a call, and what it gave; None where there is no such reason."""
    begin = time.process_time()
    try:
        found = call()
    except cattleya.NoSuchReason:
        found = None
    return time.process_time() - begin, found


def warm_up(explainer: Any, case: Case, among: Any) -> None:
    """Have made what is made once for a model."""
    asked(lambda: explainer.explain(case.others[0]).short_reason(0.5, among))


def answers(python: str, given: dict[str, Any], limit: float) -> Iterator[dict[str, Any]]:
    """Give the answers of a peer until its time is over; none where it cannot run."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "given.joblib")
        joblib.dump(given, path)
        try:
            done = subprocess.run(
                [python, str(WORKER), path],
                capture_output=True,
                text=True,
                timeout=limit,
                check=False,
            ).stdout
        except subprocess.TimeoutExpired as over:
            done = over.stdout.decode() if isinstance(over.stdout, bytes) else over.stdout or ""
        for line in done.splitlines():
            if line.startswith("answer "):
                yield json.loads(line.removeprefix("answer "))


def covers(facts: Any, rows: np.ndarray) -> np.ndarray:
    """Tell which rows have the facts of an anchor."""
    has = np.ones(len(rows), dtype=bool)
    for feature, above, up_to in facts:
        has &= (above is None) | (rows[:, feature] > (above if above is not None else -np.inf))
        has &= (up_to is None) | (rows[:, feature] <= (up_to if up_to is not None else np.inf))
    return has


def beside_alibi(case: Case, found: Found, python: str, peer_rows: int, limit: float) -> None:
    """Compare short reasons over intervals with anchors."""
    explainer = cattleya.Explainer(case.model, over="intervals")
    among = explainer.among(case.table)
    predicted = case.model.predict(case.table)
    warm_up(explainer, case, among)
    lines, ours = [], {}
    for precision in PRECISIONS:
        made, losses = [], []
        for number, row in enumerate(case.rows):
            cpu, short = asked(
                lambda row=row, p=precision: explainer.explain(row).short_reason(p, among)  # type: ignore[misc]  # bound
            )
            ours[precision, number] = cpu, short
            if short is not None:
                made.append(short)
                again = short.check(case.others).precision
                if again is not None:
                    losses.append((float(short.precision), float(again), float(short.lower_bound)))
        chosen, again, bound = (
            (mean(one) for one in zip(*losses, strict=True)) if losses else 3 * [0]
        )
        lines.append(
            [
                *(case.name, f"{precision}", f"{len(made)} of {len(case.rows)}"),
                f"{mean(map(len, made)):.1f}" if made else "-",
                f"{mean(float(one.coverage) for one in made):.1%}" if made else "-",
                f"{chosen:.1%}, {again:.1%}, {bound:.1%}",
                f"{1000 * mean(ours[precision, n][0] for n in range(len(case.rows))):.1f} ms",
            ]
        )
    header = ("data", "precision", "found", "facts", "coverage", "chosen, other rows, bound", "CPU")
    found.parts.append(table(header, lines, 2))
    repeated = [
        asked(lambda row=row: explainer.explain(row).short_reason(0.95, among))[1]  # type: ignore[misc]  # bound
        for row in case.rows[:10]
    ]
    same = all(str(again) == str(ours[0.95, n][1]) for n, again in enumerate(repeated))
    found.bar(f"{case.name}: the same answer again", f"{len(repeated)} rows", same)
    first = list(range(min(peer_rows, len(case.rows))))
    seeds = [(0, first), *((seed, first[:5]) for seed in range(1, SEEDS))]
    given = {"ask": "anchors", "table": case.table, "model": case.model, "rows": case.rows}
    told = list(answers(python, given | {"precisions": PRECISIONS, "rows_of_seed": seeds}, limit))
    base = [one for one in told if one["seed"] == 0]
    if not base:
        for what in ("CPU", "false figures", "coverage within its size", "other answers by seed"):
            found.bar(f"{case.name}: beside alibi, {what}", "alibi did not answer", None)
        return
    false = both = wider = 0
    for one in base:
        has, own = covers(one["facts"], case.table), case.model.predict(case.rows[[one["row"]]])[0]
        right, count = int((has & (predicted == own)).sum()), int(has.sum())
        is_true = count == 0 or Fraction(right, count) >= Fraction(str(one["precision"]))
        claims = one["claimed"] >= one["precision"]
        false += claims and not is_true
        short = ours[one["precision"], one["row"]][1]
        if claims and is_true and short is not None and count:
            both += 1
            wider += len(short) <= max(len(one["facts"]), 1) and short.share.covered >= count
    cpu = sum(one["cpu"] for one in base)
    mine = sum(ours[one["precision"], one["row"]][0] for one in base)
    bound = 40 if case.name == "adult" else 10
    ratio = cpu / max(mine, 1e-9)
    found.bar(
        f"{case.name}: CPU of alibi by ours, at least {bound}",
        f"{ratio:.0f} times over {len(base)} answers",
        ratio >= bound,
    )
    found.bar(
        f"{case.name}: no false figure (alibi: {false} of {len(base)})",
        "0, counted again" if _all_true(explainer, case, ours, among) else "some",
        _all_true(explainer, case, ours, among),
    )
    found.bar(
        f"{case.name}: coverage at least alibi's within its size, 95% of rows where both are valid",
        f"{wider} of {both}",
        None if not both else wider >= 0.95 * both,
    )
    several: dict[tuple[float, int], set[str]] = {}
    for one in told:
        several.setdefault((one["precision"], one["row"]), set()).add(str(sorted(one["facts"])))
    repeats = [len(texts) for (_, row), texts in several.items() if row in first[:5]]
    found.parts.append(
        f"{case.name}: alibi gives {mean(repeats):.1f} different answers to a question over up to "
        f"{SEEDS} seeds; ours is one."
    )


def _all_true(explainer: Any, case: Case, ours: Any, among: Any) -> bool:
    """Count all figures again, by the proof's own code."""
    some = [(n, short) for (_, n), (_, short) in ours.items() if short is not None][:30]
    return all(explainer.explain(case.rows[n]).verify(short, among=among) for n, short in some)


def by_training(case: Case, found: Found, limit: float) -> None:
    """Say how many rows are proved smallest by training weights."""
    explainer = cattleya.Explainer(case.model)
    weights, done, sizes, seconds = cattleya.TrainingWeights(), 0, [], []
    warm_up(explainer, case, weights)
    for row in case.rows:
        cpu, short = asked(
            lambda row=row: explainer.explain(row).short_reason(  # type: ignore[misc]  # bound
                0.95, weights, 30, prove=True, timeout=limit
            )
        )
        seconds.append(cpu)
        if short is not None:
            done += short.proved_smallest
            sizes.append(len(short))
    text = f"{done} of {len(case.rows)}, {mean(sizes or [0]):.1f} facts"
    text += f", median {median(seconds):.3f} s"
    is_barred = case.name == "adult"
    found.bar(
        f"{case.name}: proved smallest by training weights within {limit:g} s, 95% of rows"
        if is_barred
        else f"{case.name}: proved smallest by training weights (no bar)",
        text,
        done >= 0.95 * len(case.rows),
        is_barred=is_barred,
    )


def beside_highs(case: Case, found: Found, rows: int, limit: float) -> None:
    """Compare training weights over conditions with a mixed integer program of the same."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    explainer, inner = cattleya.Explainer(case.model), case.model.tree_
    pairs = zip(inner.feature.tolist(), inner.threshold.tolist(), strict=True)
    tests = sorted({*pairs} - {(-2, -2.0)})
    number = {test: place for place, test in enumerate(tests)}
    n = inner.node_count
    warm_up(explainer, case, cattleya.TrainingWeights())
    theirs, mine, agree = [], [], True
    for row in case.rows[:rows]:
        cpu, short = asked(
            lambda row=row: explainer.explain(row).short_reason(  # type: ignore[misc]  # bound
                0.95, cattleya.TrainingWeights(), 30, prove=True, timeout=limit
            )
        )
        own = case.model.predict(row[None, :])[0]
        entries: list[tuple[int, int, float]] = []
        least: list[float] = []
        low, high = np.zeros(n + len(tests)), np.ones(n + len(tests))
        for node in range(n):
            left, right = inner.children_left[node], inner.children_right[node]
            if left < 0:
                low[node] = high[node] = case.model.classes_[inner.value[node, 0].argmax()] != own
                continue
            test = n + number[int(inner.feature[node]), float(inner.threshold[node])]
            goes = left if np.float32(row[inner.feature[node]]) <= inner.threshold[node] else right
            share = inner.n_node_samples[left] / inner.n_node_samples[node]
            line = len(least)
            entries += [(line, node, 1), (line, goes, -1), (line, test, -1)]
            entries += [(line + 1, node, 1), (line + 1, left, -share)]
            entries += [(line + 1, right, share - 1), (line + 1, test, 1)]
            least += [-1.0, 0.0]
        high[0] = min(high[0], 0.05)
        where = np.array([(i, j) for i, j, _ in entries]).T
        matrix = coo_array(([value for *_, value in entries], where), shape=(len(least), len(low)))
        begin = time.process_time()
        done = milp(
            np.r_[np.zeros(n), np.ones(len(tests))],
            integrality=np.r_[np.zeros(n), np.ones(len(tests))],
            bounds=Bounds(low, high),
            constraints=LinearConstraint(matrix.tocsr(), np.array(least), np.inf),
            options={"time_limit": limit},
        )
        theirs.append(time.process_time() - begin)
        mine.append(cpu)
        if done.status == 0 and short is not None:
            agree = agree and round(done.fun) == len(short)
    ratio = sum(theirs) / max(sum(mine), 1e-9)
    found.bar(
        f"{case.name}: training weights, CPU of HiGHS by ours, at least 300",
        f"{ratio:.0f} times over {len(mine)} rows (limit {limit:g} s a row), "
        f"{'same sizes' if agree else '**other sizes**'}",
        ratio >= 300 and agree,
    )


def beside_z3(case: Case, found: Found, python: str, rows: int, limit: float) -> None:
    """Compare whole features, all cells as likely, with z3's optimum of the same."""
    explainer, inner = cattleya.Explainer(case.model, over="features"), case.model.tree_
    ends = [np.unique(inner.threshold[inner.feature == f]) for f in range(case.table.shape[1])]
    trees, mine, sizes = [], [], []
    warm_up(explainer, case, cattleya.Uniform())
    for row in case.rows[:rows]:
        cpu, short = asked(
            lambda row=row: explainer.explain(row).short_reason(  # type: ignore[misc]  # bound
                0.95, cattleya.Uniform(), 30, prove=True
            )
        )
        mine.append(cpu)
        sizes.append(None if short is None else len(short))
        own = case.model.predict(row[None, :])[0]
        chance = [(1, 1)] * inner.node_count
        boxes: dict[int, dict[int, tuple[int, int]]] = {0: {}}
        for node in range(inner.node_count):
            left, right, feature = (
                int(one[node]) for one in (inner.children_left, inner.children_right, inner.feature)
            )
            if left < 0:
                continue
            first, last = boxes[node].get(feature, (0, len(ends[feature])))
            at = int(np.searchsorted(ends[feature], inner.threshold[node]))
            chance[node] = (at - first + 1, last - first + 1)
            boxes[left] = boxes[node] | {feature: (first, at)}
            boxes[right] = boxes[node] | {feature: (at + 1, last)}
        classes = case.model.classes_[inner.value[:, 0].argmax(axis=1)]
        value = row.astype(np.float32)[np.maximum(inner.feature, 0)]
        trees.append(
            {
                "left": inner.children_left.tolist(),
                "right": inner.children_right.tolist(),
                "feature": inner.feature.tolist(),
                "wrong": (classes != own).astype(int).tolist(),
                "row_left": (value <= inner.threshold).tolist(),
                "chance": chance,
            }
        )
    given = {"ask": "smallest", "trees": trees, "n_features": case.table.shape[1]}
    told = list(answers(python, given | {"error": "1/20", "limit": limit}, rows * limit + 60))
    if not told:
        found.bar(f"{case.name}: CPU of z3 by ours, at least 500", "z3 did not answer", None)
        return
    ratio = sum(one["cpu"] for one in told) / max(sum(mine[: len(told)]), 1e-9)
    agree = all(one["size"] in (None, sizes[one["row"]]) for one in told)
    found.bar(
        f"{case.name}: features, uniform, CPU of z3 by ours, at least 500",
        f"{ratio:.0f} times over {len(told)} rows (limit {limit:g} s a row), "
        f"{'same sizes' if agree else '**other sizes**'}",
        ratio >= 500 and agree,
    )


def main() -> None:
    """Measure, and write the table after every data set."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.short", description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("CATTLEYA_DATA"))
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--peer-rows", type=int, default=20, help="rows that alibi is asked about")
    parser.add_argument("--peer-limit", type=float, default=75, help="seconds, of a data set")
    parser.add_argument(
        "--limit", type=float, default=10, help="seconds a row, of proofs and HiGHS"
    )
    parser.add_argument("--exact-rows", type=int, default=3, help="rows for HiGHS and z3")
    parser.add_argument("--peer-python", default=sys.executable, help="a Python with alibi and z3")
    parser.add_argument("--sets", default=",".join(DATA_SETS))
    parser.add_argument("--made-up", type=int, default=5000)
    parser.add_argument("--out", type=Path, default=RESULTS / "short.md")
    given = parser.parse_args()
    found = Found()
    for name in given.sets.split(","):
        case = Case.of(name, given.data, given.rows, given.made_up)
        beside_alibi(case, found, given.peer_python, given.peer_rows, given.peer_limit)
        by_training(case, found, given.limit)
        if name == "compas":
            beside_highs(case, found, given.exact_rows, 6 * given.limit)
            beside_z3(case, found, given.peer_python, given.exact_rows, 6 * given.limit)
        bars = table(("bar", "measured", "verdict"), found.bars, 2)
        text = "\n\n".join([head(build_of(), []), "# Short reasons", bars, *found.parts])
        write_text(given.out, text + "\n")
        print(f"{name}: written to {given.out}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

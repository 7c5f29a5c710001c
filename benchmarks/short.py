"""Short reasons beside alibi's anchors, HiGHS and z3: ``python -m benchmarks.short``.

Of each data set a full tree, and rows that were held out of its training. One half of these rows
is the table that facts are counted on, by us and by alibi (AnchorTabular, quartiles); the other
half is kept to count again. Times are CPU seconds of one call per row through the public API,
Python included; what is made once for a model is made beforehand on both sides. alibi and z3 have
a Python of their own (``--peer-python``; ``make bench`` makes it), as alibi needs an older numpy.
alibi gets a limit for a data set, and the ratios are over the questions that it answered.

Parts that are done are kept for their commit, so that a run that was stopped goes on:

    python -m benchmarks.short --data DIR --peer-python PYTHON --minutes 8
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
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
SEEDS, SEED_ROWS = 5, 3
#: By precision and row: the CPU seconds, and the short reason, if there is one.
Ours = dict[tuple[float, int], tuple[float, Any]]


@dataclass
class Found:
    """What was measured: lines of bars, lines of the table of short reasons, and sentences."""

    bars: list[list[str]] = field(default_factory=list)
    lines: list[list[str]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

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


def beside_alibi(case: Case, found: Found, given: argparse.Namespace) -> None:
    """Compare short reasons over intervals with anchors."""
    explainer = cattleya.Explainer(case.model, over="intervals")
    among = explainer.among(case.table)
    predicted, later = case.model.predict(case.table), case.model.predict(case.others)
    warm_up(explainer, case, among)
    ours: Ours = {}
    for precision in PRECISIONS:
        for number, row in enumerate(case.rows):
            ours[precision, number] = asked(
                lambda row=row, p=precision: explainer.explain(row).short_reason(p, among)  # type: ignore[misc]  # bound
            )
        found.lines.append(_line(case, precision, ours, later))
    false = 0
    for (precision, number), (_, short) in ours.items():
        if short is not None:
            right, count = counts(case, short.covers(case.table), predicted, number)
            told = short.share.right, short.share.covered
            false += (right, count) != told or Fraction(right, count) < Fraction(str(precision))
    again = digest(case)
    with ThreadPoolExecutor(4) as pool:
        rest = pool.map(lambda n: text_of(explainer, among, case.rows[n]), range(len(case.rows)))
        same = (
            again == hashed(rest) == hashed(_text(ours[0.95, n][1]) for n in range(len(ours) // 3))
        )
    found.bar(
        f"{case.name}: the same answers in another process and with four threads",
        f"{len(case.rows)} rows",
        same,
    )
    found.bar(
        f"{case.name}: no false figure",
        f"{false} of {sum(short is not None for _, short in ours.values())}, counted again",
        false == 0,
    )
    _anchors(case, found, given, ours, lambda row: explainer.explain(row).short_reason, among)


def _anchors(
    case: Case, found: Found, given: argparse.Namespace, ours: Ours, short_of: Any, among: Any
) -> None:
    """Ask alibi, and compare what it says with what we found."""
    predicted = case.model.predict(case.table)
    first = list(range(min(given.peer_rows, len(case.rows))))
    few = first[:SEED_ROWS]
    seeds = [*((seed, few) for seed in range(SEEDS)), (0, first[SEED_ROWS:])]
    ask = {"ask": "anchors", "table": case.table, "model": case.model, "rows": case.rows}
    ask |= {"precisions": PRECISIONS, "rows_of_seed": seeds}
    told = list(answers(given.peer_python, ask, given.peer_limit))
    base = [one for one in told if one["seed"] == 0]
    if not base:
        for what in ("CPU", "coverage within its size"):
            found.bar(f"{case.name}: beside alibi, {what}", "alibi did not answer", None)
        return
    theirs = both = wider = first_is = claims = none = 0
    for one in base:
        precision, number = one["precision"], one["row"]
        has = covers(one["facts"], case.table)
        right, count = counts(case, has, predicted, number)
        is_true = count > 0 and Fraction(right, count) >= Fraction(str(precision))
        if one["claimed"] < precision:
            none += 1
            continue
        claims += 1
        theirs += count > 0 and not is_true
        short = ours[precision, number][1]
        if is_true and short is not None:
            both += 1
            size, least = len(one["facts"]), Fraction(count, len(case.table))
            is_wide = len(short) <= size and short.share.covered >= count
            first_is += is_wide
            more = (precision, among, size, least)
            ask_again = short_of(case.rows[number])
            wider += is_wide or asked(lambda q=ask_again, m=more: q(*m))[1] is not None  # type: ignore[misc]  # bound
    cpu = sum(one["cpu"] for one in base)
    mine = sum(ours[one["precision"], one["row"]][0] for one in base)
    bound = 40 if case.name == "adult" else 10
    ratio = cpu / max(mine, 1e-9)
    found.bar(
        f"{case.name}: CPU of alibi by ours, at least {bound}",
        f"{ratio:.0f} times over {len(base)} questions",
        ratio >= bound,
    )
    found.bar(
        f"{case.name}: alibi's claims that are false on the very rows they cover",
        f"{theirs} of {claims} (no claim in {none} questions)",
        None,
        is_barred=False,
    )
    found.bar(
        f"{case.name}: coverage at least alibi's within its size, 95% of where both are valid",
        f"{wider} of {both} ({first_is} by the answer without limits)",
        None if not both else wider >= 0.95 * both,
    )
    several: dict[tuple[float, int], set[str]] = {}
    for one in told:
        if one["row"] in few:
            key = one["precision"], one["row"]
            several.setdefault(key, set()).add(str(sorted(one["facts"])))
    repeats = [len(texts) for texts in several.values()]
    asked_again = len({one["seed"] for one in told})
    found.said.append(
        f"{case.name}: alibi gives {mean(repeats):.1f} different answers to a question over "
        f"{asked_again} seeds ({len(repeats)} questions, {sum(n > 1 for n in repeats)} of them "
        f"with several); ours is one."
    )


def _line(case: Case, precision: float, ours: Ours, later: np.ndarray) -> list[str]:
    """Give the line of a precision: what was found, and how it does on other rows."""
    made, losses, below = [], [], 0
    for number in range(len(case.rows)):
        short = ours[precision, number][1]
        if short is None:
            continue
        made.append(short)
        right, count = counts(case, short.covers(case.others), later, number)
        if count:
            losses.append((float(short.precision), right / count, float(short.lower_bound)))
            below += Fraction(right, count) < short.lower_bound
    chosen, again, bound = (mean(one) for one in zip(*losses, strict=True)) if losses else 3 * [0]
    return [
        *(case.name, f"{precision}", f"{len(made)} of {len(case.rows)}"),
        f"{mean(map(len, made)):.1f}" if made else "-",
        f"{mean(float(one.coverage) for one in made):.1%}" if made else "-",
        *(f"{chosen:.1%}", f"{again:.1%}", f"{bound:.1%}", f"{below} of {len(losses)}"),
        f"{1000 * mean(ours[precision, n][0] for n in range(len(case.rows))):.1f} ms",
    ]


def counts(case: Case, has: np.ndarray, predicted: np.ndarray, number: int) -> tuple[int, int]:
    """Count, by the model's own predictions, the rows with some facts: right ones, all."""
    own = case.model.predict(case.rows[[number]])[0]
    return int((has & (predicted == own)).sum()), int(has.sum())


def _text(short: Any) -> str:
    return "none" if short is None else short.sentence


def text_of(explainer: Any, among: Any, row: np.ndarray) -> str:
    """Give a short reason in words."""
    return _text(asked(lambda: explainer.explain(row).short_reason(0.95, among))[1])


def hashed(texts: Iterable[str]) -> str:
    """Give what is the same where all texts are."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def digest(case: Case) -> str:
    """Give the hash of all answers at 0.95, found by another process."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "case.joblib")
        joblib.dump(case, path)
        code = (
            "import joblib, sys, cattleya; from benchmarks.short import *;"
            "case = joblib.load(sys.argv[1]);"
            "explainer = cattleya.Explainer(case.model, over='intervals');"
            "among = explainer.among(case.table);"
            "print(hashed(text_of(explainer, among, row) for row in case.rows))"
        )
        run = [sys.executable, "-c", code, path]
        return subprocess.run(run, capture_output=True, text=True, check=True).stdout.strip()


def by_training(case: Case, found: Found, over: str, rows: int, limit: float) -> None:
    """Say how many rows are proved smallest by training weights."""
    explainer = cattleya.Explainer(case.model, over=over)
    weights, done, sizes, seconds = cattleya.TrainingWeights(), 0, [], []
    warm_up(explainer, case, weights)
    for row in case.rows[:rows]:
        cpu, short = asked(
            lambda row=row: explainer.explain(row).short_reason(  # type: ignore[misc]  # bound
                0.95, weights, 30, prove=True, timeout=limit
            )
        )
        seconds.append(cpu)
        if short is not None:
            done += short.proved_smallest
            sizes.append(len(short))
    text = f"{done} of {len(seconds)}, {mean(sizes or [0]):.1f} facts"
    text += f", median {1000 * median(seconds):.1f} ms, slowest {max(seconds):.1f} s"
    is_barred = (case.name, over) == ("adult", "conditions")
    found.bar(
        f"{case.name}: proved smallest by training weights over {over} within {limit:g} s a row"
        + (", 95% of rows" if is_barred else ""),
        text,
        done >= 0.95 * len(seconds),
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


def parts_of(given: argparse.Namespace) -> Iterator[tuple[str, str, Callable[[Case, Found], None]]]:
    """Give the parts in the order in which they are measured: a name, its data, and how."""
    python, limit, rows = given.peer_python, given.limit, given.exact_rows
    for name in given.sets.split(","):
        yield f"{name}-alibi", name, lambda case, found: beside_alibi(case, found, given)
        for over in ("conditions", "intervals"):
            barred = (name, over) == ("adult", "conditions")
            ask = (over, given.rows, limit) if barred else (over, given.rows // 4, limit / 5)
            yield (
                f"{name}-training-{over}",
                name,
                lambda case, found, ask=ask: by_training(case, found, *ask),  # type: ignore[misc]  # bound
            )
        if name == "compas":
            yield f"{name}-highs", name, lambda case, found: beside_highs(case, found, rows, 60)
            yield f"{name}-z3", name, lambda case, found: beside_z3(case, found, python, rows, 60)


def written(given: argparse.Namespace, done: dict[str, Found], left: Sequence[str]) -> None:
    """Write the table of all parts that are done."""
    how = given.how
    header = (
        *("data", "precision", "found", "facts", "coverage", "precision there", "on other rows"),
        *("bound", "below it", "CPU"),
    )
    bars = [bar for found in done.values() for bar in found.bars]
    lines = [line for found in done.values() for line in found.lines]
    said = [f"- {text}" for found in done.values() for text in found.said]
    parts = ["# Short reasons", head(build_of(), []).replace("benchmarks`", "benchmarks.short`")]
    parts += [f"Not measured yet: {', '.join(left)}."] if left else []
    parts += ["## Bars", table(("bar", "measured", "verdict"), bars, 1)]
    parts += ["## Short reasons, and their loss on other rows", LOSS, table(header, lines, 1)]
    parts += ["\n".join(said), "## How", how]
    write_text(given.out, "\n\n".join(parts) + "\n")


LOSS = (
    "Means over the rows that have a short reason over intervals. `precision there` is counted on "
    "the table that facts were chosen on, `on other rows` on as many that were not looked at; "
    "`bound` is the lower end of Wilson's interval at 95%, which the facts were chosen by, and "
    "`below it` says how many fall below their bound on the other rows. An interval of facts that "
    "were not chosen on the same rows would let about 2.5% fall below it; choosing makes it more."
)


def main() -> None:
    """Measure the parts that are left, and write the table after each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.short", description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("CATTLEYA_DATA"))
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--peer-rows", type=int, default=100, help="rows that alibi is asked about")
    parser.add_argument("--peer-limit", type=float, default=180, help="seconds, of a data set")
    parser.add_argument("--limit", type=float, default=10, help="seconds a row, of proofs")
    parser.add_argument("--exact-rows", type=int, default=10, help="rows for HiGHS and z3")
    parser.add_argument("--peer-python", default=sys.executable, help="a Python with alibi and z3")
    parser.add_argument("--sets", default=",".join(DATA_SETS))
    parser.add_argument("--made-up", type=int, default=5000)
    parser.add_argument("--minutes", type=float, default=600, help="begin no part after these")
    parser.add_argument("--out", type=Path, default=RESULTS / "short.md")
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "benchmarks" / "short")
    given = parser.parse_args()
    build = build_of()
    commit = "none" if build is None else build.commit
    kept = given.keep / f"{commit}-{given.rows}"
    kept.mkdir(parents=True, exist_ok=True)
    given.how = (
        f"{given.rows} rows a data set; alibi is asked about up to {given.peer_rows} of them, "
        f"with one seed, and about the first {SEED_ROWS} with {SEEDS}, for "
        f"{given.peer_limit:g} s in all; HiGHS and z3 about {given.exact_rows} for up to 60 s "
        f"each. HiGHS is `scipy.optimize.milp`, without the time to write its program. Coverage "
        f"within alibi's size is that of our answer, or of the answer to the question with its "
        f"size and its coverage as limits. Where nothing is barred, proofs are asked for about "
        f"{given.rows // 4} rows."
    )
    begin, cases = time.monotonic(), {}
    every = list(parts_of(given))
    done: dict[str, Found] = {}
    left = [part for part, _, _ in every]
    for part, name, measure in every:
        path = kept / f"{part}.json"
        if path.is_file():
            done[part] = Found(**json.loads(path.read_text(encoding="utf-8")))
        elif time.monotonic() - begin < 60 * given.minutes:
            if name not in cases:
                cases[name] = Case.of(name, given.data, given.rows, given.made_up)
            found = Found()
            measure(cases[name], found)
            write_text(path, json.dumps(asdict(found)))
            done[part] = found
            print(f"{part}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
        else:
            continue
        left.remove(part)
    written(given, done, left)
    print(f"{len(done)} of {len(every)} parts in {given.out}", file=sys.stderr)


if __name__ == "__main__":
    main()

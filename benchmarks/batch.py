"""Many rows beside ``shap.TreeExplainer``, on two cores, behind a Pipeline, and on disk.

The rows of a fold of ``adult``, over conditions where nothing else is said, the polynomial answers
as a table of texts: a sufficient reason with the rows that it covers, the smallest contrasts and
their number. On one core, rows per second of processor time; on two, of wall time, against wall
time on one in turn, in threads and in processes, which were started before. What is shown is the
median of all runs. Counting has a time limit per row. On disk, processor time and the peak of the
memory of ``cattleya batch``, one thread.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import cattleya
from benchmarks.cases import about, load_case, rows_of
from benchmarks.report import Finding, Report, at_least, at_most, table, times
from benchmarks.settings import Settings
from cattleya.adapters.model_files import write_model
from cattleya.experiments.data.protocol import Fold
from cattleya.experiments.machine import installed

WANT = ("sufficient", "contrastive")
RATE_BAR, TREESHAP_BAR, PIPELINE_BAR = 10_000, 30, 0.5
THREADS_BAR, FEW_BAR, FEW = 1.8, 1.5, 1000
COUNT_BAR, COUNT_RUNS, COUNT_LIMIT = 1.8, 3, 0.1  # seconds a row
DISK_BAR, MEMORY_BAR = 110, 0.5  # seconds, GiB
OTHERS, OTHER_RUNS = ("intervals", "features"), 5
MEASURED = """
import resource, sys
from cattleya.cli import run
from cattleya.experiments.machine import resident
code = run(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
print(resident(), used.ru_utime + used.ru_stime, file=sys.stderr)
sys.exit(code)
"""


@dataclass(frozen=True)
class Speed:
    """Seconds of all runs by one clock, and this process's processor time in each."""

    rows: int
    runs: Sequence[tuple[float, float]]

    @property
    def seconds(self) -> float:
        """The median run."""
        return median(seconds for seconds, _ in self.runs)

    @property
    def rate(self) -> float:
        """Rows per second in the median run."""
        return self.rows / self.seconds

    @property
    def own(self) -> float:
        """The median of this process's processor time."""
        return median(own for _, own in self.runs)


def in_turn(
    works: Sequence[Callable[[], Any]], rows: int, clock: Callable[[], float], runs: int
) -> list[Speed]:
    """Time some runs of each, in turn: a machine is not equally fast all the time."""
    rounds = [[_run(work, clock) for work in works] for _ in range(runs)]
    return [Speed(rows, taken) for taken in zip(*rounds, strict=True)]


def _run(work: Callable[[], Any], clock: Callable[[], float]) -> tuple[float, float]:
    begin, own = clock(), time.process_time()
    work()
    return clock() - begin, time.process_time() - own


def measure(settings: Settings, folder: Path | None) -> Report:
    """Measure many rows in memory and on disk."""
    case = load_case("adult", folder, settings.fold_rows, settings.made_up_rows)
    findings, two_cores, in_memory = cores(case, settings)
    memory, on_disk = disk(case, settings.disk_rows)
    parts = [
        f"{about(case)}; a sufficient reason, the smallest contrasts and their number; the median "
        f"of {settings.batch_runs} runs.",
        in_memory,
        pipeline(folder, settings),
        "`cattleya batch --over conditions`, the same questions, on one thread: rows of the fold "
        "with some noise, so that few are alike.",
        on_disk,
    ]
    return Report("Many rows", parts, findings, [two_cores, memory])


def cores(case: Fold, settings: Settings) -> tuple[list[Finding], str, str]:
    """Give what there is to say about one core and about two, and the table."""
    explainer, rows = cattleya.Explainer(case.model), np.array(rows_of(case))

    def explain(
        jobs: int, some: Any = rows, want: Sequence[str] = WANT, limit: float | None = None
    ) -> Callable[[], Any]:
        return lambda: explainer.explain_all(some, want, n_jobs=jobs, timeout=limit, progress=False)

    explain(1)()  # the texts of conditions are made once
    runs, clock = settings.batch_runs, time.process_time
    (alone,) = in_turn([explain(1)], len(rows), clock, runs)
    bar = at_least(alone.rate, RATE_BAR)
    lines = [["cattleya, one core", f"{alone.rate:,.0f}", "-", "-", *_of_rows(bar)]]
    label = "`shap.TreeExplainer`, one core"
    findings = []
    if installed("shap") is None:
        lines.append([label, "not installed", "-", "-", *at_least(None, TREESHAP_BAR)])
    else:
        import shap

        peer, few = shap.TreeExplainer(case.model), rows[: settings.shap_rows]
        (theirs,) = in_turn([lambda: peer.shap_values(few)], len(few), clock, runs)
        ratio = alone.rate / theirs.rate
        bar = at_least(ratio, TREESHAP_BAR)
        lines.append([label, f"{theirs.rate:,.0f}", times(ratio, "times slower"), "-", *bar])
        findings.append(
            Finding(
                "`shap.TreeExplainer`",
                "many rows at once, texts made: rows per second",
                f"{theirs.rate:,.0f}",
                f"{alone.rate:,.0f}",
                times(ratio),
                bar,
            )
        )
    for over in OTHERS:
        other = cattleya.Explainer(case.model, over=over)
        one, two = (partial(_explained, other, rows, jobs) for jobs in (1, 2))
        one()
        (speed,) = in_turn([one], len(rows), clock, min(runs, OTHER_RUNS))
        against = times(speed.rate / alone.rate)
        lines.append([f"over {over}, one core", f"{speed.rate:,.0f}", against, "-", "-", "-"])
        what = f"threads, over {over}"
        lines.append(on_two(what, [one, two], len(rows), min(runs, OTHER_RUNS), None)[1])
    both, line = on_two("threads", [explain(1), explain(2)], len(rows), runs, THREADS_BAR)
    lines.append(line)
    sentence = (
        f"Many rows on two threads: {times(both)} as fast as on one, the median of {runs} runs "
        f"({line[-2]}: {line[-1]})."
    )
    few = rows[:FEW]
    lines.append(on_two("threads", [explain(1, few), explain(2, few)], len(few), runs, FEW_BAR)[1])
    some = rows[: settings.counted_table_rows]
    works = [explain(jobs, some, ("count",), COUNT_LIMIT) for jobs in (1, 2)]
    what = "threads, counting"
    lines.append(on_two(what, works, len(some), min(runs, COUNT_RUNS), COUNT_BAR)[1])
    with joblib.parallel_config("loky"):
        explain(2)()  # start the workers
        lines.append(on_two("processes", [explain(1), explain(2)], len(rows), runs, None)[1])
    header = ["", "rows per second", "against one core", "least to most", "bar", "verdict"]
    return findings, sentence, table(header, lines)


def _explained(explainer: cattleya.Explainer, rows: Any, jobs: int) -> Any:
    return explainer.explain_all(rows, WANT, n_jobs=jobs, progress=False)


def on_two(
    what: str, works: Sequence[Callable[[], Any]], rows: int, runs: int, bound: float | None
) -> tuple[float, list[str]]:
    """Give how much faster two are than one, by the wall clock, and a line of the table."""
    one, two = in_turn(works, rows, time.perf_counter, runs)
    gain = two.rate / one.rate
    each = [a / b for (a, _), (b, _) in zip(one.runs, two.runs, strict=True)]
    bar = ("-", "-") if bound is None else at_least(gain, bound)
    from_to = f"{min(each):.2f} to {max(each):.2f}"
    return gain, [
        f"two {what}, {rows:,} rows, wall time", f"{two.rate:,.0f}", times(gain), from_to, *bar
    ]  # fmt: skip  # a list in few lines


def _of_rows(bar: tuple[str, str]) -> tuple[str, str]:
    return bar[0].replace(" times", " rows per second"), bar[1]


def pipeline(folder: Path | None, settings: Settings) -> str:
    """Say how many rows per second there are behind a Pipeline, against the tree inside it."""
    file = None if folder is None else folder / "adult.csv.gz"
    if file is None or not file.exists():
        return "Behind a Pipeline: not measured, for want of `adult.csv.gz`."
    raw = pd.read_csv(file)
    X, y = raw.iloc[:, :-1], raw.iloc[:, -1]
    words = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    encoded = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), words),
        remainder="passthrough",
    )
    held_out = settings.fold_rows
    model = make_pipeline(encoded, DecisionTreeClassifier(random_state=0))
    model.fit(X[:-held_out], y[:-held_out])
    rows = X[-held_out:]
    inside, numbers = cattleya.Explainer(model[-1]), model[:-1].transform(rows)
    outside = cattleya.Explainer(model)
    works: list[Callable[[], Any]] = [
        lambda: outside.explain_all(rows, WANT, progress=False),
        lambda: inside.explain_all(numbers, WANT, progress=False),
    ]
    works[0]()
    works[1]()
    behind, bare = in_turn(works, held_out, time.process_time, settings.batch_runs)
    bar, verdict = at_least(behind.rate / bare.rate, PIPELINE_BAR)
    return (
        f"Behind a Pipeline with a one-hot encoder, raw columns: {behind.rate:,.0f} rows per "
        f"second of processor time, {behind.rate / bare.rate:.2f} times the tree inside it "
        f"({bar}: {verdict})."
    )


def disk(case: Fold, n_rows: int) -> tuple[str, str]:
    """Give what there is to say about a run on disk, and the table."""
    with tempfile.TemporaryDirectory() as folder:
        model, table_in, result = (
            Path(folder, name) for name in ("model.skops", "rows.parquet", "result.parquet")
        )
        write_model(model, case.model)
        chosen = np.random.default_rng(0).integers(0, len(case.drawn), n_rows)
        rows = np.array(rows_of(case))[chosen]
        names = [f"x{i}" for i in range(rows.shape[1])]
        # Some noise: rows that are alike are explained once, and these must not be.
        rows += np.random.default_rng(1).normal(0, 0.5, rows.shape)
        pd.DataFrame(rows, columns=names).to_parquet(table_in)
        del rows
        begin = time.perf_counter()
        command = ["batch", str(model), str(table_in), "--out", str(result)]
        wanted = ["--want", ",".join(WANT)]
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, *command, "--over", "conditions", *wanted],
            capture_output=True,
            text=True,
            check=True,
        )
        wall = time.perf_counter() - begin
        peak, seconds = map(float, done.stderr.split()[-2:])
        size = result.stat().st_size >> 20
    gib = peak / (1 << 30)
    line = [
        f"{n_rows:,}", f"{seconds:,.0f} s", *at_most(seconds, DISK_BAR, "s"), f"{wall:,.0f} s",
        f"{size:,} MiB", f"{gib:.2f} GiB", *at_most(gib, MEMORY_BAR, "GiB"),
    ]  # fmt: skip  # a list in few lines
    bars = ["bar", "verdict"]
    header = ["rows", "processor time", *bars, "wall time", "result", "peak memory", *bars]
    bar, verdict = at_most(gib, MEMORY_BAR, "GiB")
    sentence = (
        f"`cattleya batch` explained {n_rows:,} rows using at most {gib:.2f} GiB "
        f"({bar}: {verdict})."
    )
    return sentence, table(header, [line])

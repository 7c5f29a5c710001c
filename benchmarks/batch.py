"""Many rows beside ``shap.TreeExplainer``, on two cores, and on disk.

The rows of a fold of ``adult``, the polynomial answers as a table of texts: a sufficient reason,
the smallest contrasts and their number. On one core, rows per second of processor time; on two, of
wall time, against wall time on one in turn, the workers started before. What is shown is the median
of all runs. Of the process that gathers the answers its own processor time is told: while it works,
a worker may have to wait. On disk, the peak of the memory of ``cattleya batch``, one process.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import joblib
import numpy as np
import pandas as pd

import cattleya
from benchmarks.cases import about, load_case, rows_of
from benchmarks.report import Finding, Report, at_least, at_most, table, times
from benchmarks.settings import Settings
from cattleya.adapters.model_files import write_model
from cattleya.experiments.data.protocol import Fold
from cattleya.experiments.machine import installed

WANT = ("sufficient", "contrastive")
TREESHAP_BAR, CORES_BAR, MEMORY_BAR = 5, 1.7, 2
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
        "`cattleya batch`, the same questions, in one process: rows of the fold with some noise, "
        "so that few are alike.",
        on_disk,
    ]
    return Report("Many rows", parts, findings, [two_cores, memory])


def cores(case: Fold, settings: Settings) -> tuple[list[Finding], str, str]:
    """Give what there is to say about one core and about two, and the table."""
    explainer, rows = cattleya.Explainer(case.model), np.array(rows_of(case))

    def explain(jobs: int) -> Callable[[], Any]:
        return lambda: explainer.explain_all(rows, WANT, n_jobs=jobs, progress=False)

    explain(1)()  # the texts of conditions are made once
    runs, clock, wall_clock = settings.batch_runs, time.process_time, time.perf_counter
    (alone,) = in_turn([explain(1)], len(rows), clock, runs)
    lines = [["cattleya, one core", f"{alone.rate:,.0f}", "-", "-", "-", "-", "-"]]
    label = "`shap.TreeExplainer`, one core"
    findings, sentence = [], ""
    if installed("shap") is None:
        bar = at_least(None, TREESHAP_BAR)
        lines.append([label, "not installed", "-", "-", "-", *bar])
    else:
        import shap

        peer, few = shap.TreeExplainer(case.model), rows[: settings.shap_rows]
        (theirs,) = in_turn([lambda: peer.shap_values(few)], len(few), clock, runs)
        ratio = alone.rate / theirs.rate
        bar = at_least(ratio, TREESHAP_BAR)
        lines.append([label, f"{theirs.rate:,.0f}", times(ratio, "times slower"), "-", "-", *bar])
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
    for backend, what in (("loky", "processes"), ("threading", "threads")):
        with joblib.parallel_config(backend):
            explain(2)()  # start the workers
            wall, two = in_turn([explain(1), explain(2)], len(rows), wall_clock, runs)
        gain = two.rate / wall.rate
        each = [one / both for (one, _), (both, _) in zip(wall.runs, two.runs, strict=True)]
        bar = at_least(gain, CORES_BAR) if backend == "loky" else ("-", "-")
        own = f"{1000 * two.own:,.0f} ms" if backend == "loky" else "-"
        if backend == "loky":
            sentence = (
                f"Many rows in two processes: {times(gain)} as fast as in one, the median of "
                f"{runs} runs ({bar[0]}: {bar[1]})."
            )
        from_to = f"{min(each):.2f} to {max(each):.2f}"
        one_core = ["cattleya, one core, wall time", f"{wall.rate:,.0f}"]
        lines.append([*one_core, "-", "-", "-", "-", "-"])
        name, rate = f"two {what}, wall time", f"{two.rate:,.0f}"
        lines.append([name, rate, times(gain), from_to, own, *bar])
    header = [
        "",
        "rows per second",
        "against one core",
        "least to most",
        "gathering, processor time",
    ]
    return findings, sentence, table([*header, "bar", "verdict"], lines)


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
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, *command, "--want", ",".join(WANT)],
            capture_output=True,
            text=True,
            check=True,
        )
        wall = time.perf_counter() - begin
        peak, seconds = map(float, done.stderr.split()[-2:])
        size = result.stat().st_size >> 20
    gib = peak / (1 << 30)
    line = [
        f"{n_rows:,}", f"{seconds:,.0f} s", f"{wall:,.0f} s", f"{size:,} MiB", f"{gib:.2f} GiB",
        *at_most(gib, MEMORY_BAR, "GiB"),
    ]  # fmt: skip  # a list in few lines
    header = ["rows", "processor time", "wall time", "result", "peak memory", "bar", "verdict"]
    bar, verdict = at_most(gib, MEMORY_BAR, "GiB")
    sentence = (
        f"`cattleya batch` explained {n_rows:,} rows using at most {gib:.2f} GiB "
        f"({bar}: {verdict})."
    )
    return sentence, table(header, [line])

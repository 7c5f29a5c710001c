"""Many rows beside ``shap.TreeExplainer``, on two cores, and on disk: `python benchmarks/batch.py`.

All rows of a fold of ``adult``, the polynomial answers: a sufficient reason, the smallest contrasts
and their number. On one core, rows a second of processor time; on two, of wall time, against wall
time on one: both in the same run, the workers started before. Of the process that gathers the
answers its own processor time is told: while it works, a worker may have to wait. On disk, the peak
of the memory of ``cattleya batch``, which is one process.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from cases import Case, data_directory, load_case
from report import at_least, at_most, machine, table, write

import cattleya
from cattleya.files.models import write_model

WANT = ("sufficient", "contrastive")
FOLD = 4885  # rows of a tenth of adult
SHAP_ROWS = 500
TREESHAP_BAR, CORES_BAR, MEMORY_BAR = 5, 1.7, 2
MEASURED = """
import resource, sys, time
from cattleya.cli import run
code = run(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_maxrss, used.ru_utime + used.ru_stime, file=sys.stderr)
sys.exit(code)
"""


@dataclass(frozen=True)
class Speed:
    """Rows a second of the best of some runs, and this process's processor time in it."""

    rate: float
    own_seconds: float


def best(work: Callable[[], Any], rows: int, clock: Callable[[], float], repeats: int) -> Speed:
    """Time some runs."""
    seconds, own = min(run(work, clock) for _ in range(repeats))
    return Speed(rows / seconds, own)


def in_turn(works: Sequence[Callable[[], Any]], rows: int, repeats: int) -> list[Speed]:
    """Time some runs of each by the clock, in turn: a machine is not equally fast all the time."""
    rounds = [[run(work, time.perf_counter) for work in works] for _ in range(repeats)]
    bests = [min(runs) for runs in zip(*rounds, strict=True)]
    return [Speed(rows / seconds, own) for seconds, own in bests]


def run(work: Callable[[], Any], clock: Callable[[], float]) -> tuple[float, float]:
    """Return the seconds of a run by a clock, and this process's processor time in it."""
    begin, own = clock(), time.process_time()
    work()
    return clock() - begin, time.process_time() - own


def cores(case: Case, repeats: int) -> str:
    """Return the table of speeds."""
    explainer, rows = cattleya.Explainer(case.model), np.array(case.rows)

    def explain(jobs: int) -> Callable[[], Any]:
        return lambda: explainer.explain_all(rows, WANT, n_jobs=jobs, progress=False)

    explain(1)()  # the texts of conditions are made once
    alone = best(explain(1), len(rows), time.process_time, repeats)
    lines = [["cattleya, one core", f"{alone.rate:,.0f}", "-", "-", "-", "-"]]
    theirs = _shap(case, rows, repeats)
    ratio = None if theirs is None else alone.rate / theirs
    told = (
        ["not installed", "-"]
        if theirs is None
        else [f"{theirs:,.0f}", f"{ratio:.1f} times slower"]
    )
    lines.append(["`shap.TreeExplainer`, one core", *told, "-", *at_least(ratio, TREESHAP_BAR)])
    for backend in ("loky", "threading"):
        with joblib.parallel_config(backend):
            explain(2)()  # start the workers
            wall, two = in_turn([explain(1), explain(2)], len(rows), repeats)
        gain = two.rate / wall.rate
        bar = at_least(gain, CORES_BAR) if backend == "loky" else ["-", "-"]
        own = f"{1000 * two.own_seconds:,.0f} ms" if backend == "loky" else "-"
        what = "processes" if backend == "loky" else "threads"
        lines.append(["cattleya, one core, wall time", f"{wall.rate:,.0f}", "-", "-", "-", "-"])
        lines.append([f"two {what}, wall time", f"{two.rate:,.0f}", f"{gain:.2f} times", own, *bar])
    header = ["", "rows a second", "against one core", "gathering, processor time", "bar", ""]
    return table(header, lines)


def _shap(case: Case, rows: Any, repeats: int) -> float | None:
    try:
        import shap
    except ImportError:
        return None
    peer, few = shap.TreeExplainer(case.model), rows[:SHAP_ROWS]
    return best(lambda: peer.shap_values(few), len(few), time.process_time, repeats).rate


def disk(case: Case, n_rows: int) -> str:
    """Return the table of a run on disk."""
    with tempfile.TemporaryDirectory() as folder:
        write_model(Path(folder, "model.skops"), case.model)
        chosen = np.random.default_rng(0).integers(0, len(case.rows), n_rows)
        rows = np.array(case.rows)[chosen]
        names = [f"x{i}" for i in range(rows.shape[1])]
        # Some noise: rows that are alike are explained once, and these must not be.
        rows += np.random.default_rng(1).normal(0, 0.5, rows.shape)
        pd.DataFrame(rows, columns=names).to_parquet(Path(folder, "rows.parquet"))
        del rows
        begin = time.perf_counter()
        command = ["batch", "model.skops", "rows.parquet", "--out", "result.parquet"]
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, *command, "--want", ",".join(WANT)],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
        wall = time.perf_counter() - begin
        peak, seconds = map(float, done.stderr.split()[-2:])
        size = Path(folder, "result.parquet").stat().st_size >> 20
    gib = peak / (1 << 20)
    line = [
        f"{n_rows:,}", f"{seconds:,.0f} s", f"{wall:,.0f} s", f"{size:,} MiB", f"{gib:.2f} GiB",
        *at_most(gib, MEMORY_BAR, "GiB"),
    ]  # fmt: skip  # a list in few lines
    header = ["rows", "processor time", "wall time", "result", "peak memory", "bar", ""]
    return table(header, [line])


def main() -> None:
    """Measure; print the report and write it to a file."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0] if __doc__ else None)
    out = Path(__file__).resolve().parent / "results" / "batch.md"
    parser.add_argument("--data", type=Path, help="folder of data (else $CATTLEYA_DATA)")
    parser.add_argument("--rows", type=int, default=FOLD, help=f"rows (default: {FOLD})")
    parser.add_argument("--disk-rows", type=int, default=1_000_000, help="rows on disk; 0 for none")
    parser.add_argument("--repeats", type=int, default=5, help="runs of which the best counts")
    parser.add_argument("--out", type=Path, default=out, help="file for the report")
    given = parser.parse_args()
    case = load_case("adult", data_directory(given.data), given.rows)
    parts = [
        "# Many rows",
        machine(),
        f"{case.origin}; a tree of {case.model.tree_.node_count:,} nodes; {len(case.rows):,} "
        f"held-out rows; a sufficient reason, the smallest contrasts and their number; the best of "
        f"{given.repeats} runs.",
        cores(case, given.repeats),
    ]
    if given.disk_rows:
        parts += [
            "`cattleya batch`, the same questions, in one process: rows of the fold with some "
            "noise, so that few are alike.",
            disk(case, given.disk_rows),
        ]
    text = "\n\n".join(parts)
    write(given.out, text + "\n")
    print(text)


if __name__ == "__main__":
    main()

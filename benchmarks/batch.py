"""Rows a second of ``explain_all`` beside ``shap.TreeExplainer``, and memory of rows on disk.

    python benchmarks/batch.py [--data FOLDER] [--rows 4885] [--disk-rows 1000000]

The polynomial answers: a sufficient reason, the smallest contrasts, what is necessary. Each figure
is that of processor time on one core, and of wall time on two, in the same run. The memory is the
peak of the resident set of ``cattleya batch`` in a process of its own.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.files.models import write_model

WANT = ("sufficient", "contrastive")
WORKER = """
import resource, sys
from cattleya.cli import run
code = run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""


def adult(folder: Path) -> tuple[Any, Any]:
    """Return the adult data with categories as numbers, or a stand-in of the same shape."""
    path = folder / "adult.csv.gz"
    if not path.exists():
        print("no adult.csv.gz there: a synthetic stand-in of its shape")
        X, y = make_classification(48_842, 14, n_informative=8, flip_y=0.2, random_state=0)
        return pd.DataFrame(X, columns=[f"x{i}" for i in range(14)]), y
    table = pd.read_csv(path)
    labels = table.pop(table.columns[-1]).to_numpy()
    for name in table.columns:
        if not pd.api.types.is_numeric_dtype(table[name]):
            table[name] = pd.factorize(table[name], sort=True)[0]
    return table.astype(float), labels


def rate(work: Callable[[], Any], rows: int, clock: Callable[[], float], repeats: int) -> float:
    """Return the best rows a second of some runs."""
    best = np.inf
    for _ in range(repeats):
        begin = clock()
        work()
        best = min(best, clock() - begin)
    return rows / best


def disk(model: Any, X: Any, rows: int) -> None:
    """Print the time and the peak memory of a run on disk."""
    with tempfile.TemporaryDirectory() as folder:
        write_model(Path(folder, "model.skops"), model)
        many = X.sample(rows, replace=True, random_state=0).reset_index(drop=True)
        many.to_parquet(Path(folder, "rows.parquet"))
        del many
        begin = time.perf_counter()
        done = subprocess.run(
            [
                sys.executable, "-c", WORKER,
                "batch", "model.skops", "rows.parquet", "--out", "result.parquet",
            ],
            cwd=folder, capture_output=True, text=True, check=True,
        )  # fmt: skip
        seconds = time.perf_counter() - begin
        peak = int(done.stderr.split()[-1]) / (1 << 20)
        size = Path(folder, "result.parquet").stat().st_size >> 20
        print(f"{rows:,} rows on disk: {seconds:,.0f} s, peak {peak:.2f} GiB, result {size:,} MiB")


def main() -> None:
    """Measure, and print a line a figure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("CATTLEYA_DATA", ".")))
    parser.add_argument("--rows", type=int, default=4885)
    parser.add_argument("--disk-rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    X, y = adult(given.data)
    train = len(X) - given.rows
    model = DecisionTreeClassifier(random_state=0).fit(X[:train], y[:train])
    explainer, rows = cattleya.Explainer(model), X[train:]
    print(f"{explainer.tree!r}, {len(rows):,} rows")

    def explain(jobs: int) -> Callable[[], Any]:
        return lambda: explainer.explain_all(rows, WANT, n_jobs=jobs, progress=False)

    one = rate(explain(1), len(rows), time.process_time, given.repeats)
    print(f"cattleya, one core: {one:,.0f} rows a second (processor time)")
    try:
        import shap
    except ImportError:
        print("shap is not there: pip install shap")
    else:
        peer = shap.TreeExplainer(model)
        few = rows.to_numpy()[: min(500, len(rows))]
        theirs = rate(lambda: peer.shap_values(few), len(few), time.process_time, given.repeats)
        print(f"shap.TreeExplainer: {theirs:,.0f} rows a second; ratio {one / theirs:.1f}")
    alone = rate(explain(1), len(rows), time.perf_counter, given.repeats)
    for backend in ("loky", "threading"):
        with joblib.parallel_config(backend):
            explain(2)()  # start the workers
            two = rate(explain(2), len(rows), time.perf_counter, given.repeats)
        print(
            f"two cores, {backend}: {two:,.0f} rows a second of wall time; {two / alone:.2f} of one"
        )
    if given.disk_rows:
        disk(model, X, given.disk_rows)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
    print(f"peak of this process: {peak:.2f} GiB")


if __name__ == "__main__":
    main()

"""Questions about whole models: `python -m benchmarks.audit --data DIR`, about five minutes.

Full trees of `adult`: fairness, monotonicity, use and reachability of all features, and the
complete difference of two trees, beside AIX360's IMD on the same pair. IMD is installed without
what the rest of AIX360 needs, into a folder of its own under `build/`, unless it can be imported;
it learns a surrogate of both models from rows, in a process of its own. It tries every value of
every column as a split, so that its time grows with the square of the rows: it gets samples of
them, and all of them under a time limit. What it finds is counted on all rows in each case.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

import cattleya
from benchmarks.build import ROOT, build_of
from benchmarks.publishing import head, options_of
from benchmarks.report import at_least, at_most, table, times
from cattleya.experiments.data.families import noisy_data
from cattleya.experiments.data.registry import available, load
from cattleya.support.files.atomic import write_text

RUNS = 3
WITHIN, DIFFERENCE_WITHIN, FASTER = 1.0, 2.0, 10.0  # the bars
PROTECTED = "sex"
PEER = ROOT / "build" / "aix360"
PEER_LIMIT = 150.0  # seconds
ALL = None
PEER_RUNS: tuple[tuple[int | None, int], ...] = ((5000, 6), (5000, 12), (10000, 12), (ALL, 6))
WORKER = """
import json, sys, time
import numpy as np, pandas as pd
np.NINF, np.Inf = -np.inf, np.inf  # names of numpy 1 that it uses
sys.path.insert(0, sys.argv[1])
from aix360.algorithms.imd.imd import IMDExplainer
table = pd.read_parquet(sys.argv[2])
x, old, new = table.drop(columns=["old", "new"]), table["old"], table["new"]
rows = np.random.default_rng(0).permutation(len(x))[:int(sys.argv[4])]
begin = time.perf_counter()
found = IMDExplainer()
found.fit(x.iloc[rows], old.iloc[rows], new.iloc[rows], max_depth=int(sys.argv[3]), verbose=False)
seconds = time.perf_counter() - begin
told = found.metrics(x, old.to_numpy(), new.to_numpy(), name="rows")
shares = {name: float(told["rows-" + name]) for name in ("recall", "precision")}
print(json.dumps({"seconds": seconds, "regions": len(found.diffregions)} | shares))
"""


def main(given: Sequence[str] | None = None) -> None:
    """Measure, and write what there is after each part."""
    options = _options(given)
    x, y, names, origin = _data(options.data, options.rows)
    written: list[str] = ["# Whole models", head(build_of(), [])]

    def add(*parts: str) -> None:
        written.extend(parts)
        write_text(options.out, "\n\n".join(written) + "\n")

    models = [_full(x, y, seed) for seed in (0, 1)]
    sizes = [model.tree_.node_count for model in models]
    add(
        f"Full trees of {origin}, {len(x):,} rows x {len(names)} features, each on nine tenths of "
        f"the rows: {sizes[0]:,} and {sizes[1]:,} nodes. Whole numbers only. Median of {RUNS} "
        f"runs; explainers are made anew in each."
    )
    protected = PROTECTED if PROTECTED in names else names[0]
    bars = _one_model(models[0], x, names, protected, add)
    _two_models(models, x, names, options.peer_timeout, add, bars)
    add("## Bars", table(["what", "measured", "bar", "verdict"], bars, left=4))


def _one_model(
    model: Any, x: Any, names: list[str], protected: str, add: Callable[..., None]
) -> list[list[str]]:
    def explainer() -> cattleya.Explainer:
        return cattleya.Explainer(model, feature_names=names, over="intervals", integer=True)

    seconds, found = _timed(lambda: explainer().audit([protected]))
    table_rows = explainer().audit([protected], x).rows
    pairs, unlike = _pairs_in_table(model, x, names.index(protected))
    assert table_rows is not None
    question = (
        f"fair everywhere by `{protected}`, with all regions; of every feature whether any "
        f"decision depends on it, and how the class goes with it; what no row reaches; which "
        f"leaves can go"
    )
    lines = [[question, f"{seconds:.3f}", f"{len(found.regions):,} regions"]]
    add("## One model", table(["question", "seconds", "found"], lines, left=1))
    add(
        f"`{protected}` changes decisions in {len(found.regions):,} regions, "
        f"{float(found.share):.2%} of the cells of the other features, and about "
        f"{len(table_rows.rows):,} of the {len(x):,} rows of the table. {pairs:,} pairs of rows of "
        f"the table differ in `{protected}` only, and {unlike:,} of these pairs are decided "
        f"differently. {found.removable} of {found.leaves:,} leaves can go."
    )
    more = len(table_rows.rows) > 2 * unlike
    return [
        [
            "everything about all features together",
            f"{seconds:.2f} s",
            *at_most(seconds, WITHIN, "s"),
        ],
        [
            "fairness everywhere finds cases that no pair of rows shows",
            f"{len(table_rows.rows):,} rows, {unlike:,} pairs",
            "more rows than are in such pairs",
            "met" if more else "**missed**",
        ],
    ]


def _pairs_in_table(model: Any, x: Any, column: int) -> tuple[int, int]:
    """Return how many pairs of rows differ in a column only, and how many are decided unlike."""
    others = pd.DataFrame(np.delete(x, column, axis=1))
    groups = others.groupby(list(others.columns), sort=False).ngroup().to_numpy()
    decided = model.predict(x)
    table_ = pd.DataFrame({"group": groups, "value": x[:, column], "class": decided})
    kinds = table_.drop_duplicates()
    pairs = kinds.merge(kinds, on="group")
    pairs = pairs[pairs["value_x"] < pairs["value_y"]]
    return len(pairs), int((pairs["class_x"] != pairs["class_y"]).sum())


def _two_models(
    models: list[Any],
    x: Any,
    names: list[str],
    limit: float,
    add: Callable[..., None],
    bars: list[list[str]],
) -> None:
    frame = pd.DataFrame(x, columns=names)
    explained = [
        lambda model=model: cattleya.Explainer(
            model, feature_names=names, over="intervals", integer=True
        )
        for model in models
    ]

    def compared() -> Any:
        made = cattleya.compare(explained[0](), explained[1]())
        _ = made.share, made.regions[0]  # counted, and in order
        return made

    seconds, found = _timed(compared)
    rows = cattleya.compare(explained[0](), explained[1](), x)
    all_ = "all (proved)" if found.complete else "not in time"
    lines = [
        ["cattleya.compare", f"{seconds:.2f}", f"{len(found.regions):,}", all_, "all (proved)"]
    ]
    peers, best = [], 0.0
    frame = frame.assign(old=models[0].predict(x), new=models[1].predict(x))
    for sample, depth in PEER_RUNS:
        learned = min(sample or len(x), len(x))
        tool = f"IMD, depth {depth}, of {learned:,} rows"
        told = _imd(frame, depth, learned, limit)
        if isinstance(told, str):
            lines.append([tool, told, "-", "-", "-"])
            continue
        peers.append(told["seconds"])
        best = max(best, told["recall"])
        cells = [f"{told['seconds']:.2f}", f"{told['regions']:,}"]
        cells += [f"{told['recall']:.1%}", f"{told['precision']:.1%}"]
        lines.append([tool, *cells])
    heads = ["tool", "seconds", "regions", "differing rows of the table found", "right of those"]
    add(
        "## Two models",
        f"The models decide differently about {rows.changed_rows:,} of the {len(x):,} rows, and in "
        f"{len(found.regions):,} regions, merged, {float(found.share):.1%} of the cells.",
        table(heads, lines, left=1),
    )
    ratio = min(peers) / seconds if peers else None
    bars += [
        ["the complete difference of two full trees, merged", f"{seconds:.2f} s",
         *at_most(seconds, DIFFERENCE_WITHIN, "s")],
        ["against IMD, its fastest run", times(ratio), *at_least(ratio, FASTER)],
        ["complete, where IMD at its best finds a part of the differing rows",
         "all (proved)" if found.complete else "not in time", f"IMD: {best:.1%}",
         "met" if found.complete and 0 < best < 1 else "**missed**"],
    ]  # fmt: skip  # one line per bar


def _imd(frame: pd.DataFrame, depth: int, learned: int, limit: float) -> dict[str, Any] | str:
    """Ask IMD in a process of its own; what went wrong is its answer then."""
    if not (PEER / "aix360").is_dir():
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
        done = subprocess.run(
            [*install, str(PEER), "aix360", "networkx"], capture_output=True, text=True, check=False
        )
        if done.returncode:
            return f"not installed: {done.stderr.strip().splitlines()[-1]}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        frame.to_parquet(path)
        command = [sys.executable, "-W", "ignore", "-c", WORKER, str(PEER), str(path)]
        command += [str(depth), str(learned)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=limit
            )
        except subprocess.TimeoutExpired:
            return f"more than {limit:g} s"
    if done.returncode:
        return f"failed: {done.stderr.strip().splitlines()[-1]}"
    answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer


def _timed(ask: Callable[[], Any]) -> tuple[float, Any]:
    """Return the median time of some runs, and the last answer."""
    seconds = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        answer = ask()
        seconds.append(time.perf_counter() - begin)
    return sorted(seconds)[RUNS // 2], answer


def _full(x: Any, y: Any, seed: int) -> DecisionTreeClassifier:
    chosen = np.random.default_rng(seed).permutation(len(x))[: int(len(x) * 0.9)]
    return DecisionTreeClassifier(random_state=seed).fit(x[chosen], y[chosen])


def _data(folder: Path | None, rows: int | None) -> tuple[Any, Any, list[str], str]:
    if folder is not None and "adult" in available(folder):
        data = load("adult", folder)
        x, y = np.asarray(data.x, dtype=float), np.asarray(data.y)
        names, origin = list(data.features), data.origin
    else:
        x, y = noisy_data(rows or 20000, seed=0)
        x, names = np.round(x * 20), [f"f{i}" for i in range(x.shape[1])]
        origin = "**a synthetic stand-in**: no adult"
    return x[:rows], y[:rows], names, origin


def _options(given: Sequence[str] | None) -> argparse.Namespace:
    parser = options_of("audit", __doc__ or "")
    parser.add_argument("--rows", type=int, help="only so many rows; by default all")
    parser.add_argument("--peer-timeout", type=float, default=PEER_LIMIT, help="seconds a run")
    return parser.parse_args(given)


if __name__ == "__main__":
    main()

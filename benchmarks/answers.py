"""How good the answers are: how long the reason shown is, how far it reaches, how long one waits.

Of each data set a full tree and one of the size that ``cattleya.train`` chooses, both trained on
three quarters of the rows. Of rows that were held out, the reason that every surface shows
(``e.reason()``, the widest in the held-out rows): how many features it mentions, and how many of
these rows it covers, beside a shortest reason over intervals, before widening. And the time of
``cattleya explain`` in a process of its own, beside that of importing scikit-learn and skops and of
loading the model alone; then the same again, of a model that was opened before and is kept. It
takes about four minutes; Ctrl-C leaves out the data sets that are not done, and the table is still
written.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import cattleya
from benchmarks.cases import SEED
from benchmarks.report import Report, at_most, table, times
from benchmarks.settings import Settings
from cattleya.adapters.model_files import write_model
from cattleya.experiments.data.families import noisy_data
from cattleya.experiments.data.registry import BUNDLED, SUFFIXES
from cattleya.explain.explainer import context_of
from cattleya.model.conditions.condition import Condition
from cattleya.support.arrays import Bools, Floats
from cattleya.support.files.cache import FOLDER
from cattleya.support.files.tables import read_table

HELD_OUT = 0.25
TARGET = "the target"
PEER = (
    "import sklearn, skops.io; types = skops.io.get_untrusted_types(file={model!r}); "
    "skops.io.load({model!r}, trusted=types)"
)
LONGEST_WAIT = 1.5
LONGEST_AGAIN = 0.4


@dataclass(frozen=True)
class Case:
    """A data set: where it is from, and the rows to learn from and those held out."""

    name: str
    origin: str
    learned: pd.DataFrame
    held_out: pd.DataFrame
    target: str


def measure(settings: Settings, folder: Path | None) -> Report:
    """Look at the reasons of every data set, then time the command."""
    cases = [_case(name, folder, settings) for name in settings.answered]
    cases += [_case(name, None, settings) for name in settings.answered_bundled]
    rows: list[list[str]] = []
    sentences = []
    first = cases[0]
    model = _trained(first, "chosen")
    ratio, again, lines = _starts(first, model, settings)
    with suppress(KeyboardInterrupt):
        for case in cases:
            for size in ("full", "chosen"):
                rows.append([case.name, size, *_figures(case, _trained(case, size), settings)])
    sentences.append(
        f"`cattleya explain` on the chosen tree of `adult` takes {times(ratio)} the time of "
        f"importing scikit-learn and skops and loading the model (at most {LONGEST_WAIT} times: "
        f"{at_most(ratio, LONGEST_WAIT)[1]}); of a model that was opened before, {times(again)} "
        f"the time of the first (at most {LONGEST_AGAIN} times: "
        f"{at_most(again, LONGEST_AGAIN)[1]})."
    )
    header = ["data", "tree", "nodes", "accuracy", "features, median", "most"]
    header += ["covered before widening", "after", "not in time"]
    origins = "; ".join(f"{case.name}: {case.origin}, {len(case.learned):,} rows" for case in cases)
    parts = [
        f"Trees are trained on three quarters of the rows ({origins}). {settings.answer_rows} of "
        f"the others are explained: the features that the reason shown mentions, and the share "
        f"of all held-out rows that it covers, median over the rows; before widening, that of a "
        f"shortest reason over intervals. Of the reasons with the fewest features, the one shown "
        f"covers most of these rows. Accuracy is on the held-out rows. A row that takes more "
        f"than {settings.answer_limit:g} s is counted as not in time, and left out.",
        table(header, rows, left=2),
        f"Seconds from start to end of a process, median of {settings.start_runs}, on the model "
        f"and the table of `{first.name}` ({first.origin}). The ratio is to loading the model, and "
        f"for a model that was opened before, to the first time, when the cache is empty.",
        table(["process", "seconds", "ratio", "bar", "verdict"], lines),
    ]
    return Report("How good the answers are", parts, sentences=sentences)


def _trained(case: Case, size: str) -> Any:
    return cattleya.train(case.learned, case.target, size=size, seed=SEED, progress=False)


def _case(name: str, folder: Path | None, settings: Settings) -> Case:
    frame, origin, target = _frame(name, folder, settings)
    order = np.random.default_rng(SEED).permutation(len(frame))
    cut = int(len(frame) * (1 - HELD_OUT))
    parts = (frame.iloc[order[:cut]], frame.iloc[order[cut:]])
    learned, held_out = (part.reset_index(drop=True) for part in parts)
    return Case(name, origin, learned, held_out, target)


def _frame(name: str, folder: Path | None, settings: Settings) -> tuple[pd.DataFrame, str, str]:
    if name in BUNDLED:
        from sklearn import datasets

        frame = getattr(datasets, f"load_{name}")(as_frame=True).frame
        return frame, "scikit-learn", "target"
    paths = [] if folder is None else [folder / f"{name}{suffix}" for suffix in SUFFIXES]
    path = next((path for path in paths if path.is_file()), None)
    if path is not None:
        frame = read_table(path)
        return frame, path.name, str(frame.columns[-1])
    x, y = noisy_data(settings.made_up_rows, seed=len(name))
    frame = pd.DataFrame(x, columns=[f"f{i}" for i in range(x.shape[1])]).assign(**{TARGET: y})
    return frame, f"**a synthetic stand-in**: no {name}", TARGET


def _figures(case: Case, model: Any, settings: Settings) -> list[str]:
    X = case.held_out.drop(columns=case.target)
    explainer = cattleya.Explainer(model, over="intervals", data=X)
    right = float(np.mean(model.predict(X) == case.held_out[case.target]))
    matrix = context_of(explainer).model.rows.matrix(X)
    lengths, before, after, late = [], [], [], 0
    for place in range(min(settings.answer_rows, len(X))):
        e = explainer.explain(X.iloc[[place]])
        try:
            reason = e.reason(timeout=settings.answer_limit)
            plain = e.minimal_reason(timeout=settings.answer_limit)
        except cattleya.TimeoutExpired:
            late += 1
            continue
        lengths.append(len(reason))
        before.append(float(covers(plain, matrix).mean()))
        after.append(float(covers(reason, matrix).mean()))
    if not lengths:
        return [f"{explainer.tree.n_nodes:,}", f"{right:.1%}", *["-"] * 4, str(late)]
    return [
        f"{explainer.tree.n_nodes:,}",
        f"{right:.1%}",
        f"{statistics.median(lengths):g}",
        str(max(lengths)),
        f"{statistics.median(before):.2%}",
        f"{statistics.median(after):.2%}",
        str(late),
    ]


def covers(reason: Iterable[Condition], matrix: Floats) -> Bools:
    """Tell of each row, in the tree's columns, whether it has what a reason says."""
    covered = np.ones(len(matrix), dtype=np.bool_)
    for condition in reason:
        covered &= condition.holds_in(matrix)
    return covered


def _starts(case: Case, model: Any, settings: Settings) -> tuple[float, float, list[list[str]]]:
    """Time the command beside its peer, and again, taking turns."""
    with tempfile.TemporaryDirectory() as folder:
        path, data = str(Path(folder) / "model.skops"), str(Path(folder) / "data.csv")
        write_model(path, model)
        case.held_out.to_csv(data, index=False)
        explain = [sys.executable, "-m", "cattleya", "explain", path, data, "--row", "0"]
        commands = {
            "peer": [sys.executable, "-c", PEER.format(model=path)],
            "first": explain,
            "again": explain,
        }
        found: dict[str, list[float]] = {name: [] for name in commands}
        for run in range(settings.start_runs):
            environment = os.environ | {FOLDER: str(Path(folder) / f"kept{run}")}
            for name, command in commands.items():
                begin = time.perf_counter()
                subprocess.run(command, check=True, capture_output=True, env=environment)
                found[name].append(time.perf_counter() - begin)
    peer, first, second = (statistics.median(found[name]) for name in commands)
    ratio, again = first / peer, second / first
    return (
        ratio,
        again,
        [
            [
                "`import sklearn, skops.io`, loading the model",
                f"{peer:.2f}",
                "1.00 times",
                "-",
                "-",
            ],
            ["`cattleya explain`", f"{first:.2f}", times(ratio), *at_most(ratio, LONGEST_WAIT)],
            [
                "`cattleya explain`, the model opened before",
                f"{second:.2f}",
                times(again),
                *at_most(again, LONGEST_AGAIN),
            ],
        ],
    )

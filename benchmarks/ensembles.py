"""Reasons of forests and boosted trees beside PyXAI's: ``python -m benchmarks.ensembles``.

Everything is asked of the same models and rows, in one run, one call per row through the public
API: the time has the explanation made and the answer in words. Explainers are made beforehand, here
and there. PyXAI takes no missing values into account, so neither do we. It may have a Python of its
own (``--peer-python``), and gets a limit for each question of each model; what it did not finish is
said. It explains forests by the majority of their trees; we explain what the model decides.

    python -m benchmarks.ensembles --data DIR --rows 10 --models adult,spambase --out FILE
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import joblib
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

import cattleya
from benchmarks.build import ROOT, build_of
from benchmarks.cases import load_case, rows_of
from benchmarks.publishing import RESULTS, head
from benchmarks.report import table
from cattleya.support.files.atomic import write_text

WORKER = ROOT / "benchmarks" / "ensemble_peers.py"
FOREST, BOOSTED = "forest", "boosted"


@dataclass(frozen=True)
class Model:
    """One line of the table."""

    data: str
    library: str
    trees: int
    depth: int | None

    @property
    def name(self) -> str:
        """What it is called in the table, and by ``--models``."""
        return f"{self.data}, {self.library} {self.trees} x {self.depth or 'full'}"

    def fit(self, x: Any, y: Any) -> Any:
        """Train it."""
        trees, depth = self.trees, self.depth
        if self.library == FOREST:
            return RandomForestClassifier(trees, max_depth=depth, random_state=0).fit(x, y)
        if self.library == "HistGradientBoosting":
            return HistGradientBoostingClassifier(
                max_iter=trees, max_depth=depth, early_stopping=False, random_state=0
            ).fit(x, y)
        if self.library == "XGBoost":
            from xgboost import XGBClassifier

            return XGBClassifier(n_estimators=trees, max_depth=depth, random_state=0).fit(x, y)
        from lightgbm import LGBMClassifier

        return LGBMClassifier(
            n_estimators=trees, max_depth=depth or -1, random_state=0, verbose=-1
        ).fit(x, y)

    @property
    def peer_questions(self) -> list[str]:
        """What PyXAI can be asked of it."""
        if self.library == FOREST:
            return ["majoritary", "sufficient", "contrast"]
        return ["tree-specific"] if self.library == "XGBoost" else []


DATA = ("adult", "compas", "spambase")
MODELS = [
    Model(data, FOREST, trees, depth)
    for data in DATA
    for trees in (25, 100, 500)
    for depth in (6, 8, None)
] + [
    Model(data, library, trees, depth)
    for data in DATA
    for library in ("XGBoost", "LightGBM", "HistGradientBoosting")
    for trees in (100, 500)
    for depth in (3, 6)
]


@dataclass
class Measured:
    """Seconds and sizes of one question, and the rows on which it did not end in time."""

    seconds: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        if not self.seconds:
            return "-"
        said = f"{_time(median(self.seconds))}"
        if self.sizes:
            said += f" ({np.mean(self.sizes):.1f})"
        return said + (f", {len(self.left)} open" if self.left else "")

    @property
    def slowest(self) -> str:
        """The slowest row."""
        return _time(max(self.seconds)) if self.seconds else "-"


def _time(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def main(given: Sequence[str] | None = None) -> None:
    """Measure and write."""
    options = _options(given)
    lines, left, ratios = [], [], []
    cases: dict[str, Any] = {}
    for model in options.models:
        print(f"{model.name} ...", file=sys.stderr, flush=True)
        if model.data not in cases:
            cases[model.data] = load_case(model.data, options.data, options.rows, 5000)
        case = cases[model.data]
        x = np.asarray(case.data.x, dtype=np.float64)[case.train]
        fitted = model.fit(x, np.asarray(case.data.y)[case.train])
        rows = rows_of(case)[: options.rows]
        ours, leaves = _ours(fitted, rows, options.timeout)
        theirs = _theirs(model, fitted, rows, options)
        quick = theirs["majoritary"] if model.library == FOREST else theirs["tree-specific"]
        lines.append(
            [
                model.name,
                f"{leaves:,}",
                *(ours[what] for what in ("direct", "quick", "exact")),
                ours["exact"].slowest,
                *(ours[what] for what in ("minimal", "nearest")),
                quick,
                *(theirs[what] for what in ("sufficient", "contrast")),
            ]
        )
        ratios.append(
            [
                model.name,
                _ratio(quick, ours["quick"]),
                _ratio(theirs["sufficient"], ours["exact"]),
                _ratio(theirs["contrast"], ours["nearest"]),
            ]
        )
        left += [f"{model.name}, {one}" for what in ours.values() for one in what.left]
        _write(options, lines, ratios, left, cases)  # an interrupted run leaves what it has
    print(f"written to {options.out}", file=sys.stderr)


def _ratio(theirs: Measured, ours: Measured) -> str:
    if not theirs.seconds or not ours.seconds:
        return "-"
    return f"{median(theirs.seconds) / median(ours.seconds):,.1f}"


def _ours(fitted: Any, rows: list[Any], timeout: float) -> tuple[dict[str, Measured], int]:
    ensemble = cattleya.read_ensemble(fitted)
    gaps = False if ensemble.missing_left is not None else None
    explainer: Any = cattleya.Explainer(ensemble, over="intervals", missing_values=gaps)
    ask: dict[str, Callable[[Any], Any]] = {
        "direct": lambda e: e.direct_reason(),
        "quick": lambda e: e.quick_reason(),
        "exact": lambda e: e.sufficient_reason(timeout=timeout),
        "minimal": lambda e: e.minimal_reason(timeout=timeout),
        "nearest": lambda e: e.counterfactuals(timeout=timeout),
    }
    explainer.explain(rows[0]).quick_reason()
    measured = {what: Measured() for what in ask}
    for what, call in ask.items():
        for number, row in enumerate(rows):
            begin = time.perf_counter()
            try:
                found = call(explainer.explain(row))
            except cattleya.TimeoutExpired as stopped:
                measured[what].left.append(f"row {number}, {what}: {stopped}")
                found = None
            measured[what].seconds.append(time.perf_counter() - begin)
            if found is None or what == "nearest":
                continue
            measured[what].sizes.append(len(found))
            if what == "exact" and found.undecided:
                facts = ", ".join(map(str, found.undecided))
                measured[what].left.append(f"row {number}, {what}: open are {facts}")
    return measured, ensemble.n_leaves


def _theirs(
    model: Model, fitted: Any, rows: list[Any], options: argparse.Namespace
) -> defaultdict[str, Measured]:
    """Ask PyXAI; each question by itself, so that the limit of one takes nothing from the next."""
    measured: defaultdict[str, Measured] = defaultdict(Measured)
    if options.peer_python is None:
        return measured
    for question in model.peer_questions:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "asked"
            joblib.dump({"model": fitted, "rows": rows, "questions": [question]}, file)
            with (Path(folder) / "told").open("w+") as told:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    subprocess.run(
                        [options.peer_python, WORKER, file],
                        stdout=told,
                        stderr=subprocess.DEVNULL,
                        timeout=options.peer_timeout,
                        check=False,
                        cwd=folder,
                    )
                told.seek(0)
                for line in told:
                    if line.startswith("answer "):
                        one = json.loads(line.removeprefix("answer "))
                        measured[question].seconds.append(one["seconds"])
                        measured[question].sizes += [one["size"]] if one["size"] else []
        missing = len(rows) - len(measured[question].seconds)
        measured[question].left += [f"PyXAI {question}"] * missing
    return measured


def _write(
    options: argparse.Namespace,
    lines: list[list[Any]],
    ratios: list[list[str]],
    left: list[str],
    cases: dict[str, Any],
) -> None:
    heads = [
        "model",
        "leaves",
        "direct",
        "quick",
        "exact",
        "exact, slowest",
        "minimal",
        "nearest",
        "PyXAI: majoritary or tree-specific",
        "PyXAI: sufficient",
        "PyXAI: contrast",
    ]
    data = "; ".join(f"{name}: {case.data.origin}" for name, case in cases.items())
    parts = [
        "# Forests and boosted trees",
        head(build_of(), []),
        f"Medians of {options.rows} held-out rows, with the mean number of facts; limits: "
        f"{options.timeout:g} s a row for us, {options.peer_timeout:g} s a question and model for "
        f"PyXAI, which explains the majority of the trees of a forest. {data}.",
        table(heads, [[str(cell) for cell in line] for line in lines]),
        "## How many times faster, in the median",
        table(
            ["model", "quick reason", "exact reason : sufficient", "nearest row : contrast"], ratios
        ),
        "## What was left open",
        "\n".join(f"- {one}" for one in left) or "Nothing.",
    ]
    write_text(options.out, "\n\n".join(parts) + "\n")


def _options(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ensembles",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    named = os.environ.get("CATTLEYA_DATA")
    parser.add_argument("--data", type=Path, default=Path(named) if named else None)
    parser.add_argument("--rows", type=int, default=10)
    parser.add_argument("--timeout", type=float, default=60, help="seconds a row, for us")
    parser.add_argument("--models", type=_models, default=MODELS, help="parts of names, by ';'")
    parser.add_argument("--peer-python", help="a Python that has PyXAI; none: PyXAI is left out")
    parser.add_argument("--peer-timeout", type=float, default=600, help="seconds a question")
    parser.add_argument("--out", type=Path, default=RESULTS / "ensembles.md")
    return parser.parse_args(given)


def _models(text: str) -> list[Model]:
    parts = [part.strip() for part in text.split(";")]
    found = [model for model in MODELS if any(part in model.name for part in parts)]
    if not found:
        raise argparse.ArgumentTypeError(f"no model is called {text!r}; one is {MODELS[0].name!r}")
    return found


if __name__ == "__main__":
    main()

"""Reasons of forests and boosted trees beside the peers': ``python -m benchmarks.ensembles``.

Everything is asked of the same models and rows, in one run, one call per row through the public
API, in processes of their own (``benchmarks/ensemble_workers.py``). The time that is left of
``--minutes`` is shared out among the models that are left, with all that starting, reading and
training take; what small models do not use is for the large ones, which are last. Each question
gets its part, and is asked of as many of the rows as it can answer in it, of one at the least; the
table says of how many. A row that a peer was asked has time until its bar is decided, even where
its part ends before; where it is stopped then, the row counts with the time that it had, as a lower
bound. Which peers there are, ``benchmarks/ensemble_peers.py`` says.

What was measured is kept in ``build/benchmarks/ensembles.json``, model by model, and the table is
written anew after each: a run that was stopped goes on where it was, and pieces (``--only``) add
up, as long as ``src`` and the peers stay the same. Trained models are kept beside it; ``--train``
does no more.

    python -m benchmarks.ensembles --data DIR --train
    python -m benchmarks.ensembles --data DIR --minutes 25
    python -m benchmarks.ensembles --data DIR --only "adult, forest 25;XGBoost 100" --minutes 4

The peers that have a Python of their own, or a folder:

    make .venv/ocean/.peers
    ... --ocean-python .venv/ocean/bin/python
    ... --xreason DIR --xreason-python PYTHON --rfxpl DIR --rfxpl-python PYTHON
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

import cattleya
from benchmarks.build import ROOT, build_of, source_of
from benchmarks.cases import load_case, rows_of
from benchmarks.ensemble_bars import HARDEST_BAR, Answers, Results, report
from benchmarks.ensemble_peers import (
    BESIDE,
    FOREST,
    QUESTIONS,
    WORKER,
    Peer,
    add_options,
    peers_of,
    trees_of,
)
from benchmarks.publishing import head, options_of
from cattleya.support.files.atomic import write_text

KEPT = ROOT / "build" / "benchmarks" / "ensembles.json"
OURS = ("direct", "quick", "exact", "minimal", "nearest")
US = Peer()
STARTING = 60.0  # seconds that a peer may take to import and to read the model
GRACE = 5.0  # seconds for a worker to end
FOR_US = 0.4  # of a model's time, where there are peers
FOR_EXACT = 0.6  # of ours
LARGEST_FOR_PEERS = 100  # trees
LARGEST_FOR_SOLVERS = 20_000  # leaves: OCEAN and RFxpl take a variable for each
LONGEST_FOR_EXACT = 25.0  # seconds for all rows of a model: its bar is about nearly all of them
MOST_FOR_PEERS = 40.0  # seconds that a bar may take to be decided
LEAST_FOR_PEERS = 2.0  # seconds: a first answer takes longer than the others
FOR_OCEAN = 10.0  # seconds at the least: what is compared are its answers
MADE_UP = 5000


@dataclass(frozen=True)
class Model:
    """One line of the table."""

    data: str
    library: str
    trees: int
    depth: int | None

    @property
    def name(self) -> str:
        """What it is called in the table, and by ``--only``."""
        return f"{self.data}, {self.library} {self.trees} x {self.depth or 'full'}"

    def fit(self, x: Any, y: Any) -> Any:
        """Train it."""
        trees, depth = self.trees, self.depth
        if self.library == FOREST:
            return RandomForestClassifier(
                trees, max_depth=depth, random_state=0, n_jobs=os.cpu_count()
            ).fit(x, y)
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
    def peer_questions(self) -> list[tuple[str, str]]:
        """What the peers can be asked of it."""
        if self.trees > LARGEST_FOR_PEERS:
            return []
        return [
            (peer, question)
            for peer, known in QUESTIONS.items()
            for question in known.get(self.library, ())
        ]

    @property
    def weight(self) -> int:
        """How much of the time it is to have, beside the others."""
        return 2 + len(self.peer_questions)


@dataclass(frozen=True)
class Given:
    """A trained model and what is asked of it."""

    model: Model
    fitted: Any
    x: Any
    y: Any
    rows: list[Any]
    timeout: float


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


def main(given: Sequence[str] | None = None) -> None:
    """Measure and write."""
    options = _options(given)
    build = build_of()
    peers, absent = peers_of(options)
    state = None if build is None or build.changed else [source_of(), *peers]
    results = _kept(options, state)
    cases: dict[str, Any] = {}
    results.versions |= {name: peer.versions for name, peer in peers.items() if peer.versions}
    left = [model for model in options.models if model.name not in results.models]
    left.sort(key=lambda model: (model.depth is None, model.trees, model.depth or 0))
    for number, model in enumerate(left):
        begin = time.perf_counter()
        print(f"{model.name} ...", file=sys.stderr, flush=True)
        if model.data not in cases:
            cases[model.data] = load_case(model.data, options.data, options.rows, MADE_UP)
        case = cases[model.data]
        results.origins[model.data] = str(case.data.origin)
        x = np.asarray(case.data.x, dtype=np.float64)[case.train]
        y = np.asarray(case.data.y)[case.train]
        fitted = _fitted(model, x, y)
        if options.train:
            continue
        rest = max(options.minutes - results.minutes, 0.0) * 60
        share = rest * model.weight / sum(one.weight for one in left[number:])
        ends = begin + share
        trained = Given(model, fitted, x, y, rows_of(case)[: options.rows], options.timeout)
        results.models[model.name] = _measured(trained, ends, peers)
        results.minutes += (time.perf_counter() - begin) / 60
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        write_text(KEPT, json.dumps({"source": state, "rows": options.rows, **vars(results)}))
        write_text(
            options.out, report(head(build, []), _in_order(results), options.timeout, absent)
        )
    if options.train:
        return
    if not results.models:
        raise SystemExit("nothing was measured")
    write_text(options.out, report(head(build, []), _in_order(results), options.timeout, absent))
    print(f"written to {options.out}: {results.minutes:.1f} minutes", file=sys.stderr)


def _in_order(results: Results) -> Results:
    """Return the same, in the order of the models, not of the measurement."""
    known = results.models
    in_order = {model.name: known[model.name] for model in MODELS if model.name in known}
    return replace(results, models=in_order)


def _fitted(model: Model, x: Any, y: Any) -> Any:
    """Return a trained model: as it was kept, for the same data and versions, or a new one."""
    key = [x.shape, float(x.sum()), int(np.asarray(y).sum()), *_versions()]
    file = KEPT.parent / f"{model.name.replace(', ', '-').replace(' ', '-')}.joblib"
    if file.is_file():
        kept, fitted = joblib.load(file)
        if kept == key:
            return fitted
    fitted = model.fit(x, y)
    file.parent.mkdir(parents=True, exist_ok=True)
    joblib.dump((key, fitted), file)
    return fitted


def _versions() -> list[str]:
    names = ("scikit-learn", "xgboost", "xgboost-cpu", "lightgbm")
    return [f"{one.name} {one.version}" for one in distributions() if one.name in names]


def _kept(options: argparse.Namespace, state: list[Any] | None) -> Results:
    """Return what a run of the same source and peers has measured, if that is known."""
    if options.again or state is None or not KEPT.is_file():
        return Results()
    kept = json.loads(KEPT.read_text())
    if kept.pop("source") != state or kept.pop("rows") != options.rows:
        return Results()
    return Results(**kept)


def _measured(given: Given, ends: float, tools: dict[str, Peer]) -> dict[str, Any]:
    """Return the figures of one model, by about the time when its share of all time ends."""
    model = given.model
    ensemble = cattleya.read_ensemble(given.fitted)
    peers = [(tool, question) for tool, question in model.peer_questions if tool in tools]
    if ensemble.n_leaves > LARGEST_FOR_SOLVERS:
        peers = [(tool, one) for tool, one in peers if tool not in ("OCEAN", "RFxpl")]
    ours = max(ends - time.perf_counter(), 0.0) * (FOR_US if peers else 1.0)
    caps = dict.fromkeys(OURS, (1 - FOR_EXACT) * ours / (len(OURS) - 1))
    caps["exact"] = min(FOR_EXACT * ours, LONGEST_FOR_EXACT)
    classes = [int(label) for label in given.fitted.predict(np.array(given.rows))]
    about = {"rows": given.rows, "classes": classes, "timeout": given.timeout}
    asked = about | {"tool": "cattleya", "ensemble": ensemble, "questions": OURS, "caps": caps}
    answers = _answers(asked, US, None)
    if trouble := next((one["trouble"] for one in answers.values() if one["trouble"]), ""):
        raise SystemExit(f"{model.name}: {trouble}")
    for tool in dict.fromkeys(name for name, _ in peers):
        questions = [question for name, question in peers if name == tool]
        rest = max(ends - time.perf_counter(), 0.0) / len(peers)
        least = {one: _deciding(model, f"{tool} {one}", answers) for one in questions}
        caps = {one: max(rest, seconds) for one, seconds in least.items()}
        asked = about | {"tool": tool, "questions": questions, "caps": caps, "least": least}
        asked |= _about(given, tool, tools[tool])
        told = _answers(asked, tools[tool], STARTING + sum(caps.values()) + sum(least.values()))
        answers |= {f"{tool} {question}": told[question] for question in questions}
        peers = [(name, question) for name, question in peers if name != tool]
    own, theirs = answers["nearest"], answers.get("OCEAN nearest")
    if theirs is not None:
        theirs["distances"] = [
            [_distance(given, row, one["others"].get(row)) for one in (own, theirs)]
            for row in own["others"]
            if row in theirs["others"]
        ]
    for one in answers.values():
        del one["others"]
    arrays = ("left", "right", "feature", "threshold", "value")
    return {
        "library": model.library,
        "data": model.data,
        "trees": model.trees,
        "depth": model.depth,
        "leaves": ensemble.n_leaves,
        "bytes": sum(getattr(ensemble, name).nbytes for name in arrays),
        "rows": len(given.rows),
        "answers": answers,
    }


def _about(given: Given, tool: str, peer: Peer) -> dict[str, Any]:
    """Return what a peer has to know of the model."""
    if tool == "XReason":
        return {"folder": str(peer.folder), "trees": trees_of(given.fitted)}
    known = {"folder": str(peer.folder), "model": given.fitted}
    return known | ({"train": (given.x, given.y)} if tool == "DiCE" else {})


def _distance(given: Given, row: int, other: Any) -> int | None:
    """Return how many features of a row differ, in single precision; None in the same class."""
    pair = np.array([given.rows[row], other])
    before, after = given.fitted.predict(pair)
    return None if before == after else int(np.diff(pair.astype(np.float32), axis=0).any(0).sum())


def _deciding(model: Model, asked: str, answers: dict[str, Answers]) -> float:
    """Return the seconds after which a bar is decided, whether the peer answers or not."""
    own, bar = BESIDE[asked]
    if asked == "PyXAI sufficient" and model.name == HARDEST_BAR[0]:
        bar = HARDEST_BAR[1]
    seconds = answers.get(own, {}).get("seconds")
    least = min(1.1 * bar * float(np.median(seconds)), MOST_FOR_PEERS) if seconds else 0.0
    return max(least, FOR_OCEAN if asked == "OCEAN nearest" else LEAST_FOR_PEERS)


def _answers(given: dict[str, Any], peer: Peer, limit: float | None) -> dict[str, Answers]:
    """Let a tool answer in a process of its own; return what it answered, by question.

    ``stopped`` is how long the last row had that was not answered when its time was up, ``trouble``
    what else went wrong.
    """
    found = {question: _nothing() for question in given["questions"]}
    with tempfile.TemporaryDirectory() as folder:
        file, told = Path(folder) / "given", Path(folder) / "told"
        joblib.dump(given, file)
        trouble = ""
        with told.open("w") as out, (Path(folder) / "said").open("w+") as said:
            command = [peer.python, str(WORKER), str(file)]
            with subprocess.Popen(command, stdout=out, stderr=said, cwd=folder) as process:
                try:
                    code = process.wait(limit)
                except subprocess.TimeoutExpired:
                    code, trouble = 0, f"not ready after {STARTING:g} s"
                    _end(process)
            said.seek(0)
            wrong = (said.read().strip().splitlines() or [f"exit code {code}"])[-1][:100]
        lines = told.read_text().splitlines()
    has: dict[str, float] = {}
    known = set()
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "begun":
            one = json.loads(rest)
            has[one["question"]] = one["has"]
        elif word == "answer":
            _add(found, json.loads(rest))
        elif rest in found:
            known.add(rest)
            if word == "failed":
                found[rest]["trouble"] = wrong
            elif word == "stopped":
                found[rest]["stopped"] = has[rest]
    for question in found.keys() - known if code or trouble else ():
        if code == -signal.SIGALRM:  # it had a single question, and no child
            found[question]["stopped"] = has[question]
        else:
            found[question]["trouble"] = trouble or wrong
    return found


def _add(found: dict[str, Answers], one: dict[str, Any]) -> None:
    """Add what was told of one answer."""
    answers = found[one["question"]]
    answers["seconds"].append(one["seconds"])
    answers["memory"] = max(answers["memory"], one["memory"])
    answers["sizes"] += [one["size"]] if "size" in one else []
    if "other" in one:
        answers["others"][one["row"]] = one["other"]
    if "open" in one:
        answers["open"].append(f"row {one['row']}: {one['open']}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a worker, and let it end what it started."""
    process.terminate()
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:  # it reads a model, and has started nothing
        process.kill()


def _nothing() -> Answers:
    said: Answers = {"seconds": [], "sizes": [], "open": [], "others": {}, "memory": 0}
    return said | {"trouble": "", "stopped": None}


def _options(given: Sequence[str] | None) -> argparse.Namespace:
    parser = options_of("ensembles", __doc__ or "")
    parser.add_argument("--minutes", type=float, default=25, help="how long it is to take, about")
    parser.add_argument("--rows", type=int, default=20, help="rows of a model, at most")
    parser.add_argument("--timeout", type=float, default=60, help="seconds a question, for us")
    parser.add_argument(
        "--only", dest="models", type=_models, default=MODELS, help="parts of names, by ';'"
    )
    add_options(parser)
    parser.add_argument("--train", action="store_true", help="only train the models, and keep them")
    parser.add_argument("--again", action="store_true", help="forget what was measured before")
    return parser.parse_args(given)


def _models(text: str) -> list[Model]:
    parts = [part.strip() for part in text.split(";")]
    found = [model for model in MODELS if any(part in model.name for part in parts)]
    if not found:
        raise argparse.ArgumentTypeError(f"no model is called {text!r}; one is {MODELS[0].name!r}")
    return found


if __name__ == "__main__":
    main()

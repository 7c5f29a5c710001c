"""The benchmark of ensembles: its bars, and what counts where a peer was stopped."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import cattleya
from benchmarks import ensembles
from benchmarks.ensemble_bars import Results, report
from benchmarks.ensemble_peers import BESIDE, FOREST, QUESTIONS, Peer, peers_of, trees_of
from benchmarks.ensembles import (
    MODELS,
    OURS,
    Given,
    _answers,
    _deciding,
    _distance,
    _options,
)

QUICK = "300 times faster than PyXAI's, adult"
FARTHER = "never farther than OCEAN's"


def _figures(peers: dict[str, dict[str, Any]], depth: int = 6) -> dict[str, Any]:
    own = {"seconds": [0.001] * 4, "sizes": [3] * 4, "open": [], "memory": 0}
    answers: dict[str, Any] = dict.fromkeys(("direct", "quick", "exact", "minimal", "nearest"), own)
    answers |= {name: {"trouble": "", "sizes": [], **peer} for name, peer in peers.items()}
    about = {"library": FOREST, "data": "adult", "leaves": 9, "bytes": 100, "rows": 4}
    return about | {"depth": depth, "answers": answers}


def _line(
    peers: dict[str, dict[str, Any]], of: str, absent: dict[str, str] | None = None, depth: int = 6
) -> str:
    models = {"adult, forest 25 x 6": _figures(peers, depth)}
    page = report("head", Results(models), 60, absent or {})
    return next(line for line in page.splitlines() if of in line)


def _majoritary(**peer: Any) -> str:
    return _line({"PyXAI majoritary": peer}, QUICK)


def test_verdicts() -> None:
    assert _majoritary(seconds=[0.4] * 4).endswith(
        "| 400 times, adult, forest 25 x 6; 1 compared | met |"
    )
    assert "**missed**" in _majoritary(seconds=[0.1] * 4)


def test_a_peer_that_was_stopped_is_a_lower_bound() -> None:
    assert ">5e+03 times" in _majoritary(seconds=[], stopped=5.0)
    assert "not decided" in _majoritary(seconds=[], stopped=0.1)
    assert "| met |" in _majoritary(seconds=[0.5], stopped=0.4)  # the row that was stopped
    assert "**missed**" in _majoritary(seconds=[0.1], stopped=0.4)  # the row that was answered
    assert "| 400 times" in _majoritary(seconds=[0.4])  # its time was over after one row


def test_a_peer_that_failed_is_not_compared() -> None:
    assert _majoritary(seconds=[], trouble="AttributeError").endswith("| - | not measured |")


@pytest.mark.parametrize(("depth", "bound"), [(6, 300), (3, 100)])
def test_xreason_has_a_bar_by_depth(depth: int, bound: int) -> None:
    bar = f"{bound} times faster than XReason's, depth {depth}"
    for factor, verdict in ((1.1, "| met |"), (0.9, "**missed**")):
        peer = {"seconds": [0.001 * bound * factor] * 4}
        assert verdict in _line({"XReason abductive": peer}, bar, depth=depth)
    assert _line({}, bar, {"XReason": "why"}).endswith("| why | not measured |")


@pytest.mark.parametrize(
    ("distances", "said"),
    [
        ([[1, 1], [2, 3]], "| 2 rows of 1 models; OCEAN's was farther in 1 | met |"),
        ([[1, 1], [2, 1]], "**missed**: adult, forest 25 x 6 (2 against 1)"),
        ([[1, None], [1, 1]], "1 more of OCEAN's are of the row's own class | met |"),
        ([[1, None]], "| not measured |"),
        ([[None, 1]], "**missed**: adult, forest 25 x 6 (ours is of the row's class)"),
        ([], "| - | not measured |"),
    ],
)
def test_distances_beside_ocean(distances: list[list[int | None]], said: str) -> None:
    peer = {"seconds": [1.0], "distances": distances}
    assert said in _line({"OCEAN nearest": peer}, FARTHER)


def test_who_is_not_asked_and_why(tmp_path: Path) -> None:
    _, absent = peers_of(_options([]))
    assert "`make .venv/ocean/.peers`" in absent["OCEAN"]
    assert "`--xreason`" in absent["XReason"]
    assert "`--rfxpl`" in absent["RFxpl"]
    page = report("head", Results(), 60, absent)
    assert f"- OCEAN: {absent['OCEAN']}." in page
    _, absent = peers_of(_options(["--xreason", str(tmp_path)]))
    assert "cannot import it: ModuleNotFoundError" in absent["XReason"]
    _, absent = peers_of(_options(["--ocean-python", str(tmp_path / "none")]))
    assert "No such file" in absent["OCEAN"]


def test_a_peer_may_be_named_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    python.write_text('#!/bin/sh\necho "$@" | cut -d" " -f2-\n')
    python.chmod(0o755)
    peers, _ = peers_of(_options(["--xreason", "there", "--xreason-python", "bin/python"]))
    said = f"--import XReason {tmp_path / 'there'}"
    assert peers["XReason"] == Peer(str(python), tmp_path / "there", said)


def test_every_question_of_a_peer_has_one_of_ours_beside_it() -> None:
    asked = {
        f"{peer} {question}"
        for peer, known in QUESTIONS.items()
        for questions in known.values()
        for question in questions
    }
    assert asked == set(BESIDE)


def test_a_peer_has_the_time_that_decides_its_bar() -> None:
    own = {"nearest": {"seconds": [0.01, 0.2, 5.0]}, "exact": {"seconds": [0.001]}}
    model = MODELS[0]
    assert _deciding(model, "DiCE counterfactual", own) == pytest.approx(4.4)
    assert _deciding(model, "XReason abductive", own) == ensembles.LEAST_FOR_PEERS
    assert _deciding(model, "OCEAN nearest", own) == ensembles.FOR_OCEAN


def _worker(folder: Path, lines: list[str], then: str) -> Path:
    file = folder / "worker.py"
    file.write_text("\n".join([f"print({line!r}, flush=True)" for line in lines] + [then]))
    return file


def _answer(question: str) -> str:
    return "answer " + json.dumps({"question": question, "row": 0, "seconds": 1.0, "memory": 1})


def _begun(question: str, has: float) -> str:
    return "begun " + json.dumps({"question": question, "has": has})


ALARM = "import os, signal; os.kill(os.getpid(), signal.SIGALRM)"


@pytest.mark.parametrize(
    ("lines", "then", "limit", "stopped", "trouble"),
    [
        ([_begun("a", 3.0), _answer("a"), _begun("a", 2.0), "stopped a"], "", None, 2.0, ""),
        ([_begun("a", 3.0), _answer("a"), "ended a"], "", None, None, ""),
        ([_begun("a", 3.0)], ALARM, None, 3.0, ""),
        ([], "raise ValueError('no')", None, None, "ValueError: no"),
        ([_begun("a", 3.0), "failed a"], "", None, None, "exit code 0"),
        ([_begun("a", 3.0)], "import time; time.sleep(600)", 0.5, None, "not ready after 60 s"),
    ],
)
def test_how_a_worker_ends(
    lines: list[str],
    then: str,
    limit: float | None,
    stopped: float | None,
    trouble: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ensembles, "WORKER", _worker(tmp_path, lines, then))
    found = _answers({"questions": ["a"]}, Peer(sys.executable), limit)["a"]
    assert (found["stopped"], found["trouble"]) == (stopped, trouble)
    assert found["seconds"] == [1.0] * sum(line.startswith("answer") for line in lines)


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="memory is read from /proc")
def test_our_own_answers() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 9, (200, 4)).astype(float)
    fitted = RandomForestClassifier(5, max_depth=4, random_state=0).fit(x, x[:, 0] + x[:, 1] > 8)
    rows = list(x[:3])
    asked = {"tool": "cattleya", "ensemble": cattleya.read_ensemble(fitted), "rows": rows}
    asked |= {"questions": OURS, "caps": dict.fromkeys(OURS, 60.0)}
    found = _answers(asked | {"classes": [0] * 3, "timeout": 60.0}, Peer(), None)
    for answers in found.values():
        assert (answers["trouble"], answers["stopped"], answers["open"]) == ("", None, [])
        assert len(answers["seconds"]) == 3
    given = Given(MODELS[0], fitted, x, None, rows, 60.0)
    nearest = found["nearest"]
    distances = [_distance(given, row, nearest["others"][row]) for row in range(3)]
    assert distances == nearest["sizes"]
    assert _distance(given, 0, rows[0]) is None


def test_trees_for_xreason_have_the_base_score() -> None:
    xgboost = pytest.importorskip("xgboost")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3)).astype(np.float32)
    y = (x[:, 0] + x[:, 1] > 0.8).astype(int)
    model = xgboost.XGBClassifier(n_estimators=5, max_depth=2).fit(x, y)
    trees = [json.loads(tree) for tree in trees_of(model)]

    def leaf(node: dict[str, Any], row: Any) -> float:
        while "children" in node:
            number = int(node["split"][1:])
            node = node["children"][int(float(row[number]) >= node["split_condition"])]
        return float(node["leaf"])

    sums = [sum(leaf(tree, row) for tree in trees) for row in x]
    assert np.allclose(sums, model.predict(x, output_margin=True), atol=1e-5)

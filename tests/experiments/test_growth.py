"""The families of trees, their known numbers, and the work done in processes apart."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

import cattleya
from cattleya.experiments import growth
from cattleya.experiments.data.families import comb, complete, grown, noisy_data
from cattleya.experiments.data.registry import load
from cattleya.experiments.peers.apart import TIME_LIMIT, run_apart
from cattleya.experiments.peers.asking import PEERS, compare
from cattleya.experiments.peers.report import table


@pytest.mark.parametrize("k", [1, 2, 3, 5, 13])
def test_combs_have_the_minimal_reasons_of_proposition_2(k: int) -> None:
    tree, row = comb(4 * k - 1)
    assert (tree.n_nodes, len(row)) == (4 * k - 1, 2 * k - 1)
    e = cattleya.Explainer(tree).explain(row)
    assert e.count("minimal") == e.count() == 2 ** (k - 1)


def test_complete_trees_have_the_reasons_of_proposition_1() -> None:
    counts = []
    for depth in range(1, 7):
        tree, row = complete(2 ** (depth + 1) - 1)
        assert tree.n_nodes == 2 ** (depth + 1) - 1
        counts.append(cattleya.Explainer(tree).explain(row).count())
    assert counts == [1, 2, 6, 42, 1806, 3263442]


def test_grown_trees_have_the_size_asked_for_and_are_the_same_again() -> None:
    tree, row = grown(1001)
    assert tree.n_nodes == 1001
    assert len(row) == 14
    again, same_row = grown(1001)
    assert tree == again
    assert row.tolist() == same_row.tolist()
    assert (noisy_data(50, 0)[0] != noisy_data(50, 1)[0]).any()


def test_growth_end_to_end(tmp_path: Path) -> None:
    points = list(growth.measure(["comb"], [7, 103], 20.0, lambda _: None))
    assert {point.nodes for point in points} == {7, 103}
    assert not [point for point in points if point.trouble]
    growth.picture(points, tmp_path / "growth.svg")
    growth.write(tmp_path / "growth.md", points, "the first", tmp_path / "growth.svg")
    page = (tmp_path / "growth.md").read_text()
    assert "count minimal" in page
    assert "growth.svg" in page
    growth.write(tmp_path / "growth.md", points, "the second", None)
    assert "the first" not in (tmp_path / "growth.md").read_text()


@pytest.mark.parametrize("slope", [0.5, 1.0, 2.0])
def test_exponents(slope: float) -> None:
    nodes = [100, 1000, 10_000]
    assert growth.exponent(nodes, [n**slope for n in nodes], 0) == pytest.approx(slope, abs=0.01)
    assert growth.exponent(nodes, [0.0, 0.0, 1.0], 0.5) is None


def test_a_program_that_hangs_or_crashes_is_told(tmp_path: Path) -> None:
    hangs = tmp_path / "hangs.py"
    hangs.write_text("import time\ntime.sleep(60)\n")
    assert run_apart(hangs, None, 0.5) == (None, TIME_LIMIT)
    crashes = tmp_path / "crashes.py"
    crashes.write_text("raise ValueError('why')\n")
    said, trouble = run_apart(crashes, None, 20.0)
    assert said is None
    assert trouble == "stopped with exit code 1: ValueError: why"


@pytest.mark.parametrize("peer", ["Ganak", "RC2"])
def test_peers_are_right_about_bundled_data(peer: str) -> None:
    pytest.importorskip({"Ganak": "pyganak", "RC2": "pysat"}[peer])
    cells = list(compare(load("breast_cancer"), 3, 20.0, 0, [peer], lambda _: None))
    assert [cell.right for cell in cells] == [True] * 3
    assert "3 of 3" in table(cells).text()


def test_a_peer_that_crashes_is_a_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pysat")
    broken = dict(PEERS)
    broken["RC2"] = replace(PEERS["RC2"], worker="no_such_worker")
    monkeypatch.setattr("cattleya.experiments.peers.asking.PEERS", broken)
    cells = list(compare(load("iris"), 3, 20.0, 0, ["RC2"], lambda _: None))
    assert [cell.right for cell in cells] == [None] * 3
    assert all("no_such_worker" in cell.trouble for cell in cells)
    assert "0 of 3" in table(cells).text()
    assert sys.executable not in table(cells).text()

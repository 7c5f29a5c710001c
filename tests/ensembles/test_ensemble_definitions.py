"""Every answer about small ensembles, against brute force from its definition."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import cattleya
from tests.oracles.ensembles import OVERS, VALUES, Oracle, case, check
from tests.oracles.rows import check_change
from tests.samples.explained_ensembles import drawn


def _cases(
    start: int, count: int, over: str, *, sets: bool = False
) -> Iterator[tuple[int, Oracle]]:
    for seed in range(start, start + count):
        if (oracle := case(seed, over, sets=sets)) is not None:
            yield seed, oracle


@pytest.mark.parametrize("over", OVERS)
@pytest.mark.parametrize("start", range(0, 120, 30))
def test_reasons_contrasts_and_necessary_facts(start: int, over: str) -> None:
    for _, oracle in _cases(start, 30, over):
        check(oracle)


@pytest.mark.parametrize("over", OVERS)
@pytest.mark.parametrize("start", range(0, 60, 20))
def test_minimal_reasons_and_all_reasons(start: int, over: str) -> None:
    for seed, oracle in _cases(start, 20, over):
        if len(oracle.facts) > 10:
            continue
        reasons = oracle.reasons()
        least = min(map(len, reasons))
        minimal = oracle.numbers(oracle.e.minimal_reason())
        assert minimal in reasons, seed
        assert len(minimal) == least, seed
        found = [oracle.numbers(r) for r in oracle.e.sufficient_reasons()]
        assert len(found) == len(set(found))
        assert set(found) == reasons, seed


@pytest.mark.parametrize("over", ["features", "intervals"])
def test_proofs_agree_and_refute(over: str) -> None:
    for seed, oracle in _cases(500, 30, over):
        rng = np.random.default_rng(seed)
        e = oracle.e
        verified = e.verify(e.sufficient_reason())
        assert verified, (seed, str(verified))
        assert verified.methods == {"every cell"}
        chosen = [fact for fact in oracle.facts if rng.random() < 0.5]
        assert e.verify(chosen).sufficient == oracle.forces(oracle.numbers(chosen)), seed
        assert e.is_sufficient(chosen) == oracle.forces(oracle.numbers(chosen)), seed


def test_integer_programming_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cattleya.proof.ensemble.MOST_ROWS", 0)
    for seed, oracle in _cases(700, 15, "intervals"):  # ties among them
        rng, e = np.random.default_rng(seed), oracle.e
        chosen = [fact for fact in oracle.facts if rng.random() < 0.5]
        verified = e.verify(chosen)
        assert verified.methods == {"integer programming"}
        assert verified.sufficient == oracle.forces(oracle.numbers(chosen)), seed


def test_a_program_that_is_too_large_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cattleya.proof.ensemble.MOST_ROWS", 0)
    (_, oracle), *_ = _cases(700, 3, "intervals")
    assert oracle.e.verify([]) is not None
    monkeypatch.setattr("cattleya.proof.ensemble.MOST_ENTRIES", 5)
    with pytest.raises(cattleya.TimeoutExpired, match="the integer program would have"):
        oracle.e.verify([])


@pytest.mark.parametrize("over", OVERS)
@pytest.mark.parametrize("start", range(0, 120, 40))
def test_changes_name_nothing_that_could_be_left_out(start: int, over: str) -> None:
    """Of small ensembles with categories and gaps, to any class and to each, over all rows."""
    several = 0
    for seed in range(start, start + 40):
        rng = np.random.default_rng([seed, OVERS.index(over)])
        ensemble = drawn(rng, missing=bool(rng.random() < 0.3), sets=bool(rng.random() < 0.3))
        has_gaps = ensemble.missing_left is not None
        matrix = np.array(
            list(product([*VALUES, *([np.nan] if has_gaps else [])], repeat=ensemble.n_features))
        )
        row = matrix[rng.integers(len(matrix))]
        whole = not len(ensemble.set_left)
        e: Any = cattleya.Explainer(ensemble, over=over, integer=whole).explain(row)
        seen = e._row.context.model.rows.matrix(matrix)
        labels = ensemble.predict(matrix)
        for toward in (None, *sorted(set(labels.tolist()) - {e.prediction})):
            for change in e.changes(toward=toward):
                does = check_change(change, matrix, row, ensemble.predict, toward, seen)
                assert over == "conditions" or change.destinations
                several += len(change.features) > 1
                if len(change.features) < 2 or not whole or has_gaps:
                    continue
                for one in change.destinations:
                    reached = matrix[does & (labels == one.outcome)]
                    far = sum(abs(v - row[int(f[1:])]) for f, v in one.nearest.items())
                    assert far == np.abs(reached - row).sum(axis=1).min(), (seed, str(one))
    assert several


@pytest.mark.parametrize("metric", ["l0", "l1", "l2"])
def test_counterfactuals_are_nearest(metric: str) -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        ensemble = drawn(rng)
        row = rng.choice(VALUES, ensemble.n_features)
        e = cattleya.Explainer(ensemble).explain(row)
        matrix = np.array(list(product(np.arange(-1.0, 6.0, 0.5), repeat=ensemble.n_features)))
        others = matrix[ensemble.predict(matrix) != e.prediction]
        if not len(others):
            with pytest.raises(cattleya.NoSuchCounterfactual):
                e.counterfactuals(metric=metric)
            continue
        (nearest,) = e.counterfactuals(metric=metric)
        assert ensemble.predict(nearest.row[None, :])[0] == nearest.prediction != e.prediction
        far = np.abs(others - row)
        sizes = {"l0": (far > 0).sum(1), "l1": far.sum(1), "l2": np.sqrt((far**2).sum(1))}
        # Rows of the grid are never nearer; the nearest row is at most a step away from one.
        assert nearest.distance <= sizes[metric].min() + 1e-6, seed
        if metric == "l0":
            assert nearest.distance == sizes["l0"].min(), seed


def _may_become(own: float, value: float, allowed: list[Any]) -> bool:
    """Tell whether limits permit a value; a value that is there does not become missing."""
    if value == own or (math.isnan(value) and math.isnan(own)):
        return True
    if "immutable" in allowed or math.isnan(value):
        return "missing" in allowed and "immutable" not in allowed
    bounds = {"increase": (own, math.inf), "decrease": (-math.inf, own)}
    if math.isnan(own):
        bounds = {}
    pairs = [
        bounds.get(limit, (-math.inf, math.inf)) if isinstance(limit, str) else limit
        for limit in allowed
    ]
    return all(low <= value <= high for low, high in pairs)


@pytest.mark.parametrize("metric", ["l0", "l1", "l2"])
@pytest.mark.parametrize("start", range(0, 120, 40))
def test_counterfactuals_under_constraints(metric: str, start: int) -> None:
    """Several, to any class or to one, of whole numbers: every row of the grid is tried."""
    asked = 0
    for seed in range(start, start + 40):
        rng = np.random.default_rng([seed, 2])
        ensemble = drawn(rng, missing=bool(rng.random() < 0.4))
        count = ensemble.n_features
        gaps = [] if ensemble.missing_left is None else [math.nan]
        row = rng.choice([*VALUES, *gaps], count)
        if not np.isnan(row).any():
            gaps = []  # rows with gaps are considered where the row has some
        limits: list[list[Any]] = []
        for _ in range(count):
            low, high = sorted(rng.choice(VALUES, 2).tolist())
            kinds = ["increase", "decrease", (low, high), "immutable", *["missing"] * len(gaps)]
            limits.append([kind for kind in kinds if rng.random() < 0.25])
        e = cattleya.Explainer(ensemble, integer=True).explain(row)
        matrix = np.array(list(product([*VALUES, *gaps], repeat=count)))
        outcomes = ensemble.predict(matrix)
        toward = None if rng.random() < 0.5 else rng.choice(outcomes)
        if toward == e.prediction:
            toward = None
        moved = ~((matrix == row) | (np.isnan(matrix) & np.isnan(row)))
        far = np.where(moved, np.nan_to_num(np.abs(matrix - row), nan=1.0), 0.0)
        amount = {"l0": moved.sum(axis=1), "l1": far.sum(axis=1)}.get(metric, (far**2).sum(axis=1))
        wanted = outcomes != e.prediction if toward is None else outcomes == toward
        wanted &= [all(map(_may_become, row.tolist(), other.tolist(), limits)) for other in matrix]
        given: dict[str, Any] = {
            "n": 3,
            "toward": toward,
            "metric": metric,
            "immutable": [f"f{i}" for i, own in enumerate(limits) if "immutable" in own],
            "ranges": {
                f"f{i}": ranges
                for i, own in enumerate(limits)
                if (ranges := [limit for limit in own if limit != "immutable"])
            },
        }
        if not wanted.any():
            with pytest.raises(cattleya.NoSuchCounterfactual):
                e.counterfactuals(**given)
            continue
        amounts = [amount, far.sum(axis=1)] if metric == "l0" else [amount]
        found = e.counterfactuals(**given)
        for nearest in found:
            same = (matrix == nearest.row) | (np.isnan(matrix) & np.isnan(nearest.row))
            at = int(np.flatnonzero(same.all(axis=1))[0])
            assert wanted[at], seed
            least = min(zip(*(column[wanted].tolist() for column in amounts), strict=True))
            assert tuple(column[at] for column in amounts) == pytest.approx(least), seed
            wanted &= ~moved[:, moved[at]].all(axis=1)
            asked += 1
        assert len(found) == 3 or not wanted.any(), seed
    assert asked > 20


def test_fairness_and_general_reasons() -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        ensemble = drawn(rng)
        row = rng.choice(VALUES, ensemble.n_features)
        e: Any = cattleya.Explainer(ensemble, over="intervals").explain(row)
        changed = np.repeat(row[None, :], len(VALUES), axis=0)
        changed[:, 0] = VALUES
        fair = e.is_fair(["f0"])
        assert bool(fair) == bool((ensemble.predict(changed) == e.prediction).all()), seed
        if not fair:
            assert ensemble.predict(fair.witness[None, :])[0] == fair.prediction
        general = e.generalise(e.sufficient_reason())
        matrix = np.array(list(product(VALUES, repeat=ensemble.n_features)))
        covered = matrix[general.covers(matrix)]
        assert len(covered)
        assert (ensemble.predict(covered) == e.prediction).all(), seed


def test_what_is_excluded_is_in_no_reason() -> None:
    refused = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        ensemble = drawn(rng)
        row = rng.choice(VALUES, ensemble.n_features).tolist()
        e: Any = cattleya.Explainer(ensemble, over="features").explain(row, exclude=["f0"])
        changed = np.array([row] * len(VALUES))
        changed[:, 0] = VALUES
        can = bool((ensemble.predict(changed) == e.prediction).all())
        for ask in (e.sufficient_reason, e.minimal_reason, e.quick_reason):
            if can:
                assert "f0" not in {condition.feature for condition in ask()}, seed
            else:
                refused += 1
                with pytest.raises(cattleya.NoSuchReason):
                    ask()
    assert refused


def test_when_time_runs_out_the_reason_still_forces_the_outcome() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 12))
    labels = rows.sum(axis=1) + rng.normal(size=400) > 0
    forest = RandomForestClassifier(100, random_state=0).fit(rows, labels)
    e: Any = cattleya.Explainer(forest, over="intervals").explain(rows[0])
    reason = e.sufficient_reason(timeout=1e-9)
    assert not reason.irredundant
    assert set(reason.undecided) <= set(reason)
    assert e.is_sufficient(reason)

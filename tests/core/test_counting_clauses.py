"""Counts, weights, sizes, samples and circuits of clauses that no tree needs to have.

Against all minimal hitting sets, listed, and the checked answers of `clauses.json`, where that file
is.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cattleya import _core
from cattleya.experiments.peers.prime_cnf import prime_cnf
from cattleya.reasons.limbs import integer, integers, weights_from
from cattleya.support.limits import MEMORY_LIMIT
from tests import ROOT
from tests.oracles.hitting_sets import (
    as_arrays,
    brute_force_models,
    minimal_hitting_sets,
    renumbered,
)

NO_LIMITS = (float("inf"), MEMORY_LIMIT)
NO_ATOMS = np.array([], dtype=np.int32)


def reference_file() -> Path:
    """The file with checked answers (CATTLEYA_REFERENCE, or beside the project)."""
    beside = ROOT.parent / "shared" / "reference"
    path = Path(os.environ.get("CATTLEYA_REFERENCE", beside)) / "clauses.json"
    if not path.is_file():
        pytest.skip(f"{path} is not there; CATTLEYA_REFERENCE names another folder")
    return path


SETS = st.sets(st.integers(0, 9), min_size=1, max_size=5).map(sorted)
CLAUSES = st.integers(0, 12).flatmap(lambda n: st.lists(SETS, min_size=n, max_size=n))


FEW_ATOMS = st.sets(st.integers(0, 9), max_size=3)
# As over intervals: of each of three chains, a clause has the first so many atoms.
AMOUNTS = st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 3)).filter(any)
CHAINED = AMOUNTS.map(lambda n: [*range(n[0]), *range(4, 4 + n[1]), *range(7, 7 + n[2])])


@given(CLAUSES, FEW_ATOMS, FEW_ATOMS)
@settings(max_examples=300)
def test_any_clauses_and_any_assumptions(
    clauses: list[list[int]], including: set[int], excluding: set[int]
) -> None:
    """Clauses that contain others, or are there twice; atoms in none of them."""
    check_answers(clauses, including, excluding)


@given(st.lists(CHAINED, max_size=8), st.lists(SETS, max_size=3), FEW_ATOMS, FEW_ATOMS)
@settings(max_examples=300)
def test_atoms_that_are_in_all_clauses_of_others(
    chained: list[list[int]], others: list[list[int]], including: set[int], excluding: set[int]
) -> None:
    """Also atoms in exactly the same clauses, of which one is assumed and another is not."""
    check_answers(chained + others, including, excluding)


def check_answers(clauses: list[list[int]], including: set[int], excluding: set[int]) -> None:
    reasons = minimal_hitting_sets(clauses)
    arrays = as_arrays(clauses, 10)
    assert integer(_core.count_hitting_sets(*arrays, *NO_LIMITS)) == len(reasons)
    weights = weights_from(_core.weigh_hitting_sets(*arrays, *NO_LIMITS))
    assert weights.count == len(reasons)
    within = Counter(atom for reason in reasons for atom in reason)
    assert weights.shares == tuple(Fraction(within[atom], len(reasons)) for atom in range(10))
    by_size = integers(*_core.count_hitting_sets_by_size(*arrays, *NO_LIMITS))
    assert {size: n for size, n in enumerate(by_size) if n} == Counter(map(len, reasons))
    start, atom = _core.sample_hitting_sets(*arrays, 5, 1, *NO_LIMITS)
    assert {frozenset(drawn.tolist()) for drawn in np.split(atom, start[1:-1])} <= reasons
    check_assumptions(_core.Circuit.compile(*arrays, *NO_LIMITS), reasons, including, excluding)


def check_assumptions(
    circuit: _core.Circuit,
    reasons: frozenset[frozenset[int]],
    including: set[int],
    excluding: set[int],
) -> None:
    wanted = [r for r in reasons if including <= r and not excluding & r]
    given = (
        np.array(sorted(including), dtype=np.int32),
        np.array(sorted(excluding), dtype=np.int32),
    )
    assert integer(circuit.count(*given, *NO_LIMITS)) == len(wanted)
    weights = weights_from(circuit.weigh(*given, *NO_LIMITS))
    within = Counter(atom for reason in wanted for atom in reason)
    assert weights.count == len(wanted)
    total = max(len(wanted), 1)
    assert weights.shares == tuple(Fraction(within[atom], total) for atom in range(10))


def test_no_clause_and_the_empty_clause() -> None:
    for clauses, expected in (([], 1), ([[]], 0), ([[0], []], 0)):
        arrays = as_arrays(clauses, 2)
        assert integer(_core.count_hitting_sets(*arrays, *NO_LIMITS)) == expected
        assert weights_from(_core.weigh_hitting_sets(*arrays, *NO_LIMITS)).count == expected
        assert sum(integers(*_core.count_hitting_sets_by_size(*arrays, *NO_LIMITS))) == expected
        circuit = _core.Circuit.compile(*arrays, *NO_LIMITS)
        assert integer(circuit.count(NO_ATOMS, NO_ATOMS, *NO_LIMITS)) == expected


@pytest.mark.parametrize(
    ("start", "atom", "n_atoms"),
    [
        ([0, 2], [0, 2], 2),
        ([0, 2], [0, -1], 2),
        ([0, 2], [0, 0], 2),
        ([0, 3], [0, 1], 2),
        ([0, 1], [0, 1], 2),
        ([1, 2], [0, 1], 2),
        ([0, 2, 1], [0, 1], 2),
        ([0, -1, 2], [0, 1], 2),
        ([], [], 0),
        ([0], [], -1),
    ],
)
def test_clauses_that_are_none(start: list[int], atom: list[int], n_atoms: int) -> None:
    arrays = np.array(start, dtype=np.int64), np.array(atom, dtype=np.int32), n_atoms
    ways: list[Any] = [
        _core.count_hitting_sets,
        _core.weigh_hitting_sets,
        _core.count_hitting_sets_by_size,
        _core.Circuit.compile,
    ]
    for way in ways:
        with pytest.raises(ValueError, match=r"clause|atom|start"):
            way(*arrays, *NO_LIMITS)
    with pytest.raises(ValueError, match=r"clause|atom|start"):
        _core.sample_hitting_sets(*arrays, 1, 0, *NO_LIMITS)


@pytest.mark.parametrize("seed", range(20))
def test_random_clauses_of_middling_size(seed: int) -> None:
    """Dense and sparse ones, some of several components."""
    rng = np.random.default_rng(seed)
    n_atoms = int(rng.integers(12, 31))
    longest = int(rng.integers(2, 7))
    clauses = [
        sorted(rng.choice(n_atoms, size=rng.integers(1, longest + 1), replace=False).tolist())
        for _ in range(int(rng.integers(5, 25)))
    ]
    reasons = minimal_hitting_sets(clauses)
    arrays = as_arrays(clauses, n_atoms)
    weights = weights_from(_core.weigh_hitting_sets(*arrays, *NO_LIMITS))
    within = Counter(atom for reason in reasons for atom in reason)
    assert integer(_core.count_hitting_sets(*arrays, *NO_LIMITS)) == len(reasons) == weights.count
    assert weights.shares == tuple(Fraction(within[a], len(reasons)) for a in range(n_atoms))
    by_size = integers(*_core.count_hitting_sets_by_size(*arrays, *NO_LIMITS))
    assert {size: n for size, n in enumerate(by_size) if n} == Counter(map(len, reasons))


@given(st.lists(st.sets(st.integers(0, 4), min_size=1, max_size=3).map(sorted), max_size=4))
@settings(max_examples=60)
def test_the_encoding_has_a_model_for_every_reason(clauses: list[list[int]]) -> None:
    assert brute_force_models(*prime_cnf(clauses)) == len(minimal_hitting_sets(clauses))


# Checked answers about real rows


QUICK = 0.5  # seconds that a prototype took
VERY_QUICK = 0.02


def quick_problems(limit: float) -> list[dict[str, Any]]:
    problems = json.loads(reference_file().read_text())
    return [p for p in problems if p["fast_prototype_seconds"] < limit]


def test_checked_counts() -> None:
    problems = quick_problems(QUICK)
    assert len(problems) > 20
    for problem in problems:
        arrays = as_arrays(*renumbered(problem["clauses"]))
        found = integer(_core.count_hitting_sets(*arrays, *NO_LIMITS))
        assert found == int(problem["count"]), problem["name"]


def test_checked_counts_and_sizes_by_every_way() -> None:
    for problem in quick_problems(VERY_QUICK):
        arrays = as_arrays(*renumbered(problem["clauses"]))
        count = int(problem["count"])
        sizes = integers(*_core.count_hitting_sets_by_size(*arrays, *NO_LIMITS))
        assert sum(sizes) == count, problem["name"]
        assert min(size for size, n in enumerate(sizes) if n) == problem["minimum"]
        weights = weights_from(_core.weigh_hitting_sets(*arrays, *NO_LIMITS))
        assert weights.count == count
        assert sum(weights.shares) * count == sum(size * n for size, n in enumerate(sizes))
        circuit = _core.Circuit.compile(*arrays, *NO_LIMITS)
        assert integer(circuit.count(NO_ATOMS, NO_ATOMS, *NO_LIMITS)) == count
        assert weights_from(circuit.weigh(NO_ATOMS, NO_ATOMS, *NO_LIMITS)) == weights

"""Minimum hitting sets of clauses, against the definition: all sets, the smallest first."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cattleya import _core

Clause = Sequence[int]
FOREVER = 1e10
MEMORY = 1 << 30
NO_WEIGHTS = np.empty(0, np.uint64)


def arrays(clauses: Iterable[Clause]) -> tuple[_core.Longs, _core.Ints]:
    listed = [list(clause) for clause in clauses]
    start = np.cumsum([0, *map(len, listed)], dtype=np.int64)
    return start, np.array([a for clause in listed for a in clause], dtype=np.int32)


def limbs(weights: Iterable[int]) -> _core.Limbs:
    mask = (1 << 64) - 1
    return np.array([part for w in weights for part in (w & mask, w >> 64)], dtype=np.uint64)


def one(clauses: Iterable[Clause], n: int, weights: Sequence[int] = ()) -> list[int]:
    found = _core.minimum_hitting_set(*arrays(clauses), n, limbs(weights), FOREVER, MEMORY)
    return [int(a) for a in found]


def count(clauses: Iterable[Clause], n: int) -> tuple[int, int]:
    size, number = _core.count_minimum_hitting_sets(*arrays(clauses), n, FOREVER, MEMORY)
    return size, sum(int(limb) << (64 * i) for i, limb in enumerate(number))


def listed(clauses: Iterable[Clause], n: int, limit: int = 7) -> list[tuple[int, ...]]:
    sets = _core.MinimumHittingSets(*arrays(clauses), n)
    found: list[tuple[int, ...]] = []
    more = True
    while more:
        more, start, atom = sets.next(limit, FOREVER)
        found += [tuple(atom[i:j].tolist()) for i, j in pairwise(start)]
    return found


def by_definition(clauses: Sequence[Clause], n: int) -> list[tuple[int, ...]]:
    for size in range(n + 1):
        hitting = [
            chosen
            for chosen in combinations(range(n), size)
            if all(set(chosen).intersection(clause) for clause in clauses)
        ]
        if hitting:
            return hitting
    raise AssertionError("an empty clause")


def least_weight(clauses: Sequence[Clause], weights: Sequence[int]) -> int:
    n = len(weights)
    return min(
        sum(weights[a] for a in range(n) if chosen >> a & 1)
        for chosen in range(1 << n)
        if all(any(chosen >> a & 1 for a in clause) for clause in clauses)
    )


def antichain(clauses: Iterable[Clause]) -> list[list[int]]:
    sets = {frozenset(clause) for clause in clauses}
    return sorted(sorted(c) for c in sets if not any(d < c for d in sets))


def random_clauses(rng: random.Random, n: int, number: int, widths: range) -> list[list[int]]:
    return [rng.sample(range(n), min(n, rng.choice(widths))) for _ in range(number)]


@st.composite
def families(draw: st.DrawFn) -> tuple[list[list[int]], int]:
    n = draw(st.integers(1, 9))
    clause = st.lists(st.integers(0, n - 1), min_size=1, max_size=4, unique=True)
    size = draw(st.integers(0, 14))  # lists are short unless one says otherwise
    return draw(st.lists(clause, min_size=size, max_size=size)), n


WEIGHTS = st.one_of(
    st.just(1), st.integers(1, 3), st.integers(1, 1000), st.integers(1, (1 << 120) - 1)
)


@given(families())
def test_by_the_definition(family: tuple[list[list[int]], int]) -> None:
    clauses, n = family
    for given_clauses in (clauses, antichain(clauses)):
        expected = by_definition(given_clauses, n)
        assert tuple(one(given_clauses, n)) in expected
        assert count(given_clauses, n) == (len(expected[0]), len(expected))
        assert sorted(listed(given_clauses, n)) == expected


@given(families(), st.data())
def test_weights_by_the_definition(
    family: tuple[list[list[int]], int], data: st.DataObject
) -> None:
    clauses, n = family
    weights = data.draw(st.lists(WEIGHTS, min_size=n, max_size=n))
    found = one(clauses, n, weights)
    assert all(set(found).intersection(clause) for clause in clauses)
    assert sum(weights[a] for a in found) == least_weight(clauses, weights)


@pytest.mark.parametrize("seed", range(60))
def test_where_rules_alone_do_not_do(seed: int) -> None:
    """Edges of random graphs and triples: odd cycles leave the bounds a gap."""
    rng = random.Random(seed)
    n = rng.randint(8, 13)
    clauses = random_clauses(rng, n, rng.randint(n, 3 * n), range(2, 3 + seed % 3))
    expected = by_definition(clauses, n)
    assert count(clauses, n) == (len(expected[0]), len(expected))
    assert sorted(listed(clauses, n)) == expected
    weights = [rng.choice([1, 2, 3, 1 << 70, rng.getrandbits(100) + 1]) for _ in range(n)]
    found = one(clauses, n, weights)
    assert sum(weights[a] for a in found) == least_weight(clauses, weights)


@pytest.mark.parametrize("seed", range(12))
def test_count_and_list_agree_on_middling_ones(seed: int) -> None:
    rng = random.Random(seed)
    n = 40
    clauses = random_clauses(rng, n, 30 + 4 * seed, range(2, 5))
    found = listed(clauses, n, limit=1000)
    assert len(set(found)) == len(found)
    assert (len(found[0]), len(found)) == count(clauses, n)
    assert {len(s) for s in found} == {len(one(clauses, n))}
    assert all(set(s).intersection(clause) for s in found[:50] for clause in clauses)
    assert listed(clauses, n, limit=1) == found  # the order is the same however it is asked for
    assert all(list(s) == sorted(s) for s in found)


@pytest.mark.parametrize("seed", range(12))
def test_the_least_of_all_sizes(seed: int) -> None:
    """The count by size is another algorithm: over all minimal hitting sets."""
    rng = random.Random(seed)
    n = 35
    clauses = antichain(random_clauses(rng, n, 20 + 3 * seed, range(2, 6)))
    number, start = _core.count_hitting_sets_by_size(*arrays(clauses), n, FOREVER, MEMORY)
    size = int(np.flatnonzero(np.diff(start))[0])
    least = sum(int(x) << (64 * i) for i, x in enumerate(number[start[size] : start[size + 1]]))
    assert count(clauses, n) == (size, least)
    assert len(one(clauses, n, [1] * n)) == size


@pytest.mark.parametrize("seed", range(10))
def test_another_solver_finds_the_same_minimum(seed: int) -> None:
    rc2 = pytest.importorskip("pysat.examples.rc2")
    formula = pytest.importorskip("pysat.formula")
    rng = random.Random(seed)
    n = 60
    clauses = random_clauses(rng, n, 90, range(2, 6))
    for weights in ([1] * n, [rng.randint(1, 20) for _ in range(n)]):
        wcnf = formula.WCNF()
        for clause in clauses:
            wcnf.append([a + 1 for a in clause])
        for a, weight in enumerate(weights):
            wcnf.append([-a - 1], weight=weight)
        with rc2.RC2(wcnf) as solver:
            solver.compute()
            assert sum(weights[a] for a in one(clauses, n, weights)) == solver.cost


def test_combs() -> None:
    """The family of the paper's Proposition 2: 2^(k-1) minimum sets of size k."""
    k = 1000
    clauses = [[0], *([2 * i + 1, 2 * i + 2] for i in range(k - 1))]
    n = 2 * k - 1
    assert count(clauses, n) == (k, 2 ** (k - 1))
    assert len(one(clauses, n)) == k
    more, start, _ = _core.MinimumHittingSets(*arrays(clauses), n).next(1000, FOREVER)
    assert more
    assert len(start) == 1001


def test_paths_cycles_and_complete_graphs() -> None:
    """Minimum vertex covers whose number is known."""
    for n in (5, 101, 1501):  # a path of n atoms, odd: every second one
        assert count([[i, i + 1] for i in range(n - 1)], n) == (n // 2, 1)
    for n in (6, 100, 1500):  # even: one place where two stand together
        assert count([[i, i + 1] for i in range(n - 1)], n) == (n // 2, n // 2 + 1)
    assert count([[i, (i + 1) % 200] for i in range(200)], 200) == (100, 2)
    assert count([[i, (i + 1) % 101] for i in range(101)], 101) == (51, 101)
    assert count(list(combinations(range(12), 2)), 12) == (11, 12)
    assert count(list(combinations(range(9), 4)), 9) == (6, comb(9, 6))
    assert count([list(range(5000))], 5000) == (1, 5000)


def test_thousands_of_clauses() -> None:
    clauses = [[i, 3000 + i, 6000 + i // 10] for i in range(3000)]
    assert count(clauses, 6300) == (300, 1)
    assert one(clauses, 6300) == list(range(6000, 6300))
    assert listed(clauses, 6300) == [tuple(range(6000, 6300))]


def test_without_clauses_the_empty_set() -> None:
    for n in (0, 3):
        assert one([], n) == []
        assert count([], n) == (0, 1)
        assert listed([], n) == [()]


def test_iterators_are_independent_and_keep_their_place() -> None:
    clauses = [[2 * i, 2 * i + 1] for i in range(5)]
    alone = listed(clauses, 10)
    assert len(set(alone)) == 32
    first, other = (_core.MinimumHittingSets(*arrays(clauses), 10) for _ in range(2))
    first.next(3, FOREVER)
    more, start, atom = other.next(32, FOREVER)
    assert tuple(atom[start[31] : start[32]].tolist()) == alone[31]
    assert first.next(0, FOREVER)[0]
    more, start, atom = first.next(100, FOREVER)
    assert not more
    assert tuple(atom[: start[1]].tolist()) == alone[3]
    more, start, _ = first.next(100, FOREVER)
    assert (more, len(start)) == (False, 1)


def hard() -> tuple[_core.Longs, _core.Ints, int]:
    """No one finds the minimum of these within a test's time."""
    return *arrays(random_clauses(random.Random(0), 400, 4000, range(3, 4))), 400


def test_limits_are_kept() -> None:
    start, atom, n = hard()
    with pytest.raises(_core.TimeoutExpired):
        _core.minimum_hitting_set(start, atom, n, NO_WEIGHTS, 0.05, MEMORY)
    with pytest.raises(_core.TimeoutExpired):
        _core.count_minimum_hitting_sets(start, atom, n, 0.05, MEMORY)
    sets = _core.MinimumHittingSets(start, atom, n)
    for _ in range(2):
        with pytest.raises(_core.TimeoutExpired):
            sets.next(1, 0.05)
    with pytest.raises(_core.MemoryLimitExceeded):
        _core.count_minimum_hitting_sets(start, atom, n, FOREVER, 1000)
    with pytest.raises(_core.MemoryLimitExceeded):
        _core.minimum_hitting_set(start, atom, n, NO_WEIGHTS, FOREVER, 1000)


def test_after_a_timeout_the_list_goes_on() -> None:
    clauses = random_clauses(random.Random(3), 40, 60, range(2, 5))
    sets = _core.MinimumHittingSets(*arrays(clauses), 40)
    found: list[tuple[int, ...]] = []
    more, patience = True, 0.0
    while more:
        try:
            more, start, atom = sets.next(3, patience)
        except _core.TimeoutExpired:
            patience += 1e-5
        else:
            found += [tuple(atom[i:j].tolist()) for i, j in pairwise(start)]
    assert len(set(found)) == len(found) == count(clauses, 40)[1]


def test_the_interpreter_is_free_meanwhile() -> None:
    start, atom, n = hard()

    def work() -> None:
        with pytest.raises(_core.TimeoutExpired):
            _core.minimum_hitting_set(start, atom, n, NO_WEIGHTS, 0.3, MEMORY)

    thread = threading.Thread(target=work)
    thread.start()
    turns = 0
    while thread.is_alive():
        thread.join(0.01)
        turns += 1
    assert turns > 1


@pytest.mark.parametrize(
    ("clauses", "n", "weights", "message"),
    [
        ([[0], []], 1, [], "clause 1 is empty"),
        ([[0, 1], [1, 1]], 2, [], "clause 1 has atom 1 twice"),
        ([[0, 2]], 2, [], "atom 2 is out of range"),
        ([[0]], -1, [], "negative"),
        ([[0]], 1, [1, 1], "two limbs per atom, 2 in all, not 4"),
        ([[0, 1]], 2, [1, 0], "weight of atom 1 is 0"),
        ([[0, 1]], 2, [1, (1 << 128) - 1], "128 bits"),
    ],
)
def test_bad_input(clauses: list[list[int]], n: int, weights: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        one(clauses, n, weights)
    if not weights:
        with pytest.raises(ValueError, match=message):
            count(clauses, n)
        with pytest.raises(ValueError, match=message):
            _core.MinimumHittingSets(*arrays(clauses), n)


def test_starts_that_do_not_divide() -> None:
    start, atom = np.array([0, 2, 1], np.int64), np.array([0], np.int32)
    with pytest.raises(ValueError, match="start"):
        _core.minimum_hitting_set(start, atom, 1, NO_WEIGHTS, FOREVER, MEMORY)

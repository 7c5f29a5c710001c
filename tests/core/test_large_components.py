"""Clauses that hang together, of more than a thousand conditions, against a count of another kind.

The clauses are the edges of a ladder, and of a few hubs that each touch every so many rungs; the
minimal hitting sets of edges are what maximal independent sets leave. Those of a ladder are counted
from rung to rung, for every choice of hubs.
"""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise, product
from math import prod

import numpy as np
import pytest

from cattleya import _core
from cattleya.reasons.limbs import integer, integers, weights_from
from cattleya.support.limits import MEMORY_LIMIT
from tests.oracles.hitting_sets import as_arrays

LIMITS = (600.0, MEMORY_LIMIT)  # under a sanitizer, too
STATES = ("in", "out", "bare")
CHOICES = (0b00, 0b01, 0b10)  # of the two ends of a rung, no two neighbours


def ladder(rungs: int, hubs: int) -> list[list[int]]:
    """The edges: the hubs are 0, 1, ..., and hub i touches one end of every rung i + k * hubs."""
    ends = [(hubs + 2 * i, hubs + 2 * i + 1) for i in range(rungs)]
    edges = [list(rung) for rung in ends]
    edges += [[a, b] for rung, after in pairwise(ends) for a, b in zip(rung, after, strict=True)]
    return edges + [[i % hubs, ends[i][0]] for i in range(rungs) if hubs]


def independent_sets(rungs: int, hubs: int) -> int:
    """The number of maximal independent sets of the ladder."""
    total = 0
    for chosen in range(1 << hubs):
        # By the rung before, the rung, and the hubs that have a neighbour in the set.
        ways = Counter({(0, here, 0): 1 for here in CHOICES if not (chosen & 1 and here & 1)})
        for i in range(rungs):
            hub = i % hubs if hubs else 0
            after = CHOICES if i + 1 < rungs else (0,)
            above = chosen >> ((i + 1) % hubs) & 1 if hubs else 0
            found: Counter[tuple[int, int, int]] = Counter()
            for (before, here, touched), number in ways.items():
                near = (0b11 if here else 0) | before | (chosen >> hub & 1)
                touches = touched | ((here & 1) << hub)
                for there in after:
                    if not there & here and not (there & above) and near | there == 0b11:
                        found[here, there, touches] += number
            ways = found
        others = (1 << hubs) - 1 & ~chosen
        total += sum(n for (_, _, touched), n in ways.items() if touched & others == others)
    return total


def brute_force(edges: list[list[int]], n: int) -> int:
    covers = [s for s in range(1 << n) if all(s >> a & 1 or s >> b & 1 for a, b in edges)]
    return sum(not any(s != t and s & t == t for t in covers) for s in covers)


@pytest.mark.parametrize(("rungs", "hubs"), [(1, 0), (4, 0), (1, 1), (3, 1), (4, 2), (4, 3)])
def test_the_oracle(rungs: int, hubs: int) -> None:
    assert independent_sets(rungs, hubs) == brute_force(ladder(rungs, hubs), 2 * rungs + hubs)


@pytest.mark.parametrize(("rungs", "hubs"), [(3, 2), (520, 0), (520, 3)])
def test_every_question(rungs: int, hubs: int) -> None:
    edges, n = ladder(rungs, hubs), 2 * rungs + hubs
    arrays = as_arrays(edges, n)
    expected = independent_sets(rungs, hubs)
    assert integer(_core.count_hitting_sets(*arrays, *LIMITS)) == expected
    assert integer(_core.count_hitting_sets(*arrays, *LIMITS, 2)) == expected
    by_size = integers(*_core.count_hitting_sets_by_size(*arrays, *LIMITS))
    assert sum(by_size) == expected
    weights = weights_from(_core.weigh_hitting_sets(*arrays, *LIMITS))
    assert weights.count == expected
    assert sum(weights.shares) * expected == sum(size * m for size, m in enumerate(by_size))
    assert weights == weights_from(_core.weigh_hitting_sets(*arrays, *LIMITS, 2))
    start, atom = _core.sample_hitting_sets(*arrays, 5, 1, *LIMITS)
    for drawn in np.split(atom, start[1:-1]):
        check_minimal_cover(set(drawn.tolist()), edges)


def check_minimal_cover(drawn: set[int], edges: list[list[int]]) -> None:
    own: set[int] = set()
    for edge in edges:
        hit = drawn.intersection(edge)
        assert hit
        if len(hit) == 1:
            own |= hit
    assert own == drawn


@pytest.mark.parametrize("memory", [40 << 20, 52 << 20, 64 << 20])
def test_within_little_memory_the_weights_are_the_same(memory: int) -> None:
    """What is not kept is written again: the program does not fit, and neither do its values."""
    arrays = as_arrays(ladder(600, 5), 1205)
    weights = weights_from(_core.weigh_hitting_sets(*arrays, *LIMITS))
    assert weights == weights_from(_core.weigh_hitting_sets(*arrays, 600.0, memory))


def blocks(seed: int) -> tuple[list[list[int]], int]:
    """Clauses of atoms of their own, and a few that tie them together.

    There are nearly as many minimal hitting sets as the bound of their number says, so that fewer
    digits than the bound has are too few.
    """
    rng = random.Random(seed)
    number, size = rng.randint(25, 50), rng.randint(3, 6)
    apart = [list(range(i * size, (i + 1) * size)) for i in range(number)]
    ties = []
    for _ in range(rng.randint(6, 14)):
        tied = rng.sample(apart, rng.randint(3, 6))
        ties.append(
            [a for clause in tied for a in rng.sample(clause, rng.randint(size // 2, size - 1))]
        )
    return apart + ties, number * size


# As the model counter Ganak says too, in some ten seconds each.
BLOCKS = {
    12: 6261595348858044840606250000,
    17: 66035630838886378979053113704448,
    21: 187195206581991444704256,
}


@pytest.mark.parametrize("seed", BLOCKS)
def test_as_many_as_the_bound_allows(seed: int) -> None:
    arrays = as_arrays(*blocks(seed))
    for threads in (1, 2):
        assert integer(_core.count_hitting_sets(*arrays, *LIMITS, threads)) == BLOCKS[seed]
        weights = weights_from(_core.weigh_hitting_sets(*arrays, *LIMITS, threads))
        assert weights.count == BLOCKS[seed]
    by_size = integers(*_core.count_hitting_sets_by_size(*arrays, *LIMITS))
    assert sum(by_size) == BLOCKS[seed]
    assert sum(weights.shares) * BLOCKS[seed] == sum(i * m for i, m in enumerate(by_size))
    nothing = np.zeros(0, dtype=np.int32)
    circuit = _core.Circuit.compile(*arrays, *LIMITS)
    assert integer(circuit.count(nothing, nothing, *LIMITS)) == BLOCKS[seed]


@pytest.mark.parametrize("rungs", [93, 94])
def test_samples_where_numbers_are_just_longer_than_a_word(rungs: int) -> None:
    arrays = as_arrays(ladder(rungs, 2), 2 * rungs + 2)
    weights = weights_from(_core.weigh_hitting_sets(*arrays, *LIMITS))
    assert 1 << 64 < weights.count < 1 << 69
    drawn = 40
    _, atom = _core.sample_hitting_sets(*arrays, drawn, 1, *LIMITS)
    for found, share in zip(np.bincount(atom, minlength=arrays[2]), weights.shares, strict=True):
        spread = (drawn * share * (1 - share)) ** 0.5
        assert abs(found - drawn * share) <= 6 * spread


def paths(seed: int, inner: int) -> tuple[list[list[int]], list[tuple[int, int]], int]:
    """Edges of a few vertices, between some pairs of which there are paths of so many others."""
    rng = random.Random(seed)
    n = rng.randint(6, 8)
    pairs = [(i, i + 1) for i in range(n - 1)]
    drawn = (rng.sample(range(n), 2) for _ in range(2 * n))
    pairs += [(min(pair), max(pair)) for pair in drawn]
    edges, used = [], n
    for u, v in pairs:
        edges += [list(e) for e in pairwise([u, *range(used, used + inner), v])]
        used += inner
    return edges, pairs, used


def along(inner: int, begin: str, end: str) -> int:
    """The maximal independent sets inside a path.

    An end is `in` the set, or `out` of it, or `bare`: its neighbour is out, too.
    """
    ways = Counter({(begin == "in", True): 1})  # whether the last is in, and has a neighbour in
    for i in range(inner):
        found: Counter[tuple[bool, bool]] = Counter()
        for (last, met), number in ways.items():
            if met or last:
                found[False, last] += number
            if not last and not (i == 0 and begin == "bare"):
                found[True, True] += number
        ways = found
    if end == "in":
        return sum(number for (last, _), number in ways.items() if not last)
    return sum(
        number
        for (last, met), number in ways.items()
        if (met or last) and not (last and end == "bare")
    )


@pytest.mark.parametrize("inner", [3, 20, 60, 150])
@pytest.mark.parametrize("seed", [0, 1, 2, 263, 283])  # two of which have numbers beyond 2^1024
def test_few_vertices_with_large_numbers_between(inner: int, seed: int) -> None:
    """What is left of the paths are tables of numbers of many digits."""
    edges, pairs, n = paths(seed, inner)
    few = max(v for _, v in pairs) + 1
    table = {(a, b): along(inner, a, b) for a in STATES for b in STATES}
    # A vertex that is out has a neighbour that is in: any, less those where it has none.
    expected = sum(
        prod((table[states[u], states[v]] for u, v in pairs), start=(-1) ** states.count("bare"))
        for states in product(STATES, repeat=few)
    )
    arrays = as_arrays(edges, n)
    assert integer(_core.count_hitting_sets(*arrays, *LIMITS)) == expected
    assert integer(_core.count_hitting_sets(*arrays, *LIMITS, 2)) == expected
    weights = weights_from(_core.weigh_hitting_sets(*arrays, *LIMITS))
    assert weights.count == expected
    # What the sum of the shares should be, from a program of another kind.
    by_size = integers(*_core.count_hitting_sets_by_size(*arrays, *LIMITS))
    assert sum(weights.shares) * expected == sum(size * m for size, m in enumerate(by_size))
    assert weights == weights_from(_core.weigh_hitting_sets(*arrays, *LIMITS, 2))

"""Samples: sufficient reasons all, uniform, repeatable, however many there are to draw from."""

from __future__ import annotations

import random
from collections import Counter
from math import sqrt

import numpy as np
import pytest
from scipy.stats import chi2

import cattleya
from cattleya import _core
from cattleya.reasons.limbs import weights_from
from cattleya.support.limits import MEMORY_LIMIT
from tests.checks.explanation import listed, naming
from tests.oracles.hitting_sets import as_arrays, minimal_hitting_sets
from tests.samples.families import comb, complete, explain_ones, grid_tree

ONE_IN_TEN_THOUSAND = 1e-4


@pytest.mark.parametrize(
    ("tree", "n_reasons"),
    [(grid_tree(8, 40, 1), 391), (comb(9), 256), (complete(4), 42), (grid_tree(10, 80, 1), 18)],
)
def test_samples_are_uniform(tree: cattleya.Tree, n_reasons: int) -> None:
    e = explain_ones(tree)
    reasons = listed(e)
    assert len(reasons) == n_reasons
    expected = 50  # of each
    drawn = Counter(map(frozenset, e.sample(expected * n_reasons, seed=1)))
    assert drawn.keys() <= reasons
    statistic = sum((drawn[reason] - expected) ** 2 / expected for reason in reasons)
    # Neither too uneven nor too even to be drawn independently.
    low, high = chi2.ppf([ONE_IN_TEN_THOUSAND, 1 - ONE_IN_TEN_THOUSAND], n_reasons - 1)
    assert low < statistic < high


def test_samples_of_any_clauses_are_uniform() -> None:
    """Of no tree in particular: long clauses, in which members stay without one of their own."""
    rng = random.Random(0)
    for _ in range(150):
        n = rng.randint(4, 8)
        clauses = [
            sorted(rng.sample(range(n), rng.randint(2, n - 1))) for _ in range(rng.randint(3, 12))
        ]
        reasons = minimal_hitting_sets(clauses)
        number = 60 * len(reasons)
        start, atom = _core.sample_hitting_sets(
            *as_arrays(clauses, n), number, 1, 60.0, MEMORY_LIMIT
        )
        drawn = Counter(frozenset(one.tolist()) for one in np.split(atom, start[1:-1]))
        assert drawn.keys() <= reasons
        # Six standard deviations: less than one in a hundred thousand of all these.
        assert all(abs(drawn[reason] - 60) <= 6 * 60**0.5 for reason in reasons)


def test_samples_of_many_clauses_are_uniform() -> None:
    """Of hundreds of reasons: too many to be listed, so parts are counted."""
    rng = random.Random(1)
    done = 0
    while done < 20:
        n = rng.randint(11, 15)
        clauses = [
            sorted(rng.sample(range(n), rng.randint(2, 5))) for _ in range(rng.randint(9, 16))
        ]
        reasons = minimal_hitting_sets(clauses)
        if not 65 <= len(reasons) <= 400:
            continue
        done += 1
        start, atom = _core.sample_hitting_sets(
            *as_arrays(clauses, n), 50 * len(reasons), done, 60.0, MEMORY_LIMIT
        )
        drawn = Counter(frozenset(one.tolist()) for one in np.split(atom, start[1:-1]))
        assert drawn.keys() <= reasons
        statistic = sum((drawn[reason] - 50) ** 2 / 50 for reason in reasons)
        low, high = chi2.ppf([ONE_IN_TEN_THOUSAND, 1 - ONE_IN_TEN_THOUSAND], len(reasons) - 1)
        assert low < statistic < high


def test_samples_of_hard_clauses() -> None:
    """Each atom is in as many samples as its share says, within five deviations; the first samples
    are those of a smaller number, and little memory does not change any."""
    rng = random.Random(2)
    n_atoms, n = 55, 600
    clauses = [rng.sample(range(n_atoms), rng.randint(2, 4)) for _ in range(85)]
    arrays = as_arrays(clauses, n_atoms)
    weights = weights_from(_core.weigh_hitting_sets(*arrays, 60.0, MEMORY_LIMIT))
    start, atom = _core.sample_hitting_sets(*arrays, n, 1, 60.0, MEMORY_LIMIT)
    for one in np.split(atom, start[1:-1]):
        met = [[a for a in clause if a in set(one.tolist())] for clause in clauses]
        assert all(met)
        assert {own[0] for own in met if len(own) == 1} == set(one.tolist())
    for a, share in enumerate(weights.shares):
        p = float(share)
        assert abs((atom == a).sum() - n * p) <= 5 * sqrt(n * p * (1 - p)) + 1
    for number, memory in ((20, MEMORY_LIMIT), (n, 32 << 20)):
        _, again = _core.sample_hitting_sets(*arrays, number, 1, 60.0, memory)
        assert again.tolist() == atom[: len(again)].tolist()


def test_one_sample_says_nothing_about_the_next() -> None:
    e = explain_ones(complete(3))
    number = {reason: i for i, reason in enumerate(listed(e))}
    drawn = [number[frozenset(reason)] for reason in e.sample(7200, seed=2)]
    pairs = Counter(zip(drawn[::2], drawn[1::2], strict=True))
    statistic = sum((pairs[i, j] - 100) ** 2 / 100 for i in range(6) for j in range(6))
    low, high = chi2.ppf([ONE_IN_TEN_THOUSAND, 1 - ONE_IN_TEN_THOUSAND], 35)
    assert low < statistic < high


def test_seeds_draw_differently() -> None:
    """First samples of many seeds are as uniform as many samples of one."""
    e = explain_ones(complete(3))
    drawn = Counter(frozenset(e.sample(1, seed=seed)[0]) for seed in range(1200))
    statistic = sum((drawn[reason] - 200) ** 2 / 200 for reason in listed(e))
    assert statistic < chi2.ppf(1 - ONE_IN_TEN_THOUSAND, 5)


@pytest.mark.parametrize("tree", [complete(9), comb(120), grid_tree(13, 200, 2)])
def test_samples_of_very_many(tree: cattleya.Tree) -> None:
    """Each condition is in as many samples as its importance says, within five deviations."""
    e = explain_ones(tree)
    assert e.count() > (10**30 if tree.n_features > 200 else 10**8)
    n = 400
    drawn = e.sample(n, seed=3)
    assert len(set(drawn)) == n
    assert all(e.verify(reason) for reason in drawn[:25])
    within = Counter(condition for reason in drawn for condition in reason)
    for condition, share in e.importance().items():
        p = float(share)
        assert abs(within[condition] - n * p) <= 5 * sqrt(n * p * (1 - p)) + 1
        assert share not in (0, 1) or within[condition] == n * share


def test_samples_are_sufficient_reasons() -> None:
    for seed in range(10):
        e = cattleya.Explainer(grid_tree(9, 60, seed)).explain(np.ones(60))
        for reason in e.sample(20, seed=seed):
            assert e.verify(reason)
            assert e.necessary() <= reason <= e.relevant()


def test_the_same_seed_gives_the_same_samples() -> None:
    for tree in (complete(9), comb(50), grid_tree(8, 40, 1)):
        first, second = (explain_ones(tree) for _ in range(2))
        drawn = first.sample(10, seed=7)
        assert drawn == first.sample(10, seed=7) == second.sample(10, seed=7)
        assert drawn != first.sample(10, seed=8)


def test_no_seed_gives_other_samples() -> None:
    e = explain_ones(complete(9))
    assert e.sample(3) != e.sample(3)


def test_numpy_numbers_are_numbers() -> None:
    e = explain_ones(complete(5))
    assert e.sample(np.int64(4), seed=np.uint32(9)) == e.sample(4, seed=9)  # type: ignore[arg-type]  # as good as int


def test_no_samples() -> None:
    assert explain_ones(complete(5)).sample(0) == ()


def test_more_samples_than_reasons() -> None:
    e = explain_ones(complete(2))
    drawn = e.sample(100, seed=0)
    assert len(drawn) == 100
    assert {frozenset(reason) for reason in drawn} == listed(e)


@pytest.mark.parametrize("n", [-1, 1.0, 1.5, "3", None, True, [1]])
def test_a_number_of_samples_that_is_none(n: object) -> None:
    with pytest.raises((TypeError, ValueError), match=naming(r"\bn\b", "whole number")):
        explain_ones(complete(3)).sample(n)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("seed", [-1, 1.0, "3", True, [1]])
def test_a_seed_that_is_none(seed: object) -> None:
    with pytest.raises((TypeError, ValueError), match=naming("seed", "whole number")):
        explain_ones(complete(3)).sample(1, seed=seed)  # type: ignore[arg-type]  # wrong on purpose


def test_large_seeds() -> None:
    e = explain_ones(complete(9))
    seeds = [0, 1, 2**31, 2**32, 2**63, 2**64 - 1]
    assert len({e.sample(2, seed=seed) for seed in seeds}) == len(seeds)
    for seed in (2**64, 10**40):
        assert e.sample(2, seed=seed) == e.sample(2, seed=seed)

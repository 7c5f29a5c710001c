"""All sufficient reasons, one after the other: each once, none missing, stopping where told."""

from __future__ import annotations

import random
from itertools import combinations, islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cattleya
from cattleya import _core
from cattleya.reasons.reason import Reason
from tests.samples.families import comb, complete, explain_ones


@st.composite
def nested_trees(draw: st.DrawFn, depth: int = 4) -> object:
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.integers(0, 2))
    name = draw(st.sampled_from("abcdefg"))
    return (name, draw(nested_trees(depth - 1)), draw(nested_trees(depth - 1)))


@given(nested_trees(), st.randoms(use_true_random=False))
def test_each_is_a_sufficient_reason_and_all_are_there(nested: object, random: object) -> None:
    tree = cattleya.Tree.from_nested(nested)
    row = [random.randint(0, 1) for _ in range(tree.n_features)]  # type: ignore[attr-defined]  # a Random
    e = cattleya.Explainer(tree).explain(row)
    found = list(e.sufficient_reasons())
    assert all(e.verify(reason) for reason in found)  # proved by the independent walk
    assert len(set(found)) == len(found) == e.count()
    assert all(isinstance(reason, Reason) for reason in found)


def test_all_minimal_hitting_sets_of_any_clauses_each_once() -> None:
    rng = random.Random(0)
    for _ in range(400):
        n = rng.randint(2, 7)
        clauses = [rng.sample(range(n), rng.randint(1, n)) for _ in range(rng.randint(0, 8))]
        start = np.cumsum([0, *map(len, clauses)], dtype=np.int64)
        atoms = np.array([a for clause in clauses for a in sorted(clause)], dtype=np.int32)
        _, ends, found = _core.HittingSets(start, atoms, n).next(1000, 10.0)
        given_sets = [frozenset(found[a:b].tolist()) for a, b in pairwise(ends.tolist())]
        every = [frozenset(c) for size in range(n + 1) for c in combinations(range(n), size)]
        hitting = [s for s in every if all(s & set(clause) for clause in clauses)]
        minimal = {s for s in hitting if not any(other < s for other in hitting)}
        assert len(given_sets) == len(minimal)
        assert set(given_sets) == minimal


def test_the_families() -> None:
    e = explain_ones(comb(10))
    assert len(set(e.sufficient_reasons())) == 2**9
    e = explain_ones(complete(5))
    assert len(set(e.sufficient_reasons())) == 1806


def test_limits_and_order() -> None:
    e = explain_ones(complete(14))  # more than 10^1600 of them
    first = list(e.sufficient_reasons(limit=5000))
    assert len(first) == 5000
    assert list(islice(e.sufficient_reasons(), 5000)) == first
    assert list(e.sufficient_reasons(limit=0)) == []
    with pytest.raises(cattleya.TimeoutExpired):
        for _ in e.sufficient_reasons(timeout=0.2):
            pass


def test_two_iterators_do_not_disturb_each_other() -> None:
    e = explain_ones(complete(4))
    alone = list(e.sufficient_reasons())
    one, other = e.sufficient_reasons(), e.sufficient_reasons()
    mixed = [next(one), next(one), next(other), *one]
    assert mixed[:2] + mixed[3:] == alone
    assert list(other) == alone[1:]


def test_a_single_leaf_has_the_empty_reason() -> None:
    e = cattleya.Explainer(cattleya.Tree.from_nested("yes")).explain(np.empty(0))
    assert [len(reason) for reason in e.sufficient_reasons()] == [0]


@pytest.mark.parametrize("limit", [-1, 1.5, "3", True])
def test_bad_limits(limit: object) -> None:
    with pytest.raises((ValueError, TypeError), match="limit"):
        explain_ones(complete(2)).sufficient_reasons(limit=limit)  # type: ignore[arg-type]  # wrong on purpose

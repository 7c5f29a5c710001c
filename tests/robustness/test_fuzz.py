"""The attack of `make fuzz` in short: some random trees with every question, and planted faults."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cattleya
from fuzz.__main__ import VOCABULARIES, check
from fuzz.drawing import draw
from fuzz.middling import check as check_middling
from fuzz.readers import TABLE, TARGETS
from fuzz.vocabularies import Truth
from tests.oracles.definitions import Explained


@pytest.mark.parametrize("first", range(0, 160, 20))
def test_some_trees_with_every_question(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 20):
        check(seed, tmp_path, everything=True)


def test_a_seed_draws_the_same_tree() -> None:
    assert [repr(draw(seed)) for seed in range(20)] == [repr(draw(seed)) for seed in range(20)]


def test_brute_force_on_a_table_by_hand() -> None:
    """Of a and (b or c), in the row of ones: which sets of ones force it?"""
    classes = np.array([bool(s & 1 and s & 6) for s in range(8)], dtype=np.intp)
    explained = Explained(("a", "b", "c"), np.arange(8), classes, 7)
    assert np.flatnonzero(explained.sufficient).tolist() == [0b011, 0b101, 0b111]
    assert explained.reasons.sets == {0b011, 0b101}
    assert explained.contrasts.sets == {0b001, 0b110}


def test_trees_are_not_trivial() -> None:
    several = sum(len(Truth(draw(seed)).conditions.reasons.sets) > 1 for seed in range(300))
    assert several > 75


def wrong_count(right: Callable[..., int]) -> Callable[..., int]:
    return lambda e, *args, **kwargs: min(right(e, *args, **kwargs), 3)


def short_tuple(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda e, *args, **kwargs: right(e, *args, **kwargs)[:3]


@pytest.mark.parametrize(
    ("name", "fault"),
    [("count", wrong_count), ("contrastive", short_tuple), ("counterfactuals", lambda right: None)],
)
def test_a_planted_fault_is_found(
    name: str, fault: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    right = getattr(cattleya.Explanation, name)
    monkeypatch.setattr(cattleya.Explanation, name, fault(right))

    def run() -> None:
        for seed in range(0, 1000, len(VOCABULARIES)):
            check(seed, tmp_path)

    with pytest.raises((AssertionError, TypeError)):
        run()


@pytest.mark.parametrize("target", TARGETS)
def test_damaged_files_are_read_or_refused(target: str) -> None:
    rng = random.Random(0)
    for _ in range(20 if target == "table" else 300):
        data = bytearray(TABLE if target == "table" else rng.randbytes(rng.randrange(24)))
        for place in rng.choices(range(len(data) + 1), k=rng.randrange(4)):
            data[place : place + 1] = rng.randbytes(1)
        TARGETS[target](rng.randbytes(1) + bytes(data))


def test_middling_trees_against_each_other() -> None:
    assert all(check_middling(seed) for seed in range(9))

"""Ensembles as values: their sums by the definition, their checks, and their JSON."""

from __future__ import annotations

import json
import math
import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cattleya
from tests.samples.ensembles import STUMPS, random_ensemble, random_rows, summed


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_margins_are_the_sums_in_order(seed: int) -> None:
    random = np.random.default_rng(seed)
    ensemble = random_ensemble(random)
    rows = random_rows(random, ensemble)
    assert ensemble.margins(rows).tolist() == [summed(ensemble, row) for row in rows.tolist()]
    assert ensemble.margins(rows).dtype == ensemble.sum_dtype


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_the_class_of_one_row_is_that_of_its_margins(seed: int) -> None:
    random = np.random.default_rng(seed)
    ensemble = random_ensemble(random)
    if ensemble.class_names is None:
        return
    rows = ensemble.columns.matrix(random_rows(random, ensemble))
    classes = ensemble.classes_of(ensemble.margins_of(rows))
    assert [ensemble.class_of(row) for row in rows] == classes.tolist()


@pytest.mark.parametrize("depth", [1, 5, 15, 16])
def test_symmetric_trees_with_many_thresholds(depth: int) -> None:
    random = np.random.default_rng(depth)
    inner, n_trees, grid = 2**depth - 1, 700 // depth**2 + 1, 400
    size = 2 * inner + 1
    level = np.log2(np.arange(inner) + 1).astype(int)
    left = np.full(size, -1)
    left[:inner] = 2 * np.arange(inner) + 1
    start = np.arange(n_trees + 1) * size
    asked = random.integers(0, 2, (n_trees, depth)), random.integers(0, grid, (n_trees, depth))
    feature, threshold = np.full((n_trees, size), -1), np.zeros((n_trees, size))
    feature[:, :inner], threshold[:, :inner] = asked[0][:, level], asked[1][:, level] / 7
    ensemble = cattleya.Ensemble(
        start, np.where(left < 0, -1, left + start[:-1, None]).ravel(),
        np.where(left < 0, -1, left + 1 + start[:-1, None]).ravel(), feature.ravel(),
        threshold.ravel(), random.normal(size=n_trees * (inner + 1)), 2,
        class_names=None, decision="value", missing_left=(feature == 1).ravel(),
        takes_infinite=True,
    )  # fmt: skip  # fewer lines
    values = [*(np.arange(grid) / 7)[:: depth + 3], -1, 1e3, math.inf, -math.inf, math.nan, 0.1]
    rows = random.choice(values, size=(60, 2))
    assert ensemble.margins(rows).tolist() == [summed(ensemble, row) for row in rows]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_ties_have_the_class_of_their_margins(dtype: str) -> None:
    numbers = [-(2.0**90), -1.0, -0.0, 0.0, 1.0, 1.0 + 2.0**-23, 2.0**90]
    row = np.zeros(1)
    for values in product(numbers, repeat=3):
        one = cattleya.Ensemble(
            [0, 1, 2], [-1, -1], [-1, -1], [-1, -1], [0, 0], [values, values], n_features=1,
            class_names=["a", "b", "c"], base=[values[2], 0, values[0]], decision="largest",
            sum_dtype=dtype,
        )  # fmt: skip  # one line of arguments each
        assert one.class_of(row) == one.classes_of(one.margins_of(row[None, :]))[0]
    for value, cut in product(numbers, repeat=2):
        one = cattleya.Ensemble(
            [0, 1], [-1], [-1], [-1], [0], [value], n_features=1, class_names=["a", "b"],
            decision="threshold", cut=cut, sum_dtype=dtype,
        )  # fmt: skip  # as above
        assert one.class_of(row) == one.classes_of(one.margins_of(row[None, :]))[0]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_json_and_pickle_and_back(seed: int) -> None:
    ensemble = random_ensemble(np.random.default_rng(seed))
    for again in (
        cattleya.Ensemble.from_json(ensemble.to_json()),
        pickle.loads(pickle.dumps(ensemble)),
    ):
        assert again == ensemble
        assert hash(again) == hash(ensemble)
        assert again.fingerprint == ensemble.fingerprint
        assert repr(again) == repr(ensemble)


def test_an_ensemble_is_immutable() -> None:
    ensemble = STUMPS()
    with pytest.raises(AttributeError, match="immutable"):
        ensemble.base = np.zeros(1)
    with pytest.raises(AttributeError, match="immutable"):
        del ensemble.base
    with pytest.raises(ValueError, match="read-only"):
        ensemble.value[0] = 1


@pytest.mark.parametrize(
    "change",
    [
        {"base": [0.5]}, {"cut": 0.25}, {"link": "half_logistic"}, {"value": [-1, 2, -0.5, 0.25]},
        {"threshold": [30.5, 0, 0, 9.25, 0, 0]}, {"class_names": ["low", "top"]},
        {"feature_names": ["age", "pay"]}, {"row_dtype": "float32"}, {"sum_dtype": "float32"},
        {"divide_by": 2}, {"scale": 2}, {"offset": [1]}, {"ordered_sum": False},
        {"missing_left": [False] * 6}, {"takes_infinite": True}, {"missing_value": 0},
        {"categories": {1: ("a", "b")}}, {"link_scale": 2}, {"reading": {1: "whole part"}},
        {"reading": {1: "zero is missing"}},
    ],
)  # fmt: skip  # a table
def test_every_part_counts_for_equality(change: dict[str, Any]) -> None:
    ensemble = STUMPS()
    assert ensemble != STUMPS(**change)
    assert ensemble == STUMPS()
    assert STUMPS(**change) == STUMPS(**change)


def test_no_trees_and_one_leaf() -> None:
    none = cattleya.Ensemble([0], [], [], [], [], [], n_features=2, base=[1.5])
    assert none.predict([[0, 0], [1, 1]]).tolist() == [1.5, 1.5]
    assert (none.n_trees, none.n_leaves, none.depth) == (0, 0, 0)
    assert cattleya.Ensemble.from_json(none.to_json()) == none
    one = cattleya.Ensemble([0, 1], [-1], [-1], [-1], [0], [2.0], n_features=0)
    assert one.predict(np.zeros((3, 0))).tolist() == [2.0, 2.0, 2.0]
    assert "1 tree, 1 leaf" in repr(one)


def test_labels_become_codes() -> None:
    ensemble = cattleya.Ensemble(
        *([0, 3], [1, -1, -1], [2, -1, -1], [1, -1, -1], [0, 0, 0], [1.0, 2.0]), n_features=2,
        feature_names=["age", "job"], missing_left=[False] * 3, category_set=[0, -1, -1],
        set_start=[0, 2], set_codes=[0, 2], set_left=[True],
        categories={1: ("cook", "nurse", "clerk")},
    )  # fmt: skip  # as the arrays are thought of
    rows = [[1, "cook"], [1, "nurse"], [1, "clerk"], [1, "king"], [1, None]]
    assert ensemble.predict(rows).tolist() == [1, 2, 1, 2, 2]
    assert ensemble.predict({"job": "clerk", "age": 3}).tolist() == [1]
    assert cattleya.Ensemble.from_json(ensemble.to_json()) == ensemble


def test_too_close_where_the_order_of_the_sum_is_not_known() -> None:
    thirds = STUMPS(value=[-1 / 3, 2 / 3, -1 / 3, 1 / 3], cut=0.0, ordered_sum=False)
    assert thirds.too_close([[40, 10], [30, 20], [30, 5]]).tolist() == [False, True, False]
    assert not STUMPS(ordered_sum=False).rounding_bound.any()  # halves: no order rounds
    assert not STUMPS(value=[-1 / 3, 2 / 3, -1 / 3, 1 / 3]).rounding_bound.any()


def test_any_order_is_within_the_bound() -> None:
    random = np.random.default_rng(5)
    trees, leaves = 300, random.normal(size=300)
    start, alone = list(range(trees + 1)), [-1] * trees
    for dtype in ("float32", "float64"):
        numbers, tenth = leaves.astype(dtype), np.dtype(dtype).type(0.1)
        ensemble = cattleya.Ensemble(
            *(start, alone, alone, alone, [0.0] * trees, numbers), n_features=1,
            sum_dtype=dtype, ordered_sum=False, divide_by=7, base=[float(tenth)],
        )  # fmt: skip  # as the arrays are thought of
        (own,) = ensemble.margins([[0]])[0]
        for _ in range(200):
            order = random.permutation(np.append(numbers, tenth))
            total = numbers.dtype.type(0)
            for number in order:
                total += number
            total /= numbers.dtype.type(7)
            assert abs(float(total) - float(own)) <= ensemble.rounding_bound[0] < 1e-2


def damaged(**changes: Any) -> str:
    return json.dumps(json.loads(STUMPS().to_json()) | changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"), ("[]", "format"), (damaged(version=7), "version 7"),
        (damaged(left="AAAA"), "left must be a list"), (damaged(left=["AA"]), "base64"),
        (damaged(left=["AAA="]), "4 per number"), (damaged(left=["é"]), "base64"),
        (damaged(value=["AAAAAAAA+H8="]), "leaves"), (damaged(odd=1), "unknown"),
        (damaged(base=[]), "one output"), (damaged(n_features=10**9), "names"),
        (damaged(feature_names=None, n_features=2**31 - 1), "name them"),
        (damaged(categories=[1, 1, "a", 1, 1, "b"]), "once"),
        (damaged(categories=[9, 1, "a"]), "feature 9"), (damaged(cut="x"), "cut"),
        (damaged(cut="inf"), "cut is inf"), (damaged(link="run"), "link"),
        (damaged(takes_infinite=1), "true or false"), (damaged(scale=0), "scale"),
        (damaged(categories=[1, 5, "a"]), "lacks 4"), (damaged(categories=[1, -1]), "once"),
        (damaged(reading=[0]), "once"), (damaged(reading=[0, "x"]), "whole part"),
        (damaged(class_names=[math.pi, [1]]), "nested|label"),
    ],
)  # fmt: skip  # a table
def test_damaged_json_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cattleya.Ensemble.from_json(text)

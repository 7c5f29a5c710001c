"""What becomes of sums, and of rows on their way in: by the definitions, number by number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import cattleya
from cattleya._core import link32, link64
from tests.samples.ensembles import STUMPS


def test_links_are_those_of_the_c_library() -> None:
    sums = np.random.default_rng(0).normal(size=999) * 20  # math calls the C library, too
    assert link64("exp", sums, 1).tolist() == [math.exp(x) for x in sums]
    assert link64("logistic", sums, 1).tolist() == [1 / (1 + math.exp(-x)) for x in sums]
    assert link64("log1p_exp", sums, 1).tolist() == [math.log1p(math.exp(x)) for x in sums]
    expected = []
    for row in sums.reshape(-1, 3).tolist():
        shares = [math.exp(x - max(row)) for x in row]
        total = 0.0
        for share in shares:
            total += share
        expected += [share / total for share in shares]
    assert link64("softmax", sums, 3).tolist() == expected


def test_links_of_float32_are_near_those_of_float64() -> None:
    sums = (np.random.default_rng(0).normal(size=999) * 20).astype(np.float32)
    exact = sums.astype(np.float64)
    for name in ("exp", "logistic", "softmax"):
        assert np.allclose(link32(name, sums, 3), link64(name, exact, 3), rtol=2e-5, atol=1e-37)
    chances = link32("logistic", sums[abs(sums) < 10], 1)
    assert np.allclose(link32("logit", chances, 1), exact[abs(sums) < 10], rtol=1e-2, atol=1e-5)
    assert np.allclose(link32("log", link32("exp", sums, 1), 1), exact, rtol=1e-5, atol=1e-6)
    assert link32("logistic", np.array([-1e30, 1e30], dtype=np.float32), 1).tolist() == [
        pytest.approx(3e-39, abs=3e-39),
        1,
    ]


@pytest.mark.parametrize(
    ("function", "name", "sums", "width", "wrong"),
    [
        (link32, "sine", np.zeros(2, dtype=np.float32), 1, "no link called 'sine'"),
        (link64, "logit", np.zeros(2), 1, "no link called 'logit'"),
        (link64, "softmax", np.zeros(3), 2, "no whole rows of 2"),
        (link64, "softmax", np.zeros(3), 0, "no whole rows of 0"),
    ],
)
def test_what_is_no_link(function: Any, name: str, sums: Any, width: int, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        function(name, sums, width)


def _constant(*base: float, **changes: Any) -> cattleya.Ensemble:
    return cattleya.Ensemble(
        *([0], [], [], [], [], np.zeros((0, len(base))), 1), base=base,
        class_names=range(len(base)), decision="largest", **changes,
    )  # fmt: skip  # the first line has no trees


def test_equal_probabilities_of_different_sums_are_a_tie() -> None:
    base = (0.0, 1e-9, -1.0)
    by_sum = _constant(*base, link="c_softmax")
    assert by_sum.predict([[0]]).tolist() == [1]
    assert not by_sum.too_close([[0]]).any()
    single = [float(np.float32(x)) for x in base]
    by_chance = _constant(*single, link="c_softmax", by_probability=True, sum_dtype="float32")
    chances = by_chance.predict_proba([[0]])
    assert chances.dtype == np.float32
    assert chances[0, 0] == chances[0, 1]
    assert by_chance.predict([[0]]).tolist() == [0]
    assert by_chance.too_close([[0]]).all()
    assert not _constant(0, 1e-5, by_probability=True, link="c_softmax").too_close([[0]]).any()
    flat = _constant(40.0, 50.0, by_probability=True, link="c_logistic")
    assert flat.predict([[0]]).tolist() == [0]
    assert flat.too_close([[0]]).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("link", ["c_softmax", "c_logistic"])
def test_what_is_not_too_close_has_different_probabilities(dtype: str, link: str) -> None:
    random = np.random.default_rng(0)
    for _ in range(300):
        middle = float(np.dtype(dtype).type(random.normal() * 5))
        apart = float(10.0 ** random.uniform(-17, -2))
        base = [float(np.dtype(dtype).type(middle + apart * k)) for k in random.permutation(3)]
        ensemble = _constant(*base, link=link, by_probability=True, sum_dtype=dtype)
        if not ensemble.too_close([[0]])[0]:
            order = np.argsort(base)
            assert (np.diff(ensemble.predict_proba([[0]])[0][order]) > 0)[-1]
            assert ensemble.predict([[0]])[0] == order[-1]


def test_the_link_has_a_scale() -> None:
    twice = STUMPS(link="c_logistic", link_scale=2.0)
    assert twice.predict_proba([[31, 9]])[0, 1] == 1 / (1 + math.exp(-3.0))
    assert twice.margins([[31, 9]]).tolist() == [[1.5]]


def test_how_values_are_read() -> None:
    tree = ([0, 3], [1, -1, -1], [2, -1, -1], [0, -1, -1], [-0.25, 0, 0], [-1.0, 1.0], 1)

    def stump(**more: Any) -> cattleya.Ensemble:
        return cattleya.Ensemble(*tree, missing_left=[True, False, False], **more)

    rows = [[-0.5], [0.0], [1e-36], [2e-35], [0.5]]
    assert stump().predict(rows).tolist() == [-1, 1, 1, 1, 1]
    zero = stump(reading={0: "zero is missing"})
    assert zero.predict(rows).tolist() == [-1, -1, -1, 1, 1]
    whole = stump(reading={0: "whole part"})
    assert whole.predict(rows).tolist() == [1, 1, 1, 1, 1]
    assert cattleya.Ensemble.from_json(whole.to_json()) == whole != zero
    labels = {0: ["a", "b"]}
    missing = stump(categories=labels)
    assert missing.predict([["c"], ["a"]]).tolist() == [-1, 1]
    known = stump(categories=labels, reading={0: "known labels"})
    assert known.predict([[None], ["b"], [math.nan]]).tolist() == [-1, 1, -1]
    with pytest.raises(ValueError, match="'x0' is 'c', a category that the model does not know"):
        known.predict([["c"]])


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"link_scale": 0}, "link_scale is 0"),
        ({"link_scale": "1"}, "link_scale must be a number"),
        ({"by_probability": 1}, "by_probability must be True or False"),
        ({"by_probability": True}, "by_probability needs the decision 'largest'"),
        ({"reading": {9: "whole part"}}, "feature 9 of reading is not there"),
        ({"reading": {0: "aloud"}}, "reading must be one of 'whole part'"),
    ],
)
def test_what_cannot_be(changes: dict[str, Any], wrong: str) -> None:
    with pytest.raises((ValueError, TypeError), match=wrong):
        STUMPS(**changes)

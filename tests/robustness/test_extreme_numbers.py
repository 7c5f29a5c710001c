"""Numbers at the ends of what floating point can hold, and beyond."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import cattleya
from tests.checks.explanation import naming

HUGE = 10**400
ROUNDING = Fraction(1, 10**14)
WIDE = np.finfo(np.longdouble).maxexp > np.finfo(np.float64).maxexp


SIZES = [
    (1e-320, 1e-250), (1e-320, 1.0), (1e-200, 1e180), (1.0, 1.0), (1e100, 1e-250), (1e200, 1e180),
    (8e307, 1.0), (8e307, 1e180),
]  # fmt: skip  # a list in few lines


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def two_numbers(first: float, second: float) -> cattleya.Tree:
    """Class 1 above both thresholds, class 2 above the first alone."""
    return cattleya.Tree(
        [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -1, 1, -1, -1],
        [first, 0, second, 0, 0], [-1, 0, -1, 2, 1], n_features=2, feature_names=["a", "b"],
    )  # fmt: skip  # arrays of nodes, side by side


def exact(before: Any, after: Any, weights: Any, power: int) -> Fraction:
    moves = (abs(Fraction(x) - Fraction(y)) for x, y in zip(before, after, strict=True))
    costs = (m * Fraction(w) for m, w in zip(moves, weights, strict=True))
    return sum((cost**power for cost in costs), Fraction())


@pytest.mark.skipif(not WIDE, reason="no number here has a wider exponent than a double")
@pytest.mark.parametrize("metric", ["l0", "l1", "l2"])
@pytest.mark.parametrize(("size", "other"), SIZES)
def test_the_nearest_is_found_at_every_size(metric: str, size: float, other: float) -> None:
    tree = two_numbers(size, other)
    rows = [[-size, -other], [size, 2 * other], [np.nextafter(size, np.inf), -other]]
    weights = {"a": 1.0, "b": 0.5}
    power = 2 if metric == "l2" else 1
    for row in rows:
        e = cattleya.Explainer(tree).explain(row)
        found = e.counterfactuals(5, metric=metric, weights=weights)
        above = [
            (own, t, np.nextafter(t, np.inf)) for own, t in zip(row, (size, other), strict=True)
        ]
        corners = {point: tree.predict([point])[0] for point in product(*above)}

        def rank(point: Any, row: Any = row) -> tuple[int, Fraction]:
            count = sum(x != y for x, y in zip(row, point, strict=True))
            return (count if metric == "l0" else 0, exact(row, point, weights.values(), power))

        best = {label: min(rank(point) for point, own in corners.items() if own == label)
                for label in set(corners.values()) - {e.prediction}}  # fmt: skip  # as set notation
        assert {cf.prediction: rank(cf.row) for cf in found} == best
        ranks = [rank(cf.row) for cf in found]
        # In order, but for what is lost when doubles are added.
        for (few, near), (more, far) in pairwise(ranks):
            assert few < more or (few == more and near <= far * (1 + ROUNDING))


@pytest.mark.parametrize("metric", ["l1", "l2"])
def test_a_distance_beyond_all_numbers_is_infinite(metric: str) -> None:
    tree = two_numbers(1.7e308, 0.0)
    e = cattleya.Explainer(tree).explain([-1.7e308, 0.0])
    (found,) = e.counterfactuals(metric=metric)
    assert found.row[0] > 1.7e308
    assert np.isinf(found.distance)
    (found,) = e.counterfactuals(metric=metric, weights={"a": 1e-10})
    assert np.isfinite(found.distance)


def test_fairness_of_extreme_rows() -> None:
    tree = two_numbers(1.7e308, 0.0)
    explainer = cattleya.Explainer(tree)
    row = [-1.7e308, 0.0]
    fair = explainer.explain(row).is_fair(["a"])
    assert not fair
    assert tree.predict([fair.witness])[0] == fair.prediction != 0
    assert not explainer.is_fair([row], ["a"]).fair.any()


def test_data_that_is_no_measure() -> None:
    e = cattleya.Explainer(two_numbers(0.0, 0.0)).explain([-1.0, 0.0])
    for scale in ("range", "mad"):
        with pytest.raises(ValueError, match=naming("'a'", "weights")):
            e.counterfactuals(metric="l1", data=[[-1.7e308, 0], [1.7e308, 1]], weights=scale)


def test_whole_numbers_that_single_precision_does_not_have() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(2**24, 2**26, size=(300, 2)).astype(float)
    label = values[:, 0] + values[:, 1] > 2**26
    model = DecisionTreeClassifier(random_state=0).fit(values, label)
    explainer = cattleya.Explainer(model, ["a", "b"], integer=True)
    for row in values[:40]:
        e = explainer.explain(row)
        for metric in ("l0", "l1"):
            for found in e.counterfactuals(3, metric=metric):
                assert model.predict([found.row])[0] == found.prediction
                for change in found.changes:
                    assert found.row["ab".index(change.feature)] == change.after
        odd = (2**25 + 1, 2**25 + 1)
        try:
            (found,) = e.counterfactuals(ranges={"a": odd, "b": odd})
        except cattleya.NoSuchCounterfactual:
            continue
        for change in found.changes:
            assert change.after == 2**25 + 1 == found.row["ab".index(change.feature)]


def test_numbers_too_large_for_floating_point() -> None:
    tree = two_numbers(0.0, 0.0)
    e = cattleya.Explainer(tree).explain([-1.0, 0.0])
    with pytest.raises(ValueError, match=naming("'a'", "bound")):
        e.counterfactuals(ranges={"a": (HUGE, None)})
    with pytest.raises(ValueError, match=naming("'a'", "positive")):
        e.counterfactuals(weights={"a": HUGE})
    with pytest.raises(ValueError, match=naming("2\\^", "120")):
        e.minimal_reason(weights={"a": HUGE})
    with pytest.raises(ValueError, match=naming("'a'", "code")):
        cattleya.Explainer(tree, categories={"a": {HUGE: "much", 0: "none"}})
    with pytest.raises(ValueError, match="'a'"):
        cattleya.Explainer(tree).explain({"a": HUGE, "b": 0})


NOTHING: dict[str, Any] = {
    "verify": lambda e: e.verify(None),
    "is_contrastive": lambda e: e.is_contrastive(None),
    "generalise": lambda e: e.generalise(None),
    "representative": lambda e: e.representative(None),
    "is_fair": lambda e: e.is_fair(None),
    "is_free_of": lambda e: e.is_free_of(None),
    "immutable": lambda e: e.counterfactuals(immutable=None),
    "including": lambda e: e.compile().count(including=None),
    "excluding": lambda e: e.compile().importance(excluding=None),
}


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
@pytest.mark.parametrize("what", NOTHING)
def test_none_is_no_list(what: str, over: str) -> None:
    e = cattleya.Explainer(two_numbers(0.0, 0.0), over=over).explain([1.0, 1.0])
    with pytest.raises(TypeError, match=naming("None", "conditions|features")):
        NOTHING[what](e)


@pytest.mark.parametrize("what", ["exclude", "immutable"])
def test_none_is_no_list_of_features(what: str) -> None:
    explainer = cattleya.Explainer(two_numbers(0.0, 0.0))
    nothing: dict[str, Any] = {what: None}
    with pytest.raises(TypeError, match=naming(what, "None")):
        explainer.explain([1.0, 1.0], **nothing)
    with pytest.raises(TypeError, match=naming("protected", "None")):
        explainer.is_fair([[1.0, 1.0]], None)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
def test_what_nothing_reads_is_refused(over: str) -> None:
    e = cattleya.Explainer(two_numbers(0.5, 0.5), over=over).explain([1.0, 1.0])
    for ask in (e.is_contrastive, e.generalise):
        with pytest.raises(ValueError, match=naming("'b > 0.7'")):
            ask(["b > 0.7"])
    with pytest.raises(ValueError, match=naming("'c > 0.7'")):
        e.verify(["c > 0.7"])
    own = str(e.contrastive()[0].conditions[0])
    assert e.is_contrastive([own])
    if over != "features":
        assert not e.is_contrastive(["b <= 0.5"])  # known, but not the row's

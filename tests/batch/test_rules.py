"""Few rules that cover the rows of each class: against all boxes there are, and counted anew."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.reasons.short.share import Share

ROWS = np.array(list(product((0.0, 1.0), repeat=3)))


def drawn(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, len(ROWS))
    label[0] = 1 - label[-1]
    return DecisionTreeClassifier(random_state=seed).fit(ROWS, label)


def fewest(predicted: np.ndarray, wanted: int) -> int:
    """Return how few boxes of one class cover its rows: all families of all boxes are tried."""
    boxes = []
    for sides in product((None, 0.0, 1.0), repeat=3):
        inside = np.ones(len(ROWS), dtype=bool)
        for column, side in enumerate(sides):
            if side is not None:
                inside &= ROWS[:, column] == side
        if (predicted[inside] == wanted).all():
            boxes.append(inside)
    rows = predicted == wanted
    for count in range(1, len(boxes) + 1):
        for chosen in combinations(boxes, count):
            if (np.logical_or.reduce(chosen) >= rows).all():
                return count
    raise AssertionError("a class has a row")


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
@pytest.mark.parametrize("seed", range(6))
def test_rules_without_exceptions_cover_all_rows(seed: int, over: str) -> None:
    model = drawn(seed)
    predicted = model.predict(ROWS)
    found = cattleya.Explainer(model, over=over).rules(ROWS)
    assert [one.prediction for one in found.classes] == sorted(set(predicted.tolist()))
    for one in found.classes:
        own, covered = predicted == one.prediction, np.zeros(len(ROWS), dtype=bool)
        for rule in one.rules:
            rows = rule.reason.covers(ROWS)
            assert rule.forces
            assert not (rows & ~own).any()
            covered |= rows
            assert rule.together == Share(int(covered.sum()), int(covered.sum()), len(ROWS))
        assert (covered == own).all()
        assert (one.rows, one.covered, one.unasked) == (own.sum(), own.sum(), 0)
        least = fewest(predicted, one.prediction)
        assert one.at_least <= least <= len(one.rules)
        assert not one.proved_fewest or least == len(one.rules)
    assert len(found) == sum(len(one.rules) for one in found.classes)


def table(seed: int, rows: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 6, size=(rows, 4)).astype(float)


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, RandomForestClassifier])
def test_short_rules_are_counted_on_both_tables(kind: Any) -> None:
    rows, others = table(0, 300), table(1, 200)
    label = np.where(rows[:, 0] * rows[:, 1] + rows[:, 2] > 8, "yes", "no")
    given = {"n_estimators": 3} if kind is RandomForestClassifier else {}
    model = kind(random_state=0, **given).fit(rows, label)
    found = cattleya.Explainer(model).rules(rows, 0.9, 2, held_out=others)
    assert found.wanted == Fraction(9, 10)
    for one in found.classes:
        together = np.zeros(len(rows), dtype=bool), np.zeros(len(others), dtype=bool)
        for rule in one.rules:
            assert len(rule.reason) <= 2
            assert not rule.forces
            for share, X, union in zip(
                (rule.share, rule.held_out), (rows, others), together, strict=True
            ):
                covered, own = rule.reason.covers(X), model.predict(X) == one.prediction
                assert share == Share((covered & own).sum(), covered.sum(), len(X))
                np.logical_or(union, covered, out=union)
            assert rule.precision >= Fraction(9, 10)
            assert rule.coverage >= Fraction(1, 100)
        for share, X, union in zip(
            (one.union, one.held_out), (rows, others), together, strict=True
        ):
            own = model.predict(X) == one.prediction
            assert share == Share((union & own).sum(), union.sum(), len(X))
        assert not one.proved_fewest
    assert "together they are right for" in str(found)


def test_what_no_rule_covers_is_said() -> None:
    rows = table(0, 200)
    model = DecisionTreeClassifier(random_state=0).fit(rows, rows[:, 0] * rows[:, 1] > 5)
    explainer = cattleya.Explainer(model)
    every = explainer.rules(rows)
    few = explainer.rules(rows, max_size=1)
    assert all(len(rule.reason) <= 1 for rule in few)
    assert [one.unasked for one in few.classes] == [0, 0]
    assert sum(one.covered for one in few.classes) < 200 == sum(c.covered for c in every.classes)
    half = explainer.rules(rows, cover=0.5)
    assert len(half) < len(every)
    stopped = explainer.rules(rows, timeout=1e-9)
    assert [one.unasked for one in stopped.classes] == [one.rows for one in stopped.classes]
    with pytest.raises(ValueError, match="each row has its own"):
        cattleya.Explainer(_regressor(rows)).rules(rows)


def _regressor(rows: np.ndarray) -> Any:
    from sklearn.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(max_depth=3).fit(rows, rows.sum(axis=1))

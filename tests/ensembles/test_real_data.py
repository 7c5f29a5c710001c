"""Reasons of forests on real data: random rows inside them, and witnesses against others."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import RandomForestClassifier

import cattleya
from tests.samples.explained_ensembles import forest

DATA = {"cancer": load_breast_cancer, "wine": load_wine}


@cache
def _model(name: str, depth: int | None) -> tuple[Any, Any, cattleya.Ensemble]:
    data = DATA[name]()
    model = RandomForestClassifier(20, max_depth=depth, random_state=0).fit(data.data, data.target)
    return data, model, forest(model)


@pytest.mark.parametrize("depth", [3, None])
@pytest.mark.parametrize("name", DATA)
def test_ten_thousand_rows_inside_a_reason_have_its_class(name: str, depth: int | None) -> None:
    data, model, ensemble = _model(name, depth)
    rng = np.random.default_rng(0)
    explainer = cattleya.Explainer(ensemble, over="intervals")
    for place in (0, 60, 120, 170):
        e: Any = explainer.explain(data.data[place])
        assert e.prediction == model.predict(data.data[[place]])[0]
        reason = e.sufficient_reason(timeout=30)
        drawn = data.data[
            rng.integers(len(data.data), size=(10_000, data.data.shape[1])),
            range(data.data.shape[1]),
        ]
        for condition in reason:  # what the reason says is as in the row
            drawn[:, condition.index] = np.where(
                condition.holds_in(drawn),
                drawn[:, condition.index],
                data.data[place, condition.index],
            )
        inside = drawn[reason.covers(drawn)]
        assert len(inside) > 1000
        assert (model.predict(inside) == e.prediction).all()
        for condition in reason if reason.irredundant else ():
            rest = [other for other in reason if other != condition]
            assert not e.is_sufficient(rest)


def test_a_contrast_is_shown_by_a_row_of_the_model() -> None:
    data, model, ensemble = _model("wine", 3)
    e: Any = cattleya.Explainer(ensemble, over="features").explain(data.data[0])
    (contrast,) = e.contrastive(limit=1, timeout=60)
    (nearest,) = e.counterfactuals(timeout=60)
    assert len(nearest.changes) == len(contrast)
    assert model.predict(nearest.row[None, :])[0] != e.prediction


def test_time_that_runs_out_leaves_a_proved_reason() -> None:
    data, _, ensemble = _model("cancer", None)
    e: Any = cattleya.Explainer(ensemble, over="intervals").explain(data.data[5])
    reason = e.sufficient_reason(timeout=0.001)
    assert set(reason.undecided) <= set(reason)
    assert reason.irredundant == (not reason.undecided)
    assert e.is_sufficient(reason)


def test_a_smallest_reason_is_no_longer_than_another() -> None:
    data, _, ensemble = _model("wine", 3)
    explainer: Any = cattleya.Explainer(ensemble, over="intervals")
    for place in (0, 80, 150):
        e = explainer.explain(data.data[place])
        least = e.minimal_reason(timeout=60)
        assert e.is_sufficient(least)
        assert len(least) <= len(e.sufficient_reason(timeout=60))


def test_time_that_runs_out_leaves_a_least_size() -> None:
    data, _, ensemble = _model("cancer", None)
    e: Any = cattleya.Explainer(ensemble, over="intervals").explain(data.data[5])
    with pytest.raises(cattleya.TimeoutExpired, match=r"every reason has \d+ or more"):
        e.minimal_reason(timeout=0.01)


@pytest.mark.parametrize("ask", ["count", "importance", "count_by_size", "compile"])
def test_what_cannot_be_told_is_refused(ask: str) -> None:
    data, _, ensemble = _model("wine", 3)
    e: Any = cattleya.Explainer(ensemble).explain(data.data[0])
    with pytest.raises(TypeError, match="is not offered for ensembles"):
        getattr(e, ask)()
    with pytest.raises(TypeError, match="not offered for ensembles"):
        cattleya.Explainer(ensemble).explain_all(data.data[:2], ["count"])

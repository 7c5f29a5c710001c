"""Text, pages, JSON, tables, summaries and commands about an ensemble."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)

import cattleya
from cattleya import plots

NAMES = ["age", "hours", "children"]


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.integers(0, 9, (120, 3)), columns=NAMES)


@pytest.fixture(scope="module")
def forest(frame: pd.DataFrame) -> Any:
    label = np.where(frame.age + frame.hours > 8, "yes", "no")
    return RandomForestClassifier(5, max_depth=3, random_state=0).fit(frame, label)


def test_a_summary_in_words_says_what_is_not_counted(forest: Any, frame: pd.DataFrame) -> None:
    text = str(cattleya.Explainer(forest, over="intervals", data=frame).explain(frame.iloc[[0]]))
    assert "Why yes?" in text or "Why no?" in text
    assert "The reasons of an ensemble are not counted" in text
    assert "proved again, not by the search that found it" in text
    assert "FAILED" not in text


@pytest.mark.parametrize("over", ["features", "intervals"])
def test_a_page_of_every_vocabulary(forest: Any, frame: pd.DataFrame, over: str) -> None:
    e = cattleya.Explainer(forest, over=over).explain(frame.iloc[[3]])
    page = e.to_html(data=frame)
    assert "What an ensemble of trees decided" in page
    assert "an ensemble of 5 trees" in page
    assert "path through the tree" not in page
    assert "cattleya-explanation" in e._repr_html_()


def test_json_has_null_for_counts(forest: Any, frame: pd.DataFrame) -> None:
    e = cattleya.Explainer(forest, over="intervals").explain(frame.iloc[[3]])
    found = json.loads(e.to_json())
    assert found["prediction"] == forest.predict(frame.iloc[[3]])[0]
    assert found["count"] is found["importance"] is None
    assert found["irredundant"] is True
    assert found["open"] == []
    assert [one["text"] for one in found["sufficient_reason"]]


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
def test_explainers_and_explanations_are_pickled(
    forest: Any, frame: pd.DataFrame, over: str
) -> None:
    explainer = cattleya.Explainer(forest, over=over, data=frame)
    e = explainer.explain(frame.iloc[[3]], exclude=["children"])
    reason = e.sufficient_reason()
    for loaded in (
        pickle.loads(pickle.dumps(e)),
        pickle.loads(pickle.dumps(explainer)).explain(frame.iloc[[3]], exclude=["children"]),
    ):
        assert loaded.sufficient_reason() == reason
        assert loaded.prediction == e.prediction
    assert pickle.loads(pickle.dumps(reason)) == reason


def test_what_is_infinitely_far_can_be_changed() -> None:
    X = np.repeat([[0.0, 0.0], [1.0, 0.0]], 20, axis=0)
    model = HistGradientBoostingClassifier(max_iter=3).fit(X, X[:, 0])
    e = cattleya.Explainer(model, over="intervals").explain([np.inf, 0.0])
    assert not e.is_fair(["x0"])
    for metric in ("l0", "l1", "l2"):
        (found,) = e.counterfactuals(metric=metric)
        assert model.predict([found.row]).tolist() == [0.0]
    # So far that distances overflow.
    far = [-1e308, 0, 0] * 2
    nodes = [0, 3, 6], [1, -1, -1, 4, -1, -1], [2, -1, -1, 5, -1, -1], [0, -1, -1] * 2
    ensemble = cattleya.Ensemble(
        *nodes, far, [-1, 1, -1, 1], n_features=1, class_names=["a", "b"], decision="threshold"
    )
    e = cattleya.Explainer(ensemble, over="intervals").explain([1.7e308])
    for metric in ("l0", "l1", "l2"):
        (found,) = e.counterfactuals(metric=metric)
        assert found.row[0] <= -1e308


def test_a_table_of_many_rows(forest: Any, frame: pd.DataFrame) -> None:
    explainer = cattleya.Explainer(forest, over="intervals")
    want = ["sufficient", "minimal", "contrastive", "necessary"]
    table = explainer.explain_all(frame[:20], want, progress=False)
    assert (table["status"] == "ok").all()
    assert table["prediction"].tolist() == forest.predict(frame[:20]).tolist()
    for place, conditions in enumerate(table["sufficient_conditions"]):
        assert explainer.explain(frame.iloc[[place]]).verify(conditions)
    assert all(one == () for one in table["sufficient_open"])


def test_a_summary_of_many_rows(forest: Any, frame: pd.DataFrame) -> None:
    explainer = cattleya.Explainer(forest, over="intervals", data=frame)
    found = explainer.summarise(frame[:30], ["children"], progress=False)
    assert "the reasons of an ensemble are not counted" in " ".join(str(found).split())
    assert "Made by Cattleya" in str(found.to_html())
    fair = explainer.is_fair(frame[:30], ["children"])
    assert len(fair.rows) == len(found.unfair)
    for one, row in zip(explainer.counterfactuals(frame[:5]), frame[:5].to_numpy(), strict=True):
        (nearest,) = one
        assert forest.predict(pd.DataFrame([nearest.row], columns=NAMES))[0] == (nearest.prediction)
        assert (np.asarray(nearest.row) != row).sum() == nearest.distance
    for reason in found.cover.reasons:
        covered = frame[reason.reason.covers(frame)]
        assert (forest.predict(covered) == reason.prediction).all()


def test_numbers_are_shown(frame: pd.DataFrame) -> None:
    model = RandomForestRegressor(4, max_depth=3, random_state=0).fit(frame, frame.age * 100)
    target = cattleya.Value(at_least=400)
    e = cattleya.Explainer(model, over="intervals", target=target).explain(frame.iloc[[0]])
    text = str(e)
    assert ("at least 400" if e.prediction >= 400 else "below 400") in text
    assert "predicted" in text
    assert e.to_dict()["classes"] is None


@pytest.mark.parametrize("over", ["features", "intervals"])
def test_pictures_of_one_row(forest: Any, frame: pd.DataFrame, over: str) -> None:
    e: Any = cattleya.Explainer(forest, over=over, data=frame).explain(frame.iloc[[3]])
    drawn = [text.get_text() for text in plots.contrast(e).texts]
    assert drawn[:2] == [e.outcome, "no" if e.outcome == "yes" else "yes"]
    (contrast,) = e.contrastive(limit=1)
    assert len(drawn) == 2 + 2 * len({condition.feature for condition in contrast})
    *_, last = e.contrastive()
    assert plots.contrast(e, last).texts[0].get_text() == e.outcome
    rungs = plots.trade_off(e, frame).get_yticklabels()
    assert rungs[0].get_text() == "all rows"
    for refused in (plots.importance, plots.sizes, plots.tree):
        with pytest.raises(TypeError, match="ensemble"):
            refused(e)

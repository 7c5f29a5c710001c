"""Models of every library given as they are, targets, and pipelines, through the public names."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble as library
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import cattleya
from tests.samples.explained_ensembles import drawn

GRID = np.array(list(product(range(4), range(4), range(3))), dtype=float)
LABEL = (GRID[:, 0] + GRID[:, 1] > 3).astype(int) + (GRID[:, 2] > 1)
MODELS: dict[str, Any] = {
    "forest": lambda: library.RandomForestClassifier(4, max_depth=3, random_state=0),
    "extra": lambda: library.ExtraTreesClassifier(4, max_depth=3, random_state=0),
    "bag": lambda: library.BaggingClassifier(n_estimators=3, random_state=0),
    "boosted": lambda: library.GradientBoostingClassifier(n_estimators=3, random_state=0),
    "histogram": lambda: library.HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2),
    "ada": lambda: library.AdaBoostClassifier(n_estimators=4, random_state=0),
}


def _forced(model: Any, reason: Any, e: Any) -> bool:
    covered = GRID[reason.covers(GRID)]
    return bool((model.predict(covered) == e.prediction).all()) and len(covered) > 0


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_explained_as_it_is(name: str) -> None:
    model = MODELS[name]().fit(GRID, LABEL)
    for row in GRID[::9]:
        e: Any = cattleya.Explainer(model, over="intervals").explain(row)
        assert e.prediction == model.predict(row[None, :])[0]
        reason = e.sufficient_reason()
        for found in (reason, e.minimal_reason(), e.quick_reason(), e.reason()):
            assert _forced(model, found, e), (name, row, found)
        for fact in reason:
            fewer = [other for other in reason if other != fact]
            assert not e.is_sufficient(fewer)
        assert e.verify(reason)
        assert e.verify(str(e.reason())).sufficient
        for contrast in e.contrastive(limit=5):
            assert e.is_contrastive(contrast)
        assert e.relevant() == frozenset().union(*e.sufficient_reasons())
        assert e.necessary() == frozenset.intersection(*map(frozenset, e.sufficient_reasons()))
        assert e.relevant() | e.irrelevant() == e.conditions
        shortest = {frozenset(one) for one in e.minimal_reasons()}
        least = len(e.minimal_reason())
        every = {frozenset(one) for one in e.sufficient_reasons()}
        assert shortest == {one for one in every if len(one) == least}
        for feature in ("x0", "x1", "x2"):
            mentions = [feature in {c.feature for c in one} for one in every]
            assert e.is_free_of([feature]) == (not all(mentions))
            assert (feature in e.necessary_features()) == all(mentions)


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
def test_changes_lead_where_they_say(over: str) -> None:
    model = MODELS["forest"]().fit(GRID, LABEL)
    led = 0
    for row in GRID[::7]:
        e = cattleya.Explainer(model, over=over, integer=True).explain(row)
        for change in e.changes(limit=4):
            for to in change.destinations:
                led += 1
                changed = row.copy()
                for feature, value in to.nearest.items():
                    changed[int(feature[1:])] = value
                assert model.predict(changed[None, :])[0] == to.outcome != e.prediction
    assert led > 10


@pytest.mark.parametrize("over", ["features", "intervals"])
@pytest.mark.parametrize(
    "target",
    [
        cattleya.Value(at_least=1.0),
        cattleya.Value(below=0.5),
        cattleya.Value(between=(0.3, 1.2)),
        cattleya.Value(within=0.4),
        None,
    ],
)
def test_numbers_by_brute_force(target: Any, over: str) -> None:
    model = library.RandomForestRegressor(4, max_depth=3, random_state=1).fit(GRID, LABEL)
    numbers = model.predict(GRID)
    for row in GRID[::11]:
        e: Any = cattleya.Explainer(model, target=target, over=over).explain(row)
        (own,) = model.predict(row[None, :])
        assert e.prediction == own
        outcome = _outcomes(target, own)
        same = outcome(numbers) == outcome(np.array([own]))[0]
        reason = e.sufficient_reason()
        assert same[reason.covers(GRID)].all(), (row, str(reason))
        for fact in reason:
            fewer = [other for other in reason if other != fact]
            holds = np.logical_and.reduce([one.holds_in(GRID) for one in fewer], initial=True)
            assert not same[holds | np.zeros(len(GRID), bool)].all(), (row, str(reason), str(fact))
        assert e.verify(reason)
        if not same.all():
            (nearest,) = e.counterfactuals()
            (new,) = model.predict(nearest.row[None, :])
            assert nearest.prediction == new
            assert outcome(np.array([new]))[0] != outcome(np.array([own]))[0]
            assert nearest.distance == (GRID[~same] != row).sum(axis=1).min()


def _outcomes(target: Any, own: float) -> Any:
    """Return which of the outcomes in a row numbers come to, from the definition."""
    if target is None:
        return lambda n: np.sign(n - own)
    if target.at_least is not None:
        return lambda n: n >= target.at_least
    if target.below is not None:
        return lambda n: n < target.below
    if target.between is not None:
        low, high = target.between
        return lambda n: np.where(n < low, 0, np.where(n > high, 2, 1))
    return lambda n: np.where(np.abs(n - own) <= target.within, 0.0, np.sign(n - own))


@pytest.mark.parametrize("name", ["forest", "boosted", "histogram", "ada"])
def test_probabilities_to_the_last_bit(name: str) -> None:
    label = LABEL if name == "forest" else LABEL > 0
    model = MODELS[name]().fit(GRID, label)
    for place, cls in enumerate(model.classes_):
        shares = model.predict_proba(GRID)[:, place]
        exact = shares[::13] if name != "ada" else shares[::13] + 1e-9  # its last bits waver
        for threshold in {*exact.tolist(), 0.3}:
            at_least = cattleya.Probability(cls.item(), at_least=threshold)
            below = cattleya.Probability(cls.item(), below=threshold)
            first = cattleya.Explainer(model, target=at_least, over="features")
            second = cattleya.Explainer(model, target=below, over="features")
            for row, share in list(zip(GRID, shares, strict=True))[::6]:
                e = first.explain(row)
                word = "at least" if share >= threshold else "below"
                assert e.outcome.startswith(f"probability of {cls} {word}")
                assert second.explain(row).outcome == e.outcome
                reason = e.sufficient_reason()
                assert ((shares >= threshold) == (share >= threshold))[reason.covers(GRID)].all()


def test_a_boosted_model_of_three_classes_has_no_threshold_on_one() -> None:
    model = MODELS["boosted"]().fit(GRID, LABEL)
    with pytest.raises(TypeError, match="explain the predicted class"):
        cattleya.Explainer(model, target=cattleya.Probability(1, at_least=0.3))
    with pytest.raises(ValueError, match=r"cattleya\.Probability"):
        cattleya.Explainer(model, target=cattleya.Value(at_least=0.3))
    forest = library.RandomForestRegressor(2).fit(GRID, LABEL)
    with pytest.raises(ValueError, match=r"cattleya\.Value"):
        cattleya.Explainer(forest, target=cattleya.Probability(1, at_least=0.3))


def _table() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, 300),
            "job": rng.choice(["nurse", "clerk", "cook"], 300),
            "hours": rng.integers(0, 60, 300),
        }
    )
    grown = (frame.age > 40) & (frame.job != "cook") | (frame.hours > 45)
    return frame, np.where(grown, "yes", "no")


def test_a_pipeline_is_explained_in_its_own_columns() -> None:
    frame, label = _table()
    forest = library.RandomForestClassifier(8, max_depth=4, random_state=0)
    columns = make_column_transformer((OneHotEncoder(), ["job"]), (StandardScaler(), ["age"]))
    model = make_pipeline(columns.set_params(remainder="passthrough"), forest).fit(frame, label)
    explainer = cattleya.Explainer(model, over="intervals", data=frame)
    assert "only whole numbers are possible for age, hours" in explainer.assumptions
    for place in range(0, 60, 6):
        row = frame.iloc[[place]]
        e: Any = explainer.explain(row)
        assert e.prediction == model.predict(row)[0]
        assert {own.feature: own.value for own in e.values}["job"] == frame.job[place]
        reason = e.reason()
        assert {c.feature for c in reason} <= {"age", "job", "hours"}
        covered = frame[reason.covers(frame)]
        assert (model.predict(covered) == e.prediction).all()
        (nearest,) = e.counterfactuals()
        assert model.predict(nearest.row)[0] == nearest.prediction != e.prediction
        assert all(isinstance(c.after, (int, str)) for c in nearest.changes)
        fair = e.is_fair(["job"])
        jobs = pd.concat([row.assign(job=job) for job in ("nurse", "clerk", "cook")])
        assert bool(fair) == (len(set(model.predict(jobs))) == 1)
    with pytest.raises(ValueError, match="whole number"):
        explainer.explain(frame.iloc[[0]].assign(age=20.5))


def test_columns_of_one_value_each_are_a_category() -> None:
    rng = np.random.default_rng(3)
    matrix = np.column_stack((np.eye(3)[rng.integers(0, 3, 200)], rng.integers(0, 9, 200)))
    model = library.RandomForestClassifier(5, max_depth=3, random_state=0)
    names = ["job_clerk", "job_cook", "job_nurse", "years"]
    model.fit(pd.DataFrame(matrix, columns=names), (matrix[:, 1] == 1) | (matrix[:, 3] > 5))
    explainer = cattleya.Explainer(
        model, over="intervals", categories={"job": names[:3]}, integer=["years"]
    )
    e: Any = explainer.explain(dict(zip(names, [0, 1, 0, 2], strict=True)))
    assert str(e.reason()) == "job = cook"
    assert str(e.counterfactuals()[0]).startswith("job: cook -> ")


def test_missing_values_are_considered_where_the_row_has_some() -> None:
    matrix = np.where(np.random.default_rng(0).random(GRID.shape) < 0.0, np.nan, GRID)
    model = library.HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2)
    model.fit(matrix, LABEL > 0)
    explainer = cattleya.Explainer(model, over="intervals")
    assert "missing" not in str(explainer.explain(GRID[0]).sufficient_reason())
    gap = np.array([np.nan, 3.0, 2.0])
    e: Any = explainer.explain(gap)
    assert e.prediction == model.predict(gap[None, :])[0]
    assert e.verify(e.sufficient_reason())
    refusing = cattleya.Explainer(model, missing_values=False, over="intervals")
    with pytest.raises(ValueError, match=r"missing \(NaN\)"):
        refusing.explain(gap)


def test_proofs_over_conditions() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        ensemble = drawn(rng)
        e: Any = cattleya.Explainer(ensemble).explain(rng.integers(0, 5, ensemble.n_features))
        reason = e.sufficient_reason()
        assert e.verify(reason), seed
        if reason:
            refuted = e.verify(list(reason)[1:])
            assert not refuted.sufficient
            assert refuted.witness


def test_over_intervals_every_change_leads_somewhere() -> None:
    for name in ("forest", "boosted", "extra"):
        model = MODELS[name]().fit(GRID, LABEL)
        for row in GRID[::5]:
            e = cattleya.Explainer(model, over="intervals", integer=True).explain(row)
            for change in e.changes():
                assert change.destinations, (name, row, str(change.contrast))

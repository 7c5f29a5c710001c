"""Models of every library given as they are, targets, and pipelines, through the public names."""

from __future__ import annotations

import json
from itertools import permutations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble as library
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import cattleya
from cattleya.adapters.saved_models import read_saved
from tests.samples.drawn_boosters import draw_catboost, draw_lightgbm
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
    with pytest.raises(TypeError, match=r"the softmax of the sums.* of all 3 classes at once"):
        cattleya.Explainer(model, target=cattleya.Probability(1, at_least=0.3))
    with pytest.raises(ValueError, match=r"cattleya\.Probability"):
        cattleya.Explainer(model, target=cattleya.Value(at_least=0.3))
    forest = library.RandomForestRegressor(2).fit(GRID, LABEL)
    with pytest.raises(ValueError, match=r"cattleya\.Value"):
        cattleya.Explainer(forest, target=cattleya.Probability(1, at_least=0.3))


@pytest.mark.parametrize("form", ["lightgbm", "catboost"])
def test_a_threshold_on_one_class_against_the_others(form: str) -> None:
    """Models of one class against the others have a sum for each probability."""
    if form == "lightgbm":
        content = draw_lightgbm(3, "multiclassova num_class:3 sigmoid:1", 3).content.encode()
    else:
        content = json.dumps(draw_catboost(3, "MultiClassOneVsAll", 3).content).encode()
    model: Any = read_saved(content)
    values = (-2.0, 0.125, 0.75, 2.0, 4.0)
    grid = np.array(list(product(values, values, values, (0.0, 1.0, 32.0))))
    for place, label in enumerate(model.class_names):
        shares = model.predict_proba(grid)[:, place]
        threshold = float(np.sort(shares)[len(shares) // 2])
        target = cattleya.Probability(label, at_least=threshold)
        explainer = cattleya.Explainer(model, target=target, over="features")
        for row, share in list(zip(grid, shares, strict=True))[::37]:
            e: Any = explainer.explain(row)
            same = (shares >= threshold) == (share >= threshold)
            assert ("at least" in e.outcome) == (share >= threshold)
            reason = e.sufficient_reason()
            assert same[reason.covers(grid)].all()
            assert e.verify(reason)
            if not same.all():
                (nearest,) = e.counterfactuals()
                (found,) = model.predict_proba(np.asarray(nearest.row, float).reshape(1, -1))
                assert (found[place] >= threshold) != (share >= threshold)


@pytest.mark.parametrize("over", ["features", "intervals"])
def test_a_reason_holds_in_every_order_of_the_sum(over: str) -> None:
    """Several threads add in any order: all of them are tried."""
    grid, refused, asked = GRID[GRID[:, 0] < 3], 0, 0
    rng = np.random.default_rng(0)
    for seed in range(12):
        y = rng.integers(0, 2 + seed % 2, len(grid))
        model = library.RandomForestClassifier(4, max_depth=2, random_state=seed, n_jobs=2)
        leaves = [tree.predict_proba(grid) for tree in model.fit(grid, y).estimators_]
        sums = np.array([sum(order, np.zeros(1)) / 4 for order in permutations(leaves)])
        found = sums.argmax(axis=2)
        for place in range(seed % 3, len(grid), 6):
            own = model.classes_[found[0, place]]
            explainer = cattleya.Explainer(model, over=over)
            if cattleya.read_ensemble(model).too_close(grid[place : place + 1])[0]:
                refused += 1
                with pytest.raises(ValueError, match="too close to call"):
                    explainer.explain(grid[place])
                continue
            asked += 1
            e: Any = explainer.explain(grid[place])
            reason = e.sufficient_reason()
            covered = reason.covers(grid)
            assert (model.classes_[found[:, covered]] == own).all(), (seed, place)
            assert not cattleya.read_ensemble(model).too_close(grid[covered]).any()
            assert e.verify(reason)
            assert str(e)
    assert refused
    assert asked > 25


def test_sums_whose_probabilities_tie_are_decided_by_these() -> None:
    """Of two sums that differ in the last bit, the first class may win, though it has less."""
    small, next_one = 2.0**-10, 2.0**-10 + 2.0**-33
    stump: dict[str, Any] = {"left": [1, -1, -1], "right": [2, -1, -1]}
    by: dict[str, Any] = {"link": "c_softmax", "by_probability": True, "decision": "largest"}
    told = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        nodes: dict[str, Any] = {
            name: [c + 3 * t if c > 0 else c for t in range(3) for c in children]
            for name, children in stump.items()
        }
        feature = [f for t in range(3) for f in (t, -1, -1)]
        value = rng.choice([small, next_one, -small, 0.0], (6, 3))
        model = cattleya.Ensemble(
            [0, 3, 6, 9], **nodes, feature=feature, threshold=[0.5, 0, 0] * 3, value=value,
            n_features=3, class_names=["a", "b", "c"], base=[0, 0, 0], sum_dtype="float32", **by,
        )  # fmt: skip  # as it reads
        grid = np.array(list(product((0.0, 1.0), repeat=3)))
        decided = model.predict(grid)
        margins = model.margins(grid)
        told += int((margins.argmax(axis=1) != model.classes_of(margins)).sum())
        for row, own in zip(grid, decided, strict=True):
            e: Any = cattleya.Explainer(model, over="features").explain(row)
            assert e.prediction == own
            reason = e.sufficient_reason()
            assert (decided[reason.covers(grid)] == own).all(), seed
            for fact in reason:
                fewer = [other for other in reason if other != fact]
                holds = np.logical_and.reduce([c.holds_in(grid) for c in fewer], initial=True)
                assert (decided[holds | np.zeros(8, bool)] != own).any(), seed
            assert e.verify(reason)
    assert told


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

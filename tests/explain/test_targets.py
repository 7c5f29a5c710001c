"""Probabilities and numbers are explained as classes are: every target, every question."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import cattleya
from cattleya.explain.explainer import context_of
from cattleya.model.tree.target import checked_target, target_of_form
from cattleya.model.tree.threshold import Bound
from fuzz.__main__ import check
from fuzz.drawing import draw
from fuzz.targets import KINDS, targeted

NODES: dict[str, Any] = {
    "left": [1, -1, -1],
    "right": [2, -1, -1],
    "feature": [0, -1, -1],
    "threshold": [30.5, 0, 0],
    "n_features": 1,
    "feature_names": ["age"],
}
OVER = ("conditions", "features", "intervals")


def of_numbers(low: float, high: float, dtype: str = "float64") -> cattleya.Tree:
    """A tree that predicts one number up to an age of 30.5, and another above."""
    values = np.array([0, low, high], dtype=dtype)
    return cattleya.Tree(**NODES, leaf_class=None, leaf_value=values)


def of_chances(low: float, high: float, dtype: str = "float64") -> cattleya.Tree:
    """A tree with the probability of yes up to an age of 30.5, and above."""
    chances = np.array([[0, 0], [1 - low, low], [1 - high, high]], dtype=dtype)
    names = ["no", "yes"]
    return cattleya.Tree(
        **NODES, leaf_class=[-1, 0, 0], class_names=names, leaf_probability=chances
    )


@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize("kind", KINDS[1:])
def test_every_question_against_brute_force(kind: str, over: str, tmp_path: Path) -> None:
    asked = 0
    for seed in range(300):
        if asked < 5 and (kind == "number" or targeted(draw(seed), kind, seed).target is not None):
            check(seed, tmp_path, everything=True, kind=kind, over=over)
            asked += 1
    assert asked == 5


def test_what_is_predicted_and_what_is_explained() -> None:
    tree = of_numbers(95_000, 120_000)
    e = cattleya.Explainer(tree, target=cattleya.Value(at_least=100_000)).explain([20])
    assert (e.prediction, e.prediction_name, e.outcome) == (95_000, "95,000", "below 100,000")
    (nearest,) = e.counterfactuals()
    assert (nearest.prediction, nearest.outcome) == (120_000, "at least 100,000")
    assert e.counterfactuals(toward="at least 100,000")[0].outcome == nearest.outcome
    assert str(e).startswith("Decision: below 100,000 (predicted 95,000)\n\nWhy below 100,000?")
    assert "<title>below 100,000: why?" in e.to_html()
    assert str(e.is_fair(["age"])) == (
        "not fair: with age: 20 -> 31 the outcome is at least 100,000"
    )
    assert pickle.loads(pickle.dumps(e)).outcome == e.outcome
    chance = cattleya.Probability("yes", below=0.3)
    e = cattleya.Explainer(of_chances(0.1, 0.4), target=chance).explain([40])
    assert (e.prediction, e.outcome) == ("no", "probability of yes at least 0.3")
    assert "(it is 0.4; the class predicted is no)" in str(e)


def test_a_number_by_itself() -> None:
    explainer = cattleya.Explainer(of_numbers(1.5, 2.5))
    e = explainer.explain([20])
    assert (e.prediction, e.outcome) == (1.5, "exactly 1.5")
    assert e.contrastive(toward=2.5) == e.contrastive()
    assert "exactly the number that the model predicts" in explainer.assumptions[0]
    with pytest.raises(ValueError, match=r"toward=3 is no number of the model; it has 1.5, 2.5"):
        e.contrastive(toward=3)


@pytest.mark.parametrize(
    ("target", "outside", "inside"),
    [
        (cattleya.Value(at_least=5), "below 5", "at least 5"),
        (cattleya.Value(below=5), "at least 5", "below 5"),
        (cattleya.Value(between=(5, 6.5)), "below 5 or above 6.5", "at least 5 and at most 6.5"),
    ],
)
def test_the_words_and_the_ends_of_a_range(
    target: cattleya.Value, outside: str, inside: str
) -> None:
    above = np.nextafter(6.5, 9)
    for number in (np.nextafter(5, 0), 5.0, 6.5, above):
        e = cattleya.Explainer(of_numbers(number, 99), target=target).explain([20])
        is_inside = {
            "at_least": number >= 5,
            "below": number < 5,
            "between": 5 <= number <= 6.5,
        }[target.bound.kind]
        assert e.outcome == (inside if is_inside else outside)
        assert e.verify(e.sufficient_reason())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("threshold", [0.3, 0.1 + 0.2, 0.1, 1 / 3, 0.5, 1.0, 0.0])
def test_ties_are_those_of_numpy(threshold: float, dtype: str) -> None:
    own = np.dtype(dtype).type(threshold)
    near = [np.nextafter(own, own.dtype.type(end)) for end in (-1, 2)]
    for number in (own, *near, np.dtype(dtype).type(0.3), np.dtype(dtype).type(0.7)):
        tree = of_chances(float(number), 0.9, dtype)
        chance = tree.predict_proba([[20]])
        assert chance.dtype == dtype
        for target in (
            cattleya.Probability("yes", at_least=threshold),
            cattleya.Probability("yes", below=threshold),
        ):
            e = cattleya.Explainer(tree, target=target).explain([20])
            assert ("at least" in e.outcome) == (chance[0, 1] >= threshold)
            assert e.verify(e.direct_reason()).sufficient
        values = of_numbers(float(number), 0.9, dtype)
        e = cattleya.Explainer(values, target=cattleya.Value(at_least=threshold)).explain([20])
        assert ("at least" in e.outcome) == (values.predict([[20]])[0] >= threshold)


def test_a_threshold_beyond_32_bits() -> None:
    tree = of_numbers(1, 2, "float32")
    e = cattleya.Explainer(tree, target=cattleya.Value(below=1e300)).explain([20])
    assert e.outcome == "below 1e+300"
    assert e.minimal_reason().conditions == ()
    assert "32 bits" in e.assumptions[0]


THRESHOLDS = np.linspace(0, 1, 7).tolist()


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_probabilities_are_those_of_the_model(load: Any) -> None:
    X, y = load(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.1, 3, len(y))
    model = DecisionTreeClassifier(max_leaf_nodes=9, random_state=0).fit(X, y, weight)
    chances = model.predict_proba(X)
    assert np.array_equal(cattleya.Explainer(model).tree.predict_proba(X), chances)
    for place, label in enumerate(model.classes_.tolist()):
        # Every probability that there is, and its neighbours.
        own = np.unique(chances[:, place])
        near = np.nextafter(own, 0.5), own, np.nextafter(own, 2)
        for threshold in sorted({*THRESHOLDS, *np.clip(np.concatenate(near), 0, 1).tolist()}):
            target = cattleya.Probability(label, at_least=threshold)
            explainer = cattleya.Explainer(model, target=target)
            found = context_of(explainer).outcomes_of(X.astype(np.float32).astype(float))
            assert np.array_equal(found == 1, chances[:, place] >= threshold)


def test_numbers_are_those_of_the_model() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(max_leaf_nodes=40, random_state=0).fit(X, y)
    numbers = model.predict(X)
    matrix = X.astype(np.float32).astype(float)
    assert np.array_equal(cattleya.Explainer(model).tree.predict(X), numbers)
    targets: list[tuple[Any, Any]] = [
        (cattleya.Value(at_least=float(n)), numbers >= n) for n in np.unique(numbers)[::5]
    ]
    targets += [(cattleya.Value(below=float(n)), numbers < n) for n in np.unique(numbers)[::5]]
    low, high = map(float, np.quantile(numbers, [0.25, 0.75], method="nearest"))
    targets.append((cattleya.Value(between=(low, high)), (low <= numbers) & (numbers <= high)))
    for target, expected in targets:
        found = context_of(cattleya.Explainer(model, target=target)).outcomes_of(matrix)
        assert np.array_equal(found == 1, expected)
    far = float(abs(numbers[0] - numbers[1]))  # exactly as far as another row
    explainer = cattleya.Explainer(model, target=cattleya.Value(within=far))
    tree = explainer.tree
    for place in range(0, len(X), 60):
        e = explainer.explain(X[place])
        inside = np.abs(tree.leaf_value - numbers[place]) <= far
        leaves = tree.left < 0
        assert np.array_equal(e.tree.leaf_class[leaves] == 1, inside[leaves])
        assert e.row_class == 1
        assert e.verify(e.minimal_reason())


@pytest.mark.parametrize("over", OVER)
def test_many_rows_around_their_own_numbers(over: str) -> None:
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = DecisionTreeRegressor(max_leaf_nodes=90, random_state=0).fit(X, y)
    explainer = cattleya.Explainer(model, target=cattleya.Value(within=30), over=over)
    rows = X.iloc[:100]
    table = explainer.explain_all(rows, ["sufficient"], progress=False)
    nearest = list(explainer.counterfactuals(rows.iloc[:20]))
    fair = explainer.is_fair(rows, ["sex"])
    assert "their outcome" in str(fair)
    for place in range(0, 100, 7):
        e = explainer.explain(rows.iloc[[place]])
        row = table.iloc[place]
        assert row["prediction"] == e.prediction == model.predict(rows.iloc[[place]])[0]
        assert row["outcome"] == e.outcome
        assert row["sufficient"] == str(e.sufficient_reason())
        assert fair.fair[place] == bool(e.is_fair(["sex"]))
        if place < 20:
            assert [str(c) for c in nearest[place]] == [str(c) for c in e.counterfactuals()]
    assert len(explainer.is_fair(rows.iloc[:0], ["sex"]).fair) == 0


@pytest.mark.parametrize(
    "target",
    [
        None,
        cattleya.Value(at_least=150),
        cattleya.Value(within=20),
    ],
)
def test_summaries_speak_of_the_outcome(target: Any) -> None:
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = DecisionTreeRegressor(max_leaf_nodes=9, random_state=0).fit(X, y)
    summary = cattleya.Explainer(model, target=target).summarise(X.iloc[:20], progress=False)
    page = str(summary.to_html())
    assert "class " not in str(summary)
    if target is None:
        assert "What is explained: exactly the number predicted" in str(summary)
        assert "exactly " in page
        assert list(summary.features.columns) == ["importance", "necessary"]
    elif target.at_least:
        assert "whether the predicted number is at least 150" in str(summary)
        assert "importance, at least 150" in summary.features
        assert "below 150" in page
    else:
        assert "within 20 of the number predicted for the row" in str(summary)


@pytest.mark.parametrize("over", OVER)
def test_the_proof_decides_by_itself(over: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in the labels of the search is found, for every kind of range."""
    targets = (
        cattleya.Value(at_least=5),
        cattleya.Value(below=5),
        cattleya.Value(between=(1, 5)),
        cattleya.Value(within=1),
    )
    right = Bound.holds
    for target in targets:
        monkeypatch.setattr(Bound, "holds", lambda self, *given: ~right(self, *given))
        e = cattleya.Explainer(of_numbers(4, 9), target=target, over=over).explain([20])
        with pytest.raises(RuntimeError, match="another class than its explanation says"):
            e.verify(e.sufficient_reason())
        monkeypatch.setattr(Bound, "holds", right)
        e = cattleya.Explainer(of_numbers(4, 9), target=target, over=over).explain([20])
        assert e.verify(e.sufficient_reason())


def test_targets_as_values() -> None:
    classes = context_of(cattleya.Explainer(of_chances(0.1, 0.9))).model_classes
    for target in (
        cattleya.Probability("yes", at_least=0.3),
        cattleya.Value(below=3),
        cattleya.Value(between=(1, 2.5)),
        cattleya.Value(within=0),
    ):
        assert pickle.loads(pickle.dumps(target)) == target
        assert target_of_form(target.form(classes)) == target
        assert hash(target) == hash(pickle.loads(pickle.dumps(target)))
    assert cattleya.Value(at_least=3) == cattleya.Value(at_least=3.0)
    assert cattleya.Value(at_least=3) != cattleya.Value(below=3)
    assert repr(cattleya.Probability("yes", at_least=0.3)) == "Probability('yes', at_least=0.3)"
    assert checked_target(None).form(classes) is None
    for wrong in (3, {}, {"value": True}, {"value": 1, "below": 2}, {"value": True, "near": 2}):
        with pytest.raises(ValueError, match=r"target|exactly one"):
            target_of_form(wrong)


def test_names_of_classes_are_understood() -> None:
    tree = cattleya.Tree(**NODES, leaf_class=[-1, 0, 1], leaf_probability=[[0, 0], [1, 0], [0, 1]])
    for label in (1, "ill", np.int64(1)):
        target = cattleya.Probability(label, at_least=0.5)
        explainer = cattleya.Explainer(tree, class_names=["well", "ill"], target=target)
        assert explainer.explain([40]).outcome == "probability of ill at least 0.5"
        assert context_of(explainer).target_form == {"probability": 1, "at_least": 0.5}


def test_fingerprints() -> None:
    """Results of the class stay valid where only probabilities differ; others do not."""
    one, other = of_chances(0.1, 0.4), of_chances(0.2, 0.4)
    target = cattleya.Probability("yes", at_least=0.3)

    def hashes(tree: cattleya.Tree) -> tuple[str, str]:
        explainers = cattleya.Explainer(tree), cattleya.Explainer(tree, target=target)
        return tuple(context_of(explainer).tree_hash for explainer in explainers)  # type: ignore[return-value]  # two

    assert hashes(one)[0] == hashes(other)[0]
    assert len({*hashes(one), *hashes(other)}) == 3
    numbers = of_numbers(1, 2), of_numbers(1, 3), of_numbers(1, 2, "float32")
    assert len({context_of(cattleya.Explainer(tree)).tree_hash for tree in numbers}) == 3
    assert len(set(numbers)) == 3


@pytest.mark.parametrize("target", [None, cattleya.Value(at_least=150), cattleya.Value(within=20)])
def test_reasons_and_changes_to_show(target: Any) -> None:
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = DecisionTreeRegressor(max_leaf_nodes=20, random_state=0).fit(X, y)
    numbers = model.predict(X)
    e = cattleya.Explainer(model, target=target).explain(X.iloc[[3]])
    inside = numbers == numbers[3]
    if target is not None:
        near = np.abs(numbers - numbers[3]) <= 20
        inside = near if target.within else (numbers >= 150) == (numbers[3] >= 150)
    reason = e.reason()
    assert inside[reason.covers(X)].all()
    assert e.reach(reason, X).decisions == inside.sum()
    assert e.outcome in str(e.reach(reason, X))
    for change in e.changes(limit=3):
        assert all(to.outcome_name != e.outcome for to in change.destinations)

"""Counterfactuals against exhaustive search, at the edges of the grid, and what is said of none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.changes.counterfactual import Counterfactual, Question
from cattleya.changes.nearest import nearest
from cattleya.changes.prices import Sample
from cattleya.changes.regions import Regions
from cattleya.model.domain.domain import Category, Number
from cattleya.model.tree.tree import Tree
from tests.oracles.rows import measure
from tests.samples.models import numbers
from tests.samples.problems import MISSING, Problem, problems
from tests.samples.questions import about, domain_of, stump
from tests.samples.trees import SMALL

METRICS = st.sampled_from(["l0", "l1", "l2"])


def ask(problem: Problem, **arguments: Any) -> tuple[Counterfactual, ...]:
    """The library's answer."""
    tree, row = problem.nodes.build(), problem.row(problem.own)
    row_class = problem.nodes.class_of(row)
    question = Question(Regions(tree, problem.domain), row, row_class, tree.predict)
    return nearest(question, **arguments)


def usual(problem: Problem) -> list[list[int]]:
    """What may be had without constraints: what is there does not become missing."""
    return [
        [i for i, value in enumerate(kind.values) if value != MISSING or i == own]
        for kind, own in zip(problem.kinds, problem.own, strict=True)
    ]


def check(problem: Problem, permitted: list[list[int]], **arguments: Any) -> None:
    """Compare with the search over all permitted rows."""
    metric = arguments.get("metric", "l0")
    weights = arguments.get("weights") or {}
    expected = problem.nearest(permitted, metric, weights, arguments.get("toward"))
    if not expected:
        with pytest.raises(cattleya.NoSuchCounterfactual):
            ask(problem, **arguments)
        return
    found = ask(problem, n=4, **arguments)
    distances = [check_one(problem, cf, permitted, metric, weights) for cf in found]
    assert len(found) == min(4, len(expected))
    np.testing.assert_allclose(distances, expected[:4], rtol=1e-12)
    assert len({cf.row.tobytes() for cf in found}) == len(found)


def check_one(
    problem: Problem, cf: Counterfactual, permitted: list[list[int]], metric: str, weights: Any
) -> tuple[float, ...]:
    """A counterfactual is what it says; its distance, measured here."""
    label = problem.nodes.class_of(cf.row)
    assert label == cf.prediction
    assert label != problem.nodes.class_of(problem.row(problem.own))
    changed, costs = {}, []
    for number, kind in enumerate(problem.kinds):
        point = tuple(cf.row[list(kind.columns)])
        places = [i for i, known in enumerate(kind.points) if np.array_equal(point, known, True)]
        assert places  # one of its values: no group is broken, no number off its grid
        assert places[0] in permitted[number]
        if places[0] != problem.own[number]:
            before, after = kind.values[problem.own[number]], kind.values[places[0]]
            changed[kind.name] = tuple(None if v == MISSING else v for v in (before, after))
            costs.append(problem.cost(number, places[0], weights))
    assert {change.feature: (change.before, change.after) for change in cf.changes} == changed
    distance = tuple(measure(np.array(costs), len(changed), metric).tolist())
    assert math.isclose(cf.distance, distance[0], rel_tol=1e-12)
    return distance


@given(problems(), METRICS, st.booleans())
@settings(max_examples=300)
def test_distances_are_those_of_exhaustive_search(
    problem: Problem, metric: str, weighted: bool
) -> None:
    weights = {"a0": 0.3, "a1": 2.5, "a2": 1.25} if weighted else {}
    known = {kind.name for kind in problem.kinds}
    weights = {name: weight for name, weight in weights.items() if name in known}
    check(problem, usual(problem), metric=metric, weights=weights)


@given(problems(missing=True), METRICS)
@settings(max_examples=200)
def test_missing_values_stay_or_are_filled_in(problem: Problem, metric: str) -> None:
    check(problem, usual(problem), metric=metric)


@given(problems(missing=True), METRICS)
def test_a_value_becomes_missing_where_that_is_permitted(problem: Problem, metric: str) -> None:
    ranges = {kind.name: "missing" for kind in problem.kinds if kind.number}
    permitted = [list(range(len(kind.values))) for kind in problem.kinds]
    check(problem, permitted, metric=metric, ranges=ranges)


@given(problems(), METRICS, st.integers(0, 2))
def test_toward_a_class(problem: Problem, metric: str, label: int) -> None:
    own = problem.nodes.class_of(problem.row(problem.own))
    if label == own:
        with pytest.raises(ValueError, match="is the class that the row has"):
            ask(problem, toward=label)
    elif label < problem.nodes.n_classes:
        check(problem, usual(problem), metric=metric, toward=label)


@given(problems(), METRICS, st.sets(st.integers(0, 2)))
def test_immutable_attributes_stay(problem: Problem, metric: str, frozen: set[int]) -> None:
    permitted = usual(problem)
    frozen = {number for number in frozen if number < len(permitted)}
    for number in frozen:
        permitted[number] = [problem.own[number]]
    names = [problem.kinds[number].name for number in frozen]
    check(problem, permitted, metric=metric, immutable=names)


@given(problems(missing=True), METRICS, st.data())
@settings(max_examples=200)
def test_ranges_are_kept(problem: Problem, metric: str, data: st.DataObject) -> None:
    ranges: dict[str, Any] = {}
    permitted = usual(problem)
    for number, kind in enumerate(problem.kinds):
        own = kind.values[problem.own[number]]
        there = [value for value in kind.values if value != MISSING]
        if not kind.number:
            choice: Any = data.draw(st.sets(st.sampled_from(there)))
            fits = set(choice)
        else:
            low, high = sorted(data.draw(st.tuples(*[st.sampled_from(there)] * 2)))
            choice = data.draw(
                st.sampled_from(["increase", "decrease", (low, high), (None, high), (low, None)])
            )
            if choice == "increase":
                fits = {v for v in there if own == MISSING or v >= own}
            elif choice == "decrease":
                fits = {v for v in there if own == MISSING or v <= own}
            else:
                least = -math.inf if choice[0] is None else choice[0]
                most = math.inf if choice[1] is None else choice[1]
                fits = {v for v in there if least <= v <= most}
        ranges[kind.name] = choice
        permitted[number] = [
            i for i in permitted[number] if i == problem.own[number] or kind.values[i] in fits
        ]
    check(problem, permitted, metric=metric, ranges=ranges)


# Where the numbers come to lie


@given(
    st.floats(width=32, min_value=-(2.0**99), max_value=2.0**99),
    st.sampled_from([-1, 0, 1]),
    st.booleans(),
)
@settings(max_examples=300)
def test_the_nearest_float32_on_the_right_side(near: float, step: int, upwards: bool) -> None:
    """Thresholds on a number of the grid, and a double's step beside it."""
    threshold = math.nextafter(near, math.copysign(math.inf, step)) if step else near
    row = np.float32(near) + np.float32(-1e3 - abs(near) if upwards else 1e3 + abs(near))
    (found,) = nearest(about(stump(threshold), [row]))
    value = np.float32(found.row[0])
    assert float(value) == found.row[0]
    assert (value.astype(float) > threshold) == upwards
    back = np.nextafter(value, np.float32(-np.inf if upwards else np.inf))
    assert (back.astype(float) > threshold) != upwards


def test_a_fitted_tree_agrees_on_every_row() -> None:
    table, classes = numbers(n_classes=3)
    model = DecisionTreeClassifier(random_state=0).fit(table.to_numpy(), classes)
    explainer = cattleya.Explainer(model)
    for row in table.to_numpy():
        e = explainer.explain(row)
        question = about(explainer.tree, e.row, predict=model.predict)
        for metric in ("l0", "l1", "l2"):
            for cf in nearest(question, metric=metric):
                assert model.predict([cf.row])[0] == cf.prediction != e.prediction
                # What is printed can be typed in, and does the same.
                typed = e.row.copy()
                for part in str(cf).split(", "):
                    name, _, rest = part.partition(": ")
                    typed[int(name[1:])] = float(rest.split(" -> ")[1])
                assert model.predict([typed])[0] == cf.prediction


@pytest.mark.parametrize("integer", [False, True])
@given(st.floats(-3, 3), st.integers(-60, 120), st.floats(0.01, 50), st.floats(-90, 90))
def test_scaled_numbers_land_on_the_right_side(
    integer: bool, threshold: float, own: int, scale: float, mean: float
) -> None:
    """The pipeline's own arithmetic and cast decide; the next value before would not do."""

    def goes_right(value: float) -> bool:
        return float(np.float32((value - mean) / scale)) > threshold

    steps = (("add", -mean), ("divide", scale))
    domain = domain_of(Number("age", 0, integer=integer, steps=steps, raw=(0,)))
    seen = float(np.float32((own - mean) / scale))
    raw = np.array([[float(own)]])
    question = about(
        stump(threshold),
        [seen],
        domain,
        lambda rows: np.array(["yes" if goes_right(row[0]) else "no" for row in rows]),
        raw=raw,
    )
    (found,) = nearest(question, metric="l1")
    (value,) = found.row
    assert goes_right(value) != goes_right(own)
    towards = math.copysign(1, own - value)
    before = value + towards if integer else math.nextafter(value, towards * math.inf)
    assert goes_right(before) == goes_right(own)
    assert found.distance == abs(value - own)
    assert found.changes == (("age", own, value),)
    assert goes_right(float(str(found).split(" -> ")[1])) == goes_right(value)


def test_whole_numbers_too_large_for_float32() -> None:
    """Above 2^24 neighbours become one for the tree: the nearest that really goes right."""
    domain = domain_of(Number("id", 0, integer=True))
    (found,) = nearest(about(stump(2.0**24), [0.0], domain))
    (change,) = found.changes
    assert change.after == 2**24 + 2  # 2^24 + 1 is rounded down
    assert np.float32(change.after) > 2.0**24


def test_no_number_lies_beyond_the_largest() -> None:
    largest = float(np.finfo(np.float32).max)
    with pytest.raises(cattleya.NoSuchCounterfactual, match="every row gets the class 'no'"):
        nearest(about(stump(largest), [0.0]))
    with pytest.raises(cattleya.NoSuchCounterfactual, match="every row gets the class 'yes'"):
        nearest(about(stump(-2 * largest), [0.0]))


def test_a_test_for_missing_values() -> None:
    """scikit-learn's infinite threshold parts what is missing from what is not."""
    tree = stump(math.inf, missing_left=[False, False, False])
    with pytest.raises(cattleya.NoSuchCounterfactual):
        nearest(about(tree, [3.0]))
    (found,) = nearest(about(tree, [3.0]), ranges={"age": "missing"})
    assert math.isnan(found.row[0])
    assert str(found) == "age: 3 -> missing"
    (found,) = nearest(about(tree, [math.nan]))
    assert (str(found), found.distance) == ("age: missing -> 0", 1.0)
    (found,) = nearest(about(tree, [math.nan]), data=sample([[7.0], [math.nan], [9.0]]))
    assert str(found) == "age: missing -> 8"


def test_imputed_numbers() -> None:
    """A missing value that an imputer fills in stays missing, or becomes a number."""
    domain = domain_of(Number("age", 0, integer=True, extra=(38.5,), raw=(0,)))
    seen = stump(40.5)

    def predict(rows: Any) -> Any:
        return seen.predict(np.where(np.isnan(rows), 38.5, rows))

    question = about(seen, [38.5], domain, predict, raw=np.array([[math.nan]]))
    (found,) = nearest(question)
    assert (str(found), found.row.tolist()) == ("age: missing -> 41", [41.0])
    question = about(seen, [50.0], domain, predict, raw=np.array([[50.0]]))
    assert str(nearest(question)[0]) == "age: 50 -> 40"
    ranges = {"age": ["missing", (41, None)]}
    (found,) = nearest(question, ranges=ranges)
    assert str(found) == "age: 50 -> missing"
    assert math.isnan(found.row[0])


# Distances


def sample(rows: list[Any]) -> Sample:
    return Sample(lambda: np.array(rows, dtype=float))


def test_data_and_weights() -> None:
    tree = SMALL.build(feature_names=["age", "pay"])
    question = about(tree, [5.0, 0.0])  # class 0: x0 > 1.5 and x1 > -2
    plain = nearest(question, metric="l1", n=1)[0]
    assert (plain.distance, plain.changes) == (2.0, (("pay", 0.0, -2.0),))
    data = sample([[0.0, -10.0], [1.0, 0.0], [2.0, 5.0], [9.0, 10.0]])
    assert nearest(question, metric="l1", data=data)[0].distance == 2.0 / 20
    assert nearest(question, metric="l1", data=data, weights="mad")[0].distance == 2.0 / 5
    assert nearest(question, metric="l1", data=data, weights={"pay": 3})[0].distance == 6.0
    # A column that does not vary has no scale: a unit costs 1.
    assert nearest(question, metric="l1", data=sample([[1, 1]] * 3))[0].distance == 2.0
    for wrong in (0, -1, math.inf, True, "much"):
        with pytest.raises(ValueError, match="give a positive number"):
            nearest(question, weights={"pay": wrong})
    with pytest.raises(ValueError, match="needs data="):
        nearest(question, weights="mad")
    with pytest.raises(ValueError, match="'range' or 'mad', not 'sd'"):
        nearest(question, weights="sd", data=data)


def test_codes_have_an_order() -> None:
    school = Category("school", (0,), ("low", "middle", "high"), ((0.0,), (1.0,), (2.0,)))
    domain = domain_of(school)
    (found,) = nearest(about(stump(1.5), [1.0], domain), ranges={"school": "increase"})
    assert str(found) == "school: middle -> high"
    with pytest.raises(cattleya.NoSuchCounterfactual, match="school is limited to 'decrease'"):
        nearest(about(stump(1.5), [1.0], domain), ranges={"school": "decrease"})


def test_many_leaves_and_many_columns() -> None:
    """A complete tree with a variable of its own at every node: one change is enough."""
    depth = 12
    inner = 2**depth - 1
    left = [2 * i + 1 for i in range(inner)] + [-1] * (inner + 1)
    right = [2 * i + 2 for i in range(inner)] + [-1] * (inner + 1)
    tree = Tree(
        left,
        right,
        [*range(inner), *[-1] * (inner + 1)],
        [0.5] * inner + [0.0] * (inner + 1),
        [-1] * inner + [i % 2 for i in range(inner + 1)],
        n_features=inner,
        boolean=range(inner),
    )
    question = about(tree, np.ones(inner))
    found = nearest(question, n=5, metric="l2")
    assert [cf.distance for cf in found] == [1.0] + [math.sqrt(2)] * 4
    assert str(found[0]) == f"x{inner - 1}: 1 -> 0"

"""The values that users hold: Condition, Reason, Explanation, Verification, Explainer."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Set
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.model.conditions.condition import Comparison
from tests.samples.conditions import as_test
from tests.samples.trees import Nodes

# age <= 30.5 ? (income <= 2.0 ? no : yes) : (age <= 60.25 ? yes : no)
TREE = Nodes(
    left=(1, 2, -1, -1, 5, -1, -1),
    right=(4, 3, -1, -1, 6, -1, -1),
    feature=(0, 1, -1, -1, 0, -1, -1),
    threshold=(30.5, 2.0, 0.0, 0.0, 60.25, 0.0, 0.0),
    leaf_class=(-1, -1, 0, 1, -1, 1, 0),
    n_features=2,
).build(feature_names=("age", "income"), class_names=("no", "yes"))
EXPLAINER = cattleya.Explainer(TREE)


def explain(age: float = 20.0, income: float = 1.0) -> cattleya.Explanation:
    return EXPLAINER.explain([age, income])


def condition(text: str, e: cattleya.Explanation | None = None) -> Comparison:
    """The row's condition that prints like this."""
    (found,) = (c for c in (e or explain()).conditions if str(c) == text)
    return as_test(found)


# Conditions


def test_a_condition_says_what_it_is() -> None:
    young = condition("age <= 30.5")
    assert (young.feature, young.index, young.threshold, young.sense) == ("age", 0, 30.5, True)
    rich = condition("income > 2.0", explain(20, 5))
    assert (rich.feature, rich.index, rich.threshold, rich.sense) == ("income", 1, 2.0, False)


def test_negated() -> None:
    young = condition("age <= 30.5")
    assert str(young.negated()) == "age > 30.5"
    assert young.negated() != young
    assert young.negated().negated() == young
    assert young.negated() == condition("age > 30.5", explain(40))


def test_boolean_conditions_print_as_variables() -> None:
    e = cattleya.Explainer(cattleya.Tree.from_nested(("wet", 0, ("cold", 1, 0)))).explain([1, 0])
    assert {str(c) for c in e.conditions} == {"wet", "not cold"}
    assert {str(c.negated()) for c in e.conditions} == {"not wet", "cold"}
    assert {c.feature: as_test(c).sense for c in e.conditions} == {"wet": False, "cold": True}


def test_conditions_are_equal_by_value() -> None:
    again = condition(
        "age <= 30.5", cattleya.Explainer(pickle.loads(pickle.dumps(TREE))).explain([3, 3])
    )
    assert again == condition("age <= 30.5")
    assert hash(again) == hash(condition("age <= 30.5"))
    assert again != condition("age <= 60.25")
    assert again != "age <= 30.5"


def test_different_conditions_print_differently() -> None:
    close = np.nextafter(0.1, 1)
    tree = Nodes(
        (1, -1, 3, -1, -1), (2, -1, 4, -1, -1), (0, -1, 0, -1, -1),
        (0.1, 0.0, close, 0.0, 0.0), (-1, 0, -1, 1, 0), n_features=1,
    ).build()  # fmt: skip  # arrays of nodes, side by side
    assert len({str(c) for c in cattleya.Explainer(tree).explain([0.0]).conditions}) == 2


def test_a_condition_cannot_be_changed() -> None:
    young = condition("age <= 30.5")
    for name in ("feature", "threshold", "sense"):
        with pytest.raises(AttributeError):
            setattr(young, name, None)


# Reasons


def test_a_reason_is_a_set() -> None:
    reason = explain().direct_reason()
    young, poor = condition("age <= 30.5"), condition("income <= 2.0")
    assert isinstance(reason, Set)
    assert len(reason) == 2
    assert young in reason
    assert young.negated() not in reason
    assert set(reason) == {young, poor}
    both: list[Any] = [{young, poor}, frozenset([poor, young]), {young: 1, poor: 2}.keys(), reason]
    others: list[Any] = [{young}, {young, poor.negated()}, [young, poor], str(reason), None]
    assert all(reason == other and other == reason for other in both)
    assert all(reason != other and other != reason for other in others)
    assert reason > {young}
    assert not reason > {young, poor}
    assert not reason > {young.negated()}
    assert reason & {young} == {young}
    assert reason - {young} == {poor}
    assert reason | {poor} == reason
    assert reason.isdisjoint({young.negated()})


def test_a_direct_reason_goes_down_the_path_and_others_by_feature() -> None:
    tree = Nodes(
        left=(1, -1, 3, -1, -1),
        right=(2, -1, 4, -1, -1),
        feature=(1, -1, 0, -1, -1),
        threshold=(0.5, 0.0, 0.5, 0.0, 0.0),
        leaf_class=(-1, 0, -1, 0, 1),
        n_features=2,
    ).build()
    e = cattleya.Explainer(tree).explain([1, 1])
    assert str(e.direct_reason()) == "x1 > 0.5 and x0 > 0.5"
    assert str(e.sufficient_reason()) == "x0 > 0.5 and x1 > 0.5"
    (contrast,) = cattleya.Explainer(tree).explain([0, 0]).contrastive()
    assert str(contrast) == "x0 <= 0.5 and x1 <= 0.5"


@pytest.mark.parametrize("number", range(0, 178, 20))
def test_contrasts_are_read_by_the_number_of_their_features(number: int) -> None:
    data, classes = load_wine(return_X_y=True)
    model = DecisionTreeClassifier(random_state=0, max_features=1).fit(data, classes)
    e = cattleya.Explainer(model, over="intervals").explain(data[number])
    found = e.contrasts_as_read()
    order = [(len({c.feature for c in contrast}), len(contrast)) for contrast in found]
    assert order == sorted(order)
    assert set(found) == set(e.contrastive())
    assert len({features for features, _ in order}) > 1


def test_equal_reasons_have_equal_hashes() -> None:
    reason = explain().direct_reason()
    assert hash(reason) == hash(explain(21, 1).direct_reason()) == hash(frozenset(reason))
    assert len({reason, frozenset(reason), explain(21, 1).direct_reason()}) == 1


def test_a_tree_without_tests_knows_no_condition() -> None:
    single = cattleya.Explainer(cattleya.Tree.from_nested("leaf")).explain([])
    with pytest.raises(ValueError, match=r"does not test 'age <= 30.5'"):
        single.verify([condition("age <= 30.5")])


def test_how_a_reason_prints() -> None:
    assert str(explain().direct_reason()) == "age <= 30.5 and income <= 2.0"
    assert str(explain(70).direct_reason()) == "age > 30.5 and age > 60.25"
    single = cattleya.Explainer(cattleya.Tree.from_nested("leaf"))
    assert str(single.explain([]).direct_reason()) == "(no condition)"


def test_covers() -> None:
    reason = explain().direct_reason()
    rows = np.array([[30.5, 2.0], [30.5, 2.1], [30.6, 2.0], [-5.0, -5.0]])
    assert reason.covers(rows).tolist() == [True, False, False, True]
    everything = explain(70).direct_reason() - set(explain(70).direct_reason())
    assert len(everything) == 0
    assert reason.covers(np.empty((0, 2))).tolist() == []


def test_covers_sides_of_missing_values() -> None:
    nodes = Nodes((1, -1, -1), (2, -1, -1), (0, -1, -1), (1.5, 0.0, 0.0), (-1, 0, 1), n_features=1,
                  missing_left=(True, False, False))  # fmt: skip  # arrays of nodes, side by side
    explainer = cattleya.Explainer(nodes.build())
    rows = np.array([[np.nan], [1.0], [2.0]])
    assert explainer.explain([np.nan]).direct_reason().covers(rows).tolist() == [True, True, False]
    assert explainer.explain([2.0]).direct_reason().covers(rows).tolist() == [False, False, True]


def test_every_reason_covers_its_own_row() -> None:
    for age, income in [(20, 1), (20, 5), (40, 1), (70, 9)]:
        e = explain(age, income)
        for reason in (e.direct_reason(), e.sufficient_reason(), *e.contrastive()):
            assert reason.covers([[age, income]]).tolist() == [True]


# Explanations


def test_asked_twice_computed_once() -> None:
    e = explain()
    assert e.direct_reason() is e.direct_reason()
    assert e.sufficient_reason() is e.sufficient_reason()
    assert e.contrastive() is e.contrastive()
    assert e.contrastive(toward="yes") == e.contrastive()
    assert e.conditions is e.conditions
    for kind in ("sufficient", "contrastive"):
        assert e.necessary(kind) is e.necessary(kind)
        assert e.relevant(kind) is e.relevant(kind)
        assert e.irrelevant(kind) is e.irrelevant(kind)


def test_what_a_caller_does_with_an_answer_changes_no_later_answer() -> None:
    e = explain()
    expected = dict(e.importance("contrastive"))
    try:
        e.importance("contrastive").clear()
    except AttributeError:
        return  # a mapping that cannot be changed is as good
    assert e.importance("contrastive") == expected


def test_the_row_may_be_changed_after_it_was_given() -> None:
    row = np.array([20.0, 1.0])
    e = EXPLAINER.explain(row)
    row[:] = 99
    assert e.prediction == "no"
    assert str(e.direct_reason()) == "age <= 30.5 and income <= 2.0"
    assert e.contrastive() == explain().contrastive()


def test_types_of_the_answers() -> None:
    e = explain()
    assert isinstance(e.conditions, frozenset)
    assert isinstance(e.contrastive(), tuple)
    assert all(isinstance(reason, cattleya.Reason) for reason in e.contrastive())
    assert isinstance(e.sufficient_reason(), cattleya.Reason)
    assert isinstance(e.necessary(), frozenset)
    assert type(e.count("contrastive")) is int
    verdict = e.verify(())
    assert isinstance(verdict, cattleya.Verification)
    assert isinstance(verdict.witness, frozenset)
    assert isinstance(verdict.redundant, frozenset)


def test_verify_takes_any_collection() -> None:
    e = explain()
    given = list(e.sufficient_reason())
    for kept in (given, tuple(given), set(given), e.sufficient_reason(), iter(given), given * 2):
        assert e.verify(kept)


# Pickle, repr, copies


def everything() -> dict[str, Any]:
    e = explain()
    return {
        "explainer": EXPLAINER,
        "explanation": e,
        "reason": e.direct_reason(),
        "condition": condition("age <= 30.5"),
        "accepted": e.verify(e.sufficient_reason()),
        "refuted": e.verify(()),
        "redundant": e.verify(e.conditions),
    }


def answers(e: cattleya.Explanation) -> tuple[Any, ...]:
    kinds = ("sufficient", "contrastive")
    return (
        e.prediction,
        e.conditions,
        e.direct_reason(),
        e.sufficient_reason(),
        e.contrastive(),
        [(e.necessary(kind), e.relevant(kind), e.irrelevant(kind)) for kind in kinds],
        e.importance("contrastive"),
    )


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol: int) -> None:
    for name, value in everything().items():
        again = pickle.loads(pickle.dumps(value, protocol))
        if isinstance(again, cattleya.Explainer):
            assert answers(again.explain([20, 1])) == answers(explain())
        elif isinstance(again, cattleya.Explanation):
            assert answers(again) == answers(explain())
        elif isinstance(again, cattleya.Verification):
            assert verdict_parts(again) == verdict_parts(value), name
        else:
            assert again == value
            assert hash(again) == hash(value)


def verdict_parts(verdict: cattleya.Verification) -> tuple[Any, ...]:
    row = None if verdict.row is None else verdict.row.tolist()
    return (
        bool(verdict),
        verdict.sufficient,
        verdict.irredundant,
        row,
        verdict.witness,
        verdict.redundant,
    )


def test_pickle_after_answers_were_computed() -> None:
    e = explain()
    before = answers(e)
    assert answers(pickle.loads(pickle.dumps(e))) == before
    assert answers(copy.copy(e)) == answers(copy.deepcopy(e)) == before


@pytest.mark.parametrize("name", everything())
def test_repr_says_what_it_is(name: str) -> None:
    value = everything()[name]
    text = repr(value)
    assert any(kind.__name__ in text for kind in type(value).__mro__[:-1])  # but for object
    assert " object at 0x" not in text
    assert len(text) < 1000


def test_repr_shows_the_content() -> None:
    assert "age <= 30.5" in repr(condition("age <= 30.5"))
    assert "age <= 30.5 and income <= 2.0" in repr(explain().direct_reason())
    assert "no" in repr(explain())


# Threads


def test_eight_threads_on_one_explainer() -> None:
    bunch = load_wine()
    model = DecisionTreeClassifier(random_state=0).fit(bunch.data[::2], bunch.target[::2])
    explainer = cattleya.Explainer(model)
    rows = list(bunch.data[:60]) * 4
    expected = [answers(cattleya.Explainer(model).explain(row)) for row in rows[:60]] * 4
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda row: answers(explainer.explain(row)), rows))
    assert found == expected


def test_eight_threads_on_one_explanation() -> None:
    bunch = load_wine()
    model = DecisionTreeClassifier(random_state=0).fit(bunch.data[::2], bunch.target[::2])
    for row in bunch.data[:20]:
        expected = answers(cattleya.Explainer(model).explain(row))
        shared = cattleya.Explainer(model).explain(row)
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(answers, [shared] * 8))
        assert found == [expected] * 8

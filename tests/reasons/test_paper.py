"""The paper's running example: every number that the text gives, and the negative instances.

The tree is that of the figure "A decision tree T for recognizing Cattleya orchids". What the text
says about (1, 1, 1, 1) is written out; what it does not say, about (0, 0, 0, 0) and (0, 1, 1, 0),
follows from the definitions by hand (T is x4 and (x1 or (x2 and x3))).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

import cattleya
from tests.checks.explanation import check_explanation, strings
from tests.oracles.definitions import Case, Truths, importance
from tests.samples.trees import negation, nested_class, nested_literal

NAMES = ("x1", "x2", "x3", "x4")
X4 = ("x4", 0, 1)
ORCHIDS = (
    "x1",
    ("x2", 0, ("x3", 0, X4)),
    ("x2", ("x3", X4, X4), ("x3", X4, X4)),
)
INSTANCES = list(product((0, 1), repeat=4))


def explain(instance: tuple[int, ...], nested: object = ORCHIDS) -> cattleya.Explanation:
    tree = cattleya.Tree.from_nested(nested, feature_names=NAMES)
    return cattleya.Explainer(tree).explain(instance)


def sets(reasons: tuple[cattleya.Reason, ...]) -> set[frozenset[str]]:
    return {frozenset(strings(reason)) for reason in reasons}


def named(*terms: str) -> set[frozenset[str]]:
    return {frozenset(term.split(" & ")) for term in terms}


def sufficient_by_verify(e: cattleya.Explanation) -> set[frozenset[str]]:
    """All sufficient reasons: the sets of the row's conditions that `verify` accepts."""
    conditions = sorted(e.conditions, key=str)
    subsets = (
        [c for c, is_in in zip(conditions, choice, strict=True) if is_in]
        for choice in product((False, True), repeat=len(conditions))
    )
    return {frozenset(strings(subset)) for subset in subsets if e.verify(subset)}


def test_the_positive_instance_is_a_cattleya() -> None:
    assert explain((1, 1, 1, 1)).prediction == 1


def test_direct_reason() -> None:
    assert strings(explain((1, 1, 1, 1)).direct_reason()) == {"x1", "x2", "x3", "x4"}


def test_the_sufficient_reasons_are_the_two_of_the_text() -> None:
    e = explain((1, 1, 1, 1))
    both = named("x1 & x4", "x2 & x3 & x4")
    assert sufficient_by_verify(e) == both
    assert frozenset(strings(e.sufficient_reason())) in both


def test_contrastive_explanations() -> None:
    e = explain((1, 1, 1, 1))
    assert sets(e.contrastive()) == named("x4", "x1 & x2", "x1 & x3")
    assert strings(e.contrastive()[0]) == {"x4"}
    assert e.count("contrastive") == 3


def test_the_instance_that_differs_on_x4_is_no_cattleya() -> None:
    assert explain((1, 1, 1, 0)).prediction == 0


def test_explanatory_features() -> None:
    e = explain((1, 1, 1, 1))
    assert strings(e.necessary()) == {"x4"}
    assert strings(e.relevant()) == {"x1", "x2", "x3", "x4"}
    assert e.irrelevant() == frozenset()


def test_explanatory_features_of_contrastive_explanations() -> None:
    e = explain((1, 1, 1, 1))
    assert e.necessary("contrastive") == frozenset()
    assert strings(e.relevant("contrastive")) == {"x1", "x2", "x3", "x4"}
    assert e.irrelevant("contrastive") == frozenset()


def test_importance_for_contrastive_explanations() -> None:
    shares = explain((1, 1, 1, 1)).importance("contrastive")
    third = Fraction(1, 3)
    expected = {"x1": 2 * third, "x2": third, "x3": third, "x4": third}
    assert {str(condition): share for condition, share in shares.items()} == expected
    assert str(next(iter(shares))) == "x1"
    assert all(isinstance(share, Fraction) for share in shares.values())


def test_the_clauses_of_the_text_say_what_the_tree_says() -> None:
    clauses = [
        {"x1": 1, "x2": 1},
        {"x1": 1, "x2": 0, "x3": 1},
        {"x1": 1, "x2": 0, "x3": 0, "x4": 1},
        {"x1": 0, "x2": 1, "x3": 1, "x4": 1},
        {"x1": 0, "x2": 1, "x3": 0, "x4": 1},
        {"x1": 0, "x2": 0, "x3": 1, "x4": 1},
        {"x1": 0, "x2": 0, "x3": 0, "x4": 1},
    ]
    tree = cattleya.Tree.from_nested(ORCHIDS, feature_names=NAMES)
    for instance in INSTANCES:
        value = dict(zip(NAMES, instance, strict=True))
        satisfied = all(any(value[x] == v for x, v in clause.items()) for clause in clauses)
        assert tree.predict([instance])[0] == satisfied


def test_the_row_of_zeros() -> None:
    e = explain((0, 0, 0, 0))
    assert e.prediction == 0
    assert strings(e.direct_reason()) == {"not x1", "not x2"}
    assert sufficient_by_verify(e) == named("not x4", "not x1 & not x2", "not x1 & not x3")
    assert sets(e.contrastive()) == named("not x1 & not x4", "not x2 & not x3 & not x4")
    assert e.necessary() == frozenset()
    assert strings(e.relevant()) == {"not x1", "not x2", "not x3", "not x4"}
    assert strings(e.necessary("contrastive")) == {"not x4"}
    shares = {str(c): share for c, share in e.importance("contrastive").items()}
    half = Fraction(1, 2)
    assert shares == {"not x4": 1, "not x1": half, "not x2": half, "not x3": half}


def test_a_negative_instance_with_an_irrelevant_condition() -> None:
    e = explain((0, 1, 1, 0))
    assert e.prediction == 0
    assert strings(e.direct_reason()) == {"not x1", "x2", "x3", "not x4"}
    assert strings(e.sufficient_reason()) == {"not x4"}
    assert sets(e.contrastive()) == named("not x4")
    assert strings(e.necessary()) == strings(e.relevant()) == {"not x4"}
    assert strings(e.irrelevant()) == {"not x1", "x2", "x3"}


def formula_case(instance: tuple[int, ...]) -> Case:
    """The tree as a formula, for the brute force that other tests rely on."""

    def formula(v: Truths) -> Truths:
        return v[:, 3] & (v[:, 0] | v[:, 1] & v[:, 2])

    return Case(NAMES, tuple(bool(value) for value in instance), formula)


def test_brute_force_gives_the_numbers_of_the_text() -> None:
    case = formula_case((1, 1, 1, 1))
    spoken = {frozenset(str(name) for name, _ in reason) for reason in case.sufficient}
    assert spoken == named("x1 & x4", "x2 & x3 & x4")
    assert case.minimum_size == 2
    spoken = {frozenset(str(name) for name, _ in reason) for reason in case.contrastive}
    assert spoken == named("x4", "x1 & x2", "x1 & x3")
    half = Fraction(1, 2)
    shares = {name: share for (name, _), share in importance(case.sufficient, case.row).items()}
    assert shares == {"x1": half, "x2": half, "x3": half, "x4": 1}


@pytest.mark.parametrize("instance", INSTANCES)
def test_every_instance_against_the_formula(instance: tuple[int, ...]) -> None:
    case = formula_case(instance)
    e = explain(instance)
    assert e.prediction == case.predicted
    check_explanation(e, case, nested_literal)


@pytest.mark.parametrize("instance", INSTANCES)
def test_closed_under_negation(instance: tuple[int, ...]) -> None:
    e, n = explain(instance), explain(instance, negation(ORCHIDS))
    assert n.prediction == 1 - e.prediction
    assert n.direct_reason() == e.direct_reason()
    assert sufficient_by_verify(n) == sufficient_by_verify(e)
    assert set(n.contrastive()) == set(e.contrastive())
    assert n.importance("contrastive") == e.importance("contrastive")
    for kind in ("sufficient", "contrastive"):
        assert n.necessary(kind) == e.necessary(kind)
        assert n.relevant(kind) == e.relevant(kind)
        assert n.irrelevant(kind) == e.irrelevant(kind)


def test_the_classes_may_have_names() -> None:
    def spoken(nested: object) -> object:
        if isinstance(nested, tuple):
            return nested[0], spoken(nested[1]), spoken(nested[2])
        return "Cattleya" if nested else "another orchid"

    for instance in INSTANCES:
        e = explain(instance, spoken(ORCHIDS))
        value = {name: bool(v) for name, v in zip(NAMES, instance, strict=True)}
        assert e.prediction == spoken(nested_class(ORCHIDS, value))
        assert e.contrastive() == explain(instance).contrastive()

"""Shortest, lightest, few and differing reasons, and reasons without some features, by definition.

All of it is read off the oracle's list of all sufficient reasons: the shortest of them, the
lightest, those that never mention a feature. Trees of every kind: Boolean, several thresholds of a
feature, missing values, several classes.
"""

from __future__ import annotations

import gc
import pickle
import weakref
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from math import comb as choose
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cattleya
from cattleya.explain.explanation import explained_row
from cattleya.reasons.diverse import _least_shared
from cattleya.support.limits import Deadline
from tests.checks.explanation import ToLiteral, family, naming, term
from tests.oracles import definitions as oracle
from tests.oracles.definitions import Family, Term
from tests.reasons.test_definitions import ROUTED, THRESHOLDS
from tests.samples.families import comb, complete, explain_ones, grid_tree
from tests.samples.trees import Nodes, Variable, literal, missing_literal, random_nodes, rows_of

KINDS: dict[str, tuple[dict[str, Any], ToLiteral]] = {
    "Boolean": ({"boolean": True, "max_inner": 48}, literal),
    "thresholds": ({"pool": THRESHOLDS, "max_inner": 36, "n_classes": 3}, literal),
    "missing values": ({"pool": ROUTED, "max_inner": 36}, missing_literal),
}


every_kind = pytest.mark.parametrize("kind", KINDS)


def drawn(data: st.DataObject, kind: str) -> tuple[Nodes, list[float], ToLiteral]:
    arguments, to_literal = KINDS[kind]
    nodes = data.draw(random_nodes(**arguments))
    return nodes, data.draw(rows_of(nodes)), to_literal


def features_of(literals: Iterable[oracle.Literal]) -> set[int]:
    return {cast("Variable", variable)[0] for variable, _ in literals}


def shortest(reasons: Family) -> Family:
    least = min(map(len, reasons))
    return frozenset(term for term in reasons if len(term) == least)


def check_all_questions(
    e: cattleya.Explanation, expected: Family, row: Term, to_literal: ToLiteral
) -> None:
    """Every question about sufficient reasons, where these are all of them."""
    assert term(e.sufficient_reason(), to_literal) in expected
    assert family(list(e.sufficient_reasons()), to_literal) == expected
    assert e.count() == len(expected)
    minimal = shortest(expected)
    assert term(e.minimal_reason(), to_literal) in minimal
    assert family(list(e.minimal_reasons()), to_literal) == minimal
    assert e.count("minimal") == len(minimal)
    sizes = [len(found) for found in expected]
    assert e.count_by_size() == {size: sizes.count(size) for size in sorted(set(sizes))}
    shares = {to_literal(c): share for c, share in e.importance().items()}
    assert shares == oracle.importance(expected, row)
    assert {term(found, to_literal) for found in e.sample(20, seed=1)} <= expected
    assert e.compile().count() == len(expected)
    assert term(e.necessary(), to_literal) == oracle.necessary(expected)
    assert term(e.relevant(), to_literal) == oracle.relevant(expected)
    assert term(e.irrelevant(), to_literal) == row - oracle.relevant(expected)


@every_kind
@given(data=st.data())
@settings(max_examples=60)
def test_every_question_without_exclusions(kind: str, data: st.DataObject) -> None:
    nodes, row, to_literal = drawn(data, kind)
    case = nodes.case(row)
    e = cattleya.Explainer(nodes.build()).explain(row)
    check_all_questions(e, case.sufficient, case.row, to_literal)


@every_kind
@given(data=st.data())
@settings(max_examples=80)
def test_every_question_without_some_features(kind: str, data: st.DataObject) -> None:
    nodes, row, to_literal = drawn(data, kind)
    case = nodes.case(row)
    excluded = data.draw(st.sets(st.integers(0, nodes.n_features - 1), max_size=3))
    explainer = cattleya.Explainer(nodes.build())
    e = explainer.explain(row, exclude=sorted(excluded))
    allowed = frozenset(reason for reason in case.sufficient if not excluded & features_of(reason))
    assert explainer.explain(row).is_free_of(excluded) == bool(allowed)
    if allowed:
        check_all_questions(e, allowed, case.row, to_literal)
    else:
        check_no_reason(e, case, excluded, to_literal)
    # What would change the class is another question.
    assert family(e.contrastive(), to_literal) == case.contrastive


def check_no_reason(
    e: cattleya.Explanation, case: oracle.Case, excluded: set[int], to_literal: ToLiteral
) -> None:
    questions: list[Callable[[], object]] = [
        e.sufficient_reason,
        e.minimal_reason,
        e.count,
        lambda: e.count("minimal"),
        e.importance,
        e.count_by_size,
        lambda: e.sample(1),
        e.compile,
        lambda: next(e.sufficient_reasons()),
        lambda: next(e.minimal_reasons()),
        lambda: e.diverse_reasons(2),
        e.necessary,
    ]
    for ask in questions:
        with pytest.raises(cattleya.NoSuchReason) as caught:
            ask()
    needed = [term(group, to_literal) for group in caught.value.needed]
    assert needed
    for group in needed:
        assert features_of(group) <= excluded
        assert all(group & reason for reason in case.sufficient)
    mentioned = {c for c in oracle.necessary(case.sufficient) if features_of([c]) & excluded}
    assert term(caught.value.necessary, to_literal) == mentioned
    assert pickle.loads(pickle.dumps(caught.value)).needed == caught.value.needed


@every_kind
@given(data=st.data())
@settings(max_examples=60)
def test_contrasts_of_what_can_change(kind: str, data: st.DataObject) -> None:
    nodes, row, to_literal = drawn(data, kind)
    case = nodes.case(row)
    fixed = data.draw(st.sets(st.integers(0, nodes.n_features - 1), max_size=3))
    e = cattleya.Explainer(nodes.build()).explain(row, immutable=list(fixed))
    expected = frozenset(c for c in case.contrastive if not fixed & features_of(c))
    assert family(e.contrastive(), to_literal) == expected
    assert e.count("contrastive") == len(expected)
    assert term(e.relevant("contrastive"), to_literal) == oracle.relevant(expected)
    assert term(e.necessary("contrastive"), to_literal) == oracle.necessary(expected)
    assert e.count() == len(case.sufficient)
    for wanted in range(nodes.n_classes):
        if wanted != case.predicted:
            toward = {c for c in case.toward(wanted) if not fixed & features_of(c)}
            assert family(e.contrastive(toward=wanted), to_literal) == toward


WEIGHTS = st.one_of(
    st.integers(1, 20),
    st.fractions(Fraction(1, 50), 20, max_denominator=50),
    st.floats(0.01, 20),
    st.decimals("0.01", 20, places=2),
)


@every_kind
@given(data=st.data())
@settings(max_examples=100)
def test_the_lightest(kind: str, data: st.DataObject) -> None:
    nodes, row, to_literal = drawn(data, kind)
    case = nodes.case(row)
    e = cattleya.Explainer(nodes.build()).explain(row)
    by_feature = data.draw(st.dictionaries(st.integers(0, nodes.n_features - 1), WEIGHTS))
    conditions = sorted(e.conditions, key=repr)
    by_condition = (
        data.draw(st.dictionaries(st.sampled_from(conditions), WEIGHTS)) if conditions else {}
    )
    of_literal = {to_literal(c): Fraction(w) for c, w in by_condition.items()}

    def weight(reason: Term) -> Fraction:
        total = Fraction(0)
        for c in reason:
            (feature,) = features_of([c])
            total += of_literal.get(c, Fraction(by_feature.get(feature, 1)))
        return total

    found = e.minimal_reason(weights={**by_feature, **by_condition})
    assert term(found, to_literal) in case.sufficient
    assert weight(term(found, to_literal)) == min(map(weight, case.sufficient))


@every_kind
@given(data=st.data())
@settings(max_examples=60)
def test_reasons_that_differ(kind: str, data: st.DataObject) -> None:
    nodes, row, to_literal = drawn(data, kind)
    case = nodes.case(row)
    e = cattleya.Explainer(nodes.build()).explain(row)
    k = data.draw(st.integers(1, 4))
    found = e.diverse_reasons(k)
    chosen = family(found, to_literal)
    assert chosen <= case.sufficient
    assert len(found) == min(k, len(case.sufficient))
    assert found.overlap == shared(list(chosen))
    if found.proved and choose(len(case.sufficient), len(found)) < 3000:
        choices = combinations(case.sufficient, len(found))
        assert found.overlap == min(map(shared, choices))
    relevant = oracle.relevant(case.sufficient)
    covered = len(oracle.relevant(chosen))
    assert found.coverage == (Fraction(covered, len(relevant)) if relevant else 1)
    assert pickle.loads(pickle.dumps(found)).coverage == found.coverage
    for reason in found:
        measured = e.representative(reason)
        own = term(reason, to_literal)
        assert measured.distance_to_necessary == len(own - oracle.necessary(case.sufficient))
        assert measured.distance_to_relevant == len(relevant - own)
        assert bool(measured) == (len(case.sufficient) == 1)


def shared(terms: Sequence[Term]) -> int:
    return sum(len(one & other) for one, other in combinations(terms, 2))


@pytest.mark.parametrize("tree", [grid_tree(9, 60, 4), grid_tree(10, 80, 1), comb(9), complete(4)])
def test_the_next_reason_shares_least_with_those_before_it(tree: cattleya.Tree) -> None:
    """Where there are too many to compare all choices: each is chosen beside the others."""
    e = explain_ones(tree)
    reasons = explained_row(e).sufficient(Deadline(None))
    every = list(reasons.every_as_atoms(10**6, Deadline(None)))
    for before in ([], every[:1], every[:3], every[-2:]):
        left = [(sum(len(one & b) for b in before), len(one)) for one in every if one not in before]
        found = _least_shared(reasons, before, Deadline(None))
        assert found not in before
        assert (sum(len(found & b) for b in before), len(found)) == min(left)


def test_a_complete_tree_has_reasons_that_share_nothing_but_the_necessary() -> None:
    e = explain_ones(complete(5))
    found = e.diverse_reasons(3)
    assert len(found) == 3
    assert found.overlap >= 3 * len(e.necessary())
    assert all(e.verify(reason) for reason in found)


@pytest.mark.parametrize("k", [1, 2, 5, 12])
def test_combs_have_two_to_the_k_minimal_reasons(k: int) -> None:
    e = explain_ones(comb(k))
    assert e.count("minimal") == 2 ** (k - 1)
    found = list(e.minimal_reasons())
    assert len(set(found)) == 2 ** (k - 1)
    assert {len(reason) for reason in found} == {k}
    assert len(e.minimal_reason()) == k


def test_a_comb_of_a_thousand() -> None:
    e = explain_ones(comb(1000))
    assert e.count("minimal") == 2**999
    assert len(e.minimal_reason()) == 1000
    assert len(next(e.minimal_reasons())) == 1000


@pytest.mark.parametrize("weights", [1, 2.5, {}, {"v1": 1}, {0: 7, 1: 7, 2: 7}])
def test_equal_weights_are_none(weights: Any) -> None:
    tree = cattleya.Tree.from_nested(("v1", ("v2", 0, ("v3", 0, 1)), ("v2", 0, 1)))
    e = cattleya.Explainer(tree).explain([1, 1, 1])
    assert e.minimal_reason(weights=weights) == e.minimal_reason()


def test_exact_weights() -> None:
    """Three tenths and a tenth thrice: equal as fractions, not as floating point numbers."""
    tree = cattleya.Tree.from_nested(("a", ("b", 0, ("c", 0, ("d", 0, 1))), 1))
    e = cattleya.Explainer(tree).explain([1, 1, 1, 1])
    tenth = Fraction(1, 10)
    small = {"b": tenth, "c": tenth, "d": tenth}
    assert set(map(str, e.minimal_reason({"a": 3 * tenth + Fraction(1, 10**9), **small}))) == {
        "b", "c", "d"}  # fmt: skip  # a list in few lines
    assert str(e.minimal_reason({"a": 3 * tenth - Fraction(1, 10**9), **small})) == "a"
    sum_of_floats = {"a": 0.3, "b": 0.1, "c": 0.1, "d": 0.1}
    assert str(e.minimal_reason(sum_of_floats)) == "a"  # 0.3 is below, three times 0.1 above
    assert str(e.minimal_reason({"a": Decimal("0.31"), "b": 0.1, "c": 0.1, "d": 0.1})) != "a"
    assert str(e.minimal_reason({"a": np.float32(0.5), "b": np.int64(2)})) == "a"
    assert e.minimal_reason({"a": 3.5}).kind == "sufficient reason of least weight"
    assert e.minimal_reason().kind == "minimal sufficient reason"


@pytest.mark.parametrize("power", [62, 63, 64, 65, 100])
def test_weights_of_more_than_64_bits(power: int) -> None:
    tree = cattleya.Tree.from_nested(("a", ("b", 0, ("c", 0, 1)), 1))
    e = cattleya.Explainer(tree).explain([1, 1, 1])
    for more in (-1, 1):
        weights = {"a": 3 * 2**power + more, "b": 2**power, "c": 2 ** (power + 1)}
        assert (str(e.minimal_reason(weights)) == "a") == (more < 0)
        carried = {"a": 2 ** (power + 1) - 2 + more, "b": 2**power - 1, "c": 2**power - 1}
        assert (str(e.minimal_reason(carried)) == "a") == (more < 0)


@pytest.mark.parametrize(
    ("weights", "error", "parts"),
    [
        ({"a": 0}, ValueError, ("'a'", "positive", "0")),
        ({"a": -1}, ValueError, ("'a'", "-1")),
        ({"a": float("nan")}, ValueError, ("'a'", "nan")),
        ({"a": float("inf")}, ValueError, ("'a'", "inf")),
        ({"a": "heavy"}, TypeError, ("'a'", "'heavy'")),
        ({"a": True}, TypeError, ("'a'", "True")),
        ({"nobody": 1}, ValueError, ("'nobody'", "'a'")),
        ({17: 1}, ValueError, ("17", "0 to 1")),
        ({None: 1}, TypeError, ("None",)),
        ({1.5: 1}, TypeError, ("1.5",)),
        (0, ValueError, ("0",)),
        ("much", TypeError, ("'much'",)),
        ({"a": 1e300, "b": 1e-300}, ValueError, ("too far apart", "Fraction")),
    ],
)
def test_weights_that_are_none(weights: Any, error: type[Exception], parts: tuple[str]) -> None:
    tree = cattleya.Tree.from_nested(("a", 0, ("b", 0, 1)))
    e = cattleya.Explainer(tree).explain([1, 1])
    with pytest.raises(error, match=naming(*parts)):
        e.minimal_reason(weights=weights)


def test_a_weight_of_a_condition_that_the_row_has_not() -> None:
    tree = cattleya.Tree.from_nested(("a", 0, ("b", 0, 1)))
    e = cattleya.Explainer(tree).explain([1, 1])
    (foreign,) = (c.negated() for c in e.conditions if c.feature == "a")
    with pytest.raises(ValueError, match="does not hold"):
        e.minimal_reason(weights={foreign: 2})


@pytest.mark.parametrize("what", ["exclude", "immutable"])
@pytest.mark.parametrize(
    ("features", "error", "parts"),
    [
        (["nobody"], ValueError, ("'nobody'", "'a', 'b'")),
        ("a", TypeError, ("list of features", "'a'")),
        ([2], ValueError, ("2", "0 to 1")),
        ([-1], ValueError, ("-1",)),
        ([None], TypeError, ("None",)),
        (3, TypeError, ("3",)),
        ([True], TypeError, ("True",)),
    ],
)
def test_features_that_there_are_not(
    what: str, features: Any, error: type[Exception], parts: tuple[str]
) -> None:
    tree = cattleya.Tree.from_nested(("a", 0, ("b", 0, 1)))
    with pytest.raises(error, match=naming(what, *parts)):
        cattleya.Explainer(tree).explain([1, 1], **{what: features})
    with pytest.raises(error):
        cattleya.Explainer(tree).explain([1, 1]).is_free_of(features)


def test_what_a_refusal_says() -> None:
    tree = cattleya.Tree.from_nested(("sex", 0, ("age", ("job", 0, 1), 1)))
    e = cattleya.Explainer(tree).explain([1, 1, 1], exclude=["sex"])
    with pytest.raises(cattleya.NoSuchReason, match=r"every sufficient reason needs .* 'sex'"):
        e.sufficient_reason()
    both = cattleya.Explainer(tree).explain([1, 1, 1], exclude=["age", "job"])
    with pytest.raises(cattleya.NoSuchReason, match="'age' or 'job'") as caught:
        both.count()
    assert caught.value.necessary == frozenset()


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "two", None])
def test_numbers_of_reasons_that_are_none(k: Any) -> None:
    tree = cattleya.Tree.from_nested(("a", 0, 1))
    with pytest.raises((ValueError, TypeError), match="k must be"):
        cattleya.Explainer(tree).explain([1]).diverse_reasons(k)


def test_only_a_sufficient_reason_can_be_representative() -> None:
    tree = cattleya.Tree.from_nested(("a", 0, ("b", 0, 1)))
    e = cattleya.Explainer(tree).explain([1, 1])
    with pytest.raises(ValueError, match="not a sufficient reason"):
        e.representative(["a"])
    assert str(e.representative(["a", "b"])) == "it is the only sufficient reason"


# Iterators over minimal reasons


def test_limit_timeout_and_order() -> None:
    e = explain_ones(comb(40))
    first = list(e.minimal_reasons(limit=3000))
    assert len(set(first)) == 3000
    assert list(e.minimal_reasons(limit=3000)) == first
    assert list(e.minimal_reasons(limit=0)) == []
    with pytest.raises(cattleya.TimeoutExpired):
        for _ in e.minimal_reasons(timeout=0.2):
            pass
    for limit in (-1, 1.5, True, "all"):
        with pytest.raises((ValueError, TypeError), match="limit"):
            e.minimal_reasons(limit=limit)  # type: ignore[arg-type]  # wrong on purpose


def test_iterators_do_not_disturb_each_other() -> None:
    e = explain_ones(comb(8))
    alone = list(e.minimal_reasons())
    one, other = e.minimal_reasons(), e.minimal_reasons()
    mixed = [next(one), next(one), next(other), *one]
    assert mixed[:2] + mixed[3:] == alone
    assert list(other) == alone[1:]


@pytest.mark.parametrize("name", ["sufficient_reasons", "minimal_reasons"])
def test_an_abandoned_iterator_frees_what_it_holds(name: str) -> None:
    e = explain_ones(comb(30))
    reasons = getattr(e, name)()
    next(reasons)
    seen = weakref.ref(reasons)
    del reasons
    gc.collect()
    assert seen() is None

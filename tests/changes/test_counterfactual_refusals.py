"""Counterfactuals: what is refused, and what is said, such as which constraint binds."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import cattleya
from cattleya.changes.nearest import nearest
from cattleya.model.domain.domain import Category, Domain, Number
from cattleya.model.tree.tree import Tree
from tests.samples.questions import about, domain_of, stump
from tests.samples.trees import SMALL

JOB = Category("job", (1, 2, 3), ("nurse", "clerk", "cook"), tuple(map(tuple, np.eye(3))))


def career() -> tuple[Tree, Domain]:
    """Age above 40, or else not nurse."""
    tree = Tree(
        [1, 3, -1, -1, -1],
        [2, 4, -1, -1, -1],
        [0, 1, -1, -1, -1],
        [40.0, 0.5, 0, 0, 0],
        [-1, -1, 1, 0, 1],
        n_features=4,
        feature_names=["age", "job_nurse", "job_clerk", "job_cook"],
        class_names=["no", "yes"],
    )
    return tree, Domain((Number("age", 0, integer=True, lower=18, upper=99), JOB), 4)


def test_the_near_end_of_a_range() -> None:
    domain = domain_of(Number("age", 0, integer=True, lower=0, upper=9))
    (found,) = nearest(about(stump(0.5), [0.0], domain), ranges={"age": (3, 4)})
    assert str(found) == "age: 0 -> 3"


def test_missing_only_where_it_is_nearer() -> None:
    tree = stump(2.5, missing_left=[False, False, False])
    (near,) = nearest(about(tree, [2.4]), ranges={"age": "missing"}, metric="l1")
    (far,) = nearest(about(tree, [0.0]), ranges={"age": "missing"}, metric="l1")
    assert (str(near), str(far)) == ("age: 2.4 -> 2.6", "age: 0 -> missing")


def test_the_texts() -> None:
    tree, domain = career()
    question = about(tree, [38, 0, 1, 0], domain)
    first, second = nearest(question)
    assert str(first) == "job: clerk -> nurse"  # between equals, l1 decides
    assert str(second) == "age: 38 -> 41"
    assert repr(first) == "<Counterfactual 'yes': job: clerk -> nurse>"
    assert (first.row.tolist(), first.prediction) == ([38.0, 1.0, 0.0, 0.0], "yes")


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (
            {"immutable": ["age", "job"]},
            "no row under these constraints gets another class; it takes only one of them to be "
            "lifted: age is immutable, or job is immutable",
        ),
        (
            {"immutable": ["age"], "ranges": {"job": {"cook"}}},
            "lifted: age is immutable, or job is limited to {'cook'}",
        ),
        ({"immutable": ["job_cook"], "ranges": {"age": "decrease"}}, "limited to 'decrease', or"),
        ({"immutable": [0], "ranges": {"job": ["cook"]}}, "age is immutable, or"),
    ],
)
def test_which_constraint_binds(constraints: Any, message: str) -> None:
    tree, domain = career()
    with pytest.raises(cattleya.NoSuchCounterfactual) as caught:
        nearest(about(tree, [38, 0, 1, 0], domain), **constraints)
    assert message in str(caught.value)


def test_constraints_that_bind_together() -> None:
    tree = Tree.from_nested(("a", 0, ("b", 0, 1)))
    with pytest.raises(cattleya.NoSuchCounterfactual) as caught:
        nearest(about(tree, [0, 0]), immutable=["a", "b"])
    assert str(caught.value).endswith(
        "nor would lifting a single one be enough; without these 2 there would be one: "
        "a is immutable, b is immutable"
    )


def test_of_many_constraints_the_first_five_are_named() -> None:
    nested: Any = 0
    for name in "gfedcba":
        nested = (name, nested, 1)
    with pytest.raises(cattleya.NoSuchCounterfactual) as caught:
        nearest(about(Tree.from_nested(nested), [0] * 7), immutable=list("abcdefg"))
    assert str(caught.value).endswith("d is immutable, or e is immutable, or one of 2 more")


def test_a_class_that_no_row_gets() -> None:
    tree = Tree.from_nested(("a", 0, ("a", 2, 1)))
    with pytest.raises(cattleya.NoSuchCounterfactual) as caught:
        nearest(about(tree, [0]), toward=2)
    assert str(caught.value) == (
        "there is no counterfactual: no row gets the class 2; another class can be reached"
    )
    single = Tree([-1], [-1], [-1], [0.0], [0], n_features=2, class_names=["no"])
    with pytest.raises(cattleya.NoSuchCounterfactual, match="every row gets the class 'no'"):
        nearest(about(single, [1.0, 2.0]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "n must be a whole number, 1 or more, not 0"),
        ({"n": True}, "n must be"),
        ({"metric": "l3"}, "metric must be 'l0', 'l1' or 'l2', not 'l3'"),
        ({"toward": "maybe"}, "toward='maybe' is no class of the model"),
        ({"toward": "no"}, "is the class that the row has"),
        ({"immutable": ["agee"]}, "immutable: unknown feature 'agee'; the model knows 'age'"),
        ({"immutable": [9]}, "immutable: unknown feature 9"),
        ({"ranges": {"agee": (1, 2)}}, "ranges: unknown feature 'agee'"),
        ({"ranges": {"age": "up"}}, "'age' is a number: give"),
        ({"ranges": {"age": {40, 41}}}, "'age' is a number: give"),
        ({"ranges": {"age": (50, 40)}}, "the first is larger"),
        ({"ranges": {"age": ("a", 40)}}, "has the bound 'a'"),
        ({"ranges": {"job": "nurse"}}, "'job' is a category: give the set"),
        ({"ranges": {"job": {"pilot"}}}, "'pilot' is no value of 'job'; it has 'nurse', 'clerk'"),
        ({"ranges": {"job": "increase"}}, "'job' is a category"),
        ({"timeout": -1}, "timeout must be a positive number"),
    ],
)
def test_bad_arguments(arguments: Any, message: str) -> None:
    tree, domain = career()
    with pytest.raises(ValueError, match=re.escape(message)):
        nearest(about(tree, [38, 0, 1, 0], domain), **arguments)


@pytest.mark.parametrize("arguments", [{"immutable": "age"}, {"immutable": 3}, {"ranges": ["age"]}])
def test_wrong_types(arguments: Any) -> None:
    tree, domain = career()
    with pytest.raises(TypeError, match="must be"):
        nearest(about(tree, [38, 0, 1, 0], domain), **arguments)


def test_a_group_that_the_row_breaks() -> None:
    tree, domain = career()
    with pytest.raises(ValueError, match="no value of 'job'"):
        nearest(about(tree, [38, 0, 1, 1], domain))


def test_a_model_that_disagrees_is_an_internal_error() -> None:
    tree, domain = career()
    question = about(tree, [38, 0, 1, 0], domain, lambda rows: np.array(["no"] * len(rows)))
    with pytest.raises(RuntimeError, match="internal error"):
        nearest(question)


def test_a_time_limit() -> None:
    tree = SMALL.build()
    with pytest.raises(cattleya.TimeoutExpired):
        nearest(about(tree, [5.0, 0.0]), timeout=1e-9)

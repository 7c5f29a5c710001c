"""General reasons in words, and what is refused."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import cattleya
from cattleya import Condition, Tree
from cattleya.changes.cell_regions import CellRegions
from cattleya.changes.general.general_reason import General, IntervalPart, ValuesPart
from cattleya.changes.general.generalise import generalise
from cattleya.model.conditions.condition import Comparison
from cattleya.model.conditions.fact import Fact
from cattleya.model.domain.domain import Category, Domain, Number, OneOf

JOBS = ("clerk", "cook", "nurse", "pilot")
JOB = Category(
    "job", (1, 2, 3, 4), JOBS, tuple(tuple(float(i == j) for i in range(4)) for j in range(4))
)


def at_work(
    job: tuple[str, ...] = ("nurse", "clerk"), *, missing: bool = False, **of_age: Any
) -> tuple[Tree, Domain]:
    """Yes between 30.5 and 41.5 for some jobs; missing ages go to the right."""
    # Grown from the last test to the first.
    nodes: list[tuple[int, float, int, int, int]] = []

    def leaf(of: int) -> int:
        nodes.append((-1, 0.0, -1, -1, of))
        return len(nodes) - 1

    def test(column: int, at: float, lower: int, upper: int) -> int:
        nodes.append((column, at, lower, upper, -1))
        return len(nodes) - 1

    at = leaf(0)
    for name in job:
        at = test(1 + JOBS.index(name), 0.5, at, leaf(1))
    at = test(0, 41.5, at, leaf(0))
    test(0, 30.5, leaf(0), at)
    nodes.reverse()
    turned = [
        (c, t, *(len(nodes) - 1 - child if child >= 0 else -1 for child in children), k)
        for c, t, *children, k in nodes
    ]
    columns = list(zip(*turned, strict=True))
    tree = Tree(
        columns[2],
        columns[3],
        columns[0],
        columns[1],
        columns[4],
        n_features=5,
        feature_names=["age", *JOBS],
        class_names=["no", "yes"],
        missing_left=[False] * len(nodes) if missing else None,
    )
    return tree, Domain((Number("age", 0, **of_age), JOB), 5)


def facts(domain: Domain, row: list[float], *names: str) -> list[Condition]:
    found: list[Condition] = []
    for name in names:
        attribute = domain.attributes[[a.name for a in domain.attributes].index(name)]
        columns = attribute.columns
        point = tuple(row[column] for column in columns)
        found.append(Fact(name, columns[0], "own", columns, point))
    return found


def ask(tree: Tree, domain: Domain, row: list[float], *names: str) -> General:
    own = list(tree.class_names).index(tree.predict([row])[0])
    conditions = facts(domain, row, *names)
    return generalise(CellRegions.of(tree, domain), np.array(row), own, conditions)


NURSE = [35.0, 0.0, 0.0, 1.0, 0.0]
COOK = [35.0, 0.0, 1.0, 0.0, 0.0]


def test_the_words() -> None:
    tree, domain = at_work()
    general = ask(tree, domain, NURSE, "age", "job")
    assert str(general) == "30.5 < age <= 41.5 and job in {clerk, nurse}"
    assert repr(general) == "<General: 30.5 < age <= 41.5 and job in {clerk, nurse}>"
    assert (general.prediction, general.kind) == ("yes", "general reason")
    assert "every row that has these gets the class yes" in general.definition
    age, job = general.parts
    assert isinstance(age, IntervalPart)
    assert isinstance(job, ValuesPart)
    assert (age.name, age.low, age.high, age.missing) == ("age", 30.5, 41.5, False)
    assert (job.name, job.values, job.others) == ("job", ("clerk", "nurse"), ("cook", "pilot"))
    rows = np.array([NURSE, COOK, [41.5, *NURSE[1:]], [30.5, *NURSE[1:]]])
    assert general.covers(rows).tolist() == [True, False, True, False]
    assert general.share(rows) == 0.5
    assert hash(general) == hash(pickle.loads(pickle.dumps(general)))
    with pytest.raises(AttributeError):
        general.parts = ()  # type: ignore[misc]  # wrong on purpose


def test_the_shorter_set_is_said() -> None:
    tree, domain = at_work(("nurse", "clerk", "cook"))
    assert str(ask(tree, domain, NURSE, "age", "job")).endswith("and job is not pilot")
    tree, domain = at_work(("nurse",))
    assert str(ask(tree, domain, NURSE, "age", "job")).endswith("and job = nurse")


def test_what_is_not_needed_is_not_said() -> None:
    tree, domain = at_work()
    assert str(ask(tree, domain, COOK, "age", "job")) == "job in {cook, pilot}"
    assert str(ask(tree, domain, COOK, "job")) == "job in {cook, pilot}"
    assert str(ask(tree, domain, [50.0, *COOK[1:]], "age")) == "age > 41.5"
    constant = Tree([-1], [-1], [-1], [0.0], [0], n_features=1, feature_names=["age"])
    general = ask(constant, Domain.plain(constant), [3.0], "age")
    assert (str(general), general.parts) == ("(no condition)", ())
    assert general.covers(np.zeros((2, 1))).all()


def test_features_are_widened_in_the_order_of_the_domain() -> None:
    """Either of two numbers could grow, the first one does."""
    tree = Tree.from_nested(("x1", 0, ("x2", 0, 1)))
    zeros = np.zeros(2)
    both = [Comparison(f"x{i + 1}", i, 0.5, sense=True, boolean=True) for i in range(2)]
    for conditions in (both, both[::-1]):
        general = generalise(CellRegions.of(tree, Domain.plain(tree)), zeros, 0, conditions)
        assert str(general) == "not x2"
    ones = ask(tree, Domain.plain(tree), [1.0, 1.0], "x1", "x2")
    assert str(ones) == "x1 and x2"


def test_missing_values() -> None:
    tree, domain = at_work(missing=True)
    nobody = [math.nan, *NURSE[1:]]
    # Two intervals would do: as many thresholds in each, so the lower one.
    assert str(ask(tree, domain, nobody, "age")) == "age <= 30.5 or missing"
    # Not so where the reason says more than that it is missing.
    above = Comparison("age", 0, 41.5, sense=False, missing_left=False)
    wider = generalise(CellRegions.of(tree, domain), np.array(nobody), 0, [above])
    assert str(wider) == "age > 41.5 or missing"
    assert str(ask(tree, domain, [50.0, *NURSE[1:]], "age")) == "age > 41.5 or missing"
    both = ask(tree, domain, [20.0, *NURSE[1:]], "age", "job")
    assert str(both) == "age <= 30.5 or missing"
    assert both.covers(np.array([nobody, NURSE])).tolist() == [True, False]
    young = ask(tree, domain, NURSE, "age", "job")
    assert str(young) == "30.5 < age <= 41.5 and job in {clerk, nurse}"
    assert not young.covers(np.array([nobody]))[0]


@pytest.mark.parametrize(
    ("missing_left", "row", "expected"),
    [(True, 1.0, "a is present"), (True, math.nan, "a is missing")],
)
def test_only_missing_is_told(missing_left: bool, row: float, expected: str) -> None:
    """The test sends all numbers left, and missing ones right."""
    tree = Tree(
        [1, -1, -1],
        [2, -1, -1],
        [0, -1, -1],
        [math.inf, 0, 0],
        [-1, 0, 1],
        n_features=1,
        feature_names=["a"],
        missing_left=[not missing_left, False, False],
    )
    assert str(ask(tree, Domain.plain(tree), [row], "a")) == expected


def test_parentheses_around_or() -> None:
    age = IntervalPart("age", 30.5, math.inf, True, 0, 30.5, math.inf, True)
    job = ValuesPart("job", ("nurse",), ("cook",), (1,), ((1.0,),), (1,))
    assert str(General((age, job), "yes", 2)) == "(age > 30.5 or missing) and job = nurse"
    assert str(General((age,), "yes", 2)) == "age > 30.5 or missing"


def test_values_that_stand_for_several() -> None:
    values = (OneOf(("a", None), others=True), "b", "c")
    part = ValuesPart("job", values[:2], values[2:], (0,), ((0.0,), (1.0,)), (0, 1))
    assert str(part) == "job is not c"
    part = ValuesPart("job", values[:1], values[1:], (0,), ((0.0,),), (0,))
    assert str(part) == "job not in {b, c}"
    one = ValuesPart("job", (OneOf(("a", "d")),), ("b", "c", "e"), (0,), ((0.0,),), (0,))
    assert str(one) == "job in {a, d}"


def test_filled_in_values_are_what_they_are_filled_in_as() -> None:
    tree, domain = at_work(integer=True, extra=(38.4,))
    general = ask(tree, domain, NURSE, "age", "job")
    assert str(general) == "(age is 31 to 41 or missing) and job in {clerk, nurse}"
    assert general.covers(np.array([[38.4, *NURSE[1:]]]))[0]
    # Between 30.5 and 30.9 there is no whole number: only what was missing is there.
    told = Tree(
        [1, -1, 3, -1, -1],
        [2, -1, 4, -1, -1],
        [0, -1, 0, -1, -1],
        [30.5, 0, 30.9, 0, 0],
        [-1, 0, -1, 1, 0],
        n_features=1,
        feature_names=["age"],
    )
    domain = Domain((Number("age", 0, integer=True, extra=(30.7,)),), 1)
    assert str(ask(told, domain, [30.7], "age")) == "age is missing"


def test_bounds_are_in_the_users_units() -> None:
    age = Number("age", 0, integer=True, steps=(("add", -40.0), ("divide", 12.0)))
    tree = Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [0.55, 0, 0], [-1, 0, 1], n_features=1)
    (part,) = ask(tree, Domain((age,), 1), [0.5], "age").parts
    assert str(part) == "age <= 46"
    assert isinstance(part, IntervalPart)
    assert (part.high, part.up_to) == (46.5, 0.55)


def test_thresholds_between_which_float32_has_no_number() -> None:
    """The row is at 1.5, and 1.5 + 1e-9 is the same to the tree."""
    tree = Tree(
        [1, -1, 3, -1, -1],
        [2, -1, 4, -1, -1],
        [0, -1, 0, -1, -1],
        [1.5, 0, 1.5 + 1e-9, 0, 0],
        [-1, 0, -1, 1, 0],
        n_features=1,
        feature_names=["a"],
        row_dtype="float32",
    )
    # The leaf of the other class is out of reach.
    assert str(ask(tree, Domain.plain(tree), [1.5], "a")) == "(no condition)"


# What is refused.


def test_bad_reasons() -> None:
    tree, domain = at_work()
    cells, row = CellRegions.of(tree, domain), np.array(NURSE)
    old = Comparison("age", 0, 41.5, sense=False)
    with pytest.raises(ValueError, match=r"'age > 41\.5' does not hold in the row"):
        generalise(cells, row, 1, [old])
    with pytest.raises(ValueError, match="job = own does not force the class yes; give a suffic"):
        generalise(cells, row, 1, facts(domain, NURSE, "job"))
    with pytest.raises(ValueError, match="no condition does not force the class yes"):
        generalise(cells, row, 1, [])
    with pytest.raises(ValueError, match=r"the tree does not test 'age <= 40\.0'"):
        generalise(cells, row, 1, [Comparison("age", 0, 40.0, sense=True)])
    with pytest.raises(ValueError, match=r"the tree has no column for 'pay <= 1\.0'"):
        generalise(cells, row, 1, [Comparison("pay", 9, 1.0, sense=True)])
    with pytest.raises(ValueError, match="'nurse = 1' is no value of 'job'"):
        generalise(cells, row, 1, [Fact("nurse", 3, 1, (3,), (1.0,))])
    with pytest.raises(TypeError, match="not the one condition"):
        generalise(cells, row, 1, old)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(TypeError, match=r"'age > 30\.5' is not a Condition"):
        generalise(cells, row, 1, ["age > 30.5"])  # type: ignore[list-item]  # wrong on purpose
    with pytest.raises(cattleya.TimeoutExpired):
        generalise(cells, row, 1, facts(domain, NURSE, "age", "job"), timeout=1e-9)


def test_bad_rows() -> None:
    tree, domain = at_work()
    general = ask(tree, domain, NURSE, "age", "job")
    with pytest.raises(ValueError, match="a matrix with the tree's 5 columns, not of shape"):
        general.covers(np.zeros((2, 4)))
    with pytest.raises(ValueError, match="not of shape"):
        general.covers(np.array(NURSE))
    with pytest.raises(ValueError, match="there are no rows"):
        general.share(np.zeros((0, 5)))

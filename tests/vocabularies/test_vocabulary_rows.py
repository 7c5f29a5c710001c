"""Features and intervals of single rows: large trees, limits, texts, pickles, and bad input."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import cattleya
from cattleya import Tree
from cattleya.model.conditions.condition import Comparison
from cattleya.model.conditions.fact import Fact
from cattleya.model.conditions.phrases import merged
from cattleya.model.conditions.user_condition import UserCondition
from cattleya.model.domain.domain import Category, Domain, Number
from cattleya.vocabularies.interface import RowAtoms
from tests.samples.prepared import AskedRow, asked, prepared

ANY = -1
NO_LIMIT = (1e9, 1 << 30)

over = pytest.mark.parametrize("over", ["features", "intervals"])

# Columns: age, scaled; the one-hot group of job; city, a code.
AGE = Number("age", 0, integer=True, steps=(("add", -40.0), ("divide", 10.0)))
JOB = Category(
    "job",
    (1, 2, 3),
    ("clerk", "nurse", "pilot"),
    ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
)
CITY = Category("city", (4,), ("Aba", "Brno", "Cork"), ((0.0,), (1.0,), (2.0,)))
PEOPLE = Domain((AGE, JOB, CITY), 5)


def people() -> Tree:
    """Yes for nurses from 31 to 41, wherever they live, and for people up to 30 in Cork."""
    return Tree(
        left=[1, 3, -1, 5, 7, -1, -1, -1, 9, -1, -1],
        right=[2, 4, -1, 6, 8, -1, -1, -1, 10, -1, -1],
        feature=[0, 0, -1, 4, 2, -1, -1, -1, 4, -1, -1],
        threshold=[0.15, -0.95, 0, 1.5, 0.5, 0, 0, 0, 1.5, 0, 0],
        leaf_class=[-1, -1, 0, -1, -1, 0, 1, 0, -1, 1, 1],
        n_features=5,
        class_names=["no", "yes"],
        row_dtype="float32",
    )


def nurse(age: float = 35.0) -> Any:
    return np.array([np.float32((age - 40.0) / 10.0), 0, 1, 0, 1], dtype=np.float64)


def asked_nurse(over: str) -> AskedRow:
    return asked(people(), over, nurse(), PEOPLE)


def family(row: RowAtoms, toward: int = ANY) -> list[list[str]]:
    start, atom = row.complete_reason(toward, *NO_LIMIT)
    return [[str(c) for c in row.named(atom[i:j].tolist())] for i, j in pairwise(start.tolist())]


def test_features_print_in_the_users_terms() -> None:
    row = asked_nurse("features").atoms
    assert [str(c) for c in row.named(range(3))] == ["age = 35", "job = nurse", "city = Brno"]
    assert row.path.tolist() == [0, 1, 2]
    assert family(row) == [["age = 35"], ["job = nurse"]]


def test_intervals_print_in_the_users_terms() -> None:
    nurses = asked_nurse("intervals")
    row = nurses.atoms
    said = [str(c) for c in row.named(range(len(row)))]
    assert said == ["age >= 31", "age <= 41", "job = nurse", "city = Brno"]
    assert merged(row.named(row.path)) == ["age is 31 to 41", "job = nurse", "city = Brno"]
    assert sorted(family(row)) == [["age <= 41"], ["age >= 31"], ["job = nurse"]]
    assert nurses.verify(["age <= 41.5", "age > 30.5", "job = nurse"])


@over
def test_numbers_of_atoms_by_text_and_by_condition(over: str) -> None:
    row = asked_nurse(over).atoms
    for number, condition in enumerate(row.named(range(len(row)))):
        assert row.number(condition) == row.number(str(condition)) == number
    for wrong in ("age = 36", "age > 41.5", "job = clerk", "job = cook", "height = 3", ""):
        with pytest.raises(ValueError, match=wrong or "''"):
            row.number(wrong)


def test_verification_of_what_does_not_hold_in_the_row() -> None:
    verdict = asked_nurse("features").verify(["age = 35", "job = clerk", "city = Brno"])
    assert {str(c) for c in verdict.foreign} == {"job = clerk"}
    assert not verdict
    assert not verdict.sufficient
    assert verdict.row is not None
    assert verdict.row[1:4].tolist() == [1, 0, 0]
    verdict = asked_nurse("intervals").verify(["age > 41.5"])
    assert {str(c) for c in verdict.foreign} == {"age >= 42"}
    assert verdict.row is not None
    assert AGE.to_user(float(verdict.row[0]), "float32") == 42


def test_a_witness_is_a_row_of_the_domain() -> None:
    verdict = asked_nurse("intervals").verify(["age <= 41.5", "city = Brno"])
    assert not verdict.sufficient
    assert verdict.row is not None
    assert JOB.value_of(verdict.row) in range(3)
    age = AGE.to_user(float(verdict.row[0]), "float32")
    assert age == int(age)
    assert "not sufficient: a row" in str(verdict)
    assert all(isinstance(fact, Fact) for fact in verdict.witness)


def test_redundant_parts_are_named() -> None:
    row = asked_nurse("intervals")
    verdict = row.verify(row.atoms.named(range(len(row.atoms))))
    assert verdict.sufficient
    assert not verdict.irredundant
    assert str(verdict) == "sufficient, but redundant: city = Brno can be left out"


@over
def test_bad_sets_are_refused(over: str) -> None:
    e: Any = cattleya.Explainer(people(), over=over).explain(nurse())
    with pytest.raises(ValueError, match="'job = nurse' is no condition on a feature"):
        e.verify("job = nurse")
    with pytest.raises(TypeError, match="3 is not a Condition"):
        e.verify([3])
    row = asked_nurse(over)
    with pytest.raises(ValueError, match="job = cook"):
        row.verify(["job = cook"])
    with pytest.raises(ValueError, match="contradict each other"):
        row.verify(["job = nurse", "job = clerk"])
    other = Comparison("age", 0, 7.25, sense=True)
    with pytest.raises(ValueError, match=r"age <= 7\.25"):
        row.verify([other])
    with pytest.raises(ValueError, match="salary = 3"):
        row.verify([Fact("salary", 9, 3, (9,), (3.0,))])


def test_intervals_that_contradict_each_other_are_refused() -> None:
    row = asked_nurse("intervals")
    with pytest.raises(ValueError, match=r"'age >= 42' and 'age <= 30' contradict"):
        row.verify(["age > 41.5", "age <= 30.5"])


@over
def test_rows_outside_the_domain_are_refused(over: str) -> None:
    tree = people()
    made = prepared(tree, over, PEOPLE).vocabulary
    broken = nurse()
    broken[1] = 1.0
    with pytest.raises(ValueError, match="'job'"):
        made.row(broken)
    missing = nurse()
    missing[0] = np.nan
    with pytest.raises(ValueError, match="'age' is missing"):
        made.row(missing)
    whole = Domain((Number("age", 0, integer=True, lower=0.0, upper=99.0), JOB, CITY), 5)
    for value, problem in ((2.5, "2.5.*whole"), (120.0, "120.0.*from 0.0 to 99.0")):
        row = nurse()
        row[0] = value
        with pytest.raises(ValueError, match=problem):
            prepared(tree, over, whole).vocabulary.row(row)
    with pytest.raises(ValueError, match="2 columns, but the tree has 5"):
        _ = prepared(tree, over, Domain((Number("a", 0), Number("b", 1)), 2)).vocabulary


def test_values_that_the_tree_cannot_tell_apart_are_no_interval() -> None:
    tree = Tree(
        [1, 3, -1, -1, -1],
        [2, 4, -1, -1, -1],
        [0, 0, -1, -1, -1],
        [2.2, 2.7, 0, 0, 0],
        [-1, -1, 0, 0, 1],
        n_features=2,
    )
    whole = Domain((Number("n", 0, integer=True), Number("unused", 1)), 2)
    row = asked(tree, "intervals", np.array([1.0, 0.0]), whole).atoms
    assert [str(c) for c in row.named(range(len(row)))] == ["n <= 2"]
    assert family(row) == []  # n <= 2.2 and n > 2.7 is no row's
    assert len(asked(tree, "features", np.array([1.0, 0.0]), whole).atoms) == 2


def test_missing_numbers() -> None:
    tree = Tree(
        [1, -1, -1],
        [2, -1, -1],
        [0, -1, -1],
        [30.5, 0, 0],
        [-1, 0, 1],
        n_features=1,
        feature_names=["age"],
        missing_left=[False, False, False],
    )
    present = asked(tree, "intervals", np.array([25.0]))
    there = present.atoms
    assert [str(c) for c in there.named(range(len(there)))] == ["age is present", "age <= 30.5"]
    assert merged(there.named(range(len(there)))) == ["age <= 30.5"]
    assert there.number("age is present") == 0
    assert present.verify(["age <= 30.5"])
    refuting = present.verify(["age is present"]).row
    assert refuting is not None
    assert refuting[0] > 30.5
    missing = asked(tree, "intervals", np.array([np.nan]))
    gone = missing.atoms
    assert [str(c) for c in gone.named(range(len(gone)))] == ["age is missing"]
    assert merged(gone.named([0])) == ["age is missing"]
    assert family(gone) == [["age is missing"]]
    assert {str(c) for c in missing.verify(["age is present"]).foreign} == {"age is present"}
    features = asked(tree, "features", np.array([np.nan]))
    fact = features.atoms.named([0])[0]
    assert str(fact) == "age = missing"
    assert features.verify([fact])


@over
@pytest.mark.parametrize("n_features", [0, 2])
def test_a_tree_that_is_one_leaf(over: str, n_features: int) -> None:
    tree = Tree([-1], [-1], [-1], [0.0], [0], n_features)
    row = asked(tree, over, np.zeros(n_features))
    assert row.atoms.path.tolist() == []
    assert family(row.atoms) == []
    assert row.verify([])


# Values


@over
def test_vocabularies_can_be_pickled(over: str) -> None:
    nurses = asked_nurse(over)
    again = pickle.loads(pickle.dumps(nurses.tree.vocabulary)).row(nurse())
    row = nurses.atoms
    assert family(again) == family(row)
    conditions = row.named(range(len(row)))
    for condition in conditions:
        same = pickle.loads(pickle.dumps(condition))
        assert same == condition
        assert hash(same) == hash(condition)
        assert (str(same), type(same)) == (str(condition), type(condition))
    assert nurses.verify(map(again.meant, conditions)).sufficient
    assert family(pickle.loads(pickle.dumps(row))) == family(row)


def test_facts_are_values() -> None:
    fact = Fact("job", 1, "nurse", (1, 2), (0.0, 1.0))
    assert fact == Fact("job", 1, "nurse", (1, 2), (0.0, 1.0))
    assert len({fact, Fact("job", 1, "nurse", (1, 2), (0.0, 1.0))}) == 1
    assert fact != Fact("job", 1, "clerk", (1, 2), (1.0, 0.0))
    assert fact != Comparison("job", 1, 0.0, sense=True)
    assert Comparison("job", 1, 0.0, sense=True) != fact
    assert fact != "job = nurse"
    missing = Fact("age", 0, None, (0,), (float("nan"),))
    assert missing == Fact("age", 0, None, (0,), (float("nan"),))
    assert pickle.loads(pickle.dumps(missing)) == missing
    assert missing.holds(float("nan"))
    assert not missing.holds(1.0)
    with pytest.raises(AttributeError, match="immutable"):
        fact.value = "clerk"
    with pytest.raises(TypeError, match="no single opposite"):
        fact.negated()
    with pytest.raises(TypeError, match="2 columns"):
        fact.holds(1.0)
    assert repr(fact) == "<Fact job = nurse>"


def test_merging() -> None:
    low, high = (UserCondition("age", 0, t, s, sense=t > 0) for t, s in ((-1.0, 30.5), (0.2, 41.5)))
    lower = Comparison("age", 0, -2.0, sense=False)
    boolean = Comparison("x1", 3, 0.5, sense=False, boolean=True)
    routed = Comparison("age", 0, 3.0, sense=True, missing_left=True)
    assert merged([]) == []
    assert merged([high]) == ["age <= 41.5"]
    assert merged([lower, low]) == ["age > 30.5"]
    assert merged([high, boolean, low, lower]) == ["30.5 < age <= 41.5", "x1"]
    present = Comparison("age", 0, float("inf"), sense=True, missing_left=False)
    assert merged([present, low]) == ["age > 30.5"]
    assert merged([present, low, high], to_change=True) == ["age is present"]
    assert merged([low, boolean, lower], to_change=True) == ["age > -2.0", "x1"]
    assert merged([low, routed]) == ["age > 30.5", "age <= 3.0 or missing"]

"""General reasons, against all the rows of small domains, and of larger models."""

from __future__ import annotations

import pickle

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya import Condition, Tree
from cattleya.adapters.registry import adapt
from cattleya.changes.cell_regions import CellRegions
from cattleya.changes.general.general_reason import General
from cattleya.changes.general.generalise import generalise
from cattleya.model.conditions.fact import Fact
from cattleya.model.conditions.tests import Conditions
from cattleya.model.domain.domain import Domain
from tests.samples.domains import KINDS, World, worlds
from tests.samples.prepared import AskedRow, asked, prepared
from tests.samples.trees import Nodes

Bools = npt.NDArray[np.bool_]


# Against the definition, over all rows.


def all_conditions(world: World, over: str, number: int) -> list[Condition]:
    """Everything that a vocabulary says of a row."""
    row = world.rows[number]
    if over == "conditions":
        conditions = Conditions(world.tree)
        sides = [conditions.side(code) for code in range(2 * len(conditions))]
        return [side for side in sides if side.holds(float(row[side.index]))]
    atoms = asked(world.tree, over, row, world.domain).atoms
    return list(atoms.named(range(len(atoms))))


def rows_with(world: World, conditions: list[Condition]) -> Bools:
    """The rows in which all of the conditions hold."""
    found = np.ones(len(world.rows), dtype=np.bool_)
    for condition in conditions:
        if isinstance(condition, Fact):
            found &= condition.holds_in(world.rows)
        else:
            column = world.rows[:, condition.index].tolist()
            found &= np.array([condition.holds(value) for value in column])
    return found


def next_values(world: World, attribute: int, allowed: Bools) -> list[int]:
    """The values by which a set could be made larger, any one of them."""
    others = np.flatnonzero(~allowed).tolist()
    if KINDS[world.kinds[attribute]].number is None:
        return others
    present = np.array([not np.isnan(value[0]) for value in world.listed[attribute]])
    inside = np.flatnonzero(allowed & present)
    if not len(inside):
        return others
    low, high = int(inside[0]), int(inside[-1])
    assert len(inside) == high - low + 1  # an interval
    return [value for value in others if not present[value] or value in (low - 1, high + 1)]


def check(world: World, number: int, conditions: list[Condition]) -> General:
    """A general reason is what its definition says, or there is none."""
    row, own = world.rows[number], int(world.classes[number])
    cells = CellRegions.of(world.tree, world.domain)
    start = rows_with(world, conditions)
    if (world.classes[start] != own).any():
        with pytest.raises(ValueError, match="does not force the class"):
            generalise(cells, row, own, conditions)
        return check(world, number, all_conditions(world, "features", number))
    general = generalise(cells, row, own, conditions)
    covered = general.covers(world.rows)
    assert covered[start].all()
    assert (world.classes[covered] == own).all()
    assert general.share(world.rows) == covered.mean()
    allowed = [
        np.bincount(world.numbers[covered, a], minlength=len(values)) > 0
        for a, values in enumerate(world.listed)
    ]
    inside = np.array([allowed[a][world.numbers[:, a]] for a in range(len(allowed))])
    assert (inside.all(axis=0) == covered).all()
    for a, values in enumerate(allowed):
        rest = np.delete(inside, a, axis=0).all(axis=0)
        for value in next_values(world, a, values):
            let_in = rest & (world.numbers[:, a] == value)
            assert (world.classes[let_in] != own).any()
    # Only what restricts something is said, each once, in order.
    names = [f"a{a}" for a, values in enumerate(allowed) if not values.all()]
    said = [part.name for part in general.parts]
    assert [name for name in said if name in names] == names
    assert said == sorted(set(said))
    assert pickle.loads(pickle.dumps(general)) == general
    assert str(general).count(" and ") == max(len(said) - 1, 0)
    return general


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
@settings(max_examples=200)
@given(data=st.data(), missing=st.booleans())
def test_the_definition(over: str, data: st.DataObject, missing: bool) -> None:
    world = data.draw(worlds(missing=missing))
    number = data.draw(st.integers(0, len(world.rows) - 1))
    known = all_conditions(world, over, number)
    check(world, number, known)
    if known:
        check(world, number, data.draw(st.lists(st.sampled_from(known), unique=True)))
        # One without which the others do not do: a sufficient reason.
        reason = list(data.draw(st.permutations(known)))
        for condition in list(reason):
            rest = [other for other in reason if other != condition]
            classes = world.classes[rows_with(world, rest)]
            if (classes == world.classes[number]).all():
                reason = rest
        check(world, number, reason)


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"coded, missing"}))
@settings(max_examples=40)
@given(data=st.data())
def test_every_kind_of_attribute_alone(kind: str, data: st.DataObject) -> None:
    world = data.draw(one_kind(kind))
    for number in range(len(world.rows)):
        check(world, number, all_conditions(world, "features", number))


@st.composite
def one_kind(draw: st.DrawFn, kind: str) -> World:
    """A random chain of tests of one attribute."""
    described = KINDS[kind]
    tests = draw(
        st.lists(
            st.tuples(st.integers(0, described.width - 1), st.sampled_from(described.thresholds)),
            min_size=1,
            max_size=6,
        )
    )
    n = len(tests)
    left, right = [-1] * (2 * n + 1), [-1] * (2 * n + 1)
    feature, threshold = [-1] * (2 * n + 1), [0.0] * (2 * n + 1)
    for i, (column, at) in enumerate(tests):
        pair = [2 * i + 1, 2 * i + 2]
        left[2 * i], right[2 * i] = pair
        feature[2 * i], threshold[2 * i] = column, at
    # The chain goes on at the right-hand child.
    classes = [-1 if left[node] >= 0 else draw(st.integers(0, 1)) for node in range(2 * n + 1)]
    nodes = Nodes(
        tuple(left),
        tuple(right),
        tuple(feature),
        tuple(threshold),
        tuple(classes),
        n_features=described.width,
        row_dtype=draw(st.sampled_from(["float32", "float64"])),
    )
    return World(nodes, (kind,))


# Larger models.


def test_a_tree_of_many_numbers() -> None:
    """Deep, and everything is needed: the leaves are looked at once, not once a feature."""
    deep = 5_000
    inner = np.arange(deep)
    left, right = np.full(2 * deep + 1, -1), np.full(2 * deep + 1, -1)
    feature, leaf_class = np.full(2 * deep + 1, -1), np.full(2 * deep + 1, -1)
    left[2 * inner], right[2 * inner] = 2 * inner + 1, 2 * inner + 2
    feature[2 * inner], leaf_class[2 * inner + 1], leaf_class[-1] = inner, 1, 0
    tree = Tree(left, right, feature, np.full(2 * deep + 1, 0.5), leaf_class, deep)
    row = asked(tree, "intervals", np.ones(deep)).atoms
    cells = CellRegions.of(tree, Domain.plain(tree))
    general = generalise(cells, np.ones(deep), 0, row.named(row.path))
    assert len(general.parts) == deep
    assert general.covers(np.ones((1, deep)))[0]


def census() -> tuple[pd.DataFrame, list[str]]:
    rng = np.random.default_rng(5)
    n = 1_500
    table = pd.DataFrame(
        {
            "age": rng.integers(17, 90, n).astype(float),
            "job": rng.choice(["clerk", "cook", "nurse", "pilot", "tailor"], n),
            "education": rng.choice(["school", "college", "doctor"], n),
            "hours": rng.integers(1, 99, n).astype(float),
            "gain": rng.exponential(1000, n).round(2),
        }
    )
    table.loc[::9, "hours"] = np.nan
    score = table["age"] + 20 * (table["job"] == "pilot") + table["gain"] / 100
    return table, ["high" if high else "low" for high in score + rng.normal(0, 9, n) > 70]


def census_model() -> Pipeline:
    columns = ColumnTransformer(
        [
            ("one-hot", OneHotEncoder(handle_unknown="ignore"), ["job"]),
            ("coded", OrdinalEncoder(), ["education"]),
            ("scaled", make_pipeline(SimpleImputer(), StandardScaler()), ["hours", "gain"]),
        ],
        remainder="passthrough",
    )
    return make_pipeline(columns, DecisionTreeClassifier(random_state=0))


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
def test_a_pipeline(over: str) -> None:
    table, labels = census()
    model = census_model().fit(table, labels)
    adapted = adapt(model, None)
    tree, domain = adapted.tree, adapted.domain
    cells = CellRegions.of(tree, domain)
    made = prepared(tree, over, domain)
    matrix = np.asarray(model[:-1].transform(table), dtype=np.float32).astype(np.float64)
    predicted = tree.leaf_class[tree.apply(matrix)]
    rng = np.random.default_rng(0)
    for number in range(0, len(matrix), 50):
        row = matrix[number]
        if over == "conditions":
            reason = list(cattleya.Explainer(tree).explain(row).sufficient_reason())
        else:
            atoms = AskedRow(made, row).atoms
            reason = list(atoms.named(atoms.path))
        general = generalise(cells, row, int(predicted[number]), reason)
        covered = general.covers(matrix)
        assert covered[number]
        assert general.share(matrix) == covered.mean()
        assert (predicted[covered] == predicted[number]).all()
        # Rows mixed from others' values keep the class as well.
        mixed = np.column_stack(
            [
                matrix[rng.integers(0, len(matrix), 500)][:, list(a.columns)]
                for a in domain.attributes
            ]
        )
        order = np.argsort([c for a in domain.attributes for c in a.columns])
        mixed = mixed[:, order]
        inside = general.covers(mixed)
        assert (tree.leaf_class[tree.apply(mixed[inside])] == predicted[number]).all()
        names = {attribute.name for attribute in domain.attributes}
        assert {part.name for part in general.parts} <= names == set(table.columns)

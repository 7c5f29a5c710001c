"""Questions about a whole model, against all rows of small domains."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import cattleya
from tests.oracles.words import holds

VALUES = (0, 1, 2, 3)
NAMES = ["a", "b", "c", "d"]


def tree_of(seed: int, n_classes: int = 2) -> tuple[DecisionTreeClassifier, cattleya.Explainer]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 4, (60, 4)).astype(float), columns=NAMES)
    y = rng.integers(0, n_classes, 60)
    model = DecisionTreeClassifier(max_leaf_nodes=int(rng.integers(2, 12)), random_state=seed)
    return model.fit(X, y), cattleya.Explainer(model, over="intervals", integer=NAMES)


def decisions(model: Any) -> dict[tuple[int, ...], int]:
    rows = list(product(VALUES, repeat=len(NAMES)))
    return dict(zip(rows, model.predict(pd.DataFrame(rows, columns=NAMES)), strict=True))


def cells_of(model: Any, column: int) -> list[int]:
    """One value of each cell that the tree tells apart."""
    tree = model.tree_
    cuts = {t for f, t in zip(tree.feature, tree.threshold, strict=True) if f == column}
    found: dict[tuple[bool, ...], int] = {}
    for value in VALUES:
        found.setdefault(tuple(value <= cut for cut in sorted(cuts)), value)
    return list(found.values())


@pytest.mark.parametrize("seed", range(60))
def test_fair_everywhere_and_where_not(seed: int) -> None:
    model, explainer = tree_of(seed, 2 + seed % 2)
    decided = decisions(model)
    free = [seed % 4] if seed % 3 else [seed % 4, (seed + 1) % 4]
    found = explainer.audit([NAMES[i] for i in free])
    stay = [i for i in range(4) if i not in free]
    unfair = set()
    for row in product(*(cells_of(model, i) for i in stay)):
        own = dict(zip(stay, row, strict=True))
        seen = {
            decided[tuple({**own, **dict(zip(free, case, strict=True))}[i] for i in range(4))]
            for case in product(VALUES, repeat=len(free))
        }
        if len(seen) > 1:
            unfair.add(row)
    total = np.prod([len(cells_of(model, i)) for i in stay])
    assert found.fair == (not unfair)
    assert found.share == Fraction(len(unfair), int(total))
    assert sum((region.share for region in found.regions), Fraction(0)) == found.share
    covered: list[tuple[int, ...]] = []
    for region in found.regions:
        for row in product(*(cells_of(model, i) for i in stay)):
            matrix = np.zeros((1, 4))
            matrix[0, stay] = row
            if all(one.holds_in(matrix)[0] for one in region.conditions):
                covered.append(row)
                check_outcomes(region, matrix, free, decided)
    assert sorted(covered) == sorted(unfair)  # each of them once
    if unfair:
        pair = found.witness
        assert pair is not None
        assert {name for name, *_ in pair.changes} <= {NAMES[i] for i in free}
        rows = pd.DataFrame([pair.first, pair.second])
        assert [str(one) for one in model.predict(rows)] == list(pair.outcomes)
        assert pair.outcomes[0] != pair.outcomes[1]


def check_outcomes(region: Any, matrix: Any, free: list[int], decided: Any) -> None:
    for case in product(VALUES, repeat=len(free)):
        matrix[0, free] = case
        (said,) = (
            said for parts, said in region.outcomes if all(p.holds_in(matrix)[0] for p in parts)
        )
        assert said == str(decided[tuple(int(v) for v in matrix[0])])


@pytest.mark.parametrize("seed", range(40))
def test_numbers_and_features_without_use(seed: int) -> None:
    model, explainer = tree_of(seed)
    decided = decisions(model)
    found = explainer.audit(monotone={"a": "up"})
    for place, name in enumerate(NAMES):
        rises = falls = False
        for row, own in decided.items():
            if row[place] < VALUES[-1]:
                higher = (*row[:place], row[place] + 1, *row[place + 1 :])
                rises |= decided[higher] > own
                falls |= decided[higher] < own
        goes = {(0, 0): "never", (1, 0): "up", (0, 1): "down", (1, 1): "both"}[rises, falls]
        if name in found.untested:
            assert goes == "never"
            continue
        assert found.monotone[name] == goes
        assert (name in found.unused) == (goes == "never")
        if name == "a":
            assert found.monotone["a"].holds == (not falls)
            pair = found.monotone["a"].witness
            assert (pair is None) == (not falls)
            if pair is not None:
                low, high = model.predict(pd.DataFrame([pair.first, pair.second]))
                assert low > high
                assert pair.first["a"] < pair.second["a"]


def test_behind_a_pipeline_in_the_users_columns() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({
        "job": rng.choice(["clerk", "nurse", "smith"], 300),
        "sex": rng.choice(["f", "m"], 300),
        "age": rng.integers(20, 60, 300),
    })  # fmt: skip  # as it looks
    y = np.where((X["sex"] == "m") & (X["job"] == "nurse") & (X["age"] > 40), "yes", "no")
    coder = make_column_transformer((OneHotEncoder(), ["job", "sex"]), remainder="passthrough")
    model = make_pipeline(coder, DecisionTreeClassifier(random_state=0)).fit(X, y)
    found = cattleya.Explainer(model, over="intervals", integer=["age"]).audit(["sex"], X)
    assert found.fair is False
    assert [str(region) for region in found.regions] == [
        "job = nurse and age >= 41: no with sex = f; yes with sex = m"
    ]
    assert found.rows is not None
    touched = (X["job"] == "nurse") & (X["age"] > 40)
    assert found.rows.rows.tolist() == np.flatnonzero(touched).tolist()
    assert found.monotone == {"age": "up"}
    pair = found.witness
    assert pair is not None
    assert model.predict(pd.DataFrame([pair.first, pair.second])).tolist() == list(pair.outcomes)
    assert "Not fair everywhere" in str(found)
    assert found.to_dict()["witness"]["first"]["job"] == "nurse"


def test_numbers_above_a_bound() -> None:
    X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    model = DecisionTreeRegressor(random_state=0).fit(X, [1.0, 2.0, 3.0, 8.0])
    target = cattleya.Value(at_least=5.0)
    found = cattleya.Explainer(model, target=target, over="intervals").audit([0])
    assert (found.fair, len(found.regions)) == (False, 1)
    assert str(found.regions[0].conditions[0]) == "x1 > 0.5"


def test_what_cannot_be_asked() -> None:
    _model, explainer = tree_of(1)
    with pytest.raises(ValueError, match="unknown feature 'z'"):
        explainer.audit(["z"])
    with pytest.raises(ValueError, match="must be 'up' or 'down', not 'sideways'"):
        explainer.audit(monotone={"a": "sideways"})
    with pytest.raises(TypeError, match="monotone must be a dict"):
        explainer.audit(monotone=["a"])  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(TypeError, match="protected"):
        explainer.audit("a")


STEPS = ["low", "mid", "high", "top"]


@pytest.mark.parametrize("learner", [DecisionTreeClassifier, RandomForestClassifier])
def test_the_alphabet_is_no_order_that_somebody_gave(learner: Any) -> None:
    X = pd.DataFrame(list(product(["east", "north", "south"], STEPS, [1, 2, 3])))
    X.columns = pd.Index(["region", "step", "size"])
    y = (X["region"] == "north") ^ (X["step"].isin(STEPS[:2])) ^ (X["size"] > 1)
    for given, reported in ((STEPS, ["size", "step"]), (sorted(STEPS), ["size"])):
        coder = OrdinalEncoder(categories=[["east", "north", "south"], given])
        columns = make_column_transformer((coder, ["region", "step"]), remainder="passthrough")
        model = make_pipeline(columns, learner(random_state=0)).fit(X, y)
        explainer = cattleya.Explainer(model, over="intervals", data=X)
        assert sorted(explainer.audit().monotone) == reported
        stated = explainer.audit(monotone={"region": "up"})  # who states a direction gets an answer
        assert stated.monotone["region"].order == ("east", "north", "south")
        assert stated.monotone["region"].holds is False


def coded_people(seed: int, fill: str | None) -> tuple[Any, list[Any]]:
    """Return a model with an ordered category that may be missing; its values, in order."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({
        "step": rng.choice([*STEPS, "nan"], 60).astype(object),
        "age": rng.integers(0, 4, 60).astype(float),
    })  # fmt: skip  # as it looks
    X.loc[X["step"] == "nan", "step"] = np.nan
    coder: Any = OrdinalEncoder(categories=[STEPS if fill else [*STEPS, np.nan]])
    if fill:
        coder = make_pipeline(SimpleImputer(strategy="constant", fill_value=fill), coder)
    columns = make_column_transformer((coder, ["step"]), remainder="passthrough")
    tree = DecisionTreeClassifier(max_leaf_nodes=int(rng.integers(2, 9)), random_state=seed)
    model = make_pipeline(columns, tree).fit(X, rng.integers(0, 3, 60))
    return model, [*STEPS, np.nan]


@pytest.mark.parametrize("fill", ["mid", None])
@pytest.mark.parametrize("seed", range(12))
def test_ordered_categories_that_may_be_missing(seed: int, fill: str | None) -> None:
    model, steps = coded_people(seed, fill)
    rows = pd.DataFrame(list(product(steps, VALUES)), columns=["step", "age"])
    rows["step"] = rows["step"].astype(object)
    decided = model.predict(rows).reshape(len(steps), len(VALUES))
    explainer = cattleya.Explainer(model, over="intervals", integer=["age"])
    found = explainer.audit(["step"], monotone={"step": "up"})
    assert found.fair == bool((decided == decided[0]).all())
    change = np.diff(decided[: len(STEPS)], axis=0)  # what is missing has no place in the order
    rises, falls = bool((change > 0).any()), bool((change < 0).any())
    goes = {(0, 0): "never", (1, 0): "up", (0, 1): "down", (1, 1): "both"}[rises, falls]
    assert (found.monotone["step"], found.monotone["step"].holds) == (goes, not falls)
    assert found.monotone["step"].status == ("refuted" if falls else "proved")
    assert found.monotone["step"].order == tuple(STEPS)
    if "step" in (unasked := explainer.audit().monotone):  # where it is tested
        assert (unasked["step"], unasked["step"].holds) == (goes, None)
    for pair in (found.witness, found.monotone["step"].witness):
        if pair is not None:
            said = [
                model.predict(pd.DataFrame([row]).astype({"step": object}))[0]
                for row in (pair.first, pair.second)
            ]
            assert [str(one) for one in said] == list(pair.outcomes)
    dicts: list[dict[Any, Any]] = rows.to_dict("records")
    for outcome, facts in found.facts.items():
        own = np.flatnonzero(model.predict(rows).astype(str) == outcome).tolist()
        assert all(holds(str(fact), dicts[i], {"step": STEPS}) for fact in facts for i in own)


def test_rows_that_lack_numbers_are_asked_about_or_said_not_to_be() -> None:
    X = pd.DataFrame({"a": [0.0, 1.0, 1.0, 1.0], "b": [0.0, 0.0, 0.0, 0.0]})
    model = DecisionTreeClassifier().fit(X, [0, 1, 1, 1])
    explainer = cattleya.Explainer(model, over="intervals")
    assert any("no number is missing" in said for said in explainer.audit().assumptions)
    gaps = pd.DataFrame({"a": [np.nan], "b": [0.0]})
    found = explainer.audit(["a"], gaps)
    assert not any("no number is missing" in said for said in found.assumptions)
    assert "or missing" in str(found.regions[0])

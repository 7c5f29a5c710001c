"""Two models over the same columns, against all rows of small domains."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import cattleya

VALUES = (0, 1, 2, 3)
NAMES = ["a", "b", "c"]


def fitted(seed: int, n_classes: int = 2, names: list[str] = NAMES) -> DecisionTreeClassifier:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 4, (60, 3)).astype(float), columns=NAMES)[names]
    y = rng.integers(0, n_classes, 60)
    leaves = int(rng.integers(2, 10))
    return DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=seed).fit(X, y)


def every_row() -> pd.DataFrame:
    return pd.DataFrame(list(product(VALUES, repeat=3)), columns=NAMES).astype(float)


def check(found: Any, old: Any, new: Any, rows: pd.DataFrame) -> None:
    """Each row about which they differ is in one region, which says what both decide."""
    first, second = old.predict(rows), new.predict(rows)
    assert found.same == bool((first == second).all())
    assert found.complete
    inside = np.zeros(len(rows), dtype=int)
    for place, region in enumerate(found.regions):
        holds = np.ones(len(rows), dtype=bool)
        for part in region.conditions:
            holds &= holds_in(part, rows)
        inside += holds
        assert {(str(a), str(b)) for a, b in zip(first[holds], second[holds], strict=True)} <= {
            (region.old, region.new)
        }
        if place > 2:
            continue
        row = pd.DataFrame([region.witness])
        assert str(old.predict(row[list(old.feature_names_in_)])[0]) == region.old
        assert str(new.predict(row[list(new.feature_names_in_)])[0]) == region.new
    assert (inside == (first != second)).all()
    assert sum((r.share for r in found.regions), Fraction(0)) == found.share


def holds_in(part: Any, rows: pd.DataFrame) -> Any:
    """Tell which rows have a part, by its own words of the user's columns."""
    column = rows[part.name]
    if hasattr(part, "values"):
        known = [v for one in part.values for v in getattr(one, "values", (one,))]
        return column.isin([v for v in known if v is not None]) | (
            column.isna() & any(v is None for v in known)
        )
    held = (column > part.low) & (column <= part.high)
    return held | (column.isna() & part.missing)


@pytest.mark.parametrize("seed", range(20))
def test_where_two_trees_differ(seed: int) -> None:
    old = fitted(seed, 2 + seed % 2)
    new = fitted(seed + 100, 2, ["c", "a", "b"] if seed % 3 else NAMES)
    found = cattleya.compare(old, new, every_row(), integer=NAMES, protected=["a"])
    rows = every_row()
    first, second = old.predict(rows), new.predict(rows[list(new.feature_names_in_)])
    check(found, old, _InOrder(new), rows)
    assert found.changed is not None
    assert found.changed.tolist() == np.flatnonzero(first != second).tolist()
    assert sum(found.directions.values()) == found.changed_rows
    for one in found.groups["a"]:
        here = rows["a"].astype(str) == one.group
        assert (one.rows, one.changed) == (here.sum(), (here & (first != second)).sum())


class _InOrder:
    """A model that takes columns in any order."""

    def __init__(self, model: Any) -> None:
        self._model, self.feature_names_in_ = model, model.feature_names_in_

    def predict(self, X: pd.DataFrame) -> Any:
        return self._model.predict(X[list(self.feature_names_in_)])


def test_a_tree_and_its_json_and_its_simplified_form() -> None:
    model = fitted(5)
    tree = cattleya.Explainer(model).tree
    assert cattleya.compare(model, cattleya.Tree.from_json(tree.to_json())).same
    assert cattleya.compare(model, tree.simplified()).same
    grown = DecisionTreeClassifier(random_state=0).fit(every_row(), every_row()["a"] > 1)
    found = cattleya.compare(model, grown)
    assert (found.same, found.status) == (False, "refuted")


def people(seed: int) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({
        "job": rng.choice(["clerk", "nurse", "smith"], 200),
        "age": rng.integers(20, 26, 200).astype(float),
    })  # fmt: skip  # as it looks
    X.loc[rng.random(200) < 0.1, "age"] = np.nan
    return X, rng.choice(["no", "yes"], 200)


@pytest.mark.parametrize("seed", [0, 1, 2, 149])  # 149: the middle value was filled in
def test_pipelines_that_scale_and_encode_differently(seed: int) -> None:
    X, y = people(seed)
    one = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["job"]),
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), ["age"]),
    )
    two = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="constant", fill_value=99), MinMaxScaler()), ["age"]),
        (OrdinalEncoder(), ["job"]),
    )
    old = make_pipeline(one, DecisionTreeClassifier(max_depth=4, random_state=0)).fit(X, y)
    new = make_pipeline(two, DecisionTreeClassifier(max_depth=3, random_state=1)).fit(X, y)
    rows = pd.DataFrame(
        list(product(["clerk", "nurse", "smith"], [*np.arange(18.0, 29), np.nan, 99.0])),
        columns=["job", "age"],
    )
    found = cattleya.compare(old, new, X, protected=["job"], integer=["age"])
    check(found, old, new, rows)
    assert found.changed_rows == int((old.predict(X) != new.predict(X)).sum())
    assert cattleya.compare(old, old).same


def test_targets_and_numbers() -> None:
    rows = every_row()
    old = DecisionTreeRegressor(max_depth=3, random_state=0).fit(rows, rows["a"] * 3 + rows["b"])
    new = DecisionTreeRegressor(max_depth=4, random_state=0).fit(rows, rows["a"] * 3 + rows["b"])
    target = cattleya.Value(at_least=6)
    found = cattleya.compare(old, new, rows, target=target, integer=NAMES)
    differ = (old.predict(rows) >= 6) != (new.predict(rows) >= 6)
    assert found.changed_rows == differ.sum()
    assert found.same == (not differ.any())
    exact = cattleya.compare(old, new, rows, integer=NAMES)
    assert exact.changed_rows == (old.predict(rows) != new.predict(rows)).sum()


def test_why_each_decides_as_it_does() -> None:
    old, new = fitted(1), fitted(2)
    found = cattleya.compare(old, new, integer=NAMES)
    both = found.explain(found.witness)
    told = str(both)
    assert told.startswith("The old model: class")
    assert "The new model: class" in told
    assert both.old.prediction != both.new.prediction
    assert "For example, the row" in str(found)


def test_what_is_known_when_time_runs_out() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((3000, 6))
    old, new = (
        DecisionTreeClassifier(random_state=s).fit(X, rng.integers(0, 2, 3000)) for s in (0, 1)
    )
    whole = cattleya.compare(old, new)
    assert whole.complete
    # Too short for the walk; and several times that may end it, or the merging of its regions.
    for timeout in (1e-9, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2):
        found = cattleya.compare(old, new, timeout=timeout)
        assert found.same is not True
        assert found.complete == (found.share == whole.share)
        assert found.share <= whole.share
        assert timeout > 1e-9 or not found.complete
        for region in found.regions[:20]:
            row = [list(region.witness.values())]
            assert str(old.predict(row)[0]) == region.old != region.new == str(new.predict(row)[0])


def test_what_cannot_be_compared() -> None:
    model = fitted(0)
    other = DecisionTreeClassifier().fit(pd.DataFrame({"z": [0, 1]}), [0, 1])
    with pytest.raises(ValueError, match="no column in common"):
        cattleya.compare(model, other)
    words = DecisionTreeClassifier().fit(every_row(), ["x", "y"] * 32)
    with pytest.raises(ValueError, match="no class in common"):
        cattleya.compare(model, words)
    number = DecisionTreeRegressor().fit(every_row(), np.arange(64.0))
    with pytest.raises(ValueError, match="one model predicts classes, and the other numbers"):
        cattleya.compare(model, number)
    with pytest.raises(ValueError, match="give data"):
        cattleya.compare(model, model, protected=["a"])
    with pytest.raises(ValueError, match="there is no column 'z'"):
        cattleya.compare(model, model, every_row(), protected=["z"])
    with pytest.raises(ValueError, match="is an explainer"):
        cattleya.compare(cattleya.Explainer(model), model, integer=["a"])


def test_a_missing_category_is_written_as_both_know_it() -> None:
    steps = ["low", "high", np.nan]
    X = pd.DataFrame({"step": np.array(steps * 4, dtype=object)})
    models = [
        make_pipeline(
            OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
            DecisionTreeClassifier(random_state=0),
        ).fit(X, y)
        for y in (["a", "b", "c"] * 4, ["a", "b", "b"] * 4)
    ]
    found = cattleya.compare(models[0], models[1])
    assert [str(region) for region in found.regions] == ["step = missing: c -> b"]


def test_whole_numbers_are_taken_from_a_table() -> None:
    X = pd.DataFrame({"age": np.arange(40), "pay": np.arange(40) * 1.5})
    old, new = (
        DecisionTreeClassifier(random_state=0).fit(X[["age"]].assign(pay=0.0), X["age"] > cut)
        for cut in (19, 20)
    )
    decimal = cattleya.compare(old, new)
    assert [str(region) for region in decimal.regions] == ["19.5 < age <= 20.5: True -> False"]
    whole = cattleya.compare(old, new, X)
    assert [str(region) for region in whole.regions] == ["age is 20: True -> False"]
    assert whole.witness == {"age": 20, "pay": 30.0}  # a middle value of the table
    assert any("only whole numbers are possible for age" in one for one in whole.assumptions)
    told = cattleya.Explainer(old, over="intervals")  # as it was told
    half = cattleya.compare(told, cattleya.Explainer(new, over="intervals"), X)
    assert str(half.regions[0]) == "19.5 < age <= 20.5: True -> False"

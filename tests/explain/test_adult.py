"""A pipeline with every kind of column on real data: all that is said is in the user's columns.

The rows are scaled, filled in, one-hot encoded, given codes or passed on before the tree sees them.
How near another class is is found here once more, by what the pipeline itself makes of every value
that could be nearest, over all leaves.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.changes.counterfactual import Counterfactual
from cattleya.explain.explainer import context_of

#: How many rows are asked about; all with CATTLEYA_ADULT_ROWS=48842.
ROWS = int(os.environ.get("CATTLEYA_ADULT_ROWS", "200"))
MEASURED = 2000  # of how many of these the distances are found here too

SCALED, FILLED, PASSED = ["age", "fnlwgt"], ["hours-per-week"], ["education-num", "capital-gain"]
ONE_HOT, FILLED_TEXT = ["marital-status", "relationship", "sex"], ["workclass", "occupation"]
CODED = ["education", "race", "native-country"]
NUMBERS, TEXTS = [*SCALED, *FILLED, *PASSED, "capital-loss"], [*ONE_HOT, *FILLED_TEXT, *CODED]
FROZEN = ["sex", "race"]


@dataclass(frozen=True)
class Adult:
    table: pd.DataFrame
    model: Pipeline
    asked: pd.DataFrame


@pytest.fixture(scope="module")
def adult(data_folder: Path) -> Adult:
    path = data_folder / "adult.csv.gz"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    table = pd.read_csv(path, skipinitialspace=True, na_values="?")
    labels = table.pop(table.columns[-1]).to_numpy()
    table["hours-per-week"] = table["hours-per-week"].where(table.index % 11 > 0)
    table["occupation"] = table["occupation"].where(table.index % 13 > 0)
    model = make_pipeline(
        make_column_transformer(
            (StandardScaler(), SCALED),
            (make_pipeline(SimpleImputer(strategy="median"), MinMaxScaler()), FILLED),
            (OneHotEncoder(handle_unknown="ignore"), ONE_HOT),
            (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()), FILLED_TEXT),
            (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), CODED),
            remainder="passthrough",
        ),
        DecisionTreeClassifier(random_state=0),
    ).fit(table, labels)
    assert set(table) == {*NUMBERS, *TEXTS}
    return Adult(table, model, table.iloc[:: max(1, len(table) // ROWS)])


class Leaves:
    """All leaves of the tree, and how far each is from a row in the user's columns."""

    def __init__(self, adult: Adult) -> None:
        self.steps, tree = adult.model[0], adult.model[-1].tree_
        shape = tree.node_count, tree.n_features
        low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
        missing = np.ones(shape, dtype=bool)  # whether a row that lacks the column comes there
        for node in np.flatnonzero(tree.children_left >= 0):  # a node is before its children
            column, threshold = tree.feature[node], tree.threshold[node]
            left, right = tree.children_left[node], tree.children_right[node]
            for bounds in (low, high, missing):
                bounds[[left, right]] = bounds[node]
            high[left, column] = min(high[node, column], threshold)
            low[right, column] = max(low[node, column], threshold)
            missing[left, column] &= tree.missing_go_to_left[node]
            missing[right, column] &= not tree.missing_go_to_left[node]
        leaves = np.flatnonzero(tree.children_left < 0)
        self.low, self.high, self.missing = low[leaves], high[leaves], missing[leaves]
        self.label = adult.model.classes_[tree.value[leaves, 0].argmax(axis=1)]
        self.columns: dict[str, Any] = {}
        self.values: dict[str, Any] = {}
        self.reach: dict[str, Any] = {}  # by leaf: the first and the last number, or the categories
        for name in adult.table:
            self._add(str(name), adult.table.dropna().iloc[[0]], adult.table[name].dropna())

    def seen(self, rows: pd.DataFrame) -> Any:
        """What the tree sees of some rows."""
        made = self.steps.transform(rows)
        return (made.toarray() if hasattr(made, "toarray") else made).astype(np.float32)

    def _add(self, name: str, row: pd.DataFrame, known: Any) -> None:
        ends = pd.concat([row, row])
        ends[name] = [known.min(), known.max()]
        if name in NUMBERS:
            small, large = self.seen(ends)
            (column,) = np.flatnonzero(small != large)
            slope = (known.max() - known.min()) / float(large[column] - small[column])
            thresholds = np.union1d(self.low[:, column], self.high[:, column])
            near = known.min() + (thresholds[np.isfinite(thresholds)] - small[column]) * slope
            values = np.unique(np.floor(near)[:, None] + np.arange(-2, 4)).astype(int)
        else:
            values = np.unique(known.to_numpy(dtype=object))
        rows = row.loc[row.index.repeat(len(values))]
        seen = self.seen(rows.assign(**{name: values}))
        columns = [column] if name in NUMBERS else np.flatnonzero(np.ptp(seen, axis=0))
        points = seen[:, columns].astype(np.float64)
        low, high = self.low[:, columns], self.high[:, columns]
        if name in NUMBERS:
            first = np.searchsorted(points[:, 0], low[:, 0], side="right")
            last = np.searchsorted(points[:, 0], high[:, 0], side="right") - 1
            self.reach[name] = first, last
        else:
            inside = (low[:, None] < points) & (points <= high[:, None])
            self.reach[name] = inside.all(axis=2)
        self.columns[name], self.values[name] = columns, values

    def distances(self, row: Any, seen: Any) -> tuple[Any, Any]:
        """How many columns must change for each leaf, and the sum of what the changes cost."""
        changes, total = np.zeros((2, len(self.label)))
        for name, columns in self.columns.items():
            inside = (self.low[:, columns] < seen[columns]) & (
                seen[columns] <= self.high[:, columns]
            )
            inside |= np.isnan(seen[columns]) & self.missing[:, columns]
            away = ~inside.all(axis=1)
            values, own = self.values[name], row[name]
            if name in TEXTS:
                can, cost = self.reach[name].any(axis=1), np.ones(len(away))
            else:
                first, last = self.reach[name]
                can, cost = first <= last, np.ones(len(away))
                if not pd.isna(own):
                    least = values[np.minimum(first, len(values) - 1)]
                    most = values[np.maximum(last, 0)]
                    cost = np.where(least > own, least - own, own - most)
                    can &= (least > own) | (name != "age")  # who only gets older
            can = can & (name not in FROZEN)
            changes += np.where(away, np.where(can, 1, np.inf), 0)
            total += np.where(away, cost, 0)
        return changes, total


def cost(cf: Counterfactual) -> float:
    return math.fsum(
        abs(after - before) if name in NUMBERS and before is not None else 1.0
        for name, before, after in cf.changes
    )


@pytest.fixture(scope="module")
def leaves(adult: Adult) -> Leaves:
    return Leaves(adult)


@pytest.mark.parametrize("metric", ["l0", "l1"])
def test_the_nearest_rows_of_another_class(adult: Adult, leaves: Leaves, metric: str) -> None:
    model, asked = adult.model, adult.asked
    explainer = cattleya.Explainer(model, integer=True)
    before, seen = model.predict(asked), leaves.seen(asked)
    limits: Any = {"immutable": FROZEN, "ranges": {"age": "increase"}, "metric": metric}
    found: list[tuple[int, Counterfactual]] = []
    for place, cfs in enumerate(explainer.counterfactuals(asked, 3, **limits)):
        found += [(place, cf) for cf in cfs]
        if len(found) > 1000 or place == len(asked) - 1:
            check_rows(adult, found)
            found.clear()
        if place % max(1, len(asked) // MEASURED):
            continue
        changes, total = leaves.distances(asked.iloc[place], seen[place])
        other = (leaves.label != before[place]) & np.isfinite(changes)
        keys = (total, changes) if metric == "l0" else (total,)
        nearest = np.lexsort([key[other] for key in keys])[:3]
        np.testing.assert_allclose([cost(cf) for cf in cfs], total[other][nearest], rtol=1e-12)
        if metric == "l0":
            assert [cf.distance for cf in cfs] == changes[other][nearest].tolist()
    assert place == len(asked) - 1


def check_rows(adult: Adult, found: list[tuple[int, Counterfactual]]) -> None:
    """The rows are such as the user gives, get their class, and keep to the limits."""
    given = adult.asked.iloc[[place for place, _ in found]].reset_index(drop=True)
    after = pd.concat([cf.row for _, cf in found], ignore_index=True)
    wanted = np.array([cf.prediction for _, cf in found])
    assert list(after) == list(given)
    assert (adult.model.predict(after) == wanted).all()
    assert (adult.model.predict(given) != wanted).all()
    assert (after["age"] >= given["age"]).all()
    same = (after == given) | (after.isna() & given.isna())
    assert same[FROZEN].all(axis=None)
    for (_, cf), (_, kept) in zip(found, same.iterrows(), strict=True):
        assert {change.feature for change in cf.changes} == set(kept.index[~kept])
    changed = after.where(~same)
    assert (changed[NUMBERS].fillna(0) % 1 == 0).all(axis=None)
    for name in TEXTS:  # a one-hot group stays a value of the column
        assert changed[name].dropna().isin(adult.table[name].dropna().unique()).all()


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
def test_reasons_are_in_the_users_columns(adult: Adult, over: str) -> None:
    """And what they say forces the class, as far as the rows that are known can tell."""
    table, model, asked = adult.table, adult.model, adult.asked
    explainer = cattleya.Explainer(model, over=over, integer=True)
    want = ["sufficient", "contrastive"]
    answers = explainer.explain_all(asked, want, progress=False)
    classes, seen = model.predict(table), context_of(explainer).model.rows.matrix(table)
    assert (answers["status"] == "ok").all()
    assert (answers["prediction"] == model.predict(asked)).all()
    contrasts = chain.from_iterable(answers["contrastive_conditions"])
    said = chain.from_iterable([*answers["sufficient_conditions"], *contrasts])
    assert {text.split(" ")[0] for text in said} <= set(table)  # no name has a blank
    for place in range(0, len(asked), max(1, len(asked) // 20)):
        e = explainer.explain(asked.iloc[[place]])
        reason = e.sufficient_reason()
        assert set(map(str, reason)) == set(answers["sufficient_conditions"].iloc[place])
        covered = np.all([condition.holds_in(seen) for condition in reason], axis=0)
        assert covered[asked.index[place]]
        assert set(classes[covered]) == {e.prediction}
        assert e.verify(reason)


def test_fairness_of_every_row(adult: Adult) -> None:
    table, model = adult.table, adult.model
    explainer = cattleya.Explainer(model, integer=True)
    found = explainer.is_fair(table, ["sex"])
    either = [model.predict(table.assign(sex=sex)) for sex in ("Female", "Male", "unheard of")]
    assert (found.fair == ((either[0] == either[1]) & (either[1] == either[2]))).all()
    for place in [*found.rows[:10], *np.flatnonzero(found.fair)[:10]]:
        alone = explainer.explain(table.iloc[[place]]).is_fair(["sex"])
        assert bool(alone) == found.fair[place]
        if not alone:
            given = table.iloc[[place]]
            assert model.predict(alone.witness)[0] == alone.prediction != model.predict(given)[0]
            assert alone.witness.drop(columns="sex").equals(given.drop(columns="sex"))

"""Explanations in the user's own terms, end to end: pipelines in, raw columns out.

What each vocabulary means is tested by brute force in `test_vocabularies`; here the public API is
held to it on models as users have them.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import cattleya
from tests.checks.explanation import naming

JOBS = ["clerk", "cook", "nurse", "pilot"]
VOCABULARIES = ["conditions", "features", "intervals"]


def people(n: int = 300) -> tuple[pd.DataFrame, Any]:
    """Make a table with numbers, whole numbers, categories, and some cells empty."""
    rng = np.random.default_rng(7)
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 70, n).astype(float),
            "hours": rng.integers(10, 60, n),
            "job": rng.choice(JOBS, n),
            "sex": rng.choice(["f", "m"], n),
            "wealth": np.round(rng.normal(50, 20, n), 2),
        }
    )
    score = table["age"] / 10 + table["hours"] / 12 + 2 * (table["job"] == "pilot")
    label = np.where(score + rng.normal(0, 1, n) > score.median(), "rich", "poor")
    table.loc[::17, "age"] = np.nan
    return table, label


def pipeline(encoder: str) -> tuple[Pipeline, pd.DataFrame]:
    table, label = people()
    encode = OneHotEncoder() if encoder == "one-hot" else OrdinalEncoder()
    columns = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
             ["age", "hours"]),
            ("categories", encode, ["job", "sex"]),
        ],
        remainder="passthrough",
    )  # fmt: skip  # a list in few lines
    model = make_pipeline(columns, DecisionTreeClassifier(random_state=0))
    return model.fit(table, label), table


@pytest.fixture(scope="module", params=["one-hot", "ordinal"])
def fitted(request: pytest.FixtureRequest) -> tuple[Pipeline, pd.DataFrame]:
    return pipeline(request.param)


@pytest.mark.parametrize("over", VOCABULARIES)
def test_every_answer_holds_together(fitted: Any, over: str) -> None:
    model, table = fitted
    explainer = cattleya.Explainer(model, over=over, integer=["hours"])
    for place in range(0, len(table), 31):
        row = table.iloc[[place]]
        e = explainer.explain(row)
        assert e.prediction == model.predict(row)[0]
        assert e.verify(e.sufficient_reason())
        shortest = e.minimal_reason()
        assert e.verify(shortest)
        assert len(shortest) <= len(e.sufficient_reason())
        everything = list(e.sufficient_reasons(limit=2000))
        if len(everything) < 2000:
            assert len(everything) == e.count() == sum(e.count_by_size().values())
            assert min(map(len, everything)) == len(shortest)
            assert frozenset.intersection(*map(frozenset, everything)) == e.necessary()
        for contrast in e.contrastive(limit=5):
            assert all(contrast & reason for reason in everything)  # duality
        assert all(e.verify(reason) for reason in e.sample(3, seed=1))
        assert e.definition in shortest.definition


@pytest.mark.parametrize("over", ["features", "intervals"])
def test_reasons_speak_of_raw_columns(fitted: Any, over: str) -> None:
    model, table = fitted
    explainer = cattleya.Explainer(model, over=over, integer=["hours"])
    for place in range(1, len(table), 29):
        e = explainer.explain(table.iloc[[place]])
        assert {c.feature for c in e.relevant()} <= set(table.columns)
        for condition in e.relevant():
            if condition.feature in ("job", "sex"):
                assert str(condition) == f"{condition.feature} = {table[condition.feature][place]}"


@pytest.mark.parametrize("over", VOCABULARIES)
def test_raw_columns_can_be_left_out(fitted: Any, over: str) -> None:
    model, table = fitted
    explainer = cattleya.Explainer(model, over=over)
    answered = 0
    for place in range(0, 60, 3):
        e = explainer.explain(table.iloc[[place]], exclude=["job", "wealth"])
        try:
            reasons = list(e.sufficient_reasons(limit=50))
        except cattleya.NoSuchReason:
            assert not explainer.explain(table.iloc[[place]]).is_free_of(["job", "wealth"])
            continue
        answered += 1
        plain = explainer.explain(table.iloc[[place]])
        for reason in reasons:
            assert plain.verify(reason)
            assert not {c.feature for c in reason} & {"job", "wealth"}
            assert not any("job" in c.feature for c in reason)
    assert answered


def test_counterfactuals_are_rows_of_the_user(fitted: Any) -> None:
    model, table = fitted
    explainer = cattleya.Explainer(model, integer=["hours"])
    for place in range(0, len(table), 23):
        row = table.iloc[[place]]
        e = explainer.explain(row, immutable=["sex"])
        for found in e.counterfactuals(3):
            assert model.predict(found.row)[0] == found.prediction != e.prediction
            changed = {change.feature for change in found.changes}
            assert "sex" not in changed
            for name in table.columns:
                before, after = row[name].iloc[0], found.row[name].iloc[0]
                same = before == after or (pd.isna(before) and pd.isna(after))
                assert same == (name not in changed)
            assert found.row["job"].iloc[0] in JOBS
            assert float(found.row["hours"].iloc[0]).is_integer()


def test_fairness_of_a_row_and_of_many(fitted: Any) -> None:
    model, table = fitted
    explainer = cattleya.Explainer(model)
    together = explainer.is_fair(table, ["sex"])
    assert together.protected == ("sex",)
    for place in range(0, len(table), 11):
        row = table.iloc[[place]]
        alone = explainer.explain(row).is_fair(["sex"])
        other = row.assign(sex="f" if row["sex"].iloc[0] == "m" else "m")
        changes = model.predict(other)[0] != model.predict(row)[0]
        assert bool(alone) == bool(together.fair[place]) == (not changes)
        if changes:
            assert model.predict(alone.witness)[0] == alone.prediction


@pytest.mark.parametrize("over", VOCABULARIES)
def test_words_pages_tables_and_files(fitted: Any, over: str, tmp_path: Path) -> None:
    model, table = fitted
    explainer = cattleya.Explainer(model, over=over)
    e = explainer.explain(table.iloc[[3]])
    assert e.prediction_name in str(e)
    assert "<html" in e.to_html()
    answers = explainer.explain_all(table.iloc[:12], ["minimal", "contrastive", "count"])
    assert list(answers["status"]) == ["ok"] * 12
    for place, conditions in enumerate(answers["minimal_conditions"]):
        assert explainer.explain(table.iloc[[place]]).verify(conditions)
    circuit = e.compile()
    circuit.save(tmp_path / "circuit")
    read = cattleya.Circuit.load(tmp_path / "circuit")
    assert read.conditions == circuit.conditions
    assert list(map(str, read.conditions)) == list(map(str, circuit.conditions))
    assert read.count() == e.count()
    assert read.definition == circuit.definition
    again = pickle.loads(pickle.dumps(e))
    assert str(again.minimal_reason()) == str(e.minimal_reason())


def test_an_interval_is_said_once() -> None:
    rng = np.random.default_rng(0)
    values = rng.uniform(0, 10, (400, 1))
    label = (values[:, 0] > 3) & (values[:, 0] <= 7)
    model = DecisionTreeClassifier(random_state=0).fit(values, label)
    e = cattleya.Explainer(model, ["age"], over="intervals").explain([5.0])
    assert str(e.minimal_reason()).count("age") == 1
    assert " < age <= " in str(e.minimal_reason())
    assert len(e.minimal_reason()) == 2


@pytest.mark.parametrize(
    ("statement", "error", "parts"),
    [
        ({"integer": ["nobody"]}, ValueError, ("'nobody'",)),
        ({"integer": "age"}, TypeError, ("'age'",)),
        ({"categories": ["job"]}, TypeError, ("'job'",)),
        ({"categories": {"job": []}}, ValueError, ("empty",)),
        ({"over": "everything"}, ValueError, ("'everything'", "intervals")),
    ],
)
def test_statements_that_are_wrong(
    statement: dict[str, Any], error: type[Exception], parts: tuple[str]
) -> None:
    tree = cattleya.Tree.from_nested(("a", 0, ("b", 0, 1)))
    with pytest.raises(error, match=naming(*parts)):
        cattleya.Explainer(tree, **statement)


def test_stated_one_hot_columns_are_one_fact() -> None:
    table, label = people()
    wide = pd.get_dummies(table[["job", "hours"]], columns=["job"]).astype(float)
    model = DecisionTreeClassifier(random_state=0, max_depth=5).fit(wide, label)
    columns = [f"job_{job}" for job in JOBS]
    explainer = cattleya.Explainer(
        model, over="intervals", categories={"job": columns}, integer=["hours"]
    )
    for place in range(0, 300, 37):
        e = explainer.explain(wide.iloc[[place]])
        names = {c.feature for reason in e.sufficient_reasons(limit=100) for c in reason}
        assert names <= {"job", "hours"}
        for found in e.counterfactuals(2):
            assert sum(found.row[[wide.columns.get_loc(name) for name in columns]]) == 1
    with pytest.raises(ValueError, match="job"):
        explainer.explain(wide.iloc[[0]].assign(job_clerk=1.0, job_cook=1.0))

"""Conditions behind a pipeline are said in the user's columns and units, and stay the paper's."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import cattleya
from cattleya.model.conditions.condition import Comparison
from cattleya.model.conditions.tests import Conditions
from cattleya.model.domain.domain import Category, Domain
from tests.checks.explanation import naming

NUMBER = re.compile(r"(\w+) (<=|>) (-?[\d.e+-]+)( or missing)?")
VALUES = re.compile(r"(\w+) (=|is not|in|not in) (.+)")


def people(n: int = 240) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(11)
    table = pd.DataFrame(
        {
            "age": rng.integers(17, 90, n).astype(float),
            "sex": rng.choice(["Female", "Male"], n),
            "education": rng.choice(["basic", "college", "doctor", "none"], n),
            "hours": rng.integers(10, 60, n),
            "wealth": rng.normal(50, 20, n).round(1),
        }
    )
    score = table["age"] / 8 + table["hours"] / 9 + table["wealth"] / 15
    score += 3 * (table["sex"] == "Male") + 2 * table["education"].isin(["basic", "doctor"])
    label = np.where(score + rng.normal(0, 1, n) > score.median(), "rich", "poor")
    table.loc[::7, "wealth"] = np.nan
    return table, label


def pipeline(tree: Any) -> tuple[Pipeline, pd.DataFrame]:
    table, label = people()
    columns = ColumnTransformer(
        [
            ("n", StandardScaler(), ["age"]),
            ("c", OneHotEncoder(), ["sex"]),
            ("o", OrdinalEncoder(), ["education"]),
            ("i", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), ["wealth"]),
        ],
        remainder="passthrough",
    )
    return make_pipeline(columns, tree).fit(table, label), table


TREES = {
    "tree": DecisionTreeClassifier(random_state=0, max_depth=5),
    "extra tree": ExtraTreeClassifier(random_state=3, max_depth=5),
}


@pytest.fixture(scope="module", params=TREES)
def fitted(request: pytest.FixtureRequest) -> tuple[Pipeline, pd.DataFrame]:
    return pipeline(TREES[request.param])


def says(text: str, row: pd.Series, filled: float) -> bool:
    """Read a condition as its reader would, and hold the raw row against it."""
    text = re.sub(r" \[.*\]$", "", text)
    if found := NUMBER.fullmatch(text):
        name, side, bound, _ = found.groups()
        value = filled if pd.isna(row[name]) else row[name]
        return bool(value <= float(bound)) == (side == "<=")
    found = VALUES.fullmatch(text)
    assert found, text
    name, relation, listed = found.groups()
    values = listed.strip("{}").split(", ")
    return (row[name] in values) == (relation in ("=", "in"))


def test_texts_are_true_of_the_raw_rows(fitted: Any) -> None:
    model, table = fitted
    filled = model[0].named_transformers_["i"][0].statistics_[0]
    explainer = cattleya.Explainer(model)
    for place in range(0, len(table), 13):
        e = explainer.explain(table.iloc[[place]])
        assert {c.feature for c in e.conditions} <= set(table.columns)
        for condition in e.conditions:
            text, other = str(condition), str(condition.negated())
            assert says(text, table.iloc[place], filled)
            assert not says(other, table.iloc[place], filled)
            assert condition.negated().negated() == condition


def test_the_atoms_are_those_of_the_tree_by_itself(fitted: Any) -> None:
    """Only words differ: every answer is the one about the transformed row."""
    model, table = fitted
    names = list(model[:-1].get_feature_names_out())
    outside, inside = cattleya.Explainer(model), cattleya.Explainer(model[-1], names)

    def tests(conditions: Any) -> set[tuple[int, float, bool]]:
        return {(c.index, c.threshold, c.sense) for c in conditions}

    for place in range(0, len(table), 41):
        raw = table.iloc[[place]]
        e, bare = outside.explain(raw), inside.explain(model[:-1].transform(raw)[0])
        assert len(e.conditions) == len(bare.conditions) == len(set(map(str, e.conditions)))
        assert tests(e.minimal_reason()) == tests(bare.minimal_reason())
        assert list(map(tests, e.contrastive())) == list(map(tests, bare.contrastive()))
        assert e.count() == bare.count()
        assert tests(e.necessary()) == tests(bare.necessary())
        # The texts are taken back, and so are the tree's own.
        for reason, own in ((e.minimal_reason(), bare.minimal_reason()),):
            assert e.verify(map(str, reason))
            assert e.verify(map(str, own))
        for contrast in e.contrastive(limit=3):
            assert e.is_contrastive(map(str, contrast))
        weights = {str(c): 3 for c in e.minimal_reason()}
        heavy = {str(c): 3 for c in bare.minimal_reason()}
        assert tests(e.minimal_reason(weights)) == tests(bare.minimal_reason(heavy))
        circuit, text = e.compile(), str(next(iter(e.relevant())))
        assert circuit.count(including=[text]) + circuit.count(excluding=[text]) == e.count()
        assert str(e.generalise(map(str, e.minimal_reason())))


GOLDEN = [
    "age <= 72.5",
    "age > 39.5",
    "age > 44.5",
    "age > 58.5",
    "education is not basic",
    "education is not none",
    "hours <= 31.5",
    "hours <= 48.5",
    "hours <= 56.5",
    "hours <= 57.5",
    "sex is not Female",
    "wealth <= 96.799997",
    "wealth > 62.1",
]
GOLDEN_REASON = "age > 58.5 and wealth > 62.1 and hours <= 31.5"


def test_golden_words() -> None:
    model, table = pipeline(DecisionTreeClassifier(random_state=0, max_depth=4))
    e = cattleya.Explainer(model, integer=["age", "hours"]).explain(table.iloc[[5]])
    assert sorted(map(str, e.conditions)) == GOLDEN
    assert str(e.sufficient_reason()) == GOLDEN_REASON


def test_a_raw_column_is_left_out_by_its_name(fitted: Any) -> None:
    model, table = fitted
    explainer = cattleya.Explainer(model)
    by_name, by_place = (
        [explainer.explain(table.iloc[[i]], exclude=[column]) for i in (0, 100)]
        for column in ("sex", 1)
    )
    for one, other in zip(by_name, by_place, strict=True):
        assert {c.feature for c in one.excluded} == {"sex"}
        assert one.excluded == other.excluded
        assert "sex" in str(one)
        assert "c__sex" not in re.sub(r"\[.*?\]", "", str(one))
    for column in {c.index for c in by_name[0].excluded}:
        name = model[:-1].get_feature_names_out()[column]
        one_column = explainer.explain(table.iloc[[0]], exclude=[name]).excluded
        assert {c.index for c in one_column} == {column}


def test_words_pages_and_pictures_have_raw_columns(fitted: Any) -> None:
    model, table = fitted
    e = cattleya.Explainer(model).explain(table.iloc[[7]])
    assert pd.isna(table["wealth"][7])
    for text in (str(e), e.to_html()):
        plain = re.sub(r"\[.*?\]", "", text)
        assert not re.search(r"\b[ncoi]__|remainder__", plain)
    assert {own.feature: own.value for own in e.values} == {
        name: None if pd.isna(value) else value for name, value in table.iloc[7].items()
    }
    again = pickle.loads(pickle.dumps(e))
    assert list(map(str, again.minimal_reason())) == list(map(str, e.minimal_reason()))


def test_what_cannot_be_traced_keeps_the_tree_s_names() -> None:
    table, label = people()
    columns = ColumnTransformer([("p", PCA(2), ["age", "hours"]), ("c", OneHotEncoder(), ["sex"])])
    tree = DecisionTreeClassifier(random_state=0, max_depth=5)
    model = make_pipeline(columns, tree).fit(table, label)
    explainer = cattleya.Explainer(model)
    e = explainer.explain(table.iloc[[0]])
    assert {c.feature for c in e.conditions} == {"p__pca0", "p__pca1", "sex"}
    (said,) = e.assumptions
    assert all(part in said for part in ("PCA", "'age'", "'hours'", "traced"))
    assert said in " ".join(str(e).split())
    assert "PCA" in e.to_html()
    for name in ("age", 3):
        with pytest.raises(ValueError, match=naming("'age'|'hours'", "traced", "'p__pca0'")):
            explainer.explain(table.iloc[[0]], exclude=[name])
        with pytest.raises(ValueError, match=naming("'age'|'hours'", "traced", "'p__pca0'")):
            e.counterfactuals(immutable=[name])
        with pytest.raises(ValueError, match=naming("'age'|'hours'", "traced", "'p__pca0'")):
            e.is_fair([name])
    assert e.is_fair(["wealth"])  # which the model does not look at
    assert not explainer.explain(table.iloc[[0]], exclude=["wealth"]).excluded


def test_a_test_that_every_value_passes() -> None:
    """As of a TargetEncoder, which encodes the training rows in another way than all others."""
    tree = cattleya.Tree(
        [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -1, 0, -1, -1],
        [0.1, 0, 0.2, 0, 0], [-1, 0, -1, 0, 1], n_features=1, feature_names=["t__job"],
    )  # fmt: skip  # arrays of nodes, side by side
    job = Category("job", (0,), ("clerk", "nurse"), ((0.3,), (0.4,)))
    tests = Conditions(tree, lambda: Domain((job,), 1))
    assert [str(tests.side(code)) for code in range(4)] == [
        "job in {clerk, nurse} [t__job > 0.1]",
        "job not in {clerk, nurse} [t__job <= 0.1]",
        "job in {clerk, nurse} [t__job > 0.2]",
        "job not in {clerk, nurse} [t__job <= 0.2]",
    ]
    assert {tests.side(code).feature for code in range(4)} == {"job"}


def test_a_bare_tree_keeps_its_own_words() -> None:
    tree = cattleya.Tree.from_nested(("sex", 0, ("job", 0, 1)))
    e = cattleya.Explainer(tree, categories={"who": ["sex", "job"]}).explain([1, 0])
    assert {type(c) for c in e.conditions} == {Comparison}
    assert set(map(str, e.conditions)) == {"sex", "not job"}

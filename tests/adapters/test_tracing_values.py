"""Pipelines, traced back to the user's columns: gaps, statements, and values."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.adapters.registry import adapt
from cattleya.model.domain.domain import Category, Domain, Number, OneOf, is_missing
from cattleya.model.domain.stated import stated
from tests.checks.explanation import naming
from tests.samples.conditions import as_test
from tests.samples.models import FORMS
from tests.samples.traced import (
    NUMBERS,
    TEXTS,
    adapted,
    check,
    labels,
    people,
    place_of,
    transformed,
    user_values,
)


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant"])
def test_gaps_in_numbers(strategy: str) -> None:
    table = people()
    for steps in (
        (SimpleImputer(strategy=strategy, fill_value=-7.5), StandardScaler()),
        (RobustScaler(), SimpleImputer(strategy=strategy, fill_value=-7.5), MinMaxScaler()),
    ):
        model, pipeline = adapted(*steps, table=table[NUMBERS])
        domain = check(model, pipeline, table[NUMBERS])
        assert domain.untraced == ()
        gap = table[NUMBERS][table["pay"].isna()].iloc[[0]]
        row = transformed(pipeline, gap)[0]
        pay = domain.attributes[1]
        assert isinstance(pay, Number)
        assert pay.extra == (row[1],)
        age, missing, _ = user_values(model, gap, row)
        assert age == gap["age"].iloc[0]
        assert is_missing(missing)


def test_gaps_that_go_to_the_tree() -> None:
    table = people()[NUMBERS]
    model, pipeline = adapted(StandardScaler(), table=table)
    pay = check(model, pipeline, table).attributes[1]
    assert isinstance(pay, Number)
    assert pay.extra == ()


def test_marks_for_gaps() -> None:
    table = people()
    columns = ColumnTransformer(
        [
            ("n", make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), NUMBERS),
            (
                "t",
                make_pipeline(
                    SimpleImputer(strategy="most_frequent", add_indicator=True), OneHotEncoder()
                ),
                TEXTS,
            ),
        ]
    )
    model, pipeline = adapted(columns, table=table)
    domain = check(model, pipeline, table)
    (said,) = domain.untraced
    assert "'pay'" in said
    job = domain.attributes[place_of(domain, "job")]
    assert isinstance(job, Category)
    assert len(job.columns) == 6  # four values, and a mark that is encoded again
    assert job.missing is not None
    assert is_missing(job.values[job.missing])  # the mark tells it from what it is filled with


def test_another_mark_for_missing() -> None:
    table = people(gaps=False)
    table.loc[::5, "job"] = "?"
    table.loc[::5, "grade"] = -1
    fill = SimpleImputer(missing_values="?", strategy="most_frequent")
    columns = ColumnTransformer(
        [
            ("job", make_pipeline(fill, OrdinalEncoder()), ["job"]),
            ("grade", SimpleImputer(missing_values=-1), ["grade"]),
        ]
    )
    model, pipeline = adapted(columns, table=table)
    domain = check(model, pipeline, table)
    job, _ = domain.attributes
    assert isinstance(job, Category)
    often = table["job"][table["job"] != "?"].mode()[0]
    alike = next(v for v in job.values if isinstance(v, OneOf))
    assert set(alike.values) == {"?", often}
    assert "'grade'" in domain.untraced[0]


def test_columns_without_any_value() -> None:
    table = people()[NUMBERS].assign(empty=np.nan)
    with pytest.warns(UserWarning, match="without any observed"):
        model, pipeline = adapted(SimpleImputer(), table=table)
    with pytest.warns(UserWarning, match="without any observed"):
        assert [a.name for a in check(model, pipeline, table).attributes] == NUMBERS
    model, pipeline = adapted(SimpleImputer(keep_empty_features=True), table=table)
    assert len(check(model, pipeline, table).attributes) == 4


def test_texts_are_no_columns() -> None:
    texts = ["a b", "b c", "a c c", "d"] * 5
    pipeline = make_pipeline(CountVectorizer(token_pattern=".\\b"), DecisionTreeClassifier())
    pipeline.fit(texts, [0, 1, 1, 0] * 5)
    model = adapt(pipeline, None)
    domain = model.domain
    assert domain.raw_names == ()
    assert [a.raw for a in domain.attributes] == [()] * domain.n_columns
    assert len(domain.untraced) == 1
    assert len(user_values(model, "a b", model.rows.row("a b"))) == domain.n_columns


def test_statements_about_scaled_columns() -> None:
    table = pd.get_dummies(people(gaps=False)[["age", "grade", "job"]], dtype=float)
    jobs = [name for name in table.columns if name.startswith("job_")]
    model, pipeline = adapted(StandardScaler(), table=table)
    grades = {grade: f"grade {grade}" for grade in range(5)}
    domain = stated(model.domain, model.tree, {"job": jobs, "grade": grades}, integer=["age"])
    assert [a.name for a in domain.attributes] == ["age", "grade", "job"]
    seen = transformed(pipeline, table)
    for i, row in enumerate(seen):
        domain.check_row(row, "float32")
        age, grade, job = user_values(model, table.iloc[[i]], row, domain)
        assert (age, grade) == (table["age"][i], f"grade {table['grade'][i]:.0f}")
        assert table[f"job_{job}"][i] == 1
    job_attribute = domain.attributes[place_of(domain, "job")]
    assert isinstance(job_attribute, Category)
    for point in job_attribute.points:
        names = [domain.raw_names[raw] for raw in job_attribute.raw]
        assert job_attribute.written is not None
        ones: tuple[Any, ...] = job_attribute.written[job_attribute.points.index(point)]
        row = table.iloc[[0]].assign(**dict(zip(names, ones, strict=True)))
        assert tuple(transformed(pipeline, row)[0, list(job_attribute.columns)]) == point
    whole = domain.attributes[0]
    assert isinstance(whole, Number)
    half = seen[0].copy()
    half[0] = pipeline[0].transform(table.iloc[[0]].assign(age=30.5))[0, 0]
    with pytest.raises(ValueError, match=naming("'age'", "whole number", "30.5")):
        domain.check_row(half.astype(np.float32).astype(float), "float32")
    narrow = pipeline[0].transform(table.astype(np.float32))  # computed in 32 bits
    assert narrow.dtype == np.float32
    for row in narrow.astype(float):
        whole.check(row[0], "float32")


def test_names_for_arrays() -> None:
    table = people(gaps=False)[NUMBERS].to_numpy()
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0))
    pipeline.fit(table, labels(table))
    assert [a.name for a in adapt(pipeline, None).domain.attributes] == ["x0", "x1", "x2"]
    assert [a.name for a in adapt(pipeline, NUMBERS).domain.attributes] == NUMBERS


@pytest.mark.parametrize("form", ["array", "list", "dict", "Series", "one-row DataFrame"])
def test_values_as_the_user_has_them(form: str) -> None:
    table = people()
    columns = ColumnTransformer(
        [
            ("t", OneHotEncoder(min_frequency=0.1), TEXTS),
            ("n", make_pipeline(SimpleImputer(), StandardScaler()), NUMBERS),
        ]
    )
    model, _ = adapted(columns, table=table)
    assert not model.domain.untraced
    for i in range(40):
        given = FORMS[form](table.iloc[i])
        values = user_values(model, given, model.rows.row(given))
        for name, value in zip(table.columns, values, strict=False):
            known = table[name][i]
            assert value == known or (is_missing(value) and is_missing(known))
            assert value is None or type(value) in (str, float)


def test_bare_trees_and_pickles() -> None:
    table = people(gaps=False)[NUMBERS]
    tree = DecisionTreeClassifier(random_state=0).fit(table, labels(table))
    model = adapt(tree, None)
    assert model.domain == Domain.plain(model.tree)
    assert user_values(model, table.iloc[0], model.rows.row(table.iloc[0]))[0] == table["age"][0]
    traced, _ = adapted(StandardScaler(), table=table)
    assert pickle.loads(pickle.dumps(traced)).domain == traced.domain


def test_rare_values_are_in_the_order_of_the_encoder() -> None:
    """Not in that of a set, which differs from one process to the next."""
    names = [f"rare {i:02}" for i in range(12)]
    table = pd.DataFrame({"job": ["often"] * 20 + names})
    encoder = OneHotEncoder(min_frequency=5, handle_unknown="infrequent_if_exist")
    pipeline = make_pipeline(encoder, DecisionTreeClassifier(random_state=0))
    model = adapt(pipeline.fit(table, table["job"] == "often"), None)
    (job,) = model.domain.attributes
    assert isinstance(job, Category)
    assert job.values == ("often", OneOf(tuple(names)))


@pytest.mark.parametrize("form", ["frame", "array"])
def test_a_narrow_number_that_is_rounded_across_a_threshold(form: str) -> None:
    """A scaler computes in as many bits as it is given; what is said is about 64."""
    rng = np.random.default_rng(0)
    told = 0
    for _ in range(30):
        numbers = (rng.random(50) * 1000).astype(np.float32)
        data: Any = pd.DataFrame({"a": numbers}) if form == "frame" else numbers[:, None]
        model = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=1))
        model.fit(data, numbers > rng.random() * 1000)
        explainer = cattleya.Explainer(model, ["a"])
        if not len(reason := explainer.explain(data[:1]).sufficient_reason()):
            continue
        (condition,) = map(as_test, reason)
        near = np.float32(condition.shown)
        for toward in (-np.inf, near, np.inf):
            value = np.nextafter(near, np.float32(toward))
            row: Any = np.array([[value]])
            row = pd.DataFrame(row, columns=["a"]) if form == "frame" else row
            wide = row.astype("float64")
            if model.predict(row) != model.predict(wide):
                with pytest.raises(ValueError, match=f"'a' is {value} in numbers of 32 bits"):
                    explainer.explain(row)
                row, told = wide, told + 1
            e = explainer.explain(row)
            assert e.prediction == model.predict(row)[0]
            (condition,) = map(as_test, e.sufficient_reason())
            seen, limit = (
                model[0].transform(wide * 0 + number).astype(np.float32)
                for number in (float(value), condition.shown)
            )
            assert (seen <= limit) == ("<=" in str(condition))
    assert told


def test_a_whole_number_of_32_bits_next_to_the_mean() -> None:
    """Scaled, it is nothing but what 32 bits lose; it is a whole number all the same."""
    ages = np.arange(20, 61, dtype=np.float32)[:, None]
    model = make_pipeline(StandardScaler(), DecisionTreeClassifier()).fit(ages, ages[:, 0] > 30)
    model[0].mean_[0] += 1.3e-6
    row = np.array([[40]], dtype=np.float32)
    assert model[0].transform(row) != model[0].transform(row.astype(np.float64))
    e = cattleya.Explainer(model, ["age"], integer=["age"]).explain(row)
    assert str(e.sufficient_reason()) == "age > 30.5"


@pytest.mark.parametrize("form", ["frame", "array", "Series", "sparse"])
def test_narrow_rows_are_explained_as_what_they_are(form: str) -> None:
    """Whole numbers half-way between two others are on no side for sure, but for the class."""
    data, classes = load_digits(return_X_y=True)
    narrow = data.astype(np.float32)
    scaler = StandardScaler(with_mean=False) if form == "sparse" else StandardScaler()
    frame = pd.DataFrame(narrow, columns=[f"p{place}" for place in range(64)])
    model = make_pipeline(scaler, DecisionTreeClassifier(random_state=0))
    model.fit(frame if form in ("frame", "Series") else narrow, classes)
    explainer = cattleya.Explainer(model, [f"p{place}" for place in range(64)])
    nameless = clone(scaler).fit(data)
    rows: dict[str, Any] = {
        "frame": frame, "array": narrow, "Series": frame, "sparse": csr_matrix(narrow)
    }  # fmt: skip  # a list in few lines
    predicted = model.predict(rows[form])
    for number in range(0, 400, 4):
        row = rows[form].iloc[number] if form == "Series" else rows[form][number : number + 1]
        e = explainer.explain(row)
        assert e.prediction == predicted[number]
        if form == "sparse":
            assert explainer.explain(row.tocoo()).prediction == e.prediction
        for condition in map(as_test, e.direct_reason() | e.sufficient_reason()):
            value = float(narrow[number, condition.index])
            seen, limit = (
                nameless.transform(np.full((1, 64), one))[0, condition.index].astype(np.float32)
                for one in (value, condition.shown)
            )
            assert (seen <= limit) == ("<=" in str(condition))
    assert (explainer.explain_all(rows[form], progress=False)["status"] == "ok").all()


def test_a_scaler_that_takes_sparse_rows_for_others() -> None:
    """RobustScaler does not centre what is sparse."""
    data = np.random.default_rng(0).random((60, 1)) * 1000 + 1000
    model = make_pipeline(RobustScaler(), DecisionTreeClassifier(max_depth=2))
    model.fit(data, data[:, 0] > 1500)
    explainer = cattleya.Explainer(model, ["a"])
    assert explainer.explain(data[0]).prediction == model.predict(data[:1])[0]
    with pytest.raises(ValueError, match=r"'a' is .* in a sparse row, .*; give X.toarray\(\)"):
        explainer.explain(csr_matrix(data[:1]))

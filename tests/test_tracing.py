"""Pipelines, traced back to the user's columns: what the domain says is what the pipeline does."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from checks import naming
from models import FORMS
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)
from sklearn.tree import DecisionTreeClassifier

from cattleya.adapters import AdaptedModel, adapt
from cattleya.adapters.wires import key
from cattleya.domain import Category, Domain, Number, OneOf, is_missing
from cattleya.stated_domain import stated

NUMBERS = ["age", "pay", "score"]
TEXTS = ["job", "town", "sex"]


def people(rows: int = 200, seed: int = 0, gaps: bool = True) -> pd.DataFrame:
    """A table with numbers of several scales, texts, rare texts and gaps."""
    rng = np.random.default_rng(seed)
    towns = np.array(["Oslo", "Rome", "Bern", "Lima", "Kyiv", "Baku"])
    table = pd.DataFrame(
        {
            "age": rng.integers(17, 91, size=rows).astype(float),
            "job": rng.choice(["clerk", "nurse", "pilot", "cook"], size=rows),
            "pay": rng.lognormal(10, 3, size=rows),
            "town": rng.choice(towns, size=rows, p=[0.4, 0.3, 0.2, 0.06, 0.02, 0.02]),
            "score": rng.normal(0, 1e-6, size=rows),
            "sex": rng.choice(["f", "m"], size=rows),
            "grade": rng.integers(0, 5, size=rows),
        }
    ).astype(dict.fromkeys(TEXTS, object))
    if gaps:
        table.loc[rng.random(rows) < 0.1, "pay"] = np.nan
        table.loc[rng.random(rows) < 0.1, "job"] = np.nan
    return table


def labels(table: Any) -> Any:
    return np.random.default_rng(1).integers(0, 2, size=len(table))


def adapted(*steps: Any, table: Any) -> tuple[AdaptedModel, Any]:
    model = make_pipeline(*steps, DecisionTreeClassifier(random_state=0))
    model.fit(table, labels(table))
    return adapt(model, None), model


def transformed(pipeline: Any, table: Any) -> Any:
    """Rows as the tree at the end of a pipeline sees them."""
    result = pipeline[:-1].transform(table)
    if hasattr(result, "toarray"):
        result = result.toarray()
    return np.asarray(result, dtype=np.float32).astype(np.float64)


def check(model: AdaptedModel, pipeline: Any, table: Any) -> Domain:
    """What the domain says of every row, value by value, is what the pipeline does with it."""
    domain = model.domain
    seen = transformed(pipeline, table)
    assert domain.n_columns == seen.shape[1]
    raw = np.asarray(table, dtype=object)
    assert len(domain.of_column) == seen.shape[1]
    for number, attribute in enumerate(domain.attributes):
        if not attribute.raw:
            continue
        assert domain.raw_names[attribute.raw[0]] == attribute.name
        given = raw[:, attribute.raw[0]]
        if isinstance(attribute, Number):
            said = attribute.to_tree(given.astype(float), "float32")
            np.testing.assert_array_equal(said, seen[:, attribute.column])
        else:
            points = map(tuple, seen[:, list(attribute.columns)].tolist())
            for value, point in dict.fromkeys(zip(map(key, given), points, strict=True)):
                row = dict(zip(attribute.columns, point, strict=True))
                check_value(attribute, value, attribute.value_of(row))
            check_points(domain, number, attribute)
    return domain


def check_value(category: Category, value: Any, place: int) -> None:
    """A row's raw value is one of those that its place stands for."""
    known = category.values[place]
    alike = known.values if isinstance(known, OneOf) else (known,)
    listed = [v for k in category.values for v in (k.values if isinstance(k, OneOf) else (k,))]
    if isinstance(value, float) and math.isnan(value):
        assert place == category.missing
    elif value in listed:
        assert value in alike
    else:
        assert place == category.other


def check_points(domain: Domain, number: int, category: Category) -> None:
    assert len(set(map(repr, category.points))) == len(category.points)
    for place, point in enumerate(category.points):
        changes = domain.raw_changes(number, point, "float32")
        assert changes is not None
        (written,) = changes.values()
        if not isinstance(written, OneOf):
            check_value(category, written, place)


ENCODERS = {
    "plain": OneHotEncoder(),
    "dense": OneHotEncoder(sparse_output=False),
    "drop first": OneHotEncoder(drop="first", handle_unknown="ignore"),
    "drop if binary": OneHotEncoder(drop="if_binary"),
    "drop chosen": OneHotEncoder(drop=["nurse", "Rome", "m"]),
    "ignore": OneHotEncoder(handle_unknown="ignore"),
    "rare": OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=0.1),
    "rare, ignored": OneHotEncoder(handle_unknown="ignore", min_frequency=30),
    "most": OneHotEncoder(max_categories=3, handle_unknown="infrequent_if_exist", drop="first"),
    "float32": OneHotEncoder(dtype=np.float32, sparse_output=False),
    "int": OneHotEncoder(dtype=int),
    "ordinal": OrdinalEncoder(),
    "ordinal, unknown": OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2
    ),
    "ordinal, unknown missing": OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=np.nan
    ),
    "ordinal, rare": OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=99, min_frequency=0.1
    ),
    "ordinal, most": OrdinalEncoder(max_categories=3, dtype=np.float32),
}
SCALERS = {
    "none": "passthrough",
    "standard": StandardScaler(),
    "centred": StandardScaler(with_std=False),
    "uncentred": StandardScaler(with_mean=False),
    "min-max": MinMaxScaler((-3, 7)),
    "clipped": MinMaxScaler(clip=True),
    "max-abs": MaxAbsScaler(),
    "robust": RobustScaler(),
    "robust, centred": RobustScaler(with_scaling=False),
    "robust, unit": RobustScaler(with_centering=False, unit_variance=True),
    "identity": FunctionTransformer(),
}


def strange(table: pd.DataFrame, encoder: Any) -> pd.DataFrame:
    """More rows, with values that the encoder has not seen, if it takes them."""
    more = people(150, seed=7)
    more["age"] += 0.3
    if getattr(encoder, "handle_unknown", "error") != "error":
        for column in TEXTS:
            more.loc[np.random.default_rng(3).random(len(more)) < 0.1, column] = "unheard of"
    return pd.concat([table, more], ignore_index=True)


PAIRS = [(e, "standard") for e in ENCODERS] + [("plain", s) for s in SCALERS if s != "standard"]


@pytest.mark.filterwarnings("ignore:Found unknown categories")
@pytest.mark.parametrize(("encoder", "scaler"), PAIRS)
def test_encoders_and_scalers(encoder: str, scaler: str) -> None:
    table = people()
    columns = ColumnTransformer(
        [
            ("text", ENCODERS[encoder], TEXTS),
            ("number", make_pipeline(SimpleImputer(), SCALERS[scaler]), NUMBERS),
            ("rest", "passthrough", ["grade"]),
        ]
    )
    model, pipeline = adapted(columns, table=table)
    domain = check(model, pipeline, strange(table, ENCODERS[encoder]))
    assert domain.untraced == ()
    assert [a.name for a in domain.attributes] == list(table.columns)
    assert [type(a) for a in domain.attributes] == [
        Category if name in TEXTS else Number for name in table.columns
    ]
    check_changes(domain, pipeline, table)
    check_thresholds(domain, pipeline, table)


def check_changes(domain: Domain, pipeline: Any, table: pd.DataFrame) -> None:
    """Written into the user's columns, a change makes the row what was asked for."""
    rng = np.random.default_rng(5)
    for number, attribute in enumerate(domain.attributes):
        if isinstance(attribute, Number):
            some = (0.0, 1.0, float(rng.normal()), 7.25)
            points: Any = [(attribute.largest(v, "float32"),) for v in some]
        else:
            points = attribute.points
        points = [point for point in points if all(map(math.isfinite, point))]
        written = []
        for point in points:
            changes = domain.raw_changes(number, point, "float32")
            assert changes is not None
            assert list(changes) == [attribute.name]
            value = changes[attribute.name]
            written.append("unheard of" if isinstance(value, OneOf) else value)
        kind = float if isinstance(attribute, Number) else object
        rows = table.iloc[rng.integers(len(table), size=len(points))]
        rows = rows.assign(**{attribute.name: pd.Series(written, rows.index, kind)})
        seen = transformed(pipeline, rows)[:, list(attribute.columns)]
        assert list(map(tuple, seen.tolist())) == points


def check_thresholds(domain: Domain, pipeline: Any, table: pd.DataFrame) -> None:
    """The pipeline sends values on both sides of a threshold to the sides that we say."""
    tree = pipeline[-1].tree_
    for attribute in domain.attributes:
        if not isinstance(attribute, Number):
            continue
        tested = np.unique(tree.threshold[tree.feature == attribute.column])
        last = attribute.boundary(tested, "float32")
        first = np.nextafter(last, np.inf)
        shown = attribute.user_threshold(tested, "float32")
        rows = table.iloc[[0] * len(tested)].astype({attribute.name: float})
        for values, left in ((last, True), (first, False), (shown, True)):
            if values is shown and not attribute.steps:
                continue  # then it is the tree's own threshold, after the cast
            fine = np.abs(values) < 1e300
            if fine.any():
                seen = transformed(pipeline, rows.assign(**{attribute.name: values})[fine])
                assert ((seen[:, attribute.column] <= tested[fine]) == left).all()
        whole = replace(attribute, integer=True).user_threshold(tested, "float32")
        for values, left in ((np.floor(whole), True), (np.ceil(whole), False)):
            fine = np.abs(values) < 1e15
            if fine.any():
                seen = transformed(pipeline, rows.assign(**{attribute.name: values})[fine])
                assert ((seen[:, attribute.column] <= tested[fine]) == left).all()


SCALED_CODES = [
    *((encoder, "uncentred") for encoder in ENCODERS),
    *((encoder, "standard") for encoder in ENCODERS),
    *(("float32", s) for s in ("max-abs", "robust, unit", "clipped", "min-max", "robust")),
    *(("ordinal, unknown", s) for s in ("max-abs", "robust, unit", "clipped", "min-max", "robust")),
]


@pytest.mark.filterwarnings("ignore:Found unknown categories")
@pytest.mark.parametrize(("encoder", "scaler"), SCALED_CODES)
def test_scaled_codes(encoder: str, scaler: str) -> None:
    """A scaler after an encoder: the category stays one, on other points."""
    table = people()
    sparse = scaler in ("uncentred", "max-abs", "robust, unit")
    columns = ColumnTransformer(
        [("text", ENCODERS[encoder], TEXTS), ("n", "passthrough", ["age", "score"])],
        sparse_threshold=1.0 if sparse else 0.0,
    )
    model, pipeline = adapted(columns, SCALERS[scaler], table=table)
    domain = check(model, pipeline, strange(table, ENCODERS[encoder]))
    assert domain.untraced == ()
    alone = clone(ENCODERS[encoder])
    if hasattr(alone, "sparse_output"):
        alone.set_params(sparse_output=sparse)
    model, pipeline = adapted(alone, SCALERS[scaler], table=table[TEXTS])
    assert check(model, pipeline, strange(table, ENCODERS[encoder])[TEXTS]).untraced == ()


def names_and_kinds(domain: Domain) -> dict[str, type]:
    return {a.name: type(a) for a in domain.attributes}


COLUMN_CHOICES: dict[str, Any] = {
    "names": ["age", "score"],
    "one name": ["age"],
    "places": [0, -3],
    "slice": slice(0, 3, 2),
    "slice of names": slice("age", "age"),
    "mask": [True, False, True, False, False, False, True],
    "callable": make_column_selector("a|g"),
    "by type": make_column_selector(dtype_include=np.number),
}


@pytest.mark.parametrize("choice", COLUMN_CHOICES)
@pytest.mark.parametrize("remainder", ["drop", "passthrough", "scaled"])
def test_columns_and_remainders(choice: str, remainder: str) -> None:
    table = people(gaps=False)
    for name in TEXTS:
        table[name] = np.random.default_rng(4).normal(size=len(table))
    columns = ColumnTransformer(
        [("nothing", "drop", ["town"]), ("chosen", MinMaxScaler(), COLUMN_CHOICES[choice])],
        remainder=RobustScaler() if remainder == "scaled" else remainder,
    )
    model, pipeline = adapted(columns, table=table)
    domain = check(model, pipeline, table)
    assert domain.untraced == ()
    assert domain.raw_names == tuple(table.columns)
    assert len(domain.attributes) == domain.n_columns
    places = [a.raw[0] for a in domain.attributes]
    assert places == sorted(places)


@pytest.mark.parametrize("pandas", [False, True])
def test_nested_pipelines(pandas: bool) -> None:
    table = people()
    text = Pipeline(
        [
            ("fill", SimpleImputer(strategy="most_frequent")),
            ("nothing", "passthrough"),
            ("code", OneHotEncoder(sparse_output=False, handle_unknown="ignore")),
        ]
    )
    number = make_pipeline(SimpleImputer(strategy="median"), make_pipeline(StandardScaler()))
    columns = ColumnTransformer(
        [("text", text, TEXTS), ("number", number, NUMBERS)], transformer_weights={"number": 0.5}
    )
    chain = Pipeline([("columns", columns), ("scale", MaxAbsScaler()), ("pick", SelectKBest(k=9))])
    if pandas:
        chain.set_output(transform="pandas")
    model, pipeline = adapted(chain, VarianceThreshold(), table=table)
    domain = check(model, pipeline, strange(table, OneHotEncoder(handle_unknown="ignore")))
    assert domain.untraced == ()
    assert domain.n_columns == 9
    job = next(a for a in domain.attributes if isinstance(a, Category) and a.missing is not None)
    assert not is_missing(job.values[job.missing or 0])  # filled in as the most frequent


def test_all_selected_columns_of_a_category_may_be_few() -> None:
    """A selector that keeps one one-hot column: the other values are alike to the tree."""
    table = people(gaps=False)[["job"]]
    wanted = (table["job"] == "nurse").to_numpy() ^ (np.arange(len(table)) % 9 == 0)
    pipeline = make_pipeline(
        OneHotEncoder(), SelectKBest(k=1), DecisionTreeClassifier(random_state=0)
    ).fit(table, wanted)
    domain = check(adapt(pipeline, None), pipeline, table)
    (job,) = domain.attributes
    assert isinstance(job, Category)
    assert set(job.values) == {"nurse", OneOf(("clerk", "cook", "pilot"))}


def test_what_cannot_be_traced_is_said() -> None:
    table = people(gaps=False)
    columns = ColumnTransformer(
        [
            ("text", OneHotEncoder(), ["job"]),
            ("pca", make_pipeline(StandardScaler(), PCA(2)), ["age", "pay"]),
            ("log", FunctionTransformer(np.exp, feature_names_out="one-to-one"), ["score"]),
            ("grade", "passthrough", ["grade"]),
        ]
    )
    model, pipeline = adapted(columns, table=table)
    domain = check(model, pipeline, table)
    assert names_and_kinds(domain) == {
        "job": Category,
        "grade": Number,
        "pca__pca0": Number,
        "pca__pca1": Number,
        "log__score": Number,
    }
    pca, log = domain.untraced
    assert all(part in pca for part in ("columntransformer__pca__pca", "PCA", "'age', 'pay'"))
    assert all(part in log for part in ("__log'", "FunctionTransformer", "'score'"))
    assert domain.raw_changes(domain.index("pca__pca0"), (1.0,), "float32") is None
    row = transformed(pipeline, table.iloc[[3]])[0]
    values = model.user_values(table.iloc[[3]], row)
    assert values[:2] == (table["job"][3], float(table["grade"][3]))
    assert values[2] == row[domain.attributes[2].columns[0]]


def test_after_what_cannot_be_traced_nothing_is() -> None:
    table = people(gaps=False)
    model, pipeline = adapted(PCA(2), StandardScaler(), table=table[NUMBERS])
    domain = check(model, pipeline, table[NUMBERS])
    assert [a.raw for a in domain.attributes] == [(), ()]
    assert len(domain.untraced) == 1


def test_a_column_that_goes_two_ways() -> None:
    table = people(gaps=False)
    both = ColumnTransformer([("a", OrdinalEncoder(), ["grade"]), ("b", "passthrough", ["grade"])])
    model, pipeline = adapted(both, table=table)
    (grade,) = check(model, pipeline, table).attributes
    assert isinstance(grade, Category)  # no other grades are taken, so these are all
    assert grade.points[2] == (2.0, 2.0)
    twice = ColumnTransformer(
        [("a", StandardScaler(), ["age"]), ("b", "passthrough", ["age", "pay"])]
    )
    domain = adapted(twice, table=table)[0].domain
    assert [a.name for a in domain.attributes] == ["pay", "a__age", "b__age"]
    assert "'age'" in domain.untraced[0]
    partly = ColumnTransformer([("a", PCA(1), ["age", "pay"]), ("b", "passthrough", ["age"])])
    domain = adapted(partly, table=table)[0].domain
    assert [a.name for a in domain.attributes] == ["a__pca0", "b__age"]
    assert len(domain.untraced) == 2
    union = FeatureUnion([("a", OneHotEncoder()), ("b", OrdinalEncoder())])
    model, pipeline = adapted(union, table=table[TEXTS])
    domain = check(model, pipeline, table[TEXTS])
    assert names_and_kinds(domain) == dict.fromkeys(TEXTS, Category)


@pytest.mark.parametrize("classes", [2, 3])
def test_target_encoders(classes: int) -> None:
    table = people()[TEXTS]
    target = np.random.default_rng(1).integers(0, classes, size=len(table))
    pipeline = make_pipeline(
        TargetEncoder(), MinMaxScaler(), DecisionTreeClassifier(random_state=0)
    ).fit(table, target)
    domain = check(adapt(pipeline, None), pipeline, strange(people(), None)[TEXTS])
    assert domain.untraced == ()
    assert names_and_kinds(domain) == dict.fromkeys(TEXTS, Category)
    unheard = pd.DataFrame([["unheard of"] * 3], columns=TEXTS, dtype=object)
    check(adapt(pipeline, None), pipeline, unheard)


def test_a_text_column_by_itself() -> None:
    table = people(gaps=False)
    columns = ColumnTransformer(
        [("words", CountVectorizer(), "town"), ("code", OneHotEncoder(), ["job"])]
    )
    domain = check(*adapted(columns, table=table), table)
    assert domain.attributes[0].name == "job"
    assert {a.name for a in domain.attributes[1:]} >= {"words__oslo", "words__rome"}
    assert "'town'" in domain.untraced[0]


def test_names_that_meet() -> None:
    """A transformed column may be called as another raw column is."""
    table = people(gaps=False)[["age", "pay"]]
    columns = ColumnTransformer(
        [
            ("a", "passthrough", ["age"]),
            ("b", FunctionTransformer(np.sqrt, feature_names_out=lambda s, i: ["age"]), ["pay"]),
        ],
    )
    domain = adapted(columns, table=table)[0].domain
    assert [a.name for a in domain.attributes] == ["age", "b__age"]
    model, _ = adapted(
        ColumnTransformer([("a", "passthrough", [0]), ("b", FunctionTransformer(np.sqrt), [1])]),
        table=table.to_numpy(),
    )
    assert [a.name for a in model.domain.attributes] == ["x0", "x1"]


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
        age, missing, _ = model.user_values(gap, row)
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
    job = domain.attributes[domain.index("job")]
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


@pytest.mark.parametrize("scaler", [s for s in SCALERS if s != "none"])
def test_constants_and_extreme_scales(scaler: str) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "constant": np.full(200, 7.3),
            "zero": np.zeros(200),
            "tiny": rng.normal(0, 1e-30, size=200),
            "huge": rng.normal(0, 1e30, size=200),
            "far": rng.normal(1e6, 1e-3, size=200),
        }
    )
    model, pipeline = adapted(SCALERS[scaler], table=table)
    domain = check(model, pipeline, pd.concat([table, table * 1.37, -table]))
    assert domain.untraced == ()
    check_thresholds(domain, pipeline, table)
    check_changes(domain, pipeline, table)


def test_a_scaler_of_ones_own_is_not_understood() -> None:
    class Squared(StandardScaler):  # type: ignore[misc]  # scikit-learn has no types
        def transform(self, X: Any, copy: bool | None = None) -> Any:
            return super().transform(X, copy) ** 2

    class Renamed(StandardScaler):  # type: ignore[misc]
        pass

    table = people(gaps=False)[NUMBERS]
    assert len(adapted(Squared(), table=table)[0].domain.untraced) == 1
    assert adapted(Renamed(), table=table)[0].domain.untraced == ()


def test_texts_are_no_columns() -> None:
    texts = ["a b", "b c", "a c c", "d"] * 5
    pipeline = make_pipeline(CountVectorizer(token_pattern=".\\b"), DecisionTreeClassifier())
    pipeline.fit(texts, [0, 1, 1, 0] * 5)
    model = adapt(pipeline, None)
    domain = model.domain
    assert domain.raw_names == ()
    assert [a.raw for a in domain.attributes] == [()] * domain.n_columns
    assert len(domain.untraced) == 1
    assert len(model.user_values("a b", model.rows.row("a b"))) == domain.n_columns


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
        age, grade, job = domain.user_values(row, table.iloc[i].tolist())
        assert (age, grade) == (table["age"][i], f"grade {table['grade'][i]:.0f}")
        assert table[f"job_{job}"][i] == 1
    number = domain.index("job")
    job_attribute = domain.attributes[number]
    assert isinstance(job_attribute, Category)
    for point in job_attribute.points:
        row = table.iloc[[0]].assign(**(domain.raw_changes(number, point, "float32") or {}))
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
        values = model.user_values(given, model.rows.row(given))
        for name, value in zip(table.columns, values, strict=False):
            known = table[name][i]
            assert value == known or (is_missing(value) and is_missing(known))
            assert type(value) in (str, float)


def test_bare_trees_and_pickles() -> None:
    table = people(gaps=False)[NUMBERS]
    tree = DecisionTreeClassifier(random_state=0).fit(table, labels(table))
    model = adapt(tree, None)
    assert model.domain == Domain.plain(model.tree)
    assert model.user_values(table.iloc[0], model.rows.row(table.iloc[0]))[0] == table["age"][0]
    traced, _ = adapted(StandardScaler(), table=table)
    assert pickle.loads(pickle.dumps(traced)).domain == traced.domain


def test_adult_in_raw_columns(data_folder: Path) -> None:
    path = data_folder / "adult.csv.gz"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    table = pd.read_csv(path)
    income = table.pop(table.columns[-1])
    text = [name for name in table.columns if not pd.api.types.is_numeric_dtype(table[name])]
    scaled, whole = ["age", "capital-gain", "hours-per-week"], ["fnlwgt", "capital-loss"]
    coded = ["education", "sex"]
    one_hot = [name for name in text if name not in coded]
    columns = ColumnTransformer(
        [
            (
                "cat",
                make_pipeline(
                    SimpleImputer(strategy="most_frequent"),
                    OneHotEncoder(handle_unknown="ignore", min_frequency=20),
                ),
                one_hot,
            ),
            ("code", OrdinalEncoder(), coded),
            ("num", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), scaled),
            ("as it is", "passthrough", whole),
        ],
        remainder=MinMaxScaler(),
    )
    pipeline = make_pipeline(columns, DecisionTreeClassifier(random_state=0)).fit(table, income)
    domain = check(adapt(pipeline, None), pipeline, table)
    assert domain.untraced == ()
    assert [a.name for a in domain.attributes] == list(table.columns)
    check_thresholds(domain, pipeline, table)
    check_changes(domain, pipeline, table)

"""Pipelines, traced back to the user's columns: what the domain says is what the pipeline does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
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
    PowerTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)
from sklearn.tree import DecisionTreeClassifier

from cattleya.adapters.registry import adapt
from cattleya.model.domain.domain import Category, Number, OneOf, is_missing
from tests.samples.traced import (
    ENCODERS,
    NUMBERS,
    PAIRS,
    SCALED_CODES,
    SCALERS,
    TEXTS,
    adapted,
    check,
    check_changes,
    check_thresholds,
    names_and_kinds,
    people,
    place_of,
    strange,
    transformed,
    user_values,
)


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


def test_a_pipeline_inside_that_does_nothing() -> None:
    table = people(gaps=False)[NUMBERS]
    inner = ColumnTransformer([("n", make_pipeline("passthrough"), NUMBERS)])
    model, pipeline = adapted(inner, table=table)
    assert check(model, pipeline, table).untraced == ()


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
        "exp(score)": Number,
    }
    pca, log = domain.untraced
    assert all(part in pca for part in ("columntransformer__pca__pca", "PCA", "'age', 'pay'"))
    assert all(part in log for part in ("__log'", "FunctionTransformer", "'score'"))
    assert domain.attributes[place_of(domain, "pca__pca0")].raw == ()
    assert [sorted(raws) for raws in domain.sources[-4:-1]] == [[0, 2], [0, 2], [4]]
    row = transformed(pipeline, table.iloc[[3]])[0]
    values = user_values(model, table.iloc[[3]], row)
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


def test_what_is_not_traced_is_not_called_like_what_it_is_made_from() -> None:
    table = people(gaps=False)[["age", "pay"]]
    log = FunctionTransformer(np.log1p, feature_names_out="one-to-one")
    columns = ColumnTransformer([("a", log, ["age"]), ("b", PowerTransformer(), ["pay"])])
    model, _ = adapted(columns, table=table)
    names = [a.name for a in model.domain.attributes]
    assert names == ["log1p(age)", "pay after PowerTransformer"]
    both = ColumnTransformer([("a", log, ["age", "pay"])], verbose_feature_names_out=False)
    names = [a.name for a in adapted(both, table=table)[0].domain.attributes]
    assert names == ["age after log1p", "pay after log1p"]


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
    assert [a.name for a in model.domain.attributes] == ["x0", "sqrt(x1)"]


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

    class Renamed(StandardScaler):  # type: ignore[misc]  # as above
        pass

    table = people(gaps=False)[NUMBERS]
    assert len(adapted(Squared(), table=table)[0].domain.untraced) == 1
    assert adapted(Renamed(), table=table)[0].domain.untraced == ()


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

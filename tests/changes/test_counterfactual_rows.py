"""Counterfactuals of pipelines: in the columns that the user gave, as ``pipeline.predict`` takes.

The models are trained on a table with every kind of column: scaled, filled in, one-hot, with codes.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.adapters.adapted import AdaptedModel
from cattleya.adapters.pipeline.rows import PipelineRows
from cattleya.adapters.registry import adapt
from cattleya.changes.counterfactual import Counterfactual, Question
from cattleya.changes.fairness import fairness, is_fair
from cattleya.changes.nearest import nearest
from cattleya.changes.prices import Sample
from cattleya.changes.raw_row import like
from cattleya.changes.regions import Regions
from cattleya.explain.explainer import context_of
from cattleya.model.domain.stated import stated

JOBS, SCHOOLS = ["clerk", "cook", "nurse", "pilot"], ["low", "middle", "high"]


def people(count: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    """A table with gaps, and a class that depends on all of it."""
    draw = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "age": draw.integers(18, 70, count),
            "pay": draw.normal(3000, 900, count).round(2),
            "job": draw.choice(JOBS, count),
            "school": draw.choice(SCHOOLS, count),
            "hours": draw.integers(5, 60, count).astype(float),
        }
    )
    table.loc[draw.random(count) < 0.1, "pay"] = np.nan
    score = table["age"] / 20 + table["pay"].fillna(2000) / 2000 + table["hours"] / 30
    score += table["job"].map(dict(zip(JOBS, [0, 1, 2, 0.5], strict=True)))
    score += table["school"].map(dict(zip(SCHOOLS, [0, 0.5, 1.5], strict=True)))
    return table, (score + draw.normal(0, 0.4, count) > score.median()).map(
        {True: "yes", False: "no"}
    ).to_numpy()


def pipeline(*, imputer: bool = True, job: Any = None) -> Pipeline:
    scale = make_pipeline(SimpleImputer(), StandardScaler()) if imputer else StandardScaler()
    return make_pipeline(
        make_column_transformer(
            (scale, ["pay", "age"]),
            (job or OneHotEncoder(), ["job"]),
            (OrdinalEncoder(categories=[SCHOOLS]), ["school"]),
            remainder="passthrough",
        ),
        DecisionTreeClassifier(random_state=0),
    )


class Asker:
    """What the library's explainer does, for this test: a question for each row."""

    def __init__(self, model: Any, **statements: Any) -> None:
        self.model = model
        self.adapted: AdaptedModel = adapt(model, None)
        tree = self.adapted.tree
        domain = stated(self.adapted.domain, tree, **statements)
        self.regions = Regions(tree, domain)

    def __call__(self, x: Any) -> Question:
        rows = self.adapted.rows
        row = rows.row(x)
        tree = self.adapted.tree
        row_class = int(tree.leaf_class[tree.apply(row[None, :])[0]])
        raw = rows.raw_row(x) if isinstance(rows, PipelineRows) else None
        return Question(self.regions, row, row_class, self.model.predict, raw)


def check(model: Any, given: pd.DataFrame, found: tuple[Counterfactual, ...]) -> None:
    """The rows differ where they say, are values of the table's kind, and get the class."""
    for cf in found:
        assert isinstance(cf.row, pd.DataFrame)
        assert list(cf.row.columns) == list(given.columns)
        assert model.predict(cf.row)[0] == cf.prediction != model.predict(given)[0]
        before, after = given.iloc[0], cf.row.iloc[0]
        differ = {
            name
            for name in given.columns
            if before[name] != after[name] and not (pd.isna(before[name]) and pd.isna(after[name]))
        }
        assert differ == {change.feature for change in cf.changes}
        assert after["job"] in JOBS
        assert after["school"] in SCHOOLS
        assert not pd.isna(after[list(differ)]).any()


@pytest.mark.parametrize("imputer", [True, False])
@pytest.mark.parametrize(
    "job",
    [
        OneHotEncoder(),
        OneHotEncoder(drop="first"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        OrdinalEncoder(),
    ],
    ids=["one-hot", "dropped", "unknown", "ordinal"],
)
def test_raw_rows_of_every_kind(imputer: bool, job: Any) -> None:
    table, classes = people()
    model = pipeline(imputer=imputer, job=job).fit(table, classes)
    ask = Asker(model, integer=["age", "hours"])
    data = Sample(partial(ask.adapted.rows.matrix, table))
    for i in range(0, len(table), 40):
        given = table.iloc[[i]]
        for metric in ("l0", "l2"):
            found = nearest(ask(given), metric=metric, data=data)
            check(model, given, found)
            for change in (change for cf in found for change in cf.changes):
                assert change.feature not in ("age", "hours") or isinstance(change.after, int)


def test_the_words_are_the_users() -> None:
    table, classes = people()
    model = pipeline().fit(table, classes)
    ask = Asker(model, integer=["age", "hours"])
    given = table.iloc[[3]]
    found = nearest(ask(given), immutable=["pay", "hours"], ranges={"age": "increase"})
    for cf in found:
        for change in cf.changes:
            assert change.before == given.iloc[0][change.feature]
            assert f"{change.feature}: {change.before} -> {change.after}" in str(cf)
        assert {change.feature for change in cf.changes} <= {"age", "job", "school"}
    with pytest.raises(ValueError, match="unknown feature 'salary'; the model knows 'age', 'pay'"):
        nearest(ask(given), immutable=["salary"])


@pytest.mark.parametrize("form", [dict, list])
def test_rows_in_other_forms(form: Any) -> None:
    table, classes = people()
    model = pipeline().fit(table, classes)
    line = table.iloc[1]
    (found,) = nearest(Asker(model)(line.to_dict() if form is dict else line.tolist()), n=1)
    check(model, table.iloc[[1]], (found,))


def test_a_pipeline_of_arrays() -> None:
    table, classes = people()
    numbers = table[["age", "hours"]].to_numpy(dtype=np.float32)
    model = make_pipeline(MinMaxScaler(), DecisionTreeClassifier(random_state=0))
    model.fit(numbers, classes)
    ask = Asker(model)
    for row in numbers[::10]:
        for cf in nearest(ask(row)):
            assert isinstance(cf.row, np.ndarray)
            assert model.predict([cf.row])[0] == cf.prediction


def test_categorical_columns_of_pandas() -> None:
    table, classes = people()
    table["job"] = table["job"].astype("category")
    model = pipeline().fit(table, classes)
    ask = Asker(model)
    for i in range(0, 100, 10):
        for cf in nearest(ask(table.iloc[[i]])):
            assert cf.row["job"].dtype == table["job"].dtype
            assert model.predict(cf.row)[0] == cf.prediction


@pytest.mark.parametrize("dtype", ["float64", "float32", "Float64", "int64", "Int64", object])
def test_columns_keep_their_types(dtype: Any) -> None:
    """An imputer takes no whole numbers where it was fitted on others."""
    table, classes = people()
    table = table[["age", "hours"]].astype({"hours": dtype})
    model = make_pipeline(
        make_column_transformer((SimpleImputer(strategy="constant", fill_value=7), ["hours"])),
        DecisionTreeClassifier(random_state=0),
    ).fit(table, classes)
    explainer = cattleya.Explainer(model, integer=True)
    for i in range(0, 60, 6):
        (found,) = explainer.explain(table.iloc[[i]]).counterfactuals()
        assert found.row.dtypes.tolist() == table.dtypes.tolist()
        assert model.predict(found.row)[0] == found.prediction


@pytest.mark.parametrize(
    ("given", "value", "dtype"),
    [
        (["a", "b"], "c", None),
        (pd.Categorical(["a", "b"]), "b", None),
        (pd.Categorical(["a", "b"]), "c", None),  # not among the table's
        ([1, 2], 38.5, "float64"),
        ([1, 2], None, "float64"),
        ([1.5, 2.5], None, "float64"),
        (pd.array([1, 2], dtype="Int64"), None, "Int64"),
        (np.array([1, 2], dtype=np.float32), 0.1, "float64"),  # float32 would round it
        (np.array([1, 2], dtype=np.int8), 300, "int64"),
        ([True, False], 1, "bool"),
        ([True, False], 2, "int64"),
        ([True, False], None, "float64"),
        (pd.Categorical(["a", "b"]), None, "category"),
        (["a", "b"], 2, "int64" if pd.__version__ >= "3" else "object"),
        ([1, 2], "a", None),
        (np.array([1, "a"], dtype=object), "b", "object"),
    ],
)
def test_a_cell_of_any_type(given: Any, value: Any, dtype: str | None) -> None:
    found = like(pd.Series(given).iloc[:1], value)
    assert dtype is None or found.dtype == dtype
    assert pd.isna(found.iloc[0]) if value is None else found.iloc[0] == value


def test_a_step_that_cannot_be_traced_back() -> None:
    """The rows are the tree's then, unless only traced columns change."""
    table, classes = people()
    model = make_pipeline(
        make_column_transformer((PCA(), ["age", "hours"]), (OneHotEncoder(), ["job"])),
        DecisionTreeClassifier(random_state=0),
    ).fit(table, classes)
    ask = Asker(model)
    changing = nearest(ask(table.iloc[[0]]), immutable=["job"])
    assert all(isinstance(cf.row, np.ndarray) for cf in changing)
    assert model[-1].predict([cf.row for cf in changing]).tolist() == [
        cf.prediction for cf in changing
    ]
    components = [name for name in ask.adapted.tree.feature_names if "pca" in name]
    given = next(table.iloc[[i]] for i in range(99) if not is_fair(ask(table.iloc[[i]]), ["job"]))
    (first, *_) = nearest(ask(given), immutable=components)
    assert isinstance(first.row, pd.DataFrame)


def test_missing_stays_missing() -> None:
    table, classes = people()
    model = pipeline().fit(table, classes)
    ask = Asker(model)
    given = table[table["pay"].isna()].iloc[[0]]
    for cf in nearest(ask(given), n=30):
        told = ("pay", None) in [change[:2] for change in cf.changes]
        assert told != bool(pd.isna(cf.row["pay"].iloc[0]))
    permitted = nearest(ask(table.iloc[[1]]), n=200, ranges={"pay": "missing"})
    gone = [cf for cf in permitted if math.isnan(cf.row["pay"].iloc[0])]
    assert all("pay: " in str(cf) and "-> missing" in str(cf) for cf in gone)
    assert gone


def test_stated_codes_are_shown_by_name() -> None:
    table, _ = people()
    codes = pd.DataFrame({"school": pd.Categorical(table["school"], SCHOOLS).codes, "x": 0.0})
    model = DecisionTreeClassifier(random_state=0).fit(codes, table["school"] == "high")
    ask = Asker(model, categories={"school": SCHOOLS})
    question = ask({"school": 0, "x": 0.0})
    (found,) = nearest(
        Question(
            question.regions,
            question.row,
            question.row_class,
            lambda rows: model.predict(pd.DataFrame(rows, columns=["school", "x"])),
        )
    )
    assert str(found) == "school: low -> high"
    assert found.row.tolist() == [2.0, 0.0]


def test_fairness_in_raw_columns() -> None:
    table, classes = people()
    model = pipeline().fit(table, classes)
    ask = Asker(model)
    data = fairness(ask.regions, ask.adapted.rows.matrix(table), ["job"])
    predicted = [model.predict(table.assign(job=job)) for job in JOBS]
    expected = [len(set(labels)) == 1 for labels in zip(*predicted, strict=True)]
    assert data.fair.tolist() == expected
    for i in range(0, len(table), 15):
        found = is_fair(ask(table.iloc[[i]]), ["job"])
        assert bool(found) == expected[i]
        if not found:
            assert model.predict(found.witness)[0] == found.prediction
            assert found.witness.drop(columns="job").equals(table.iloc[[i]].drop(columns="job"))


def test_many_rows_are_answered_as_one_by_one() -> None:
    table, classes = people()
    model = pipeline().fit(table, classes)
    explainer = cattleya.Explainer(model, integer=["age", "hours"])
    limits: Any = {"ranges": {"age": "increase"}, "metric": "l1", "data": table, "weights": "mad"}
    rows = table.iloc[:40]
    for place, found in enumerate(explainer.counterfactuals(rows, 2, **limits)):
        alone = explainer.explain(rows.iloc[[place]]).counterfactuals(2, **limits)
        assert [str(cf) for cf in found] == [str(cf) for cf in alone]
        for many, one in zip(found, alone, strict=True):
            assert (many.distance, many.prediction) == (one.distance, one.prediction)
            pd.testing.assert_frame_equal(many.row, one.row)
    assert place == len(rows) - 1


def test_many_rows_of_which_some_have_none() -> None:
    table, classes = people()
    explainer = cattleya.Explainer(pipeline().fit(table, classes))
    predicted = explainer.tree.predict(context_of(explainer).model.rows.matrix(table))
    found = list(explainer.counterfactuals(table, toward="yes", immutable=["job", "pay", "age"]))
    assert len(found) == len(table)  # more than are confirmed at once
    assert not any(cfs for cfs, label in zip(found, predicted, strict=True) if label == "yes")
    none = next(i for i, cfs in enumerate(found) if not cfs and predicted[i] == "no")
    assert any(found)
    e = explainer.explain(table.iloc[[none]])
    with pytest.raises(cattleya.NoSuchCounterfactual, match="immutable"):
        e.counterfactuals(toward="yes", immutable=["job", "pay", "age"])
    nobody = table.iloc[:0]  # scikit-learn would not transform these
    assert list(explainer.counterfactuals(nobody)) == list(explainer.is_fair(nobody, ["age"]).fair)
    assert explainer.explain_all(nobody, progress=False).empty


def test_many_rows_of_a_tree_that_takes_missing_values() -> None:
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 9, (60, 3)).astype(float)
    model = DecisionTreeClassifier(random_state=0).fit(numbers, rng.integers(0, 2, 60))
    rows = np.where(rng.random((60, 3)) < 0.2, np.nan, numbers)
    explainer = cattleya.Explainer(model)
    for row, found in zip(rows, explainer.counterfactuals(rows, 2), strict=True):
        alone = explainer.explain(row).counterfactuals(2)
        assert [str(cf) for cf in found] == [str(cf) for cf in alone]
        assert all(np.array_equal(m.row, o.row, True) for m, o in zip(found, alone, strict=True))


def test_a_row_that_cannot_be_is_named_among_many() -> None:
    table, classes = people()
    explainer = cattleya.Explainer(pipeline().fit(table, classes), integer=["hours"])
    for wrong in (7.5, -7.5):
        table.loc[2, "hours"] = wrong
        with pytest.raises(ValueError, match=rf"row 2: 'hours' is a whole number, .* {wrong}"):
            explainer.counterfactuals(table)


def test_the_model_is_asked_about_the_very_rows_that_are_given() -> None:
    """Whole numbers are not made fractions of because another row has one in the column."""
    table, classes = people()
    model = pipeline().fit(table, classes)
    ask, asked = Asker(model), []

    def predict(rows: pd.DataFrame) -> Any:
        asked.append(rows)
        return model.predict(rows)

    found = nearest(replace(ask(table.iloc[[0]]), predict=predict), n=30)
    types = {tuple(map(str, cf.row.dtypes)) for cf in found}
    assert types == {tuple(map(str, rows.dtypes)) for rows in asked}
    assert len(types) == len(asked) == 2


def rare_cities() -> Pipeline:
    """Four cities, of which the two rare ones, alike to the tree, get another class."""
    table = pd.DataFrame({"city": ["a"] * 10 + ["b"] * 10 + ["c"] * 2 + ["d"] * 2})
    rare = OneHotEncoder(min_frequency=5, handle_unknown="infrequent_if_exist")
    model = make_pipeline(rare, DecisionTreeClassifier(random_state=0))
    return model.fit(table, ["no"] * 20 + ["yes"] * 4)


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [(None, "c"), ({"c"}, "c"), ({"d"}, "d"), (["d", "b"], "d"), ({"d", "c"}, "c")],
)
def test_of_values_alike_to_the_tree_a_permitted_one_is_written(
    allowed: Any, expected: str
) -> None:
    ranges = None if allowed is None else {"city": allowed}
    row = pd.DataFrame({"city": ["a"]})
    explainer = cattleya.Explainer(rare_cities())
    (single,) = explainer.explain(row).counterfactuals(ranges=ranges)
    ((many,),) = explainer.counterfactuals(row, ranges=ranges)
    for found in (single, many):
        assert str(found) == f"city: a -> {expected}"
        assert found.row["city"].tolist() == [expected]


def test_values_alike_to_the_tree_are_named_one_by_one_in_a_refusal() -> None:
    e = cattleya.Explainer(rare_cities()).explain(pd.DataFrame({"city": ["a"]}))
    with pytest.raises(ValueError, match=r"it has 'a', 'b', 'c', 'd'$"):
        e.counterfactuals(ranges={"city": {"e"}})


@pytest.mark.parametrize("scale", ["range", "mad"])
@pytest.mark.parametrize("as_array", [False, True])
def test_what_is_filled_into_gaps_is_no_part_of_a_range(scale: str, as_array: bool) -> None:
    table = pd.DataFrame({"pay": [1.0, 2.0, 3.0, 4.0, np.nan, np.nan, np.nan]})
    data: Any = table.to_numpy() if as_array else table
    fill = SimpleImputer(strategy="constant", fill_value=9999.0)
    model = make_pipeline(fill, StandardScaler(), DecisionTreeClassifier(random_state=0))
    model.fit(data, [0, 0, 1, 1, 1, 1, 1])
    explainer = cattleya.Explainer(model)
    asked: dict[str, Any] = {"metric": "l1", "data": data, "weights": scale}
    (single,) = explainer.explain(data[:1]).counterfactuals(**asked)
    ((many,),) = explainer.counterfactuals(data[:1], **asked)
    unit = 3.0 if scale == "range" else 1.0
    for found in (single, many):
        assert found.distance == pytest.approx((found.changes[0].after - 1) / unit, rel=1e-3)
        assert found.changes[0].after == pytest.approx(2.5, rel=1e-3)
    # From a gap, to the median of the numbers that there are.
    below = {"x0" if as_array else "pay": (None, 2.2)}
    (back,) = explainer.explain(data[4:5]).counterfactuals(ranges=below, **asked)
    assert back.changes[0].after == pytest.approx(2.2)


@pytest.mark.parametrize("dtype", [object, "category"])
def test_a_text_may_become_missing(dtype: Any) -> None:
    table = pd.DataFrame({"job": ["cook", "cook", "nurse", "nurse", np.nan, np.nan]}, dtype=dtype)
    model = make_pipeline(OneHotEncoder(), DecisionTreeClassifier(random_state=0))
    model.fit(table, [0, 0, 0, 0, 1, 1])
    found = cattleya.Explainer(model).explain(table.iloc[[0]]).is_fair(["job"])
    assert str(found) == "not fair: with job: cook -> missing the class is 1"
    assert model.predict(found.witness).tolist() == [1]


@pytest.mark.parametrize("dtype", ["bool", "boolean"])
def test_a_boolean_stays_one(dtype: str) -> None:
    table = pd.DataFrame({"owner": [True, False] * 4, "age": range(8)}).astype({"owner": dtype})
    model = make_pipeline(MinMaxScaler(), DecisionTreeClassifier(random_state=0))
    model.fit(table, table["owner"].astype(int))
    (found,) = cattleya.Explainer(model, data=table).explain(table.iloc[[1]]).counterfactuals()
    assert str(found) == "owner: False -> True"
    assert found.row["owner"].dtype == dtype
    assert found.row["owner"].tolist() == [True]

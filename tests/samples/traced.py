"""Pipelines to be traced back, and the checks of what is said of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from cattleya.adapters.adapted import AdaptedModel
from cattleya.adapters.pipeline.wires import key
from cattleya.adapters.registry import adapt
from cattleya.model.domain.domain import Category, Domain, Number, OneOf
from cattleya.model.tree.rows import RawRows

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
    for attribute in domain.attributes:
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
            check_points(attribute)
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


def check_points(category: Category) -> None:
    assert len(set(map(repr, category.points))) == len(category.points)
    for place, point in enumerate(category.points):
        value = written(category, point)
        if not isinstance(value, OneOf):
            check_value(category, value, place)


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


def check_changes(domain: Domain, pipeline: Any, table: pd.DataFrame) -> None:
    """Written into the user's columns, a change makes the row what was asked for."""
    rng = np.random.default_rng(5)
    for attribute in domain.attributes:
        if isinstance(attribute, Number):
            some = (0.0, 1.0, float(rng.normal()), 7.25)
            points: Any = [(attribute.largest(v, "float32"),) for v in some]
        else:
            points = attribute.points
        points = [point for point in points if all(map(math.isfinite, point))]
        values = [written(attribute, point) for point in points]
        values = ["unheard of" if isinstance(value, OneOf) else value for value in values]
        kind = float if isinstance(attribute, Number) else object
        rows = table.iloc[rng.integers(len(table), size=len(points))]
        rows = rows.assign(**{attribute.name: pd.Series(values, rows.index, kind)})
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


def names_and_kinds(domain: Domain) -> dict[str, type]:
    return {a.name: type(a) for a in domain.attributes}


def place_of(domain: Domain, name: str) -> int:
    """The place of the attribute of a name."""
    return [attribute.name for attribute in domain.attributes].index(name)


def user_values(
    model: AdaptedModel, x: Any, row: Any, domain: Domain | None = None
) -> tuple[Any, ...]:
    """What a row has of each attribute, as the user gave it; None is missing."""
    domain = model.domain if domain is None else domain
    raw = model.rows.raw_values(x) if isinstance(model.rows, RawRows) else None
    places = range(len(domain.attributes))
    return tuple(domain.user_value(i, row, raw, model.tree.row_dtype) for i in places)


def written(attribute: Number | Category, point: Any) -> Any:
    """What to write into the user's column for an attribute to become a point of the tree's."""
    if isinstance(attribute, Number):
        return attribute.to_user(float(point[0]), "float32")
    value = attribute.values[attribute.value_of(dict(zip(attribute.columns, point, strict=True)))]
    return value.values[0] if isinstance(value, OneOf) and value.values else value

"""Random pipelines, held against brute force over the rows that their users can give.

Every answer is compared with its definition over the raw table: which rows a text is true of, which
sets of conditions force the class, which row of another class is nearest.
"""

from __future__ import annotations

import math
import re
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
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
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import cattleya
from cattleya.explain.explainer import context_of
from tests.oracles.words import holds

WHOLE = range(-1, 8)  # one more than there is in training, on either side
COLOURS = ["blue", "green", "red"]
SIZES = ["big", "mid", "small"]

SCALERS = {
    "none": "passthrough",
    "standard": StandardScaler(),
    "min-max": MinMaxScaler((-3, 7)),
    "max-abs": MaxAbsScaler(),
    "robust": RobustScaler(),
    "two": make_pipeline(StandardScaler(), MinMaxScaler()),
    "identity": FunctionTransformer(),
}
ENCODERS = {
    "one-hot": OneHotEncoder(),
    "one-hot, unknown": OneHotEncoder(handle_unknown="ignore"),
    "one-hot, dropped": OneHotEncoder(drop="first"),
    "one-hot, rare": OneHotEncoder(min_frequency=15, handle_unknown="infrequent_if_exist"),
    "one-hot, scaled": make_pipeline(OneHotEncoder(sparse_output=False), StandardScaler()),
    "ordinal": OrdinalEncoder(),
    "ordinal, scaled": make_pipeline(OrdinalEncoder(), MinMaxScaler()),
    "ordinal, unknown": OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    "target": TargetEncoder(),
}
TAKES_UNSEEN = ("one-hot, unknown", "one-hot, rare", "ordinal, unknown", "target")
IMPUTERS = {
    "none": "passthrough",
    "median": SimpleImputer(strategy="median"),
    "constant": SimpleImputer(strategy="constant", fill_value=2),
}


def training(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(0, 7, 40).astype(float),
            "colour": rng.choice(COLOURS, 40, p=[0.6, 0.2, 0.2]),
            "size": rng.choice(SIZES, 40),
            "count": rng.integers(0, 7, 40).astype(float),
        }
    )


def raw_domain(imputed: bool, colours: list[str], sizes: list[str]) -> pd.DataFrame:
    counts: list[Any] = [*map(float, WHOLE), *([math.nan] if imputed else [])]
    rows = product(map(float, WHOLE), colours, sizes, counts)
    return pd.DataFrame(rows, columns=["age", "colour", "size", "count"])


@st.composite
def models(draw: Any) -> tuple[Any, pd.DataFrame, pd.DataFrame]:
    """A pipeline, the rows of known values, and these with the others that it takes behind them."""
    seed = draw(st.integers(0, 1000))
    table = training(seed)
    imputer = draw(st.sampled_from(sorted(IMPUTERS)))
    scalers = [SCALERS[draw(st.sampled_from(sorted(SCALERS)))] for _ in range(2)]
    names = [draw(st.sampled_from(sorted(ENCODERS))) for _ in range(2)]
    encoders = [ENCODERS[name] for name in names]
    if imputer != "none":
        table.loc[::6, "count"] = np.nan
    columns = ColumnTransformer(
        [
            ("a", scalers[0], ["age"]),
            ("c", encoders[0], ["colour"]),
            ("s", encoders[1], ["size"]),
            ("n", make_pipeline(IMPUTERS[imputer], scalers[1]), ["count"]),
        ]
    )
    kind = draw(st.sampled_from([DecisionTreeClassifier, ExtraTreeClassifier]))
    label = np.random.default_rng(seed).integers(0, 3, len(table))
    model = make_pipeline(columns, kind(random_state=seed, max_depth=4)).fit(table, label)
    known = raw_domain(imputer != "none", COLOURS, SIZES)
    unseen = [["unseen"] if name in TAKES_UNSEEN else [] for name in names]
    every = raw_domain(imputer != "none", COLOURS + unseen[0], SIZES + unseen[1])
    others = every[(every == "unseen").any(axis=1)]
    return model, known, pd.concat([known, others], ignore_index=True)


def says(text: str, rows: pd.DataFrame, filled: float) -> Any:
    """Read a text as a user would, and tell of which raw rows it is true."""
    text = re.sub(r" \[.*\]$", "", text)
    if found := re.fullmatch(r"(\w+) (<=|>) (\S+)", text):
        name, side, bound = found.groups()
        left = rows[name].fillna(filled).to_numpy() <= float(bound)
        return left if side == "<=" else ~left
    if found := re.fullmatch(r"(\w+) >= (\S+)", text):  # of whole numbers
        return rows[found[1]].fillna(filled).to_numpy() >= float(found[2])
    if found := re.fullmatch(r"(\w+) is (-?\d+)(?: to (-?\d+))?", text):
        name, low, high = found.groups()
        value = rows[name].fillna(filled).to_numpy()
        return (float(low) <= value) & (value <= float(high or low))
    found = re.fullmatch(r"(\w+) (=|is not|in|not in) (.+)", text)
    assert found, text
    name, relation, listed = found.groups()
    assert name in rows.columns, text
    if name in ("age", "count"):
        if listed == "missing":
            return rows[name].isna().to_numpy()
        return rows[name].to_numpy() == float(listed)
    values = re.split(r", | or ", listed.strip("{}"))
    inside = rows[name].isin(values).to_numpy()
    return inside if relation in ("=", "in") else ~inside


@pytest.mark.filterwarnings("ignore:.TargetEncoder")
@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(models(), st.data())
def test_reasons_of_random_pipelines(over: str, made: Any, data: Any) -> None:
    model, known, rows = made
    explainer = cattleya.Explainer(model, over=over, integer=["age", "count"])
    assert explainer.assumptions == ("only whole numbers are possible for age, count",)
    classes = model.predict(rows)
    place = data.draw(st.integers(0, len(known) - 1))
    e = explainer.explain(rows.iloc[[place]])
    assert e.prediction == classes[place]
    imputer = model[0].named_transformers_["n"][0]
    filled = imputer.statistics_[0] if hasattr(imputer, "statistics_") else math.nan
    truth = {}
    for condition in e.conditions:
        assert condition.feature in rows.columns
        truth[condition] = condition.holds_in(context_of(explainer).model.rows.matrix(rows))
        if over == "features" and pd.isna(rows[condition.feature][place]):
            continue  # the tree sees what was filled in
        said = says(str(condition), known, filled)
        if over == "features" and condition.feature == "count":
            said |= known["count"].isna() & (known["count"][place] == filled)
        assert (said == truth[condition][: len(known)]).all(), str(condition)
    reasons = [e.sufficient_reason(), e.minimal_reason(), *e.sufficient_reasons(limit=5)]
    for reason in reasons:
        assert e.verify(map(str, reason))
        covered = np.logical_and.reduce([truth[c] for c in reason] or [np.ones(len(rows), bool)])
        assert covered[place]
        shown = reason.covers(rows)  # what it prints: over intervals as wide as it can be
        if over == "intervals":
            parts = str(reason).split(" and ")
            values = {"colour": set(known["colour"]), "size": set(known["size"])}
            records = rows.to_dict("records")
            read = [all(holds(part, one, values) for part in parts) for one in records]
            assert shown.tolist() == read, str(reason)
            assert shown[covered].all()
        else:
            assert (shown == covered).all()
        assert (classes[shown] == e.prediction).all()
        assert (classes[covered] == e.prediction).all()
        if over == "conditions":
            continue  # its definition is about assignments, some of which no row has
        for left_out in reason:
            rest = [truth[c] for c in reason if c != left_out]
            wider = np.logical_and.reduce(rest or [np.ones(len(rows), bool)])
            assert (classes[wider] != e.prediction).any()
    if over == "features":  # the definition, over all sets of features
        atoms = list(e.conditions)
        everywhere = np.ones(len(rows), dtype=bool)

        def forces(some: Any) -> bool:
            covered = np.logical_and.reduce([everywhere, *(truth[c] for c in some)])
            return bool((classes[covered] == e.prediction).all())

        every = (some for n in range(len(atoms) + 1) for some in combinations(atoms, n))
        sufficient = [set(some) for some in every if forces(some)]
        minimal = [s for s in sufficient if not any(other < s for other in sufficient)]
        assert {frozenset(s) for s in minimal} == set(map(frozenset, e.sufficient_reasons()))


@pytest.mark.filterwarnings("ignore:.TargetEncoder")
@pytest.mark.parametrize("metric", ["l0", "l1", "l2"])
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(models(), st.data())
def test_counterfactuals_of_random_pipelines(metric: str, made: Any, data: Any) -> None:
    model, rows, every = made
    explainer = cattleya.Explainer(model, integer=["age", "count"])
    classes = model.predict(rows)
    place = data.draw(st.integers(0, len(rows) - 1))
    row = rows.iloc[[place]]
    e = explainer.explain(row)
    own = row.iloc[0]
    same = (rows == own) | (rows.isna() & own.isna())
    moved = pd.DataFrame(
        {
            name: (rows[name] - own[name]).abs().fillna(1.0)
            if name in ("age", "count")
            else pd.Series(1.0, rows.index)
            for name in rows.columns
        }
    ).where(~same, 0.0)
    power = 2 if metric == "l2" else 1
    cost = (~same).sum(axis=1) if metric == "l0" else (moved**power).sum(axis=1) ** (1 / power)
    vanishes = rows["count"].isna() & (not pd.isna(own["count"]))  # not without permission
    other = (classes != e.prediction) & ~vanishes
    if not other.any():
        with pytest.raises(cattleya.NoSuchCounterfactual):
            e.counterfactuals(metric=metric)
        return
    nearest = e.counterfactuals(3, metric=metric)
    assert nearest[0].distance == pytest.approx(cost[other].min())
    for found in nearest:
        assert model.predict(found.row)[0] == found.prediction != e.prediction
        assert found.row["colour"].iloc[0] in COLOURS
        assert float(found.row["age"].iloc[0]).is_integer()
    fair = e.is_fair(["colour", "size"])
    numbers = every[["age", "count"]]
    only = (numbers == own[numbers.columns]) | (numbers.isna() & own[numbers.columns].isna())
    reached = model.predict(every[only.all(axis=1)])
    assert bool(fair) == bool((reached == e.prediction).all())

"""Answers about whole models, read as they are printed, against all rows in the user's columns.

Missing values and values never seen are among them: what fills them in, or codes them, must not
make a printed sentence false.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.present.words.whole import rules_sentence
from tests.oracles.words import holds

EDU = ["low", "mid", "high", "top"]
JOBS = ["clerk", "nurse", "smith", "pilot"]
KNOWN = {"edu": EDU, "job": JOBS}
AGES = [0.0, 1.0, 2.0, 3.0, 4.0]
GOES = {(0, 0): "never", (1, 0): "up", (0, 1): "down", (1, 1): "both"}


def people(seed: int) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({
        "edu": rng.choice(EDU, 160).astype(object),
        "job": rng.choice(JOBS, 160, p=[0.4, 0.4, 0.1, 0.1]).astype(object),
        "age": rng.choice(AGES, 160),
    })  # fmt: skip  # as it looks
    points = X["edu"].map(dict(zip(EDU, range(4), strict=True))) + X["age"]
    y = (points + 2 * (X["job"] == "nurse") + rng.integers(0, 3, 160) > 4).astype(int)
    for name in X.columns:
        X.loc[rng.random(160) < 0.15, name] = np.nan
    return X, y


def fitted(seed: int, model: Any = None) -> tuple[Any, pd.DataFrame]:
    """A Pipeline that fills in, codes, groups and drops; a tree if no other model is given."""
    X, y = people(seed)
    fill = SimpleImputer(strategy="most_frequent")
    edu: Any = OneHotEncoder(handle_unknown="ignore")
    if seed % 2:
        edu = OrdinalEncoder(categories=[EDU], handle_unknown="use_encoded_value", unknown_value=-1)
    job = [
        make_pipeline(fill, OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=0.2)),
        OneHotEncoder(handle_unknown="ignore", drop="first"),
        make_pipeline(fill, OneHotEncoder(handle_unknown="ignore", drop="first")),
    ][seed // 2 % 3]
    age: Any = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="constant", fill_value="mid"), edu), ["edu"]),
        (job, ["job"]),
        (age if seed % 3 or model is not None else "passthrough", ["age"]),
        sparse_threshold=0,
    )
    tree = DecisionTreeClassifier(max_leaf_nodes=4 + seed % 9, random_state=seed)
    return make_pipeline(columns, tree if model is None else model).fit(X, y), X


def everything() -> pd.DataFrame:
    values = [*EDU, np.nan, "baker"], [*JOBS, np.nan, "vet"], [*AGES, np.nan]
    rows = pd.DataFrame(list(product(*values)), columns=["edu", "job", "age"])
    return rows.astype({"edu": object, "job": object})


ROWS = everything()
DICTS: list[dict[Any, Any]] = ROWS.to_dict("records")


def have(conditions: Iterable[object], rows: list[dict[Any, Any]] = DICTS) -> Any:
    """Tell which rows have all that is printed."""
    texts = [str(one) for one in conditions]
    return np.array([all(holds(text, row, KNOWN) for text in texts) for row in rows])


def said_by(model: Any, rows: list[dict[str, Any]]) -> list[str]:
    frame = pd.DataFrame(rows).astype({"edu": object, "job": object})
    return [str(one) for one in model.predict(frame)]


def depends_on(name: str, decided: Any) -> Any:
    """Tell of which rows the decision changes with one column alone."""
    rest = [ROWS[other].astype(object).fillna("?") for other in ROWS.columns if other != name]
    return (pd.Series(decided).groupby(rest).transform("nunique") > 1).to_numpy()


@pytest.mark.parametrize("seed", range(6))
def test_one_tree(seed: int, recwarn: pytest.WarningsRecorder) -> None:
    model, X = fitted(seed)
    decided = model.predict(ROWS).astype(str)
    explainer = cattleya.Explainer(model, over="intervals")
    found = explainer.audit(["job"], X)
    for outcome, facts in found.facts.items():
        assert have(facts)[decided == outcome].all()
    covered = np.zeros(len(ROWS), dtype=int)
    for region in found.regions:
        here = have(region.conditions)
        covered += here
        for parts, outcome in region.outcomes:
            assert set(decided[here & have(parts)]) == {outcome}
    assert covered.tolist() == depends_on("job", decided).astype(int).tolist()
    table: list[dict[Any, Any]] = X.to_dict("records")
    own = model.predict(X).astype(str)
    for over, precision in (("intervals", 1), ("conditions", 0.9), ("features", 0.9)):
        for rule in cattleya.Explainer(model, over=over).rules(X, precision):
            if rule.forces:
                assert set(decided[have(rule.conditions)]) == {rule.outcome}
            here = have(rule.conditions, table)
            counted = int((own[here] == rule.outcome).sum()), int(here.sum())
            assert counted == (rule.share.right, rule.share.covered)


@pytest.mark.parametrize("seed", range(4))
def test_two_trees(seed: int, recwarn: pytest.WarningsRecorder) -> None:
    old, X = fitted(seed)
    new, _ = fitted(seed + 7)
    found = cattleya.compare(old, new, X, integer=["age"])
    decided = [model.predict(ROWS).astype(str) for model in (old, new)]
    covered = np.zeros(len(ROWS), dtype=int)
    for region in found.regions:
        here = have(region.conditions)
        covered += here
        assert {*decided[0][here]} == {region.old}
        assert {*decided[1][here]} == {region.new}
        assert said_by(old, [region.witness]) == [region.old]
        assert said_by(new, [region.witness]) == [region.new]
    left_out = "rows that lack age are not compared" in " ".join(found.assumptions)
    asked = ~ROWS["age"].isna() if left_out else np.ones(len(ROWS), dtype=bool)
    # Values that only one of both takes are not compared: here every model takes all.
    wanted = (decided[0] != decided[1]).astype(int)
    assert covered[asked].tolist() == wanted[asked].tolist()


@pytest.mark.parametrize("seed", range(4))
def test_ensembles(seed: int, recwarn: pytest.WarningsRecorder) -> None:
    make = RandomForestClassifier if seed % 2 else GradientBoostingClassifier
    model, X = fitted(seed, make(n_estimators=4, max_depth=2, random_state=seed))
    decided = model.predict(ROWS)
    found = cattleya.Explainer(model, over="intervals").audit(["job"], X, {"age": "up"}, timeout=60)
    depends = depends_on("job", decided)
    assert found.fair == (not depends.any())
    assert found.status == ("refuted" if depends.any() else "proved")
    key = dict(zip(zip(ROWS["edu"].fillna("?"), ROWS["age"].fillna(-1), strict=True), depends,
                   strict=True))  # fmt: skip  # as it reads
    rows = zip(X["edu"].fillna("?"), X["age"].fillna(-1), strict=True)
    assert found.rows is not None
    assert found.rows.fair.tolist() == [not key[row] for row in rows]
    assert found.open_rows == 0
    known = ROWS["age"].notna()
    steps = np.diff(decided[known].reshape(-1, len(AGES)), axis=1)
    goes = GOES[int((steps > 0).any()), int((steps < 0).any())]
    assert found.monotone.get("age", "never") == goes
    told = [found.witness, *(one.witness for one in found.monotone.values())]
    for pair in told:
        if pair is not None:
            assert said_by(model, [pair.first, pair.second]) == list(pair.outcomes)


def test_what_is_filled_in_for_missing_values_is_said_where_it_was_counted() -> None:
    """A sentence of a short reason, recounted on the table as it is printed."""
    people = pd.DataFrame({"c": ["low", "low", "low", "mid"], "n": [1.0, 1.0, 2.0, 9.0]})
    table = pd.DataFrame({"c": ["low", *[np.nan] * 6, *["mid"] * 5], "n": [1.0] * 7 + [9.0] * 5})
    table["c"] = table["c"].astype(object)
    filled = make_pipeline(
        make_column_transformer(
            (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()), ["c"]),
            remainder="drop",
        ),
        DecisionTreeClassifier(),
    ).fit(people, list("aaab"))
    for over in ("conditions", "features", "intervals"):
        e = cattleya.Explainer(filled, over=over).explain(table.iloc[[0]])
        short = e.short_reason(0.9, among=table)
        assert short.share.covered == 7
        assert "missing" in str(short) or "is not mid" in str(short), str(short)
        assert str(short) in short.sentence
        assert e.verify(str(short))
    numbers = make_pipeline(SimpleImputer(strategy="median"), DecisionTreeClassifier())
    numbers.fit(people[["n"]], list("aaab"))
    gaps = pd.DataFrame({"n": [1, np.nan, np.nan, 9, 9, 9]})
    short = cattleya.Explainer(numbers, over="intervals").explain([[1.0]]).short_reason(among=gaps)
    assert (str(short), short.share.covered) == ("n <= 5.5 or missing", 3)


def test_thresholds_of_an_audit_are_those_of_the_model() -> None:
    X = np.array([[1.020219], [1.020221], [1.020223], [9.0]])
    model = DecisionTreeClassifier().fit(X, ["no", "yes", "no", "no"])
    found = cattleya.Explainer(model, ["L"], over="intervals").audit(["L"], data=X, rules=1)
    for text in (str(found), str(found.to_html())):
        assert "1.0202199" in text
        assert "1.02 " not in text


def test_what_rules_cover_is_counted_also_where_time_ran_out() -> None:
    rng = np.random.default_rng(0)
    X, rows = rng.integers(0, 10, (400, 6)), rng.integers(0, 10, (400, 6))
    model = DecisionTreeClassifier(random_state=0).fit(X, rng.integers(0, 2, 400))
    explainer = cattleya.Explainer(model, over="intervals", integer=True)
    found = explainer.rules(rows, timeout=0.05)  # an audit itself may not be done by then
    covered = sum(one.covered for one in found.classes)
    assert f"{covered} of 400 rows of the table" in rules_sentence(found)
    for one in found.classes:
        assert one.covered + one.unasked == one.rows
    parity = DecisionTreeClassifier(random_state=0).fit(X % 2, (X % 2).sum(axis=1) % 2)
    none = cattleya.Explainer(parity, over="intervals").audit(data=rows % 2, rules=0.99)
    assert "cover 0 of 400 rows of the table" in str(none)


def test_a_category_called_missing_is_not_a_missing_one() -> None:
    people = pd.DataFrame({"c": ["missing", np.nan, "x", "y"] * 10})
    encode = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["c"]))
    tree = DecisionTreeClassifier(random_state=0)
    model = make_pipeline(encode, tree).fit(people, list("pqrr") * 10)
    explainer = cattleya.Explainer(model, over="intervals")
    first, second = explainer.explain(people.iloc[[0]]), explainer.explain(people.iloc[[1]])
    for e, other in ((first, second), (second, first)):
        text = str(e.reason())
        assert e.verify(text)
        assert not other.verify(text)
        assert e.precision(text, among=people).precision == 1
    assert str(first.reason()) == "c = 'missing'"
    assert "c: 'missing' -> missing changes p to q" in str(explainer.audit(["c"], data=people))
    known = people["c"].notna()
    other_model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["c"])), DecisionTreeClassifier(random_state=0)
    ).fit(people[known], np.array(list("pqrr") * 10)[known])
    told = str(cattleya.compare(other_model, model))
    assert "rows with c = missing or any unseen value are not compared" in told

"""Rows that share an answer: what many rows are told is what each of them is told alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.adapters.model_files import write_model
from cattleya.batch.native import NUMBER
from cattleya.explain.explainer import context_of
from cattleya.explain.explanation import explained_row
from cattleya.explain.questions import QUESTIONS, Asked
from cattleya.model.conditions.condition import Comparison
from tests.checks.command import succeeds

OVER = ("conditions", "features", "intervals")
# Zeros of both signs, and numbers that single precision rounds together, or onto a threshold.
NUMBERS = (-0.0, 0.0, -1.0, 1.0, 0.1, float(np.float32(0.1)), 0.5, 2.0**24, 2.0**24 + 1)
JOBS = (0.0, 1.0, 2.0)
COLUMNS = ("age", "pay", "job", "note")
TRAINED = 24  # rows
SEEDS = st.integers(0, 7)


@st.composite
def tables(draw: st.DrawFn, gaps: bool = True) -> pd.DataFrame:
    """Draw rows, some of them twice."""
    missing = [np.nan] if gaps else []
    numbers = st.sampled_from([*NUMBERS, *missing])
    row = st.tuples(
        numbers, numbers, st.sampled_from([*JOBS, *missing]), st.sampled_from([0.0, 1.0, *missing])
    )
    rows = draw(st.lists(row, min_size=1, max_size=4))
    rows += draw(st.lists(st.sampled_from(rows), max_size=2))
    return pd.DataFrame(draw(st.permutations(rows)), columns=list(COLUMNS), dtype=np.float64)


def training(seed: int) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    """Return rows in which the note is always the same, so that no test reads it."""
    rng = np.random.default_rng(seed)
    drawn = [rng.choice(NUMBERS, TRAINED), rng.choice(NUMBERS, TRAINED), rng.choice(JOBS, TRAINED)]
    table = pd.DataFrame(dict(zip(COLUMNS, [*drawn, np.zeros(TRAINED)], strict=True)))
    return table, rng.integers(0, 2 + seed % 2, TRAINED)


def nothing(X: Any) -> Any:
    return np.asarray(X) * 1.0


@lru_cache
def explainers(seed: int, over: str) -> tuple[cattleya.Explainer, ...]:
    """Return explainers of every kind of model, all of which take gaps and read no note."""
    return tuple(made_from(*training(seed), over, seed))


def made_from(table: pd.DataFrame, y: Any, over: str, seed: int) -> Iterator[cattleya.Explainer]:
    tree = DecisionTreeClassifier(random_state=seed, max_depth=4).fit(table, y)
    yield cattleya.Explainer(tree, over=over)
    yield cattleya.Explainer(tree, over=over, missing_values=True)
    jobs = {"job": {0: "clerk", 1: "nurse", 2: "cook"}}
    yield cattleya.Explainer(tree, over=over, categories=jobs, integer=["note"])
    encoded = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["job"]),
        (StandardScaler(), ["age"]),
        remainder="passthrough",
        verbose_feature_names_out=False,
    )
    for steps in ([encoded], [FunctionTransformer(nothing)]):
        yield cattleya.Explainer(make_pipeline(*steps, tree).fit(table, y), over=over)


COUNTS = ("_covered", "_decisions")  # of the rows of a table


def told(e: cattleya.Explanation) -> dict[str, Any]:
    """Return all answers about a row that need no table."""
    answers: dict[str, Any] = {"prediction": e.prediction}
    for question in QUESTIONS.values():
        if not question.is_of_table:
            answers |= question.fill(e, Asked(None, 100))
    return answers


def alone(explainer: cattleya.Explainer, row: pd.DataFrame, **named: Any) -> dict[str, Any]:
    """Return all answers about a row, or why there are none."""
    try:
        return {"status": "ok"} | told(explainer.explain(row, **named))
    except cattleya.NoSuchReason as error:
        return {"status": "no such reason", "error": str(error)}
    except ValueError as error:
        return {"status": "error", "error": str(error)}


def others(e: cattleya.Explanation) -> list[Any]:
    """Return what is said of other rows: nearest ones, fairness, proofs and refutations."""
    names = [attribute.name for attribute in explained_row(e).context.domain.attributes]
    near = e.counterfactuals(n=3)
    wide = e.generalise(e.minimal_reason())
    refuted = e.verify([])
    assert e.verify(e.conditions).sufficient
    assert math.isfinite(sum(found.distance for found in near))
    witness = None if refuted.row is None else refuted.row[:-1].tolist()
    return [
        [(str(found), found.changes, found.prediction) for found in near],
        [str(e.is_fair([name])) for name in names],
        (str(wide), str(refuted), sorted(map(str, refuted.witness)), repr(witness)),
    ]


QUICK = settings(
    max_examples=5, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate]
)


@pytest.mark.parametrize("over", OVER)
@QUICK
@given(seed=SEEDS, table=tables(), named=st.sampled_from([None, "exclude", "immutable"]))
def test_many_rows_are_told_what_each_is_told(
    over: str, seed: int, table: pd.DataFrame, named: str | None
) -> None:
    wrong = table.iloc[:1].assign(job=3.0), table.iloc[:1].assign(note=0.5)  # where that is stated
    table = pd.concat([table, *wrong])
    for explainer in explainers(seed, over):
        names = [attribute.name for attribute in context_of(explainer).domain.attributes]
        words: dict[str, Any] = {} if named is None else {named: names[:2]}
        found = explainer.explain_all(table, list(QUESTIONS), contrasts=100, **words)
        at_once = explainer.explain_all(table, list(NUMBER), n_jobs=2, contrasts=100, **words)
        same = at_once.columns.drop("seconds")
        pd.testing.assert_frame_equal(at_once[same], found[same])
        for place in range(len(table)):
            row = table.iloc[[place]]
            expected = alone(explainer, row, **words)
            got = found.iloc[place].to_dict()
            counts = {name: got[name] for name in expected if name.endswith(COUNTS)}
            assert {name: got[name] for name in expected} == expected | counts
            if expected["status"] == "ok":
                e = explainer.explain(row, **words)
                assert e.verify(got["minimal_conditions"]).sufficient
                reasons = {"sufficient": e.sufficient_reason(), "minimal": e.minimal_reason()}
                for name, reason in reasons.items():
                    reach = e.reach(reason, table[found["status"] != "error"])
                    assert counts[f"{name}_covered"] == reach.covered
                    assert counts[f"{name}_decisions"] == reach.decisions


@pytest.mark.parametrize("over", OVER)
@QUICK
@given(seed=SEEDS, table=tables())
def test_a_gap_that_no_test_reads_changes_nothing(
    over: str, seed: int, table: pd.DataFrame
) -> None:
    for explainer in explainers(seed, over):
        if context_of(explainer).is_stated:
            table = table.fillna({"job": 0.0})
        for place in range(len(table)):
            one, other = (
                explainer.explain(rows.iloc[[place]])
                for rows in (table.assign(note=0.0), table.assign(note=np.nan))
            )
            assert told(one) == told(other)
            assert others(one) == others(other)
            assert one.tree is other.tree


@QUICK
@given(seed=SEEDS, table=tables())
def test_what_is_asked_of_many_rows_is_what_is_asked_of_each(
    seed: int, table: pd.DataFrame
) -> None:
    for explainer in explainers(seed, "conditions"):
        if context_of(explainer).is_stated:
            table = table.fillna({"job": 0.0})
        each = [explainer.explain(table.iloc[[place]]) for place in range(len(table))]
        names = [attribute.name for attribute in context_of(explainer).domain.attributes]
        for name in names:
            fair = explainer.is_fair(table, iter([name])).fair
            assert fair.tolist() == [bool(e.is_fair([name])) for e in each]
        for found, e in zip(explainer.counterfactuals(table, n=3), each, strict=True):
            assert list(map(str, found)) == list(map(str, e.counterfactuals(n=3)))


@pytest.mark.parametrize("over", OVER)
@QUICK
@given(seed=SEEDS, table=tables(gaps=False))
def test_one_zero_has_one_text(over: str, seed: int, table: pd.DataFrame) -> None:
    for explainer in explainers(seed, over):
        for place in range(len(table)):
            zero, negative = (
                explainer.explain(rows.iloc[[place]])
                for rows in (table.abs(), table.abs().replace(0.0, -0.0))
            )
            assert told(zero) == told(negative)
            assert others(zero) == others(negative)
            said = [*told(negative).values(), others(negative), negative.values]
            assert "-0.0" not in str(said)
            assert repr(zero.values) == repr(negative.values)
            for condition in negative.conditions:
                assert "-0.0" not in str(condition)


def bought() -> tuple[DecisionTreeClassifier, pd.DataFrame]:
    """Return a tree on the age, trained without gaps, and rows of which every other has one."""
    table = pd.DataFrame({"age": [20.0, 30.0, 35.0, 50.0, 60.0], "note": 1.0})
    model = DecisionTreeClassifier(random_state=0).fit(table, [0, 0, 1, 1, 1])
    ages = [45.0, 45.0, -0.0, 0.0, np.nan, np.nan]
    return model, pd.DataFrame({"age": ages, "note": [1.0, np.nan] * 3})


def test_a_gap_beside_the_tests_is_not_told() -> None:
    model, rows = bought()
    for table in (rows, rows.iloc[::-1]):
        found = cattleya.Explainer(model).explain_all(table)["sufficient"].sort_index()
        routed = "age > 32.5 or missing"
        assert found.tolist() == ["age > 32.5"] * 2 + ["age <= 32.5"] * 2 + [routed] * 2


@pytest.mark.parametrize("over", OVER)
def test_results_with_gaps_beside_the_tests_are_proved(tmp_path: Path, over: str) -> None:
    pytest.importorskip("pyarrow")
    model, rows = bought()
    write_model(tmp_path / "model.skops", model)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    want = ("--want", ",".join(QUESTIONS), "--over", over)
    succeeds("batch", "model.skops", "rows.csv", "--out", "out.csv", *want, cwd=tmp_path)
    assert "-0.0" not in (tmp_path / "out.csv").read_text()
    proof = ("verify", "out.csv", "--model", "model.skops", "--data", "rows.csv")
    assert "all 6 rows" in succeeds(*proof, cwd=tmp_path)


def test_a_gap_in_one_row_does_not_make_another_unfair() -> None:
    # Between 2.35 and 2.65 there is no whole number, but that is where a missing one goes.
    table = pd.DataFrame({"x": [2.2, 2.5, 2.5, 2.5, 2.8], "note": 1.0})
    model = DecisionTreeClassifier(random_state=0).fit(table, [0, 1, 1, 1, 0])
    explainer = cattleya.Explainer(model, integer=["x"])
    rows = pd.DataFrame({"x": [2, np.nan, 3, 2], "note": [1, 1, np.nan, np.nan]})
    assert explainer.is_fair(rows, ["x"]).fair.tolist() == [True, False, True, True]
    assert explainer.is_fair(rows.iloc[[1]], ["x"]).fair.tolist() == [False]
    assert explainer.is_fair(rows.iloc[:0], ["x"]).fair.tolist() == []


def test_a_gap_beside_the_tests_is_a_fact_that_can_go() -> None:
    model, rows = bought()
    e = cattleya.Explainer(model, over="features").explain(rows.iloc[[1]])
    found = e.verify(["age = 45.0", "note = missing"])
    assert [str(condition) for condition in found.redundant] == ["note = missing"]
    assert {str(fact) for fact in e.verify([]).witness} == {"age = 32.0"}
    assert e.is_contrastive(["age = 45.0"])
    with pytest.raises(ValueError, match="'age is missing' leaves no value"):
        e.verify(["age = missing"])


def test_a_zero_is_understood_with_either_sign() -> None:
    model, rows = bought()
    for row in (rows.iloc[[2]], rows.iloc[[3]]):
        e = cattleya.Explainer(model, over="features").explain(row)
        assert e.verify(["age = 0.0"])
        assert e.verify(["age = -0.0"])
        assert e.verify(["age = 0"])
    tree = cattleya.Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [-0.0, 0, 0], [-1, 0, 1], 1)
    for over in ("conditions", "intervals"):
        e = cattleya.Explainer(tree, over=over).explain([-0.0])
        assert str(e.sufficient_reason()) == "x0 <= 0.0"
        assert e.verify(["x0 <= -0.0"])
    assert str(Comparison("x0", 0, -0.0, sense=True)) == "x0 <= 0.0"


def test_the_nearest_value_is_no_negative_zero() -> None:
    # The next number above the threshold is -0.0, before 0.0.
    tree = cattleya.Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [-5e-324, 0, 0], [-1, 0, 1], 1)
    (found,) = cattleya.Explainer(tree).explain([-1.0]).counterfactuals()
    assert (str(found), repr(found.row.tolist())) == ("x0: -1 -> 0", "[0.0]")
    (found,) = cattleya.Explainer(tree).explain([-1.0]).counterfactuals(ranges={"x0": (-0.0, 3)})
    assert repr(found.row.tolist()) == "[0.0]"


def test_a_zero_among_the_categories_has_one_text() -> None:
    table = pd.DataFrame({"code": [-0.0, 1.0, 2.0, -0.0, 1.0, 2.0]})
    model = make_pipeline(OneHotEncoder(), DecisionTreeClassifier(random_state=0))
    explainer = cattleya.Explainer(model.fit(table, [0, 1, 1, 0, 1, 1]), over="intervals")
    for zero in (0.0, -0.0):
        e = explainer.explain(pd.DataFrame({"code": [zero]}))
        assert str(e.sufficient_reason()) == "code = 0.0"
        assert [repr(own.value) for own in e.values] == ["0.0"]
        assert [str(found) for found in e.counterfactuals()] == ["code: 0 -> 1"]

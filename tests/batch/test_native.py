"""Many rows at once: what the core says of a block is what it says of each, on any threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import cattleya
from cattleya._core import BatchRows, BatchRun, ReachTable
from cattleya.batch.native import NUMBER
from cattleya.explain.explainer import context_of
from cattleya.explain.questions import QUESTIONS, Asked
from cattleya.vocabularies.conditions import ConditionVocabulary

SEEDS = range(6)
NONE = np.zeros(0, dtype=np.int32)


def grown(seed: int, rows: int = 70) -> tuple[Any, np.ndarray[Any, Any]]:
    """Return a tree of noise, and other rows; some of both have gaps where the seed is odd."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (300 + rows, 6)) / 2 + rng.integers(0, 2, (300 + rows, 1))
    if seed % 2:
        X[rng.random(X.shape) < 0.02] = np.nan
    y = rng.integers(0, 2 + seed % 3, 300)
    return DecisionTreeClassifier(random_state=seed).fit(X[:300], y), X[300:]


def same(one: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(one.drop(columns="seconds"), other.drop(columns="seconds"))
    for name in one.columns.drop("seconds"):
        assert list(map(repr, one[name])) == list(map(repr, other[name]))


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_the_number_of_threads(seed: int, over: str) -> None:
    model, rows = grown(seed)
    explainer = cattleya.Explainer(model, over=over)
    want = list(NUMBER)
    words: dict[str, Any] = [{}, {"exclude": [1]}, {"immutable": [0, 2]}][seed % 3]
    found = explainer.explain_all(rows, want, contrasts=seed, **words)
    for n_jobs in (2, 4):
        same(explainer.explain_all(rows, want, n_jobs=n_jobs, contrasts=seed, **words), found)
    possible = rows[(found["status"] != "error").to_numpy()]
    for place, row in enumerate(rows):
        e, told = explainer.explain(row, **words), found.iloc[place].to_dict()
        assert told["prediction"] == e.prediction == model.predict(row[None, :])[0]
        if told["status"] == "no such reason":
            with pytest.raises(cattleya.NoSuchReason) as problem:
                e.sufficient_reason()
            assert told["error"] == str(problem.value)
            continue
        assert (told["status"], told["error"]) == ("ok", None)
        expected = {n: v for name in want for n, v in ask(name, e, seed).items()}
        reach = e.reach(e.sufficient_reason(), possible)
        expected |= {"sufficient_covered": reach.covered, "sufficient_decisions": reach.decisions}
        for name in ("minimal_covered", "minimal_decisions"):
            expected.pop(name, None)
        assert {name: told[name] for name in expected} == expected


def ask(name: str, e: cattleya.Explanation, contrasts: int) -> dict[str, Any]:
    return QUESTIONS[name].fill(e, Asked(None, contrasts))


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_a_bad_row_costs_one_row(n_jobs: int) -> None:
    model, rows = grown(0)
    good = cattleya.Explainer(model, integer=["x5"]).explain_all(np.floor(rows), list(NUMBER))
    bad = np.floor(rows)
    bad[[3, 40]] += 0.25  # which is no whole number, in the last column
    bad[17, 2] = np.inf
    explainer = cattleya.Explainer(model, integer=["x5"])
    found = explainer.explain_all(bad, list(NUMBER), n_jobs=n_jobs)
    wrong = found.index[found["status"] == "error"].tolist()
    assert wrong == [3, 17, 40]
    assert all("whole number" in found["error"][place] for place in (3, 40))
    assert found["prediction"].isna().tolist() == found["status"].eq("error").tolist()
    kept = [column for column in found if not column.endswith(("seconds", "covered", "decisions"))]
    others = found.index.difference(wrong)
    pd.testing.assert_frame_equal(
        found.loc[others, kept], good.loc[others, kept], check_dtype=False
    )
    with pytest.raises(ValueError, match=r"row 17: .*inf"):
        explainer.explain_all(bad, n_jobs=n_jobs, errors="raise")


@pytest.mark.parametrize("target", [None, cattleya.Value(below=0.5), cattleya.Value(within=0.25)])
def test_numbers_that_are_predicted(target: Any) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 4, (200, 4)) * 1.0, rng.random(200)
    explainer = cattleya.Explainer(DecisionTreeRegressor(max_depth=5).fit(X, y), target=target)
    found = explainer.explain_all(X, ["sufficient", "contrastive"], n_jobs=2)
    for place, row in enumerate(X[:40]):
        e = explainer.explain(row)
        assert found["prediction"][place] == e.prediction
        assert target is None or found["outcome"][place] == e.outcome
        assert found["sufficient"][place] == str(e.sufficient_reason())
        assert found["contrastive_count"][place] == e.count("contrastive")
        reach = e.reach(e.sufficient_reason(), X)
        assert found["sufficient_covered"][place] == reach.covered
        assert found["sufficient_decisions"][place] == reach.decisions


@pytest.mark.parametrize("memory", [1, 5_000, 50_000, 200_000, 1 << 30])
def test_memory_is_bounded_for_each_row_by_itself(memory: int) -> None:
    model, rows = grown(2)
    explainer = cattleya.Explainer(model, memory_limit=memory)
    want = ["contrastive", "count"]
    found = explainer.explain_all(rows, want)
    same(explainer.explain_all(rows, want, n_jobs=4), found)
    same(explainer.explain_all(rows[::-1], want)[::-1].reset_index(drop=True), found)
    for place, row in enumerate(rows[:20]):
        if found["status"][place] == "ok":
            assert found["count"][place] == explainer.explain(row).count()
            continue
        with pytest.raises(cattleya.MemoryLimitExceeded) as problem:
            explainer.explain(row).count()
        assert (found["status"][place], found["error"][place]) == ("memory", str(problem.value))


def test_arrays_that_are_none_of_the_tree_are_refused() -> None:
    model, rows = grown(0)
    context = context_of(cattleya.Explainer(model))
    vocabulary = context.of_complete_rows.vocabulary
    assert isinstance(vocabulary, ConditionVocabulary)
    engine, flat = vocabulary.engine, np.ascontiguousarray(rows).ravel()
    asked, far = np.zeros(1, dtype=np.int32), np.array([10**6], dtype=np.int32)
    rest = (False, 1.0, 1 << 30, 2)
    with pytest.raises(ValueError, match="one value per row"):
        BatchRows.over_conditions(engine, None, flat, len(rows) + 1)
    given = BatchRows.over_conditions(engine, None, flat, len(rows))
    with pytest.raises(ValueError, match="no question 9"):
        BatchRun(given, asked + 9, 1, NONE, NONE, NONE, *rest)
    for one, two, three in ((far, NONE, NONE), (NONE, far, NONE), (NONE, NONE, far)):
        with pytest.raises(ValueError, match="out of range"):
            BatchRun(given, asked, 1, one, two, three, *rest)
    with pytest.raises(ValueError, match="missing"):
        ReachTable(engine, np.full(6, np.nan), np.ones(1, dtype=np.int64))
    with pytest.raises(ValueError, match="another length"):
        ReachTable(engine, np.zeros(5), np.ones(1, dtype=np.int64))
    with pytest.raises(IndexError):
        ReachTable(engine, np.zeros(6), np.ones(1, dtype=np.int64)).of_class(99)
    run = BatchRun(given, asked, 1, NONE, NONE, NONE, *rest)
    assert len(run.next(len(rows), 1e9)["status"]) == len(rows)
    assert len(run.next(1, 1e9)["status"]) == 0


def test_cells_that_are_none_of_the_tree_are_refused() -> None:
    model, _ = grown(0)
    core = context_of(cattleya.Explainer(model)).of_complete_rows.cells.core
    cells, single = np.zeros(12, dtype=np.int32), np.zeros(6, dtype=np.uint8)
    with pytest.raises(ValueError, match="one cell per row"):
        BatchRows.over_attributes(core, cells, 3, False, single[:0])
    with pytest.raises(ValueError, match="has_single"):
        BatchRows.over_attributes(core, cells, 2, True, single[:5])
    for wrong in (-1, 10**6):
        given = BatchRows.over_attributes(core, cells + np.int32(wrong), 2, False, single[:0])
        rest = (1, NONE, NONE, NONE, False, 1.0, 1 << 30, 2)
        found = BatchRun(given, np.zeros(1, dtype=np.int32), *rest).next(2, 1e9)
        assert found["status"].tolist() == [3, 3]
    path = np.array([10**6], dtype=np.int32)
    with pytest.raises(ValueError, match="test is out of range"):
        core.interval_path(path, cells[:6], cells[:6])
    with pytest.raises(ValueError, match="one entry per attribute"):
        core.interval_path(path, cells[:6], cells[:5])


def test_a_feature_with_more_thresholds_than_a_short_number_has() -> None:
    X = np.arange(66_000.0)[:, None]
    model = DecisionTreeRegressor(random_state=0).fit(X, X[:, 0])
    explainer = cattleya.Explainer(model)
    rows = X[[0, 5, 5, 65_999, 65_998]]
    found = explainer.explain_all(rows, ["sufficient"])
    for place, row in enumerate(rows):
        reason = explainer.explain(row).sufficient_reason()
        assert found["sufficient"][place] == str(reason)
        assert (
            found["sufficient_covered"][place] == explainer.explain(row).reach(reason, rows).covered
        )

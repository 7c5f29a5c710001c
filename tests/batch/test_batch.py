"""Many rows: the same answers as one at a time, however they are shared out, and none lost."""

from __future__ import annotations

import io
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Iterator
from itertools import product
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.batch import run as running
from cattleya.batch.native import NUMBER
from cattleya.batch.parallel import Sent, shared_out
from cattleya.batch.words import words_of
from cattleya.explain.explainer import context_of
from cattleya.explain.explaining import explain_numbers
from cattleya.model.tree.rows import Columns
from cattleya.support.distinct import distinct
from tests.support.test_limits import hard_tree as uncountable

EVERYTHING = ("sufficient", "minimal", "contrastive", "necessary", "count", "importance")


@pytest.fixture(scope="module")
def wine() -> tuple[cattleya.Explainer, pd.DataFrame]:
    bunch = load_wine(as_frame=True)
    model = DecisionTreeClassifier(random_state=0).fit(bunch.data, bunch.target)
    rows = bunch.data.copy()
    rows.index = pd.Index([f"bottle {number % 90}" for number in range(len(rows))])  # some twice
    return cattleya.Explainer(model), rows


@pytest.fixture(scope="module")
def answers(wine: tuple[cattleya.Explainer, pd.DataFrame]) -> pd.DataFrame:
    explainer, rows = wine
    table: pd.DataFrame = explainer.explain_all(rows, EVERYTHING, contrasts=100)
    return table


def assert_same(one: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(one.drop(columns="seconds"), other.drop(columns="seconds"))


def test_every_answer_is_that_of_the_row_alone(
    wine: tuple[cattleya.Explainer, pd.DataFrame], answers: pd.DataFrame
) -> None:
    explainer, rows = wine
    assert answers.index.equals(rows.index)
    assert set(answers["status"]) == {"ok"}
    for place in range(len(rows)):
        e, found = explainer.explain(rows.iloc[[place]]), answers.iloc[place]
        assert found["prediction"] == e.prediction
        assert e.verify(found["sufficient_conditions"])
        assert found["sufficient"] == str(e.sufficient_reason())
        assert found["sufficient_size"] == len(e.sufficient_reason())
        assert e.verify(found["minimal_conditions"])
        assert found["minimal_size"] == len(e.minimal_reason())
        contrasts = {frozenset(map(str, contrast)) for contrast in e.contrastive()}
        assert set(map(frozenset, found["contrastive_conditions"])) == contrasts
        assert found["contrastive_count"] == len(contrasts)
        assert set(found["necessary"]) == set(map(str, e.necessary()))
        assert found["relevant_count"] == len(e.relevant())
        assert (found["count"], found["minimal_count"]) == (e.count(), e.count("minimal"))
        assert type(found["count"]) is int
        importance = {str(c): share for c, share in e.importance().items() if share}
        assert found["importance"] == importance
        shares = {name: share for name, share in e.feature_importance().items() if share}
        assert found["feature_importance"] == shares


@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_joblib(
    wine: tuple[cattleya.Explainer, pd.DataFrame],
    answers: pd.DataFrame,
    backend: str,
    n_jobs: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    explainer, rows = wine
    monkeypatch.setattr(running, "CHUNK", 16)
    with joblib.parallel_config(backend):
        found = explainer.explain_all(rows, EVERYTHING, n_jobs=n_jobs, contrasts=100)
        at_once = explainer.explain_all(rows, list(NUMBER), n_jobs=n_jobs, contrasts=100)
    assert_same(found, answers)
    assert_same(at_once, answers[at_once.columns])


@pytest.fixture
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed", reason="needs Dask: pip install distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as made,
        distributed.Client(made) as client,
    ):
        yield client


@pytest.mark.filterwarnings("ignore")  # Dask's own, of a worker that is gone
def test_a_cluster_of_which_a_worker_dies(
    wine: tuple[cattleya.Explainer, pd.DataFrame], cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    explainer, rows = wine
    many = pd.concat([rows] * 20, ignore_index=True)
    many += np.random.default_rng(0).normal(0, 0.05, many.shape) * many.std().to_numpy()
    expected = explainer.explain_all(many, EVERYTHING)
    monkeypatch.setattr(running, "CHUNK", 8)
    started = threading.Event()
    original = shared_out

    def watched(*arguments: Any) -> Iterator[Any]:
        for number, block in enumerate(original(*arguments)):
            if number == 10:
                started.set()
            yield block

    monkeypatch.setattr(running, "shared_out", watched)
    pids = list(cluster.run(os.getpid).values())

    def kill() -> None:
        started.wait(120)
        os.kill(pids[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with joblib.parallel_config("dask"):
        found = explainer.explain_all(many, EVERYTHING)
    killer.join()
    assert started.is_set()
    assert_same(found, expected)


@pytest.mark.parametrize("missing_left", list(product([True, False], repeat=2)))
def test_a_missing_value_is_like_no_number(missing_left: tuple[bool, bool]) -> None:
    tree = cattleya.Tree(
        [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -1, 0, -1, -1], [1.5, 0, 2.5, 0, 0],
        [-1, 0, -1, 1, 2], 1, missing_left=[missing_left[0], False, missing_left[1], False, False],
    )  # fmt: skip  # arrays of nodes, side by side
    explainer = cattleya.Explainer(tree)
    rows = [[value] for value in (np.nan, 1.0, 1.5, 2.0, 2.5, 3.0)]
    for order in (rows, rows[::-1]):
        found = explainer.explain_all(order, EVERYTHING)
        alone = pd.concat([explainer.explain_all([row], EVERYTHING) for row in order])
        counts = found.columns[found.columns.str.endswith(("_covered", "_decisions"))]
        assert (alone[counts] == 1).all(axis=None)  # of a table of one row
        same = alone.set_index(found.index).drop(columns=counts)
        assert_same(found.drop(columns=counts), same)


def test_bad_rows_among_good_ones(wine: tuple[cattleya.Explainer, pd.DataFrame]) -> None:
    explainer, rows = wine
    explainer = cattleya.Explainer(explainer.tree)  # which takes no missing values
    good = rows.to_numpy().tolist()
    bad: list[Any] = [*good[:5], [np.nan, *good[5][1:]], good[6][:3], *good[7:9], ["x"] * 13]
    found = explainer.explain_all(bad)
    expected = explainer.explain_all(rows.iloc[:10])
    assert found["status"].tolist() == ["ok"] * 5 + ["error"] * 2 + ["ok"] * 2 + ["error"]
    assert "missing (NaN)" in found["error"][5]
    assert "3 values" in found["error"][6]
    assert found["error"][9]
    assert found["prediction"][5] is None
    for place in (0, 1, 2, 3, 4, 7, 8):
        assert found["sufficient"][place] == expected["sufficient"].iloc[place]
    with pytest.raises(ValueError, match=r"row 5: .*missing"):
        explainer.explain_all(bad, errors="raise")


def hard_tree(pairs: int) -> cattleya.Tree:
    """A tree whose first half is easy, and whose rows of ones have very many reasons."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (4000, pairs)).astype(float)
    model = DecisionTreeClassifier(random_state=0).fit(X, rng.integers(0, 2, 4000))
    return cattleya.Explainer(model).tree


def test_a_row_that_takes_too_long_is_a_row_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    explainer = cattleya.Explainer(cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1))))
    original = cattleya.Explanation.importance

    def slow(e: Any, kind: str = "sufficient", timeout: float | None = None) -> Any:
        if e.row.tolist() == [1.0, 0.0, 1.0]:
            assert timeout is not None
            time.sleep(timeout)
            raise cattleya.TimeoutExpired("the time limit was reached")
        return original(e, kind, timeout=timeout)

    monkeypatch.setattr(cattleya.Explanation, "importance", slow)
    rows = [[1, 1, 1], [1, 0, 1], [0, 0, 1]]
    found = explainer.explain_all(rows, ["sufficient", "importance"], timeout=5)
    assert found["status"].tolist() == ["ok", "timeout", "ok"]
    assert found["sufficient"][1]  # what was known before stays
    assert found["importance"][1] is None
    with pytest.raises(cattleya.TimeoutExpired):
        explainer.explain_all(rows, ["importance"], timeout=1, errors="raise")


def test_what_a_row_knew_before_its_time_was_up_stays() -> None:
    tree = uncountable()
    explainer, ones = cattleya.Explainer(tree), np.ones(tree.n_features)
    found = explainer.explain_all([ones], ["sufficient", "count", "contrastive"], timeout=1)
    assert found["status"].tolist() == ["timeout"]
    assert found["error"].tolist() == ["the time limit was reached; give a longer timeout"]
    assert found["sufficient"][0] == str(explainer.explain(ones).sufficient_reason())
    assert (found["count"][0], found["contrastive"][0]) == (None, None)
    with pytest.raises(cattleya.TimeoutExpired) as problem:
        explainer.explain_all([ones], ["count"], timeout=0.1, errors="raise")
    assert problem.value.__notes__ == ["row 0"]


def test_limits_on_a_hard_tree() -> None:
    explainer = cattleya.Explainer(hard_tree(24), memory_limit=1)
    found = explainer.explain_all(np.ones((1, 24)), ["count"])
    assert found["status"].tolist() == ["memory"]
    explainer = cattleya.Explainer(hard_tree(24))
    found = explainer.explain_all(np.ones((1, 24)), ["count"], timeout=1e-6)
    assert found["status"].tolist() == ["timeout"]


def test_shapes(wine: tuple[cattleya.Explainer, pd.DataFrame]) -> None:
    explainer, rows = wine
    empty = explainer.explain_all(rows.iloc[:0], EVERYTHING)
    assert len(empty) == 0
    assert "importance" in empty.columns
    assert len(explainer.explain_all([], EVERYTHING)) == 0
    one = explainer.explain_all(rows.iloc[[3]])
    assert one.index.tolist() == ["bottle 3"]
    for X in (rows.to_numpy(), rows.to_dict("records"), rows.to_numpy().tolist()):
        found = explainer.explain_all(X)
        assert found["sufficient"].tolist() == explainer.explain_all(rows)["sufficient"].tolist()
        assert found.index.equals(pd.RangeIndex(len(rows)))


@pytest.mark.parametrize("over", ["conditions", "intervals"])
@pytest.mark.parametrize("want", [["sufficient"], ["sufficient", "importance"]])
def test_rows_of_a_cell_are_explained_once(
    want: list[str], over: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = cattleya.Tree(
        [1, -1, -1], [2, -1, -1], [0, -1, -1], [0.5, 0, 0], [-1, 0, 1], n_features=2
    )
    explainer = cattleya.Explainer(tree, over=over)
    asked = []

    def counted(context: Any, row: Any, *rest: Any) -> Any:
        asked.append(row)
        return explain_numbers(context, row, *rest)

    def words(context: Any, prepared: Any, matrix: Any, *rest: Any) -> Any:
        asked.extend(matrix)
        return words_of(context, prepared, matrix, *rest)

    monkeypatch.setattr("cattleya.batch.task.explain_numbers", counted)
    monkeypatch.setattr("cattleya.batch.native.words_of", words)
    rows = np.random.default_rng(0).random((100_000, 2))
    found = explainer.explain_all(rows, want)
    assert len(asked) == 2
    assert (found["prediction"].to_numpy() == (rows[:, 0] > 0.5)).all()
    assert (found["sufficient"] == np.where(rows[:, 0] > 0.5, "x0 > 0.5", "x0 <= 0.5")).all()


def test_where_values_are_named_only_equal_rows_are_alike() -> None:
    rows = np.array([[0.1, np.nan], [0.2, np.nan], [0.1, np.nan], [0.0, 1.0], [-0.0, 1.0]])
    first, kind = distinct(rows)
    assert first.tolist() == [0, 1, 3]
    assert kind.tolist() == [0, 1, 0, 2, 2]


def test_arrow(wine: tuple[cattleya.Explainer, pd.DataFrame], answers: pd.DataFrame) -> None:
    pytest.importorskip("pyarrow")
    explainer, rows = wine
    table = explainer.explain_all(rows, EVERYTHING, contrasts=100, output="pyarrow")
    assert table.column("index").to_pylist() == rows.index.tolist()
    assert table.column("count").to_pylist() == [str(n) for n in answers["count"]]
    assert table.column("sufficient").to_pylist() == answers["sufficient"].tolist()
    shares = dict(table.column("importance")[0].as_py())
    assert shares == {c: str(share) for c, share in answers["importance"].iloc[0].items()}
    assert b'"want"' in table.schema.metadata[b"cattleya"]


@pytest.mark.parametrize(
    ("labels", "written"),
    [
        ([1 << 70, 7], [str(1 << 70), "7"]),
        (["a", 1], ["a", "1"]),
        (["\ud800", "b"], ["\\ud800", "b"]),
        ([3, 3], [3, 3]),
    ],
)
def test_any_label_has_a_place_in_arrow(labels: list[Any], written: list[Any]) -> None:
    pytest.importorskip("pyarrow")
    explainer = cattleya.Explainer(cattleya.Tree.from_nested(("a", 0, 1)))
    rows = pd.DataFrame({"a": [0, 1]}, index=pd.Index(labels, dtype=object))
    assert explainer.explain_all(rows).index.tolist() == labels
    found = explainer.explain_all(rows, output="pyarrow")
    assert found.column("index").to_pylist() == written


@pytest.mark.parametrize(
    ("classes", "written"),
    [
        ([0, (1 << 63) - 1], [0, (1 << 63) - 1]),
        ([0, 1 << 63], ["0", str(1 << 63)]),
        ([-(1 << 64), 1], [str(-(1 << 64)), "1"]),
        ([False, True], [False, True]),
        ([0.5, 1], [0.5, 1.0]),
    ],
)
def test_any_class_has_a_place_in_arrow(classes: list[Any], written: list[Any]) -> None:
    pytest.importorskip("pyarrow")
    tree = cattleya.Tree.from_nested(("a", *classes))
    found = cattleya.Explainer(tree).explain_all([[0], [1]], output="pyarrow")
    predictions = found.column("prediction").to_pylist()
    assert predictions == written
    assert list(map(type, predictions)) == list(map(type, written))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_progress_is_shown_on_a_terminal_only(
    wine: tuple[cattleya.Explainer, pd.DataFrame],
    monkeypatch: pytest.MonkeyPatch,
    stream: type[io.StringIO],
) -> None:
    explainer, rows = wine
    shown = stream()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(sys, "stderr", shown)
    assert_same(explainer.explain_all(rows, progress=True), explainer.explain_all(rows))
    assert ("178/178" in shown.getvalue()) == (stream is Terminal)


def test_sparse_rows_and_tables_of_arrow(wine: tuple[cattleya.Explainer, pd.DataFrame]) -> None:
    explainer, rows = wine
    expected = explainer.explain_all(rows.to_numpy())
    for form in (sparse.csr_matrix, sparse.coo_array, sparse.dok_matrix):
        assert_same(explainer.explain_all(form(rows.to_numpy())), expected)
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pandas(rows, preserve_index=False)
    assert_same(explainer.explain_all(table), expected)


def test_many_bad_rows_are_read_without_looking_at_names_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    explainer = cattleya.Explainer(cattleya.Tree.from_nested(("a", 0, ("b", 0, 1))))
    rows = pd.DataFrame({"b": [1.0] * 300, "a": [1.0, np.nan, 0.0] * 100})
    asked = []
    original = Columns._frame_in_order

    def counted(self: Any, X: Any) -> Any:
        asked.append(len(X))
        return original(self, X)

    monkeypatch.setattr(Columns, "_frame_in_order", counted)
    found = explainer.explain_all(rows)
    assert found["status"].tolist() == ["ok", "error", "ok"] * 100
    assert found["prediction"].tolist() == [1, None, 0] * 100
    assert asked == [300]
    found = explainer.explain_all(rows[["a"]])
    assert set(found["error"]) == {"the row lacks the feature 'b'; give None where it is missing"}
    assert asked == [300, 300]


def test_rows_are_put_together_in_runs(
    wine: tuple[cattleya.Explainer, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    # An array of Arrow holds 2 GiB of text: the importance of some 100,000 rows of a large tree.
    pytest.importorskip("pyarrow")
    from cattleya.batch import arrow

    explainer, rows = wine
    many = pd.concat([rows, rows.iloc[::-2], rows.iloc[:40] * np.nan, rows.iloc[5:9]])
    many.iloc[3, 3] = np.inf  # which cannot be read
    monkeypatch.setattr(running, "CHUNK", 16)
    expected = explainer.explain_all(many, EVERYTHING)
    monkeypatch.setattr(arrow, "RUN", 7)
    found = explainer.explain_all(many, EVERYTHING, output="pyarrow")
    assert found.column("sufficient").num_chunks == -(-len(many) // 7)
    assert found.column("count").to_pylist() == [
        None if count is None else str(count) for count in expected["count"]
    ]
    for name in ("prediction", "status", "minimal"):
        assert found.column(name).to_pylist() == expected[name].tolist()
    empty = explainer.explain_all(rows.iloc[:0], EVERYTHING, output="pyarrow")
    assert (empty.num_rows, empty.column_names) == (0, found.column_names)


def test_restrictions() -> None:
    explainer = cattleya.Explainer(cattleya.Tree.from_nested(("a", 0, ("b", 0, 1))))
    found = explainer.explain_all([[1, 1], [0, 1]], exclude=["a"], immutable=["b"])
    assert found["status"].tolist() == ["no such reason", "no such reason"]
    found = explainer.explain_all([[1, 1], [0, 0]], exclude=["a"], immutable=["b"])
    assert found["status"].tolist() == ["no such reason", "ok"]
    assert found["sufficient"][1] == "not b"
    assert found["contrastive_count"][1] == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"want": "count"}, "want must be a list"),
        ({"want": ["number"]}, "'number' is no question"),
        ({"errors": "ignore"}, "'row' or 'raise'"),
        ({"timeout": 0}, "positive"),
        ({"contrasts": -1}, "0 or more"),
        ({"contrasts": np.int64(-1)}, "0 or more"),
        ({"exclude": "age"}, "must be a list"),
        ({"exclude": ["age"]}, "'age'"),
        ({"output": "polars"}, "'pandas' or 'pyarrow'"),
    ],
)
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    explainer = cattleya.Explainer(cattleya.Tree.from_nested(("a", 0, 1)))
    with pytest.raises((ValueError, TypeError), match=message):
        explainer.explain_all([[1]], **settings)


def test_explainers_can_be_sent(wine: tuple[cattleya.Explainer, pd.DataFrame]) -> None:
    explainer, rows = wine
    sent = pickle.loads(pickle.dumps(explainer))
    assert_same(sent.explain_all(rows), explainer.explain_all(rows))


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
def test_a_worker_keeps_the_explainer_and_needs_no_scikit_learn(over: str) -> None:
    rows = pd.DataFrame({"age": [20, 30, 40, 50], "job": ["nurse", "clerk", "clerk", "cook"]})
    made = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough"),
        DecisionTreeClassifier(random_state=0),
    ).fit(rows, [0, 1, 0, 1])
    explainer = cattleya.Explainer(made, over=over)
    context = context_of(explainer)
    sent = pickle.dumps(Sent(context))
    assert b"sklearn" not in sent
    received = pickle.loads(sent)
    assert pickle.loads(pickle.dumps(Sent(context))) is received
    for row in context.model.rows.matrix(rows):
        one, other = (explain_numbers(c, row.copy()) for c in (context, received.context))
        assert one.minimal_reason() == other.minimal_reason()
        assert one.is_free_of(["job"]) == other.is_free_of(["job"])


def test_what_is_missing_is_none_among_what_is_there() -> None:
    explainer = cattleya.Explainer(cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1))))
    rows = pd.DataFrame([[1, 1, 1], [0, 1, 0], [0, 0, 0]], columns=["a", "b", "c"], index=[7, 7, 9])
    found = explainer.explain_all(rows, ["minimal"], exclude=["a"])
    assert found.index.tolist() == [7, 7, 9]
    assert found["status"].tolist() == ["ok", "no such reason", "ok"]
    assert [type(text) for text in found["minimal"]] == [str, type(None), str]
    assert [type(text) for text in found["error"]] == [type(None), str, type(None)]
    text = explainer.summarise(rows, ["a"], exclude=["a"]).to_html()
    assert text is not None
    assert "no such reason" in text

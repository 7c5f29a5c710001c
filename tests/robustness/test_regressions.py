"""Defects that were found by trying the library as users and attackers do; each stays mended."""

from __future__ import annotations

import gc
import math
import sys
import threading
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.datasets import load_wine
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya import _core


def _tree() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(random_state=0)


def test_a_mixed_row_of_a_pipeline_fitted_on_objects_keeps_its_types() -> None:
    X = np.array([["a", 1], ["a", 2], ["b", 1], ["b", 2]], dtype=object)
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), _tree()).fit(X, [0, 1, 0, 1])
    explainer = cattleya.Explainer(model)
    for row, expected in zip(X, model.predict(X), strict=True):
        forms = (row, row[None, :], row.tolist(), {"x0": row[0], "x1": row[1]})
        assert [explainer.explain(form).prediction for form in forms] == [expected] * len(forms)


def test_an_array_keeps_its_dtype_on_the_way_through_a_pipeline() -> None:
    X = np.arange(-100, 100, dtype=np.int8).reshape(-1, 1)
    doubled = FunctionTransformer(lambda values: values * np.int8(2))  # wraps around in eight bits
    model = make_pipeline(doubled, _tree()).fit(X, np.arange(200) % 3)
    explainer = cattleya.Explainer(model)
    assert [explainer.explain(row).prediction for row in X] == model.predict(X).tolist()


def test_a_missing_text_is_taken_in_every_form() -> None:
    table = pd.DataFrame({"job": ["x", "y", None, "x"], "n": [1, 2, 3, 4]})
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["job"]), remainder="passthrough"
    )
    model = make_pipeline(encoder, _tree()).fit(table, [0, 1, 1, 0])
    explainer = cattleya.Explainer(model)
    for form in (table.iloc[[2]], table.iloc[2], table.iloc[2].to_dict(), [None, 3], [np.nan, 3]):
        assert explainer.explain(form).prediction == 1


def test_a_pipeline_that_is_fitted_again_leaves_its_explainer_alone() -> None:
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), _tree()).fit(X, y)
    before = model.predict(X).tolist()
    explainer = cattleya.Explainer(model)
    model.fit(X * 100 + 7, y)
    assert [explainer.explain(row).prediction for row in X] == before


def test_columns_that_a_pipeline_ignores_may_be_in_a_frame() -> None:
    table = pd.DataFrame({"a": [1.0, 2, 3, 4], "dropped": list("wxyz"), "label": [0, 1, 0, 1]})
    chosen = ColumnTransformer([("numbers", "passthrough", ["a"])])
    model = make_pipeline(chosen, _tree()).fit(table[["a", "dropped"]], table["label"])
    explainer = cattleya.Explainer(model)
    assert explainer.explain(table.iloc[[1]]).prediction == 1
    assert explainer.explain({"a": 2.0}).prediction == 1
    with pytest.raises(ValueError, match="unknown feature 'b'"):
        explainer.explain({"a": 2.0, "b": 1})


def test_texts_and_dicts_into_a_vectorizer() -> None:
    texts = ["buy cheap", "dear friend", "cheap cheap", "hello friend"]
    model = make_pipeline(TfidfVectorizer(), _tree()).fit(texts, [1, 0, 1, 0])
    assert cattleya.Explainer(model).explain("cheap").prediction == 1
    assert cattleya.Explainer(model).explain(["hello"]).prediction == 0
    dicts = [{"a": 1}, {"b": 1}]
    model = make_pipeline(DictVectorizer(), _tree()).fit(dicts, [1, 0])
    assert cattleya.Explainer(model).explain({"a": 1}).prediction == 1


def test_a_value_that_a_step_cannot_take_is_named() -> None:
    table = pd.DataFrame({"a": [1.0, 2, 3], "b": [3.0, 1, 2]})
    model = make_pipeline(StandardScaler(), _tree()).fit(table, [0, 1, 0])
    with pytest.raises(ValueError, match=r"'b'.*'high'"):
        cattleya.Explainer(model).explain({"a": 1.0, "b": "high"})


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
def test_every_form_of_sparse_row(form: str) -> None:
    X, y = load_wine(return_X_y=True)
    model = _tree().fit(X, y)
    row = sp.csr_matrix(X[:1]).asformat(form)
    assert cattleya.Explainer(model).explain(row).prediction == y[0]


def test_few_missing_values_in_training_can_be_said() -> None:
    data = load_wine(as_frame=True)
    X = data.data.copy()
    X.loc[[2, 7, 13, 46, 53, 88, 109, 145], "proline"] = np.nan
    model = _tree().fit(X, data.target)
    explainer = cattleya.Explainer(model, missing_values=True)
    first, second = explainer.explain(X.iloc[0]), explainer.explain(X.iloc[2])
    assert first.conditions & second.conditions
    assert first.verify(second.sufficient_reason()).sufficient
    assert "or missing" in str(first.sufficient_reason())
    with pytest.raises(ValueError, match="missing_left"):
        cattleya.Explainer(cattleya.Tree.from_nested(("a", 0, 1)), missing_values=True)


def test_alternatives_are_in_brackets() -> None:
    tree = cattleya.Tree(
        [1, -1, 3, -1, -1],
        [2, -1, 4, -1, -1],
        [0, -1, 1, -1, -1],
        [1.5, 0, 2.5, 0, 0],
        [-1, 0, -1, 0, 1],
        n_features=2,
        missing_left=[False] * 5,
    )
    reason = cattleya.Explainer(tree).explain([2, 3]).sufficient_reason()
    assert str(reason) == "(x0 > 1.5 or missing) and (x1 > 2.5 or missing)"


def test_the_names_shown_for_classes_can_be_asked_for() -> None:
    data = load_wine()
    model = _tree().fit(data.data, data.target)
    e = cattleya.Explainer(model, class_names=data.target_names).explain(data.data[62])
    assert e.contrastive(toward="class_0") == e.contrastive(toward=0)


def test_verify_of_a_deep_chain() -> None:
    depth = 100_000
    inner = np.arange(depth)
    nodes = 2 * depth + 1
    left, right = np.full(nodes, -1), np.full(nodes, -1)
    left[inner], right[inner] = np.append(inner[1:], 2 * depth), depth + inner
    tree = cattleya.Tree(
        left,
        right,
        np.where(np.arange(nodes) < depth, np.arange(nodes), -1),
        np.full(nodes, 0.5),
        np.where(np.arange(nodes) == 2 * depth, 1, 0),
        n_features=depth,
    )
    e = cattleya.Explainer(tree).explain(np.zeros(depth))
    assert e.verify(e.direct_reason())
    assert e.direct_reason() == e.sufficient_reason()


def test_verify_where_only_a_missing_boolean_refutes() -> None:
    tree = cattleya.Tree(
        [1, -1, 3, -1, -1],
        [2, -1, 4, -1, -1],
        [0, -1, 0, -1, -1],
        [0.5, 0, 0.5, 0, 0],
        [-1, 0, -1, 1, 0],
        n_features=1,
        missing_left=[False, False, True, False, False],
        boolean=[0],
    )
    verified = cattleya.Explainer(tree).explain([0]).verify([])
    assert verified.row is not None
    assert np.isnan(verified.row[0])
    assert tree.predict([verified.row]).tolist() == [1]


@pytest.mark.parametrize(("low", "high"), [(-1.7e308, 1.7e308), (-3.4e38, 3.4e38)])
def test_verify_with_thresholds_at_the_end_of_the_range(low: float, high: float) -> None:
    tree = cattleya.Tree(
        [1, -1, 3, -1, -1],
        [2, -1, 4, -1, -1],
        [0, -1, 0, -1, -1],
        [low, 0, high, 0, 0],
        [-1, 0, -1, 1, 0],
        n_features=1,
    )
    verified = cattleya.Explainer(tree).explain([low * 1.01]).verify([])
    assert verified.row is not None
    assert tree.predict([verified.row]).tolist() == [1]


def test_threads_leave_the_garbage_collector_on() -> None:
    tree = cattleya.Tree.from_nested(_complete(12))
    explainer = cattleya.Explainer(tree)
    row = np.ones(tree.n_features)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(3):
            threads = [
                threading.Thread(target=lambda: explainer.explain(row).contrastive())
                for _ in range(8)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert gc.isenabled()


def _complete(depth: int, first: int = 1) -> object:
    if depth == 1:
        return (f"v{first}", 0, 1)
    return (f"v{first}", _complete(depth - 1, 2 * first), _complete(depth - 1, 2 * first + 1))


def test_a_sample_never_loses_a_condition() -> None:
    """An atom settled by its own clause was lost where a unit hit clause named it once more."""
    clauses = [[3, 4], [1, 3, 5], [0, 2, 5], [6], [1, 4, 5], [0, 1, 2, 4]]
    start = np.cumsum([0, *map(len, clauses)]).astype(np.int64)
    atom = np.array([a for clause in clauses for a in clause], dtype=np.int32)
    first, drawn = _core.sample_hitting_sets(start, atom, 7, 500, 1, math.inf, 1 << 30)
    for a, b in pairwise(first.tolist()):
        assert all(set(clause) & set(drawn[a:b].tolist()) for clause in clauses)


def test_a_text_that_two_conditions_share_is_refused() -> None:
    tree = cattleya.Tree.from_nested(("x1", ("not x1", 0, 1), 0))
    e = cattleya.Explainer(tree).explain({"x1": 0, "not x1": 1})
    with pytest.raises(ValueError, match="more than one condition"):
        e.verify(["not x1"])


def test_arrays_where_numbers_belong() -> None:
    tree = cattleya.Tree.from_nested(("a", 0, 1))
    with pytest.raises((ValueError, TypeError), match=r"shape|list|number"):
        cattleya.Explainer(tree).explain({"a": [1]})


def test_differing_reasons_mind_the_time() -> None:
    """Many short native calls in a loop never looked at the clock."""
    tree = cattleya.Tree.from_nested(_complete(10))
    e = cattleya.Explainer(tree).explain([1] * tree.n_features)
    with pytest.raises(cattleya.TimeoutExpired):
        e.diverse_reasons(500, timeout=0.2)
    with pytest.raises(cattleya.TimeoutExpired):
        e.diverse_reasons(10**30, timeout=0.2)


def test_whole_numbers_too_large_to_be_counted_on() -> None:
    """Beyond 2^53 the next whole number was the same floating point number."""
    tree = cattleya.Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [2.0**53, 0, 0], [-1, 0, 1], 1)
    with pytest.raises(ValueError, match="2\\^53"):
        cattleya.Explainer(tree, integer=True)
    assert cattleya.Explainer(tree).explain([2.0**53]).counterfactuals()


def test_weights_of_any_size_are_refused_or_taken() -> None:
    tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), 1))
    e = cattleya.Explainer(tree).explain([1, 1])
    with pytest.raises(ValueError, match="2\\^120"):
        e.minimal_reason(weights={"a": 10**40})


def test_what_a_row_lacks_is_in_the_plural() -> None:
    explainer = cattleya.Explainer(cattleya.Tree.from_nested(("a", 0, ("b", 0, ("c", 0, 1)))))
    with pytest.raises(ValueError, match=r"the row lacks the feature 'c'; give None"):
        explainer.explain({"a": 1, "b": 1})
    with pytest.raises(ValueError, match=r"the row lacks the features 'b', 'c'; give None"):
        explainer.explain({"a": 1})

"""The scikit-learn adapter at the edges of numbers: 32-bit casting, and missing values."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import cattleya
from tests.checks.explanation import check_explanation, path_literals, term
from tests.samples.trees import missing_literal, nodes_of

Matrix = npt.NDArray[np.float64]


def around(threshold: float) -> set[float]:
    """A threshold, its neighbours, and where casting to 32 bits changes from one to the next."""
    single = np.float32(threshold)
    singles = [
        np.nextafter(single, np.float32(-np.inf)),
        single,
        np.nextafter(single, np.float32(np.inf)),
    ]
    doubles = [float(value) for value in singles]
    doubles += [threshold, *((a + b) / 2 for a, b in pairwise(doubles))]
    return {
        near
        for value in doubles
        for near in (np.nextafter(value, -np.inf), value, np.nextafter(value, np.inf))
    }


def edge_rows(model: Any, data: Matrix) -> Matrix:
    """For every test of the tree, a row that comes there, with each value around the threshold."""
    passes = model.decision_path(data).tocsc()
    rows = []
    for node in np.flatnonzero(model.tree_.children_left >= 0):
        sample = data[passes[:, [node]].indices[0]]
        for value in around(float(model.tree_.threshold[node])):
            row = sample.copy()
            row[model.tree_.feature[node]] = value
            rows.append(row)
    return np.array(rows)


def check_predictions(model: Any, rows: Any) -> None:
    explainer = cattleya.Explainer(model)
    for row, predicted in zip(rows, model.predict(rows), strict=True):
        assert explainer.explain(row).prediction == predicted


@pytest.mark.parametrize("model_type", [DecisionTreeClassifier, ExtraTreeClassifier])
@pytest.mark.parametrize("scale", [1.0, 1e-5, 1e30, 1e7])
def test_rows_on_either_side_of_every_threshold(model_type: Any, scale: float) -> None:
    rng = np.random.default_rng(0)
    data = rng.normal(size=(60, 3)) * scale
    model = model_type(random_state=0).fit(data, rng.integers(0, 3, size=60))
    rows = edge_rows(model, data)
    assert len(rows) > 9 * 20
    check_predictions(model, rows)


def test_neighbouring_32_bit_numbers_in_training() -> None:
    steps = [np.float32(3.1)]  # neighbours are far enough from each other for scikit-learn
    while len(steps) < 12:
        steps.append(np.nextafter(steps[-1], np.float32(4)))
    data = np.array(steps, dtype=np.float64).reshape(-1, 1)
    model = DecisionTreeClassifier().fit(data, np.arange(12) % 2)
    assert model.tree_.node_count > 3
    check_predictions(model, edge_rows(model, data))


def test_the_refuting_row_is_no_rounding_accident() -> None:
    """Casting must not move the row that `verify` gives to the other side of a threshold."""
    rng = np.random.default_rng(1)
    data = (rng.integers(0, 40, size=(80, 3)) / 10).astype(np.float32).astype(np.float64)
    model = DecisionTreeClassifier(random_state=0).fit(data, rng.integers(0, 2, size=80))
    explainer = cattleya.Explainer(model)
    found = 0
    for row in data:
        e = explainer.explain(row)
        for condition in e.sufficient_reason():
            kept = frozenset(e.sufficient_reason()) - {condition}
            verdict = e.verify(kept)
            assert not verdict.sufficient
            if verdict.row is not None:
                found += 1
                assert model.predict(verdict.row.reshape(1, -1))[0] != e.prediction
                assert kept <= explainer.explain(verdict.row).conditions
    assert found > 100


def test_64_bit_whole_numbers_are_cast_as_the_model_casts_them() -> None:
    data = np.array([[2**54], [2**54 + 2**31]], dtype=np.int64)
    model = DecisionTreeClassifier().fit(data, [0, 1])
    rows = np.array([[2**54 + 2**30 + delta] for delta in (-1, 0, 1)], dtype=np.int64)
    check_predictions(model, rows)


WHOLE = 2**60 + 2**36 + 1  # rounded up from itself, and down from what 64 bits make of it
FORMS: dict[str, Any] = {
    "int64": np.array([[WHOLE] * 2]),
    "uint64": np.array([[WHOLE] * 2], dtype=np.uint64),
    "objects": np.array([[WHOLE] * 2], dtype=object),
    "lists": [[WHOLE] * 2],
    "tuples": ((WHOLE, WHOLE),),
    "lists of numpy's numbers": [[np.int64(WHOLE)] * 2],
    "list of arrays": [np.array([WHOLE] * 2)],
    "mixed list": [[WHOLE, 0.5]],
    "mixed list of numpy's numbers": [[np.int64(WHOLE), 0.5]],
    "list with a gap": [[WHOLE, None]],
    "fractions": [[Fraction(WHOLE), Decimal(WHOLE)]],
    "frame": pd.DataFrame([[WHOLE] * 2]),
    **{kind: pd.DataFrame([[WHOLE] * 2]).astype(kind) for kind in ("Int64", "UInt64", "object")},
    "frame with truth values": pd.DataFrame({0: [WHOLE], 1: [True]}),
    "frame with numbers": pd.DataFrame({0: [WHOLE], 1: [1.5]}),
    "frame of two kinds": pd.DataFrame([[WHOLE] * 2]).astype({0: "Int64"}),
    "frame with objects": pd.DataFrame(
        {0: pd.array([WHOLE], "Int64"), 1: pd.Series([0], dtype=object)}
    ),
    "frame with categories": pd.DataFrame([[WHOLE, 0]]).astype({0: "category", 1: "Int64"}),
    "frame with a gap": pd.DataFrame({0: [WHOLE], 1: [None]}, dtype="Int64"),
}


@pytest.mark.parametrize("form", FORMS)
def test_whole_numbers_are_rounded_as_the_model_rounds_them(form: str) -> None:
    rows = FORMS[form]
    ends: Matrix = np.array([[2.0**60, 0.0], [2.0**60 + 2.0**37, 0.0], [2.0**60, np.nan]])
    model = DecisionTreeClassifier(random_state=0).fit(ends, [0, 1, 0])
    (predicted,) = model.predict(rows)
    explainer = cattleya.Explainer(model)
    assert explainer.explain(rows).prediction == predicted
    row = rows.iloc[0] if isinstance(rows, pd.DataFrame) else rows[0]
    assert explainer.explain(row).prediction == predicted


def test_a_number_that_is_none() -> None:
    model = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match=r"'x0' is Decimal\('sNaN'\), .* give None"):
        cattleya.Explainer(model).explain([Decimal("sNaN")])


# Missing values


def with_gaps(seed: int, share: float = 0.2) -> tuple[Matrix, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    data = rng.integers(0, 9, size=(90, 4)) / 10
    data[rng.random(data.shape) < share] = np.nan
    labels = np.where(np.isnan(data[:, 0]), rng.random(90) < 0.7, rng.random(90) < 0.4)
    return data, labels.astype(np.int64)


@pytest.mark.parametrize("model_type", [DecisionTreeClassifier, ExtraTreeClassifier])
@pytest.mark.parametrize("seed", range(5))
def test_predictions_of_trees_trained_with_gaps(model_type: Any, seed: int) -> None:
    data, labels = with_gaps(seed)
    model = model_type(random_state=seed).fit(data, labels)
    check_predictions(model, data)
    emptied = data.copy()
    emptied[np.arange(90), np.arange(90) % 4] = np.nan
    check_predictions(model, emptied)


@pytest.mark.parametrize("seed", range(8))
def test_explanations_of_trees_trained_with_gaps(seed: int) -> None:
    data, labels = with_gaps(seed)
    model = DecisionTreeClassifier(max_leaf_nodes=9, random_state=seed).fit(data, labels)
    nodes = nodes_of(model, missing=True)
    explainer = cattleya.Explainer(model)
    for row in data[::9]:
        e = explainer.explain(row)
        assert term(e.direct_reason(), missing_literal) == path_literals(nodes, row)
        check_explanation(e, nodes.case(row), missing_literal)


def test_a_tree_that_only_asks_whether_a_value_is_missing() -> None:
    data = np.array([[1.0, 0.0], [5.0, 1.0], [np.nan, 0.0], [np.nan, 1.0]])
    # With some seeds, scikit-learn 1.7 sends both to the same side.
    model = DecisionTreeClassifier(random_state=0).fit(data, ["there", "there", "gone", "gone"])
    assert np.isinf(model.tree_.threshold[0])
    explainer = cattleya.Explainer(model, feature_names=["age", "noise"])
    gone, there = explainer.explain([np.nan, 0.0]), explainer.explain([3e38, 0.0])
    assert (gone.prediction, there.prediction) == ("gone", "there")
    assert len(gone.sufficient_reason()) == len(there.sufficient_reason()) == 1
    assert "missing" in str(gone.sufficient_reason())
    for e in (gone, there):
        assert "age" in str(e.sufficient_reason())
        assert "inf" not in str(e.sufficient_reason())
        verdict = e.verify(())
        assert verdict.row is not None
        assert model.predict(verdict.row.reshape(1, -1))[0] != e.prediction


def test_missing_values_in_every_form_of_row() -> None:
    data, labels = with_gaps(3)
    table = pd.DataFrame(data, columns=["a", "b", "c", "d"])
    model = DecisionTreeClassifier(random_state=0).fit(table, labels)
    explainer = cattleya.Explainer(model)
    for i, predicted in enumerate(model.predict(table)):
        row = table.iloc[i]
        gaps = {name: None if np.isnan(value) else value for name, value in row.items()}
        forms = [row, row.to_dict(), row.tolist(), table.iloc[[i]], gaps]
        assert [explainer.explain(form).prediction for form in forms] == [predicted] * len(forms)


def test_a_condition_says_on_which_side_missing_values_are() -> None:
    data = np.array([[1.0], [np.nan], [2.0], [2.0], [2.0]])
    model = DecisionTreeClassifier().fit(data, [0, 0, 1, 1, 1])
    assert model.tree_.missing_go_to_left[0], "to the side with fewer rows: it saw missing values"
    explainer = cattleya.Explainer(model, feature_names=["age"])
    assert str(explainer.explain([np.nan]).direct_reason()) == "age <= 1.5 or missing"
    assert str(explainer.explain([1.0]).direct_reason()) == "age <= 1.5 or missing"
    assert str(explainer.explain([2.0]).direct_reason()) == "age > 1.5"

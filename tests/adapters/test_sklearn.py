"""The scikit-learn adapter: models, labels, names, and rows in every form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import cattleya
from tests.samples.models import COLUMNS, FORMS, check_predictions, features, fitted, numbers

# Models and labels


@pytest.mark.parametrize("model_type", [DecisionTreeClassifier, ExtraTreeClassifier])
@pytest.mark.parametrize("options", [{}, {"max_depth": 3}, {"criterion": "entropy"}])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_models(model_type: Any, options: dict[str, Any], n_classes: int) -> None:
    table, classes = numbers(n_classes)
    values = table.to_numpy()
    check_predictions(model_type(random_state=0, **options).fit(values, classes), values)


def test_weights_and_classes_that_no_leaf_has() -> None:
    table, classes = numbers(5)
    values = table.to_numpy()
    model = DecisionTreeClassifier(max_leaf_nodes=2, random_state=0)
    model.fit(values, classes, sample_weight=np.where(classes == 2, 5.0, 0.5))
    check_predictions(model, values)
    e = cattleya.Explainer(model).explain(values[0])
    reached = set(model.predict(values).tolist())
    for label in set(range(5)) - {e.prediction}:
        assert bool(e.contrastive(toward=label)) == (label in reached)


def test_a_tree_that_is_one_leaf() -> None:
    table, _ = numbers()
    model = DecisionTreeClassifier().fit(table.to_numpy(), np.full(len(table), "only"))
    e = cattleya.Explainer(model).explain(table.to_numpy()[0])
    assert e.prediction == "only"
    assert len(e.sufficient_reason()) == 0
    assert e.contrastive() == ()


LABELS = {
    "0 and 1": np.array([0, 1]),
    "1 and 2": np.array([1, 2]),
    "-1 and 1": np.array([-1, 1]),
    "text": np.array(["no", "yes"]),
    "text objects": np.array(["no", "yes"], dtype=object),
    "truths": np.array([False, True]),
    "whole floats": np.array([-1.0, 1.0]),
    "bytes of one size": np.array([3, 250], dtype=np.uint8),
    "nine": np.arange(10, 19),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels(kind: str) -> None:
    labels = LABELS[kind]
    table, _ = numbers()
    values = table.to_numpy()
    model = DecisionTreeClassifier(random_state=0)
    model.fit(values, labels[np.random.default_rng(0).integers(0, len(labels), len(values))])
    check_predictions(model, values[:60])
    explainer = cattleya.Explainer(model)
    e = explainer.explain(values[0])
    everything = set(e.contrastive())
    for label in labels:
        if label != e.prediction:
            toward = e.contrastive(toward=label)
            assert toward
            assert len(labels) > 2 or set(toward) == everything


def test_truths_stay_truths() -> None:
    table, classes = numbers()
    model = DecisionTreeClassifier(random_state=0).fit(table.to_numpy(), classes == 1)
    assert isinstance(
        cattleya.Explainer(model).explain(table.to_numpy()[0]).prediction, bool | np.bool_
    )


# Names


def test_names_of_a_data_frame() -> None:
    model, table = fitted()
    explainer = cattleya.Explainer(model)
    assert explainer.tree.feature_names == tuple(COLUMNS)
    assert features(explainer, table.iloc[0]) == set(COLUMNS)


def test_names_given() -> None:
    table, classes = numbers()
    model = DecisionTreeClassifier(random_state=0).fit(table.to_numpy(), classes)
    explainer = cattleya.Explainer(model, feature_names=["a", "b", "c", "d"])
    assert features(explainer, table.to_numpy()[0]) == set("abcd")
    by_name = dict(zip("dcba", table.to_numpy()[0][::-1], strict=True))
    assert explainer.explain(by_name).prediction == model.predict(table.to_numpy()[:1])[0]


@pytest.mark.parametrize("form", [tuple, np.array, pd.Index])
def test_names_in_other_containers(form: Any) -> None:
    model, _ = fitted()
    explainer = cattleya.Explainer(model, feature_names=form(["a", "b", "c", "d"]))
    assert explainer.tree.feature_names == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (np.array([7, 9]), ("7", "9")),
        (list(np.array([7, 9], dtype=np.uint8)), ("7", "9")),
        ([7, 9], ("7", "9")),
        (np.array(["no", "yes"]), ("no", "yes")),
        (np.array(["no", "yes"], dtype=object), ("no", "yes")),
        (np.array([0.0, 1.0]), ("0.0", "1.0")),  # the labels that this model has
    ],
)
def test_class_names_as_numpy_has_them(given: Any, shown: tuple[str, str]) -> None:
    model = DecisionTreeClassifier().fit([[0], [1]], [0.0, 1.0])
    e = cattleya.Explainer(model, class_names=given).explain([1])
    assert e.class_labels == shown
    assert e.prediction_name == shown[1]
    assert {type(label) for label in e.class_labels} == {str}
    assert e.contrastive(toward=shown[0])


def test_class_names_of_the_digits() -> None:
    digits = load_digits()
    model = DecisionTreeClassifier(random_state=0).fit(digits.data, digits.target)
    explainer = cattleya.Explainer(model, digits.feature_names, digits.target_names)
    assert explainer.explain(digits.data[5]).prediction_name == "5"


def test_class_names_that_would_be_swapped_are_refused() -> None:
    model = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match=r"another order: '1', '0'.*the classes: '0', '1'"):
        cattleya.Explainer(model, class_names=[1, 0])
    model = DecisionTreeClassifier().fit([[0], [1]], [9, 10])  # numbers and texts differ in order
    with pytest.raises(ValueError, match=r"another order: '10', '9'.*the classes: '9', '10'"):
        cattleya.Explainer(model, class_names=["10", "9"])


def test_names_of_last_resort() -> None:
    table, classes = numbers()
    model = DecisionTreeClassifier(random_state=0).fit(table.to_numpy(), classes)
    assert cattleya.Explainer(model).tree.feature_names == ("x0", "x1", "x2", "x3")


def test_a_condition_reads_as_the_model_tests_it() -> None:
    table = pd.DataFrame({"age": [20.0, 41.0], "noise": [0.0, 0.0]})
    model = DecisionTreeClassifier().fit(table, ["young", "old"])
    e = cattleya.Explainer(model).explain({"age": 25, "noise": 0})
    assert e.prediction == "young"
    assert str(e.direct_reason()) == "age <= 30.5"
    assert str(cattleya.Explainer(model).explain([31, 0]).sufficient_reason()) == "age > 30.5"


# Rows in every form


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_a_row(form: str) -> None:
    model, table = fitted()
    table = table.iloc[:40]
    check_predictions(model, table, [FORMS[form](row) for _, row in table.iterrows()])


@pytest.mark.parametrize("form", FORMS)
def test_forms_give_the_same_explanation(form: str) -> None:
    model, table = fitted()
    explainer = cattleya.Explainer(model)
    given, plain = explainer.explain(FORMS[form](table.iloc[3])), explainer.explain(table.iloc[3])
    assert given.conditions == plain.conditions
    assert given.contrastive() == plain.contrastive()


def test_rows_of_whole_numbers_and_truths() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 3, size=(80, 4))
    model = DecisionTreeClassifier(random_state=0).fit(values, rng.integers(0, 2, size=80))
    check_predictions(model, values)
    check_predictions(model, values[:20], [row.tolist() for row in values[:20]])
    truths = values[:20] > 1
    check_predictions(model, truths, [row.tolist() for row in truths])


def test_rows_of_nullable_types() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 5, size=(60, 3)).astype(float), columns=list("abc"))
    table.iloc[::4, 0] = np.nan
    model = DecisionTreeClassifier(random_state=0).fit(table, rng.integers(0, 2, size=60))
    nullable = table.astype("Int64")
    check_predictions(model, table, [nullable.iloc[[i]] for i in range(60)])
    check_predictions(model, table, [row for _, row in nullable.iterrows()])
    check_predictions(model, table, [row.to_dict() for _, row in nullable.iterrows()])


def test_a_tree_trained_on_a_sparse_matrix() -> None:
    rng = np.random.default_rng(0)
    values = sparse.csr_array(np.where(rng.random((80, 30)) < 0.2, rng.random((80, 30)), 0.0))
    labels = rng.integers(0, 3, size=80)
    model = DecisionTreeClassifier(random_state=0).fit(values, labels)
    check_predictions(model, values, [values[[i]] for i in range(80)])
    check_predictions(model, values, values.toarray())


def test_the_model_is_not_changed() -> None:
    model, table = fitted()
    before = model.predict(table).tolist()
    thresholds = model.tree_.threshold.copy()
    cattleya.Explainer(model).explain(table.iloc[0]).contrastive()
    assert model.predict(table).tolist() == before
    assert (model.tree_.threshold == thresholds).all()

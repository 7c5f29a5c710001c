"""What the explainer refuses: models, names, rows; each message names the offender."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import cattleya
from tests.checks.explanation import naming

TABLE = pd.DataFrame({"age": [20.0, 41.0, 33.0, 60.0], "income": [1.0, 0.0, 3.0, 2.0]})
LABELS = ["no", "yes", "yes", "no"]
BAD = (ValueError, TypeError)


def explainer(model: Any = None, rows: Any = TABLE, **options: Any) -> cattleya.Explainer:
    return cattleya.Explainer((model or DecisionTreeClassifier()).fit(rows, LABELS), **options)


# Models


@pytest.mark.parametrize("model_type", [DecisionTreeClassifier, ExtraTreeClassifier])
def test_not_fitted(model_type: Any) -> None:
    with pytest.raises((*BAD, NotFittedError), match=naming(model_type.__name__, "fit")):
        cattleya.Explainer(model_type())


def test_a_pipeline_that_is_not_fitted() -> None:
    with pytest.raises((*BAD, NotFittedError), match=naming("fit")):
        cattleya.Explainer(make_pipeline(StandardScaler(), DecisionTreeClassifier()))


def test_several_outputs() -> None:
    model = DecisionTreeClassifier().fit(TABLE, np.array([LABELS, LABELS]).T)
    with pytest.raises(BAD, match=naming("output", r"\b2\b")):
        cattleya.Explainer(model)


@pytest.mark.parametrize(
    "model",
    [GaussianNB(), KNeighborsClassifier(n_neighbors=2)],
    ids=lambda model: type(model).__name__,
)
def test_models_that_are_no_decision_trees(model: Any) -> None:
    model.fit(TABLE, [0, 1, 1, 0])
    with pytest.raises(TypeError, match=type(model).__name__):
        cattleya.Explainer(model)


def test_a_pipeline_that_ends_in_something_else() -> None:
    model = make_pipeline(StandardScaler(), GaussianNB()).fit(TABLE, LABELS)
    with pytest.raises(TypeError, match="GaussianNB"):
        cattleya.Explainer(model)


@pytest.mark.parametrize("model", ["a tree", None, 3, DecisionTreeClassifier])
def test_no_model_at_all(model: Any) -> None:
    with pytest.raises(TypeError, match=naming("tree")):
        cattleya.Explainer(model)


# Options


def test_names_of_the_wrong_number() -> None:
    with pytest.raises(BAD, match=naming("feature.names", r"\b3\b", r"\b2\b")):
        explainer(feature_names=["a", "b", "c"])
    with pytest.raises(BAD, match=naming("class.names", r"\b1\b", r"\b2\b")):
        explainer(class_names=["a"])


def test_names_that_are_the_same() -> None:
    with pytest.raises(BAD, match=naming("feature", "twin")):
        explainer(feature_names=["twin", "twin"])


def test_one_text_instead_of_names() -> None:
    with pytest.raises(BAD, match=naming("feature.names", "ab")):
        explainer(feature_names="ab")
    with pytest.raises(BAD, match=naming("class.names", "ab")):
        explainer(class_names="ab")


def test_an_unknown_vocabulary() -> None:
    with pytest.raises(BAD, match=naming("over", "everything", "conditions")):
        explainer(over="everything")


def test_an_unknown_kind() -> None:
    e = explainer().explain([20, 1])
    for ask in (e.necessary, e.relevant, e.irrelevant, e.count, e.importance):
        with pytest.raises(BAD, match=naming("kind", "usual", "contrastive")):
            ask("usual")


def test_toward_a_class_that_does_not_exist() -> None:
    e = explainer().explain([20, 1])
    with pytest.raises(BAD, match=naming("maybe", "yes", "no")):
        e.contrastive(toward="maybe")


def test_toward_the_class_that_the_row_has() -> None:
    e = explainer().explain([20, 1])
    with pytest.raises(BAD, match=naming("no")):
        e.contrastive(toward=e.prediction)


# Rows


@pytest.mark.parametrize("row", [[1.0], [1.0, 2.0, 3.0], np.ones(5), (), sparse.csr_array((1, 7))])
def test_rows_of_the_wrong_length(row: Any) -> None:
    length = row.shape[-1] if hasattr(row, "shape") else len(row)
    with pytest.raises(BAD, match=naming(rf"\b{length}\b", r"\b2\b")):
        explainer().explain(row)


@pytest.mark.parametrize("form", [dict, pd.Series, lambda row: pd.DataFrame([row])])
def test_names_that_are_missing_or_unknown(form: Any) -> None:
    with pytest.raises(BAD, match=naming("income")):
        explainer().explain(form({"age": 3.0}))
    with pytest.raises(BAD, match=naming("shoe size")):
        explainer().explain(form({"age": 3.0, "income": 1.0, "shoe size": 44.0}))
    with pytest.raises(BAD, match=naming("incomme")):
        explainer().explain(form({"age": 3.0, "incomme": 1.0}))


def test_a_name_that_is_there_twice() -> None:
    twice = ["age", "income", "income"]
    with pytest.raises(BAD, match=naming("income", "twice|two")):
        explainer().explain(pd.Series([1.0, 2.0, 3.0], index=twice))
    with pytest.raises(BAD, match=naming("income", "twice|two")):
        explainer().explain(pd.DataFrame([[1.0, 2.0, 3.0]], columns=twice))


@pytest.mark.parametrize(
    "row",
    [
        ["old", 1.0],
        {"income": 1.0, "age": "old"},
        pd.Series({"age": "old", "income": 1.0}),
        pd.DataFrame({"age": ["old"], "income": [1.0]}),
        np.array(["old", "1.0"]),
    ],
    ids=["list", "dict", "Series", "DataFrame", "array"],
)
def test_text_in_a_numeric_column(row: Any) -> None:
    with pytest.raises(BAD, match=naming("age", "old")):
        explainer().explain(row)


@pytest.mark.parametrize(
    "value", [np.inf, -np.inf, 1e300, 10**400], ids=["inf", "-inf", "1e300", "10**400"]
)
def test_numbers_that_the_model_does_not_take(value: float) -> None:
    with pytest.raises(BAD, match=naming("income")):
        explainer().explain([20.0, value])


@pytest.mark.parametrize("value", ["", {}, object()])
def test_values_that_are_no_numbers(value: Any) -> None:
    with pytest.raises(BAD, match=naming("income")):
        explainer().explain([20.0, value])


def test_a_missing_value_where_the_tree_takes_none() -> None:
    tree = cattleya.Tree.from_nested(("wet", 0, ("cold", 1, 0)))
    with pytest.raises(BAD, match=naming("cold", "nan|missing")):
        cattleya.Explainer(tree).explain([0, np.nan])


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(random_state=0),
        DecisionTreeClassifier(monotonic_cst=[1, 0], random_state=0),
        ExtraTreeClassifier(random_state=0),
    ],
    ids=["tree", "monotonic tree", "extra tree"],
)
def test_a_missing_value_is_taken_where_the_model_takes_it(model: Any) -> None:
    """Trained without any, some models of some releases take missing values, others do not."""
    row = pd.DataFrame({"age": [np.nan], "income": [1.0]})
    asked = explainer(model)
    try:
        predicted = model.predict(row)[0]
    except ValueError:
        with pytest.raises(BAD, match=naming("age", "nan|missing")):
            asked.explain(row)
    else:
        e = asked.explain(row)
        assert e.prediction == predicted
        assert e.verify(e.sufficient_reason())


@pytest.mark.parametrize(
    "rows",
    [TABLE, TABLE.iloc[:0], TABLE.to_numpy(), sparse.csr_array(TABLE.to_numpy()), [[1.0, 2.0]] * 2],
    ids=["DataFrame", "empty DataFrame", "array", "sparse", "list"],
)
def test_not_exactly_one_row(rows: Any) -> None:
    with pytest.raises(BAD, match=naming("row")):
        explainer().explain(rows)


@pytest.mark.parametrize("row", ["text", None, 3.0, {1.0, 2.0}, iter([1.0, 2.0])])
def test_what_is_no_row(row: Any) -> None:
    with pytest.raises(BAD, match=naming("row")):
        explainer().explain(row)


# Sets of conditions to verify


def test_verify_refuses_what_is_no_condition() -> None:
    e = explainer().explain([20, 1])
    with pytest.raises(BAD, match=naming("height <= 3")):
        e.verify(["height <= 3"])
    with pytest.raises(BAD, match=naming(r"\b7\b|int")):
        e.verify(7)  # type: ignore[call-overload]  # wrong on purpose
    with pytest.raises(BAD, match=naming(r"\b7\b")):
        e.verify([7])  # type: ignore[list-item]  # wrong on purpose


def test_verify_refuses_conditions_of_another_tree() -> None:
    other = cattleya.Explainer(cattleya.Tree.from_nested(("wet", 0, 1))).explain([1])
    with pytest.raises(BAD, match=naming("wet")):
        explainer().explain([20, 1]).verify(other.direct_reason())


def test_verify_refuses_a_condition_with_its_negation() -> None:
    e = explainer().explain([20, 1])
    condition = next(iter(e.direct_reason()))
    with pytest.raises(BAD, match=naming(re.escape(str(condition)))):
        e.verify([condition, condition.negated()])


def test_verify_of_a_condition_that_does_not_hold_in_the_row() -> None:
    e = explainer().explain([20, 1])
    foreign = next(iter(e.direct_reason())).negated()
    assert not e.verify([foreign])
    assert not e.verify((e.conditions - {foreign.negated()}) | {foreign})

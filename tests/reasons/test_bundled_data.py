"""Every row of the data sets that come with scikit-learn.

Each prediction is the model's, and each sufficient reason is accepted by `verify`. Changing exactly
the conditions of a contrastive explanation leads to another class (it is minimal, so all of it must
change); for some of the rows `verify` also says that the others do not suffice without it, and do
with any single condition of it put back.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn import datasets
from sklearn.tree import DecisionTreeClassifier

import cattleya
from tests.samples.trees import Nodes, literal, nodes_of

SETS = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast_cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
}


@dataclass(frozen=True)
class Fitted:
    """A tree trained on one half of a data set, and all of the rows."""

    model: Any
    rows: Any
    nodes: Nodes
    explainer: cattleya.Explainer


@pytest.fixture(scope="module", params=SETS)
def fitted(request: pytest.FixtureRequest) -> Fitted:
    bunch = SETS[request.param]()
    model = DecisionTreeClassifier(random_state=0).fit(bunch.data[::2], bunch.target[::2])
    return Fitted(model, bunch.data, nodes_of(model), cattleya.Explainer(model))


def test_sufficient_reasons_of_every_row(fitted: Fitted) -> None:
    for row, predicted in zip(fitted.rows, fitted.model.predict(fitted.rows), strict=True):
        e = fitted.explainer.explain(row)
        assert e.prediction == predicted
        assert e.verify(e.sufficient_reason())
        assert e.verify(e.direct_reason()).sufficient
        assert e.necessary() <= e.sufficient_reason() <= e.relevant()


def test_contrastive_explanations_of_every_row(fitted: Fitted) -> None:
    nodes = fitted.nodes
    column = {variable: i for i, variable in enumerate(nodes.variables)}
    for row in fitted.rows:
        e = fitted.explainer.explain(row)
        reasons = e.contrastive()
        truths = np.tile(nodes.case(row).values, (len(reasons), 1))
        for truth, reason in zip(truths, reasons, strict=True):
            truth[[column[literal(condition)[0]] for condition in reason]] ^= True
            assert not reason.isdisjoint(e.sufficient_reason())
        assert (fitted.model.classes_[nodes.classify(truths)] != e.prediction).all()


def test_contrastive_explanations_are_minimal(fitted: Fitted) -> None:
    for row in fitted.rows[::30]:
        e = fitted.explainer.explain(row)
        for reason in e.contrastive():
            rest = e.conditions.difference(reason)
            assert not e.verify(rest).sufficient
            assert all(e.verify(rest | {condition}).sufficient for condition in reason)


def test_a_column_of_noise_leads_by_condition_but_not_by_feature() -> None:
    frame, label = datasets.load_iris(return_X_y=True, as_frame=True)
    rng = np.random.default_rng(2)
    frame = frame.assign(noise=rng.random(len(frame)))
    wrong = np.where(rng.random(len(label)) < 0.25, rng.permutation(label), label)
    model = DecisionTreeClassifier(max_leaf_nodes=40, random_state=0).fit(frame, wrong)
    explainer = cattleya.Explainer(model, over="intervals")
    by_condition, by_feature = Counter[str](), Counter[str]()
    for number in range(0, len(frame), 10):
        e = explainer.explain(frame.iloc[[number]])
        for condition, share in e.importance().items():
            by_condition[condition.feature] += share  # type: ignore[assignment]  # a fraction
        by_feature.update(e.feature_importance())
    assert by_condition.most_common(1)[0][0] == "noise"
    assert by_feature.most_common(1)[0][0] != "noise"

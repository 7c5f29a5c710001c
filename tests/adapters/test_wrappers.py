"""Models in wrappers: taken as the tree in them where they decide as it does, else refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - makes what follows
from sklearn.feature_selection import RFE, RFECV
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.adapters.columns import ModelColumns
from tests.checks.command import answer

X, Y = load_breast_cancer(return_X_y=True, as_frame=True)
X, Y = X.iloc[::3, :6], Y.iloc[::3]
DEPTHS = {"max_depth": [2, 3]}


def tree() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(random_state=0, max_depth=3)


class Searched(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A search of another library, whose predict is that of the model it found."""

    def fit(self, x: Any, y: Any) -> Searched:
        self.best_estimator_ = tree().fit(x, y)
        return self

    @property
    def predict(self) -> Any:
        return self.best_estimator_.predict


class Contrary(Searched):
    """A wrapper that decides otherwise than the tree in it."""

    def predict(self, x: Any) -> Any:
        return 1 - self.best_estimator_.predict(x)


WRAPPERS: dict[str, Any] = {
    "grid": lambda: GridSearchCV(tree(), DEPTHS, cv=2),
    "randomized": lambda: RandomizedSearchCV(tree(), DEPTHS, n_iter=2, cv=2, random_state=0),
    "halving": lambda: HalvingGridSearchCV(tree(), DEPTHS, cv=2, random_state=0),
    "grid of a pipeline": lambda: GridSearchCV(
        make_pipeline(StandardScaler(), tree()), {"decisiontreeclassifier__max_depth": [2]}, cv=2
    ),
    "pipeline of a grid": lambda: make_pipeline(
        StandardScaler(), GridSearchCV(tree(), DEPTHS, cv=2)
    ),
    "frozen": lambda: FrozenEstimator(tree().fit(X, Y)),
    "frozen grid": lambda: FrozenEstimator(GridSearchCV(tree(), DEPTHS, cv=2).fit(X, Y)),
    "self-training": lambda: SelfTrainingClassifier(tree()),
    "elimination": lambda: RFE(tree(), n_features_to_select=3),
    "elimination by validation": lambda: RFECV(tree(), cv=2),
    "of another library": Searched,
}


@pytest.mark.filterwarnings("ignore:y contains no unlabeled samples")
@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapper_is_taken_as_the_tree_in_it(name: str) -> None:
    model = WRAPPERS[name]()
    model.fit(X, Y)
    explainer = cattleya.Explainer(model)
    expected = model.predict(X)
    for place in (0, 7, 100):
        e = explainer.explain(X.iloc[[place]])
        assert e.prediction == expected[place]
        assert e.verify(e.sufficient_reason())
        assert {condition.feature for condition in e.sufficient_reason()} <= set(X.columns)
    assert [said for said in explainer.assumptions if "is taken as its" in said]
    assert explainer.explain_all(X, progress=False)["prediction"].tolist() == expected.tolist()


def test_no_wrapper_is_spoken_of_where_there_is_none() -> None:
    assert cattleya.Explainer(tree().fit(X, Y)).assumptions == ()


def test_what_decides_otherwise_is_refused() -> None:
    tuned = TunedThresholdClassifierCV(tree(), cv=2).fit(X, Y)
    with pytest.raises(TypeError, match=r"TunedThreshold.*does not decide as .*model.estimator_"):
        cattleya.Explainer(tuned)
    with pytest.raises(TypeError, match="Contrary itself: give its best_estimator_"):
        cattleya.Explainer(Contrary().fit(X, Y))


def test_a_search_in_a_file(tmp_path: Path) -> None:
    table = pd.DataFrame({"job": ["cook", "nurse", "1"] * 10, "age": np.arange(30)})
    encoder = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
    search = GridSearchCV(
        make_pipeline(encoder, tree()), {"decisiontreeclassifier__max_depth": [2]}, cv=2
    ).fit(table, table["age"] > 12)
    assert ModelColumns.of(search).text == ("job",)
    skops.io.dump(search, tmp_path / "m.skops")
    table.to_csv(tmp_path / "t.csv", index=False)
    found = answer("explain", "m.skops", "t.csv", "--row", 2, cwd=tmp_path)
    assert found["prediction"] is False
    assert "GridSearchCV is taken as its best_estimator_, a Pipeline" in found["assumptions"]

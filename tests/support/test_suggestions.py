"""What was probably meant by a name that there is not."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.support.suggestions import did_you_mean, known_names

NAMES = ["age", "hours-per-week", "marital-status"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("Age", "'age'"), ("hours per week", "'hours-per-week'"),
        ("martial_status", "'marital-status'"), ("x", ""), ("", ""), ("a" * 1000, ""), (5, ""),
    ],
)  # fmt: skip  # a list in few lines
def test_names_that_are_nearly_right(given: object, meant: str) -> None:
    assert did_you_mean(given, NAMES) == (f"did you mean {meant}?" if meant else "")


def test_names_that_differ_in_their_signs_are_told_apart() -> None:
    classes = ["<=50K", ">50K"]
    assert did_you_mean(">50k", classes) == "did you mean '>50K'?"
    assert did_you_mean("50k", classes) == "did you mean '<=50K' or '>50K'?"


def test_many_names_cost_little() -> None:
    many = [f"column {n}" for n in range(100_000)]
    assert "did you mean" in known_names(["colum 5"], many)


def test_every_error_about_a_name_asks() -> None:
    rows = pd.DataFrame({"age": [1.0, 2.0], "pay": [3.0, 4.0]})
    explainer = cattleya.Explainer(DecisionTreeClassifier().fit(rows, ["no", "yes"]))
    e = explainer.explain(rows.iloc[[0]])
    asked: list[Callable[[], object]] = [
        lambda: explainer.explain({"Age": 1, "pay": 2}),
        lambda: explainer.explain(rows.iloc[[0]], exclude=["agee"]),
        lambda: explainer.is_fair(rows, ["agee"]),
        lambda: e.minimal_reason(weights={"agee": 2}),
        lambda: cattleya.Explainer(explainer.tree, integer=["agee"]),
        lambda: cattleya.Explainer(explainer.tree, data=rows.rename(columns={"age": "agee"})),
        lambda: e.verify(["agee <= 30.5"]),
        lambda: cattleya.train(rows.assign(y=[0, 1]), "y", drop=["agee"]),
    ]
    for ask in asked:
        with pytest.raises(ValueError, match=r"did you mean 'agee?'"):
            ask()
    with pytest.raises(ValueError, match="did you mean 'yes'"):
        e.contrastive(toward="Yes!")

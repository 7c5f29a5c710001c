"""Pages and pictures of whole models."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya import plots

NAMES = ["age", "hours", "<b>sex</b>"]


@pytest.fixture(scope="module")
def made() -> tuple[cattleya.Explainer, cattleya.Explainer, pd.DataFrame]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 9, (300, 3)).astype(float), columns=NAMES)
    X["<b>sex</b>"] %= 2
    explainers = [
        cattleya.Explainer(
            DecisionTreeClassifier(max_depth=4, random_state=seed).fit(
                X, (X["age"] + X["hours"] + rng.integers(0, 4, 300) + 3 * X["<b>sex</b>"] > 8)
            ),
            over="intervals",
            integer=NAMES,
        )
        for seed in (0, 1)
    ]
    return explainers[0], explainers[1], X


def test_pages_say_what_was_found_and_escape_it(
    made: tuple[cattleya.Explainer, cattleya.Explainer, pd.DataFrame],
) -> None:
    old, new, X = made
    audit = old.audit(["<b>sex</b>"], X, {"age": "down"}, rules=0.9)
    assert audit.fair is False
    page = audit.to_html(about="<i>model</i>")
    assert page is not None
    assert "<b>sex</b>" not in page
    assert "<i>model</i>" not in page
    for part in ("Is it fair everywhere?", "down: refuted", "Which rules cover the table?"):
        assert part in page
    found = cattleya.compare(old, new, X, protected=["<b>sex</b>"])
    page = found.to_html(row=found.explain(X.iloc[[0]]))
    assert page is not None
    assert "<b>sex</b>" not in page
    for part in ("Where do they differ?", "Changes by", "Why each decides"):
        assert part in page


def test_pictures(made: tuple[cattleya.Explainer, cattleya.Explainer, pd.DataFrame]) -> None:
    old, new, X = made
    found = cattleya.compare(old, new)
    ax = plots.regions(found, "age", "hours")
    assert len(ax.patches) > 0
    assert ax.get_xlabel() == "age"
    rules = old.rules(X, 0.9)
    ax = plots.rules(rules, most=3)
    assert len(ax.patches) == min(len(rules), 3)

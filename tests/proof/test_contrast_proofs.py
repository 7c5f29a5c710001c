"""What is called a contrastive explanation is one by the definition, in every vocabulary."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import cattleya


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
@pytest.mark.parametrize("missing", [False, True])
def test_every_set_of_conditions(over: str, missing: bool) -> None:
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.integers(0, 4, (60, 3)).astype(float), columns=["age", "pay", "debt"])
    X["job"] = rng.choice(["nurse", "clerk", "cook"], 60)
    y = (X["age"] + X["pay"] > 3) ^ (X["job"] == "cook")
    if missing:
        X.loc[::7, "age"] = np.nan
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough"),
        DecisionTreeClassifier(max_depth=4, max_leaf_nodes=6, random_state=0),
    ).fit(X, y)
    explainer = cattleya.Explainer(model, over=over)
    found = 0
    for place in (0, 3, 7, 11):
        e = explainer.explain(X.iloc[[place]])
        all_ = sorted(e.conditions, key=str)
        assert len(all_) <= 10
        contrasts = set(map(frozenset, e.contrastive()))
        sets = chain.from_iterable(combinations(all_, size) for size in range(len(all_) + 1))
        for changed in sets:
            rest = [condition for condition in all_ if condition not in changed]
            by_definition = (
                bool(changed)
                and not e.verify(rest).sufficient
                and all(e.verify([*rest, one]).sufficient for one in changed)
            )
            assert e.is_contrastive(changed) == by_definition
            assert e.is_contrastive(map(str, changed)) == by_definition
            assert (frozenset(changed) in contrasts) == by_definition
            found += by_definition
    assert found

"""Questions about whole ensembles, against all rows of small domains."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import cattleya

NAMES = ["a", "b", "c"]


def every_row() -> pd.DataFrame:
    return pd.DataFrame(list(product(range(4), range(4), range(2))), columns=NAMES).astype(float)


def forest(seed: int, n_classes: int = 2) -> Any:
    rng = np.random.default_rng(seed)
    X = every_row().sample(50, replace=True, random_state=seed)
    y = (X["a"] + rng.integers(0, 3, 50)).astype(int) % n_classes
    if seed % 2:
        return RandomForestClassifier(3, max_depth=3, random_state=seed).fit(X, y)
    return GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=seed).fit(X, y)


def goes(decided: dict[tuple[float, ...], int], place: int, size: int) -> str:
    rises = falls = False
    for row, own in decided.items():
        if row[place] < size - 1:
            higher = (*row[:place], row[place] + 1, *row[place + 1 :])
            rises |= decided[higher] > own
            falls |= decided[higher] < own
    return {(0, 0): "never", (1, 0): "up", (0, 1): "down", (1, 1): "both"}[rises, falls]


@pytest.mark.parametrize("seed", range(8))
def test_fair_and_monotone(seed: int) -> None:
    model = forest(seed, 2 + (seed % 3 == 0))
    rows = every_row()
    decided = dict(zip(map(tuple, rows.to_numpy().tolist()), model.predict(rows), strict=True))
    explainer = cattleya.Explainer(model, over="intervals", integer=NAMES)
    found = explainer.audit(["c"], rows, {"a": "up"}, timeout=60)
    assert found.fair == all(decided[a, b, 0.0] == decided[a, b, 1.0] for a, b, _ in decided)
    assert found.status == ("proved" if found.fair else "refuted")
    if found.witness is not None:
        pair = pd.DataFrame([found.witness.first, found.witness.second])[NAMES]
        assert [str(one) for one in model.predict(pair)] == list(found.witness.outcomes)
        assert [name for name, *_ in found.witness.changes] == ["c"]
    for place, (name, size) in enumerate(zip(NAMES, (4, 4, 2), strict=True)):
        if name not in found.untested:
            assert found.monotone[name] == goes(decided, place, size)
            assert (name in found.unused) == (found.monotone[name] == "never")
    if "a" in found.monotone:
        assert found.monotone["a"].holds == (goes(decided, 0, 4) in ("never", "up"))
    assert found.outcomes == tuple(str(label) for label in model.classes_)
    assert "everywhere" in str(found)


@pytest.mark.parametrize("seed", range(6))
def test_two_models(seed: int) -> None:
    old = forest(seed)
    rows = every_row()
    new = forest(seed + 10) if seed % 3 else DecisionTreeClassifier().fit(rows, old.predict(rows))
    found = cattleya.compare(old, new, rows, integer=NAMES, timeout=60)
    first, second = old.predict(rows), new.predict(rows)
    assert found.same == bool((first == second).all())
    assert found.changed_rows == int((first != second).sum())
    if found.witness is not None:
        row = pd.DataFrame([found.witness])[NAMES]
        told = str(old.predict(row)[0]), str(new.predict(row)[0])
        assert told == found.outcomes
    assert cattleya.compare(old, old).status == "proved"
    read = cattleya.read_ensemble(old)
    assert cattleya.compare(old, cattleya.Ensemble.from_json(read.to_json()), timeout=60).same


def test_what_is_open_is_said() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((300, 6))
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    model = RandomForestClassifier(30, max_depth=6, random_state=0).fit(X, y)
    found = cattleya.Explainer(model, over="intervals").audit([5], timeout=0.05)
    assert found.status in ("refuted", "open within 0.05 seconds")
    other = RandomForestClassifier(30, max_depth=6, random_state=0).fit(X, y)
    assert cattleya.compare(model, other, timeout=0.05).same is not False

"""Rows and tables in any order of memory get the same answers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.support.arrays import Floats

WINE = load_wine()


def orders(matrix: Floats) -> list[Floats]:
    """The same numbers: in order of columns, with gaps in memory, backwards, read-only."""
    wide = np.zeros((2 * len(matrix), 3 * matrix.shape[1]))
    wide[::2, ::3] = matrix
    backwards = matrix[::-1, ::-1].copy()[::-1, ::-1]
    fixed = matrix.copy()
    fixed.flags.writeable = False
    return [np.asfortranarray(matrix), wide[::2, ::3], backwards, fixed]


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
def test_any_order_of_memory(over: str) -> None:
    model = DecisionTreeClassifier(random_state=0).fit(WINE.data, WINE.target)
    explainer = cattleya.Explainer(model, over=over)
    rows = WINE.data[:12].astype(np.float64)
    told = [str(explainer.explain(row).minimal_reason()) for row in rows]
    table = explainer.explain_all(rows, progress=False).drop(columns="seconds")
    fair = explainer.is_fair(rows, [0]).fair.tolist()
    nearest = [str(found[0]) for found in explainer.counterfactuals(rows)]
    reason = explainer.explain(rows[0]).sufficient_reason()
    for same in orders(rows):
        assert [str(explainer.explain(row).minimal_reason()) for row in same] == told
        assert explainer.explain_all(same, progress=False).drop(columns="seconds").equals(table)
        assert explainer.is_fair(same, [0]).fair.tolist() == fair
        assert [str(found[0]) for found in explainer.counterfactuals(same)] == nearest
        assert reason.covers(same).tolist() == reason.covers(rows).tolist()
        assert explainer.tree.predict(same).tolist() == model.predict(rows).tolist()


def test_a_tree_from_arrays_of_any_order() -> None:
    tree = cattleya.Explainer(
        DecisionTreeClassifier(random_state=0).fit(WINE.data, WINE.target)
    ).tree
    pairs = np.array([tree.left, tree.right]).T  # in order of nodes
    same = cattleya.Tree(
        pairs[:, 0],
        pairs[:, 1],
        tree.feature[::-1].copy()[::-1],
        np.repeat(tree.threshold, 2)[::2],
        tree.leaf_class,
        tree.n_features,
        class_names=tree.class_names,
        row_dtype=tree.row_dtype,
    )
    assert (same.left == tree.left).all()
    assert same.predict(WINE.data).tolist() == tree.predict(WINE.data).tolist()

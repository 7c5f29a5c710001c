"""Very deep and very large trees: no recursion limit, and answers that can be checked by flipping.

In a Boolean tree whose variables are all distinct on every path, changing exactly a contrastive
explanation's conditions leads to another class (it is minimal, so all of it must change).
"""

from __future__ import annotations

import pickle

import numpy as np
import numpy.typing as npt
import pytest

import cattleya

Row = npt.NDArray[np.float64]
DEPTH = 100_000


def chain(side_classes: npt.NDArray[np.int64], bottom_class: int) -> cattleya.Tree:
    """x0, then x1, then ... while all are 0; node 2i is inner, node 2i + 1 its right leaf."""
    depth = len(side_classes)
    inner = 2 * np.arange(depth)
    left, right, feature = (np.full(2 * depth + 1, -1) for _ in range(3))
    left[inner], right[inner], feature[inner] = inner + 2, inner + 1, np.arange(depth)
    leaf_class = np.full(2 * depth + 1, bottom_class)
    leaf_class[inner + 1] = side_classes
    threshold = np.full(2 * depth + 1, 0.5)
    return cattleya.Tree(
        left, right, feature, threshold, leaf_class, n_features=depth, boolean=range(depth)
    )


def complete(depth: int, seed: int) -> cattleya.Tree:
    """A complete tree with a variable of its own in every inner node, and random classes."""
    inner, size = 2**depth - 1, 2 ** (depth + 1) - 1
    nodes = np.arange(size)
    is_inner = nodes < inner
    classes = np.random.default_rng(seed).integers(0, 2, size=size)
    return cattleya.Tree(
        np.where(is_inner, 2 * nodes + 1, -1),
        np.where(is_inner, 2 * nodes + 2, -1),
        np.where(is_inner, nodes, -1),
        np.full(size, 0.5),
        classes,
        n_features=inner,
        boolean=range(inner),
    )


def check_flips(tree: cattleya.Tree, row: Row, reasons: tuple[cattleya.Reason, ...]) -> None:
    """Changing each of these contrastive explanations changes the class."""
    rows = np.tile(row, (len(reasons), 1))
    for changed_row, reason in zip(rows, reasons, strict=True):
        places = [condition.index for condition in reason]
        changed_row[places] = 1 - changed_row[places]
    before = tree.predict(row.reshape(1, -1))[0]
    assert (tree.predict(rows) != before).all()


def test_a_chain_every_side_of_which_differs() -> None:
    tree = chain(np.ones(DEPTH, dtype=np.int64), bottom_class=0)
    assert (tree.depth, tree.n_nodes) == (DEPTH, 2 * DEPTH + 1)
    e = cattleya.Explainer(tree).explain(np.zeros(DEPTH))
    assert e.prediction == 0
    assert len(e.direct_reason()) == len(e.sufficient_reason()) == DEPTH
    assert e.count("contrastive") == len(e.contrastive()) == DEPTH
    assert {len(reason) for reason in e.contrastive()} == {1}
    assert len(e.necessary()) == DEPTH


def test_a_chain_left_at_once() -> None:
    tree = chain(np.arange(DEPTH) % 2, bottom_class=1)
    row = np.zeros(DEPTH)
    row[[0, 3]] = 1  # leaves at the root; without x0 it would leave at x3
    e = cattleya.Explainer(tree).explain(row)
    assert e.prediction == 0
    assert [str(condition) for condition in e.direct_reason()] == ["x0"]
    assert [str(reason) for reason in e.contrastive()] == ["x0"]
    assert e.verify(e.sufficient_reason())


def test_a_chain_can_be_written_and_read() -> None:
    tree = chain(np.arange(DEPTH) % 2, bottom_class=1)
    assert cattleya.Tree.from_json(tree.to_json()) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree


def test_a_deep_nested_tuple() -> None:
    nested: object = 1
    for level in reversed(range(20_000)):
        nested = (f"v{level}", nested, 0)
    tree = cattleya.Tree.from_nested(nested)
    assert tree.depth == 20_000
    assert cattleya.Explainer(tree).explain([0] * 20_000).prediction == 1


@pytest.mark.parametrize("seed", [0, 1])
def test_a_complete_tree_of_a_million_nodes(seed: int) -> None:
    tree = complete(depth=19, seed=seed)
    assert tree.n_nodes == 2**20 - 1
    explainer = cattleya.Explainer(tree)
    row = np.random.default_rng(seed).integers(0, 2, size=tree.n_features).astype(float)
    e = explainer.explain(row)
    assert e.prediction == tree.predict(row.reshape(1, -1))[0]
    assert len(e.direct_reason()) == 19
    assert e.verify(e.sufficient_reason())
    assert e.sufficient_reason() <= e.relevant()
    assert e.necessary() <= e.sufficient_reason()
    reasons = e.contrastive()
    assert all(not e.sufficient_reason().isdisjoint(reason) for reason in reasons)
    check_flips(tree, row, reasons[:8] + reasons[-8:])

"""Trees of a wanted size: one generator of data, and the two families of the paper's propositions.

*grown*: CART on made-up data. ``rows`` rows have 14 features, half of them normal numbers, half of
them whole ones (normal numbers doubled and rounded). A row is positive where the sum of the first
four features is, and a quarter of the labels is then drawn anew. scikit-learn grows the tree leaf
by leaf, the best first, up to the wanted number of nodes; the row is the first of other such data.

*complete* (Proposition 1): a complete tree with a variable of its own at every node, whose last
tests each have a 0-leaf and a 1-leaf. The row of ones has doubly exponentially many sufficient
reasons, and a contrastive explanation for every second leaf.

*comb* (Proposition 2): a spine of tests, each with one test as its tooth. The row of ones has
exponentially many minimal reasons.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

import cattleya

__all__ = ["FAMILIES", "comb", "complete", "grown", "noisy_data"]

Row = npt.NDArray[np.float64]
FEATURES = 14
NOISE = 0.25
ROWS_A_NODE = 4


def noisy_data(rows: int, seed: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Make up rows and labels, as described above."""
    random = np.random.default_rng(seed)
    x = random.standard_normal((rows, FEATURES))
    x[:, ::2] = np.round(2 * x[:, ::2])
    y = (x[:, :4].sum(axis=1) > 0).astype(np.int64)
    noisy = random.random(rows) < NOISE
    y[noisy] = random.integers(0, 2, int(noisy.sum()))
    return x, y


def grown(nodes: int) -> tuple[cattleya.Tree, Row]:
    """Grow a tree of about so many nodes, and give a row that it has not seen."""
    from sklearn.tree import DecisionTreeClassifier

    x, y = noisy_data(max(200, ROWS_A_NODE * nodes), seed=0)
    model = DecisionTreeClassifier(max_leaf_nodes=(nodes + 1) // 2, random_state=0).fit(x, y)
    return cattleya.Explainer(model).tree, noisy_data(1, seed=1)[0][0]


def complete(nodes: int) -> tuple[cattleya.Tree, Row]:
    """Build the largest complete tree of at most so many nodes, numbered breadth first."""
    inner = 2 ** ((nodes + 1).bit_length() - 2) - 1
    number = np.arange(2 * inner + 1)
    is_inner = number < inner
    tree = cattleya.Tree(
        left=np.where(is_inner, 2 * number + 1, -1),
        right=np.where(is_inner, 2 * number + 2, -1),
        feature=np.where(is_inner, number, -1),
        threshold=np.where(is_inner, 0.5, 0.0),
        leaf_class=np.where(is_inner, -1, (number - inner) % 2),
        n_features=inner,
        boolean=range(inner),
    )
    return tree, np.ones(inner)


def comb(nodes: int) -> tuple[cattleya.Tree, Row]:
    """Build the comb of at most so many nodes: 2n + 1 of them for n = 2k - 1 variables."""
    k = (nodes + 1) // 4
    n = 2 * k - 1
    left, right, feature, leaf = ([-1] * (2 * n + 1) for _ in range(4))
    # The spine is 0, 4, 8, ...; after each of its tests come the tooth and the tooth's leaves.
    for level in range(k):
        at, is_last = 4 * level, level == k - 1
        feature[at] = 2 * level
        if is_last:
            left[at], right[at] = at + 1, at + 2
            leaf[at + 1], leaf[at + 2] = 0, 1
        else:
            left[at], right[at] = at + 1, at + 4
            feature[at + 1], left[at + 1], right[at + 1] = 2 * level + 1, at + 2, at + 3
            leaf[at + 2], leaf[at + 3] = 0, 1
    threshold = [0.5 if test >= 0 else 0.0 for test in feature]
    tree = cattleya.Tree(left, right, feature, threshold, leaf, n_features=n, boolean=range(n))
    return tree, np.ones(n)


FAMILIES: dict[str, Callable[[int], tuple[cattleya.Tree, Row]]] = {
    "grown": grown,
    "complete": complete,
    "comb": comb,
}

"""Questions about a row in a tree's own columns, and trees to ask them about."""

from __future__ import annotations

from typing import Any

import numpy as np

from cattleya.changes.counterfactual import Question
from cattleya.changes.regions import Regions
from cattleya.model.domain.domain import Category, Domain, Number
from cattleya.model.tree.tree import Tree


def domain_of(*attributes: Number | Category) -> Domain:
    count = 1 + max(column for attribute in attributes for column in attribute.columns)
    return Domain(attributes, count, raw_names=tuple(a.name for a in attributes))


def about(
    tree: Tree, row: Any, domain: Domain | None = None, predict: Any = None, **rest: Any
) -> Question:
    """A question about a row in the tree's columns."""
    domain = domain or Domain.plain(tree)
    numbers_ = np.array(row, dtype=np.dtype(tree.row_dtype)).astype(float)
    row_class = int(tree.leaf_class[tree.apply(numbers_[None, :])[0]])
    predict = predict or tree.predict
    return Question(Regions(tree, domain), numbers_, row_class, predict, **rest)


def stump(threshold: float, dtype: str = "float32", **rest: Any) -> Tree:
    """One test: no at most the threshold, yes above."""
    return Tree(
        [1, -1, -1],
        [2, -1, -1],
        [0, -1, -1],
        [threshold, 0.0, 0.0],
        [-1, 0, 1],
        n_features=1,
        feature_names=["age"],
        class_names=["no", "yes"],
        row_dtype=dtype,
        **rest,
    )

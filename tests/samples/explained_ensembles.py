"""Ensembles for tests: small random ones, and scikit-learn's forests as values."""

from __future__ import annotations

from typing import Any

import numpy as np

from cattleya import Ensemble

__all__ = ["drawn", "forest"]


def drawn(rng: np.random.Generator, *, missing: bool = False, sets: bool = False) -> Ensemble:
    """Draw a small ensemble: two or three classes, few thresholds, exact or rough leaves.

    With ``sets``, the first feature has codes, of which nodes test sets; code 4 is in none.
    """
    n_features, n_trees = int(rng.integers(1, 4)), int(rng.integers(2, 6))
    classes = int(rng.choice([2, 2, 3]))
    threshold_decides = classes == 2 and rng.random() < 0.5
    width = 1 if threshold_decides else classes
    left: list[int] = []
    right: list[int] = []
    feature: list[int] = []
    threshold: list[float] = []
    value: list[list[float]] = []
    category_set: list[int] = []
    codes: list[Any] = []
    start = [0]

    def grow(depth: int) -> int:
        node = len(left)
        left.append(-1)
        right.append(-1)
        feature.append(-1)
        threshold.append(0.0)
        category_set.append(-1)
        if depth == 0:
            exact = rng.random() < 0.5
            numbers = rng.integers(-2, 3, width) / 2 if exact else rng.normal(size=width)
            value.append(np.float32(numbers).astype(float).tolist())
            return node
        feature[node] = int(rng.integers(n_features))
        threshold[node] = float(rng.integers(0, 4)) + 0.5
        if sets and feature[node] == 0:
            category_set[node] = len(codes)
            codes.append(np.flatnonzero(rng.random(4) < 0.5))
        left[node] = grow(depth - 1)
        right[node] = grow(int(rng.integers(0, depth)))
        return node

    for _ in range(n_trees):
        grow(int(rng.integers(1, 4)))
        start.append(len(left))
    return Ensemble(
        start,
        left,
        right,
        feature,
        threshold,
        value,
        n_features=n_features,
        feature_names=[f"f{i}" for i in range(n_features)],
        class_names=list("abc"[:classes]),
        missing_left=(rng.random(len(left)) < 0.5) if missing else None,
        category_set=category_set,
        set_start=np.cumsum([0, *map(len, codes)]),
        set_codes=np.concatenate([[], *codes]).astype(int),
        set_left=rng.random(len(codes)) < 0.5 if codes else (),
        base=[0.0] * width,
        sum_dtype=str(rng.choice(["float32", "float64"])),
        decision="threshold" if threshold_decides else "largest",
        row_dtype="float32",
    )


def forest(model: Any, names: list[str] | None = None) -> Ensemble:
    """Return a random forest of scikit-learn as a value."""
    trees = [estimator.tree_ for estimator in model.estimators_]
    start = np.cumsum([0, *(tree.node_count for tree in trees)])
    leaf = [tree.children_left < 0 for tree in trees]

    def shifted(which: str) -> Any:
        parts = zip(trees, leaf, start, strict=False)
        return np.concatenate(
            [np.where(is_leaf, -1, getattr(tree, which) + by) for tree, is_leaf, by in parts]
        ).astype(np.int32)

    def joined(which: str, at_leaves: float) -> Any:
        parts = zip(trees, leaf, strict=True)
        return np.concatenate(
            [np.where(is_leaf, at_leaves, getattr(tree, which)) for tree, is_leaf in parts]
        )

    return Ensemble(
        start.astype(np.int32),
        shifted("children_left"),
        shifted("children_right"),
        joined("feature", -1).astype(np.int32),
        joined("threshold", 0.0),
        np.concatenate([tree.value[own, 0, :] for tree, own in zip(trees, leaf, strict=True)]),
        n_features=model.n_features_in_,
        feature_names=names,
        class_names=model.classes_.tolist(),
        base=[0.0] * len(model.classes_),
        divide_by=float(len(trees)),
        decision="largest",
        row_dtype="float32",
    )

"""Ensembles to test with, and their sums by the definition: row by row, tree by tree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cattleya

__all__ = ["STUMPS", "random_ensemble", "random_rows", "summed"]

_STUMPS: dict[str, Any] = {
    "tree_start": [0, 3, 6],
    "left": [1, -1, -1, 4, -1, -1],
    "right": [2, -1, -1, 5, -1, -1],
    "feature": [0, -1, -1, 1, -1, -1],
    "threshold": [30.5, 0, 0, 9.5, 0, 0],
    "value": [-1.0, 2.0, -0.5, 0.5],
    "n_features": 2,
    "feature_names": ["age", "hours"],
    "class_names": ["low", "high"],
    "decision": "threshold",
    "link": "logistic",
}


def STUMPS(**changes: Any) -> cattleya.Ensemble:  # noqa: N802 - a constant, with changes
    """Two trees of one test each."""
    return cattleya.Ensemble(**(_STUMPS | changes))


def random_ensemble(random: np.random.Generator) -> cattleya.Ensemble:
    """A few small trees, with everything that an ensemble can have."""
    dtype = random.choice(["float32", "float64"])
    n_features = int(random.integers(1, 4))
    outputs = int(random.integers(1, 4))
    shared = random.random() < 0.5
    sets = [np.unique(random.integers(0, 70, random.integers(0, 5))) for _ in range(3)]
    start, nodes = [0], list[Any]()
    for _ in range(random.integers(0, 6)):
        nodes += _nodes(random, len(nodes), n_features, len(sets))
        start.append(len(nodes))
    columns = [list(column) for column in zip(*nodes, strict=True)] or [[], [], [], [], []]
    left, right, feature, threshold, category_set = columns
    n_leaves = sum(child < 0 for child in left)
    width = 1 if shared else outputs
    decision = random.choice(["largest", "value"] + ["threshold"] * (outputs == 1))

    def numbers(*shape: int) -> Any:
        scale = 10.0 ** random.integers(-8, 8)
        return (random.normal(size=shape) * scale).astype(dtype).astype(float)

    return cattleya.Ensemble(
        start,
        left,
        right,
        feature,
        threshold,
        numbers(n_leaves, width),
        n_features,
        class_names={"value": None, "threshold": ["no", "yes"]}.get(decision, range(outputs)),
        missing_left=_missing_left(random, feature, n_features),
        category_set=category_set,
        set_start=np.cumsum([0, *map(len, sets)]),
        set_codes=np.concatenate(sets).astype(int),
        set_left=random.random(len(sets)) < 0.5,
        output_of_tree=random.integers(0, outputs, len(start) - 1, np.int32) if shared else None,
        base=numbers(outputs),
        divide_by=float(random.integers(1, 8)),
        scale=float(random.choice([1.0, 0.5, -3.0])),
        offset=None if random.random() < 0.5 else numbers(outputs),
        sum_dtype=dtype,
        ordered_sum=bool(random.random() < 0.5),
        decision=decision,
        row_dtype=random.choice(["float32", "float64"]),
        takes_infinite=True,
        missing_value=random.choice([math.nan, 0.0]),
    )


def _missing_left(random: np.random.Generator, feature: list[int], n_features: int) -> Any:
    """Draw where missing values go: nowhere, by node, or by feature, as symmetric trees have it."""
    way = random.random()
    if way < 0.3:
        return None
    if way < 0.6:
        return random.random(len(feature)) < 0.5
    return (random.random(n_features + 1) < 0.5)[feature]


def _nodes(random: np.random.Generator, first: int, n_features: int, n_sets: int) -> list[Any]:
    if random.random() < 0.3:
        return _symmetric(random, first, n_features, n_sets)
    nodes: list[Any] = [None]
    open_nodes = [0]
    while open_nodes:
        node = open_nodes.pop(int(random.integers(len(open_nodes))))
        if random.random() < 0.45 or len(nodes) > 20:
            nodes[node] = (-1, -1, -1, 0.0, -1)
            continue
        below = [len(nodes), len(nodes) + 1]
        nodes += [None, None]
        open_nodes += below
        nodes[node] = (first + below[0], first + below[1], *_test(random, n_features, n_sets))
    return nodes


def _test(random: np.random.Generator, n_features: int, n_sets: int) -> tuple[int, float, int]:
    feature = int(random.integers(n_features))
    if random.random() < 0.3:
        return feature, 0.0, int(random.integers(n_sets))
    return feature, float(random.choice([-1.5, 0.1, 1 / 3, 2.0, math.inf, -math.inf])), -1


def _symmetric(random: np.random.Generator, first: int, n_features: int, n_sets: int) -> list[Any]:
    """A tree whose nodes of a level all ask the same."""
    depth = int(random.integers(1, 4))
    tests = [_test(random, n_features, n_sets) for _ in range(depth)]
    nodes: list[Any] = []
    for place in range((1 << depth) - 1):
        below = first + 2 * place + 1
        nodes.append((below, below + 1, *tests[(place + 1).bit_length() - 1]))
    return nodes + [(-1, -1, -1, 0.0, -1)] * (1 << depth)


def random_rows(random: np.random.Generator, ensemble: cattleya.Ensemble) -> Any:
    """Rows with values at and around thresholds, codes, and what is neither."""
    odd = [math.inf, -math.inf, -0.5, 63.0, 64.9, 1e10, -1.0, 0.0, 0.1, np.float32(0.1), 1 / 3]
    if ensemble.missing_left is not None:
        odd.append(math.nan)
    elif not math.isnan(ensemble.missing_value):
        odd.remove(0.0)
    pool = np.array([*odd, *ensemble.threshold, *ensemble.set_codes], dtype=float)
    if ensemble.missing_left is None and not math.isnan(ensemble.missing_value):
        pool = pool[pool != 0]
    return random.choice(pool, size=(12, ensemble.n_features))


def summed(ensemble: cattleya.Ensemble, row: list[float]) -> list[float]:
    """The margins of one row, by the definition."""
    number = np.dtype(ensemble.sum_dtype).type
    total = [number(one) for one in ensemble.base]
    leaves = np.cumsum(ensemble.left < 0) - 1
    for tree, root in enumerate(ensemble.tree_start[:-1].tolist()):
        node = root
        while ensemble.left[node] >= 0:
            node = (ensemble.left if _goes_left(ensemble, node, row) else ensemble.right)[node]
        value = [number(one) for one in ensemble.value[leaves[node]]]
        one_each = ensemble.output_of_tree
        outputs = range(len(total)) if one_each is None else [one_each[tree]]
        for output, one in zip(outputs, value, strict=True):
            total[output] = total[output] + one
    total = [one / number(ensemble.divide_by) for one in total]
    total = [one * number(ensemble.scale) for one in total]
    return [float(one + number(o)) for one, o in zip(total, ensemble.offset, strict=True)]


def _goes_left(ensemble: cattleya.Ensemble, node: int, row: list[float]) -> bool:
    value = float(np.dtype(ensemble.row_dtype).type(row[ensemble.feature[node]]))
    if math.isnan(value) or value == ensemble.missing_value:
        assert ensemble.missing_left is not None
        return bool(ensemble.missing_left[node])
    number = ensemble.category_set[node]
    if number < 0:
        return bool(value <= ensemble.threshold[node])
    codes = ensemble.set_codes[ensemble.set_start[number] : ensemble.set_start[number + 1]]
    known = value >= 0 and math.isfinite(value) and math.trunc(value) in codes.tolist()
    return bool(known == ensemble.set_left[number])

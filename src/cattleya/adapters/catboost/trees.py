"""The trees of CatBoost's JSON export, as the nodes of an ensemble.

In a symmetric tree all nodes of a level ask the same: leaf ``i`` has the answer of level ``k`` in
its bit ``k``. Such a tree becomes a complete binary tree, level by level, so that its leaves stand
in the order of the export. Other trees (``grow_policy`` "Depthwise" and "Lossguide") are nested in
the export, and are read from a stack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cattleya.support.arrays import Floats
from cattleya.support.text import shown

__all__ = ["Nodes", "Split", "nested_trees", "symmetric_trees"]

DEEPEST = 16  # of symmetric trees; CatBoost grows none deeper
MOST_NODES = 1 << 30


@dataclass(frozen=True)
class Split:
    """A question: a column, a border or a set of categories, and where what is missing goes."""

    feature: int
    border: float = 0.0
    category_set: int = -1
    missing_left: bool = True


@dataclass
class Nodes:
    """The arrays of nodes, tree after tree; children are numbers of all nodes."""

    left: list[Any] = field(default_factory=list)
    right: list[Any] = field(default_factory=list)
    feature: list[Any] = field(default_factory=list)
    threshold: list[Any] = field(default_factory=list)
    category_set: list[Any] = field(default_factory=list)
    missing_left: list[Any] = field(default_factory=list)
    value: list[Floats] = field(default_factory=list)
    start: list[int] = field(default_factory=lambda: [0])

    def add(self, count: int, **arrays: Any) -> None:
        """Add the nodes of a tree."""
        for name, array in arrays.items():
            getattr(self, name).append(array)
        self.start.append(self.start[-1] + count)
        if self.start[-1] > MOST_NODES:
            raise ValueError(f"it has more than {MOST_NODES} nodes")

    def arrays(self) -> dict[str, Any]:
        """Return what :class:`cattleya.Ensemble` takes."""
        names = ("left", "right", "feature", "threshold", "category_set", "missing_left", "value")
        joined = {name: np.concatenate(getattr(self, name)) for name in names}
        return {"tree_start": np.array(self.start, dtype=np.int64)} | joined


def symmetric_trees(
    trees: Sequence[Any],
    split: Callable[[Any], Split],
    numbers: Callable[[Any], Floats],
    width: int,
) -> Nodes:
    """Return the nodes of symmetric trees, whose leaves have ``width`` numbers each."""
    nodes = Nodes()
    shapes: dict[int, dict[str, Any]] = {}
    for tree in trees:
        if not isinstance(tree, dict):
            raise ValueError(f"a tree must be an object, not {shown(tree)}")
        said = tree.get("splits") or []
        if not isinstance(said, list) or len(said) > DEEPEST:
            raise ValueError(f"a tree must have a list of at most {DEEPEST} splits")
        levels = [split(one) for one in said]
        depth, value = len(levels), numbers(tree.get("leaf_values"))
        if len(value) != width << depth:
            raise ValueError(
                f"a tree of {depth} splits has {len(value)} leaf_values, not {width << depth}"
            )
        shape = shapes.get(depth)
        if shape is None:
            shape = shapes[depth] = _complete(depth)
        level, first = shape["level"], nodes.start[-1]
        nodes.add(
            len(level),
            left=np.where(shape["left"] < 0, -1, shape["left"] + first),
            right=np.where(shape["right"] < 0, -1, shape["right"] + first),
            feature=np.array([*(s.feature for s in levels), -1])[level],
            threshold=np.array([*(s.border for s in levels), 0.0])[level],
            category_set=np.array([*(s.category_set for s in levels), -1])[level],
            missing_left=np.array([*(s.missing_left for s in levels), False])[level],
            value=value.reshape(-1, width),
        )
    return nodes


def _complete(depth: int) -> dict[str, Any]:
    """Return the shape of a symmetric tree; ``level``: that of each node, in order of levels."""
    level = np.repeat(np.arange(depth + 1), 1 << np.arange(depth + 1))
    path = np.arange(len(level)) - ((1 << level) - 1)
    below = (1 << (level + 1)) - 1
    inner = level < depth
    left = np.where(inner, below + path, -1)
    return {"level": level, "left": left, "right": np.where(inner, left + (1 << level), -1)}


def nested_trees(
    trees: Sequence[Any],
    split: Callable[[Any], Split],
    numbers: Callable[[Any], Floats],
    width: int,
) -> Nodes:
    """Return the nodes of trees of any shape, in the order of their first visit."""
    nodes = Nodes()
    for tree in trees:
        first = nodes.start[-1]
        lines: list[list[Any]] = []
        values: list[Floats] = []
        stack: list[tuple[Any, int, int]] = [(tree, -1, 0)]
        while stack:
            node, parent, side = stack.pop()
            if not isinstance(node, dict):
                raise ValueError(f"a node must be an object, not {shown(node)}")
            place = len(lines)
            if parent >= 0:
                lines[parent][side] = first + place
            if "value" in node:
                given = node["value"]
                values.append(numbers(given if isinstance(given, list) else [given]))
                lines.append([-1, -1, -1, 0.0, -1, False])
                if len(values[-1]) != width:
                    raise ValueError(f"a leaf has {len(values[-1])} numbers, not {width}")
                continue
            s = split(node.get("split"))
            lines.append([-1, -1, s.feature, s.border, s.category_set, s.missing_left])
            stack += [(node.get("right"), place, 1), (node.get("left"), place, 0)]
        columns = [np.array(column) for column in zip(*lines, strict=True)]
        names = ("left", "right", "feature", "threshold", "category_set", "missing_left")
        nodes.add(len(lines), **dict(zip(names, columns, strict=True)), value=np.array(values))
    return nodes

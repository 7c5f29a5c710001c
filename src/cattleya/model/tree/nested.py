"""Boolean trees from nested tuples, as one writes them by hand."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from cattleya.model.tree.checks import check_labels, check_names
from cattleya.support.text import shown

__all__ = ["arrays_from_nested"]

NODE_LENGTH = 3


def arrays_from_nested(
    nested: Any,
    feature_names: Sequence[str] | None,
    class_names: Sequence[Hashable] | None,
) -> dict[str, Any]:
    """Return the arguments of ``Tree`` for ``(name, subtree if 0, subtree if 1)``.

    Walks with a stack of its own, so that depth has no limit.
    """
    features: dict[str, int] = {}
    if feature_names is not None:
        feature_names = check_names(feature_names)
        features = {name: number for number, name in enumerate(feature_names)}
    left: list[int] = []
    right: list[int] = []
    feature: list[int] = []
    leaves: list[tuple[int, Hashable]] = []

    # Entries: a subtree, and the list and place where its node number is to be written.
    root = [-1]
    open_: list[tuple[Any, list[int], int]] = [(nested, root, 0)]
    while open_:
        subtree, numbers, place = open_.pop()
        node = numbers[place] = len(left)
        left.append(-1)
        right.append(-1)
        if not isinstance(subtree, tuple):
            feature.append(-1)
            leaves.append((node, _checked_label(subtree, node)))
            continue
        if len(subtree) != NODE_LENGTH:
            raise ValueError(
                f"a node is (name, subtree if 0, subtree if 1), but node {node} has "
                f"{len(subtree)} entries"
            )
        name, low, high = subtree
        if not isinstance(name, str):
            raise TypeError(
                f"node {node} must start with the name of a variable, not {shown(name)}"
            )
        if name not in features:
            if feature_names is not None:
                raise ValueError(
                    f"node {node} tests {shown(name)}, which is not in feature_names "
                    f"{shown(tuple(features))}"
                )
            features[name] = len(features)
        feature.append(features[name])
        open_.append((high, right, node))
        open_.append((low, left, node))

    classes = _distinct(leaves) if class_names is None else check_labels(class_names)
    number_of = {label: number for number, label in enumerate(classes)}
    leaf_class = [-1] * len(left)
    for node, label in leaves:
        if label not in number_of:
            raise ValueError(
                f"leaf {node} is {shown(label)}, which is not in class_names {shown(classes)}"
            )
        leaf_class[node] = number_of[label]
    return {
        "left": left,
        "right": right,
        "feature": feature,
        "threshold": [0.5] * len(left),
        "leaf_class": leaf_class,
        "n_features": len(features) if feature_names is None else len(feature_names),
        "feature_names": list(features) if feature_names is None else feature_names,
        "class_names": classes,
        "boolean": range(len(features)),
    }


def _checked_label(label: Any, node: int) -> Hashable:
    # A list is a node whose brackets were mistyped, not a class.
    if label is None or isinstance(label, (list, dict, set)):
        raise TypeError(
            f"node {node} is {shown(label)}: a node is a tuple (name, subtree if 0, subtree if 1), "
            f"a leaf is a label such as 0, 1 or 'yes'"
        )
    try:
        hash(label)
    except TypeError:
        raise TypeError(
            f"leaf {node} is {shown(label)}, which cannot be a label; give text or a number"
        ) from None
    return label  # type: ignore[no-any-return]  # hash() has taken it


def _distinct(leaves: list[tuple[int, Hashable]]) -> tuple[Hashable, ...]:
    labels = tuple(dict.fromkeys(label for _, label in leaves))
    try:
        return tuple(sorted(labels))  # type: ignore[type-var]  # or they are refused here
    except TypeError:
        return labels

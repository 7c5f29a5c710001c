"""Which outcome each leaf has, decided by the proof itself from the numbers of the model.

The search takes its labels from the targets (:mod:`cattleya.model.tree.target`), which compare
whole arrays. Here every distinct number is taken by itself, and its exact value is compared with
that of the threshold: two floating point numbers are two fractions. Where the model's numbers have
32 bits, the threshold is first rounded to 32, as numpy does.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from cattleya.model.tree.classes import Classes
from cattleya.model.tree.target import Probability, Target, Value
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Floats, Int32s

__all__ = ["Judge"]

INSIDE, OUTSIDE = 1, 0


class Judge:
    """A tree of a model and what is explained of it.

    Parameters
    ----------
    tree : Tree
        As the model predicts, its leaves not labelled yet.
    target : Target
        What is explained.
    classes : Classes
        The classes of the model.
    """

    def __init__(self, tree: Tree, target: Target, classes: Classes) -> None:
        self._tree, self._target, self._classes = tree, target, classes
        self._made: tuple[Any, Tree] | None = None

    def tree_for(self, row: Floats) -> Tree:
        """Return the tree with the outcomes that its leaves have for a row."""
        tree, numbers = self._tree, self._numbers()
        if numbers is None:
            return tree
        own = None
        if isinstance(self._target, Value) and self._target.within is not None:
            own = numbers[int(tree.apply(row[None, :])[0])]
        made = self._made  # of the last row: other threads may ask about other rows
        if made is None or made[0] != own:
            made = self._made = own, tree.relabelled(self._labels(numbers, own), self._names())
        return made[1]

    def _numbers(self) -> Any:
        """Return the numbers that decide; None where the class of a leaf does."""
        target, tree = self._target, self._tree
        if isinstance(target, Probability):
            assert tree.leaf_probability is not None  # else the target was refused
            known: tuple[Any, ...] = self._classes.labels
            known = known if target.label in known else self._classes.names
            return tree.leaf_probability[:, known.index(target.label)]
        return tree.leaf_value

    def _names(self) -> tuple[Any, ...]:
        bounded = isinstance(self._target, (Probability, Value))
        return (OUTSIDE, INSIDE) if bounded else self._tree.class_names

    def _labels(self, numbers: Any, own: Any) -> Int32s:
        """Return the outcome of each leaf, by its place; a number that comes again, once."""
        decide = self._decision(numbers.dtype.type, own)
        found: dict[Any, int] = {}
        labels = np.full(len(numbers), -1, dtype=np.int32)
        for leaf in np.flatnonzero(self._tree.left < 0).tolist():
            number = numbers[leaf]
            if number not in found:
                found[number] = decide(number)
            labels[leaf] = found[number]
        return labels

    def _decision(self, cast: Any, own: Any) -> Callable[[Any], int]:
        """Return what tells the outcome of a number."""
        target = self._target
        if not isinstance(target, (Probability, Value)):
            places = {Fraction(float(n)): i for i, n in enumerate(self._tree.class_names)}  # type: ignore[arg-type]  # numbers
            return lambda number: places[Fraction(float(number))]
        if target.at_least is not None:
            least = _exact(cast, target.at_least)
            return lambda number: int(float(number) >= least)
        if target.below is not None:
            limit = _exact(cast, target.below)
            return lambda number: int(float(number) < limit)
        assert isinstance(target, Value)
        if target.between is not None:
            low, high = (_exact(cast, end) for end in target.between)
            return lambda number: int(low <= float(number) <= high)
        assert target.within is not None
        far = _exact(cast, target.within)
        return lambda number: int(_distance(number, own) <= far)


def _distance(one: Any, other: Any) -> float:
    """Return how far two of the model's numbers are apart, rounded as they are."""
    with np.errstate(over="ignore"):
        return float(max(one, other) - min(one, other))


def _exact(cast: Any, threshold: float) -> Fraction | float:
    """Return a threshold as the model's numbers meet it; infinite where 32 bits are too few."""
    with np.errstate(over="ignore"):
        rounded = float(cast(threshold))
    return rounded if np.isinf(rounded) else Fraction(rounded)

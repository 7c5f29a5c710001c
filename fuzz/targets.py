"""Numbers for the leaves of a drawn tree, and a target for which they give the drawn classes.

The brute force knows classes only. So the numbers are chosen to fit: of many that hurt (equal to a
threshold, its neighbours in 32 and 64 bits, zeros of both signs, the ends of the range), those that
the definition puts on the side of the leaf's class. The definition is written out again here.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import cattleya
from fuzz.drawing import Drawn

__all__ = ["KINDS", "Targeted", "targeted"]

Inside = Callable[[Any], bool]  # of a number, in its own type
KINDS = ("class", "number", "at_least", "below", "between", "within", "likely", "unlikely")
THRESHOLDS = (0.3, 0.1 + 0.2, 0.5, 0.0, 100000.0, -2.5, 1 / 3, 16777217.0, 1e-40, 1e300)
CHANCES = (0.3, 0.1 + 0.2, 0.5, 0.0, 1.0, 1 / 3, 1e-40)
LARGEST = 1e38  # differences of two such numbers are finite in 32 bits


@dataclass(frozen=True)
class Targeted:
    """A tree with numbers, what is explained of it, and what it predicts at each leaf."""

    tree: cattleya.Tree
    target: Any
    predictions: list[Any]


def targeted(drawn: Drawn, kind: str, seed: int) -> Targeted:
    """Return a tree whose outcomes are the drawn classes, where that can be had; else the tree."""
    rng = random.Random(f"{kind} {seed}")
    plain = Targeted(drawn.tree(), None, list(drawn.leaf_class))
    if kind == "class":
        return plain
    dtype = np.dtype(rng.choice(("float64", "float64", "float32")))
    if kind == "number":
        return _numbers(drawn, rng, dtype)
    if drawn.n_classes > 2:
        return plain
    if kind in ("likely", "unlikely"):
        return _probabilities(drawn, rng, dtype, kind)
    return _values(drawn, rng, dtype, kind) or plain


def _numbers(drawn: Drawn, rng: random.Random, dtype: np.dtype[Any]) -> Targeted:
    """Return numbers that differ where the classes do, some of them by one bit only."""
    values = {
        0.0,
        -1.5,
        dtype.type(1e30),
        dtype.type(0.1),
        *_near(dtype.type(0.3)),
        *_near(dtype.type(2.0)),
    }
    chosen = sorted(rng.sample(sorted(map(float, values)), drawn.n_classes))
    # The library numbers those that a leaf has.
    used = sorted({label for label in drawn.leaf_class if label >= 0})
    numbers = [chosen[used.index(label)] if label >= 0 else 0.0 for label in drawn.leaf_class]
    return Targeted(_with_values(drawn, numbers, dtype), None, numbers)


def _values(drawn: Drawn, rng: random.Random, dtype: np.dtype[Any], kind: str) -> Targeted | None:
    cast = dtype.type
    threshold = rng.choice(THRESHOLDS)
    own = None
    if kind == "at_least":
        target, inside = cattleya.Value(at_least=threshold), _at_least(dtype, threshold)
    elif kind == "below":
        target, inside = cattleya.Value(below=threshold), _not(_at_least(dtype, threshold))
    elif kind == "between":
        low, high = sorted((threshold, rng.choice(THRESHOLDS)))
        target, inside = cattleya.Value(between=(low, high)), _between(dtype, low, high)
    else:
        own, far = cast(rng.choice((0.1, 100.0, -7.25))), rng.choice((0.0, 0.2, 5.0, 0.1 + 0.2))
        target, inside = cattleya.Value(within=far), lambda n: bool(np.abs(n - own) <= cast(far))
        if drawn.walk(drawn.row)[0] != 1:
            return None  # a row is always within reach of itself
    pool = _pool(rng, dtype, [threshold, *target.bound.numbers, own or 0.0])
    if own is not None:
        pool += [own + cast(step) for step in (0.2, -0.2, 5.0, -5.0, 5.01, 0.1 + 0.2)]
    numbers = _fitting(drawn, rng, pool, inside)
    if numbers is None:
        return None
    if own is not None:
        numbers[drawn.leaf(drawn.row)] = float(own)
    return Targeted(_with_values(drawn, numbers, dtype), target, numbers)


def _probabilities(drawn: Drawn, rng: random.Random, dtype: np.dtype[Any], kind: str) -> Targeted:
    """Return probabilities of one of three classes; what is predicted has nothing to do with it."""
    threshold = rng.choice(CHANCES)
    inside = _at_least(dtype, threshold)
    target = cattleya.Probability("b", at_least=threshold)
    if kind == "unlikely":
        target, inside = cattleya.Probability("b", below=threshold), _not(inside)
    pool = [n for n in _pool(rng, dtype, [threshold, 0.0, 1.0, 0.25]) if 0 <= n <= 1]
    numbers = _fitting(drawn, rng, pool, inside)
    if numbers is None:
        return Targeted(drawn.tree(), None, list(drawn.leaf_class))
    labels = [rng.randrange(3) if label >= 0 else -1 for label in drawn.leaf_class]
    rows = [[rng.random(), number, rng.random()] for number in numbers]
    arguments = drawn.tree().arguments() | {
        "leaf_class": labels,
        "class_names": ("a", "b", "c"),
        "leaf_probability": np.array(rows, dtype=dtype),
    }
    return Targeted(cattleya.Tree(**arguments), target, [("a", "b", "c")[i] for i in labels])


def _with_values(drawn: Drawn, numbers: list[float], dtype: np.dtype[Any]) -> cattleya.Tree:
    values = np.array(numbers, dtype=dtype)
    arguments = drawn.tree().arguments()
    return cattleya.Tree(
        **arguments | {"leaf_class": None, "class_names": None, "leaf_value": values}
    )


def _fitting(
    drawn: Drawn, rng: random.Random, pool: list[Any], inside: Inside
) -> list[float] | None:
    """Return a number for each node, of the right side at leaves; None where a side has none."""
    sides = [n for n in pool if not inside(n)], [n for n in pool if inside(n)]
    if not all(sides[label] for label in drawn.leaf_class if label >= 0):
        return None
    return [float(rng.choice(sides[label])) if label >= 0 else 0.0 for label in drawn.leaf_class]


def _pool(rng: random.Random, dtype: np.dtype[Any], around: list[Any]) -> list[Any]:
    """Return numbers of a type: those around thresholds, and some far away."""
    found = [dtype.type(n) for n in (0.0, -0.0, 1.0, -1.0, LARGEST, -LARGEST, rng.uniform(-9, 9))]
    for number in around:
        if abs(number) <= LARGEST:
            found += _near(dtype.type(number))
    return found


def _near(number: Any) -> list[Any]:
    """Return a number and its neighbours of the same type."""
    cast = type(number)
    with np.errstate(under="ignore"):
        return [number, *(np.nextafter(number, cast(end)) for end in (-math.inf, math.inf))]


def _at_least(dtype: np.dtype[Any], threshold: float) -> Inside:
    limit = _rounded(dtype, threshold)
    return lambda number: float(number) >= limit


def _between(dtype: np.dtype[Any], low: float, high: float) -> Inside:
    ends = _rounded(dtype, low), _rounded(dtype, high)
    return lambda number: ends[0] <= float(number) <= ends[1]


def _not(inside: Inside) -> Inside:
    return lambda number: not inside(number)


def _rounded(dtype: np.dtype[Any], threshold: float) -> float:
    with np.errstate(over="ignore", under="ignore"):
        return float(dtype.type(threshold))

"""Trees of boosting libraries on their way into the arrays of an ensemble."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya.support.arrays import Bools, Int32s

__all__ = ["Sets", "first_at_least", "reachable"]


class Sets:
    """The sets of categories that nodes test; equal sets are held once."""

    def __init__(self, n_nodes: int, *, set_left: bool) -> None:
        self.of_node = np.full(n_nodes, -1, dtype=np.int32)
        self._numbers: dict[bytes, int] = {}
        self._codes: list[Int32s] = []
        self._left = set_left

    def put(self, node: int, codes: Int32s) -> None:
        """Have a node test a set, given as ascending codes."""
        if len(codes) and codes[0] < 0:
            raise ValueError(f"a set of categories has the code {codes[0]}; codes are 0, 1, 2 ...")
        number = self._numbers.setdefault(codes.tobytes(), len(self._codes))
        if number == len(self._codes):
            self._codes.append(codes)
        self.of_node[node] = number

    def arrays(self) -> dict[str, Any]:
        """Return what :class:`cattleya.Ensemble` takes."""
        return {
            "set_start": np.cumsum([0, *map(len, self._codes)]),
            "set_codes": np.concatenate([np.empty(0, dtype=np.int32), *self._codes]),
            "set_left": np.full(len(self._codes), self._left),
        }


def reachable(start: Int32s, left: Int32s, right: Int32s) -> Bools:
    """Tell which nodes a path from the root of a tree leads to.

    Examples
    --------
    >>> whole = np.array([0, 4]), np.array([2, -1, -1, -1]), np.array([3, -1, -1, -1])
    >>> reachable(*whole)
    array([ True, False,  True,  True])
    """
    found = np.zeros(len(left), dtype=np.bool_)
    level = np.asarray(start[:-1])
    while level.size:
        if found[level].any():
            raise ValueError("a node has two parents")
        found[level] = True
        inner = level[left[level] >= 0]
        level = np.concatenate((left[inner], right[inner]))
        if len(np.unique(level)) != len(level):
            raise ValueError("a node has two parents")
    return found


def first_at_least(
    holds: Callable[[Any], npt.NDArray[np.bool_]], dtype: type[np.floating[Any]]
) -> float:
    """Return the smallest number of a type at which something holds that holds above it, too.

    Numbers of one sign are in the order of their bits, which makes it at most 64 steps.
    """
    bits = np.dtype(dtype).itemsize * 8
    whole = np.dtype(f"i{bits // 8}")

    def number(place: int) -> Any:
        size = np.array([abs(place)], dtype=whole).view(dtype)
        return np.copysign(size, dtype(place))

    last = int(np.array([np.finfo(dtype).max], dtype=dtype).view(whole)[0])
    low, high = -last, last
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if bool(holds(number(middle))[0]) else (middle + 1, high)
    return float(number(high)[0])

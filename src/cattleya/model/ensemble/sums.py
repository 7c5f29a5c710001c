"""The sums of an ensemble: the way of each row through each tree, and what its leaf adds."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya.model.ensemble.parts import Summed
from cattleya.support.arrays import Bools, Floats, Int32s, Places

__all__ = ["sums"]


def sums(ensemble: Summed, matrix: Floats) -> npt.NDArray[np.floating[Any]]:
    """Return one line per row of numbers, one column per output, in the ensemble's own type."""
    grid = np.dtype(ensemble.sum_dtype)
    total = np.repeat(ensemble.base.astype(grid)[None, :], len(matrix), axis=0)
    numbers, outputs = ensemble.value.astype(grid), ensemble.output_of_tree
    leaf_of_node = np.cumsum(ensemble.left < 0) - 1
    for tree, root in enumerate(ensemble.tree_start[:-1]):
        added = numbers[leaf_of_node[_leaves(ensemble, matrix, root)]]
        if outputs is None:
            total += added
        else:
            total[:, outputs[tree]] += added[:, 0]
    if ensemble.divide_by != 1:
        total /= grid.type(ensemble.divide_by)
    if ensemble.scale != 1:
        total *= grid.type(ensemble.scale)
    if ensemble.offset.any():
        total += ensemble.offset.astype(grid)
    return total


def _leaves(ensemble: Summed, matrix: Floats, root: int) -> Places:
    at = np.full(len(matrix), root, dtype=np.intp)
    moving = np.flatnonzero(ensemble.left[at] >= 0)
    while moving.size:
        node = at[moving]
        value = matrix[moving, ensemble.feature[node]]
        goes_left = value <= ensemble.threshold[node]
        sets = ensemble.category_set[node]
        for place in np.flatnonzero(sets >= 0):
            goes_left[place] = _in_set(ensemble, sets[place], value[place])
        if ensemble.missing_left is not None:
            goes_left = np.where(np.isnan(value), ensemble.missing_left[node], goes_left)
        at[moving] = np.where(goes_left, ensemble.left[node], ensemble.right[node])
        moving = moving[ensemble.left[at[moving]] >= 0]
    return at


def _in_set(ensemble: Summed, number: int, value: float) -> bool:
    codes: Int32s = ensemble.set_codes[ensemble.set_start[number] : ensemble.set_start[number + 1]]
    found: Bools = (codes == np.trunc(value)) & (value >= 0)
    return bool(found.any()) == bool(ensemble.set_left[number])

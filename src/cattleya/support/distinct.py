"""Which rows of a table are equal."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cattleya.support.arrays import Places

__all__ = ["distinct"]


def distinct(table: npt.NDArray[np.generic]) -> tuple[Places, Places]:
    """Return the first row of each kind, in order, and the kind of each row."""
    if len(table) == 0 or table.shape[1] == 0:
        return np.zeros(min(len(table), 1), dtype=np.intp), np.zeros(len(table), dtype=np.intp)
    if table.dtype.kind == "f":
        numbers = table.astype(np.float64) + 0.0  # which makes -0.0 zero
        table = np.where(np.isnan(numbers), np.nan, numbers)  # one NaN only
    raw = np.ascontiguousarray(table)
    keys = raw.view(np.dtype((np.void, raw.dtype.itemsize * raw.shape[1]))).ravel()
    _, first, same = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[same]

"""The sums of an ensemble, by the native core."""

from __future__ import annotations

import numpy as np

from cattleya._core import Sums
from cattleya.model.ensemble.parts import Summed
from cattleya.support.arrays import Bytes

__all__ = ["made_ready"]


def made_ready(ensemble: Summed) -> Sums:
    """Return the trees of an ensemble packed for walking."""
    none: Bytes = np.zeros(len(ensemble.left), dtype=np.uint8)
    one_each, missing = ensemble.output_of_tree, ensemble.missing_left
    return Sums(
        ensemble.tree_start,
        ensemble.left,
        ensemble.right,
        ensemble.feature,
        ensemble.threshold,
        none if missing is None else missing.view(np.uint8),
        ensemble.category_set,
        ensemble.set_start,
        ensemble.set_codes,
        ensemble.set_left.view(np.uint8),
        ensemble.value.reshape(-1),
        np.empty(0, dtype=np.int32) if one_each is None else one_each,
        ensemble.base,
        ensemble.offset,
        ensemble.divide_by,
        ensemble.scale,
        ensemble.sum_dtype == "float32",
        ensemble.n_features,
    )

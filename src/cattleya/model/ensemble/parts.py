"""The parts of an ensemble that its sums are made of."""

from __future__ import annotations

from typing import Protocol

from cattleya.support.arrays import Bools, Floats, Int32s

__all__ = ["Summed"]


class Summed(Protocol):
    """What :class:`cattleya.Ensemble` has; its parameters say what each of them is."""

    tree_start: Int32s
    left: Int32s
    right: Int32s
    feature: Int32s
    threshold: Floats
    missing_left: Bools | None
    category_set: Int32s
    set_start: Int32s
    set_codes: Int32s
    set_left: Bools
    value: Floats
    output_of_tree: Int32s | None
    base: Floats
    divide_by: float
    scale: float
    offset: Floats
    sum_dtype: str
    ordered_sum: bool
    link: str
    link_scale: float
    by_probability: bool
    n_features: int

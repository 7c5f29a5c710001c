"""How far a sum in some other order may be from ours.

Adding n numbers in any order errs by at most (n - 1) u / (1 - (n - 1) u) times the sum of their
sizes, where u is the unit roundoff (Higham, Accuracy and Stability of Numerical Algorithms, 4.2).
Two orders differ by at most twice that. A division, a product and an addition round once each.
Where every partial sum is a number that the type has, no order rounds at all: leaves of fully grown
trees are 0 and 1.
"""

from __future__ import annotations

import numpy as np

from cattleya.model.ensemble.parts import Summed
from cattleya.support.arrays import Floats

__all__ = ["rounding_bound"]


def rounding_bound(ensemble: Summed) -> Floats:
    """Return a bound per output on the distance between the library's margin and ours."""
    n_trees, largest = len(ensemble.tree_start) - 1, _largest_sums(ensemble)
    unit = float(np.finfo(ensemble.sum_dtype).eps) / 2
    none = _tie(ensemble, largest, unit)
    if ensemble.ordered_sum or n_trees + ensemble.base.any() <= 1:
        return none
    if _never_rounds(ensemble, float(largest.max())):
        return none
    terms = (n_trees + 2) * unit
    slack = 2.0 * terms / (1.0 - terms) * largest / abs(ensemble.divide_by)
    size = largest / abs(ensemble.divide_by)
    slack = slack * abs(ensemble.scale) + np.abs(ensemble.offset) * unit * 2
    # Of both margins, the roundings after the sum; and room for those of this computation.
    return np.asarray((slack + 6 * unit * size * abs(ensemble.scale)) * (1 + 1e-9) + none)


def _tie(ensemble: Summed, largest: Floats, unit: float) -> Floats:
    """Return half the distance at which sums surely have different probabilities.

    A softmax takes the exponentials of the distances to the largest sum: each of them, and each
    quotient, errs by at most a unit in the last place. The logistic function flattens out: its
    slope at x is at least exp(-|x|) / 4.
    """
    tie = np.zeros(len(ensemble.base))
    if ensemble.by_probability:
        size = largest * abs(ensemble.scale / ensemble.divide_by) + np.abs(ensemble.offset)
        flat = 1.0 if "softmax" in ensemble.link else 4 * np.exp(size * ensemble.link_scale)
        tie += 4 * unit * flat / ensemble.link_scale
    return np.asarray(tie)


def _largest_sums(ensemble: Summed) -> Floats:
    """Return for each output the sum of the largest sizes that each tree can add."""
    if not len(ensemble.value):
        return np.abs(ensemble.base)
    leaves = np.flatnonzero(ensemble.left < 0)
    first = np.searchsorted(leaves, ensemble.tree_start[:-1])
    largest = np.maximum.reduceat(np.abs(ensemble.value), first, axis=0)
    if ensemble.output_of_tree is None:
        return np.asarray(largest.sum(axis=0) + np.abs(ensemble.base))
    sums = np.bincount(ensemble.output_of_tree, largest[:, 0], minlength=len(ensemble.base))
    return np.asarray(sums + np.abs(ensemble.base))


def _never_rounds(ensemble: Summed, largest: float) -> bool:
    """Tell whether all leaves are multiples of a power of two that no sum is too large for."""
    bits = int(np.finfo(ensemble.sum_dtype).nmant) + 1
    unit = 2.0 ** (np.ceil(np.log2(max(largest, 2.0**-900))) + 1 - bits)
    with np.errstate(over="ignore", invalid="ignore"):
        return all(
            bool((np.rint(numbers / unit) * unit == numbers).all())
            for numbers in (ensemble.value, ensemble.base)
        )

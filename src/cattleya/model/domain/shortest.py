"""Numbers with few digits that mean the same to a model: for words, never for comparisons.

A test ``x <= 0.800000011920929`` of single precision is the test ``x <= 0.8``: what a model sees of
0.8 is the threshold. So a threshold is written as the shortest number which the model sees as the
last value that goes left. Whoever types it into a row comes to the same side, and a value is on the
left exactly where the model sees it as at most what it sees this number as.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext

import numpy as np
import numpy.typing as npt

from cattleya.support.arrays import Bools, Floats

__all__ = ["alike_when_cast", "inside", "shortest_same"]

MOST_DECIMALS = 20
MIDWAY = 5  # the last digit of the mean of two neighbours
NEXT_TO_ZERO = 1e-44  # 32 bits have few numbers below, and zero is a usual threshold
PRECISION = 800  # digits: any double can be written out in full


def shortest_same(threshold: float, dtype: str) -> float:
    """Return the shortest number that is the same threshold to a model that casts rows to a type.

    >>> shortest_same(0.800000011920929, "float32"), shortest_same(0.800000011920929, "float64")
    (0.8, 0.800000011920929)
    >>> shortest_same(2.449999988079071, "float32"), shortest_same(30.5, "float32")
    (2.4499998, 30.5)
    """
    if dtype == "float64" or not math.isfinite(threshold):
        return threshold
    kind = np.dtype(dtype).type
    with np.errstate(over="ignore", under="ignore"):
        last = kind(threshold)
        if float(last) > threshold:  # as doubles: a float would be cast
            last = np.nextafter(last, kind(-np.inf))
        short = float(str(last))
        same = math.isfinite(short) and kind(short) == last
    return short + 0.0 if same else threshold


def alike_when_cast(column: npt.NDArray[np.integer], threshold: Floats, dtype: str) -> Bools:
    """Tell which of some tests read as another one when their thresholds have few digits.

    Those of one column are beside each other, and in order. The paper takes two tests with
    different thresholds for two variables, also where no value of the type is between them.

    >>> alike_when_cast(np.array([0, 0, 1]), np.array([0.8, 0.8 + 1e-9, 0.8]), "float32").tolist()
    [True, True, False]
    """
    alike = np.zeros(len(threshold), dtype=np.bool_)
    if dtype != "float64" and len(threshold):
        with np.errstate(over="ignore", under="ignore"):
            near = threshold.astype(dtype)
            last = np.where(near.astype(np.float64) > threshold, np.nextafter(near, -np.inf), near)
        same = (last[1:] == last[:-1]) & (column[1:] == column[:-1])
        same &= threshold[1:] != threshold[:-1]
        alike[1:] |= same
        alike[:-1] |= same
    return alike


def inside(first: float, last: float, aim: float, decimals: int = 0) -> float:
    """Return a number from first to last that is near to another, with few decimals.

    The number itself where it is among them. Otherwise the end on its side, rounded inwards to as
    few decimals as leave it inside, but to no fewer than asked for, nor than the numbers have among
    which the end seems to be a threshold: 2 would not do for "above 1.75" where 1.8 is nearer.

    >>> inside(44.50000381, math.inf, 40.0), inside(-math.inf, 44.49999998586, 45.0)
    (45.0, 44.0)
    >>> inside(1.7500001, math.inf, 1.0), inside(-math.inf, 0.800000011920929, 1.0)
    (1.8, 0.8)
    >>> inside(2.4500002, 2.8, 1.5, decimals=1), inside(2.41, 2.43, 1.5)
    (2.5, 2.42)
    """
    if first <= aim <= last:
        return aim
    up = aim < first
    end = first if up else last
    if not math.isfinite(end):
        return end
    with localcontext() as context:
        context.prec = PRECISION
        exact = Decimal(end)
        for places in range(max(decimals, _decimals_beside(end)), MOST_DECIMALS):
            unit = Decimal(1).scaleb(-places)
            short = float(exact.quantize(unit, rounding=ROUND_CEILING if up else ROUND_FLOOR))
            if first <= short <= last:
                return short + 0.0
    return end


def _decimals_beside(threshold: float) -> int:
    """Return how many decimals the values beside a threshold seem to have.

    Learners put thresholds midway between two values: one that ends in 5 is between values with one
    decimal less. Further digits than six are those of the type.

    >>> [_decimals_beside(end) for end in (44.5, 1.7500001, 0.800000011920929, 2.1149998, 1e30)]
    [0, 1, 1, 2, 0]

    The number next to zero says nothing of that.

    >>> _decimals_beside(5e-324)
    0
    """
    if abs(threshold) < NEXT_TO_ZERO:
        return 0
    digits, exponent = Decimal(f"{threshold:.6g}").normalize().as_tuple()[1:]
    decimals = max(-int(exponent), 0)
    return decimals - 1 if decimals and digits[-1] == MIDWAY else decimals

"""The arithmetic between a user's number and the tree's, and its exact inverse.

A scaler computes in 64 bits, and the tree then looks at 32: which numbers of the user's come to the
left of a threshold cannot be had by undoing the arithmetic, which rounds. But every step is
monotone, rounding included, so the numbers that go left are those up to a last one. Undoing the
arithmetic says about where that is; from there it is found by bisection over the doubles.
"""

from __future__ import annotations

import numpy as np

from cattleya.support.arrays import Floats, Int64s

__all__ = [
    "Floats",
    "Steps",
    "backward",
    "cast",
    "forward",
    "last_left",
    "neighbour",
    "shortest_between",
]

Keys = Int64s
Steps = tuple[tuple[str, float], ...]

_DIGITS = 17  # enough for any double


def cast(values: Floats, dtype: str) -> Floats:
    """Return the values as a tree sees them that casts its rows to ``dtype``."""
    with np.errstate(over="ignore", under="ignore"):  # too large is infinite
        return np.asarray(values.astype(dtype).astype(np.float64) + 0.0)  # -0.0 is 0.0


def forward(values: Floats, steps: Steps) -> Floats:
    """Return what the steps make of the values, in 64 bits."""
    with np.errstate(over="ignore", under="ignore"):
        for operation, by in steps:
            if operation == "add":
                values = values + by
            elif operation == "multiply":
                values = values * by
            elif operation == "divide":
                values = values / by
            elif operation == "at least":
                values = np.maximum(values, by)
            elif operation == "at most":
                values = np.minimum(values, by)
            else:
                raise ValueError(f"unknown step {operation!r}")
    return values


def neighbour(values: Floats, toward: float, dtype: str = "float64") -> Floats:
    """Return the numbers of the type next to these in one direction."""
    with np.errstate(over="ignore", under="ignore"):
        narrow = values.astype(dtype)
        beside = np.nextafter(narrow, narrow.dtype.type(toward))
        return np.asarray(beside + 0.0, dtype=np.float64)  # after -5e-324 comes -0.0


def _largest_cast(thresholds: Floats, dtype: str) -> Floats:
    """Return the largest finite number of the type that is at most each threshold, or -inf."""
    most = float(np.finfo(dtype).max)
    below = np.minimum(thresholds, most)
    if dtype == "float64":
        return below
    near = cast(below, dtype)
    return np.where(near > below, neighbour(near, -np.inf, dtype), near)


def last_left(thresholds: Floats, steps: Steps, dtype: str) -> Floats:
    """Return the largest double that the steps and the cast bring to at most each threshold.

    It is -inf where there is none.
    """
    limits = _last_cast_to(_largest_cast(thresholds, dtype), dtype)
    if not steps:
        return limits
    left, right = _around(limits, steps)
    while (right - left > 1).any():
        middle = left + (right - left) // 2
        goes_left = forward(_doubles(middle), steps) <= limits
        left, right = np.where(goes_left, middle, left), np.where(goes_left, right, middle)
    return _doubles(left)


def _around(limits: Floats, steps: Steps) -> tuple[Keys, Keys]:
    """Return a double that goes left, or -inf, and one that does not, or inf, as near as found."""
    guess = _keys(np.nan_to_num(backward(limits, steps)))
    least, most = (int(_keys(np.asarray(end))) for end in (-np.inf, np.inf))
    for reach in (1 << power for power in range(2, 62, 6)):
        left = np.maximum(guess, least + reach) - reach
        right = np.minimum(guess, most - reach) + reach
        found = (left == least) | (forward(_doubles(left), steps) <= limits)
        found &= (right == most) | (forward(_doubles(right), steps) > limits)
        if found.all():
            break
    else:
        left, right = np.full_like(guess, least), np.full_like(guess, most)
        # So that the difference fits in 64 bits: zero is on one side or the other.
        zero_left = forward(np.zeros_like(limits), steps) <= limits
        left, right = np.where(zero_left, 0, left), np.where(zero_left, right, 0)
    return left, right


def backward(values: Floats, steps: Steps) -> Floats:
    """Return about what the steps were applied to."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for operation, by in reversed(steps):
            if operation == "add":
                values = values - by
            elif operation == "multiply":
                values = values / by
            elif operation == "divide":
                values = values * by
    return values


def _last_cast_to(limits: Floats, dtype: str) -> Floats:
    """Return the largest double that rounds to at most each number of the type."""
    if dtype == "float64":
        return limits
    below, above = neighbour(limits, -np.inf, dtype), neighbour(limits, np.inf, dtype)
    with np.errstate(invalid="ignore"):
        # Beyond the largest number, rounding goes by where the next one would have been.
        above = np.where(np.isinf(above), limits + (limits - below), above)
        middle = limits + (above - limits) / 2
    last = np.where(cast(middle, dtype) <= limits, middle, neighbour(middle, -np.inf))
    # Below the least number, whatever rounds to -inf.
    top = np.asarray(np.finfo(dtype).max, dtype=np.float64)
    too_large = top + (top - neighbour(top, -np.inf, dtype)) / 2
    return np.where(np.isinf(limits), -too_large, last)


def _keys(values: Floats) -> Keys:
    """Return whole numbers in the order of the doubles, neighbours for neighbours."""
    return _turned(values.view(np.int64))


def _doubles(keys: Keys) -> Floats:
    return _turned(keys).view(np.float64)


def _turned(bits: Keys) -> Keys:
    # The bits of negative numbers grow away from zero: all but the sign's are flipped.
    return bits ^ ((bits >> 63) & np.iinfo(np.int64).max)


def shortest_between(first: float, last: float) -> float:
    """Return a number with few decimals from first to last, both included.

    Where it is whole numbers from which to which, so is the number. An interval without an end
    gives one next to the end that it has.
    """
    if first <= 0 <= last:
        return 0.0
    top = float(np.finfo(np.float64).max)
    if first <= -top or last >= top:
        near = last if first <= -top else first
    else:
        near = first / 2 + last / 2
    for digits in range(1, _DIGITS):
        short = float(f"{near:.{digits}g}")
        if first <= short <= last:
            return short
    return last

"""Faults that no test finds, and why none has to: each was looked at.

By what is changed, without the number of the line. Whatever survives and is not here is a hole.
"""

from __future__ import annotations

__all__ = ["JUDGED"]

JUDGED: dict[str, str] = {
    "refute.cpp: return !(low < 0 && 0 <= high): 1 <= high  =>  1 < high": (
        "the same: thresholds of Boolean features are below 1, and no bound is 1"
    ),
    "minimum/reduction.cpp: if (size_[c] == 1) units_.push_back(c);\n        touch: "
    "size_[c] == 1  =>  false": (
        "slower, not wrong: the search branches on a clause of one atom as on any other"
    ),
    "counting/component.cpp: if (is_included(a)) return: is_included(a)  =>  false": (
        "not reached: what a sample has taken in without a clause of its own stays in a clause"
    ),
    "counting/simplify.hpp: return x == 1 ? emit_.affine: emit_.affine(kZero, k, kZero, own)  =>  "
    "emit_.mul(k, own)": (
        "not reached: where a vertex may not be 2 it may not be 1 either, as 2 is worth more to "
        "every clause; kept for weights that would be fixed from outside"
    ),
}

"""Short reasons from their definition: every set of facts, every row counted."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np

Counts = tuple[int, int]  # the rows with the facts that get the outcome, and all with the facts


def counts(facts: Sequence[Any], matrix: np.ndarray, gets: np.ndarray) -> Counts:
    """Count rows with all the facts."""
    has = np.ones(len(matrix), dtype=bool)
    for fact in facts:
        has &= fact.holds_in(matrix)
    return int((has & gets).sum()), int(has.sum())


def reaching(
    facts: Sequence[Any],
    matrix: np.ndarray,
    gets: np.ndarray,
    precision: Fraction,
    least_rows: int,
    max_size: int,
) -> list[tuple[Any, ...]]:
    """Return all sets of the smallest size that reach a precision; none where there is none."""
    for size in range(max_size + 1):
        found = []
        for chosen in combinations(facts, size):
            right, covered = counts(chosen, matrix, gets)
            if covered >= least_rows and Fraction(right, covered) >= precision:
                found.append(chosen)
        if found:
            return found
    return []


def wilson(right: int, covered: int) -> float:
    """Return the lower end of Wilson's interval, as a textbook has it."""
    p, n, z = right / covered, covered, 1.96
    middle = p + z * z / (2 * n)
    return (middle - z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n)

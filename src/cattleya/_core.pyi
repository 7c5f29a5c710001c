"""Native core: arrays in, arrays out, all one-dimensional and contiguous, never converted."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Reals: TypeAlias = NDArray[np.float64]
Bytes: TypeAlias = NDArray[np.uint8]
Signs: TypeAlias = NDArray[np.int8]

class TimeoutExpired(TimeoutError):
    """The time limit was reached."""

class MemoryLimitExceeded(MemoryError):
    """The memory limit was reached."""

def check_shape(left: Ints, right: Ints) -> int:
    """Return the depth of the tree; ValueError names the first node that is wrong."""

class Engine:
    """A tree made ready for walking. It never changes: any number of threads may use it."""

    def __init__(
        self,
        left: Ints,
        right: Ints,
        condition: Ints,
        leaf_class: Ints,
        feature: Ints,
        threshold: Reals,
        missing_left: Bytes,
        n_features: int,
        n_classes: int,
    ) -> None: ...
    def evaluate(self, row: Reals) -> Bytes:
        """Return one byte a condition: 1 where it holds in the row."""

    def path(self, truth: Bytes) -> tuple[int, Ints]:
        """Return the class of the row and the conditions on its path."""

    def complete_reason(
        self, truth: Bytes, row_class: int, toward: int, memory: int
    ) -> tuple[Longs, Ints]:
        """Return the minimal clauses, smallest first, as (start, atom); toward -1: any class."""

def greedy_hitting_set(start: Longs, atom: Ints, first: Ints, n_conditions: int) -> Ints:
    """Return what is left of first when conditions go in its order, every clause staying hit."""

class Verifier:
    """Proves or refutes sets of conditions on the tree as given; shares no code with Engine."""

    def __init__(
        self,
        left: Ints,
        right: Ints,
        condition: Ints,
        leaf_class: Ints,
        feature: Ints,
        threshold: Reals,
        missing_left: Bytes,
        domain: Bytes,
        takes_missing: bool,
    ) -> None: ...
    def refuting_leaf(self, fixed: Signs, row_class: int, real: bool) -> int:
        """Return a leaf of another class that agrees with the fixed conditions, or -1."""

    def removable(self, fixed: Signs, chosen: Ints, row_class: int) -> Ints:
        """Return conditions that can go together while the rest still forces the class."""

    def path_to(self, node: int) -> list[tuple[int, bool]]:
        """Return the path to a node as (condition, holds)."""

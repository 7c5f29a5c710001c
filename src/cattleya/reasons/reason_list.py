"""The explanations of one row, as the engine gives them: two arrays, and what they mean."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from threading import Lock

import numpy as np

from cattleya.model.conditions.condition import Condition
from cattleya.model.tree.rows import RowReader
from cattleya.reasons.reason import Reason
from cattleya.support.arrays import Int32s, Int64s
from cattleya.vocabularies.interface import RowAtoms

__all__ = ["RowReasons"]


MANY = 10_000
MOST_AT_ONCE = 10_000_000
_COLLECTOR = Lock()  # one thread at a time may pause it, or it could be left off

DEFINITIONS = {
    "direct reason": "the conditions on the path of the row",
    "quick reason": (
        "a set of the row's conditions that forces the class whatever the other conditions are, "
        "by a bound on each tree; a search may find that some can be left out"
    ),
    "sufficient reason": (
        "a set of the row's conditions that forces the outcome whatever the other conditions "
        "are, and no longer does when any one of them is left out"
    ),
    "minimal sufficient reason": (
        "a set of the row's conditions that forces the outcome whatever the other conditions "
        "are, and of all such sets one with the fewest conditions"
    ),
    "sufficient reason of least weight": (
        "a set of the row's conditions that forces the outcome whatever the other conditions "
        "are, and of all such sets one with the least total weight"
    ),
    "contrastive explanation": (
        "a set of the row's conditions that can change the outcome when they change, and no longer "
        "can when any one of them stays"
    ),
}


@dataclass(eq=False)
class RowReasons:
    """Reasons as rows of two arrays, as the engine gives them."""

    kind: str
    atoms: RowAtoms
    rows: RowReader
    start: Int64s
    atom: Int32s
    undecided: tuple[Condition, ...] = ()

    @property
    def definition(self) -> str:
        """What the reasons are, in a sentence."""
        return f"{DEFINITIONS[self.kind]}; {self.atoms.over.definition}"

    @property
    def merges(self) -> bool:
        """Whether conditions on one feature are said as one interval."""
        return self.atoms.over.merges

    @cached_property
    def _atoms(self) -> list[int]:
        atoms: list[int] = self.atom.tolist()
        return atoms

    @cached_property
    def _start(self) -> list[int]:
        start: list[int] = self.start.tolist()
        return start

    def size(self, position: int) -> int:
        """Return the number of conditions of a reason."""
        return self._start[position + 1] - self._start[position]

    def conditions(self, position: int) -> tuple[Condition, ...]:
        """Return the conditions of a reason."""
        first, last = self._start[position], self._start[position + 1]
        if len(self.atom) < MOST_AT_ONCE:
            # One conversion for all reasons is twenty times faster than one for each.
            numbers = self._atoms[first:last]
        else:
            numbers = self.atom[first:last].tolist()
        if self.kind != "direct reason":
            numbers.sort()
        return tuple(self.atoms.named(numbers))

    def all(self, limit: int | None = None) -> tuple[Reason, ...]:
        """Return all the reasons of these arrays, or the first of them."""
        count = len(self.start) - 1
        if limit is not None and limit < count:
            return self._first(limit).all()
        with _collector_paused() if count > MANY else nullcontext():
            return tuple(map(Reason, repeat(self), range(count)))

    def by_features(self, feature: Int32s) -> list[int]:
        """Return the places of the reasons: of the fewest features first, then the smallest.

        ``feature`` is that of each atom.
        """
        mentioned, size = feature[self.atom].astype(np.int64), np.diff(self.start)
        # Half a million of them: a pair of a reason and a feature is one number.
        most = int(mentioned.max(initial=0)) + 1
        pairs = np.unique(np.repeat(np.arange(len(size)), size) * most + mentioned)
        features = np.bincount(pairs // most, minlength=len(size))
        order: list[int] = np.lexsort((size, features)).tolist()
        return order

    def _first(self, count: int) -> RowReasons:
        """Return some only: what is not asked for need not be converted."""
        start = self.start[: count + 1]
        atom = self.atom[: start[-1]]
        return RowReasons(self.kind, self.atoms, self.rows, start, atom, self.undecided)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector.

    Half a million new objects that hold no cycle would set it off again and again, each time
    over everything there is.
    """
    with _COLLECTOR:
        was_on = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if was_on:
                gc.enable()

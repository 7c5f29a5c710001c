"""The explanations of one row, as the engine gives them: two arrays, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cattleya._core import NamedSets
from cattleya.model.conditions.condition import Condition
from cattleya.model.tree.rows import RowReader
from cattleya.reasons.reason import Reason
from cattleya.support.arrays import Int32s, Int64s
from cattleya.vocabularies.interface import RowAtoms

__all__ = ["RowReasons"]


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
    numbers: Int32s | None = None  # of the atoms, where ``atom`` has their places in this

    @property
    def definition(self) -> str:
        """What the reasons are, in a sentence."""
        return f"{DEFINITIONS[self.kind]}; {self.atoms.over.definition}"

    @property
    def merges(self) -> bool:
        """Whether conditions on one feature are said as one interval."""
        return self.atoms.over.merges

    @cached_property
    def sets(self) -> NamedSets:
        """The conditions of all the reasons: of a direct reason as they are, else in order."""
        names = self.atoms.names(self.numbers)
        return NamedSets(names, self.start, self.atom, self.kind == "direct reason")

    def all(self, limit: int | None = None) -> tuple[Reason, ...]:
        """Return all the reasons of these arrays, or the first of them."""
        count = len(self.start) - 1
        if limit is not None and limit < count:
            return self._first(limit).all()
        return self.sets.all(Reason, self)

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
        return replace(self, start=start, atom=atom)

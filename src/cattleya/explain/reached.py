"""How many rows of a table the reasons of many rows cover: counted with a bit per kind of row.

Rows that no explanation tells apart are kept once, with their number. Which of them have a fact is
one large integer, made when the fact is first met; the rows that have all facts of a reason are
the bits that all of its integers share. Numbers of rows are split into powers of two, so that
counting is counting bits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya._core import ReachTable
from cattleya.explain.context import ModelContext
from cattleya.explain.prepared import PreparedTree
from cattleya.explain.row import ExplainedRow
from cattleya.model.conditions.condition import Condition
from cattleya.support.arrays import Bools, Floats, Places
from cattleya.vocabularies.conditions import ConditionVocabulary

__all__ = ["Reached"]

Rows = npt.NDArray[np.float32] | npt.NDArray[np.float64]
KEPT = 16  # outcomes, of the trees that decide
MOST_BYTES = 1 << 27  # of bits, for an outcome


class Reached:
    """The rows of a table, in the tree's columns, and how often each is there. Picklable."""

    def __init__(self, matrix: Rows, times: Places) -> None:
        self._matrix, self._times = matrix, times
        digest = hashlib.sha256(np.ascontiguousarray(matrix).ravel().data)
        digest.update(np.ascontiguousarray(times).data)
        self._token = digest.hexdigest()

    @classmethod
    def of_parts(
        cls, context: ModelContext, parts: Iterable[Floats], *, every: bool = False
    ) -> Reached | None:
        """Return the rows of the parts of a table, those alike once unless ``every``; None if none.

        Rows with values that there are not are left out.
        """
        kept: list[Rows] = []
        times: list[Places] = []
        is_single = True
        for part in parts:
            matrix = context.possible(part)
            first, kind = (slice(None), None) if every else context.distinct(matrix)
            own = matrix[first]
            with np.errstate(over="ignore"):  # what is larger is not equal
                single = own.astype(np.float32)
            is_single &= np.array_equal(single, own, equal_nan=True)
            kept.append(single if is_single else own)
            ones = np.ones(len(matrix), dtype=np.intp)
            times.append(ones if kind is None else np.bincount(kind, minlength=len(kept[-1])))
        if not sum(map(len, kept)):
            return None
        # Most models see single precision: then half the memory holds the same numbers.
        shape = sum(map(len, kept)), kept[0].shape[1]
        every_row: Rows = np.empty(shape, np.float32) if is_single else np.empty(shape)
        last = len(every_row)
        while kept:  # from the last: each part is let go of, so that there are never two of all
            one = kept.pop()
            every_row[last - len(one) : last] = one
            last -= len(one)
        return cls(every_row, np.concatenate(times))

    def count(
        self,
        context: ModelContext,
        prepared: PreparedTree,
        outcome: int,
        facts: Iterable[Condition],
    ) -> tuple[int, int]:
        """Return how many rows have facts that force an outcome, and how many get that."""
        return self._tables(context).of(prepared, outcome).count(facts)

    def native(self, context: ModelContext, prepared: PreparedTree) -> ReachTable | None:
        """Return the rows for the core, of one tree, where it counts on them.

        That is over conditions, where no row lacks what the tree tests.
        """
        return self._tables(context).native(prepared)

    @property
    def matrix(self) -> Floats:
        """The rows; what is compared with thresholds must be in their precision."""
        return self._matrix.astype(np.float64, copy=False)

    def _tables(self, context: ModelContext) -> _Tables:
        known: tuple[str, _Tables] | None = context.__dict__.get("_reached")
        if known is None or known[0] != self._token:  # made once in a process, and kept
            known = self._token, _Tables(context, self._matrix, self._times)
            context.__dict__["_reached"] = known
        return known[1]

    def recount(self, row: ExplainedRow, facts: Iterable[Condition]) -> tuple[int, int]:
        """Return the same, counted plainly."""
        matrix = self.matrix
        gets = row.context.outcomes_for(row.prepared, matrix) == row.row_class
        covered = gets.copy()
        for fact in facts:
            covered &= fact.holds_in(matrix)
        return int(self._times[covered].sum()), int(self._times[gets].sum())


class _Tables:
    """The rows of a table, by the outcome that they get."""

    def __init__(self, context: ModelContext, matrix: Rows, times: Places) -> None:
        self._context, self._matrix, self._times = context, matrix, times
        # By identity: a prepared tree is kept beside its number, so that no other can have it.
        self._made: dict[tuple[int, int], tuple[PreparedTree, _OfClass]] = {}
        self._native: dict[int, tuple[PreparedTree, ReachTable | None]] = {}

    def native(self, prepared: PreparedTree) -> ReachTable | None:
        found = self._native.get(id(prepared))
        if found is None:
            while len(self._native) >= KEPT:
                self._native.pop(next(iter(self._native)), None)
            found = self._native[id(prepared)] = prepared, self._for_core(prepared)
        return found[1]

    def _for_core(self, prepared: PreparedTree) -> ReachTable | None:
        vocabulary = prepared.vocabulary
        if not isinstance(vocabulary, ConditionVocabulary):
            return None
        tested = np.unique(vocabulary.conditions.feature)
        # Another tree may decide about a row with a gap; and a tree of a row's own is used once.
        gaps = (np.isnan(self._matrix[:, column]).any() for column in tested.tolist())
        if self._context.depends_on_row or any(gaps):
            return None
        times = self._times.astype(np.int64, copy=False)
        return ReachTable(vocabulary.engine, self._matrix.ravel(), times)

    def of(self, prepared: PreparedTree, outcome: int) -> _OfClass:
        found = self._made.get((id(prepared), outcome))
        if found is None:
            matrix = self._matrix.astype(np.float64, copy=False)
            gets = self._context.outcomes_for(prepared, matrix) == outcome
            while len(self._made) >= KEPT:
                self._made.pop(next(iter(self._made)), None)
            found = prepared, _OfClass(matrix[gets], self._times[gets])
            self._made[id(prepared), outcome] = found
        return found[1]


class _OfClass:
    """The rows that get one outcome, as bits."""

    def __init__(self, matrix: Floats, times: Sequence[int] | Places) -> None:
        self._matrix, self._times = matrix, np.asarray(times)
        powers = int(self._times.max(initial=0)).bit_length()
        self._planes = [_bits((self._times >> power & 1) != 0) for power in range(powers)]
        self._all = _bits(np.ones(len(matrix), dtype=np.bool_))
        self._facts: dict[Any, int] = {}
        self._most = MOST_BYTES // (len(matrix) // 8 + 64)

    def count(self, facts: Iterable[Condition]) -> tuple[int, int]:
        rows = self._all
        for fact in facts:
            own = self._facts.get(fact)
            if own is None:
                if len(self._facts) >= self._most:
                    self._facts.clear()
                own = self._facts[fact] = _bits(fact.holds_in(self._matrix))
            rows &= own
        numbers = ((rows & plane).bit_count() << power for power, plane in enumerate(self._planes))
        return sum(numbers), int(self._times.sum())


def _bits(marks: Bools) -> int:
    return int.from_bytes(np.packbits(marks).tobytes(), "big")

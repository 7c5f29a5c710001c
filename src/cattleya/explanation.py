"""What can be said about one row: every answer on demand, and none computed twice."""

from __future__ import annotations

import gc
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya import _core
from cattleya.complete_reason import CompleteReason
from cattleya.condition import Condition
from cattleya.reason import Reason
from cattleya.rows import RowReader
from cattleya.verification import Verification, verify
from cattleya.walker import Walker

__all__ = ["Explanation"]

Ints = npt.NDArray[np.int32]

ANY_OTHER_CLASS = -1
# What the clauses of one row may take. Trees as they are learnt need a few hundred kilobytes; only
# degenerate ones, tens of thousands of nodes deep, come near.
CLAUSE_MEMORY = 4 << 30

DEFINITIONS = {
    "direct reason": "the conditions on the path of the row",
    "sufficient reason": (
        "a set of the row's conditions that forces the class whatever the other conditions, and "
        "no longer does when any one of them is left out"
    ),
    "contrastive explanation": (
        "a set of the row's conditions that can change the class when they change, and no longer "
        "can when any one of them must stay"
    ),
}
OVER = "over the tree's binary conditions, each taken as a Boolean variable of its own"


@dataclass(frozen=True, eq=False)
class _RowSource:
    """Reasons as rows of two arrays, as the engine gives them."""

    kind: str
    walker: Walker
    rows: RowReader
    truth: npt.NDArray[np.uint8]
    start: npt.NDArray[np.int64]
    atom: Ints

    @property
    def definition(self) -> str:
        return f"{DEFINITIONS[self.kind]}; {OVER}"

    @cached_property
    def _codes(self) -> list[int]:
        # One conversion for all reasons is twenty times faster than one for each.
        return self.walker.conditions.codes(self.atom, self.truth)

    @cached_property
    def _start(self) -> list[int]:
        start: list[int] = self.start.tolist()
        return start

    def size(self, position: int) -> int:
        return self._start[position + 1] - self._start[position]

    def conditions(self, position: int) -> tuple[Condition, ...]:
        codes = self._codes[self._start[position] : self._start[position + 1]]
        if self.kind != "direct reason":
            codes.sort()
        return tuple(self.walker.conditions.sides(codes))


class Explanation:
    """The answers about one row. Made by :meth:`cattleya.Explainer.explain`.

    Examples
    --------
    The paper's running example: is it a *Cattleya* orchid?

    >>> import cattleya
    >>> x4 = ("x4", 0, 1)
    >>> tree = cattleya.Tree.from_nested(
    ...     ("x1", ("x2", 0, ("x3", 0, x4)), ("x2", ("x3", x4, x4), ("x3", x4, x4))))
    >>> e = cattleya.Explainer(tree).explain([1, 1, 1, 1])
    >>> e.prediction
    1
    >>> print(e.direct_reason())
    x1 and x2 and x3 and x4
    >>> for contrast in e.contrastive():
    ...     print(contrast)
    x4
    x1 and x2
    x1 and x3
    >>> print(e.sufficient_reason(), "|", *e.necessary())
    x1 and x4 | x4
    """

    def __init__(
        self,
        walker: Walker,
        rows: RowReader,
        row: npt.NDArray[np.float64],
        class_labels: tuple[str, ...],
    ) -> None:
        self._walker = walker
        self._rows = rows
        self._class_labels = class_labels
        row.flags.writeable = False
        self.row = row
        self._truth = walker.engine.evaluate(row)
        self._class, self._path = walker.engine.path(self._truth)
        self._contrasts: dict[int, tuple[Reason, ...]] = {}

    @property
    def prediction(self) -> Any:
        """The class of the row: what ``model.predict`` gives."""
        return self._walker.tree.class_names[self._class]

    @property
    def prediction_name(self) -> str:
        """The class as text, by the ``class_names`` of the explainer where it was given some."""
        return self._class_labels[self._class]

    @property
    def definition(self) -> str:
        """What the explanations are made of."""
        return OVER

    @cached_property
    def conditions(self) -> frozenset[Condition]:
        """All the tree's conditions, each on the side that the row is on: the paper's ``t_x``."""
        return self._named(np.arange(len(self._walker.conditions), dtype=np.int32))

    def direct_reason(self) -> Reason:
        """Return the conditions on the path of the row."""
        return self._direct

    def sufficient_reason(self) -> Reason:
        """Return a sufficient reason: conditions that force the class, with nothing to spare.

        Found as in the paper: of the direct reason, conditions are dropped from the leaf
        upwards as long as the rest forces the class. There may be many others, and shorter ones.
        """
        return self._sufficient

    def contrastive(self, toward: Hashable = None) -> tuple[Reason, ...]:
        """Return all contrastive explanations, the smallest first.

        Each is a minimal set of the row's conditions whose change can change the class.

        Parameters
        ----------
        toward : label of a class, optional
            Only changes that reach this class; by default any other class will do.
        """
        target = ANY_OTHER_CLASS if toward is None else self._other_class(toward)
        if target not in self._contrasts:
            found = self._complete if target == ANY_OTHER_CLASS else self._complete_toward(target)
            source = self._source("contrastive explanation", found.start, found.atom)
            with _collector_paused():
                self._contrasts[target] = tuple(map(Reason, repeat(source), range(len(found))))
        return self._contrasts[target]

    def necessary(self, kind: str = "sufficient") -> frozenset[Condition]:
        """Return the conditions that every explanation of a kind contains.

        Where there is no explanation of the kind at all, none is called necessary.
        """
        return self._necessary[_checked_kind(kind)]

    def relevant(self, kind: str = "sufficient") -> frozenset[Condition]:
        """Return the conditions that some explanation of a kind contains."""
        # The same set for both kinds: minimal hitting sets use every condition of an antichain.
        _checked_kind(kind)
        return self._relevant

    def irrelevant(self, kind: str = "sufficient") -> frozenset[Condition]:
        """Return the row's conditions that no explanation of a kind contains."""
        _checked_kind(kind)
        return self._irrelevant

    def count(self, kind: str = "contrastive") -> int:
        """Return how many explanations of a kind there are."""
        _only_contrastive(kind, "count")
        return len(self._complete)

    def importance(self, kind: str = "contrastive") -> dict[Condition, Fraction]:
        """Return the share of the explanations that contain each condition, highest first.

        Every condition of the row is there, with 0 if it is in no explanation.
        """
        _only_contrastive(kind, "importance")
        return dict(self._contrastive_importance)

    def verify(self, conditions: Iterable[Condition | str]) -> Verification:
        """Prove or refute that a set of conditions is a sufficient reason for this row.

        The proof walks the tree itself, and shares no code with the search for reasons.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("x1", 0, ("x2", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1])
        >>> print(e.verify(["x1", "x2"]))
        a sufficient reason: it forces the class, and nothing in it can go
        >>> refuted = e.verify(["x1"])
        >>> bool(refuted), refuted.row.tolist()
        (False, [1.0, 0.0])
        """
        return verify(self._walker, self.row, self._truth, self._class, conditions)

    def __repr__(self) -> str:
        return (
            f"<Explanation: {self.prediction_name}, direct reason of "
            f"{len(self._path)} of {len(self._walker.conditions)} conditions>"
        )

    # What is computed once.

    @cached_property
    def _complete(self) -> CompleteReason:
        return self._complete_toward(ANY_OTHER_CLASS)

    def _complete_toward(self, target: int) -> CompleteReason:
        start, atom = self._walker.engine.complete_reason(
            self._truth, self._class, target, CLAUSE_MEMORY
        )
        return CompleteReason(start, atom, len(self._walker.conditions))

    @cached_property
    def _direct(self) -> Reason:
        return self._single("direct reason", self._path)

    @cached_property
    def _sufficient(self) -> Reason:
        complete = self._complete
        kept = _core.greedy_hitting_set(
            complete.start,
            complete.atom,
            np.ascontiguousarray(self._path[::-1]),
            complete.n_conditions,
        )
        return self._single("sufficient reason", kept)

    @cached_property
    def _necessary(self) -> dict[str, frozenset[Condition]]:
        return {
            "sufficient": self._named(self._complete.units),
            "contrastive": self._named(self._complete.in_every_clause),
        }

    @cached_property
    def _relevant(self) -> frozenset[Condition]:
        return self._named(self._complete.relevant)

    @cached_property
    def _irrelevant(self) -> frozenset[Condition]:
        return self._named(np.flatnonzero(self._complete.occurrences == 0).astype(np.int32))

    @cached_property
    def _contrastive_importance(self) -> dict[Condition, Fraction]:
        complete = self._complete
        order = np.argsort(-complete.occurrences, kind="stable").astype(np.int32)
        conditions = self._walker.conditions
        named = conditions.sides(conditions.codes(order, self._truth))
        shares = complete.occurrences[order].tolist()
        return {
            condition: Fraction(share, max(len(complete), 1))
            for condition, share in zip(named, shares, strict=True)
        }

    # Small services.

    def _named(self, numbers: Ints) -> frozenset[Condition]:
        return self._walker.conditions.set_of(numbers, self._truth)

    def _source(self, kind: str, start: npt.NDArray[np.int64], atom: Ints) -> _RowSource:
        return _RowSource(kind, self._walker, self._rows, self._truth, start, atom)

    def _single(self, kind: str, numbers: Ints) -> Reason:
        return Reason(self._source(kind, np.array([0, len(numbers)]), numbers), 0)

    def _other_class(self, label: Hashable) -> int:
        classes = self._walker.tree.class_names
        if not isinstance(label, Hashable) or label not in classes:
            raise ValueError(f"toward={label!r} is no class of the model; it has {classes!r}")
        target = classes.index(label)
        if target == self._class:
            raise ValueError(f"toward={label!r} is the class that the row has; give another one")
        return target


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector.

    Half a million new objects that hold no cycle would set it off again and again, each time
    over everything there is.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _checked_kind(kind: str) -> str:
    if kind not in ("sufficient", "contrastive"):
        raise ValueError(f"kind must be 'sufficient' or 'contrastive', not {kind!r}")
    return kind


def _only_contrastive(kind: str, question: str) -> None:
    if kind != "contrastive":
        raise ValueError(f"{question} is offered for kind='contrastive', not {kind!r}")

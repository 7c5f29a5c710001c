"""What can be said about one row: every answer on demand, and none computed twice."""

from __future__ import annotations

import math
import secrets
from collections.abc import Hashable, Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya import _core
from cattleya.circuit import Circuit
from cattleya.complete_reason import CompleteReason
from cattleya.condition import Condition
from cattleya.counting import Weights, integer, integers, ranked, weights_from
from cattleya.errors import MemoryLimitExceeded
from cattleya.limits import MEMORY_LIMIT, Deadline, checked_threads
from cattleya.reason import Reason
from cattleya.row_reasons import OVER, RowReasons
from cattleya.rows import RowReader
from cattleya.verification import Verification, verify
from cattleya.walker import Walker

__all__ = ["Explanation"]

Ints = npt.NDArray[np.int32]

ANY_OTHER_CLASS = -1
BYTES_A_SAMPLE = 256


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
        memory_limit: int = MEMORY_LIMIT,
    ) -> None:
        self._walker = walker
        self._rows = rows
        self._class_labels = class_labels
        self._memory = memory_limit
        row.flags.writeable = False
        self.row = row
        self._truth = walker.engine.evaluate(row)
        self._class, self._path = walker.engine.path(self._truth)
        self._contrasts: dict[int, tuple[Reason, ...]] = {}
        self._count: int | None = None
        self._weights: Weights | None = None
        self._sizes: dict[int, int] | None = None
        self._circuit: Circuit | None = None

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

    @property
    def row_dtype(self) -> str:
        """What the row was cast to before it met the thresholds."""
        return self._walker.tree.row_dtype

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
            Only changes that reach this class (the label or the name shown for it); by default
            any other class will do.
        """
        target = ANY_OTHER_CLASS if toward is None else self._other_class(toward)
        if target not in self._contrasts:
            found = self._complete if target == ANY_OTHER_CLASS else self._search(target)
            source = self._source("contrastive explanation", found.start, found.atom)
            self._contrasts[target] = source.all()
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

    def count(
        self, kind: str = "sufficient", timeout: float | None = None, threads: int = 1
    ) -> int:
        """Return how many explanations of a kind there are, exactly.

        Parameters
        ----------
        kind : {"sufficient", "contrastive"}
            Sufficient reasons are counted without listing them: there may be 10^40.
        timeout : float, optional
            Seconds after which :class:`cattleya.TimeoutExpired` is raised. The explanation stays
            usable, and can be asked again.
        threads : int
            How many cores may work on it, where it is hard enough to share.
        """
        deadline, threads = Deadline(timeout), checked_threads(threads)
        complete = self._complete_within(deadline)
        if _checked_kind(kind) == "contrastive":
            return len(complete)
        if self._weights is not None:
            return self._weights.count
        if self._count is None:
            clauses = self._clauses(complete)
            self._count = integer(
                _core.count_hitting_sets(*clauses, deadline.seconds(), self._memory, threads)
            )
        return self._count

    def importance(
        self, kind: str = "sufficient", timeout: float | None = None, threads: int = 1
    ) -> dict[Condition, Fraction]:
        """Return the share of the explanations that contain each condition, highest first.

        Every condition of the row is there, with 0 if it is in no explanation. The shares are
        exact; :meth:`importance_array` has them as floating point numbers. The parameters are
        those of :meth:`count`.
        """
        deadline, threads = Deadline(timeout), checked_threads(threads)
        complete = self._complete_within(deadline)
        if _checked_kind(kind) == "contrastive":
            numbers = complete.occurrences[complete.relevant].tolist()
            shares = [Fraction(number, len(complete)) for number in numbers]
        else:
            weights = self._weigh(complete, deadline, threads)
            numbers, shares = list(weights.containing), list(weights.shares)
        conditions = self._walker.conditions
        relevant = conditions.sides(conditions.codes(complete.relevant, self._truth))
        others = dict.fromkeys(self._irrelevant_in_order(complete), Fraction(0))
        return ranked(relevant, numbers, shares) | others

    def importance_array(
        self, kind: str = "sufficient", timeout: float | None = None
    ) -> tuple[tuple[Condition, ...], npt.NDArray[np.float64]]:
        """Return the relevant conditions and their importance as floating point numbers.

        The same as :meth:`importance`, rounded, and faster to work with: for plots.
        """
        ranked = self.importance(kind, timeout)
        positive = [(condition, float(share)) for condition, share in ranked.items() if share]
        return tuple(c for c, _ in positive), np.array([share for _, share in positive])

    def count_by_size(self, timeout: float | None = None) -> dict[int, int]:
        """Return how many sufficient reasons of each size there are, exactly."""
        deadline = Deadline(timeout)
        complete = self._complete_within(deadline)
        if self._sizes is None:
            limbs, start = _core.count_hitting_sets_by_size(
                *self._clauses(complete), deadline.seconds(), self._memory
            )
            self._sizes = {size: n for size, n in enumerate(integers(limbs, start)) if n}
        return dict(self._sizes)

    def sample(
        self, n: int, seed: int | None = None, timeout: float | None = None
    ) -> tuple[Reason, ...]:
        """Return sufficient reasons drawn uniformly from all of them, each independently.

        Parameters
        ----------
        n : int
            How many to draw. One may come more than once.
        seed : int, optional
            The same seed gives the same reasons.
        timeout : float, optional
            As for :meth:`count`.
        """
        deadline = Deadline(timeout)
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
            raise ValueError(f"n must be a whole number, 0 or more, not {n!r}")
        if n * BYTES_A_SAMPLE > self._memory:
            raise MemoryLimitExceeded(
                f"{n} samples need more than {self._memory} bytes; "
                f"draw fewer at a time, or give a larger memory_limit"
            )
        if seed is not None and (
            isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0
        ):
            raise ValueError(f"seed must be a whole number, 0 or more, or None, not {seed!r}")
        complete = self._complete_within(deadline)
        start, atom = _core.sample_hitting_sets(
            *self._clauses(complete),
            int(n),
            (secrets.randbits(64) if seed is None else int(seed)) & (1 << 64) - 1,
            deadline.seconds(),
            self._memory,
        )
        source = self._source("sufficient reason", start, complete.relevant[atom])
        return source.all()

    def sufficient_reasons(
        self, limit: int | None = None, timeout: float | None = None
    ) -> Iterator[Reason]:
        """Give all sufficient reasons, each once, one after the other.

        The first comes at once, and memory does not grow with the number given. The order is that
        of the search: it branches on the clause with the fewest choices, and is the same each time.

        Parameters
        ----------
        limit : int, optional
            How many to give at the most.
        timeout : float, optional
            Seconds, from the first reason asked for, after which the next one raises
            :class:`cattleya.TimeoutExpired`.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> for reason in cattleya.Explainer(tree).explain([1, 1, 1]).sufficient_reasons():
        ...     print(reason)
        a and c
        b and c
        """
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int)):
            raise TypeError(f"limit must be a whole number or None, not {limit!r}")
        if limit is not None and limit < 0:
            raise ValueError(f"limit must be 0 or more, not {limit!r}")
        Deadline(timeout)  # a bad value is refused now, not when the first reason is asked for
        return self._enumerate(math.inf if limit is None else limit, timeout)

    def _enumerate(self, limit: float, timeout: float | None) -> Iterator[Reason]:
        deadline = Deadline(timeout)
        complete = self._complete_within(deadline)
        found = _core.HittingSets(*self._clauses(complete))
        more, given, batch = True, 0, 1
        while more and given < limit:
            # A little at first, so that the first comes at once; then more, so that most is native.
            more, start, atom = found.next(int(min(batch, limit - given)), deadline.seconds())
            source = self._source("sufficient reason", start, complete.relevant[atom])
            yield from source.all()
            given += len(start) - 1
            batch = min(4 * batch, 4096)

    def compile(self, timeout: float | None = None) -> Circuit:
        """Return the circuit behind the counts, to be asked many times or kept in a file."""
        deadline = Deadline(timeout)
        complete = self._complete_within(deadline)
        if self._circuit is None:
            core = _core.Circuit.compile(*self._clauses(complete), deadline.seconds(), self._memory)
            conditions = self._walker.conditions
            named = conditions.sides(conditions.codes(complete.relevant, self._truth))
            self._circuit = Circuit(core, named, self._memory)
        return self._circuit

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
        return self._search(ANY_OTHER_CLASS)

    def _complete_within(self, deadline: Deadline) -> CompleteReason:
        if "_complete" not in self.__dict__:
            self.__dict__["_complete"] = self._search(ANY_OTHER_CLASS, deadline.seconds())
        return self._complete

    def _search(self, target: int, seconds: float = math.inf) -> CompleteReason:
        start, atom = self._walker.engine.complete_reason(
            self._truth, self._class, target, seconds, self._memory
        )
        return CompleteReason(start, atom, len(self._walker.conditions))

    def _weigh(self, complete: CompleteReason, deadline: Deadline, threads: int) -> Weights:
        if self._weights is None:
            self._weights = weights_from(
                _core.weigh_hitting_sets(
                    *self._clauses(complete), deadline.seconds(), self._memory, threads
                ),
                deadline,
            )
        return self._weights

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

    # Small services.

    @staticmethod
    def _clauses(complete: CompleteReason) -> tuple[npt.NDArray[np.int64], Ints, int]:
        return complete.start, complete.renumbered, len(complete.relevant)

    def _irrelevant_in_order(self, complete: CompleteReason) -> list[Condition]:
        numbers = np.flatnonzero(complete.occurrences == 0).astype(np.int32)
        conditions = self._walker.conditions
        return conditions.sides(conditions.codes(numbers, self._truth))

    def _named(self, numbers: Ints) -> frozenset[Condition]:
        return self._walker.conditions.set_of(numbers, self._truth)

    def _source(self, kind: str, start: npt.NDArray[np.int64], atom: Ints) -> RowReasons:
        return RowReasons(kind, self._walker, self._rows, self._truth, start, atom)

    def _single(self, kind: str, numbers: Ints) -> Reason:
        return Reason(self._source(kind, np.array([0, len(numbers)]), numbers), 0)

    def _other_class(self, label: Hashable) -> int:
        classes = self._walker.tree.class_names
        if isinstance(label, Hashable) and label in classes:
            target = classes.index(label)
        elif isinstance(label, str) and label in self._class_labels:
            target = self._class_labels.index(label)
        else:
            raise ValueError(f"toward={label!r} is no class of the model; it has {classes!r}")
        if target == self._class:
            raise ValueError(f"toward={label!r} is the class that the row has; give another one")
        return target


def _checked_kind(kind: str) -> str:
    if kind not in ("sufficient", "contrastive"):
        raise ValueError(f"kind must be 'sufficient' or 'contrastive', not {kind!r}")
    return kind

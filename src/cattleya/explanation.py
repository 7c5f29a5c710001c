"""What can be said about one row: every answer on demand, and none computed twice."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cattleya.circuit import Circuit
from cattleya.complete_reason import CompleteReason
from cattleya.condition import Condition
from cattleya.counting import ranked
from cattleya.diversity import DiverseReasons, Representation, diverse, represent
from cattleya.errors import MemoryLimitExceeded, NoSuchReason
from cattleya.feature_lookup import listed
from cattleya.limits import Deadline, checked_threads
from cattleya.reason import Reason
from cattleya.row_atoms import ANY_OTHER_CLASS, RowAtoms
from cattleya.row_reasons import RowReasons
from cattleya.rows import RawRows
from cattleya.setting import Setting
from cattleya.shown import Shown
from cattleya.sufficient_reasons import SufficientReasons
from cattleya.tree import Tree
from cattleya.verification import Verification
from cattleya.what_if import WhatIf

__all__ = ["Explanation"]

Ints = npt.NDArray[np.int32]

BYTES_A_SAMPLE = 256
KINDS = ("sufficient", "contrastive")


class OwnValue(NamedTuple):
    """What a row has of a feature, and the tree's columns behind that; None is missing."""

    feature: str
    columns: tuple[int, ...]
    value: Hashable


class Explanation(WhatIf, Shown):
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
        setting: Setting,
        tree: Tree,
        atoms: RowAtoms,
        row: npt.NDArray[np.float64],
        raw_row: Any = None,
        *,
        exclude: Iterable[Any] = (),
        immutable: Iterable[Any] = (),
    ) -> None:
        self.setting = setting
        self._tree = tree
        self._atoms = atoms
        row.flags.writeable = False
        self.row = row
        self.raw_row = raw_row
        self._rows = setting.model.rows
        self._class_labels = setting.class_labels
        self._memory = setting.memory_limit
        self._excluded = self._atoms_of("exclude", exclude)
        self.immutable_names = tuple(listed("immutable", immutable))
        self._immutable = self._atoms_of("immutable", self.immutable_names)
        self._reasons: SufficientReasons | None = None
        self._contrasts: dict[int, tuple[Reason, ...]] = {}
        self._sets: dict[tuple[str, str], frozenset[Condition]] = {}

    @property
    def row_class(self) -> int:
        """The class of the row, as its place among the model's classes."""
        return self._atoms.row_class

    @property
    def prediction(self) -> Any:
        """The class of the row: what ``model.predict`` gives."""
        return self._tree.class_names[self._atoms.row_class]

    @property
    def prediction_name(self) -> str:
        """The class as text, by the ``class_names`` of the explainer where it was given some."""
        return self._class_labels[self._atoms.row_class]

    @property
    def class_labels(self) -> tuple[str, ...]:
        """All classes as text, in the order of the tree's ``class_names``."""
        return self._class_labels

    @property
    def tree(self) -> Tree:
        """The tree that decided."""
        return self._tree

    @property
    def excluded(self) -> frozenset[Condition]:
        """The row's conditions that no sufficient reason may have."""
        return self._atoms.set_of(self._excluded)

    @property
    def immutable(self) -> frozenset[Condition]:
        """The row's conditions that no contrastive explanation may change."""
        return self._atoms.set_of(self._immutable)

    @property
    def definition(self) -> str:
        """What the explanations are made of."""
        return self._atoms.over

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What was taken for granted about the columns, one sentence each."""
        return self.setting.assumptions

    @property
    def merges(self) -> bool:
        """Whether conditions on one feature are said as one interval."""
        return self._atoms.merges

    @property
    def row_dtype(self) -> str:
        """What the row was cast to before it met the thresholds."""
        return self._tree.row_dtype

    @cached_property
    def conditions(self) -> frozenset[Condition]:
        """All the tree's conditions, each on the side that the row is on: the paper's ``t_x``."""
        return self._atoms.set_of(np.arange(len(self._atoms), dtype=np.int32))

    def direct_reason(self) -> Reason:
        """Return the conditions on the path of the row."""
        return self._direct

    def sufficient_reason(self, timeout: float | None = None) -> Reason:
        """Return a sufficient reason: conditions that force the class, with nothing to spare.

        Found as in the paper: of the direct reason, conditions are dropped from the leaf
        upwards as long as the rest forces the class. There may be many others, and shorter ones
        (:meth:`minimal_reason`). The time it takes grows with the tree; ``timeout`` is as for
        :meth:`count`.
        """
        return self._sufficient(Deadline(timeout)).greedy

    def contrastive(
        self, toward: Hashable = None, limit: int | None = None, timeout: float | None = None
    ) -> tuple[Reason, ...]:
        """Return all contrastive explanations, the smallest first.

        Each is a minimal set of the row's conditions whose change can change the class.

        Parameters
        ----------
        toward : label of a class, optional
            Only changes that reach this class (the label or the name shown for it); by default
            any other class will do.
        limit : int, optional
            How many to give at the most; there can be half a million.
        timeout : float, optional
            As for :meth:`count`.
        """
        deadline = Deadline(timeout)
        target = ANY_OTHER_CLASS if toward is None else self._other_class(toward)
        if limit is not None:
            return self._contrasts_toward(target, deadline).all(_checked_limit(limit))
        if target not in self._contrasts:
            self._contrasts[target] = self._contrasts_toward(target, deadline).all()
        return self._contrasts[target]

    def _contrasts_toward(self, target: int, deadline: Deadline) -> RowReasons:
        if target == ANY_OTHER_CLASS:
            self._complete_within(deadline)
            found = self._changeable
        else:
            found = self._search(target, deadline.seconds()).avoiding(self._immutable)
        kind = "contrastive explanation"
        return RowReasons(kind, self._atoms, self._rows, found.start, found.atom)

    def necessary(self, kind: str = "sufficient") -> frozenset[Condition]:
        """Return the conditions that every explanation of a kind contains.

        Where there is no explanation of the kind at all, none is called necessary.
        """
        return self._set_of(kind, "units" if kind == "sufficient" else "in_every_clause")

    def relevant(self, kind: str = "sufficient") -> frozenset[Condition]:
        """Return the conditions that some explanation of a kind contains."""
        # For both kinds, what is in a clause: minimal hitting sets use every atom of an antichain.
        return self._set_of(kind, "relevant")

    def irrelevant(self, kind: str = "sufficient") -> frozenset[Condition]:
        """Return the row's conditions that no explanation of a kind contains."""
        return self._set_of(kind, "irrelevant")

    def count(
        self, kind: str = "sufficient", timeout: float | None = None, threads: int = 1
    ) -> int:
        """Return how many explanations of a kind there are, exactly.

        Parameters
        ----------
        kind : {"sufficient", "minimal", "contrastive"}
            Sufficient reasons are counted without listing them: there may be 10^40. So are the
            minimal ones, those with the fewest conditions.
        timeout : float, optional
            Seconds after which :class:`cattleya.TimeoutExpired` is raised. The explanation stays
            usable, and can be asked again.
        threads : int
            How many cores may work on it, where it is hard enough to share.
        """
        deadline, threads = Deadline(timeout), checked_threads(threads)
        if _checked_kind(kind, (*KINDS, "minimal")) == "contrastive":
            self._complete_within(deadline)
            return len(self._changeable)
        reasons = self._sufficient(deadline)
        if kind == "minimal":
            return reasons.minimum(deadline)[1]
        return reasons.count(deadline, threads)

    def importance(
        self, kind: str = "sufficient", timeout: float | None = None, threads: int = 1
    ) -> dict[Condition, Fraction]:
        """Return the share of the explanations that contain each condition, highest first.

        Every condition of the row is there, with 0 if it is in no explanation. The shares are
        exact; :meth:`importance_array` has them as floating point numbers. The parameters are
        those of :meth:`count`.
        """
        deadline, threads = Deadline(timeout), checked_threads(threads)
        if _checked_kind(kind) == "contrastive":
            self._complete_within(deadline)
            complete = self._changeable
            numbers = complete.occurrences[complete.relevant].tolist()
            shares = [Fraction(number, len(complete)) for number in numbers]
        else:
            reasons = self._sufficient(deadline)
            complete = reasons.complete
            weights = reasons.weigh(deadline, threads)
            numbers, shares = list(weights.containing), list(weights.shares)
        relevant = self._atoms.named(complete.relevant.tolist())
        others = self._atoms.named(complete.irrelevant.tolist())
        return ranked(relevant, numbers, shares) | dict.fromkeys(others, Fraction(0))

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
        return dict(self._sufficient(deadline).by_size(deadline))

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
        return self._sufficient(deadline).sample(
            int(n), None if seed is None else int(seed), deadline
        )

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
        return self._iterate(limit, timeout, SufficientReasons.every)

    def minimal_reason(self, weights: Any = None, timeout: float | None = None) -> Reason:
        """Return a sufficient reason with the fewest conditions, or of the least weight.

        It is proved to be one: no sufficient reason is shorter, or lighter.

        Parameters
        ----------
        weights : dict or number, optional
            Positive numbers by feature (its name or number) or by condition, which goes before its
            feature; what is not there weighs 1. They are added exactly: ``0.1`` is the binary
            number that Python has for it, ``Fraction(1, 10)`` a tenth. Scaled to whole numbers,
            they must stay below 2^120 together.
        timeout : float, optional
            As for :meth:`count`.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, ("c", 0, 1)), 1))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> print(e.minimal_reason(), "|", e.minimal_reason(weights={"a": 3}))
        a | b and c
        """
        deadline = Deadline(timeout)
        limbs = None if weights is None else self.setting.features.weights(weights, self._atoms)
        return self._sufficient(deadline).minimal(deadline, limbs)

    def minimal_reasons(
        self, limit: int | None = None, timeout: float | None = None
    ) -> Iterator[Reason]:
        """Give all sufficient reasons with the fewest conditions, each once.

        As :meth:`sufficient_reasons` does; ``count("minimal")`` says how many there are.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, ("c", 0, 1)), ("d", ("b", 0, 1), 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1, 1])
        >>> for reason in e.minimal_reasons():
        ...     print(reason)
        a and b
        a and d
        b and c
        """
        return self._iterate(limit, timeout, SufficientReasons.every_minimal)

    def diverse_reasons(self, k: int, timeout: float | None = None) -> DiverseReasons:
        """Return ``k`` sufficient reasons that overlap as little as can be had.

        One reason alone can mislead: another may share little with it. The first is a minimal one;
        each next shares as little as any other reason can with those before it, and is a shortest
        of such; then each is exchanged as long as that makes the overlap smaller. Where there are
        fewer than ``k`` reasons, all of them are given.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> found = cattleya.Explainer(tree).explain([1, 1, 1]).diverse_reasons(2)
        >>> print(*found, sep=" | ")
        a and c | b and c
        >>> found.coverage, found.overlap
        (Fraction(1, 1), 1)
        """
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
            raise TypeError(f"k must be a whole number, not {k!r}")
        if k < 1:
            raise ValueError(f"k must be 1 or more, not {k!r}")
        deadline = Deadline(timeout)
        return diverse(self._sufficient(deadline), int(k), deadline)

    def representative(self, reason: Iterable[Condition | str]) -> Representation:
        """Tell whether one sufficient reason stands for all of them.

        It does where its conditions are about the necessary ones (nearly all of it is in every
        reason) or about the relevant ones (nearly all that is in any reason is in it). The result
        has both distances.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> print(e.representative(e.minimal_reason()))
        1 of its 2 conditions is not in every sufficient reason; 1 of the 3 conditions that are in \
some sufficient reason is not in it
        """
        verified = self.verify(reason)
        if not verified:
            raise ValueError(f"that is not a sufficient reason of the row: {verified}")
        return represent(verified.conditions, self.necessary(), self.relevant())

    def is_free_of(self, features: Iterable[Any]) -> bool:
        """Tell whether some sufficient reason mentions none of the features.

        Where none does, ``explain(x, exclude=features)`` has no sufficient reason to give.
        """
        atoms = self._atoms_of("is_free_of", features)
        return not self._complete.inside(np.union1d(atoms, self._excluded).astype(np.int32))

    def compile(self, timeout: float | None = None) -> Circuit:
        """Return the circuit behind the counts, to be asked many times or kept in a file."""
        deadline = Deadline(timeout)
        return self._sufficient(deadline).compiled(deadline)

    def condition(self, text: str) -> Condition:
        """Return the condition of the row that prints as ``text``."""
        if not isinstance(text, str):
            raise TypeError(f"{text!r} is not a Condition, nor the text of one")
        return self._atoms.named([self._atoms.number(text)])[0]

    def value_of(self, condition: Condition) -> Hashable:
        """Return what the row has of a condition's feature, as the user gave it.

        A number comes as a float, a category as it is called; None is missing.

        Examples
        --------
        >>> import cattleya
        >>> e = cattleya.Explainer(cattleya.Tree.from_nested(("a", 0, 1))).explain([1])
        >>> e.value_of(e.condition("a"))
        1.0
        """
        return self._own_value(int(self.setting.domain.of_column[condition.index]))

    @property
    def values(self) -> list[OwnValue]:
        """What the row has of every feature, as the user gave it."""
        attributes = self.setting.domain.attributes
        return [
            OwnValue(attribute.name, attribute.columns, self._own_value(place))
            for place, attribute in enumerate(attributes)
        ]

    def _own_value(self, place: int) -> Hashable:
        dtype = self._tree.row_dtype
        return self.setting.domain.user_value(place, self.row, self._raw_values, dtype)

    @cached_property
    def _raw_values(self) -> Sequence[Any] | None:
        if self.raw_row is None or not isinstance(self._rows, RawRows):
            return None
        return self._rows.raw_values(self.raw_row)

    def test_at(self, node: int) -> Condition:
        """Return the test of a node of the tree, on the side that the row is on."""
        tests = self.setting.tests_of(self._tree)
        number = int(tests.of_node[node])
        if number < 0:
            raise ValueError(f"node {node} is a leaf, and tests nothing")
        test = tests.side(2 * number + 1)
        holds = test.holds(float(self.row[test.index]))
        return test if holds else tests.side(2 * number)

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
        return self._atoms.verify(conditions)

    def is_contrastive(self, conditions: Iterable[Condition | str]) -> bool:
        """Prove or refute that a set of conditions is a contrastive explanation of this row.

        As :meth:`verify` does: all the row's conditions but these are not sufficient for its class,
        and with any one of them added back they are.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("x1", 0, ("x2", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1])
        >>> e.is_contrastive(["x1"]), e.is_contrastive(["x1", "x2"])
        (True, False)
        """
        return self._atoms.is_contrast(conditions)

    def __repr__(self) -> str:
        return (
            f"<Explanation: {self.prediction_name}, direct reason of "
            f"{len(self._atoms.path)} of {len(self._atoms)} conditions>"
        )

    # What is computed once.

    @cached_property
    def _complete(self) -> CompleteReason:
        return self._search(ANY_OTHER_CLASS, math.inf)

    def _complete_within(self, deadline: Deadline) -> CompleteReason:
        if "_complete" not in self.__dict__:
            self.__dict__["_complete"] = self._search(ANY_OTHER_CLASS, deadline.seconds())
        return self._complete

    def _search(self, toward: int, seconds: float) -> CompleteReason:
        start, atom = self._atoms.complete_reason(toward, seconds, self._memory)
        return CompleteReason(start, atom, len(self._atoms))

    @cached_property
    def _changeable(self) -> CompleteReason:
        """The clauses that only speak of what may change."""
        return self._complete.avoiding(self._immutable) if len(self._immutable) else self._complete

    def _sufficient(self, deadline: Deadline) -> SufficientReasons:
        """Return the sufficient reasons without what is excluded, if there are any."""
        if self._reasons is None:
            complete = self._complete_within(deadline)
            if len(self._excluded):
                if needed := complete.inside(self._excluded):
                    raise NoSuchReason(self._atoms.set_of(clause) for clause in needed)
                complete = complete.without(self._excluded, deadline.seconds(), self._memory)
            self._reasons = SufficientReasons(self._atoms, complete, self._rows, self._memory)
        return self._reasons

    @cached_property
    def _direct(self) -> Reason:
        path = self._atoms.path
        ends = np.array([0, len(path)])
        return Reason(RowReasons("direct reason", self._atoms, self._rows, ends, path), 0)

    # Small services.

    def _set_of(self, kind: str, numbers: str) -> frozenset[Condition]:
        """Return what the complete reason of a kind calls ``numbers``, as conditions."""
        if (kind, numbers) not in self._sets:
            if _checked_kind(kind) == "sufficient":
                complete = self._sufficient(Deadline(None)).complete
            else:
                complete = self._changeable
            self._sets[kind, numbers] = self._atoms.set_of(getattr(complete, numbers))
        return self._sets[kind, numbers]

    def _iterate(
        self,
        limit: int | None,
        timeout: float | None,
        every: Callable[[SufficientReasons, float, Deadline], Iterator[Reason]],
    ) -> Iterator[Reason]:
        Deadline(timeout)  # a bad value is refused now, not when the first reason is asked for
        most = math.inf if limit is None else _checked_limit(limit)

        def reasons() -> Iterator[Reason]:
            deadline = Deadline(timeout)
            yield from every(self._sufficient(deadline), most, deadline)

        return reasons()

    def _atoms_of(self, what: str, features: Iterable[Any]) -> Ints:
        if isinstance(features, tuple) and not features:  # the usual case costs nothing
            return np.zeros(0, dtype=np.int32)
        return self.setting.features.atoms(what, features, self._atoms)

    def _other_class(self, label: Hashable) -> int:
        classes = self._tree.class_names
        if isinstance(label, Hashable) and label in classes:
            target = classes.index(label)
        elif isinstance(label, str) and label in self._class_labels:
            target = self._class_labels.index(label)
        else:
            raise ValueError(f"toward={label!r} is no class of the model; it has {classes!r}")
        if target == self._atoms.row_class:
            raise ValueError(f"toward={label!r} is the class that the row has; give another one")
        return target


def _checked_limit(limit: int) -> int:
    if isinstance(limit, bool) or not isinstance(limit, (int, np.integer)):
        raise TypeError(f"limit must be a whole number or None, not {limit!r}")
    if limit < 0:
        raise ValueError(f"limit must be 0 or more, not {limit!r}")
    return int(limit)


def _checked_kind(kind: str, kinds: tuple[str, ...] = KINDS) -> str:
    if kind not in kinds:
        names = " or ".join(map(repr, kinds))
        raise ValueError(f"kind must be {names}, not {kind!r}")
    return kind

"""What can be said about one row: every answer on demand, and none computed twice."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from cattleya.condition import Condition
from cattleya.diversity import DiverseReasons, Representation, diverse, represent
from cattleya.how_many import HowMany, checked_kind
from cattleya.limits import Deadline
from cattleya.printable import printable, shown
from cattleya.reason import Reason
from cattleya.row_atoms import ANY_OTHER_CLASS
from cattleya.row_reasons import RowReasons
from cattleya.shown import Shown
from cattleya.sufficient_reasons import SufficientReasons
from cattleya.verification import Verification
from cattleya.what_if import WhatIf

__all__ = ["Explanation", "checked_explanation"]


class Explanation(HowMany, WhatIf, Shown):
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

    def contrasts_as_read(self) -> tuple[Reason, ...]:
        """Return all contrastive explanations, those that a reader finds smallest first.

        As :meth:`contrastive` has them; where conditions on one feature are said as one interval,
        those of the fewest features, and of these the smallest.
        """
        found = self.contrastive()
        if not self.merges:
            return found
        contrasts = self._contrasts_toward(ANY_OTHER_CLASS, Deadline(None))
        order = contrasts.by_features(self._atoms.attributes(self.setting.domain))
        return tuple(map(found.__getitem__, order))

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
        in_all = "units" if checked_kind(kind) == "sufficient" else "in_every_clause"
        return self._set_of(kind, in_all)

    def necessary_features(self) -> tuple[str, ...]:
        """Return the features that every sufficient reason mentions, if not by the same condition.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree([1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -1, 0, -1, -1],
        ...                      [18.5, 0, 30.5, 0, 0], [-1, 0, -1, 1, 0], n_features=1,
        ...                      feature_names=["age"])
        >>> cattleya.Explainer(tree).explain([25]).necessary_features()
        ('age',)
        """
        complete = self._sufficient(Deadline(None)).complete
        return self._names_of(complete.within_one(self._atoms.attributes(self.setting.domain)))

    def relevant(self, kind: str = "sufficient") -> frozenset[Condition]:
        """Return the conditions that some explanation of a kind contains."""
        # For both kinds, what is in a clause: minimal hitting sets use every atom of an antichain.
        return self._set_of(kind, "relevant")

    def irrelevant(self, kind: str = "sufficient") -> frozenset[Condition]:
        """Return the row's conditions that no explanation of a kind contains."""
        return self._set_of(kind, "irrelevant")

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
            raise TypeError(f"k must be a whole number, not {shown(k)}")
        if k < 1:
            raise ValueError(f"k must be 1 or more, not {shown(k)}")
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

    def verify(self, conditions: Iterable[Condition | str]) -> Verification:
        """Prove or refute that a set of conditions is a sufficient reason for this row.

        The proof walks the tree itself, and knows nothing of the search for reasons.

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
            f"<Explanation: {printable(self.prediction_name)}, direct reason of "
            f"{len(self._atoms.path)} of {len(self._atoms)} conditions>"
        )

    @cached_property
    def _direct(self) -> Reason:
        path = self._atoms.path
        ends = np.array([0, len(path)])
        return Reason(RowReasons("direct reason", self._atoms, self._rows, ends, path), 0)

    def _set_of(self, kind: str, numbers: str) -> frozenset[Condition]:
        """Return what the complete reason of a kind calls ``numbers``, as conditions."""
        if (checked_kind(kind), numbers) not in self._sets:
            if kind == "sufficient":
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


def checked_explanation(value: Any) -> Explanation:
    """Return an explanation; refuse what is none."""
    if not isinstance(value, Explanation):
        raise TypeError(f"give an Explanation, which Explainer.explain makes, not {shown(value)}")
    return value


def _checked_limit(limit: int) -> int:
    if isinstance(limit, bool) or not isinstance(limit, (int, np.integer)):
        raise TypeError(f"limit must be a whole number or None, not {shown(limit)}")
    if limit < 0:
        raise ValueError(f"limit must be 0 or more, not {shown(limit)}")
    return int(limit)

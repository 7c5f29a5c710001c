"""The compiled complete reason: made once, asked many times, kept in a file."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from cattleya._core import Circuit as NativeCircuit
from cattleya.model.conditions.condition import Condition
from cattleya.reasons.limbs import integer, ranked, weights_from
from cattleya.support.arrays import Int32s
from cattleya.support.limits import MEMORY_LIMIT, Deadline, checked_memory
from cattleya.support.text import shown
from cattleya.vocabularies.over import Over

__all__ = ["Circuit", "count_without"]


class Circuit:
    """All sufficient reasons of a row, as an arithmetic circuit.

    Made by :meth:`cattleya.Explanation.compile`. It answers how many sufficient reasons there are
    that contain some conditions and avoid others, and how often each condition is in those.

    Examples
    --------
    >>> import cattleya
    >>> x4 = ("x4", 0, 1)
    >>> tree = cattleya.Tree.from_nested(
    ...     ("x1", ("x2", 0, ("x3", 0, x4)), ("x2", ("x3", x4, x4), ("x3", x4, x4))))
    >>> circuit = cattleya.Explainer(tree).explain([1, 1, 1, 1]).compile()
    >>> circuit
    <Circuit: 2 sufficient reasons over 4 conditions>
    >>> circuit.count(including=["x2"]), circuit.count(excluding=["x4"])
    (1, 0)
    >>> {str(c): str(share) for c, share in circuit.importance(including=["x2"]).items()}
    {'x2': '1', 'x3': '1', 'x4': '1', 'x1': '0'}
    """

    def __init__(
        self,
        core: NativeCircuit,
        conditions: Iterable[Condition],
        memory_limit: int = MEMORY_LIMIT,
        over: str = Over.CONDITIONS.definition,
    ) -> None:
        if not isinstance(core, NativeCircuit):
            raise TypeError(f"Explanation.compile makes circuits, not Circuit({shown(core)}, ...)")
        self._core = core
        self._over = over
        self.conditions = tuple(conditions)
        self._number = {condition: number for number, condition in enumerate(self.conditions)}
        self._memory = checked_memory(memory_limit)
        expected = core.n_atoms
        if len(self._number) != expected or len(self.conditions) != expected:
            raise ValueError(f"the circuit is over {expected} conditions, not {len(self._number)}")

    @property
    def definition(self) -> str:
        """What is counted."""
        return f"sufficient reasons {self._over}"

    @property
    def size(self) -> int:
        """The number of arithmetic instructions."""
        return self._core.instructions

    def count(
        self,
        including: Iterable[Condition | str] = (),
        excluding: Iterable[Condition | str] = (),
        timeout: float | None = None,
    ) -> int:
        """Return how many sufficient reasons contain all of some conditions and none of others.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> circuit = e.compile()
        >>> circuit.count(), circuit.count(including=["a"]), circuit.count(excluding=["c"])
        (2, 1, 0)
        """
        deadline = Deadline(timeout)
        assumed = self._assumptions(including, excluding)
        return integer(self._core.count(*assumed, deadline.seconds(), self._memory))

    def importance(
        self,
        including: Iterable[Condition | str] = (),
        excluding: Iterable[Condition | str] = (),
        timeout: float | None = None,
    ) -> dict[Condition, Fraction]:
        """Return the share of those sufficient reasons that contain each condition.

        Highest first. Every share is 0 where there is no such reason.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> circuit = e.compile()
        >>> {str(c): str(share) for c, share in circuit.importance(excluding=["a"]).items()}
        {'b': '1', 'c': '1', 'a': '0'}
        """
        deadline = Deadline(timeout)
        assumed = self._assumptions(including, excluding)
        answer = self._core.weigh(*assumed, deadline.seconds(), self._memory)
        weights = weights_from(answer, self._memory, deadline)
        return ranked(self.conditions, weights.containing, weights.shares)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the circuit to a file, which is complete or not there at all.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> circuit = e.compile()
        >>> file = pathlib.Path(tempfile.mkdtemp(), "reasons.circuit")
        >>> circuit.save(file)
        >>> cattleya.Circuit.load(file)
        <Circuit: 2 sufficient reasons over 3 conditions>
        >>> circuit.size, circuit.definition == cattleya.Circuit.load(file).definition
        (1, True)
        """
        from cattleya.reasons.circuit_file import write

        write(path, self._core.arrays(), self.conditions, self._over)

    @classmethod
    def load(cls, path: str | os.PathLike[str], memory_limit: int = MEMORY_LIMIT) -> Circuit:
        """Read a circuit that :meth:`save` wrote; ``ValueError`` where the file is damaged.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> e = cattleya.Explainer(tree).explain([1, 1, 1])
        >>> circuit = e.compile()
        >>> file = pathlib.Path(tempfile.mkdtemp(), "reasons.circuit")
        >>> circuit.save(file)
        >>> cattleya.Circuit.load(file).count() == circuit.count()
        True
        """
        from cattleya.reasons.circuit_file import read

        memory_limit = checked_memory(memory_limit)
        arrays, conditions, over = read(path, memory_limit)
        try:
            return cls(NativeCircuit(*arrays), conditions, memory_limit, over)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)!r} is damaged: {error}; write it again") from None

    def _assumptions(
        self, including: Iterable[Condition | str], excluding: Iterable[Condition | str]
    ) -> tuple[Int32s, Int32s]:
        wanted = self._numbers("including", including)
        unwanted = self._numbers("excluding", excluding)
        if both := wanted & unwanted:
            condition = self.conditions[min(both)]
            raise ValueError(f"{str(condition)!r} is to be both included and excluded; keep one")
        return (
            np.array(sorted(wanted), dtype=np.int32),
            np.array(sorted(unwanted), dtype=np.int32),
        )

    def _numbers(self, what: str, conditions: Iterable[Condition | str]) -> set[int]:
        if isinstance(conditions, (str, Condition)) or not isinstance(conditions, Iterable):
            raise TypeError(f"{what} takes a set of conditions, not {shown(conditions)}")
        numbers = set()
        for condition in conditions:
            number = self._number.get(condition) if isinstance(condition, Condition) else None
            if isinstance(condition, str):
                number = self._number_of_text.get(condition)
            if number is None:
                raise ValueError(
                    f"{str(condition)!r} is in no sufficient reason; take one of this circuit's "
                    f"conditions, such as {str(self.conditions[0])!r}"
                    if self.conditions
                    else f"{str(condition)!r} is in no sufficient reason: the only one is empty"
                )
            numbers.add(number)
        return numbers

    @cached_property
    def _number_of_text(self) -> dict[str, int]:
        return {str(condition): number for number, condition in enumerate(self.conditions)}

    def __repr__(self) -> str:
        count = self.count()
        shown = str(count) if count < SHOWN_IN_FULL else f"about 10^{round(math.log10(count))}"
        noun = "sufficient reason" if count == 1 else "sufficient reasons"
        return f"<Circuit: {shown} {noun} over {len(self.conditions)} conditions>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._core.arrays(), self.conditions, self._memory, self._over)


SHOWN_IN_FULL = 10**12


def _restore(
    arrays: Any, conditions: tuple[Condition, ...], memory_limit: int, over: str
) -> Circuit:
    return Circuit(NativeCircuit(*arrays), conditions, memory_limit, over)


def count_without(circuit: Circuit, numbers: Int32s, deadline: Deadline) -> int:
    """Return how many sufficient reasons have none of some conditions, given by their places."""
    none = np.zeros(0, dtype=np.int32)
    return integer(circuit._core.count(none, numbers, deadline.seconds(), circuit._memory))

"""A reason: an immutable set of conditions that knows what kind of explanation it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from cattleya._core import NamedSet, NamedSets, Names
from cattleya.model.conditions.condition import Condition
from cattleya.model.conditions.phrases import merged
from cattleya.model.tree.rows import RowReader
from cattleya.support.arrays import Bools

__all__ = [
    "NO_CONDITION",
    "GivenSource",
    "Reason",
    "Source",
    "given_set",
    "joined",
    "sentence",
]

#: What a reason without conditions prints: every row has the outcome.
NO_CONDITION = "(no condition)"


class Source(Protocol):
    """Where reasons of one kind come from.

    A row can have half a million contrastive explanations. A reason therefore only knows its place
    in the arrays it comes from, and looks its conditions up when somebody asks.
    """

    @property
    def kind(self) -> str:
        """What the reasons are: "sufficient reason", "contrastive explanation" and so on."""

    @property
    def definition(self) -> str:
        """What that means, in a sentence."""

    @property
    def merges(self) -> bool:
        """Whether conditions on one feature are said as one interval."""

    @property
    def rows(self) -> RowReader:
        """How to read rows."""

    @property
    def sets(self) -> NamedSets:
        """The conditions of all reasons of the source."""

    @property
    def undecided(self) -> tuple[Condition, ...]:
        """The conditions of the reason that were not proved to be needed, for want of time."""


class Reason(NamedSet, Set[Condition]):
    """An immutable set of conditions.

    It is equal to any set of the same conditions, prints as a sentence, and tells which rows it
    covers. ``kind`` and ``definition`` say what it is.

    Examples
    --------
    >>> import cattleya
    >>> tree = cattleya.Tree.from_nested(("x1", 0, ("x2", 0, 1)))
    >>> reason = cattleya.Explainer(tree).explain([1, 1]).sufficient_reason()
    >>> print(reason)
    x1 and x2
    >>> len(reason), reason.covers([[1, 1], [0, 1]]).tolist()
    (2, [True, False])
    >>> reason.kind
    'sufficient reason'
    >>> reason.definition.partition(",")[0]
    "a set of the row's conditions that forces the outcome whatever the other conditions are"
    >>> reason.conditions, reason.irredundant, reason.undecided
    ((<Condition x1>, <Condition x2>), True, ())
    """

    __slots__ = ()

    if TYPE_CHECKING:  # the base class has these, in native code

        def __init__(self, source: Source, position: int) -> None: ...

        @property
        def conditions(self) -> tuple[Condition, ...]:
            """The conditions in order: of the path in a direct reason, else of the features."""

        @property
        def _source(self) -> Source: ...
        @property
        def _position(self) -> int: ...
        def __iter__(self) -> Iterator[Condition]: ...
        def __len__(self) -> int: ...

    @property
    def kind(self) -> str:
        """What this is: "direct reason", "sufficient reason", "contrastive explanation"."""
        return self._source.kind

    @property
    def definition(self) -> str:
        """What that means, in a sentence."""
        return self._source.definition

    @property
    def undecided(self) -> tuple[Condition, ...]:
        """The conditions that may be needed or not: time ran out first (ensembles only)."""
        return self._source.undecided

    @property
    def irredundant(self) -> bool:
        """Whether it is proved that nothing in it can be left out."""
        proved = self.kind.startswith(("sufficient", "minimal", "contrastive"))
        return proved and not self.undecided

    def covers(self, X: Any) -> Bools:
        """Tell for each row of ``X`` whether all the conditions hold in it.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", 0, ("b", 0, 1)))
        >>> cattleya.Explainer(tree).explain([1, 1]).sufficient_reason().covers([[1, 1], [1, 0]])
        array([ True, False])
        """
        matrix = self._source.rows.matrix(X)
        covered = np.ones(len(matrix), dtype=np.bool_)
        for condition in self.conditions:
            covered &= condition.holds_in(matrix)
        return covered

    def __contains__(self, condition: object) -> bool:
        return condition in self.conditions

    # Comparisons as frozensets: the inherited ones ask for each condition by itself.

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) == len(other) and frozenset(self) == frozenset(other)

    def __le__(self, other: Set[Any]) -> bool:
        return frozenset(self) <= frozenset(other) if isinstance(other, Set) else NotImplemented

    def __lt__(self, other: Set[Any]) -> bool:
        return frozenset(self) < frozenset(other) if isinstance(other, Set) else NotImplemented

    def __ge__(self, other: Set[Any]) -> bool:
        return frozenset(self) >= frozenset(other) if isinstance(other, Set) else NotImplemented

    def __gt__(self, other: Set[Any]) -> bool:
        return frozenset(self) > frozenset(other) if isinstance(other, Set) else NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self.conditions))

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> frozenset[Any]:
        # A union or difference of reasons is a set of conditions, but no longer a reason.
        return frozenset(it)

    def issubset(self, other: Iterable[Condition]) -> bool:
        """Tell whether every condition is in ``other``.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> one, other = cattleya.Explainer(tree).explain([1, 1, 1]).sufficient_reasons()
        >>> one.issubset(one | other), one.issubset(other)
        (True, False)
        """
        return frozenset(self).issubset(other)

    def issuperset(self, other: Iterable[Condition]) -> bool:
        """Tell whether every condition of ``other`` is in this reason.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> one, other = cattleya.Explainer(tree).explain([1, 1, 1]).sufficient_reasons()
        >>> one.issuperset(one & other), one.issuperset(other)
        (True, False)
        """
        return frozenset(self).issuperset(other)

    def union(self, *others: Iterable[Condition]) -> frozenset[Condition]:
        """Return the conditions of this reason and the others.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> one, other = cattleya.Explainer(tree).explain([1, 1, 1]).sufficient_reasons()
        >>> sorted(map(str, one.union(other)))
        ['a', 'b', 'c']
        """
        return frozenset(self).union(*others)

    def intersection(self, *others: Iterable[Condition]) -> frozenset[Condition]:
        """Return the conditions that all have.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> one, other = cattleya.Explainer(tree).explain([1, 1, 1]).sufficient_reasons()
        >>> sorted(map(str, one.intersection(other)))
        ['c']
        """
        return frozenset(self).intersection(*others)

    def difference(self, *others: Iterable[Condition]) -> frozenset[Condition]:
        """Return the conditions that the others do not have.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
        >>> one, other = cattleya.Explainer(tree).explain([1, 1, 1]).sufficient_reasons()
        >>> sorted(map(str, one.difference(other)))
        ['a']
        """
        return frozenset(self).difference(*others)

    def __str__(self) -> str:
        to_change = self.kind == "contrastive explanation"
        return sentence(self.conditions, merges=self._source.merges, to_change=to_change)

    def __repr__(self) -> str:
        return f"<Reason ({self.kind}): {self}>"

    def __reduce__(self) -> tuple[object, ...]:
        own = self._source
        source = GivenSource(
            self.kind, self.definition, own.rows, self.conditions, own.merges, self.undecided
        )
        return Reason, (source, 0)


def sentence(conditions: Iterable[Condition], *, merges: bool, to_change: bool = False) -> str:
    """Return what a reason of some conditions prints as."""
    return joined(merged(conditions, to_change=to_change) if merges else list(map(str, conditions)))


def joined(texts: Sequence[str]) -> str:
    """Return the texts of conditions as one sentence."""
    told = " and ".join(texts)
    if " or missing" in told and len(texts) > 1:
        texts = [f"({text})" if text.endswith(" or missing") else text for text in texts]
        return " and ".join(texts)
    return told or NO_CONDITION


class GivenSource:
    """The source of one reason whose conditions are known."""

    def __init__(
        self,
        kind: str,
        definition: str,
        rows: RowReader,
        conditions: tuple[Condition, ...],
        merges: bool,
        undecided: tuple[Condition, ...] = (),
    ) -> None:
        self.undecided = undecided
        self.kind = kind
        self.definition = definition
        self.rows = rows
        self.merges = merges
        self._conditions = conditions

    @property
    def sets(self) -> NamedSets:
        """The one set of conditions."""
        return given_set(self._conditions)


def given_set(conditions: Iterable[Condition]) -> NamedSets:
    """Return one set of conditions that are known, in the order given."""
    table = list(conditions)
    numbers = np.arange(len(table), dtype=np.int32)
    return NamedSets(Names(table, _known, None, None), np.array([0, len(table)]), numbers, True)


def _known(number: int) -> Condition:
    raise AssertionError(f"condition {number} is given")

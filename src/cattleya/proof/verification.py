"""The outcome of a proof, and what proves things about one row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cattleya.model.conditions.condition import Condition
from cattleya.support.arrays import Floats

__all__ = ["RowProver", "Verification", "check_class"]


@dataclass(frozen=True, eq=False)
class Verification:
    """The outcome of a proof. True where the conditions are a sufficient reason for the row.

    Attributes
    ----------
    conditions : frozenset of Condition
        What was asked about.
    sufficient : bool
        Whether the conditions force the row's class, whatever the other conditions.
    irredundant : bool
        Whether they are sufficient, and no longer so when any one of them is left out.
    foreign : frozenset of Condition
        Those that do not even hold in the row. A sufficient reason has none.
    witness : frozenset of Condition
        Where the conditions are not sufficient: an assignment of all the tree's conditions that
        agrees with them and gets another class. Over features and intervals: what the row below
        has of the features in which it differs. Empty otherwise.
    row : ndarray or None
        The witness as a row of numbers, in the tree's columns. None where there is none: either the
        conditions are sufficient, or only assignments refute them that no row of numbers has (such
        as ``age <= 30`` without ``age <= 40``). The definition is about assignments.
    redundant : frozenset of Condition
        What can go, all of it together, so that a sufficient reason is left.
    larger : frozenset of Condition
        Of intervals and sets of values that are a sufficient reason: those that could be made
        larger, each by itself. Of other conditions this is not asked.
    in_rows : bool or None
        Over conditions, where they are not sufficient: whether they are so as intervals and sets of
        values, that is, whether every row that has them gets the class, so that only assignments
        that no row has refute them. None where this was not asked.
    notes : tuple of str
        How a text was read that does not say exactly what it stands for: a threshold that was
        rounded when it was printed.

    Examples
    --------
    >>> import cattleya
    >>> e = cattleya.Explainer(cattleya.Tree.from_nested(("a", 0, ("b", 0, 1)))).explain([1, 1])
    >>> e.verify(["a", "b"]).verdict, e.verify(["not a"]).verdict
    ('proved', 'foreign')
    >>> refuted = e.verify(["a"])
    >>> refuted.verdict, refuted.row.tolist(), sorted(map(str, refuted.witness))
    ('refuted', [1.0, 0.0], ['a', 'not b'])
    """

    conditions: frozenset[Condition]
    sufficient: bool
    irredundant: bool
    foreign: frozenset[Condition]
    witness: frozenset[Condition]
    row: Floats | None
    redundant: frozenset[Condition]
    larger: frozenset[Condition] = frozenset()
    in_rows: bool | None = None
    notes: tuple[str, ...] = ()
    noun: str = "class"  # what is forced

    def __bool__(self) -> bool:
        return self.sufficient and self.irredundant and not self.foreign

    @property
    def verdict(self) -> str:
        """In a word: "proved", "redundant", "refuted", or "foreign" if one is not the row's."""
        if self.foreign:
            return "foreign"
        if not self.sufficient:
            return "refuted"
        return "proved" if self.irredundant else "redundant"

    def __str__(self) -> str:
        if self.foreign:
            do = "does" if len(self.foreign) == 1 else "do"
            return f"no reason for this row: {_listed(self.foreign)} {do} not hold in it"
        if not self.sufficient:
            if self.in_rows:
                return (
                    f"not sufficient: an assignment of the conditions gets another {self.noun}, "
                    f"but no row does; over intervals it is sufficient"
                )
            if self.row is None:
                return f"not sufficient: an assignment of the conditions gets another {self.noun}"
            return f"not sufficient: a row that shares the conditions gets another {self.noun}"
        if not self.irredundant:
            return f"sufficient, but redundant: {_listed(self.redundant)} can be left out"
        text = f"a sufficient reason: it forces the {self.noun}, and nothing in it can be left out"
        return f"{text}; {_listed(self.larger)} could be made larger" if self.larger else text

    def __repr__(self) -> str:
        return f"<Verification {bool(self)}: {self}>"


class RowProver(Protocol):
    """Proves or refutes what is said of one row.

    ``RuntimeError`` where the row is not of the class that its explanation claims.
    """

    def verify(self, given: Sequence[Condition]) -> Verification:
        """Prove or refute that conditions are a sufficient reason for the row."""

    def is_contrast(self, given: Sequence[Condition]) -> bool:
        """Prove or refute that conditions are a contrastive explanation of the row."""


def check_class(by_the_tree: int, claimed: int) -> None:
    """Refuse a class that the search gives to a row, but not the tree: no reason is one for it."""
    if by_the_tree != claimed:
        raise RuntimeError(
            "internal error: the row has another class than its explanation says; please report "
            "this tree"
        )


def _listed(conditions: frozenset[Condition]) -> str:
    return ", ".join(sorted(map(str, conditions)))

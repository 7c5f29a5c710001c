"""The definitions of the paper, word for word, over all rows there are.

A row is explained by atoms: what can be said of it. Given are the class of every row and the atoms
that hold in it. A set of atoms is sufficient where all rows in which they hold have the class of
this one; that is looked up for each set, and everything else is read off this table. No path, leaf
or clause of a tree is ever looked at.

A set of atoms is a number: bit i set means that atom i is in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

Literal = tuple[Hashable, bool]  # a variable, and the value it is given
Term = frozenset[Literal]
Family = frozenset[Term]
Truths = npt.NDArray[np.bool_]
Classes = npt.NDArray[np.intp]
Classify = Callable[[Truths], npt.NDArray[Any]]  # one row per assignment, one column per variable


@dataclass(frozen=True)
class Explanations:
    """All explanations of one kind, each a set of atoms."""

    sets: frozenset[int]
    atoms: tuple[Hashable, ...]

    @cached_property
    def terms(self) -> frozenset[frozenset[Any]]:
        """The same, each as a set of the atoms themselves."""
        return frozenset(
            frozenset(atom for i, atom in enumerate(self.atoms) if one >> i & 1)
            for one in self.sets
        )

    @cached_property
    def necessary(self) -> int:
        """What is in every one; nothing where there is none."""
        common = (1 << len(self.atoms)) - 1 if self.sets else 0
        for one in self.sets:
            common &= one
        return common

    @cached_property
    def relevant(self) -> int:
        """What is in some."""
        found = 0
        for one in self.sets:
            found |= one
        return found

    @cached_property
    def by_size(self) -> dict[int, int]:
        """How many of each size there are."""
        return dict(sorted(Counter(one.bit_count() for one in self.sets).items()))

    @cached_property
    def least(self) -> frozenset[int]:
        """Those of the fewest atoms."""
        size = min((one.bit_count() for one in self.sets), default=0)
        return frozenset(one for one in self.sets if one.bit_count() == size)

    @cached_property
    def shares(self) -> tuple[Fraction, ...]:
        """Of each atom, the share of them that have it."""
        total = len(self.sets) or 1
        having = (sum(one >> i & 1 for one in self.sets) for i in range(len(self.atoms)))
        return tuple(Fraction(number, total) for number in having)

    def where(self, including: int, excluding: int) -> Explanations:
        """Return those with all of some atoms and none of others."""
        kept = (s for s in self.sets if s & including == including and not s & excluding)
        return Explanations(frozenset(kept), self.atoms)


@dataclass(frozen=True, eq=False)
class Explained:
    """A row among all rows, and the atoms that explain it.

    Parameters
    ----------
    atoms : what can be said of the row
    held : for every row, the set of the atoms that hold in it
    classes : the class of every row
    row : the number of the row that is explained; all atoms hold in it
    """

    atoms: tuple[Hashable, ...]
    held: npt.NDArray[np.intp]
    classes: Classes
    row: int

    def __post_init__(self) -> None:
        assert self.held[self.row] == (1 << len(self.atoms)) - 1, "an atom that is not the row's"

    @cached_property
    def predicted(self) -> int:
        """The row's class."""
        return int(self.classes[self.row])

    def without(self, unwanted: Truths) -> Truths:
        """For every set of atoms: do they hold in no unwanted row?"""
        table = np.ones(1 << len(self.atoms), dtype=np.bool_)
        table[self.held[unwanted]] = False
        return for_all_supersets(table)

    @cached_property
    def sufficient(self) -> Truths:
        """For every set of atoms: do all rows in which they hold have the row's class?"""
        return self.without(self.classes != self.predicted)

    @cached_property
    def reasons(self) -> Explanations:
        """The sufficient reasons: the minimal sufficient sets."""
        return self.marked(minimal(self.sufficient))

    @cached_property
    def contrasts(self) -> Explanations:
        """The contrastive explanations: minimal sets without which the rest does not suffice."""
        return self.marked(minimal(~self.sufficient[::-1]))

    def toward(self, wanted: int) -> Explanations:
        """The minimal sets without which the rest holds in some row of the class `wanted`."""
        return self.marked(minimal(~self.without(self.classes == wanted)[::-1]))

    def number(self, atoms: Collection[Hashable]) -> int:
        """The number of a set of atoms."""
        missing = set(atoms).difference(self.atoms)
        assert not missing, f"{missing} are no atoms of the row"
        return sum(1 << i for i, atom in enumerate(self.atoms) if atom in atoms)

    def marked(self, table: Truths) -> Explanations:
        """The sets that a table marks."""
        return Explanations(frozenset(np.flatnonzero(table).tolist()), self.atoms)


@dataclass(frozen=True)
class Case:
    """The paper's case: a function over binary `variables`, and the row that gives them `values`.

    The rows are all assignments of the variables, and the atoms are the row's literals.
    """

    variables: tuple[Hashable, ...]
    values: tuple[bool, ...]
    classify: Classify

    @cached_property
    def row(self) -> Term:
        """The term t_x: every variable with the value that the row gives it."""
        return frozenset(zip(self.variables, self.values, strict=True))

    @cached_property
    def classes(self) -> Classes:
        """The class of every assignment; bit i of its number: variable i is as in the row."""
        n = len(self.variables)
        as_in_row = (np.arange(2**n)[:, None] >> np.arange(n)) & 1 == 1
        values = np.array(self.values, dtype=bool)
        return np.asarray(self.classify(as_in_row == values), dtype=np.intp)

    @cached_property
    def explained(self) -> Explained:
        """The row among all assignments: what they share with it is their number."""
        literals = tuple(zip(self.variables, self.values, strict=True))
        return Explained(literals, np.arange(len(self.classes)), self.classes, -1)

    @property
    def predicted(self) -> int:
        """The row's class."""
        return self.explained.predicted

    @property
    def sufficient(self) -> Family:
        """The sufficient reasons: the prime implicants that cover the row."""
        return self.explained.reasons.terms

    @property
    def contrastive(self) -> Family:
        """The contrastive explanations: the minimal t for which t_x minus t is no implicant."""
        return self.explained.contrasts.terms

    def toward(self, wanted: int) -> Family:
        """The minimal t for which t_x minus t covers an assignment of the class `wanted`."""
        return self.explained.toward(wanted).terms

    @property
    def minimum_size(self) -> int:
        """The size of the minimal sufficient reasons."""
        return min(len(term) for term in self.sufficient)

    def is_implicant(self, term: Iterable[Literal]) -> bool:
        """Do all assignments that share `term` have the row's class?"""
        return bool(self.explained.sufficient[self.number(term)])

    def number(self, term: Iterable[Literal]) -> int:
        """The number of a term made of the row's literals."""
        return self.explained.number(frozenset(term))


def for_all_supersets(table: Truths) -> Truths:
    """For every set: does the table hold for all of its supersets, itself included?"""
    result = table.copy()
    step = 1
    while step < len(result):
        pairs = result.reshape(-1, 2, step)  # without and with one element
        pairs[:, 0] &= pairs[:, 1]
        step *= 2
    return result


def minimal(table: Truths) -> Truths:
    """The sets that the table holds for, and for none of them with one element taken out.

    For tables that stay true for larger sets (as all of the definitions' do), that is: minimal for
    inclusion.
    """
    result = table.copy()
    step = 1
    while step < len(table):
        result.reshape(-1, 2, step)[:, 1] &= ~table.reshape(-1, 2, step)[:, 0]
        step *= 2
    return result


def necessary(family: Family) -> Term:
    """The literals in every explanation (none where there is no explanation)."""
    return frozenset.intersection(*family) if family else frozenset()


def relevant(family: Family) -> Term:
    """The literals in at least one explanation."""
    return frozenset().union(*family)


def importance(family: Family, row: Term) -> dict[Literal, Fraction]:
    """The share of the explanations that each of the row's literals is in."""
    return {
        literal: Fraction(sum(literal in term for term in family), len(family)) for literal in row
    }


def minimal_hitting_sets(family: Family) -> Family:
    """All minimal sets that meet every set of the family, by trying all sets of literals."""
    literals = sorted(relevant(family), key=repr)
    numbers = np.arange(2 ** len(literals))
    hits = np.ones(len(numbers), dtype=bool)
    for term in family:
        hits &= numbers & sum(1 << literals.index(literal) for literal in term) != 0
    return Explanations(frozenset(np.flatnonzero(minimal(hits)).tolist()), tuple(literals)).terms

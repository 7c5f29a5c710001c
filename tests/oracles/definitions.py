"""Brute force from the paper's definitions, over all assignments of the binary variables.

A `Case` is a function, given as something that classifies assignments, and one row, given as the
values of the variables. Everything is read off the table of the classes of all 2^n assignments,
by the words of the definitions; no path, leaf or clause of a tree is ever looked at.

A set of the row's literals is a number: bit i set means that variable i is in it. An assignment is
a number too: bit i set means that it gives variable i the value that the row gives it. So the
assignments that a term covers are the supersets of its number, and the row is the number with all
bits set.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
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
Classify = Callable[[Truths], npt.NDArray[Any]]  # one row an assignment, one column a variable


@dataclass(frozen=True)
class Case:
    """A function over `variables` and the row that gives them `values`."""

    variables: tuple[Hashable, ...]
    values: tuple[bool, ...]
    classify: Classify

    @cached_property
    def row(self) -> Term:
        """The term t_x: every variable with the value that the row gives it."""
        return frozenset(zip(self.variables, self.values, strict=True))

    @cached_property
    def classes(self) -> Classes:
        """The class of every assignment."""
        n = len(self.variables)
        as_in_row = (np.arange(2**n)[:, None] >> np.arange(n)) & 1 == 1
        values = np.array(self.values, dtype=bool)
        return np.asarray(self.classify(as_in_row == values), dtype=np.intp)

    @cached_property
    def predicted(self) -> int:
        """The row's class."""
        return int(self.classes[-1])

    @cached_property
    def implicants(self) -> Truths:
        """For every term: do all assignments that it covers have the row's class?"""
        return for_all_supersets(self.classes == self.predicted)

    @cached_property
    def sufficient(self) -> Family:
        """The sufficient reasons: the prime implicants that cover the row."""
        return self.family(minimal(self.implicants))

    @cached_property
    def contrastive(self) -> Family:
        """The contrastive explanations: the minimal t for which t_x minus t is no implicant."""
        return self.family(minimal(~self.implicants[::-1]))

    def toward(self, wanted: int) -> Family:
        """The minimal t for which t_x minus t covers an assignment of the class `wanted`."""
        reaches = ~for_all_supersets(self.classes != wanted)
        return self.family(minimal(reaches[::-1]))

    @cached_property
    def minimum_size(self) -> int:
        """The size of the minimal sufficient reasons."""
        return min(len(term) for term in self.sufficient)

    def is_implicant(self, term: Iterable[Literal]) -> bool:
        """Do all assignments that share `term` have the row's class?"""
        return bool(self.implicants[self.number(term)])

    def number(self, term: Iterable[Literal]) -> int:
        """The number of a term made of the row's literals."""
        wanted = frozenset(term)
        assert wanted <= self.row, f"{wanted - self.row} are no literals of the row"
        return sum(1 << i for i, v in enumerate(self.variables) if (v, self.values[i]) in wanted)

    def family(self, table: Truths) -> Family:
        """The terms whose numbers the table marks."""
        pairs = list(zip(self.variables, self.values, strict=True))
        return frozenset(
            frozenset(pair for i, pair in enumerate(pairs) if int(number) >> i & 1)
            for number in np.flatnonzero(table)
        )


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
    return frozenset(
        frozenset(literal for i, literal in enumerate(literals) if int(number) >> i & 1)
        for number in np.flatnonzero(minimal(hits))
    )

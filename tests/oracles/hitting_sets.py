"""The minimal hitting sets of clauses without the library: listed, and counted as models of a CNF.

A sufficient reason is a minimal set of atoms that meets every clause. `minimal_hitting_sets` lists
them by Berge's method, `brute_force_models` counts the models of the CNF that the paper gives to a
model counter (`cattleya.experiments.peers.prime_cnf`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
import numpy.typing as npt

__all__ = [
    "Arrays",
    "Clauses",
    "as_arrays",
    "atoms_of",
    "brute_force_models",
    "minimal_hitting_sets",
    "number_of",
    "renumbered",
]

Clauses = Sequence[Collection[int]]
Arrays = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], int]


def minimal_hitting_sets(clauses: Clauses) -> frozenset[frozenset[int]]:
    """Berge's method: those of the first clauses, extended by one clause after the other.

    A set that misses the next clause is extended by each of the clause's atoms. What results is
    minimal unless it contains a set that meets the clause as it is; two extended sets never contain
    each other.
    """
    found = {0}  # a set is a number: bit i set means that atom i is in it
    for clause in sorted(clauses, key=len):
        wanted = number_of(clause)
        meeting = {s for s in found if s & wanted}
        extended = {s | 1 << atom for s in found - meeting for atom in clause}
        found = meeting | {t for t in extended if not any(s & t == s for s in meeting)}
    return frozenset(atoms_of(s) for s in found)


def number_of(atoms: Iterable[int]) -> int:
    return sum(1 << atom for atom in set(atoms))


def atoms_of(number: int) -> frozenset[int]:
    return frozenset(i for i in range(number.bit_length()) if number >> i & 1)


def brute_force_models(variables: int, cnf: Sequence[Sequence[int]]) -> int:
    """The number of models, by trying all assignments."""
    numbers = np.arange(2**variables)
    good = np.ones(len(numbers), dtype=bool)
    for clause in cnf:
        good &= np.any([(numbers >> abs(x) - 1 & 1) == (x > 0) for x in clause], axis=0)
    return int(good.sum())


def as_arrays(clauses: Clauses, n_atoms: int) -> Arrays:
    """Clauses as the native core takes them."""
    start = np.cumsum([0, *map(len, clauses)], dtype=np.int64)
    return start, np.array([a for clause in clauses for a in clause], dtype=np.int32), n_atoms


def renumbered(clauses: Clauses) -> tuple[list[list[int]], int]:
    """The same clauses over the atoms 0, 1, 2, ..., and how many there are."""
    number = {atom: i for i, atom in enumerate(sorted({a for clause in clauses for a in clause}))}
    return [[number[atom] for atom in clause] for clause in clauses], len(number)

"""The paper's way to count: a CNF whose models are the sufficient reasons.

Its encoding is that of Jabbour et al. (2014) for prime implicants, simplified for clauses without
negation: a chosen atom must be the only chosen one of some clause. Used for other model counters.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

__all__ = ["prime_cnf"]


def prime_cnf(clauses: Sequence[Collection[int]]) -> tuple[int, list[list[int]]]:
    """Return a CNF with one model for every minimal hitting set, and its number of variables.

    Variable v + 1 says that atom v is in the set. For each atom of each clause there is one more
    variable, which says that no other atom of the clause is in the set. A set is a hitting set if
    it meets all clauses, and then minimal if each of its atoms is alone in one of them.

    Examples
    --------
    >>> prime_cnf([[0, 1]])
    (4, [[1, 2], [-3, -2], [3, 2], [-4, -1], [4, 1], [-1, 3], [-2, 4]])
    """
    n = top = 1 + max((atom for clause in clauses for atom in clause), default=-1)
    cnf = [[atom + 1 for atom in clause] for clause in clauses]
    alone_in: list[list[int]] = [[] for _ in range(n)]
    for clause in clauses:
        for atom in clause:
            top += 1
            others = [other + 1 for other in clause if other != atom]
            cnf += [[-top, -other] for other in others] + [[top, *others]]
            alone_in[atom].append(top)
    cnf += [[-(atom + 1), *alone] for atom, alone in enumerate(alone_in)]
    return top, cnf

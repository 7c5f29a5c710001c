"""PySAT's RC2 on the paper's Partial MaxSAT of a row's clauses, as in the paper with Glucose.

Timed are the making of the formula together with the search, and the search alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cattleya.experiments.peers.apart import serve
from cattleya.experiments.peers.workers.clocks import settled


def start(_: dict[str, Any]) -> Callable[[Any], dict[str, Any]]:
    """Import PySAT; find a minimum hitting set of each row's clauses."""
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    def formula_of(clauses: list[list[int]]) -> Any:
        formula = WCNF()
        for clause in clauses:
            formula.append([atom + 1 for atom in clause])
        for atom in sorted({atom for clause in clauses for atom in clause}):
            formula.append([-(atom + 1)], weight=1)
        return formula

    def smallest(formula: Any) -> list[int]:
        with RC2(formula, solver="g3") as solver:
            return [literal - 1 for literal in solver.compute() or () if literal > 0]

    def answer(row: Any) -> dict[str, Any]:
        made, formula = settled(lambda: formula_of(row))
        solved, found = settled(lambda: smallest(formula))
        return {"seconds": {"minimal": made + solved, "search": solved}, "minimal": found}

    return answer


if __name__ == "__main__":
    serve(start)

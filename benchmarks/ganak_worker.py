"""Ganak on the paper's CNF of one row: `python ganak_worker.py GIVEN RESULT`.

GIVEN is a pickle of the row's clauses and a number of seconds, after which the process ends itself.
Timed are the encoding and the counting, not the import.
"""

from __future__ import annotations

import pickle
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from apart import write_result
from timing import settled


def paper_cnf(clauses: Sequence[Sequence[int]]) -> tuple[int, list[list[int]]]:
    """Encode the minimal hitting sets of clauses over 1, 2, ... as the models of a CNF.

    As in the paper (Jabbour et al. 2014, simplified for monotone formulas): a chosen variable must
    be the only chosen one of some clause. The variable that says so is determined by the others, so
    the CNF has a model for each hitting set. Returns the number of variables, and the CNF.
    """
    top = max((max(clause) for clause in clauses), default=0)
    alone: dict[int, list[int]] = {v: [-v] for clause in clauses for v in clause}
    cnf = [list(clause) for clause in clauses]
    for clause in clauses:
        for v in clause:
            top += 1
            rest = [w for w in clause if w != v]
            alone[v].append(top)
            cnf += [[-top, -w] for w in rest]
            cnf.append([top, *rest])
    return top, cnf + list(alone.values())


def main(given: Path, result: Path) -> None:
    """Count once, within the time given."""
    from pyganak import Counter

    clauses, limit = pickle.loads(given.read_bytes())

    def count() -> int:
        variables, cnf = paper_cnf(clauses)
        counter = Counter()
        counter.new_vars(variables)
        counter.add_clauses(cnf)
        return int(counter.count())

    signal.setitimer(signal.ITIMER_REAL, limit)  # the alarm's default action ends the process
    seconds, n = settled(count)
    signal.setitimer(signal.ITIMER_REAL, 0)
    write_result(result, {"seconds": seconds, "count": str(n)})


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

"""Ganak on the paper's CNF of one row: `python ganak_worker.py GIVEN RESULT`.

GIVEN is a pickle of the row's clauses and a number of seconds, after which the process ends itself.
Timed are the encoding and the counting, not the import.
"""

from __future__ import annotations

import pickle
import signal
import sys
from pathlib import Path

from apart import write_result
from timing import settled

from cattleya.experiments.peers.prime_cnf import prime_cnf


def main(given: Path, result: Path) -> None:
    """Count once, within the time given."""
    from pyganak import Counter

    clauses, limit = pickle.loads(given.read_bytes())

    def count() -> int:
        variables, cnf = prime_cnf(clauses)
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

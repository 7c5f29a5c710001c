"""d4 as PyXAI calls it, on one row: `python d4_worker.py GIVEN RESULT`.

GIVEN is a pickle of a fitted scikit-learn tree, a row, and d4's time limit in seconds, which leaves
out the making of the CNF. Timed is all from the row to the number, not the import.
"""

from __future__ import annotations

import pickle
import sys
import time
from pathlib import Path

from apart import TIME_LIMIT, write_result
from pyxai_worker import start


def main(given: Path, result: Path) -> None:
    """Ask PyXAI how many sufficient reasons the row has."""
    model, row, limit = pickle.loads(given.read_bytes())
    explaining, _, explainer = start(model)
    begin = time.perf_counter_ns()
    explainer.set_instance(row)
    n = explainer.n_sufficient_reasons(time_limit=limit)
    seconds = (time.perf_counter_ns() - begin) / 1e9
    _remove_left_behind()
    if n is None and explainer.elapsed_time == explaining.TIMEOUT:
        write_result(result, {"trouble": TIME_LIMIT})
    else:  # None is also its answer where every clause is a unit: there is one reason
        write_result(result, {"seconds": seconds, "count": str(1 if n is None else int(n))})


def _remove_left_behind() -> None:
    from pyxai.sources.solvers.COMPILER.D4Solver import D4Solver

    files = D4Solver()  # its names are the same throughout a process
    for name in (files.filename_cnf, files.filename_query):
        Path(name).unlink(missing_ok=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

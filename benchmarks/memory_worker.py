"""The peak memory of counting one row: `python memory_worker.py GIVEN RESULT`.

GIVEN is a pickle of a fitted scikit-learn tree, a row, and a time limit in seconds.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

from apart import write_result
from timing import peak_memory

import cattleya


def main(given: Path, result: Path) -> None:
    """Ask for the importance and the count; write the peak in bytes before and after."""
    model, row, limit = pickle.loads(given.read_bytes())
    explainer = cattleya.Explainer(model)
    before = peak_memory()
    explanation = explainer.explain(row)
    trouble = None
    try:
        explanation.importance(timeout=limit)
        explanation.count(timeout=limit)
    except (cattleya.TimeoutExpired, cattleya.MemoryLimitExceeded) as error:
        trouble = type(error).__name__
    write_result(result, {"before": before, "peak": peak_memory(), "trouble": trouble})


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

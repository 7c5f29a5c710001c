"""PyXAI's minimal reason and first reasons, in a process of its own.

`python pyxai_preferred_worker.py CASE RESULT`: CASE is a pickle of a fitted tree, rows, and how
many sufficient reasons to ask for. RESULT gets the seconds of each, one entry a row.
"""

from __future__ import annotations

import pickle
import sys
import time
from pathlib import Path
from typing import Any

from apart import write_result
from pyxai_worker import start


def main(case: Path, result: Path) -> None:
    """Ask for a minimal reason, then for the first sufficient reasons, of each row."""
    model, rows, number = pickle.loads(case.read_bytes())
    _, _, explainer = start(model)
    entries: list[dict[str, Any]] = []
    for row in rows:
        explainer.set_instance(row)
        entry: dict[str, Any] = {}
        entries.append(entry)
        begin = time.perf_counter()
        found = explainer.minimal_sufficient_reason(n=1)
        entry["minimal"] = time.perf_counter() - begin
        entry["minimal found"] = len(found)
        write_result(result, entries)
        begin = time.perf_counter()
        found = explainer.sufficient_reason(n=number)
        entry["all"] = time.perf_counter() - begin
        entry["all found"] = len(found) if found and isinstance(found[0], tuple) else 1
        write_result(result, entries)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

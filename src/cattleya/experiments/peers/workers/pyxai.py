"""PyXAI 2.0, by authors of the paper: the questions of the paper, asked of the same tree.

Its minimal reasons come from OpenWBO and its counts from d4, both of which it brings along. Which
questions are asked can be given, and for "many" how many sufficient reasons are wanted. The labels
must be 0, 1, ...: with others PyXAI 2.0 answers wrongly. Conditions are given back as (feature,
threshold, is the row's value at most the threshold?).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from cattleya.experiments.peers.apart import serve
from cattleya.experiments.peers.workers.clocks import once

Literal = tuple[int, float, bool]
USUAL = ("direct", "sufficient", "contrastive", "necessary", "relevant", "minimal", "count")


def start(given: dict[str, Any]) -> Callable[[Any], dict[str, Any]]:
    """Import PyXAI and its form of the tree, beforehand."""
    sys.argv = sys.argv[:3]
    kept, sys.argv = sys.argv, sys.argv[:1]  # PyXAI reads the command line on import
    from pyxai import Explaining, Learning, Tools

    sys.argv = kept
    Tools.set_verbose(0)
    _, tree = Learning.ModelIO.import_models(given["model"], instances_type="tabular")
    explainer = Explaining.initialize(tree)
    # Its history, for drawing, fails on trees that leave features out, and costs time.
    explainer.visualisation._do_history = False
    limit = max(1, int(given.get("d4_limit", 1)))

    def literals(numbers: Iterable[int]) -> list[Literal]:
        conditions = [(tree.map_id_binaries_to_features[abs(n)], n < 0) for n in numbers]
        return sorted((int(c[0]) - 1, float(c[2]), at_most) for c, at_most in conditions)

    ask: dict[str, Callable[[], Any]] = {
        "direct": explainer.direct_reason,
        "sufficient": lambda: explainer.sufficient_reason(n=1),
        "contrastive": lambda: explainer.contrastive_reason(n=Explaining.ALL),
        "necessary": explainer.necessary_literals,
        "relevant": explainer.relevant_literals,
        "minimal": lambda: explainer.minimal_sufficient_reason(n=1),
        "many": lambda: explainer.sufficient_reason(n=given["many"]),
        "count": lambda: explainer.n_sufficient_reasons(time_limit=limit),
    }

    def answer(row: Any) -> dict[str, Any]:
        seconds: dict[str, float] = {}
        seconds["row"], _ = once(lambda: explainer.set_instance(row))
        found: dict[str, Any] = {}
        for question in given.get("questions", USUAL):
            seconds[question], found[question] = once(ask[question])
        told: dict[str, Any] = {"seconds": seconds}
        for question in found.keys() - {"contrastive", "many", "count"}:
            told[question] = literals(found[question])
        if "relevant" in found:  # PyXAI's own leaves out the necessary ones
            told["relevant"] = literals([*found["relevant"], *found["necessary"]])
        if "contrastive" in found:
            told["contrastive"] = [literals(contrast) for contrast in found["contrastive"]]
        if "many" in found:  # a single reason is given as it is
            told["many"] = len(found["many"]) if isinstance(found["many"][0], tuple) else 1
        if "count" in found:
            number = found["count"]
            if number is None and explainer.elapsed_time == Explaining.TIMEOUT:
                del seconds["count"]
            else:  # None is also its answer where every clause is a unit: there is one reason
                told["count"] = str(1 if number is None else int(number))
            _remove_left_behind()
        return told

    return answer


def _remove_left_behind() -> None:
    from pyxai.sources.solvers.COMPILER.D4Solver import D4Solver

    files = D4Solver()  # its names are the same throughout a process
    for name in (files.filename_cnf, files.filename_query):
        Path(name).unlink(missing_ok=True)


if __name__ == "__main__":
    serve(start)

"""PyXAI 2.0, by authors of the paper: the questions of the paper, asked of the same tree.

Its minimal reasons come from OpenWBO and its counts from d4, both of which it brings along. The
labels must be 0, 1, ...: with others PyXAI 2.0 answers wrongly. Conditions are given back as
(feature, threshold, is the row's value at most the threshold?).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from cattleya.experiments.peers.apart import serve
from cattleya.experiments.peers.workers.clocks import once

Literal = tuple[int, float, bool]


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
    limit = max(1, int(given["d4_limit"]))

    def literals(numbers: Iterable[int]) -> list[Literal]:
        conditions = [(tree.map_id_binaries_to_features[abs(n)], n < 0) for n in numbers]
        return sorted((int(c[0]) - 1, float(c[2]), at_most) for c, at_most in conditions)

    def answer(row: Any) -> dict[str, Any]:
        seconds: dict[str, float] = {}

        def ask(name: str, question: Callable[[], Any]) -> Any:
            seconds[name], answer = once(question)
            return answer

        ask("row", lambda: explainer.set_instance(row))
        direct = ask("direct", explainer.direct_reason)
        sufficient = ask("sufficient", lambda: explainer.sufficient_reason(n=1))
        contrasts = ask("contrastive", lambda: explainer.contrastive_reason(n=Explaining.ALL))
        necessary = ask("necessary", explainer.necessary_literals)
        relevant = ask("relevant", explainer.relevant_literals)
        minimal = ask("minimal", lambda: explainer.minimal_sufficient_reason(n=1))
        number = ask("count", lambda: explainer.n_sufficient_reasons(time_limit=limit))
        late = number is None and explainer.elapsed_time == Explaining.TIMEOUT
        if late:
            del seconds["count"]
        _remove_left_behind()
        return {
            "seconds": seconds,
            "direct": literals(direct),
            "sufficient": literals(sufficient),
            "contrastive": [literals(contrast) for contrast in contrasts],
            "necessary": literals(necessary),
            # PyXAI's own "relevant" leaves out the necessary ones.
            "relevant": literals([*relevant, *necessary]),
            "minimal": literals(minimal),
            # None is also its answer where every clause is a unit: there is one reason.
            "count": None if late else str(1 if number is None else int(number)),
        }

    return answer


def _remove_left_behind() -> None:
    from pyxai.sources.solvers.COMPILER.D4Solver import D4Solver

    files = D4Solver()  # its names are the same throughout a process
    for name in (files.filename_cnf, files.filename_query):
        Path(name).unlink(missing_ok=True)


if __name__ == "__main__":
    serve(start)

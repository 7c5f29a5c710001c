"""PyXAI in a process of its own: `python pyxai_worker.py CASE RESULT`.

CASE is a pickle of a fitted scikit-learn tree and a list of rows. RESULT gets a JSON list, one
entry a row, written anew after each row, so that a later hang or crash loses none of them: the
seconds of each question, and the answers as sets of (feature, threshold, is the row's value at
most the threshold?). The labels must be 0, 1, ...: with others PyXAI 2.0 answers wrongly.
"""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from apart import write_result

Literal = tuple[int, float, bool]


def start(model: Any) -> tuple[Any, Any, Any]:
    """Import PyXAI; give its module of constants, its own tree, and its explainer of that."""
    sys.argv = sys.argv[:1]  # PyXAI reads the command line on import
    from pyxai import Explaining, Learning, Tools

    Tools.set_verbose(0)
    _, tree = Learning.ModelIO.import_models(model, instances_type="tabular")
    return Explaining, tree, Explaining.initialize(tree)


def main(case: Path, result: Path) -> None:
    """Ask PyXAI the questions of the package for each row."""
    model, rows = pickle.loads(case.read_bytes())
    explaining, tree, explainer = start(model)
    questions: dict[str, Callable[[], Any]] = {
        "direct reason": explainer.direct_reason,
        "one sufficient reason": lambda: explainer.sufficient_reason(n=1),
        "all contrastive explanations": lambda: explainer.contrastive_reason(n=explaining.ALL),
        "necessary": explainer.necessary_literals,
        "relevant": explainer.relevant_literals,
    }

    def literals(numbers: Iterable[int]) -> list[Literal]:
        conditions = [(tree.map_id_binaries_to_features[abs(n)], n < 0) for n in numbers]
        return sorted((int(c[0]) - 1, float(c[2]), at_most) for c, at_most in conditions)

    entries = []
    for row in rows:
        begin = time.perf_counter_ns()
        explainer.set_instance(row)
        seconds = {"explain": (time.perf_counter_ns() - begin) / 1e9}
        answers = {}
        for name, ask in questions.items():
            begin = time.perf_counter_ns()
            answers[name] = ask()
            seconds[name] = (time.perf_counter_ns() - begin) / 1e9
        entries.append(
            {
                "seconds": seconds,
                "direct": literals(answers["direct reason"]),
                "contrastive": [literals(c) for c in answers["all contrastive explanations"]],
                "necessary": literals(answers["necessary"]),
                # PyXAI's own "relevant" leaves out the necessary ones
                "relevant": literals([*answers["relevant"], *answers["necessary"]]),
            }
        )
        write_result(result, entries)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

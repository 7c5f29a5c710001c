"""PyXAI in a process of its own: `python pyxai_worker.py CASE RESULT`.

CASE is a pickle of a fitted scikit-learn tree and a list of rows. RESULT gets a JSON list, one
entry a row, written anew after each row, so that a later hang or crash loses none of them: the
seconds of each question, and the answers as sets of (feature, threshold, is the row's value at
most the threshold?). The labels must be 0, 1, ...: with others PyXAI 2.0 answers wrongly.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

Literal = tuple[int, float, bool]


def main(case: Path, result: Path) -> None:
    """Ask PyXAI the questions of the package for each row."""
    sys.argv = sys.argv[:1]  # PyXAI reads the command line on import
    from pyxai import Explaining, Learning, Tools

    Tools.set_verbose(0)
    model, rows = pickle.loads(case.read_bytes())
    _, tree = Learning.ModelIO.import_models(model, instances_type="tabular")
    explainer = Explaining.initialize(tree)
    questions: dict[str, Callable[[], Any]] = {
        "direct reason": explainer.direct_reason,
        "one sufficient reason": lambda: explainer.sufficient_reason(n=1),
        "all contrastive explanations": lambda: explainer.contrastive_reason(n=Explaining.ALL),
        "necessary": explainer.necessary_literals,
        "relevant": explainer.relevant_literals,
    }

    def literals(numbers: Iterable[int]) -> list[Literal]:
        conditions = [(tree.map_id_binaries_to_features[abs(n)], n < 0) for n in numbers]
        return sorted((int(c[0]) - 1, float(c[2]), at_most) for c, at_most in conditions)

    entries = []
    for row in rows:
        start = time.perf_counter_ns()
        explainer.set_instance(row)
        seconds = {"explain": (time.perf_counter_ns() - start) / 1e9}
        answers = {}
        for name, ask in questions.items():
            start = time.perf_counter_ns()
            answers[name] = ask()
            seconds[name] = (time.perf_counter_ns() - start) / 1e9
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
        written = result.with_suffix(".new")
        written.write_text(json.dumps(entries))
        os.replace(written, result)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

"""``python benchmarks/ensemble_peers.py FILE``: PyXAI's answers about rows of an ensemble, timed.

Runs by itself, so that it may have a Python of its own: the file (joblib) has the model, its rows
and the questions. One line of JSON is printed for each answer; whoever reads them may stop it at
any time. PyXAI explains forests by the majority of their trees, which need not be what they decide.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import joblib

QUESTIONS = {
    "majoritary": lambda explainer: explainer.majoritary_reason(n=1),
    "tree-specific": lambda explainer: explainer.tree_specific_reason(),
    "sufficient": lambda explainer: explainer.sufficient_reason(),
    "contrast": lambda explainer: explainer.minimal_contrastive_reason(n=1),
}


def main() -> None:
    """Answer, question after question."""
    given, sys.argv = joblib.load(sys.argv[1]), sys.argv[:1]  # PyXAI reads the command line
    from pyxai import Explaining, Learning, Tools

    Tools.set_verbose(0)
    _, model = Learning.ModelIO.import_models(given["model"], instances_type="tabular")
    explainer = Explaining.initialize(model)
    explainer.visualisation._do_history = False
    for question in given["questions"]:
        ask: Callable[[Any], Any] = QUESTIONS[question]
        for number, row in enumerate(given["rows"]):
            begin = time.perf_counter()
            explainer.set_instance(row)
            found = ask(explainer)
            told = {
                "question": question,
                "row": number,
                "seconds": time.perf_counter() - begin,
                "size": len(found) if found is not None else None,
            }
            print("answer " + json.dumps(told), flush=True)


if __name__ == "__main__":
    main()

"""``python benchmarks/ensemble_workers.py FILE``: answers about rows of an ensemble, timed.

Ours and those of the peers, each in a process of its own, by the same clock: from the row to the
answer, with the explainer made beforehand. The file (joblib) has the tool, the model, the rows, the
questions and how long each question may take altogether. One line of JSON is printed per answer, so
that what was answered is known however it ends. A peer is ended by an alarm, also in native code;
we are asked with ``timeout``, and no further row once the time is used up.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import joblib
import numpy as np

Ask = Callable[[Any], dict[str, Any]]
KIB = 1024


def cattleya(given: dict[str, Any]) -> dict[str, Ask]:
    """Return our own questions."""
    from cattleya import Explainer, TimeoutExpired

    ensemble, timeout = given["ensemble"], given["timeout"]
    gaps = False if ensemble.missing_left is not None else None  # PyXAI knows no missing values
    explainer: Any = Explainer(ensemble, over="intervals", missing_values=gaps)
    explainer.explain(given["rows"][0]).quick_reason()

    def asked(call: Callable[[Any], Any]) -> Ask:
        def answer(row: Any) -> dict[str, Any]:
            try:
                found = call(explainer.explain(row))
            except TimeoutExpired as stopped:
                return {"open": str(stopped)}
            if isinstance(found, tuple):
                return {"size": len(found[0].changes)}
            said: dict[str, Any] = {"size": len(found)}
            if getattr(found, "undecided", None):
                said["open"] = "open are " + ", ".join(map(str, found.undecided))
            return said

        return answer

    return {
        "direct": asked(lambda e: e.direct_reason()),
        "quick": asked(lambda e: e.quick_reason()),
        "exact": asked(lambda e: e.sufficient_reason(timeout=timeout)),
        "minimal": asked(lambda e: e.minimal_reason(timeout=max(given["caps"]["minimal"], 1.0))),
        "nearest": asked(lambda e: e.counterfactuals(timeout=max(given["caps"]["nearest"], 1.0))),
    }


def pyxai(given: dict[str, Any]) -> dict[str, Ask]:
    """Return PyXAI's, which explains forests by the majority of their trees."""
    sys.argv = sys.argv[:1]  # PyXAI reads the command line
    from pyxai import Explaining, Learning, Tools

    Tools.set_verbose(0)
    _, model = Learning.ModelIO.import_models(given["model"], instances_type="tabular")
    explainer = Explaining.initialize(model)
    explainer.visualisation._do_history = False

    def asked(name: str, **options: Any) -> Ask:
        def answer(row: Any) -> dict[str, Any]:
            explainer.set_instance(row)
            found = getattr(explainer, name)(**options)
            return {} if found is None else {"size": len(found)}

        return answer

    return {
        "majoritary": asked("majoritary_reason", n=1),
        "tree-specific": asked("tree_specific_reason"),
        "sufficient": asked("sufficient_reason"),
        "contrast": asked("minimal_contrastive_reason", n=1),
    }


def dice(given: dict[str, Any]) -> dict[str, Ask]:
    """Return DiCE's, by its random method."""
    import dice_ml
    import pandas as pd

    x, y = given["train"]
    names = [f"f{i}" for i in range(x.shape[1])]
    data = dice_ml.Data(
        dataframe=pd.DataFrame(x, columns=names).assign(label=y),
        continuous_features=names,
        outcome_name="label",
    )
    model = dice_ml.Model(model=_Nameless(given["model"]), backend="sklearn")
    explainer = dice_ml.Dice(data, model, method="random")

    def answer(row: Any) -> dict[str, Any]:
        query = pd.DataFrame([row], columns=names)
        found = explainer.generate_counterfactuals(
            query, total_CFs=1, desired_class="opposite", random_seed=0, verbose=False
        ).cf_examples_list[0]
        other = found.final_cfs_df[names].astype(float).to_numpy()
        return {"size": int((other[0] != row).sum())} if len(other) else {}

    return {"counterfactual": answer}


class _Nameless:
    """A model for tables, which was trained on arrays."""

    def __init__(self, model: Any) -> None:
        self.model, self.classes_ = model, model.classes_

    def predict(self, table: Any) -> Any:
        return self.model.predict(np.asarray(table, dtype=float))

    def predict_proba(self, table: Any) -> Any:
        return self.model.predict_proba(np.asarray(table, dtype=float))


TOOLS: dict[str, Callable[[dict[str, Any]], dict[str, Ask]]] = {
    "cattleya": cattleya,
    "PyXAI": pyxai,
    "DiCE": dice,
}


def _peak() -> int:
    """Return the most memory that this process has had, all of Python included.

    (``ru_maxrss`` would be at least that of the process that started it.)
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    (said,) = [line for line in lines if line.startswith("VmHWM:")]
    return int(said.split()[1]) * KIB


def _answer(given: dict[str, Any], question: str, ask: Ask) -> None:
    """Answer one question about as many rows as there is time for."""
    spent, cap = 0.0, given["caps"][question]
    if given["tool"] != "cattleya":
        signal.setitimer(signal.ITIMER_REAL, cap)
    for number, row in enumerate(given["rows"]):
        if spent > cap:
            break
        begin = time.perf_counter()
        found = ask(row)
        seconds = time.perf_counter() - begin
        spent += seconds
        told = {"question": question, "row": number, "seconds": seconds, **found}
        told["memory"] = _peak()
        print("answer " + json.dumps(told), flush=True)


def main() -> None:
    """Answer, question after question; whoever ends this process ends its child, too."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    given = joblib.load(sys.argv[1])
    asks = TOOLS[given["tool"]](given)
    for question in given["questions"]:
        if given["tool"] == "cattleya":
            _answer(given, question, asks[question])
        elif _apart(given, question, asks[question]) not in (0, -signal.SIGALRM):
            print("failed " + question, flush=True)


def _apart(given: dict[str, Any], question: str, ask: Ask) -> int:
    """Let a child answer, which an alarm ends, and with it the solvers that it started.

    The model, which may take long to read, stays here.
    """
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _answer(given, question, ask)
        os._exit(0)
    try:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)


if __name__ == "__main__":
    main()

"""``python benchmarks/ensemble_workers.py FILE``: answers about rows of an ensemble, timed.

Ours and those of the peers, each in a process of its own, by the same clock: from the row to the
answer, with the explainer made beforehand. It imports nothing of the project but ``cattleya``, for
our own answers, as peers may have a Python of their own. The file (joblib) has the tool, the model,
the rows and their classes, the questions, and how long each question may take altogether: no
further row is asked once that is used up. A peer is ended by an alarm, also in native code, but
each row that it was asked has at least the time that decides its bar; we are asked with
``timeout``. One line is printed per answer, so that what was answered is known however it ends.

``--import TOOL FOLDER`` only imports a tool, and prints its versions.
"""

from __future__ import annotations

import collections
import collections.abc
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from types import SimpleNamespace
from typing import Any

import joblib
import numpy as np

#: From a row and its class to what is told of the answer.
Ask = Callable[[Any, int], dict[str, Any]]
KIB = 1024
FAR = 1e12  # beyond every threshold
LONG = 10**6  # seconds: the alarm comes first
MISREAD = {"open": "it takes the row for one of another class"}


def cattleya(given: dict[str, Any]) -> dict[str, Ask]:
    """Return our own questions."""
    from cattleya import Explainer, TimeoutExpired

    ensemble, timeout = given["ensemble"], given["timeout"]
    gaps = False if ensemble.missing_left is not None else None  # PyXAI knows no missing values
    explainer: Any = Explainer(ensemble, over="intervals", missing_values=gaps)
    explainer.explain(given["rows"][0]).quick_reason()

    def asked(call: Callable[[Any], Any]) -> Ask:
        def answer(row: Any, _: int) -> dict[str, Any]:
            try:
                found = call(explainer.explain(row))
            except TimeoutExpired as stopped:
                return {"open": str(stopped)}
            if isinstance(found, tuple):
                return {"size": len(found[0].changes), "other": [*map(float, found[0].row)]}
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
        def answer(row: Any, _: int) -> dict[str, Any]:
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

    def answer(row: Any, _: int) -> dict[str, Any]:
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


def import_xreason(folder: str) -> tuple[Any, ...]:
    """Import XReason from its folder."""
    sys.path.insert(0, str(Path(folder) / "src"))
    from options import Options  # type: ignore[import-not-found]  # a peer's own
    from xgbooster.encode import MXEncoder  # type: ignore[import-not-found]  # a peer's own
    from xgbooster.explain import MXExplainer  # type: ignore[import-not-found]  # a peer's own

    return Options, MXEncoder, MXExplainer


def xreason(given: dict[str, Any]) -> dict[str, Ask]:
    """Return XReason's subset-minimal reasons, by its MaxSAT encoding, as it recommends it."""
    options_of, encoder_of, explainer_of = import_xreason(given["folder"])
    names = [f"f{i}" for i in range(len(given["rows"][0]))]
    about = SimpleNamespace(
        options=options_of(["xreason", "-e", "mx", "-s", "g3", "-X", "abd", "-R", "lin"]),
        target_name=[0, 1],
        feature_names=names,
        extended_feature_names_as_array_strings=names,
        transform=lambda row: row[np.newaxis],
    )
    booster = SimpleNamespace(feature_names=None, get_dump=lambda **_: given["trees"])
    about.mxe = encoder_of(SimpleNamespace(get_booster=lambda: booster), names, 2, about)
    explainer = explainer_of(*about.mxe.encode(), names, 2, about.options, about)

    def answer(row: Any, label: int) -> dict[str, Any]:
        (found,) = explainer.explain(_seen(row), False)
        return {"size": len(found)} if explainer.out_id == label else MISREAD

    return {"abductive": answer}


def import_rfxpl(folder: str) -> Any:
    """Import RFxpl from its folder; its namedlist is older than Python 3.10."""
    for name in ("Mapping", "Sequence"):
        setattr(collections, name, getattr(collections.abc, name))
    sys.path.insert(0, folder)
    from xrf import XRF  # type: ignore[import-not-found]  # a peer's own

    return XRF


def rfxpl(given: dict[str, Any]) -> dict[str, Ask]:
    """Return RFxpl's subset-minimal reasons, by its MaxSAT encoding, which it makes for a row."""
    forest = given["model"]
    names = [f"f{i}" for i in range(len(given["rows"][0]))]
    of = SimpleNamespace(estimators=lambda: forest.estimators_)
    explainer = import_rfxpl(given["folder"])(of, names, list(forest.classes_))

    def answer(row: Any, label: int) -> dict[str, Any]:
        explainer.encode(_seen(row))
        found = explainer.explain(_seen(row))
        return {"size": len(found)} if explainer.enc.target == label else MISREAD

    return {"abductive": answer}


def import_ocean(_: str) -> tuple[Any, ...]:
    """Import OCEAN, which is installed."""
    from ocean import (  # type: ignore[import-not-found]  # a peer's own
        ConstraintProgrammingExplainer,
    )
    from ocean.abc import Mapper  # type: ignore[import-not-found]  # a peer's own
    from ocean.feature import Feature  # type: ignore[import-not-found]  # a peer's own

    return ConstraintProgrammingExplainer, Mapper, Feature


def ocean(given: dict[str, Any]) -> dict[str, Ask]:
    """Return OCEAN's row with the fewest changes, by its constraint program (no licence needed).

    Every feature is a number without bounds, as it is for us. A step over a threshold that the
    value equals costs OCEAN nothing: the row is given a bit below its values, which the model sees
    as the same.
    """
    import pandas as pd

    explainer_of, mapper_of, feature_of = import_ocean(given["folder"])
    names = [f"f{i}" for i in range(len(given["rows"][0]))]
    free = {name: feature_of(feature_of.Type.CONTINUOUS, levels=(-FAR, FAR)) for name in names}
    mapper = mapper_of(free, columns=pd.Index(names))
    explainer = explainer_of(given["model"], mapper=mapper)

    def answer(row: Any, label: int) -> dict[str, Any]:
        below = np.nextafter(_seen(row), -np.inf)
        found = explainer.explain(below, y=1 - label, norm=0, max_time=LONG)
        if found is None or explainer.get_solving_status() != "OPTIMAL":
            return {"open": f"it says {explainer.get_solving_status()}"}
        other = found.to_numpy()
        return {"size": int((_seen(other) != _seen(row)).sum()), "other": [*map(float, other)]}

    return {"nearest": answer}


def _seen(row: Any) -> Any:
    """Return a row as scikit-learn's forests and XGBoost see it: in single precision."""
    return np.asarray(row).astype(np.float32).astype(float)


TOOLS: dict[str, Callable[[dict[str, Any]], dict[str, Ask]]] = {
    "cattleya": cattleya,
    "PyXAI": pyxai,
    "XReason": xreason,
    "RFxpl": rfxpl,
    "DiCE": dice,
    "OCEAN": ocean,
}
#: By tool with a Python of its own: how it is imported, and which packages matter to it.
IMPORTS: dict[str, tuple[Callable[[str], Any], tuple[str, ...]]] = {
    "OCEAN": (import_ocean, ("oceanpy", "ortools", "scikit-learn", "xgboost")),
    "XReason": (import_xreason, ("python-sat", "xgboost")),
    "RFxpl": (import_rfxpl, ("python-sat", "scikit-learn")),
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
    for number, (row, label) in enumerate(zip(given["rows"], given["classes"], strict=True)):
        if spent > cap:
            break
        if given["tool"] != "cattleya":
            has = max(cap - spent, given["least"][question])
            print("begun " + json.dumps({"question": question, "has": has}), flush=True)
            signal.setitimer(signal.ITIMER_REAL, has)
        begin = time.perf_counter()
        found = ask(row, label)
        seconds = time.perf_counter() - begin
        signal.setitimer(signal.ITIMER_REAL, 0)
        spent += seconds
        told = {"question": question, "row": number, "seconds": seconds, **found}
        told["memory"] = _peak()
        print("answer " + json.dumps(told), flush=True)


def main() -> None:
    """Answer, question after question; whoever ends this process ends its child, too."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if sys.argv[1] == "--import":
        imported, packages = IMPORTS[sys.argv[2]]
        imported(sys.argv[3])
        named = [f"{package} {version(package)}" for package in packages]
        print(", ".join([f"Python {python_version()}", *named]))
        return
    given = joblib.load(sys.argv[1])
    asks = TOOLS[given["tool"]](given)
    for question in given["questions"]:
        if given["tool"] == "cattleya" or len(given["questions"]) == 1:
            _answer(given, question, asks[question])
            continue
        code = _apart(given, question, asks[question])
        word = {0: "ended", -signal.SIGALRM: "stopped"}.get(code, "failed")
        print(f"{word} {question}", flush=True)


def _apart(given: dict[str, Any], question: str, ask: Ask) -> int:
    """Let a child answer, which an alarm ends, and with it the solvers that it started.

    The model, which may take long to read, stays here. (A child has none of the threads of OpenMP,
    and waits for them forever where XGBoost or LightGBM predict: a single question has no child.)
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

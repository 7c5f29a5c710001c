"""The peers: who is installed, and how each is called on one row of a scikit-learn tree."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from apart import TIME_LIMIT, run_apart
from cases import Case
from timing import Row

import cattleya

HOW_TO_GET = "pip install .[bench]"


def installed(distribution: str) -> str | None:
    """Give the version of an installed distribution, or None."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def tree_shap(case: Case) -> Callable[[Row], object] | None:
    """Give `shap.TreeExplainer`'s values of one row, the explainer being made beforehand."""
    if installed("shap") is None:
        return None
    shap: Any = importlib.import_module("shap")
    values: Callable[[Row], object] = shap.TreeExplainer(case.model).shap_values
    return values


def predict(case: Case) -> Callable[[Row], object]:
    """Give scikit-learn's own prediction of one row."""
    model = case.model
    return lambda row: model.predict(row.reshape(1, -1))


@dataclass(frozen=True)
class PyXAI:
    """What PyXAI did within its time: an entry a finished row, and why it stopped if it did."""

    entries: tuple[dict[str, Any], ...]
    trouble: str | None

    def seconds(self, question: str | None = None) -> list[float]:
        """Give the seconds a row of one question, or of all of them together."""
        taken = [entry["seconds"] for entry in self.entries]
        return [t[question] if question else sum(t.values()) for t in taken]


def ask_pyxai(case: Case, rows: Sequence[Row], time_limit: float) -> PyXAI | None:
    """Ask PyXAI the questions of the package in its own process, within `time_limit` seconds."""
    if installed("pyxai") is None or not rows:
        return None
    entries, trouble = run_apart("pyxai_worker.py", (case.model, list(rows)), time_limit)
    if trouble == TIME_LIMIT:
        trouble = f"killed after {time_limit:.0f} s"
    return PyXAI(tuple(entries or ()), trouble)


def agree(explanation: cattleya.Explanation, entry: dict[str, Any]) -> bool:
    """Tell whether PyXAI's answers for a row are the library's, where there is only one answer."""

    def same(ours: Any, theirs: Any) -> bool:
        return {(c.index, c.threshold, c.sense) for c in ours} == {tuple(t) for t in theirs}

    contrastive = {
        frozenset((c.index, c.threshold, c.sense) for c in reason)
        for reason in explanation.contrastive()
    }
    return (
        same(explanation.direct_reason(), entry["direct"])
        and same(explanation.necessary(), entry["necessary"])
        and same(explanation.relevant(), entry["relevant"])
        and contrastive == {frozenset(tuple(t) for t in c) for c in entry["contrastive"]}
    )

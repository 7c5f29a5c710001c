"""What is timed: the whole polynomial package for one row, through the public API."""

from __future__ import annotations

import time
from collections.abc import Callable

from timing import Row

import cattleya

QUESTIONS: dict[str, Callable[[cattleya.Explanation], object]] = {
    "direct reason": lambda e: e.direct_reason(),
    "one sufficient reason": lambda e: e.sufficient_reason(),
    "all contrastive explanations": lambda e: e.contrastive(),
    "necessary": lambda e: e.necessary(),
    "relevant": lambda e: e.relevant(),
}


def package(explainer: cattleya.Explainer, row: Row) -> list[object]:
    """Explain one row and ask all five questions; the answers are kept until all are there."""
    explanation = explainer.explain(row)
    return [ask(explanation) for ask in QUESTIONS.values()]


def package_read_out(explainer: cattleya.Explainer, row: Row) -> int:
    """Do the same and look at every condition of every answer, so that nothing stays undone."""
    explanation = explainer.explain(row)
    read = sum(1 for _ in explanation.direct_reason())
    read += sum(1 for _ in explanation.sufficient_reason())
    read += sum(1 for reason in explanation.contrastive() for _ in reason)
    read += sum(1 for _ in explanation.necessary())
    return read + sum(1 for _ in explanation.relevant())


def question_by_question(explainer: cattleya.Explainer, row: Row) -> dict[str, float]:
    """Give the seconds of each step of the package; a later step uses what an earlier one found."""
    clock = time.perf_counter_ns
    start = clock()
    explanation = explainer.explain(row)
    taken = {"explain": (clock() - start) / 1e9}
    for name, ask in QUESTIONS.items():
        start = clock()
        answer = ask(explanation)
        taken[name] = (clock() - start) / 1e9
        del answer
    return taken

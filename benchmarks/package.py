"""What is timed: the whole polynomial package for one row, through the public API."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import cattleya
from benchmarks.timing import Row

__all__ = ["QUESTIONS", "package", "question_by_question", "unread"]

QUESTIONS: dict[str, Callable[[cattleya.Explanation], Any]] = {
    "direct reason": lambda e: e.direct_reason(),
    "one sufficient reason": lambda e: e.sufficient_reason(),
    "all contrastive explanations": lambda e: e.contrastive(),
    "necessary": lambda e: e.necessary(),
    "relevant": lambda e: e.relevant(),
}


def package(explainer: cattleya.Explainer, row: Row) -> list[object]:
    """Explain one row, ask all five questions, and read every condition of every answer.

    An answer makes its conditions when they are read. The answers are kept until all are there.
    """
    explanation = explainer.explain(row)
    return [read(name, ask(explanation)) for name, ask in QUESTIONS.items()]


def unread(explainer: cattleya.Explainer, row: Row) -> list[object]:
    """Do the same, but leave the conditions unread."""
    explanation = explainer.explain(row)
    return [ask(explanation) for ask in QUESTIONS.values()]


def read(question: str, answer: Any) -> list[Any]:
    """Give the conditions of an answer, or of each of many."""
    if question == "all contrastive explanations":
        return [list(contrast) for contrast in answer]
    return list(answer)


def question_by_question(explainer: cattleya.Explainer, row: Row) -> dict[str, float]:
    """Give the seconds of each step of the package; a later step uses what an earlier one found."""
    clock = time.perf_counter
    start = clock()
    explanation = explainer.explain(row)
    taken = {"explain": clock() - start}
    for name, ask in QUESTIONS.items():
        start = clock()
        answer = read(name, ask(explanation))
        taken[name] = clock() - start
        del answer
    return taken

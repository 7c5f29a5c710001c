"""What can be asked about each row of many, and the columns that the answers fill."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cattleya.explain.explanation import Explanation
from cattleya.model.conditions.condition import Condition
from cattleya.reasons.reason import Reason, sentence
from cattleya.support.text import shown

__all__ = ["QUESTIONS", "Question", "checked_questions"]

Answers = dict[str, Any]
Ask = Callable[[Explanation, float | None, int], Answers]


@dataclass(frozen=True)
class Question:
    """A question, and the columns of its answer."""

    columns: tuple[str, ...]
    ask: Ask


def _texts(conditions: Iterable[Condition]) -> tuple[str, ...]:
    return tuple(map(str, conditions))


def _reason(name: str, reason: Reason, merges: bool) -> Answers:
    conditions = reason.conditions  # once: looking them up is a good part of the work
    return {
        name: sentence(conditions, merges=merges),
        f"{name}_conditions": _texts(conditions),
        f"{name}_size": len(conditions),
    }


def _sufficient(e: Explanation, timeout: float | None, contrasts: int) -> Answers:
    return _reason("sufficient", e.sufficient_reason(), e.over.merges)


def _minimal(e: Explanation, timeout: float | None, contrasts: int) -> Answers:
    return _reason("minimal", e.minimal_reason(timeout=timeout), e.over.merges)


def _contrastive(e: Explanation, timeout: float | None, contrasts: int) -> Answers:
    found = [contrast.conditions for contrast in e.contrastive(limit=max(contrasts, 1))]
    return {
        "contrastive": sentence(found[0], merges=e.over.merges, to_change=True) if found else None,
        "contrastive_conditions": tuple(map(_texts, found[:contrasts])),
        "contrastive_size": len(found[0]) if found else None,
        "contrastive_count": e.count("contrastive"),
    }


def _necessary(e: Explanation, timeout: float | None, contrasts: int) -> Answers:
    necessary = _in_order(e.necessary())
    return {
        "necessary": _texts(necessary),
        "necessary_features": tuple(dict.fromkeys(c.feature for c in necessary)),
        "necessary_count": len(necessary),
        "relevant_count": len(e.relevant()),
    }


def _count(e: Explanation, timeout: float | None, contrasts: int) -> Answers:
    return {"count": e.count(timeout=timeout), "minimal_count": e.count("minimal", timeout=timeout)}


def _importance(e: Explanation, timeout: float | None, contrasts: int) -> Answers:
    shares = {c: share for c, share in e.importance(timeout=timeout).items() if share}
    by_feature: dict[str, Fraction] = {}
    for condition, share in shares.items():
        by_feature[condition.feature] = by_feature.get(condition.feature, Fraction(0)) + share
    highest_first = sorted(by_feature, key=by_feature.__getitem__, reverse=True)
    return {
        "importance": {str(condition): share for condition, share in shares.items()},
        "feature_importance": {feature: by_feature[feature] for feature in highest_first},
    }


def _in_order(conditions: Iterable[Condition]) -> list[Condition]:
    return sorted(conditions, key=lambda condition: (condition.index, str(condition)))


QUESTIONS: dict[str, Question] = {
    "sufficient": Question(("sufficient", "sufficient_conditions", "sufficient_size"), _sufficient),
    "minimal": Question(("minimal", "minimal_conditions", "minimal_size"), _minimal),
    "contrastive": Question(
        ("contrastive", "contrastive_conditions", "contrastive_size", "contrastive_count"),
        _contrastive,
    ),
    "necessary": Question(
        ("necessary", "necessary_features", "necessary_count", "relevant_count"), _necessary
    ),
    "count": Question(("count", "minimal_count"), _count),
    "importance": Question(("importance", "feature_importance"), _importance),
}


def checked_questions(want: Sequence[str]) -> tuple[str, ...]:
    """Return the questions in the order given, each once; refuse what is none."""
    if isinstance(want, str):
        raise TypeError(f"want must be a list of questions, not {want!r}; give [{want!r}]")
    if not isinstance(want, Iterable):
        raise TypeError(f"want must be a list of questions, not {shown(want)}")
    want = tuple(want)
    for name in want:
        if not isinstance(name, str) or name not in QUESTIONS:
            raise ValueError(
                f"want: {shown(name)} is no question; there are {', '.join(QUESTIONS)}"
            )
    return tuple(dict.fromkeys(want))

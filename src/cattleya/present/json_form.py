"""Answers as JSON values: counts as exact integers, shares as fractions and as numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from cattleya.explain.explanation import Explanation
from cattleya.explain.questions import QUESTIONS
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.fact import Fact
from cattleya.model.conditions.user_condition import Membership
from cattleya.reasons.errors import NoSuchReason

__all__ = [
    "answer_form",
    "condition_form",
    "conditions_form",
    "explanation_form",
    "label_form",
    "record_form",
    "share_form",
]

CONTRASTS_LISTED = 100


def condition_form(condition: Condition) -> dict[str, Any]:
    """Return a condition as ``feature``, ``operator``, ``value`` and ``text``.

    ``or_missing`` is there, and true, where missing values are on this side too.
    """
    operator, value = _test(condition)
    form: dict[str, Any] = {
        "feature": condition.feature,
        "operator": operator,
        "value": value if isinstance(value, list) else label_form(value),
        "text": str(condition),
    }
    if form["text"].endswith(" or missing"):
        form["or_missing"] = True
    return form


def _test(condition: Condition) -> tuple[str, Any]:
    if isinstance(condition, Fact):
        return "=", condition.value
    if isinstance(condition, Membership):
        one, *more = condition.listed
        return condition.operator, [one, *more] if more else one
    assert isinstance(condition, Comparison)  # a condition is one or the other
    if condition.boolean:
        return "=", not condition.sense
    if math.isinf(condition.threshold):
        return "is", "present" if condition.sense else "missing"
    return "<=" if condition.sense else ">", condition.shown


def conditions_form(conditions: Iterable[Condition]) -> list[dict[str, Any]]:
    """Return conditions in the order given; sets in the order of features."""
    if isinstance(conditions, frozenset):
        conditions = sorted(conditions, key=lambda c: (c.index, str(c)))
    return [condition_form(condition) for condition in conditions]


def share_form(share: Fraction) -> dict[str, Any]:
    """Return a share exactly, as ``a/b``, and as a floating point number."""
    return {
        "share": f"{share.numerator}/{share.denominator}",
        "share_float": float(share),
    }


def label_form(label: Any) -> Any:
    """Return a class label or a cell as what JSON has for it: missing is null."""
    if isinstance(label, np.generic):
        label = label.item()
    if label is None or isinstance(label, (bool, int, str)):
        return label
    if isinstance(label, float):
        if math.isfinite(label):
            return label
        return None if math.isnan(label) else str(label)
    return None if type(label).__name__ in ("NAType", "NaTType") else str(label)


def record_form(record: Any) -> Any:
    """Return a record of records as JSON values; a fraction as a number, a path as text.

    >>> record_form({"half": Fraction(1, 2), "whole": Fraction(4), "pair": (1, None)})
    {'half': 0.5, 'whole': 4, 'pair': [1, None]}
    """
    if is_dataclass(record):
        return {f.name: record_form(getattr(record, f.name)) for f in fields(record)}
    if isinstance(record, Mapping):
        return {str(key): record_form(value) for key, value in record.items()}
    if isinstance(record, (list, tuple)):
        return [record_form(value) for value in record]
    if isinstance(record, Fraction):
        return record.numerator if record.denominator == 1 else float(record)
    return label_form(record)


def explanation_form(
    e: Explanation, *, counted: bool, refusal: NoSuchReason | None = None
) -> dict[str, Any]:
    """Return the answers about a row; those that take long are null where they were not found.

    So are all about reasons where there is none, which is the ``refusal``.
    """
    contrasts = e.contrastive()
    answers = {}
    for question in QUESTIONS.values():
        settled = counted or not question.takes_long
        exists = refusal is None or question.name == "contrastive"
        known = settled and exists
        answers[question.key] = answer_form(question.ask(e, None)) if known else None
    reason = e.sufficient_reason() if refusal is None else None
    return {
        "definition": e.definition,
        "assumptions": list(e.assumptions),
        "prediction": label_form(e.prediction),
        "prediction_name": e.prediction_name,
        "direct_reason": conditions_form(e.direct_reason()),
        **answers,
        "needed": None if refusal is None else [conditions_form(one) for one in refusal.needed],
        "verified": None if reason is None else bool(e.verify(reason)),
        "contrastive_count": len(contrasts),
        "condition_count": len(e.conditions),
        "irrelevant_count": None if reason is None else len(e.irrelevant()),
        "counted": counted,
    }


def answer_form(answer: Any) -> Any:
    """Return an answer to one of :data:`cattleya.explain.questions.QUESTIONS`, by its type.

    A reason or a set is a list of conditions, several reasons a list of such lists, shares a list
    of conditions with the share of each, the highest first; a number is itself.
    """
    if isinstance(answer, Mapping):
        return [
            {"condition": condition_form(condition)} | share_form(share)
            for condition, share in answer.items()
            if share
        ]
    if isinstance(answer, tuple):
        return [conditions_form(reason) for reason in answer[:CONTRASTS_LISTED]]
    return answer if isinstance(answer, int) else conditions_form(answer)

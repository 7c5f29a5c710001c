"""Explanations in words that a reader without a Python prompt can follow."""

from __future__ import annotations

import math
from collections.abc import Iterable

from cattleya.condition import Condition
from cattleya.explanation import Explanation

__all__ = ["describe", "in_words"]

FEWEST_DIGITS = 4
MOST_DIGITS = 17


def describe(explanation: Explanation, contrasts_shown: int = 5) -> str:
    """Return what the polynomial-time answers say about a row, as plain text."""
    contrasts = explanation.contrastive()
    direct, reason = explanation.direct_reason(), explanation.sufficient_reason()
    necessary, relevant = explanation.necessary(), explanation.relevant()
    name = explanation.prediction_name
    lines = [
        f"Decision: {name}",
        "",
        f"On its way through the tree, the row met {_counted(len(direct), 'condition')}"
        + (":" if direct else "."),
        *_bullets(explanation, direct),
        "",
        f"Why {name}? "
        + (
            "These alone force it, whatever the other conditions, and none of them can be left out:"
            if reason
            else "Every row gets this class."
        ),
        *_bullets(explanation, reason),
    ]
    if contrasts:
        lines += [
            "",
            f"What would have changed it? {_counted(len(contrasts), 'minimal change')} of "
            f"conditions can lead to another class. The smallest:",
            *(
                f"  - {_joined(explanation, contrast, changed=True)}"
                for contrast in contrasts[:contrasts_shown]
            ),
        ]
        if len(contrasts) > contrasts_shown:
            lines.append(f"  - and {len(contrasts) - contrasts_shown} more")
        most, share = next(iter(explanation.importance("contrastive").items()))
        if share * len(contrasts) > 1:
            lines += [
                "",
                f"Most often part of such a change: {in_words(explanation, most)}, "
                f"in {share * len(contrasts)} of {len(contrasts)}.",
            ]
        lines += [
            "",
            "Decisive (in every reason that forces the class): "
            + (_listed(explanation, necessary) or "no single condition")
            + ".",
            f"Of the tree's {len(explanation.conditions)} conditions, {len(relevant)} are in some "
            f"reason, {len(explanation.irrelevant())} are in none.",
        ]
    checked = explanation.verify(reason)
    lines += [
        "",
        f"Checked independently: {checked}.",
        "Thresholds are shown rounded. Sufficient reasons and changes are meant as in Audemard et "
        "al.,",
        "On the Explanatory Power of Decision Trees: " + explanation.definition + ".",
    ]
    return "\n".join(lines)


def in_words(explanation: Explanation, condition: Condition, *, changed: bool = False) -> str:
    """Return a condition of the row, or its opposite where it is ``changed``.

    The threshold is rounded, but never so far that the row's value comes to the other side.
    """
    value = float(explanation.row[condition.index])
    said = condition.negated() if changed else condition
    if condition.boolean or math.isinf(condition.threshold) or math.isnan(value):
        return str(said)
    sign = "<=" if said.sense else ">"
    missing = " or missing" if said.missing_left == said.sense else ""
    stands = "instead of" if changed else "it is"
    threshold = _rounded(condition, value)
    return f"{said.feature} {sign} {threshold}{missing} ({stands} {_plain(value)})"


def _rounded(condition: Condition, value: float) -> str:
    for digits in range(FEWEST_DIGITS, MOST_DIGITS):
        text = f"{condition.threshold:.{digits}g}"
        if (value <= float(text)) == condition.sense and not math.isclose(
            value, float(text), rel_tol=1e-9
        ):
            return text
    return repr(condition.threshold)


def _plain(value: float) -> str:
    # Values come as float32; seven digits say all that is in them.
    return f"{value:.7g}"


def _joined(
    explanation: Explanation, conditions: Iterable[Condition], *, changed: bool = False
) -> str:
    return " and ".join(in_words(explanation, c, changed=changed) for c in conditions)


def _listed(explanation: Explanation, conditions: Iterable[Condition]) -> str:
    ordered = sorted(conditions, key=lambda c: (c.index, c.threshold))
    return "; ".join(in_words(explanation, condition) for condition in ordered)


def _bullets(explanation: Explanation, conditions: Iterable[Condition]) -> list[str]:
    return [f"  - {in_words(explanation, condition)}" for condition in conditions]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

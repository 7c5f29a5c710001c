"""Explanations in words that a reader without a Python prompt can follow."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from cattleya.condition import Condition
from cattleya.explanation import Explanation

__all__ = ["describe", "in_words"]

FEWEST_DIGITS = 4
MOST_DIGITS = 17
LARGEST_IN_FULL = 10**30


def describe(explanation: Explanation, contrasts_shown: int = 5, conditions_shown: int = 5) -> str:
    """Return what the answers say about a row, as plain text."""
    contrasts = explanation.contrastive()
    direct, reason = explanation.direct_reason(), explanation.sufficient_reason()
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
        lines += ["", *_all_reasons(explanation, conditions_shown)]
    checked = explanation.verify(reason)
    lines += [
        "",
        f"Checked independently: {checked}.",
        "Thresholds are shown rounded. Sufficient reasons and changes are meant as in Audemard et "
        "al.,",
        "On the Explanatory Power of Decision Trees: " + explanation.definition + ".",
    ]
    return "\n".join(lines)


def _all_reasons(explanation: Explanation, shown: int) -> list[str]:
    """Say how many reasons there are, and what they have in common."""
    count = explanation.count()
    ranked = [(c, share) for c, share in explanation.importance().items() if share]
    irrelevant = explanation.irrelevant()
    lines = [
        "Decisive (in every reason that forces the class): "
        + (_listed(explanation, explanation.necessary()) or "no single condition")
        + ".",
        f"Played no part (in no such reason): {len(irrelevant)} of the tree's "
        f"{_counted(len(explanation.conditions), 'condition')}"
        + (f", such as {_listed(explanation, irrelevant, 2)}." if irrelevant else "."),
    ]
    if count == 1:
        return [*lines, "", "The reason above is the only one."]
    return [
        *lines,
        "",
        f"The reason above is one of {_grouped(count)}. How often a condition is in one of them:",
        *(f"  - {float(share):6.1%}  {in_words(explanation, c)}" for c, share in ranked[:shown]),
        *([f"  - and {len(ranked) - shown} more"] if len(ranked) > shown else []),
    ]


def _grouped(number: int) -> str:
    """Return a number with its digits in groups; a very long one by its size."""
    if number < LARGEST_IN_FULL:
        return f"{number:,}"
    return f"about 10^{round(math.log10(number))}"


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
    return f"{said.feature} {sign} {threshold}{missing} ({stands} {_plain(explanation, value)})"


def _rounded(condition: Condition, value: float) -> str:
    for digits in range(FEWEST_DIGITS, MOST_DIGITS):
        text = f"{condition.threshold:.{digits}g}"
        if (value <= float(text)) == condition.sense and not math.isclose(
            value, float(text), rel_tol=1e-9
        ):
            return text
    return repr(condition.threshold)


def _plain(explanation: Explanation, value: float) -> str:
    """Return a value with all the digits that the model sees, and no more."""
    shortest = str(np.dtype(explanation.row_dtype).type(value))
    return shortest.removesuffix(".0")


def _joined(
    explanation: Explanation, conditions: Iterable[Condition], *, changed: bool = False
) -> str:
    return " and ".join(in_words(explanation, c, changed=changed) for c in conditions)


def _listed(
    explanation: Explanation, conditions: Iterable[Condition], most: int | None = None
) -> str:
    ordered = sorted(conditions, key=lambda c: (c.index, c.threshold))[:most]
    return "; ".join(in_words(explanation, condition) for condition in ordered)


def _bullets(explanation: Explanation, conditions: Iterable[Condition]) -> list[str]:
    return [f"  - {in_words(explanation, condition)}" for condition in conditions]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

"""Conditions on one number, said as one interval."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeGuard

from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.parts import interval_text
from cattleya.support.text import printable

__all__ = ["merged"]


def merged(conditions: Iterable[Condition], *, to_change: bool = False) -> list[str]:
    """Return the parts of a sentence: the thresholds of a feature as one interval.

    A feature stands where its first condition does.

    Parameters
    ----------
    conditions : iterable of Condition
    to_change : bool
        Conditions that all hold are said by the tightest, which imply the others. Conditions that
        all have to change, as in a contrastive explanation, are said by the widest: where these do
        not hold, no other does.

    Examples
    --------
    >>> from cattleya.model.conditions.fact import Fact
    >>> lower, upper = (Condition("age", 0, t, sense=t > 40) for t in (30.5, 41.5))
    >>> merged([upper, Fact("job", 1, "nurse", (1,), (2.0,)), lower])
    ['30.5 < age <= 41.5', 'job = nurse']
    >>> higher = Condition("age", 0, 35.5, sense=False)
    >>> merged([lower, higher]), merged([lower, higher], to_change=True)
    (['age > 35.5'], ['age > 30.5'])
    """
    parts: dict[object, list[Condition]] = {}
    for condition in conditions:
        key = (condition.index, condition.feature) if _is_bound(condition) else condition
        parts.setdefault(key, []).append(condition)
    return [
        _interval(list(filter(_is_bound, part)), to_change) if len(part) > 1 else str(part[0])
        for part in parts.values()
    ]


def _is_bound(condition: Condition) -> TypeGuard[Comparison]:
    """Tell whether a condition is a bound of a number, or that it is present or missing."""
    return (
        isinstance(condition, Comparison)
        and not condition.boolean
        and (condition.missing_left is None or math.isinf(condition.threshold))
    )


def _interval(conditions: list[Comparison], to_change: bool) -> str:
    """Return conditions of one number as one."""
    presence = [c for c in conditions if math.isinf(c.threshold)]
    if presence and (to_change or presence == conditions):
        return str(presence[0])
    bounds = [c for c in conditions if not math.isinf(c.threshold)]
    highest, lowest = (min, max) if to_change else (max, min)
    lower = highest((c for c in bounds if not c.sense), key=lambda c: c.threshold, default=None)
    upper = lowest((c for c in bounds if c.sense), key=lambda c: c.threshold, default=None)
    if lower is None or upper is None:
        return str(lower or upper)
    whole = lower.whole and upper.whole
    return printable(interval_text(lower.feature, lower.shown, upper.shown, whole=whole))

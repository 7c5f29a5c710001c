"""What a feature may change to, as text: ``up``, ``down``, ``..48``, ``cook,clerk``."""

from __future__ import annotations

from typing import Any

from cattleya.support.text import shown

__all__ = ["FORMS", "parse_range"]

DIRECTIONS = {"up": "increase", "down": "decrease"}
FORMS = "up, down, LOW..HIGH, or values with commas between them"


def parse_range(name: str, text: str) -> Any:
    """Return what a feature may change to, as ``counterfactuals`` takes it.

    >>> parse_range("age", "up"), parse_range("hours", "..48"), parse_range("job", "cook")
    ('increase', (None, 48.0), {'cook'})
    """
    if text in DIRECTIONS:
        return DIRECTIONS[text]
    low, sign, high = text.partition("..")
    if not sign:
        return set(text.split(","))
    ends = []
    for end in (low.strip(), high.strip()):
        try:
            ends.append(float(end) if end else None)
        except ValueError:
            raise ValueError(
                f"the range {shown(text)} of {shown(name)}: {shown(end)} is no number; it is "
                f"{FORMS}"
            ) from None
    return tuple(ends)

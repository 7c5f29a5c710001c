"""Whether one condition on a feature implies another."""

from __future__ import annotations

import math

from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.parts import IntervalPart, Part, ValuesPart
from cattleya.model.conditions.user_condition import Membership

__all__ = ["implies"]


def implies(one: Condition, other: Condition) -> bool:
    """Tell whether every value that meets one condition meets the other.

    Of two tests of one column, on the same side, the tighter implies the other; a missing value
    counts where it is on that side. An interval or a set of values implies a test that all of its
    values meet. Of anything else only that it implies itself.

    Examples
    --------
    >>> young, younger = (Comparison("age", 0, t, sense=True) for t in (40.5, 30.5))
    >>> implies(younger, young), implies(young, younger)
    (True, False)
    """
    if one == other:
        return True
    if not isinstance(other, Comparison):
        return False
    if isinstance(one, (IntervalPart, ValuesPart)):
        return _part_implies(one, other)
    if not isinstance(one, Comparison) or isinstance(one, Membership):
        return False
    same = (one.index, one.feature, one.sense) == (other.index, other.feature, other.sense)
    if not same or isinstance(other, Membership) or (one.or_missing and not other.or_missing):
        return False
    return one.threshold <= other.threshold if one.sense else one.threshold >= other.threshold


def _part_implies(part: Part, test: Comparison) -> bool:
    """Tell whether all values that a part allows meet a test."""
    if isinstance(part, ValuesPart):
        at = part.columns.index(test.index) if test.index in part.columns else None
        return at is not None and all(test.holds(point[at]) for point in part.points)
    if part.index != test.index or (part.nan and not test.holds(math.nan)):
        return False
    if part.is_missing:
        return True
    return part.up_to <= test.threshold if test.sense else part.above >= test.threshold

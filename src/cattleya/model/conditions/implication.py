"""Whether one condition on a number implies another."""

from __future__ import annotations

from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.user_condition import Membership

__all__ = ["implies"]


def implies(one: Condition, other: Condition) -> bool:
    """Tell whether every value of a number that meets one condition meets the other.

    Of two tests of one column, on the same side, the tighter implies the other; a missing value
    counts where it is on that side. Of anything else only that it implies itself.

    Examples
    --------
    >>> young, younger = (Comparison("age", 0, t, sense=True) for t in (40.5, 30.5))
    >>> implies(younger, young), implies(young, younger)
    (True, False)
    """
    if one == other:
        return True
    if not (isinstance(one, Comparison) and isinstance(other, Comparison)):
        return False
    if isinstance(one, Membership) or isinstance(other, Membership):
        return False
    same = (one.index, one.feature, one.sense) == (other.index, other.feature, other.sense)
    if not same or (one.or_missing and not other.or_missing):
        return False
    return one.threshold <= other.threshold if one.sense else one.threshold >= other.threshold

"""Which vocabulary is in use: a tag, with the end of every definition that it makes."""

from __future__ import annotations

from enum import StrEnum

from cattleya.support.text import shown

__all__ = ["Over", "over_named"]


class Over(StrEnum):
    """What explanations are made of.

    Examples
    --------
    >>> Over.FEATURES == "features", Over.INTERVALS.merges
    (True, True)
    >>> print(Over.FEATURES.definition)
    over the model's features, each fixed to the row's value
    """

    CONDITIONS = "conditions"
    FEATURES = "features"
    INTERVALS = "intervals"

    @property
    def definition(self) -> str:
        """What the atoms are: the end of a definition."""
        return _DEFINITIONS[self]

    @property
    def merges(self) -> bool:
        """Whether conditions on one feature are said as one interval."""
        return self is Over.INTERVALS


_DEFINITIONS = {
    Over.CONDITIONS: "over the tree's binary conditions, each taken as a Boolean variable of its "
    "own",
    Over.FEATURES: "over the model's features, each fixed to the row's value",
    Over.INTERVALS: "over the row's sides of the tree's tests, under the logic of the features' "
    "values",
}


def over_named(name: str) -> Over:
    """Return the vocabulary that a user names; refuse what is none."""
    known = tuple(over.value for over in Over)
    if not isinstance(name, str) or name not in known:
        raise ValueError(f"over must be one of {known}, not {shown(name)}")
    return Over(name)

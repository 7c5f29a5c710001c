"""Why there is no sufficient reason."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cattleya.model.conditions.condition import Condition

__all__ = ["NoSuchReason"]

SETS_SHOWN = 3


class NoSuchReason(ValueError):
    """Every sufficient reason needs something that was excluded.

    Attributes
    ----------
    needed : tuple of frozensets of Condition
        Every sufficient reason has a condition of each of these sets, all of them excluded. Where a
        set has one condition only, that one is necessary.
    best : tuple of Step
        Where no short reason reaches the wanted precision: the best that was found of every size.

    Examples
    --------
    >>> import cattleya
    >>> explainer = cattleya.Explainer(cattleya.Tree.from_nested(("a", "no", ("b", "no", "yes"))))
    >>> try:
    ...     explainer.explain([1, 1], exclude=["a"]).sufficient_reason()
    ... except cattleya.NoSuchReason as error:
    ...     print(*error.necessary, len(error.needed), error.best)
    a 1 ()
    """

    best: tuple[Any, ...] = ()

    def __init__(self, needed: Iterable[frozenset[Condition]]) -> None:
        self.needed = tuple(needed)
        super().__init__(self._message())

    @property
    def necessary(self) -> frozenset[Condition]:
        """The excluded conditions that every sufficient reason contains."""
        return frozenset().union(*(group for group in self.needed if len(group) == 1))

    def _message(self) -> str:
        texts = [" or ".join(map(repr, sorted(map(str, group)))) for group in self.needed]
        shown = "; and ".join(texts[:SETS_SHOWN])
        if len(texts) > SETS_SHOWN:
            shown += f"; and {len(texts) - SETS_SHOWN} more such sets"
        return (
            f"every sufficient reason needs what is excluded: {shown}. "
            f"Exclude less; is_free_of(features) asks whether a reason without some exists"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return NoSuchReason, (self.needed,)

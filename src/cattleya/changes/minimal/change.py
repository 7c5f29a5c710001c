"""A minimal change in words: what becomes what, and which class follows."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cattleya.model.conditions.parts import IntervalPart, Part, ValuesPart
from cattleya.model.domain.domain import (
    Attribute,
    Category,
    Number,
    OneOf,
    is_missing,
    said,
    value_word,
)
from cattleya.model.domain.shortest import inside
from cattleya.reasons.reason import Reason
from cattleya.support.text import printable

__all__ = ["Change", "Destination", "Moved", "as_written"]

MOST_SHOWN = 3  # values of a category


@dataclass(frozen=True)
class Moved:
    """One feature that changes: from a value to any of those that its part allows.

    Attributes
    ----------
    feature : str
    before : value
        What the row has, as the user gave it; None where it is missing.
    to : IntervalPart or ValuesPart
        What it may become.

    """

    attribute: Attribute = field(repr=False)
    before: Any
    to: Part
    dtype: str = field(repr=False)

    @property
    def feature(self) -> str:
        """The name of the feature."""
        return self.attribute.name

    @property
    def nearest(self) -> Any:
        """The value to change to: of a number the nearest with no more digits than needed.

        Of a category the first one; None is missing.
        """
        if isinstance(self.to, ValuesPart):
            return self._values[0]
        number = self.attribute
        assert isinstance(number, Number)
        if self.to.is_missing:
            return None
        first, last = number.within(self.to.above, self.to.up_to, self.dtype)
        own = 0.0 if self.before is None else float(self.before)
        decimals = 0 if number.integer else _decimals(as_written(own, number, self.dtype))
        value = inside(first, last, own, decimals)
        return int(value) if number.integer and math.isfinite(value) else value

    @property
    def _values(self) -> list[Hashable]:
        """The values of a category to change to."""
        assert isinstance(self.attribute, Category)
        assert isinstance(self.to, ValuesPart)
        return [self.attribute.values[place] for place in self.to.places]

    def __str__(self) -> str:
        before = as_written(self.before, self.attribute, self.dtype)
        return printable(f"{self.feature}: {before} -> {self._after}")

    @property
    def _after(self) -> str:
        if isinstance(self.to, ValuesPart):
            return _listed(list(said(_chosen(self._values))))
        part = self.to
        if part.is_missing:
            return "missing"
        if part.whole or part.boolean or not isinstance(self.before, (int, float)):
            return _reached(part)
        return self._from_nearest(part)

    def _from_nearest(self, part: IntervalPart) -> str:
        """Return an interval of decimal numbers by the nearest with few digits: 0.79 or less."""
        number = self.attribute
        assert isinstance(number, Number)
        near, up = self.nearest, self.nearest > float(self.before)
        if math.isinf(part.high if up else part.low):
            return f"{_short(near)} or {'more' if up else 'less'}"
        first, last = number.within(part.above, part.up_to, self.dtype)
        aim = math.inf if up else -math.inf
        far = inside(first, last, aim, _decimals(_short(near)))
        if far == near:
            return _short(near)
        return f"{_short(min(near, far))} to {_short(max(near, far))}"


@dataclass(frozen=True)
class Destination:
    """Where a change leads: the new values of its features, all together, and the class.

    Attributes
    ----------
    outcome : label
        The class that follows.
    outcome_name : str
        The class as it is shown.
    moved : tuple of Moved
        What each feature becomes. Where there are several, they change together.
    """

    outcome: Any
    outcome_name: str
    moved: tuple[Moved, ...]

    @property
    def parts(self) -> tuple[Part, ...]:
        """What each feature may become: conditions that hold in a row or not."""
        return tuple(one.to for one in self.moved)

    @property
    def nearest(self) -> dict[str, Any]:
        """A value to change each feature to, by feature."""
        return {one.feature: one.nearest for one in self.moved}

    def __str__(self) -> str:
        together = " together" if len(self.moved) > 1 else ""
        changes = " and ".join(map(str, self.moved))
        gives = "give" if together else "gives"
        return printable(f"{changes}{together} {gives} {self.outcome_name}")


@dataclass(frozen=True, eq=False)
class Change:
    """A minimal change of a row, with where it leads.

    Attributes
    ----------
    contrast : Reason
        The contrastive explanation: what has to change.
    features : tuple of str
        The features that it is about.
    destinations : tuple of Destination
        For each class that can be reached, the nearest values; of one number, on either side. Of
        several features, none can be left out: changing only some of them to these values does not
        change the outcome (where one class was asked for: does not lead to it). No destination
        where no row makes the change so: over the tree's conditions, each a variable of its own,
        such changes exist.

    Examples
    --------
    >>> import cattleya
    >>> tree = cattleya.Tree.from_nested(("old", "no", ("rich", "no", "yes")))
    >>> change, *_ = cattleya.Explainer(tree).explain([1, 0]).changes()
    >>> print(change)
    rich: 0 -> 1 gives yes
    >>> change.features, change.outcomes, str(change.contrast), change.destinations[0].nearest
    (('rich',), ('yes',), 'not rich', {'rich': 1})
    """

    contrast: Reason
    features: tuple[str, ...]
    destinations: tuple[Destination, ...]

    @property
    def outcomes(self) -> tuple[Any, ...]:
        """The classes that can be reached."""
        return tuple(dict.fromkeys(one.outcome for one in self.destinations))

    def __str__(self) -> str:
        if not self.destinations:
            return f"no row makes this change alone: {self.contrast}"
        return "; ".join(map(str, self.destinations))

    def __repr__(self) -> str:
        return f"<Change {self}>"


def as_written(value: Any, attribute: Attribute, dtype: str) -> str:
    """Return a value as its user may have written it."""
    if value is None or is_missing(value):
        return "missing"
    if isinstance(value, float):
        if isinstance(attribute, Number) and not attribute.steps:
            # As it was before the model made single precision of it: 1.79, not 1.789999961853.
            seen = np.dtype(dtype).type(value)
            value = float(str(seen)) if float(seen) == value else value
        return repr(value + 0.0).removesuffix(".0")
    return value_word(value)


def _reached(part: IntervalPart) -> str:
    """Return an interval as the values that a number goes to."""
    low, high = part.low, part.high
    if part.boolean:
        return "1" if low > -math.inf else "0"
    if part.whole:
        first = None if math.isinf(low) else math.floor(low) + 1
        last = None if math.isinf(high) else math.floor(high)
        if first is None:
            return "any number" if last is None else f"{last} or less"
        if last is None:
            return f"{first} or more"
        return str(first) if first == last else f"{first} to {last}"
    texts = [
        text
        for end, text in ((low, f"more than {_short(low)}"), (high, f"at most {_short(high)}"))
        if math.isfinite(end)
    ]
    return ", ".join(texts) or "any number"


def _short(value: float) -> str:
    return repr(value + 0.0).removesuffix(".0")


def _chosen(values: Sequence[Hashable]) -> Sequence[Hashable]:
    """Return the values that somebody can change to, where there are any: a gap is no aim."""
    real = [v for v in values if not (is_missing(v) or (isinstance(v, OneOf) and v.others))]
    return real or values


def _listed(values: list[str]) -> str:
    if len(values) > MOST_SHOWN:
        return f"{', '.join(values[: MOST_SHOWN - 1])} or {len(values) - MOST_SHOWN + 1} others"
    return " or ".join([", ".join(values[:-1]), values[-1]] if values[:-1] else values)


def _decimals(text: str) -> int:
    """Return how many decimals a number is written with."""
    plain = text.partition("e")[0]
    return len(plain.partition(".")[2])

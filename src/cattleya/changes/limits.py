"""What the user permits: ``immutable`` and ``ranges``, read."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from cattleya.changes.costs import Permitted, Start
from cattleya.changes.regions import Regions
from cattleya.model.domain.domain import Attribute, Category, Number, OneOf, is_missing
from cattleya.model.domain.edges import snapped
from cattleya.model.domain.lookup import listed
from cattleya.support.guards import is_real
from cattleya.support.suggestions import known_names
from cattleya.support.text import printable, shown

__all__ = ["Limits", "everything"]


PAIR = 2
DIRECTIONS = ("increase", "decrease", "missing")


def everything(regions: Regions) -> Permitted:
    """Permit every value of the domain, and missing where the model takes missing values."""
    return Permitted(
        np.full(len(regions.attributes), -math.inf),
        np.full(len(regions.attributes), math.inf),
        np.ones(len(regions.attributes), dtype=np.bool_),
        {i: np.ones(len(_category(regions, i).values), dtype=np.bool_) for i in regions.sets},
    )


class Limits:
    """The user's constraints on changes, for one row.

    Attributes
    ----------
    permitted : Permitted
        All of them together.
    without : Permitted
        What would be permitted with none.
    words : dict of int to str
        By tested attribute: the constraint on it, as the user may recognise it.
    named : dict of int to dict
        By tested category and the place of its value: which of the user's values is permitted,
        where several are alike to the tree.
    """

    def __init__(
        self, regions: Regions, start: Start, immutable: Any = (), ranges: Any = None
    ) -> None:
        self._regions, self._start = regions, start
        self.words: dict[int, str] = {}
        self.named: dict[int, dict[int, Hashable]] = {}
        self.without = self._usual()
        self.permitted = self._usual()
        for name, allowed in _pairs(ranges, "ranges").items():
            for place in regions.lookup.find("ranges", name).attributes:
                _check(regions.domain.attributes[place], allowed)
                if place in regions.tested:  # others cannot matter
                    self._restrict(regions.tested[place], allowed)
        for name in listed("immutable", immutable):
            for place in self._tested(name, "immutable"):
                self._freeze(place)

    def only(self, places: Iterable[int]) -> None:
        """Freeze every attribute but those at some places of the domain."""
        free = set(places)
        for tested, place in enumerate(self._regions.places.tolist()):
            if place not in free:
                self._freeze(tested)

    def _usual(self) -> Permitted:
        """Return what is permitted by itself: any value that can be written down."""
        usual = everything(self._regions)
        usual.missing[:] = False
        for tested, values in usual.values.items():
            values[:] = [_can_be_written(v) for v in _category(self._regions, tested).values]
        return usual

    def _tested(self, name: Hashable, what: str) -> list[int]:
        """Return the tested attributes of a name; others cannot matter."""
        tested = self._regions.tested
        return [tested[i] for i in self._regions.lookup.find(what, name).attributes if i in tested]

    def _freeze(self, tested: int) -> None:
        self.permitted.low[tested], self.permitted.high[tested] = math.inf, -math.inf
        self.permitted.missing[tested] = False
        if tested in self.permitted.values:
            self.permitted.values[tested][:] = False
        self.words[tested] = printable(f"{self._regions.attributes[tested].name} is immutable")

    def _restrict(self, tested: int, allowed: Any) -> None:
        attribute = self._regions.attributes[tested]
        if isinstance(attribute, Category):
            self._restrict_category(tested, attribute, allowed)
        elif isinstance(allowed, list):  # several, all of which must hold
            for one in allowed:
                self._restrict_number(tested, attribute, one)
        else:
            self._restrict_number(tested, attribute, allowed)
        self.words[tested] = printable(f"{attribute.name} is limited to {_said(allowed)}")

    def _restrict_number(self, tested: int, number: Number, allowed: Any) -> None:
        low, high = -math.inf, math.inf
        own = float(self._start.number[tested])
        if isinstance(allowed, str) and allowed in DIRECTIONS:
            if allowed == "missing":
                self.permitted.missing[tested] = True
            elif not math.isnan(own):  # a missing value may become any
                low, high = (own, high) if allowed == "increase" else (low, own)
        else:
            low, high = _ends(number, allowed)
        least, most = snapped(
            [number], np.array([low]), np.array([high]), self._regions.tree.row_dtype
        )
        permitted = self.permitted
        permitted.low[tested] = max(permitted.low[tested], least[0])
        permitted.high[tested] = min(permitted.high[tested], most[0])

    def _restrict_category(self, tested: int, category: Category, allowed: Any) -> None:
        values = self.permitted.values[tested]
        if isinstance(allowed, str) or not isinstance(allowed, (set, frozenset, list, tuple)):
            code = np.array(category.points)[:, 0]
            own = code[self._start.category[tested]]
            values &= code > own if allowed == "increase" else code < own
            return
        chosen = np.zeros(len(values), dtype=np.bool_)
        for value in allowed:
            chosen[_places(category, value)] = True
        values[:] = chosen  # a missing one too, where it is named
        self.named[tested] = {
            place: next(one for one in known.values if any(_is_among(v, one) for v in allowed))
            for place, known in enumerate(category.values)
            if chosen[place] and isinstance(known, OneOf)
        }


def _check(attribute: Attribute, allowed: Any) -> None:
    """Refuse what an attribute cannot be limited to, whether or not the tree tests it."""
    if isinstance(attribute, Number):
        for one in allowed if isinstance(allowed, list) else [allowed]:
            if not isinstance(one, str) or one not in DIRECTIONS:
                _ends(attribute, one)
    elif isinstance(allowed, str) or not isinstance(allowed, (set, frozenset, list, tuple)):
        # A category in one column has codes, which have an order.
        directed = isinstance(allowed, str) and allowed in ("increase", "decrease")
        if not directed or len(attribute.columns) > 1:
            raise ValueError(
                f"ranges: {attribute.name!r} is a category: give the set of values that it may "
                f"become, not {shown(allowed)}"
            )
    else:
        for value in allowed:
            _places(attribute, value)


def _ends(number: Number, allowed: Any) -> tuple[float, float]:
    """Return the ends of the interval that a number is limited to."""
    if not isinstance(allowed, tuple) or len(allowed) != PAIR:
        raise ValueError(
            f"ranges: {number.name!r} is a number: give (low, high), 'increase', 'decrease' "
            f"or 'missing' (it may become missing), or a list of these, not {shown(allowed)}"
        )
    low, high = _end(number, allowed[0], -math.inf), _end(number, allowed[1], math.inf)
    if low > high:
        raise ValueError(
            f"ranges: {number.name!r} has {shown(allowed)}: the first is larger; give (low, high)"
        )
    return low, high


def _places(category: Category, value: Any) -> list[int]:
    """Return the places of a value among those of a category."""
    found = [place for place, known in enumerate(category.values) if _is_among(value, known)]
    if not found:
        raise ValueError(
            f"ranges: {shown(value)} is no value of {category.name!r}; "
            f"it has {known_names([value], list(_each(category.values)))}"
        )
    return found


def _end(number: Number, end: Any, otherwise: float) -> float:
    if end is None:
        return otherwise
    wrong = ValueError(f"ranges: {number.name!r} has the bound {shown(end)}; give a number or None")
    if not is_real(end):
        raise wrong
    try:
        bound = float(end)
    except OverflowError:
        raise wrong from None
    if math.isnan(bound):
        raise wrong
    return bound


def _is_among(value: Any, known: Hashable) -> bool:
    if isinstance(known, OneOf):
        return any(_is_among(value, one) for one in known.values)
    return (is_missing(value) and is_missing(known)) or bool(value == known)


def _each(values: Iterable[Hashable]) -> Iterator[Hashable]:
    """Give the user's values, each by itself."""
    for value in values:
        yield from value.values if isinstance(value, OneOf) else (value,)


def _can_be_written(value: Hashable) -> bool:
    """Tell whether there is a concrete value that is not a missing one."""
    if isinstance(value, OneOf):
        return any(not is_missing(one) for one in value.values)
    return not is_missing(value)


def _category(regions: Regions, tested: int) -> Category:
    attribute: Attribute = regions.attributes[tested]
    assert isinstance(attribute, Category)  # regions.sets has these only
    return attribute


def _pairs(given: Any, what: str) -> Mapping[Any, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} must be a dict by feature, not {shown(given)}")
    return given


def _said(allowed: Any) -> str:
    if isinstance(allowed, (set, frozenset)):
        return "{" + ", ".join(sorted(map(repr, allowed))) + "}"
    return repr(allowed)

"""What values a row can have: the attributes that users speak of, behind the tree's columns.

A tree tests columns of numbers. What a user knows is an *attribute*: a number, perhaps a whole one,
perhaps scaled on its way to the tree; or a category, which may be one column of codes or a group of
one-hot columns. A ``Domain`` says which attribute each column belongs to, and which values it can
take. Attributes are independent of each other: any value of one goes with any value of another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cattleya.model.domain.number import Number
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Floats, Int32s
from cattleya.support.distinct import distinct

__all__ = [
    "ANY_OTHER",
    "NOT_GIVEN",
    "Attribute",
    "Category",
    "Domain",
    "Number",
    "OneOf",
    "is_missing",
    "is_nameless",
    "plain",
    "said",
    "stands_for_others",
    "value_in",
    "value_word",
]

_MOST_LISTED = 3
ANY_OTHER = "any unseen value"

Row = Sequence[float] | Mapping[int, float] | Floats  # by the tree's columns


def is_missing(value: object) -> bool:
    """Tell whether a user's value is a missing one: None, NaN, pandas' NA or NaT."""
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 - only NaN differs from itself
    except (TypeError, ValueError):  # pandas' NA does not say, an array says many things
        return type(value).__name__ == "NAType"


def plain(value: Any) -> Any:
    """Return a user's value as one of Python's own; -0.0 is 0.0, which is the same number."""
    value = value.item() if isinstance(value, np.generic) else value
    return value + 0.0 if isinstance(value, float) else value


def value_word(value: object) -> str:
    """Return the word for a value of a category; in quotes if it is one that means another thing.

    >>> value_word("clerk"), value_word(None), value_word("missing")
    ('clerk', 'missing', "'missing'")
    """
    if is_missing(value):
        return "missing"
    return f"'{value}'" if value in ("missing", ANY_OTHER) else str(value)


@dataclass(frozen=True)
class OneOf:
    """A value of a category that stands for several of the user's, alike to the tree.

    ``others`` says that it also stands for every value that the model has never seen, and ``but``,
    where it stands for no other value, which values it does not stand for.

    >>> print(OneOf(("clerk", "cook")), "|", OneOf((), others=True, but=("nurse", "pilot")))
    clerk or cook | any but nurse or pilot
    """

    values: tuple[Hashable, ...]
    others: bool = False
    but: tuple[Hashable, ...] = ()

    def __str__(self) -> str:
        if 0 < len(self.but) <= _MOST_LISTED + 1:
            return f"any but {OneOf(self.but)}"
        said = list(
            dict.fromkeys(map(value_word, self.values))
        )  # "3" and 3 may be the same to a model
        if len(said) > _MOST_LISTED + 1:
            said[_MOST_LISTED:] = [f"{len(said) - _MOST_LISTED} more"]
        if self.others:
            said.append(ANY_OTHER)
        return " or ".join([", ".join(said[:-1]), said[-1]] if said[:-1] else said)


def is_nameless(words: Sequence[str]) -> bool:
    """Tell whether values are better said by what they are not: no value has a name."""
    return ANY_OTHER in words and set(words) <= {"missing", ANY_OTHER}


def said(values: Sequence[Hashable]) -> Iterator[str]:
    """Give the words for values of a category, each of the user's by itself."""
    for value in values:
        if not isinstance(value, OneOf):
            yield value_word(value)
            continue
        yield from dict.fromkeys(said(value.values))
        if value.others:
            yield ANY_OTHER


@dataclass(frozen=True)
class Category:
    """One of finitely many values, each a point in one or more columns of the tree.

    Attributes
    ----------
    name : str
        As the user knows it.
    columns : tuple of int
        The tree's columns: one of codes, or a one-hot group.
    values : tuple
        The categories, as in the user's data; a ``OneOf`` where the tree cannot tell some apart.
    points : tuple of tuples of float
        What each value is in these columns, as the tree sees it. No two are equal.
    missing : int, optional
        The value (its place in ``values``) as which a missing one is filled in.
    other : int, optional
        The value as which one is taken that the model has never seen.
    raw : tuple of int
        The user's columns behind it, by their places; none where it could not be traced.
    written : tuple of tuples, optional
        How each value is written in these columns; by default, as itself.

    Examples
    --------
    >>> job = Category("job", (1, 2), ("clerk", "nurse"), ((1.0, 0.0), (0.0, 1.0)))
    >>> job.values[job.value_of([38.0, 0.0, 1.0])]
    'nurse'
    """

    name: str
    columns: tuple[int, ...]
    values: tuple[Hashable, ...]
    points: tuple[tuple[float, ...], ...]
    missing: int | None = None
    other: int | None = None
    raw: tuple[int, ...] = ()
    written: tuple[tuple[Hashable, ...], ...] | None = None

    def value_of(self, row: Row) -> int:
        """Return the place of a row's value; ``ValueError`` where it has none of them."""
        point = tuple(float(row[column]) for column in self.columns)
        found = self._places.get(_key(point))
        if found is None:
            raise ValueError(
                f"the row has no value of {self.name!r}: it has {', '.join(map(repr, point))} "
                f"where {self.values[0]} is {', '.join(map(repr, self.points[0]))}; "
                f"the values are {_listed(self.values)}"
            )
        return found

    def told(self, place: int) -> Hashable:
        """Return a value with all that it stands for in the user's column.

        A missing value that is filled in as it, or one never seen that is taken for it, is not it.

        >>> job = Category("job", (0,), ("clerk", "nurse"), ((0.0,), (1.0,)), missing=1)
        >>> print(job.told(0), "|", job.told(1))
        clerk | nurse or missing
        """
        value = self.values[place]
        parts = value.values if isinstance(value, OneOf) else (value,)
        gap = place == self.missing and not any(map(is_missing, parts))
        others = place == self.other and not (isinstance(value, OneOf) and value.others)
        return OneOf((*parts, *[None] * gap), others=others) if gap or others else value

    def is_unseen(self, given: Hashable) -> bool:
        """Tell whether a value of the user's is one that the model has never seen, but takes."""
        return self.other is not None and self.written is None and given not in self._known

    @cached_property
    def _known(self) -> frozenset[Hashable]:
        """The user's values that the model has seen; None stands for a missing one."""
        parts = (v.values if isinstance(v, OneOf) else (v,) for v in self.values)
        known = frozenset(None if is_missing(one) else one for part in parts for one in part)
        # A missing value that goes with the unseen ones was not seen itself.
        return known - {None} if self.missing == self.other else known

    @cached_property
    def _places(self) -> dict[tuple[float | None, ...], int]:
        return {_key(point): place for place, point in enumerate(self.points)}


Attribute = Number | Category


def stands_for_others(attribute: Attribute) -> bool:
    """Tell whether some value also stands for missing ones, or for those never seen.

    >>> stands_for_others(Category("job", (0,), ("clerk", "nurse"), ((0.0,), (1.0,)), missing=1))
    True
    """
    if isinstance(attribute, Number):
        return bool(attribute.extra)
    places = [place for place in (attribute.missing, attribute.other) if place is not None]
    return any(attribute.told(place) is not attribute.values[place] for place in places)


@dataclass(frozen=True)
class Domain:
    """The attributes of a model; each column of the tree belongs to exactly one.

    Attributes
    ----------
    attributes : tuple of Number or Category
        In the order of the user's columns.
    n_columns : int
        How many columns the tree has.
    untraced : tuple of str
        What could not be traced back to the user's columns, one sentence each: the attributes
        behind it are the tree's own columns.
    raw_names : tuple of str
        The user's columns, all of them, in order.
    sources : tuple of frozensets of int
        Of each column of the tree that could not be traced back: the user's columns, by their
        places, that it is made from. Empty for the others.
    """

    attributes: tuple[Attribute, ...]
    n_columns: int
    untraced: tuple[str, ...] = ()
    raw_names: tuple[str, ...] = ()
    sources: tuple[frozenset[int], ...] = ()

    @classmethod
    def plain(cls, tree: Tree) -> Domain:
        """Return the domain of a tree about whose columns nothing more is known.

        Examples
        --------
        >>> Domain.plain(Tree.from_nested(("x1", 0, 1))).attributes[0].upper
        1.0
        """
        names, boolean = tree.feature_names, frozenset(tree.boolean)
        return cls(
            tuple(
                Number(name, i, integer=True, lower=0.0, upper=1.0, boolean=True, raw=(i,))
                if i in boolean
                else Number(name, i, raw=(i,))
                for i, name in enumerate(names)
            ),
            tree.n_features,
            raw_names=names,
        )

    @cached_property
    def of_column(self) -> Int32s:
        """The attribute that each column of the tree belongs to."""
        owner = np.full(self.n_columns, -1, dtype=np.int32)
        for number, attribute in enumerate(self.attributes):
            for column in attribute.columns:
                if owner[column] != -1:
                    raise ValueError(f"column {column} belongs to two attributes")
                owner[column] = number
        if (owner < 0).any():
            raise ValueError(f"column {int(np.argmin(owner))} belongs to no attribute")
        return owner

    def check_row(self, row: Floats, dtype: str) -> None:
        """Refuse a row that has a value which its attribute cannot take."""
        for attribute in self.attributes:
            _check(attribute, row, dtype)

    def check_rows(self, matrix: Floats, dtype: str, in_time: Callable[[], None]) -> None:
        """Refuse rows of which one has such a value, and name the first."""
        if wrong := self.faults(matrix, dtype, in_time):
            raise ValueError(f"row {min(wrong)}: {wrong[min(wrong)]}")

    def faults(self, matrix: Floats, dtype: str, in_time: Callable[[], None]) -> dict[int, str]:
        """Return what :meth:`check_row` says of the rows that it refuses; each value costs once.

        ``in_time`` is called again and again, and raises where there is no more time.
        """
        wrong: dict[int, str] = {}
        for attribute in self.attributes:
            rows = np.arange(len(matrix))
            if isinstance(attribute, Number):
                rows = np.flatnonzero(attribute.doubtful(matrix[:, attribute.column]))
            first, kind = distinct(matrix[rows][:, list(attribute.columns)])
            for number, place in enumerate(rows[first].tolist()):
                in_time()
                try:
                    _check(attribute, matrix[place], dtype)
                except ValueError as error:
                    for row in rows[kind == number].tolist():
                        wrong.setdefault(row, str(error))
        return wrong

    def user_value(
        self, place: int, row: Floats, raw: Sequence[Any] | None, dtype: str
    ) -> Hashable:
        """Return the value of an attribute in a row of the tree's; None where it is missing.

        ``raw`` has the same row's values in the user's columns, where these are others. Numbers
        come as floats, truth values as such, categories as given or else as they are known.
        """
        attribute = self.attributes[place]
        one = raw is not None and len(attribute.raw) == 1
        given = raw[attribute.raw[0]] if raw is not None and one else NOT_GIVEN
        value = value_in(attribute, row, given, dtype)
        if isinstance(attribute, Category) or value is None or isinstance(value, bool):
            return value  # type: ignore[no-any-return]  # hashable
        return plain(float(value))  # type: ignore[no-any-return]  # hashable


class _NotGiven:
    """Stands for what the user has not given in a column of its own."""


NOT_GIVEN: Any = _NotGiven()


def value_in(attribute: Attribute, row: Row, given: Any, dtype: str) -> Any:
    """Return the value of an attribute in a row, as its user wrote it; None where it is missing.

    ``given`` is what stands in the user's own column, or ``NOT_GIVEN`` where there is none: then
    it is what the tree sees in its columns, in the user's units.
    """
    if given is not NOT_GIVEN and is_missing(given):
        return None
    if isinstance(attribute, Category) and (given is NOT_GIVEN or attribute.written is not None):
        known = attribute.values[attribute.value_of(row)]
        return None if is_missing(known) else known
    if given is not NOT_GIVEN:
        return plain(given)
    assert isinstance(attribute, Number)
    seen = float(row[attribute.column])
    value = attribute.near(seen, dtype) if attribute.steps or attribute.extra else seen
    return None if math.isnan(value) else plain(value)


def _check(attribute: Attribute, row: Floats, dtype: str) -> None:
    if isinstance(attribute, Category):
        attribute.value_of(row)
    elif attribute.integer:
        attribute.check(float(row[attribute.column]), dtype)


def _key(point: tuple[float, ...]) -> tuple[float | None, ...]:
    """Return a point as a key: NaN is as good as NaN."""
    return tuple(None if math.isnan(value) else value for value in point)


def _listed(values: Sequence[Hashable], most: int = 5) -> str:
    said = ", ".join(map(str, values[:most]))
    return said if len(values) <= most else f"{said} and {len(values) - most} more"

"""What a user states about the model's features: which are whole numbers, which are categories.

A category may be written in one column, as codes, or in a group of columns of which exactly one
is 1. Either is said in terms of the features that the model already has.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cattleya.model.domain.domain import Attribute, Category, Domain, Number, is_missing
from cattleya.model.tree.tree import Tree
from cattleya.support.suggestions import known_names
from cattleya.support.text import shown

__all__ = ["Statements", "coded", "stated", "tests_beyond_whole"]

_FEWEST_COLUMNS = 2
LARGEST_WHOLE = 2.0**53


def stated(domain: Domain, tree: Tree, categories: Any = None, integer: Any = None) -> Domain:
    """Return the domain under a user's statements.

    Parameters
    ----------
    domain : Domain
        What is known from the model.
    tree : Tree
        The model's tree.
    categories : mapping, optional
        The values of each category. ``{"job": ["job_clerk", "job_nurse"]}`` names columns of which
        exactly one is 1; a value is called by what follows the common beginning up to ``_`` or
        ``=``. ``{"job": {"job_clerk": "clerk", "job_nurse": "nurse"}}`` also says what to call
        them. ``{"job": {1: "clerk", 2: "nurse"}}`` gives the codes in a column ``job``;
        ``{"job": ["clerk", "nurse"]}`` is short for the codes 0 and 1.
    integer : list of str, or True, optional
        The features that take whole numbers only; True for all that are numbers.

    Examples
    --------
    >>> tree = Tree([-1], [-1], [-1], [0.0], [0], n_features=3,
    ...             feature_names=["age", "job=clerk", "job=nurse"])
    >>> domain = stated(Domain.plain(tree), tree, integer=["age"],
    ...                 categories={"job": ["job=clerk", "job=nurse"]})
    >>> domain.attributes[0].integer, domain.attributes[1].values
    (True, ('clerk', 'nurse'))
    """
    attributes: dict[str, Attribute] = {a.name: a for a in domain.attributes}
    if categories is not None and not isinstance(categories, Mapping):
        raise TypeError(
            f"categories must be a dict of a category's values by its name, not {shown(categories)}"
        )
    taken: dict[str, str] = {}
    for name, values in (categories or {}).items():
        _state_category(attributes, taken, name, values, tree)
    for name in _integer_names(attributes, integer):
        if isinstance(name, str) and name in taken:
            raise ValueError(f"integer names {name!r}, which is in {taken[name]}: leave it out")
        attribute = attributes.get(name) if isinstance(name, str) else None
        if attribute is None:
            raise _unknown(attributes, name, "integer")
        if isinstance(attribute, Category):
            raise ValueError(f"integer names {name!r}, which is a category: leave it out")
        _check_whole(attribute, tree)
        attributes[name] = replace(attribute, integer=True)
    order = sorted(attributes.values(), key=lambda a: a.raw or (len(domain.raw_names), *a.columns))
    return replace(domain, attributes=tuple(order))


def tests_beyond_whole(number: Number, tree: Tree) -> float:
    """Return a threshold so large that the next whole number is no number of its own, or 0."""
    tested = tree.threshold[tree.feature == number.column]
    largest = max((abs(t) for t in tested.tolist() if math.isfinite(t)), default=0.0)
    return largest if largest >= LARGEST_WHOLE else 0.0


def _check_whole(number: Number, tree: Tree) -> None:
    if largest := tests_beyond_whole(number, tree):
        raise ValueError(
            f"integer names {number.name!r}, but the tree tests it at {largest:g}: beyond 2^53 "
            f"not every whole number is a floating point number; leave it out"
        )


def _integer_names(attributes: Mapping[str, Attribute], integer: Any) -> list[str]:
    if integer is None or integer is False:
        return []
    if integer is True:
        return [name for name, a in attributes.items() if isinstance(a, Number)]
    if isinstance(integer, str) or not isinstance(integer, Iterable):
        raise TypeError(f"integer must be True or a list of features' names, not {shown(integer)}")
    return list(integer)


def _unknown(attributes: Mapping[str, Attribute], name: Any, where: str) -> ValueError:
    known = known_names([name], list(attributes))
    return ValueError(f"{where} names {name!r}, but the model's features are {known}")


def _state_category(
    attributes: dict[str, Attribute], taken: dict[str, str], name: Any, values: Any, tree: Tree
) -> None:
    """Put one category in the place of the features that it is made of."""
    where = f"categories[{name!r}]"
    if not isinstance(name, str):
        raise TypeError(f"a category's name must be text, not {shown(name)}")
    if isinstance(values, (str, bytes)) or not isinstance(values, (Mapping, Sequence)):
        raise TypeError(
            f"{where} must be a list of columns or labels, or a dict, not {shown(values)}"
        )
    if not values:
        raise ValueError(f"{where} is empty: list the category's columns, or its values")
    for one in values:
        if isinstance(one, str) and one in taken:
            raise ValueError(f"{where} names {one!r}, which is in {taken[one]} already: keep one")
    if name in taken:
        raise ValueError(f"{where}: {name!r} is in {taken[name]} already: keep one")
    strangers = [one for one in values if not (isinstance(one, str) and one in attributes)]
    if not strangers:
        made = _one_hot(attributes, name, values, where, tree)
        members = list(values)
    elif name not in attributes or len(strangers) < len(values):
        # Neither all of them columns, nor codes in one: the first that is unknown is at fault.
        raise _unknown(attributes, strangers[0], where)
    else:
        made = coded(attributes[name], values, where, tree)
        members = [name]
    for member in members:
        del attributes[member]
        taken[member] = where
    if name in attributes:
        raise ValueError(f"{where}: the model has another feature {name!r}; choose another name")
    attributes[name] = made


def _one_hot(
    attributes: Mapping[str, Attribute], name: str, columns: Any, where: str, tree: Tree
) -> Category:
    """Return the category of a group of columns of which exactly one is 1."""
    names = list(columns)
    if len(names) < _FEWEST_COLUMNS:
        raise ValueError(
            f"{where} has the one column {names[0]!r}: a one-hot group has two columns or more"
        )
    for place, one in enumerate(names):
        if one in names[:place]:
            raise ValueError(f"{where} names {one!r} twice: name each column once")
    members = []
    for one in names:
        member = attributes[one]
        if isinstance(member, Category):
            raise ValueError(f"{where} names {one!r}, which is a category already: leave it out")
        members.append(member)
    labels = list(columns.values()) if isinstance(columns, Mapping) else _endings(names)
    ones = [[int(own is other) for other in members] for own in members]
    points = tuple(
        tuple(m.to_tree(float(x), tree.row_dtype) for m, x in zip(members, line, strict=True))
        for line in ones
    )
    traced = all(member.raw for member in members)
    return Category(
        name,
        tuple(member.column for member in members),
        _labels(labels, where),
        points,
        raw=tuple(member.raw[0] for member in members) if traced else (),
        written=tuple(map(tuple, ones)),
    )


def _endings(names: Sequence[str]) -> list[str]:
    """Return what distinguishes the columns: job_clerk and job_nurse are clerk and nurse."""
    first, last = min(names), max(names)  # what these two share, all share
    same = next((i for i, c in enumerate(first) if last[i : i + 1] != c), len(first))
    length = max(first.rfind("_", 0, same), first.rfind("=", 0, same)) + 1
    return [name[length:] or name for name in names]


def coded(own: Attribute, given: Any, where: str, tree: Tree) -> Category:
    """Return the category whose values are codes in one column."""
    if isinstance(own, Category):
        raise ValueError(
            f"{where}: {own.name!r} is a category of the model's already: leave it out"
        )
    codes: list[Any] = list(given) if isinstance(given, Mapping) else list(range(len(given)))
    labels = _labels(given.values() if isinstance(given, Mapping) else given, where)
    for code in codes:
        if not isinstance(code, numbers.Real) or not _is_float(code):
            raise ValueError(
                f"{where} has the code {shown(code)}: codes are the numbers in the column "
                f"{own.name!r}, or give the columns of a one-hot group"
            )
    points: list[tuple[float, ...]] = [
        (own.to_tree(float(code), tree.row_dtype),) for code in codes
    ]
    if len(set(points)) < len(points):
        raise ValueError(
            f"{where}: the tree cannot tell the codes {shown(codes)} apart: give codes that differ "
            f"in {tree.row_dtype}"
        )
    written: list[tuple[Hashable, ...]] = [(code,) for code in codes]
    missing = None
    filled = own.extra[:1] or ((math.nan,) if tree.missing_left is not None else ())
    if filled and filled not in points:
        labels, points, written = (*labels, math.nan), [*points, filled], [*written, (math.nan,)]
    if filled:
        missing = points.index(filled)
    return Category(
        own.name, own.columns, labels, tuple(points), missing, None, own.raw, tuple(written)
    )


def _is_float(code: numbers.Real) -> bool:
    """Tell whether a number is a finite one of floating point."""
    try:
        return math.isfinite(code)
    except OverflowError:
        return False


def _labels(labels: Iterable[Any], where: str) -> tuple[Hashable, ...]:
    given = tuple(labels)
    for place, label in enumerate(given):
        if not isinstance(label, Hashable) or is_missing(label):
            raise TypeError(f"{where} has the label {label!r}: labels are texts or numbers")
        if label in given[:place]:
            raise ValueError(f"{where} has the label {label!r} twice: values must differ")
    return given


@dataclass(frozen=True)
class Statements:
    """What a user stated about the features, kept until the domain is needed."""

    categories: Any = None
    integer: Any = None

    def applied(self, domain: Domain, tree: Tree) -> Domain:
        """Return the domain under the statements."""
        if not self:
            return domain
        return stated(domain, tree, categories=self.categories, integer=self.integer)

    def __bool__(self) -> bool:
        return bool(self.categories) or self.integer not in (None, False)

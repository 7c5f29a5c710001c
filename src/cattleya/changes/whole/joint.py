"""Two models over the same columns of the user's: one domain, and one tree with the tests of both.

Each model sees its own numbers: scaled, encoded, filled in. What both share is what the user gives.
So a test of a number becomes one of the user's number: every threshold is moved back through the
arithmetic in front of it, to the last value that goes left, exactly. A category has the columns of
both models; its values are those that both take, and two that neither tells apart are one.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cattleya.changes.whole.joined import with_which
from cattleya.model.conditions.tests import Conditions
from cattleya.model.domain.domain import Attribute, Category, Domain, OneOf, is_missing
from cattleya.model.domain.number import Number
from cattleya.model.tree.simplify import under_one_root
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bools, Floats, Int32s
from cattleya.support.text import quoted, shown
from cattleya.vocabularies.cells import Cells

__all__ = ["Joint", "Side", "joint_of"]

UNSEEN = object()


@dataclass(frozen=True)
class Side:
    """One of two models: its tree, labelled with outcomes; its domain; the names of its columns.

    ``classes`` are what its outcomes are, to be the same as those of the other model.
    """

    tree: Tree
    domain: Domain
    names: tuple[str, ...]
    classes: tuple[Hashable, ...]

    @property
    def routes_missing(self) -> bool:
        """Whether the tree itself takes missing numbers."""
        return self.tree.missing_left is not None

    def takes_missing(self, number: Number) -> bool:
        """Tell whether the model takes a number that is missing."""
        return self.routes_missing or bool(number.extra)


@dataclass(frozen=True, eq=False)
class Joint:
    """Two models as one tree.

    Attributes
    ----------
    cells : Cells
        Of the tree; its last attribute is which model is meant.
    names : tuple of str
        The columns of both.
    classes : tuple
        The outcomes of both.
    printed : dict
        How thresholds are printed, by attribute and threshold.
    notes : tuple of str
        What is not compared.
    """

    cells: Cells
    names: tuple[str, ...]
    classes: tuple[Hashable, ...]
    printed: dict[tuple[int, float], float]
    notes: tuple[str, ...]

    @property
    def which(self) -> int:
        """The attribute that asks which model is meant."""
        return len(self.cells.domain.attributes) - 1


def joint_of(old: Side, new: Side) -> Joint:
    """Return two models as one; ``ValueError`` where they have no domain in common."""
    return _Joiner((old, new)).run()


@dataclass
class _Joiner:
    sides: tuple[Side, Side]
    names: list[str] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)
    never_missing: set[int] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    printed: dict[tuple[int, float], float] = field(default_factory=dict)
    columns: int = 0

    def run(self) -> Joint:
        old, new = self.sides
        self.names = list(dict.fromkeys((*old.names, *new.names)))
        found: dict[tuple[str, ...], list[int | None]] = {}
        for which, side in enumerate(self.sides):
            for key, place in _by_columns(side):
                found.setdefault(key, [None, None])[which] = place
        self._check_overlaps(found)
        # As they are where nothing is done to numbers; else as the user's own doubles.
        numbers = [a for side in self.sides for a in side.domain.attributes]
        plain = all(not (isinstance(a, Number) and (a.steps or a.extra)) for a in numbers)
        same = old.tree.row_dtype == new.tree.row_dtype
        self._dtype = old.tree.row_dtype if plain and same else "float64"
        filled = any(isinstance(a, Number) and a.extra for a in numbers)
        self._missing = old.routes_missing or new.routes_missing or filled
        # By side and column of its tree: the column here, and the number behind it if it is one.
        self._column: list[dict[int, tuple[int, Number | None, int]]] = [{}, {}]
        order = sorted(found, key=lambda key: self.names.index(key[0]))
        for key in order:
            self._add(key, found[key])
        classes = tuple(dict.fromkeys((*old.classes, *new.classes)))
        trees = [self._tree(which, classes) for which in (0, 1)]
        own = np.arange(len(classes), dtype=np.int32)
        both: Tree = under_one_root(trees[0], trees[1], own, classes)
        domain = Domain(tuple(self.attributes), self.columns, raw_names=tuple(self.names))
        domain = with_which(domain, self.columns)
        cells = Cells(Conditions(both), domain, frozenset(self.never_missing))
        return Joint(cells, tuple(self.names), classes, self.printed, tuple(self.notes))

    def _check_overlaps(self, found: dict[tuple[str, ...], Any]) -> None:
        """Refuse columns that are one attribute to one model and a part of another to the other."""
        owner: dict[str, tuple[str, ...]] = {}
        for key in found:
            for name in key:
                if owner.setdefault(name, key) != key:
                    raise ValueError(
                        f"{shown(name)} is a column of its own to one model, and one of several "
                        f"to the other; state the same categories for both"
                    )

    def _add(self, key: tuple[str, ...], places: Sequence[int | None]) -> None:
        given = [
            None if place is None else side.domain.attributes[place]
            for side, place in zip(self.sides, places, strict=True)
        ]
        raw = tuple(self.names.index(name) for name in key)
        if all(one is None or isinstance(one, Number) for one in given):
            self._add_number([one for one in given if isinstance(one, Number)], given, raw)
        else:
            self._add_category(given, key, raw)

    # Numbers.

    def _add_number(
        self, known: list[Number], given: Sequence[Attribute | None], raw: tuple[int, ...]
    ) -> None:
        place = len(self.attributes)
        self.attributes.append(
            Number(
                known[0].name,
                self.columns,
                integer=any(one.integer for one in known),
                lower=max(one.lower for one in known),
                upper=min(one.upper for one in known),
                boolean=all(one.boolean for one in known),
                raw=raw,
            )
        )
        takes = [
            side.takes_missing(one)
            for one, side in zip(given, self.sides, strict=True)
            if isinstance(one, Number)
        ]
        if not all(takes):
            self.never_missing.add(place)
        if any(takes) and not all(takes):
            self.notes.append(
                f"rows that lack {known[0].name} are not compared: one of both models takes none"
            )
        for which, one in enumerate(given):
            if isinstance(one, Number):
                self._column[which][one.column] = self.columns, one, place
        self.columns += 1

    # Categories.

    def _add_category(
        self, given: Sequence[Attribute | None], key: tuple[str, ...], raw: tuple[int, ...]
    ) -> None:
        values = list(self._values(given, key))
        left_out: list[Hashable] = []
        groups: dict[tuple[tuple[float, ...], ...], list[Any]] = {}
        for value in values:
            own = [
                _point(one, value, side.tree.row_dtype)
                for one, side in zip(given, self.sides, strict=True)
            ]
            taken = tuple(point for point in own if point is not None)
            if len(taken) == len(own):
                groups.setdefault(taken, []).append(value)
            else:
                left_out.append(value)
        if not groups:
            raise ValueError(f"the models have no value of {quoted(list(key))} in common")
        unseen = [isinstance(one, Category) and one.other is not None for one in given if one]
        only_one = any(unseen) and not all(unseen)
        if left_out or only_one:
            name = next(one.name for one in given if one is not None)
            told = OneOf(tuple(left_out), others=only_one)
            self.notes.append(
                f"rows with {name} = {told} are not compared: one of both models takes none"
            )
        names: list[Hashable] = []
        points: list[tuple[float, ...]] = []
        gap = _gap(given)
        for point, alike in groups.items():
            shown_as = [gap if one is None else one for one in alike if one is not UNSEEN]
            alone = len(alike) == 1 and alike[0] is not UNSEEN
            names.append(shown_as[0] if alone else OneOf(tuple(shown_as), UNSEEN in alike))
            points.append(tuple(number for part in point for number in part))
        known = next(one for one in given if one is not None)
        missing = [i for i, own in enumerate(groups.values()) if any(v is None for v in own)]
        other = [i for i, own in enumerate(groups.values()) if UNSEEN in own]
        written = None
        if isinstance(known, Category) and known.written is not None:
            back = dict(zip(known.values, known.written, strict=True))
            written = tuple(back[one] for one in names)
        columns: list[int] = []
        for which, one in enumerate(given):
            for column in () if one is None else one.columns:
                self._column[which][column] = self.columns, None, len(self.attributes)
                columns.append(self.columns)
                self.columns += 1
        self.attributes.append(
            Category(
                known.name,
                tuple(columns),
                tuple(names),
                tuple(points),
                missing=missing[0] if missing else None,
                other=other[0] if other else None,
                raw=raw,
                written=written,
            )
        )

    def _values(self, given: Sequence[Attribute | None], key: tuple[str, ...]) -> Iterator[Any]:
        """Give the user's values that any of both knows; None is missing."""
        known: dict[Hashable, None] = {}
        for one in given:
            if isinstance(one, Category):
                for value in one.values:
                    parts = value.values if isinstance(value, OneOf) else (value,)
                    known |= dict.fromkeys(None if is_missing(v) else v for v in parts)
                if one.missing is not None:
                    known[None] = None
        yield from known
        if any(isinstance(one, Number) for one in given):
            if any(isinstance(v, str) for v in known):
                raise ValueError(
                    f"{quoted(list(key))} is a number to one model, and a category to the other"
                )
        elif all(one is None or (isinstance(one, Category) and one.other is not None)
                 for one in given):  # fmt: skip  # as it reads
            yield UNSEEN

    # The trees.

    def _tree(self, which: int, classes: tuple[Hashable, ...]) -> Tree:
        side = self.sides[which]
        tree = side.tree
        inner = np.flatnonzero(tree.left >= 0)
        feature, threshold = tree.feature.copy(), tree.threshold.copy()
        missing: Bools = np.zeros(tree.n_nodes, dtype=np.bool_)
        if tree.missing_left is not None:
            missing = tree.missing_left.copy()
        for column in np.unique(tree.feature[inner]).tolist():
            here = inner[tree.feature[inner] == column]
            target, number, place = self._column[which][column]
            feature[here] = target
            if number is not None:
                if number.extra:
                    missing[here] = number.extra[0] <= tree.threshold[here]
                threshold[here] = self._moved(number, place, tree.threshold[here], tree.row_dtype)
        of_class: Int32s = np.array([classes.index(own) for own in side.classes], dtype=np.int32)
        return Tree(
            tree.left,
            tree.right,
            feature,
            threshold,
            np.where(tree.left < 0, of_class[tree.leaf_class], -1),
            n_features=self.columns,
            class_names=classes,
            missing_left=missing if self._missing else None,
            row_dtype=self._dtype,
        )

    def _moved(self, number: Number, place: int, thresholds: Floats, dtype: str) -> Floats:
        """Return thresholds as the user's numbers meet them, and note how they are printed."""
        moved = thresholds
        if self._dtype != dtype or number.steps:
            moved = thresholds.copy()
            finite = np.isfinite(thresholds)
            moved[finite] = number.boundary(thresholds[finite], dtype)
        joined = self.attributes[place]
        if isinstance(joined, Number) and not joined.integer:
            for before, after in zip(thresholds.tolist(), moved.tolist(), strict=True):
                if math.isfinite(before):
                    self.printed[place, after] = number.printed(before, dtype)
        return moved


def _by_columns(side: Side) -> Iterator[tuple[tuple[str, ...], int]]:
    """Give the attributes of a model that it tests, by the columns of the user's behind them."""
    tested = set(side.tree.feature[side.tree.left >= 0].tolist())
    for place, attribute in enumerate(side.domain.attributes):
        key = tuple(side.names[raw] for raw in attribute.raw)
        if key:
            yield key, place
        elif tested & set(attribute.columns):
            raise ValueError(
                f"{shown(attribute.name)} reaches the tree in a way that cannot be traced back to "
                f"the columns given, so that the models have no columns in common"
            )


def _gap(given: Sequence[Attribute | None]) -> Hashable:
    """Return a missing value as the models know it: None and NaN may be two values to them."""
    for one in given:
        for value in one.values if isinstance(one, Category) else ():
            for part in value.values if isinstance(value, OneOf) else (value,):
                if is_missing(part):
                    return part
    return math.nan


def _point(one: Attribute | None, value: Any, dtype: str) -> tuple[float, ...] | None:
    """Return a value of the user's in a model's columns; None where it takes no such value."""
    if one is None:
        return ()
    if isinstance(one, Number):
        number = math.nan if value is None else float(value)
        taken = bool(one.extra) if math.isnan(number) else one.lower <= number <= one.upper
        return (one.to_tree(number, dtype),) if taken else None
    place = one.missing if value is None else one.other
    for known_as, known in enumerate(one.values):
        parts = known.values if isinstance(known, OneOf) else (known,)
        if value is not UNSEEN and any(
            is_missing(part) if value is None else part == value for part in parts
        ):
            place = known_as
    return None if place is None else one.points[place]

"""Questions about a whole model: is it fair everywhere, how does it go with numbers, what it uses.

Each is answered over the whole domain, and proved: by a pair of rows, read as those of a user are
and given to the tree, or by a walk of the tree over all that rows can be.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from cattleya.changes.fairness import DataFairness, fairness
from cattleya.changes.whole.cell_sets import CellSet, CellWords, Range
from cattleya.changes.whole.free import MANY, Case, Found, Region, Wanted, find, merged
from cattleya.explain.context import ModelContext
from cattleya.model.conditions.parts import Part
from cattleya.model.domain.lookup import FeatureLookup, listed
from cattleya.model.domain.number import Number
from cattleya.support.arrays import Floats
from cattleya.support.limits import Deadline
from cattleya.support.text import printable, shown

__all__ = ["Audit", "AuditRegion", "Monotone", "RowPair", "audit"]

DIRECTIONS = ("up", "down")
SHOWN = 5  # regions in the text


@dataclass(frozen=True, eq=False)
class RowPair:
    """Two rows that differ in some features only, and what is decided about each.

    Attributes
    ----------
    first, second : dict
        The rows, by column; None is missing.
    outcomes : tuple of str
        The outcome of each, as it is shown.
    changes : tuple of (name, before, after)
        What differs.
    """

    first: dict[str, Any]
    second: dict[str, Any]
    outcomes: tuple[str, str]
    changes: tuple[tuple[str, Any, Any], ...]

    def __str__(self) -> str:
        told = ", ".join(f"{name}: {_said(a)} -> {_said(b)}" for name, a, b in self.changes)
        return printable(f"{told} changes {self.outcomes[0]} to {self.outcomes[1]}")


class AuditRegion:
    """A region of rows whose outcome depends on the protected features."""

    def __init__(
        self, words: CellWords, names: tuple[str, ...], free: tuple[int, ...], region: Region
    ) -> None:
        self._words, self._names, self._free, self._region = words, names, free, region

    @cached_property
    def conditions(self) -> tuple[Part, ...]:
        """What the other features are; those that are not named can be anything."""
        return tuple(self._words.part(a, one) for a, one in sorted(self._region.box.items()))

    @cached_property
    def share(self) -> Fraction:
        """The share of the cells of the other features that are in it."""
        sizes = (
            (self._words.size(one), self._words.all_cells(a)) for a, one in self._region.box.items()
        )
        inside, all_cells = zip(*sizes, strict=True) if self._region.box else ((), ())
        return Fraction(prod(inside), prod(all_cells))

    @cached_property
    def outcomes(self) -> tuple[tuple[tuple[Part, ...], str], ...]:
        """How the outcome goes with the protected features: conditions on them, and it."""
        return tuple((self._parts(case), self._names[case.outcome]) for case in self._region.cases)

    def _parts(self, case: Case) -> tuple[Part, ...]:
        parts = zip(self._free, case.box, strict=True)
        words = self._words
        told = [(a, one) for a, one in parts if words.size(one) < words.all_cells(a)]
        return tuple(words.part(a, one) for a, one in told)

    def __str__(self) -> str:
        where = " and ".join(map(str, self.conditions)) or "everywhere"
        how = "; ".join(f"{said} with {' and '.join(map(str, p))}" for p, said in self.outcomes)
        return printable(f"{where}: {how}")

    def __repr__(self) -> str:
        return f"<AuditRegion {self}>"


class Monotone(str):
    """How the outcome goes with a number: "never" changes, goes "up", "down" or "both" ways.

    Attributes
    ----------
    expected : "up", "down" or None
        What was stated.
    holds : bool or None
        Whether it is as expected; None where nothing was.
    witness : RowPair or None
        Two rows that differ in this number only, and show that it is not.
    """

    expected: str | None
    holds: bool | None
    witness: RowPair | None

    def __new__(
        cls, behaviour: str, expected: str | None = None, witness: RowPair | None = None
    ) -> Monotone:
        """Make one."""
        made = super().__new__(cls, behaviour)
        made.expected, made.witness = expected, witness
        made.holds = None if expected is None else behaviour in ("never", expected)
        return made


@dataclass(frozen=True, eq=False)
class Audit:
    """What was found about a whole model.

    Attributes
    ----------
    protected : tuple of str
        The features that were asked about; all of them may change together.
    fair : bool or None
        Whether no decision depends on them, anywhere in the domain; None where none was named.
    witness : RowPair or None
        Where it is not: two rows that differ in protected features only.
    regions : tuple of AuditRegion
        Where it is not, all of it: no two regions meet; the largest first.
    share : Fraction
        The share of the cells of the other features whose outcome depends on the protected ones.
    rows : DataFairness or None
        The same of the rows of a table, where one was given.
    monotone : dict of str to Monotone
        How the outcome goes with each number that the model tests; outcomes are in the order of
        ``outcomes``.
    unused : tuple of str
        Features that the model tests, but no decision depends on.
    untested : tuple of str
        Features that it does not even test.
    outcomes : tuple of str
        The outcomes, in order.
    assumptions : tuple of str
        What was taken for granted about the columns.
    """

    protected: tuple[str, ...]
    fair: bool | None
    witness: RowPair | None
    regions: tuple[AuditRegion, ...]
    share: Fraction
    rows: DataFairness | None
    monotone: dict[str, Monotone]
    unused: tuple[str, ...]
    untested: tuple[str, ...]
    outcomes: tuple[str, ...]
    assumptions: tuple[str, ...]
    noun: str = "class"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return f"<Audit of {len(self.monotone)} numbers, protected {list(self.protected)}>"

    def _lines(self) -> Iterable[str]:
        if self.protected:
            names = printable(", ".join(self.protected))
            if self.fair:
                yield f"Fair everywhere: no change of {names} alone changes any {self.noun}."
            else:
                count = f"{len(self.regions):,} region{'s' * (len(self.regions) != 1)}"
                yield (
                    f"Not fair everywhere: {self.witness}. This happens in {count}, "
                    f"{float(self.share):.2%} of the cells of the other features."
                )
                for region in self.regions[:SHOWN]:
                    yield f"  - {region}"
                if len(self.regions) > SHOWN:
                    yield f"  - and {len(self.regions) - SHOWN:,} more"
            if self.rows is not None:
                yield f"In the table: {self.rows}."
        order = " < ".join(map(printable, self.outcomes))
        if self.monotone:
            yield f"With a number alone, the {self.noun} ({order}) goes"
            for name, behaviour in self.monotone.items():
                against = (
                    "" if behaviour.holds in (None, True) else f", expected {behaviour.expected}"
                )
                seen = f" ({behaviour.witness})" if against else ""
                yield f"  - {printable(name)}: {behaviour}{against}{seen}"
        if self.unused:
            yield f"Tested, but no decision depends on it: {printable(', '.join(self.unused))}."
        if self.untested:
            yield f"Not tested: {printable(', '.join(self.untested))}."

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, for JSON."""
        return {
            "protected": list(self.protected),
            "fair": self.fair,
            "witness": _pair_form(self.witness),
            "regions": [_region_form(region) for region in self.regions],
            "share_of_cells": float(self.share),
            "share_of_rows": None if self.rows is None else 1 - self.rows.share,
            "rows": None if self.rows is None else self.rows.rows.tolist(),
            "monotone": {
                name: {
                    "goes": str(one),
                    "expected": one.expected,
                    "holds": one.holds,
                    "witness": _pair_form(one.witness),
                }
                for name, one in self.monotone.items()
            },
            "unused": list(self.unused),
            "untested": list(self.untested),
            "outcomes": list(self.outcomes),
            "assumptions": list(self.assumptions),
        }


def audit(
    context: ModelContext,
    protected: Iterable[Any],
    data: Any,
    monotone: Mapping[str, str] | None,
    timeout: float | None,
) -> Audit:
    """Ask all questions; :meth:`cattleya.Explainer.audit` says what they are."""
    return _Auditor(context, data, Deadline(timeout)).run(protected, monotone)


class _Auditor:
    def __init__(self, context: ModelContext, data: Any, deadline: Deadline) -> None:
        if context.depends_on_row:
            raise ValueError(
                "a target of 'within' is about one row's own number; for a whole model give "
                "at_least=, below= or between="
            )
        self._context, self._deadline = context, deadline
        self._prepared = context.of_complete_rows
        self._words = CellWords(self._prepared.cells)
        self._domain = self._prepared.domain
        self._matrix: Floats | None = None
        self._near: list[Any] = [0.0] * len(self._domain.attributes)
        if data is not None:
            self._matrix = context.model.rows.matrix(data)
            context.check_rows(self._matrix, deadline)
            if len(self._matrix):
                self._near = [self._typical(a) for a in self._domain.attributes]

    def _typical(self, attribute: Any) -> Any:
        """Return the middle of a number's values in the table: a witness is to look like it."""
        if not isinstance(attribute, Number) or self._matrix is None:
            return 0.0
        seen = self._matrix[:, attribute.column]
        seen = np.sort(seen[~np.isnan(seen)])
        if not len(seen):
            return 0.0
        return attribute.to_user(float(seen[len(seen) // 2]), self._prepared.tree.row_dtype)

    def _find(self, free: Iterable[int], wanted: Wanted, most: int = MANY) -> Found:
        self._deadline.check()
        memory = self._context.memory_limit
        found = find(
            self._words, tuple(free), wanted, most=most, deadline=self._deadline, memory=memory
        )
        if not found.complete:
            self._deadline.check()
        return found

    def run(self, protected: Iterable[Any], monotone: Mapping[str, str] | None) -> Audit:
        names, free = self._protected(protected)
        found = self._find(free, Wanted.DIFFERS)
        free, share = found.free, found.share(self._words)
        regions = merged(found, self._words, self._deadline).regions
        witness = self._pair(free, regions[0]) if regions else None
        rows = None
        if names and self._matrix is not None:
            rows = self._of_rows(names)
        outcomes = tuple(self._prepared.classes.names)
        tested = self._words.cells.tested
        attributes = list(enumerate(self._domain.attributes))
        unused = [
            a.name
            for i, a in attributes
            if tested[i] and not self._find([i], Wanted.DIFFERS, 1).regions
        ]
        return Audit(
            names,
            (not regions) if names else None,
            witness,
            tuple(AuditRegion(self._words, outcomes, free, region) for region in regions),
            share,
            rows,
            self._monotone(monotone),
            tuple(unused),
            tuple(a.name for i, a in attributes if not tested[i]),
            outcomes,
            self._context.assumptions,
            self._prepared.classes.noun,
        )

    def _protected(self, protected: Iterable[Any]) -> tuple[tuple[str, ...], tuple[int, ...]]:
        lookup = FeatureLookup(self._domain, self._prepared.tree.feature_names)
        places = [
            place
            for name in listed("protected", protected)
            for place in lookup.find("protected", name).attributes
        ]
        places = list(dict.fromkeys(places))
        return tuple(self._domain.attributes[place].name for place in places), tuple(places)

    def _of_rows(self, names: tuple[str, ...]) -> DataFairness:
        assert self._matrix is not None
        fair = np.ones(len(self._matrix), dtype=np.bool_)
        for prepared, rows in self._context.by_tree(self._matrix):
            regions = prepared.regions(self._deadline)
            fair[rows] = fairness(regions, self._matrix[rows], names, self._deadline).fair
        return DataFairness(names, fair, self._prepared.classes.noun)

    # Monotone.

    def _monotone(self, expected: Mapping[str, str] | None) -> dict[str, Monotone]:
        stated = self._stated(expected)
        found = {}
        for place, attribute in enumerate(self._domain.attributes):
            tests = self._words.cells.tested[place]
            if not isinstance(attribute, Number) or not (tests or place in stated):
                continue
            rises = self._find([place], Wanted.RISES, 1).regions
            falls = self._find([place], Wanted.FALLS, 1).regions
            goes = {(0, 0): "never", (1, 0): "up", (0, 1): "down", (1, 1): "both"}
            against = {"up": falls, "down": rises}.get(stated.get(place, ""), ())
            witness = self._step(place, against[0], falls=against is falls) if against else None
            behaviour = goes[len(rises), len(falls)]
            found[attribute.name] = Monotone(behaviour, stated.get(place), witness)
        return found

    def _stated(self, expected: Mapping[str, str] | None) -> dict[int, str]:
        lookup = FeatureLookup(self._domain, self._prepared.tree.feature_names)
        stated = {}
        if expected is not None and not isinstance(expected, Mapping):
            raise TypeError(
                f"monotone must be a dict such as {{'income': 'up'}}, not {shown(expected)}"
            )
        for name, direction in (expected or {}).items():
            if direction not in DIRECTIONS:
                raise ValueError(f"monotone[{shown(name)}] must be 'up' or 'down', not "
                                 f"{shown(direction)}")  # fmt: skip  # one line more otherwise
            for place in lookup.find("monotone", name).attributes:
                if not isinstance(self._domain.attributes[place], Number):
                    raise ValueError(f"monotone: {shown(name)} is a category, which has no order")
                stated[place] = direction
        return stated

    def _step(self, place: int, region: Region, *, falls: bool) -> RowPair:
        """Return two rows, the second with the larger number, whose outcomes fall or rise."""
        cases = [case for case in region.cases if _is_present(case.box[0])]
        for one, two in itertools.pairwise(cases):
            if (one.outcome > two.outcome) if falls else (one.outcome < two.outcome):
                return self._rows((place,), region, one.box, two.box, (one.outcome, two.outcome))
        raise AssertionError("the region has no such step")

    # Words.

    def _pair(self, free: tuple[int, ...], region: Region) -> RowPair:
        first = region.cases[0]
        second = next(case for case in region.cases if case.outcome != first.outcome)
        return self._rows(free, region, first.box, second.box, (first.outcome, second.outcome))

    def _rows(
        self,
        free: tuple[int, ...],
        region: Region,
        first: tuple[CellSet, ...],
        second: tuple[CellSet, ...],
        outcomes: tuple[int, int],
    ) -> RowPair:
        """Return a row of each of two cases; the tree is asked about both."""
        rows = []
        for case in (first, second):
            box = dict(region.box) | dict(zip(free, case, strict=True))
            values = {
                a: self._words.value(a, box.get(a), self._near[a])
                for a in range(len(self._domain.attributes))
            }
            rows.append(values)
        changes = tuple(
            (self._domain.attributes[a].name, rows[0][a], rows[1][a])
            for a in free
            if rows[0][a] != rows[1][a]
        )
        names = self._prepared.classes.names
        told = [self._by_column(values) for values in rows]
        for row, outcome in zip(told, outcomes, strict=True):
            self._confirm(row, outcome)
        return RowPair(told[0], told[1], (names[outcomes[0]], names[outcomes[1]]), changes)

    def _by_column(self, values: Mapping[int, Any]) -> dict[str, Any]:
        names = self._domain.raw_names or self._prepared.tree.feature_names
        row: dict[str, Any] = dict.fromkeys(names)
        for place, attribute in enumerate(self._domain.attributes):
            if attribute.raw:
                row[names[attribute.raw[0]]] = values[place]
        return row

    def _confirm(self, row: dict[str, Any], outcome: int) -> None:
        own = self._context.model.rows.row(row)
        tree = self._context.prepared_for(own).tree
        if int(tree.leaf_class[tree.apply(own[None, :])[0]]) != outcome:
            raise AssertionError("the tree decides otherwise about a witness; please report it")


def _said(value: Any) -> str:
    return "missing" if value is None else str(value)


def _pair_form(pair: RowPair | None) -> dict[str, Any] | None:
    if pair is None:
        return None
    return {"first": pair.first, "second": pair.second, "outcomes": list(pair.outcomes)}


def _region_form(region: AuditRegion) -> dict[str, Any]:
    return {
        "conditions": [str(one) for one in region.conditions],
        "share_of_cells": float(region.share),
        "outcomes": [
            {"protected": [str(one) for one in parts], "outcome": said}
            for parts, said in region.outcomes
        ],
    }


def _is_present(found: CellSet) -> bool:
    """Tell whether some value that is not missing is in a set."""
    return not isinstance(found, Range) or found.low <= found.high

"""Questions about a whole model: is it fair everywhere, how does it go with numbers, what it uses.

Each is answered over the whole domain, and proved: by a pair of rows that the model itself decides
about as it is said, or by a walk of the tree over all that rows can be.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from cattleya.changes.fairness import DataFairness, fairness
from cattleya.changes.whole.cell_sets import CellSet, CellWords, Range
from cattleya.changes.whole.regions import MANY, Case, Found, Region, Wanted, find
from cattleya.changes.whole.simplify import Simplified, simplified
from cattleya.changes.whole.survey import Branch, survey
from cattleya.explain.context import ModelContext
from cattleya.explain.whole import (
    RegionList,
    RowPair,
    Rows,
    WholeRegion,
    status_of,
    typical,
)
from cattleya.model.conditions.parts import Part
from cattleya.model.domain.domain import Attribute, Category, OneOf, is_missing, said
from cattleya.model.domain.lookup import FeatureLookup, listed
from cattleya.model.domain.number import Number
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Floats
from cattleya.support.limits import Deadline
from cattleya.support.text import shown

__all__ = ["Audit", "AuditRegion", "Monotone", "RowPair", "audit"]

DIRECTIONS = ("up", "down")
GOES = {(0, 0): "never", (1, 0): "up", (0, 1): "down", (1, 1): "both"}


class AuditRegion(WholeRegion):
    """A region of rows whose outcome depends on the protected features.

    Attributes
    ----------
    conditions : tuple of Condition
        What the other features are; those that are not named can be anything.
    share : Fraction
        The share of the cells of the other features that are in it.
    outcomes : tuple of (conditions, outcome)
        How the outcome goes with the protected features.
    """

    @cached_property
    def outcomes(self) -> tuple[tuple[tuple[Part, ...], str], ...]:
        """How the outcome goes with the protected features: conditions on them, and it."""
        return tuple((self._parts(case), self._names[case.outcome]) for case in self._region.cases)

    def __str__(self) -> str:
        from cattleya.present.words.whole import region_text

        return region_text(self)


class Monotone(str):
    """How the outcome goes with a number: "never" changes, goes "up", "down" or "both" ways.

    Of an ensemble it may be "open": what was asked could not be settled in time. ``seen`` has the
    directions that a pair of rows shows all the same.

    Attributes
    ----------
    expected : "up", "down" or None
        What was stated.
    holds : bool or None
        Whether it is as expected; None where nothing was, or where it is open.
    status : str
        "proved", "refuted" or "open within N seconds"; of what is expected, or else of what it is.
    seen : tuple of str
        "up", "down", both or none.
    order : tuple of str
        Of a category, its values in the order of their codes.
    witness : RowPair or None
        Two rows that differ in this number only, and show that it is not.
    """

    expected: str | None
    holds: bool | None
    status: str
    seen: tuple[str, ...]
    order: tuple[str, ...]
    witness: RowPair | None

    def __new__(
        cls,
        behaviour: str,
        expected: str | None = None,
        witness: RowPair | None = None,
        holds: bool | None = None,
        timeout: float | None = None,
        seen: tuple[str, ...] = (),
        order: tuple[str, ...] = (),
    ) -> Monotone:
        """Make one."""
        made = super().__new__(cls, behaviour)
        made.expected, made.witness, made.holds = expected, witness, holds
        made.order = order
        known = None if behaviour == "open" else True
        made.status = status_of(known if expected is None else holds, timeout)
        made.seen = seen or {"both": DIRECTIONS, "never": ()}.get(behaviour, (behaviour,))
        return made


@dataclass(frozen=True, eq=False)
class Audit:
    """What was found about a whole model. Made by :meth:`cattleya.Explainer.audit`.

    Attributes
    ----------
    protected : tuple of str
        The features that were asked about; all of them may change together.
    fair : bool or None
        Whether no decision depends on them, anywhere in the domain; None where none was named, or
        where it is open (of an ensemble).
    status : str
        "proved", "refuted" or "open within N seconds"; empty where nothing was asked.
    witness : RowPair or None
        Where it is not: two rows that differ in protected features only.
    regions : sequence of AuditRegion
        Where it is not, all of it: no two regions meet; the largest first. Of a single tree.
    share : Fraction
        The share of the cells of the other features whose outcome depends on the protected ones.
    rows : DataFairness or None
        The same of the rows of a table, where one was given.
    open_rows : int
        How many of these were not settled in time (of an ensemble); they do not count as dependent.
    monotone : dict of str to Monotone
        How the outcome goes with each number that the model tests, and with each category whose
        codes somebody put in order: not the alphabet's, of which nothing is said unless a direction
        was stated. Outcomes are in the order of ``outcomes``.
    unused : tuple of str
        Features that the model tests, but no decision depends on.
    untested : tuple of str
        Features that it does not even test.
    facts : dict of str to tuple of conditions
        By outcome: what every row that gets it has.
    impossible : tuple of str
        Outcomes that no row can get.
    unreachable : tuple of Branch
        Branches of the tree that no row of the domain reaches.
    simplified : Tree or None
        The smallest tree that is left when first the unreachable branches and then splits go; it
        decides the same (proved).
    smallest : bool
        Whether that none is smaller is proved.
    leaves : int
        How many leaves the tree has.
    rules : Rules or None
        Few rules that cover the rows of each outcome in the table, where they were asked for.
    outcomes : tuple of str
        The outcomes, in order.
    assumptions : tuple of str
        What was taken for granted about the columns.
    """

    protected: tuple[str, ...]
    fair: bool | None
    witness: RowPair | None
    regions: RegionList[AuditRegion]
    rows: DataFairness | None
    monotone: dict[str, Monotone]
    unused: tuple[str, ...]
    untested: tuple[str, ...]
    outcomes: tuple[str, ...]
    assumptions: tuple[str, ...]
    noun: str = "class"
    facts: dict[str, tuple[Part, ...]] = field(default_factory=dict)
    impossible: tuple[str, ...] = ()
    unreachable: tuple[Branch, ...] = ()
    simplified: Tree | None = None
    smallest: bool = True
    leaves: int = 0
    status: str = ""
    model_hash: str = ""
    rules: Any = None
    open_rows: int = 0

    @property
    def share(self) -> Fraction:
        """The share of the cells of the other features whose outcome depends on the protected."""
        return self.regions.share

    @property
    def removable(self) -> int:
        """How many leaves can go."""
        return 0 if self.simplified is None else self.leaves - _n_leaves(self.simplified)

    def __str__(self) -> str:
        from cattleya.present.words.whole import audit_text

        return audit_text(self)

    def __repr__(self) -> str:
        return f"<Audit of {len(self.monotone)} numbers, protected {list(self.protected)}>"

    def to_dict(self, regions: int | None = None) -> dict[str, Any]:
        """Return all of it as plain values, for JSON; so many regions, or all of them."""
        from cattleya.present.json_whole import audit_form

        return audit_form(self, regions)

    def to_html(
        self, path: str | os.PathLike[str] | None = None, *, about: str | None = None
    ) -> str | None:
        """Write a page with all of it: one file that needs no network; or return its text."""
        from cattleya.present.pages.whole import audit_page

        return audit_page(self, path, about)


def audit(
    context: ModelContext,
    protected: Iterable[Any],
    data: Any,
    monotone: Mapping[str, str] | None,
    timeout: float | None,
) -> Audit:
    """Ask all questions; :meth:`cattleya.Explainer.audit` says what they are."""
    return _Auditor(context, data, Deadline(timeout)).run(protected, monotone)


class Asked:
    """What is asked about the features of a model, checked; and what is typical of a table."""

    def __init__(self, context: ModelContext, data: Any, deadline: Deadline) -> None:
        if context.depends_on_row:
            raise ValueError(
                "a target of 'within' is about one row's own number; for a whole model give "
                "at_least=, below= or between="
            )
        self.context, self.deadline, self.domain = context, deadline, context.domain
        self.matrix: Floats | None = None
        self.near: dict[int, Any] = {}
        if data is not None:
            self.matrix = context.model.rows.matrix(data)
            context.check_rows(self.matrix, deadline)
            self.near = typical(context, self.matrix)
        self._lookup = FeatureLookup(self.domain, context.tree.feature_names)

    def protected(self, protected: Iterable[Any]) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Return the names of the protected features, and their places."""
        names = listed("protected", protected)
        places = dict.fromkeys(
            place for name in names for place in self._lookup.find("protected", name).attributes
        )
        shown_as = [self.domain.attributes[place].name for place in places]
        return tuple(shown_as) or tuple(map(str, names)), tuple(places)

    def stated(self, expected: Mapping[str, str] | None) -> dict[int, str]:
        """Return the direction that is expected of each number or ordered category."""
        stated = {}
        if expected is not None and not isinstance(expected, Mapping):
            raise TypeError(
                f"monotone must be a dict such as {{'income': 'up'}}, not {shown(expected)}"
            )
        for name, direction in (expected or {}).items():
            if direction not in DIRECTIONS:
                raise ValueError(
                    f"monotone[{shown(name)}] must be 'up' or 'down', not {shown(direction)}"
                )
            for place in self._lookup.find("monotone", name).attributes:
                if not is_ordered(self.domain.attributes[place]):
                    raise ValueError(
                        f"monotone: {shown(name)} is a category, which has no order; encode it by "
                        f"codes in order, such as OrdinalEncoder(categories=[[...]])"
                    )
                stated[place] = direction
        return stated


def is_ordered(attribute: Attribute) -> bool:
    """Tell whether the values of an attribute have an order: a number, or one column of codes."""
    return isinstance(attribute, Number) or len(attribute.columns) == 1


def is_put_in_order(attribute: Attribute) -> bool:
    """Tell whether somebody put the values in their order, which then means something.

    An encoder that is told nothing codes names in the order of the alphabet.
    """
    if isinstance(attribute, Number) or not is_ordered(attribute):
        return isinstance(attribute, Number)
    values = [attribute.values[place] for place in in_order(attribute)]
    parts = [part for v in values for part in (v.values if isinstance(v, OneOf) else (v,))]
    known = [part for part in parts if not is_missing(part)]
    names = [part for part in known if isinstance(part, str)]
    return len(names) < len(known) or names != sorted(names)


def in_order(category: Category) -> list[int]:
    """Return the places of the values of a category in one column, in the order of their codes.

    What stands only for missing values, or for those never seen, has no place in the order; a value
    as which a missing one is filled in has its own.
    """
    known = [
        place
        for place, ((code,), value) in enumerate(zip(category.points, category.values, strict=True))
        if not np.isnan(code)
        and not all(map(is_missing, value.values if isinstance(value, OneOf) else (value,)))
    ]
    return sorted(known, key=lambda place: category.points[place][0])


def order_of(attribute: Attribute) -> tuple[str, ...]:
    """Return the values of a category in the order of their codes, as they are called."""
    if not isinstance(attribute, Category):
        return ()
    return tuple(" or ".join(said([attribute.values[place]])) for place in in_order(attribute))


class _Auditor(Asked):
    def __init__(self, context: ModelContext, data: Any, deadline: Deadline) -> None:
        super().__init__(context, data, deadline)
        self._prepared = context.of_rows_like(self.matrix)
        self._words = CellWords(self._prepared.cells)
        self._rows = Rows(self._words, self.near)

    def _find(self, free: Iterable[int], wanted: Wanted, most: int = MANY) -> Found:
        self.deadline.check()
        memory = self.context.memory_limit
        found = find(
            self._words, tuple(free), wanted, most=most, deadline=self.deadline, memory=memory
        )
        if not found.complete:
            self.deadline.check()
        return found

    def run(self, protected: Iterable[Any], monotone: Mapping[str, str] | None) -> Audit:
        names, free = self.protected(protected)
        stated = self.stated(monotone)
        found = self._find(free, Wanted.DIFFERS)
        witness = self._pair(found.free, found.region(0)) if len(found) else None
        outcomes = tuple(self._prepared.classes.names)
        tested = self._words.cells.tested
        attributes = list(enumerate(self.domain.attributes))
        used = {i: self._uses(i) for i, _ in attributes if tested[i]}
        seen = survey(self._words, self.deadline, self.context.memory_limit)
        small = self._simplified()
        return Audit(
            names,
            (not len(found)) if names else None,
            witness,
            RegionList(found, lambda all_, place: AuditRegion(self._words, outcomes, all_, place)),
            self._of_rows(names) if names and self.matrix is not None else None,
            self._monotone(stated, used),
            tuple(a.name for i, a in attributes if tested[i] and not used[i]),
            tuple(a.name for i, a in attributes if not tested[i]),
            outcomes,
            (*self.context.assumptions, *self.context.about_gaps(self._prepared)),
            self._prepared.classes.noun,
            {
                outcomes[i]: facts
                for i, facts in enumerate(seen.facts)
                if facts is not None
            },
            tuple(outcomes[i] for i, facts in enumerate(seen.facts) if facts is None),
            seen.unreachable,
            small.tree,
            small.smallest,
            _n_leaves(self._prepared.tree),
            ("refuted" if len(found) else "proved") if names else "",
            self.context.tree_hash,
        )  # fmt: skip  # one answer per line

    def _uses(self, place: int) -> bool:
        return len(self._find([place], Wanted.DIFFERS, 1)) > 0

    def _simplified(self) -> Simplified:
        return simplified(self._prepared.cells, self.deadline, self.context.memory_limit)

    def _of_rows(self, names: tuple[str, ...]) -> DataFairness:
        assert self.matrix is not None
        fair = np.ones(len(self.matrix), dtype=np.bool_)
        for prepared, rows in self.context.by_tree(self.matrix):
            regions = prepared.regions(self.deadline)
            fair[rows] = fairness(regions, self.matrix[rows], names, self.deadline).fair
        return DataFairness(names, fair, self._prepared.classes.noun)

    # Monotone.

    def _monotone(self, stated: Mapping[int, str], used: Mapping[int, bool]) -> dict[str, Monotone]:
        found = {}
        for place, attribute in enumerate(self.domain.attributes):
            is_number = isinstance(attribute, Number)
            if place not in stated and not (is_put_in_order(attribute) and place in used):
                continue
            rises = falls = None
            if used.get(place) and is_number:
                rises = self._step(place, Wanted.RISES)
                falls = self._step(place, Wanted.FALLS)
            elif used.get(place):
                rises, falls = self._steps_of_codes(place)
            against = {"up": falls, "down": rises}.get(stated.get(place, ""))
            goes = GOES[rises is not None, falls is not None]
            witness = None if against is None else self._rows_of((place,), *against)
            holds = None if place not in stated else against is None
            found[attribute.name] = Monotone(
                goes, stated.get(place), witness, holds, order=order_of(attribute)
            )
        return found

    def _step(self, place: int, wanted: Wanted) -> tuple[Region, Case, Case] | None:
        """Return two cases, the second with the larger number, whose outcomes rise or fall."""
        found = self._find([place], wanted, 1)
        if not len(found):
            return None
        region = found.region(0)
        cases = sorted((c for c in region.cases if _present(c.box[0])), key=lambda c: _low(c.box))
        for one, two in itertools.pairwise(cases):
            falls = one.outcome > two.outcome
            if one.outcome != two.outcome and falls == (wanted is Wanted.FALLS):
                return region, one, two
        raise AssertionError("the region has no such step")

    def _steps_of_codes(
        self, place: int
    ) -> tuple[tuple[Region, Case, Case] | None, tuple[Region, Case, Case] | None]:
        """Return the same of a category with codes in order: one that rises, one that falls."""
        category = self.domain.attributes[place]
        assert isinstance(category, Category)
        cell_of = self._words.cells.cell_of_value[place].tolist()
        cells = [cell_of[value] for value in in_order(category)]
        rises = falls = None
        found = self._find([place], Wanted.DIFFERS)
        for number in range(len(found)):
            self.deadline.check()
            region = found.region(number)
            outcome = {cell: case.outcome for case in region.cases for cell in _bits(case.box[0])}
            for one, two in itertools.pairwise(cells):
                step = [Case(outcome[cell], (1 << cell,)) for cell in (one, two)]
                if step[0].outcome < step[1].outcome:
                    rises = rises or (region, step[0], step[1])
                elif step[0].outcome > step[1].outcome:
                    falls = falls or (region, step[0], step[1])
            if rises and falls:
                break
        return rises, falls

    # Rows.

    def _pair(self, free: tuple[int, ...], region: Region) -> RowPair:
        first = region.cases[0]
        second = next(case for case in region.cases if case.outcome != first.outcome)
        return self._rows_of(free, region, first, second)

    def _rows_of(self, free: tuple[int, ...], region: Region, one: Case, two: Case) -> RowPair:
        """Return a row of each of two cases; the model itself is asked about both."""
        values = [
            self._rows.values({**region.box, **dict(zip(free, case.box, strict=True))})
            for case in (one, two)
        ]
        columns = self.domain.raw_names or self._prepared.tree.feature_names
        rows = [self._rows.by_column(own, columns) for own in values]
        names = self._prepared.classes.names
        for row, case in zip(rows, (one, two), strict=True):
            if self.context.asked_of_model(row) != case.outcome:
                raise AssertionError(
                    "the model decides otherwise about a witness; please report it"
                )
        outcomes = names[one.outcome], names[two.outcome]
        return RowPair(rows[0], rows[1], outcomes, self._rows.changes(*values))


def _present(found: CellSet) -> bool:
    return not isinstance(found, Range) or found.is_present


def _low(box: tuple[CellSet, ...]) -> int:
    (own,) = box
    return own.low if isinstance(own, Range) else own


def _bits(found: CellSet) -> Iterator[int]:
    assert isinstance(found, int)
    return (cell for cell in range(found.bit_length()) if found >> cell & 1)


def _n_leaves(tree: Tree) -> int:
    return int((tree.left < 0).sum())

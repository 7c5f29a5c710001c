"""Conditions of a row as statements: those on one feature put together, thresholds rounded."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from cattleya.changes.counterfactual import Counterfactual
from cattleya.changes.general.general_reason import General
from cattleya.changes.minimal.change import Destination
from cattleya.explain.explanation import Explanation
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.fact import Fact
from cattleya.model.conditions.implication import implies
from cattleya.model.conditions.parts import IntervalPart, ValuesPart, interval_text
from cattleya.model.conditions.user_condition import Membership, UserCondition
from cattleya.model.domain.domain import said
from cattleya.present.words.numbers import name, plain, rounded
from cattleya.present.words.units import Units, units_of
from cattleya.support.text import printable

__all__ = [
    "Statement",
    "general_statements",
    "general_text",
    "implied",
    "in_words",
    "moves",
    "moves_of",
    "one_by_one",
    "statements",
]

VALUES_SHOWN = 8  # of a category


@dataclass(frozen=True)
class Statement:
    """A condition, or several on one feature, in parts: each part is safe to print.

    Attributes
    ----------
    before, feature, after : str
        Together the statement: ``30.5 < ``, ``age``, `` <= 41.5``.
    value : str
        What the row has of the feature; empty where the statement says it.
    """

    before: str
    feature: str
    after: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.before}{self.feature}{self.after}"


def statements(
    explanation: Explanation, conditions: Iterable[Condition], *, changed: bool = False
) -> list[Statement]:
    """Return conditions of the row, or their opposites, as statements: one per feature.

    A feature stands where its first condition does. What another condition implies goes unsaid.
    """
    groups: dict[object, list[Condition]] = {}
    for condition in conditions:
        alone = not isinstance(condition, Comparison) or condition.boolean
        key: object = condition if alone else (condition.index, condition.feature)
        if isinstance(condition, Membership):  # of whichever column behind the category
            key = condition.feature
        groups.setdefault(key, []).append(condition)
    made: list[Statement] = []
    for group in groups.values():
        if isinstance(group[0], Fact):
            made.append(_fact(explanation, group[0], changed))
            continue
        if isinstance(group[0], (IntervalPart, ValuesPart)):
            made.append(_part(group[0], units_of(explanation)))
            continue
        tests = [condition for condition in group if isinstance(condition, Comparison)]
        said = [test.negated() for test in tests] if changed else tests
        if isinstance(said[0], Membership):
            made += _membership(explanation, [c for c in said if isinstance(c, Membership)])
            continue
        made += _merged(explanation, said)
    return made


def implied(conditions: Iterable[Condition]) -> list[Condition]:
    """Return the bounds of numbers that go unsaid among others: a tighter one is there.

    Each is a variable of its own in the paper, so that a reason may need both.
    """
    bounds = [
        c
        for c in conditions
        if isinstance(c, Comparison) and not (c.boolean or isinstance(c, Membership))
    ]
    return [c for c in bounds if any(c != other and implies(other, c) for other in bounds)]


def one_by_one(explanation: Explanation, conditions: Iterable[Condition]) -> list[Statement]:
    """Return a statement for each condition; no two conditions of the row read the same."""
    return [statements(explanation, [condition])[0] for condition in conditions]


def in_words(
    explanation: Explanation,
    condition: Condition,
    *,
    changed: bool = False,
    with_value: bool = True,
) -> str:
    """Return a condition of the row, or its opposite where it is ``changed``, as text.

    The threshold is rounded, but never so far that the row's value comes to the other side.
    """
    (statement,) = statements(explanation, [condition], changed=changed)
    if not with_value or not statement.value:
        return str(statement)
    return f"{statement} ({'instead of' if changed else 'it is'} {statement.value})"


def moves(destination: Destination) -> list[tuple[str, str, str]]:
    """Return what each feature becomes: its name, its value before, and those after."""
    return [_moved(str(one), one.feature) for one in destination.moved]


def moves_of(other: Counterfactual) -> list[tuple[str, str, str]]:
    """Return what a nearest row changes, in the same form."""
    return [_moved(other.said(change), change.feature) for change in other.changes]


def _moved(text: str, feature: str) -> tuple[str, str, str]:
    """Return a change that is said as ``age: 28 -> 31`` in its parts."""
    rest = text.removeprefix(f"{printable(feature)}: ")
    before, _, after = rest.partition(" -> ")
    return name(feature), name(before), name(after)


def general_statements(parts: Iterable[Condition]) -> list[Statement]:
    """Return what features may be as statements, outside of any row: one per feature."""
    return [_part(part) for part in parts]


def general_text(reason: General) -> str:
    """Return a general reason as text, outside of any row."""
    return " and ".join(map(str, general_statements(reason.parts))) or "every row"


def _part(part: Condition, units: Units | None = None) -> Statement:
    """Return what a feature may be as a statement; of a row, beside its own value of it."""
    own = "" if units is None else units.value(part)
    if isinstance(part, ValuesPart):
        return _values(part, own)
    assert isinstance(part, IntervalPart)
    feature, or_missing = name(part.feature), " or missing" if part.missing else ""
    if part.is_missing:
        return Statement("", feature, " is missing")
    if math.isinf(part.low) and math.isinf(part.high):
        return Statement("", feature, " is present")
    if part.boolean:
        return Statement("" if part.low > -math.inf else "not ", feature, or_missing)
    if part.whole:
        after = interval_text("", part.low, part.high, whole=True)
        return Statement("", feature, after + or_missing, "" if after == f" is {own}" else own)
    before, after = _decimal_ends(part, units)
    return Statement(before, feature, after + or_missing, own)


def _decimal_ends(part: IntervalPart, units: Units | None) -> tuple[str, str]:
    """Return what stands before and after the name of a number within an interval."""
    low, high = (
        "" if math.isinf(end) else rounded(end) if units is None else units.rounded(part, end)
        for end in (part.low, part.high)
    )
    if low and high:
        return f"{low} < ", f" <= {high}"
    return "", f" > {low}" if low else f" <= {high}"


def _values(part: ValuesPart, own: str) -> Statement:
    feature = name(part.feature)
    values, others = list(said(part.values)), list(said(part.others))
    if len(values) == 1:
        return Statement("", feature, f" = {name(values[0])}", "" if own == values[0] else own)
    if len(others) < len(values):
        return Statement("", feature, f" is not {_among(others)}", own)
    return Statement("", feature, f" is {_among(values)}", own)


def _among(values: list[str]) -> str:
    """Return values as a list, a long one cut."""
    shown = [name(value) for value in values]
    if len(shown) > VALUES_SHOWN + 1:
        shown[VALUES_SHOWN:] = [f"{len(shown) - VALUES_SHOWN} others"]
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if shown[1:] else shown)


def _fact(explanation: Explanation, fact: Fact, changed: bool) -> Statement:
    value = fact.value
    if value is None:
        return Statement("", name(fact.feature), " is present" if changed else " is missing")
    text = plain(value, explanation.tree.row_dtype) if isinstance(value, float) else str(value)
    stands = "other than" if changed else "="
    own = explanation.value_of(fact)
    # The model may take the row's value for another: a gap filled in, a category never seen.
    as_said = own is not None and (own == value or isinstance(value, (int, float)))
    taken = "" if as_said else "missing" if own is None else name(str(own))
    return Statement("", name(fact.feature), f" {stands} {name(text)}", taken)


def _membership(explanation: Explanation, conditions: list[Membership]) -> list[Statement]:
    """Return conditions of one category as one statement, if some value meets them all."""
    first, *more = conditions
    if more:
        left = [v for v in first.values if all(v in c.values for c in more)]
        if not left:  # nothing to put together
            return [s for c in conditions for s in _membership(explanation, [c])]
        rest = dict.fromkeys(v for c in conditions for v in c.others)
        together = (first.feature, first.index, first.threshold, tuple(left), tuple(rest))
        first = Membership(*together, sense=first.sense)
    own = explanation.value_of(first)
    # The one value that a condition names need not be said again, unless it is not the row's.
    says_it = first.operator == "=" and str(own) == first.listed[0]
    value = "" if says_it else "missing" if own is None else name(str(own))
    return [Statement("", name(first.feature), f" {printable(_relation(first))}", value)]


def _relation(condition: Membership) -> str:
    """Return how a category stands to some values, a long list of them cut."""
    values = condition.listed
    if len(values) <= VALUES_SHOWN + 1:
        return condition.relation
    shown = ", ".join(values[:VALUES_SHOWN])
    more = len(values) - VALUES_SHOWN
    return f"{condition.operator} {{{shown} and {more} more}}{condition.itself}"


def _merged(explanation: Explanation, conditions: list[Comparison]) -> list[Statement]:
    """Return conditions of one feature as one statement, if some value or none meets them all."""
    first = conditions[0]
    feature = name(first.feature)
    units = units_of(explanation)
    missing = all(c.or_missing for c in conditions)
    or_missing = " or missing" if missing else ""
    if first.boolean:
        shown = "missing" if units.value(first) == "missing" else ""
        return [Statement("not " if first.sense else "", feature, or_missing, shown)]
    bounds = [c for c in conditions if not math.isinf(c.threshold)]
    if not bounds and not missing:
        return [Statement("", feature, " is present")]
    lower = max((c for c in bounds if not c.sense), key=_shown, default=None)
    upper = min((c for c in bounds if c.sense), key=_shown, default=None)
    empty = lower and upper and lower.shown >= upper.shown
    if len(bounds) < len(conditions) or empty:
        if missing:
            return [Statement("", feature, " is missing")]
        if empty:  # no value meets them all: nothing to put together
            return [s for c in conditions for s in _merged(explanation, [c])]
    before, after = _ends(lower, upper, units)
    itself = first.itself if len(conditions) == 1 and isinstance(first, UserCondition) else ""
    return [Statement(before, feature, after + or_missing + itself, units.value(bounds[0]))]


def _ends(lower: Comparison | None, upper: Comparison | None, units: Units) -> tuple[str, str]:
    """Return what stands before and after the name of a feature within an interval."""
    if lower is None:
        assert upper is not None
        return "", f" <= {units.threshold(upper)}"
    if upper is None:
        return "", f" {lower.operator} {units.threshold(lower)}"
    if lower.whole and upper.whole:
        first, last = units.threshold(lower), units.threshold(upper)
        return "", f" is {first}" if first == last else f" is {first} to {last}"
    return f"{units.threshold(lower)} < ", f" <= {units.threshold(upper)}"


def _shown(condition: Comparison) -> float:
    return condition.shown

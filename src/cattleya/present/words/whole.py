"""The answers about whole models in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cattleya.present.words.numbers import class_name, counted, listed, name, percent, shortened
from cattleya.support.text import grouped, printable

if TYPE_CHECKING:
    from cattleya.explain.audit import Audit, Monotone

__all__ = [
    "audit_text",
    "class_facts",
    "fair_sentence",
    "goes",
    "leaves_sentence",
    "order_of",
    "rows_sentence",
]

SHOWN = 5  # regions in the text
FACTS_SHOWN = 8
NAMES_SHOWN = 50


def audit_text(audit: Audit) -> str:
    """Return an audit as plain text."""
    return "\n".join(_lines(audit))


def _lines(audit: Audit) -> Iterator[str]:
    if audit.protected:
        yield fair_sentence(audit)
        for region in audit.regions[:SHOWN]:
            yield f"  - {shortened(str(region))} ({percent(region.share)} of the cells)"
        if len(audit.regions) > SHOWN:
            yield f"  - and {grouped(len(audit.regions) - SHOWN)} more"
        if audit.rows is not None:
            yield rows_sentence(audit)
    if audit.monotone:
        yield f"With a number alone, the {audit.noun} ({order_of(audit)}) goes"
        for feature, behaviour in audit.monotone.items():
            yield f"  - {name(feature)}: {goes(behaviour)}"
    if audit.unused:
        yield f"Tested, but no decision depends on it: {listed(audit.unused, NAMES_SHOWN)}."
    if audit.untested:
        yield f"Not tested: {listed(audit.untested, NAMES_SHOWN)}."
    for outcome, facts in class_facts(audit):
        yield f"Every row that gets {outcome} has: {facts}."
    if audit.impossible:
        names = listed([class_name(one) for one in audit.impossible], NAMES_SHOWN)
        yield f"No row can get {names}."
    if audit.simplified is not None:
        yield leaves_sentence(audit)
    for branch in audit.unreachable[:SHOWN]:
        yield f"  - no row has {shortened(printable(str(branch)))}"


def fair_sentence(audit: Audit) -> str:
    """Say whether any decision depends on the protected features, and where."""
    names = listed(audit.protected, NAMES_SHOWN)
    if audit.fair:
        return f"Fair everywhere: no change of {names} alone changes any {audit.noun} (proved)."
    if audit.fair is None:
        return f"Whether a change of {names} alone changes any {audit.noun} is {audit.status}."
    sentence = f"Not fair everywhere: {audit.witness}."
    if not audit.regions:
        return sentence
    return (
        f"{sentence} This happens in {counted(len(audit.regions), 'region')}, "
        f"{percent(audit.share)} of the cells of the other features."
    )


def rows_sentence(audit: Audit) -> str:
    """Say the same of the rows of the table."""
    assert audit.rows is not None
    depend, rows = len(audit.rows.rows), len(audit.rows.fair)
    verb = "depends" if depend == 1 else "depend"
    share = f" ({percent(depend / rows)})" if rows else ""
    names = listed(audit.protected, NAMES_SHOWN)
    return f"In the table, {grouped(depend)} of {counted(rows, 'row')} {verb} on {names}{share}."


def order_of(audit: Audit) -> str:
    """Return the outcomes in the order that up and down go by."""
    return " < ".join(map(class_name, audit.outcomes[:10])) + " ..." * (len(audit.outcomes) > 10)


def goes(behaviour: Monotone) -> str:
    """Say how the outcome goes with a number, and whether that is as expected."""
    if behaviour.expected is None:
        return str(behaviour)
    if behaviour.holds:
        return f"{behaviour}, as expected ({behaviour.expected})"
    if behaviour.holds is None:
        return f"{behaviour}, expected {behaviour.expected}"
    return f"{behaviour}, expected {behaviour.expected} ({behaviour.witness})"


def class_facts(audit: Audit) -> Iterator[tuple[str, str]]:
    """Return what every row of an outcome has; nothing for those of which nothing can be said."""
    for outcome, facts in audit.facts.items():
        if facts:
            said = [shortened(str(one)) for one in facts]
            more = f" and {len(said) - FACTS_SHOWN} more" if len(said) > FACTS_SHOWN else ""
            yield class_name(outcome), printable(" and ".join(said[:FACTS_SHOWN])) + more


def leaves_sentence(audit: Audit) -> str:
    """Say how many leaves can go."""
    if not audit.removable:
        said = "none can go" if audit.smallest else "none was found that can go"
        return f"The tree has {counted(audit.leaves, 'leaf').replace('leafs', 'leaves')}: {said}."
    proved = "" if audit.smallest else ", perhaps more"
    unreached = sum(branch.leaves for branch in audit.unreachable)
    seen = f", {grouped(unreached)} of which no row reaches" if unreached else ""
    return (
        f"{grouped(audit.removable)} of {grouped(audit.leaves)} leaves can go{seen}{proved}: the "
        f"tree that is left decides the same (proved)."
    )

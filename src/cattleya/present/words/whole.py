"""The answers about whole models in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from cattleya.model.domain.domain import value_word
from cattleya.present.words.numbers import class_name, counted, listed, name, percent
from cattleya.reasons.short.share import percent as exact_percent
from cattleya.support.text import grouped, printable

if TYPE_CHECKING:
    from cattleya.batch.rules import ClassRules, Rule, Rules
    from cattleya.explain.audit import Audit, AuditRegion, Monotone
    from cattleya.explain.compare import Difference, ModelComparison, SideBySide
    from cattleya.explain.whole import RowPair, WholeRegion
    from cattleya.model.conditions.condition import Condition

__all__ = [
    "audit_text",
    "changed_sentence",
    "class_facts",
    "class_rules_text",
    "comparison_text",
    "conditions_text",
    "difference_text",
    "directions_text",
    "facts_text",
    "fair_sentence",
    "goes",
    "goes_word",
    "leaves_sentence",
    "order_of",
    "pair_text",
    "raised",
    "region_text",
    "rows_sentence",
    "rule_text",
    "rules_sentence",
    "said",
    "same_sentence",
    "side_by_side_text",
]

SHOWN = 5  # regions in the text
FACTS_SHOWN = 8
NAMES_SHOWN = 50
MANY_RULES = 50
OUTCOMES_SHOWN = 10


def said(value: Any) -> str:
    """Return a value of a row in words."""
    return value_word(value)


def conditions_text(conditions: Iterable[Condition]) -> str:
    """Return conditions in one line; nothing where there are none."""
    told = [str(one) for one in conditions]
    apart = len(told) > 1
    return " and ".join(f"({t})" if apart and t.endswith(" or missing") else t for t in told)


def pair_text(pair: RowPair) -> str:
    """Return what two rows show."""
    told = ", ".join(f"{feature}: {said(a)} -> {said(b)}" for feature, a, b in pair.changes)
    return printable(f"{told} changes {pair.outcomes[0]} to {pair.outcomes[1]}")


def region_text(region: AuditRegion) -> str:
    """Return a region, and how the outcome goes with what is protected."""
    how = "; ".join(f"{outcome} with {conditions_text(p)}" for p, outcome in region.outcomes)
    return printable(f"{_where(region)}: {how}")


def difference_text(region: Difference) -> str:
    """Return a region, and what two models decide there."""
    return printable(f"{_where(region)}: {region.old} -> {region.new}")


def _where(region: WholeRegion) -> str:
    return conditions_text(region.conditions) or "everywhere"


def audit_text(audit: Audit) -> str:
    """Return an audit as plain text."""
    return "\n".join(_lines(audit))


def _lines(audit: Audit) -> Iterator[str]:
    if audit.protected:
        yield from _fair(audit)
    if audit.monotone:
        yield f"When it alone is raised, the {audit.noun} ({order_of(audit)}) goes"
        for feature, behaviour in audit.monotone.items():
            yield f"  - {raised(feature, behaviour)}: {goes(behaviour)}"
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
            yield f"  - no row has {printable(str(branch))}"
    if audit.rules is not None:
        yield from _rules(audit.rules, audit.noun)
    yield from _assumed(audit.assumptions)


def _assumed(sentences: Iterable[str]) -> Iterator[str]:
    return (f"Assumed: {sentence}." for sentence in sentences)


def _fair(audit: Audit) -> Iterator[str]:
    yield fair_sentence(audit)
    for region in audit.regions[:SHOWN]:
        yield f"  - {region!s} ({percent(region.share)} of the cells)"
    if len(audit.regions) > SHOWN:
        yield f"  - and {grouped(len(audit.regions) - SHOWN)} more"
    if audit.rows is not None:
        yield rows_sentence(audit)


def _rules(rules: Rules, noun: str) -> Iterator[str]:
    yield rules_sentence(rules)
    for own in rules.classes:
        for rule in own.rules[:SHOWN]:
            covers = f"{percent(rule.of_class)} of these rows"
            right = "" if rule.forces else f", right in {percent(rule.precision)}"
            facts = facts_text(rule)
            yield f"  - {class_name(rule.outcome)}: {facts} ({covers}{right})"
        if len(own.rules) > SHOWN:
            yield f"  - and {grouped(len(own.rules) - SHOWN)} more of this {noun}"
        yield f"    {class_rules_sentence(own)}."


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
    told = f"{grouped(depend)} of {counted(rows, 'row')} {verb} on {names}{share}"
    if audit.open_rows:
        were = "was" if audit.open_rows == 1 else "were"
        return (
            f"In the table, at least {told}; {counted(audit.open_rows, 'row')} {were} not settled "
            f"in time."
        )
    return f"In the table, {told}."


def order_of(audit: Audit) -> str:
    """Return the outcomes in the order that up and down go by."""
    names = [class_name(one) for one in audit.outcomes]
    return " < ".join(names[:OUTCOMES_SHOWN] + ["..."] * (len(names) > OUTCOMES_SHOWN))


def raised(feature: str, behaviour: Monotone) -> str:
    """Name a number; or a category, with its order."""
    order = [name(one) for one in behaviour.order]
    told = order[:OUTCOMES_SHOWN] + ["..."] * (len(order) > OUTCOMES_SHOWN)
    return f"{name(feature)} ({' < '.join(told)})" if order else name(feature)


def goes(behaviour: Monotone) -> str:
    """Say how the outcome goes with a number, and whether that is as expected."""
    goes = goes_word(behaviour)
    if behaviour.expected is None:
        return goes
    if behaviour.holds:
        return f"{goes}, as expected ({behaviour.expected}): proved"
    if behaviour.holds is None:
        return f"{goes}, expected {behaviour.expected}: {behaviour.status}"
    return f"{goes}, expected {behaviour.expected}: refuted ({behaviour.witness})"


def goes_word(behaviour: Monotone) -> str:
    """Say how the outcome goes with a number; of what is open, what was seen so far."""
    if behaviour != "open":
        return str(behaviour)
    within = behaviour.status if behaviour.status.startswith("open") else "open"
    if not behaviour.seen:
        return within
    (way,) = behaviour.seen
    other = "down" if way == "up" else "up"
    return f"{way}, perhaps {other} as well ({within})"


def class_facts(audit: Audit) -> Iterator[tuple[str, str]]:
    """Return what every row of an outcome has; nothing for those of which nothing can be said."""
    for outcome, facts in audit.facts.items():
        if facts:
            told = [str(one) for one in facts]
            more = f" and {len(told) - FACTS_SHOWN} more" if len(told) > FACTS_SHOWN else ""
            yield class_name(outcome), printable(" and ".join(told[:FACTS_SHOWN])) + more


def leaves_sentence(audit: Audit) -> str:
    """Say how many leaves can go."""
    if not audit.removable:
        told = "none can go" if audit.smallest else "none was found that can go"
        return f"Of the {grouped(audit.leaves)} leaves of the tree {told}."
    proved = "" if audit.smallest else ", perhaps more"
    unreached = sum(branch.leaves for branch in audit.unreachable)
    seen = f", {grouped(unreached)} of which no row reaches" if unreached else ""
    return (
        f"{grouped(audit.removable)} of {grouped(audit.leaves)} leaves can go{seen}{proved}: the "
        f"tree that is left decides the same (proved)."
    )


def rules_sentence(rules: Rules) -> str:
    """Say what the rules are and cover; of very many exact ones, that others say more."""
    covered = sum(one.covered for one in rules.classes)
    rows = sum(one.rows for one in rules.classes)
    cover = "covers" if len(rules) == 1 else "cover"
    number = counted(len(rules), "rule")
    of = f"{grouped(covered)} of {counted(rows, 'row')} of the table"
    if rules.wanted < 1:
        wanted = percent(rules.wanted)
        return f"{number}, each right for at least {wanted} of its rows there, {cover} {of}."
    told = f"{number} without exception (proved) {cover} {of}."
    if unasked := sum(one.unasked for one in rules.classes):
        told += f" Time ran out before {counted(unasked, 'row')} could be looked at."
    if len(rules) <= MANY_RULES:
        return told
    return (
        f"{told} So many summarise little: the tree has grown to its rows. Rules of a precision of "
        f"0.95 say more in fewer."
    )


def facts_text(rule: Rule) -> str:
    """Return the facts of a rule."""
    return printable(conditions_text(rule.conditions)) or "any row"


def rule_text(rule: Rule) -> str:
    """Return a rule with its counts."""
    covered = rule.share.covered
    said = f"{exact_percent(rule.precision)} of {counted(covered, 'row')}"
    if rule.forces:
        said = "every row" if covered == 1 else f"all {counted(covered, 'row')}"
    text = f"{facts_text(rule)}: {said} get{'s' * said.startswith('every')} {rule.outcome}"
    if rule.held_out is not None and not rule.forces:
        told = rule.held_out.precision
        held = "none has these facts" if told is None else exact_percent(told)
        text += f" (held out: {held})"
    return printable(text)


def class_rules_text(own: ClassRules) -> str:
    """Return the rules of an outcome, and what they cover together."""
    return "\n".join([class_rules_sentence(own), *(f"  {rule}" for rule in own.rules)])


def class_rules_sentence(own: ClassRules) -> str:
    """Say what the rules of an outcome cover together, and how few could."""
    share = exact_percent(Fraction(own.covered, own.rows)) if own.rows else "none"
    cover = "covers" if len(own.rules) == 1 else "cover"
    text = f"{printable(own.outcome)}: {counted(len(own.rules), 'rule')} {cover} {share} of "
    text += counted(own.rows, "row")
    if own.union.precision is not None and not all(rule.forces for rule in own.rules):
        text += f"; together they are right for {exact_percent(own.union.precision)}"
        if own.held_out is not None and own.held_out.precision is not None:
            text += f" (held out: {exact_percent(own.held_out.precision)})"
    if own.proved_fewest:
        text += "; no fewer do: proved"
    elif own.at_least:
        text += f"; at least {own.at_least} {'is' if own.at_least == 1 else 'are'} needed"
    if own.unasked:
        text += f"; {counted(own.unasked, 'row')} not looked at"
    return text


# Two models.


def comparison_text(found: ModelComparison) -> str:
    """Return what was found about two models as plain text."""
    return "\n".join(_of_two(found))


def _of_two(found: ModelComparison) -> Iterator[str]:
    yield same_sentence(found)
    for region in found.regions[:SHOWN]:
        yield f"  - {region!s} ({percent(region.share)} of the cells)"
    if len(found.regions) > SHOWN:
        yield f"  - and {grouped(len(found.regions) - SHOWN)} more"
    if found.witness is not None and found.outcomes is not None:
        row = ", ".join(f"{name(k)} = {name(said(v))}" for k, v in found.witness.items())
        old, new = map(class_name, found.outcomes)
        yield f"For example, the row {row} gets {old} from the old model and {new} from the new."
    if found.changed_rows is not None:
        yield changed_sentence(found)
        for feature, groups in found.groups.items():
            for one in groups:
                share = percent(one.changed / one.rows)
                told = f": {directions_text(one.directions)}" if one.changed else ""
                yield (
                    f"  - {name(feature)} = {name(one.group)}: {grouped(one.changed)} of "
                    f"{counted(one.rows, 'row')} ({share}){told}"
                )
    yield from _assumed(found.assumptions)


def same_sentence(found: ModelComparison) -> str:
    """Say whether two models are the same function."""
    if found.same:
        return f"The models decide the same {found.noun} about every row (proved)."
    if found.same is None:
        return f"Whether the models decide the same about every row is {found.status}."
    if not found.regions:
        return "The models differ, as a row shows; all regions are told of single trees only."
    share = percent(found.share)
    if not found.complete:
        return (
            f"The models differ: {counted(len(found.regions), 'region')} found in time, {share} of "
            f"the cells; there may be more."
        )
    return (
        f"The models differ in {counted(len(found.regions), 'region')}, {share} of the cells of "
        f"the features; they decide the same about all other rows (proved)."
    )


def changed_sentence(found: ModelComparison) -> str:
    """Say how many rows of the table change."""
    assert found.changed_rows is not None
    rows = found.n_rows or 0
    share = f" ({percent(found.changed_rows / rows)})" if rows else ""
    told = f": {directions_text(found.directions)}" if found.directions else ""
    decisions = counted(rows, "row")
    return f"In the table, {grouped(found.changed_rows)} of {decisions} change{share}{told}."


def directions_text(directions: dict[tuple[str, str], int]) -> str:
    """Say how many rows go from one outcome to another."""
    return "; ".join(
        f"{grouped(n)} from {class_name(old)} to {class_name(new)}"
        for (old, new), n in directions.items()
    )


def side_by_side_text(both: SideBySide) -> str:
    """Say why each of two models decides about a row as it does."""
    lines = []
    for which, e in (("old", both.old), ("new", both.new)):
        reason = printable(str(e.reason()))
        lines.append(f"The {which} model: {class_name(e.outcome)}, because {reason}")
    return "\n".join(lines)

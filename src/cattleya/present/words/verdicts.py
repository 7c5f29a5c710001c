"""What a proof says of facts that somebody gives as a reason: for the terminal and for pages."""

from __future__ import annotations

from cattleya.explain.explanation import Explanation, refuting_outcome
from cattleya.model.conditions.condition import Condition
from cattleya.present.words.numbers import class_name, listed
from cattleya.present.words.sentences import decided
from cattleya.present.words.statements import one_by_one
from cattleya.proof.verification import Verification
from cattleya.support.text import printable

__all__ = ["enough", "proved_lines"]

NAMES_SHOWN = 12


def proved_lines(e: Explanation, proved: Verification, row: str) -> str:
    """Return what was proved, one sentence per line."""
    name = {"proved": "Proved", "redundant": "Not proved"}.get(proved.verdict, "Refuted")
    lines = [f"Decision about {printable(row)}: {decided(e)}", f"{name}: {proved}."]
    outcome = refuting_outcome(e, proved)
    if outcome is not None and not proved.foreign and not proved.in_rows:
        differs = sorted(map(str, proved.witness - e.conditions))
        lines += [f"That row gets {outcome}, and differs from this one in:"]
        lines += [f"  - {text}" for text in differs]
    return "\n".join([*lines, *(f"Note: {note}." for note in proved.notes)])


def enough(e: Explanation, proved: Verification) -> tuple[str, str]:
    """Say whether facts of a row are enough: in a word, and in a sentence."""
    if proved.foreign:
        return "No", f"This does not even hold in the row: {_said(e, proved.foreign)}."
    if not proved.sufficient:
        return "No", _refuted(e, proved)
    decision = class_name(e.outcome)
    if not proved.conditions:
        return "Yes", f"Every row gets {decision}, whatever its values are."
    one = len(proved.conditions) == 1
    these = "This alone forces" if one else "These facts alone force"
    text = f"{these} {decision}, whatever the rest of the row is."
    if proved.redundant:
        idle = _said(e, proved.redundant)
        return "Yes, and more than enough", f"{text} Idle: {idle}; the rest is enough without it."
    if proved.larger:
        return "Yes", f"{text} Nothing can be left out; wider could be: {_said(e, proved.larger)}."
    return "Yes", text if one else f"{text} None of them can be left out."


def _refuted(e: Explanation, proved: Verification) -> str:
    """Say why facts are not enough; the row that shows it follows, where there is one."""
    outcome = refuting_outcome(e, proved)
    if proved.in_rows:
        return (
            "Taken as conditions that are independent of each other, these are not enough: an "
            f"assignment that no row has gets another {proved.noun}. Every row that has them gets "
            f"{class_name(e.outcome)}; over intervals they are enough."
        )
    if outcome is None:
        return f"An assignment of the conditions that has these facts gets another {proved.noun}."
    facts = "this fact" if len(proved.conditions) == 1 else "these facts"
    return f"A row that has {facts} gets {class_name(outcome)}:"


def _said(e: Explanation, conditions: frozenset[Condition]) -> str:
    return listed(map(str, one_by_one(e, sorted(conditions, key=str))), NAMES_SHOWN)

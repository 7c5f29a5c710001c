"""The sentences of a summary, which the text and the page share."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from cattleya.model.conditions.condition import Condition
from cattleya.present.findings import Findings
from cattleya.present.words.numbers import counted, listed, name
from cattleya.present.words.statements import implied, one_by_one, statements
from cattleya.support.text import grouped
from cattleya.vocabularies.over import Over

__all__ = [
    "about",
    "changes",
    "decisive",
    "definitions",
    "idle",
    "in_every",
    "number",
    "order_of_changes",
    "proof",
    "shares",
    "why",
]

NAMES_SHOWN = 12
SETS_SHOWN = 3
CONDITION = {
    Over.CONDITIONS: "the result of one of the tree's tests for this row, such as age > 45.5; each "
    "condition is taken as independent of the others",
    Over.FEATURES: "the row's value of one of the model's features, such as age = 54",
    Over.INTERVALS: "the result of one of the tree's tests for this row, such as age > 45.5; "
    "conditions on one feature are related: an age of at most 30 is also at most 40, and a "
    "category is one fact",
}


def about(label: Any) -> str:
    """Say which row it is by its label in a table; nothing where it has none.

    >>> about(62), about("0815"), about(None)
    ('row 62', 'row 0815', '')
    """
    return "" if label is None else f"row {name(str(label))}"


def why(found: Findings) -> str:
    """Say what the reason that follows is, or why none does."""
    if found.refusal is not None:
        needed = "; and ".join(
            " or ".join(map(str, one_by_one(found.explanation, sorted(group, key=str))))
            for group in found.refusal.needed[:SETS_SHOWN]
        )
        return (
            f"No reason avoids {listed(found.excluded, NAMES_SHOWN)}: every sufficient reason "
            f"needs {needed}{_more(len(found.refusal.needed) - SETS_SHOWN)}."
        )
    if found.reason is None:
        return (
            f"These conditions on the row's path through the tree force it. Which of them are "
            f"needed could not be settled {found.limits['search']}."
        )
    if not found.reason:
        return "Every row gets this class, whatever its values are."
    if len(found.reason) == 1:
        text = f"This condition alone forces it, {_whatever(found)}."
    else:
        text = (
            f"{_these(found, found.reason)} alone force it, {_whatever(found)}. "
            f"None of them can be left out"
        )
        if found.is_shortest:
            text += ", and no reason has fewer conditions."
        else:
            text += (
                f"; whether a reason has fewer conditions was not settled "
                f"{found.limits['minimal']}."
            )
        text += _unsaid(found, found.reason)
    if found.excluded:
        text += f" Reasons that mention {listed(found.excluded, NAMES_SHOWN)} were ruled out."
    return text


def _whatever(found: Findings) -> str:
    """Say over what a reason forces the class: single conditions may not fit together in a row."""
    if found.explanation.over is Over.CONDITIONS:
        return "whichever of the other conditions hold"
    return "whatever the rest of the row is"


def _these(found: Findings, conditions: Collection[Condition]) -> str:
    """Say how many conditions follow, and in how many lines where that is fewer."""
    lines = len(statements(found.explanation, conditions))
    text = f"These {len(conditions):,} conditions"
    if lines == len(conditions):
        return text
    how_many = "one line" if lines == 1 else f"{lines:,} lines"
    return f"{text} (grouped by feature in {how_many})"


def _unsaid(found: Findings, conditions: Collection[Condition]) -> str:
    """Say which conditions go without saying, as another is tighter: the count has them."""
    unsaid = one_by_one(found.explanation, implied(conditions))
    if not unsaid:
        return ""
    return (
        f" These conditions include {listed(map(str, unsaid), NAMES_SHOWN)}, which others imply: "
        f'the paper counts every test by itself; over="intervals" does not.'
    )


def _more(n: int) -> str:
    return f"; and {n:,} more such conditions" if n > 0 else ""


def decisive(found: Findings) -> str:
    """Say what is in every reason."""
    n, allowed = len(found.necessary), " allowed" if found.excluded else ""
    if not n:
        text = f"No condition is in every{allowed} reason"
        # An interval stands for several conditions.
        if not found.excluded and not found.explanation.over.merges:
            text += ": no change of one condition alone can change the class"
        return f"{text}."
    if found.all_decisive:
        each = "The condition" if n == 1 else "Each condition"
        return f"{each} of the reason above is in every{allowed} reason."
    if n == 1:
        return f"This condition is in every{allowed} reason; there is none without it:"
    these = _these(found, found.necessary)
    return f"{these} are in every{allowed} reason; there is none without them:"


def in_every(found: Findings) -> str:
    """Say which features every reason mentions, by one condition or another."""
    by_one = {condition.feature for condition in found.necessary}
    others = [feature for feature in found.in_every if feature not in by_one]
    if not others:
        return ""
    allowed = " allowed" if found.excluded else ""
    condition = "condition" if len(others) == 1 else "conditions"
    return (
        f"Every{allowed} reason mentions {listed(others, NAMES_SHOWN)}, though not always by the "
        f"same {condition}."
    )


def changes(found: Findings) -> str:
    """Say how many contrasts there are."""
    fixed = listed(found.immutable, NAMES_SHOWN)
    n = len(found.contrasts)
    if not n and found.immutable:
        return f"Nothing, as long as {fixed} must stay."
    text = f"{counted(n, 'minimal change')} can lead to another class"
    if found.immutable:
        text += f" while {fixed} must stay"
    return text


def order_of_changes(found: Findings) -> str:
    """Say which of the changes come first."""
    merges = found.explanation.over.merges
    return "those with the fewest features first" if merges else "the smallest first"


def idle(found: Findings) -> str:
    """Say which features are in no reason."""
    if not found.idle:
        return "Every feature that the tree tests is in some reason."
    be, it = ("is", "it") if len(found.idle) == 1 else ("are", "them")
    allowed = " allowed" if found.excluded else ""
    names = listed(found.idle, NAMES_SHOWN)
    return f"{names} {be} tested by the tree, but no{allowed} reason mentions {it}."


def number(found: Findings) -> str:
    """Say how many reasons there are, and what that means."""
    allowed = "allowed reason" if found.excluded else "sufficient reason"
    if found.count is None:
        beyond = (
            "little with it beyond what is decisive" if found.necessary else "no condition with it"
        )
        return (
            f"Too many to count {found.limits['count']}. The reason above is one of them; another "
            f"may share {beyond}."
        )
    if found.count == 1:
        return f"One: the reason above is the only {allowed}."
    text = f"{grouped(found.count)}. Each of these {allowed}s is enough by itself"
    if found.sizes is not None:
        low, high = min(found.sizes), max(found.sizes)
        alike = f"each has {counted(low, 'condition')}"
        text += f"; {alike}" if low == high else f"; they have {low} to {high} conditions"
    text += "."
    if found.shortest == 1:
        text += " The reason above is the only shortest one."
    elif found.shortest is not None:
        text += f" The reason above is one of the {grouped(found.shortest)} shortest."
    # Two of them may share more: this is about all of them.
    n = len(found.necessary)
    if not n:
        return f"{text} No condition is in all of them."
    common = "decisive condition is" if n == 1 else f"{n:,} decisive conditions are"
    return f"{text} Only the {common} in all of them."


def shares(found: Findings) -> str:
    """Say what the shares that follow are."""
    other = "other " if found.necessary else ""
    return (
        f"The {other}conditions in these reasons, with the share of the reasons that contain each:"
    )


def proof(found: Findings) -> str:
    """Say what was proved again."""
    if found.verification is None:
        return "nothing, because no sufficient reason is given above."
    again = (
        "the reason was proved again on the tree itself, independently of the search that found it"
    )
    if found.verification:
        return f"{again}: it forces the class, and nothing in it can be left out."
    return f"{again}, and the proof FAILED ({found.verification}). Please report this tree."


def definitions(found: Findings) -> list[tuple[str, str]]:
    """Return the words that a summary uses, with what they mean."""
    e = found.explanation
    return [
        (
            "sufficient reason",
            "a set of the row's conditions that forces the class whatever the other conditions "
            "are, and no longer does when any one of them is left out",
        ),
        ("decisive", "in every sufficient reason (in the paper: necessary)"),
        ("played no part", "in no sufficient reason (in the paper: irrelevant)"),
        (
            "minimal change",
            "a set of the row's conditions: if these change and all others stay, the class can "
            "change; if any one of them also stays, it cannot (in the paper: contrastive "
            "explanation)",
        ),
        ("condition", CONDITION[e.over]),
        *(("assumed", sentence) for sentence in e.assumptions),
    ]

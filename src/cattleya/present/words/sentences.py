"""The sentences of a summary, which the text and the page share."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from cattleya.changes.general.general_reason import General
from cattleya.explain.explanation import Explanation, explained_row
from cattleya.model.conditions.condition import Condition
from cattleya.model.tree.target import Probability
from cattleya.model.tree.threshold import number_text
from cattleya.present.findings import Findings, noun
from cattleya.present.words.numbers import class_name, counted, listed, name, percent, shortened
from cattleya.present.words.statements import implied, one_by_one, statements
from cattleya.proof.ensemble import EnsembleVerification
from cattleya.support.text import grouped, printable
from cattleya.vocabularies.over import Over

__all__ = [
    "about",
    "changes",
    "decided",
    "decision",
    "decisive",
    "definitions",
    "depends",
    "idle",
    "in_every",
    "nearest",
    "number",
    "order_of_changes",
    "proof",
    "reach",
    "shares",
    "usually",
    "vocabularies",
    "vocabulary",
    "why",
]

NAMES_SHOWN = 12
ORDINALS = ("first", "second", "third")
SETS_SHOWN = 3
#: How a proof about an ensemble was found, in words.
METHODS = {
    "every cell": "giving one row of every cell to the model",
    "integer programming": "an integer program (HiGHS, within its tolerance)",
}
HEADLINE = 10**6  # a count beyond is a footnote
#: What an explanation is made of, in a few words and in a sentence.
VOCABULARIES = {
    Over.INTERVALS: (
        "intervals and categories",
        "what is said of one feature is one fact, as wide as it can be (an age of 30 to 39, one of "
        "some jobs); other facts about the feature follow from it",
    ),
    Over.CONDITIONS: (
        "the tree's conditions",
        "the result of one of the tree's tests for this row, such as age > 45.5; each condition is "
        "taken as independent of the others, as in the paper",
    ),
    Over.FEATURES: (
        "whole features",
        "the row's value of one of the model's features, such as age = 54",
    ),
}


def about(label: Any) -> str:
    """Say which row it is by its label in a table; nothing where it has none.

    >>> about(62), about("0815"), about(None)
    ('row 62', 'row 0815', '')
    """
    return "" if label is None else f"row {name(str(label))}"


def decided(e: Explanation) -> str:
    """Say what was decided, with the name of the target where it is known.

    As a title has it: ``income: <=50K``.
    """
    target = explained_row(e).context.model.target_name
    outcome = class_name(e.outcome)
    return outcome if target is None else f"{name(target)}: {outcome}"


def decision(explanation: Explanation) -> str:
    """Say what the model predicts, where that is not what is explained; else nothing.

    >>> import cattleya
    >>> tree = cattleya.Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [-1, 0, 1],
    ...                      n_features=1, class_names=["no", "yes"],
    ...                      leaf_probability=[[0, 0], [0.9, 0.1], [0.4, 0.6]])
    >>> target = cattleya.Probability("yes", at_least=0.3)
    >>> decision(cattleya.Explainer(tree, target=target).explain([40]))
    'it is 0.6; the class predicted is yes'
    """
    row = explained_row(explanation)
    target = row.context.target
    if target.bound is None or row.number is None:
        return ""
    number = number_text(row.number, row.number.dtype.name)
    if isinstance(target, Probability):
        return f"it is {number}; the class predicted is {class_name(explanation.prediction_name)}"
    return f"predicted {number}"


def why(found: Findings) -> str:
    """Say what the reason that follows is, or why none does; nothing before it was asked for."""
    if not found.reason_asked:
        return ""
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
        return f"Every row gets this {noun(found.explanation)}, whatever its values are."
    text = _by_feature(found) if found.by_feature else _by_condition(found)
    if found.excluded:
        text += f" Reasons that mention {listed(found.excluded, NAMES_SHOWN)} were ruled out."
    return text


def _by_feature(found: Findings) -> str:
    n = len(found.reason or ())
    if not found.is_shortest:
        return (
            f"{_these(found, found.reason or ())} alone force it, whatever the rest of the row "
            f"is.{_open(found)} Whether fewer features are enough was not settled "
            f"{found.limits['reason']}."
        )
    if n == 1:
        return "This alone forces it, whatever the rest of the row is."
    return (
        f"These {n:,} facts alone force it, whatever the rest of the row is. None of them can be "
        f"left out, and fewer features are never enough."
    )


def _by_condition(found: Findings) -> str:
    reason = found.reason or ()
    if len(reason) == 1:
        return f"This condition alone forces it, {_whatever(found)}."
    text = f"{_these(found, reason)} alone force it, {_whatever(found)}."
    if open_ := _open(found):
        return f"{text}{open_}"
    text += " None of them can be left out"
    if found.is_shortest:
        text += ", and no reason has fewer conditions."
    else:
        text += (
            f"; whether a reason has fewer conditions was not settled {found.limits['minimal']}."
        )
    return text + _unsaid(found, reason)


def usually(found: Findings) -> str:
    """Say which few facts are usually right, and how often; nothing where there is no table."""
    if found.short is not None:
        facts, outcome = found.short, class_name(found.short.outcome)
        said = facts.measure.sentence(shortened(str(facts)) if len(facts) else "", outcome)
        caution = found.short.caution
        return f"{said[0].upper()}{said[1:]}.{f' {caution}' if caution else ''}"
    if found.no_short is not None:
        said = printable(str(found.no_short))
        return f"{said[0].upper()}{said[1:]}."
    if "short" in found.limits:
        return f"Which few facts are usually right was not settled {found.limits['short']}."
    return ""


def _open(found: Findings) -> str:
    """Say which conditions of an ensemble's reason are not proved to be needed."""
    undecided = found.reason.undecided if found.reason else ()
    if not undecided:
        return ""
    said = listed(map(str, one_by_one(found.explanation, undecided)), NAMES_SHOWN)
    return f" Time ran out before it was known whether these are needed: {said}."


def reach(found: Findings) -> str:
    """Say how many rows of a table the reason covers; nothing where there is no table."""
    if found.reach is None:
        return ""
    to = found.reach
    every = f"{'all' if to.covered == to.rows else f'{grouped(to.covered)} of'} "
    every = "the only row" if to.rows == 1 else every + counted(to.rows, "row")
    share = percent(to.share_of_decisions)
    return (
        f"It covers {every} {found.wish.table}, {share} of those that get {class_name(to.outcome)}."
    )


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
    allowed = " allowed" if found.excluded else ""
    if found.by_feature:
        return _decisive_features(found, allowed)
    n = len(found.necessary)
    if "necessary" in found.limits:
        return f"Which conditions are in every reason was not settled {found.limits['necessary']}."
    if not n:
        text = f"No condition is in every{allowed} reason"
        if not found.excluded:
            what = noun(found.explanation)
            text += f": no change of one condition alone can change the {what}"
        return f"{text}."
    if found.all_decisive:
        each = "The condition" if n == 1 else "Each condition"
        return f"{each} of the reason above is in every{allowed} reason."
    if n == 1:
        return f"This condition is in every{allowed} reason; there is none without it:"
    these = _these(found, found.necessary)
    return f"{these} are in every{allowed} reason; there is none without them:"


def _decisive_features(found: Findings, allowed: str) -> str:
    n = len(found.in_every)
    if "in_every" in found.limits:
        return f"Which features are in every reason was not settled {found.limits['in_every']}."
    if not n:
        return f"No feature is in every{allowed} reason."
    if found.all_decisive and n == len(found.reason or ()):
        each = "The feature" if n == 1 else "Each feature"
        return f"{each} of the reason above is in every{allowed} reason."
    return f"Every{allowed} reason mentions {listed(found.in_every, NAMES_SHOWN)}."


def in_every(found: Findings) -> str:
    """Say which features every reason mentions, by one condition or another."""
    by_one = {condition.feature for condition in found.necessary}
    others = [feature for feature in found.in_every if feature not in by_one]
    if not others or found.by_feature:
        return ""
    allowed = " allowed" if found.excluded else ""
    condition = "condition" if len(others) == 1 else "conditions"
    return (
        f"Every{allowed} reason mentions {listed(others, NAMES_SHOWN)}, though not always by the "
        f"same {condition}."
    )


def changes(found: Findings) -> str:
    """Say how many changes there are."""
    fixed = listed(found.immutable, NAMES_SHOWN)
    n, to = found.n_changes, _goal(found)
    if "changes" in found.limits:
        return f"Where changes lead could not be settled {found.limits['changes']}."
    if not n:
        if found.immutable:
            return f"Nothing, as long as {fixed} must stay."
        return f"Nothing leads to {to}."
    lead = "can lead" if not found.by_feature else "leads" if n == 1 else "lead"
    at_least = "At least " if found.more_changes else ""  # all that were looked for
    text = f"{at_least}{counted(n, 'minimal change')} {lead} to {to}"
    if found.immutable:
        text += f" while {fixed} must stay"
    return text


def _goal(found: Findings) -> str:
    """Say where changes have to lead."""
    toward = found.wish.toward
    return f"another {noun(found.explanation)}" if toward is None else class_name(str(toward))


def nearest(found: Findings) -> str:
    """Say what the counterfactuals are; or why there are none."""
    if found.no_counterfactual:
        return found.no_counterfactual
    if not found.counterfactuals:
        return ""
    metric = {
        "l0": "the fewest features changed",
        "l1": "the smallest sum of changes",
        "l2": "the smallest distance",
    }
    n = len(found.counterfactuals)
    place = found.nearest_change
    if place is not None:  # it is not shown twice
        first = f"The {ORDINALS[place]} of them" if len(found.changes) > 1 else "It"
        way = f"proved ({metric[found.wish.metric]})"
        return f"{first} leads to the nearest row of {_goal(found)}, {way}."
    rows = "row" if n == 1 else f"{n} rows"
    return f"The nearest {rows} of {_goal(found)}, proved ({metric[found.wish.metric]})"


def depends(found: Findings) -> str:
    """Say whether the decision depends on protected features."""
    fair = found.fairness
    if fair is None:
        return ""
    names = " or ".join(map(name, fair.protected))
    if fair:
        return f"No: no change of {names} alone changes the {fair.noun}."
    other = class_name(fair.outcome)
    return f"Yes: with {fair.change}, and all else as it is, the {fair.noun} is {other}."


def order_of_changes(found: Findings) -> str:
    """Say which of the changes come first."""
    return "those with the fewest features first" if found.by_feature else "the smallest first"


def idle(found: Findings) -> str:
    """Say which features are in no reason."""
    if found.of_ensemble:
        return (
            "What played no part is not told for ensembles: it would take all minimal changes, of "
            "which there may be very many."
        )
    if not found.idle:
        return "Every feature that the tree tests is in some reason."
    be, it = ("is", "it") if len(found.idle) == 1 else ("are", "them")
    allowed = " allowed" if found.excluded else ""
    names = listed(found.idle, NAMES_SHOWN)
    return f"{names} {be} tested by the tree, but no{allowed} reason mentions {it}."


def number(found: Findings) -> str:
    """Say how many reasons there are, and what that means."""
    if found.of_ensemble:
        return (
            "The reasons of an ensemble are not counted: no way is known to do so without listing "
            "them. The reason above is one of them; another may share little with it."
        )
    allowed = "allowed reason" if found.excluded else "sufficient reason"
    made = VOCABULARIES[found.explanation.over][0]
    if found.count is None:
        return (
            f"Too many to count {found.limits['count']}. The reason above is one of them; another "
            f"may share little with it."
        )
    if found.count == 1:
        return f"One: there is no other {allowed}, made of {made}."
    many = grouped(found.count, in_full=HEADLINE)
    text = f"{many[:1].upper()}{many[1:]} {allowed}s, made of {made}; each is enough by itself"
    if found.sizes is not None:
        low, high = min(found.sizes), max(found.sizes)
        alike = f"each has {counted(low, 'condition')}"
        text += f", and {alike}" if low == high else f", and they have {low} to {high} conditions"
    text += "."
    if found.shortest == 1:
        text += " The reason above is the only shortest one."
    elif found.shortest is not None:
        text += f" The reason above is one of the {grouped(found.shortest)} shortest."
    return text


def shares(found: Findings) -> str:
    """Say what the shares that follow are."""
    other = "other " if found.in_every else ""
    return f"The share of the reasons that mention each {other}feature:"


def proof(found: Findings) -> str:
    """Say what was proved again."""
    if "proof" in found.limits:
        return (
            f"the search proved the reason; the second proof, by other means, was not settled "
            f"{found.limits['proof']}."
        )
    if found.verification is None:
        return "nothing, because no sufficient reason is given above."
    if found.of_ensemble:
        return _proof_of_ensemble(found)
    again = (
        "the reason was proved again on the tree itself, independently of the search that found it"
    )
    if found.verification:
        what = noun(found.explanation)
        return f"{again}: it forces the {what}, and nothing in it can be left out."
    return f"{again}, and the proof FAILED ({found.verification}). Please report this tree."


def _proof_of_ensemble(found: Findings) -> str:
    verified, what = found.verification, noun(found.explanation)
    assert isinstance(verified, EnsembleVerification)
    how = " and ".join(sorted(METHODS[method] for method in verified.methods))
    again = f"the reason was proved again, not by the search that found it but by {how}"
    if verified.sufficient and not verified.foreign:
        spare = verified.redundant - frozenset(found.reason.undecided if found.reason else ())
        if not spare and verified.irredundant:
            return f"{again}: it forces the {what}, and nothing in it can be left out."
        if not spare:
            return f"{again}: it forces the {what}."
    return f"{again}, and the proof FAILED ({verified}). Please report this model."


def vocabulary(found: Findings) -> str:
    """Say in a line what the explanation is made of, and that there are others."""
    own = found.explanation.over
    others = " and ".join(f'"{over.value}"' for over in VOCABULARIES if over is not own)
    return f'{VOCABULARIES[own][0]} (over="{own.value}"); others are {others}.'


def vocabularies(found: Findings) -> list[tuple[str, str, str]]:
    """Return what explanations can be made of: the name, in a few words, in a sentence."""
    return [(over.value, few, _meaning(over, found)) for over, (few, _) in VOCABULARIES.items()]


def _widest(found: Findings) -> list[tuple[str, str]]:
    """Return what the reason above is the widest of, and by which measure, where it is one."""
    proved = found.reason.widest if isinstance(found.reason, General) else None
    if proved is None or not found.reason:
        return []
    how = f", and of those with as few it is proved to be the widest, by {proved.measure}"
    if not proved.proved:
        how = f"; {proved.comparison}"
        if proved.compared > 1:
            how += f", and of what was compared it is the widest, by {proved.measure}"
    return [("the reason shown", f"no reason has fewer features{how}")]


def _meaning(over: Over, found: Findings) -> str:
    """Say what reasons are made of; those of ensembles are widened as far as is proved."""
    meaning = VOCABULARIES[over][1]
    return meaning.replace("as it can be", "as is proved") if found.of_ensemble else meaning


def definitions(found: Findings) -> list[tuple[str, str]]:
    """Return the words that a summary uses, with what they mean."""
    e = found.explanation
    every = "facts about the row" if found.by_feature else "the row's conditions"
    what = noun(e)
    words = [
        (
            "reason",
            f"a set of {every} that forces the {what} whatever the rest of the row is, and no "
            "longer does when any one of them is left out (in the paper: sufficient reason)",
        ),
        *_widest(found),
        (
            "minimal change",
            f"values of some features that lead to {_goal(found)} when all else stays; if any one "
            "of these features also stays, they do not (in the paper: contrastive explanation)",
        ),
        ("decisive", "in every reason (in the paper: necessary)"),
        ("played no part", "in no reason (in the paper: irrelevant)"),
        ("fact" if found.by_feature else "condition", _meaning(e.over, found)),
        *(("assumed", sentence) for sentence in e.assumptions),
    ]
    return words

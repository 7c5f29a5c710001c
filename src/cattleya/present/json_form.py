"""Answers as JSON values: counts as exact integers, shares as fractions and as numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from cattleya.changes.counterfactual import Counterfactual
from cattleya.changes.general.general_reason import General
from cattleya.changes.minimal.change import Change, Moved
from cattleya.explain.ensemble.explanation import EnsembleExplanation
from cattleya.explain.explanation import Explanation, explained_row, refuting_outcome
from cattleya.explain.questions import QUESTIONS
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.fact import Fact
from cattleya.model.conditions.parts import IntervalPart, ValuesPart
from cattleya.model.conditions.user_condition import Membership
from cattleya.model.domain.domain import said
from cattleya.model.tree.tree import Tree
from cattleya.proof.verification import Verification
from cattleya.reasons.errors import NoSuchReason
from cattleya.reasons.reason import Reason
from cattleya.reasons.short.share import Share
from cattleya.reasons.short.short_reason import ShortReason
from cattleya.support.errors import MemoryLimitExceeded, TimeoutExpired

if TYPE_CHECKING:
    from cattleya.batch.summary import Summary
    from cattleya.present.findings import Findings

__all__ = [
    "answer_form",
    "change_form",
    "classes_form",
    "condition_form",
    "conditions_form",
    "counterfactual_form",
    "ensemble_form",
    "explanation_dict",
    "explanation_form",
    "findings_form",
    "label_form",
    "model_classes_form",
    "reason_form",
    "record_form",
    "share_form",
    "short_form",
    "summary_form",
    "verification_form",
]

CONTRASTS_LISTED = 100
CHANGES_LISTED = 10
CONTRASTS_OF_ENSEMBLE = 5


def condition_form(condition: Condition) -> dict[str, Any]:
    """Return a condition as ``feature``, ``operator``, ``value`` and ``text``.

    ``or_missing`` is there, and true, where missing values are on this side too.
    """
    if isinstance(condition, IntervalPart):
        return _interval_form(condition)
    operator, value = _test(condition)
    form: dict[str, Any] = {
        "feature": condition.feature,
        "operator": operator,
        "value": value if isinstance(value, list) else label_form(value),
        "text": str(condition),
    }
    if form["text"].endswith(" or missing"):
        form["or_missing"] = True
    return form


def _interval_form(part: IntervalPart) -> dict[str, Any]:
    """Return an interval: above ``low``, at most ``high``; null where there is no such end."""
    missing = part.is_missing
    form: dict[str, Any] = {"feature": part.feature, "operator": "is" if missing else "interval"}
    if missing:
        form["value"] = "missing"
    else:
        form["low"] = part.low if math.isfinite(part.low) else None
        form["high"] = part.high if math.isfinite(part.high) else None
    form["text"] = str(part)
    return form | ({"or_missing": True} if part.missing and not missing else {})


def reason_form(reason: General) -> dict[str, Any]:
    """Return a general reason: text, conditions, how wide it is and what is proved of that."""
    width, proved = reason.width, reason.widest
    return {
        "text": str(reason),
        "conditions": conditions_form(reason.conditions),
        "rows": None if proved is None else proved.rows,
        "width": None if width is None else share_form(width),
        "measure": reason.measure,
        "compared": None if proved is None else proved.compared,
        "widest": proved is not None and proved.proved,
    }


def change_form(change: Change) -> dict[str, Any]:
    """Return a minimal change: its text, what has to change, and where that leads."""
    return {
        "text": str(change),
        "conditions": conditions_form(change.contrast),
        "features": list(change.features),
        "destinations": [
            {
                "text": str(one),
                "outcome": label_form(one.outcome),
                "to": [
                    {
                        "feature": moved.feature,
                        "before": _whole(moved, label_form(moved.before)),
                        "nearest": label_form(moved.nearest),
                        "condition": condition_form(moved.to),
                    }
                    for moved in one.moved
                ],
            }
            for one in change.destinations
        ],
    }


def _whole(moved: Moved, value: Any) -> Any:
    """Return a number of a column of whole numbers as one: 31, not 31.0."""
    whole = getattr(moved.attribute, "integer", False) and isinstance(value, float)
    return int(value) if whole and value.is_integer() else value


def verification_form(e: Explanation, proved: Verification) -> dict[str, Any]:
    """Return what a proof says of conditions."""
    outcome = refuting_outcome(e, proved)
    differs = conditions_form(frozenset(proved.witness - e.conditions))
    return {
        "conditions": conditions_form(proved.conditions),
        "verdict": proved.verdict,
        "text": str(proved),
        "foreign": conditions_form(proved.foreign),
        "redundant": conditions_form(proved.redundant),
        "larger": conditions_form(proved.larger),
        "in_rows": proved.in_rows,
        "witness": {"differs": differs, "outcome": outcome} if differs else None,
        "notes": list(proved.notes),
    }


def counterfactual_form(other: Counterfactual) -> dict[str, Any]:
    """Return a row of another class: what changes in it, and what becomes of it."""
    return {
        "text": str(other),
        "changes": [
            {
                "feature": change.feature,
                "before": label_form(change.before),
                "after": label_form(change.after),
            }
            for change in other.changes
        ],
        "prediction": label_form(other.prediction),
        "outcome": other.outcome,
        "distance": label_form(other.distance),
    }


def _test(condition: Condition) -> tuple[str, Any]:
    if isinstance(condition, ValuesPart):
        return "in", list(said(condition.values))
    if isinstance(condition, Fact):
        return "=", condition.value
    if isinstance(condition, Membership):
        one, *more = condition.listed
        return condition.operator, [one, *more] if more else one
    assert isinstance(condition, Comparison)  # a condition is one or the other
    if condition.boolean:
        return "=", not condition.sense
    if math.isinf(condition.threshold):
        return "is", "present" if condition.sense else "missing"
    return condition.operator, condition.bound


def conditions_form(conditions: Iterable[Condition]) -> list[dict[str, Any]]:
    """Return conditions in the order given; sets in the order of features."""
    if isinstance(conditions, frozenset):
        conditions = sorted(conditions, key=lambda c: (c.index, str(c)))
    return [condition_form(condition) for condition in conditions]


def share_form(share: Fraction) -> dict[str, Any]:
    """Return a share exactly, as ``a/b``, and as a floating point number."""
    return {
        "share": f"{share.numerator}/{share.denominator}",
        "share_float": float(share),
    }


def label_form(label: Any) -> Any:
    """Return a class label or a cell as what JSON has for it: missing is null."""
    if isinstance(label, np.generic):
        label = label.item()
    if label is None or isinstance(label, (bool, int, str)):
        return label
    if isinstance(label, float):
        if math.isfinite(label):
            return label
        return None if math.isnan(label) else str(label)
    return None if type(label).__name__ in ("NAType", "NaTType") else str(label)


def classes_form(tree: Tree) -> list[Any] | None:
    """Return the classes of a model; null where it predicts numbers."""
    return None if tree.predicts_numbers else [label_form(label) for label in tree.class_names]


def record_form(record: Any) -> Any:
    """Return a record of records as JSON values; a fraction as a number, a path as text.

    >>> record_form({"half": Fraction(1, 2), "whole": Fraction(4), "pair": (1, None)})
    {'half': 0.5, 'whole': 4, 'pair': [1, None]}
    """
    if is_dataclass(record):
        return {f.name: record_form(getattr(record, f.name)) for f in fields(record)}
    if isinstance(record, Mapping):
        return {str(key): record_form(value) for key, value in record.items()}
    if isinstance(record, (list, tuple)):
        return [record_form(value) for value in record]
    if isinstance(record, Fraction):
        return record.numerator if record.denominator == 1 else float(record)
    return label_form(record)


def explanation_dict(e: Explanation, timeout: float | None) -> dict[str, Any]:
    """Return the answers about a row; what takes longer than so many seconds is null."""
    if isinstance(e, EnsembleExplanation):
        return {
            "over": e.over.value,
            "classes": model_classes_form(e),
            "row": {own.feature: label_form(own.value) for own in e.values},
        } | ensemble_form(e, timeout)
    counted, refusal = True, None
    try:
        e.feature_importance(timeout)
        e.importance(timeout=timeout)
        e.minimal_reason(timeout=timeout)
    except (TimeoutExpired, MemoryLimitExceeded):
        counted = False
    except NoSuchReason as error:
        refusal = error
    return {
        "over": e.over.value,
        "classes": [label_form(label) for label in e.tree.class_names],
        "row": {own.feature: label_form(own.value) for own in e.values},
    } | explanation_form(e, counted=counted, refusal=refusal)


def explanation_form(
    e: Explanation, *, counted: bool, refusal: NoSuchReason | None = None
) -> dict[str, Any]:
    """Return the answers about a row; those that take long are null where they were not found.

    So are all about reasons where there is none, which is the ``refusal``, and what needs a table.
    """
    contrasts = e.contrastive()
    answers = {}
    for question in QUESTIONS.values():
        settled = counted or not question.takes_long
        exists = refusal is None or not question.is_of_reasons
        known = settled and exists and not question.is_of_table
        answers[question.key] = answer_form(question.ask(e, None)) if known else None
    reason = e.sufficient_reason() if refusal is None else None
    return {
        "definition": e.definition,
        "assumptions": list(e.assumptions),
        "prediction": label_form(e.prediction),
        "prediction_name": e.prediction_name,
        "outcome": e.outcome,
        "target": explained_row(e).context.target_form,
        "direct_reason": conditions_form(e.direct_reason()),
        "reason": None if refusal is not None else reason_form(e.reason()),
        "changes": [change_form(change) for change in e.changes(limit=CHANGES_LISTED)],
        **answers,
        "feature_importance": [
            {"feature": feature} | share_form(share)
            for feature, share in e.feature_importance().items()
            if share
        ]
        if counted and refusal is None
        else None,
        "needed": None if refusal is None else [conditions_form(one) for one in refusal.needed],
        "verified": None if reason is None else bool(e.verify(reason)),
        "contrastive_count": len(contrasts),
        "condition_count": len(e.conditions),
        "irrelevant_count": None if reason is None else len(e.irrelevant()),
        "counted": counted,
    }


def short_form(short: ShortReason) -> dict[str, Any]:
    """Return a short reason with the counts behind it; null where rows were weighed."""
    measure = short.measure
    share = measure if isinstance(measure, Share) else None
    return {
        "text": str(short),
        "sentence": short.sentence,
        "about": short.about,
        "conditions": conditions_form(short),
        "precision": share_form(short.precision),
        "coverage": share_form(short.coverage),
        "right": None if share is None else share.right,
        "covered": None if share is None else share.covered,
        "rows": None if share is None else share.rows,
        "at_least": short.at_least,
        "proved_smallest": short.proved_smallest,
    }


def model_classes_form(e: Explanation) -> list[Any] | None:
    """Return the classes of the model; null where it predicts numbers."""
    labels = explained_row(e).context.model_classes.labels
    return [label_form(label) for label in labels] or None


def ensemble_form(e: EnsembleExplanation, timeout: float | None) -> dict[str, Any]:
    """Return the answers about a row of an ensemble; null where time ran out, or none is offered.

    Counts and shares are never there.
    """
    refusal: NoSuchReason | None = None

    def within(ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except (TimeoutExpired, MemoryLimitExceeded, NoSuchReason):
            return None

    sufficient: Reason | None = None
    try:
        sufficient = e.sufficient_reason(timeout)
    except NoSuchReason as error:
        refusal = error
    minimal = within(lambda: e.minimal_reason(timeout=timeout))
    general = within(lambda: e.reason(timeout))
    contrasts = within(lambda: e.contrastive(limit=CONTRASTS_OF_ENSEMBLE, timeout=timeout))
    changes = within(lambda: e.changes(CONTRASTS_OF_ENSEMBLE, timeout=timeout))
    necessary = within(lambda: e.necessary(timeout=timeout))
    verified = None if sufficient is None else within(lambda: e.verify(sufficient, timeout))
    nothing = ("count", "importance", "feature_importance", "contrastive_count", "irrelevant_count")
    return {
        "definition": e.definition,
        "assumptions": list(e.assumptions),
        "prediction": label_form(e.prediction),
        "prediction_name": e.prediction_name,
        "outcome": e.outcome,
        "target": explained_row(e).context.target_form,
        "trees": e.ensemble.n_trees,
        "direct_reason": conditions_form(e.direct_reason()),
        "quick_reason": _or_null(within(lambda: e.quick_reason(timeout))),
        "reason": None if general is None else reason_form(general),
        "sufficient_reason": _or_null(sufficient),
        "irredundant": None if sufficient is None else sufficient.irredundant,
        "open": None if sufficient is None else conditions_form(sufficient.undecided),
        "minimal_reason": _or_null(minimal),
        "necessary": _or_null(necessary),
        "contrastive": None if contrasts is None else answer_form(contrasts),
        "changes": None if changes is None else [change_form(change) for change in changes],
        "needed": None if refusal is None else [conditions_form(one) for one in refusal.needed],
        "verified": None if verified is None else bool(verified.sufficient),
        "condition_count": len(e.conditions),
        "counted": False,
        **dict.fromkeys(nothing),
    }


def _or_null(conditions: Iterable[Condition] | None) -> list[dict[str, Any]] | None:
    return None if conditions is None else conditions_form(conditions)


def findings_form(found: Findings) -> dict[str, Any]:
    """Return what a reader asked for besides: null where that was nothing."""
    reach, fair = found.reach, found.fairness
    return {
        "short_reason": None if found.short is None else short_form(found.short),
        "no_short_reason": None
        if found.no_short is None
        else {
            "text": str(found.no_short),
            "best": [short_form(step.reason) for step in found.no_short.best],
        },
        "reach": None
        if reach is None
        else {"covered": reach.covered, "rows": reach.rows, "decisions": reach.decisions}
        | share_form(reach.share_of_decisions),
        "counterfactuals": [counterfactual_form(other) for other in found.counterfactuals],
        "no_counterfactual": found.no_counterfactual or None,
        "fairness": None
        if fair is None
        else {
            "protected": list(fair.protected),
            "fair": bool(fair),
            "change": fair.change or None,
            "becomes": label_form(fair.prediction),
        },
        "verified": _verified(found),
    }


def _verified(found: Findings) -> bool | None:
    proved = found.verification
    if proved is None:
        return None
    if found.reason is not None and found.reason.undecided:  # of an ensemble: the rest is proved
        return proved.sufficient and proved.redundant <= frozenset(found.reason.undecided)
    return bool(proved)


def summary_form(summary: Summary) -> dict[str, Any]:
    """Return what a summary of many rows says; a row is named by its label."""
    accuracy = summary.accuracy
    return {
        "definition": summary.definition,
        "target": summary.target or None,
        "rows": len(summary.rows),
        "statuses": summary.statuses,
        "accuracy": None if accuracy is None else share_form(accuracy),
        "decisions": _table_form(summary.decisions, "class"),
        "groups": {
            feature: _table_form(table, "group") for feature, table in summary.groups.items()
        },
        "features": _table_form(summary.features, "feature"),
        "reasons": [
            {
                "class": label_form(one.prediction),
                "text": str(one.reason),
                "conditions": [str(part) for part in one.reason.parts],
                "rows": one.rows,
            }
            | share_form(one.share)
            for one in summary.cover.reasons
        ],
        "covered": share_form(summary.cover.share),
        "protected": list(summary.protected),
        "fair": None if not summary.protected else not len(summary.unfair),
        "unfair": _table_form(summary.unfair, "row"),
        "needs_protected": [label_form(label) for label in summary.needs_protected.index],
        "sizes": _table_form(summary.sizes, "what"),
        "hardest": _table_form(summary.hardest().drop(columns="seconds"), "row"),
    }


def _table_form(table: Any, first: str) -> list[dict[str, Any]]:
    return [
        {first: label_form(label)} | {name: label_form(value) for name, value in row.items()}
        for label, row in zip(table.index, table.to_dict("records"), strict=True)
    ]


def answer_form(answer: Any) -> Any:
    """Return an answer to one of :data:`cattleya.explain.questions.QUESTIONS`, by its type.

    A reason or a set is a list of conditions, several reasons a list of such lists, shares a list
    of conditions with the share of each, the highest first; a number is itself.
    """
    if isinstance(answer, Mapping):
        return [
            {"condition": condition_form(condition)} | share_form(share)
            for condition, share in answer.items()
            if share
        ]
    if isinstance(answer, tuple):
        return [
            counterfactual_form(one) if isinstance(one, Counterfactual) else conditions_form(one)
            for one in answer[:CONTRASTS_LISTED]
        ]
    return answer if isinstance(answer, int) else conditions_form(answer)

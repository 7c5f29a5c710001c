"""The report about a table in words, and the sentences that it shares with the page."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from cattleya.model.tree.threshold import number_text
from cattleya.present.words.numbers import class_name, counted, name, percent, shortened
from cattleya.present.words.statements import general_text
from cattleya.support.text import grouped, printable

if TYPE_CHECKING:
    from cattleya.batch.summary import Summary

__all__ = [
    "accuracy",
    "class_of",
    "covering",
    "decided",
    "fairness",
    "hardest",
    "lengths",
    "report_text",
    "rests_on",
    "statuses",
    "witnesses",
]

WIDTH = 100
FEATURES_SHOWN, HARDEST_SHOWN = 10, 5
IN_FULL = 10**6  # counts beyond are a number of digits
STATUSES = {
    "ok": "explained",
    "timeout": "not finished in time",
    "memory": "not finished within the memory limit",
    "no such reason": "without such a reason",
    "error": "that could not be read",
}


class Witness(NamedTuple):
    """A change of protected features, the class before and after, and the rows that show it."""

    decision: str
    change: str
    becomes: str
    rows: tuple[str, ...]


def report_text(summary: Summary) -> str:
    """Return the report as plain text."""
    parts = [
        [decided(summary), *([accuracy(summary)] if accuracy(summary) else [])],
        *([f"Decisions by {name(feature)}", _table(_groups(table))]
          for feature, table in summary.groups.items()),
        ["What the decisions rest on", _wrapped(rests_on(summary)), *_features(summary)],
        [_wrapped(covering(summary)), *_reasons(summary)],
        *([[_wrapped(fairness(summary)), *_witnesses(summary)]] if summary.protected else []),
        [_wrapped(lengths(summary)), *_hardest(summary)],
    ]  # fmt: skip  # one part per line
    return "\n\n".join("\n".join(line for line in part if line) for part in parts if any(part))


def statuses(summary: Summary) -> list[tuple[int, str]]:
    """Return how many rows ended how, in words; nothing where all were explained."""
    told = summary.statuses
    return [(n, STATUSES.get(s, s)) for s, n in told.items() if s != "ok"]


def decided(summary: Summary) -> str:
    """Say how many rows get each class."""
    told = ", ".join(
        f"{class_name(str(label))} {grouped(int(rows))} ({percent(float(share))})"
        for label, rows, share in summary.decisions[["rows", "share"]].itertuples()
    )
    rows = counted(len(summary.rows), "row")
    text = f"{rows}: {told}" if told else rows
    if summary.target:
        text += f"\nWhat is explained: {printable(summary.target)}"
    others = "; ".join(f"{grouped(n)} {status}" for n, status in statuses(summary))
    return f"{text}. {others}" if others else text


def accuracy(summary: Summary) -> str:
    """Say how many of the rows get their true class; nothing where the truth is not known."""
    share = summary.accuracy
    if share is None or summary.right is None:
        return ""
    known = sum(r is not None for r in summary.right)
    return f"Accuracy: {percent(share)} of the {counted(known, 'row')} whose true class is known"


def rests_on(summary: Summary) -> str:
    """Say what the columns about features are."""
    if summary.of_ensemble:
        return (
            "mentioned: the share of the rows whose reason mentions the feature (the reasons of an "
            "ensemble are not counted; this is one of each row); decisive: the share of the rows "
            "in which a condition on it is in every sufficient reason"
        )
    return (
        "mentioned: the share of the sufficient reasons that mention the feature, on average over "
        "the rows; decisive: the share of the rows in which every sufficient reason mentions it"
    )


def covering(summary: Summary) -> str:
    """Say what the list of reasons is."""
    found = summary.cover
    if not found.reasons:
        return ""
    if len(found.reasons) == 1:
        one = "This reason covers"
    else:
        one = f"These {len(found.reasons)} reasons together cover"
    return (
        f"{one} {percent(found.share)} of the rows. Each is proved: every row that has these "
        f"facts, in this table or not, gets the class."
    )


def fairness(summary: Summary) -> str:
    """Say how many decisions depend on protected features."""
    names = _or([name(str(feature)) for feature in summary.protected])
    explained = len(summary.rows) - summary.statuses.get("error", 0)
    n = len(summary.unfair)
    if not n:
        return f"No decision depends on {names} alone: changing nothing else changes no class."
    share = percent(n / explained)
    one = "decision depends" if n == 1 else "decisions depend"
    return (
        f"{grouped(n)} of {grouped(explained)} {one} on {names} ({share}): with nothing else "
        f"changed, the class is another."
    )


def lengths(summary: Summary) -> str:
    """Say how long the shortest reasons are."""
    sizes = [int(n) for n in summary.rows[f"{summary.shown_reason}_size"] if not pd.isna(n)]
    if not sizes:
        return ""
    middle = sorted(sizes)[(len(sizes) - 1) // 2]
    kind = "The reason found" if summary.of_ensemble else "A shortest reason"
    return (
        f"{kind} has {counted(middle, 'condition')} in the median row, and "
        f"{max(sizes)} in the hardest."
    )


def hardest(summary: Summary, most: int) -> list[dict[str, Any]]:
    """Return the rows that are hardest to explain; those that say the same are said together."""
    labels: dict[tuple[str, str, str], list[str]] = {}
    rows = summary.hardest(most)
    for label, row in zip(rows.index, rows.to_dict("records"), strict=True):
        told, length = row[summary.shown_reason], row[f"{summary.shown_reason}_size"]
        reason = shortened(told) if told else row["status"]
        size = "" if pd.isna(length) else str(length)
        says = (class_of(summary, row[summary.by]), size, reason)
        labels.setdefault(says, []).append(name(str(label)))
    return [
        {"rows": of, "decision": says[0], "size": says[1], "reason": says[2]}
        for says, of in labels.items()
    ]


def class_of(summary: Summary, label: Any) -> str:
    """Return what an outcome is called."""
    if isinstance(label, float) and not summary.class_names:
        return f"exactly {number_text(label)}"
    return class_name(summary.class_names.get(label, str(label)))


def _features(summary: Summary) -> list[str]:
    table = summary.features.head(FEATURES_SHOWN)
    if not len(table):
        return []
    told = pd.DataFrame(
        {
            "mentioned": [percent(share) for share in table["importance"]],
            "decisive": [percent(share) for share in table["necessary"]],
        },
        index=[name(str(feature)) for feature in table.index],
    )
    more = len(summary.features) - FEATURES_SHOWN
    return [_table(told), f"and {more:,} more, each in fewer reasons" if more > 0 else ""]


def _groups(table: pd.DataFrame) -> pd.DataFrame:
    shares = table.drop(columns="rows").map(lambda s: "" if pd.isna(s) else percent(float(s)))
    told = pd.concat([table["rows"].map(lambda n: grouped(int(n))), shares], axis=1)
    told = told.rename(columns=lambda column: _class_in(column) or column)
    return told.rename(index=lambda group: name(str(group)))


def _class_in(column: str) -> str:
    """Return the class that a column about groups is of; empty where it is of none."""
    return class_name(column.removeprefix("share, ")) if column.startswith("share, ") else ""


def _reasons(summary: Summary) -> list[str]:
    return [
        _wrapped(
            f"- {class_of(summary, one.prediction)}: {general_text(one.reason)} "
            f"({counted(one.rows, 'row')}, {percent(one.share)} of these decisions)",
            indent=2,
        )
        for one in summary.cover.reasons
    ]


def witnesses(summary: Summary) -> list[Witness]:
    """Return the changes of protected features that change a class, and all rows of each."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for label, one in zip(summary.unfair.index, summary.unfair.itertuples(), strict=True):
        key = class_name(str(one.outcome)), str(one.change), class_name(str(one.becomes))
        rows.setdefault(key, []).append(name(str(label)))
    found = [Witness(*key, tuple(labels)) for key, labels in rows.items()]
    return sorted(found, key=lambda one: -len(one.rows))


def _witnesses(summary: Summary) -> list[str]:
    return [
        _wrapped(
            f"- {one.decision}; with {one.change} it is {one.becomes}: {_rows(one.rows)}", indent=2
        )
        for one in witnesses(summary)
    ]


def _rows(labels: Sequence[str]) -> str:
    if len(labels) == 1:
        return f"row {labels[0]}"
    return f"{grouped(len(labels))} rows ({', '.join(labels)})"


def _hardest(summary: Summary) -> list[str]:
    return [
        _wrapped(f"- row {', '.join(one['rows'])}: {one['decision']}, {one['reason']}", indent=2)
        for one in hardest(summary, HARDEST_SHOWN)
    ]


def _table(table: pd.DataFrame) -> str:
    return textwrap.indent(table.to_string(), "  ")


def _wrapped(text: str, indent: int = 0) -> str:
    lead = " " * indent
    return "\n".join(
        textwrap.wrap(
            text,
            WIDTH,
            initial_indent=lead,
            subsequent_indent=lead + ("  " if indent else ""),
            break_long_words=False,
            break_on_hyphens=False,
        )
    )


def _or(names: list[str]) -> str:
    return " or ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)

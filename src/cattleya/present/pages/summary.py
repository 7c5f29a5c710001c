"""The page about a whole data set, and the short form of it for notebooks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from cattleya.present.pages.origin import Origin, checked_about
from cattleya.present.pages.page import filled
from cattleya.present.words import report
from cattleya.present.words.numbers import class_name, counted, listed, name, percent
from cattleya.present.words.statements import general_statements
from cattleya.support.text import grouped

if TYPE_CHECKING:
    from cattleya.batch.summary import Summary

__all__ = ["SummaryContent", "groups_shown", "summary_fragment", "summary_page"]

FEATURES_AT_ONCE, FEATURES_SHOWN = 10, 100
WITNESSES_AT_ONCE, WITNESS_ROWS_AT_ONCE = 5, 10
HARDEST_SHOWN = 10
ROWS_NAMED = 20
SIZES_SHOWN = 300
LONGEST_REASON = 600


def summary_page(summary: Summary, about: str | None = None) -> str:
    """Return a whole page."""
    content = SummaryContent(summary, checked_about(about) or "")
    return filled("summary.html", content)


def summary_fragment(summary: Summary) -> str:
    """Return a short form to put into a page: its style touches nothing else there."""
    return filled("summary_fragment.html", SummaryContent(summary, ""))


class SummaryContent(Origin):
    """The contents of the page, in the order and the number that are shown."""

    features_at_once = FEATURES_AT_ONCE
    classes_apart: Sequence[str] = ()  # of whose rows features are shown apart
    witnesses_at_once, witness_rows_at_once = WITNESSES_AT_ONCE, WITNESS_ROWS_AT_ONCE

    def __init__(self, summary: Summary, about: str) -> None:
        super().__init__(about, summary.tree_hash)
        self._summary = summary
        self.definition = summary.definition
        self.of_ensemble = summary.of_ensemble
        self.target = name(summary.target) if summary.target else ""
        #: Whether rows are named by their numbers.
        self.numbered = summary.rows.index.equals(pd.RangeIndex(len(summary.rows)))
        self.protected = [name(str(feature)) for feature in summary.protected]

    def to(self, kind: str, key: Any) -> str:
        """Return the address of the rows behind something that is shown; here there is none."""
        return ""

    @property
    def length_links(self) -> dict[int, str]:
        """The same for the bars of lengths."""
        return {}

    @property
    def title(self) -> str:
        """What the page is about."""
        return counted(len(self._summary.rows), "decision") + " explained"

    @property
    def figures(self) -> list[tuple[str, str]]:
        """The few numbers that say most."""
        summary, found = self._summary, []
        if summary.accuracy is not None:
            known = sum(right is not None for right in summary.right or ())
            of = "the decisions" if known == len(summary.rows) else counted(known, "decision")
            found.append((percent(summary.accuracy), f"of {of} are right"))
        if self.protected:
            found.append((grouped(len(summary.unfair)), f"depend on {' or '.join(self.protected)}"))
        return found + [(grouped(n), status) for n, status in report.statuses(summary)]

    @property
    def sentences(self) -> dict[str, str]:
        """The sentences that the report in words has, too."""
        summary = self._summary
        return {
            "accuracy": report.accuracy(summary),
            "rests_on": report.rests_on(self._summary),
            "covering": report.covering(summary),
            "fairness": report.fairness(summary) if summary.protected else "",
            "lengths": report.lengths(summary),
        }

    @property
    def decisions(self) -> list[dict[str, Any]]:
        """How many rows get each class."""
        return [
            {
                "name": class_name(str(label)),
                "rows": grouped(int(row["rows"])),
                "share": float(row["share"]),
                "right": _percent(row.get("right")),
            }
            for label, row in self._summary.decisions.iterrows()
        ]

    @property
    def judged(self) -> bool:
        """Whether the truth is known."""
        return self._summary.accuracy is not None

    @property
    def groups(self) -> list[dict[str, Any]]:
        """How many rows of each group get each class."""
        return groups_shown(self._summary.groups)

    @property
    def features(self) -> list[dict[str, Any]]:
        """What the decisions rest on."""
        table = self._summary.features.head(FEATURES_SHOWN)
        return [
            {
                "name": name(str(feature)),
                "share": float(row["importance"]),
                "necessary": percent(float(row["necessary"])),
                "by_class": [float(row[f"importance, {one}"]) for one in self.classes_apart],
            }
            for feature, row in table.iterrows()
        ]

    @property
    def features_more(self) -> int:
        """How many more there are."""
        return max(len(self._summary.features) - FEATURES_SHOWN, 0)

    @property
    def reasons(self) -> list[dict[str, Any]]:
        """Few reasons that cover most rows."""
        return [
            {
                "decision": report.class_of(self._summary, one.prediction),
                "says": general_statements(one.reason.parts),
                "rows": counted(one.rows, "row"),
                "share": percent(one.share),
            }
            for one in self._summary.cover.reasons
        ]

    @property
    def witnesses(self) -> list[report.Witness]:
        """The changes of protected features that change a class, and all rows of each."""
        return report.witnesses(self._summary)

    @property
    def hardest(self) -> list[dict[str, str]]:
        """The rows that are hardest to explain."""
        return [
            one | {"label": listed(one["rows"], ROWS_NAMED), "reason": _cut(one["reason"])}
            for one in report.hardest(self._summary, HARDEST_SHOWN)
        ]

    @property
    def lengths(self) -> list[tuple[int, str, float]]:
        """How many rows have a shortest reason of each length: as text, and beside the most."""
        sizes = self._summary.rows[f"{self._summary.shown_reason}_size"]
        found = Counter(int(n) for n in sizes if not pd.isna(n))
        most = max(found.values(), default=1)
        every = range(min(found, default=0), max(found, default=-1) + 1)
        return [(n, grouped(found[n]), found[n] / most) for n in every[:SIZES_SHOWN]]


def groups_shown(groups: dict[str, pd.DataFrame]) -> list[dict[str, Any]]:
    """Return the shares of each class by group as they are shown."""
    made = []
    for feature, table in groups.items():
        classes = [column for column in table.columns if column.startswith("share, ")]
        rows = [
            {
                "group": name(str(group)),
                "rows": grouped(int(row["rows"])),
                "shares": [float(row[c]) for c in classes],
                "right": _percent(row.get("accuracy")),
            }
            for group, row in table.iterrows()
        ]
        named = [class_name(c.removeprefix("share, ")) for c in classes]
        made.append({"feature": name(str(feature)), "classes": named, "rows": rows})
    return made


def _percent(share: Any) -> str:
    return "" if share is None or pd.isna(share) else percent(float(share))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]} …"

"""The page about a whole data set."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from cattleya.present.pages.origin import Origin, checked_about
from cattleya.present.pages.page import environment
from cattleya.present.words.numbers import class_name, counted, listed, name, shortened
from cattleya.support.text import grouped

if TYPE_CHECKING:
    from cattleya.batch.summary import Summary

__all__ = ["summary_page"]

FEATURES_SHOWN, ROWS_SHOWN, HARDEST_SHOWN = 50, 100, 10
SIZES_SHOWN = 300
LONGEST_REASON = 600
STATUSES = {
    "ok": "explained",
    "timeout": "not finished in time",
    "memory": "not finished within the memory limit",
    "no such reason": "without such a reason",
    "error": "that could not be read",
}


def summary_page(summary: Summary, about: str | None = None) -> str:
    """Return a whole page."""
    content = SummaryContent(summary, checked_about(about) or "")
    return environment().get_template("summary.html").render(it=content)


class SummaryContent(Origin):
    """The contents of the page, in the order and the number that are shown."""

    def __init__(self, summary: Summary, about: str) -> None:
        import pandas as pd

        super().__init__(about, summary.tree_hash)
        self._summary = summary
        self.definition = summary.definition
        #: Whether rows are named by their numbers.
        self.numbered = summary.rows.index.equals(pd.RangeIndex(len(summary.rows)))
        self.protected = [name(str(feature)) for feature in summary.protected]

    @property
    def title(self) -> str:
        """What the page is about."""
        return counted(len(self._summary.rows), "decision") + " explained"

    @property
    def figures(self) -> list[tuple[str, str]]:
        """The few numbers that say most."""
        summary = self._summary
        found = [
            (grouped(n), STATUSES.get(status, status)) for status, n in summary.statuses.items()
        ]
        if self.protected:
            found.append((grouped(len(summary.needs_protected)), "need a protected feature"))
        return found

    @property
    def sizes(self) -> list[tuple[str, list[str]]]:
        """How long and how many reasons are."""
        return [
            (title, ["not known" if value is None else grouped(int(value)) for value in values])
            for title, values in zip(
                self._summary.sizes.index, self._summary.sizes.to_numpy().tolist(), strict=True
            )
        ]

    @property
    def lengths(self) -> list[tuple[int, str, float]]:
        """How many rows have a shortest reason of each length: as text, and beside the most."""
        import pandas as pd

        found = Counter(int(n) for n in self._summary.rows["minimal_size"] if not pd.isna(n))
        most = max(found.values(), default=1)
        every = range(min(found, default=0), max(found, default=-1) + 1)
        return [(n, grouped(found[n]), found[n] / most) for n in every[:SIZES_SHOWN]]

    @property
    def classes(self) -> list[str]:
        """The classes that importance is split by."""
        columns = self._summary.features.columns[2:]
        return [class_name(column.removeprefix("importance, ")) for column in columns]

    @property
    def features(self) -> list[dict[str, Any]]:
        """What the decisions rest on."""
        table = self._summary.features.head(FEATURES_SHOWN)
        largest = max([*table["importance"], 1e-300])
        return [
            {
                "name": name(str(feature)),
                "necessary": grouped(int(values[0])),
                "importance": f"{values[1]:.3f}",
                "share": values[1] / largest,
                "by_class": [f"{value:.3f}" for value in values[2:]],
            }
            for feature, values in zip(table.index, table.to_numpy().tolist(), strict=True)
        ]

    @property
    def features_more(self) -> int:
        """How many more there are."""
        return max(len(self._summary.features) - FEATURES_SHOWN, 0)

    @property
    def hardest(self) -> list[dict[str, str]]:
        """The rows that are hardest to explain."""
        return self._rows(self._summary.hardest(HARDEST_SHOWN))

    @property
    def needing(self) -> list[dict[str, str]]:
        """Rows that have no reason without a protected feature."""
        return self._rows(self._summary.needs_protected.head(ROWS_SHOWN))

    @property
    def needing_more(self) -> int:
        """How many more there are."""
        return max(len(self._summary.needs_protected) - ROWS_SHOWN, 0)

    def _class_name(self, label: Any) -> str:
        return class_name(self._summary.class_names.get(label, str(label)))

    def _rows(self, rows: Any) -> list[dict[str, str]]:
        """Return what is shown of rows; those that say the same are said together."""
        import pandas as pd

        labels: dict[tuple[str, ...], list[str]] = {}
        for label, row in zip(rows.index, rows.to_dict("records"), strict=True):
            reason = shortened(row["minimal"]) if row["minimal"] else row["status"]
            cut = reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]} …"
            known = not pd.isna(row["count"])
            says = (
                self._class_name(row["prediction"]),
                grouped(int(row["count"])) if known else row["status"],
                "" if pd.isna(row["minimal_size"]) else str(row["minimal_size"]),
                cut,
            )
            labels.setdefault(says, []).append(str(label))
        names = ("decision", "count", "size", "reason")
        return [
            {"label": listed(of, ROWS_SHOWN), **dict(zip(names, says, strict=True))}
            for says, of in labels.items()
        ]

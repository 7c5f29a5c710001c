"""A data set as a whole: how long and how many its reasons are, and what they rest on."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cattleya.batch.table import frame_of
from cattleya.batch.task import checked_task
from cattleya.explain.context import ModelContext
from cattleya.model.tree.fingerprint import tree_hash
from cattleya.support.guards import is_whole
from cattleya.support.text import grouped, printable, shown

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


__all__ = ["Summary", "summarise"]

ASKED = ("sufficient", "minimal", "contrastive", "necessary", "count", "importance")
QUANTILES = {"least": 0.0, "median": 0.5, "most": 1.0}
IN_FULL = 15  # digits of a whole number that are printed
FEATURES_SHOWN = 10
WHAT_COUNTS = """What the decisions rest on
  necessary: the number of rows in which a condition on the feature is decisive (necessary), that
    is, in every sufficient reason
  importance: the average number of conditions on the feature in a sufficient reason, first over
    the reasons of a row, then over the rows; it can be above 1. The columns after it give it by
    decision"""


@dataclass(frozen=True, eq=False)
class Summary:
    """What the explanations of many rows say together. Made by :meth:`Explainer.summarise`.

    Attributes
    ----------
    rows : DataFrame
        The explanations themselves, as :meth:`Explainer.explain_all` gives them.
    definition : str
        What the explanations are made of.
    protected : tuple
        The features that were asked about, as they were named.
    needs_protected : DataFrame
        The rows all of whose sufficient reasons mention a protected feature.
    class_names : dict
        What each class is called, by its label.
    tree_hash : str
        The SHA-256 of the tree, as files of results have it.
    """

    rows: pd.DataFrame
    definition: str
    protected: tuple[Any, ...]
    needs_protected: pd.DataFrame
    class_names: dict[Any, str]
    tree_hash: str

    @property
    def statuses(self) -> dict[str, int]:
        """How many rows there are of each status."""
        return dict(Counter(self.rows["status"]))

    @cached_property
    def sizes(self) -> pd.DataFrame:
        """How long reasons are and how many there are: least, median and most over the rows.

        Each over the rows for which it is known: counting can reach a time limit.
        """
        import pandas as pd

        titles = {
            "conditions of a sufficient reason": "sufficient_size",
            "conditions of a minimal reason": "minimal_size",
            "necessary conditions": "necessary_count",
            "relevant conditions": "relevant_count",
            "contrastive explanations": "contrastive_count",
            "conditions of the smallest contrast": "contrastive_size",
            "sufficient reasons": "count",
            "minimal reasons": "minimal_count",
        }
        figures = {}
        for title, column in titles.items():
            values = sorted(value for value in self.rows[column] if not pd.isna(value))
            at = [
                values[int(q * (len(values) - 1))] if values else None for q in QUANTILES.values()
            ]
            figures[title] = [*at, len(values)]
        names = [*QUANTILES, "rows"]
        # Of Python's own numbers: counts have no bounds.
        return pd.DataFrame(
            [figures[title] for title in titles], index=list(titles), columns=names, dtype=object
        )

    @cached_property
    def features(self) -> pd.DataFrame:
        """What the decisions rest on: one row per feature, the most important first.

        ``necessary``: in how many rows some condition on it is in every sufficient reason.
        ``importance``: how many conditions on it a sufficient reason has on average, first over
        the reasons of a row (each equally), then over the rows; and the same for each class.
        """
        import pandas as pd

        necessary = Counter(
            feature
            for names in self.rows["necessary_features"]
            if names is not None
            for feature in names
        )
        weighed = _where(self.rows, [s is not None for s in self.rows["feature_importance"]])
        everywhere = _means(weighed)
        names = list(dict.fromkeys([*everywhere, *necessary]))
        columns: dict[str, list[Any]] = {
            "necessary": [necessary.get(feature, 0) for feature in names],
            "importance": [everywhere.get(feature, 0.0) for feature in names],
        }
        for label in dict.fromkeys(weighed["prediction"]):
            means = _means(_where(weighed, [p == label for p in weighed["prediction"]]))
            columns[f"importance, {self.class_names[label]}"] = [
                means.get(feature, 0.0) for feature in names
            ]
        table = pd.DataFrame(columns, index=pd.Index(names, name="feature"))
        return table.sort_values(["importance", "necessary"], ascending=False, kind="stable")

    def hardest(self, n: int = 10) -> pd.DataFrame:
        """Return the rows that are hardest to explain.

        Those that were not finished in time or memory, then those with the longest shortest reason;
        of these, those with the most reasons. Rows that could not be read are not among them.
        """
        if not is_whole(n) or n < 0:
            raise ValueError(f"n must be a whole number, 0 or more, not {shown(n)}")
        rows = self.rows[self.rows["status"] != "error"]
        sizes, counts = rows["minimal_size"].tolist(), rows["count"].tolist()
        finished = (rows["status"] == "ok").tolist()
        ranked = sorted(
            range(len(rows)),
            key=lambda i: (finished[i], -_number(sizes[i]), -_number(counts[i])),
        )
        columns = ["prediction", "status", "minimal_size", "count", "minimal", "seconds"]
        return rows.iloc[ranked[:n]][columns]

    def plot_sizes(self, ax: Axes | None = None) -> Axes:
        """Draw how many rows have a shortest reason of each length."""
        from cattleya.present.plots.data_set import row_sizes

        return row_sizes(self, ax)

    def plot_importance(self, most: int = 20, ax: Axes | None = None) -> Axes:
        """Draw what the decisions rest on: the mean importance of each feature, by class."""
        from cattleya.present.plots.data_set import feature_importance

        return feature_importance(self, most, ax)

    def to_html(
        self, path: str | os.PathLike[str] | None = None, *, about: str | None = None
    ) -> str | None:
        """Write a page with all of it: one file that needs no network; or return its text.

        ``about`` is what the page calls the rows, such as ``"the applications of May"``.
        """
        from cattleya.present.pages.summary import summary_page

        text = summary_page(self, about)
        if path is None:
            return text
        from cattleya.support.files.atomic import write_text

        write_text(path, text)
        return None

    def __str__(self) -> str:
        told = ", ".join(f"{number:,} {status}" for status, number in self.statuses.items())
        parts = [
            f"{len(self.rows):,} rows ({told}), explained {self.definition}",
            self.sizes.map(_short).to_string(),
        ]
        if len(self.features):
            first = _safe(self.features.head(FEATURES_SHOWN).round(3)).to_string()
            more = len(self.features) - FEATURES_SHOWN
            rest = f"\nand {more:,} more, each less important" if more > 0 else ""
            parts.append(f"{WHAT_COUNTS}\n{first}{rest}")
        if self.protected:
            names = printable(", ".join(map(str, self.protected)))
            parts.append(
                f"{len(self.needs_protected):,} rows have no sufficient reason without {names}"
            )
        return "\n\n".join(part for part in parts if part)

    def __repr__(self) -> str:
        return f"<Summary of {len(self.rows)} rows>"


def summarise(
    context: ModelContext,
    X: Any,
    *,
    protected: Iterable[Any],
    n_jobs: int | None,
    timeout: float | None,
    progress: bool,
    exclude: Iterable[Any],
    immutable: Iterable[Any],
) -> Summary:
    """Explain every row, and gather what they have in common."""
    task = checked_task(
        context, ASKED, timeout, exclude=exclude, immutable=immutable, protected=protected
    )
    rows = frame_of(context, X, task, n_jobs, progress)
    if task.protected:
        needing = rows[rows["needs_protected"].fillna(False).to_numpy(dtype=bool)]
    else:
        needing = rows.iloc[:0]
    tree = context.tree
    names = dict(zip(tree.class_names, context.class_labels, strict=True))
    return Summary(rows, context.over.definition, task.protected, needing, names, tree_hash(tree))


def _where(rows: pd.DataFrame, chosen: list[bool]) -> pd.DataFrame:
    """Return some rows; an empty list would be one of columns."""
    return rows[np.array(chosen, dtype=np.bool_)]


def _means(rows: pd.DataFrame) -> dict[str, float]:
    """Return the mean importance of each feature over some rows."""
    totals: dict[str, float] = {}
    for shares in rows["feature_importance"]:
        for feature, share in shares.items():
            totals[feature] = totals.get(feature, 0.0) + float(share)
    return {feature: total / len(rows) for feature, total in totals.items()}


def _number(value: Any) -> int:
    import pandas as pd

    return 0 if pd.isna(value) else int(value)


def _safe(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose names can be printed: a column may be called anything."""
    return table.rename(index=printable, columns=printable)


def _short(value: Any) -> str:
    return "not known" if value is None else grouped(int(value), in_full=10**IN_FULL)

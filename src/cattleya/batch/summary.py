"""A data set as a whole: what is decided, what it rests on, few reasons that say most of it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from cattleya.batch.cover import Cover, cover
from cattleya.batch.groups import checked_truth, decisions_by_group, judged, values_of
from cattleya.batch.reading import n_rows, read_rows, taken
from cattleya.batch.table import frame_of
from cattleya.batch.task import Task, checked_task
from cattleya.changes.fairness import fairness
from cattleya.changes.general.general_reason import General
from cattleya.explain.context import ModelContext
from cattleya.explain.ensemble import many
from cattleya.explain.ensemble.context import EnsembleContext
from cattleya.explain.explaining import explain_numbers
from cattleya.explain.many_counterfactuals import fairness_of
from cattleya.explain.short import Among
from cattleya.support.arrays import Floats, Places
from cattleya.support.guards import is_whole
from cattleya.support.limits import Deadline
from cattleya.support.progress import Advance
from cattleya.support.text import shown

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


__all__ = ["Summary", "gathered", "summarise", "task_of_summary"]

ASKED = ("sufficient", "minimal", "contrastive", "necessary", "count", "importance")
ASKED_OF_ENSEMBLE = ("sufficient", "necessary")  # what is not counted, and seldom takes long
QUANTILES = {"least": 0.0, "median": 0.5, "most": 1.0}
IN_FULL = 15  # digits of a whole number that are printed
FEATURES_SHOWN, ROWS_SHOWN = 10, 10
MOST_CANDIDATES = 500  # reasons that the list is chosen from: those of the most rows


@dataclass(frozen=True, eq=False)
class Summary:
    """What explanations of many rows say together. Made by :meth:`cattleya.Explainer.summarise`.

    Attributes
    ----------
    rows : DataFrame
        The explanations themselves, as :meth:`cattleya.Explainer.explain_all` gives them.
    definition : str
        What the explanations are made of.
    protected : tuple
        The features that were asked about, as they were named.
    needs_protected : DataFrame
        The rows all of whose sufficient reasons mention a protected feature.
    class_names : dict
        What each outcome, by default each class, is called; empty where each row has its own.
    tree_hash : str
        The SHA-256 of the tree, as files of results have it.
    cover : Cover
        Few reasons that together cover most rows.
    unfair : DataFrame
        The rows whose class depends on protected features: what the witness changes (``change``),
        and the class that it gets (``becomes``).
    groups : dict of DataFrame
        By protected feature: how many rows have each value of it, and the share of them that gets
        each class.
    right : list, optional
        Of each row, whether the class is the true one; None where the truth is not known.
    target : str
        What is explained in words, where it is not the predicted class; else empty.
    """

    rows: pd.DataFrame
    definition: str
    protected: tuple[Any, ...]
    needs_protected: pd.DataFrame
    class_names: dict[Any, str]
    tree_hash: str
    cover: Cover
    unfair: pd.DataFrame
    groups: dict[str, pd.DataFrame]
    right: list[bool | None] | None = None
    target: str = ""

    @property
    def by(self) -> str:
        """The column of ``rows`` with the outcome: what is explained."""
        return "outcome" if "outcome" in self.rows else "prediction"

    @property
    def accuracy(self) -> Fraction | None:
        """The share of the rows that get their true class; None where the truth is not known."""
        known = [bool(r) for r in self.right if r is not None] if self.right is not None else []
        return Fraction(sum(known), len(known)) if known else None

    @cached_property
    def decisions(self) -> pd.DataFrame:
        """How many rows get each class, the most first; with the truth, how many of them rightly.

        ``right`` is the share of those whose true class is known. Empty where each row has an
        outcome of its own.
        """
        import pandas as pd

        found = Counter(self.rows[self.by].dropna() if self.class_names else ())
        columns: dict[str, list[Any]] = {
            "rows": list(found.values()),
            "share": [number / found.total() for number in found.values()],
        }
        if self.right is not None:
            told: dict[Any, list[bool]] = {label: [] for label in found}
            for label, right in zip(self.rows[self.by], self.right, strict=True):
                if right is not None and label in told:
                    told[label].append(right)
            columns["right"] = [sum(r) / len(r) if r else None for r in told.values()]
        names = [self.class_names[label] for label in found]
        table = pd.DataFrame(columns, index=pd.Index(names, name="class"))
        return table.sort_values("rows", ascending=False, kind="stable")

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
            known = self.rows.get(column, ())
            values = sorted(value for value in known if not pd.isna(value))
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

        ``importance``: the share of the sufficient reasons that mention the feature, on average
        over the rows, and the same for each class. ``necessary``: the share of the rows in which
        every sufficient reason mentions it.
        """
        import pandas as pd

        if self.of_ensemble:
            return self._features_of_reasons()
        weighed = _where(self.rows, [s is not None for s in self.rows["feature_importance"]])
        everywhere = _means(weighed)
        always = Counter(
            feature
            for shares in weighed["feature_importance"]
            for feature, share in shares.items()
            if share == 1
        )
        columns: dict[str, list[Any]] = {
            "importance": list(everywhere.values()),
            "necessary": [always[feature] / len(weighed) for feature in everywhere],
        }
        for label in dict.fromkeys(weighed[self.by]) if self.class_names else ():
            means = _means(_where(weighed, [p == label for p in weighed[self.by]]))
            columns[f"importance, {self.class_names[label]}"] = [
                means.get(feature, 0.0) for feature in everywhere
            ]
        table = pd.DataFrame(columns, index=pd.Index(list(everywhere), name="feature"))
        return table.sort_values(["importance", "necessary"], ascending=False, kind="stable")

    def _features_of_reasons(self) -> pd.DataFrame:
        """Return the same for an ensemble, whose reasons are not counted: by one reason per row."""
        import pandas as pd

        told = [c for c in self.rows["sufficient_features"] if c is not None]
        mentioned = Counter(feature for features in told for feature in features)
        always = Counter(f for one in self.rows["necessary_features"] for f in one or ())
        columns = {
            "importance": [mentioned[feature] / len(told) for feature in mentioned],
            "necessary": [always[feature] / len(told) for feature in mentioned],
        }
        table = pd.DataFrame(columns, index=pd.Index(list(mentioned), name="feature"))
        return table.sort_values(["importance", "necessary"], ascending=False, kind="stable")

    @property
    def of_ensemble(self) -> bool:
        """Whether an ensemble decided: its reasons are not counted, nor the shortest looked for."""
        return "minimal" not in self.rows

    @property
    def shown_reason(self) -> str:
        """The column of ``rows`` with the reason that is shown."""
        return "sufficient" if self.of_ensemble else "minimal"

    def hardest(self, n: int = 10) -> pd.DataFrame:
        """Return the rows that are hardest to explain.

        Those that were not finished in time or memory, then those with the longest shortest reason;
        of these, those with the most reasons. Rows that could not be read are not among them.
        """
        if not is_whole(n) or n < 0:
            raise ValueError(f"n must be a whole number, 0 or more, not {shown(n)}")
        rows = self.rows[self.rows["status"] != "error"]
        reason = self.shown_reason
        sizes = rows[f"{reason}_size"].tolist()
        counts = [0] * len(rows) if self.of_ensemble else rows["count"].tolist()
        finished = (rows["status"] == "ok").tolist()
        ranked = sorted(
            range(len(rows)),
            key=lambda i: (finished[i], -_number(sizes[i]), -_number(counts[i])),
        )
        told = ["prediction"] if self.by == "prediction" else ["prediction", "outcome"]
        count = [] if self.of_ensemble else ["count"]
        columns = [*told, "status", f"{reason}_size", *count, reason, "seconds"]
        return rows.iloc[ranked[:n]][columns]

    def plot_sizes(self, ax: Axes | None = None) -> Axes:
        """Draw how many rows have a shortest reason of each length."""
        from cattleya.present.plots.data_set import row_sizes

        return row_sizes(self, ax)

    def plot_importance(self, most: int = 20, ax: Axes | None = None) -> Axes:
        """Draw what the decisions rest on: how many reasons mention each feature."""
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

    def _repr_html_(self) -> str:
        from cattleya.present.pages.summary import summary_fragment

        return summary_fragment(self)

    def __str__(self) -> str:
        from cattleya.present.words.report import report_text

        return report_text(self)

    def __repr__(self) -> str:
        return f"<Summary of {len(self.rows)} rows>"


def summarise(
    context: ModelContext,
    X: Any,
    *,
    protected: Iterable[Any],
    truth: Any,
    n_jobs: int | None,
    timeout: float | None,
    progress: bool | Advance,
    exclude: Iterable[Any],
    immutable: Iterable[Any],
) -> Summary:
    """Explain every row, and gather what they have in common."""
    task = task_of_summary(
        context, timeout, exclude=exclude, immutable=immutable, protected=protected
    )
    meant = None if truth is None else checked_truth(truth, n_rows(X), context)
    return gathered(context, X, task, frame_of(context, X, task, n_jobs, progress), meant)


def task_of_summary(context: ModelContext, timeout: float | None, **features: Any) -> Task:
    """Return what is asked of every row."""
    want = ASKED_OF_ENSEMBLE if context.is_ensemble else ASKED
    return checked_task(context, want, timeout, **features)


def gathered(
    context: ModelContext,
    X: Any,
    task: Task,
    table: pd.DataFrame,
    truth: list[Any] | None = None,
    *,
    candidates: int = MOST_CANDIDATES,
) -> Summary:
    """Gather what explanations of the rows of ``X`` have in common, which ``table`` has."""
    read = read_rows(context.model.rows, X, context.tree.n_features)
    good = np.flatnonzero((table["status"] != "error").to_numpy())
    matrix, names = read.matrix[good], context.outcome_names
    right = None if truth is None else judged(truth, list(table["prediction"]))
    needing, unfair, groups = table.iloc[:0], table.iloc[:0], {}
    if task.protected:
        needing = table[table["needs_protected"].fillna(False).to_numpy(dtype=bool)]
        unfair = _unfair(context, X, task.protected, table, good, matrix)
    for feature in task.protected if names else ():
        values = values_of(context, matrix, feature)
        if values is not None:
            own = None if right is None else [right[i] for i in good]
            outcomes = table["outcome" if "outcome" in table else "prediction"]
            groups[str(feature)] = decisions_by_group(values, list(outcomes.iloc[good]), names, own)
    few = Cover()
    if names and candidates:  # else each row has an outcome of its own
        classes = context.outcomes_of(matrix)
        reasons = islice(_candidates(context, task, table, good, matrix), candidates)
        few = cover(reasons, matrix, classes)
    told = context.over.definition, task.protected, needing, names, context.tree_hash
    return Summary(table, *told, few, unfair, groups, right, context.target_words)


def _candidates(
    context: ModelContext, task: Task, table: pd.DataFrame, good: Places, matrix: Floats
) -> Iterator[tuple[General, int]]:
    """Give a general reason for each shortest reason that some row has, of the most rows first."""
    first: dict[str, int] = {}
    told = table["sufficient" if context.is_ensemble else "minimal"].to_numpy()[good]
    for place, text in enumerate(told):
        if text is not None:
            first.setdefault(text, place)
    times, among = Counter(told), Among.of_matrix(context, matrix)
    for text in sorted(first, key=lambda text: -times[text]):
        e = explain_numbers(context, matrix[first[text]], task.exclude)
        if context.is_ensemble:  # a smallest reason may take long
            wide = e.generalise(e.sufficient_reason(task.timeout), task.timeout)
            yield wide, e.row_class
        else:
            yield e.reason(among=among), e.row_class


def _unfair(
    context: ModelContext,
    X: Any,
    protected: tuple[Any, ...],
    table: pd.DataFrame,
    good: Places,
    matrix: Floats,
) -> pd.DataFrame:
    """Return the rows whose class depends on protected features, each with its witness."""
    import pandas as pd

    fair = np.ones(len(matrix), dtype=np.bool_)
    if isinstance(context, EnsembleContext):
        given = taken(X, good.tolist())
        every = list(many.fairness_of(context, given, protected, Deadline(None)))
        fair = np.array([bool(one) for one in every], dtype=np.bool_)
        found = [one for one in every if not one]
    else:
        for prepared, rows in context.by_tree(matrix):
            regions = prepared.regions(Deadline(None))
            fair[rows] = fairness(regions, matrix[rows], list(protected)).fair
    places = good[~fair]
    if not isinstance(context, EnsembleContext):
        found = list(fairness_of(context, taken(X, places.tolist()), protected, Deadline(None)))
    told = {
        "prediction": table["prediction"].to_numpy()[places],
        "outcome": [explain_numbers(context, row).outcome for row in matrix[~fair]],
        "change": [one.change for one in found],
        "becomes": [one.outcome for one in found],
    }
    return pd.DataFrame(told, index=table.index[places])


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

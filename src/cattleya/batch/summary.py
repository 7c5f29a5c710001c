"""A data set as a whole: how long and how many its reasons are, and what they rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cattleya.batch.reading import read_rows

if TYPE_CHECKING:
    import pandas as pd

    from cattleya.explainer import Explainer

__all__ = ["Summary", "summarise"]

ASKED = ("sufficient", "minimal", "contrastive", "necessary", "count", "importance")
QUANTILES = {"least": 0.0, "median": 0.5, "most": 1.0}
IN_FULL = 15  # digits of a whole number that are printed


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
        The features that were asked about.
    needs_protected : DataFrame
        The rows all of whose sufficient reasons mention a protected feature.
    """

    rows: pd.DataFrame
    definition: str
    protected: tuple[Any, ...]
    needs_protected: pd.DataFrame

    @cached_property
    def finished(self) -> pd.DataFrame:
        """The rows that were explained."""
        return self.rows[self.rows["status"] == "ok"]

    @property
    def statuses(self) -> dict[str, int]:
        """How many rows there are of each status."""
        return dict(Counter(self.rows["status"]))

    @cached_property
    def sizes(self) -> pd.DataFrame:
        """How long reasons are and how many there are: least, median and most over the rows."""
        import pandas as pd

        columns = {
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
        for title, column in columns.items():
            values = sorted(value for value in self.finished[column] if not pd.isna(value))
            figures[title] = [
                values[int(share * (len(values) - 1))] if values else None
                for share in QUANTILES.values()
            ]
        table = pd.DataFrame.from_dict(figures, orient="index", columns=list(QUANTILES))
        return table.astype(object)

    @cached_property
    def features(self) -> pd.DataFrame:
        """What the decisions rest on: a row a feature, the most important first.

        ``necessary``: in how many rows some condition on it is in every sufficient reason.
        ``importance``: how many conditions on it a sufficient reason has on average, first over
        the reasons of a row (each equally), then over the rows; and the same for each class.
        """
        import pandas as pd

        necessary = Counter(
            feature for names in self.finished["necessary_features"] for feature in names
        )
        by_class: dict[str, dict[str, float]] = {}
        for name, group in [("all", self.finished), *_groups(self.finished)]:
            totals: dict[str, float] = {}
            for shares in group["feature_importance"]:
                for feature, share in shares.items():
                    totals[feature] = totals.get(feature, 0.0) + float(share)
            by_class[name] = {feature: total / len(group) for feature, total in totals.items()}
        names = list(by_class["all"])
        table = pd.DataFrame(
            {
                "necessary": [necessary.get(feature, 0) for feature in names],
                "importance": [by_class["all"][feature] for feature in names],
                **{
                    f"importance, {name}": [shares.get(feature, 0.0) for feature in names]
                    for name, shares in by_class.items()
                    if name != "all"
                },
            },
            index=pd.Index(names, name="feature"),
        )
        return table.sort_values("importance", ascending=False, kind="stable")

    def hardest(self, n: int = 10) -> pd.DataFrame:
        """Return the rows that are hardest to explain.

        Those that were not finished, then those with the longest shortest reason; of these, those
        with the most reasons.
        """
        ranked = sorted(
            range(len(self.rows)),
            key=lambda i: (
                self.rows["status"].iloc[i] == "ok",
                -(_number(self.rows["minimal_size"].iloc[i])),
                -(_number(self.rows["count"].iloc[i])),
            ),
        )
        columns = ["prediction", "status", "minimal_size", "count", "minimal", "seconds"]
        return self.rows.iloc[ranked[:n]][columns]

    def __str__(self) -> str:
        told = ", ".join(f"{number:,} {status}" for status, number in self.statuses.items())
        parts = [
            f"{len(self.rows):,} rows ({told}), explained {self.definition}",
            self.sizes.map(_short).to_string(),
            self.features.head(10).round(3).to_string() if len(self.features) else "",
        ]
        if self.protected:
            names = ", ".join(map(str, self.protected))
            parts.append(
                f"{len(self.needs_protected):,} rows have no sufficient reason without {names}"
            )
        return "\n\n".join(part for part in parts if part)

    def __repr__(self) -> str:
        return f"<Summary of {len(self.rows)} rows>"


def summarise(
    explainer: Explainer,
    X: Any,
    *,
    protected: Iterable[Any],
    n_jobs: int | None,
    timeout: float | None,
    progress: bool,
) -> Summary:
    """Explain every row, and gather what they have in common."""
    if isinstance(protected, str):
        raise TypeError(f"protected must be a list of features, not {protected!r}")
    names = tuple(protected)
    rows = explainer.explain_all(X, ASKED, n_jobs=n_jobs, timeout=timeout, progress=progress)
    needing: Sequence[bool] = [False] * len(rows)
    if names:
        read = read_rows(explainer.rows, X, explainer.tree.n_features)
        needing = [
            status in ("ok", "timeout", "memory")
            and not explainer.explain_numbers(row.copy()).is_free_of(names)
            for row, status in zip(read.matrix, rows["status"], strict=True)
        ]
    return Summary(rows, explainer.definition, names, rows[list(needing)])


def _groups(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    labels = list(dict.fromkeys(rows["prediction"]))
    return [(str(label), rows[[p == label for p in rows["prediction"]]]) for label in labels]


def _number(value: Any) -> int:
    import pandas as pd

    return 0 if value is None or value is pd.NA else int(value)


def _short(value: Any) -> str:
    text = str(value)
    if text.isdigit() and len(text) > IN_FULL:
        return f"about 10^{len(text) - 1}"
    return f"{int(value):,}" if text.isdigit() else text

"""The view of the whole table: what is decided, by group, and what the decisions rest on.

Decisions are made for every row that is chosen, some rows at a time. Explaining them takes longer,
and goes on behind the page (``explaining``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from cattleya.batch.groups import decisions_by_group, judged
from cattleya.batch.summary import Summary
from cattleya.explore.explaining import Job, even
from cattleya.explore.explorer import Explorer
from cattleya.explore.rows_view import ExplorerPage
from cattleya.explore.state import SECONDS, BadAddress, Chosen, State
from cattleya.explore.table import MISSING, UNREADABLE
from cattleya.present.pages.summary import SummaryContent, groups_shown
from cattleya.present.words.numbers import class_name, counted, name, percent
from cattleya.support.arrays import Bools, Places

__all__ = ["Explained", "Progress", "ReportView", "Wanted"]

SECONDS_A_STEP = 0.8
MOST_GROUPED = 1_000_000  # rows
BY_CLASS = "importance, "
CLASSES_APART = 4  # of which features are shown apart
TIMES = dict(zip(SECONDS, ("10 seconds", "1 minute", "10 minutes", "1 hour"), strict=True))


@dataclass(frozen=True)
class Wanted:
    """What is asked about the whole table."""

    chosen: Chosen
    by: str = ""

    @classmethod
    def read(cls, given: list[tuple[str, str]], explorer: Explorer) -> Wanted:
        """Read an address."""
        by = dict(given).get("by", "")
        if by and by not in explorer.table.source.names:
            raise BadAddress(f"there is no column {by!r} to group by")
        chosen = Chosen.read(given, explorer.protected).base
        explorer.check(chosen)
        return cls(chosen, by)

    @property
    def query(self) -> str:
        """The same, as the end of an address."""
        pairs = ([("by", self.by)] if self.by else []) + self.chosen.asked
        return "&".join(filter(None, (self.chosen.query(), urlencode(pairs))))


class Explained(SummaryContent):
    """What the explanations of rows say together, each part with its rows."""

    def __init__(self, summary: Summary, explorer: Explorer, chosen: Chosen, job: Job) -> None:
        super().__init__(summary, explorer.about)
        self._explorer, self._chosen, self.which = explorer, chosen, job.which
        self._whole = job.is_whole
        columns = summary.features.columns
        apart = [one.removeprefix(BY_CLASS) for one in columns if one.startswith(BY_CLASS)]
        self.classes_apart = apart if 1 < len(apart) <= CLASSES_APART else ()
        self._named = {name(str(one)): str(one) for one in summary.features.index}

    @property
    def sentences(self) -> dict[str, str]:
        """The sentences of every report; where some rows are left, these are the only ones."""
        found = super().sentences
        if found["fairness"] and not self._whole:
            found["fairness"] = f"Of these rows only: {found['fairness']}"
        return found

    def to(self, kind: str, key: Any) -> str:
        """Return the address of the rows behind something that is shown."""
        if kind == "row":
            one = str(key).replace(",", "").split(" ")[0]
            state = State(over=self._explorer.over)
            return f"/row?{state.query(row=int(one))}" if one.isdecimal() else ""
        if kind in ("decisive", "mentions"):
            return self._behind(f"{kind}:{self._named[key]}")
        return self._behind(f"{kind}:{key}" if key != "" else kind)

    @property
    def length_links(self) -> dict[int, str]:
        """Return the addresses of the rows whose reasons have each length."""
        return {size: self._behind(f"length:{size}") for size, _, share in self.lengths if share}

    def _behind(self, found: str) -> str:
        return f"/?{self._chosen.query(found=found)}"


class ReportView(ExplorerPage):
    """The contents of the page about the whole table."""

    view = "report"
    times = TIMES

    def __init__(self, explorer: Explorer, wanted: Wanted) -> None:
        super().__init__(explorer)
        self.wanted, table = wanted, explorer.table
        self._places, done = table.every(wanted.chosen, SECONDS_A_STEP)
        self.done = min(done, table.decide(self._places, SECONDS_A_STEP))
        self.n_rows = len(self._places)
        self.columns = table.source.names
        self.names = table.decisions
        self.features = [it.name for it in explorer.editables]
        truth = explorer.truth(self._places) if self.done == 1 else None
        outcomes = table.outcomes(self._places)
        labels = list(explorer.context.outcome_names)
        own = [labels[one] if one >= 0 else None for one in outcomes] if truth else []
        self._right = judged(truth, own) if truth else None
        self.judged = self._right is not None

    @property
    def unreadable(self) -> int:
        """How many rows cannot be read, so that nothing is decided about them."""
        return int((self.explorer.table.outcomes(self._places) == UNREADABLE).sum())

    @cached_property
    def right(self) -> str:
        """The share of the decisions that are right, where the table has the truth."""
        told = [one for one in self._right or () if one is not None]
        return f"{percent(sum(told) / len(told))} of the decisions are right." if told else ""

    @property
    def query(self) -> str:
        """What is asked, as the end of an address."""
        return self.wanted.query

    @property
    def title(self) -> str:
        """What the page is about."""
        return f"{counted(self.n_rows, 'decision')}"

    @cached_property
    def decisions(self) -> list[dict[str, Any]]:
        """How many rows get each decision."""
        counts = self.explorer.table.counts(self._places)
        total = max(1, sum(counts.values()))
        return [
            {
                "name": class_name(one),
                "rows": f"{rows:,}",
                "share": rows / total,
                "right": self._right_of(one),
            }
            for one, rows in sorted(counts.items(), key=lambda pair: -pair[1])
            if rows
        ]

    def _right_of(self, decision: str) -> str:
        if self._right is None:
            return ""
        number = self.names.index(decision)
        pairs = zip(self.explorer.table.outcomes(self._places), self._right, strict=True)
        told = [right for one, right in pairs if one == number and right is not None]
        return percent(sum(told) / len(told)) if told else ""

    @cached_property
    def tables(self) -> dict[str, Any]:
        """How many rows each group of the chosen column has, and the share of each decision."""
        by, table = self.wanted.by, self.explorer.table
        if not by or self.done < 1 or not self.names:
            return {}
        places = even(self._places, MOST_GROUPED)
        outcomes, values = table.outcomes(places), table.source.column(by).iloc[places]
        kept = outcomes >= 0
        found = decisions_by_group(
            [_plain(value) for value in values[kept]],
            outcomes[kept].tolist(),
            dict(enumerate(self.names)),
            self._right_in(places, kept),
        )
        return {by: found}

    @property
    def grouped(self) -> str:
        """Which rows the groups are about, where it is not all."""
        if not self.tables or self.n_rows <= MOST_GROUPED:
            return ""
        return f"The groups are about {MOST_GROUPED:,} of the {self.n_rows:,} rows, evenly spaced."

    @property
    def groups(self) -> list[dict[str, Any]]:
        """The same as it is shown."""
        return groups_shown(self.tables)

    def _right_in(self, places: Places, kept: Bools) -> list[bool | None] | None:
        if self._right is None or len(places) != len(self._right):
            return None
        return [one for one, is_kept in zip(self._right, kept.tolist(), strict=True) if is_kept]

    def to(self, kind: str, key: Any) -> str:
        """Return the address of the rows behind a bar."""
        chosen = self.wanted.chosen
        by_name = {class_name(one): one for one in self.names}
        if kind == "decision":
            return f"/?{chosen.query(decision=by_name[key], page=1)}"
        if kind == "group":
            _, group, decision = key
            low, middle, high = group.partition(" to ")
            text = f"{low}..{high}" if middle and _numbers(low, high) else f"={group}"
            text = MISSING if group == MISSING else text
            where = {**chosen.where, self.wanted.by: text}
            return f"/?{chosen.query(where=where, decision=by_name.get(decision, ''), page=1)}"
        return ""


@dataclass
class Progress:
    """How far the explanations are."""

    job: Job

    @property
    def error(self) -> str:
        """Why there are none."""
        return "" if self.job.error is None else str(self.job.error)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _numbers(*texts: str) -> bool:
    try:
        return all(float(text) == float(text) for text in texts)
    except ValueError:
        return False

"""The view of the whole table: what is decided, by group, and what the decisions rest on.

Decisions are made for every row that is chosen, some rows at a time. Explaining takes longer: it is
done for some of the rows, evenly spaced, in a thread of its own that ends when nobody asks for its
progress any more.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

import numpy as np

from cattleya.batch.groups import decisions_by_group
from cattleya.batch.summary import Summary, summarise
from cattleya.explore.explorer import Explorer
from cattleya.explore.rows_view import ExplorerPage
from cattleya.explore.state import BadAddress, Chosen, State
from cattleya.explore.table import MISSING
from cattleya.present.pages.summary import SummaryContent
from cattleya.present.words.numbers import class_name, counted, name
from cattleya.support.arrays import Places
from cattleya.support.cancellation import Cancellation
from cattleya.support.errors import Cancelled

__all__ = ["Job", "ReportView", "Wanted"]

SECONDS_A_STEP = 0.8
SAMPLES = (200, 1000, 5000)
MOST_GROUPED = 200_000  # rows
SECONDS_A_ROW = 1.0
PATIENCE = 5.0  # seconds without anybody who asks
MOST_LINKED = 500  # rows that an address names one by one


@dataclass(frozen=True)
class Wanted:
    """What is asked about the whole table."""

    chosen: Chosen
    by: str = ""
    protected: tuple[str, ...] = ()
    sample: int = SAMPLES[0]

    @classmethod
    def read(cls, given: list[tuple[str, str]], explorer: Explorer) -> Wanted:
        """Read an address."""
        one = dict(given)
        sample = one.get("sample") or str(SAMPLES[0])
        if sample not in map(str, SAMPLES):
            raise BadAddress(f"sample must be {', '.join(map(str, SAMPLES))}, not {sample!r}")
        named = tuple(value for key, value in given if key == "protected" and value)
        by = one.get("by", "")
        if by and by not in explorer.table.source.names:
            raise BadAddress(f"there is no column {by!r} to group by")
        return cls(Chosen.read(given), by, named or explorer.protected, int(sample))

    @property
    def key(self) -> tuple[Any, ...]:
        """What its explanations depend on."""
        return self.chosen.key, self.protected, self.sample


class Job:
    """Explains some rows in a thread of its own, as long as somebody asks for its progress."""

    def __init__(self, explorer: Explorer, wanted: Wanted, places: Places) -> None:
        self.key, self.places, self.done = wanted.key, places, 0
        self.summary: Summary | None = None
        self.error: Exception | None = None
        self._explorer, self._protected = explorer, wanted.protected
        self._cancellation, self._asked = Cancellation(), time.monotonic()
        self._thread = threading.Thread(target=self._run, name="report", daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait for a while; return whether it is at its end."""
        self._asked = time.monotonic()
        self._thread.join(seconds)
        self._asked = time.monotonic()
        return not self._thread.is_alive()

    def end(self) -> None:
        """End it."""
        self._cancellation.cancel()

    def stop(self) -> None:
        """End it, and wait until it has: a process must not end in the middle of it."""
        self.end()
        self._thread.join(PATIENCE)

    def _note(self, rows: int) -> None:
        self.done += rows
        if time.monotonic() - self._asked > PATIENCE:
            self.end()

    def _run(self) -> None:
        explorer = self._explorer
        try:
            rows: Any = explorer.table.taken(self.places.tolist()).set_axis(self.places, axis=0)
            with self._cancellation:
                self.summary = summarise(
                    explorer.context,
                    rows.to_numpy() if explorer.by_place else rows,
                    protected=self._protected,
                    truth=None,
                    n_jobs=None,
                    timeout=SECONDS_A_ROW,
                    progress=self._note,
                    exclude=(),
                    immutable=(),
                )
            if explorer.by_place:
                self.summary = _labelled(self.summary, self.places)
        except Cancelled:
            pass
        except Exception as error:
            self.error = error


def _labelled(summary: Summary, places: Places) -> Summary:
    """Return a summary whose rows are called by their places in the table."""
    unfair = summary.unfair
    return replace(
        summary,
        rows=summary.rows.set_axis(places, axis=0),
        unfair=unfair.set_axis([places[int(label)] for label in unfair.index], axis=0),
    )


class Explained(SummaryContent):
    """What the explanations of some rows say together, each part with its rows."""

    def __init__(self, summary: Summary, explorer: Explorer, wanted: Wanted) -> None:
        super().__init__(summary, explorer.about)
        self._explorer, self._wanted = explorer, wanted
        self.which = "these rows"

    def to(self, kind: str, key: Any) -> str:
        """Return the address of the rows behind something that is shown."""
        if kind == "row":
            one = str(key).replace(",", "").split(" ")[0]
            state = State(over=self._explorer.over)
            return f"/row?{state.query(row=int(one))}" if one.isdecimal() else ""
        if kind == "feature":
            return self._rows([key in map(name, own or ()) for own in self._decisive])
        return ""

    @cached_property
    def _decisive(self) -> list[Sequence[str] | None]:
        return list(self._summary.rows["necessary_features"])

    @property
    def length_links(self) -> dict[int, str]:
        """Return the addresses of the rows whose reasons have each length."""
        sizes = self._summary.rows[f"{self._summary.shown_reason}_size"]
        known = sizes.fillna(-1).astype(int)
        return {int(size): self._rows((known == size).tolist()) for size in set(known)}

    def _rows(self, kept: list[bool]) -> str:
        labels = self._summary.rows.index[np.flatnonzero(kept)][:MOST_LINKED]
        return f"/?rows={','.join(map(str, labels))}" if len(labels) else ""


class ReportView(ExplorerPage):
    """The contents of the page about the whole table."""

    view = "report"
    samples = SAMPLES

    def __init__(self, explorer: Explorer, wanted: Wanted) -> None:
        super().__init__(explorer)
        self.wanted, table = wanted, explorer.table
        self._places, done = table.every(wanted.chosen, SECONDS_A_STEP)
        self.done = min(done, table.decide(self._places, SECONDS_A_STEP))
        self.n_rows = len(self._places)
        self.columns = table.source.names
        self.names = table.decisions
        self.features = [it.name for it in explorer.editables]
        self.judged = False

    @property
    def query(self) -> str:
        """What is asked, as the end of an address."""
        wanted = self.wanted
        pairs = [("by", wanted.by)] if wanted.by else []
        pairs += [("protected", one) for one in wanted.protected]
        pairs += [("sample", str(wanted.sample))] if wanted.sample != SAMPLES[0] else []
        return "&".join(filter(None, (wanted.chosen.query(), urlencode(pairs))))

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
            {"name": class_name(one), "rows": f"{rows:,}", "share": rows / total, "right": ""}
            for one, rows in sorted(counts.items(), key=lambda pair: -pair[1])
            if rows
        ]

    @cached_property
    def groups(self) -> list[dict[str, Any]]:
        """The same by group of the chosen column."""
        by, table = self.wanted.by, self.explorer.table
        if not by or self.done < 1 or not self.names:
            return []
        places = _even(self._places, MOST_GROUPED)
        outcomes, values = table.outcomes(places), table.source.column(by).iloc[places]
        kept = outcomes >= 0
        found = decisions_by_group(
            [_plain(value) for value in values[kept]],
            outcomes[kept].tolist(),
            dict(enumerate(self.names)),
            None,
        )
        rows = [
            {
                "group": name(str(group)),
                "rows": f"{int(row['rows']):,}",
                "shares": [float(row[f"share, {one}"]) for one in self.names],
                "right": "",
            }
            for group, row in found.iterrows()
        ]
        return [{"feature": name(by), "classes": [class_name(n) for n in self.names], "rows": rows}]

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

    def sampled(self) -> Places:
        """Return the rows that are explained: all, or some that are evenly spaced."""
        return _even(self._places, self.wanted.sample)

    @property
    def explained_all(self) -> bool:
        """Whether every row that is chosen is explained."""
        return self.n_rows <= self.wanted.sample


@dataclass
class Progress:
    """How far the explanations are: all the part of the page has until they are there."""

    done: int
    total: int
    error: str = ""


def _even(places: Places, most: int) -> Places:
    if len(places) <= most:
        return places
    spaced: Places = places[np.linspace(0, len(places) - 1, most).astype(np.intp)]
    return spaced


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _numbers(*texts: str) -> bool:
    try:
        return all(float(text) == float(text) for text in texts)
    except ValueError:
        return False

"""What stands on the page of rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from urllib.parse import parse_qsl

from cattleya.explore.explorer import Explorer
from cattleya.explore.state import Chosen, State
from cattleya.explore.table import Decided, Shown
from cattleya.present.pages.origin import Origin
from cattleya.present.words.numbers import listed, name, plain

__all__ = ["Message", "RowsView"]

COLUMNS_SHOWN = 12
NAMED = 5  # features
NO_VALUE = ("NAType", "NaTType")  # of pandas, which need not be there
#: The parts of the report, of whose rows it is said.
BEHIND = {
    "mentions": "a reason mentions {}",
    "decisive": "{} is decisive",
    "length": "the reason has {} facts",
    "reason": "covered by reason {} of the report",
    "depends": "the decision depends on {}",
    "usual": "the facts of the short reason of row {}",
    "exceptions": "exceptions to the short reason of row {}",
}
SECONDS_A_STEP = 0.8  # that decisions are made for before progress is shown


class ExplorerPage(Origin):
    """What every page of the explorer has."""

    view = ""
    figures: tuple[tuple[str, str], ...] = ()

    def __init__(self, explorer: Explorer) -> None:
        super().__init__(explorer.about, explorer.context.tree_hash)
        self.explorer = explorer
        self.model_name = name(explorer.model_name)
        self.row_query = State(over=explorer.over).query()


class Message(ExplorerPage):
    """A page that says why there is no other."""

    def __init__(self, explorer: Explorer, heading: str, message: str) -> None:
        super().__init__(explorer)
        self.heading, self.message = heading, message


@dataclass(frozen=True)
class Line:
    """A row of the table."""

    place: int
    label: str
    decided: Decided
    cells: list[str]


class RowsView(ExplorerPage):
    """The contents of the page of rows."""

    view = "rows"

    def __init__(self, explorer: Explorer, chosen: Chosen) -> None:
        super().__init__(explorer)
        self.chosen = chosen
        explorer.check(chosen)
        table = explorer.table
        self.n_rows = len(table)
        self.decisions = table.decisions
        self.columns = table.source.names
        self.columns_shown = self.columns[:COLUMNS_SHOWN]
        self.shown: Shown = table.page(chosen, SECONDS_A_STEP)
        self.pages = table.pages(self.shown.total)
        self.page = min(chosen.page, self.pages)

    @property
    def filtered_column(self) -> str:
        """The column whose filter is open."""
        return next(iter(self.chosen.where), self.columns[0] if self.columns else "")

    @property
    def found_words(self) -> str:
        """Which part of the report the rows are behind."""
        kind, _, which = self.chosen.found.partition(":")
        if kind == "reason":
            which = str(int(which) + 1) if which.isdecimal() else which
        elif self.chosen.is_of_facts:
            state = State.read(parse_qsl(which), self.explorer.over)
            which = f"{state.row}, as changed" if state.sets else str(state.row)
        return BEHIND[kind].format(name(which) if which else listed(self.chosen.protected, NAMED))

    @property
    def of_which(self) -> str:
        """Of which rows the report is that these are taken from, where it is not of all."""
        if not self.chosen.found or self.shown.done < 1:
            return ""
        if self.chosen.is_of_facts:
            return f"Of the rows {self.explorer.counted_on} that can be read, as it was counted."
        job = self.explorer.job(self.chosen)
        return "" if job.is_whole else f"The report is about {job.which}."

    @property
    def what_is_read(self) -> str:
        """What is looked at of a large table."""
        first = self.explorer.n_counted
        if first == self.n_rows:
            return ""
        return (
            f"Only the rows that are shown are given to the model; the reasons of a row are "
            f"counted on the first {first:,} rows."
        )

    @cached_property
    def lines(self) -> list[Line]:
        """The rows of the page, decided about."""
        places = self.shown.places
        if not places:
            return []
        table = self.explorer.table
        decided = table.decided(places)
        shown = table.cells(places, COLUMNS_SHOWN)
        columns = [[_cell(cell) for cell in column] for column in shown]
        return [
            Line(place, f"{place:,}", one, list(line))
            for place, one, line in zip(places, decided, zip(*columns, strict=True), strict=True)
        ]

    def sorted_by(self, column: str) -> str:
        """Return the address of the same rows, sorted by a column, or the other way round."""
        turned = self.chosen.sort == column and not self.chosen.descending
        return self.chosen.query(sort=column, descending=turned, page=1)

    def at_page(self, page: int) -> str:
        """Return the address of another page."""
        return self.chosen.query(page=page)


def _cell(cell: object) -> str:
    if isinstance(cell, float):
        return plain(cell, "float64")
    return "missing" if cell is None or type(cell).__name__ in NO_VALUE else name(str(cell))

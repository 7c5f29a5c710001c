"""The rows of a table: read, sorted, filtered and decided about only as far as they are shown.

A table may have millions of rows. Only the rows of a page are read whole and given to the model; to
sort and to filter takes one column at a time. To filter by decision takes the decision on every
row: these are made some rows at a time, kept as small numbers, and go on where they were left.
"""

from __future__ import annotations

import math
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from cattleya.batch.reading import ReadRows, read_rows
from cattleya.explain.context import ModelContext
from cattleya.explore.state import BadAddress, Chosen
from cattleya.model.tree.rows import Columns
from cattleya.model.tree.threshold import number_text
from cattleya.present.words.numbers import class_name, rounded
from cattleya.support.arrays import Bools, Floats, Places
from cattleya.support.files.plain import PlainTable
from cattleya.support.limits import Deadline
from cattleya.support.text import quoted, shown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Decided", "FrameRows", "PlainRows", "Rows", "Shown", "Table"]

PAGE = 25  # rows
AT_ONCE = 1 << 14  # rows that are decided about at once
UNKNOWN, UNREADABLE = -2, -1
KEPT = 8  # orders of the rows
ROWS_KEPT = 2000  # in the tree's columns
MISSING = "missing"
_RANGE = re.compile(r"^\s*(\S*?)\s*\.\.\s*(\S*?)\s*$")
_COMPARED = re.compile(r"^\s*(<=|>=|<|>|=)\s*(\S+)\s*$")
_SIGNS: dict[str, Callable[[Any, float], Any]] = {
    "<=": lambda values, end: values <= end,
    ">=": lambda values, end: values >= end,
    "<": lambda values, end: values < end,
    ">": lambda values, end: values > end,
    "=": lambda values, end: values == end,
}


class Rows(Protocol):
    """Where rows come from."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""

    def __len__(self) -> int: ...

    def rows(self, places: Sequence[int]) -> pd.DataFrame:
        """Return some rows, in the order given."""

    def label(self, place: int) -> Any:
        """Return what a row is called."""

    def column(self, name: str) -> pd.Series[Any]:
        """Return a whole column."""


class FrameRows:
    """The rows of a table in memory."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
        self.names = tuple(map(str, frame.columns))

    def __len__(self) -> int:
        return len(self._frame)

    def rows(self, places: Sequence[int]) -> pd.DataFrame:
        """Return some rows, in the order given."""
        return self._frame.iloc[list(places)]

    def label(self, place: int) -> Any:
        """Return what a row is called."""
        return self._frame.index[place]

    def column(self, name: str) -> pd.Series[Any]:
        """Return a whole column."""
        return self._frame.iloc[:, self.names.index(name)].reset_index(drop=True)


class PlainRows(FrameRows):
    """The rows of a plain file: those that are shown and decided about need no pandas.

    Parameters
    ----------
    table : PlainTable
    taken : tuple of str or None
        The columns that the model takes, in its order, where all of them are numbers.
    """

    def __init__(self, table: PlainTable, taken: tuple[str, ...] | None) -> None:
        self._table, self.names = table, table.columns
        self._taken = None if taken is None else table[taken]

    @cached_property
    def _frame(self) -> pd.DataFrame:  # type: ignore[override]  # made when it is asked for
        return self._table.to_pandas()

    def __len__(self) -> int:
        return len(self._table)

    def label(self, place: int) -> int:
        """Return what a row is called: its place."""
        return place

    def cells(self, places: Sequence[int], most: int) -> list[list[Any]]:
        """Return the first columns of some rows, by column."""
        return [column.tolist() for column in self._table.rows(places).cells[:most]]

    def numbers(self, places: Sequence[int]) -> Any:
        """Return the numbers that the model takes of some rows; None where they are not all."""
        return None if self._taken is None else self._taken.rows(places).matrix()


@dataclass(frozen=True)
class Decided:
    """What was decided about a row, in full and as it is shown; or why nothing could be."""

    text: str
    words: str
    error: str = ""


@dataclass(frozen=True)
class Shown:
    """Some rows of the table, in their order.

    Attributes
    ----------
    places : list of int
        The rows of this page, by their places in the table.
    total : int
        How many rows are chosen in all, or so far.
    done : float
        The share of the rows that were looked at: below 1, there may be more.
    """

    places: list[int]
    total: int
    done: float = 1.0


class Table:
    """The rows that an explorer is about, and what the model decides about them.

    Parameters
    ----------
    source : Rows
        All columns.
    context : ModelContext
        The model.
    choose : callable
        Gives the columns that the model takes, in its order.
    behind : callable
        Gives, within some seconds, the rows behind a part of the report, and how much is known.
    """

    def __init__(
        self,
        source: Rows,
        context: ModelContext,
        choose: Callable[[pd.DataFrame], pd.DataFrame],
        behind: Callable[[Chosen, float], tuple[Bools, float]],
    ) -> None:
        self.source, self._context, self._choose, self._behind = source, context, choose, behind
        self._names = list(context.outcome_names.values())
        self._outcomes = np.full(len(source), UNKNOWN, dtype=np.int16)
        self._orders: OrderedDict[tuple[Any, ...], Places] = OrderedDict()
        self._numbers: OrderedDict[int, Floats] = OrderedDict()

    def __len__(self) -> int:
        return len(self.source)

    @property
    def decisions(self) -> list[str]:
        """The decisions that there may be; none where every number is one."""
        return self._names

    def check_place(self, place: int) -> int:
        """Return the place of a row; refuse what is none."""
        if not 0 <= place < len(self):
            raise BadAddress(f"there is no row {place:,}; they are 0 to {len(self) - 1:,}")
        return place

    def cells(self, places: Sequence[int], most: int) -> list[list[Any]]:
        """Return the first columns of some rows, by column."""
        if isinstance(self.source, PlainRows):
            return self.source.cells(places, most)
        frame = self.source.rows(places)
        return [list(frame.iloc[:, place]) for place in range(min(most, frame.shape[1]))]

    def taken(self, places: Sequence[int]) -> pd.DataFrame:
        """Return some rows as the model takes them, in its columns."""
        return self._choose(self.source.rows(places))

    def read(self, places: Sequence[int]) -> ReadRows:
        """Return some rows in the tree's columns, and why some cannot be read."""
        reader = self._context.model.rows
        rows: Any = None
        if isinstance(self.source, PlainRows) and takes_numbers(reader):
            rows = self.source.numbers(places)
        if rows is None:
            rows = self.taken(places)
            rows = rows.to_numpy() if self.by_place else rows
        return read_rows(reader, rows, self._context.tree.n_features)

    @property
    def by_place(self) -> bool:
        """Whether the model knows its columns by their places only."""
        return knows_no_names(self._context.model.rows)

    def page(self, chosen: Chosen, seconds: float) -> Shown:
        """Return the rows of a page; ``seconds`` is how long decisions are made for it."""
        places, done = self._places(chosen, seconds)
        first = min((chosen.page - 1) * PAGE, max(0, (len(places) - 1) // PAGE * PAGE))
        return Shown(places[first : first + PAGE].tolist(), len(places), done)

    def pages(self, total: int) -> int:
        """Return how many pages there are."""
        return max(1, -(-total // PAGE))

    def decided(self, places: Sequence[int]) -> list[Decided]:
        """Return what is decided about some rows."""
        if not len(places):
            return []
        read = self.read(places)
        good = [i for i in range(len(places)) if i not in read.error]
        found = {i: Decided("", "", str(error)) for i, error in read.error.items()}
        if self._names:
            for i, outcome in zip(good, self._context.outcomes_of(read.matrix[good]), strict=True):
                decision = self._names[int(outcome)]
                found[i] = Decided(decision, class_name(decision))
                self._outcomes[places[i]] = outcome
        for i in good:
            if not self._names:
                found[i] = self._number(read.matrix[i])
            self._numbers[places[i]] = read.matrix[i]
        while len(self._numbers) > ROWS_KEPT:
            self._numbers.popitem(last=False)
        return [found[i] for i in range(len(places))]

    def numbers(self, place: int) -> Floats | None:
        """Return a row in the tree's columns, where it was shown lately."""
        return self._numbers.get(place)

    def counts(self, places: Places) -> dict[str, int]:
        """Return how many of some rows, which are decided about, get each decision."""
        own = self._outcomes[places]
        return {name: int((own == place).sum()) for place, name in enumerate(self._names)}

    def outcomes(self, places: Places) -> Any:
        """Return what is decided about some rows, by number; below 0 where nothing is."""
        return self._outcomes[places]

    def every(self, chosen: Chosen, seconds: float) -> tuple[Places, float]:
        """Return all rows that are chosen, and the share of the table that was looked at."""
        return self._places(chosen, seconds)

    def decide(self, places: Places, seconds: float) -> float:
        """Decide about some rows, for at most so long; return the share that is done."""
        if not self._names:
            return 1.0
        end = time.monotonic() + seconds
        open_ = places[self._outcomes[places] == UNKNOWN]
        for first in range(0, len(open_), AT_ONCE):
            Deadline(None).check()
            if time.monotonic() >= end:
                return 1 - (len(open_) - first) / len(places)
            self._decide(open_[first : first + AT_ONCE])
        return 1.0

    def _decide(self, places: Places) -> None:
        context = self._context
        read = self.read(places.tolist())
        good = np.setdiff1d(np.arange(len(places)), np.array(sorted(read.error), dtype=np.intp))
        self._outcomes[places] = UNREADABLE
        if len(good):
            self._outcomes[places[good]] = context.outcomes_of(read.matrix[good])

    def _number(self, row: Floats) -> Decided:
        predicted = self._context.predicted(row)
        if not isinstance(predicted, float):
            return Decided(str(predicted), class_name(str(predicted)))
        return Decided(number_text(predicted), number_text(float(rounded(predicted))))

    # Which rows, in which order.

    def _places(self, chosen: Chosen, seconds: float) -> tuple[Places, float]:
        """Return the rows that are chosen, in order, and the share of them that was looked at."""
        if chosen.decision and chosen.decision not in self._names:
            raise BadAddress(
                f"there is no decision {shown(chosen.decision)}; there are {quoted(self._names)}"
            )
        places, done = self._ordered(chosen), 1.0
        if chosen.decision:
            done = self.decide(places, seconds)
            places = places[self._outcomes[places] == self._names.index(chosen.decision)]
        if chosen.found and done == 1:
            behind, done = self._behind(chosen, seconds)
            places = places[behind[places]]
        return places, done

    def _ordered(self, chosen: Chosen) -> Places:
        key = chosen.key[:5]
        if key not in self._orders:
            self._orders[key] = self._found(chosen)
            while len(self._orders) > KEPT:
                self._orders.popitem(last=False)
        self._orders.move_to_end(key)
        return self._orders[key]

    def _found(self, chosen: Chosen) -> Places:
        kept = np.ones(len(self), dtype=np.bool_)
        for name, text in chosen.where.items():
            Deadline(None).check()
            kept &= _matches(self._column(name), text)
        if chosen.text:
            kept &= self._has_text(chosen.text)
        if chosen.rows:
            named = np.zeros(len(self), dtype=np.bool_)
            named[[self.check_place(place) for place in chosen.rows]] = True
            kept &= named
        if not chosen.sort:
            return np.flatnonzero(kept)
        order = _order(self._column(chosen.sort), chosen.descending)
        return order[kept[order]]

    def _has_text(self, text: str) -> Bools:
        found = np.zeros(len(self), dtype=np.bool_)
        for name in self.source.names:
            Deadline(None).check()
            found |= _contains(self.source.column(name), text)
        return found

    def _column(self, name: str) -> pd.Series[Any]:
        if name not in self.source.names:
            raise BadAddress(
                f"there is no column {shown(name)}; there are {quoted(self.source.names)}"
            )
        return self.source.column(name)


def knows_no_names(reader: Any) -> bool:
    """Tell whether a model knows its columns by their places only."""
    own = _columns(reader)
    return own is not None and own.names is None


def takes_numbers(reader: Any) -> bool:
    """Tell whether a model takes its rows as numbers in an array, without labels of categories."""
    return _columns(reader) is not None and not getattr(reader, "categories", ())


def _columns(reader: Any) -> Columns | None:
    own = reader if isinstance(reader, Columns) else getattr(reader, "columns", None)
    return own if isinstance(own, Columns) else None


def _order(column: pd.Series[Any], descending: bool) -> Places:
    """Return the places of a column's cells in order; what is missing comes last."""
    if not _is_number(column):
        column = column.astype("category") if column.dtype.name != "category" else column
        names = column.cat.categories
        ranks = np.argsort(np.argsort(np.array([str(name) for name in names], dtype=object)))
        codes = column.cat.codes.to_numpy()
        values = np.where(codes < 0, math.nan, ranks[codes] if len(ranks) else math.nan)
    else:
        values = column.to_numpy(dtype=np.float64, na_value=math.nan)
    if descending:
        values = -values
    order: Places = np.argsort(values, kind="stable")
    return order


def _is_number(column: pd.Series[Any]) -> bool:
    return column.dtype.kind in "biuf"


def _matches(column: pd.Series[Any], text: str) -> Bools:
    """Tell which cells are what a text says: a range, a comparison, missing, or a part of them."""
    if text == MISSING:
        return np.asarray(column.isna())
    if _is_number(column):
        values = column.to_numpy(dtype=np.float64, na_value=math.nan)
        if match := _RANGE.match(text):
            low, high = (_end(end, text) for end in match.groups())
            kept: Bools = ~np.isnan(values)
            kept &= True if low is None else values >= low
            kept &= True if high is None else values <= high
            return kept
        if match := _COMPARED.match(text):
            end = _end(match[2], text)
            return np.asarray(_SIGNS[match[1]](values, math.nan if end is None else end))
        try:
            return np.asarray(values == float(text))
        except ValueError:
            raise BadAddress(
                f"{shown(text)} is no filter of the numbers of {shown(str(column.name))}; write a "
                f"number, 30..40, >= 30 or {MISSING}"
            ) from None
    if text.startswith("="):
        return _by_category(column, lambda cell: cell == text[1:].strip())
    return _contains(column, text)


def _end(text: str, whole: str) -> float | None:
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        raise BadAddress(f"{shown(whole)}: {shown(text)} is no number") from None


def _contains(column: pd.Series[Any], text: str) -> Bools:
    wanted = text.casefold()
    return _by_category(column, lambda cell: wanted in cell.casefold())


def _by_category(column: pd.Series[Any], holds: Callable[[str], bool]) -> Bools:
    """Tell of which cells something holds, by asking it of each distinct one once."""
    codes, distinct = (
        (column.cat.codes.to_numpy(), column.cat.categories)
        if column.dtype.name == "category"
        else _factorised(column)
    )
    told = np.array([holds(_plain(cell)) for cell in distinct], dtype=np.bool_)
    found = np.zeros(len(column), dtype=np.bool_)
    there = codes >= 0
    found[there] = told[codes[there]]
    return found


def _factorised(column: pd.Series[Any]) -> tuple[Any, Any]:
    import pandas as pd

    return pd.factorize(
        column if column.dtype.kind != "O" else column.astype(str).where(column.notna())
    )


def _plain(cell: Any) -> str:
    return str(cell).removesuffix(".0") if isinstance(cell, float) else str(cell)

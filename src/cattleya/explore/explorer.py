"""What an explorer is about: a model, a table, and the explanations that were asked for lately."""

from __future__ import annotations

import json
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import numpy as np

from cattleya.batch.groups import checked_truth
from cattleya.explain.edits import Editable, editables, typed, with_values
from cattleya.explain.explainer import Explainer, context_of
from cattleya.explain.explaining import explanation_of
from cattleya.explain.explanation import Explanation
from cattleya.explain.short import Among
from cattleya.explore.explaining import Job, Jobs
from cattleya.explore.state import BadAddress, Chosen, State
from cattleya.explore.table import FrameRows, Rows, Table, knows_no_names
from cattleya.model.conditions.condition import Condition
from cattleya.model.tree.rows import RawRows
from cattleya.present.findings import (
    Findings,
    Wish,
    begin,
    find_changes,
    find_reason,
    find_short,
)
from cattleya.present.plots.pixels import Pixels, Shape
from cattleya.support.arrays import Bools, Floats, Places
from cattleya.support.guards import is_whole
from cattleya.support.limits import Deadline
from cattleya.support.suggestions import hint, known_names
from cattleya.support.text import quoted, shown
from cattleya.vocabularies.over import Over

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Explorer", "explorer_of"]

KEPT = 128  # explanations
CHANGES_AT_ONCE = 3
MEASURED = 10_000  # rows
COUNTED = 50_000  # rows, and in all:
CELLS_COUNTED = 4_000_000
TIME_LIMIT = 5.0  # seconds per question
PRECISION = 0.95  # of a short reason
SECONDS_A_LOOK = 0.02  # between looks whether whoever waits for a search has left


@dataclass(eq=False)
class Explorer:
    """A model and a table to look around in.

    Attributes
    ----------
    explainer : Explainer
    source : Rows
        The table, with all its columns.
    choose : callable
        Gives the columns of it that the model takes, in the model's order.
    about, model_name : str
        What the table and the model are called.
    opening : str
        The Python lines that make ``explainer`` and ``rows``.
    shape : sequence of int, optional
        Height and width of a row that is an image.
    protected : tuple of str
        Features that no decision should depend on, to begin with.
    timeout : float
        Seconds for each question.
    """

    explainer: Explainer
    source: Rows
    choose: Callable[[pd.DataFrame], pd.DataFrame]
    about: str = "the table"
    model_name: str = "the model"
    opening: str = "# explainer and rows as they were given to explainer.explore(rows)"
    shape: Shape = None
    protected: tuple[str, ...] = ()
    timeout: float = TIME_LIMIT
    _found: OrderedDict[tuple[Any, ...], Findings] = field(default_factory=OrderedDict)
    offered: OrderedDict[tuple[Any, ...], dict[str, Condition]] = field(default_factory=OrderedDict)
    _among: dict[Over, Among] = field(default_factory=dict)
    _lock: Any = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.context = context_of(self.explainer)
        self.over = self.context.over
        self.table = Table(self.source, self.context, self.choose, self._behind)
        self.jobs = Jobs(partial(Job, self))
        if self.shape is not None:
            Pixels(self.explanation(State(over=self.over)), self.shape)  # refused now

    @cached_property
    def editables(self) -> tuple[Editable, ...]:
        """What each feature can be set to."""
        return editables(self.context)

    @cached_property
    def measured(self) -> Any:
        """Rows to measure changes by: the first of the table."""
        rows = self.table.taken(range(min(len(self.table), MEASURED)))
        return rows.to_numpy() if self.by_place else rows

    def truth(self, places: Places) -> list[Any] | None:
        """Return the true classes of some rows, where the table has the column of the target."""
        target, context = self.explainer.target_name, self.context
        if target not in self.source.names or context.predicts_numbers or context.target_words:
            return None
        try:
            return checked_truth(self.source.column(str(target)).iloc[places], len(places), context)
        except ValueError:  # something else under the same name
            return None

    def check(self, chosen: Chosen) -> None:
        """Refuse the names of features, and the lengths, that there are none of."""
        kind, _, which = chosen.found.partition(":")
        named = chosen.protected if chosen.protected != self.protected else ()
        if kind in ("mentions", "decisive"):
            named = (*named, which)
        if kind in ("length", "reason") and not which.isdecimal():
            raise BadAddress(f"found must be {kind}: and a whole number, not {shown(chosen.found)}")
        known = [it.name for it in self.editables] if named else []
        for one in named:
            if one not in known:
                raise BadAddress(
                    f"there is no feature {shown(one)}; there are {known_names([one], known)}"
                )

    def job(self, chosen: Chosen) -> Job:
        """Return what explains the rows that are chosen."""
        base = chosen.base
        key = base.key[2:], chosen.protected, chosen.seconds
        places, _ = self.table.every(base, math.inf)
        return self.jobs.of(key, np.sort(places), chosen.protected, chosen.seconds)

    def _behind(self, chosen: Chosen, seconds: float) -> tuple[Bools, float]:
        """Return the rows behind a part of the report, and how much of it is known."""
        if chosen.is_of_facts:
            return self._with_facts(chosen), 1.0
        job = self.job(chosen)
        job.wait(seconds)
        if job.error is not None:
            raise job.error
        done = 1.0 if not job.is_alive else min(0.99, job.done / max(1, len(job.places)))
        return job.rows_of(chosen.found), done

    def _with_facts(self, chosen: Chosen) -> Bools:
        """Tell of every row whether it has the facts of a short reason, or is an exception."""
        kind, _, which = chosen.found.partition(":")
        found = self.found(State.read(parse_qsl(which), self.over), whole=False, reason=False)
        self.find_short(found)
        matrix, places = self._counted
        marks = np.zeros(len(self.table), dtype=np.bool_)
        if found.short is not None:
            is_exception = kind == "exceptions"
            tell = found.short.is_exception if is_exception else found.short.covers_numbers
            marks[places[tell(matrix)]] = True
        return marks

    @cached_property
    def _counted(self) -> tuple[Floats, Places]:
        """The rows that reasons are counted on, in the tree's columns, and their places.

        Those that can be read.
        """
        read = self.table.read(range(self.n_counted))
        kept = np.ones(len(read.matrix), dtype=np.bool_)
        kept[list(read.error)] = False
        # They are looked at by column.
        return np.asfortranarray(read.matrix[kept]), np.flatnonzero(kept)

    def among(self, over: Over) -> Among:
        """Return the rows that reasons are counted on, for a vocabulary."""
        with self._lock:
            if over not in self._among:
                self._among[over] = Among.of_matrix(
                    self.context.over_another(over), self._counted[0]
                )
            return self._among[over]

    @property
    def counted_on(self) -> str:
        """Which rows these are, in words."""
        whole = len(self.table) <= self._most_counted
        return "of the table" if whole else "at the beginning of the table"

    @property
    def n_counted(self) -> int:
        """How many rows of the table they are taken from, the first ones."""
        return min(len(self.table), self._most_counted)

    @property
    def all_counted(self) -> bool:
        """Whether all of these could be read."""
        return len(self._counted[0]) == self.n_counted

    @property
    def _most_counted(self) -> int:
        return min(COUNTED, CELLS_COUNTED // max(1, self.context.tree.n_features))

    @cached_property
    def by_place(self) -> bool:
        """Whether the model knows its columns by their places only."""
        return self.table.by_place

    def row(self, place: int) -> pd.DataFrame:
        """Return a row as the model takes it, in its columns."""
        return self.table.taken([self.table.check_place(place)])

    def explanation(self, state: State) -> Explanation:
        """Explain the row of an address, with the values that are set there."""
        place = self.table.check_place(state.row)
        context = self.context.over_another(state.over)
        reader, label = context.model.rows, self.source.label(place)
        numbers = None if state.sets else self.table.numbers(place)
        raw = None
        if numbers is None or isinstance(reader, RawRows):
            given = self.row(place)
            if state.sets:
                given = with_values(context, given, state.sets)
            taken: Any = given.to_numpy() if self.by_place else given
            numbers = reader.row(taken) if numbers is None else numbers
            raw = reader.raw_row(taken) if isinstance(reader, RawRows) else None
        return explanation_of(context, numbers, raw, label, state.exclude, state.fix)

    def found(self, state: State, *, whole: bool = True, reason: bool = True) -> Findings:
        """Find out what is quick about a row; kept for a while, with what is found later.

        Not ``whole`` is what a reader looks at first: without the changes. Without ``reason``
        nothing is searched, not even for that.
        """
        with self._lock:
            found = self._found.get(state.key)
            if found is not None:
                self._found.move_to_end(state.key)
        if found is None:
            wish = self.wish(state, short=None, counterfactuals=0, changes=CHANGES_AT_ONCE)
            found = begin(self.explanation(state), wish)
            if not found.of_ensemble:
                find_reason(found, self.timeout)
            with self._lock:
                found = self._found.setdefault(state.key, found)
                while len(self._found) > KEPT:
                    self._found.popitem(last=False)
        if not found.of_ensemble:
            if whole:
                find_changes(found, self.timeout)
        elif reason or whole:
            with self.turn(found):
                if reason:
                    find_reason(found, self.timeout)
                if whole:
                    find_changes(found, self.timeout)
        return found

    @contextmanager
    def turn(self, found: Findings) -> Iterator[None]:
        """Wait until nobody else searches an ensemble for this row, or whoever waits has left."""
        if not found.of_ensemble:
            yield
            return
        while not found.turn.acquire(timeout=SECONDS_A_LOOK):
            Deadline(None).check()
        try:
            yield
        finally:
            found.turn.release()

    def refused(self, state: State) -> dict[str, str]:
        """Tell which values an address sets that the row cannot have, and why."""
        found: dict[str, str] = {}
        for one, text in state.sets.items():
            try:
                self.explanation(State(row=state.row, over=state.over, sets={one: text}))
            except (ValueError, TypeError) as error:
                found[one] = str(error)
        return found

    def find_short(self, found: Findings) -> None:
        """Find few facts of a row that are usually right, if that was not done before."""
        if found.wish.short is None:
            found.wish = replace(found.wish, short=PRECISION)
            find_short(found, self.timeout)

    def wish(self, state: State, **more: Any) -> Wish:
        """Return what is asked about a row: with the rows of the table to count on."""
        rows = partial(self.among, state.over)
        return Wish(rows, table=self.counted_on, **{"short": PRECISION} | more)

    def offer(self, state: State, facts: dict[str, Condition]) -> None:
        """Keep the facts of a row that are offered, by their texts: they need not be read again."""
        with self._lock:
            self.offered[state.key] = facts
            while len(self.offered) > KEPT:
                self.offered.popitem(last=False)

    @cached_property
    def sliders(self) -> dict[str, tuple[str, str]]:
        """The values of each slider and the thresholds between them, for the script."""
        return {
            it.name: (
                json.dumps([typed(stop, it.whole) for stop in it.stops]),
                json.dumps([f"{threshold:.7g}" for threshold in it.thresholds]),
            )
            for it in self.editables
        }

    def class_named(self, text: str) -> Hashable:
        """Return the label of the outcome that a text names: labels may be numbers."""
        labels = self.context.outcome_names
        named = (label for label, name in labels.items() if text in (str(label), name))
        return next(named, text)


def explorer_of(
    explainer: Explainer,
    X: Any,
    *,
    image: Sequence[int] | None = None,
    protected: Iterable[str] = (),
) -> Explorer:
    """Return an explorer of rows in memory; refuse what are none."""
    import numpy as np
    import pandas as pd

    from cattleya.model.tree.rows import is_frame, is_sparse
    from cattleya.support.frames import as_pandas

    names = list(context_of(explainer).domain.raw_names)
    if is_sparse(X):
        X = X.toarray()
    if is_frame(X):
        frame = as_pandas(X)
    else:
        if isinstance(X, (str, bytes)) or not hasattr(X, "__len__"):
            raise TypeError(f"explore takes a table of rows, not {shown(X)}")
        array = np.asarray(X, dtype=None)
        if array.ndim != 2:  # noqa: PLR2004 - rows and columns
            raise ValueError(
                f"explore takes a table of rows, two-dimensional, not of shape {array.shape}"
            )
        if array.shape[1] != len(names):
            raise ValueError(
                f"the rows have {array.shape[1]} values, but the model takes {len(names)} columns"
            )
        frame = pd.DataFrame(array, columns=names)
    if not len(frame):
        raise ValueError("the table has no rows; give at least one")
    there = set(map(str, frame.columns))
    missing = [one for one in names if one not in there]
    reader = context_of(explainer).model.rows
    if missing and not knows_no_names(reader):
        extra = [one for one in map(str, frame.columns) if one not in set(names)]
        others = f"; it has {quoted(extra)} instead" if extra else ""
        raise ValueError(
            f"the table lacks the model's column{'s' if len(missing) > 1 else ''} "
            f"{quoted(missing)}{others}{hint(missing, extra)}"
        )

    def choose(rows: pd.DataFrame) -> pd.DataFrame:
        return rows if missing else rows[names]

    first = choose(frame.iloc[:1])
    reader.matrix(first.to_numpy() if knows_no_names(reader) else first)
    if image is not None and not all(is_whole(side) for side in image):
        raise TypeError(f"image must be a height and a width, such as (28, 28), not {shown(image)}")
    return Explorer(
        explainer, FrameRows(frame), choose, shape=image, protected=tuple(map(str, protected))
    )

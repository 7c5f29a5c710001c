"""Rows explained one after the other, or on several cores, or on a cluster.

Rows that no explanation can tell apart are explained once.
What the core answers for many rows at a time (:mod:`cattleya.batch.native`) is worked on by threads
of this process; all else, and whatever the user sends elsewhere, by the workers of joblib.
Answers are kept by column, and put into the form that is wanted where they are found: the process
that gathers them has little to do, so that two workers are nearly twice as fast as one.

A worker hands over what it has after some seconds, and the rest of its rows are shared out again.
So what is done can be shown, and kept by whoever cannot wait for the whole part (``Keeper``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from cattleya.batch.native import answers_of, is_native
from cattleya.batch.parallel import n_workers, shared_out, stays_here
from cattleya.batch.reading import ReadRows, chunks, read_rows
from cattleya.batch.task import Task, check_jobs, columns_of, explanation_by
from cattleya.explain.context import ModelContext
from cattleya.explain.questions import QUESTIONS, Answers
from cattleya.reasons.errors import NoSuchReason
from cattleya.support.arrays import Floats, Places
from cattleya.support.errors import Cancelled, MemoryLimitExceeded, TimeoutExpired
from cattleya.support.limits import Deadline
from cattleya.support.progress import Advance, progress_bar

__all__ = ["Columns", "Found", "Keeper", "explain_parts", "explained"]

Columns = dict[str, list[Any]]
Block = TypeVar("Block")
Make = Callable[[ModelContext, Task, Columns], Block]

CHUNK = 256  # rows that go to a worker at once, at the most: some tenths of a second
CHUNKS = 8  # for each worker, where there are rows enough: none waits long for the last
SMALLEST = 16  # rows
SLICE = 5.0  # seconds after which a worker hands over what it has
KEEP_EVERY = 10.0  # seconds between two times that unfinished parts are kept
ROUND = 4  # parts that are under way at once: answers that nobody takes must not pile up
SHORTEST = 1e-9  # seconds: a time limit must be positive
NO_KINDS = np.zeros(0, dtype=np.intp)
STATUS: dict[type[Exception], str] = {
    TimeoutExpired: "timeout",
    MemoryLimitExceeded: "memory",
    MemoryError: "memory",
    NoSuchReason: "no such reason",
}


@dataclass(frozen=True)
class Found(Generic[Block]):
    """The answers about the rows of a part: those of each kind of row once.

    ``blocks`` hold the kinds one after the other; ``kind`` is that of each row.
    """

    blocks: list[Block]
    kind: Places


class Keeper(Protocol[Block]):
    """Keeps the answers of parts that are not finished yet, by the kinds of rows they are about."""

    def kept(self, part: int) -> tuple[Places, list[Block]]:
        """Return which kinds of rows of a part were kept, and the answers about them in order."""

    def keep(self, part: int, kinds: Places, blocks: list[Block]) -> None:
        """Keep the answers about some kinds of rows of a part, instead of what was kept before."""


def explain_parts(
    context: ModelContext,
    parts: Iterable[ReadRows],
    task: Task,
    n_jobs: int | None,
    make: Make[Block],
    advance: Advance,
    keeper: Keeper[Block] | None = None,
) -> Iterator[Found[Block]]:
    """Give the answers about each part, in order; ``make`` puts them into form, in the worker."""
    coming = iter(parts)
    first = 0
    while some := list(islice(coming, ROUND)):
        works = []
        for number, rows in enumerate(some, first):
            kinds, blocks = (NO_KINDS, []) if keeper is None else keeper.kept(number)
            plan = _plan(context, rows, task, n_workers(n_jobs), kinds)
            works.append(_Work(number, plan, {tuple(kinds.tolist()): blocks} if len(kinds) else {}))
            advance(int(plan.members[kinds].sum()))
        yield from _round(context, works, task, n_jobs, make, advance, keeper)
        first += len(some)


def _round(
    context: ModelContext,
    works: list[_Work[Block]],
    task: Task,
    n_jobs: int | None,
    make: Make[Block],
    advance: Advance,
    keeper: Keeper[Block] | None,
) -> Iterator[Found[Block]]:
    """Give the answers about the parts that are under way at once, in order."""
    waiting = [(work, chunk) for work in works for chunk in work.plan.chunks]
    last_kept = time.monotonic()
    given = 0
    try:
        while given < len(works):
            rest = []
            for (work, chunk), done, block in _worked_on(context, waiting, task, n_jobs, make):
                work.take(chunk, done, block)
                advance(int(work.plan.members[chunk.kinds[:done]].sum()))
                if done < len(chunk.kinds):
                    rest.append((work, chunk.after(done)))
                if keeper is not None and time.monotonic() - last_kept >= KEEP_EVERY:
                    _keep(keeper, works[given:])
                    last_kept = time.monotonic()
                while given < len(works) and works[given].is_done:
                    yield works[given].found(context, task, make, advance)
                    given += 1
            waiting = rest
            while given < len(works) and works[given].is_done:  # without a row to work on
                yield works[given].found(context, task, make, advance)
                given += 1
    except (Exception, KeyboardInterrupt):
        if keeper is not None:
            _keep(keeper, works[given:])
        raise


def _worked_on(
    context: ModelContext,
    waiting: list[tuple[_Work[Block], Chunk]],
    task: Task,
    n_jobs: int | None,
    make: Make[Block],
) -> Iterator[tuple[tuple[_Work[Block], Chunk], int, Block]]:
    """Give the answers about chunks: of which, how many of its first rows, and what they are."""
    if is_native(context, task) and stays_here():
        for work, chunk in waiting:
            left = chunk
            for columns in _native(context, chunk, task, n_workers(n_jobs)):
                done = len(columns["status"])
                yield (work, left.first(done)), done, make(context, task, columns)
                left = left.after(done)
        return
    jobs = ((chunk, task, make) for _, chunk in waiting)
    blocks = shared_out(explain_chunk, context, jobs, n_jobs)
    for one in waiting:
        Deadline(None).check()  # workers do not see who cancels: between two of them
        yield (one, *next(blocks))


def _keep(keeper: Keeper[Block], works: list[_Work[Block]]) -> None:
    for work in works:
        if work.is_new and not work.is_done:
            kinds, blocks = work.so_far()
            keeper.keep(work.number, kinds, blocks)
            work.is_new = False


class _Work(Generic[Block]):
    """A part that is worked on: its answers so far, by the kinds of rows that they are about."""

    def __init__(
        self, number: int, plan: Plan, answers: dict[tuple[int, ...], list[Block]]
    ) -> None:
        self.number, self.plan, self._answers = number, plan, answers
        self._left = len(plan.members) - sum(map(len, answers))
        self.is_new = False  # whether there is something that was not kept

    @property
    def is_done(self) -> bool:
        return self._left == 0

    def take(self, chunk: Chunk, done: int, block: Block) -> None:
        """Take the answers about the first rows of a chunk."""
        self._answers[tuple(chunk.kinds[:done].tolist())] = [block]
        self._left -= done
        self.is_new = True

    def so_far(self) -> tuple[Places, list[Block]]:
        """Return the kinds of rows that are done, and the answers about them in the same order."""
        kinds = np.array([kind for key in self._answers for kind in key], dtype=np.intp)
        return kinds, [block for blocks in self._answers.values() for block in blocks]

    def found(
        self, context: ModelContext, task: Task, make: Make[Block], advance: Advance
    ) -> Found[Block]:
        """Return all answers: a row's kind is where in the blocks the answers about it are."""
        kinds, blocks = self.so_far()
        unreadable = len(self.plan.unreadable["status"])
        if unreadable:
            blocks.append(make(context, task, self.plan.unreadable))
            advance(unreadable)
        place = np.empty(len(kinds) + unreadable, dtype=np.intp)
        place[kinds] = np.arange(len(kinds))
        place[len(kinds) :] = np.arange(len(kinds), len(place))
        return Found(blocks, place[self.plan.kind])


def explained(
    context: ModelContext,
    X: Any,
    task: Task,
    n_jobs: int | None,
    progress: bool | Advance,
    make: Make[Block],
) -> Found[Block]:
    """Return the answers about each row of ``X``."""
    check_jobs(n_jobs)
    rows = read_rows(context.model.rows, X, context.tree.n_features)
    task = task.counted_on(context, [rows])
    with progress_bar("explaining", lambda: len(rows.matrix), progress) as advance:
        return next(explain_parts(context, [rows], task, n_jobs, make, advance))


@dataclass(frozen=True)
class Chunk:
    """Rows that go to a worker at once: their places in the part, and the kind of each."""

    matrix: Floats
    places: Places
    kinds: Places

    def first(self, count: int) -> Chunk:
        """Return the first rows."""
        return Chunk(self.matrix[:count], self.places[:count], self.kinds[:count])

    def after(self, done: int) -> Chunk:
        """Return the rows that are left when the first ones are done."""
        return Chunk(self.matrix[done:], self.places[done:], self.kinds[done:])


@dataclass(frozen=True)
class Plan:
    """A part, cut into chunks of different rows; what cannot be read comes after them.

    ``kind`` is that of each row, and ``members`` says how many rows each kind has.
    """

    chunks: list[Chunk]
    unreadable: Columns
    kind: Places
    members: Places


def _plan(context: ModelContext, rows: ReadRows, task: Task, workers: int, done: Places) -> Plan:
    """Plan a part, of which some kinds of rows are done already."""
    bad = sorted(rows.error)
    if bad and task.raises:
        problem = rows.error[bad[0]]
        raise type(problem)(f"row {bad[0]}: {problem}") from problem
    good = np.setdiff1d(np.arange(len(rows.matrix)), bad, assume_unique=True)
    by_value = any(QUESTIONS[name].is_of_row for name in task.want)
    first, alike = context.distinct(rows.matrix[good], by_value=by_value)
    kind = np.empty(len(rows.matrix), dtype=np.intp)
    kind[good] = alike
    kind[bad] = len(first) + np.arange(len(bad))
    left = np.setdiff1d(np.arange(len(first)), done, assume_unique=True)
    native = is_native(context, task)
    apart = context.by_tree(rows.matrix[good[first[left]]]) if native else None
    size = min(CHUNK, max(SMALLEST, -(-len(left) // (CHUNKS * workers))))
    cut = []
    for own in [left] if apart is None else [left[among] for _, among in apart]:
        for part in chunks(len(own), max(1, len(own)) if native and stays_here() else size):
            kinds = own[part.start : part.stop]
            places = good[first[kinds]]
            cut.append(Chunk(rows.matrix[places], places, kinds))
    problems = [_unreadable(rows.error[place]) for place in bad]
    members = np.bincount(alike, minlength=len(first))
    return Plan(cut, _by_column(problems, task), kind, members)


def explain_chunk(
    context: ModelContext, chunk: Chunk, task: Task, make: Make[Block]
) -> tuple[int, Block]:
    """Explain some rows, in a worker; return how many there was time for, and the answers."""
    if is_native(context, task):
        columns = next(_native(context, chunk, task, 1))
        return len(columns["status"]), make(context, task, columns)
    begin = time.monotonic()
    found: list[Answers] = []
    for place, row in zip(chunk.places.tolist(), chunk.matrix, strict=True):
        found.append(_explain_row(context, row, place, task))
        if time.monotonic() - begin >= SLICE:
            break
    return len(found), make(context, task, _by_column(found, task))


def _native(context: ModelContext, chunk: Chunk, task: Task, threads: int) -> Iterator[Columns]:
    """Give the answers of the core about some rows, in order."""

    def alone(row: Floats, place: int) -> Answers:
        return _explain_row(context, row, place, task)

    given = context, task, chunk.matrix, chunk.places, alone
    return answers_of(*given, threads=threads, rows=CHUNK, seconds=SLICE)


def _by_column(found: list[Answers], task: Task) -> Columns:
    names = [column.name for column in columns_of(task)]
    return {name: [answers.get(name) for answers in found] for name in names}


def _explain_row(context: ModelContext, row: Floats, place: int, task: Task) -> Answers:
    begin = time.perf_counter()
    deadline = Deadline(task.timeout)
    answers: Answers = {"status": "ok"}
    try:
        e = explanation_by(context, row, task)
        answers["prediction"] = e.prediction
        if task.tells_outcome:
            answers["outcome"] = e.outcome
        if task.timeout is not None and not task.of_ensemble:
            e.count("contrastive", timeout=_left(deadline))  # what all else needs
        if task.protected:
            answers["needs_protected"] = not e.is_free_of(task.protected)
        asked = task.asked(None)
        for name in task.want:
            if task.timeout is not None:
                deadline.check()
                asked = task.asked(_left(deadline))
            answers.update(QUESTIONS[name].fill(e, asked))
    except Cancelled:
        raise
    except Exception as problem:  # one bad row must never lose the others
        if task.raises:
            problem.add_note(f"row {place}")
            raise
        kinds = (status for kind, status in STATUS.items() if isinstance(problem, kind))
        answers["status"] = next(kinds, "error")
        answers["error"] = str(problem) or type(problem).__name__
    answers["seconds"] = time.perf_counter() - begin
    return answers


def _left(deadline: Deadline) -> float:
    return max(deadline.seconds(), SHORTEST)


def _unreadable(problem: Exception) -> Answers:
    return {"status": "error", "error": str(problem), "seconds": 0.0}

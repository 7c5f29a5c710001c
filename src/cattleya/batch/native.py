"""Rows that the core answers many at a time, on several threads: arrays, then texts of them.

The core is given the rows of one tree, in any vocabulary, and gives arrays of numbers; ``words``
says what these are called. Here they become columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from cattleya._core import BatchRun
from cattleya.batch.task import Task, columns_of
from cattleya.batch.words import Words, words_of
from cattleya.explain.context import ModelContext
from cattleya.explain.prepared import PreparedTree
from cattleya.explain.questions import QUESTIONS, Answers
from cattleya.model.conditions.condition import Condition
from cattleya.reasons.limbs import integers
from cattleya.support.arrays import Floats, Int32s, Int64s, Places
from cattleya.support.errors import TimeoutExpired
from cattleya.support.limits import FOREVER

__all__ = ["NUMBER", "answers_of", "is_native"]

NUMBER = {"sufficient": 0, "minimal": 1, "contrastive": 2, "necessary": 3, "count": 4}
DONE, TIMEOUT, REFUSED = 0, 1, 3  # what is neither done nor late is asked of the row alone
NO_TIME = "the time limit was reached; give a longer timeout"
NONE = np.zeros(0, dtype=np.int32)

Columns = dict[str, list[Any]]
Found = dict[str, Any]  # arrays by name
Alone = Callable[[Floats, int], Answers]  # gives the answers about one row, given its place


def is_native(context: ModelContext, task: Task) -> bool:
    """Tell whether the core answers all that is asked of every row."""
    return not context.is_ensemble and all(name in NUMBER for name in task.want)


def answers_of(
    context: ModelContext,
    task: Task,
    matrix: Floats,
    places: Places,
    alone: Alone,
    *,
    threads: int,
    rows: int,
    seconds: float,
) -> Iterator[Columns]:
    """Give the answers about rows that one tree decides about, in order, some rows at a time.

    Parameters
    ----------
    context, task
        What is asked, of which model.
    matrix, places : ndarray
        The rows, in the tree's columns, and where they are in their part.
    alone : callable
        Asks a row alone: where the core has no answer, this says why.
    threads : int
        On how many threads, this one among them.
    rows, seconds
        How many rows are waited for at a time, and how long, at the most.
    """
    if not len(matrix):
        return
    prepared = context.prepared_for(matrix[0])
    matrix = matrix + 0.0  # -0.0 and 0.0 are one value
    words = words_of(context, prepared, matrix, task.reached)
    run = _run(context, task, words, threads)
    table = _Table(context, task, prepared, words)
    refused = list(context.faults(matrix))
    done = 0
    while done < len(matrix):
        found = run.next(rows, seconds)
        some = slice(done, done + len(found["status"]))
        columns = table.columns(found, matrix[some])
        found["status"][[place - done for place in refused if done <= place < some.stop]] = REFUSED
        for number in np.flatnonzero(found["status"] != DONE).tolist():
            place = int(places[done + number])
            if found["status"][number] == TIMEOUT:
                columns["status"][number], columns["error"][number] = "timeout", NO_TIME
                if task.raises:
                    problem = TimeoutExpired(NO_TIME)
                    problem.add_note(f"row {place}")
                    raise problem
                continue
            answers = alone(matrix[done + number], place)
            for name, values in columns.items():
                values[number] = answers.get(name)
        done = some.stop
        yield columns


def _run(context: ModelContext, task: Task, words: Words, threads: int) -> BatchRun:
    def named(what: str, features: tuple[Any, ...]) -> Int32s:
        return context.features.atoms(what, features, words.atoms) if features else NONE

    return BatchRun(
        words.rows,
        np.array([NUMBER[name] for name in task.want], dtype=np.int32),
        task.contrasts,
        named("exclude", task.exclude),
        named("immutable", task.immutable),
        named("is_free_of", task.protected),
        bool(task.protected),
        FOREVER * 10 if task.timeout is None else min(task.timeout, FOREVER),
        context.memory_limit,
        threads,
    )


class _Table:
    """Makes columns of the arrays that the core gives."""

    def __init__(
        self, context: ModelContext, task: Task, prepared: PreparedTree, words: Words
    ) -> None:
        self._context, self._task, self._prepared = context, task, prepared
        self._words = words
        self._fill: dict[str, Callable[[Found, Floats, Columns], None]] = {
            "sufficient": lambda *given: self._reason("sufficient", *given),
            "minimal": lambda *given: self._reason("minimal", *given),
            "contrastive": self._contrastive,
            "necessary": self._necessary,
            "count": self._count,
        }

    def columns(self, found: Found, matrix: Floats) -> Columns:
        """Return the answers about some rows, where there are any."""
        task, prepared, count = self._task, self._prepared, len(matrix)
        outcome, tree = found["row_class"], prepared.model_tree
        predicted = outcome if prepared.tree is tree else tree.leaf_class[tree.apply(matrix)]
        to: Columns = {
            "prediction": [tree.class_names[label] for label in predicted.tolist()],
            "status": ["ok"] * count,
            "error": [None] * count,
            "seconds": found["seconds"].tolist(),
        }
        if task.tells_outcome:
            to["outcome"] = [prepared.classes.names[place] for place in outcome.tolist()]
        if task.protected:
            to["needs_protected"] = (found["needs_guarded"] != 0).tolist()
        for name in task.want:
            self._fill[name](found, matrix, to)
            missing = np.flatnonzero((found["answered"] >> NUMBER[name] & 1) == 0)
            for column in QUESTIONS[name].columns if len(missing) else ():
                for place in missing.tolist():
                    to[column.name][place] = None
        return {column.name: to[column.name] for column in columns_of(task)}

    def _reason(self, name: str, found: Found, matrix: Floats, to: Columns) -> None:
        words = self._words
        lists = words.read(found[name], matrix)
        texts = words.texts(lists)
        to[name], facts = words.told(
            lists, texts, found[f"{name}_parts"], found[f"{name}_parts_end"]
        )
        to[f"{name}_conditions"] = texts
        to[f"{name}_size"] = np.diff(lists[0]).tolist()
        covered, decisions = self._reach(found[f"{name}_covered"], found["row_class"], facts)
        to[f"{name}_covered"], to[f"{name}_decisions"] = covered, decisions

    def _reach(
        self, covered: Int64s, row_class: Int32s, facts: list[Sequence[Condition]]
    ) -> tuple[list[Any], list[Any]]:
        """Return how many rows of the table each reason covers, and how many get its class."""
        reached, outcome = self._task.reached, row_class.tolist()
        if reached is None:
            return [None] * len(outcome), [None] * len(outcome)
        table = reached.native(self._context, self._prepared)
        if table is not None:
            total = {place: table.of_class(place) for place in set(outcome)}
            return covered.tolist(), [total[place] for place in outcome]
        counts = [
            reached.count(self._context, self._prepared, place, own)
            for place, own in zip(outcome, facts, strict=True)
        ]
        return [covered for covered, _ in counts], [decisions for _, decisions in counts]

    def _contrastive(self, found: Found, matrix: Floats, to: Columns) -> None:
        most, ends = self._task.contrasts, [0, *found["contrasts_end"].tolist()]
        owner = np.repeat(np.arange(len(matrix)), np.diff(ends))
        lists = self._words.read(found["contrasts"], matrix, owner)
        texts = self._words.texts(lists)
        each = [tuple(texts[first:last]) for first, last in pairwise(ends)]
        firsts = [first for first, last in pairwise(ends) if last > first]
        said = iter(self._words.changes(lists, texts, firsts))
        to["contrastive"] = [next(said) if own else None for own in each]
        to["contrastive_size"] = [len(own[0]) if own else None for own in each]
        to["contrastive_conditions"] = each if most else [()] * len(each)
        to["contrastive_count"] = found["contrast_count"].tolist()

    def _necessary(self, found: Found, matrix: Floats, to: Columns) -> None:
        start, number = self._words.read(found["necessary"], matrix)
        sides, ends = self._words.conditions(number), start.tolist()
        each = [
            sorted(sides[first:last], key=lambda condition: (condition.index, str(condition)))
            for first, last in pairwise(ends)
        ]
        to["necessary"] = [tuple(map(str, own)) for own in each]
        to["necessary_features"] = [tuple(dict.fromkeys(c.feature for c in own)) for own in each]
        to["necessary_count"] = list(map(len, each))
        to["relevant_count"] = found["relevant_count"].tolist()

    def _count(self, found: Found, matrix: Floats, to: Columns) -> None:
        for name in ("count", "minimal_count"):
            start, limbs = found[name]
            to[name] = integers(limbs, start)

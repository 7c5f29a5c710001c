"""Every reason in a result file proved again, however it was found.

The reasons are taken as the text they are in the file, and proved by walking the tree
(:meth:`cattleya.Explanation.verify`), which knows nothing of the search; :mod:`cattleya.proof` says
exactly what the two have in common. What no walk proves is asked of the search again and
compared: counts, importance, what every reason contains, that no reason is shorter and no contrast
smaller, that there is no reason at all.

So a result that is proved is true. It need not be the one that was written: who puts another
sufficient reason in the place of one, another contrast of the same size, or "memory" in the place
of answers, leaves a result that is still true. Only a signature of the file detects that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any

from cattleya.batch.arrow import schema_of
from cattleya.batch.disk.result_file import (
    PartsError,
    Records,
    Results,
    made_from_file,
    open_results,
)
from cattleya.batch.disk.run import every_part
from cattleya.batch.disk.source import Source
from cattleya.batch.parallel import n_workers, shared_out
from cattleya.batch.provenance import FORMAT, FORMAT_VERSION, file_hash
from cattleya.batch.reading import Ids, chunks, read_rows
from cattleya.batch.task import Task, checked_task, explanation_by
from cattleya.batch.verify.row import (
    NOT_PROVED,
    UNSETTLED,
    Fault,
    Record,
    wrong_answers,
    wrong_error,
    wrong_status,
)
from cattleya.explain.context import ModelContext
from cattleya.explain.explanation import Explanation, judged_outcome
from cattleya.model.tree.target import target_of_form
from cattleya.support.arrays import Floats
from cattleya.support.text import plain_value, shown
from cattleya.vocabularies.over import Over

__all__ = ["Proof", "Refutation", "prove_file", "settings_of"]

MOST_ROWS = 1 << 31
#: What a result says of itself, and how it can be; the questions below, ``parameters`` by itself.
SETTINGS: dict[str, Callable[[Any], bool]] = {
    "model": lambda value: isinstance(value, str),
    "data": lambda value: isinstance(value, str),
    "definition": lambda value: isinstance(value, str),
    "over": lambda value: value in tuple(Over),
    "part": lambda value: type(value) is int and 0 < value <= MOST_ROWS,
    "id_column": lambda value: value is None or isinstance(value, str),
}
#: The same that results of earlier versions do not have: the class was explained.
LATER: dict[str, Callable[[Any], bool]] = {
    "target": lambda value: target_of_form(value) is not None,
    "output": lambda value: value is None or (type(value) is int and value >= 0),
}
PARAMETERS: dict[str, Callable[[Any], bool]] = {
    "want": lambda value: isinstance(value, list),
    "exclude": lambda value: isinstance(value, list),
    "immutable": lambda value: isinstance(value, list),
    "contrasts": lambda value: type(value) is int and value >= 0,
    "timeout": lambda value: value is None or (type(value) in (int, float) and value > 0),
    "memory_limit": lambda value: type(value) is int and value > 0,
}
PART = 256  # rows
ROUND = 8  # parts for each worker that are under way at once


@dataclass(frozen=True)
class Refutation:
    """What is wrong with a row of a result, or with all of it (``row`` is None).

    ``is_open`` if nothing is known to be wrong: the proof took too long, or too much memory.
    """

    row: int | None
    why: str
    is_open: bool = False

    def __str__(self) -> str:
        return self.why if self.row is None else f"row {self.row}: {self.why}"


def _is_types(value: Any) -> bool:
    """Tell whether a result says properly which types were taken from its data, if any were."""
    return value is None or (
        isinstance(value, dict) and {*map(str, value.values())} <= {"Int64", "boolean", "object"}
    )


def settings_of(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a result file says that it was made from; refuse what is no such file."""
    found = made_from_file(path)
    if found.get("format") != FORMAT or found.get("version") != FORMAT_VERSION:
        raise PartsError(f"{str(path)!r} is not a result of version {FORMAT_VERSION} of {FORMAT}")
    given = found.get("parameters")
    given = given if isinstance(given, dict) else {}
    later = {name: is_right for name, is_right in LATER.items() if name in found}
    for said, settings in ((found, SETTINGS | later), (given, PARAMETERS)):
        for name, is_right in settings.items():
            if name not in said or not _is_right(is_right, said[name]):
                raise PartsError(
                    f"{str(path)!r} does not say correctly what it was made with: {name!r} is "
                    f"{shown(said.get(name))}; make it again with cattleya batch"
                )
    if not _is_types(found.get("types")):  # earlier results have none
        raise PartsError(
            f"{str(path)!r} does not say correctly what it was made with: 'types' is "
            f"{shown(found['types'])}; make it again with cattleya batch"
        )
    return found


def _is_right(check: Callable[[Any], bool], value: Any) -> bool:
    try:
        return check(value)
    except (ValueError, TypeError):
        return False


@dataclass(frozen=True)
class Proof:
    """What came of some rows: what is wrong, and how many say themselves that they are not done."""

    faults: list[Refutation]
    n_rows: int = 0
    n_unsettled: int = 0


def prove_file(
    context: ModelContext,
    path: str | os.PathLike[str],
    source: Source,
    *,
    n_jobs: int | None = None,
    timeout: float | None = None,
) -> Iterator[Proof]:
    """Prove a result, some rows at a time.

    ``timeout`` is in seconds per row; a row that cannot be proved in time is not proved.
    """
    made_from = settings_of(path)
    parameters = made_from["parameters"]
    if made_from.get("target") != context.target_form:
        said = context.target_words or "what the model predicts"
        yield _all_wrong(f"the result explains {_about(made_from.get('target'))}, not {said}")
    elif made_from["model"] != context.tree_hash:
        yield _all_wrong("the result was made from another model")
    elif made_from["data"] != file_hash(source.path):
        yield _all_wrong("the result was made from other data")
    elif made_from["definition"] != context.over.definition:
        yield _all_wrong(f"the definition is not {made_from['definition']!r}")
    else:
        named = {what: parameters[what] for what in ("exclude", "immutable", "contrasts")}
        task = checked_task(context, parameters["want"], timeout, **named)
        parts = every_part(context, source, task, made_from["part"])
        task = task.counted_on(context, parts, every=True)
        schema = schema_of(context, task, with_id=source.id_column is not None)
        with open_results(path, schema) as results:
            if faults := results.faults(schema):
                yield from map(_all_wrong, faults)
                return
            jobs = _jobs(context, results, source, task, made_from)
            yield from _prove_rows(context, jobs, n_jobs)
            if len(results.take(1)):
                yield _all_wrong("the result has more rows than the data")


def _about(form: dict[str, Any] | None) -> str:
    """Say what a result says that it explains, as the user would ask for it."""
    return "what the model predicts" if form is None else repr(target_of_form(form))


def _all_wrong(why: str) -> Proof:
    return Proof([Refutation(None, why)])


def _prove_rows(context: ModelContext, jobs: Iterator[Job], n_jobs: int | None) -> Iterator[Proof]:
    # In rounds: proofs are not waited with, and must not pile up.
    while some := list(islice(jobs, ROUND * n_workers(n_jobs))):
        yield from shared_out(prove_chunk, context, ((job,) for job in some), n_jobs)


@dataclass(frozen=True)
class Job:
    """Rows that follow each other, and what the result says of them."""

    first: int
    matrix: Floats
    error: dict[int, str]
    ids: Ids
    records: Records
    task: Task
    may_time_out: bool


def _jobs(
    context: ModelContext,
    results: Results,
    source: Source,
    task: Task,
    made_from: dict[str, Any],
) -> Iterator[Job]:
    number = 0
    # Read as the run did it: what pandas takes a column for can depend on the rows around.
    with closing(source.chunks(made_from["part"])) as parts:
        for frame, ids in parts:
            rows = read_rows(context.model.rows, frame, context.tree.n_features)
            for part in chunks(len(rows.matrix), PART):
                own = slice(part.start, part.stop)
                bad = [place for place in part if place in rows.error]
                yield Job(
                    number + part.start,
                    rows.matrix[own],
                    {place - part.start: str(rows.error[place]) for place in bad},
                    None if ids is None else ids[own],
                    results.take(len(part)),
                    task,
                    made_from["parameters"]["timeout"] is not None,
                )
            number += len(rows.matrix)


def prove_chunk(context: ModelContext, job: Job) -> Proof:
    """Prove some rows, in a worker."""
    records = job.records.to_pylist()
    faults, unsettled = [], 0
    for place in range(len(job.matrix)):
        if place >= len(records):
            faults.append(Refutation(job.first + place, "it is not in the result"))
            continue
        record = records[place]
        if isinstance(record, ValueError):
            fault: Fault = str(record)
        else:
            fault = _fault(context, job, place, record)
            unsettled += fault is None and record["status"] in UNSETTLED
        if fault is not None:
            faults.append(Refutation(job.first + place, fault, fault.startswith(NOT_PROVED)))
    return Proof(faults, len(job.matrix), unsettled)


def _wrong_prediction(e: Explanation, label: Any, record: Record, task: Task) -> Fault:
    """Return what is wrong with the prediction for a row, and with its outcome."""
    if record["prediction"] is None or record["prediction"] not in (label, str(label)):
        return f"its class is {label!r}, not {record['prediction']!r}"
    if task.tells_outcome and record["outcome"] != (outcome := judged_outcome(e)):
        return f"its outcome is {outcome!r}, not {record['outcome']!r}"
    return None


def _fault(context: ModelContext, job: Job, place: int, record: Record) -> Fault:
    """Return what is wrong with a row, or None."""
    if record["row"] != job.first + place:
        return f"the result has row {record['row']} in its place"
    if job.ids is not None and record["id"] != job.ids[place]:
        return f"its identifier is {job.ids[place]!r}, not {record['id']!r}"
    if place in job.error:
        return wrong_error(record, job.error[place])
    try:
        e = explanation_by(context, job.matrix[place], job.task)
    except ValueError as error:  # a value that its feature cannot have
        return wrong_error(record, str(error))
    # By the tree's own walk: ``e.prediction`` is the search's.
    label = plain_value(context.predicted(e.row))
    if fault := _wrong_prediction(e, label, record, job.task):
        return fault
    fault = wrong_status(record, job.task.want, job.may_time_out)
    return fault or wrong_answers(e, job.task, record)

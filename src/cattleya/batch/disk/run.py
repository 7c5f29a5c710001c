"""From a table in a file to a result in a file, in memory that does not grow with the result.

Of the table, the rows are kept that differ, where rows are counted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cattleya.batch.arrow import record_batch, schema_of, table_of, with_provenance
from cattleya.batch.disk.checkpoint import Parts
from cattleya.batch.disk.result_file import PartsError
from cattleya.batch.disk.source import Source
from cattleya.batch.provenance import file_hash, provenance
from cattleya.batch.reading import Ids, ReadRows, read_rows
from cattleya.batch.run import explain_parts
from cattleya.batch.task import Task
from cattleya.explain.context import ModelContext
from cattleya.support.arrays import Places
from cattleya.support.progress import progress_bar

if TYPE_CHECKING:
    import pyarrow as pa


__all__ = ["PART", "every_part", "explain_file"]

#: Rows of a part: some seconds of work, some megabytes of memory.
PART = 8192


def explain_file(
    context: ModelContext,
    source: Source,
    out: str | os.PathLike[str],
    task: Task,
    *,
    model_file: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    resume: bool = False,
    progress: bool = True,
    part: int = PART,
) -> None:
    """Explain every row of a table.

    Parameters
    ----------
    context, task
        What is asked, of which model.
    source : Source
        Where the rows come from.
    out : path
        The Parquet or CSV file to write.
    model_file : path, optional
        Its hash is noted, too.
    n_jobs, progress
        As for :meth:`cattleya.Explainer.explain_all`.
    resume : bool
        Whether to go on with what an earlier run has left. It must have been asked the same.
    part : int
        How many rows are read, explained and written at a time.
    """
    parts = Parts(out)
    parts.check_apart(source.path, *([] if model_file is None else [model_file]))
    origin = provenance(
        context,
        task,
        data=file_hash(source.path),
        model_file=None if model_file is None else file_hash(model_file),
        id_column=source.id_column,
        part=part,
    )
    with_id = source.id_column is not None
    schema = with_provenance(schema_of(context, task, with_id=with_id), origin)
    try:
        if parts.begin(origin, resume):
            task = task.counted_on(context, every_part(context, source, task, part))
            _explain_rest(context, source, task, parts, schema, origin, n_jobs, progress)
    finally:
        parts.end()


def every_part(context: ModelContext, source: Source, task: Task, part: int) -> Iterator[ReadRows]:
    """Give all rows of a table, where something is counted on them; as many as are read at once."""
    if task.needs_table:
        with closing(source.chunks(part)) as frames:
            for frame, _ in frames:
                yield read_rows(context.model.rows, frame, context.tree.n_features)


def _explain_rest(
    context: ModelContext,
    source: Source,
    task: Task,
    parts: Parts,
    schema: pa.Schema,
    origin: dict[str, Any],
    n_jobs: int | None,
    progress: bool,
) -> None:
    """Explain the parts that are not there yet, and put all of them together."""
    part = origin["part"]
    missing: list[tuple[int, Ids]] = []  # the parts that are to be explained, in order
    written = count = rows = 0

    def unexplained() -> Iterator[ReadRows]:
        nonlocal count, rows
        with closing(source.chunks(part)) as frames:
            for frame, ids in frames:
                if not parts.has(count):
                    missing.append((count, ids))
                    yield read_rows(context.model.rows, frame, context.tree.n_features)
                count, rows = count + 1, rows + len(frame)

    done = parts.count() * part
    try:
        with progress_bar("explaining", source.count, progress, done) as advance:
            keeper = _Kept(parts, missing, schema)
            answers = explain_parts(
                context, unexplained(), task, n_jobs, record_batch, advance, keeper
            )
            for found in answers:
                number, ids = missing[written]
                parts.write(number, table_of(schema, found, number * part, ids))
                missing[written] = number, None  # the identifiers are not needed any more
                written += 1
        parts.finish(schema, origin, rows)
    except BaseException:
        parts.forget()
        raise


@dataclass(frozen=True)
class _Kept:
    """Keeps unfinished parts on disk; parts are counted in the order of ``missing``."""

    parts: Parts
    missing: list[tuple[int, Ids]]
    schema: pa.Schema

    def kept(self, part: int) -> tuple[Places, list[pa.RecordBatch]]:
        """Return what an earlier run has kept, if it is what is asked for."""
        kinds, blocks = self.parts.kept(self.missing[part][0])
        names = [field.name for field in self.schema if field.name not in ("row", "id")]
        if blocks and blocks[0].schema.names != names:
            raise PartsError(
                f"{str(self.parts.folder)!r} has an unfinished part with other columns; remove the "
                f"folder"
            )
        return kinds, blocks

    def keep(self, part: int, kinds: Places, blocks: list[pa.RecordBatch]) -> None:
        """Keep the answers so far."""
        self.parts.keep(self.missing[part][0], kinds, blocks)

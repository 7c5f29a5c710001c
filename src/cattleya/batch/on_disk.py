"""From a table in a file to a result in a file, in memory that does not grow with either."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from cattleya.batch.arrow import record_batch, schema_of, table_of, with_provenance
from cattleya.batch.parts import Parts
from cattleya.batch.progress import progress_bar
from cattleya.batch.provenance import file_hash, provenance
from cattleya.batch.reading import ReadRows, read_rows
from cattleya.batch.running import Task, explain_parts
from cattleya.files.table_chunks import count_rows, read_chunks

if TYPE_CHECKING:
    import pandas as pd

    from cattleya.explainer import Explainer

__all__ = ["PART", "explain_file"]

#: Rows of a part: some seconds of work, some megabytes of memory.
PART = 8192

Choose = Callable[["pd.DataFrame"], "pd.DataFrame"]


def explain_file(
    explainer: Explainer,
    data: str | os.PathLike[str],
    out: str | os.PathLike[str],
    task: Task,
    *,
    choose: Choose,
    text: tuple[str, ...] = (),
    model_file: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    resume: bool = False,
    progress: bool = True,
    part: int = PART,
) -> int:
    """Explain every row of a table; return how many there are.

    Parameters
    ----------
    explainer, task
        What is asked, of which model.
    data : path
        A CSV or Parquet file.
    out : path
        The Parquet file to write.
    choose : function
        Picks the model's columns of a table.
    text : tuple of str
        Columns of a CSV file that stay as they are written.
    model_file : path, optional
        Its hash is noted, too.
    n_jobs, progress
        As for :meth:`cattleya.Explainer.explain_all`.
    resume : bool
        Whether to go on with what an earlier run has left. It must have been asked the same.
    part : int
        How many rows are read, explained and written at a time.
    """
    schema = schema_of(explainer, task)
    origin = provenance(
        explainer,
        task,
        data=file_hash(data),
        model_file=None if model_file is None else file_hash(model_file),
        part=part,
    )
    schema = with_provenance(schema, origin)
    parts = Parts(out)
    total = count_rows(data)
    if not parts.begin(origin, resume):
        from pyarrow import parquet

        return int(parquet.ParquetFile(out).metadata.num_rows)
    missing: list[int] = []  # parts that are to be explained, in order
    count = done = 0

    def unexplained() -> Iterator[ReadRows]:
        nonlocal count, done
        for frame in read_chunks(data, part, text):
            if not parts.has(count):
                missing.append(count)
                yield read_rows(explainer.rows, choose(frame), explainer.tree.n_features)
            count += 1
            done += len(frame)

    with progress_bar("explaining", total, progress, done=parts.count() * part) as advance:
        answers = explain_parts(explainer, unexplained(), task, n_jobs, record_batch, advance)
        for place, found in enumerate(answers):
            number = missing[place]
            parts.write(number, table_of(schema, found, number * part))
    parts.finish(schema, count)
    return done

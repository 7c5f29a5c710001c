"""Answers about many rows as Arrow tables: what Parquet files hold.

Counts and shares have no bounds, and Arrow's numbers have: they are decimal text there, a share as
``3/4``. Whole numbers that are bounded by the size of the tree are 64-bit integers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cattleya.batch.provenance import KEY, provenance
from cattleya.batch.reading import Ids, chunks, index_of
from cattleya.batch.run import Columns, Found, explained
from cattleya.batch.task import Task, columns_of
from cattleya.explain.context import ModelContext
from cattleya.explain.questions import Column, Kind
from cattleya.support.arrays import Places
from cattleya.support.text import plain_value

if TYPE_CHECKING:
    import pyarrow as pa


__all__ = ["as_arrow", "record_batch", "schema_of", "table_of", "with_provenance"]

RUN = 1024  # rows whose answers are put together at once: an array of Arrow holds 2 GiB of text


def arrow() -> Any:
    """Return pyarrow; say what to do where there is none."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            'Parquet files and Arrow tables need pyarrow: pip install "cattleya[parquet]"'
        ) from error
    return pyarrow


def as_arrow(
    context: ModelContext, X: Any, task: Task, n_jobs: int | None, progress: bool
) -> pa.Table:
    """Explain every row of ``X``: a table with ``row``, and ``index`` where ``X`` has labels."""
    pa = arrow()
    schema = with_provenance(schema_of(context, task), provenance(context, task))
    table = table_of(schema, explained(context, X, task, n_jobs, progress, record_batch), 0)
    index = index_of(X)
    if index is None:
        return table
    labels = index.tolist()
    try:
        column = pa.array(labels)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeError):
        # Of several kinds, or what Arrow has no kind for.
        texts = (str(label).encode(errors="backslashreplace") for label in labels)
        column = pa.array([text.decode() for text in texts])
    return table.add_column(1, "index", column)


def schema_of(context: ModelContext, task: Task, *, with_id: bool = False) -> pa.Schema:
    """Return the columns and their types."""
    pa = arrow()
    leading = [("row", pa.int64()), *([("id", pa.string())] if with_id else [])]
    fields = [(column.name, _type(pa, column.kind, context)) for column in columns_of(task)]
    return pa.schema([*leading, *fields])


def with_provenance(schema: pa.Schema, made_from: dict[str, Any]) -> pa.Schema:
    """Return the schema with what the answers were made from."""
    return schema.with_metadata({KEY: json.dumps(made_from, sort_keys=True).encode()})


def record_batch(context: ModelContext, task: Task, columns: Columns) -> pa.RecordBatch:
    """Return answers as Arrow has them, without the numbers of the rows."""
    pa = arrow()
    fields = list(schema_of(context, task))[1:]
    made = [
        pa.array(_put(column, field, columns[column.name]), type=field.type)
        for column, field in zip(columns_of(task), fields, strict=True)
    ]
    return pa.RecordBatch.from_arrays(made, schema=pa.schema(fields))


def table_of(
    schema: pa.Schema, found: Found[pa.RecordBatch], first: int, ids: Ids = None
) -> pa.Table:
    """Return the answers of rows that follow each other, the first one numbered ``first``."""
    pa = arrow()
    leading = [pa.array(range(first, first + len(found.kind)), type=pa.int64())]
    if ids is not None:
        leading.append(pa.array(ids, type=pa.string()))
    answers = pa.schema(list(schema)[len(leading) :])
    runs = [found.kind[part.start : part.stop] for part in chunks(len(found.kind), RUN)]
    taken = [_taken(answers, found.blocks, run) for run in runs]
    rows = pa.concat_tables(taken or [answers.empty_table()])
    return pa.Table.from_arrays([*leading, *rows.columns], schema=schema)


def _taken(schema: pa.Schema, blocks: list[pa.RecordBatch], run: Places) -> pa.Table:
    """Return the answers of some rows, given the kind of each."""
    pa = arrow()
    used, place = np.unique(run, return_inverse=True)
    ends = np.cumsum([len(block) for block in blocks])
    cut = np.split(used, np.searchsorted(used, ends))  # by block; the last is empty
    starts = ends - [len(block) for block in blocks]
    picked = [
        block.take(pa.array(own - start))
        for block, start, own in zip(blocks, starts, cut, strict=False)
        if len(own)
    ]
    return pa.Table.from_batches(picked, schema=schema).combine_chunks().take(pa.array(place))


def _put(column: Column, field: pa.Field, values: list[Any]) -> list[Any]:
    """Return the values of a column as Arrow takes them: tuples are lists to it."""
    if column.kind is Kind.LABEL:
        put = str if field.type == arrow().string() else plain_value
        return [None if value is None else put(value) for value in values]
    if column.kind in (Kind.NUMBER, Kind.SHARES):
        return list(map(column.plain, values))
    return values


def _type(pa: Any, kind: Kind, context: ModelContext) -> Any:
    if kind is Kind.LABEL:
        labels = context.model_classes.labels
        return _label_type(pa, labels) if labels else pa.float64()
    text = pa.string()
    return {
        Kind.TEXT: text,
        Kind.TEXTS: pa.list_(text),
        Kind.LISTS: pa.list_(pa.list_(text)),
        Kind.SMALL: pa.int64(),
        Kind.NUMBER: text,
        Kind.SHARES: pa.map_(text, text),
        Kind.FLAG: pa.bool_(),
        Kind.SECONDS: pa.float64(),
    }[kind]


def _label_type(pa: Any, labels: Sequence[Any]) -> Any:
    """Return the type of the model's classes: text, unless they all are of a simpler kind."""
    plain = [plain_value(label) for label in labels]
    kinds = {type(label) for label in plain}
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int} and all(abs(label) < 1 << 63 for label in plain):
        return pa.int64()
    return pa.float64() if kinds <= {int, float} and float in kinds else pa.string()

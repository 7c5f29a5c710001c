"""Tables in Parquet files, some rows at a time, and never far more of them than the file is.

A text that comes in every row is written once: half a kilobyte can stand for a gigabyte of cells.
So texts are read as they are written, once each, and measured before they are put into the cells.
Lists and other nested columns, which no model takes, are not read at all: see :class:`Unread`.

Read some rows at a time, a file may stand for more than fits into memory, as a million rows of few
different values do in some kilobytes. What takes time is then bounded by the number of rows:
columns that nobody asked for are not read, texts may be long in some rows but not in all of a large
file, and there are not thousands of rows in each byte.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cattleya.support.files.errors import TableFileError, one_line
from cattleya.support.files.gaps import gaps_as_nan
from cattleya.support.files.regular import check_regular
from cattleya.support.files.unpacking import LARGE, check_unpacked
from cattleya.support.text import shown

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = [
    "REMEDY",
    "Unread",
    "check_rows",
    "frames_of",
    "parquet_file",
    "parquet_frames",
    "parquet_table",
]

BYTES_A_CELL = 8
BUFFER = 1 << 18  # bytes of a column that are read at once
ROWS_AT_ONCE = 1 << 16
TEXT_A_ROW = 1 << 10  # bytes: what all texts of a row may have together, on average
MANY_ROWS, MOST_ROWS_A_BYTE = 1 << 24, 1000
REMEDY = "write it as CSV if that is right, without what the model does not take"
DICTIONARY = {"RLE_DICTIONARY", "PLAIN_DICTIONARY"}  # each text is written once
PREFIXES = "DELTA_BYTE_ARRAY"  # of each text only what is unlike the one before is written


@dataclass(frozen=True)
class Unread:
    """What stands in every cell of a column that was not read."""

    kind: str

    def __repr__(self) -> str:
        return f"a {self.kind}"


def parquet_file(path: Path, **settings: Any) -> Any:
    """Open a file, and look at the names of its columns."""
    check_regular(path)
    try:
        from pyarrow.parquet import ParquetFile

        file = ParquetFile(path, **settings)
    except ImportError:
        raise TableFileError(
            'Parquet files need pyarrow: pip install "cattleya[parquet]"'
        ) from None
    except Exception as error:  # pyarrow's own errors have no common base that is always there
        raise _unreadable(path, "cannot be read", error) from error
    names = file.schema_arrow.names
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise TableFileError(f"{str(path)!r} has the column {shown(twice)} twice; keep one")
    return file


def parquet_table(path: Path, id_column: str | None = None) -> pd.DataFrame:
    """Return all rows of a file, with the index that pandas has written, as columns."""
    file, packed = parquet_file(path), os.path.getsize(path)
    cells = file.metadata.num_rows * file.metadata.num_columns
    check_unpacked(str(path), BYTES_A_CELL * cells, packed, REMEDY)
    batches: list[pa.Table] = []
    unpacked = 0
    for batch in _batches(path, file, ROWS_AT_ONCE, file.schema_arrow, id_column):
        batches.append(batch)
        unpacked += batch.nbytes
        check_unpacked(str(path), unpacked, packed, REMEDY)
    import pyarrow as pa

    kept = _kept(file.schema_arrow, id_column)
    whole = pa.concat_tables(batches) if batches else kept.empty_table()
    frame = _frame(path, file.schema_arrow, whole, id_column)
    if frame.index.name is None or frame.index.name in frame.columns:
        return frame.reset_index(drop=True)
    return frame.reset_index()


def parquet_frames(
    path: Path, size: int, id_column: str | None, columns: Collection[str] | None = None
) -> Iterator[pd.DataFrame]:
    """Give the rows of a file, at most ``size`` at a time; identifiers as texts.

    Of ``columns`` and the identifiers alone, if the file has them all.
    """
    file = parquet_file(path)
    schema = file.schema_arrow
    check_rows(path, file)
    wanted = {*(columns or ()), *(() if id_column is None else (id_column,))}
    if columns is not None and wanted <= set(schema.names):
        import pyarrow as pa

        schema = pa.schema([field for field in schema if field.name in wanted])
    yield from frames_of(path, file, size, schema, id_column)


def check_rows(path: Path, file: Any) -> None:
    """Refuse a file that stands for far more rows than it has bytes."""
    packed, rows = os.path.getsize(path), file.metadata.num_rows
    if rows > max(MANY_ROWS, MOST_ROWS_A_BYTE * packed):
        raise TableFileError(
            f"{str(path)!r} stands for {rows:,} rows with {packed:,} bytes, which is too much; "
            f"{REMEDY}"
        )


def frames_of(
    path: Path,
    file: Any,
    size: int,
    schema: pa.Schema,
    id_column: str | None = None,
    groups: Sequence[int] | None = None,
) -> Iterator[pd.DataFrame]:
    """Give the rows of a file, or of some of its row groups, at most ``size`` at a time."""
    for batch in _batches(path, file, size, schema, id_column, groups):
        plain = batch.replace_schema_metadata(None)  # each row by itself: no index
        yield _frame(path, schema, plain, id_column)


def _batches(
    path: Path,
    file: Any,
    size: int,
    schema: pa.Schema,
    id_column: str | None,
    groups: Sequence[int] | None = None,
) -> Iterator[pa.Table]:
    """Give the columns that are no nested ones, measured before their cells are filled."""
    import pyarrow as pa

    packed, kept = os.path.getsize(path), _kept(schema, id_column)
    once = {field.name for field in kept if _is_text(field.type)}
    rows = texts = 0
    for chunk in _chunks(file.metadata):
        if chunk.path_in_schema not in kept.names:
            continue
        written = chunk.total_uncompressed_size
        check_unpacked(str(path), written, packed, REMEDY)
        if PREFIXES in chunk.encodings:  # one text may have all that was written
            size = max(1, min(size, LARGE // max(1, written)))
        if not DICTIONARY & set(chunk.encodings):  # not all others can be read so
            once.discard(chunk.path_in_schema)
    try:
        # Not all of a row group at once, which may be all there is.
        reader = parquet_file(
            path, read_dictionary=sorted(once), pre_buffer=False, buffer_size=BUFFER
        )
        for batch in reader.iter_batches(size, row_groups=groups, columns=kept.names):
            table = pa.Table.from_batches([batch])
            own = [
                _bytes_of_texts(column) if name in once else column.nbytes
                for name, column in zip(table.column_names, table.columns, strict=True)
            ]
            check_unpacked(str(path), sum(own), packed, REMEDY)
            rows += len(table)
            texts += sum(
                taken for taken, field in zip(own, kept, strict=True) if _is_text(field.type)
            )
            if texts > TEXT_A_ROW * rows:
                check_unpacked(str(path), texts, packed, REMEDY)
            yield table.cast(kept)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, "is damaged", error) from error


def _frame(path: Path, schema: pa.Schema, table: pa.Table, id_column: str | None) -> pd.DataFrame:
    """Return a table for pandas, and a mark for each column that was not read."""
    if id_column is not None and id_column in schema.names:
        table = _with_ids(table, id_column, schema.field(id_column).type)
    try:
        frame: pd.DataFrame = table.to_pandas()
    except Exception as error:  # of what pandas has written about itself, too
        raise _unreadable(path, "cannot be read", error) from error
    gaps_as_nan(frame)
    for place, field in enumerate(schema):
        if field.name not in table.column_names:
            marks = [Unread(str(field.type))] * len(frame)
            frame.insert(min(place, frame.shape[1]), field.name, marks)
    frame.columns = [str(name) for name in frame.columns]
    return frame


def _with_ids(table: pa.Table, column: str, kind: pa.DataType) -> pa.Table:
    """Return a table with its identifiers as texts."""
    import pyarrow as pa

    place = table.schema.get_field_index(column)
    try:  # here, not in pandas: there 7 becomes 7.0 where another is missing
        if isinstance(kind, pa.BaseExtensionType):  # whose bytes may happen to be a text
            raise pa.ArrowTypeError(kind)
        return table.set_column(place, column, table.column(place).cast("string"))
    except (pa.ArrowException, IndexError) as error:  # bytes, or what was not read
        raise TableFileError(
            f"the column {column!r} is of the type {kind}, which names no row; choose another"
        ) from error


def _kept(schema: pa.Schema, id_column: str | None) -> pa.Schema:
    """Return the columns that are read.

    Numbers as such of 64 bits: a scaler computes in as many as it is given. Identifiers that are
    categories as the texts that they will be, so that these are measured.
    """
    import pyarrow as pa
    from pyarrow import types

    fields = []
    for column in schema:
        is_id = column.name == id_column and types.is_dictionary(column.type)
        field = column.with_type(column.type.value_type) if is_id else column
        is_narrow = types.is_float16(field.type) or types.is_float32(field.type)
        if not types.is_nested(field.type):
            fields.append(field.with_type(pa.float64()) if is_narrow else field)
    return pa.schema(fields, schema.metadata)


def _chunks(metadata: Any) -> Iterator[Any]:
    for group in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            yield metadata.row_group(group).column(column)


def _is_text(kind: pa.DataType) -> bool:
    """Tell texts and bytes, short or long."""
    from pyarrow import types

    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
    )


def _bytes_of_texts(column: Any) -> int:
    """Return what a column takes when each cell has its own text."""
    from pyarrow import compute

    total = 0
    for chunk in column.chunks:
        lengths = compute.binary_length(chunk.dictionary).take(chunk.indices)
        total += compute.sum(lengths).as_py() or 0
    return total


def _unreadable(path: Path, how: str, error: Exception) -> TableFileError:
    return TableFileError(f"{str(path)!r} {how}: {one_line(error)}; write it again")

"""Tables in Parquet files, some rows at a time, and never far more of them than the file is.

A text that comes in every row is written once: half a kilobyte can stand for a gigabyte of cells.
So texts are read as they are written, once each, and measured before they are put into the cells.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cattleya.files.errors import TableFileError
from cattleya.files.unpacking import check_unpacked
from cattleya.printable import shown

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["parquet_batches", "parquet_file", "parquet_table"]

BYTES_A_CELL = 8
ROWS_AT_ONCE = 1 << 16
REMEDY = "write it as CSV if that is right, without what the model does not take"
PREFIXES = "DELTA_BYTE_ARRAY"  # of each text only what is unlike the one before is written


def parquet_file(path: Path, **settings: Any) -> Any:
    """Open a file, and look at the names of its columns."""
    path.open("rb").close()  # the usual errors for a file that is not there
    try:
        from pyarrow.parquet import ParquetFile

        file = ParquetFile(path, **settings)
    except ImportError:
        raise TableFileError(
            'Parquet files need pyarrow: pip install "cattleya[parquet]"'
        ) from None
    except Exception as error:  # pyarrow's own errors have no common base that is always there
        raise TableFileError(
            f"{str(path)!r} cannot be read: {' '.join(str(error).split())}; write it again"
        ) from error
    names = file.schema_arrow.names
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise TableFileError(f"{str(path)!r} has the column {shown(twice)} twice; keep one")
    return file


def parquet_batches(path: Path, size: int) -> Iterator[pa.Table]:
    """Give the rows of a file, at most ``size`` at a time."""
    plain = parquet_file(path)  # first of all: it says that pyarrow is needed
    import pyarrow as pa
    from pyarrow import types

    packed = os.path.getsize(path)
    nested = {f.name for f in plain.schema_arrow if types.is_nested(f.type)}
    for chunk in _chunks(plain.metadata):
        unpacked = chunk.total_uncompressed_size
        is_inside = not nested.isdisjoint(_beginnings(chunk.path_in_schema))
        if chunk.physical_type == "BYTE_ARRAY" and (is_inside or PREFIXES in chunk.encodings):
            # What a cell holds is not known before it is made: at most all that was written.
            unpacked *= max(1, chunk.num_values)
        elif is_inside:  # a single row may hold a list of them all
            unpacked = max(unpacked, BYTES_A_CELL * chunk.num_values)
        check_unpacked(str(path), unpacked, packed, REMEDY)
    schema = _wide(plain.schema_arrow)
    once = [f.name for f in plain.schema_arrow if _is_text(f.type)]
    try:
        for batch in parquet_file(path, read_dictionary=once).iter_batches(batch_size=size):
            table = pa.Table.from_batches([batch])
            check_unpacked(str(path), sum(map(_bytes_in_cells, table.columns)), packed, REMEDY)
            yield table.cast(schema)
    except (pa.ArrowException, OSError) as error:
        raise TableFileError(
            f"{str(path)!r} is damaged: {' '.join(str(error).split())}; write it again"
        ) from error


def parquet_table(path: Path) -> pa.Table:
    """Return all rows of a file."""
    file, packed = parquet_file(path), os.path.getsize(path)
    cells = file.metadata.num_rows * file.metadata.num_columns
    check_unpacked(str(path), BYTES_A_CELL * cells, packed, REMEDY)
    batches: list[pa.Table] = []
    unpacked = 0
    for batch in parquet_batches(path, ROWS_AT_ONCE):
        batches.append(batch)
        unpacked += batch.nbytes
        check_unpacked(str(path), unpacked, packed, REMEDY)
    import pyarrow as pa

    return pa.concat_tables(batches) if batches else _wide(file.schema_arrow).empty_table()


def _wide(schema: pa.Schema) -> pa.Schema:
    """Return a schema with numbers of 64 bits: a scaler computes in as many as it is given."""
    import pyarrow as pa
    from pyarrow import types

    for place, field in enumerate(schema):
        if types.is_float16(field.type) or types.is_float32(field.type):
            schema = schema.set(place, field.with_type(pa.float64()))
    return schema


def _chunks(metadata: Any) -> Iterator[Any]:
    for group in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            yield metadata.row_group(group).column(column)


def _beginnings(path: str) -> list[str]:
    """Return ``a``, ``a.b`` and ``a.b.c`` for ``a.b.c``; a column may have a point in its name."""
    names = path.split(".")
    return [".".join(names[:count]) for count in range(1, len(names) + 1)]


def _is_text(kind: pa.DataType) -> bool:
    """Tell texts and bytes, short or long."""
    from pyarrow import types

    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
    )


def _bytes_in_cells(column: Any) -> int:
    """Return what a column takes when each cell has its own text."""
    from pyarrow import compute, types

    if not types.is_dictionary(column.type):
        return int(column.nbytes)
    total = 0
    for chunk in column.chunks:
        if _is_text(chunk.dictionary.type):
            lengths = compute.binary_length(chunk.dictionary).take(chunk.indices)
            total += compute.sum(lengths).as_py() or 0
    return total

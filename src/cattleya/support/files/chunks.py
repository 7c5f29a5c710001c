"""Tables in files, some rows at a time: memory does not grow with the file."""

from __future__ import annotations

import os
from collections.abc import Collection, Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cattleya.support.files.csv_form import TableForm
from cattleya.support.files.parquet import parquet_file, parquet_frames
from cattleya.support.files.tables import AS_IT_IS, CSV, PARQUET, csv_reader, read_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["count_rows", "even", "read_chunks"]

BLOCK = 1 << 20  # bytes


def read_chunks(
    path: str | os.PathLike[str],
    size: int,
    text: Collection[str] = (),
    id_column: str | None = None,
    columns: Collection[str] | None = None,
    form: TableForm = AS_IT_IS,
) -> Generator[pd.DataFrame]:
    """Give the rows of a table, ``size`` at a time; the last chunk may be shorter.

    Columns in ``text`` are left as they are written, as :func:`read_table` does; a column of
    identifiers is text, whatever it is in the file. Where others than ``columns`` can be passed
    over, they are.
    """
    path = Path(path)
    name = path.name.lower()
    if name.endswith(PARQUET):
        yield from even(parquet_frames(path, size, id_column, columns), size)
    elif name.removesuffix(".gz").endswith(CSV):
        as_written = text if id_column is None else {*text, id_column}
        yield from csv_reader(path, as_written, size, form)
    else:  # Excel's are read whole, and have at most a million rows
        yield from even([read_table(path, text, id_column, form)], size)


def count_rows(path: str | os.PathLike[str]) -> int | None:
    """Return the number of rows; of a CSV file the number of lines, which is about that.

    None where it would take as long as reading the table: of what is compressed.
    """
    name = os.fspath(path).lower()
    if name.endswith(PARQUET):
        return int(parquet_file(Path(path)).metadata.num_rows)
    return _count_lines(Path(path)) - 1 if name.endswith(CSV) else None


def _count_lines(path: Path) -> int:
    """Count the lines of a CSV file; a line break in quotes ends none."""
    lines, quoted, last = 0, False, b"\n"
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            for place, piece in enumerate(block.split(b'"')):
                quoted ^= place > 0
                lines += 0 if quoted else piece.count(b"\n")
            last = block[-1:]
    return lines + (last != b"\n")


def even(frames: Iterable[pd.DataFrame], size: int) -> Iterator[pd.DataFrame]:
    """Cut frames of any length into such of one length: chunks must not depend on the file's."""
    import pandas as pd

    waiting: list[pd.DataFrame] = []
    count = 0
    for frame in frames:
        rest = frame
        while count + len(rest) >= size:
            part = rest.iloc[: size - count]
            rest = rest.iloc[size - count :]
            whole = [*waiting, part] if waiting else [part]
            waiting, count = [], 0
            yield (pd.concat(whole) if len(whole) > 1 else part).reset_index(drop=True)
        if len(rest):
            waiting.append(rest)
            count += len(rest)
    if waiting:
        yield pd.concat(waiting).reset_index(drop=True)

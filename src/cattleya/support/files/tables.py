"""Tables in files: CSV (also compressed), Parquet, Excel; and one row of them."""

from __future__ import annotations

import csv
import gzip
import io
import os
import warnings
import zlib
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from cattleya.support.files.csv_form import TableForm, decimal_mark, encoding_of, heading_of
from cattleya.support.files.errors import TableFileError, one_line
from cattleya.support.files.excel import EXCEL, excel_table
from cattleya.support.files.parquet import parquet_table
from cattleya.support.files.regular import check_regular
from cattleya.support.files.unpacking import check_gzip
from cattleya.support.suggestions import known_names
from cattleya.support.text import quoted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AS_IT_IS", "csv_reader", "inferred", "read_table", "row_by_id", "row_by_number"]

CSV = (".csv", ".tsv", ".txt")
PARQUET = (".parquet", ".pq")
ENDINGS = ".csv, .csv.gz, .tsv, .parquet or .xlsx"
AS_IT_IS = TableForm()
IDS_SHOWN = 5
LARGEST_PIPE = 1 << 28  # bytes
#: What pandas says where it loses an exception that has no value, as that of Ctrl-C.
LOST = "Calling read(nbytes) on source failed"


def read_table(
    path: str | os.PathLike[str],
    text: Collection[str] = (),
    id_column: str | None = None,
    form: TableForm = AS_IT_IS,
) -> pd.DataFrame:
    """Return a table with a heading.

    Empty cells, ``NA``, ``NaN``, ``null`` and the like are missing, as pandas reads them. A column
    of numbers is numbers; those in ``text`` are left as they are written (``007`` is not 7). A
    column of identifiers is text, whatever it is in the file.
    """
    path = Path(path)
    name = path.name.lower()
    if name.endswith(PARQUET):
        table = parquet_table(path, id_column)
    elif name.endswith(EXCEL):
        table = excel_table(path, _as_written(text, id_column), form.sheet)
    elif name.removesuffix(".gz").endswith(CSV):
        table = _read_csv(path, _as_written(text, id_column), form)
    else:
        raise TableFileError(f"{str(path)!r} is not a table: its name must end in {ENDINGS}")
    if not len(table):
        raise TableFileError(f"{str(path)!r} has no rows; a table has rows below its header")
    return table


def row_by_number(table: pd.DataFrame, number: int) -> int:
    """Return the place of a row by its number, the first being 0."""
    if not 0 <= number < len(table):
        raise TableFileError(
            f"there is no row {number}: the table has {len(table)} rows, 0 to {len(table) - 1}"
        )
    return number


def row_by_id(table: pd.DataFrame, column: str, value: str) -> int:
    """Return the place of the one row that has a value in a column of identifiers."""
    if column not in table.columns:
        raise TableFileError(
            f"there is no column {column!r}; the table has "
            f"{known_names([column], list(table.columns))}"
        )
    found = (table[column].astype(str) == value).to_numpy().nonzero()[0].tolist()
    if not found:
        some = [str(known) for known in table[column].head(IDS_SHOWN)]
        raise TableFileError(
            f"no row has {value!r} in the column {column!r}, which has {quoted(some)} and so on"
        )
    if len(found) > 1:
        raise TableFileError(
            f"{len(found)} rows have {value!r} in the column {column!r}: rows "
            f"{', '.join(map(str, found[:IDS_SHOWN]))}{' ...' if len(found) > IDS_SHOWN else ''}; "
            f"choose one with --row"
        )
    return int(found[0])


def inferred(written: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column that was read as text as numbers or truth values, if it is such."""
    import pandas as pd

    try:
        return pd.to_numeric(written)
    except (ValueError, TypeError):
        pass
    truth = written.str.lower().map({"true": True, "false": False})
    return truth if (truth.notna() == written.notna()).all() else written


def _as_written(text: Collection[str], id_column: str | None) -> set[str]:
    return {*text} if id_column is None else {*text, id_column}


def _read_csv(path: Path, text: Collection[str], form: TableForm) -> pd.DataFrame:
    import pandas as pd

    chunks = list(csv_reader(path, text, None, form))
    return chunks[0] if len(chunks) == 1 else pd.concat(chunks, ignore_index=True)


def csv_reader(
    path: Path, text: Collection[str], size: int | None, form: TableForm = AS_IT_IS
) -> Iterator[pd.DataFrame]:
    """Give the rows of a CSV file, ``size`` at a time, or all at once."""
    import pandas as pd

    packed = path.suffix.lower() == ".gz"
    opened: Any = gzip.open if packed else open
    names: list[str] = []
    encoding = "utf-8"
    check_regular(path, may_be_pipe=not packed)
    try:
        if packed:
            check_gzip(path)
        with opened(path, "rb") as given:
            # A pipe can be read only once: it is taken whole.
            file = given if given.seekable() else io.BytesIO(_whole(path, given))
            encoding = encoding_of(str(path), file, form)
            file.seek(0)
            names, separator, start = heading_of(str(path), file, encoding, form)
            _check_names(path, names)
            file.seek(0)
            settings: dict[str, Any] = {
                "sep": separator,
                "decimal": decimal_mark(str(path), start, names, separator),
                "encoding": "utf-8-sig" if encoding == "utf-8" else encoding,
                "index_col": False,
                "low_memory": False,
                "dtype": {name: str for name in text if name in names},
            }
            with warnings.catch_warnings():
                # Rows that are longer than the heading: pandas would cut them with a warning.
                warnings.simplefilter("error", pd.errors.ParserWarning)
                if size is None:
                    yield pd.read_csv(file, **settings)
                    return
                with pd.read_csv(file, chunksize=size, **settings) as chunks:
                    for chunk in chunks:
                        yield chunk.reset_index(drop=True)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TableFileError(
            f"{str(path)!r} is damaged, or not .gz: {one_line(error)}; compress it again"
        ) from None
    except UnicodeDecodeError:
        raise TableFileError(
            f"{str(path)!r} is not {encoding}; name its encoding with --encoding, or convert it, "
            f"as with iconv"
        ) from None
    except pd.errors.ParserWarning:
        raise TableFileError(
            f"{str(path)!r} has rows with more cells than the {len(names)} of its header; correct "
            f"them"
        ) from None
    except (pd.errors.ParserError, csv.Error) as error:
        if LOST in str(error):
            raise KeyboardInterrupt from None
        raise TableFileError(
            f"{str(path)!r} is damaged, or not CSV: {one_line(error)}; correct it"
        ) from None


def _whole(path: Path, pipe: IO[bytes]) -> bytes:
    """Return all that comes from a pipe, which may have no end."""
    content = pipe.read(LARGEST_PIPE + 1)
    if len(content) > LARGEST_PIPE:
        raise TableFileError(
            f"{str(path)!r} is a pipe that gives more than {LARGEST_PIPE:,} bytes; write its rows "
            f"to a file first"
        )
    return content


def _check_names(path: Path, names: list[str]) -> None:
    if twice := sorted(name for name, times in Counter(names).items() if times > 1):
        raise TableFileError(
            f"{str(path)!r} has the column {quoted(twice)} more than once; rename one"
        )

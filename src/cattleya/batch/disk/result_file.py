"""Result files: what they were made from, and their rows, some at a time. Parquet or CSV."""

from __future__ import annotations

import csv
import json
import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from cattleya.batch.disk.csv_cells import from_cells
from cattleya.batch.provenance import KEY
from cattleya.explain.questions import ADDED
from cattleya.support.files.errors import one_line
from cattleya.support.files.regular import check_regular

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "RESULTS",
    "PartsError",
    "Records",
    "Results",
    "is_csv",
    "made_from_file",
    "open_results",
    "provenance_path",
    "statuses",
]

#: What the name of a result file may end in.
RESULTS = (".parquet", ".pq", ".csv")


class PartsError(ValueError):
    """A result, or parts of one, that cannot be used, and why."""


class Records(Protocol):
    """Some rows of a result; turned into Python values where they are needed."""

    def __len__(self) -> int: ...

    def to_pylist(self) -> Sequence[dict[str, Any] | ValueError]:
        """Return the rows by the names of their columns; what is wrong with one that is none."""


class Results(Protocol):
    """The rows of a result."""

    def faults(self, schema: pa.Schema) -> list[str]:
        """Return what is wrong with the columns."""

    def take(self, count: int) -> Records:
        """Return the next rows; fewer where there are no more."""


def is_csv(path: str | os.PathLike[str]) -> bool:
    """Tell whether a result is a CSV file."""
    return os.fspath(path).lower().endswith(".csv")


def provenance_path(path: str | os.PathLike[str]) -> Path:
    """Return where it stands what a CSV file was made from: CSV has no place for it."""
    return Path(f"{os.fspath(path)}.json")


def made_from_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a result file says that it was made from."""
    from pyarrow import parquet

    check_regular(path)
    try:
        if is_csv(path):
            check_regular(provenance_path(path))
            found = json.loads(provenance_path(path).read_text())
        else:
            found = json.loads((parquet.read_schema(path).metadata or {})[KEY])
    except FileNotFoundError as error:
        raise PartsError(
            f"{str(path)!r} is no result of cattleya without {error.filename!r}, which says what "
            f"it was made from"
        ) from None
    except KeyError:
        raise PartsError(
            f"{str(path)!r} is no result of cattleya: give a file that cattleya batch wrote"
        ) from None
    except Exception as error:  # pyarrow's own errors have no common base
        raise PartsError(f"{str(path)!r} cannot be read: {one_line(error)}") from error
    if not isinstance(found, dict):
        raise PartsError(
            f"{str(path)!r} is no result of cattleya: give a file that cattleya batch wrote"
        )
    return found


@contextmanager
def open_results(path: str | os.PathLike[str], schema: pa.Schema) -> Iterator[Results]:
    """Open the rows of a result that should have a schema."""
    if is_csv(path):
        with _csv_lines(path) as lines:
            yield CsvResults(lines, schema)
    else:
        from pyarrow import parquet

        with parquet.ParquetFile(path) as file:
            yield ParquetResults(file)


@contextmanager
def _csv_lines(path: str | os.PathLike[str]) -> Iterator[Iterator[list[str]]]:
    limit = csv.field_size_limit(1 << 30)  # importance names every condition of a row
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:  # a spreadsheet may add a mark
            yield csv.reader(file, strict=True)
    except csv.Error as error:
        raise PartsError(
            f"{os.fspath(path)!r} is damaged: {error}; remove it, and make it again"
        ) from None
    except UnicodeDecodeError:
        raise PartsError(
            f"{os.fspath(path)!r} is not UTF-8, so it is not as cattleya wrote it; make it again"
        ) from None
    finally:
        csv.field_size_limit(limit)


def statuses(path: str | os.PathLike[str]) -> Iterator[str]:
    """Give the status of each row of a result."""
    if is_csv(path):
        with _csv_lines(path) as lines:
            names = next(lines, [])
            if "status" not in names:
                raise csv.Error("it has no column 'status'")
            for line in lines:
                if len(line) != len(names):
                    raise csv.Error(f"a row has {len(line)} cells, not {len(names)}")
                yield line[names.index("status")]
    else:
        from pyarrow import parquet

        for batch in parquet.ParquetFile(path).iter_batches(columns=["status"]):
            yield from batch.column(0).to_pylist()


class ParquetResults:
    """The rows of a Parquet file."""

    def __init__(self, file: Any) -> None:
        self._schema = file.schema_arrow
        self._batches = file.iter_batches()
        self._waiting: deque[Any] = deque()

    def faults(self, schema: pa.Schema) -> list[str]:
        """Return what is wrong with the columns."""
        faults = _odd_names(self._schema.names, schema.names)
        return faults or [
            f"the column {field.name!r} is of the type {self._schema.field(field.name).type}, not "
            f"{field.type}"
            for field in schema
            if field.name in self._schema.names
            and self._schema.field(field.name).type != field.type
        ]

    def take(self, count: int) -> pa.Table:
        """Return the next rows; fewer where there are no more."""
        import pyarrow as pa

        taken: list[Any] = []
        while count:
            batch = self._waiting.popleft() if self._waiting else next(self._batches, None)
            if batch is None:
                break
            if len(batch) > count:
                self._waiting.appendleft(batch.slice(count))
                batch = batch.slice(0, count)
            taken.append(batch)
            count -= len(batch)
        return pa.Table.from_batches(taken, schema=self._schema)


class CsvResults:
    """The rows of a CSV file."""

    def __init__(self, lines: Iterator[list[str]], schema: pa.Schema) -> None:
        self._names = next(lines, [])
        self._lines = lines
        self._schema = schema

    def faults(self, schema: pa.Schema) -> list[str]:
        """Return what is wrong with the columns."""
        return _odd_names(self._names, schema.names)

    def take(self, count: int) -> CsvRecords:
        """Return the next rows; fewer where there are no more."""
        return CsvRecords(self._schema, self._names, list(islice(self._lines, count)))


class CsvRecords:
    """Some rows of a CSV file, as written."""

    def __init__(self, schema: pa.Schema, names: list[str], lines: list[list[str]]) -> None:
        self._schema, self._names, self._lines = schema, names, lines

    def __len__(self) -> int:
        return len(self._lines)

    def to_pylist(self) -> list[dict[str, Any] | ValueError]:
        """Return the rows by the names of their columns; what is wrong with one that is none."""
        return [self._record(line) for line in self._lines]

    def _record(self, line: list[str]) -> dict[str, Any] | ValueError:
        try:
            return from_cells(self._schema, self._names, line)
        except (ValueError, RecursionError) as error:  # JSON may be nested too deeply
            return ValueError(f"its line cannot be read: {error}")


def _odd_names(names: Sequence[str], expected: Sequence[str]) -> list[str]:
    expected = [name for name in expected if name in names or name not in ADDED]
    if sorted(names) == sorted(expected):
        return []
    odd = sorted(set(names) ^ set(expected)) or sorted(n for n in names if names.count(n) > 1)
    return [f"its columns are not those that were asked for: {', '.join(odd)}"]

"""Answers as cells of a CSV file, and back.

Lists and shares are JSON. A text that a spreadsheet would take for a formula, because it starts
with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return, gets an apostrophe in front; so does
one that starts with an apostrophe or is empty, so that what was there can be told. Numbers are
numbers, and never changed. What is missing is an empty cell.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["from_cells", "write_heading", "write_rows"]

RISKY = ("=", "+", "-", "@", "\t", "\r", "'")


def write_heading(file: TextIO, schema: pa.Schema) -> None:
    """Write the names of the columns."""
    csv.writer(file, lineterminator="\n").writerow(schema.names)


def write_rows(file: TextIO, table: pa.Table) -> None:
    """Write the rows of a table."""
    columns = [[_cell(value) for value in column.to_pylist()] for column in table.columns]
    csv.writer(file, lineterminator="\n").writerows(zip(*columns, strict=True))


def _cell(value: Any) -> str:
    """Return a value as text.

    Examples
    --------
    >>> _cell("=1+1"), _cell(-1), _cell(["age <= 3"]), _cell(None), _cell([("age <= 3", "1/2")])
    ("'=1+1", '-1', '["age <= 3"]', '', '{"age <= 3": "1/2"}')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if not value or value.startswith(RISKY) else value
    if isinstance(value, list):
        is_map = bool(value) and isinstance(value[0], tuple)
        return json.dumps(dict(value) if is_map else value, ensure_ascii=False)
    return json.dumps(value)


def from_cells(schema: pa.Schema, names: Sequence[str], line: list[str]) -> dict[str, Any]:
    """Return a line of a file by the names of its columns; ``ValueError`` where it is none."""
    if len(line) != len(names):
        raise ValueError(f"it has {len(line)} cells, not {len(names)}")
    return {
        name: _value(schema.field(name).type, cell) for name, cell in zip(names, line, strict=True)
    }


def _value(kind: pa.DataType, cell: str) -> Any:
    import pyarrow as pa

    if cell == "":
        return None
    if pa.types.is_string(kind):
        return cell.removeprefix("'")
    value = json.loads(cell)
    if pa.types.is_map(kind):
        return list(value.items()) if isinstance(value, dict) else value
    if pa.types.is_floating(kind) and isinstance(value, int):
        return float(value)
    return value

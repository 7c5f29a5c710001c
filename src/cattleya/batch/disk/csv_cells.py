"""Answers as cells of a CSV file, and back.

Lists and shares are JSON. Texts are written as ``support.files.csv_text`` does, so that none is a
formula. Numbers are numbers, and never changed. What is missing is an empty cell.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

from cattleya.support.files.csv_text import as_cell, as_json, csv_line, from_cell
from cattleya.support.text import shown

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["from_cells", "write_heading", "write_rows"]


def write_heading(file: TextIO, schema: pa.Schema) -> None:
    """Write the names of the columns."""
    file.write(csv_line(schema.names))


def write_rows(file: TextIO, table: pa.Table) -> None:
    """Write the rows of a table."""
    columns = [[_cell(value) for value in column.to_pylist()] for column in table.columns]
    file.writelines(map(csv_line, zip(*columns, strict=True)))


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
        return as_cell(value)
    if isinstance(value, list):
        is_map = bool(value) and isinstance(value[0], tuple)
        return as_json(dict(value) if is_map else value)
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
        return from_cell(cell)
    value = json.loads(cell, object_pairs_hook=_once)
    if pa.types.is_floating(kind) and type(value) is int:
        value = float(value)
    if pa.types.is_map(kind) and value == []:  # an empty one is written so
        value = {}
    if not _fits(pa, kind, value):
        raise ValueError(f"{shown(cell)} stands where {kind} belongs")
    return list(value.items()) if pa.types.is_map(kind) else value


def _fits(pa: Any, kind: pa.DataType, value: Any) -> bool:
    """Tell whether a value of JSON is of a type of Arrow's."""
    if pa.types.is_list(kind):
        return type(value) is list and all(_fits(pa, kind.value_type, one) for one in value)
    if pa.types.is_map(kind):
        return type(value) is dict and all(type(one) is str for one in value.values())
    for is_kind, wanted in (
        (pa.types.is_string, str),
        (pa.types.is_boolean, bool),
        (pa.types.is_integer, int),
        (pa.types.is_floating, float),
    ):
        if is_kind(kind):
            return type(value) is wanted
    return False


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the entries of an object; ``ValueError`` where one is there twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found

"""Rows of a Parquet file by their places, and whole columns one at a time.

For whoever looks at some rows of a large file: only the row groups that have them are read, some
rows at a time, and no further than the last one asked for. What was read lately is kept, and who
goes on where the last reading ended does not begin anew. Several threads may ask.
"""

from __future__ import annotations

import os
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cattleya.support.files.chunks import even
from cattleya.support.files.errors import TableFileError
from cattleya.support.files.parquet import REMEDY, check_rows, frames_of, parquet_file
from cattleya.support.files.unpacking import check_unpacked

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["ParquetRows"]

AT_ONCE = 1 << 14  # rows
FRAMES_KEPT, COLUMNS_KEPT = 8, 3


class ParquetRows:
    """The rows of a Parquet file.

    Attributes
    ----------
    names : tuple of str
        The columns, without nested ones.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        from pyarrow import types

        self._path = Path(path)
        self._file = parquet_file(self._path)
        check_rows(self._path, self._file)
        schema = self._file.schema_arrow
        self._schema: pa.Schema = (
            schema.empty_table()
            .select([field.name for field in schema if not types.is_nested(field.type)])
            .schema
        )
        self.names = tuple(self._schema.names)
        metadata = self._file.metadata
        groups = range(metadata.num_row_groups)
        self._starts: list[int] = [
            0,
            *accumulate(metadata.row_group(group).num_rows for group in groups),
        ]
        self._frames: OrderedDict[tuple[int, int], pd.DataFrame] = OrderedDict()
        self._columns: OrderedDict[str, pd.Series[Any]] = OrderedDict()
        self._open: tuple[int, int, Iterator[pd.DataFrame]] | None = None  # group, part, the rest
        self._lock = threading.RLock()
        if not len(self):
            raise TableFileError(f"{str(path)!r} has no rows; a table has rows below its header")

    def __len__(self) -> int:
        return self._starts[-1]

    def rows(self, places: Sequence[int]) -> pd.DataFrame:
        """Return some rows, in the order given; their labels are their places."""
        import pandas as pd

        wanted: dict[tuple[int, int], list[int]] = {}
        for place in sorted(set(places)):
            group = bisect_right(self._starts, place) - 1
            part = (place - self._starts[group]) // AT_ONCE
            wanted.setdefault((group, part), []).append(place)
        found = []
        with self._lock:
            read = self._read(wanted)
        for (group, part), own in read:
            first = self._starts[group] + part * AT_ONCE
            here = wanted[group, part]
            found.append(own.iloc[[place - first for place in here]].set_axis(here))
        return pd.concat(found).loc[list(places)] if found else pd.DataFrame(columns=self.names)

    def label(self, place: int) -> int:
        """Return what a row is called: its place."""
        return place

    def _read(
        self, wanted: dict[tuple[int, int], list[int]]
    ) -> list[tuple[tuple[int, int], pd.DataFrame]]:
        """Return the parts of row groups that are wanted."""
        found = {key: self._frames[key] for key in wanted if key in self._frames}
        for group in dict.fromkeys(group for group, _ in wanted):
            parts = [part for own, part in wanted if own == group and (own, part) not in found]
            if not parts:
                continue
            part, rest = self._from(group, min(parts))
            for frame in rest:
                if part in parts:
                    found[group, part] = self._keep((group, part), frame)
                part += 1
                if part > max(parts):
                    break
            self._open = group, part, rest
        return [(key, found[key]) for key in wanted]

    def _from(self, group: int, part: int) -> tuple[int, Iterator[pd.DataFrame]]:
        """Return where a reading of a group stands, not after a part, and what follows."""
        known, self._open = self._open, None
        if known is not None and known[0] == group and known[1] <= part:
            return known[1:]
        read = frames_of(self._path, self._file, AT_ONCE, self._schema, groups=[group])
        return 0, even(read, AT_ONCE)

    def _keep(self, key: tuple[int, int], frame: pd.DataFrame) -> pd.DataFrame:
        self._frames[key] = frame
        while len(self._frames) > FRAMES_KEPT:
            self._frames.popitem(last=False)
        return frame

    def column(self, name: str) -> pd.Series[Any]:
        """Return a whole column; texts as categories, each text once."""
        with self._lock:
            return self._column(name)

    def _column(self, name: str) -> pd.Series[Any]:
        import pyarrow as pa

        if name not in self._columns:
            metadata, packed = self._file.metadata, os.path.getsize(self._path)
            place = metadata.schema.names.index(name)
            for group in range(metadata.num_row_groups):
                written = metadata.row_group(group).column(place).total_uncompressed_size
                check_unpacked(str(self._path), written, packed, REMEDY)
            kind = self._schema.field(name).type
            texts = pa.types.is_string(kind) or pa.types.is_large_string(kind)
            file = parquet_file(self._path, read_dictionary=[name] if texts else [])
            chunks = [batch.column(0) for batch in file.iter_batches(1 << 16, columns=[name])]
            whole = pa.chunked_array(chunks)
            if texts:
                whole = whole.dictionary_encode() if not _coded(whole) else whole
                whole = whole.unify_dictionaries()
            self._columns[name] = whole.to_pandas().rename(name)
            while len(self._columns) > COLUMNS_KEPT:
                self._columns.popitem(last=False)
        self._columns.move_to_end(name)
        return self._columns[name]

    def types(self) -> pd.DataFrame | None:
        """Return what the file says of its columns: whole numbers and truth values; else None."""
        import pandas as pd
        import pyarrow as pa

        kinds = {
            field.name: "Int64"
            if pa.types.is_integer(field.type)
            else "boolean"
            if pa.types.is_boolean(field.type)
            else "object"
            for field in self._schema
        }
        if not set(kinds.values()) - {"object"}:
            return None
        return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in kinds.items()})


def _coded(column: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_dictionary(column.type))

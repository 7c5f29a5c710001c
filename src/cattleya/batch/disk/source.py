"""The table that rows come from: what a model takes from it, and the column that names them."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cattleya.adapters.columns import ModelColumns
from cattleya.batch.reading import Ids
from cattleya.model.domain.column_types import types_of
from cattleya.support.files.chunks import count_rows, read_chunks
from cattleya.support.files.csv_form import TableForm
from cattleya.support.files.errors import TableFileError
from cattleya.support.files.regular import check_regular
from cattleya.support.files.tables import AS_IT_IS, inferred
from cattleya.support.suggestions import known_names

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Source"]

ROWS_AT_ONCE = 1 << 14


@dataclass(frozen=True)
class Source:
    """A CSV or Parquet file, the columns of a model, and the column of identifiers, if any."""

    path: str | os.PathLike[str]
    columns: ModelColumns
    id_column: str | None = None
    form: TableForm = AS_IT_IS

    def chunks(self, size: int) -> Generator[tuple[pd.DataFrame, Ids], None, None]:
        """Give the rows, ``size`` at a time, as the model takes them, and their identifiers."""
        names = self.columns.names
        text = self.columns.text
        for frame in read_chunks(self.path, size, text, self.id_column, names, self.form):
            yield self._chosen(frame)

    def types(self) -> pd.DataFrame | None:
        """Return what the types of the columns are, over all rows; None where they say nothing."""
        with closing(self.chunks(ROWS_AT_ONCE)) as frames:
            found: pd.DataFrame | None = types_of(frame for frame, _ in frames)
            return found

    def check_file(self) -> None:
        """Refuse a file that is not there, and a pipe: a table is read more than once."""
        check_regular(self.path)

    def count(self) -> int | None:
        """Return the number of rows, or about that; None where it is not known."""
        return count_rows(self.path)

    def _chosen(self, frame: pd.DataFrame) -> tuple[pd.DataFrame, Ids]:
        if self.id_column is None:
            return self.columns.choose(frame)[0], None
        if self.id_column not in frame.columns:
            raise TableFileError(
                f"there is no column {self.id_column!r}; the table has "
                f"{known_names([self.id_column], list(frame.columns))}"
            )
        written = frame[self.id_column]
        ids = [
            None if missing else str(id_)
            for id_, missing in zip(written, written.isna(), strict=True)
        ]
        if self.id_column not in (self.columns.names or ()):
            frame = frame.drop(columns=self.id_column)
        elif self.id_column not in self.columns.text:
            frame = frame.assign(**{self.id_column: inferred(written)})
        return self.columns.choose(frame)[0], ids

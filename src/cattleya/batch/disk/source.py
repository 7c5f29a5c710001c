"""The table that rows come from: what a model takes from it, and the column that names them."""

from __future__ import annotations

import os
from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cattleya.adapters.columns import ModelColumns
from cattleya.batch.reading import Ids
from cattleya.support.files.chunks import count_rows, read_chunks
from cattleya.support.files.errors import TableFileError
from cattleya.support.files.regular import check_regular
from cattleya.support.files.tables import inferred
from cattleya.support.text import quoted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Source"]


@dataclass(frozen=True)
class Source:
    """A CSV or Parquet file, the columns of a model, and the column of identifiers, if any."""

    path: str | os.PathLike[str]
    columns: ModelColumns
    id_column: str | None = None

    def chunks(self, size: int) -> Generator[tuple[pd.DataFrame, Ids], None, None]:
        """Give the rows, ``size`` at a time, as the model takes them, and their identifiers."""
        names = self.columns.names
        for frame in read_chunks(self.path, size, self.columns.text, self.id_column, names):
            yield self._chosen(frame)

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
                f"{quoted(list(frame.columns))}"
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

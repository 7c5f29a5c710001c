"""Small CSV files of plain cells, read without pandas, whose import takes longer than all else.

Plain is what every reader takes for the same: whole numbers and decimals of at most 15 digits, of
which every way to compute them gives the nearest float, and words of ASCII that stand for nothing
else. Any other file (gaps, quotes, dates, truth values, long numbers, a file that is
damaged) is none of these, and pandas reads it: what is read is the same, or nothing.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cattleya.support.files.csv_form import TableForm, heading_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PlainTable", "plain_table"]

LARGEST = 1 << 20  # bytes: beyond, pandas is as quick
WHOLE = re.compile(r"(?:-?[0-9]{1,15}\n)+")
DECIMAL = re.compile(r"(?:-?(?=[0-9.]{1,15}\n)[0-9]+(?:\.[0-9]+)?\n)+")
WORDS = re.compile(r"(?: ?[A-Za-z][^\n]*\n)+")
#: Words that stand for a number, a truth value or a gap.
MEANT = {"na", "nan", "n/a", "null", "none", "inf", "infinity", "true", "false"}


@dataclass(frozen=True)
class PlainTable:
    """A table in memory: the names of its columns, and their cells.

    It is a table of another library to everything that takes one (``to_pandas``).
    """

    columns: tuple[str, ...]
    cells: tuple[npt.NDArray[Any], ...]

    def __len__(self) -> int:
        return len(self.cells[0])

    @property
    def dtypes(self) -> tuple[np.dtype[Any], ...]:
        """The types of the columns: whole numbers, floats, or objects, which are text."""
        return tuple(column.dtype for column in self.cells)

    def __getitem__(self, names: Sequence[str]) -> PlainTable:
        """Return some columns, in the order given."""
        places = [self.columns.index(name) for name in names]
        return PlainTable(tuple(names), tuple(self.cells[place] for place in places))

    def rows(self, places: Sequence[int]) -> PlainTable:
        """Return some rows, in the order given."""
        taken = np.asarray(places, dtype=np.intp)
        return PlainTable(self.columns, tuple(column[taken] for column in self.cells))

    @property
    def is_numbers(self) -> bool:
        """Whether there is nothing but numbers."""
        return all(dtype.kind != "O" for dtype in self.dtypes)

    def matrix(self) -> npt.NDArray[Any]:
        """Return the numbers, a row on each line."""
        return np.column_stack(self.cells)

    def to_pandas(self) -> pd.DataFrame:
        """Return the same as pandas would have read it."""
        import pandas as pd

        kinds = [list(own) if own.dtype.kind == "O" else own for own in self.cells]
        return pd.DataFrame(dict(zip(self.columns, kinds, strict=True)))


def plain_table(path: Path, form: TableForm) -> PlainTable | None:
    """Read a file, if it is small and plain; None if pandas has to."""
    if form != TableForm() or path.suffix.lower() != ".csv" or not path.is_file():
        return None
    if path.stat().st_size > LARGEST:
        return None
    content = path.read_bytes().replace(b"\r\n", b"\n")
    if not content.isascii() or re.search(rb'["\r\0]|\n\n|^\n', content) or not content.strip():
        return None
    names, separator, _ = heading_of(str(path), io.BytesIO(content), "utf-8", form)
    lines = content.decode("ascii").removesuffix("\n").split("\n")[1:]
    if separator != "," or not lines or "" in names or len(set(names)) < len(names):
        return None
    rows = [line.split(",") for line in lines]
    if set(map(len, rows)) != {len(names)}:
        return None
    cells = [_column(column) for column in zip(*rows, strict=True)]
    known = tuple(own for own in cells if own is not None)
    return PlainTable(tuple(names), known) if len(known) == len(cells) else None


def _column(cells: tuple[str, ...]) -> npt.NDArray[Any] | None:
    joined = "\n".join(cells) + "\n"
    if WHOLE.fullmatch(joined):
        return np.array(list(map(int, cells)), dtype=np.int64)
    if DECIMAL.fullmatch(joined):
        return np.array(list(map(float, cells)), dtype=np.float64)
    if WORDS.fullmatch(joined) and MEANT.isdisjoint(cell.strip().lower() for cell in set(cells)):
        return np.array(cells, dtype=object)
    return None

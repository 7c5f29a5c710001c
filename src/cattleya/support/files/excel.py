"""Tables in Excel files (.xlsx): one sheet, read whole by pandas and openpyxl.

A workbook is a zip archive: what it unpacks to is looked at before. Formulas are not computed: the
values that Excel has stored with them are read.
"""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cattleya.support.files.errors import TableFileError, one_line
from cattleya.support.files.regular import check_regular
from cattleya.support.files.unpacking import check_archive
from cattleya.support.suggestions import known_names
from cattleya.support.text import quoted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EXCEL", "excel_table"]

EXCEL = (".xlsx", ".xlsm")


def excel_table(path: Path, text: Collection[str], sheet: str | None) -> pd.DataFrame:
    """Return the table in a sheet, by default the first; columns in ``text`` are texts."""
    import pandas as pd

    check_regular(path)
    try:
        import openpyxl  # noqa: F401 - pandas needs it
    except ImportError:
        raise TableFileError('Excel files need openpyxl: pip install "cattleya[excel]"') from None
    try:
        with path.open("rb") as file:
            check_archive(str(path), file, path.stat().st_size, "save it as CSV")
        with pd.ExcelFile(path, engine="openpyxl") as book:
            name = _sheet(path, [str(one) for one in book.sheet_names], sheet)
            names = _heading(path, book, name)
            kept = {column: str for column in text if column in names}
            table = pd.read_excel(book, sheet_name=name, dtype=kept or None)
    except TableFileError:
        raise
    except (zipfile.BadZipFile, KeyError, OSError, TypeError, ValueError, IndexError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise TableFileError(
            f"{str(path)!r} is damaged, or not .xlsx: {one_line(error)}; save it again"
        ) from None
    # An empty row is a row without values in a sheet, not one of the table.
    return table.dropna(how="all").reset_index(drop=True)


def _sheet(path: Path, names: list[str], wanted: str | None) -> str:
    if wanted is None:
        return names[0]
    if wanted not in names:
        raise TableFileError(
            f"{str(path)!r} has no sheet {wanted!r}; it has {known_names([wanted], names)}"
        )
    return wanted


def _heading(path: Path, book: Any, sheet: str) -> list[str]:
    """Return the names of the columns; refuse some that are there twice, or no names at all."""
    import pandas as pd

    first = pd.read_excel(book, sheet_name=sheet, header=None, nrows=1, dtype=object)
    names = [] if not len(first) else first.iloc[0].tolist()
    if not names:
        raise TableFileError(f"the sheet {sheet!r} of {str(path)!r} is empty; begin with names")
    blank = [place for place, name in enumerate(names, 1) if not isinstance(name, str)]
    if blank:
        raise TableFileError(
            f"the sheet {sheet!r} of {str(path)!r} has no name in column {blank[0]} of its first "
            f"row; begin with a row of column names"
        )
    if twice := sorted(name for name, times in Counter(names).items() if times > 1):
        raise TableFileError(
            f"{str(path)!r} has the column {quoted(twice)} more than once; rename one"
        )
    return names

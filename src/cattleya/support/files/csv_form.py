"""How a table in a file is written: what separates its cells, its encoding, its decimal mark.

What a user says goes before. Otherwise the mark that gives the header the most columns separates
the cells. A file with a byte order mark is read as that says, one that is UTF-8 as UTF-8, and any
other as Windows-1252, in which most programs on Windows write: that is said, as is a decimal comma.
"""

from __future__ import annotations

import codecs
import csv
import re
import warnings
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from typing import IO

from cattleya.support.files.errors import TableFileError
from cattleya.support.text import quoted

__all__ = ["TableForm", "decimal_mark", "encoding_of", "heading_of"]

SEPARATORS = ",;\t|"
BLOCK = 1 << 20  # bytes: more than most headings
LONGEST_HEADING = 16 * BLOCK
FALLBACK = "cp1252"
#: The marks at the start of a file; that of UTF-32 begins as that of UTF-16 does.
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
LOOKED_AT = 100  # rows, to tell how numbers are written
WHOLE = re.compile(r"\s*[+-]?\d+\s*")
WITH_COMMA = re.compile(r"\s*[+-]?\d*,\d+\s*")
WITH_POINT = re.compile(r"\s*[+-]?\d*\.\d+\s*")


@dataclass(frozen=True)
class TableForm:
    """What a user says about a table: None is what the file itself tells.

    ``sheet`` is the sheet of an Excel file, by default its first.
    """

    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None

    def __post_init__(self) -> None:
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '"\r\n'):
            raise ValueError(
                f"the delimiter must be a single character such as ';', or 'tab', not "
                f"{self.delimiter!r}"
            )
        if self.encoding is not None:
            try:
                "".encode(self.encoding)
            except (LookupError, ValueError):
                raise ValueError(
                    f"there is no encoding {self.encoding!r}; give one such as utf-8, utf-16, "
                    f"cp1252 or latin-1"
                ) from None


def encoding_of(name: str, file: IO[bytes], form: TableForm) -> str:
    """Return the encoding of a file, which is read to its end; say so where it is assumed."""
    if form.encoding is not None:
        return form.encoding
    block = file.read(BLOCK)
    for mark, encoding in MARKS:
        if block.startswith(mark):
            return encoding
    if b"\0" in block:
        raise TableFileError(
            f"{name!r} has zero bytes, as UTF-16 without a byte order mark has; name its encoding, "
            f"as with --encoding utf-16-le, or convert it, as with iconv"
        )
    decoder = codecs.getincrementaldecoder("utf-8")()
    fallback = codecs.getincrementaldecoder(FALLBACK)()
    is_utf8 = True
    try:
        while block:
            fallback.decode(block)
            is_utf8 = is_utf8 and _decodes(decoder, block)
            block = file.read(BLOCK)
    except UnicodeDecodeError:
        if not is_utf8 or not _rest_decodes(decoder, block, file):
            raise TableFileError(
                f"{name!r} is neither UTF-8 nor Windows-1252; name its encoding, as with "
                f"--encoding latin-1, or convert it, as with iconv"
            ) from None
        return "utf-8"
    if is_utf8 and _decodes(decoder, b"", final=True):
        return "utf-8"
    warnings.warn(
        f"{name!r} is not UTF-8; it was read as Windows-1252 (Western European). If it is written "
        f"otherwise, name its encoding with --encoding",
        UserWarning,
        stacklevel=2,
    )
    return FALLBACK


def _decodes(decoder: codecs.IncrementalDecoder, block: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(block, final)
    except UnicodeDecodeError:
        return False
    return True


def _rest_decodes(decoder: codecs.IncrementalDecoder, block: bytes, file: IO[bytes]) -> bool:
    """Tell whether what is left is right; ``block`` has been read already."""
    while block:
        if not _decodes(decoder, block):
            return False
        block = file.read(BLOCK)
    return _decodes(decoder, b"", final=True)


def heading_of(
    name: str, file: IO[bytes], encoding: str, form: TableForm
) -> tuple[list[str], str, str]:
    """Return the names of the columns, what separates them, and the text that they stand in."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    text = ""
    while block := file.read(BLOCK):
        text = (text + decoder.decode(block)).removeprefix("\ufeff").lstrip("\r\n")
        if "\n" in text.removesuffix("\n") or "\r" in text:
            break  # the heading is whole, unless it has line breaks in quotes
        if len(text) > LONGEST_HEADING:
            raise TableFileError(
                f"{name!r} is not a table: its first line has more than {len(text)} bytes; begin "
                f"with a line of column names"
            )
    if not text.strip():
        raise TableFileError(f"{name!r} is empty; begin with a line of column names")
    headings: dict[str, list[str]] = {}
    for mark in SEPARATORS if form.delimiter is None else form.delimiter:
        with suppress(csv.Error):  # one cell of the whole line: it is not this mark
            headings[mark] = next(csv.reader(StringIO(text, newline=""), delimiter=mark), [])
    separator = max(headings, key=lambda mark: len(headings[mark]), default=form.delimiter or ",")
    return headings.get(separator, []), separator, text


def decimal_mark(name: str, text: str, names: list[str], separator: str) -> str:
    """Return the mark of decimals in the first rows; say so where it is a comma."""
    if separator == ",":
        return "."
    rows = []
    with suppress(csv.Error):
        for row in csv.reader(StringIO(text, newline=""), delimiter=separator):
            rows.append(row)
            if len(rows) > LOOKED_AT:
                break
    columns = list(
        zip(*(row for row in rows[1:-1] or rows[1:] if len(row) == len(names)), strict=True)
    )
    with_comma = [
        column_name
        for column_name, cells in zip(names, columns, strict=False)
        if _all(cells, WITH_COMMA)
    ]
    if not with_comma or any(_all(cells, WITH_POINT) for cells in columns):
        return "."
    warnings.warn(
        f"{name!r} has numbers with a decimal comma, in {quoted(with_comma)}; they were read so",
        UserWarning,
        stacklevel=2,
    )
    return ","


def _all(cells: tuple[str, ...], kind: re.Pattern[str]) -> bool:
    """Tell whether the cells of a column are numbers, some of them of a kind."""
    there = [cell for cell in cells if cell.strip()]
    return any(map(kind.fullmatch, there)) and all(
        kind.fullmatch(cell) or WHOLE.fullmatch(cell) for cell in there
    )

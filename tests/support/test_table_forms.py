"""Tables as other programs write them: delimiters, encodings, decimal commas, Excel."""

from __future__ import annotations

import codecs
import io
import signal
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cattleya.support.files import tables
from cattleya.support.files.chunks import read_chunks
from cattleya.support.files.csv_form import TableForm
from cattleya.support.files.errors import TableFileError
from cattleya.support.files.tables import read_table

TABLE = pd.DataFrame(
    {"âge": [35, 40, 28], "pay": [1.5, 2.25, -3.125], "job": ["infirmière", "cook", "maçon"]}
)


def read(path: Path, form: TableForm | None = None, note: str = "") -> pd.DataFrame:
    """Read a table whole and in chunks, which must be the same; ``note`` is what must be said."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        table = read_table(path, form=form or TableForm())
        chunks = pd.concat(read_chunks(path, 1 << 17, form=form or TableForm()), ignore_index=True)
    assert bool(said) == bool(note)
    assert all(any(note in str(one.message) for one in said) for _ in said[:1])
    pd.testing.assert_frame_equal(table, chunks)
    return table


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_what_the_file_tells(tmp_path: Path, delimiter: str, encoding: str) -> None:
    TABLE.to_csv(tmp_path / "t.csv", index=False, sep=delimiter, encoding=encoding)
    pd.testing.assert_frame_equal(read(tmp_path / "t.csv"), TABLE)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_windows_1252_is_assumed_and_said(tmp_path: Path, name: str) -> None:
    TABLE.to_csv(tmp_path / name, index=False, encoding="cp1252")
    pd.testing.assert_frame_equal(read(tmp_path / name, note="read as Windows-1252"), TABLE)
    form = TableForm(encoding="cp1252")
    pd.testing.assert_frame_equal(read(tmp_path / name, form), TABLE)


def test_a_single_letter_late_in_a_long_file(tmp_path: Path) -> None:
    """What is no UTF-8 may come after what looks like ASCII, and be cut by the end of a block."""
    lines = b"name,n\n" + b"abc,1\n" * 200_000
    (tmp_path / "late.csv").write_bytes(lines + b"caf\xe9,2\n")
    assert read(tmp_path / "late.csv", note="Windows-1252")["name"].iloc[-1] == "café"
    whole = lines[: (1 << 20) - 1].rpartition(b"\n")[0] + b"\n"
    padding = b"x" * ((1 << 20) - len(whole) - 1)
    (tmp_path / "cut.csv").write_bytes(whole + padding + "é,2\n".encode())
    assert read(tmp_path / "cut.csv")["name"].iloc[-1].endswith("é")


def test_what_is_no_known_encoding(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"a,b\n\x81\xff,2\n")
    with pytest.raises(TableFileError, match="neither UTF-8 nor Windows-1252; name its encoding"):
        read_table(tmp_path / "t.csv")
    assert read(tmp_path / "t.csv", TableForm(encoding="latin-1"))["a"][0] == "\x81ÿ"
    (tmp_path / "n.csv").write_bytes("a,b\n1,2\n".encode("utf-16-le"))
    with pytest.raises(TableFileError, match=r"zero bytes, as UTF-16 without .* utf-16-le"):
        read_table(tmp_path / "n.csv")
    assert read(tmp_path / "n.csv", TableForm(encoding="utf-16-le"))["b"][0] == 2
    TABLE.to_csv(tmp_path / "u.csv", index=False)
    with pytest.raises(TableFileError, match="is not ascii; name its encoding"):
        read_table(tmp_path / "u.csv", form=TableForm(encoding="ascii"))
    assert codecs.BOM_UTF16_LE in codecs.BOM_UTF32_LE  # so that its order matters


def test_decimal_commas(tmp_path: Path) -> None:
    TABLE.to_csv(tmp_path / "t.csv", index=False, sep=";", decimal=",")
    pd.testing.assert_frame_equal(read(tmp_path / "t.csv", note="decimal comma, in 'pay'"), TABLE)
    (tmp_path / "both.csv").write_text("a;b\n1,5;2.5\n2,5;3.5\n1;1\n")
    assert read(tmp_path / "both.csv")["a"].tolist() == ["1,5", "2,5", "1"]  # nothing is assumed
    (tmp_path / "words.csv").write_text("a;b\n1,5;2\nx;3\n1,5;2\n")
    assert read(tmp_path / "words.csv")["a"].tolist() == ["1,5", "x", "1,5"]


def test_a_delimiter_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;b,c;d\n1;x,y;4\n")
    assert list(read(tmp_path / "t.csv").columns) == ["a", "b,c", "d"]
    assert list(read(tmp_path / "t.csv", TableForm(",")).columns) == ["a;b", "c;d"]
    (tmp_path / "h.csv").write_text("a#b\n1#2\n")
    assert read(tmp_path / "h.csv", TableForm("#"))["b"][0] == 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"delimiter": ";;"}, "a single character such as ';'"),
        ({"delimiter": "\n"}, "a single character"),
        ({"encoding": "utf-9"}, "there is no encoding 'utf-9'; give one such as"),
        ({"encoding": "rot13"}, "there is no encoding 'rot13'"),
    ],
)
def test_forms_that_there_are_not(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TableForm(**settings)


def workbook(path: Path, **sheets: pd.DataFrame) -> Path:
    pytest.importorskip("openpyxl")
    with pd.ExcelWriter(path) as book:
        for name, table in sheets.items():
            table.to_excel(book, sheet_name=name, index=False)
    return path


def test_excel(tmp_path: Path) -> None:
    second = pd.DataFrame({"id": ["007", "008"], "n": [1, 2], "ok": [True, False]})
    path = workbook(tmp_path / "t.xlsx", people=TABLE, second=second)
    pd.testing.assert_frame_equal(read(path), TABLE)
    form = TableForm(sheet="second")
    pd.testing.assert_frame_equal(read_table(path, ["id"], form=form), second)
    assert read(path, form)["id"].tolist() == [7, 8]  # as in a CSV file
    assert read_table(path, text=["âge"])["âge"].tolist() == ["35", "40", "28"]
    with pytest.raises(TableFileError, match=r"no sheet 'secnd'; .* did you mean 'second'"):
        read_table(path, form=TableForm(sheet="secnd"))


def test_excel_that_is_no_table(tmp_path: Path) -> None:
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(TableFileError, match="the column 'a' more than once"):
        read_table(workbook(tmp_path / "twice.xlsx", s=twice))
    with pytest.raises(TableFileError, match="no name in column 2"):
        read_table(workbook(tmp_path / "none.xlsx", s=pd.DataFrame([[1, 2]], columns=["a", None])))
    with pytest.raises(TableFileError, match="is empty; begin with names"):
        read_table(workbook(tmp_path / "empty.xlsx", s=pd.DataFrame()))
    (tmp_path / "damaged.xlsx").write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(TableFileError, match=r"is damaged, or not \.xlsx"):
        read_table(tmp_path / "damaged.xlsx")
    with zipfile.ZipFile(tmp_path / "other.xlsx", "w") as archive:
        archive.writestr("a", "b")
    with pytest.raises(TableFileError, match=r"is damaged, or not \.xlsx"):
        read_table(tmp_path / "other.xlsx")


def test_excel_that_unpacks_to_too_much(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    sheet = "xl/worksheets/sheet1.xml"
    with (
        zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(sheet, "w", force_zip64=True) as part,
    ):
        for _ in range(300):
            part.write(bytes(1 << 20))
    with pytest.raises(ValueError, match="which is too much; save it as CSV"):
        read_table(tmp_path / "bomb.xlsx")


class Interrupted(io.BytesIO):
    """A file at whose reading Ctrl-C is pressed, once its header is known."""

    def read1(self, size: int | None = -1, /) -> bytes:
        signal.raise_signal(signal.SIGINT)
        return super().read1(size)


def test_an_interrupt_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    TABLE.to_csv(path, index=False)
    opened = Interrupted(path.read_bytes())
    monkeypatch.setattr(tables, "open", lambda *_: opened, raising=False)
    with pytest.raises(KeyboardInterrupt):
        read_table(path)

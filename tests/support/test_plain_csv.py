"""Plain CSV files are read as pandas reads them, or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

from cattleya.support.files.csv_form import TableForm
from cattleya.support.files.plain import LARGEST, plain_table
from cattleya.support.files.tables import read_table

CELLS = (
    ("0", "-0", "007", "-12", "999999999999999"),
    ("0.1", "-0.0", "3", "123456.789012345"[:15], "0.30000000000000"[:15], "00.5"),
    ("Private", "a b", " Sales", "?x"[1:], "e5", "Nano", "Infinite"),
    ("", "NA", "nan", "True", "false", "inf", "1e5", ".5", "5.", "+1", " 1", "2020-01-01", "None"),
    ("1234567890123456", "0.12345678901234567890", "12345678901234567890123", "1_000", "0x10"),
)


def as_pandas_reads(path: Path) -> None:
    plain = plain_table(path, TableForm())
    if plain is not None:
        assert_frame_equal(plain.to_pandas(), read_table(path), check_exact=True)


@pytest.mark.parametrize("seed", range(60))
def test_random_files_are_read_as_pandas_reads_them(tmp_path: Path, seed: int) -> None:
    """Columns of one kind of cell, or of several."""
    draw = np.random.default_rng(seed)
    n_rows, columns = int(draw.integers(1, 6)), []
    for _ in range(int(draw.integers(1, 5))):
        kinds = draw.integers(0, 3 if seed % 2 else len(CELLS), size=int(draw.integers(1, 3)))
        known = [cell for kind in kinds for cell in CELLS[kind]]
        columns.append([str(cell) for cell in draw.choice(known, n_rows)])
    lines = [",".join(f"c{place}" for place in range(len(columns)))]
    lines += [",".join(cells) for cells in zip(*columns, strict=True)]
    path = tmp_path / "rows.csv"
    path.write_text(("\r\n" if seed % 3 else "\n").join(lines) + "\n" * (seed % 2))
    as_pandas_reads(path)


def test_numbers_of_up_to_fifteen_digits_are_the_same_floats(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    path = tmp_path / "rows.csv"
    decimals = [int(places) for places in draw.integers(1, 14, 2000)]
    cells = [f"{draw.uniform(-1, 1) * 10.0 ** (13 - n):.{n}f}" for n in decimals]
    path.write_text("\n".join(["x", *(cell[:15] for cell in cells if cell[:15][-1] != ".")]))
    assert plain_table(path, TableForm()) is not None
    as_pandas_reads(path)


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("a,b\n1,x\n", True),
        ("a\n1\n2", True),
        ("a,b\n1,0.5\n2,-3\n", True),
        ("a,b\n1\n", False),
        ("a,b\n1,2,3\n", False),
        ("a,a\n1,2\n", False),
        ("a,\n1,2\n", False),
        ("a;b\n1;2\n", False),
        ("a,b\n\n1,2\n", False),
        ('a,b\n"1",2\n', False),
        ("a,b\n1,é\n", False),
        ("a,b\n1,NA\n", False),
        ("a,b\n1,true\n", False),
        ("a,b\n1,\n", False),
        ("a,b\n", False),
        ("", False),
        ("\n", False),
        ("a\r1\r", False),
        ("a\n1234567890123456\n", False),
        ("a\n" + "1\n" * LARGEST, False),
    ],
)
def test_only_plain_files_are_read(tmp_path: Path, text: str, is_plain: bool) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(text.encode())
    assert (plain_table(path, TableForm()) is not None) == is_plain
    if is_plain:
        as_pandas_reads(path)


def test_another_file_is_left_to_pandas(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text("a\n1\n")
    assert plain_table(path, TableForm()) is None
    assert plain_table(tmp_path / "there-is-none.csv", TableForm()) is None
    assert plain_table(path.rename(tmp_path / "rows.csv"), TableForm(delimiter=",")) is None


def test_some_rows_and_columns(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,b,c\n1,0.5,x\n2,1.5,y\n3,2.5,z\n")
    table = plain_table(path, TableForm())
    assert table is not None
    assert len(table) == 3
    assert not table.is_numbers
    some = table[["b", "a"]].rows([2, 0])
    assert some.is_numbers
    assert some.matrix().tolist() == [[2.5, 3.0], [0.5, 1.0]]
    assert [dtype.kind for dtype in table.dtypes] == ["i", "f", "O"]

"""Text in CSV files: whatever it is, it is no formula, no cell and no line, and is read back."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import unicodedata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import cattleya
from cattleya.experiments.tables import Table
from cattleya.support.files.csv_text import BLANK, FORMULA, as_cell, as_json, csv_line, from_cell
from tests.checks.command import called, fails, fails_for_rows, succeeds

pa = pytest.importorskip("pyarrow")

SEPARATORS = ",;|\t"
BREAKS = ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
STARTS = [*"=+-@", *"\uff1d\uff0b\uff0d\uff20", "\ufe66", "\u2212"]
UNSEEN = " \xa0\u3000\ufeff\u200b\0\x7f"
SPECIAL = [*BREAKS, *STARTS, *SEPARATORS, *UNSEEN, *":\"'\\[]{}#%"]
HARM = [
    *("=1+cmd|A!B", "a\r=1+1", "a;=1+1;b", "a|=1+1|b", 'a;"=1+1"', '"=1+1', "a\n\uff1d1", "'", ""),
    *(" =1", '\u3000"@1', "a; \uff0b1", "\n", "\tb", "''\"", '\'"a"'),
]
CHARACTERS = st.one_of(st.sampled_from(SPECIAL), st.characters(exclude_categories=["Cs"]))
TEXTS = st.one_of(st.sampled_from(HARM), st.lists(CHARACTERS, max_size=12).map("".join))
#: What a table shows as it is, because no spreadsheet computes it.
FIGURE = re.compile(r"-|[+-]?[0-9.,]+([eE][+-]?[0-9]+)?")
TEXT_COLUMNS = ("id", "prediction", "error", "sufficient")
#: What is written as text, as lists and as shares: identifiers, classes, errors, conditions.
SCHEMA = pa.schema(
    [
        ("row", pa.int64()),
        *((name, pa.string()) for name in TEXT_COLUMNS),
        ("sufficient_conditions", pa.list_(pa.string())),
        ("contrastive_conditions", pa.list_(pa.list_(pa.string()))),
        ("importance", pa.map_(pa.string(), pa.string())),
        ("seconds", pa.float64()),
    ]
)


@st.composite
def results(draw: st.DrawFn) -> list[dict[str, Any]]:
    answers: dict[str, st.SearchStrategy[Any]] = {
        **dict.fromkeys(TEXT_COLUMNS, TEXTS),
        "sufficient_conditions": st.lists(TEXTS, max_size=3),
        "contrastive_conditions": st.lists(st.lists(TEXTS, max_size=2), max_size=2),
        "importance": st.dictionaries(TEXTS, TEXTS, max_size=3).map(as_pairs),
        "seconds": st.floats(allow_nan=False, allow_infinity=False),
    }
    row = st.fixed_dictionaries({name: st.none() | some for name, some in answers.items()})
    return [{"row": n} | row for n, row in enumerate(draw(st.lists(row, max_size=4)))]


def as_pairs(shares: dict[str, str]) -> list[tuple[str, str]]:
    return list(shares.items())


def written(rows: list[dict[str, Any]]) -> bytes:
    """Return a result as it is written."""
    from cattleya.batch.disk.checkpoint import _write_csv

    file = io.BytesIO()
    _write_csv(file, SCHEMA, iter([pa.Table.from_pylist(rows, schema=SCHEMA)]))
    return file.getvalue()


def read(content: bytes, schema: Any = SCHEMA) -> list[Any]:
    """Return the rows of a result as they are read."""
    from cattleya.batch.disk.result_file import open_results

    with TemporaryDirectory() as folder:
        path = Path(folder, "out.csv")
        path.write_bytes(content)
        with open_results(path, schema) as found:
            assert not found.faults(schema)
            return list(found.take(1000).to_pylist())


@given(results())
def test_what_is_written_is_read_back(rows: list[dict[str, Any]]) -> None:
    content = written(rows)
    assert read(content) == rows
    assert len(content.decode().splitlines()) == 1 + len(rows)  # one line per row, whatever breaks


@given(TEXTS)
def test_a_text_is_read_back(text: str) -> None:
    (cells,) = csv.reader(io.StringIO(csv_line([as_cell(text)]), newline=""), strict=True)
    assert [from_cell(cell) for cell in cells] == [text]
    assert json.loads(as_json([text])) == [text]


def starts_a_formula(cell: str) -> bool:
    """Tell whether a spreadsheet might compute a cell, quotes heeded or not."""
    unseen = {"Cc", "Zs", "Zl", "Zp"}
    shown = [c for c in cell if c not in UNSEEN and unicodedata.category(c) not in unseen]
    start = unicodedata.normalize("NFKC", "".join(shown).lstrip('"'))[:1].replace("\u2212", "-")
    return start in ("=", "+", "-", "@") and not is_number(cell)


def is_number(cell: str) -> bool:
    return re.fullmatch(r"-?[0-9.]+(e[+-]?[0-9]+)?", cell) is not None


def cells_as_read(content: str, separator: str) -> list[str]:
    """Return the cells by rules that programs have: quotes heeded, and not."""
    heeded = csv.reader(io.StringIO(content, newline=""), delimiter=separator)
    cells = [cell for line in heeded for cell in line]
    if separator != ",":  # who takes our separator for one heeds our quotes
        cells += [cell for line in content.splitlines() for cell in line.split(separator)]
    return cells


@given(results())
@example([{"row": 0, "id": text, "sufficient_conditions": [text]} for text in HARM])
def test_no_cell_is_a_formula_whatever_separates(rows: list[dict[str, Any]]) -> None:
    content = written(rows).decode()
    for separator in SEPARATORS:
        cells = cells_as_read(content, separator)
        assert not [cell for cell in cells if starts_a_formula(cell)]


@given(st.lists(TEXTS.filter(lambda text: not FIGURE.fullmatch(text)), min_size=1, max_size=3))
@example(HARM)
def test_no_cell_of_a_table_is_a_formula_whatever_separates(names: list[str]) -> None:
    content = Table("t", ["data set", "n"], [[name, "-1"] for name in names]).csv()
    assert len(content.splitlines()) == 1 + len(names)
    lines = list(csv.reader(io.StringIO(content, newline=""), strict=True))
    assert [line[1] for line in lines] == ["n", *("-1" for _ in names)]
    for separator in SEPARATORS:
        cells = cells_as_read(content, separator)
        assert not [cell for cell in cells if starts_a_formula(cell)]


def test_the_bytes_are_the_same_with_every_python() -> None:
    cells = ["-1", "ok", "", "no such reason", "a;b", "âge", *map(as_cell, HARM)]
    assert csv_line(cells).encode() == (
        b'-1,ok,,"no such reason","a;b","\xc3\xa2ge","\'=1+cmd|A!B","\'""a\\r=1+1""",'
        b'"\'""a\\u003b=1+1\\u003bb""","\'""a\\u007c=1+1\\u007cb""","\'""a\\u003b\\""=1+1\\""""",'
        b'"\'""\\""=1+1""","\'""a\\n\xef\xbc\x9d1""","\'\'","\'","\' =1",'
        b'"\'\xe3\x80\x80""@1","\'""a\\u003b \xef\xbc\x8b1""","\'""\\n""","\'""\\tb""",'
        b'"\'\'\'""","\'\'""a"""\n'
    )


def test_the_other_forms_of_the_signs_are_known() -> None:
    every = [chr(number) for number in range(sys.maxunicode + 1)]
    assert all(re.fullmatch(f"[{FORMULA}]", c) for c in every if same_sign(c))
    assert all(re.fullmatch(f"[{BLANK}]", c) for c in every if unicodedata.category(c) == "Zs")


def same_sign(char: str) -> bool:
    return unicodedata.normalize("NFKC", char)[0] in "=+-@\u2212"


@given(TEXTS)
def test_texts_as_they_were_written_before_are_still_read(text: str) -> None:
    old = f"'{text}" if text.startswith((*"=+-@\t\r'",)) or not text else text
    assert from_cell(old) == text


def test_a_file_as_it_was_written_before_is_still_read() -> None:
    schema = pa.schema([SCHEMA.field(name) for name in ("row", "id", "sufficient_conditions")])
    content = 'row,id,sufficient_conditions\n0,\'=1,"[""a;=1 <= 2""]"\n1,"\'\r""",\n2,a;=1,[]\n'
    assert [tuple(row.values()) for row in read(content.encode(), schema)] == [
        (0, "=1", ["a;=1 <= 2"]), (1, '\r"', None), (2, "a;=1", [])
    ]  # fmt: skip  # a table in few lines


def test_halves_of_characters_are_refused() -> None:
    with pytest.raises(ValueError, match="surrogates not allowed"):
        written([{"row": 0, "id": "a\ud800"}])
    with pytest.raises(ValueError, match="half of a surrogate pair"):
        cattleya.Tree([-1], [-1], [-1], [0], [0], n_features=1, class_names=["\ud800"])
    assert Table("t", ["data set"], [["a\udcff"]]).csv() == '"data set"\n"a\\udcff"\n'


def hostile_files(folder: Path) -> pd.DataFrame:
    """Rows, classes and features with such names; a row that cannot be read."""
    names = [f"{text}{number}" for number, text in enumerate(HARM)]
    chain = range(len(HARM) - 1)  # a class for each
    tree = cattleya.Tree(
        left=[k for n in chain for k in (2 * n + 1, -1)] + [-1],
        right=[k for n in chain for k in (2 * n + 2, -1)] + [-1],
        feature=[k for n in chain for k in (n, -1)] + [-1],
        threshold=[k for n in chain for k in (0.5, 0)] + [0],
        leaf_class=[k for n in chain for k in (-1, n)] + [len(HARM) - 1],
        n_features=len(HARM),
        feature_names=names,
        class_names=HARM,
    )
    (folder / "tree.json").write_text(tree.to_json())
    rows = pd.DataFrame(
        [[float(k < n) for k in range(len(HARM))] for n in range(len(HARM))], columns=names
    ).astype(object)
    rows.iloc[3, 0] = "no;=1+1;\r=number"
    rows["key"] = HARM
    rows.astype(str).to_parquet(folder / "rows.parquet")
    return rows


def test_a_result_with_hostile_names_is_proved(tmp_path: Path) -> None:
    rows = hostile_files(tmp_path)
    want = "sufficient,minimal,contrastive,necessary,count,importance"
    given_ = ("tree.json", "rows.parquet", "--id", "key", "--want", want)
    for out in ("out.csv", "out.parquet"):
        fails_for_rows(7, "batch", *given_, "--out", out, cwd=tmp_path)
        check = ("--model", "tree.json", "--data", "rows.parquet")
        assert f"all {len(rows)} rows" in succeeds("verify", out, *check, cwd=tmp_path)
    before = (tmp_path / "out.csv").read_bytes()
    assert len(before.decode().splitlines()) == 1 + len(rows)
    fails_for_rows(7, "batch", *given_, "--out", "out.csv", "--resume", cwd=tmp_path)
    assert (tmp_path / "out.csv").read_bytes() == before
    whole = pa.parquet.read_table(tmp_path / "out.parquet")
    table = read(before, whole.schema)
    for cells, expected in zip(table, whole.to_pylist(), strict=True):
        assert isinstance(cells, dict)
        assert cells | {"seconds": 0} == expected | {"seconds": 0}
    assert "no;=1+1;" in str(whole.column("error")[3])
    assert [row["id"] for row in whole.to_pylist()] == HARM


def test_a_result_with_broken_lines_is_said_to_be_damaged(tmp_path: Path) -> None:
    hostile_files(tmp_path)
    batch = ("batch", "tree.json", "rows.parquet", "--id", "key", "--out", "out.csv")
    fails_for_rows(7, *batch, cwd=tmp_path)
    whole = (tmp_path / "out.csv").read_text()
    for damaged in (whole + "9,a\r=1,ok\n", whole.replace("status", "state"), "", whole + '"'):
        (tmp_path / "out.csv").write_text(damaged, newline="")
        assert "'out.csv' is damaged" in fails(2, *batch, "--resume", cwd=tmp_path)
        check = ("--model", "tree.json", "--data", "rows.parquet")
        assert called("verify", "out.csv", *check, cwd=tmp_path).returncode in (2, 6)


def test_nothing_else_writes_csv_files() -> None:
    """The module csv and pandas quote too little, and not the same in every version."""
    source = Path(cattleya.__file__).parent
    text = {path: path.read_text(encoding="utf-8") for path in source.rglob("*.py")}
    assert not [path for path, code in text.items() if re.search(r"to_csv|csv\.(Dict)?[wW]", code)]

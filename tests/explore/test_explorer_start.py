"""The first page needs no pandas, and the rows on it are explained before they are asked for."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.adapters.columns import ModelColumns
from cattleya.cli.explore import _rows_of
from cattleya.explore.explorer import Explorer, explorer_of
from cattleya.explore.server import started
from cattleya.explore.table import FrameRows, PlainRows
from cattleya.support.files.csv_form import TableForm
from cattleya.support.files.tables import read_table
from tests.explore.running import Client, opened

#: Shows the first page and explains a row where nobody can import pandas.
WITHOUT_PANDAS = """
import sys
sys.modules["pandas"] = None
from cattleya.cli.explore import _opened, load_explained
from cattleya.support.files.csv_form import TableForm
from cattleya.explore.app import Pages
from cattleya.explore.asking import Asking
loaded, over = load_explained("tree.json", False, True), {"over": "intervals"}
explorer = _opened(loaded, "tree.json", "t.csv", TableForm(), False, True, over, None, 5.0)
pages = Pages(explorer, Asking())
assert "table class" in pages._rows([])[0]
assert 'class="reason' in pages._row([("row", "1"), ("part", "first")])[0]
print(explorer.context.domain.attributes[0].integer)
"""


def test_the_first_page_and_a_reason_need_no_pandas(tmp_path: Path) -> None:
    tree = cattleya.Tree(
        [1, -1, -1], [2, -1, -1], [0, -1, -1], [1.5, 0.0, 0.0], [0, 0, 1],
        n_features=2, feature_names=["a", "b"],
    )  # fmt: skip  # arrays of nodes, side by side
    (tmp_path / "tree.json").write_text(tree.to_json(), encoding="utf-8")
    (tmp_path / "t.csv").write_text("b,name,a\n1,Ada,0\n0.5,Bo,3\n", encoding="utf-8")
    command = [sys.executable, "-c", WITHOUT_PANDAS]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout == "True\n"  # the column is one of whole numbers, and the model knows


@pytest.fixture
def both(tmp_path: Path) -> Any:
    """A plain table, opened without and with pandas."""
    draw = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "name": draw.choice(["Ada", "Bo", "Cy"], 40),
            "b": draw.normal(size=40).round(3),
            "a": draw.integers(-3, 9, 40),
        }
    )
    model = DecisionTreeClassifier(random_state=0).fit(table[["a", "b"]], table["a"] > table["b"])
    path = tmp_path / "t.csv"
    table.to_csv(path, index=False)
    columns = ModelColumns.of(model)
    plain, types = _rows_of(str(path), columns, TableForm())
    framed = FrameRows(read_table(path))
    clients = []
    for source in (plain, framed):
        explainer = cattleya.Explainer(model, over="intervals", data=types)
        explorer = Explorer(explainer, source, lambda rows: columns.choose(rows)[0])
        clients.append(Client(started(explorer, open_browser=False)))
    assert isinstance(plain, PlainRows)
    yield clients
    for client in clients:
        client.running.close()


def test_a_plain_table_gives_the_same_pages(both: Any) -> None:
    for path, given in (
        ("/", {}),
        ("/", {"page": 2}),
        ("/", {"sort": "-b"}),
        ("/", {"where:a": ">= 3", "text": "ad"}),
        ("/", {"decision": "True"}),
        ("/row", {"row": 7}),
        ("/row", {"row": 7, "set:a": "5"}),
        ("/row", {"row": 7, "part": "short"}),
        ("/row", {"row": 7, "part": "nearest"}),
        ("/compare", {"row": 3, "other": 4}),
        ("/save/json", {"view": "row", "row": 3}),
    ):
        plain, framed = (client.ask(path, **given) for client in both)
        assert plain.code == framed.code == 200
        assert plain.text == framed.text


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    model = DecisionTreeClassifier().fit(pd.DataFrame({"a": [0, 1], "b": [1, 1]}), [0, 1])
    path = tmp_path / "t.csv"
    path.write_text("a,bee\n0,1\n")
    with pytest.raises(Exception, match="lacks the model's column 'b'"):
        _rows_of(str(path), ModelColumns.of(model), TableForm())


def test_a_frame_without_a_column_is_refused_by_its_name() -> None:
    rows = pd.DataFrame({"age": [30, 40, 50], "hours": [1, 2, 3]})
    explainer = cattleya.Explainer(DecisionTreeClassifier().fit(rows, [0, 1, 0]))
    for frame, said in (
        (rows.drop(columns="age").assign(income=3), "lacks the model's column 'age'; it has"),
        (rows.drop(columns="age"), "lacks the model's column 'age'$"),
        (rows.rename(columns={"age": "Age"}), "did you mean 'Age'"),
        (rows[[]].assign(a=1), "columns 'age', 'hours'"),
    ):
        with pytest.raises(ValueError, match=said):
            explorer_of(explainer, frame)
    more = explorer_of(explainer, rows.assign(income=3)[["income", "hours", "age"]])
    assert more.table.decided([1])[0].text == "1"


def test_rows_are_explained_behind_the_table() -> None:
    draw = np.random.default_rng(1)
    rows = pd.DataFrame(draw.normal(size=(60, 4)), columns=list("abcd"))
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(rows, rows["a"] > rows["b"])
    client, _ = opened(model, rows)
    asked_first, _ = opened(model, rows)
    try:
        client.ask("/", page=2)
        ahead = dict(map(json.loads, client.ask("/ahead").text.splitlines()))
        assert list(ahead) == [f"/row?row={place}" for place in range(25, 50)]
        assert ahead["/row?row=26"] == asked_first.ask("/row", row=26, part="first").text
        client.ask("/")
        time.sleep(0.1)  # whether or not they are made by now, the answers are the same
        for place in (0, 3, 24, 25):
            answers = [one.ask("/row", row=place, part="first") for one in (client, asked_first)]
            again = client.ask("/row", row=place, part="first", over="intervals")
            assert answers[0].text == answers[1].text == again.text
            assert re.search(r"dur=[\d.]+", answers[0].headers["server-timing"])
        assert "Counting on" in client.ask("/row", row=3, part="first").text
        client.ask("/row", row=3, part="short")
        assert "Counting on" not in client.ask("/row", row=3, part="first").text
        other = client.ask("/row", ("row", 3), ("part", "first"), ("exclude", "a")).text
        assert other != client.ask("/row", row=3, part="first").text
        assert client.ask("/row", row="x", part="first").code == 400
        assert client.raw("/ahead").code == 401
    finally:
        client.running.close()
        asked_first.running.close()

"""What the commands do when all goes well: from a CSV to an explanation, in words and as JSON."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import joblib
import pandas as pd
import pytest
import skops.io
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import cattleya
from tests.checks.command import answer, called, fails, process, small_tree, succeeds, wine_table
from tests.checks.page import Page

CONDITION_KEYS = {"feature", "operator", "value", "text"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Wines in every format, and a model trained on them for each coding."""
    folder = tmp_path_factory.mktemp("wine")
    table = wine_table()
    table.to_csv(folder / "wine.csv", index=False)
    table.to_csv(folder / "wine.csv.gz", index=False)
    table.to_csv(folder / "semicolons.csv", index=False, sep=";")
    table.to_parquet(folder / "wine.parquet")
    for coding in ("ordinal", "onehot"):
        options = ("--categories", coding, "--out", f"{coding}.skops", "--drop", "bottle")
        succeeds("train", "wine.csv", "--target", "grower", *options, cwd=folder, by=process)
    return folder


@pytest.mark.parametrize(
    "command", ["", "demo", "train", "explain", "tree", "audit", "compare", "verify-reason"]
)
def test_help_shows_examples_and_exit_codes(command: str, tmp_path: Path) -> None:
    shown = succeeds(*command.split(), "--help", cwd=tmp_path)
    for part in ("Usage: cattleya", "Examples:", "Exit codes:", f"cattleya {command}"):
        assert part in shown


def test_no_command_shows_the_help() -> None:
    assert succeeds(by=process).startswith("Usage: cattleya")


def test_the_version() -> None:
    assert cattleya.__version__ in succeeds("--version", by=process)


def test_help_loads_no_heavy_library() -> None:
    heavy = "{'sklearn', 'pandas', 'skops', 'joblib', 'rich', 'scipy'}"
    program = (
        "import sys; from cattleya.cli import run; run(['explain', '--help'])\n"
        f"print(sorted({heavy} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("data", ["breast_cancer", "wine", "digits", "iris"])
def test_demo(data: str, tmp_path: Path) -> None:
    shown = succeeds("demo", "--data", data, cwd=tmp_path, by=process)
    for part in ("Decision:", "Why ", "What would have changed it?", "that it had not seen"):
        assert part in shown


def test_the_page_of_an_image(tmp_path: Path) -> None:
    shown = succeeds("demo", "--data", "digits", "--html", "demo.html", cwd=tmp_path)
    assert f"The explanation as a page: {tmp_path / 'demo.html'}" in shown
    assert "Explanatory importance" in (tmp_path / "demo.html").read_text(encoding="utf-8")
    (tmp_path / "tree.json").write_text(small_tree().to_json())
    (tmp_path / "t.csv").write_text("age,income\n31,5\n")
    command = ("explain", "tree.json", "t.csv", "--row", 0, "--html", "p.html", "--image", "1x2")
    succeeds(*command, cwd=tmp_path)
    assert "Explanatory importance" in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_demo_as_json(tmp_path: Path) -> None:
    found = answer("demo", "--data", "iris", cwd=tmp_path)
    assert found["command"] == "demo"
    assert found["verified"] is True
    assert 0.9 < found["accuracy"]["share_float"] <= 1


def test_train_says_what_it_did(folder: Path) -> None:
    shown = succeeds("train", "wine.csv", "--target", "grower", cwd=folder)
    assert "178 rows" in shown
    assert re.search(r"Missing cells: alcohol \(\d+\), colour \(\d+\); left missing", shown)
    assert re.search(r"Accuracy: \d+\.\d% of 45 rows", shown)
    commands = shown.split("Next:\n")[1].strip().splitlines()
    assert len(commands) == 2
    for line in commands:
        words = line.split()
        assert words[0] == "cattleya"
        succeeds(*words[1:], cwd=folder, by=process)


def test_train_as_json(folder: Path) -> None:
    found = answer("train", "wine.csv", "--target", "grower", "--max-depth", 2, cwd=folder)
    table = wine_table()
    assert found["categories"] == ["colour"]
    assert found["missing"] == {
        name: int(table[name].isna().sum()) for name in ("alcohol", "colour")
    }
    assert found["trained_on"] + found["held_out"] == 178
    assert {c["label"]: c["rows"] for c in found["class_sizes"]} == dict(
        table["grower"].value_counts()
    )
    assert found["tree"]["depth"] <= 2
    share = Fraction(found["accuracy"]["share"])
    assert float(share) == found["accuracy"]["share_float"]
    model = read(folder / "model.skops")
    assert model[-1].get_params()["max_depth"] == 2


def test_train_shows_the_trade(folder: Path) -> None:
    ask = ("train", "wine.csv", "--target", "grower", "--drop", "bottle", "--out", "size.skops")
    found = answer(*ask, cwd=folder)
    assert found["size"] == "chosen"
    sizes = {size["size"]: size for size in found["sizes"]}
    assert {"chosen", "full"} <= set(sizes)
    assert sizes["chosen"]["nodes"] < sizes["full"]["nodes"]
    assert sizes["chosen"]["nodes"] == found["tree"]["nodes"]
    assert sizes["chosen"]["accuracy"] == found["accuracy"]
    model = read(folder / "size.skops")
    assert sizes["chosen"]["leaves"] == model[-1].get_n_leaves()
    leaves = [size["leaves"] for size in found["cross_validation"]]
    assert leaves == sorted(leaves, reverse=True)
    shown = succeeds(*ask, cwd=folder)
    for line in (r"Size: chosen by cross-", r"  chosen +\d", r"  full +\d", r"\d facts?$"):
        assert re.search(line, shown, re.MULTILINE)


def test_train_with_a_given_size(folder: Path) -> None:
    ask = ("train", "wine.csv", "--target", "grower", "--out", "given.skops")
    full = answer(*ask, "--full", cwd=folder)
    assert full["size"] == "full"
    assert full["cross_validation"] is None
    few = answer(*ask, "--max-leaves", 3, cwd=folder)
    assert few["size"] == "given"
    assert few["tree"]["leaves"] == 3
    assert [size["size"] for size in few["sizes"]] == ["given"]


def test_train_draws_the_sizes(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    ask = ("train", "wine.csv", "--target", "grower", "--out", "size.skops")
    shown = succeeds(*ask, "--size-report", "sizes.svg", cwd=folder)
    assert "The sizes as a picture: sizes.svg" in shown
    drawn = (folder / "sizes.svg").read_text(encoding="utf-8")
    assert "accuracy on rows held out" in drawn
    assert re.search(r"chosen: [\d.]+%", drawn)
    assert re.search(r"\d+ leaves", drawn)


def test_train_out_of_time(folder: Path) -> None:
    ask = ("train", "wine.csv", "--target", "grower", "--out", "late.skops")
    told = fails(3, *ask, "--timeout", 1e-9, cwd=folder)
    assert "give more time with --timeout" in told
    assert not (folder / "late.skops").exists()


def read(path: Path) -> DecisionTreeClassifier:
    return skops.io.load(path, trusted=["sklearn.tree._tree.Tree"])


@pytest.mark.parametrize("coding", ["ordinal", "onehot"])
def test_every_row_gets_the_class_of_the_model(folder: Path, coding: str) -> None:
    model, table = read(folder / f"{coding}.skops"), wine_table()
    with_gap = int(table["colour"].isna().to_numpy().argmax())
    for row in (0, 100, with_gap):
        found = answer("explain", f"{coding}.skops", "wine.csv", "--row", row, cwd=folder)
        expected = model.predict(table.drop(columns=["grower", "bottle"]).iloc[[row]])[0]
        assert found["prediction"] == expected
        assert found["verified"] is True
        assert found["row"] == row
        assert set(found["ignored_columns"]) == {"bottle", "grower"}
    assert found["columns"]["colour"] is None


@pytest.mark.parametrize("data", ["wine.csv.gz", "wine.parquet", "semicolons.csv"])
def test_formats_of_the_table(folder: Path, data: str) -> None:
    expected = answer("explain", "ordinal.skops", "wine.csv", "--row", 5, cwd=folder)
    found = answer("explain", "ordinal.skops", data, "--row", 5, cwd=folder)
    assert found | {"data": ""} == expected | {"data": ""}


def test_the_json_is_what_the_library_says(folder: Path) -> None:
    found = answer("explain", "ordinal.skops", "wine.csv", "--row", 100, cwd=folder)
    row = wine_table().drop(columns=["grower", "bottle"]).iloc[[100]]
    e = cattleya.Explainer(read(folder / "ordinal.skops"), over="intervals").explain(row)
    assert [c["text"] for c in found["direct_reason"]] == [str(c) for c in e.direct_reason()]
    assert [c["text"] for c in found["sufficient_reason"]] == [
        str(c) for c in e.sufficient_reason()
    ]
    assert {c["text"] for c in found["necessary"]} == set(map(str, e.necessary()))
    assert [[c["text"] for c in contrast] for contrast in found["contrastive"]] == [
        [str(c) for c in contrast] for contrast in e.contrastive()
    ]
    assert found["contrastive_count"] == len(e.contrastive())
    assert found["count"] == e.count()
    assert found["irrelevant_count"] == len(e.irrelevant())
    assert {i["condition"]["text"]: Fraction(i["share"]) for i in found["importance"]} == {
        str(c): share for c, share in e.importance().items() if share
    }
    for condition in found["direct_reason"]:
        assert set(condition) - {"or_missing"} == CONDITION_KEYS
        assert condition["operator"] in ("<=", ">", "is")
    assert found["definition"] == e.definition
    assert found["counted"] is True


def test_explain_in_words(folder: Path) -> None:
    shown = succeeds("explain", "ordinal.skops", "wine.csv", "--row", 3, cwd=folder)
    assert shown.startswith("Row 3 (counting from 0) of wine.csv (model ordinal.skops): ")
    for part in (
        "Decision about row 3: grower: Barolo",
        "Why Barolo?",
        "What would have changed it?",
        "Checked",
    ):
        assert part in shown


def test_a_reason_is_pasted_back(folder: Path) -> None:
    asked = ("ordinal.skops", "wine.csv", "--row", 3)
    found = answer("explain", *asked, cwd=folder)
    texts = [condition["text"] for condition in found["reason"]["conditions"]]
    shown = succeeds("verify-reason", *asked, *texts, cwd=folder)
    assert "Decision about row 3 (counting from 0): grower: Barolo\nProved: " in shown
    proved = answer("verify-reason", *asked, found["reason"]["text"], cwd=folder)
    assert proved["verdict"] == "proved"
    assert {c["text"] for c in proved["conditions"]} == set(texts)
    signs = found["reason"]["text"].replace("<=", "\N{LESS-THAN OR EQUAL TO}")  # as on a page
    assert answer("verify-reason", *asked, signs, cwd=folder)["verdict"] == "proved"
    listed = succeeds("explain", *asked, cwd=folder).split("never enough.\n")[1]
    listed = listed[: listed.index("It covers")]  # lines, with what the row has
    assert answer("verify-reason", *asked, listed, cwd=folder)["verdict"] == "proved"


def test_a_reason_is_refuted_with_a_row(folder: Path) -> None:
    (folder / "tree.json").write_text(small_tree().to_json())
    (folder / "t.csv").write_text("age,income\n31,5\n20,5\n")
    asked = ("verify-reason", "tree.json", "t.csv", "--row", 0)
    done = called(*asked, "income <= 5", cwd=folder)
    assert (done.returncode, done.stderr) == (6, "")
    assert "Refuted: not sufficient: a row that shares the conditions" in done.stdout
    assert "differs from this one in:\n  - age = 30\n" in done.stdout
    done = called(*asked, "age >= 31 and income <= 9", "--json", cwd=folder)
    found = json.loads(done.stdout)
    assert (done.returncode, found["verdict"]) == (6, "redundant")
    assert [c["text"] for c in found["redundant"]] == ["income <= 9"]
    found = json.loads(called(*asked, "age <= 30", "--json", cwd=folder).stdout)
    assert (found["verdict"], [c["text"] for c in found["foreign"]]) == ("foreign", ["age <= 30"])


def test_that_there_is_no_such_reason_is_an_answer_too(tmp_path: Path) -> None:
    (tmp_path / "tree.json").write_text(small_tree().to_json())
    (tmp_path / "t.csv").write_text("age,income\n31,5\n")
    asked = ("explain", "tree.json", "t.csv", "--row", 0, "--exclude", "age", "--html", "p.html")
    done = called(*asked, cwd=tmp_path)
    assert done.returncode == 5
    said = "No reason avoids age: every sufficient reason needs age >= 31."
    assert said in " ".join(done.stdout.split())
    page = Page((tmp_path / "p.html").read_text(encoding="utf-8")).text
    assert said.replace(">=", "≥") in page
    assert "needs what is excluded: 'age >= 31'. Exclude less\n" in done.stderr
    (tmp_path / "p.html").unlink()
    done = called(*asked, "--json", cwd=tmp_path)
    assert done.returncode == 5
    assert (tmp_path / "p.html").exists()
    found = json.loads(done.stdout)
    assert [[c["text"] for c in one] for one in found["needed"]] == [["age >= 31"]]
    assert [found[key] for key in ("sufficient_reason", "minimal_reason", "count")] == [None] * 3
    assert found["contrastive_count"] > 0


def test_the_row_is_shown_as_it_is_in_the_table(tmp_path: Path) -> None:
    (tmp_path / "tree.json").write_text(small_tree().to_json())
    (tmp_path / "t.csv").write_text("age,income\n9007199254740993,5.5\n")  # a float has no such
    asked = ("explain", "tree.json", "t.csv", "--row", 0)
    assert "age = 9007199254740993, income = 5.5\n" in succeeds(*asked, cwd=tmp_path)
    cells = answer(*asked, cwd=tmp_path)["columns"]
    assert (cells, type(cells["age"])) == ({"age": 9007199254740993, "income": 5.5}, int)


def test_a_row_by_its_identifier(folder: Path) -> None:
    by_id = answer(
        "explain", "ordinal.skops", "wine.csv", "--id", "007", "--id-column", "bottle", cwd=folder
    )
    by_number = answer("explain", "ordinal.skops", "wine.csv", "--row", 7, cwd=folder)
    assert by_id == by_number | {"id": "007"}


def test_what_is_seen_says_which_row_of_which_table_and_which_model(folder: Path) -> None:
    where = ("--id", "007", "--id-column", "bottle", "--html", "which.html")
    shown = succeeds("explain", "ordinal.skops", folder / "wine.csv", *where, cwd=folder)
    assert f"ow 7 (bottle = 007) of {folder / 'wine.csv'}" in " ".join(shown.split())
    page = Page((folder / "which.html").read_text(encoding="utf-8"))
    which = "row 7 (bottle = 007) of wine.csv (model ordinal.skops)"
    assert f"What a decision tree decided about {which}" in page.text
    assert page.all("title")[0].text == f"grower: Barolo: {which}"
    assert str(folder) not in page.text
    succeeds("report", "ordinal.skops", "wine.csv", "--html", "all.html", cwd=folder)
    page = Page((folder / "all.html").read_text(encoding="utf-8"))
    assert "decided about wine.csv (model ordinal.skops), and why" in page.text
    assert "Rows are counted from 0." in page.text


def test_a_category_that_looks_like_a_number(tmp_path: Path) -> None:
    codes = ["0100", "0200", "A300"] * 20
    table = pd.DataFrame({"postcode": codes, "size": range(60), "y": ["a", "b", "c"] * 20})
    table.to_csv(tmp_path / "all.csv", index=False)
    table[table["postcode"] != "A300"].to_csv(tmp_path / "numbers.csv", index=False)
    succeeds("train", "all.csv", "--target", "y", cwd=tmp_path)
    found = answer("explain", "model.skops", "numbers.csv", "--row", 1, cwd=tmp_path)
    assert found["columns"]["postcode"] == "0200"
    assert found["prediction"] == "b"


def test_an_identifier_that_the_model_takes_as_a_number(tmp_path: Path) -> None:
    (tmp_path / "tree.json").write_text(small_tree().to_json())
    (tmp_path / "t.csv").write_text("age,income\n20,1\n40,2\n")
    found = answer(
        "explain", "tree.json", "t.csv", "--id", "40", "--id-column", "age", cwd=tmp_path
    )
    assert (found["row"], found["prediction"]) == (1, "yes")


def test_a_tree_in_json(tmp_path: Path) -> None:
    (tmp_path / "tree.json").write_text(small_tree().to_json())
    (tmp_path / "t.csv").write_text("income,age,name\n5,31,Ada\n")
    found = answer("explain", "tree.json", "t.csv", "--row", 0, cwd=tmp_path)
    assert found["sufficient_reason"] == [
        {"feature": "age", "operator": ">=", "value": 31, "text": "age >= 31"}
    ]
    assert found["classes"] == ["no", "yes"]


def test_a_number_in_a_column_that_another_row_spoils(tmp_path: Path) -> None:
    (tmp_path / "tree.json").write_text(small_tree().to_json())
    (tmp_path / "t.csv").write_text("age,income\nunknown,5\n31,5\n")
    done = called("explain", "tree.json", "t.csv", "--row", 1, "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["prediction"] == "yes"
    assert done.stderr.startswith("note: not counted, as they cannot be read: row 0 ('age' is 'unk")


@pytest.mark.parametrize("label", [0, True, "a"])
def test_labels_keep_their_type(tmp_path: Path, label: object) -> None:
    other = {0: 7, True: False, "a": "b"}[label]
    table = pd.DataFrame({"x": [1.0, 2.0] * 10, "y": [label, other] * 10})
    table.to_csv(tmp_path / "t.csv", index=False)
    succeeds("train", "t.csv", "--target", "y", cwd=tmp_path)
    found = answer("explain", "model.skops", "t.csv", "--row", 0, cwd=tmp_path)
    assert found["prediction"] == label
    assert type(found["prediction"]) is type(label)


def test_huge_counts_are_exact_integers(tmp_path: Path) -> None:
    # Where x_i is not true, y_i must be: each of the 140 pairs gives one of its two conditions.
    pairs = 140
    nested: Any = 1
    for i in reversed(range(pairs)):
        nested = (f"x{i}", (f"y{i}", 0, 1), nested)
    tree = cattleya.Tree.from_nested(nested)
    (tmp_path / "tree.json").write_text(tree.to_json())
    pd.DataFrame([dict.fromkeys(tree.feature_names, 1)]).to_csv(tmp_path / "t.csv", index=False)
    found = answer("explain", "tree.json", "t.csv", "--row", 0, cwd=tmp_path)
    assert found["count"] == 2**pairs
    assert {entry["share"] for entry in found["importance"]} == {"1/2"}
    assert found["sufficient_reason"][0] == {
        "feature": "x0",
        "operator": "=",
        "value": True,
        "text": "x0",
    }


def test_tree(folder: Path) -> None:
    found = answer("tree", "ordinal.skops", cwd=folder)
    tree = cattleya.Explainer(read(folder / "ordinal.skops")).tree
    assert found["nodes"] == tree.n_nodes
    assert found["leaves"] == int((tree.left < 0).sum())
    assert found["depth"] == tree.depth
    tests = {
        (f, t)
        for f, t in zip(tree.feature.tolist(), tree.threshold.tolist(), strict=True)
        if f >= 0
    }
    assert found["conditions"] == sum(f["conditions"] for f in found["features"]) >= len(tests)
    assert [f["feature"] for f in found["features"]] != []
    shown = succeeds("tree", "ordinal.skops", cwd=folder)
    assert f"{tree.n_nodes:,} nodes" in shown
    assert "Binary conditions:" in shown


def test_tree_names_the_columns_of_the_table(folder: Path) -> None:
    """Not those that an encoder makes of them; both models test the same table."""
    given = {name for name in wine_table() if name not in ("grower", "bottle")}
    for coding in ("ordinal", "onehot"):
        found = answer("tree", f"{coding}.skops", cwd=folder)
        assert {entry["feature"] for entry in found["features"]} == given
        assert found["conditions"] == sum(entry["conditions"] for entry in found["features"])


def test_a_trusted_pickle(tmp_path: Path) -> None:
    cancer = load_breast_cancer(as_frame=True)
    model = DecisionTreeClassifier(random_state=0).fit(cancer.data, cancer.target)
    joblib.dump(model, tmp_path / "model.joblib")
    cancer.data.to_csv(tmp_path / "t.csv", index=False)
    arguments = ("explain", "model.joblib", "t.csv", "--row", 3, "--trust")
    assert answer(*arguments, cwd=tmp_path)["prediction"] == int(model.predict(cancer.data)[3])


def test_a_model_without_names_takes_columns_by_their_place(tmp_path: Path) -> None:
    cancer = load_breast_cancer(as_frame=True)
    model = DecisionTreeClassifier(random_state=0).fit(cancer.data.to_numpy(), cancer.target)
    skops.io.dump(model, tmp_path / "model.skops")
    cancer.data.to_csv(tmp_path / "t.csv", index=False)
    done = process("explain", "model.skops", "t.csv", "--row", 3, "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["prediction"] == int(cancer.target[3])
    assert done.stderr.startswith("note: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_reader_that_stops_early(folder: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m cattleya explain ordinal.skops wine.csv --row 3 --json | head -1",
        shell=True,
        capture_output=True,
        text=True,
        cwd=folder,
        check=True,
    )
    assert done.stdout == "{\n"
    assert done.stderr == ""


def test_interrupted(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t.csv")  # never written to: reading it waits
    (tmp_path / "tree.json").write_text(small_tree().to_json())
    waiting = subprocess.Popen(
        [sys.executable, "-m", "cattleya", "explain", "tree.json", "t.csv", "--row", "0"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    with (tmp_path / "t.csv").open("w"):  # waits until it is being read
        waiting.send_signal(signal.SIGINT)
        _, told = waiting.communicate(timeout=60)
    assert waiting.returncode == 130
    assert told.strip() == "cattleya explain: interrupted"


def test_interrupted_while_it_starts(tmp_path: Path) -> None:
    """Ctrl-C while modules are being imported: before there is anything that reports errors."""
    program = (
        "import os, runpy, signal, sys\n"
        "class Interrupts:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'numpy': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupts())\n"
        "sys.argv = ['cattleya', '--help']\n"
        "runpy.run_module('cattleya', run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "cattleya: interrupted\n")


@pytest.mark.parametrize("coding", ["ordinal", "onehot"])
@pytest.mark.parametrize(("name", "target"), [("adult", "income"), ("lending_loan", "loan_status")])
def test_from_a_large_table_to_an_explanation_in_two_commands(
    name: str, target: str, coding: str, data_folder: Path, tmp_path: Path
) -> None:
    data = data_folder / f"{name}.csv.gz"
    if not data.is_file():
        pytest.skip(f"{data} is not there")
    trained = answer(
        *("train", data, "--target", target, "--categories", coding, "--max-depth", 12),
        cwd=tmp_path,
    )
    assert trained["accuracy"]["share_float"] > 0.7
    row = trained["explain_row"]
    found = answer("explain", "model.skops", data, "--row", row, cwd=tmp_path)
    table = pd.read_csv(data)
    expected = read(tmp_path / "model.skops").predict(table.drop(columns=target).iloc[[row]])
    assert found["prediction"] == expected[0]
    assert found["verified"] is True
    assert found["ignored_columns"] == [target]


def test_types_from_data(tmp_path: Path) -> None:
    """Between 40 and 42 a scaler's threshold is anywhere, unless one says what there can be."""
    table = pd.DataFrame({"age": range(20, 100, 2), "pay": [1.5, 2.5] * 20})
    table["rich"] = table["age"] > 41
    table.to_csv(tmp_path / "people.csv", index=False)
    model = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0))
    model.fit(table[["age", "pay"]], table["rich"])
    skops.io.dump(model, tmp_path / "model.skops")
    ask = ("explain", "model.skops", "people.csv", "--row", 3)
    plain = answer(*ask, "--no-types-from-data", cwd=tmp_path)
    typed = answer(*ask, cwd=tmp_path)
    assert plain["assumptions"] == []
    assert plain["sufficient_reason"][0]["text"] == "age <= 41.0"
    assert typed["assumptions"] == ["only whole numbers are possible for age"]
    assert typed["sufficient_reason"][0]["text"] == "age <= 41"  # which is still on this side
    page = ("--types-from-data", "--over", "intervals", "--html", "why.html")
    for shown in (succeeds(*ask, *page, cwd=tmp_path), (tmp_path / "why.html").read_text()):
        assert "only whole numbers are possible for age" in " ".join(shown.split())


def test_train_names_what_looks_like_an_identifier(tmp_path: Path) -> None:
    lines = [f"{n},{n % 7},{'ab'[n % 2]}" for n in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["id,n,class", *lines]))
    train = ("train", "t.csv", "--target", "class", "--out", "m.skops")
    assert "Note: id has a different value in every row" in succeeds(*train, cwd=tmp_path)
    assert "Note" not in succeeds(*train, "--drop", "id", cwd=tmp_path)
    assert answer(*train, cwd=tmp_path)["identifiers"] == ["id"]


def test_audit_of_a_whole_model(folder: Path) -> None:
    asked = ("audit", "ordinal.skops", "wine.csv", "--protected", "hue")
    told = succeeds(*asked, cwd=folder)
    found = answer(*asked, "--monotone", "hue=up", cwd=folder)
    assert told.startswith("Fair everywhere" if found["fair"] else "Not fair everywhere")
    assert (found["witness"] is None) == (found["regions"] == []) == found["fair"]
    assert found["outcomes"] == sorted(found["outcomes"])
    assert found["leaves"] > found["removable_leaves"] >= 0
    page = answer(*asked, "--rules", "0.9", "--html", "audit.html", cwd=folder)
    assert page["rules"]
    text = (folder / "audit.html").read_text()
    assert "Is it fair everywhere?" in text
    assert "Which rules cover the table?" in text
    assert called(*asked, "--check", cwd=folder).returncode == (0 if found["fair"] else 9)


def test_two_models(folder: Path) -> None:
    alone = ("compare", "ordinal.skops", "ordinal.skops", "wine.csv")
    assert succeeds(*alone, "--check", cwd=folder).startswith("The models decide the same class")
    asked = ("compare", "ordinal.skops", "onehot.skops", "wine.csv", "--row", "0")
    told = succeeds(*asked, cwd=folder)
    found = answer(*asked, "--protected", "colour", "--html", "two.html", cwd=folder)
    same = found["same"]
    assert told.startswith("The models decide the same" if same else "The models differ in")
    assert "The new model: " in told
    assert len(found["regions"]) == min(found["n_regions"], 20)
    assert sum(one["changed"] for one in found["groups"]["colour"]) == found["changed_rows"]
    assert len(found["changed"]) == found["changed_rows"]
    assert "Are they the same?" in (folder / "two.html").read_text()
    assert called(*asked, "--check", cwd=folder).returncode == (0 if same else 9)
    assert "no row 100000" in fails(2, *alone, "--row", "100000", cwd=folder)

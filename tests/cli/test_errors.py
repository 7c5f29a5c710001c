"""What the commands say when something is wrong: in a line or two, with the right exit code."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.cli.errors import input_errors, report
from tests.checks.command import answer, called, fails, process, small_tree, succeeds, wine_table

TABLE = "age,income\n20,1\n40,2\n40,3\n"
EXPLAIN = ("explain", "tree.json", "t.csv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a small tree and a small table."""
    (tmp_path / "tree.json").write_text(small_tree().to_json())
    (tmp_path / "t.csv").write_text(TABLE)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("explian",), "No such command 'explian'"),
        (("explain",), "Missing argument 'MODEL'"),
        (("explain", "m.json", "t.csv", "--row", "three"), "'three' is not a valid integer"),
        (("explain", "m.json", "t.csv"), "either --row, or --id"),
        (("explain", "m.json", "t.csv", "--row", "1", "--id", "x"), "either --row, or --id"),
        (("explain", "m.json", "t.csv", "--id", "x"), "--id and --id-column go together"),
        (("explain", "m.json", "t.csv", "--row", "1", "--over", "clouds"), "'clouds' is not"),
        (("explain", "m.json", "t.csv", "--row", "1", "--timeout", "0"), "positive number"),
        (("explain", "m.json", "t.csv", "--row", "1", "--timeout", "nan"), "positive number"),
        (("explain", "m.json", "t.csv", "--row", "1", "--image", "2x1"), "name one with --html"),
        (("explain", "m.json", "t.csv", "--row", "1", "--image", "tall"), "such as 28x28"),
        (("train", "t.csv"), "Missing option '--target'"),
        (("train", "t.csv", "--target", "y", "--out", "m.pkl"), "must end in .skops"),
        (("train", "t.csv", "--target", "y", "--max-depth", "0"), "0 is not in the range"),
        (("demo", "--data", "mnist"), "'mnist' is not one of"),
    ],
)
def test_wrong_usage(tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    assert told in fails(2, *arguments, cwd=tmp_path)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("explain", "none.json", "t.csv", "--row", 0), "cannot read 'none.json': No such file"),
        (("explain", "tree.json", "none.csv", "--row", 0), "cannot read 'none.csv': No such file"),
        (("explain", "tree.json", "n.parquet", "--row", 0), "cannot read 'n.parquet': No such"),
        (("explain", "t.csv", "tree.json", "--row", 0), "'t.csv' is not a model"),
        (("explain", "tree.json", "tree.json", "--row", 0), "'tree.json' is not a table"),
        ((*EXPLAIN, "--row", 3), "no row 3: the table has 3 rows, 0 to 2"),
        ((*EXPLAIN, "--row", -1), "no row -1"),
        ((*EXPLAIN, "--row", 0, "--html", "p.html", "--image", "3x3"), "has 9 pixels"),
        ((*EXPLAIN, "--row", 0, "--html", "none/p.html"), "cannot write 'none/p.html'"),
        ((*EXPLAIN, "--row", 0, "--exclude", "sex"), "exclude: unknown feature 'sex'"),
        ((*EXPLAIN, "--id", "7", "--id-column", "age"), "no row has '7' in the column 'age'"),
        ((*EXPLAIN, "--id", "40", "--id-column", "age"), "2 rows have '40'"),
        ((*EXPLAIN, "--id", "40", "--id-column", "name"), "no column 'name'"),
        (("train", "t.csv", "--target", "name"), "no column 'name' to predict"),
        (("train", "t.csv", "--target", "age", "--drop", "sex"), "no column 'sex' to drop"),
        (("train", "t.csv", "--target", "age", "--drop", "age"), "cannot be dropped"),
        (("train", "t.csv", "--target", "age", "--drop", "income"), "no column left"),
        (("tree", "none.skops"), "cannot read 'none.skops'"),
        (("tree", "."), "'.' is not a model"),
    ],
)
def test_wrong_names(folder: Path, arguments: tuple[object, ...], told: str) -> None:
    assert told in fails(2, *arguments, cwd=folder)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("explain", "none.json", "t.csv", "--row", "0"), "cannot read 'none.json'"),
        (("train", "t.csv", "--target", "salary"), "no column 'salary' to predict"),
        ((*EXPLAIN, "--row", "7"), "no row 7"),
        (("explain", "damaged.json", "t.csv", "--row", "0"), "'damaged.json' is damaged"),
        (("explain", "tree.json", "other.csv", "--row", "0"), "lacks the model's columns"),
    ],
)
def test_what_goes_wrong_first_in_a_process_of_its_own(
    folder: Path, arguments: tuple[str, ...], told: str
) -> None:
    (folder / "damaged.json").write_text(small_tree().to_json()[:-20])
    (folder / "other.csv").write_text("height,weight\n180,80\n")
    assert told in fails(2, *arguments, cwd=folder, by=process)


def test_folders_in_place_of_files(folder: Path) -> None:
    for name in ("m.skops", "d.csv", "out.skops"):
        (folder / name).mkdir()
    assert "Is a directory" in fails(2, "tree", "m.skops", cwd=folder)
    assert "Is a directory" in fails(2, "explain", "tree.json", "d.csv", "--row", 0, cwd=folder)
    arguments = ("train", "t.csv", "--target", "age", "--out", "out.skops")
    assert "cannot write 'out.skops': Is a directory" in fails(2, *arguments, cwd=folder)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"age,income\n", "has no rows"),
        (b"age,age,income\n1,2,3\n", "the column 'age' more than once"),
        (b"age,income\n1,2\n1,2,3\n", "is damaged, or not CSV"),
        (b"age,income\n1,2,3\n4,5,6\n", "more cells than the 2"),
        (b"\xff\xfea\x00g\x00e\x00", "has no rows"),
        (b"age,income\n\xe9,2\n", "is not UTF-8"),
        (b"age,wage\n1,2\n", "lacks the model's column 'income'; it has 'wage' instead"),
        (b"income\n1\n", "lacks the model's column 'age'"),
        (b"age,income\nold,2\n", "'age' is 'old', but the model takes a number"),
        (b"age,income\n,2\n", "'age' is missing (NaN)"),
        (b"age,income\ninf,2\n", "'age' is "),
    ],
)
def test_wrong_tables(folder: Path, content: bytes, told: str) -> None:
    (folder / "t.csv").write_bytes(content)
    assert told in fails(2, *EXPLAIN, "--row", 0, cwd=folder)


@pytest.mark.parametrize("name", ["t.csv.gz", "t.parquet"])
def test_damaged_tables(folder: Path, name: str) -> None:
    path = folder / name
    table = wine_table()
    table.to_parquet(path) if name.endswith("parquet") else table.to_csv(path)
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"something else", b""):
        path.write_bytes(damaged)
        assert f"'{name}'" in fails(2, "explain", "tree.json", name, "--row", 0, cwd=folder)


def test_parquet_without_pyarrow(folder: Path) -> None:
    pd.DataFrame({"age": [1], "income": [2]}).to_parquet(folder / "t.parquet")
    (folder / "without").mkdir()
    (folder / "without" / "pyarrow.py").write_text("raise ImportError('not here')")
    told = fails(
        2,
        *("explain", "tree.json", "t.parquet", "--row", 0),
        by=process,
        cwd=folder,
        env={"PYTHONPATH": str(folder / "without")},
    )
    assert 'pip install "cattleya[parquet]"' in told


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "is empty"),
        ("{", "is damaged"),
        ("[]", "is damaged"),
        ('{"a": 1}', "not a tree that Tree.to_json wrote"),
        (small_tree().to_json()[:-20], "is damaged"),
        (small_tree().to_json().replace("[1, -1, -1]", "[9, -1, -1]"), "is damaged"),
    ],
)
def test_wrong_json_models(folder: Path, content: str, told: str) -> None:
    (folder / "tree.json").write_text(content)
    assert told in fails(2, "tree", "tree.json", cwd=folder)


class Mischief:
    """What a pickle can do to whoever loads it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("mischief",)


@pytest.mark.parametrize("name", ["m.pkl", "m.pickle", "m.joblib"])
def test_pickles_are_refused_and_run_nothing(folder: Path, name: str) -> None:
    (folder / name).write_bytes(pickle.dumps(Mischief()))
    told = fails(2, "tree", name, cwd=folder, by=process)
    assert "can run any code" in told
    assert "skops" in told
    assert "--trust" in told
    assert not (folder / "mischief").exists()


def test_pickles_that_are_none(folder: Path) -> None:
    for content in (b"", b"not a pickle", pickle.dumps(small_tree())[:50]):
        (folder / "m.pkl").write_bytes(content)
        assert "'m.pkl'" in fails(2, "tree", "m.pkl", "--trust", cwd=folder)


def fitted(model: Any) -> Any:
    iris = load_iris()
    return model.fit(iris.data, iris.target)


def test_damaged_skops(folder: Path) -> None:
    skops.io.dump(fitted(DecisionTreeClassifier()), folder / "m.skops")
    whole = (folder / "m.skops").read_bytes()
    for damaged in (b"", b"something else", whole[: len(whole) // 2], pickle.dumps(1)):
        (folder / "m.skops").write_bytes(damaged)
        assert "'m.skops'" in fails(2, "tree", "m.skops", cwd=folder)
    with zipfile.ZipFile(folder / "m.skops", "w") as archive:
        archive.writestr("readme.txt", "not a model")
    assert "'m.skops' is damaged" in fails(2, "tree", "m.skops", cwd=folder)


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (lambda: fitted(LogisticRegression(max_iter=1000)), "cannot explain LogisticRegression"),
        (lambda: fitted(AdaBoostRegressor(n_estimators=2)), "weighted median"),
        (DecisionTreeClassifier, "is not fitted yet"),
        (lambda: {"a": 1}, "cannot explain dict"),
    ],
)
def test_models_that_are_no_trees(folder: Path, model: Callable[[], Any], told: str) -> None:
    skops.io.dump(model(), folder / "m.skops")
    assert told in fails(2, "tree", "m.skops", cwd=folder)


def double(values: Any) -> Any:
    return 2 * values


def test_unknown_types_in_skops_are_listed_and_not_loaded(folder: Path) -> None:
    model = make_pipeline(FunctionTransformer(double), DecisionTreeClassifier())
    skops.io.dump(fitted(model), folder / "m.skops")
    told = fails(2, "tree", "m.skops", cwd=folder)
    assert "was not loaded" in told
    assert "test_errors.double" in told
    assert "--trust" in told


def tampered(path: Path, change: Callable[[np.ndarray], None]) -> None:
    """Change the nodes of the tree in a skops file."""
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    for name, content in contents.items():
        if not name.endswith(".npy"):
            continue
        (path.parent / "array.npy").write_bytes(content)
        array = np.load(path.parent / "array.npy")
        if array.dtype.names:
            change(array)
            np.save(path.parent / "array.npy", array)
            contents[name] = (path.parent / "array.npy").read_bytes()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)


def set_node(field: str, value: int) -> Callable[[np.ndarray], None]:
    def change(nodes: np.ndarray) -> None:
        nodes[field][0] = value

    return change


@pytest.mark.parametrize(
    ("field", "value"),
    [("left_child", 10**6), ("right_child", 2**40), ("left_child", 0), ("feature", 10**6)],
)
def test_node_numbers_that_lead_out_of_the_tree(folder: Path, field: str, value: int) -> None:
    skops.io.dump(fitted(DecisionTreeClassifier()), folder / "m.skops")
    tampered(folder / "m.skops", set_node(field, value))
    assert "'m.skops' is damaged: " in fails(2, "tree", "m.skops", cwd=folder, by=process)


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (["a"] * 6, "there is nothing to learn"),
        ([None] * 6, "is missing in every row"),
        ([0.5, 1, 2, 3, 4, 5], "a classification tree needs classes"),
        (["a", None, None, None, None, None], "there is nothing to learn"),
    ],
)
def test_targets_that_cannot_be_learned(tmp_path: Path, column: list[Any], told: str) -> None:
    pd.DataFrame({"x": range(6), "y": column}).to_csv(tmp_path / "t.csv", index=False)
    assert told in fails(2, "train", "t.csv", "--target", "y", cwd=tmp_path)
    assert not (tmp_path / "model.skops").exists()


def test_numbers_too_large_to_learn_from(tmp_path: Path) -> None:
    table = pd.DataFrame({"x": [1.0, 1e300, 2, 3], "y": ["a", "b", "a", "b"]})
    table.to_csv(tmp_path / "t.csv", index=False)
    assert "'x' is 1e+300" in fails(2, "train", "t.csv", "--target", "y", cwd=tmp_path)


def test_a_category_that_the_model_has_not_seen(tmp_path: Path) -> None:
    table = pd.DataFrame({"colour": ["red", "blue"] * 10, "y": ["a", "b"] * 10})
    table.to_csv(tmp_path / "t.csv", index=False)
    succeeds("train", "t.csv", "--target", "y", cwd=tmp_path)
    (tmp_path / "new.csv").write_text("colour\ngreen\n")
    asked = ("explain", "model.skops", "new.csv", "--row", 0)
    assumed = "colour is green, which training has not seen; the model takes every such value alike"
    assert assumed in " ".join(succeeds(*asked, cwd=tmp_path).split())
    found = answer(*asked, cwd=tmp_path)
    assert found["columns"] == {"colour": "green"}
    assert assumed in found["assumptions"]
    assert found["prediction"] == "b"


@pytest.mark.parametrize(("code", "limit"), [(3, ("--timeout", 1e-9)), (4, ("--memory-limit", 1))])
def test_limits_leave_what_is_known(
    folder: Path, code: int, limit: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    if code == 4:

        def too_much(*_: object, **__: object) -> None:
            raise cattleya.MemoryLimitExceeded("more than 1 MiB")

        monkeypatch.setattr(cattleya.Explanation, "importance", too_much)
    done = called(*EXPLAIN, "--row", 0, *limit, "--json", cwd=folder)
    assert done.returncode == code
    found = json.loads(done.stdout)
    assert (found["counted"], found["count"], found["importance"]) == (False, None, None)
    assert found["sufficient_reason"][0]["text"] == "age <= 30"
    done = called(*EXPLAIN, "--row", 0, *limit, cwd=folder)
    assert done.returncode == code
    assert "age <= 30" in done.stdout
    assert {3: "the time limit was reached", 4: "more than 1 MiB"}[code] in done.stderr


def test_no_such_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class NoSuchReason(ValueError):
        pass

    monkeypatch.setattr(cattleya, "NoSuchReason", NoSuchReason, raising=False)
    with pytest.raises(NoSuchReason), input_errors("about"):
        raise NoSuchReason
    assert report(NoSuchReason("all need 'sex'"), "cattleya explain") == 5
    assert capsys.readouterr().err == "cattleya explain: all need 'sex'\n"


def test_the_unexpected(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a fault of ours")

    monkeypatch.setattr(cattleya.Explanation, "importance", broken)
    told = fails(1, *EXPLAIN, "--row", 0, cwd=folder)
    assert "unexpected ZeroDivisionError: a fault of ours" in told
    assert "CATTLEYA_TRACEBACK=1" in told


def test_no_permission(folder: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("the superuser may do anything")
    (folder / "t.csv").chmod(0)
    assert "Permission denied" in fails(2, *EXPLAIN, "--row", 0, cwd=folder)
    (folder / "t.csv").chmod(0o600)
    (folder / "closed").mkdir(mode=0o500)
    arguments = ("train", "t.csv", "--target", "age", "--out", "closed/m.skops")
    assert "Permission denied" in fails(2, *arguments, cwd=folder)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_an_answer_that_cannot_be_written_is_no_fault_of_ours(
    folder: Path, more: tuple[str, ...]
) -> None:
    command = [sys.executable, "-m", "cattleya", *EXPLAIN, "--row", "0", *more]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command, cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "cattleya explain: cannot write the answer: No space left on device\n"


@pytest.mark.parametrize("closed", [1, 2])
def test_a_stream_may_be_closed(folder: Path, closed: int) -> None:
    command = [sys.executable, "-m", "cattleya", *EXPLAIN, "--row", "0"]
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}>&-', "sh", *command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert ("Decision about row 0:" in done.stdout) == (closed == 2)


def test_a_folder_that_is_not_there(folder: Path) -> None:
    told = fails(2, "train", "t.csv", "--target", "age", "--out", "none/m.skops", cwd=folder)
    assert "cannot write 'none/m.skops': No such file or directory" in told


def test_a_full_disk_leaves_what_was_there(folder: Path) -> None:
    (folder / "model.skops").write_text("an older model")
    before = sorted(path.name for path in folder.iterdir())
    # A limit on the size of files: writing more fails as on a full disk.
    program = (
        "import resource, signal, sys; from cattleya.cli import run;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        "sys.exit(run(['train', 't.csv', '--target', 'age']))"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", program],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "cannot write 'model.skops': File too large" in done.stderr
    assert (folder / "model.skops").read_text() == "an older model"
    assert sorted(path.name for path in folder.iterdir()) == before

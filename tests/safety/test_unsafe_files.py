"""Model files, tables and circuits that somebody made to do harm: refused, at once, for a reason.

What is refused at once is measured in a process of its own: in a second of computing time (or the
system ends the process) and within a megabyte.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import pickle
import subprocess
import sys
import threading
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.adapters import model_files as models
from cattleya.adapters.model_files import ModelFileError, read_model
from cattleya.batch.disk import run as on_disk
from cattleya.support.files import parquet as files_parquet
from cattleya.support.files import tables, unpacking
from cattleya.support.files.errors import TableFileError
from cattleya.support.files.tables import read_table
from tests.checks.command import called, small_tree

GOOD = json.loads(small_tree().to_json())


def changed(**entries: Any) -> bytes:
    return json.dumps(GOOD | entries).encode()


def with_text(old: str, new: str) -> bytes:
    text = json.dumps(GOOD)
    assert old in text
    return text.replace(old, new).encode()


#: Trees that nobody would write.
HOSTILE = {
    "many brackets": b"[" * 3_000_000,
    "many braces": b'{"a":' * 500_000,
    "lists in a list": with_text('"left": [1, -1, -1]', '"left": [' + "[]," * 900_000 + "1]"),
    "objects in a list": with_text('"left": [1, -1, -1]', '"left": [' + '{"":0},' * 400_000 + "1]"),
    "brackets behind a name of brackets": with_text('"no"', '"[[[[{{\\\\\\""') + b"[[[[",
    "a text without end": b'{"format": "' + b"a" * 3_000_000,
    "a name of megabytes": with_text('"no"', '"' + "a" * 3_000_000 + '"'),
    "a name of escapes": with_text('"no"', '"' + "\\\\" * 1_000_000 + '"'),
    "a billion features": changed(n_features=10**9, feature_names=None),
    "more features than there are numbers": changed(n_features=10**4000, feature_names=None),
    "a billion features with two names": changed(n_features=10**9),
    "a class of a large number": changed(leaf_class=[-1, 0, 2**31 - 1]),
    "a child of a large number": changed(left=[2**31 - 1, -1, -1]),
    "a child that no number holds": changed(left=[10**400, -1, -1]),
    "a number of many digits": with_text("30.5", "9" * 50_000),
    "an exponent": with_text("30.5", "1e999999999"),
    "not a number": with_text("30.5", "NaN"),
    "infinity": with_text("30.5", "-Infinity"),
    "a cycle": changed(left=[0, -1, -1]),
    "a node of two parents": changed(left=[1, -1, -1], right=[1, -1, -1]),
    "a key twice": with_text('"n_features": 2', '"n_features": 2, "n_features": 2'),
    "a key of its own": changed(__class__="os.system"),
    "a truth for a number": changed(n_features=True),
    "half a character": with_text('"no"', '"\\ud800"'),
    "another version": changed(version=10**30),
}

REFUSED_AT_ONCE = """
import sys, tracemalloc
from pathlib import Path
from cattleya.adapters.model_files import ModelFileError, read_model

good, *hostile = sys.argv[1:]
read_model(good)
tracemalloc.start()
for path in hostile:
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    try:
        read_model(path)
    except ModelFileError as error:
        said = str(error)
    else:
        said = ""
    _, peak = tracemalloc.get_traced_memory()
    print(Path(path).name, peak - before, len(said), sep="\\t")
"""


def test_hostile_trees_are_refused_within_a_megabyte(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_bytes(json.dumps(GOOD).encode())
    paths = []
    for number, content in enumerate(HOSTILE.values()):
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_bytes(content)
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(1 << 40)  # a terabyte, of which nothing is on the disk
    program = [sys.executable, "-c", REFUSED_AT_ONCE, tmp_path / "good.json", *paths]
    done = subprocess.run(
        [*map(str, program), str(tmp_path / "large.json")],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,  # rather than never
    )
    assert done.returncode == 0, done.stderr
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(lines) == len(HOSTILE) + 1
    for (_, memory, said), what in zip(lines, [*HOSTILE, "a terabyte"], strict=True):
        assert int(memory) < 1 << 20, what
        assert 20 < int(said) < 1000, what


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_trees_on_the_command_line(what: str, tmp_path: Path) -> None:
    (tmp_path / "tree.json").write_bytes(HOSTILE[what])
    done = called("tree", "tree.json", cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr) < 2500
    assert "tree.json" in done.stderr


def test_a_large_tree_is_no_hostile_one() -> None:
    names = [f'[{{\\"{number}' for number in range(20_000)]
    chain = cattleya.Tree.from_nested("yes")
    tree = cattleya.Tree([-1], [-1], [-1], [0.0], [0], 20_000, names, ["]]]]"])
    assert cattleya.Tree.from_json(tree.to_json()) == tree
    assert cattleya.Tree.from_json(chain.to_json()) == chain


# Files that can run code.


class Mischief:
    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path("mischief"),)


@pytest.mark.parametrize("name", ["m.pkl", "m.PKL", "m.Pickle", "m.joblib", "m.json", "m.skops"])
def test_no_pickle_is_loaded_under_any_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(pickle.dumps(Mischief()))
    with pytest.raises(ModelFileError, match=name):
        read_model(name)
    assert not Path("mischief").exists()


def archive_of(model: Any) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(skops.io.dumps(model))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def as_zip(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def fitted() -> Any:
    rows = [[20.0, 1.0], [41.0, 0.0], [33.0, 3.0], [60.0, 2.0]]
    model = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    return model.fit(rows, ["no", "yes", "yes", "no"])


def test_types_of_skops_are_listed_and_nothing_of_them_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("lurking.py").write_text("open('mischief', 'w').close()\nclass StandardScaler: pass\n")
    members = archive_of(fitted())
    members["schema.json"] = members["schema.json"].replace(
        b"sklearn.preprocessing._data", b"lurking"
    )
    Path("m.skops").write_bytes(as_zip(members))
    with pytest.raises(ModelFileError, match=r"lurking\.StandardScaler.*--trust"):
        read_model("m.skops")
    assert not Path("mischief").exists()


def test_an_archive_with_paths_in_it_writes_nothing(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "m.skops").write_bytes(
        as_zip(archive_of(fitted()) | {"../outside": b"x", "/tmp/../outside": b"x"})
    )
    read_model(inner / "m.skops")
    assert [path.name for path in tmp_path.iterdir()] == ["inner"]
    assert [path.name for path in inner.iterdir()] == ["m.skops"]


# Bombs.


def test_a_skops_file_that_unpacks_to_far_more(tmp_path: Path) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in archive_of(fitted()).items():
            archive.writestr(name, content)
        archive.filelist[-1].file_size = 1 << 31  # as the archive's own list says it
    (tmp_path / "m.skops").write_bytes(file.getvalue())
    with pytest.raises(ModelFileError, match=r"unpacks from .* to 2,147.*--trust"):
        read_model(tmp_path / "m.skops")


def test_a_skops_file_of_parts_that_overlap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each part is packed well by itself; all together they are the same bytes again and again."""
    monkeypatch.setattr(unpacking, "LARGE", 1 << 20)
    members = archive_of(fitted()) | {"zeros": bytes(20_000)}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        archive.filelist += [archive.filelist[-1]] * 500
    (tmp_path / "m.skops").write_bytes(file.getvalue())
    with pytest.raises(ModelFileError, match="unpacks from"):
        read_model(tmp_path / "m.skops")


def test_a_skops_file_of_references_to_references(tmp_path: Path) -> None:
    """Of forty levels, each twice the one below: it would take skops for ever to look at it."""
    part: dict[str, Any] = {"__loader__": "ListNode", "__id__": 1, "content": []}
    for number in range(2, 42):
        again = {"__loader__": "CachedNode", "__id__": number - 1}
        part = {"__loader__": "ListNode", "__id__": number, "content": [part, again]}
    for level in _parts_of(part):
        level |= {"__class__": "list", "__module__": "builtins"}
    path = tmp_path / "h.skops"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", json.dumps(part | {"protocol": 2, "_skops_version": "0"}))
    with pytest.raises(ModelFileError, match="so often that they amount to 2"):
        read_model(path)


def _parts_of(part: dict[str, Any]) -> list[dict[str, Any]]:
    return [part, *(one for inner in part.get("content", []) for one in _parts_of(inner))]


def test_a_compressed_table_that_unpacks_to_far_more(tmp_path: Path) -> None:
    (tmp_path / "tree.json").write_bytes(json.dumps(GOOD).encode())
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"0,0\n" * (1 << 18)) * 300)
    for command in ("explain tree.json t.csv.gz --row 0", "report tree.json t.csv.gz"):
        done = called(*command.split(), cwd=tmp_path)
        assert done.returncode == 2
        assert "'t.csv.gz' unpacks from" in done.stderr


def test_a_compressed_table_may_unpack_to_what_is_not_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "LARGE", 1 << 20)
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(bytes(1 << 20)))
    unpacking.check_gzip(path)
    path.write_bytes(gzip.compress(bytes((1 << 20) + 1)))
    with pytest.raises(ValueError, match="unpacks from"):
        unpacking.check_gzip(path)


def test_a_parquet_file_that_unpacks_to_far_more(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    zeros = pa.array(np.zeros(1_000_000))
    table = pa.table({f"x{number}": zeros for number in range(40)})
    parquet.write_table(table, tmp_path / "t.parquet", compression="zstd")
    (tmp_path / "tree.json").write_bytes(json.dumps(GOOD).encode())
    done = called("explain", "tree.json", "t.parquet", "--row", 0, cwd=tmp_path)
    assert done.returncode == 2
    assert "'t.parquet' unpacks from" in done.stderr


LONG = "a" * (1 << 14)
SWOLLEN: dict[str, tuple[Any, dict[str, Any]]] = {
    "one text in every row": ([LONG] * 600, {}),
    "texts that differ in the end": (
        [f"{LONG}{number:03}" for number in range(600)],
        {"use_dictionary": False, "column_encoding": {"x2": "DELTA_BYTE_ARRAY"}},
    ),
}
NESTED: dict[str, Any] = {
    "long lists": [[0.0] * (1 << 11)] * 600,
    "lists of texts": [[LONG] * 10] * 60,
    "text in a struct": [{"in": LONG}] * 600,
}


def write_swollen(folder: Path, what: str) -> None:
    """Write a table with a column of texts, a model that does not take it, and one that does."""
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    column, settings = SWOLLEN[what]
    ones = [1.0] * len(column)
    table = pa.table({"age": ones, "income": ones, "x2": column})
    parquet.write_table(table, folder / "t.parquet", compression="zstd", **settings)
    assert (folder / "t.parquet").stat().st_size < 1 << 15
    (folder / "tree.json").write_bytes(json.dumps(GOOD).encode())
    few = pd.DataFrame({"age": [1.0, 2.0], "income": [1.0, 1.0], "x2": ["a", "b"]})
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    columns = ColumnTransformer([("text", encoder, ["x2"])], remainder="passthrough")
    model = make_pipeline(columns, DecisionTreeClassifier(random_state=0)).fit(few, [0, 1])
    skops.io.dump(model, folder / "m.skops")


@pytest.mark.parametrize("what", SWOLLEN)
@pytest.mark.parametrize(
    "command", ["explain tree.json t.parquet --row 0", "batch m.skops t.parquet --out o.csv"]
)
def test_a_parquet_file_of_little_that_stands_for_much(
    what: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = on_disk.explain_file.__kwdefaults__ or {}
    monkeypatch.setitem(settings, "part", 100)  # no part alone is too much
    monkeypatch.setattr(unpacking, "LARGE", 1 << 22)
    write_swollen(tmp_path, what)
    done = called(*command.split(), cwd=tmp_path)
    assert done.returncode == 2
    assert "'t.parquet' unpacks from" in done.stderr
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.parametrize("what", SWOLLEN)
def test_columns_that_the_model_does_not_take_are_not_read(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "LARGE", 1 << 22)
    write_swollen(tmp_path, what)
    done = called(*["batch", "tree.json", "t.parquet", "--out", "o.csv"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = called(
        *["batch", "tree.json", "t.parquet", "--out", "p.csv", "--id", "x2"], cwd=tmp_path
    )
    assert "'t.parquet' unpacks from" in done.stderr


@pytest.mark.parametrize("long", [True, False])
def test_identifiers_that_are_categories_are_measured(
    long: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(unpacking, "LARGE", 1 << 22)
    keys = pd.Categorical([LONG] * 600 if long else [f"key {number}" for number in range(600)])
    table = pd.DataFrame({"age": 1.0, "income": 1.0, "key": keys})
    table.to_parquet(tmp_path / "t.parquet")
    (tmp_path / "tree.json").write_bytes(json.dumps(GOOD).encode())
    for command in (
        ("batch", "tree.json", "t.parquet", "--out", "o.csv", "--id", "key"),
        ("explain", "tree.json", "t.parquet", "--id-column", "key", "--id", "key 7"),
    ):
        done = called(*command, cwd=tmp_path)
        assert done.returncode == (2 if long else 0), done.stderr
        assert ("'t.parquet' unpacks from" in done.stderr) == long


def test_a_parquet_file_of_very_many_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    ones = np.ones(100_000)
    parquet.write_table(pa.table({"age": ones, "income": ones}), tmp_path / "t.parquet")
    (tmp_path / "tree.json").write_bytes(json.dumps(GOOD).encode())
    command = ["batch", "tree.json", "t.parquet", "--out", "o.csv"]
    assert called(*command, cwd=tmp_path).returncode == 0
    monkeypatch.setattr(files_parquet, "MANY_ROWS", 1000)
    monkeypatch.setattr(files_parquet, "MOST_ROWS_A_BYTE", 1)
    done = called(*command, cwd=tmp_path)
    assert done.returncode == 2
    assert "'t.parquet' stands for 100,000 rows" in done.stderr


@pytest.mark.parametrize("what", NESTED)
def test_nested_columns_are_not_read(what: str, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    ones = [1.0] * len(NESTED[what])
    table = pa.table({"age": ones, "nested": NESTED[what], "income": ones, "key": range(len(ones))})
    parquet.write_table(table, tmp_path / "t.parquet", compression="zstd")
    (tmp_path / "tree.json").write_bytes(json.dumps(GOOD).encode())
    for command in (
        *("explain tree.json t.parquet --row 0", "batch tree.json t.parquet --out o.csv"),
        "batch tree.json t.parquet --out p.csv --id key",
    ):
        done = called(*command.split(), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    frame = read_table(tmp_path / "t.parquet")
    assert list(frame) == ["age", "nested", "income", "key"]
    assert frame["nested"].memory_usage() < 10_000
    for command, message in (
        ("batch tree.json t.parquet --out q.csv --id nested", "'nested' is of the type"),
        ("train t.parquet --target key --out m.skops", "'nested' is a "),
    ):
        done = called(*command.split(), cwd=tmp_path)
        assert done.returncode == 2, done.stderr
        assert message in done.stderr


def test_texts_that_repeat_are_nothing_unusual(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    places = pd.Series(["a town", "another", np.nan] * 20_000)
    table = pd.DataFrame({"x0": 1, "x1": 0, "text": places, "kind": places.astype("category")})
    table.to_parquet(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(read_table(tmp_path / "t.parquet"), table)
    delta: dict[str, Any] = {
        "use_dictionary": False,
        "column_encoding": {"text": "DELTA_BYTE_ARRAY"},
    }
    table[["x0", "text"]].to_parquet(tmp_path / "t.parquet", **delta)
    pd.testing.assert_frame_equal(read_table(tmp_path / "t.parquet"), table[["x0", "text"]])
    long = pd.Categorical([f"{n % 20}{'x' * 5000}" for n in range(60_000)])
    pd.DataFrame({"x0": 1, "kind": long}).to_parquet(tmp_path / "t.parquet")
    assert (read_table(tmp_path / "t.parquet")["kind"] == long).all()


# What is no file.


DEVICES = [
    "explain zero.skops t.csv --row 0",
    "explain tree.json zero.csv --row 0",
    "explain tree.json zero.csv.gz --row 0",
    "explain tree.json zero.parquet --row 0",
    "tree zero.json",
    "report tree.json zero.csv",
    "train zero.csv --target age",
    "train zero.parquet --target age",
    "batch tree.json zero.csv --out o.csv",
    "batch tree.json zero.parquet --out o.csv",
    "batch tree.json /dev/zero --out o.csv",
    "batch zero.json t.csv --out o.csv",
    "verify zero.csv --model tree.json --data t.csv",
    "verify zero.parquet --model tree.json --data t.csv",
    "verify o.csv --model tree.json --data zero.csv",
]
WITHIN = """
import resource, signal, sys
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
signal.alarm(60)
from cattleya.cli import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def devices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model, a table and its result, and devices that are named like files."""
    if not Path("/dev/zero").exists():
        pytest.skip("needs /dev/zero")
    folder = tmp_path_factory.mktemp("devices")
    (folder / "tree.json").write_bytes(json.dumps(GOOD).encode())
    (folder / "t.csv").write_text("age,income\n31,5\n")
    assert called(*["batch", "tree.json", "t.csv", "--out", "o.csv"], cwd=folder).returncode == 0
    for ending in ("csv", "csv.gz", "parquet", "json", "skops", "circuit"):
        (folder / f"zero.{ending}").symlink_to("/dev/zero")
    return folder


@pytest.mark.parametrize("command", DEVICES)
def test_devices_are_refused(command: str, devices: Path) -> None:
    pytest.importorskip("pyarrow")
    done = subprocess.run(
        [sys.executable, "-c", WITHIN, *command.split()],
        capture_output=True,
        text=True,
        cwd=devices,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "zero" in done.stderr
    assert "is a device, not a file; name a file" in done.stderr


@pytest.mark.parametrize("name", ["zero.circuit", "/dev/zero", "pipe"])
def test_a_circuit_is_read_from_a_file(name: str, devices: Path) -> None:
    if name == "pipe":
        os.mkfifo(devices / name)
    with pytest.raises(ValueError, match=r"is a (device|pipe)"):
        cattleya.Circuit.load(devices / name, memory_limit=1 << 20)


def test_a_pipe_may_have_no_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("needs pipes with names")
    monkeypatch.setattr(models, "LARGEST", 1 << 20)
    monkeypatch.setattr(tables, "LARGEST_PIPE", 1 << 20)
    os.mkfifo(tmp_path / "m.skops")
    os.mkfifo(tmp_path / "t.csv")

    def feed(path: Path) -> None:
        with suppress(BrokenPipeError), path.open("wb", buffering=0) as pipe:
            while True:
                pipe.write(b"31,5\n" * 1000)

    for path in (tmp_path / "m.skops", tmp_path / "t.csv"):
        threading.Thread(target=feed, args=(path,), daemon=True).start()
    with pytest.raises(ModelFileError, match="too large for a model"):
        read_model(tmp_path / "m.skops")
    with pytest.raises(TableFileError, match="is a pipe that gives more than 1,048,576 bytes"):
        read_table(tmp_path / "t.csv")


# Circuits.


def orchid() -> cattleya.Circuit:
    x4 = ("x4", 0, 1)
    tree = cattleya.Tree.from_nested(
        ("x1", ("x2", 0, ("x3", 0, x4)), ("x2", ("x3", x4, x4), ("x3", x4, x4)))
    )
    return cattleya.Explainer(tree).explain([1, 1, 1, 1]).compile()


def forged(path: Path, old: bytes, new: bytes) -> None:
    """Change a circuit, and its checksum with it."""
    content = path.read_bytes()[:-32]
    assert old in content
    content = content.replace(old, new, 1)
    path.write_bytes(content + hashlib.sha256(content).digest())


def test_a_circuit_does_not_ask_for_more_arithmetic_than_its_atoms_can_need(
    tmp_path: Path,
) -> None:
    """The bits of a count are the circuit's word; of 4 atoms, no more than 2^4 sets are minimal."""
    circuit, path = orchid(), tmp_path / "c.circuit"
    circuit.save(path)
    bits = circuit._core.arrays()[-1]
    forged(path, bits.tobytes(), np.full_like(bits, 9e8).tobytes())
    loaded = cattleya.Circuit.load(path)
    assert loaded._core.arrays()[-1].max() <= 5
    assert loaded.count() == circuit.count() == 2
    assert loaded.importance() == circuit.importance()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"n_atoms": 4', b'"n_atoms": 2147483647'),
        (b'"n_atoms": 4', b'"n_atoms": ' + b"9" * 5000),
        (b'"lengths": [', b'"lengths": [2147483647, '),
        (b'"conditions": [', b'"conditions": [' + b"[" * 100_000),
        (b'"conditions": [', b'"conditions": [{}, '),
        (b'"x1"', b'"' + b"a" * 1_000_000 + b'"'),
        (b'"x1"', b"NaN"),
        (b'"over": ', b'"over": 1e999, "was": '),
    ],
)
def test_forged_circuits(tmp_path: Path, old: bytes, new: bytes) -> None:
    path = tmp_path / "c.circuit"
    orchid().save(path)
    forged(path, old, new)
    with pytest.raises(ValueError, match=r"c\.circuit' is damaged") as caught:
        cattleya.Circuit.load(path)
    assert len(str(caught.value)) < 1000

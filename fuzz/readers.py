"""``python -m fuzz.readers``: damaged and hostile files into everything that reads files.

A target takes bytes, makes a file of them, and has it read. It may be refused with the documented
exception or exit code; anything else is a failure. Coverage-guided where atheris is installed
(``pip install "cattleya[fuzz]"``), which saves what breaks a target as ``build/crash-...``;
``python -m fuzz.readers TARGET FILE`` has it again. The tests feed some random bytes without it.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import copy
import hashlib
import importlib.util
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import cattleya
from cattleya.adapters.saved_models import read_saved
from cattleya.cli import run as command_line
from cattleya.cli.errors import Exit
from tests.samples.boosters import catboost_export, lightgbm_text, ubjson, xgboost_document

__all__ = ["TARGETS"]

WEIRD: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2,
        2**31,
        -(2**31) - 1,
        2**63,
        10**400,
        0.5,
        -0.0,
        1e308,
        5e-324,
    ),
    *("", "inf", "nan", "a", "\ud800", "\x1b[31m", "<b>", "=1+1", "x" * 300, "float32"),
    *([], {}, [[]], [0], [None], [-1, -1], {"format": 1}),
)
TABLE = b"a,b,c\n1,2,3\n0.5,,x\n-1e400,nan,\xff\n"
SECONDS = 0.5
#: What is followed on its way through a file, beside what the package imports by itself.
READERS = (
    "model.tree.json_form",
    "model.ensemble.json_form",
    "reasons.circuit_file",
    "support.files.tables",
    "support.files.chunks",
    "adapters.saved_models",
    "adapters.xgboost.document",
    "adapters.xgboost.ubjson",
    "adapters.lightgbm.text",
    "adapters.catboost.trees",
    "adapters.model_files",
)


class Bytes:
    """Decisions read off some bytes; zeros when these are used up."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def below(self, n: int) -> int:
        """Return a number below n."""
        taken = self._data[self._at : self._at + 2]
        self._at += 2
        return int.from_bytes(taken, "little") % n

    def __bool__(self) -> bool:
        return self._at < len(self._data)


@cache
def small_tree() -> cattleya.Tree:
    """Return a tree with something of everything."""
    return cattleya.Tree(
        [1, 3, -1, -1, 5, -1, -1],
        [2, 4, -1, -1, 6, -1, -1],
        [0, 1, -1, -1, 2, -1, -1],
        [0.5, 1.5, 0, 0, 0.5, 0, 0],
        [-1, -1, 0, 1, -1, 0, 2],
        n_features=3,
        feature_names=["a", "b", "c"],
        class_names=["no", "yes", 7],
        missing_left=[False, True, False, False, True, False, False],
        boolean=[2],
    )


def tree_file(data: bytes) -> None:
    """A tree in JSON: text as it comes, or a good one with some entries exchanged."""
    text = data[1:].decode(errors="replace")
    if data[:1] and data[0] % 2:
        known = json.loads(small_tree().to_json())
        choose = Bytes(data[1:])
        while choose:
            _exchange(known, choose)
        text = json.dumps(known)
    try:
        tree = cattleya.Tree.from_json(text)
    except (ValueError, TypeError):
        return
    again = cattleya.Tree.from_json(tree.to_json())
    assert again == tree
    if tree.n_features < 1000:
        e = cattleya.Explainer(tree).explain([0] * tree.n_features)
        assert e.verify(e.sufficient_reason(timeout=SECONDS))


@cache
def small_ensemble() -> cattleya.Ensemble:
    """Return an ensemble with something of everything."""
    return cattleya.Ensemble(
        [0, 3, 8],
        [1, -1, -1, 4, 6, -1, -1, -1],
        [2, -1, -1, 5, 7, -1, -1, -1],
        [0, -1, -1, 1, 2, -1, -1, -1],
        [0.5, 0, 0, 1.5, 0, 0, 0, 0],
        [[0.25], [0.5], [-1.0], [2.0], [0.125]],
        n_features=3,
        feature_names=["a", "b", "c"],
        class_names=["no", "yes"],
        missing_left=[True, False, False, False, True, False, False, False],
        category_set=[-1, -1, -1, -1, 0, -1, -1, -1],
        set_start=[0, 2],
        set_codes=[0, 2],
        set_left=[True],
        output_of_tree=[0, 1],
        base=[0.5, 0.0],
        decision="largest",
        link="softmax",
        categories={2: ("red", "green", "blue")},
    )


def ensemble_file(data: bytes) -> None:
    """An ensemble in JSON: text as it comes, or a good one with entries or bytes exchanged."""
    text = data[1:].decode(errors="replace")
    if data[:1] and data[0] % 4:
        known = json.loads(small_ensemble().to_json())
        choose = Bytes(data[1:])
        while choose:
            (_exchange if data[0] % 4 == 1 else _exchange_bytes)(known, choose)
        text = json.dumps(known)
    try:
        ensemble = cattleya.Ensemble.from_json(text)
    except (ValueError, TypeError):
        return
    assert cattleya.Ensemble.from_json(ensemble.to_json()) == ensemble
    if ensemble.n_features < 1000 and ensemble.n_outputs < 1000:
        labels = [ensemble.categories.get(f, (1.5,)) for f in range(ensemble.n_features)]
        ensemble.predict([[one[0] if one else 0.5 for one in labels]])


def _exchange_bytes(known: dict[str, Any], choose: Bytes) -> None:
    """Exchange one byte of an array."""
    arrays = sorted(
        name
        for name, part in known.items()
        if part
        and type(part) is list
        and name not in ("feature_names", "class_names", "categories", "reading")
    )
    name = arrays[choose.below(len(arrays))]
    content = bytearray(base64.b64decode(known[name][0]))
    if content:
        content[choose.below(len(content))] = choose.below(256)
    known[name] = [base64.b64encode(content).decode()]


def _weird(choose: Bytes) -> Any:
    return copy.deepcopy(WEIRD[choose.below(len(WEIRD))])


def _exchange(known: dict[str, Any], choose: Bytes) -> None:
    """Exchange one entry, at some depth, for a weird one."""
    key = sorted(known)[choose.below(len(known))] if known else "left"
    within = known.get(key)
    if isinstance(within, list) and within and choose.below(3):
        way, place = choose.below(4), choose.below(len(within))
        if way == 0:
            within[place] = _weird(choose)
        elif way == 1:
            del within[place]
        elif way == 2:
            within.append(_weird(choose))
        else:
            within[place] = choose.below(16) - 2
    elif choose.below(4):
        known[key] = _weird(choose)
    else:
        known.pop(key, None)


@cache
def circuit_content() -> bytes:
    """Return a circuit's file without its checksum."""
    e = cattleya.Explainer(small_tree()).explain([0, 1, 1])
    with tempfile.TemporaryDirectory() as folder:
        e.compile().save(Path(folder) / "circuit")
        return (Path(folder) / "circuit").read_bytes()[:-32]


def circuit_file(data: bytes) -> None:
    """A circuit with some bytes exchanged, and a checksum that says that all is well."""
    content = bytearray(circuit_content())
    choose = Bytes(data[1:])
    while choose:
        way, place = choose.below(4), choose.below(len(content))
        if way < 2:
            content[place] = choose.below(256)
        elif way == 2:
            del content[place : place + 1 + choose.below(8)]
        else:
            content[place:place] = bytes(choose.below(9))
        content = content or bytearray(b"c")
    if data[:1] and data[0] % 8 == 0:
        content = bytearray(data)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "circuit"
        path.write_bytes(bytes(content) + hashlib.sha256(content).digest())
        try:
            circuit = cattleya.Circuit.load(path, memory_limit=1 << 24)
        except ValueError:
            return
        with contextlib.suppress(cattleya.TimeoutExpired, cattleya.MemoryLimitExceeded):
            circuit.count(timeout=SECONDS)
            circuit.importance(excluding=circuit.conditions[:1], timeout=SECONDS)


def table_file(data: bytes) -> None:
    """A table on the command line, beside a good model; bytes as they come."""
    ending = (".csv", ".parquet", ".tsv", ".json", ".skops", ".csv.gz")[data[0] % 6 if data else 0]
    with tempfile.TemporaryDirectory() as folder:
        model, table = Path(folder) / "model.json", Path(folder) / f"table{ending}"
        model.write_text(small_tree().to_json())
        table.write_bytes(data[1:])
        for arguments in (["explain", str(model), str(table), "--row", "0"], ["tree", str(table)]):
            told = io.StringIO()
            with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
                code = command_line(arguments)
            assert code in set(Exit) - {Exit.UNEXPECTED}, told.getvalue()
            assert "Traceback" not in told.getvalue()
        assert sorted(path.name for path in Path(folder).iterdir()) == ["model.json", table.name]


def booster_file(data: bytes) -> None:
    """A model of another library: bytes as they come, or a good file with some exchanged."""
    way = data[0] % 5 if data else 0
    documents = (xgboost_document(), catboost_export())
    known = [json.dumps(one).encode() for one in documents]
    content = bytearray([*known, ubjson(documents[0]), lightgbm_text().encode(), b""][way])
    choose = Bytes(data[1:])
    while choose and content:
        act, place = choose.below(4), choose.below(len(content))
        if act < 2:
            content[place] = choose.below(256)
        elif act == 2:
            del content[place : place + 1 + choose.below(8)]
        else:
            content[place:place] = b"-0123456789.eE[]{}"[choose.below(18) :][: choose.below(4)]
    if not content:
        content = bytearray(data[1:])
    try:
        model = read_saved(bytes(content))
    except (ValueError, TypeError):
        return
    assert cattleya.Ensemble.from_json(model.to_json()) == model
    if model.n_features < 1000 and not model.categories:
        model.predict(np.zeros((1, model.n_features)))


TARGETS: dict[str, Callable[[bytes], None]] = {
    "tree": tree_file,
    "booster": booster_file,
    "ensemble": ensemble_file,
    "circuit": circuit_file,
    "table": table_file,
}


def seeds() -> list[bytes]:
    """Return files to begin with."""
    texts = (small_tree().to_json(), small_ensemble().to_json())
    return [b"\0" + text.encode() for text in texts] + [b"\0" + TABLE]


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.readers", description=__doc__)
    parser.add_argument("target", nargs="?", choices=list(TARGETS))
    parser.add_argument("file", nargs="?", type=Path, help="what broke it")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default: 60)")
    options = parser.parse_args()
    if options.file is not None:
        TARGETS[options.target](options.file.read_bytes())
        return 0
    if importlib.util.find_spec("atheris") is None:
        print('skipped: files are fuzzed with atheris; pip install "cattleya[fuzz]" (Linux, macOS)')
        return 0
    guided = [sys.executable, "-m", "fuzz.guided", "--seconds", str(options.seconds)]
    targets = [options.target] if options.target else list(TARGETS)
    return max(subprocess.run([*guided, target], check=False).returncode for target in targets)


if __name__ == "__main__":
    sys.exit(main())

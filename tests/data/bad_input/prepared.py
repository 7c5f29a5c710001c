"""What the calls and commands are about: a few models, explanations of them, and files.

``NAMES`` is what the calls see. ``write_files`` fills the folder that everything runs in: ``FILES``
says what each is.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import pickle
import zipfile
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import skops.io
from scipy import sparse
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import cattleya
from cattleya import plots
from cattleya.present import words
from tests.checks.command import called

__all__ = ["FILES", "NAMES", "tree", "write_files"]

NODES: dict[str, Any] = {
    "left": [1, -1, -1],
    "right": [2, -1, -1],
    "feature": [0, -1, -1],
    "threshold": [30.5, 0, 0],
    "leaf_class": [-1, 0, 1],
    "n_features": 2,
}


def tree(**changes: Any) -> cattleya.Tree:
    """The smallest tree that decides something, with something wrong."""
    return cattleya.Tree(**(NODES | changes))


def double(values: Any) -> Any:
    """What a model file may want to run."""
    return 2 * values


X = pd.DataFrame({"age": [20.0, 41.0, 33.0, 60.0], "income": [1.0, 0.0, 3.0, 2.0]})
Y = ["no", "yes", "yes", "no"]
JOBS = pd.DataFrame({"job": ["clerk", "nurse", "cook", "nurse"], "age": [1, 1, 1, 2]})

people = tree(feature_names=["age", "income"], class_names=["no", "yes"])
x4 = ("x4", 0, 1)
orchids = cattleya.Tree.from_nested(
    ("x1", ("x2", 0, ("x3", 0, x4)), ("x2", ("x3", x4, x4), ("x3", x4, x4)))
)
model = DecisionTreeClassifier(random_state=0).fit(X, Y)
pipeline = make_pipeline(OrdinalEncoder(), DecisionTreeClassifier(random_state=0)).fit(JOBS, Y)
explainer = cattleya.Explainer(model)
e = explainer.explain([20, 1])
orchid = cattleya.Explainer(orchids).explain([1, 1, 1, 1])
nurse = cattleya.Explainer(pipeline).explain({"job": "nurse", "age": 1})
facts = cattleya.Explainer(model, over="features").explain([20, 1])
circuit = orchid.compile()
reason = e.sufficient_reason()
condition = reason.conditions[0]

#: What the calls see.
NAMES: dict[str, Any] = {
    "cattleya": cattleya,
    "plots": plots,
    "words": words,
    "np": np,
    "pd": pd,
    "sparse": sparse,
    "Decimal": Decimal,
    "DecisionTreeClassifier": DecisionTreeClassifier,
    "DecisionTreeRegressor": DecisionTreeRegressor,
    "GradientBoostingClassifier": GradientBoostingClassifier,
    "GridSearchCV": GridSearchCV,
    "LogisticRegression": LogisticRegression,
    "RandomForestClassifier": RandomForestClassifier,
    "StandardScaler": StandardScaler,
    "make_pipeline": make_pipeline,
    "nan": math.nan,
    "inf": math.inf,
    "huge": 10**400,
    "X": X,
    "Y": Y,
    "people": people,
    "tree": tree,
    "orchids": orchids,
    "model": model,
    "pipeline": pipeline,
    "explainer": explainer,
    "e": e,
    "orchid": orchid,
    "nurse": nurse,
    "facts": facts,
    "circuit": circuit,
    "reason": reason,
    "condition": condition,
}

TABLE = "age,income\n20,1\n40,2\n40,3\n"


def fitted(what: Any) -> Any:
    """A model that has learned something."""
    return what.fit(X.to_numpy(), Y)


def _skops(what: Any) -> bytes:
    return bytes(skops.io.dumps(what))


def _zip(**members: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def _parquet(table: pd.DataFrame) -> bytes:
    return table.to_parquet()


@cache
def _circuit() -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        circuit.save(Path(folder, "c"))
        return Path(folder, "c").read_bytes()


def _json(**changes: Any) -> bytes:
    return json.dumps(json.loads(people.to_json()) | changes).encode()


def _npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


#: By name: what a file is, and its content.
FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    # Good ones.
    "tree.json": ("the tree `people`", lambda: people.to_json().encode()),
    "model.skops": (
        "a model trained without names",
        lambda: _skops(fitted(DecisionTreeClassifier())),
    ),
    "t.csv": ("a table of three rows, `age` and `income`", TABLE.encode),
    "orchid.circuit": ("a circuit", _circuit),
    # Models.
    "empty.json": ("nothing", lambda: b""),
    "cut.json": ("half a tree", lambda: people.to_json().encode()[:100]),
    "list.json": ("`[]`", lambda: b"[]"),
    "other.json": ('`{"a": 1}`', lambda: b'{"a": 1}'),
    "latin.json": ("text that is not UTF-8", lambda: b'{"a": "\xe9"}'),
    "newer.json": ("a tree of version 2", lambda: _json(version=2)),
    "cycle.json": ("a tree whose root is its own child", lambda: _json(left=[0, -1, -1])),
    "nan.json": (
        "a tree with the threshold `NaN`",
        lambda: people.to_json().replace("30.5", "NaN").encode(),
    ),
    "twice.json": (
        "a tree with a key twice",
        lambda: people.to_json().replace("{", '{"left": [], ', 1).encode(),
    ),
    "deep.json": ("100,000 brackets", lambda: b"[" * 100_000),
    "wide.json": (
        "a tree of 10⁹ features without names",
        lambda: _json(n_features=10**9, feature_names=None),
    ),
    "empty.skops": ("nothing", lambda: b""),
    "text.skops": ("a text", lambda: b"something else"),
    "cut.skops": (
        "half a model",
        lambda: (whole := _skops(fitted(DecisionTreeClassifier())))[: len(whole) // 2],
    ),
    "zip.skops": ("another zip archive", lambda: _zip(readme="not a model")),
    "function.skops": (
        "a model with a function of somebody's own",
        lambda: _skops(
            fitted(make_pipeline(FunctionTransformer(double), DecisionTreeClassifier()))
        ),
    ),
    "forest.skops": (
        "a `RandomForestClassifier`",
        lambda: _skops(fitted(RandomForestClassifier(2))),
    ),
    "regressor.skops": (
        "a `DecisionTreeRegressor`",
        lambda: _skops(DecisionTreeRegressor().fit(X.to_numpy(), range(4))),
    ),
    "unfitted.skops": ("a model that is not fitted", lambda: _skops(DecisionTreeClassifier())),
    "dict.skops": ("a dict", lambda: _skops({"a": 1})),
    "model.pkl": ("a pickle", lambda: pickle.dumps(model)),
    "cut.pkl": ("half a pickle", lambda: pickle.dumps(model)[:50]),
    "model.onnx": ("a file of another kind", lambda: b"something else"),
    # Tables.
    "empty.csv": ("nothing", lambda: b""),
    "heading.csv": ("a heading and no rows", lambda: b"age,income\n"),
    "twice.csv": ("a column twice", lambda: b"age,age,income\n1,2,3\n"),
    "long.csv": ("a row with too many cells", lambda: b"age,income\n1,2\n1,2,3\n"),
    "longer.csv": ("every row with too many cells", lambda: b"age,income\n1,2,3\n4,5,6\n"),
    "latin.csv": ("text that is not UTF-8", lambda: b"age,income\n\xe9,2\n"),
    "utf16.csv": ("UTF-16", lambda: TABLE.encode("utf-16")),
    "wage.csv": ("another column", lambda: b"age,wage\n1,2\n"),
    "old.csv": ("text for a number", lambda: b"age,income\nold,2\n"),
    "missing.csv": ("an empty cell", lambda: b"age,income\n,2\n"),
    "inf.csv": ("an infinite number", lambda: b"age,income\ninf,2\n1,3\n"),
    "digits.csv": ("a number of 400 digits", lambda: b"age,income\n%s,2\n" % (b"9" * 400)),
    "same.csv": ("a target of one class", lambda: b"x,y\n1,a\n2,a\n"),
    "numbers.csv": ("a target of numbers", lambda: b"x,y\n1,0.5\n2,1.5\n"),
    "untold.csv": ("a target that is always missing", lambda: b"x,y\n1,\n2,\n"),
    "large.csv": ("a number beyond 32 bits", lambda: b"x,y\n1e300,a\n2,b\n3,a\n4,b\n"),
    "line.csv": ("20 MB without a line break", lambda: b"a," * 10_000_000),
    "cut.csv.gz": (
        "half a compressed table",
        lambda: (whole := gzip.compress(TABLE.encode() * 1000, mtime=0))[: len(whole) // 2],
    ),
    "plain.csv.gz": ("a table that is not compressed", TABLE.encode),
    "bomb.csv.gz": ("512 MiB of zeros in 512 KiB", lambda: gzip.compress(bytes(1 << 20)) * 512),
    "cut.parquet": (
        "half a Parquet file",
        lambda: (whole := _parquet(X))[: len(whole) // 2],
    ),
    "text.parquet": ("a text", lambda: b"something else"),
    "empty.parquet": ("no rows", lambda: _parquet(X.iloc[:0])),
    "plain.parquet": ("a table that is no result", lambda: _parquet(X)),
    "t.xlsx": ("a table of another kind", lambda: b"something else"),
    "text.npz": ("a text", lambda: b"something else"),
    "arrays.npz": ("arrays of other names", lambda: _npz(a=[1, 2])),
    "uneven.npz": (
        "five images and two labels",
        lambda: _npz(pixels=np.zeros((5, 4)), digit=[1, 2]),
    ),
    "objects.npz": ("pickled objects", lambda: _npz(pixels=np.array([{}, {}]), digit=[1, 2])),
    # Circuits.
    "text.circuit": ("a text", lambda: b"something else"),
    "empty.circuit": ("nothing", lambda: b""),
    "cut.circuit": ("half a circuit", lambda: _circuit()[: len(_circuit()) // 2]),
    "flipped.circuit": (
        "a circuit with one byte changed",
        lambda: _circuit().replace(b'"n_atoms": 4', b'"n_atoms": 5'),
    ),
    "newer.circuit": (
        "a circuit of version 9",
        lambda: _circuit().replace(b"cattleya-circuit 1", b"cattleya-circuit 9"),
    ),
    # Anything else.
    "page.md": ("a page without the marks for tables", lambda: b"# A page\n"),
    "done/rows.jsonl": ("a journal of something else", lambda: b'{"data": 3}\n[]\n{"cut'),
}


def write_files(folder: Path) -> None:
    """Fill a folder with the good and the bad files, and a folder called ``folder``."""
    for name, (_, content) in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content())
    (folder / "folder").mkdir()
    (folder / "folder.csv").mkdir()
    (folder / "folder.json").mkdir()
    _write_results(folder)
    (folder / "kept.parquet").write_bytes(b"what was there before")
    (folder / "begun.parquet.parts").mkdir()
    (folder / "begun.parquet.parts" / "manifest.json").write_text("{")
    (folder / "full.circuit").symlink_to("/dev/full")


def _write_results(folder: Path) -> None:
    """Write a good result of ``cattleya batch``, and one of another version."""
    import pyarrow.parquet as pq

    called("batch", "tree.json", "t.csv", "--out", "result.parquet", cwd=folder)
    table = pq.read_table(folder / "result.parquet")
    made_from = json.loads(table.schema.metadata[b"cattleya"]) | {"version": 9}
    newer = table.replace_schema_metadata({b"cattleya": json.dumps(made_from).encode()})
    pq.write_table(newer, folder / "newer.parquet")

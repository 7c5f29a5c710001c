"""What the calls and commands are about: a few models, explanations of them, and files.

``NAMES`` is what the calls see. ``write_files`` fills the folder that everything runs in: ``FILES``
has what is in each.
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
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import cattleya
from cattleya import plots
from cattleya.present import words
from tests.checks.command import called
from tests.samples.ensembles import STUMPS

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
prices = DecisionTreeRegressor(random_state=0).fit(X, [100.0, 200.0, 300.0, 400.0])
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
    "CalibratedClassifierCV": CalibratedClassifierCV,
    "DecisionTreeClassifier": DecisionTreeClassifier,
    "DecisionTreeRegressor": DecisionTreeRegressor,
    "FixedThresholdClassifier": FixedThresholdClassifier,
    "GradientBoostingClassifier": GradientBoostingClassifier,
    "GridSearchCV": GridSearchCV,
    "LogisticRegression": LogisticRegression,
    "RandomForestClassifier": RandomForestClassifier,
    "TransformedTargetRegressor": TransformedTargetRegressor,
    "StandardScaler": StandardScaler,
    "make_pipeline": make_pipeline,
    "nan": math.nan,
    "inf": math.inf,
    "huge": 10**400,
    "X": X,
    "Y": Y,
    "people": people,
    "tree": tree,
    "stumps": STUMPS,
    "orchids": orchids,
    "model": model,
    "prices": prices,
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


NO_NUMBERS = {"leaf_probability": None, "leaf_value": None, "number_dtype": "float64"}


def _values(**changes: Any) -> bytes:
    """A tree that predicts numbers, with something wrong."""
    own: dict[str, Any] = {"version": 2, "leaf_class": None, "class_names": None}
    return _json(**own | NO_NUMBERS | {"leaf_value": [0, 1, 2]} | changes)


def _npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


#: By name: the content.
FILES: dict[str, Callable[[], bytes]] = {
    # Good ones.
    "tree.json": lambda: people.to_json().encode(),
    "model.skops": lambda: _skops(fitted(DecisionTreeClassifier())),
    "t.csv": TABLE.encode,
    "orchid.circuit": _circuit,
    # Models.
    "empty.json": lambda: b"",
    "cut.json": lambda: people.to_json().encode()[:100],
    "list.json": lambda: b"[]",
    "other.json": lambda: b'{"a": 1}',
    "latin.json": lambda: b'{"a": "\xe9"}',  # text that is not UTF-8
    "newer.json": lambda: _json(version=3),
    "values.json": lambda: _values(leaf_class=[-1, 0, 1]),
    "short_values.json": lambda: _values(leaf_value=[0, 1]),
    "text_values.json": lambda: _values(leaf_value=[0, "1", 2]),
    "infinite_values.json": lambda: _values(leaf_value=[0, 10**400, 2]),
    "long_values.json": lambda: _values(leaf_value=[0, 0.1, 2], number_dtype="float32"),
    "int_values.json": lambda: _values(number_dtype="int8"),
    "uneven.json": lambda: _json(version=2, **NO_NUMBERS | {"leaf_probability": [0, 0, 1, 0, 1]}),
    "narrow.json": lambda: _json(version=2, **NO_NUMBERS | {"leaf_probability": [0, 1, 1]}),
    "cycle.json": lambda: _json(left=[0, -1, -1]),  # a tree whose root is its own child
    "nan.json": lambda: people.to_json().replace("30.5", "NaN").encode(),
    "twice.json": lambda: people.to_json().replace("{", '{"left": [], ', 1).encode(),
    "deep.json": lambda: b"[" * 100_000,
    "wide.json": lambda: _json(n_features=10**9, feature_names=None),
    "empty.skops": lambda: b"",
    "text.skops": lambda: b"something else",
    "cut.skops": lambda: (whole := _skops(fitted(DecisionTreeClassifier())))[: len(whole) // 2],
    "zip.skops": lambda: _zip(readme="not a model"),
    "function.skops": lambda: _skops(
        fitted(make_pipeline(FunctionTransformer(double), DecisionTreeClassifier()))
    ),
    "forest.skops": lambda: _skops(fitted(RandomForestClassifier(2))),
    "regressor.skops": lambda: _skops(DecisionTreeRegressor().fit(X.to_numpy(), range(4))),
    "unfitted.skops": lambda: _skops(DecisionTreeClassifier()),
    "dict.skops": lambda: _skops({"a": 1}),
    "model.pkl": lambda: pickle.dumps(model),
    "cut.pkl": lambda: pickle.dumps(model)[:50],
    "model.onnx": lambda: b"something else",
    # Tables.
    "empty.csv": lambda: b"",
    "heading.csv": lambda: b"age,income\n",
    "twice.csv": lambda: b"age,age,income\n1,2,3\n",
    "long.csv": lambda: b"age,income\n1,2\n1,2,3\n",  # a row with too many cells
    "longer.csv": lambda: b"age,income\n1,2,3\n4,5,6\n",  # every row with too many cells
    "latin.csv": lambda: b"age,income\n\x81,2\n",  # neither UTF-8 nor Windows-1252
    "b.xlsx": lambda: b"PK and so on",  # no workbook
    "zeros.csv": lambda: TABLE.encode("utf-16-le"),  # without its mark
    "wage.csv": lambda: b"age,wage\n1,2\n",
    "old.csv": lambda: b"age,income\nold,2\n",
    "missing.csv": lambda: b"age,income\n,2\n",
    "inf.csv": lambda: b"age,income\ninf,2\n1,3\n",
    "digits.csv": lambda: b"age,income\n%s,2\n" % (b"9" * 400),
    "same.csv": lambda: b"x,y\n1,a\n2,a\n",  # a target of one class
    "numbers.csv": lambda: b"x,y\n1,0.5\n2,1.5\n",  # a target of numbers
    "untold.csv": lambda: b"x,y\n1,\n2,\n",  # a target that is always missing
    "large.csv": lambda: b"x,y\n1e300,a\n2,b\n3,a\n4,b\n",  # a number beyond 32 bits
    "line.csv": lambda: b"a," * 10_000_000,
    "cut.csv.gz": lambda: (whole := gzip.compress(TABLE.encode() * 1000, mtime=0))[
        : len(whole) // 2
    ],
    "plain.csv.gz": TABLE.encode,  # a table that is not compressed
    "bomb.csv.gz": lambda: gzip.compress(bytes(1 << 20)) * 512,  # 512 MiB of zeros in 512 KiB
    "cut.parquet": lambda: (whole := _parquet(X))[: len(whole) // 2],
    "text.parquet": lambda: b"something else",
    "empty.parquet": lambda: _parquet(X.iloc[:0]),
    "plain.parquet": lambda: _parquet(X),  # a table that is no result
    "t.xlsx": lambda: b"something else",
    "text.npz": lambda: b"something else",
    "arrays.npz": lambda: _npz(a=[1, 2]),  # arrays of other names
    "uneven.npz": lambda: _npz(pixels=np.zeros((5, 4)), digit=[1, 2]),  # five images and two labels
    "objects.npz": lambda: _npz(pixels=np.array([{}, {}]), digit=[1, 2]),  # pickled objects
    # Circuits.
    "text.circuit": lambda: b"something else",
    "empty.circuit": lambda: b"",
    "cut.circuit": lambda: _circuit()[: len(_circuit()) // 2],
    "flipped.circuit": lambda: _circuit().replace(b'"n_atoms": 4', b'"n_atoms": 5'),
    "newer.circuit": lambda: _circuit().replace(b"cattleya-circuit 1", b"cattleya-circuit 9"),
    # Anything else.
    "page.md": lambda: b"# A page\n",  # a page without the marks for tables
    "done/rows.jsonl": lambda: b'{"data": 3}\n[]\n{"cut',  # a journal of something else
}


def write_files(folder: Path) -> None:
    """Fill a folder with the good and the bad files, and a folder called ``folder``."""
    for name, content in FILES.items():
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

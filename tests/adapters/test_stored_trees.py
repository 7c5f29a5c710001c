"""Trees in ``.skops`` files are explained as their models are, without scikit-learn."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

from cattleya.adapters.adapted import AdaptedModel
from cattleya.adapters.model_files import ModelFileError, read_model
from cattleya.adapters.registry import adapt
from cattleya.adapters.stored_tree import StoredTree
from tests.safety.test_unsafe_files import archive_of, as_zip

KINDS = [DecisionTreeClassifier, ExtraTreeClassifier, DecisionTreeRegressor, ExtraTreeRegressor]


def stored(model: Any, folder: Path) -> Any:
    skops.io.dump(model, folder / "m.skops")
    return read_model(folder / "m.skops", is_only_explained=True)


def check_same(one: AdaptedModel, other: AdaptedModel) -> None:
    """Check that both are the same model, bit by bit."""
    for own, again in (
        (one.tree, other.tree),
        (one.tree_for_missing, other.tree_for_missing),
    ):
        assert own == again
        if own is not None and again is not None:
            assert own.to_json() == again.to_json()
    assert one.target_name == other.target_name
    assert one.rows.columns == other.rows.columns  # type: ignore[attr-defined]  # of both
    assert one.training is not None
    assert other.training is not None
    assert np.array_equal(one.training.rows, other.training.rows)
    assert np.array_equal(one.training.mix, other.training.mix)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", ["text", "number", "bool", "float"])
@pytest.mark.parametrize("named", [True, False])
def test_it_is_the_same_model(kind: Any, labels: str, named: bool, tmp_path: Path) -> None:
    random = np.random.default_rng(len(labels))
    for seed in range(5):
        rows: Any = random.normal(size=(80, 4)).round(1)
        truth: Any = random.integers(0, 3, 80)
        if labels == "bool":
            truth = truth == 1
        elif labels == "text":
            truth = np.array(["no", "yes", "é\n"], dtype=object if seed % 2 else None)[truth]
        elif labels == "float":
            truth = truth * 2.0
        if kind in (DecisionTreeRegressor, ExtraTreeRegressor):
            truth = random.normal(size=80)
        if named:
            rows = pd.DataFrame(rows, columns=["a", "b c", "<d>", "é"])
        model = kind(random_state=seed, max_depth=seed + 1).fit(rows, truth)
        model.target_name_ = "income" if seed else None
        found = stored(model, tmp_path)
        assert isinstance(found, StoredTree)
        check_same(adapt(model, None), adapt(found, None))
        names = ["w", "x", "y", "z"]
        check_same(adapt(model, names, True), adapt(found, names, True))


def test_missing_values_are_the_models_own_affair(tmp_path: Path) -> None:
    rows = np.array([[1.0, 2.0], [np.nan, 1.0], [3.0, np.nan], [4.0, 1.0]])
    whole = np.nan_to_num(rows, nan=9.0)
    for model in (
        DecisionTreeClassifier(random_state=0).fit(rows, [0, 1, 1, 0]),
        DecisionTreeClassifier(random_state=0).fit(whole, [0, 1, 1, 0]),
        DecisionTreeRegressor(criterion="absolute_error", random_state=0).fit(whole, [0, 1, 2, 3]),
    ):
        found = stored(model, tmp_path)
        check_same(adapt(model, None), adapt(found, None))
        for row in rows:
            answers = []
            for one in (adapt(model, None), adapt(found, None)):
                try:
                    answers.append(str(one.rows.row(row)))
                except ValueError as error:
                    answers.append(str(error))
            assert answers[0] == answers[1]


def test_what_is_not_plainly_a_tree_is_read_as_before(tmp_path: Path) -> None:
    rows, truth = [[1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], ["a", "b", "a"]
    tree = DecisionTreeClassifier(random_state=0).fit(rows, truth)
    weighed = DecisionTreeClassifier(class_weight={"a": 2, "b": 1}).fit(rows, truth)
    two = DecisionTreeClassifier(random_state=0).fit(rows, [[0, 1], [1, 1], [0, 0]])
    for model in (make_pipeline(StandardScaler(), tree), weighed, two):
        assert isinstance(stored(model, tmp_path), type(model))
    skops.io.dump(tree, tmp_path / "m.skops")
    assert isinstance(read_model(tmp_path / "m.skops"), DecisionTreeClassifier)
    joblib.dump(tree, tmp_path / "m.joblib")
    found = read_model(tmp_path / "m.joblib", trust=True, is_only_explained=True)
    assert isinstance(found, DecisionTreeClassifier)


def damaged(members: dict[str, bytes], field: str, node: int, value: int) -> dict[str, bytes]:
    """Return the parts of a file whose tree has another number at a node."""
    import io

    for name, content in members.items():
        if not name.endswith(".npy"):
            continue
        array = np.load(io.BytesIO(content), allow_pickle=False)
        if array.dtype.names:
            array[field][node] = value
            file = io.BytesIO()
            np.save(file, array, allow_pickle=False)
            return members | {name: file.getvalue()}
    raise AssertionError("it has no nodes")


@pytest.mark.parametrize(
    ("field", "value"),
    [("left_child", 0), ("right_child", 999), ("feature", 77), ("left_child", -7)],
)
def test_damaged_trees_are_refused(field: str, value: int, tmp_path: Path) -> None:
    model = DecisionTreeClassifier(random_state=0).fit([[1.0], [2.0], [3.0]], [0, 1, 0])
    (tmp_path / "m.skops").write_bytes(as_zip(damaged(archive_of(model), field, 0, value)))
    with pytest.raises(ModelFileError, match=r"m\.skops"):
        read_model(tmp_path / "m.skops", is_only_explained=True)


def test_types_that_are_not_known_are_refused_before_anything(tmp_path: Path) -> None:
    model = DecisionTreeClassifier(random_state=0).fit([[1.0], [2.0]], [0, 1])
    members = archive_of(model)
    changed = members["schema.json"].replace(b'"sklearn.tree._classes"', b'"lurking"')
    assert changed != members["schema.json"]
    (tmp_path / "m.skops").write_bytes(as_zip(members | {"schema.json": changed}))
    with pytest.raises(ModelFileError, match="lurking"):
        read_model(tmp_path / "m.skops", is_only_explained=True)


def test_nothing_of_scikit_learn_is_imported(tmp_path: Path) -> None:
    model = DecisionTreeClassifier(random_state=0).fit([[1.0, 0.0], [2.0, 1.0]], [0, 1])
    skops.io.dump(model, tmp_path / "m.skops")
    program = (
        "import sys, cattleya\n"
        "from cattleya.adapters.model_files import read_model\n"
        "model = read_model('m.skops', is_only_explained=True)\n"
        "e = cattleya.Explainer(model, over='intervals').explain([2.0, 1.0])\n"
        "print(e.counterfactuals(1)[0])\n"
        "assert not {'sklearn', 'skops', 'scipy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)

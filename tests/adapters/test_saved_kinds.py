"""Files of every kind of model, made up: read without the library, and compared with one there is.

``tests/samples/drawn_boosters.py`` makes the files and walks them.
"""

from __future__ import annotations

import importlib.util
import json
import math
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cattleya.adapters.saved_models import read_saved
from tests.samples import drawn_boosters as drawn
from tests.samples.boosters import catboost_export, lightgbm_text, ubjson, xgboost_document

SEEDS = range(4)
#: Objective, intercept as it is written, outputs.
XGBOOST = [
    ("binary:logistic", "5E-1", 1),
    ("binary:logistic", "[5E-1]", 1),
    ("reg:squarederror", "1.25E0", 1),
    ("reg:squarederror", "[1.25E0]", 1),
    ("reg:absoluteerror", "0", 1),
    ("binary:logitraw", "[0]", 1),
    ("multi:softprob", "5E-1", 3),
    ("multi:softmax", "[5E-1,5E-1,5E-1]", 3),
]
LIGHTGBM = [
    ("binary sigmoid:1", 1),
    ("regression", 1),
    ("multiclass num_class:3", 3),
    ("multiclassova num_class:3 sigmoid:1", 3),
    ("poisson", 1),
]
CATBOOST = [("Logloss", 1), ("RMSE", 1), ("MultiClass", 3), ("MultiClassOneVsAll", 3)]


def _library(name: str) -> Any:
    """The library, or None where it is not installed."""
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def _finite(rows: list[list[float]]) -> list[list[float]]:
    """Booster.predict takes no infinite values."""
    return [[0.5 if math.isinf(value) else value for value in row] for row in rows]


@pytest.mark.parametrize(("objective", "base", "outputs"), XGBOOST)
@pytest.mark.parametrize("seed", SEEDS)
def test_xgboost(seed: int, objective: str, base: str, outputs: int) -> None:
    one = drawn.draw_xgboost(seed, objective, base, outputs)
    text = json.dumps(one.content).encode()
    model = read_saved(text)
    assert read_saved(ubjson(one.content)) == model
    rows = _finite(drawn.rows_for(seed))
    margins = model.margins(rows)
    assert margins.tolist() == one.margins(rows, drawn.xgboost_leaf)
    if outputs > 1:
        assert model.predict(rows).tolist() == margins.argmax(axis=1).tolist()
    if (xgboost := _library("xgboost")) is None:
        return
    if base.startswith("[") and int(xgboost.__version__.partition(".")[0]) < 3:
        return
    booster = xgboost.Booster(model_file=bytearray(text))
    codes = [row[-1] for row in rows]
    known = [row for row, code in zip(rows, codes, strict=True) if not code < 0]
    matrix = xgboost.DMatrix(np.array(known), feature_types=["float"] * 3 + ["c"], missing=math.nan)
    own = booster.predict(matrix, output_margin=True).reshape(len(known), outputs)
    assert model.margins(known).tolist() == own.tolist()
    if objective in ("binary:logistic", "multi:softprob"):
        chances = booster.predict(matrix).reshape(len(known), outputs)
        assert (model.predict_proba(known)[:, -outputs:] == chances).all()


@pytest.mark.parametrize(("objective", "outputs"), LIGHTGBM)
@pytest.mark.parametrize("seed", SEEDS)
def test_lightgbm(seed: int, objective: str, outputs: int) -> None:
    one = drawn.draw_lightgbm(seed, objective, outputs)
    model = read_saved(one.content.encode())
    rows = drawn.rows_for(seed)
    assert model.margins(rows).tolist() == one.margins(rows, drawn.lightgbm_leaf)
    if (lightgbm := _library("lightgbm")) is None:
        return
    booster = lightgbm.Booster(model_str=one.content)
    own = booster.predict(np.array(rows), raw_score=True).reshape(len(rows), outputs)
    assert model.margins(rows).tolist() == own.tolist()
    said = booster.predict(np.array(rows)).reshape(len(rows), outputs)
    if model.class_names is None:
        assert model.predict(rows).tolist() == said[:, 0].tolist()
    else:
        assert (model.predict_proba(rows)[:, -outputs:] == said).all()


@pytest.mark.parametrize(("loss", "outputs"), CATBOOST)
@pytest.mark.parametrize("seed", SEEDS)
def test_catboost(seed: int, loss: str, outputs: int) -> None:
    one = drawn.draw_catboost(seed, loss, outputs)
    text = json.dumps(one.content)
    model = read_saved(text.encode())
    rows = drawn.rows_for(seed, categories=False)
    margins = model.margins(rows)
    assert margins.tolist() == drawn.catboost_margins(one, rows)
    if outputs > 1:
        assert model.predict(rows).tolist() == [f"c{best}" for best in margins.argmax(axis=1)]
    if (catboost := _library("catboost")) is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        path.write_text(text)
        loaded = catboost.CatBoost()
        loaded.load_model(str(path), format="json")
    own = loaded.predict(np.array(rows, dtype=np.float32), prediction_type="RawFormulaVal")
    assert margins.tolist() == np.reshape(own, margins.shape).tolist()


def test_an_intercept_goes_through_the_inverse_of_its_link() -> None:
    document = xgboost_document()
    for text, margin in (("5E-1", 0.0), ("[0.25]", math.log(1 / 3)), ("0", -13.8155)):
        document["learner"]["learner_model_param"]["base_score"] = text
        model = read_saved(json.dumps(document).encode())
        assert model.base[0] == pytest.approx(margin, abs=1e-4)
    document["learner"]["objective"]["name"] = "count:poisson"
    document["learner"]["learner_model_param"]["base_score"] = "2.5E0"
    model = read_saved(json.dumps(document).encode())
    assert model.base[0] == float(np.log(np.float32(2.5)))
    assert model.class_names is None


def test_leaves_with_several_numbers() -> None:
    document = xgboost_document()
    learner = document["learner"]
    learner["learner_model_param"]["num_target"] = "2"
    learner["learner_model_param"]["base_score"] = "[0.5,1]"
    learner["objective"] = {"name": "reg:squarederror"}
    for tree in learner["gradient_booster"]["model"]["trees"]:
        tree["tree_param"]["size_leaf_vector"] = "2"
        tree["base_weights"] = [0, 0, 1, 2, 3, 4]
    model = read_saved(json.dumps(document).encode())
    assert model.margins([[0, 0], [1, 1]]).tolist() == [[2.5, 5.0], [6.5, 9.0]]


def test_labels_of_a_frame() -> None:
    document = xgboost_document()
    labels = ["ash", "beech", "cedar", "elm"]
    values = list("".join(labels).encode())
    offsets = [0, 3, 8, 13, 16]
    cats = {"enc": [{"values": []}, {"offsets": offsets, "values": values}]}
    document["learner"]["gradient_booster"]["model"]["cats"] = cats
    model = read_saved(json.dumps(document).encode())
    assert model.categories[1] == tuple(labels)
    assert model.margins([[0, "beech"], [0, "ash"], [0, None]])[:, 0].tolist() == [0.5, -1, -1]
    frame = 'pandas_categorical:[["ash","beech","cedar","elm"]]'
    model = read_saved(lightgbm_text().replace("pandas_categorical:null", frame).encode())
    assert model.margins([[0, "beech"], [0, "ash"], [0, "oak"]])[:, 0].tolist() == [0.5, -1, -1]


def test_a_single_leaf() -> None:
    document = xgboost_document()
    tree = document["learner"]["gradient_booster"]["model"]["trees"][0]
    for name in ("split_indices", "split_type", "default_left"):
        tree[name] = [0]
    tree |= {"left_children": [-1], "right_children": [-1], "split_conditions": [0.75]}
    assert read_saved(json.dumps(document).encode()).margins([[9, 0]]).tolist() == [[1.25]]
    one = """tree
version=v4
num_class=1
num_tree_per_iteration=1
max_feature_idx=0
objective=regression
feature_names=a

Tree=0
num_leaves=1
num_cat=0
leaf_value=2.5
is_linear=0
shrinkage=1


end of trees
"""
    assert read_saved(one.encode()).predict([[1]]).tolist() == [2.5]


def test_the_mean_of_a_random_forest_of_lightgbm() -> None:
    text = lightgbm_text().replace("label_index=0", "label_index=0\naverage_output")
    assert read_saved(text.encode()).margins([[0.5, 1]]).tolist() == [[(-1.5 + 2) / 2]]


def _files() -> dict[str, bytes]:
    return {
        "xgboost.json": json.dumps(drawn.draw_xgboost(1, *XGBOOST[6]).content).encode(),
        "xgboost.ubj": ubjson(drawn.draw_xgboost(1, *XGBOOST[6]).content),
        "lightgbm.txt": drawn.draw_lightgbm(1, *LIGHTGBM[2]).content.encode(),
        "catboost.json": json.dumps(drawn.draw_catboost(1, *CATBOOST[2]).content).encode(),
    }


@pytest.mark.parametrize("name", _files())
def test_a_file_that_ends_too_early(name: str) -> None:
    whole = _files()[name]
    end = whole.index(b"end of trees") if name == "lightgbm.txt" else len(whole)
    for length in [*range(0, end, max(end // 150, 1)), end - 1]:
        with pytest.raises(ValueError, match=r"."):
            read_saved(whole[:length])


@pytest.mark.parametrize("name", _files())
def test_a_file_with_a_wrong_byte_is_refused_or_is_another_model(name: str) -> None:
    whole = bytearray(_files()[name])
    choose = np.random.default_rng(0)
    for place in choose.integers(len(whole), size=300):
        damaged = whole.copy()
        damaged[place] = choose.integers(256)
        try:
            model = read_saved(bytes(damaged))
        except (ValueError, TypeError):
            continue
        if model.n_features < 100 and model.n_outputs < 100:
            assert np.isfinite(model.margins(np.zeros((1, model.n_features)))).all()


def _with_leaf(number: float) -> dict[str, bytes]:
    """Return the hand-written models, the first leaf of each with a number that is none."""
    document, export = xgboost_document(), catboost_export()
    trees = document["learner"]["gradient_booster"]["model"]["trees"]
    trees[0]["split_conditions"][1] = number
    export["oblivious_trees"][0]["leaf_values"][0] = number
    return {
        "xgboost.json": json.dumps(document).encode(),
        "xgboost.ubj": ubjson(document),
        "lightgbm.txt": lightgbm_text(leaf_value=f"{number} 0.25").encode(),
        "catboost.json": json.dumps(export).encode(),
    }


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_leaves_must_be_finite(number: float) -> None:
    for content in _with_leaf(number).values():
        with pytest.raises(ValueError, match=f"value has {number}; .* must be finite"):
            read_saved(content)


def test_a_child_of_xgboost_below_a_leaf() -> None:
    document = xgboost_document()
    document["learner"]["gradient_booster"]["model"]["trees"][0]["left_children"] = [-7, -1, -1]
    with pytest.raises(ValueError, match="a node has the left child -7; a leaf has -1"):
        read_saved(json.dumps(document).encode())


MIB = 1 << 20


def _hostile() -> dict[str, bytes]:
    """Short files that ask for much memory or time."""
    wide = xgboost_document()
    wide["learner"]["learner_model_param"]["num_feature"] = str(1 << 24)
    wide["learner"] |= {"feature_names": [], "feature_types": []}
    shared = xgboost_document()  # every node has all codes
    tree = shared["learner"]["gradient_booster"]["model"]["trees"][1]
    count, n_codes = 2000, 20_000
    tree["categories"] = list(range(n_codes))
    tree["categories_nodes"] = list(range(count))
    tree["categories_segments"], tree["categories_sizes"] = [0] * count, [n_codes] * count
    far = drawn.draw_catboost(1, "RMSE").content
    far["features_info"]["float_features"][3]["flat_feature_index"] = (1 << 24) - 1
    outputs = xgboost_document()
    outputs["learner"]["learner_model_param"]["num_class"] = str(1 << 40)
    count_of = b"[$d#L\x00\x00\x00\x7f\xff\xff\xff\xff"
    return {
        "a million columns of XGBoost": json.dumps(wide).encode(),
        "sets that share their codes": json.dumps(shared).encode(),
        "a column of CatBoost far away": json.dumps(far).encode(),
        "outputs": json.dumps(outputs).encode(),
        "an array of UBJSON": b"{L\0\0\0\0\0\0\0\1a" + count_of,
        "leaves": lightgbm_text(num_leaves="16777216").encode(),
        "a set of bits": lightgbm_text(cat_boundaries="0 1048576").encode(),
        "columns of LightGBM": lightgbm_text(max_feature_idx="16777215").encode(),
        "brackets": b'{"learner":' + b"[" * MIB,
    }


@pytest.mark.parametrize("what", _hostile())
def test_a_hostile_file_takes_little_memory(what: str) -> None:
    content = _hostile()[what]
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"."):
            read_saved(content)
        assert tracemalloc.get_traced_memory()[1] < 32 * MIB
    finally:
        tracemalloc.stop()


def test_nodes_of_lightgbm_that_share_a_large_set() -> None:
    words = " ".join(["4294967295"] * 2000)
    text = lightgbm_text(cat_boundaries="0 2000", cat_threshold=words)
    ending = text.index("\nTree=1"), text.index("end of trees")
    many = "".join(
        text[slice(*ending)].replace("Tree=1", f"Tree={number}") for number in range(1, 50)
    )
    text = text[: ending[0]] + many + text[ending[1] :]
    model = read_saved(text.replace("tree_sizes=100 100\n", "").encode())
    assert model.n_trees == 50
    assert len(model.set_left) == 1  # held once
    assert model.margins([[0, 63_999], [0, 64_000]])[:, 0].tolist() == [-1.5 + 98, -1.5 + 24.5]

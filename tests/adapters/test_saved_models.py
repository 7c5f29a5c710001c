"""Files of boosting libraries, written by hand: what they say, and what is wrong with them."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cattleya.adapters.model_files import ModelFileError, read_model
from cattleya.adapters.saved_models import read_saved
from tests.samples.boosters import catboost_export, lightgbm_text, ubjson, xgboost_document

ROWS = [[0.5, 1], [0.5, 3.9], [0.4, 2], [math.nan, math.nan], [-0.0, -0.5], [9.0, 64.0]]


def _xgboost(change: Callable[[Any], None] = lambda learner: None) -> Any:
    document = xgboost_document()
    change(document["learner"])
    return read_saved(json.dumps(document).encode())


def test_xgboost_by_its_definition() -> None:
    model = _xgboost()
    # x0 < 0.5 goes left, missing values too; categories 1 and 3 go right.
    sums = [0.25 + 2, 0.25 + 2, -1.5 + 0.5, -1.5 + 0.5, -1.5 + 0.5, 0.25 + 0.5]
    assert model.margins(ROWS)[:, 0].tolist() == sums
    assert model.predict(ROWS).tolist() == [1, 1, 0, 0, 0, 1]
    assert model.predict_proba(ROWS).dtype == np.float32
    assert model.feature_names == ("x0", "x1")
    assert read_saved(ubjson(xgboost_document())) == model


def test_lightgbm_by_its_definition() -> None:
    model = read_saved(lightgbm_text().encode())
    # x0 <= 0.5 goes left, missing values too; categories 1 and 3 go left, and -0.5 is category 0.
    sums = [-1.5 + 2, -1.5 + 2, -1.5 + 0.5, -1.5 + 0.5, -1.5 + 0.5, 0.25 + 0.5]
    assert model.margins(ROWS)[:, 0].tolist() == sums
    assert model.predict_proba(ROWS)[0, 1] == 1 / (1 + math.exp(-0.5))
    assert read_saved(lightgbm_text().replace("\n", "\r\n").encode()) == model


def test_catboost_by_its_definition() -> None:
    model = read_saved(json.dumps(catboost_export()).encode())
    rows = [[0.5, "a"], [0.6, "a"], [0.5, "b"], [math.nan, "b"]]
    assert model.margins(rows)[:, 0].tolist() == [-0.5, 0.75, 1.5, 2.75]
    assert model.predict(rows).tolist() == ["no", "yes", "yes", "yes"]


def test_a_tree_of_any_shape() -> None:
    export = catboost_export()
    split = export.pop("oblivious_trees")[0]["splits"][0]
    inner = {"split": split | {"border": 2.0}, "left": {"value": 1}, "right": {"value": 2}}
    export["trees"] = [{"split": split, "left": {"value": -1.0, "weight": 3}, "right": inner}]
    model = read_saved(json.dumps(export).encode())
    assert model.margins([[0, "a"], [1, "a"], [3, "a"]])[:, 0].tolist() == [-0.5, 1.5, 2.5]


@pytest.mark.parametrize("ending", [".json", ".ubj", ".model", ".txt"])
def test_the_format_is_found_by_what_is_in_a_file(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"model{ending}"
    contents = [json.dumps(xgboost_document()).encode(), json.dumps(catboost_export()).encode()]
    if ending != ".json":
        contents += [ubjson(xgboost_document()), lightgbm_text().encode()]
    for content in contents:
        path.write_bytes(content)
        assert read_model(path) == read_saved(content)


def test_no_library_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "model.ubj"
    path.write_bytes(ubjson(xgboost_document()))
    script = (
        "import sys; from cattleya.adapters.model_files import read_model; "
        f"read_model({str(path)!r}); "
        "sys.exit(bool({'xgboost', 'lightgbm', 'catboost', 'treelite'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def _set(*path: Any) -> Callable[[Any], None]:
    def change(learner: Any) -> None:
        at = learner
        for key in path[:-2]:
            at = at[key]
        at[path[-2]] = path[-1]

    return change


BOOSTER: tuple[Any, ...] = ("gradient_booster", "model")
TREE: tuple[Any, ...] = (*BOOSTER, "trees", 0)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (_set("gradient_booster", "name", "gblinear"), "linear model"),
        (_set("gradient_booster", "name", "forest"), "booster 'forest' is not known"),
        (_set("gradient_booster", 5), "'gradient_booster' must be an object"),
        (_set("objective", "name", "mine"), "objective 'mine' is not known"),
        (_set("learner_model_param", "base_score", "x"), "base_score must be numbers"),
        (_set("learner_model_param", "base_score", "[1,2]"), "there are 1 outputs"),
        (_set("learner_model_param", "base_score", "nan"), "there are 1 outputs"),
        (_set("learner_model_param", "num_feature", "1"), "feature_names has 2 entries"),
        (_set("learner_model_param", "num_feature", "99999999999"), "num_feature is 99999999999"),
        (_set("learner_model_param", "num_feature", [1]), "num_feature must be a whole number"),
        (_set("learner_model_param", "num_class", "-1"), "num_class is -1"),
        (_set("feature_names", [1, 2]), "feature_names must be a list of texts"),
        (_set("attributes", []), "'attributes' must be an object"),
        (_set("attributes", {"best_iteration": "x"}), "best_iteration must be a whole number"),
        (_set(*BOOSTER, "trees", []), "has no trees"),
        (_set(*BOOSTER, "trees", {}), "'trees' must be a list"),
        (_set(*BOOSTER, "tree_info", [0]), "tree_info has 1 entries, not 2"),
        (_set(*BOOSTER, "tree_info", [0, 7]), "to which of 1 outputs"),
        (_set(*BOOSTER, "iteration_indptr", [0, 3]), "iteration_indptr must ascend from 0 to 2"),
        (_set(*TREE, "left_children", []), "a tree has no nodes"),
        (_set(*TREE, "left_children", [1, -1]), "right_children has 3 entries, not 2"),
        (_set(*TREE, "left_children", [5, -1, -1]), "has the children 5 and 2"),
        (_set(*TREE, "left_children", [0.5, -1, -1]), "left_children must be a list of numbers"),
        (_set(*TREE, "left_children", [2**40, -1, -1]), "out of range"),
        (_set(*TREE, "left_children", [1, 1, -1]), "has the children 1 and -1"),
        (_set(*TREE, "split_conditions", [math.nan, 0, 0]), "threshold nan"),
        (_set(*TREE, "split_conditions", [0.5, math.nan, 0]), "value has nan"),
        (_set(*TREE, "split_conditions", [0.5, math.inf, 0]), "value has inf"),
        (_set(*TREE, "split_conditions", [0.5, 1e300, 0]), "too large for float32"),
        (_set(*TREE, "split_conditions", [1 + 2**-24, 0, 0]), "halfway between"),
        (_set(*TREE, "split_conditions", [0.5, "x", 0]), "must be a list of numbers"),
        (_set(*TREE, "split_conditions", [[0.5], [1], [2]]), "must be a list of numbers"),
        (_set(*TREE, "split_indices", [2, 0, 0]), "feature"),
        (_set(*TREE, "split_type", [1, 0, 0]), "a set of categories that is not there"),
        (_set(*TREE, "tree_param", None), "'tree_param' must be an object"),
        (_set(*BOOSTER, "trees", 1, "categories_sizes", [9]), "categories of node 0 are wrong"),
        (_set(*BOOSTER, "trees", 1, "categories", [-1, 3]), "has the code -1"),
        (_set(*BOOSTER, "cats", {"enc": [1]}), "cats has the categories"),
    ],
)
def test_what_is_wrong_with_a_model_of_xgboost(change: Callable[[Any], None], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        _xgboost(change)


def test_children_that_form_a_circle() -> None:
    def change(learner: Any) -> None:
        tree = learner["gradient_booster"]["model"]["trees"][0]
        for name in ("split_indices", "split_conditions", "split_type", "default_left"):
            tree[name] = [*tree[name], 0, 0]
        tree["left_children"], tree["right_children"] = [3, -1, -1, 3, -1], [4, -1, -1, 4, -1]

    with pytest.raises(ValueError, match="two parents"):
        _xgboost(change)


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"", "no model"),
        (b"tree", "no model"),
        (b"[]", "no model"),
        (b"binf\0\0", "XGBoost's old binary format"),
        (b"CBM1\0\0", "CatBoost's own format"),
        (b"{", "Expecting"),
        (b'{"learner": 1}', "'learner' must be an object"),
        (b'{"learner": 1, "learner": 2}', "there twice"),
        (b'{"learner":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deep"),
        (b'{"learner":[' + b"[]," * (1 << 22) + b"[]]}", "more than 4194304 lists"),
        (b"{L\x7f\xff\xff\xff\xff\xff\xff\xff", "a text has 9223372036854775807 bytes"),
        (b"{L\xff\xff\xff\xff\xff\xff\xff\xff", "ends before -1 more bytes"),
        (b"{L\0\0\0\0\0\0\0\1a[$d#L\x7f\xff\xff\xff\xff\xff\xff\xff", "longer than the text"),
        (b"{L\0\0\0\0\0\0\0\1a[#L\x7f\xff\xff\xff\xff\xff\xff\xff", "longer than the text"),
        (b"{L\0\0\0\0\0\0\0\1a[$T#L\0\0\0\0\x7f\xff\xff\xff}", "type b'T' is not one"),
        (b"{L\0\0\0\0\0\0\0\1a[$dx", "has no count"),
        (b"{L\0\0\0\0\0\0\0\1aX}", "there is no type b'X'"),
        (b"{L\0\0\0\0\0\0\0\1aZL\0\0\0\0\0\0\0\1aZ}", "there twice"),
        (b"{L\0\0\0\0\0\0\0\1\xffZ}", "not UTF-8"),
        (b"{L\0\0\0\0\0\0\0\1aZ}!", "goes on after its end"),
        (b"{i\1a" + b"[" * 40, "nested more than 16 levels"),
        (b"{d\0\0\0\0", "no model|a length has|Expecting"),
        (b"tree\n\xff", "no text in UTF-8"),
        (b"tree\n", "does not begin with 'tree'"),
    ],
)
def test_what_is_no_model(content: bytes, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        read_saved(content)


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ({"is_linear": "1"}, "linear_tree=False"),
        ({"max_feature_idx": "-1"}, "max_feature_idx must be a whole number"),
        ({"max_feature_idx": "999999999"}, "more than"),
        ({"max_feature_idx": "2"}, "feature_names has 2 names, but there are 3"),
        ({"num_tree_per_iteration": "3"}, "2 trees, which are not 3 per round"),
        ({"objective": "mine"}, "objective 'mine' is not known"),
        ({"objective": "binary sigmoid:x"}, "sigmoid must be a number"),
        ({"tree_sizes": "1"}, "tree_sizes has 1 entries, not 2"),
        ({"num_leaves": "0"}, "tree 0: num_leaves is 0"),
        ({"num_leaves": "99999999999"}, "tree 0: num_leaves must be a whole number"),
        ({"num_leaves": "900000000"}, "tree 0: num_leaves is 900000000, more than"),
        ({"num_leaves": "3"}, "tree 0: .* has 1 entries, not 2|tree 0: leaf_value has 2 entries"),
        ({"threshold": "nan"}, "threshold nan"),
        ({"threshold": "x"}, "tree 0: threshold must be numbers, not 'x'"),
        ({"threshold": "0.5 0.5"}, "threshold has 2 entries, not 1"),
        ({"leaf_value": "1 nan"}, "value has nan"),
        ({"leaf_value": "1 inf"}, "value has inf"),
        ({"left_child": "0"}, "two parents|out of range"),
        ({"left_child": "-9"}, "a child that is not there"),
        ({"left_child": "7"}, "a child that is not there"),
        ({"left_child": "-2"}, "two parents"),
        ({"left_child": "0.5"}, "not whole"),
        ({"left_child": "-99999999999999999999"}, "not whole, or too large"),
        ({"left_child": "99999999999999999999"}, "not whole, or too large"),
        ({"left_child": "x"}, "left_child must be numbers, not 'x'"),
        ({"left_child": ""}, "left_child has 0 entries|left_child must be numbers"),
        ({"split_feature": "5"}, "feature"),
        ({"decision_type": "14"}, "in a way that is not known"),
        ({"decision_type": "1"}, "a set of categories that is not there"),
        ({"split_feature": "1"}, "a number in one node and a category in another"),
        ({"cat_boundaries": "0 -1"}, "tree 1: cat_boundaries must ascend"),
        ({"cat_boundaries": "0 99999999"}, "tree 1: a set of categories has more than"),
        ({"cat_threshold": "99999999999"}, "no set of 32 bits"),
        ({"cat_threshold": "-1"}, "no set of 32 bits"),
    ],
)
def test_what_is_wrong_with_a_model_of_lightgbm(lines: dict[str, str], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        read_saved(lightgbm_text(**lines).encode())


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("end of trees", "", "ends before the 'end of trees'"),
        ("leaf_value=-1.5 0.25\n", "", "tree 0: the line 'leaf_value' is not there"),
        ("num_cat=0\n", "num_cat=0\nnum_cat=0\n", "the line 'num_cat' is there twice"),
        ("pandas_categorical:null", "pandas_categorical:[", "pandas_categorical is not JSON"),
        ("pandas_categorical:null", "pandas_categorical:[1]", "must be lists of categories"),
        ("pandas_categorical:null", 'pandas_categorical:[["a"],["b"]]', "which ones"),
        ("pandas_categorical:null", "pandas_categorical:[[[1]]]", "no texts or numbers"),
        ("pandas_categorical:null", "pandas_categorical:" + "[" * 9999, "is not JSON"),
    ],
)
def test_what_is_missing_in_a_text(old: str, new: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        read_saved(lightgbm_text().replace(old, new).encode())


def _exchanged(*path: Any) -> Any:
    export = catboost_export()
    _set(*path)(export)
    return export


CATBOOST_TREE = ("oblivious_trees", 0)


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("features_info", 5), "each column once"),
        (("features_info", "float_features", 5), "must be a list of objects"),
        (("features_info", "float_features", 0, "flat_feature_index", 1), "each column once"),
        (("features_info", "float_features", 0, "flat_feature_index", 1 << 40), "whole number"),
        (("features_info", "float_features", 0, "flat_feature_index", 1 << 20), "of 2 columns"),
        (("features_info", "float_features", 0, "nan_value_treatment", "x"), "'x' is not known"),
        (("features_info", "float_features", 0, "feature_id", 5), "must be texts"),
        (("features_info", "cat_features_hash", []), "only their hashes"),
        (("oblivious_trees", []), "has no trees"),
        (("oblivious_trees", [5]), "must be an object"),
        ((*CATBOOST_TREE, "splits", [{}] * 17), "at most 16 splits"),
        ((*CATBOOST_TREE, "splits", [{}]), "something that is not known"),
        ((*CATBOOST_TREE, "splits", 0, "split_type", "OnlineCtr"), "one_hot_max_size"),
        ((*CATBOOST_TREE, "splits", 0, "split_type", "EstimatedFeature"), "texts or embeddings"),
        ((*CATBOOST_TREE, "splits", 0, "float_feature_index", 4), "a column that is not there"),
        ((*CATBOOST_TREE, "splits", 1, "cat_feature_index", 4), "a column that is not there"),
        ((*CATBOOST_TREE, "splits", 0, "border", math.nan), "border nan"),
        ((*CATBOOST_TREE, "leaf_values", [1, 2, 3]), "has 3 leaf_values, not 4"),
        ((*CATBOOST_TREE, "leaf_values", [1, 2, 3, "x"]), "leaves must be numbers"),
        ((*CATBOOST_TREE, "leaf_values", [1, 2, 3, math.nan]), "value has nan"),
        (("scale_and_bias", None), "no scale_and_bias"),
        (("scale_and_bias", [1]), "must be a number and a list"),
        (("scale_and_bias", [1, [0.5, 1]]), "not 8"),
        (("model_info", 5), "does not tell its loss function"),
        (("model_info", "params", "loss_function", "type", "RMSEWithUncertainty"), "uncertainty"),
        (("model_info", "class_params", "class_names", ["a"]), "the classes"),
        (("model_info", "binclass_probability_threshold", "2"), "must be in"),
    ],
)
def test_what_is_wrong_with_an_export_of_catboost(path: Any, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        read_saved(json.dumps(_exchanged(*path)).encode())


def test_an_error_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "model.txt"
    path.write_text("hello")
    with pytest.raises(ModelFileError, match=r"model\.txt' cannot be read: it is no model that"):
        read_model(path)


def test_pruned_nodes_are_left_out() -> None:
    def change(learner: Any) -> None:
        tree = learner["gradient_booster"]["model"]["trees"][0]
        for name in ("split_indices", "split_conditions", "split_type", "default_left"):
            tree[name] = [tree[name][0], 0, 0, *tree[name][1:]]
        tree["split_indices"][1] = 2**32 - 1
        tree["left_children"] = [3, -1, -1, -1, -1]
        tree["right_children"] = [4, -1, -1, -1, -1]

    assert _xgboost(change) == _xgboost()


def test_weights_of_dart_and_the_best_round() -> None:
    def dart(learner: Any) -> None:
        booster = learner["gradient_booster"]
        learner["gradient_booster"] = {"name": "dart", "gbtree": booster, "weight_drop": [0.5, 1]}

    assert _xgboost(dart).margins([[0, 1]]).tolist() == [[-0.75 + 2]]

    def best(learner: Any) -> None:
        learner["attributes"] = {"best_iteration": "0"}

    def of_classifier(learner: Any) -> None:
        best(learner)
        learner["attributes"]["scikit_learn"] = '{"_estimator_type": "classifier"}'

    assert _xgboost(best).n_trees == 2
    assert _xgboost(of_classifier).n_trees == 1

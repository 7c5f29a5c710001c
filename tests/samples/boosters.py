"""Small models as XGBoost, LightGBM and CatBoost save them, written by hand."""

from __future__ import annotations

import copy
import struct
from typing import Any

__all__ = ["catboost_export", "lightgbm_text", "ubjson", "xgboost_document"]


def _tree(number: int, leaves: tuple[float, float], categories: bool) -> dict[str, Any]:
    codes, one = [1, 3] if categories else [], int(categories)
    return {
        "id": number, "tree_param": {"num_nodes": "3", "num_feature": "2", "size_leaf_vector": "1"},
        "left_children": [1, -1, -1], "right_children": [2, -1, -1],
        "parents": [2147483647, 0, 0], "split_indices": [1 if categories else 0, 0, 0],
        "split_conditions": [0.5, *leaves], "split_type": [int(categories), 0, 0],
        "default_left": [1, 0, 0], "categories": codes, "categories_nodes": [0] * one,
        "categories_segments": [0] * one, "categories_sizes": [2] * one,
    }  # fmt: skip  # a document


def xgboost_document() -> dict[str, Any]:
    """Two stumps: ``x0 < 0.5``, and whether ``x1`` is category 1 or 3, which goes right."""
    return {
        "learner": {
            "attributes": {},
            "feature_names": ["x0", "x1"],
            "feature_types": ["float", "c"],
            "gradient_booster": {
                "name": "gbtree",
                "model": {
                    "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": "2"},
                    "iteration_indptr": [0, 1, 2],
                    "tree_info": [0, 0],
                    "trees": [_tree(0, (-1.5, 0.25), False), _tree(1, (0.5, 2.0), True)],
                },
            },
            "learner_model_param": {
                "base_score": "[5E-1]", "num_class": "0", "num_feature": "2", "num_target": "1",
            },
            "objective": {"name": "binary:logistic", "reg_loss_param": {"scale_pos_weight": "1"}},
        },
        "version": [3, 2, 0],
    }  # fmt: skip  # a document


_TEXT = """tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=binary sigmoid:1
feature_names=x0 x1
feature_infos=[0:1] 0:1:3
tree_sizes=100 100

Tree=0
num_leaves=2
num_cat=0
split_feature=0
split_gain=1
threshold=0.5
decision_type=10
left_child=-1
right_child=-2
leaf_value=-1.5 0.25
is_linear=0
shrinkage=1


Tree=1
num_leaves=2
num_cat=1
split_feature=1
split_gain=1
threshold=0
decision_type=1
left_child=-1
right_child=-2
leaf_value=2 0.5
cat_boundaries=0 1
cat_threshold=10
is_linear=0
shrinkage=0.1


end of trees

feature_importances:
x0=1

parameters:
[categorical_feature: 1]
end of parameters

pandas_categorical:null
"""


def lightgbm_text(**lines: str) -> str:
    """The same stumps, but ``x0 <= 0.5``; ``lines`` replace what is said, in the first tree."""
    text = _TEXT
    for name, value in lines.items():
        start = text.index(f"\n{name}=") + 1
        text = text[:start] + f"{name}={value}" + text[text.index("\n", start) :]
    return text


def catboost_export() -> dict[str, Any]:
    """The same once more, with ``x0 > 0.5``, and the category "b" alone."""
    return copy.deepcopy(_EXPORT)


_EXPORT: dict[str, Any] = {
    "features_info": {
        "cat_features_hash": [{"hash": 4294967295, "value": "b"}],
        "categorical_features": [
            {"feature_index": 0, "flat_feature_index": 1, "feature_id": "x1", "values": [-1]}
        ],
        "float_features": [
            {
                "feature_index": 0, "flat_feature_index": 0, "feature_id": "x0", "borders": [0.5],
                "has_nans": True, "nan_value_treatment": "AsTrue",
            }
        ],
    },
    "model_info": {
        "class_params": {"class_names": ["no", "yes"]},
        "params": {"loss_function": {"type": "Logloss", "params": {}}},
    },
    "oblivious_trees": [
        {
            "leaf_values": [-1.0, 0.25, 1.0, 2.25],
            "splits": [
                {"border": 0.5, "float_feature_index": 0, "split_type": "FloatFeature"},
                {"value": -1, "cat_feature_index": 0, "split_type": "OneHotFeature"},
            ],
        }
    ],
    "scale_and_bias": [1, [0.5]],
}  # fmt: skip  # a document


def ubjson(value: Any) -> bytes:
    """A value as XGBoost writes it, numbers of a list as one array."""
    if isinstance(value, dict):
        return b"{" + b"".join(_text(key) + ubjson(one) for key, one in value.items()) + b"}"
    if isinstance(value, list):
        return b"[" + _listed(value)
    if isinstance(value, str):
        return b"S" + _text(value)
    return b"L" + struct.pack(">q", value)


def _listed(values: list[Any]) -> bytes:
    count = b"#L" + struct.pack(">q", len(values))
    if values and all(type(one) is int for one in values):
        return b"$l" + count + struct.pack(f">{len(values)}i", *values)
    if values and all(type(one) in (int, float) for one in values):
        return b"$d" + count + struct.pack(f">{len(values)}f", *values)
    return count + b"".join(map(ubjson, values))


def _text(text: str) -> bytes:
    return b"L" + struct.pack(">q", len(text.encode())) + text.encode()

"""Random models in the formats of XGBoost, LightGBM and CatBoost, and what each says of a row.

The files are written here from the formats' descriptions, as the libraries write them, so that they
can be loaded by the library where it is installed. What a model says of a row is computed by
walking the same document, node by node, in plain Python: an oracle that shares nothing with the
readers. All numbers of leaves are eighths, which no sum rounds.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Drawn", "draw_catboost", "draw_lightgbm", "draw_xgboost", "rows_for"]

THRESHOLDS = (-1.5, -0.25, 0.0, 0.25, 0.5, 1.0, 3.0, 1e10)
N_FEATURES = 4  # of which the last is one of categories, but in CatBoost
LAST_CATEGORY = 70  # in the third word of a set of bits


@dataclass(frozen=True)
class Drawn:
    """A document, or a text; the sums of rows; and how many outputs there are."""

    content: Any
    n_outputs: int
    base: float
    trees: Sequence[Any]

    def margins(self, rows: Sequence[Sequence[float]], leaf: Any) -> list[list[float]]:
        """The sums of each row; ``leaf(tree, row)`` is what a tree adds."""
        found = []
        for row in rows:
            sums = [self.base] * self.n_outputs
            for number, tree in enumerate(self.trees):
                sums[number % self.n_outputs] += leaf(tree, row)
            found.append(sums)
        return found


def rows_for(seed: int, *, categories: bool = True) -> list[list[float]]:
    """Rows at, beside and between the thresholds, and with what is no number or no category."""
    choose = random.Random(seed)
    odd = [math.nan, -0.0, 1e-36, -1e-36, math.inf, -math.inf, 7.0]
    near = [
        float(np.nextafter(np.float32(t), np.float32(w))) for t in THRESHOLDS for w in (-9, 1e38)
    ]
    numbers = [*THRESHOLDS, *near, *odd]
    codes = [0.0, 1.0, 2.0, 31.0, 32.0, 33.0, 64.0, 70.0, 71.0, 3.9, -1.0, -0.5, 1e9, math.nan]
    return [
        [choose.choice(numbers) for _ in range(N_FEATURES - 1)]
        + [choose.choice(codes if categories else numbers)]
        for _ in range(60)
    ]


def _eighths(choose: random.Random) -> float:
    return choose.randint(-40, 40) / 8


def _codes(choose: random.Random) -> list[int]:
    return sorted(choose.sample([0, 1, 2, 3, 31, 32, 63, 64, LAST_CATEGORY], choose.randint(1, 5)))


def draw_xgboost(seed: int, objective: str, base_score: str, n_outputs: int = 1) -> Drawn:
    """Trees as XGBoost saves them: children beside each other, level by level."""
    choose = random.Random(seed)
    rounds = choose.randint(1, 4)
    trees = [_xgboost_tree(choose, number) for number in range(rounds * n_outputs)]
    several = {"num_class": str(n_outputs)} if n_outputs > 1 else {}
    parameter = "softmax_multiclass_param" if n_outputs > 1 else "reg_loss_param"
    base = 0.0 if objective.startswith("binary") else float(base_score.strip("[]").split(",")[0])
    document = {
        "learner": {
            "attributes": {},
            "feature_names": [],
            "feature_types": ["float"] * (N_FEATURES - 1) + ["c"],
            "gradient_booster": {
                "name": "gbtree",
                "model": {
                    "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(len(trees))},
                    "iteration_indptr": list(range(0, len(trees) + 1, n_outputs)),
                    "tree_info": [number % n_outputs for number in range(len(trees))],
                    "trees": trees,
                },
            },
            "learner_model_param": {
                "base_score": base_score, "boost_from_average": "1", "num_class": "0",
                "num_feature": str(N_FEATURES), "num_target": "1",
            } | several,
            "objective": {"name": objective, parameter: several or {"scale_pos_weight": "1"}},
        },
        "version": [3, 2, 0],
    }  # fmt: skip  # a document
    return Drawn(document, n_outputs, base, trees)


def _xgboost_tree(choose: random.Random, number: int) -> dict[str, Any]:
    nodes: list[dict[str, Any]] = [{"parent": 2147483647, "depth": 0}]
    place = 0
    while place < len(nodes):
        node = nodes[place]
        node |= {"left": -1, "right": -1, "feature": 0, "kind": 0, "default": 0, "codes": []}
        if node["depth"] < 4 and choose.random() < 0.75 - 0.1 * node["depth"]:
            node["left"], node["right"] = len(nodes), len(nodes) + 1
            node["feature"] = choose.randrange(N_FEATURES)
            node["default"] = choose.randrange(2)
            node["number"] = choose.choice(THRESHOLDS)
            if node["feature"] == N_FEATURES - 1:
                node |= {"kind": 1, "codes": _codes(choose), "number": 0.0}
            nodes += [{"parent": place, "depth": node["depth"] + 1} for _ in range(2)]
        else:
            node["number"] = _eighths(choose)
        place += 1
    of_sets = [place for place, node in enumerate(nodes) if node["kind"]]
    sizes = [len(nodes[place]["codes"]) for place in of_sets]
    return {
        "id": number,
        "tree_param": {
            "num_deleted": "0", "num_feature": str(N_FEATURES), "num_nodes": str(len(nodes)),
            "size_leaf_vector": "1",
        },
        "left_children": [node["left"] for node in nodes],
        "right_children": [node["right"] for node in nodes],
        "parents": [node["parent"] for node in nodes],
        "split_indices": [node["feature"] for node in nodes],
        "split_conditions": [float(node["number"]) for node in nodes],
        "split_type": [node["kind"] for node in nodes],
        "default_left": [node["default"] for node in nodes],
        "categories": [code for place in of_sets for code in nodes[place]["codes"]],
        "categories_nodes": of_sets,
        "categories_segments": [sum(sizes[:place]) for place in range(len(sizes))],
        "categories_sizes": sizes,
        "base_weights": [0.5] * len(nodes),
        "loss_changes": [0.5] * len(nodes),
        "sum_hessian": [1.5] * len(nodes),
    }  # fmt: skip  # a document


def xgboost_leaf(tree: dict[str, Any], row: Sequence[float]) -> float:
    """What a tree adds: ``x < t`` goes left; the categories of a set go right."""
    node = 0
    while tree["left_children"][node] >= 0:
        value = row[tree["split_indices"][node]]
        if math.isnan(value):
            left = bool(tree["default_left"][node])
        elif tree["split_type"][node]:
            place = tree["categories_nodes"].index(node)
            start = tree["categories_segments"][place]
            codes = tree["categories"][start : start + tree["categories_sizes"][place]]
            left = value < 0 or int(value) not in codes
        else:
            left = bool(np.float32(value) < np.float32(tree["split_conditions"][node]))
        node = tree["left_children" if left else "right_children"][node]
    return float(tree["split_conditions"][node])


def draw_lightgbm(seed: int, objective: str, n_outputs: int = 1) -> Drawn:
    """Trees as LightGBM saves them; each column takes what is missing in one of three ways."""
    choose = random.Random(seed)
    missing = [choose.randrange(3) for _ in range(N_FEATURES)]
    rounds = choose.randint(1, 4)
    trees = [_lightgbm_tree(choose, missing) for _ in range(rounds * n_outputs)]
    lines = [
        "tree", "version=v4", f"num_class={n_outputs}", f"num_tree_per_iteration={n_outputs}",
        "label_index=0", f"max_feature_idx={N_FEATURES - 1}", f"objective={objective}",
        "feature_names=" + " ".join(f"f{place}" for place in range(N_FEATURES)),
        "feature_infos=" + " ".join(["[-9:1e300]"] * (N_FEATURES - 1) + ["0:1:2:3:31:32:63:64:70"]),
        "",
    ]  # fmt: skip  # a text
    for number, tree in enumerate(trees):
        lines += [f"Tree={number}", *(f"{name}={_line(value)}" for name, value in tree.items())]
        lines += ["", ""]
    lines += ["end of trees", "", "feature_importances:", "", "parameters:", "end of parameters"]
    lines += ["", "pandas_categorical:null", ""]
    return Drawn("\n".join(lines), n_outputs, 0.0, trees)


def _line(value: Any) -> str:
    return " ".join(map(repr, value)) if isinstance(value, list) else str(value)


def _lightgbm_tree(choose: random.Random, missing: Sequence[int]) -> dict[str, Any]:
    inner: list[dict[str, Any]] = []
    leaves: list[float] = []
    sets: list[list[int]] = []

    def grow(depth: int) -> int:
        if depth == 4 or choose.random() > 0.8 - 0.1 * depth:
            leaves.append(_eighths(choose))
            return ~(len(leaves) - 1)
        feature = choose.randrange(N_FEATURES)
        node: dict[str, Any] = {"feature": feature, "threshold": choose.choice(THRESHOLDS)}
        node["decision"] = missing[feature] << 2 | choose.choice((0, 2))
        if feature == N_FEATURES - 1:
            node |= {"threshold": float(len(sets)), "decision": missing[feature] << 2 | 1}
            codes = _codes(choose)
            words = [0] * (max(codes) // 32 + 1)
            for code in codes:
                words[code // 32] |= 1 << code % 32
            sets.append(words)
        inner.append(node)
        place = len(inner) - 1
        node["left"] = grow(depth + 1)
        node["right"] = grow(depth + 1)
        return place

    grow(0)
    tree: dict[str, Any] = {"num_leaves": len(leaves), "num_cat": len(sets)}
    if inner:
        tree |= {
            "split_feature": [node["feature"] for node in inner],
            "split_gain": [1] * len(inner),
            "threshold": [node["threshold"] for node in inner],
            "decision_type": [node["decision"] for node in inner],
            "left_child": [node["left"] for node in inner],
            "right_child": [node["right"] for node in inner],
        }
    tree["leaf_value"] = leaves
    if inner:
        tree |= {"leaf_weight": [1.0] * len(leaves), "leaf_count": [9] * len(leaves)}
        tree |= {"internal_value": [0] * len(inner), "internal_weight": [1] * len(inner)}
        tree["internal_count"] = [9] * len(inner)
    if sets:
        tree["cat_boundaries"] = [sum(map(len, sets[:place])) for place in range(len(sets) + 1)]
        tree["cat_threshold"] = [word for words in sets for word in words]
    return tree | {"is_linear": 0, "shrinkage": 1}


def lightgbm_leaf(tree: dict[str, Any], row: Sequence[float]) -> float:
    """What a tree adds: ``x <= t`` goes left; the categories of a set go left."""
    node, zero = 0 if "split_feature" in tree else -1, float(np.float32(1e-35))
    while node >= 0:
        value, decision = row[tree["split_feature"][node]], tree["decision_type"][node]
        value = 0.0 if abs(value) <= zero else value
        kind, default = decision >> 2, bool(decision & 2)
        if decision & 1:
            left = not math.isnan(value) and math.isfinite(value) and int(value) >= 0
            left = left and _in_set(tree, int(tree["threshold"][node]), int(value))
        else:
            value = 0.0 if math.isnan(value) and kind != 2 else value
            is_missing = (kind == 1 and value == 0) or (kind == 2 and math.isnan(value))
            left = default if is_missing else value <= tree["threshold"][node]
        node = tree["left_child" if left else "right_child"][node]
    return float(tree["leaf_value"][~node])


def _in_set(tree: dict[str, Any], number: int, code: int) -> bool:
    start, end = tree["cat_boundaries"][number : number + 2]
    words = tree["cat_threshold"][start:end]
    return code // 32 < len(words) and bool(words[code // 32] >> code % 32 & 1)


def draw_catboost(seed: int, loss: str, n_outputs: int = 1) -> Drawn:
    """Symmetric trees as CatBoost exports them, of numbers only: it has hashes of categories."""
    choose = random.Random(seed)
    ways = [choose.choice(("AsIs", "AsFalse", "AsTrue")) for _ in range(N_FEATURES)]
    trees: list[dict[str, Any]] = []
    for _ in range(choose.randint(1, 4)):
        depth = choose.randint(0, 4)
        splits: list[dict[str, Any]] = [
            {
                "border": choose.choice(THRESHOLDS),
                "float_feature_index": choose.randrange(N_FEATURES),
                "split_index": 0,
                "split_type": "FloatFeature",
            }
            for _ in range(depth)
        ]
        leaves = [_eighths(choose) for _ in range(n_outputs << depth)]
        tree: dict[str, Any] = {
            "leaf_values": leaves,
            "leaf_weights": [1] * (1 << depth),
            "splits": splits,
        }
        trees.append(tree)
    features: list[dict[str, Any]] = [
        {
            "borders": _borders(trees, place),
            "feature_index": place, "flat_feature_index": place, "feature_id": "",
            "has_nans": ways[place] != "AsIs", "nan_value_treatment": ways[place],
        }
        for place in range(N_FEATURES)
    ]  # fmt: skip  # a document
    flat = [(f["feature_index"], border) for f in features for border in f["borders"]]
    for tree in trees:
        for split in tree["splits"]:
            split["split_index"] = flat.index((split["float_feature_index"], split["border"]))
    names = [f"c{place}" for place in range(max(n_outputs, 2))]
    of_classes = {
        "class_names": names,
        "class_label_type": "String",
        "class_to_label": list(range(len(names))),
        "classes_count": 0,
    }
    document = {
        "features_info": {"float_features": features},
        "model_info": {"params": {"loss_function": {"type": loss, "params": {}}}}
        | ({} if loss == "RMSE" else {"class_params": of_classes}),
        "oblivious_trees": trees,
        "scale_and_bias": [0.5, [0.25 * (place + 1) for place in range(n_outputs)]],
    }
    return Drawn(document, n_outputs, 0.0, trees)


def _borders(trees: Sequence[Any], place: int) -> list[float]:
    splits = [split for tree in trees for split in tree["splits"]]
    return sorted({one["border"] for one in splits if one["float_feature_index"] == place})


def catboost_margins(drawn: Drawn, rows: Sequence[Sequence[float]]) -> list[list[float]]:
    """The sums: of each tree the leaf whose number has the answers as its bits."""
    scale, bias = drawn.content["scale_and_bias"]
    ways = [f["nan_value_treatment"] for f in drawn.content["features_info"]["float_features"]]
    found = []
    for row in rows:
        sums = [0.0] * drawn.n_outputs
        for tree in drawn.trees:
            leaf = 0
            for level, split in enumerate(tree["splits"]):
                place = split["float_feature_index"]
                value = np.float32(row[place])
                right = value > np.float32(split["border"])
                leaf |= int(ways[place] == "AsTrue" if np.isnan(value) else right) << level
            for output in range(drawn.n_outputs):
                sums[output] += tree["leaf_values"][leaf * drawn.n_outputs + output]
        found.append([scale * total + bias[output] for output, total in enumerate(sums)])
    return found

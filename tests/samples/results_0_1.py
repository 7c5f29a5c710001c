"""A result as version 0.1 wrote it, by hand: a model, its table, the result, how it was made."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import cattleya
from cattleya.model.tree.fingerprint import tree_hash

__all__ = ["write_result_0_1"]

TABLE = "age,rooms\n40,3\n20,1\n40,1\n"
WANT = ("sufficient", "minimal", "contrastive", "necessary", "count", "importance")
RESULT = """\
row,prediction,status,error,sufficient,sufficient_conditions,sufficient_size,minimal,\
minimal_conditions,minimal_size,contrastive,contrastive_conditions,contrastive_size,\
contrastive_count,necessary,necessary_features,necessary_count,relevant_count,count,minimal_count,\
importance,seconds
0,yes,ok,,age > 34.5 and rooms > 2.5,"[""age > 34.5"", ""rooms > 2.5""]",2,\
age > 34.5 and rooms > 2.5,"[""age > 34.5"", ""rooms > 2.5""]",2,\
age > 34.5,"[[""age > 34.5""], [""rooms > 2.5""]]",1,2,\
"[""age > 34.5"", ""rooms > 2.5""]","[""age"", ""rooms""]",2,2,1,1,\
"{""age > 34.5"": ""1"", ""rooms > 2.5"": ""1""}",0.001
1,no,ok,,age <= 34.5,"[""age <= 34.5""]",1,age <= 34.5,"[""age <= 34.5""]",1,\
age <= 34.5 and rooms <= 2.5,"[[""age <= 34.5"", ""rooms <= 2.5""]]",2,1,[],[],0,2,2,2,\
"{""age <= 34.5"": ""1/2"", ""rooms <= 2.5"": ""1/2""}",0.001
2,no,ok,,rooms <= 2.5,"[""rooms <= 2.5""]",1,rooms <= 2.5,"[""rooms <= 2.5""]",1,\
rooms <= 2.5,"[[""rooms <= 2.5""]]",1,1,"[""rooms <= 2.5""]","[""rooms""]",1,1,1,1,\
"{""rooms <= 2.5"": ""1""}",0.001
"""


def write_result_0_1(folder: Path) -> None:
    """Write ``tree.json``, ``t.csv``, ``r.csv`` and ``r.csv.json``."""
    tree = cattleya.Tree(
        [1, -1, 3, -1, -1],
        [2, -1, 4, -1, -1],
        [0, -1, 1, -1, -1],
        [34.5, 0, 2.5, 0, 0],
        [-1, 0, -1, 0, 1],
        n_features=2,
        feature_names=["age", "rooms"],
        class_names=["no", "yes"],
    )
    files = {"tree.json": tree.to_json(), "t.csv": TABLE, "r.csv": RESULT}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    made = {
        "cattleya": "0.1.0",
        "data": hashlib.sha256(TABLE.encode()).hexdigest(),
        "definition": (
            "over the tree's binary conditions, each taken as a Boolean variable of its own"
        ),
        "format": "cattleya-batch",
        "id_column": None,
        "model": tree_hash(tree),
        "model_file": hashlib.sha256(tree.to_json().encode()).hexdigest(),
        "over": "conditions",
        "parameters": {
            "contrasts": 5,
            "exclude": [],
            "immutable": [],
            "memory_limit": 1 << 30,
            "timeout": None,
            "want": list(WANT),
        },
        "part": 8192,
        "version": 1,
    }
    (folder / "r.csv.json").write_text(json.dumps(made), encoding="utf-8")

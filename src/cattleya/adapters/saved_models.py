"""Model files of boosting libraries, read without the library that wrote them.

The format is found by what is in the file: XGBoost's JSON and UBJSON, LightGBM's text, CatBoost's
JSON export. Such a file holds numbers and names only, and reading it runs no code; nothing in it is
trusted. XGBoost's models are used in two ways, through ``Booster.predict`` or a class like
``XGBClassifier``: a file that such a class wrote says so, and is read as that.
"""

from __future__ import annotations

import json
from typing import Any

from cattleya.adapters.catboost.ensemble import ensemble_of as of_catboost
from cattleya.adapters.lightgbm.ensemble import ensemble_of as of_lightgbm
from cattleya.adapters.lightgbm.text import saved_model as lightgbm_model
from cattleya.adapters.xgboost.document import saved_model as xgboost_model
from cattleya.adapters.xgboost.ensemble import Use
from cattleya.adapters.xgboost.ensemble import ensemble_of as of_xgboost
from cattleya.adapters.xgboost.ubjson import read_ubjson
from cattleya.model.ensemble.ensemble import Ensemble
from cattleya.model.tree.json_form import no_duplicates

__all__ = ["ENDINGS", "LARGEST", "is_foreign_json", "read_saved"]

ENDINGS = (".ubj", ".txt", ".model", ".cbm")
LARGEST = 1 << 29  # bytes
MOST_BRACKETS = 1 << 22  # in JSON: each makes an object, which takes up to 100 bytes
_XGBOOST, _CATBOOST = b'"learner"', (b'"features_info"', b'"oblivious_trees"', b'"model_info"')
_OTHERS = {
    b"binf": "XGBoost's old binary format; save the model again with save_model('model.ubj')",
    b"CBM1": "CatBoost's own format; export it with save_model('model.json', format='json')",
}


def is_foreign_json(start: bytes) -> bool:
    """Tell by its first bytes whether JSON was written by one of these libraries."""
    return _XGBOOST in start or any(mark in start for mark in _CATBOOST)


def read_saved(content: bytes) -> Ensemble:
    """Return the model in the bytes of a file; ``ValueError`` says what is wrong with it."""
    if content.startswith(b"{"):
        return _of_mapping(content)
    if content.startswith((b"tree\n", b"tree\r\n")):
        try:
            text = content.decode()
        except UnicodeDecodeError:
            raise ValueError("it is no text in UTF-8") from None
        return of_lightgbm(lightgbm_model(text))
    for start, remedy in _OTHERS.items():
        if content.startswith(start):
            raise ValueError(f"it is in {remedy}")
    raise ValueError("it is no model that XGBoost, LightGBM or CatBoost wrote")


def _of_mapping(content: bytes) -> Ensemble:
    if content[1:2] in (b"i", b"U", b"I", b"l", b"L", b"$", b"#"):  # the type of a length
        return _of_xgboost(read_ubjson(content))
    if content.count(b"[") + content.count(b"{") > MOST_BRACKETS:
        raise ValueError(f"it has more than {MOST_BRACKETS} lists and objects")
    try:
        document = json.loads(content, object_pairs_hook=no_duplicates)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    if isinstance(document, dict) and "features_info" in document:
        return of_catboost(document)
    return _of_xgboost(document)


def _of_xgboost(document: Any) -> Ensemble:
    saved = xgboost_model(document)
    use = Use(
        by_scikit_learn=saved.of_scikit_learn,
        is_classifier=saved.is_classifier,
        release=saved.version,
    )
    return of_xgboost(saved, use)

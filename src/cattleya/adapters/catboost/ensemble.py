"""CatBoost's JSON export, as an :class:`cattleya.Ensemble`: its own arithmetic, bit by bit.

Rows are float32 numbers and go right where ``x > border``. Trees add their leaves in float64, in
order; then the sum is multiplied by a scale, and a bias is added. A missing number is smaller than
all others, or larger, as the column says. A node about a category asks whether it is one of them.

CatBoost reads a text of 17 digits with an error in the last one, so that a model it loads from JSON
is not quite the one that was exported. What is read here is the one that was exported.

Its probabilities of more than two classes, and its exponentials, come from a table or from vector
instructions, depending on the processor: they differ from ours by a few units in the last place.
Sums, classes, and the probabilities of two classes are the same.

Features that are computed from several rows (CTR), from texts or from embeddings are not in the
rows: models that use them are refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from cattleya.adapters.catboost.trees import Split, nested_trees, symmetric_trees
from cattleya.model.ensemble.ensemble import Ensemble
from cattleya.support.arrays import Floats, Int32s
from cattleya.support.text import shown

__all__ = ["ensemble_of"]

MOST_FEATURES = 1 << 24
MOST_UNTOLD = 1 << 16  # columns that the export says nothing about
HASH = (1 << 32) - 1
PAIR = 2
EXPONENTIAL = ("Poisson", "Tweedie")
OF_TWO_CLASSES = ("Logloss", "CrossEntropy")
OF_CLASSES = ("MultiClass", "MultiClassOneVsAll")
NO_NUMBERS = {
    "OnlineCtr": (
        "categories that it replaces by statistics of the training rows (CTR): encode them before "
        "training, or train with one_hot_max_size at least the number of categories"
    ),
    "EstimatedFeature": "texts or embeddings: compute numbers from them before training",
}


def ensemble_of(document: Any, feature_names: Sequence[str] | None = None) -> Ensemble:
    """Return an exported model as an ensemble; ``ValueError`` says why it cannot be one."""
    if not isinstance(document, dict) or "features_info" not in document:
        raise ValueError("it is no model that CatBoost exported: 'features_info' is not there")
    columns = _Columns(document["features_info"])
    scale, bias = _scale_and_bias(document.get("scale_and_bias"))
    trees = document.get("oblivious_trees")
    of_shape = symmetric_trees if trees is not None else nested_trees
    trees = document.get("trees") if trees is None else trees
    if not isinstance(trees, list) or not trees:
        raise ValueError("it has no trees: it was exported before it was trained")
    nodes = of_shape(trees, columns.split, _numbers, len(bias)).arrays()
    start, codes = columns.sets()
    return Ensemble(
        **nodes,
        n_features=columns.count,
        feature_names=columns.names if feature_names is None else feature_names,
        set_start=start,
        set_codes=codes,
        set_left=np.zeros(len(start) - 1, dtype=np.bool_),
        base=np.zeros(len(bias)),
        scale=scale,
        offset=bias,
        row_dtype="float32",
        takes_infinite=True,
        categories=columns.categories(),
        **_decision(document.get("model_info"), len(bias)),
    )


def _decision(said: Any, outputs: int) -> dict[str, Any]:
    said = said if isinstance(said, dict) else {}
    parameters = said.get("params")
    loss = parameters.get("loss_function") if isinstance(parameters, dict) else None
    name = loss.get("type") if isinstance(loss, dict) else None
    if not isinstance(name, str):
        raise ValueError("it does not tell its loss function; export it again with CatBoost")
    if name in (*OF_TWO_CLASSES, *OF_CLASSES):
        parameters = said.get("class_params")
        classes = parameters.get("class_names") if isinstance(parameters, dict) else None
        if not classes and outputs == 1:
            classes = [0, 1]  # of probabilities as labels (CrossEntropy)
        if not isinstance(classes, list) or len(classes) != max(outputs, PAIR):
            raise ValueError(f"it has {outputs} outputs, and the classes {shown(classes)}")
        if outputs == 1:
            cut = _cut(said.get("binclass_probability_threshold", 0.5))
            return {
                "decision": "threshold",
                "class_names": classes,
                "link": "c_logistic",
                "cut": cut,
            }
        link = "c_softmax" if name == "MultiClass" else "c_logistic"
        return {"decision": "largest", "class_names": classes, "link": link}
    if name == "RMSEWithUncertainty":
        raise ValueError("it predicts a number and its uncertainty at once; train with RMSE")
    return {"decision": "value", "link": "c_exp" if name in EXPONENTIAL else "identity"}


def _cut(chance: Any) -> float:
    """Return the smallest sum above the one whose probability is the threshold of the model."""
    try:
        limit = float(chance)
    except (TypeError, ValueError):
        limit = math.nan
    if not 0 < limit < 1:
        raise ValueError(f"binclass_probability_threshold is {shown(chance)}; it must be in (0, 1)")
    return math.nextafter(0.0 if limit == 0.5 else -math.log(1 / limit - 1), math.inf)  # noqa: PLR2004 - the usual one


def _numbers(values: Any) -> Floats:
    try:
        array = np.array(values)
    except (TypeError, ValueError, OverflowError):
        array = np.array("")
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        raise ValueError(f"leaves must be numbers, not {shown(values)}")
    return array.astype(np.float64)


def _scale_and_bias(said: Any) -> tuple[float, Floats]:
    if said is None:
        raise ValueError("it has no scale_and_bias; export it again with a newer CatBoost")
    if not isinstance(said, list) or len(said) != PAIR or not isinstance(said[1], list):
        raise ValueError(f"scale_and_bias must be a number and a list, not {shown(said)}")
    scale, bias = _numbers(said[:1]), _numbers(said[1])
    return float(scale[0]), bias


class _Columns:
    """The columns of an export, and the questions that its trees ask about them."""

    def __init__(self, said: Any) -> None:
        said = said if isinstance(said, dict) else {}
        numbers, labels = (
            self._listed(said, "float_features"),
            self._listed(said, "categorical_features"),
        )
        self._numbers = {self._place(one, "feature_index"): one for one in numbers}
        self._asked: dict[tuple[Any, float], Split] = {}
        self._labels = {self._place(one, "feature_index"): one for one in labels}
        places = [self._place(one, "flat_feature_index") for one in (*numbers, *labels)]
        others = [
            one
            for name in ("text_features", "embedding_features")
            for one in self._listed(said, name)
        ]
        places += [self._place(one, "flat_feature_index") for one in others]
        if len(set(places)) != len(places) or not places:
            raise ValueError("features_info must have each column once")
        self.count = max(places) + 1
        if self.count > len(places) + MOST_UNTOLD:
            raise ValueError(f"flat_feature_index is {max(places)}, of {len(places)} columns")
        self.names = self._named((*numbers, *labels, *others))
        self._texts = self._hashed(said.get("cat_features_hash"))
        self._codes: dict[int, dict[int, list[int]]] = {}
        self._tables: dict[int, list[Any]] = {}
        self._sets: dict[tuple[int, ...], int] = {}

    @staticmethod
    def _listed(said: dict[str, Any], name: str) -> list[dict[str, Any]]:
        found = said.get(name) or []
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise ValueError(f"{name} must be a list of objects")
        return found

    @staticmethod
    def _place(one: dict[str, Any], name: str) -> int:
        place = one.get(name)
        if type(place) is not int or not 0 <= place < MOST_FEATURES:
            raise ValueError(f"{name} must be a whole number from 0, not {shown(place)}")
        return place

    def _named(self, columns: Sequence[dict[str, Any]]) -> tuple[str, ...] | None:
        names = {
            one["flat_feature_index"]: one.get("feature_name") or one.get("feature_id")
            for one in columns
        }
        said = [names.get(place) or str(place) for place in range(self.count)]
        if not all(isinstance(name, str) for name in said):
            raise ValueError("the names of columns must be texts")
        return None if said == [str(place) for place in range(self.count)] else tuple(said)

    @staticmethod
    def _hashed(said: Any) -> dict[int, str]:
        found = said if isinstance(said, list) else []
        return {
            one["hash"] & HASH: one["value"]
            for one in found
            if isinstance(one, dict)
            and type(one.get("hash")) is int
            and isinstance(one.get("value"), str)
        }

    def split(self, said: Any) -> Split:
        """Return the question of a node."""
        kind = said.get("split_type") if isinstance(said, dict) else None
        if kind in NO_NUMBERS:
            raise ValueError(f"it uses {NO_NUMBERS[kind]}")
        if kind == "FloatFeature":
            border = said.get("border")
            if type(border) is not float:
                return self._of_number(said)
            asked = said.get("float_feature_index", -1), border
            found = self._asked.get(asked)  # trees ask the same again and again
            if found is None:
                found = self._asked[asked] = self._of_number(said)
            return found
        if kind == "OneHotFeature":
            return self._of_category(said)
        raise ValueError(f"a node asks something that is not known: {shown(said)}")

    def _of_number(self, said: dict[str, Any]) -> Split:
        column, border = self._numbers.get(said.get("float_feature_index", -1)), said.get("border")
        if column is None or type(border) not in (int, float):
            raise ValueError(f"a node asks about a column that is not there: {shown(said)}")
        with np.errstate(over="ignore"):
            single = float(np.float32(border))
        if math.isnan(single):
            raise ValueError("a node has the border nan; borders must be numbers")
        treatment = column.get("nan_value_treatment", "AsIs")
        if treatment not in ("AsIs", "AsFalse", "AsTrue"):
            raise ValueError(f"nan_value_treatment {shown(treatment)} is not known")
        return Split(column["flat_feature_index"], single, missing_left=treatment != "AsTrue")

    def _of_category(self, said: dict[str, Any]) -> Split:
        column, value = self._labels.get(said.get("cat_feature_index", -1)), said.get("value")
        if column is None or type(value) is not int:
            raise ValueError(f"a node asks about a column that is not there: {shown(said)}")
        if value & HASH not in self._texts:
            raise ValueError(
                "it has categories, but says only their hashes; export it with the rows that it "
                "was trained on: model.save_model('model.json', format='json', pool=Pool(...))"
            )
        place = column["flat_feature_index"]
        codes = self._codes.setdefault(place, {}).get(value & HASH)
        if codes is None:
            codes = self._codes[place][value & HASH] = self._new_codes(
                place, self._texts[value & HASH]
            )
        number = self._sets.setdefault(tuple(codes), len(self._sets))
        return Split(place, category_set=number)

    def _new_codes(self, place: int, text: str) -> list[int]:
        """Return the codes of a category: one for its text, and one for the number that it says."""
        table = self._tables.setdefault(place, [])
        first = len(table)
        table.append(text)
        if text.lstrip("-").isdecimal() and text.isascii() and str(int(text[:20])) == text:
            table.append(int(text))
        return list(range(first, len(table)))

    def sets(self) -> tuple[Int32s, Int32s]:
        """Return the sets of codes that nodes ask about."""
        codes = [code for one in self._sets for code in one]
        start = np.cumsum([0, *map(len, self._sets)])
        return start.astype(np.int32), np.array(codes, dtype=np.int32)

    def categories(self) -> dict[int, tuple[Any, ...]]:
        """Return the labels of each column of categories; all others are alike."""
        places = [column["flat_feature_index"] for column in self._labels.values()]
        return {place: tuple(self._tables.get(place, ["(none)"])) for place in places}

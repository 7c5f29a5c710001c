"""What LightGBM saves of a model: lines of text, read and checked.

Live models are asked for this text, so that they are explained as their files are; its numbers have
17 digits, which is all that a float64 number has. treelite reads these files as well, but its trees
no longer tell a missing value from 0 in the way of the file, and ``dump_model`` takes ten times the
text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya._core import numbers_in
from cattleya.support.arrays import Floats, Int32s
from cattleya.support.text import shown

__all__ = ["Saved", "SavedTree", "saved_model"]

MOST_FEATURES = 1 << 24
MOST_CLASSES = 1 << 16
MOST_LEAVES = 1 << 24
MOST_WORDS = 1 << 20  # of 32 bits each, in one set
_HEADER_END = "\nTree="
_AUTOMATIC = re.compile(r"Column_\d+")


@dataclass(frozen=True)
class SavedTree:
    """One tree: entries per inner node, and of ``value`` per leaf.

    A child below 0 is the leaf ``~child``.
    """

    left: Int32s
    right: Int32s
    feature: Int32s
    threshold: Floats
    decision: Int32s
    value: Floats
    set_start: Int32s
    set_words: npt.NDArray[np.uint32]


@dataclass(frozen=True)
class Saved:
    """A model as LightGBM saves it."""

    trees: Sequence[SavedTree]
    objective: tuple[str, ...]
    trees_per_round: int
    averages: bool
    n_features: int
    feature_names: tuple[str, ...] | None
    labels: Mapping[int, tuple[Any, ...]]


def saved_model(text: str) -> Saved:
    """Return what is in a text; ``ValueError`` says what is wrong with it."""
    head, *trees = text.replace("\r\n", "\n").split(_HEADER_END)
    said = _entries(head)
    if "tree" not in said or "max_feature_idx" not in said:
        raise ValueError("it is no model that LightGBM saved: it does not begin with 'tree'")
    n_features = _whole(said, "max_feature_idx", MOST_FEATURES) + 1
    a_round = _whole(said, "num_tree_per_iteration", MOST_CLASSES, said.get("num_class"))
    names = tuple(said.get("feature_names", "").split(" "))
    if len(names) != n_features:
        raise ValueError(
            f"feature_names has {len(names)} names, but there are {n_features} columns"
        )
    if not trees:
        raise ValueError("it has no trees: it was saved before it was trained")
    rest = ""
    if "\nend of trees" in trees[-1]:
        trees[-1], _, rest = trees[-1].partition("\nend of trees")
    else:
        raise ValueError("it ends before the 'end of trees'; save it again")
    read = [_tree(number, block) for number, block in enumerate(trees)]
    if a_round < 1 or len(read) % a_round:
        raise ValueError(f"it has {len(read)} trees, which are not {a_round} per round")
    sizes = said.get("tree_sizes")
    if sizes is not None and len(sizes.split()) != len(read):
        raise ValueError(f"tree_sizes has {len(sizes.split())} entries, not {len(read)}")
    return Saved(
        trees=read,
        objective=tuple(said.get("objective", "").split()),
        trees_per_round=a_round,
        averages="average_output" in said,
        n_features=n_features,
        feature_names=None if all(map(_AUTOMATIC.fullmatch, names)) else names,
        labels=_labels(rest, said, n_features),
    )


def _entries(block: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in block.split("\n"):
        name, _, value = line.partition("=")
        if name in found and name:
            raise ValueError(f"the line {name[:40]!r} is there twice")
        found[name] = value
    return found


def _whole(said: Mapping[str, str], name: str, most: int, otherwise: str | None = None) -> int:
    text = said.get(name, otherwise)
    if text is None or not re.fullmatch(r"\d{1,9}", text.strip()):
        raise ValueError(f"{name} must be a whole number, not {shown(text)}")
    if int(text) > most:
        raise ValueError(f"{name} is {int(text)}, more than {most}")
    return int(text)


def _tree(number: int, block: str) -> SavedTree:
    said = _entries(block.partition("\n")[2].rstrip("\n"))
    if said.get("is_linear", "0").strip() != "0":
        raise ValueError(
            "its leaves are linear models (linear_tree=True): their predictions are no finite set "
            "of numbers; train with linear_tree=False"
        )
    try:
        leaves = _whole(said, "num_leaves", MOST_LEAVES)
        sets = _whole(said, "num_cat", MOST_LEAVES, "0")
        inner = max(leaves - 1, 0)
        if leaves < 1:
            raise ValueError("num_leaves is 0")
        none = np.zeros(0)
        start = _ints(said, "cat_boundaries", sets + 1) if sets else np.zeros(1, dtype=np.int32)
        if (np.diff(start) < 0).any() or start[0] != 0:
            raise ValueError("cat_boundaries must ascend from 0")
        if (np.diff(start) > MOST_WORDS).any():
            raise ValueError(f"a set of categories has more than {MOST_WORDS} words of bits")
        words = _numbers(said, "cat_threshold", int(start[-1])) if sets else none
        if ((words < 0) | (words >= 1 << 32) | (words != np.floor(words))).any():
            raise ValueError("cat_threshold has a number that is no set of 32 bits")
        return SavedTree(
            left=_ints(said, "left_child", inner),
            right=_ints(said, "right_child", inner),
            feature=_ints(said, "split_feature", inner),
            threshold=_numbers(said, "threshold", inner),
            decision=_ints(said, "decision_type", inner, "decision_type" not in said),
            value=_numbers(said, "leaf_value", leaves),
            set_start=start,
            set_words=words.astype("<u4"),
        )
    except ValueError as error:
        raise ValueError(f"tree {number}: {error}") from None


def _numbers(said: Mapping[str, str], name: str, count: int, zeros: bool = False) -> Floats:
    if count == 0 or zeros:
        return np.zeros(count)
    text = said.get(name)
    if text is None:
        raise ValueError(f"the line {name!r} is not there")
    try:
        numbers = numbers_in(text)
    except ValueError:
        raise ValueError(f"{name} must be numbers, not {shown(text[:80])}") from None
    if len(numbers) != count:
        raise ValueError(f"{name} has {len(numbers)} entries, not {count}")
    return numbers


def _ints(said: Mapping[str, str], name: str, count: int, zeros: bool = False) -> Int32s:
    numbers = _numbers(said, name, count, zeros)
    with np.errstate(invalid="ignore"):
        whole = numbers.astype(np.int32)
    if (whole != numbers).any():
        raise ValueError(f"{name} has a number that is not whole, or too large")
    return whole


def _labels(rest: str, said: Mapping[str, str], n_features: int) -> dict[int, tuple[Any, ...]]:
    """Return the categories by which columns of a frame were coded.

    The text has them in the order of the columns, but not which columns: these are the ones that
    the parameters call categorical, where there are as many.
    """
    found = re.search(r"^pandas_categorical:(.*)$", rest, re.MULTILINE)
    if found is None:
        return {}
    try:
        lists = json.loads(found[1])
    except (ValueError, RecursionError):
        raise ValueError("pandas_categorical is not JSON") from None
    if not lists:
        return {}
    if not isinstance(lists, list) or not all(isinstance(one, list) for one in lists):
        raise ValueError("pandas_categorical must be lists of categories")
    parameter = re.search(r"^\[categorical_feature: ([\d,]*)\]$", rest, re.MULTILINE)
    columns = sorted({int(c[:9]) for c in (parameter[1] if parameter else "").split(",") if c})
    if len(columns) != len(lists) or any(column >= n_features for column in columns):
        raise ValueError(
            f"it was trained on a frame with {len(lists)} columns of categories, of which it uses "
            f"{len(columns)} as such: which ones, the model does not tell; give LightGBM the codes "
            f"of ordered categories as numbers"
        )
    labels = {column: tuple(one) for column, one in zip(columns, lists, strict=True)}
    for column, one in labels.items():
        if not all(isinstance(label, (str, int, float, bool)) for label in one):
            raise ValueError(f"the categories of column {column} are no texts or numbers")
    return labels

"""The tree as a value: how it is made, what it refuses, and that it cannot change."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import cattleya
from tests.checks.explanation import naming
from tests.samples.trees import SMALL


def arguments(**changes: Any) -> dict[str, Any]:
    """What makes the small tree, as keyword arguments, with some of them changed."""
    names = ("left", "right", "feature", "threshold", "leaf_class", "n_features")
    return {**{name: getattr(SMALL, name) for name in names}, **changes}


def changed(values: tuple[Any, ...], **at: Any) -> tuple[Any, ...]:
    """The values with those at some places ("n2": place 2) changed."""
    return tuple(at.get(f"n{i}", value) for i, value in enumerate(values))


# What a tree refuses, each with the offender in the message

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a child beyond the last node": (
        {"left": changed(SMALL.left, n2=7)},
        naming(r"\b2\b", r"\b7\b"),
    ),
    "a child below -1": ({"right": changed(SMALL.right, n0=-3)}, naming(r"\b0\b", "-3")),
    "one child only": ({"right": changed(SMALL.right, n2=-1)}, naming(r"\b2\b")),
    "a node that is its own child": (
        {"left": changed(SMALL.left, n2=2)},
        naming(r"\b2\b"),
    ),
    "a cycle back to the root": ({"left": changed(SMALL.left, n2=0)}, naming(r"\b0\b")),
    "a node with two parents": (
        {"left": changed(SMALL.left, n2=1)},
        naming(r"\b1\b", "parent"),
    ),
    "a node that is both children": (
        {"left": changed(SMALL.left, n2=4)},
        naming(r"\b4\b"),
    ),
    "an unreachable node": (
        {
            "left": (*SMALL.left, -1),
            "right": (*SMALL.right, -1),
            "feature": (*SMALL.feature, -1),
            "threshold": (*SMALL.threshold, 0.0),
            "leaf_class": (*SMALL.leaf_class, 0),
        },
        naming(r"\b5\b", "reach"),
    ),
    "an unreachable cycle": (
        {
            "left": (*SMALL.left, 6, 5, -1, -1),
            "right": (*SMALL.right, 7, 8, -1, -1),
            "feature": (*SMALL.feature, 0, 0, -1, -1),
            "threshold": (*SMALL.threshold, 0.0, 0.0, 0.0, 0.0),
            "leaf_class": (*SMALL.leaf_class, -1, -1, 0, 1),
        },
        naming(r"\b[5678]\b"),
    ),
    "a threshold that is NaN": (
        {"threshold": changed(SMALL.threshold, n2=np.nan)},
        naming(r"\b2\b", "nan"),
    ),
    "an infinite threshold": (
        {"threshold": changed(SMALL.threshold, n0=-np.inf)},
        naming(r"\b0\b", "inf"),
    ),
    "lists of unequal length": (
        {"threshold": SMALL.threshold[:-1]},
        naming("threshold", r"\b4\b", r"\b5\b"),
    ),
    "a leaf class out of range": (
        {"leaf_class": changed(SMALL.leaf_class, n3=2), "class_names": ("no", "yes")},
        naming(r"\b3\b", r"\b2\b"),
    ),
    "a leaf without a class": (
        {"leaf_class": changed(SMALL.leaf_class, n4=-1)},
        naming(r"\b4\b", "-1"),
    ),
    "a feature out of range": (
        {"feature": changed(SMALL.feature, n2=2)},
        naming(r"\b2\b", "feature"),
    ),
    "an inner node without a feature": (
        {"feature": changed(SMALL.feature, n2=-1)},
        naming(r"\b2\b", "feature"),
    ),
    "a negative number of features": ({"n_features": -1}, naming("n_features", "-1")),
    "fewer features than are tested": ({"n_features": 1}, naming("feature", r"\b1\b")),
    "two features of one name": (
        {"feature_names": ("age", "age")},
        naming("feature", "age"),
    ),
    "two classes of one name": (
        {"class_names": ("yes", "yes")},
        naming("class", "yes"),
    ),
    "too few feature names": (
        {"feature_names": ("age",)},
        naming("feature.names", r"\b1\b", r"\b2\b"),
    ),
    "no node": (
        dict.fromkeys(("left", "right", "feature", "threshold", "leaf_class"), ()),
        naming("node"),
    ),
    "a Boolean variable that is none": ({"boolean": (2,)}, naming("boolean", r"\b2\b")),
    "an unknown type of rows": ({"row_dtype": "int8"}, naming("row_dtype", "int8")),
    "too few sides for missing values": (
        {"missing_left": (True,)},
        naming("missing_left", r"\b1\b", r"\b5\b"),
    ),
    "children that are fractions": (
        {"left": changed(SMALL.left, n0=1.5)},
        naming("left"),
    ),
    "children that are truths": (
        {"left": (True, False, True, False, False)},
        naming("left", "bool"),
    ),
    "features that are fractions": (
        {"feature": (0.5, -1.0, 1.0, -1.0, -1.0)},
        naming("feature"),
    ),
    "thresholds that are text": (
        {"threshold": ("low", 0, 0, 0, 0)},
        naming("threshold"),
    ),
    "children in a table": ({"left": [[1, -1, 3, -1, -1]]}, naming("left")),
    "a number of features that is text": ({"n_features": "two"}, naming("n_features", "two")),
    "a feature name that is no text": ({"feature_names": ("age", 7)}, naming("7")),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refuses(what: str) -> None:
    changes, message = REFUSED[what]
    with pytest.raises((ValueError, TypeError), match=message):
        cattleya.Tree(**arguments(**changes))


def test_the_unchanged_tree_is_accepted() -> None:
    tree = cattleya.Tree(**arguments())
    assert tree.predict([[1.5, 0.0], [1.6, -2.0], [1.6, -1.9]]).tolist() == [0, 1, 0]


# What a tree is


def test_attributes() -> None:
    tree = SMALL.build(feature_names=("age", "income"), class_names=("no", "yes"))
    assert tree.left.tolist() == list(SMALL.left)
    assert tree.right.tolist() == list(SMALL.right)
    assert tree.feature.tolist() == list(SMALL.feature)
    assert [tree.threshold[node] for node in (0, 2)] == [1.5, -2.0]
    assert [tree.leaf_class[node] for node in (1, 3, 4)] == [0, 1, 0]
    assert tree.missing_left is None
    assert (tree.n_features, tree.n_nodes, tree.depth) == (2, 5, 2)
    assert (tree.feature_names, tree.class_names) == (("age", "income"), ("no", "yes"))
    assert tree.predict([[2, -3]]).tolist() == ["yes"]


def test_default_names() -> None:
    tree = cattleya.Tree(**arguments())
    assert tree.feature_names == ("x0", "x1")
    assert tree.class_names == (0, 1)


def test_the_number_of_features_by_position() -> None:
    values = list(arguments().values())
    assert cattleya.Tree(*values) == cattleya.Tree(**arguments())


def test_arrays_of_any_integer_type_are_taken() -> None:
    changes = {"left": np.array(SMALL.left, dtype=np.int8), "feature": list(SMALL.feature)}
    assert cattleya.Tree(**arguments(**changes)) == cattleya.Tree(**arguments())


def test_cannot_be_changed() -> None:
    left = np.array(SMALL.left)
    tree = cattleya.Tree(**arguments(left=left))
    left[0] = 2
    assert tree.left[0] == 1, "the tree must keep its own copy"
    for array in (tree.left, tree.right, tree.feature, tree.threshold, tree.leaf_class):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    for name in ("left", "n_features", "class_names"):
        with pytest.raises(AttributeError):
            setattr(tree, name, None)


def test_equality_and_hash() -> None:
    same, other = SMALL.build(), replace(SMALL, leaf_class=(-1, 1, -1, 1, 0)).build()
    assert same == SMALL.build()
    assert hash(same) == hash(SMALL.build())
    assert same != other
    assert same != SMALL.build(feature_names=("a", "b"))
    assert same != replace(SMALL, row_dtype="float32").build()
    assert same != "a tree"
    assert len({same, SMALL.build(), other}) == 2


def test_repr_says_what_it_is() -> None:
    text = repr(SMALL.build())
    assert re.search(naming("tree", r"\b5\b", r"\b2\b"), text)
    assert len(text) < 300


def test_pickle() -> None:
    routed = replace(SMALL, missing_left=(True, False, True, False, False))
    for nodes in (SMALL, routed, replace(SMALL, boolean=(1,), threshold=(1.5, 0, 0.5, 0, 0))):
        tree = nodes.build()
        assert pickle.loads(pickle.dumps(tree)) == tree


def test_a_boolean_variable_is_one_condition() -> None:
    """Thresholds 0.3 and 0.5 ask a Boolean variable the same; refusing the second would do too."""
    nodes = replace(SMALL, feature=(0, -1, 0, -1, -1), threshold=(0.3, 0.0, 0.5, 0.0, 0.0))
    try:
        tree = replace(nodes, boolean=(0,)).build()
    except ValueError:
        return
    e = cattleya.Explainer(tree).explain([1, 0])
    assert str(e.direct_reason()) == "x0"
    assert e.contrastive() == ()


def test_predict_takes_one_row_a_line_and_names_what_is_wrong() -> None:
    tree = SMALL.build()
    assert tree.predict(np.empty((0, 2))).tolist() == []
    with pytest.raises(ValueError, match=naming(r"\b3\b", r"\b2\b")):
        tree.predict([[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match=naming("nan|missing", "x1")):
        tree.predict([[1.0, np.nan]])


def test_a_single_leaf() -> None:
    tree = cattleya.Tree([-1], [-1], [-1], [0.0], [1], n_features=3, class_names=("no", "yes"))
    assert (tree.n_nodes, tree.depth) == (1, 0)
    e = cattleya.Explainer(tree).explain([1, 2, 3])
    assert e.prediction == "yes"
    assert len(e.direct_reason()) == len(e.sufficient_reason()) == len(e.conditions) == 0
    assert str(e.sufficient_reason()) == "(no condition)"
    assert e.contrastive() == ()
    assert e.verify(()).sufficient
    assert e.verify(())


# Nested tuples


def test_nested_reads_zero_then_one() -> None:
    tree = cattleya.Tree.from_nested(("wet", "stay", ("cold", "go", "stay")))
    assert tree.feature_names == ("wet", "cold")
    assert tree.class_names == ("go", "stay")
    assert tree.predict([[0, 0], [1, 0], [1, 1]]).tolist() == ["stay", "go", "stay"]


def test_nested_numbers_features_as_they_appear_from_left_to_right() -> None:
    nested = ("a", ("c", 0, ("d", 0, 1)), ("b", 0, 1))
    assert cattleya.Tree.from_nested(nested).feature_names == ("a", "c", "d", "b")
    ordered = cattleya.Tree.from_nested(nested, feature_names=("d", "c", "b", "a"))
    assert ordered.feature_names == ("d", "c", "b", "a")
    assert ordered.predict([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 0]]).tolist() == [1, 1, 0]


def test_nested_class_order_and_a_leaf_alone() -> None:
    tree = cattleya.Tree.from_nested(("a", 1, 0), class_names=(1, 0))
    assert tree.class_names == (1, 0)
    assert tree.predict([[0], [1]]).tolist() == [1, 0]
    assert cattleya.Tree.from_nested("yes").predict(np.empty((1, 0))).tolist() == ["yes"]


@pytest.mark.parametrize(
    ("nested", "options", "message"),
    [
        (("a", 0), {}, naming("a", "2|3")),
        (("a", 0, 1, 1), {}, naming("a", "3|4")),
        ((1, 0, 1), {}, naming("1", "name|str")),
        (("a", 0, 1), {"feature_names": ("b",)}, naming("a")),
        (("a", 0, 1), {"feature_names": ("a", "a")}, naming("a")),
        (("a", 0, 2), {"class_names": (0, 1)}, naming("2")),
        (("a", 0, [1]), {}, naming("list|hash|\\[1\\]")),
    ],
)
def test_nested_refuses(nested: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        cattleya.Tree.from_nested(nested, **options)

"""Trees as JSON: there and back, with a version, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import cattleya
from tests.checks.explanation import naming
from tests.samples.trees import SMALL, random_nodes, rows_of


@given(st.data())
@settings(max_examples=40)
def test_json_and_back(data: st.DataObject) -> None:
    pool = ((0, 0.1, True), (0, 1 / 3, False), (1, -1e300, True))
    routed = data.draw(st.booleans())
    given_pool = pool if routed else tuple((f, t, None) for f, t, _ in pool)
    nodes = data.draw(random_nodes(pool=given_pool, n_classes=3))
    tree = nodes.build(feature_names=("größe", "b c"), class_names=("x", "y", "z"))
    again = cattleya.Tree.from_json(tree.to_json())
    assert again == tree
    row = data.draw(rows_of(nodes))
    assert again.predict([row]).tolist() == tree.predict([row]).tolist()


@pytest.mark.parametrize("class_names", [(0, 1), ("no", "yes"), (False, True), (-1.5, 2.0)])
def test_json_keeps_the_type_of_the_classes(class_names: tuple[Any, ...]) -> None:
    tree = SMALL.build(class_names=class_names)
    again = cattleya.Tree.from_json(tree.to_json())
    assert again.class_names == class_names
    assert [type(name) for name in again.class_names] == [type(name) for name in class_names]


def test_json_of_a_test_for_being_missing() -> None:
    data = np.array([[1.0], [5.0], [np.nan], [np.nan]])
    tree = cattleya.Explainer(DecisionTreeClassifier().fit(data, [0, 0, 1, 1])).tree
    assert np.isinf(tree.threshold[0])
    text = tree.to_json()
    json.loads(text, parse_constant=pytest.fail)  # NaN and Infinity are no JSON
    assert cattleya.Tree.from_json(text) == tree


def test_json_has_a_version() -> None:
    assert "version" in json.loads(SMALL.build().to_json())


def damaged(change: Callable[[dict[str, Any]], object]) -> str:
    """The small tree's JSON with one thing wrong."""
    document = json.loads(SMALL.build().to_json())
    change(document)
    return json.dumps(document)


DAMAGED: dict[str, tuple[str | Callable[[dict[str, Any]], object], str]] = {
    "no JSON": ("{tree", naming("json")),
    "nothing": ("", naming("json")),
    "a list": ("[1, 2]", naming("json|object|list")),
    "another version": (lambda d: d.update(version=999), naming("version", "999")),
    "no version": (lambda d: d.pop("version"), naming("version")),
    "no threshold": (lambda d: d.pop("threshold"), naming("threshold")),
    "no classes": (lambda d: d.pop("class_names"), naming("class_names")),
    "text for children": (lambda d: d.update(left="none"), naming("left")),
    "a fraction for a child": (lambda d: d["left"].__setitem__(0, 1.5), naming("left")),
    "null for a feature": (lambda d: d["feature"].__setitem__(0, None), naming("feature")),
    "a child out of range": (lambda d: d["left"].__setitem__(0, 99), naming("99")),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_damaged_json_is_refused(what: str) -> None:
    given_text, message = DAMAGED[what]
    text = given_text if isinstance(given_text, str) else damaged(given_text)
    with pytest.raises((ValueError, TypeError), match=message):
        cattleya.Tree.from_json(text)


def test_json_that_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match=naming("dict")):
        cattleya.Tree.from_json({})  # type: ignore[arg-type]  # wrong on purpose

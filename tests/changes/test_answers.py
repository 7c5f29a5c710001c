"""The widest reason, the destinations of changes, and their proof, against all rows of domains."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cattleya
from cattleya.model.conditions.reading import Reader
from cattleya.support.text import printable
from cattleya.vocabularies.over import Over

Rows = list[list[float]]
VALUES = 4  # of each feature: 0 to 3


@st.composite
def models(draw: st.DrawFn) -> cattleya.Explainer:
    """A random tree over three whole numbers, explained in any vocabulary."""
    n_inner = draw(st.integers(1, 6))
    left, right, feature, threshold, leaf = [-1], [-1], [-1], [0.0], [0]
    for _ in range(n_inner):
        open_leaves = [node for node in range(len(left)) if left[node] < 0]
        node = draw(st.sampled_from(open_leaves))
        feature[node] = draw(st.integers(0, 2))
        threshold[node] = draw(st.sampled_from([0.5, 1.5, 2.5]))
        left[node], right[node] = len(left), len(left) + 1
        for _ in range(2):
            for each in (left, right, feature):
                each.append(-1)
            threshold.append(0.0)
            leaf.append(0)
    leaf = [-1 if left[n] >= 0 else draw(st.integers(0, 2)) for n in range(len(left))]
    tree = cattleya.Tree(
        left, right, feature, threshold, leaf,
        n_features=3, feature_names=["a", "b and c", "d"], class_names=["no", "maybe", "yes"],
    )  # fmt: skip  # arrays of nodes, side by side
    over = draw(st.sampled_from(["conditions", "features", "intervals"]))
    return cattleya.Explainer(tree, over=over, integer=True)


EVERY_ROW = np.array(np.meshgrid(*[range(VALUES)] * 3)).reshape(3, -1).T.astype(float)


@settings(max_examples=60, deadline=None)
@given(explainer=models(), number=st.integers(0, len(EVERY_ROW) - 1))
def test_answers_against_their_definitions(explainer: cattleya.Explainer, number: int) -> None:
    row = EVERY_ROW[number]
    e = explainer.explain(row)
    labels = explainer.tree.predict(EVERY_ROW)
    same = np.array([label == e.prediction for label in labels])
    check_reason(e, row, same)
    check_changes(e, row, labels)
    check_feature_importance(e)


def check_reason(e: cattleya.Explanation, row: np.ndarray, same: np.ndarray) -> None:
    reason = e.reason()
    covered = reason.covers(EVERY_ROW)
    assert covered[(row == EVERY_ROW).all(axis=1)].all()
    assert same[covered].all()
    # No fewer features force the class.
    fewest = next(
        size
        for size in range(4)
        if any(
            same[(EVERY_ROW[:, list(chosen)] == row[list(chosen)]).all(axis=1)].all()
            for chosen in combinations(range(3), size)
        )
    )
    assert len(reason) == fewest
    assert reason.width is not None
    assert 0 < reason.width <= 1
    # Proved, also from what it prints, and no part could be larger.
    texts = (str(reason), [str(part) for part in reason])  # over conditions they mean another set
    for said in (reason, *(() if e.over is Over.CONDITIONS else texts)):
        proved = e.verify(said)
        assert proved, said
        assert not proved.larger
    reach = e.reach(reason, EVERY_ROW)
    assert (reach.covered, reach.decisions) == (covered.sum(), same.sum())
    # What is narrower is proved, too, and said to be so.
    for part in reason:
        rest = [str(other) for other in reason if other != part]
        assert not e.verify(rest).sufficient


def check_changes(e: cattleya.Explanation, row: np.ndarray, labels: np.ndarray) -> None:
    for change in e.changes():
        columns = sorted({c.index for c in change.contrast})
        others = [column for column in range(3) if column not in columns]
        stays = (EVERY_ROW[:, others] == row[others]).all(axis=1)
        changed = stays & ~np.array([c.holds_in(EVERY_ROW) for c in change.contrast]).any(axis=0)
        reachable = {label for label in labels[changed] if label != e.prediction}
        assert set(change.outcomes) == reachable
        for one in change.destinations:
            inside = stays.copy()
            for part in one.parts:
                inside &= part.holds_in(EVERY_ROW)
            assert inside.any()
            assert {str(label) for label in labels[inside]} == {one.outcome}
            assert (changed | ~inside).all()
            target = row.copy()
            for moved in one.moved:
                target[e.tree.feature_names.index(moved.feature)] = moved.nearest
            assert e.tree.predict([target])[0] == one.outcome
            if len(columns) == 1:  # all that is as near on its side is there
                (column,) = columns
                values = EVERY_ROW[changed & (labels == one.outcome)][:, column]
                side = [v for v in values if (v > row[column]) == (target[column] > row[column])]
                assert abs(target[column] - row[column]) == min(abs(v - row[column]) for v in side)
        assert str(change)


def check_feature_importance(e: cattleya.Explanation) -> None:
    reasons = list(e.sufficient_reasons())
    expected = {
        name: Fraction(sum(name in {c.feature for c in r} for r in reasons), len(reasons))
        for name in e.tree.feature_names
    }
    found = e.feature_importance()
    assert found == expected
    assert list(found.values()) == sorted(found.values(), reverse=True)


@settings(max_examples=60, deadline=None)
@given(explainer=models(), number=st.integers(0, len(EVERY_ROW) - 1))
def test_what_is_printed_can_be_read(explainer: cattleya.Explainer, number: int) -> None:
    e = explainer.explain(EVERY_ROW[number])
    reader = Reader(e.tree, e._row.context.domain)
    said = [
        *e.conditions,
        *e.reason(),
        *(p for c in e.changes() for d in c.destinations for p in d.parts),
    ]
    for condition in said:
        read, note = reader.read(str(condition))
        assert note is None
        assert (read.holds_in(EVERY_ROW) == condition.holds_in(EVERY_ROW)).all()
    for reason in (e.minimal_reason(), e.sufficient_reason()):
        assert e.verify(str(reason)) or not reason
    pasted = e.verify(str(e.reason()))  # over conditions, assignments that no row has may refute it
    assert pasted or (e.over is Over.CONDITIONS and pasted.in_rows)
    for condition in e.conditions:
        assert e.condition(str(condition)) == condition


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a is 1 to 2", [1, 2]),
        ("(a is 1 to 2)", [1, 2]),
        ("a >= 2 (it is 3)", [2, 3]),
        ("0.5 < a <= 2.5", [1, 2]),
        ("1 <= a < 3", [1, 2]),
        ("a > 1", [2, 3]),
        ("a < 1", [0]),
        ("a is 2", [2]),
        ("a = 2", [2]),
        ("a is present", [0, 1, 2, 3]),
    ],
)
def test_texts(text: str, rows: list[int]) -> None:
    tree = cattleya.Tree(
        [1, -1, -1],
        [2, -1, -1],
        [0, -1, -1],
        [1.5, 0, 0],
        [-1, 0, 1],
        n_features=1,
        feature_names=["a"],
    )
    e = cattleya.Explainer(tree, integer=True).explain([0])
    reader = Reader(tree, e._row.context.domain)
    values = np.arange(4.0)[:, None]
    assert np.flatnonzero(reader.read(text).condition.holds_in(values)).tolist() == rows
    assert printable(text) == text


def test_a_rounded_text_is_said_to_be_one() -> None:
    tree = cattleya.Tree(
        [1, -1, -1], [2, -1, -1], [0, -1, -1], [13.174999713897705, 0, 0], [-1, 0, 1],
        n_features=1, feature_names=["alcohol"], row_dtype="float32",
    )  # fmt: skip  # arrays of nodes, side by side
    e = cattleya.Explainer(tree).explain([12.0])
    assert str(e.sufficient_reason()) == "alcohol <= 13.174999"
    assert e.verify("alcohol <= 13.174999")
    assert e.verify("alcohol <= 13.174999713897705")
    rounded = e.verify("alcohol <= 13.17")
    assert rounded
    assert rounded.notes == (
        "alcohol <= 13.17: 13.17 was read as 13.174999, a threshold of the tree that is rounded so",
    )
    refuted = e.verify("alcohol <= 14")
    assert not refuted
    assert refuted.row is not None
    larger = e.verify("alcohol <= 13")
    assert larger.larger
    assert "could be made larger" in str(larger)

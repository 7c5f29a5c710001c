"""The pictures of the tree and of contrasts, against walks of the tree over all assignments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.patches import FancyBboxPatch, Rectangle
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya import plots
from cattleya.present.plots.path import Line, NearPath
from tests.samples.pictures import chain, wine

VARIABLES = "abcd"


@pytest.fixture(autouse=True)
def _plain_figures() -> Iterator[None]:
    mpl.use("Agg")
    with mpl.style.context("default"):
        yield
    plt.close("all")


def nested(depth: int) -> st.SearchStrategy[Any]:
    """Trees over four Boolean variables, which may ask one of them twice."""
    leaf = st.sampled_from([0, 1, 2])
    if depth == 0:
        return leaf
    below = nested(depth - 1)
    return st.one_of(leaf, st.tuples(st.sampled_from(VARIABLES), below, below))


CASE = (nested(4).filter(lambda t: isinstance(t, tuple)), st.tuples(*[st.booleans()] * 4))
CASES = st.tuples(*CASE)


def explained(case: tuple[Any, tuple[bool, ...]]) -> cattleya.Explanation:
    shape, row = case
    names = sorted(_names(shape))
    tree = cattleya.Tree.from_nested(shape, feature_names=names)
    return cattleya.Explainer(tree).explain(dict(zip(names, row, strict=False)))


def _names(shape: Any) -> set[str]:
    return {shape[0]} | _names(shape[1]) | _names(shape[2]) if isinstance(shape, tuple) else set()


def classes_left_open(e: cattleya.Explanation, reason: Any) -> set[Any]:
    rows = [
        row
        for row in product([0.0, 1.0], repeat=len(e.row))
        if all(row[condition.index] == e.row[condition.index] for condition in reason)
    ]
    return set(e.tree.predict(rows).tolist())


@given(CASES)
def test_what_a_sufficient_reason_leaves_open_ends_in_the_class(case: Any) -> None:
    e = explained(case)
    for around in (0, 1, 9):
        lines = NearPath(e, e.sufficient_reason()).lines(around, 0)
        opened = [line for line in lines if line.indent and not line.kept]
        ends = {c for line in opened if line.size or line.classes for c in line.classes}
        assert {e.tree.class_names[c] for c in ends} <= {e.prediction}


@given(st.tuples(*CASE, st.tuples(*[st.booleans()] * 4)), st.integers(0, 4))
def test_what_is_left_open_is_what_rows_can_reach(case: Any, around: int) -> None:
    shape, row, chosen = case
    e = explained((shape, row))
    reason = [condition for i, condition in enumerate(e.direct_reason()) if chosen[i % 4]]
    lines = NearPath(e, reason).lines(around, 0)
    ends = {c for line in lines if line.condition is None or not line.kept for c in line.classes}
    assert {e.tree.class_names[c] for c in ends} == classes_left_open(e, reason)


@given(CASES, st.integers(0, 5))
def test_every_node_is_drawn_or_counted_once(case: Any, around: int) -> None:
    e = explained(case)
    lines = NearPath(e, e.sufficient_reason()).lines(around, 0)
    assert sum(line.size or 1 for line in lines) == e.tree.n_nodes
    drawn = [line.node for line in lines]
    assert len(set(drawn)) == len(drawn)
    path = [line.condition for line in lines if not line.indent]
    assert path[-1] is None
    assert set(path[:-1]) == set(e.direct_reason())
    reason = e.sufficient_reason()
    assert all(line.kept == (line.condition in reason) for line in lines if _test(line))


def _test(line: Line) -> bool:
    return line.indent == 0 and line.condition is not None


@given(CASES)
def test_a_contrast_leads_to_the_class_of_the_changed_row(case: Any) -> None:
    e = explained(case)
    for contrast in e.contrastive():
        changed = e.row.copy()
        for condition in contrast:
            changed[condition.index] = 1 - changed[condition.index]
        leaf = NearPath(e).leaf(changed=contrast)
        assert e.tree.leaf_class[leaf] == e.tree.leaf_class[e.tree.apply(changed[np.newaxis])[0]]
        assert e.tree.leaf_class[leaf] != e.tree.leaf_class[NearPath(e).leaf()]


def texts(ax: Any) -> list[str]:
    """What is written, without the numbers of training rows."""
    found = [text.get_text() for text in ax.texts]
    return [text for text in found if text and not text.replace(",", "").isdecimal()]


def frames(ax: Any) -> list[Any]:
    """How the tests on the path are framed, and the leaf."""
    return [patch.get_linestyle() for patch in ax.patches if isinstance(patch, FancyBboxPatch)]


def test_kept_tests_are_framed_and_dropped_ones_dashed() -> None:
    e = wine()
    ax = plots.tree(e)
    ax.figure.canvas.draw()
    kept = [condition in e.minimal_reason() for condition in e.direct_reason()]
    assert frames(ax) == ["solid" if k else "--" for k in kept] + ["solid"]
    assert "color_intensity <= 4.06 (it is 3.8)" in texts(ax)
    assert "alcohol <= 13.17 \N{RIGHTWARDS ARROW} class_1" in texts(ax)
    assert frames(plots.tree(e, e.direct_reason())) == ["solid"] * 6
    assert frames(plots.tree(e, reason=())) == ["--"] * 5 + ["solid"]


def test_a_reason_off_the_path_is_told() -> None:
    tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
    e = cattleya.Explainer(tree).explain([1, 1, 1])
    other = next(r for r in e.sufficient_reasons() if "b" in map(str, r))
    ax = plots.tree(e, other)
    ax.figure.canvas.draw()
    assert texts(ax)[-1] == "The reason also has, off the path:\n    b"
    assert "off the path" not in " ".join(texts(plots.tree(e, e.sufficient_reason())))


def test_of_a_large_tree_only_what_is_near_the_path() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(9000, 8))
    model = DecisionTreeClassifier(random_state=0).fit(rows, rng.integers(0, 2, len(rows)))
    assert model.tree_.node_count > 3000
    e = cattleya.Explainer(model).explain(rows[0])
    ax = plots.tree(e)
    ax.figure.canvas.draw()
    depth = len(NearPath(e).lines(0, 0)) // 2
    assert len(texts(ax)) <= max(36, 2 * depth + 1) + 1
    assert any("nodes" in text for text in texts(ax))
    assert len(texts(plots.tree(e, around=1))) > len(texts(plots.tree(e, around=0)))


def test_a_long_path_is_readable() -> None:
    ax = plots.tree(chain(60))
    ax.figure.canvas.draw()
    assert len(frames(ax)) == 61
    on_path = [t.get_window_extent() for t in ax.texts if t.get_position()[0] < 1]
    assert all(a.y0 > b.y1 for a, b in pairwise(on_path))
    assert {text.get_fontsize() for text in ax.texts} == {9.0}


@pytest.mark.parametrize(("around", "error"), [(-1, ValueError), (1.5, TypeError)])
def test_a_bad_number_of_levels(around: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="around must be"):
        plots.tree(wine(), around=around)


def test_a_contrast_is_from_and_to() -> None:
    e = wine()
    ax = plots.contrast(e, e.contrastive()[2])
    ax.figure.canvas.draw()
    assert texts(ax) == [
        "class_1",
        "class_0",
        "flavanoids is 1.79",
        "flavanoids is 2.17 or more",
        "proline is 630",
        "proline is 756 or more",
    ]
    assert "all together" in ax.get_title(loc="left")


def test_the_first_contrast_is_the_default() -> None:
    e = wine()
    (condition,) = e.contrastive()[0]
    assert condition.feature in texts(plots.contrast(e))[2]


@pytest.mark.parametrize("draw", [plots.contrast, plots.tree])
def test_conditions_of_another_row_are_refused(draw: Any) -> None:
    e = wine()
    for stranger in (next(iter(e.conditions)).negated(), "proline <= 755.0"):
        with pytest.raises(ValueError, match="no condition of the row"):
            draw(e, [stranger])


def nurse(over: str) -> cattleya.Explanation:
    """Somebody before a tree that knows jobs by one-hot columns and ages by their scale."""
    table = pd.DataFrame({"age": range(20, 68), "job": ["cook", "nurse", "clerk", "nurse"] * 12})
    label = (table["job"] == "cook") | (table["age"] > 50) & (table["age"] < 60)
    columns = make_column_transformer((StandardScaler(), ["age"]), (OneHotEncoder(), ["job"]))
    model = make_pipeline(columns, DecisionTreeClassifier(random_state=0)).fit(table, label)
    return cattleya.Explainer(model, over=over, integer=["age"]).explain(
        {"age": 30, "job": "nurse"}
    )


@pytest.mark.parametrize("over", ["conditions", "intervals", "features"])
def test_the_tree_is_drawn_in_the_words_of_the_table(over: str) -> None:
    e = nurse(over)
    ax: Any = plots.tree(e)
    texts = [text.get_text() for text in ax.texts]
    assert "job is not cook (it is nurse)" in texts
    assert not any("__" in text or "onehot" in text for text in texts)
    assert "off the path" not in " ".join(texts)  # what the reason says of the job is the test
    ages = [text for text in texts if text.startswith("age ") and "(it is 30)" in text]
    assert ages == [f"age <= {text.split()[2]} (it is 30)" for text in ages] != []


def test_a_contrast_over_intervals_is_one_line_a_feature() -> None:
    e = nurse("intervals")
    found = {tuple(t.get_text() for t in plots.contrast(e, c).texts) for c in e.contrastive()}
    assert found == {
        ("False", "True", "job is nurse", "job is cook"),
        ("False", "True", "age is 30", "age is 51 to 60"),
    }


def test_the_training_rows_stand_beside_the_nodes() -> None:
    data = load_wine()
    model = DecisionTreeClassifier(random_state=0).fit(data.data, data.target)
    e = cattleya.Explainer(model, over="intervals").explain(data.data[62])
    ax: Any = plots.tree(e, around=9)
    counts = [t.get_text() for t in ax.texts if t.get_text().replace(",", "").isdecimal()]
    drawn = NearPath(e, e.reason()).lines(9, 0)
    assert counts == [f"{model.tree_.n_node_samples[line.node]:,}" for line in drawn]
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle) and patch.get_fill()]
    widths = np.array([bar.get_width() for bar in bars]).reshape(len(drawn), 3)
    shares = model.tree_.value[[line.node for line in drawn], 0, :][:, [1, 0, 2]]
    assert widths / widths.sum(axis=1, keepdims=True) == pytest.approx(
        shares / shares.sum(axis=1, keepdims=True)
    )
    own = cattleya.Explainer(e.tree).explain(data.data[62])
    assert not [p for p in plots.tree(own).patches if isinstance(p, Rectangle)]  # it has none


def test_the_reason_of_the_text_is_drawn() -> None:
    e = nurse("intervals")
    path = [line for line in NearPath(e, e.reason()).lines(0, 0) if _test(line)]
    kept = [line.kept for line in path]
    assert frames(plots.tree(e))[:-1] == ["solid" if k else "--" for k in kept]
    assert any(kept)

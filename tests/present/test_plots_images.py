"""The panels of the paper's figure, pixel by pixel, and the values for the shap library's plots."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya import plots
from cattleya.model.conditions.condition import Comparison
from cattleya.present.plots import style
from tests.samples.conditions import as_test
from tests.samples.pictures import chain, digit, wine


@pytest.fixture(autouse=True)
def _plain_figures() -> Iterator[None]:
    mpl.use("Agg")
    with mpl.style.context("default"):
        yield
    plt.close("all")


def painted(ax: Any) -> dict[int, str]:
    """The colours of the pixels that are neither white nor grey background."""
    ax.figure.canvas.draw()
    pixels = ax.images[0].get_array()
    flat = np.asarray(pixels).reshape(-1, 3)
    return {i: to_hex(tuple(rgb)) for i, rgb in enumerate(flat) if not rgb[0] == rgb[1] == rgb[2]}


def marks(ax: Any, width: int) -> set[int]:
    return {
        int(y) * width + int(x)
        for dots in ax.collections
        for x, y in np.asarray(dots.get_offsets())
    }


def levels() -> cattleya.Explanation:
    """A row of 2 x 2 grey levels, with several conditions on its first pixel."""
    tree = cattleya.Tree(
        [1, -1, 3, -1, 5, -1, -1],
        [2, -1, 4, -1, 6, -1, -1],
        [0, -1, 1, -1, 0, -1, -1],
        [10, 0, 50, 0, 200, 0, 0],
        [-1, 0, -1, 0, -1, 1, 0],
        n_features=4,
    )
    return cattleya.Explainer(tree).explain([100, 60, 0, 0])


def test_the_figure_has_four_panels() -> None:
    axes = plots.image(digit(), (8, 8))
    assert axes.shape == (4,)
    assert len({ax.figure for ax in axes}) == 1
    assert np.array_equal(axes[0].images[0].get_array(), digit().row.reshape(8, 8))
    _, given = plt.subplots(2, 2)
    assert list(plots.image(digit(), ax=given)) == list(given.ravel())
    with pytest.raises(ValueError, match="4 Axes"):
        plots.image(digit(), ax=given[0])


def test_a_reason_is_blue_on_and_red_off() -> None:
    e = digit()
    ax = plots.image_reason(e)
    expected = {c.index: style.OFF if as_test(c).sense else style.ON for c in e.sufficient_reason()}
    assert painted(ax) == expected
    assert marks(ax, 8) == {i for i, colour in expected.items() if colour == style.OFF}
    assert ax.get_title() == "a sufficient reason"
    assert plots.image_reason(e, reason=e.direct_reason()).get_title() == "a direct reason"


def test_a_pixel_bounded_on_both_sides() -> None:
    ax = plots.image_reason(levels())
    assert painted(ax) == {0: style.BOTH, 1: style.ON}
    assert marks(ax, 2) == {0}


def test_the_heat_map_shows_the_most_important_condition_of_a_pixel() -> None:
    for e, side in ((digit(), 8), (levels(), 2)):
        ax = plots.image_heat_map(e)
        ax.figure.canvas.draw()
        heat = np.asarray(ax.images[0].get_array()).ravel()
        for pixel in range(side * side):
            about = {c: s for c, s in e.importance().items() if c.index == pixel}
            most = max(about.values(), default=Fraction(0))
            signs = {1 if style.is_on(c) else -1 for c, s in about.items() if s == most}
            assert heat[pixel] == (max(signs) * float(most) if most else 0)
        assert marks(ax, side) == set(np.flatnonzero(heat < 0).tolist())


def test_the_heat_map_gets_darker_both_ways_and_is_white_at_nothing() -> None:
    ax = plots.image_heat_map(digit())
    rgb = ax.images[0].get_cmap()(np.linspace(0, 1, 257))[:, :3]
    light = rgb @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(light[:129]) > 0).all()
    assert (np.diff(light[128:]) < 0).all()
    assert light[128] == pytest.approx(1)


def test_necessary_pixels_are_dark_and_relevant_ones_light() -> None:
    e = digit()
    ax = plots.image_features(e)
    pixels = np.asarray(ax.images[0].get_array()).reshape(-1, 3)
    necessary = {c.index for c in e.necessary()}
    relevant = {c.index for c in e.relevant()} - necessary
    for i, rgb in enumerate(pixels):
        expected = style.NECESSARY if i in necessary else style.RELEVANT
        assert to_hex(tuple(rgb)) == (expected if i in necessary | relevant else "#ffffff")


def test_on_and_off_differ_in_lightness() -> None:
    def light(colour: str) -> float:
        return float(np.dot(mpl.colors.to_rgb(colour), [0.299, 0.587, 0.114]))

    assert light(style.OFF) - light(style.ON) > 0.3
    assert light(style.RELEVANT) - light(style.NECESSARY) > 0.3


def test_channels_of_one_pixel_are_one_pixel() -> None:
    e = chain(12)
    axes = plots.image(e, (2, 2, 3))
    axes[0].figure.canvas.draw()
    assert axes[0].images[0].get_array().shape == (2, 2, 3)
    assert painted(axes[1]) == dict.fromkeys(range(4), style.BOTH)
    ax: Any = plots.image_instance(e, (3, 4, 1))
    assert ax.images[0].get_array().shape == (3, 4)


@pytest.mark.parametrize("shape", [(3, 4), (8,), (8, 8, 8, 8), (-8, -8)])
def test_a_wrong_shape_is_refused(shape: Any) -> None:
    with pytest.raises(ValueError, match="shape"):
        plots.image(digit(), shape)


def test_what_fails_leaves_no_empty_figure() -> None:
    before = plt.get_fignums()
    e = cattleya.Explainer(chain(16).tree).explain([0] * 16)
    stranger = next(iter(e.conditions)).negated()
    for draw in (plots.image, plots.image_reason):
        with pytest.raises(ValueError, match="no condition of the row"):
            draw(e, reason=[stranger])
    with pytest.raises(cattleya.TimeoutExpired):
        plots.image(e, timeout=1e-9)
    assert plt.get_fignums() == before


def test_without_a_shape_the_image_is_a_square() -> None:
    with pytest.raises(ValueError, match="no square; give shape="):
        plots.image(wine())


def test_a_missing_pixel_is_left_blank() -> None:
    tree = cattleya.Tree(
        [1, -1, -1],
        [2, -1, -1],
        [0, -1, -1],
        [10, 0, 0],
        [-1, 0, 1],
        n_features=4,
        missing_left=[True, False, False],
    )
    axes = plots.image(cattleya.Explainer(tree).explain([np.nan, 0, 1, 2]))
    axes[0].figure.canvas.draw()
    assert axes[0].images[0].get_array().mask.ravel().tolist() == [True, False, False, False]


def test_which_side_is_on() -> None:
    def condition(threshold: float, *, sense: bool, boolean: bool = False) -> cattleya.Condition:
        return Comparison("x", 0, threshold, sense=sense, boolean=boolean)

    assert style.is_on(condition(30.5, sense=False))
    assert not style.is_on(condition(30.5, sense=True))
    assert style.is_on(condition(0.5, sense=False, boolean=True))
    assert style.is_on(condition(np.inf, sense=True))  # x is present
    assert not style.is_on(condition(np.inf, sense=False))


# The values for the shap library.


@pytest.fixture
def shap() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own
        yield pytest.importorskip("shap")


@pytest.mark.parametrize("by", ["feature", "condition"])
def test_shap_values_add_up_to_the_average_size(shap: Any, by: str) -> None:
    e = wine()
    values = plots.to_shap(e, by)
    reasons = list(e.sufficient_reasons())
    each = [len({c.feature for c in r}) if by == "feature" else len(r) for r in reasons]
    assert values.values.sum() == pytest.approx(sum(each) / len(each))
    says = "mention it" if by == "feature" else "contain it"
    assert values.output_names == f"share of the sufficient reasons that {says}"
    assert values.base_values == 0
    if by == "feature":
        assert values.feature_names == list(e.tree.feature_names)
        assert np.array_equal(values.data, e.row)
    else:
        assert dict(zip(values.feature_names, values.values, strict=True))[
            "proline \N{LESS-THAN OR EQUAL TO} 755"
        ] == pytest.approx(0.5)
    for draw in (shap.plots.waterfall, shap.plots.bar):
        plt.figure()
        draw(values, show=False)


def test_shap_plots_of_several_rows(shap: Any) -> None:
    tree = cattleya.Tree.from_nested(("$a$", ("b", 0, 1), ("c", 0, 1)))
    explainer = cattleya.Explainer(tree)
    several = [explainer.explain(row) for row in ([1, 1, 1], [0, 0, 1], [0, 1, 0])]
    values = plots.to_shap(several)
    assert values.values.shape == values.data.shape == (3, 3)
    assert values.values[0].tolist() == [0.5, 0.5, 1.0]
    assert values.feature_names[0] == r"\$a\$"
    called = explainer(np.array([[1, 1, 1], [0, 0, 1], [0, 1, 0]]))
    assert np.array_equal(called.values, values.values)
    assert np.array_equal(called.data, values.data)
    assert called.output_names == "share of the sufficient reasons that mention it"
    shap.plots.beeswarm(values, show=False)
    plt.gcf().canvas.draw()
    with pytest.raises(ValueError, match="use by='feature'"):
        plots.to_shap(several, by="condition")
    with pytest.raises(ValueError, match="different trees"):
        plots.to_shap([several[0], wine()])
    with pytest.raises(ValueError, match="no explanation"):
        plots.to_shap([])
    with pytest.raises(ValueError, match="by must be"):
        plots.to_shap(several, by="row")


def test_without_shap_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(ImportError, match=r"cattleya\[shap\]"):
        plots.to_shap(wine())


def test_shap_values_are_about_the_columns_that_the_user_gave(shap: Any) -> None:
    """Of a Pipeline, which makes several columns of a category and scales numbers."""
    people = pd.DataFrame({"job": ["cook", "nurse", "clerk"] * 8, "age": range(20, 44)})
    encode = make_column_transformer((OneHotEncoder(), ["job"]), (StandardScaler(), ["age"]))
    model = make_pipeline(encode, DecisionTreeClassifier(random_state=0))
    model.fit(people, (people["job"] == "nurse") & (people["age"] > 30))
    explainer = cattleya.Explainer(model)
    several = [explainer.explain(people.iloc[[place]]) for place in (1, 16, 20)]
    values = plots.to_shap(several)
    assert values.feature_names == ["job", "age"]
    assert values.display_data.tolist() == [["nurse", 21.0], ["nurse", 36.0], ["clerk", 40.0]]
    assert values.data.tolist() == [[2.0, 21.0], [2.0, 36.0], [0.0, 40.0]]
    for row, e in zip(values.values, several, strict=True):
        by_column: dict[str, float] = dict.fromkeys(["job", "age"], 0.0)
        for condition, share in e.importance().items():
            by_column[condition.feature] += float(share)
        assert row.tolist() == pytest.approx(list(by_column.values()))
    one = plots.to_shap(several[1])
    assert one.values.tolist() == values.values[1].tolist()
    for draw, shown in ((shap.plots.waterfall, one), (shap.plots.beeswarm, values)):
        plt.figure()
        draw(shown, show=False)
        plt.gcf().canvas.draw()

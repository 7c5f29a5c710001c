"""The pictures: what they show is what the explanation says, in every size and with any name."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya import plots
from cattleya.model.conditions.condition import Condition
from cattleya.model.conditions.fact import Fact
from cattleya.present.plots import style
from cattleya.present.plots.fonts import as_drawn, shortened, visible
from cattleya.present.words import percent
from tests.samples.models import fitted
from tests.samples.pictures import PICTURES, baselines, chain, digit, grid, wine

ODD_NAMES = [
    "a very long name that goes on and on, and says what was measured, when and by whom (cm)",
    "$x_1$ costs $\\frac",
    "snake_case^name",
    "<script>alert(1)</script>",
    "first\nsecond\tthird\x00",
    "\u5e74\u9f62",
    "\u0432\u043e\u0437\u0440\u0430\u0441\u0442 \u03b1",
    "x\u202ereversed",
]


@pytest.fixture(autouse=True)
def _plain_figures() -> Iterator[None]:
    mpl.use("Agg")
    with mpl.style.context("default"):
        yield
    plt.close("all")


def odd() -> cattleya.Explanation:
    """A row whose features and classes have every name that could go wrong."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, len(ODD_NAMES)))
    model = DecisionTreeClassifier(random_state=0).fit(rows, rng.integers(0, 3, 200))
    explainer = cattleya.Explainer(model, ODD_NAMES, ["$a$ or $b$", "\u4e8c\n", "<b>"])
    return max((explainer.explain(row) for row in rows[:20]), key=cattleya.Explanation.count)


def save(axes: Any) -> None:
    """Draw to the last pixel: warnings, which are errors here, come no earlier."""
    np.ravel(axes)[0].figure.canvas.draw()


def labels(ax: Any) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


# Importance.


@pytest.mark.parametrize("kind", ["sufficient", "contrastive"])
def test_a_bar_is_the_share_of_a_feature_and_its_conditions_are_inside(kind: str) -> None:
    e = wine()
    ax: Any = plots.importance(e, kind)
    save(ax)
    found = list(e.sufficient_reasons()) if kind == "sufficient" else list(e.contrastive())
    mentions = [{c.feature for c in one} for one in found]
    bars = {round(bar.get_y() + bar.get_height() / 2): bar for bar in ax.patches}
    conditions = {plots_label(e, c): s for c, s in e.importance(kind).items() if s}
    tops = []
    for i, text in enumerate(labels(ax)):
        feature = text.split(" ")[0]
        if text.startswith("    "):
            assert bars[i].get_width() == float(conditions[text.strip()])
            assert to_hex(bars[i].get_facecolor()) == style.PALE
        else:
            share = sum(feature in names for names in mentions) / len(found)
            assert bars[i].get_width() == pytest.approx(share)
            assert to_hex(bars[i].get_facecolor()) == style.ON
            tops.append(share)
    assert tops == sorted(tops, reverse=True)
    assert len(tops) == len(set().union(*mentions))
    assert all(bar.get_width() > 0 for bar in ax.patches)  # one side only
    widths = {percent(bar.get_width()) for bar in ax.patches}
    assert {text.get_text() for text in ax.texts} == widths


def plots_label(e: cattleya.Explanation, condition: Condition) -> str:
    return style.label(e, condition)


def test_thresholds_are_rounded() -> None:
    assert "    flavanoids > 0.795" in labels(plots.importance(wine()))


def test_no_more_features_than_asked_for_and_the_rest_is_said() -> None:
    ax: Any = plots.importance(wine(), most=2)
    assert "2 of 6 features shown; each of the others is in 50% or less" in ax.get_xlabel()
    assert (
        "298 of the others are in all of them" in plots.importance(chain(300), most=2).get_xlabel()
    )
    assert "shown" not in plots.importance(wine(), most=6).get_xlabel()


@pytest.mark.parametrize("number", [1, 3, 300])
def test_few_and_many_conditions(number: int) -> None:
    ax: Any = plots.importance(chain(number), most=None)
    save(ax)
    assert len(ax.patches) == len(labels(ax)) == number
    assert {bar.get_width() for bar in ax.patches} == {1.0}


def test_of_many_conditions_of_a_feature_some_are_drawn() -> None:
    values = np.random.default_rng(0).random((300, 2))
    model = DecisionTreeClassifier(random_state=0).fit(values, values.sum(axis=1) * 9 % 2 > 1)
    e = cattleya.Explainer(model).explain(values[0])
    shown = labels(plots.importance(e))
    assert any(text.startswith("    and ") and text.endswith("more conditions") for text in shown)
    assert len(shown) <= 2 * (1 + 4 + 1)


def test_many_conditions_on_small_axes_label_some() -> None:
    _, ax = plt.subplots()
    plots.importance(chain(300), most=None, ax=ax)
    save(ax)
    assert len(ax.patches) == 300
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert 30 < len(boxes) < 150
    assert all(a.y0 >= b.y0 + 0.6 * b.height for a, b in pairwise(boxes))


def test_the_legend_says_what_the_bars_are() -> None:
    legend = plots.importance(wine()).get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [
        "the feature, or its only condition",
        "one of its conditions",
    ]
    assert plots.importance(chain(3)).get_legend() is None


def test_what_is_nearly_all_is_not_called_all() -> None:
    shares = [Fraction(1), Fraction(10**40 - 1, 10**40), Fraction(1, 2), Fraction(1, 10**400)]
    assert [percent(s) for s in shares] == ["100%", ">99.9%", "50%", "<0.1%"]


@pytest.mark.parametrize(("most", "error"), [(0, ValueError), (2.5, TypeError), (True, TypeError)])
def test_a_bad_number_of_bars(most: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="most must be"):
        plots.importance(wine(), most=most)


# Sizes.


class Counted(cattleya.Explanation):
    """Stands for an explanation with huge counts."""

    prediction_name = outcome = "x"

    def __init__(self, counts: dict[int, int]) -> None:
        self.counts = counts

    def count_by_size(self, timeout: float | None = None) -> dict[int, int]:
        return self.counts


def test_sizes_are_the_counts() -> None:
    ax: Any = plots.sizes(wine())
    save(ax)
    drawn = {round(bar.get_center()[0]): bar.get_height() for bar in ax.patches}
    assert drawn == wine().count_by_size()
    assert ax.get_title(loc="left") == "6 sufficient reasons for class_1"


@pytest.mark.parametrize("largest", [10**5, 10**40, 10**400])
def test_huge_counts_are_on_a_logarithmic_axis(largest: int) -> None:
    ax: Any = plots.sizes(Counted({3: 1, 4: 250, 6: largest}))
    save(ax)
    tops = [bar.get_y() + bar.get_height() for bar in ax.patches]
    assert tops == pytest.approx([0, np.log10(250), len(str(largest)) - 1])
    assert all(bar.get_height() > 0 for bar in ax.patches)
    assert "logarithmic" in ax.get_ylabel()


def test_the_axis_can_be_chosen() -> None:
    assert "logarithmic" in plots.sizes(wine(), log=True).get_ylabel()
    with pytest.raises(ValueError, match="linear axis"):
        plots.sizes(Counted({3: 10**400}), log=False)


def test_no_two_labels_of_a_staircase_meet() -> None:
    ax: Any = plots.trade_off(wine(), max_size=5)
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in [*ax.texts, *ax.get_yticklabels()]]
    for place, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[place + 1 :])
    assert labels(ax)[0] == "all rows"
    assert "100%" in ax.texts[-1].get_text()


# The same for all of them.

DRAW: dict[str, Any] = {
    "importance": plots.importance,
    "sizes": plots.sizes,
    "tree": plots.tree,
    "contrast": plots.contrast,
    "trade_off": plots.trade_off,
    "image_instance": plots.image_instance,
    "image_reason": plots.image_reason,
    "image_heat_map": plots.image_heat_map,
    "image_features": plots.image_features,
}


@pytest.mark.parametrize("name", DRAW)
def test_given_axes_are_used_again_and_again(name: str) -> None:
    e = digit()
    assert DRAW[name](e).figure.number in plt.get_fignums()
    plt.close("all")
    figure, axes = plt.subplots(1, 2, figsize=(11, 6), layout="constrained")
    for ax in axes:
        assert DRAW[name](e, ax=ax) is ax
        save(ax)
    assert plt.get_fignums() == [figure.number]
    with pytest.raises(TypeError, match="ax must be"):
        DRAW[name](e, ax="here")


@pytest.mark.parametrize("name", ["importance", "sizes", "tree", "contrast"])
@pytest.mark.parametrize("own", [True, False])
def test_any_name_can_be_drawn(name: str, own: bool) -> None:
    ax = DRAW[name](odd(), ax=None if own else plt.subplots(figsize=(4, 3))[1])
    save(ax)
    notes = "The reason also has, off the path:"  # the only text of several lines
    for text in [*ax.texts, *ax.get_yticklabels()]:
        assert "\n" not in text.get_text() or text.get_text().startswith(notes)
        assert "$" not in text.get_text() or not text.get_parse_math() or name == "sizes"


def test_names_are_shown_as_they_are() -> None:
    shown = " ".join(labels(plots.importance(odd(), most=None)))
    for part in ("$x_1$ costs $\\frac", "snake_case^name", "<script>", r"first\nsecond\tthird\x00"):
        assert part in shown
    assert ODD_NAMES[0] not in shown
    assert "a very long name that" in shown


def test_text_that_cannot_be_seen_or_is_too_long() -> None:
    assert visible("a\nb\u202e\ud800") == r"a\nb\u202e\ud800"
    assert shortened("0123456789", 10) == "0123456789"
    assert shortened("0123456789", 5) == "01\N{HORIZONTAL ELLIPSIS}89"


def test_another_font_is_found_for_what_the_first_lacks() -> None:
    mpl.rcParams["font.family"] = ["cmtt10"]
    (drawn,), how = as_drawn("\u0432\u043e\u0437")
    assert drawn == "\u0432\u043e\u0437"
    assert how["family"] == ["cmtt10", "DejaVu Sans"]
    (drawn,), _ = as_drawn("a\U0010fffd")  # a private character, which no font has
    assert drawn in ("a\\U0010fffd", "a\U0010fffd")


@pytest.mark.parametrize("name", [*DRAW, "image"])
def test_without_matplotlib_the_error_says_what_to_do(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    e = digit()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"cattleya\[plots\]"):
        getattr(plots, name)(e)


def test_importing_the_package_does_not_import_matplotlib() -> None:
    program = "import sys, cattleya; cattleya.plots; print('matplotlib' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_look_like_their_baselines(name: str) -> None:
    difference = np.abs(grid(PICTURES[name]()) - baselines()[name])
    assert difference.mean() < 4
    assert difference.max() < 60


def test_baselines_tell_pictures_apart() -> None:
    known = baselines()
    assert np.abs(grid(plots.importance(wine(), "contrastive")) - known["importance"]).mean() > 4
    assert np.abs(grid(plots.tree(wine(), reason=())) - known["tree"]).mean() > 4


def test_a_tree_of_one_class() -> None:
    e = cattleya.Explainer(cattleya.Tree.from_nested(("a", 1, 1))).explain([1])
    for draw in (plots.importance, plots.sizes, plots.tree, plots.image):
        save(draw(e))
    assert "Every row gets this class" in plots.importance(e).texts[0].get_text()
    with pytest.raises(ValueError, match="nothing to change"):
        plots.contrast(e)


# Conditions of other kinds: about the value of a feature.


class OverFeatures(cattleya.Explanation):
    """An explanation whose conditions are values of features."""

    def __init__(self, e: cattleya.Explanation) -> None:
        self.__dict__.update(e.__dict__)
        features = sorted({(c.feature, c.index) for c in e.sufficient_reason()})
        self.facts = [
            Fact(name, i, float(f"{e.row[i]:g}"), (i,), (float(e.row[i]),)) for name, i in features
        ]
        self.__dict__["conditions"] = frozenset(self.facts)

    def importance(self, *_: Any, **__: Any) -> dict[Condition, Fraction]:
        return {value: Fraction(1, 2) for value in self.facts}

    def feature_importance(self, timeout: float | None = None) -> dict[str, Fraction]:
        return {value.feature: Fraction(1, 2) for value in self.facts}


def test_conditions_on_values_of_features() -> None:
    e: Any = OverFeatures(fitted_row())
    ax: Any = plots.importance(e)
    save(ax)
    assert labels(ax) == [str(value) for value in e.facts]
    assert {to_hex(bar.get_facecolor()) for bar in ax.patches} == {style.ON}
    save(plots.image_reason(e, (2, 2), e.facts))
    save(plots.image_heat_map(e, (2, 2)))
    save(plots.tree(e, e.facts))
    ax = plots.contrast(e, e.facts[:1])
    save(ax)
    assert [text.get_text() for text in ax.texts if text.get_text()] == [
        "class " + e.prediction_name,
        "another class",
        str(e.facts[0]),
        f"{e.facts[0].feature} other than {e.facts[0].value}",
    ]


def fitted_row() -> cattleya.Explanation:
    model, table = fitted()
    return cattleya.Explainer(model).explain(table.iloc[[3]])


def test_the_module_offers_pictures_only() -> None:
    assert dir(plots) == sorted(plots.__all__)
    assert all(callable(getattr(plots, name)) for name in dir(plots))

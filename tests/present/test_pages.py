"""Pages: everything is there, escaped, well formed, and in one small file."""

from __future__ import annotations

import base64
import errno
import io
import itertools
import os
import re
import stat
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.model.tree.fingerprint import tree_hash
from cattleya.present.findings import find_out
from cattleya.present.pages.content import IN_EVERY, Content
from cattleya.present.pages.page import environment
from cattleya.present.plots import style
from cattleya.present.words import in_words, sentences, statements
from cattleya.present.words.sentences import VOCABULARIES
from tests.checks.page import Page
from tests.samples.conditions import as_test

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(2)>'
LARGEST = 1_000_000  # bytes


def explained(load: Any, row: int, **limits: Any) -> cattleya.Explanation:
    data = load()
    model = DecisionTreeClassifier(random_state=0).fit(data.data, data.target)
    names = [str(name) for name in data.feature_names]
    explainer = cattleya.Explainer(model, names, [str(name) for name in data.target_names])
    return explainer.explain(data.data[row], **limits)


def hostile() -> cattleya.Explanation:
    tree = cattleya.Tree.from_nested((SCRIPT, IMAGE, ("{{ 7 * 7 }}\x1b[31m", IMAGE, "a & b")))
    return cattleya.Explainer(tree).explain([1, 1])


CASES: dict[str, Callable[[], cattleya.Explanation]] = {
    "cancer": lambda: explained(load_breast_cancer, 8),
    "iris": lambda: explained(load_iris, 70),
    "digits": lambda: explained(load_digits, 5),
    "excluded": lambda: explained(load_breast_cancer, 8, exclude=["mean texture"]),
    "refused": lambda: explained(load_iris, 0, exclude=["petal width (cm)"]),
    "immutable": lambda: explained(load_iris, 0, immutable=["petal width (cm)"]),
    "hostile": hostile,
    "one class": lambda: cattleya.Explainer(
        cattleya.Tree([-1], [-1], [-1], [0.0], [0], n_features=1, class_names=["yes"])
    ).explain([1.0]),
}


#: Of the cases whose rows are images.
SHAPES = {"digits": (8, 8)}


def written(case: str) -> str:
    return CASES[case]().to_html(shape=SHAPES.get(case))


@pytest.mark.parametrize("case", CASES)
def test_a_page_is_well_formed_and_accessible(case: str) -> None:
    text = written(case)
    page = Page(text)
    assert text.startswith("<!doctype html>")
    assert len(text.encode()) < LARGEST
    assert [e.attributes.get("lang") for e in page.all("html")] == ["en"]
    levels = [int(e.tag[1]) for e in page.all("h1", "h2", "h3", "h4")]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert all(e.attributes.get("scope") for e in page.all("th"))
    assert len(page.all("caption")) == len(page.all("table"))
    for drawing in page.all("svg"):
        assert "aria-hidden" in drawing.attributes or drawing.attributes.get("aria-label")
    ids = [e.attributes["id"] for e in page.elements if "id" in e.attributes]
    assert len(ids) == len(set(ids))
    labels = {e.attributes.get("aria-labelledby") for e in page.all("section")}
    assert labels <= set(ids)


@pytest.mark.parametrize("case", CASES)
def test_a_page_asks_for_nothing(case: str) -> None:
    text = written(case)
    page = Page(text)
    assert not page.all("script", "iframe", "img", "object", "embed", "form")
    addresses = [
        value
        for element in page.elements
        for name, value in element.attributes.items()
        if name in ("src", "href") or name.startswith("on")
    ]
    inside = [a for a in addresses if not str(a).startswith("data:image/png;base64,")]
    known = {"data:,", "#content", "#vocabularies", "https://arxiv.org/abs/2108.05266"}
    assert set(inside) <= known
    assert "url(" not in text
    assert "@import" not in text


def test_a_page_has_every_answer() -> None:
    e = explained(load_breast_cancer, 8)
    page = Page(e.to_html())
    headings = [heading.text for heading in page.all("h2")]
    assert headings == [
        f"Why {e.prediction_name}?",
        "What would have changed it?",
        "What was decisive, and what played no part?",
        "How many reasons are there?",
        "The row's path through the tree",
        "The row",
        "What this means, and how it was checked",
        "Vocabularies: what explanations are made of",
    ]
    text = page.text.replace(" ≤ ", " <= ")
    for condition in e.relevant() | e.minimal_reason() | frozenset(e.direct_reason()):
        assert in_words(e, condition, with_value=False) in text
    for name in e.tree.feature_names:
        assert name in text
    assert f"{e.count():,} sufficient reasons" in text
    assert len(page.all("ol")) <= 3  # the path, and the changes
    kept = [li.text for li in page.all("li") if li.attributes.get("class") == "kept"]
    assert len(kept) == len(e.minimal_reason() & e.direct_reason())
    assert VOCABULARIES[e.over][1] in text
    assert f"Cattleya {cattleya.__version__}" in text
    assert "it forces the class, and nothing in it can be left out" in text
    for size, number in e.count_by_size().items():
        assert f"{size} conditions: {number:,}" in text


def test_a_page_says_which_row_it_is_about() -> None:
    data = load_iris(as_frame=True)
    table = data.data.rename(index=lambda number: f"flower <b>{number}</b>")
    model = DecisionTreeClassifier(random_state=0).fit(table, data.target)
    explainer = cattleya.Explainer(model, class_names=data.target_names)
    for row in (table.iloc[[70]], table.iloc[70]):
        e = explainer.explain(row)
        assert e.label == "flower <b>70</b>"
        assert str(e).startswith("Decision about row flower <b>70</b>: versicolor\n")
        page = Page(e.to_html())
        assert "decided about row flower <b>70</b>" in page.text
        assert page.all("title")[0].text == "versicolor: row flower <b>70</b>"
        assert "Decision about row flower <b>70</b>: versicolor" in Page(e._repr_html_()).text
    e = explainer.explain(table.to_numpy()[70])
    assert e.label is None
    assert str(e).startswith("Decision: versicolor\n")
    assert "decided about one row" in Page(e.to_html()).text
    assert "decided about case <i>7</i>" in Page(e.to_html(about="case <i>7</i>")).text
    with pytest.raises(TypeError, match="about must be text, such as 'application 0815', not 7"):
        e.to_html(about=7)  # type: ignore[call-overload]  # wrong on purpose


def test_a_page_says_what_made_it() -> None:
    e = CASES["iris"]()
    made = Page(e.to_html()).all("footer")[0].text
    assert f"Made by Cattleya {cattleya.__version__} on " in made
    assert re.search(r"on \d{4}-\d\d-\d\d\.", made)
    assert tree_hash(e.tree) in made


def test_a_feature_is_in_every_reason_if_not_by_the_same_condition() -> None:
    data = load_wine()
    model = DecisionTreeClassifier(random_state=0).fit(data.data, data.target)
    for over in ("conditions", "features", "intervals"):
        explainer = cattleya.Explainer(model, data.feature_names, over=over)
        for row in data.data[::9]:
            for exclude in ([], ["alcohol"]):
                e = explainer.explain(row, exclude=exclude)
                if not e.is_free_of(exclude):
                    continue
                mentioned = [{c.feature for c in reason} for reason in e.sufficient_reasons()]
                in_every = set.intersection(*mentioned)
                assert set(e.necessary_features()) == in_every
                values = Content(find_out(e)).values
                assert {name for name, _, part in values if part == IN_EVERY} == in_every


@pytest.mark.parametrize("features", [1, 6, 7, 8])
def test_no_change_is_hidden_alone(features: int) -> None:
    nested: Any = "yes"
    for number in reversed(range(features)):
        nested = (f"x{number}", "no", nested)  # each of them can change the class by itself
    page = Page(
        cattleya.Explainer(cattleya.Tree.from_nested(nested)).explain([1] * features).to_html()
    )
    assert [s.text for s in page.all("summary") if "changes" in s.text] == (
        ["2 more changes"] if features == 8 else []
    )
    assert ("if everything that it does not mention" in page.text) == (features == 1)


def test_what_was_not_counted_is_not_ranked() -> None:
    e = CASES["cancer"]()
    found = replace(find_out(e), count=None, sizes=None, importance=None, features=None)
    found.limits["count"] = "within 5 seconds"
    text = environment().get_template("page.html").render(it=Content(found))
    page = Page(text)
    assert "mention each feature was not settled within 5 seconds" in page.text
    assert "Share of the reasons" not in page.text
    assert "by how many of the sufficient reasons" not in page.text
    assert "first those in every reason" in page.text
    assert "Too many to count" in page.text


def test_sentences_about_facts_have_the_signs_that_readers_know() -> None:
    said = environment().filters["in_signs"]
    text = "with 23.0 < age <= 45.0, a > -3.0 and b >= 4.05; c = 1.0; <=50K; up to 2.0"
    assert said(text) == "with 23 < age ≤ 45, a > -3 and b ≥ 4.05; c = 1.0; <=50K; up to 2.0"
    assert said("a > 1.00001 and b <= 7.0.") == "a > 1.00001 and b ≤ 7."


def test_bars_are_as_long_as_the_shares() -> None:
    e = explained(load_breast_cancer, 8)
    features = [float(share) for share in e.feature_importance().values() if 0 < share < 1]
    conditions = [float(share) for share in e.importance().values() if share]
    widths = re.findall(r'class="filled" width="([0-9.]+)"', e.to_html())
    expected = [round(100 * share, 2) for share in (*features, *conditions)]
    assert [float(width) for width in widths] == expected


def test_a_count_beyond_a_million_is_a_footnote() -> None:
    e = explained(load_digits, 5)
    found = replace(find_out(e), count=12_345_678_901)
    page = Page(environment().get_template("page.html").render(it=Content(found)))
    assert "About 10^10 sufficient reasons" in page.text
    (foot,) = [p.text for p in page.all("p") if p.attributes.get("class") == "quiet foot"]
    assert foot == "Exactly 12,345,678,901 reasons."
    assert page.text.count("12,345,678,901") == 1


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
def test_text_page_notebook_and_json_agree(over: str) -> None:
    data = load_wine(as_frame=True)
    model = DecisionTreeClassifier(random_state=0).fit(data.data, data.target)
    e = cattleya.Explainer(model, class_names=data.target_names, over=over).explain(
        data.data.iloc[[62]]
    )
    found = find_out(e)
    assert found.reason is not None
    page, short = Page(e.to_html(data=data.data)), Page(e._repr_html_())
    shown = [re.sub(r"\s+", " ", t).replace("≤", "<=") for t in (str(e), page.text, short.text)]
    for statement in statements(e, found.reason):
        assert all(str(statement) in text for text in shown)
    for change in found.changes[:3]:
        for destination in change.destinations:
            for moved in destination.moved:
                said = str(moved)
                assert all(said in text.replace(" → ", " -> ") for text in shown)
    sentence = re.sub(r"\s+", " ", sentences.why(found))
    assert all(sentence in text for text in shown)
    form = e.to_dict()
    if over == "intervals":
        assert form["reason"]["text"] == str(found.reason)
    assert [one["text"] for one in form["changes"]] == [str(c) for c in found.changes]
    assert f"It covers {e.reach(found.reason, data.data).covered} of 178 rows" in page.text
    assert "It covers" not in shown[0]


def test_names_are_shown_and_not_run() -> None:
    e = hostile()
    for text in (e.to_html(), e._repr_html_()):
        page = Page(text)
        assert not page.all("script", "img")
        assert SCRIPT in page.text
        assert IMAGE in page.text
        assert r"{{ 7 * 7 }}\x1b[31m" in page.text
        assert "\x1b" not in text


def test_a_page_is_written_in_full_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    e = explained(load_iris, 0)
    path = tmp_path / "page.html"
    e.to_html(path)
    assert path.read_text(encoding="utf-8") == e.to_html()
    assert not path.stat().st_mode & stat.S_IXUSR
    path.write_text("before")

    def broken(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "disk full")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="disk full"):
        e.to_html(str(path))
    assert path.read_text() == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        explained(load_iris, 0).to_html(tmp_path / "nowhere" / "page.html")


def test_what_is_not_settled_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: Any, **__: Any) -> Any:
        raise cattleya.TimeoutExpired("late")

    e = explained(load_breast_cancer, 8)
    monkeypatch.setattr(cattleya.Explanation, "importance", late)
    monkeypatch.setattr(cattleya.Explanation, "count_by_size", late)
    text = Page(e.to_html(timeout=2)).text
    assert "How often each condition is in a reason was not settled within 2 seconds." in text
    monkeypatch.setattr(cattleya.Explanation, "count", late)
    for text in (e.to_html(), e._repr_html_()):
        assert "could not be settled within 5 seconds" in Page(text).text


@pytest.mark.parametrize("timeout", [0, -1, "soon"])
def test_a_bad_time_limit_is_refused(timeout: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="timeout must be"):
        explained(load_iris, 0).to_html(timeout=timeout)


def test_a_large_tree_with_long_names_stays_small() -> None:
    random = np.random.default_rng(0)
    X, y = random.random((3000, 400)), random.integers(0, 2, 3000)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    names = [f"{number} {'<name> ' * 500}" for number in range(400)]
    text = cattleya.Explainer(model, names).explain(X[0]).to_html(timeout=10)
    assert len(text.encode()) < LARGEST
    assert "more changes" in Page(text).text
    assert "100 more" in Page(text).text


def test_the_fragment_keeps_its_style_to_itself() -> None:
    text = explained(load_breast_cancer, 8)._repr_html_()
    page = Page(text)
    assert page.elements[0].tag == "div"
    assert not page.all("html", "head", "body", "h1", "h2", "script")
    (style,) = page.all("style")
    selectors = [
        one.strip() for rule in style.text.split("}")[:-1] for one in rule.split("{")[0].split(",")
    ]
    assert selectors
    assert all(one.startswith(".cattleya-explanation") for one in selectors)
    assert all(e.attributes.get("scope") for e in page.all("th"))


def test_the_same_row_gives_the_same_page() -> None:
    assert explained(load_iris, 70).to_html() == explained(load_iris, 70).to_html()


def drawn(text: str) -> dict[str, list[dict[str, str | None]]]:
    """The pixels of each panel of the figure: where they are, and their colours."""
    figure = text.split('<div class="panels">')[1].split("</section>", maxsplit=1)[0]
    panels = re.findall(r"<figure>(.*?)<figcaption>([^<]*)", figure, re.DOTALL)
    return {
        caption.strip(): [
            dict(re.findall(r'(x|y|fill)="([^"]*)"', rect))
            for rect in re.findall(r"<rect x=[^>]*>", panel)
        ]
        for panel, caption in panels
    }


def places(cells: Iterable[dict[str, str | None]], *colours: str) -> set[int]:
    return {8 * int(c["y"] or 0) + int(c["x"] or 0) for c in cells if c["fill"] in colours}


def test_an_image_has_the_figure_of_the_paper() -> None:
    e = CASES["digits"]()
    panels = drawn(e.to_html(shape=(8, 8)))
    assert list(panels) == [
        "The instance",
        "A shortest reason",
        "Explanatory importance",
        "Explanatory features",
    ]
    reason = [as_test(c) for c in e.minimal_reason()]
    above = {c.index for c in reason if e.row[c.index] > c.threshold}
    below = {c.index for c in reason if e.row[c.index] <= c.threshold}
    cells = panels["A shortest reason"]
    assert places(cells, style.ON) == above - below
    assert places(cells, style.OFF) == below - above
    assert places(cells, style.BOTH) == above & below
    assert len(cells) == len(above | below)
    important = {c.index for c, share in e.importance().items() if share}
    assert len(panels["Explanatory importance"]) == len(important)
    every = {c.index for c in e.necessary()}
    assert places(panels["Explanatory features"], style.NECESSARY) == every
    assert places(panels["Explanatory features"], style.RELEVANT) == important - every


@pytest.mark.parametrize("shape", [(4, 4), (2, 8), (4, 2, 2), (4, 4, 1)])
def test_the_instance_is_drawn_as_it_is(shape: tuple[int, ...]) -> None:
    tree = cattleya.Tree([1, -1, -1], [2, -1, -1], [3, -1, -1], [0.5, 0, 0], [-1, 0, 1], 16)
    row = np.arange(16.0)
    text = cattleya.Explainer(tree).explain(row).to_html(shape=shape)
    (address,) = set(re.findall(r'href="data:image/png;base64,([^"]+)"', text))
    read = pytest.importorskip("matplotlib.image").imread
    grey = read(io.BytesIO(base64.b64decode(address)), format="png")
    expected = row.reshape(shape) if len(shape) == 2 else row.reshape(shape).mean(axis=2)
    spread = expected.max() - expected.min()
    assert grey == pytest.approx(1 - (expected - expected.min()) / spread, abs=0.002)


def test_a_picture_in_colours_and_with_gaps() -> None:
    nested: Any = ("x11", "no", "yes")
    names = [f"x{i}" for i in range(12)]
    e = cattleya.Explainer(cattleya.Tree.from_nested(nested, feature_names=names)).explain([1] * 12)
    assert 'aria-label="The row as an image."' in e.to_html(shape=(2, 2, 3))
    tree = cattleya.Tree(
        [1, -1, -1], [2, -1, -1], [0, -1, -1], [0.5, 0, 0], [-1, 0, 1], 4,
        missing_left=[True, False, False],
    )  # fmt: skip  # arrays of nodes, side by side
    e = cattleya.Explainer(tree).explain([np.nan] * 4)
    assert 'aria-label="The row as an image."' in e.to_html(shape=(2, 2))


def test_an_image_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="shape=\\(8, 9\\) has 72 pixels; the row has 64"):
        CASES["digits"]().to_html(shape=(8, 9))


def test_an_image_without_a_reason_still_shows() -> None:
    e = explained(load_digits, 5, exclude=[f"pixel_{i}_{j}" for i in range(8) for j in range(8)])
    assert list(drawn(e.to_html(shape=(8, 8)))) == ["The instance"]

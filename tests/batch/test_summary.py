"""A whole data set: what the report says is so, row by row, and its page and table forms agree."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.batch.cover import ENOUGH, cover, covers
from cattleya.batch.groups import decisions_by_group
from cattleya.explain.explainer import context_of
from cattleya.model.tree.fingerprint import tree_hash
from cattleya.present.json_form import summary_form
from cattleya.present.words.report import witnesses
from tests.checks.page import Page


@pytest.fixture(scope="module")
def wine() -> tuple[cattleya.Explainer, pd.DataFrame, Any]:
    bunch = load_wine(as_frame=True)
    model = DecisionTreeClassifier(random_state=0).fit(bunch.data, bunch.target)
    rows = bunch.data.copy()
    rows.index = pd.Index([f"bottle {number}" for number in range(len(rows))])
    return cattleya.Explainer(model, over="intervals"), rows, bunch.target.to_numpy()


def people() -> tuple[Any, pd.DataFrame, pd.Series]:
    """Somebody's income, by age, job and sex, behind a Pipeline; labels that are no numbers."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        {
            "age": rng.integers(18, 70, 300),
            "job": rng.choice(["clerk", "cook", "nurse"], 300),
            "sex": rng.choice(["F", "M"], 300),
        },
        index=[f"id {number}" for number in range(300)],
    )
    rich = (rows["age"] > 40) & ((rows["job"] != "cook") | (rows["sex"] == "M"))
    truth = rich.map({True: "high", False: "low"})
    coded = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["job", "sex"]), remainder="passthrough"
    )
    model = make_pipeline(coded, DecisionTreeClassifier(max_depth=4, random_state=0))
    return model.fit(rows, truth), rows, truth


def test_what_is_said_of_features_and_lengths(
    wine: tuple[cattleya.Explainer, pd.DataFrame, Any], tmp_path: Path
) -> None:
    explainer, rows, _ = wine
    summary = explainer.summarise(rows, ["proline"])
    each = [explainer.explain(rows.iloc[[place]]) for place in range(len(rows))]
    sizes = sorted(len(e.minimal_reason()) for e in each)
    told = summary.sizes.loc["conditions of a minimal reason"]
    assert (told["least"], told["most"], told["rows"]) == (sizes[0], sizes[-1], len(rows))
    shares = [found.get("flavanoids", 0) for found in summary.rows["feature_importance"]]
    line = summary.features.loc["flavanoids"]
    assert line["importance"] == pytest.approx(float(sum(shares) / len(rows)))
    assert line["necessary"] == sum(share == 1 for share in shares) / len(rows)
    needing = [not e.is_free_of(["proline"]) for e in each]
    assert len(summary.needs_protected) == sum(needing)
    assert summary.hardest(1)["minimal_size"].iloc[0] == sizes[-1]
    summary.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == summary.to_html()


def test_accuracy_and_decisions() -> None:
    model, rows, truth = people()
    summary = cattleya.Explainer(model).summarise(rows, truth=truth)
    predicted = model.predict(rows)
    assert summary.accuracy == Fraction(int((predicted == truth).sum()), len(rows))
    assert summary.decisions["rows"].to_dict() == pd.Series(predicted).value_counts().to_dict()
    for label, line in summary.decisions.iterrows():
        assert line["right"] == pytest.approx((truth == label)[predicted == label].mean())
    some = truth.astype(object)
    some.iloc[:100] = None
    partly = cattleya.Explainer(model).summarise(rows, truth=some)
    assert partly.accuracy == Fraction(int((predicted == truth)[100:].sum()), 200)
    assert "of the 200 rows whose true class is known" in str(partly)
    assert cattleya.Explainer(model).summarise(rows).accuracy is None


def test_the_truth_may_be_written_as_it_is_shown() -> None:
    tree = cattleya.Tree.from_nested(("a", 0, 1))
    explainer = cattleya.Explainer(tree, class_names=["no", "yes"])
    for truth in ([0, 0], ["no", "no"], ["0", "0"], np.array([0.0, 0.0]), [False, False]):
        assert explainer.summarise([[0], [1]], truth=truth).accuracy == Fraction(1, 2)
    assert explainer.summarise([[0], [1]], truth=["no", "other"]).accuracy == Fraction(1, 2)
    with pytest.raises(ValueError, match="truth: 'maybe' is no class of the model; it has 0, 1"):
        explainer.summarise([[0], [1]], truth=["maybe", "maybe"])
    with pytest.raises(ValueError, match="truth has 1 classes, but there are 2 rows"):
        explainer.summarise([[0], [1]], truth=[0])


def test_decisions_by_group() -> None:
    model, rows, truth = people()
    summary = cattleya.Explainer(model).summarise(rows, ["sex", "age"], truth=truth)
    predicted = pd.Series(model.predict(rows), rows.index)
    for sex, line in summary.groups["sex"].iterrows():
        own = rows["sex"] == sex
        assert line["rows"] == own.sum()
        assert line["share, high"] == pytest.approx((predicted == "high")[own].mean())
        assert line["accuracy"] == pytest.approx((predicted == truth)[own].mean())
    ages = summary.groups["age"]
    assert ages["rows"].sum() == len(rows)
    ends = [tuple(map(int, str(group).split(" to "))) for group in ages.index]
    assert ends == sorted(ends)
    for (low, high), n in zip(ends, ages["rows"], strict=True):
        assert rows["age"].between(low, high).sum() == n


def test_groups_of_few_numbers_of_gaps_and_of_names() -> None:
    few = decisions_by_group([2.0, 1.0, None, 1.0], [0, 1, 1, 0], {0: "no", 1: "yes"}, None)
    assert list(few.index) == ["1", "2", "missing"]
    assert few["share, yes"].tolist() == [0.5, 0.0, 1.0]
    named = decisions_by_group(["b", "a", "a"], [0, 1, None], {0: "no", 1: "yes"}, None)
    assert list(named.index) == ["a", "b"]
    assert (named["share, no"].tolist(), named["share, yes"].tolist()) == ([0.0, 1.0], [0.5, 0.0])


def test_reasons_cover_what_they_say_and_force_the_class() -> None:
    model, rows, _ = people()
    summary = cattleya.Explainer(model, over="intervals").summarise(rows)
    predicted = model.predict(rows)
    found = summary.cover
    assert found.share >= ENOUGH
    covered = np.zeros(len(rows), dtype=bool)
    space = pd.DataFrame(
        [(age, job, sex) for age in range(15, 75) for job in ("clerk", "cook", "nurse")
         for sex in "FM"],
        columns=["age", "job", "sex"],
    )  # fmt: skip  # all rows that there are
    reader = context_of(cattleya.Explainer(model))
    for one in found.reasons:
        own = covers(one.reason, reader.model.rows.matrix(rows))
        assert int(own.sum()) == one.rows
        assert one.share == Fraction(one.rows, int((predicted == one.prediction).sum()))
        covered |= own
        everywhere = covers(one.reason, reader.model.rows.matrix(space))
        assert set(model.predict(space[everywhere])) == {one.prediction}
    assert int(covered.sum()) == found.covered
    for left in range(len(found.reasons)):  # none can go
        rest = [o for i, o in enumerate(found.reasons) if i != left]
        union = np.zeros(len(rows), dtype=bool)
        for one in rest:
            union |= covers(one.reason, reader.model.rows.matrix(rows))
        assert int(union.sum()) < found.covered


def test_the_greedy_list_is_near_the_shortest() -> None:
    """Beside all lists of few candidates: greedy needs one more here at the most."""

    class Rows:
        prediction = 0

        def __init__(self, name: str, rows: set[int]) -> None:
            self.name, self.rows, self.parts = name, rows, (self,)

        def holds_in(self, matrix: Any) -> Any:
            return np.isin(np.arange(len(matrix)), list(self.rows))

        def __str__(self) -> str:
            return self.name

    rng = np.random.default_rng(0)
    for _ in range(30):
        sets = [set(np.flatnonzero(rng.random(12) < 0.35).tolist()) for _ in range(8)]
        made: list[Any] = [Rows(str(i), rows) for i, rows in enumerate(sets)]
        found = cover([(one, 0) for one in made], np.zeros((12, 1)), np.zeros(12, dtype=np.int32))
        need = -(-9 * 12 // 10)
        if len(set().union(*sets)) < need:
            assert found.covered == len(set().union(*sets))
            continue
        shortest = next(
            n for n in range(1, 9)
            for some in combinations(sets, n) if len(set().union(*some)) >= need
        )  # fmt: skip  # the definition
        assert found.covered >= need
        assert len(found.reasons) <= shortest + 1


@pytest.mark.parametrize("protected", [["sex"], ["sex", "job"]])
def test_unfair_rows_have_a_witness(protected: list[str]) -> None:
    model, rows, _ = people()
    explainer = cattleya.Explainer(model)
    summary = explainer.summarise(rows, protected)
    single = [explainer.explain(rows.iloc[[place]]).is_fair(protected) for place in range(60)]
    unfair = [rows.index[place] for place, fair in enumerate(single) if not fair]
    assert [label for label in summary.unfair.index if label in rows.index[:60]] == unfair
    for place, fair in enumerate(single):
        if not fair:
            line = summary.unfair.loc[rows.index[place]]
            assert (line["change"], line["becomes"]) == (fair.change, fair.prediction)
            assert line["prediction"] == model.predict(rows.iloc[[place]])[0] != line["becomes"]
    text = " ".join(str(summary).split())
    assert f"{len(summary.unfair)} of 300 decisions depend on {' or '.join(protected)}" in text
    page = Page(str(summary.to_html())).text
    told = {label: one for one in witnesses(summary) for label in one.rows}
    for label, line in summary.unfair.iterrows():  # in full: every row, on the page and in words
        one = told.pop(str(label))
        assert (one.decision, one.change) == (line["prediction"], line["change"])
        assert f"{one.decision}; with {one.change}".replace("->", "→") in page  # as pages write it
        assert str(label) in page
        assert str(label) in text
    assert not told


def test_no_row_is_unfair_where_nothing_protected_is_tested() -> None:
    tree = cattleya.Tree.from_nested(("a", 0, 1), feature_names=["a", "sex"])
    summary = cattleya.Explainer(tree).summarise([[0, 1], [1, 0]], ["sex"])
    assert not len(summary.unfair)
    assert "No decision depends on sex" in str(summary)
    assert summary_form(summary)["fair"] is True


def test_text_page_notebook_and_json_agree() -> None:
    model, rows, truth = people()
    summary = cattleya.Explainer(model, over="intervals").summarise(rows, ["sex"], truth=truth)
    text = " ".join(str(summary).split())
    page, short = Page(str(summary.to_html())), Page(summary._repr_html_())
    form = summary_form(summary)
    assert form["rows"] == 300
    assert form["accuracy"]["share_float"] == float(summary.accuracy or 0)
    assert [one["text"] for one in form["reasons"]] == [
        str(one.reason) for one in summary.cover.reasons
    ]
    for one in summary.cover.reasons[:5]:
        for part in one.reason.parts:
            for shown in (text, page.text, short.text):
                assert str(part).replace("<=", "≤") in shown.replace("<=", "≤")
    assert len(form["unfair"]) == len(summary.unfair)
    covering = f"together cover {summary.cover.share * 100 // 1}"
    assert covering in text
    assert covering in page.text


def test_the_short_form_keeps_its_style_to_itself() -> None:
    model, rows, _ = people()
    page = Page(cattleya.Explainer(model).summarise(rows.head(20), ["sex"])._repr_html_())
    assert page.elements[0].tag == "div"
    assert not page.all("html", "head", "body", "h1", "h2", "script")
    (style,) = page.all("style")
    selectors = [
        one.strip() for rule in style.text.split("}")[:-1] for one in rule.split("{")[0].split(",")
    ]
    assert all(one.startswith(".cattleya-explanation") for one in selectors)


def test_names_are_escaped() -> None:
    name = "<script>alert(1)</script>"
    tree = cattleya.Tree.from_nested((name, "<b>no", ("b", "<b>no", "yes")))
    summary = cattleya.Explainer(tree).summarise([[1, 1], [0, 1], [1, 0]], [name])
    text = summary.to_html(about=f"rows of {name}")
    assert text is not None
    for page in (Page(text), Page(summary._repr_html_())):
        assert not page.all("script", "img")
        assert name in page.text
    assert f"about rows of {name}, and why" in Page(text).text
    assert "http://" not in text


def test_the_page_says_rows_with_the_same_reason_together() -> None:
    tree = cattleya.Tree(
        [1, -1, -1], [2, -1, -1], [0, -1, -1], [30.123456789, 0, 0], [-1, 0, 1],
        n_features=1, feature_names=["age"], class_names=["no", "yes"],
    )  # fmt: skip  # arrays of nodes, side by side
    rows = pd.DataFrame({"age": [40, 20, 50]}, index=["Ann", "Bob", "Cy"])
    summary = cattleya.Explainer(tree, class_names=["refused", "granted"]).summarise(rows)
    assert list(summary.features)[2:] == ["importance, granted", "importance, refused"]
    page = Page(str(summary.to_html()))
    assert "row Ann and Cy: granted" in page.text
    assert "30.123456789" not in page.text
    assert tree_hash(tree) in page.text
    assert "counted from 0" not in page.text


def test_what_is_excluded_is_in_no_reason() -> None:
    explainer = cattleya.Explainer(cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1))))
    rows = pd.DataFrame([[1, 1, 1], [0, 1, 0], [0, 0, 0]], columns=["a", "b", "c"], index=[7, 7, 9])
    summary = explainer.summarise(rows, ["a"], exclude=["a"])
    assert "no such reason" in str(summary.to_html())
    assert all(part.name != "a" for one in summary.cover.reasons for part in one.reason.parts)


def test_a_summary_of_nothing() -> None:
    explainer = cattleya.Explainer(cattleya.Tree.from_nested(("a", 0, 1)))
    for rows in ([], [["?"]]):
        summary = explainer.summarise(rows, ["a"])
        assert str(summary)
        assert summary.to_html()
        assert summary._repr_html_()
        assert summary_form(summary)["rows"] == len(rows)


def test_pictures(wine: tuple[cattleya.Explainer, pd.DataFrame, Any]) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    explainer, rows, _ = wine
    summary = explainer.summarise(rows)
    bars: Any = summary.plot_sizes().patches
    assert sum(bar.get_height() for bar in bars) == len(rows)
    ax = summary.plot_importance(most=3)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == summary.features.index[:3].tolist()
    pyplot.close("all")


def test_pictures_of_an_ensemble_claim_no_more_than_was_found() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    X, y = load_wine(return_X_y=True)
    model = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y)
    summary = cattleya.Explainer(model, over="intervals").summarise(X[:3])
    assert "an ensemble of trees decided" in str(summary.to_html())
    assert "shortest" not in summary.plot_sizes().get_title(loc="left")
    _, (mentioned, _) = summary.plot_importance().get_legend_handles_labels()
    assert "one of each" in mentioned
    pyplot.close("all")

"""The explorer answers what the library answers, by its address alone."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.explain.edits import MISSING, editables, with_values
from cattleya.explain.explainer import context_of
from cattleya.explore.explorer import Explorer
from cattleya.present.pages.page import environment
from tests.explore.running import Client, opened

pytest.importorskip("starlette")

JOBS = ("clerk", "cook", "nurse")


def people(count: int = 200) -> pd.DataFrame:
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": random.integers(18, 80, count),
            "job": random.choice(JOBS, count),
            "hours": random.integers(5, 60, count) + 0.5,
        }
    )


def loan(rows: pd.DataFrame) -> Any:
    truth = np.where((rows["age"] > 40) & (rows["job"] != "cook"), "yes", "no")
    truth = np.where(rows["hours"] > 50, "yes", truth)
    encoded = make_column_transformer((OrdinalEncoder(), ["job"]), remainder="passthrough")
    return make_pipeline(encoded, DecisionTreeClassifier(random_state=0)).fit(rows, truth)


@pytest.fixture(scope="module")
def asked() -> Iterator[tuple[Client, Explorer, Any, pd.DataFrame]]:
    rows = people()
    model = loan(rows)
    client, explorer = opened(model, rows, data=rows.iloc[:0])
    yield client, explorer, model, rows
    client.running.close()


def words(text: str) -> str:
    """The words of a page, without its marks."""
    bare = re.sub(r"<(script|style).*?</\1>", " ", text, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", bare)).split())


def test_the_table_has_the_models_decision_on_every_row(asked: Any) -> None:
    client, _, model, rows = asked
    answer = client.ask("/", page=2)
    lines = re.findall(r'<tr><th scope="row">.*?</tr>', answer.text, flags=re.S)
    assert len(lines) == 25
    for line, place in zip(lines, range(25, 50), strict=True):
        assert f"row={place}" in line
        assert words(line).split()[1] == model.predict(rows.iloc[[place]])[0]
    assert "200 rows" in words(answer.text)


def places_of(client: Client, **given: Any) -> list[int]:
    found = []
    for page in range(1, 20):
        answer = client.ask("/", *given.pop("pairs", ()), page=page, **given)
        shown = [int(place) for place in re.findall(r'href="/row\?row=(\d+)"', answer.text)]
        found += shown
        if 'rel="next"' not in answer.text:
            return found
    raise AssertionError("too many pages")


def test_rows_are_sorted_and_filtered(asked: Any) -> None:
    client, _, model, rows = asked
    by_age = rows["age"].sort_values(kind="stable").index.tolist()
    assert places_of(client, sort="age") == by_age
    assert (
        places_of(client, **{"where:age": "30..40"})
        == np.flatnonzero(rows["age"].between(30, 40)).tolist()
    )
    assert places_of(client, text="COOK") == np.flatnonzero(rows["job"] == "cook").tolist()
    yes = np.flatnonzero(model.predict(rows) == "yes")
    assert places_of(client, decision="yes") == yes.tolist()
    down = rows.loc[yes].sort_values("hours", ascending=False, kind="stable").index.tolist()
    assert places_of(client, decision="yes", sort="-hours") == down
    assert "No row is like that" in client.ask("/", text="zebra").text


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
def test_one_row_is_explained_as_the_library_does(asked: Any, over: str) -> None:
    client, _, model, rows = asked
    explainer = cattleya.Explainer(model, over=over, data=rows.iloc[:0])
    for place in (0, 7):
        e = explainer.explain(rows.iloc[[place]])
        told = json.loads(client.ask("/save/json", row=place, over=over).text)
        assert told["prediction"] == e.prediction
        assert told["count"] == e.count()
        assert [c["text"] for c in told["minimal_reason"]] == [str(c) for c in e.minimal_reason()]
        page = words(client.ask("/row", row=place, over=over).text)
        assert f"Why {e.prediction}?" in page
        for step in range(5):
            part = client.ask("/row", row=place, over=over, part="count").text
            assert ("data-cancel" in part) == (step < 4)
        assert "Checked:" in part


def test_facts_are_judged_as_verify_judges_them(asked: Any) -> None:
    client, _, model, rows = asked
    explainer = cattleya.Explainer(model, over="intervals", data=rows.iloc[:0])
    e = explainer.explain(rows.iloc[[3]])
    whole = [str(condition) for condition in e.reason()]
    facts = [("fact", text) for text in whole]
    part = words(client.ask("/row", *facts, row=3, part="enough").text)
    assert part.startswith("Yes.")
    part = client.ask("/row", *facts[1:], row=3, part="enough").text
    refuted = e.verify(whole[1:])
    assert words(part).startswith("No.")
    sets = dict(re.findall(r"set%3A(\w+)=([^&\"]+)", html.unescape(part)))
    changed = with_values(context_of(explainer), rows.iloc[[3]], sets)
    assert model.predict(changed)[0] != e.prediction == model.predict(rows.iloc[[3]])[0]
    assert refuted.row is not None
    idle = words(client.ask("/row", *facts, ("fact", "hours >= 5"), row=3, part="enough").text)
    assert "more than enough" in idle or "Yes." in idle
    bad = client.ask("/row", row=3, fact="shoe size > 3", part="enough").text
    assert "shoe size" in bad


def test_changed_values_are_followed(asked: Any) -> None:
    client, _, model, rows = asked
    changed = rows.iloc[[5]].assign(age=75, job="nurse")
    answer = client.ask("/row", ("set:age", "75"), ("set:job", "nurse"), row=5)
    assert f"Why {model.predict(changed)[0]}?" in words(answer.text)
    assert f"As the table has it: {model.predict(rows.iloc[[5]])[0]}" in words(answer.text)
    told = json.loads(client.ask("/save/json", ("set:age", "75"), ("set:job", "nurse"), row=5).text)
    assert told["prediction"] == model.predict(changed)[0]
    for name, text, said in (
        ("age", "old", "give a number"),
        ("age", "30.5", "whole numbers only"),
        ("job", "pilot", "clerk"),
        ("height", "3", "no feature"),
    ):
        refused = client.ask("/row", (f"set:{name}", text), row=5)
        assert refused.code == 422
        assert said in words(refused.text)


def test_the_nearest_rows_hold_to_the_constraints_and_are_put_in(asked: Any) -> None:
    client, _, model, rows = asked
    place = int(np.flatnonzero(model.predict(rows) == "no")[0])
    answer = client.ask("/row", ("range:age", "up"), ("fix", "hours"), row=place, part="nearest")
    (link,) = re.findall(r'href="(/row\?[^"]+)"', answer.text)[:1]
    page = client.raw(html.unescape(link), {"Authorization": f"Bearer {client.token}"})
    assert "Why yes?" in words(page.text)
    assert "As the table has it: no" in words(page.text)
    none = client.ask(
        "/row", ("fix", "age"), ("fix", "job"), ("fix", "hours"), row=place, part="nearest"
    )
    assert 'class="note"' in none.text


def test_the_saved_lines_give_the_same_answer(asked: Any, capsys: Any) -> None:
    client, _, model, rows = asked
    lines = client.ask("/save/python", ("set:age", "75"), ("fact", "age >= 41"), row=5).text
    names: dict[str, Any] = {
        "explainer": cattleya.Explainer(model, over="intervals", data=rows.iloc[:0]),
        "rows": rows,
    }
    exec(lines, names)
    assert names["e"].prediction == model.predict(rows.iloc[[5]].assign(age=75))[0]
    assert capsys.readouterr().out
    page = client.ask("/save/page", row=5)
    assert page.headers["content-disposition"] == 'attachment; filename="row-5.html"'
    assert page.text.startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/row?row=200", 400),
        ("/row?row=-1", 400),
        ("/row?over=clouds", 400),
        ("/row?part=soul", 400),
        ("/row?exclude=shoes", 422),
        ("/?sort=shoes", 400),
        ("/?where%3Aage=old", 400),
        ("/?decision=maybe", 400),
        ("/save/film", 400),
        ("/?found=mentions:nope", 400),
        ("/?found=decisive:nope", 400),
        ("/?found=length:abc", 400),
        ("/?found=reason:abc", 400),
        ("/?found=mentions:age&protected=nope", 400),
        ("/report?protected=nope", 400),
        ("/?text=" + "&a" * 2001, 400),
        ("/elsewhere", 404),
        ("/static/..%2fapp.py", 404),
    ],
)
def test_what_cannot_be_answered_is_said(asked: Any, path: str, code: int) -> None:
    client = asked[0]
    answer = client.raw(path, {"Authorization": f"Bearer {client.token}"})
    assert answer.code == code
    assert "Traceback" not in answer.text


def test_what_a_feature_can_be_set_to(asked: Any) -> None:
    _, explorer, model, rows = asked
    context = context_of(explorer.explainer)
    for it in editables(context):
        assert len(it.stops) == len(it.thresholds) + bool(it.thresholds)
        cells = [tuple(stop > threshold for threshold in it.thresholds) for stop in it.stops]
        assert len(set(cells)) == len(cells)  # one value in each interval
    gap = with_values(context, rows.iloc[[0]], {"age": MISSING})
    assert np.isnan(gap["age"].iloc[0])
    assert context.predicted(context.model.rows.row(gap)) == model.predict(gap)[0]


def test_the_short_reason_comes_first_and_its_exceptions_are_rows() -> None:
    rows = people(400)
    rows["job"] = rows["job"].astype("category").cat.codes
    truth = (rows["age"] > 40) ^ (np.random.default_rng(1).random(400) < 0.04)
    model = DecisionTreeClassifier(random_state=0).fit(rows, truth)
    client, _ = opened(model, rows)
    known, seen = {"Authorization": f"Bearer {client.token}"}, 0
    try:
        for over in ("conditions", "features", "intervals"):
            explainer = cattleya.Explainer(model, over=over)
            for place in range(4):
                quick = client.ask("/row", row=place, over=over).text
                assert quick.index('id="usually"') < quick.index('id="why"')
                assert 'data-load="short"' in quick  # it follows
                part = client.ask("/row", row=place, over=over, part="short").text
                assert 'data-load="short"' not in client.ask("/row", row=place, over=over).text
                told = json.loads(client.ask("/save/json", row=place, over=over).text)
                e = explainer.explain(rows.iloc[[place]])
                try:
                    short = e.short_reason(0.95, among=rows)
                except cattleya.NoSuchReason:
                    assert "o short reason" in words(part)
                    assert told["no_short_reason"]
                    continue
                in_signs = environment().filters["in_signs"]
                assert in_signs(short.sentence)[1:] in words(part)
                assert not re.search(r"<=|[<>≤≥] \d+\.0\b", words(part).partition("Counted on")[0])
                assert told["short_reason"]["text"] == str(short)
                matrix = rows.to_numpy(dtype=float)
                holds = np.logical_and.reduce([fact.holds_in(matrix) for fact in short])
                other = model.predict(rows) != e.prediction
                links = re.findall(r'href="(/\?found=(\w+)[^"]*)"', part)
                for address, kind in links:
                    wanted = np.flatnonzero(holds & other if kind == "exceptions" else holds)
                    page = client.raw(html.unescape(address), known).text
                    shown = [int(one) for one in re.findall(r'href="/row\?row=(\d+)"', page)]
                    assert shown == wanted[:25].tolist()
                    assert f"{len(wanted)} row" in words(page)
                    seen += kind == "exceptions"
                assert "usual" in {kind for _, kind in links}
        assert seen
    finally:
        client.running.close()

"""The whole table in the explorer, what is saved of each view, and other tables and models."""

from __future__ import annotations

import html
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import cattleya
from cattleya.explore import explaining
from cattleya.explore.explorer import Explorer
from cattleya.explore.state import Chosen, State
from cattleya.present.words.numbers import class_name
from cattleya.support.files.parquet_rows import ParquetRows
from tests.explore.running import Client, opened
from tests.explore.test_explorer import loan, people, places_of, words
from tests.explore.test_explorer_safety import Tags

pytest.importorskip("starlette")

ROWS = 60


@pytest.fixture(scope="module")
def asked() -> Iterator[tuple[Client, Explorer, Any, pd.DataFrame]]:
    rows = people(ROWS)
    model = loan(people())
    client, explorer = opened(model, rows, data=people().iloc[:0], protected=["job"])
    yield client, explorer, model, rows
    client.running.close()


def reported(client: Client, **given: Any) -> str:
    """The explanations of a report, when they are all there."""
    while "data-cancel" in client.ask("/report", part="progress", **given).text:
        pass
    return client.ask("/report", part="explained", **given).text


def links(page: str, kind: str) -> dict[str, str]:
    """The addresses of rows behind one kind of finding, by what they are about."""
    found = re.findall(rf'href="(/\?[^"]*found={kind}[^"]*)"', page)
    told = (html.unescape(one) for one in found)
    return {re.search(r"found=([^&]*)", one)[1]: one for one in told}  # type: ignore[index]  # it has


def behind(client: Client, address: str) -> list[int]:
    text = client.raw(f"{address}&page=1", {"Authorization": f"Bearer {client.token}"}).text
    shown = [int(place) for place in re.findall(r'href="/row\?row=(\d+)"', text)]
    (total,) = re.findall(r"(\d+) rows? of", words(text))
    assert len(shown) == min(25, int(total))
    return shown


def test_numbers_are_shown_short_and_are_no_classes() -> None:
    rows = people()[["age", "hours"]]
    for scale, shown in ((1.0, r"\d\d?\.\d\d"), (1e4, r"[\d,]+\.\d|[\d,]+")):
        truth = scale * (rows["age"] + np.sqrt(rows["hours"]))
        model = DecisionTreeRegressor(max_depth=4, random_state=0).fit(rows, truth)
        client, _ = opened(model, rows)
        try:
            page = client.ask("/").text
            cells = re.findall(r"<td><b><bdi>(.*?)</bdi></b></td>", page)
            own = model.predict(rows.iloc[:25])
            assert len(cells) == 25
            for cell, number in zip(cells, own, strict=True):
                assert re.fullmatch(shown, cell)
                assert float(cell.replace(",", "")) == pytest.approx(number, rel=1e-3)
            told = json.loads(client.ask("/save/json", view="rows").text)["rows"]
            assert [float(one["decision"].replace(",", "")) for one in told] == own.tolist()
        finally:
            client.running.close()


def test_the_report_is_that_of_all_rows_and_every_bar_leads_to_its_rows(asked: Any) -> None:
    client, explorer, _, rows = asked
    page = reported(client, protected="job")
    assert f"about all {ROWS} rows" in words(page)
    summary = explorer.explainer.summarise(rows, ["job"], timeout=1.0)
    shares = list(summary.rows["feature_importance"])
    for kind in ("decisive", "mentions"):
        found = links(page, kind)
        assert len(found) == len(summary.features)
        for about, address in found.items():
            feature = about.partition("%3A")[2]
            own = [one.get(feature, 0) for one in shares]
            wanted = [i for i in range(ROWS) if (own[i] == 1 if kind == "decisive" else own[i])]
            if wanted:
                assert behind(client, address) == wanted[:25]
    sizes = summary.rows["minimal_size"].tolist()
    for about, address in links(page, "length").items():
        size = int(about.partition("%3A")[2])
        assert behind(client, address) == [i for i in range(ROWS) if sizes[i] == size][:25]
    (address,) = links(page, "depends").values()
    assert behind(client, address) == summary.unfair.index.tolist()[:25]
    reasons = links(page, "reason")
    assert len(reasons) == len(summary.cover.reasons)
    for place, address in enumerate(reasons.values()):
        assert len(behind(client, address)) == min(25, summary.cover.reasons[place].rows)


def test_decisions_by_group_lead_to_their_rows(asked: Any) -> None:
    client, _, model, rows = asked
    page = client.ask("/report", by="job").text
    decided = model.predict(rows)
    for job in rows["job"].unique():
        found = rf'href="(/\?[^"]*where%3Ajob=%3D{job}&amp;decision=yes[^"]*)"'
        address = html.unescape(re.findall(found, page)[0])
        wanted = np.flatnonzero((rows["job"] == job) & (decided == "yes")).tolist()
        if wanted:
            assert behind(client, address) == wanted[:25]


def test_what_is_stopped_is_put_together_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explaining, "FIRST", 10)
    monkeypatch.setattr(explaining, "AT_ONCE", 10)
    slow = explaining.Job._note

    def note(self: explaining.Job, rows: int) -> None:
        slow(self, rows)
        while self.done >= 20 and not self._stop.is_set():  # stopped by the reader
            time.sleep(0.005)

    monkeypatch.setattr(explaining.Job, "_note", note)
    rows = people()
    client, explorer = opened(loan(rows), rows, data=rows.iloc[:0])
    try:
        while 'data-stage="1"' not in client.ask("/report", part="progress").text:
            pass
        assert "the others follow" in client.ask("/report", part="explained").text
        while "data-cancel" in client.ask("/report", part="progress", stop=1).text:
            pass
        page = client.ask("/report", part="explained").text
        job = explorer.job(Chosen())
        assert 10 <= job.explained < 200
        assert f"{job.explained} of 200 rows, drawn at random" in words(page)
        some = next(iter(links(page, "mentions").values()))
        answer = client.raw(some, {"Authorization": f"Bearer {client.token}"})
        assert "The report is about" in words(answer.text)
    finally:
        client.running.close()


def test_nobody_asks_and_it_ends(asked: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    _, explorer, _, _ = asked
    monkeypatch.setattr(explaining, "PATIENCE", -1.0)
    job = explorer.job(Chosen(text="c"))
    job._thread.join(30)
    assert job.is_lost


VIEWS: dict[str, dict[str, Any]] = {
    "row": {"row": 5, "over": "features"},
    "rows": {"decision": "yes"},
    "compare": {"row": 2, "other": 9},
    "report": {"by": "job"},
}


@pytest.mark.parametrize("view", VIEWS)
def test_each_view_is_saved(asked: Any, view: str, capsys: Any) -> None:
    client, explorer, model, rows = asked
    given = VIEWS[view]
    page = client.ask("/save/page", view=view, **given)
    assert page.code == 200, words(page.text)
    assert page.headers["content-disposition"].endswith('.html"')
    assert page.text.startswith("<!doctype html>")
    tags = Tags()
    tags.feed(page.text)
    assert not [one for one in tags.loaded if not one.startswith("data:")]
    assert 'href="/' not in page.text
    told = json.loads(client.ask("/save/json", view=view, **given).text)
    lines = client.ask("/save/python", view=view, **given).text
    names: dict[str, Any] = {"explainer": explorer.explainer, "rows": rows}
    exec(lines, names)
    assert capsys.readouterr().out
    if view == "row":
        e = names["e"]
        assert str(e.over) == "features"
        assert told["prediction"] == e.prediction == model.predict(rows.iloc[[5]])[0]
    elif view == "rows":
        yes = np.flatnonzero(model.predict(rows) == "yes").tolist()
        assert [one["row"] for one in told["rows"]] == yes[:25] == names["shown"].index.tolist()
        assert set(names["decided"]) == {"yes"}
    elif view == "compare":
        assert [one["row"] for one in told["rows"]] == [2, 9]
        assert told["shared"][0] == names["shared"]
    else:
        assert told["rows"] == ROWS == len(names["summary"].rows)
        assert told["groups"]["job"]
        shares = [(one["feature"], one["importance"]) for one in told["features"]]
        kept = names["summary"].features["importance"]
        assert shares == list(kept.items())


def test_the_reason_shown_is_the_widest_by_rows_of_the_table(asked: Any) -> None:
    client, explorer, _, rows = asked
    e = explorer.explainer.explain(rows.iloc[[4]])
    widest = e.reason(among=rows)
    told = json.loads(client.ask("/save/json", row=4).text)
    reach = e.reach(widest, rows)
    assert f"It covers {reach.covered} of {ROWS} rows of the table" in words(
        client.ask("/row", row=4).text
    )
    assert told["reach"]["covered"] == reach.covered


def test_parquet_is_read_as_far_as_it_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = people(3000)
    rows.to_parquet(tmp_path / "t.parquet", row_group_size=500)
    source = ParquetRows(tmp_path / "t.parquet")
    read: list[int] = []
    whole = ParquetRows.rows

    def counted(self: ParquetRows, places: Any) -> pd.DataFrame:
        read.append(len(places))
        return whole(self, places)

    monkeypatch.setattr(ParquetRows, "rows", counted)
    model = loan(people())
    explainer = cattleya.Explainer(model, over="intervals", data=rows.iloc[:0])
    explorer = Explorer(explainer, source, lambda some: some[["age", "job", "hours"]])
    page = explorer.table.page(Chosen(page=3), 1.0)
    assert page.places == list(range(50, 75))
    decided = explorer.table.decided(page.places)
    assert [one.text for one in decided] == model.predict(rows.iloc[50:75]).tolist()
    assert sum(read) == 25
    assert explorer.table.page(Chosen(sort="age"), 1.0).total == 3000
    assert sum(read) == 25  # to sort takes one column


def forest(rows: pd.DataFrame) -> Any:
    numbers = rows.assign(job=rows["job"].astype("category").cat.codes)
    truth = loan(rows).predict(rows)
    return RandomForestClassifier(6, max_depth=4, random_state=0).fit(numbers, truth), numbers


def boosted(rows: pd.DataFrame) -> Any:
    xgboost = pytest.importorskip("xgboost")
    _, numbers = forest(rows)
    truth = (loan(rows).predict(rows) == "yes").astype(int)
    made = xgboost.XGBClassifier(n_estimators=6, max_depth=3, random_state=0)
    return made.fit(numbers, truth), numbers


@pytest.mark.parametrize("make", [forest, boosted])
def test_ensembles_are_explained(make: Any) -> None:
    model, rows = make(people())
    rows = rows.iloc[:30]
    client, explorer = opened(model, rows)
    try:
        for place in (0, 7):
            e = explorer.explainer.explain(rows.iloc[[place]])
            told = json.loads(client.ask("/save/json", row=place).text)
            assert told["prediction"] == e.prediction == model.predict(rows.iloc[[place]])[0]
            page = words(client.ask("/row", row=place).text)
            assert f"Why {class_name(e.outcome)}?" in page
            whole = [("fact", str(fact)) for fact in e.reason()]
            part = words(client.ask("/row", *whole, row=place, part="enough").text)
            assert part.startswith("Yes.")
            near = client.ask("/row", row=place, part="nearest").text
            assert "Put it in" in near or "note" in near
        assert places_of(client, decision=e.outcome) == [
            i for i, one in enumerate(model.predict(rows)) if one == e.prediction
        ]
        page = reported(client)
        assert "about all 30 rows" in words(page)
        assert links(page, "mentions")
        assert client.ask("/save/page", row=0).text.startswith("<!doctype html>")
    finally:
        client.running.close()


def test_rows_that_are_images_are_drawn() -> None:
    digits = load_digits()
    model = DecisionTreeClassifier(max_leaf_nodes=40, random_state=0).fit(
        digits.data, digits.target
    )
    client, explorer = opened(model, digits.data[:50], image=(8, 8))
    try:
        page = client.ask("/row", row=3).text
        reason = explorer.found(State(row=3, over=explorer.over)).reason or ()
        panels = re.findall(r"<figure>.*?</figure>", page, re.S)
        (own,) = [one for one in panels if "A shortest reason" in words(one)]
        off = sum("<=" in str(fact) for fact in reason)
        assert f"off ({off})" in words(own) or own.count("<path") >= off > 0
        assert own.count("<title>") == len({fact.index for fact in reason})
        saved = client.ask("/save/page", row=3).text  # where all is counted: the heat map, too
        assert saved.count('viewBox="0 0 8 8"') == len(panels) + 1
        both = client.ask("/compare", row=3, other=4).text
        assert both.count('viewBox="0 0 8 8"') == 4
        assert 'placeholder="x' in client.ask("/row", row=3, part="facts").text
        first, _, rest = both.partition("<summary>All 64 features</summary>")
        assert first.count("<mark>") == rest.count("<mark>") > 0
        assert rest.count('<th scope="row">') == 64
    finally:
        client.running.close()
    with pytest.raises(ValueError, match="64"):
        opened(model, digits.data[:5], image=(7, 8))


def test_two_rows_of_many_columns_are_compared_in_all_of_them() -> None:
    draw = np.random.default_rng(3)
    rows = draw.integers(0, 3, size=(60, 400)).astype(float)
    model = DecisionTreeClassifier(random_state=0).fit(rows, rows[:, 5] > rows[:, 350])
    client, _ = opened(model, rows)
    try:
        text = client.ask("/compare", row=0, other=1).text
    finally:
        client.running.close()
    same = int((rows[0] == rows[1]).sum())
    assert f"{same} of 400 features are the same" in words(text)
    first, _, rest = text.partition("<summary>All 400 features</summary>")
    assert first.count("<mark>") == rest.count("<mark>") == 400 - same
    assert "<mark><bdi></bdi></mark>" not in text

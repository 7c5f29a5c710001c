"""A row of an ensemble: what is quick is there at once, and what takes a search follows."""

from __future__ import annotations

import html
import re
import threading
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from cattleya.ensembles.search import RowSearch
from cattleya.explain.ensemble.explanation import EnsembleExplanation
from cattleya.explore.explorer import Explorer
from cattleya.explore.state import State
from cattleya.support.errors import TimeoutExpired
from cattleya.support.limits import Deadline
from tests.explore.running import Client, opened
from tests.explore.test_explorer import loan, people
from tests.explore.test_explorer_browser import LEVEL_AA, Tab

pytest.importorskip("starlette")

SEARCHES = (
    *("sufficient_reason", "minimal_reason", "reason", "quick_reason"),
    *("necessary", "necessary_features", "changes", "contrastive", "counterfactuals"),
)


def forest(rows: pd.DataFrame) -> tuple[Any, pd.DataFrame]:
    numbers = rows.assign(job=rows["job"].astype("category").cat.codes)
    truth = loan(rows).predict(rows)
    return RandomForestClassifier(6, max_depth=4, random_state=0).fit(numbers, truth), numbers


@pytest.fixture
def made() -> Iterator[tuple[Client, Explorer]]:
    model, rows = forest(people())
    client, explorer = opened(model, rows.iloc[:30])
    yield client, explorer
    client.running.close()


@pytest.fixture
def tab(browser: Any, made: tuple[Client, Explorer]) -> Iterator[Tab]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield Tab(context.new_page(), made[0])
    context.close()


def words(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


@pytest.mark.parametrize("part", ["", "first", "fields", "rest", "facts", "enough"])
def test_nothing_is_searched_for_what_is_there_at_once(
    made: tuple[Client, Explorer], monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise AssertionError("a search")

    for name in SEARCHES:
        monkeypatch.setattr(EnsembleExplanation, name, refused)
    for name in ("sufficient", "minimal", "is_forced", "quick", "necessary"):
        monkeypatch.setattr(RowSearch, name, refused)
    answer = made[0].ask("/row", row=3, part=part)
    assert answer.code == 200
    if part in ("", "first"):
        assert 'data-load="reason"' in answer.text
        assert "An exact reason is looked for" in words(answer.text)
        again = re.search(
            r'<noscript><meta http-equiv="refresh" content="0; url=(.*?)">', answer.text
        )
        assert again
        assert html.unescape(again[1]).startswith("/row?row=3&")
        assert again[1].endswith("part=whole")


def test_the_parts_have_what_the_whole_page_and_the_saved_one_have(
    made: tuple[Client, Explorer],
) -> None:
    client, explorer = made
    why = words(client.ask("/row", row=3, part="reason").text)
    e = explorer.explanation(State(row=3, over=explorer.over))
    assert f"Why {e.outcome}?" in why
    assert "What was decisive" in why
    changes = words(client.ask("/row", row=3, part="changes").text)
    whole = client.ask("/row", row=3, part="whole").text
    assert why in words(whole)
    assert changes in words(whole)
    assert "data-load" not in whole
    assert "data-cancel" not in whole
    assert 'http-equiv="refresh"' not in whole
    assert "Put it in" in whole
    saved = words(client.ask("/save/page", view="row", row=3).text)
    assert why.split("Vocabulary")[0] in saved


def test_what_was_not_settled_is_said(
    made: tuple[Client, Explorer], monkeypatch: pytest.MonkeyPatch
) -> None:
    def expired(*_: Any, **__: Any) -> Any:
        raise TimeoutExpired("the time limit was reached; give a longer timeout")

    client = made[0]
    monkeypatch.setattr(EnsembleExplanation, "reason", expired)
    told = words(client.ask("/row", row=5, part="reason").text)
    assert "Whether fewer features are enough was not settled within 5 seconds" in told
    monkeypatch.setattr(EnsembleExplanation, "sufficient_reason", expired)
    told = words(client.ask("/row", row=6, part="reason").text)
    assert told == "The time limit was reached; give a longer timeout"


def test_a_reason_that_is_cancelled_is_found_when_asked_for_again(
    tab: Tab, made: tuple[Client, Explorer], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = threading.Event(), threading.Event()
    found = EnsembleExplanation.sufficient_reason

    def searching(self: Any, timeout: Any = None) -> Any:
        begun.set()
        try:
            while True:  # until it is cancelled
                ended.wait(0.01)
                Deadline(None).check()
        finally:
            ended.set()

    monkeypatch.setattr(EnsembleExplanation, "sufficient_reason", searching)
    page = tab.page
    page.goto(f"http://{tab.client.host}:{tab.client.port}/row?row=4")
    tab.until("document.querySelector('#cancel-reason') && document.querySelector('.facts')")
    assert begun.wait(30)
    page.locator("#cancel-reason").focus()
    page.keyboard.press("Enter")
    assert ended.wait(30)
    assert "Cancelled" in page.inner_text("#reason")
    monkeypatch.setattr(EnsembleExplanation, "sufficient_reason", found)
    tab.settle()  # all else is there
    assert page.evaluate("document.activeElement.textContent") == "Go on"
    page.keyboard.press("Enter")
    tab.settle()
    assert "whatever the rest of the row is" in page.inner_text("#reason")


def test_a_closed_tab_ends_the_search(
    tab: Tab, made: tuple[Client, Explorer], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = threading.Event(), threading.Event()

    def searching(self: Any, timeout: Any = None) -> Any:
        begun.set()
        try:
            while True:
                ended.wait(0.01)
                Deadline(None).check()
        finally:
            ended.set()

    monkeypatch.setattr(EnsembleExplanation, "sufficient_reason", searching)
    tab.page.goto(f"http://{tab.client.host}:{tab.client.port}/row?row=4")
    assert begun.wait(30)
    tab.page.close()
    assert ended.wait(30)


def test_the_reason_arrives_and_nothing_else_moves(tab: Tab) -> None:
    held: list[Any] = []
    page = tab.page
    page.route("**/row?*part=reason", lambda route, _: held.append(route))
    page.goto(f"http://{tab.client.host}:{tab.client.port}/row?row=4")
    tab.until("document.querySelector('.facts') && !document.querySelector('#nearest[aria-busy]')")
    assert "An exact reason is looked for" in page.inner_text("#reason")
    assert page.locator(".facts .in-reason").count() == 0
    last = "[...document.querySelectorAll('.fields input.number')].at(-1)"
    page.evaluate(f"{last}.focus()")
    page.evaluate("scrollTo(0, 120)")
    where = f"[scrollY, document.activeElement.id, {last}.getBoundingClientRect().top]"
    before = page.evaluate(where)
    page.evaluate(
        "document.querySelectorAll('.facts details').forEach(one => { one.open = true; })"
    )
    opened = page.locator(".facts details").count()
    assert opened
    held[0].continue_()
    tab.settle()
    assert page.locator(".facts details[open]").count() >= opened
    assert "whatever the rest of the row is" in page.inner_text("#reason")
    assert page.locator(".facts .in-reason").count() > 0
    assert page.inner_text("#enough").endswith("Start with the reason above")
    assert before[1].startswith("set-")
    assert page.evaluate(where) == before
    assert not tab.messages


def test_a_fact_keeps_the_focus_when_the_reason_arrives(tab: Tab) -> None:
    held: list[Any] = []
    page = tab.page
    page.route("**/row?*part=reason", lambda route, _: held.append(route))
    page.goto(f"http://{tab.client.host}:{tab.client.port}/row?row=4")
    tab.until("document.querySelector('.facts') && !document.querySelector('#nearest[aria-busy]')")
    page.locator(".facts input").nth(1).focus()
    before = page.evaluate("document.activeElement.value")
    held[0].continue_()
    tab.settle()
    assert page.locator(".facts .in-reason").count() > 0
    assert page.evaluate("document.activeElement.value") == before


def test_nothing_is_wrong_with_the_page_while_it_waits(tab: Tab) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = tab.page
    page.route("**/row?*part=reason", lambda route, _: None)
    page.goto(f"http://{tab.client.host}:{tab.client.port}/row?row=4")
    tab.until("document.querySelector('.facts') && !document.querySelector('#nearest[aria-busy]')")
    found = axe.run(page, options={"runOnly": {"type": "tag", "values": LEVEL_AA}})
    assert found.response["violations"] == []
    page.unroute_all(behavior="ignoreErrors")


def test_without_its_script_the_whole_answer_is_there(
    browser: Any, made: tuple[Client, Explorer]
) -> None:
    client = made[0]
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(client.running.address)
    page.goto(f"http://{client.host}:{client.port}/row?row=4")
    page.wait_for_url("**part=whole")
    assert "whatever the rest of the row is" in page.inner_text("#reason")
    assert "Put it in" in page.inner_text("#nearest")
    context.close()

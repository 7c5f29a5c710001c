"""A row that takes long: its address and what is being done are shown at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.explore.running import Client, opened
from tests.explore.test_explorer import loan, people
from tests.explore.test_explorer_browser import Tab

pytest.importorskip("starlette")


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    rows = people()
    found, _ = opened(loan(rows), rows, data=rows.iloc[:0])
    yield found
    found.running.close()


@pytest.fixture
def tab(browser: Any, client: Client) -> Iterator[Tab]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield Tab(context.new_page(), client)
    context.close()


def test_what_takes_long_is_said_at_once(tab: Tab) -> None:
    held: list[Any] = []
    tab.go("/row?row=5")
    tab.page.route("**/row?*part=first", lambda route, _: held.append(route))
    tab.page.locator("#next").focus()
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_url("**/row?row=6*")  # before there is any answer
    assert "Explaining row 6" in tab.page.inner_text("main")
    assert tab.page.inner_text("h1") == "Row 6"
    assert tab.page.evaluate("document.activeElement.id") == "content"
    held[0].continue_()
    tab.settle()
    assert tab.page.inner_text("#why").startswith("Why")
    assert tab.page.evaluate("document.activeElement.id") == "next"
    tab.page.go_back()
    tab.settle()
    assert tab.page.url.endswith("/row?row=5")
    assert "row 5" in tab.page.inner_text("header")


def test_one_goes_back_from_what_takes_long(tab: Tab) -> None:
    tab.go("/row?row=5")
    tab.page.route("**/row?*part=first", lambda route, _: None)
    tab.page.locator("#next").click()
    tab.page.wait_for_url("**/row?row=6*")
    tab.page.go_back()
    tab.settle()
    assert tab.page.inner_text("#why").startswith("Why")
    assert tab.page.locator(".working").count() == 0
    assert tab.page.url.endswith("/row?row=5")


def test_what_is_not_answered_is_said(tab: Tab) -> None:
    held: list[Any] = []
    tab.go("/row?row=5")
    tab.page.route("**/row?*part=first", lambda route, _: held.append(route))
    tab.page.locator("#next").click()
    tab.page.wait_for_url("**/row?row=6*")
    held[0].abort()
    tab.page.wait_for_selector("#lost:not([hidden])")
    tab.until("document.querySelector('.working').textContent === 'There is no answer.'")
    tab.page.unroute_all(behavior="ignoreErrors")
    tab.page.go_back()
    tab.settle()
    assert tab.page.locator("#lost").is_hidden()

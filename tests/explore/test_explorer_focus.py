"""By keyboard, the focus stays on the control that has it while the page follows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from sklearn.tree import DecisionTreeClassifier

from tests.explore.running import Client, opened
from tests.explore.test_explorer import people
from tests.explore.test_explorer_browser import Tab

pytest.importorskip("starlette")

FOCUS = "document.activeElement.id"


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    rows = people()[["age", "hours"]]
    model = DecisionTreeClassifier(random_state=0).fit(rows, rows["age"] // 6 % 2)
    found, _ = opened(model, rows, data=rows.iloc[:0])
    yield found
    found.running.close()


@pytest.fixture
def tab(browser: Any, client: Client) -> Iterator[Tab]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    found = Tab(context.new_page(), client)
    yield found
    assert found.messages == []
    context.close()


@pytest.mark.parametrize("between", [0, 60, 400])  # milliseconds
def test_a_slider_takes_several_presses(tab: Tab, between: int) -> None:
    tab.go("/row?row=3&set:age=18")
    slider = tab.page.locator("[data-for='set-0']")
    slider.focus()
    name = tab.page.evaluate(FOCUS)
    assert name.startswith("slide-")
    first = int(slider.input_value())
    for _ in range(5):
        tab.page.keyboard.press("ArrowRight")
        tab.page.wait_for_timeout(between)
    tab.page.wait_for_timeout(300)
    tab.settle()
    assert int(slider.input_value()) == first + 5
    assert tab.page.evaluate(FOCUS) == name


def test_tab_goes_on_after_a_number(tab: Tab) -> None:
    tab.go("/row?row=3")
    field = tab.page.locator("input[name='set:age']")
    place = str(field.get_attribute("id")).removeprefix("set-")
    field.fill("33")
    field.press("Tab")
    tab.page.wait_for_url("**set%3Aage=33**")
    tab.settle()
    assert tab.page.evaluate(FOCUS) == f"slide-{place}"
    tab.page.keyboard.press("Tab")
    assert tab.page.evaluate(FOCUS) == f"exclude-{place}"
    field.focus()
    field.fill("44")
    field.press("Enter")
    tab.page.wait_for_url("**set%3Aage=44**")
    tab.settle()
    assert tab.page.evaluate(FOCUS) == f"set-{place}"


def test_what_is_typed_while_the_page_follows_stays(tab: Tab) -> None:
    tab.go("/row?row=3")
    held: list[Any] = []
    holds = [True]

    def hold(route: Any, _: Any) -> None:
        if holds:
            held.append(route)
        else:
            route.continue_()

    tab.page.route("**/row?*set%3Aage=33*", hold)
    field = tab.page.locator("input[name='set:age']")
    field.fill("33")
    field.press("Enter")
    tab.until("document.documentElement.hasAttribute('aria-busy')")
    other = tab.page.locator("input[name='set:hours']")
    other.focus()
    other.fill("12.5")
    tab.page.wait_for_timeout(100)
    holds.clear()
    for route in held:
        with suppress(Exception):  # one may be of a request that was ended
            route.continue_()
    tab.page.wait_for_url("**set%3Aage=33**")
    tab.settle()
    assert other.input_value() == "12.5"
    assert tab.page.evaluate(FOCUS) == other.get_attribute("id")


@pytest.mark.parametrize(
    ("path", "control", "after"),
    [
        ("/row?row=3", "next", "next"),
        ("/row?row=2", "previous", "previous"),
        ("/row?row=198", "next", "content"),  # there is none after it
        ("/?page=2", "sort-1", "sort-1"),
        ("/", "next", "next"),
        ("/", "to-report", "to-report"),
        ("/row?row=3", "own-fact", "own-fact"),
    ],
)
def test_the_focus_stays(tab: Tab, path: str, control: str, after: str) -> None:
    tab.go(path)
    url = tab.page.url
    tab.page.locator(f"#{control}").focus()
    if control == "own-fact":
        tab.page.keyboard.type("age > 3")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_url(lambda now: now != url)
    tab.settle()
    assert tab.page.evaluate(FOCUS) == after


def test_a_row_that_is_chosen_gives_the_focus_to_its_page(tab: Tab) -> None:
    tab.go("/")
    tab.page.get_by_role("link", name="5", exact=True).focus()
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_url("**/row?row=5")
    tab.settle()
    assert tab.page.evaluate(FOCUS) == "content"

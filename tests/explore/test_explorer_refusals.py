"""What cannot be taken is refused where it was typed, and the page stays as it was."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import pytest

import cattleya
from tests.explore.running import Client, opened
from tests.explore.test_explorer import loan, people, words
from tests.explore.test_explorer_browser import Tab

pytest.importorskip("starlette")

ROWS = people()


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    found, _ = opened(loan(ROWS), ROWS, data=ROWS.iloc[:0])
    yield found
    found.running.close()


@pytest.fixture
def tab(browser: Any, client: Client) -> Iterator[Tab]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield Tab(context.new_page(), client)
    context.close()


@pytest.mark.parametrize(
    "fact",
    [
        *("age > 1e999", "age > 1e400", "age > -1e999", "age is 1e999 to 5", "1e999 < age"),
        *("age = 1e999", "hours = 1e999", "hours <= 1e999", "age > 1e308", "age < -1e308"),
        *("age = 1e308", "hours > 1e308", "hours = -1e308", f"age > {'9' * 400}"),
    ],
)
def test_numbers_that_are_none_are_refused_by_name(client: Client, fact: str) -> None:
    answer = client.ask("/row", row=1, part="enough", fact=fact)
    assert answer.code == 200
    said = words(answer.text)
    assert fact[:20] in said
    assert "too far from 0" in said or "takes no such" in said
    assert "None" not in said
    explainer = cattleya.Explainer(loan(ROWS), over="intervals", data=ROWS.iloc[:0])
    with pytest.raises(ValueError, match=re.escape(fact[:20])):
        explainer.explain(ROWS.iloc[[1]]).verify([fact])


def test_all_values_may_be_said_with_a_number_beyond_them(client: Client) -> None:
    for fact in ("age <= 1e308", "age >= -1e308"):
        answer = client.ask("/row", row=1, part="enough", fact=fact)
        assert words(answer.text).startswith("No.")


def test_a_fact_that_cannot_be_read_is_said_beside_its_field(tab: Tab) -> None:
    tab.go("/row?row=1")
    field = tab.page.locator("#own-fact")
    field.fill("age > 1e999")
    field.press("Enter")
    tab.page.wait_for_selector("#own-fact-error")
    tab.settle()
    assert "1e999" in tab.page.inner_text("#own-fact-error")
    assert field.get_attribute("aria-describedby") == "own-fact-error"
    tab.page.locator(".fact.typed input").evaluate("it => it.click()")
    tab.page.wait_for_selector("#own-fact-error", state="detached")
    assert "fact=" not in tab.page.url
    assert tab.messages == []


def test_an_answer_that_is_no_page_is_shown(tab: Tab) -> None:
    tab.go("/row?row=1")
    url = tab.page.url
    tab.page.route(
        "**/row?row=2*",
        lambda route, _: route.fulfill(status=500, content_type="text/plain", body="At fault.\n"),
    )
    tab.page.get_by_role("link", name="Next row").click()
    tab.page.wait_for_selector("#lost:not([hidden])")
    assert tab.page.inner_text("#lost") == "At fault."
    assert tab.page.url == url


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [("age", "abc", "give a number"), ("age", "30.5", "whole numbers only"),
     ("hours", "1e400", "give a number"), ("job", "pilot", "clerk")],
)  # fmt: skip  # one case in each line
def test_a_value_that_is_none_leaves_the_page(
    client: Client, name: str, text: str, said: str
) -> None:
    without = client.ask("/row", ("set:hours", "20"), row=3)
    pairs = [("set:hours", "20"), (f"set:{name}", text)]
    for part in ("", "first"):
        refused = client.ask("/row", *pairs, row=3, part=part)
        assert refused.code == 422
        assert said in words(refused.text)
        heading = re.findall("<h1>.*?</h1>", client.ask("/row", row=3).text, flags=re.S)
        if name != "hours":
            heading = re.findall("<h1>.*?</h1>", without.text, flags=re.S)
        assert heading[0] in refused.text
        back = html.unescape(re.findall(r'id="without" href="([^"]+)"', refused.text)[0])
        known = {"Authorization": f"Bearer {client.token}"}
        assert client.raw(back, known).code == 200
        assert text not in back
    assert "undo all changes" in words(without.text).lower()
    fields = client.ask("/row", (f"set:{name}", text), row=3, part="fields").text
    assert said in words(fields)
    assert client.ask("/save/json", (f"set:{name}", text), row=3).code == 422


def test_a_value_that_is_none_is_said_beside_its_field(tab: Tab) -> None:
    tab.go("/row?row=3")
    heading = tab.page.inner_text("h1")
    for text in ("abc", "30.5"):
        field = tab.page.locator("input[name='set:age']")
        field.fill(text)
        field.press("Enter")
        tab.until(f"document.querySelector('.field .refused')?.textContent.includes('{text}')")
        tab.settle()
        assert field.input_value() == text
        assert tab.page.inner_text("h1") == heading
    tab.page.locator("#without").click()
    tab.page.wait_for_selector(".refused", state="detached")
    assert "age" not in tab.page.url

"""Pages opened in Chromium: no errors, no requests, names shown, printed, usable on a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sklearn.datasets import load_digits

from tests.present.test_pages import CASES, IMAGE, SCRIPT, explained, written

NARROW, WIDE = 400, 1200
LEAST_CONTRAST = 4.5  # of text, as the accessibility guidelines ask

# The contrast of each piece of text with what is behind it, as WCAG defines it.
CONTRASTS = """() => {
  const light = c => {
    const part = c.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
      .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
  };
  const behind = e => {
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (colour !== 'rgba(0, 0, 0, 0)') return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  return [...document.querySelectorAll('body *')]
    .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
    .filter(e => !e.closest('svg, style'))
    .map(e => {
      const pair = [light(getComputedStyle(e).color), light(behind(e))].sort((a, b) => b - a);
      return (pair[0] + 0.05) / (pair[1] + 0.05);
    });
}"""


@dataclass
class Opened:
    """A page in the browser, and what it did."""

    page: Any
    address: str
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    contexts = []

    def opener(case: str, width: int = WIDE, scheme: str = "light") -> Opened:
        path = tmp_path / "page.html"
        path.write_text(written(case), encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        contexts.append(context)
        opened = Opened(context.new_page(), path.as_uri())
        opened.page.on("console", lambda message: opened.messages.append(message.text))
        opened.page.on("pageerror", lambda error: opened.messages.append(str(error)))
        opened.page.on("dialog", lambda dialog: opened.messages.append(dialog.message))
        opened.page.on("request", lambda request: opened.requests.append(request.url))
        opened.page.goto(opened.address)
        return opened

    yield opener
    for context in contexts:
        context.close()


@pytest.mark.parametrize("case", CASES)
def test_no_errors_and_no_requests(case: str, open_page: Callable[..., Opened]) -> None:
    opened = open_page(case)
    opened.page.wait_for_load_state("networkidle")
    assert opened.messages == []
    assert [r for r in opened.requests if not r.startswith("data:")] == [opened.address]


def test_hostile_names_show_as_text(open_page: Callable[..., Opened]) -> None:
    opened = open_page("hostile")
    text = opened.page.inner_text("body")
    assert SCRIPT in text
    assert IMAGE in text
    assert opened.page.locator("script, img").count() == 0


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_nothing_runs_over_the_side(
    case: str, width: int, open_page: Callable[..., Opened]
) -> None:
    page = open_page(case, width).page
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    over = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(over) == 0
    wide = """[...document.querySelectorAll('body *')]
        .filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML)"""
    assert page.evaluate(wide) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_are_readable(scheme: str, open_page: Callable[..., Opened]) -> None:
    page = open_page("cancer", WIDE, scheme).page
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    assert min(page.evaluate(CONTRASTS)) >= LEAST_CONTRAST


def test_it_works_by_keyboard(open_page: Callable[..., Opened]) -> None:
    page = open_page("digits").page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.hash") == "#vocabularies"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open")


def test_it_prints_to_one_pdf(open_page: Callable[..., Opened]) -> None:
    page = open_page("cancer", WIDE, "dark").page
    printed = page.pdf(format="A4")
    assert printed.startswith(b"%PDF-")
    assert printed.rstrip().endswith(b"%%EOF")
    page.emulate_media(media="print")  # black on white, whatever the screen is
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"


def test_the_fragment_leaves_its_surroundings_alone(browser: Any) -> None:
    fragment = explained(load_digits, 5)._repr_html_()
    page = browser.new_page()
    look = """() => [...document.querySelectorAll('#outside, #outside *')].map(e => {
        const style = getComputedStyle(e);
        return [...style].map(name => style.getPropertyValue(name)).join();
    })"""
    outside = "<div id=outside><p>a</p><table><tr><th>b</th></tr></table><ul><li>c</ul></div>"
    page.set_content(outside)
    before = page.evaluate(look)
    page.set_content(outside + fragment)
    assert page.evaluate(look) == before
    page.close()

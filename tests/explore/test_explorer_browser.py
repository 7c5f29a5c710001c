"""The explorer in Chromium: asked, changed, gone back from, by keyboard, on a phone; axe-core."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.explore.running import Client, opened
from tests.explore.test_explorer import loan, people
from tests.explore.test_explorer_safety import IMAGE, SCRIPT, hostile

pytest.importorskip("starlette")

LEVEL_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
SHIFTS = """new Promise(done => {
  let sum = 0;
  new PerformanceObserver(list => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) sum += one.value;
  }).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => done(sum), 300);
})"""


class Tab:
    """A page in the browser, and what it said."""

    def __init__(self, page: Any, client: Client) -> None:
        self.page, self.client, self.messages = page, client, list[str]()
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("dialog", lambda dialog: self.messages.append(dialog.message))
        page.goto(client.running.address)

    def go(self, path: str) -> None:
        """Open a path, and wait until all of it is there."""
        self.page.goto(f"http://{self.client.host}:{self.client.port}{path}")
        self.settle()

    def settle(self) -> None:
        """Wait until nothing is loaded any more."""
        self.until(
            "!document.querySelector('[data-load], [data-cancel], [aria-busy]') && "
            "!document.documentElement.hasAttribute('aria-busy')"
        )

    def until(self, expression: str) -> None:
        """Wait until something holds; the page's policy lets no script wait for it there."""
        for _ in range(600):
            if self.page.evaluate(f"() => Boolean({expression})"):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"it never came to {expression}")


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    rows = people()
    found, _ = opened(loan(rows), rows, data=rows.iloc[:0], protected=["job"])
    yield found
    found.running.close()


@pytest.fixture
def open_tab(browser: Any, client: Client) -> Iterator[Callable[..., Tab]]:
    contexts = []

    def opener(width: int = 1280, scheme: str = "light", at: Client = client) -> Tab:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        return Tab(context.new_page(), at)

    yield opener
    for context in contexts:
        context.close()


def test_one_asks_changes_and_sees(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    page = tab.page
    assert "token" not in page.url
    page.get_by_role("link", name="3", exact=True).click()
    page.wait_for_url("**/row?row=3")
    tab.settle()
    before = page.locator("h1").inner_text()

    # A fact taken in is judged; going back takes it out again.
    page.locator(".facts input").first.check()
    page.wait_for_selector(".verdict.no, .verdict.yes")
    assert "fact=" in page.url
    page.go_back()
    tab.settle()
    assert "fact=" not in page.url
    assert page.locator(".verdict.empty").count() == 1
    assert not page.locator(".facts input").first.is_checked()

    # The nearest row that gets something else is put in; reload and the address keep it.
    page.get_by_role("link", name="Put it in").first.click()
    page.wait_for_selector(".was")
    assert page.locator("h1").inner_text() != before
    tab.settle()
    changed = page.locator("h1").inner_text()
    page.reload()
    tab.settle()
    assert page.locator("h1").inner_text() == changed
    page.get_by_role("link", name="Undo all changes").click()
    page.wait_for_selector(".was", state="detached")
    assert page.locator("h1").inner_text() == before

    # Values are typed and slid; toggles and the vocabulary are followed.
    tab.settle()
    page.locator("input[name='set:age']").fill("79")
    page.locator("input[name='set:age']").press("Tab")
    page.wait_for_url("**set%3Aage=79**")
    tab.settle()
    assert page.locator("input[name='set:age']").input_value() == "79"
    page.locator("input[type=range]").first.fill("0")
    tab.until("!location.href.includes('age=79')")
    tab.settle()
    page.locator("#exclude-0").check()
    page.wait_for_url("**exclude=**")
    tab.settle()
    page.locator("#over-features").check()
    page.wait_for_url("**over=features**")
    tab.settle()
    assert tab.messages == []


def test_what_takes_long_can_be_cancelled_and_goes_on(
    open_tab: Callable[..., Tab], client: Client
) -> None:
    tab = open_tab()
    asked = []
    tab.page.on("request", lambda request: asked.append(request.url))
    tab.go("/row?row=11")
    assert sum("part=count" in one for one in asked) == 5  # one step after the other
    slow = open_tab()
    steps, held = iter([True]), []
    slow.page.route(  # the second step is not answered
        "**/row?*part=count*",
        lambda route: route.continue_() if next(steps, False) else held.append(route),
    )
    slow.page.goto(f"http://{client.host}:{client.port}/row?row=12")
    slow.page.locator("[data-cancel=count]").click()
    assert "Cancelled" in slow.page.inner_text("#count")
    for route in held:
        route.abort()
    slow.page.unroute_all(behavior="ignoreErrors")
    slow.page.get_by_role("button", name="Go on").click()
    slow.settle()
    assert "Checked:" in slow.page.inner_text("#count")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_every_view_is_accessible_and_fits(
    open_tab: Callable[..., Tab], width: int, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    tab = open_tab(width, scheme)
    views = (
        "/",
        "/?text=zebra",
        "/row?row=3&fact=age+%3E%3D+18&set:age=44",
        "/compare?row=0&other=1",
        "/report?by=job&protected=job",
        "/row?row=9999",
    )
    for path in views:
        tab.go(path)
        tab.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        found = axe.run(tab.page, options={"runOnly": {"type": "tag", "values": LEVEL_AA}})
        wrong = [
            (one["id"], [node["html"][:200] for node in one["nodes"][:3]])
            for one in found.response["violations"]
        ]
        assert wrong == [], path
        over = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert tab.page.evaluate(over) == 0, path


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_jumps_while_answers_arrive(open_tab: Callable[..., Tab], width: int) -> None:
    tab = open_tab(width)
    tab.go("/row?row=3")
    assert tab.page.evaluate(SHIFTS) < 0.1  # what is called good
    tab.go("/")
    tab.page.get_by_role("link", name="4", exact=True).evaluate("one => one.click()")
    tab.page.wait_for_url("**/row?row=4")
    tab.settle()
    assert tab.page.evaluate(SHIFTS) < 0.1


def test_the_reason_comes_first_and_all_else_follows(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    page, asked, held = tab.page, list[str](), list[Any]()
    tab.go("/row?row=6&over=features")
    at_once = page.inner_text("main")
    tab.go("/row?row=5&over=features")
    page.locator("#constraints > summary").click()
    page.on("request", lambda request: asked.append(request.url))
    page.route("**part=rest", lambda route, _: held.append(route))
    page.get_by_role("link", name="Next row").evaluate("one => one.click()")
    page.wait_for_url("**/row?row=6&over=features")
    for _ in range(100):
        if held:
            break
        page.wait_for_timeout(20)
    assert page.inner_text("#why").startswith("Why")
    assert page.locator("main .reason li").count() > 0  # while the rest is not there
    assert page.locator("#constraints").count() == 0
    held[0].continue_()
    tab.settle()
    assert asked[0].endswith("part=first")
    assert page.locator("#constraints").evaluate("it => it.open")  # as on the row before
    page.locator("#constraints > summary").click()
    assert page.inner_text("main") == at_once
    asked.clear()
    page.locator("#over-intervals").check()  # what is changed on a page is answered as a whole
    page.wait_for_url("**over=intervals**")
    tab.settle()
    assert "part=" not in asked[0]


def test_a_row_that_is_shown_is_in_the_browser_when_it_is_chosen(
    open_tab: Callable[..., Tab],
) -> None:
    tab = open_tab()
    page, asked = tab.page, list[str]()
    tab.go("/")
    tab.until("performance.getEntriesByType('resource').some(one => one.name.endsWith('/ahead'))")
    page.on("request", lambda request: asked.append(request.url))
    page.route("**part=*", lambda route, _: route.abort())
    page.get_by_role("link", name="7", exact=True).evaluate("one => one.click()")
    page.wait_for_url("**/row?row=7")
    assert page.locator("main .reason li").count() > 0
    assert all("part=" in one and "part=first" not in one for one in asked)
    page.unroute_all(behavior="ignoreErrors")
    at_once = page.inner_text("#why")
    tab.go("/row?row=7")
    assert page.inner_text("#why") == at_once
    assert page.locator("main .reason li").count() > 0


def test_a_row_is_asked_for_when_the_pointer_rests_on_it(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    tab.page.route("**/ahead", lambda route, _: route.abort())  # as where it takes long
    tab.go("/")
    asked: list[str] = []
    tab.page.on("request", lambda request: asked.append(request.url))
    link = tab.page.get_by_role("link", name="7", exact=True)
    link.hover()
    for _ in range(100):
        if asked:
            break
        tab.page.wait_for_timeout(20)
    assert [one.partition("?")[2] for one in asked] == ["row=7"]
    link.click()
    tab.page.wait_for_url("**/row?row=7")
    tab.settle()
    assert sum(one.endswith("?row=7") for one in asked) == 1  # not once more
    assert "row 7" in tab.page.title()
    tab.page.go_back()
    tab.settle()
    assert tab.page.locator("table.rows").count() == 1


def test_by_keyboard(open_tab: Callable[..., Tab]) -> None:
    tab = open_tab()
    page = tab.page
    page.get_by_role("link", name="0", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/row?row=0")
    tab.settle()
    page.locator("#over-intervals").focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**over=features**")
    tab.settle()
    assert page.evaluate("document.activeElement.id") == "over-features"
    page.locator("#fact-0-0").focus()
    page.keyboard.press("Space")
    page.wait_for_selector(".verdict.no, .verdict.yes")
    assert page.evaluate("document.activeElement.id") == "fact-0-0"


def test_hostile_names_run_nothing(open_tab: Callable[..., Tab]) -> None:
    model, rows = hostile()
    found, _ = opened(model, rows)
    try:
        tab = open_tab(at=found)
        for path in ("/", "/row?row=1", "/compare?row=0&other=1", "/report"):
            tab.go(path)
            assert tab.page.locator("img").count() == 0
        tab.go("/row?row=1")
        assert SCRIPT in tab.page.inner_text("main")
        assert IMAGE in tab.page.inner_text("main")
        assert tab.messages == []
    finally:
        found.running.close()

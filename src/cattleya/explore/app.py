"""The pages of the explorer, and the addresses that they have.

The first page is that of the rows: whatever the others need is imported behind it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable
from functools import cache, partial
from importlib.resources import files
from itertools import product
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from cattleya.explore.asking import Asking, Busy, Gone
from cattleya.explore.explorer import Explorer
from cattleya.explore.guard import Guard
from cattleya.explore.rows_view import Message, RowsView
from cattleya.explore.state import FIRST, WHOLE, BadAddress, Chosen, State, checked_part
from cattleya.present.pages.page import environment
from cattleya.present.words.numbers import name
from cattleya.support.errors import Cancelled, MemoryLimitExceeded, TimeoutExpired
from cattleya.support.files.errors import TableFileError

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["made_app"]

STATIC = {
    "page.css": ("cattleya.present.pages", "templates", "text/css"),
    "explore.css": ("cattleya.explore", "static", "text/css"),
    "explore.js": ("cattleya.explore", "static", "text/javascript"),
}
REPORT_PARTS = ("decided", "progress", "explained")
SECONDS_BEHIND = 2.0  # that rows are explained for which nobody has asked yet
SECONDS_BETWEEN = 0.02  # looks at what was made behind the table
WHOLE_PAGES = ("", FIRST, WHOLE)
PATIENCE = 2.0  # seconds for the first page
REFUSED = 422
SLOW_PARTS = ("reason", "nearest", "count", "changes", "short", WHOLE)

Answer = tuple[str, str, dict[str, str], int]  # text, its type, further headers, and the code


@cache
def templates() -> Environment:
    """Return what fills templates in: those of all pages, and the explorer's own."""
    from jinja2 import ChoiceLoader, PackageLoader

    shared = environment()
    assert shared.loader is not None
    own = shared.overlay(
        loader=ChoiceLoader([PackageLoader("cattleya.explore"), shared.loader]), auto_reload=False
    )
    own.filters = {**shared.filters, "short": "{:.6g}".format, "as_name": name}
    return own


class Pages:
    """Answers requests about one explorer."""

    def __init__(self, explorer: Explorer, asking: Asking) -> None:
        self._explorer, self._asking = explorer, asking
        self._shown: list[int] = []  # rows, of the table that was asked for last
        self._first: dict[tuple[Any, ...], str] = {}  # the pages that these begin with
        self._begun, self._ready = threading.Event(), False
        self._made = threading.Event()  # all that is made behind the table that was asked for last
        asking.end_others = explorer.jobs.close

    # The views.

    async def rows(self, request: Request) -> Response:
        """Answer with the table; then the rows that are shown are explained behind it."""
        answer = await self._answered(request, self._rows, quick=False)
        made = self._made = threading.Event()
        self._asking.ask_behind(partial(self._explain_shown, made))
        return answer

    async def ahead(self, request: Request) -> Response:
        """Answer with the pages that the rows of the table begin with, as they are made.

        A row that is chosen then is in the browser already.
        """
        return StreamingResponse(self._lines_ahead(), media_type="application/x-ndjson")

    async def _lines_ahead(self) -> AsyncIterator[str]:
        made, left = self._made, dict.fromkeys(self._shown)
        end = time.monotonic() + 2 * SECONDS_BEHIND
        while left and time.monotonic() < end:
            is_last, first = made.is_set(), self._first
            for place in list(left):
                text = first.get(State(row=place, over=self._explorer.over).key)
                if text is not None:
                    del left[place]
                    yield json.dumps([f"/row?row={place}", text]) + "\n"
            if is_last:
                return
            await asyncio.sleep(SECONDS_BETWEEN)

    async def row(self, request: Request) -> Response:
        """Answer with the page about a row, or a part of it."""
        self._asking.end_behind()
        began = time.perf_counter()
        part = request.query_params.get("part", "")
        if part == FIRST and (text := self._made_before(request)) is not None:
            return _response(text, "text/html", began)
        return await self._answered(request, self._row, quick=part not in SLOW_PARTS)

    async def report(self, request: Request) -> Response:
        """Answer with the page about the whole table, or a part of it."""
        return await self._answered(request, self._report, quick=False)

    async def compare(self, request: Request) -> Response:
        """Answer with two rows side by side."""
        return await self._answered(request, self._compare, quick=True)

    async def save(self, request: Request) -> Response:
        """Answer with a file."""
        made = partial(self._save, request.path_params["kind"])
        return await self._answered(request, made, quick=False)

    def make_ready(self) -> None:
        """Make the first page before it is asked for: a browser takes a while to open."""
        try:
            _html("rows.html", RowsView(self._explorer, Chosen.read([], self._explorer.protected)))
        finally:
            self._begun.set()

    def _explain_shown(self, made: threading.Event) -> None:
        """Explain the rows that are shown, for a while: a click on one then takes no more."""
        try:
            self._make_first()
        finally:
            made.set()

    def _make_first(self) -> None:
        from cattleya.explore.view import RowView

        explorer, end = self._explorer, time.monotonic() + SECONDS_BEHIND
        shown = () if explorer.context.is_ensemble else tuple(self._shown)
        kept = {State(row=place, over=explorer.over).key for place in shown}
        self._first = {key: text for key, text in self._first.items() if key in kept}
        for whole, place in product((False, True), shown):
            if time.monotonic() < end:
                with contextlib.suppress(ValueError, TypeError):  # told to whoever asks
                    state = State(row=place, over=explorer.over)
                    explorer.found(state, whole=whole)
                    if state.key not in self._first:
                        view = RowView(explorer, state, FIRST)
                        self._first[state.key] = _html("row.html", view)[0]
                    if not self._ready:  # with all that is made once
                        self._ready = bool(_html("row.html", RowView(explorer, state)))

    def _rows(self, given: list[tuple[str, str]]) -> Answer:
        self._begun.wait(PATIENCE)  # nothing is made twice at once
        view = RowsView(self._explorer, Chosen.read(given, self._explorer.protected))
        part, self._shown = dict(given).get("part", ""), view.shown.places
        return _html("rows_table.html" if part == "rows" else "rows.html", view)

    def _row(self, given: list[tuple[str, str]]) -> Answer:
        from cattleya.explore.view import RowView

        state = State.read(given, self._explorer.over)
        part = checked_part(dict(given).get("part", ""))
        view = RowView(self._explorer, state, part)
        if part == "count":
            view.take_step()
        elif part == "changes":
            view.find_changes()
        elif part in ("short", WHOLE):
            view.find_short()
        self._first.pop(state.key, None)  # more is known now
        return _html(
            "row.html" if part in WHOLE_PAGES else f"{part}.html",
            view,
            REFUSED if view.refused else 200,
        )

    def _compare(self, given: list[tuple[str, str]]) -> Answer:
        from cattleya.explore.compare import CompareView

        state = State.read(given, self._explorer.over)
        return _html("compare.html", CompareView(self._explorer, state))

    def _report(self, given: list[tuple[str, str]]) -> Answer:
        from cattleya.explore import report

        wanted = report.Wanted.read(given, self._explorer)
        part = checked_part(dict(given).get("part", ""), REPORT_PARTS)
        if part == "progress":
            job = self._explorer.job(wanted.chosen)
            if "stop" in dict(given):
                job.finish()
            job.wait(report.SECONDS_A_STEP)
            return _html("progress.html", report.Progress(job))
        if part == "explained":
            job = self._explorer.job(wanted.chosen)
            if job.summary is None:
                return "", "text/html", {}, 200
            explained = report.Explained(job.summary, self._explorer, wanted.chosen, job)
            return _html("explained.html", explained)
        view = report.ReportView(self._explorer, wanted)
        return _html("decided.html" if part else "report.html", view)

    def _save(self, kind: str, given: list[tuple[str, str]]) -> Answer:
        from cattleya.explore.saving import saved

        text, media, file = saved(self._explorer, templates(), given, kind)
        return text, media, {"content-disposition": f'attachment; filename="{file}"'}, 200

    # How they are answered.

    def _made_before(self, request: Request) -> str | None:
        """Return the page of a row as it is in the table, where it was made behind that."""
        given = [pair for pair in request.query_params.multi_items() if pair[0] != "part"]
        with contextlib.suppress(BadAddress):  # which is told as ever
            state = State.read(given, self._explorer.over)
            if state == State(row=state.row, over=state.over):
                return self._first.get(state.key)
        return None

    async def _answered(
        self,
        request: Request,
        make: Callable[[list[tuple[str, str]]], Answer],
        *,
        quick: bool,
    ) -> Response:
        given = [pair for pair in request.query_params.multi_items() if pair[0] != "token"]
        began = time.perf_counter()
        try:
            text, media, headers, code = await self._asking.ask(
                lambda: make(given), partial(_gone, request), quick=quick
            )
        except Gone:
            return Response(status_code=204)
        except Exception as error:
            code, heading = _failed(error)
            if not heading:
                raise
            is_part = dict(given).get("part", "") not in WHOLE_PAGES
            text, media, headers, _ = self._message(error, heading, is_part=is_part)
        return _response(text, media, began, code, headers)

    def _message(self, error: Exception, heading: str, *, is_part: bool) -> Answer:
        text = str(error) or heading
        view = Message(self._explorer, heading, text[:1].upper() + text[1:])
        return _html("message.html" if is_part else "error.html", view)


def _failed(error: Exception) -> tuple[int, str]:
    """Return the code and the heading of an answer that failed; no heading for our own faults."""
    known: Iterable[tuple[tuple[type[Exception], ...], int, str]] = (
        ((BadAddress,), 400, "This address cannot be used"),
        ((TimeoutExpired,), 200, "Not settled in time"),
        ((MemoryLimitExceeded, MemoryError), 200, "Not settled within the memory limit"),
        ((Cancelled,), 200, "Cancelled"),
        ((Busy,), 503, "Too many questions at once"),
        ((TableFileError, ValueError, TypeError), REFUSED, "This cannot be answered"),
    )
    for kinds, code, heading in known:
        if isinstance(error, kinds):
            return code, heading
    return 500, ""


def _response(
    text: str, media: str, began: float, code: int = 200, headers: dict[str, str] | None = None
) -> Response:
    taken = (time.perf_counter() - began) * 1000
    return Response(
        text,
        code,
        {**(headers or {}), "server-timing": f"answer;dur={taken:.3f}"},
        media_type=f"{media}; charset=utf-8",
    )


async def _gone(request: Request) -> None:
    """Wait until nobody waits for the answer any more."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _html(template: str, view: Any, code: int = 200) -> Answer:
    return templates().get_template(template).render(it=view), "text/html", {}, code


@cache
def _static(file: str) -> Response | None:
    if file not in STATIC:
        return None
    package, folder, media = STATIC[file]
    text = (files(package) / folder / file).read_text(encoding="utf-8")
    return Response(text, media_type=f"{media}; charset=utf-8")


async def static(request: Request) -> Response:
    """Answer with the style or the script."""
    found = _static(request.path_params["file"])
    return Response("There is no such file.\n", 404) if found is None else found


async def missing(request: Request, error: Exception) -> Response:
    """Answer what is asked under an address that there is not."""
    return Response("There is no such page; the explorer begins at /.\n", 404)


async def broken(request: Request, error: Exception) -> Response:
    """Answer where we are at fault, without any of its traces."""
    return Response("Unexpected: this is a fault of cattleya; please report it.\n", 500)


def made_app(explorer: Explorer, asking: Asking, token: str, hosts: Iterable[str]) -> Any:
    """Return the application: what a server runs."""
    pages = Pages(explorer, asking)
    asking.ask_behind(pages.make_ready)
    app = Starlette(
        routes=[
            Route("/", pages.rows),
            Route("/row", pages.row),
            Route("/ahead", pages.ahead),
            Route("/report", pages.report),
            Route("/compare", pages.compare),
            Route("/save/{kind}", pages.save),
            Route("/static/{file}", static),
        ],
        exception_handlers={404: missing, 500: broken},
    )
    return Guard(app, token, hosts)

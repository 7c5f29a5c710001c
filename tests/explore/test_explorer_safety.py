"""Who may ask the explorer, what bounds it, and that hostile names and values are only shown."""

from __future__ import annotations

import asyncio
import gc
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya.explore import asking
from cattleya.explore.asking import Asking, Busy, Gone
from cattleya.support.errors import Cancelled
from cattleya.support.limits import Deadline
from tests.checks.command import called
from tests.explore.running import Client, opened

pytest.importorskip("starlette")

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(2)>'
PAGES = ("/", "/row?row=1", "/row?row=1&part=facts", "/compare?row=0&other=1", "/report")


def hostile() -> tuple[Any, pd.DataFrame]:
    """A model and rows whose every name is an attack."""
    rows = pd.DataFrame({SCRIPT: [1, 2, 3, 4], IMAGE: [4, 3, 2, 1]})
    truth = np.array([SCRIPT, SCRIPT, IMAGE, IMAGE])
    rows_with_more = rows.assign(**{"'; DROP TABLE": [SCRIPT, IMAGE, "{{ 7*7 }}", "\x1b[31m"]})
    return DecisionTreeClassifier(random_state=0).fit(rows, truth), rows_with_more


class Tags(HTMLParser):
    """The attributes of a page, and what it loads."""

    def __init__(self) -> None:
        super().__init__()
        self.attributes, self.loaded = set[str](), list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes |= {name for name, _ in attrs}
        if tag in ("script", "link", "img", "iframe", "object", "embed"):
            self.loaded += [value or "" for name, value in attrs if name in ("src", "href")]
            assert tag != "script" or "src" in dict(attrs)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    model, rows = hostile()
    found, _ = opened(model, rows)
    yield found
    found.running.close()


def test_without_the_token_nothing_is_told(client: Client) -> None:
    for path in (*PAGES, "/static/explore.js", "/save/json?row=0", "/nowhere"):
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": "cattleya=wrong"}):
            answer = client.raw(path, dict(headers))
            assert answer.code == 401
            assert SCRIPT not in answer.text
    assert client.raw("/?token=wrong").code == 401
    assert client.raw(f"/?token={client.token[:-1]}").code == 401
    assert len(client.token) >= 40


def test_the_token_in_the_address_becomes_a_cookie(client: Client) -> None:
    answer = client.raw(f"/?token={client.token}")
    assert answer.code == 200
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite" in cookie
    assert client.raw("/row?row=1", {"Cookie": cookie.partition(";")[0]}).code == 200
    assert client.token not in answer.text


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"Host": "evil.example:{port}"}, 403),
        ({"Host": "127.0.0.1"}, 403),
        ({"Host": "127.0.0.1.evil.example:{port}"}, 403),
        ({"Host": "localhost:{port}"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:{port}"}, 200),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, 403),
        (
            {
                "Sec-Fetch-Site": "cross-site",
                "Sec-Fetch-Mode": "navigate",
                "Sec-Fetch-Dest": "iframe",
            },
            403,
        ),
        ({"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}, 200),
    ],
)
def test_requests_from_elsewhere_are_refused(
    client: Client, headers: dict[str, str], code: int
) -> None:
    sent = {name: value.format(port=client.port) for name, value in headers.items()}
    answer = client.raw("/", sent | {"Authorization": f"Bearer {client.token}"})
    assert answer.code == code


def test_nothing_can_be_sent_to_it(client: Client) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        answer = client.raw("/", {"Authorization": f"Bearer {client.token}"}, method)
        assert answer.code == 405


def test_every_answer_has_a_strict_policy(client: Client) -> None:
    known = {"Authorization": f"Bearer {client.token}"}
    for path, headers in [(path, known) for path in (*PAGES, "/nowhere", "/row?row=9")] + [
        ("/", {})
    ]:
        policy = client.raw(path, headers).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy


def test_hostile_names_are_text_and_nothing_is_loaded_from_elsewhere(client: Client) -> None:
    for path in PAGES:
        text = client.raw(path, {"Authorization": f"Bearer {client.token}"}).text
        assert SCRIPT not in text
        assert "<img" not in text
        assert "{{ 7*7 }}" in text or path != "/"
        tags = Tags()
        tags.feed(text)
        assert not [name for name in tags.attributes if name == "style" or name.startswith("on")]
        assert all(one.startswith(("/static/", "data:")) for one in tags.loaded)
    for name in (SCRIPT, IMAGE):
        answer = client.ask("/row", (f"set:{name}", "oops"), ("fact", name), row=1)
        assert name not in answer.text


def test_it_listens_on_the_loopback_only(client: Client) -> None:
    assert client.running._socket.getsockname()[0] == "127.0.0.1"


def test_addresses_are_bounded(client: Client) -> None:
    assert client.ask("/row", ("fact", "a" * 9000), row=1).code == 400
    assert client.ask("/row", *[("fact", f"a > {i}") for i in range(600)], row=1).code == 400
    assert client.ask("/", page=10**17).code == 200  # the last one
    assert client.ask("/row", n="9" * 30, row=1).code == 400


def test_a_closed_tab_cancels_its_question(monkeypatch: pytest.MonkeyPatch) -> None:
    model, rows = hostile()
    client, explorer = opened(model, rows)
    begun, ended = threading.Event(), threading.Event()

    def endless(*_: Any, **__: Any) -> Any:
        begun.set()
        try:
            while True:
                Deadline(None).check()
                time.sleep(0.005)
        except Cancelled:
            ended.set()
            raise

    monkeypatch.setattr(explorer, "found", endless)
    try:
        with socket.create_connection((client.host, client.port)) as line:
            request = f"GET /row?row=1&token={client.token} HTTP/1.1\r\n"
            line.sendall(f"{request}Host: {client.host}:{client.port}\r\n\r\n".encode())
            assert begun.wait(20)
            assert not ended.is_set()
        assert ended.wait(20)
        assert client.ask("/").code == 200
    finally:
        client.running.close()


def test_readers_who_leave_are_not_told_of() -> None:
    """What a question ends with that nobody waits for is no fault to be reported."""
    reported: list[Any] = []

    def until_cancelled() -> None:
        while True:
            Deadline(None).check()
            time.sleep(0.001)

    async def left() -> None:
        pool = Asking()
        asyncio.get_running_loop().set_exception_handler(lambda _, told: reported.append(told))

        async def leave() -> None:
            await asyncio.sleep(0.02)

        asked = (pool.ask(until_cancelled, leave, quick=True) for _ in range(6))
        done = await asyncio.gather(*asked, return_exceptions=True)
        assert all(isinstance(one, Gone) for one in done)
        await asyncio.sleep(0.1)
        gc.collect()
        pool.close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(left())).result()
    gc.collect()
    assert reported == []


def test_only_some_questions_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST_WAITING", 3)
    release = threading.Event()

    async def all_at_once() -> list[Any]:
        pool = Asking()

        async def forever() -> None:
            await asyncio.sleep(60)

        tasks = [
            asyncio.ensure_future(pool.ask(lambda: release.wait(20), forever, quick=True))
            for _ in range(5)
        ]
        await asyncio.sleep(0.05)
        release.set()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        pool.close()
        return list(done)

    with ThreadPoolExecutor(1) as thread:  # the browser's driver has a loop in this one
        done = thread.submit(lambda: asyncio.run(all_at_once())).result()
    assert sum(isinstance(one, Busy) for one in done) == 2
    assert sum(one is True for one in done) == 3


def test_pickles_are_not_loaded_without_trust(tmp_path: Path) -> None:
    model, rows = hostile()
    joblib.dump(model, tmp_path / "model.joblib")
    rows.to_csv(tmp_path / "t.csv", index=False)
    done = called("explore", "model.joblib", "t.csv", "--no-browser", cwd=tmp_path)
    assert done.returncode == 2
    assert "--trust" in done.stderr


def test_the_command_prints_its_address_and_ends_by_interrupt(tmp_path: Path) -> None:
    tree = cattleya.Tree.from_nested(("a", "no", ("b", "yes", "no")))
    (tmp_path / "tree.json").write_text(tree.to_json(), encoding="utf-8")
    (tmp_path / "t.csv").write_text("a,b\n1,0\n0,1\n", encoding="utf-8")
    command = [sys.executable, "-m", "cattleya", "explore", "tree.json", "t.csv", "--no-browser"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{40,}", address)
            port = re.search(r":(\d+)/", address)
            assert port is not None
            taken = called(*command[3:], "--port", port[1], cwd=tmp_path)
            assert taken.returncode == 2
            assert "in use" in taken.stderr
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
        finally:
            process.kill()  # where it has not ended
    assert process.returncode == 0
    assert "Traceback" not in errors


def test_time_and_memory_of_every_question_are_bounded() -> None:
    random = np.random.default_rng(0)
    rows = random.normal(size=(400, 12))
    model = DecisionTreeClassifier(random_state=0).fit(rows, random.integers(0, 3, 400))
    client, explorer = opened(model, rows[:20])
    try:
        explorer.timeout = 1e-6
        for part in ("", "short", "nearest", "count", "changes"):
            answer = client.ask("/row", row=3, part=part)
            assert answer.code == 200
            if part in ("", "nearest"):  # what is found before the first look at the clock is told
                assert "within 1e-06 second" in answer.text
        for kind in ("page", "json"):
            assert client.ask(f"/save/{kind}", row=3).code == 200
    finally:
        client.running.close()
    client, _ = opened(model, rows[:20], memory_limit=1 << 12)
    try:
        for part in ("", "short", "nearest", "count", "changes"):
            answer = client.ask("/row", row=3, part=part, over="conditions")
            assert answer.code == 200
        told = (client.ask("/row", row=3, part="count").text for _ in range(6))
        assert any("within the memory limit" in text for text in told)
    finally:
        client.running.close()

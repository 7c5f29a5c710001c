"""Who may ask: only who knows the token, at one of our own names, from a page of our own.

A page elsewhere can have a browser send requests to this machine. It does not know the token, and
the cookie that stands for it is sent by pages of our own only; a name that is made to point here
(DNS rebinding) is none of ours, and refused before anything else is looked at.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard", "new_token"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
NO_STORE = (b"cache-control", b"no-store")
MOST_FIELDS = 2000
METHODS = ("GET", "HEAD")
OWN_PAGES = ("same-origin", "none")


def new_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_urlsafe(32)


class Guard:
    """Refuses what is not for us, and adds to every answer what a browser has to hold to."""

    def __init__(self, app: ASGIApp, token: str, hosts: Iterable[str]) -> None:
        self._app, self._token = app, token.encode()
        self._hosts = frozenset(host.lower() for host in hosts)
        port = next(iter(sorted(self._hosts)), "").rpartition(":")[2]
        self._cookie = f"cattleya-{port}"  # cookies know no ports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # a WebSocket: there is none
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        given = self._token_of(scope, headers)
        refusal = self._refusal(scope, headers) or (None if given else (401, UNKNOWN))

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = {name.lower() for name, _ in message.get("headers", ())}
                message.setdefault("headers", [])
                message["headers"] = [*message["headers"], *HEADERS]
                if b"cache-control" not in known:
                    message["headers"].append(NO_STORE)
                if given == "address":
                    message["headers"].append((b"set-cookie", self._set_cookie()))
            await send(message)

        if refusal is None:
            await self._app(scope, receive, guarded)
            return
        code, text = refusal
        body = text.encode()
        await guarded(
            {
                "type": "http.response.start",
                "status": code,
                "headers": [
                    (b"content-type", b"text/plain; charset=utf-8"),
                    (b"content-length", str(len(body)).encode()),
                ],
            }
        )
        await guarded({"type": "http.response.body", "body": body})

    def _refusal(self, scope: Scope, headers: dict[bytes, str]) -> tuple[int, str] | None:
        if headers.get(b"host", "").lower() not in self._hosts:
            return 403, "This address is not the explorer's: open the one that it printed.\n"
        if scope["method"] not in METHODS:
            return 405, "The explorer only answers; nothing can be sent to it.\n"
        if scope["query_string"].count(b"&") >= MOST_FIELDS:
            return 400, f"This address holds more than {MOST_FIELDS:,} fields; take some out.\n"
        origin = headers.get(b"origin")
        if origin is not None and origin.lower().removeprefix("http://") not in self._hosts:
            return 403, FROM_ELSEWHERE
        site = headers.get(b"sec-fetch-site", "none")
        opens = headers.get(b"sec-fetch-mode") == "navigate"
        if site not in OWN_PAGES and not (
            opens and headers.get(b"sec-fetch-dest", "document") == "document"
        ):
            return 403, FROM_ELSEWHERE
        return None

    def _token_of(self, scope: Scope, headers: dict[bytes, str]) -> str | None:
        """Return where the right token stands: in the address, a header or a cookie."""
        query: dict[str, list[str]] = {}
        with suppress(ValueError):  # too many fields: that is said
            query = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=MOST_FIELDS)
        if self._is_right(query.get("token", [""])[-1]):
            return "address"
        if self._is_right(headers.get(b"authorization", "").removeprefix("Bearer ")):
            return "header"
        try:
            cookies = SimpleCookie(headers.get(b"cookie", ""))
        except CookieError:
            return None
        own = cookies.get(self._cookie)
        return "cookie" if own is not None and self._is_right(own.value) else None

    def _is_right(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._token)

    def _set_cookie(self) -> bytes:
        value = f"{self._cookie}={self._token.decode()}; Path=/; HttpOnly; SameSite=Lax"
        return value.encode()


UNKNOWN = "The explorer asks for its token: open the address that it printed, with the token.\n"
FROM_ELSEWHERE = "This request comes from a page that is not the explorer's.\n"

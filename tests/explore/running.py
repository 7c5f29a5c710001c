"""An explorer that runs, and what asks it."""

from __future__ import annotations

import http.client
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

import cattleya
from cattleya.explore.explorer import Explorer, explorer_of
from cattleya.explore.server import Running, started

__all__ = ["Asked", "Client", "opened"]


@dataclass(frozen=True)
class Asked:
    """An answer."""

    code: int
    text: str
    headers: dict[str, str]


class Client:
    """Asks a running explorer, with its token unless told otherwise."""

    def __init__(self, running: Running) -> None:
        where = urlsplit(running.address)
        self.running, self.host, self.port = running, str(where.hostname), int(where.port or 0)
        self.token = where.query.removeprefix("token=")

    def raw(self, path: str, headers: dict[str, str] | None = None, method: str = "GET") -> Asked:
        """Ask for a path with nothing but some headers."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=600)
        try:
            connection.request(method, path, headers=headers or {})
            answer = connection.getresponse()
            text = answer.read().decode("utf-8")
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Asked(answer.status, text, found)
        finally:
            connection.close()

    def ask(self, path: str, *pairs: tuple[str, Any], **given: Any) -> Asked:
        """Ask for a page."""
        query = urlencode([*pairs, *given.items()])
        address = f"{path}?{query}" if query else path
        return self.raw(address, {"Authorization": f"Bearer {self.token}"})


def opened(model: Any, rows: Any, **settings: Any) -> tuple[Client, Explorer]:
    """Start an explorer of a model and rows; the caller closes ``client.running``."""
    settings.setdefault("over", "intervals")
    image = settings.pop("image", None)
    protected = settings.pop("protected", ())
    explorer = explorer_of(
        cattleya.Explainer(model, **settings), rows, image=image, protected=protected
    )
    return Client(started(explorer, open_browser=False)), explorer

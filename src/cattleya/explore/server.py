"""Runs the explorer: on this machine only, unless told otherwise."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import socket
import threading
import time
import webbrowser
from html import escape
from typing import TYPE_CHECKING, Any

from cattleya.explore.explorer import Explorer
from cattleya.support.guards import is_whole
from cattleya.support.text import shown

if TYPE_CHECKING:
    from uvicorn import Server

__all__ = ["Running", "listening", "needs_extra", "started"]

LOOPBACK = "127.0.0.1"
NAMES_OF_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
PATIENCE = 10.0  # seconds to start and to end
MOST_CONNECTIONS = 64
IPV6 = 6


def needs_extra() -> None:
    """Say what to install where the server's libraries are not there."""
    from importlib.util import find_spec

    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise ImportError(
            'the explorer needs starlette and uvicorn: pip install "cattleya[explore]"'
        )


class Running:
    """An explorer that runs. Made by :meth:`cattleya.Explainer.explore`.

    Attributes
    ----------
    address : str
        What to open in a browser, with the token in it.
    """

    def __init__(self, explorer: Explorer, opened: socket.socket, host: str) -> None:
        from cattleya.explore.asking import Asking
        from cattleya.explore.guard import new_token

        port = opened.getsockname()[1]
        names = _names(host)
        self._token, self._hosts = new_token(), [f"{name}:{port}" for name in names]
        self._explorer, self._asking, self._socket = explorer, Asking(), opened
        self.address = f"http://{names[0]}:{port}/?token={self._token}"
        self._server: Server | None = None
        self._thread: threading.Thread | None = None

    def _made(self) -> Server:
        import uvicorn

        from cattleya.explore.app import made_app

        app = made_app(self._explorer, self._asking, self._token, self._hosts)
        config = uvicorn.Config(
            app,
            log_level="critical",
            access_log=False,
            lifespan="off",
            server_header=False,
            date_header=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=1,
            ws="none",
            loop="asyncio",
            http="h11",
            log_config=None,  # nothing is logged
        )
        return uvicorn.Server(config)

    def open_browser(self) -> None:
        """Open it in the user's browser, where there is one."""
        with contextlib.suppress(webbrowser.Error, OSError):
            webbrowser.open(self.address)

    def start(self) -> None:
        """Answer in a thread of its own; whoever has asked already has waited."""
        server = self._server = self._made()
        self._thread = threading.Thread(target=self._run, name="explorer", daemon=True)
        self._thread.start()
        end = time.monotonic() + PATIENCE
        while not server.started and self._thread.is_alive() and time.monotonic() < end:
            time.sleep(0.005)

    def wait(self) -> None:
        """Answer until somebody interrupts, then end all questions."""
        try:
            if self._thread is None:
                self.start()
            while self._thread is not None and self._thread.is_alive():
                self._thread.join(0.2)
        finally:
            self.close()

    def close(self) -> None:
        """End it, and all its questions."""
        self._asking.close()
        if self._server is not None:
            self._server.should_exit = True
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(PATIENCE)
        self._socket.close()

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Explorer at {self.address}>"

    def _repr_html_(self) -> str:
        address = escape(self.address)
        return f'<a href="{address}" target="_blank" rel="noopener">Open the explorer</a>'

    def _run(self) -> None:
        assert self._server is not None
        asyncio.run(self._server.serve(sockets=[self._socket]))


def started(
    explorer: Explorer, *, port: int = 0, host: str = LOOPBACK, open_browser: bool = True
) -> Running:
    """Start an explorer; ``OSError`` names a port that is in use."""
    running = listening(explorer, port=port, host=host)
    if open_browser:
        running.open_browser()
    running.start()
    return running


def listening(explorer: Explorer, *, port: int = 0, host: str = LOOPBACK) -> Running:
    """Return an explorer that can be asked, and answers once it is started.

    A browser takes a while to open, too.
    """
    needs_extra()
    return Running(explorer, _opened(host, port), host)


def _opened(host: str, port: Any) -> socket.socket:
    if not is_whole(port):
        raise TypeError(f"port must be a whole number, not {shown(port)}")
    if not 0 <= port <= 65535:  # noqa: PLR2004 - as many as there are
        raise ValueError(f"port must be 0 to 65535, not {shown(port)}; 0 takes a free one")
    if not isinstance(host, str):
        raise TypeError(f"host must be the name of this machine, not {shown(host)}")
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(
            host, int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError) as error:
        raise ValueError(f"host: {shown(host)} is no name of this machine; {error}") from None
    opened = socket.socket(family, kind, protocol)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(where)
        opened.listen(128)
    except OSError as error:
        opened.close()
        if error.errno == errno.EADDRINUSE:
            raise OSError(
                error.errno, f"the port {port} is in use; name another, or 0 for a free one"
            ) from None
        if error.errno == errno.EACCES:
            raise OSError(
                error.errno, f"the port {port} is not ours to use; name another"
            ) from None
        raise ValueError(f"host: {shown(host)} cannot be used: {error.strerror}") from None
    return opened


def _names(host: str) -> tuple[str, ...]:
    """Return the names by which a browser may ask: the loopback's, and the one that was given."""
    try:
        given = ipaddress.ip_address(host)
    except ValueError:
        return (host, *NAMES_OF_LOOPBACK) if host != "localhost" else NAMES_OF_LOOPBACK
    if given.is_loopback:
        own = f"[{host}]" if given.version == IPV6 else host
        return (own, *(name for name in NAMES_OF_LOOPBACK if name != own))
    if given.is_unspecified:  # all that this machine is called
        name = socket.gethostname()
        return (name, *NAMES_OF_LOOPBACK, *_addresses(name))
    return (f"[{host}]" if given.version == IPV6 else host, *NAMES_OF_LOOPBACK)


def _addresses(name: str) -> tuple[str, ...]:
    try:
        return tuple(dict.fromkeys(socket.gethostbyname_ex(name)[2]))
    except OSError:
        return ()

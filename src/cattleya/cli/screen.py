"""Output to the terminal: text, JSON, and progress while something takes long."""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import cattleya
from cattleya.support.text import printable

__all__ = ["progress", "show", "show_json"]

PATIENCE = 1.0  # seconds
# What a line is about: the words up to a colon or a question mark, unless it is a bullet.
_HEADING = re.compile(r"^[^\s\-][^:?]*[:?]")


def show(text: str) -> None:
    """Print text; on a terminal, the start of each line is highlighted."""
    lines = [printable(line) for line in text.split("\n")]
    if not sys.stdout.isatty():
        print("\n".join(lines))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for line in lines:
        styled = Text(line)
        if heading := _HEADING.match(line):
            styled.stylize("bold cyan", 0, heading.end())
        console.print(styled, soft_wrap=True)


def show_json(command: str, answer: Mapping[str, Any]) -> None:
    """Print an answer as JSON, with the command and the version that gave it."""
    head = {"cattleya": cattleya.__version__, "command": command}
    print(json.dumps(head | dict(answer), indent=2, allow_nan=False))


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Show what is being done, if it takes long and stderr is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    status = Console(stderr=True).status(f"{doing} ...")
    timer = threading.Timer(PATIENCE, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()

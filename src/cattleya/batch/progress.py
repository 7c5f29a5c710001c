"""Progress of long work, on a terminal's error stream and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["watched"]

Item = TypeVar("Item")

EVERY = 64  # rows


def watched(items: Iterable[Item], total: int | None, show: bool, done: int = 0) -> Iterator[Item]:
    """Give the items on, and show how many there were, at which rate, and the time left.

    ``done`` were there before; a ``total`` of None is not known.
    """
    if not show or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("explaining"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=total, completed=done, rate="")
        for now, item in enumerate(items, done + 1):
            yield item
            if now % EVERY == 0 or now == total:
                speed = bar.tasks[0].speed
                bar.update(task, completed=now, rate=f"{speed:,.0f} rows/s" if speed else "")

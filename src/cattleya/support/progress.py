"""Progress of long work, on a terminal's error stream and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Advance", "progress_bar", "unwatched"]

Advance = Callable[[int], None]


def unwatched(rows: int) -> None:
    """Note that some rows are done, for nobody."""


@contextmanager
def progress_bar(
    doing: str,
    total: Callable[[], int | None],
    show: bool | Advance,
    done: int = 0,
    unit: str = "rows",
) -> Iterator[Advance]:
    """Show how many rows there were, or other units, at which rate, and the time left.

    What is given takes note that more of them are done. ``done`` were there before; a ``total`` of
    None is not known. It is only asked for where it is shown: to count may take a while. Who wants
    to show it elsewhere gives what takes note instead of ``show``.
    """
    if callable(show):
        yield show
        return
    if not show or not sys.stderr.isatty():
        yield unwatched
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
        TextColumn(doing),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=total(), completed=done, rate="")

        def advance(rows: int) -> None:
            speed = bar.tasks[0].speed
            rate = f"{speed:,.0f} {unit}/s" if speed and speed >= 1 else ""
            bar.update(task, advance=rows, rate=rate)

        yield advance

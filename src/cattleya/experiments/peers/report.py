"""The comparison with peers as a table: who is right, and the time as ratios with their spread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np

from cattleya.experiments.machine import machine
from cattleya.experiments.peers.asking import PEERS, Cell
from cattleya.experiments.progress import duration
from cattleya.experiments.results_page import between_marks
from cattleya.experiments.tables import Table

__all__ = ["table", "write"]

HEADINGS = (
    "data set",
    "peer",
    "question",
    "answered",
    "right",
    "size, theirs / ours",
    "theirs, median",
    "ours, median",
    "theirs / ours: median (10% to 90%)",
    "trouble",
)
DISTRIBUTIONS = ("cattleya", "scikit-learn", *(peer.distribution for peer in PEERS.values()))


def table(cells: Sequence[Cell]) -> Table:
    """Return a line for each data set, peer and question, in the order in which they were asked."""
    groups: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.data, cell.peer, cell.question), []).append(cell)
    rows = [[*key, *_figures(group)] for key, group in groups.items()]
    return Table("Peers on the same rows", HEADINGS, rows, left=3)


def _figures(cells: Sequence[Cell]) -> list[str]:
    judged = [cell for cell in cells if cell.right is not None]
    sized = [cell.sizes for cell in cells if cell.sizes is not None]
    theirs = [cell.seconds for cell in cells if cell.seconds is not None]
    ours = [cell.our_seconds for cell in cells if cell.our_seconds is not None]
    ratios = [
        cell.seconds / cell.our_seconds
        for cell in cells
        if cell.seconds is not None and cell.our_seconds
    ]
    troubles = Counter(cell.trouble for cell in cells if cell.trouble)
    means = [f"{sum(side) / len(sized):.1f}" for side in zip(*sized, strict=True)]
    return [
        f"{len(theirs)} of {len(cells)}",
        f"{sum(bool(cell.right) for cell in judged)} of {len(judged)}",
        " / ".join(means),
        duration(median(theirs)) if theirs else "",
        duration(median(ours)) if ours else "",
        _spread(ratios) if ratios else "",
        "; ".join(f"{what} ({number})" for what, number in troubles.items()),
    ]


def _spread(ratios: Sequence[float]) -> str:
    low, high = np.quantile(ratios, (0.1, 0.9)).tolist()
    return f"{_times(median(ratios))} ({_times(low)} to {_times(high)})"


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"  # noqa: PLR2004 - digits


def write(path: Path, cells: Sequence[Cell], command: str) -> None:
    """Write the table into a page, with what it depends on."""
    command = f'pip install "cattleya[bench]"\n{command}'
    parts = [f"```\n{command}\n```", f"{machine(DISTRIBUTIONS)}.", table(cells).markdown()]
    between_marks(path, "# Other tools on the same rows", "\n\n".join(parts))

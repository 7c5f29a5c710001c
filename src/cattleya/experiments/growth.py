"""How cost grows: the time and memory of every question, against the size of the tree.

Each question is asked in a process of its own. An exponent is the slope of a straight line through
the logarithms: 1 is linear. The smallest sizes cost as much as a call does, and are left out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cattleya.experiments.data.families import FAMILIES
from cattleya.experiments.machine import machine
from cattleya.experiments.peers.apart import rows_apart
from cattleya.experiments.peers.workers.one_question import QUESTIONS
from cattleya.experiments.progress import duration
from cattleya.experiments.results_page import between_marks
from cattleya.experiments.tables import Table

__all__ = ["Point", "exponent", "measure", "picture", "table", "write"]

NOISE_OF_A_CALL = 2e-4  # seconds: below it, what is measured is the call
NOISE_OF_MEMORY = 1 << 20
MEGABYTE = 1e6


@dataclass(frozen=True)
class Point:
    """One question about one tree; None where it did not finish, and why."""

    family: str
    nodes: int
    question: str
    seconds: float | None
    bytes: int | None
    trouble: str = ""


def measure(
    families: Sequence[str], sizes: Sequence[int], limit: float, tell: Callable[[str], None]
) -> Iterator[Point]:
    """Measure every question on every tree."""
    for family in families:
        for size in sizes:
            tell(f"{family}: a tree of {size:,} nodes")
            tree, row = FAMILIES[family](size)
            given = {"tree": tree, "row": row, "question_limit": limit}
            late: set[str] = set()
            for question in QUESTIONS:
                if question == "importance" and "count" in late:
                    entry: dict[str, object] = {"trouble": "counting alone takes longer"}
                else:
                    worker = "cattleya.experiments.peers.workers.one_question"
                    entry = rows_apart(worker, given, [question], 4 * limit + 60)[0]
                if "seconds" not in entry:
                    late.add(question)
                yield Point(
                    family,
                    tree.n_nodes,
                    question,
                    _number(entry.get("seconds")),
                    None if "bytes" not in entry else int(str(entry["bytes"])),
                    str(entry.get("trouble", "")),
                )


def _number(value: object) -> float | None:
    return value if isinstance(value, float) else None


def exponent(nodes: Sequence[int], cost: Sequence[float], noise: float) -> float | None:
    """Fit the slope in logarithms to what is above the noise; None with fewer than two points.

    Examples
    --------
    >>> exponent([10, 100, 1000], [0.1, 1.0, 10.0], 0.0)
    1.0
    """
    points = [(n, c) for n, c in zip(nodes, cost, strict=True) if c > noise]
    if len(points) < 2:  # noqa: PLR2004 - a line
        return None
    x, y = np.log(np.array(points, dtype=np.float64)).T
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    return round(float(slope), 2)


def table(points: Sequence[Point]) -> Table:
    """Return a line for each family and question: the time and memory at each size, exponents."""
    rows: list[tuple[str, str, list[str], list[str]]] = []
    columns = 0
    for (family, question), found in _groups(points).items():
        nodes = [point.nodes for point in found]
        cells = [
            f"{duration(p.seconds)}, {(p.bytes or 0) / MEGABYTE:.1f} MB"
            if p.seconds is not None
            else p.trouble
            for p in found
        ]
        columns = max(columns, len(cells))
        seconds = [p.seconds or 0.0 for p in found]
        memory = [float(p.bytes or 0) for p in found]
        slopes = [
            exponent(nodes, seconds, NOISE_OF_A_CALL),
            exponent(nodes, memory, NOISE_OF_MEMORY),
        ]
        fitted = ["-" if slope is None else f"{slope:.2f}" for slope in slopes]
        rows.append((family, question, cells, fitted))
    about = sorted({(p.family, p.nodes) for p in points}, key=lambda pair: pair[1])
    sizes = [f"size {place + 1}" for place in range(columns)]
    notes = [
        f"{family}: "
        + ", ".join(f"{nodes:,}" for name, nodes in about if name == family)
        + " nodes."
        for family in dict.fromkeys(p.family for p in points)
    ]
    lines = [[f, q, *c, *[""] * (columns - len(c)), *slopes] for f, q, c, slopes in rows]
    headings = ["family", "question", *sizes, "exponent of time", "of memory"]
    return Table("Time and memory of each question", headings, lines, notes, left=2)


def _groups(points: Sequence[Point]) -> dict[tuple[str, str], list[Point]]:
    groups: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        groups.setdefault((point.family, point.question), []).append(point)
    return groups


def picture(points: Sequence[Point], path: Path) -> None:
    """Draw time against nodes, one panel per family, on logarithmic scales, as a picture.

    Needs matplotlib: ``pip install "cattleya[plots]"``.
    """
    from cattleya.experiments.drawing import saved, subplots

    points = [point for point in points if point.seconds is not None]
    if not points:
        raise ValueError("no question finished: there is nothing to draw; give a longer --timeout")
    families = list(dict.fromkeys(point.family for point in points))
    figure, axes = subplots(1, len(families), (4.2 * len(families) + 1.3, 4.0))
    markers = "osv^D<>PX"
    for ax, family in zip(axes, families, strict=True):
        for place, question in enumerate(QUESTIONS):
            found = [p for p in points if (p.family, p.question) == (family, question)]
            ax.plot(
                [p.nodes for p in found],
                [p.seconds for p in found],
                marker=markers[place % len(markers)],
                markersize=4,
                label=question,
            )
        ax.set(xscale="log", yscale="log", title=family, xlabel="nodes", ylabel="seconds")
    # Beside the panels: within one, it would stand on the lines.
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    saved(figure, path)


def write(path: Path, points: Sequence[Point], command: str, drawn: Path | None) -> None:
    """Write the table, and the picture if there is one, into a page."""
    parts = [f"```\n{command}\n```", f"{machine()}.", table(points).markdown()]
    if drawn is not None:
        parts.append(f"![time against nodes, both logarithmic]({drawn.name})")
    between_marks(path, "# How cost grows", "\n\n".join(parts))

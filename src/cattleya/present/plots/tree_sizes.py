"""Accuracy against the length of reasons, for trees of several sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cattleya.present.plots import style
from cattleya.present.plots.fonts import as_drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SizedTree", "tree_sizes"]


@dataclass(frozen=True)
class SizedTree:
    """A tree: its leaves, its accuracy, the median length of a reason, and what it is called."""

    leaves: int
    accuracy: float
    length: float
    name: str = ""


def tree_sizes(
    trees: Sequence[SizedTree], baseline: float, target: str, ax: Axes | None = None
) -> Axes:
    """Draw a curve through trees in the order of their leaves; those with a name are marked."""
    ax = style.axes(ax, 6.4, 4.4)
    trees = sorted(trees, key=lambda tree: tree.leaves)
    lengths = [tree.length for tree in trees]
    ax.plot(lengths, [tree.accuracy for tree in trees], "-o", color=style.GREY, ms=3.5, lw=1)
    ax.axhline(baseline, color=style.FAINT, lw=1, zorder=0)
    low = min(baseline, *(tree.accuracy for tree in trees))
    high = max(tree.accuracy for tree in trees)
    room = max(high - low, 0.01)
    ax.set_ylim(low - 0.12 * room, high + 0.25 * room)
    longest = max(*lengths, 1.0)
    ax.set_xlim(0, 1.4 * longest)
    ax.annotate(
        "the most frequent class", (0.02 * longest, baseline), (0, 3), fontsize=8,
        textcoords="offset points", color=style.GREY,
    )  # fmt: skip  # a list in few lines
    for tree in (tree for tree in trees if tree.name):
        is_chosen, below = tree.name == "chosen", tree.name == "smaller"
        ax.plot(tree.length, tree.accuracy, "o", color=style.ON, ms=8 if is_chosen else 6)
        ax.annotate(  # the smaller one below, where the curve is not
            f"{tree.name}: {tree.accuracy:.1%}\n{tree.leaves:,} leaves",
            (tree.length, tree.accuracy), (6, -7 if below else 5), textcoords="offset points",
            va="top" if below else "bottom", fontsize=style.FONT_SIZE,
            weight="bold" if is_chosen else "normal",
        )  # fmt: skip  # a list in few lines
    ax.yaxis.set_major_formatter("{x:.1%}")
    ax.set_xlabel("length of a reason: facts in the shortest one, median", fontsize=style.FONT_SIZE)
    ax.set_ylabel("accuracy on rows held out", fontsize=style.FONT_SIZE)
    (title,), plainly = as_drawn(f"How large a tree: {target}")
    ax.set_title(title, loc="left", fontsize=11, **plainly)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=style.FONT_SIZE)
    return ax

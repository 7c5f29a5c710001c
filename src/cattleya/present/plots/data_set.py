"""Pictures of a whole data set: how long reasons are, and what the decisions rest on."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from cattleya.present.plots import style
from cattleya.present.plots.fonts import as_drawn, shortened
from cattleya.support.guards import is_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cattleya.batch.summary import Summary

__all__ = ["feature_importance", "row_sizes"]

BAR_INCHES = 0.26
LONGEST_NAME = 40
# Of different numbers, so that twenty classes look different.
HATCHES = ("", style.HATCH, "....", "xxxx")
COLOURS = (style.ON, style.OFF, style.GREY, style.PALE, style.FAINT)


def row_sizes(summary: Summary, ax: Axes | None = None) -> Axes:
    """Draw how many rows have a shortest reason of each length."""
    style.pyplot()
    from matplotlib.ticker import MaxNLocator

    found = Counter(summary.rows["minimal_size"].dropna().astype(int).tolist())
    ax = style.axes(ax, 6.4, 4.0)
    ax.bar(list(found), list(found.values()), 0.8, color=style.ON, edgecolor=style.DARK)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    ax.set_title("How long the shortest reasons are", loc="left", fontsize=11)
    ax.set_xlabel("conditions in a shortest reason", fontsize=style.FONT_SIZE)
    ax.set_ylabel("rows", fontsize=style.FONT_SIZE)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def feature_importance(summary: Summary, most: int = 20, ax: Axes | None = None) -> Axes:
    """Draw the mean importance of each feature, one bar per class, the highest at the top."""
    if not is_whole(most) or most < 1:
        raise ValueError(f"most must be a whole number, 1 or more, not {most!r}")
    style.pyplot()
    table = summary.features.head(most)
    columns = list(table.columns[2:])
    ax = style.axes(ax, 8.0, 1.5 + BAR_INCHES * max(len(table), 2) * max(len(columns), 1))
    high = 0.8 / max(len(columns), 1)
    for number, column in enumerate(columns):
        at = [place - 0.4 + high * (number + 0.5) for place in range(len(table))]
        (label,), _ = as_drawn(style.class_name(column.removeprefix("importance, ")))
        ax.barh(
            at,
            table[column].tolist(),
            high,
            label=label,
            color=COLOURS[number % len(COLOURS)],
            edgecolor=style.DARK,
            linewidth=0.5,
            hatch=HATCHES[number % len(HATCHES)],
        )
    texts, plainly = as_drawn(*(shortened(str(name), LONGEST_NAME) for name in table.index))
    ax.set_yticks(range(len(table)), labels=texts, fontsize=style.FONT_SIZE, **plainly)
    ax.invert_yaxis()
    ax.set_title("What the decisions rest on", loc="left", fontsize=11)
    ax.set_xlabel("conditions on the feature in a sufficient reason, mean", fontsize=9)
    ax.spines[["top", "right"]].set_visible(False)
    if columns:
        ax.legend(frameon=False, fontsize=style.FONT_SIZE)
    return ax

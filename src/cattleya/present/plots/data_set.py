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


def row_sizes(summary: Summary, ax: Axes | None = None) -> Axes:
    """Draw how many rows have a shortest reason of each length; of an ensemble, the one found."""
    style.pyplot()
    from matplotlib.ticker import MaxNLocator

    found = Counter(summary.rows[f"{summary.shown_reason}_size"].dropna().astype(int).tolist())
    ax = style.axes(ax, 6.4, 4.0)
    ax.bar(list(found), list(found.values()), 0.8, color=style.ON, edgecolor=style.DARK)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    title, axis_name = "How long the shortest reasons are", "conditions in a shortest reason"
    if summary.of_ensemble:
        title, axis_name = "How long the reasons are", "conditions in the reason of a row"
    ax.set_title(title, loc="left", fontsize=11)
    ax.set_xlabel(axis_name, fontsize=style.FONT_SIZE)
    ax.set_ylabel("rows", fontsize=style.FONT_SIZE)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def feature_importance(summary: Summary, most: int = 20, ax: Axes | None = None) -> Axes:
    """Draw how many reasons mention each feature, and in how many rows all of them do."""
    if not is_whole(most) or most < 1:
        raise ValueError(f"most must be a whole number, 1 or more, not {most!r}")
    style.pyplot()
    from matplotlib.ticker import PercentFormatter

    table = summary.features.head(most)
    ax = style.axes(ax, 8.0, 1.7 + 1.6 * BAR_INCHES * max(len(table), 2))
    mentioned = "share of the reasons, mean over the rows"
    if summary.of_ensemble:
        mentioned = "share of the rows whose reason, one of each, has it"
    looks = (
        ("importance", f"mentioned: {mentioned}", style.ON, -0.2),
        ("necessary", "decisive: share of the rows whose every reason has it", style.PALE, 0.2),
    )
    for column, label, colour, shift in looks:
        at = [place + shift for place in range(len(table))]
        lengths = table[column].tolist()
        ax.barh(at, lengths, 0.38, label=label, color=colour, edgecolor=style.ON, linewidth=0.6)
    texts, plainly = as_drawn(*(shortened(str(name), LONGEST_NAME) for name in table.index))
    ax.set_yticks(range(len(table)), labels=texts, fontsize=style.FONT_SIZE, **plainly)
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    ax.set_title("What the decisions rest on", loc="left", fontsize=11, pad=34)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False, fontsize=8, borderpad=0)
    return ax

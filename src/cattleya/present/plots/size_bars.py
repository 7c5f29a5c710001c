"""How many sufficient reasons of each size there are."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from cattleya.explain.explanation import Explanation, checked_explanation
from cattleya.present.plots import style
from cattleya.present.plots.fonts import as_drawn
from cattleya.present.words import grouped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["sizes"]

HUGE = 10_000
MOST_LABELLED = 14


def sizes(
    explanation: Explanation,
    ax: Axes | None = None,
    *,
    log: bool | None = None,
    timeout: float | None = None,
) -> Axes:
    """Draw how many sufficient reasons of each size there are.

    Parameters
    ----------
    explanation : Explanation
        Of one row.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    log : bool, optional
        Whether the axis of the numbers is logarithmic. By default it is when one of them exceeds
        10,000. It then has the logarithm to base 10 as its coordinate, so that numbers beyond those
        of floating point can be drawn.
    timeout : float, optional
        As for :meth:`cattleya.Explanation.count_by_size`.

    Examples
    --------
    >>> import cattleya
    >>> from cattleya import plots
    >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, ("c", 0, 1)), 1))
    >>> ax = plots.sizes(cattleya.Explainer(tree).explain([1, 1, 1]))
    >>> [(round(bar.get_center()[0]), float(bar.get_height())) for bar in ax.patches]
    [(1, 1.0), (2, 1.0)]
    """
    checked_explanation(explanation)
    style.pyplot()
    counts = explanation.count_by_size(timeout=timeout)
    largest = max(counts.values())
    if log is None:
        log = largest > HUGE
    elif not log and largest > 10**300:
        raise ValueError(
            f"{_short(largest)} reasons of one size are too many for a linear axis; leave log=None"
        )
    ax = style.axes(ax, 6.4, 4.0)
    # A logarithmic bar starts a little below 10^0, so that one reason is a bar, too.
    foot = -max(0.3, 0.02 * math.log10(largest)) if log else 0
    tops = [math.log10(n) if log else float(n) for n in counts.values()]
    ax.bar(
        list(counts),
        [top - foot for top in tops],
        bottom=foot,
        width=0.8,
        color=style.ON,
        edgecolor=style.DARK,
        linewidth=0.5,
    )
    _number_axis(ax, log, foot, max(tops))
    if len(counts) <= MOST_LABELLED:
        for (size, n), top in zip(counts.items(), tops, strict=True):
            ax.annotate(
                _short(n), (size, top), (0, 2), textcoords="offset points", ha="center", fontsize=8
            )
    _size_axis(ax, min(counts), max(counts))
    total = sum(counts.values())
    noun = "sufficient reason" if total == 1 else "sufficient reasons"
    name = style.class_name(explanation.outcome)
    (title,), plainly = as_drawn(f"{grouped(total)} {noun} for {name}")
    ax.set_title(title, loc="left", fontsize=11, **plainly)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=style.FONT_SIZE)
    return ax


def _size_axis(ax: Axes, first: int, last: int) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.set_xlim(first - 0.8, last + 0.8)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.set_xlabel("size: conditions in the reason", fontsize=style.FONT_SIZE)


def _number_axis(ax: Axes, log: bool, foot: float, top: float) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    ax.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
    ax.set_ylim(foot, foot + 1.08 * (top - foot))
    if log:
        ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"$10^{{{round(y)}}}$"))
        ax.set_ylabel("number of reasons, logarithmic", fontsize=style.FONT_SIZE)
    else:
        ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.0f}"))
        ax.set_ylabel("number of reasons", fontsize=style.FONT_SIZE)


def _short(number: int) -> str:
    """Return a number in a few characters: whole if it is small, else two digits and the size."""
    if number <= HUGE:
        return f"{number:,}"
    leading, exponent = f"{Decimal(number):.1e}".split("e")
    return rf"${leading}\cdot10^{{{int(exponent)}}}$"

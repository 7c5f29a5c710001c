"""Explanatory importance as bars: how often each condition is in a reason, and on which side."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from cattleya.explain.explanation import Explanation, checked_explanation
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.user_condition import Membership
from cattleya.present.plots import style
from cattleya.present.plots.fonts import as_drawn, shortened
from cattleya.present.words import percent
from cattleya.support.guards import is_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["importance", "side_names"]

BAR_INCHES = 0.26
LABEL_INCHES = 0.45
SMALLEST_FONT = 4.0
COMFORTABLE = 4.8  # inches: the width of the Axes of matplotlib's usual figure
NAMES = {
    "sufficient": "sufficient reasons",
    "minimal": "minimal reasons",
    "contrastive": "contrastive explanations",
}


def importance(
    explanation: Explanation,
    kind: str = "sufficient",
    most: int | None = 20,
    ax: Axes | None = None,
    *,
    timeout: float | None = None,
) -> Axes:
    """Draw the explanatory importance of the row's conditions, the highest at the top.

    The length of a bar is the share of the explanations that contain the condition. Bars to the
    right, in blue, are of conditions that the row has true or above the threshold (``x1``,
    ``age > 30.5``); bars to the left, in red and hatched, of those that it has false or at most the
    threshold (``not x1``, ``age <= 30.5``).

    Parameters
    ----------
    explanation : Explanation
        Of one row.
    kind : {"sufficient", "contrastive"}
        Which explanations are meant.
    most : int, optional
        How many conditions to show; None for all that are in any explanation. How many more there
        are is said below the axis.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure, as tall as it needs to be. A figure of your own with
        ``layout="constrained"`` makes room for the names.
    timeout : float, optional
        As for :meth:`cattleya.Explanation.importance`.

    Examples
    --------
    >>> import cattleya
    >>> from cattleya import plots
    >>> tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 1, 0)))
    >>> ax = plots.importance(cattleya.Explainer(tree).explain([1, 1, 0]))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['not c', 'a', 'b']
    >>> [float(bar.get_width()) for bar in ax.patches]
    [0.5, 0.5, -1.0]
    """
    checked_explanation(explanation)
    if most is not None and not is_whole(most):
        raise TypeError(f"most must be a whole number or None, not {most!r}")
    if most is not None and most < 1:
        raise ValueError(f"most must be 1 or more, or None for all, not {most!r}")
    style.pyplot()  # before what may take long
    ranked = [(c, s) for c, s in explanation.importance(kind, timeout=timeout).items() if s]
    shown = ranked[:most]
    height = 1.5 + BAR_INCHES * max(len(shown), 2)
    ax = style.axes(ax, 8.0, height)
    name = style.class_name(explanation.prediction_name)
    (title,), plainly = as_drawn(f"Explanatory importance for {name}")
    ax.set_title(title, loc="left", pad=24 if shown else 6, fontsize=1.2 * _size(ax), **plainly)
    if not shown:
        style.write(ax, 0.5, 0.5, "Every row gets this class: no condition matters.", ha="center")
        ax.set_xlim(0, 1)
        ax.set_ylim(0, 1)
        ax.axis("off")
        return ax

    _bars(ax, shown)
    _tick_labels(ax, explanation, [condition for condition, _ in shown])
    below = f"share of the {NAMES.get(kind, kind)} that contain the condition"
    if len(ranked) > len(shown):
        below += f"\n{len(shown)} of {len(ranked)} conditions shown; {_said_of(ranked[most:])}"
    ax.set_xlabel(below, fontsize=_size(ax))
    return ax


def _said_of(others: list[tuple[Condition, Fraction]]) -> str:
    in_all = sum(share == 1 for _, share in others)
    if in_all:
        return f"{in_all} of the others {'is' if in_all == 1 else 'are'} in all of them, too"
    return f"each of the others is in {percent(others[0][1])} or less"


def _bars(ax: Axes, shown: list[tuple[Condition, Fraction]]) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter

    names = side_names([condition for condition, _ in shown])
    signs = [1 if style.is_on(condition) else -1 for condition, _ in shown]
    looks: dict[int, dict[str, Any]] = {
        1: {"color": style.ON, "edgecolor": style.ON},
        -1: {"color": style.OFF, "edgecolor": style.OFF_EDGE, "hatch": style.HATCH},
    }
    for sign, look in looks.items():
        at = [i for i, side in enumerate(signs) if side == sign]
        if at:
            lengths = [sign * float(shown[i][1]) for i in at]
            ax.barh(at, lengths, height=0.72, linewidth=0.6, label=names[sign], **look)
    size = _font_size(ax, len(shown))
    if size >= SMALLEST_FONT:
        for i, (_, share) in enumerate(shown):
            ax.annotate(
                percent(share),
                (signs[i] * float(share), i),
                (3 * signs[i], 0),
                textcoords="offset points",
                ha="left" if signs[i] > 0 else "right",
                va="center",
                fontsize=size,
            )
    # Room for the percentages; of the width, labels on the left may still take some.
    sides = len(set(signs))
    margin = LABEL_INCHES * sides / max(0.7 * style.in_inches(ax)[0] - LABEL_INCHES * sides, 1)
    margin = min(margin, 0.6)
    ax.set_xlim(-1 - margin if -1 in signs else 0, 1 + margin if 1 in signs else 0)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.xaxis.set_major_locator(FixedLocator([-1, -0.5, 0, 0.5, 1]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{abs(x):.0%}"))
    ax.axvline(0, color=style.ink(), linewidth=0.8)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", labelsize=_size(ax))
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=2,
        frameon=False,
        fontsize=_size(ax),
        borderaxespad=0.2,
        borderpad=0,
    )


def _tick_labels(ax: Axes, explanation: Explanation, conditions: list[Condition]) -> None:
    """Label the bars; every second one, or fewer, where there is no room for all."""
    size = _font_size(ax, len(conditions))
    step = max(1, math.ceil(SMALLEST_FONT / size))
    room = max(16, int(style.in_inches(ax)[0] * 7))
    at = range(0, len(conditions), step)
    texts, plainly = as_drawn(
        *(shortened(style.label(explanation, conditions[i]), room) for i in at)
    )
    ax.set_yticks(list(at), labels=texts, fontsize=max(size, SMALLEST_FONT), **plainly)


def _font_size(ax: Axes, bars: int) -> float:
    return min(_size(ax), 0.8 * 72 * style.in_inches(ax)[1] / bars)


def _size(ax: Axes) -> float:
    """Return the size of the letters: smaller on Axes that are narrow."""
    return style.FONT_SIZE * min(1.0, max(0.65, style.in_inches(ax)[0] / COMFORTABLE))


def side_names(conditions: list[Condition]) -> dict[int, str]:
    """Say what blue (1) and red (-1) mean, for the kinds of conditions that there are."""
    kinds = {
        "value" if not isinstance(c, Comparison)
        else "category" if isinstance(c, Membership)
        else "Boolean" if c.boolean
        else "number"
        for c in conditions
    }  # fmt: skip  # one case per line
    parts = [
        ("Boolean" in kinds, "true in the row", "false in the row"),
        ("number" in kinds, "above the threshold", "at or below it"),
        ("category" in kinds, "of the category named", "of another"),
        ("value" in kinds, "the row's value", ""),
    ]
    on = ", or ".join(name for present, name, _ in parts if present)
    off = ", or ".join(name for present, _, name in parts if present and name)
    return {1: on, -1: off}

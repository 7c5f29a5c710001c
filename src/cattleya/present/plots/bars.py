"""Explanatory importance as bars: how many reasons mention each feature, by which conditions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from cattleya.explain.explanation import Explanation, checked_explanation
from cattleya.model.conditions.condition import Condition
from cattleya.present.findings import noun
from cattleya.present.plots import style
from cattleya.present.plots.fonts import as_drawn, shortened
from cattleya.present.words import percent
from cattleya.present.words.numbers import name
from cattleya.support.guards import is_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["by_feature", "importance"]

BAR_INCHES = 0.26
LABEL_INCHES = 0.45
SMALLEST_FONT = 4.0
COMFORTABLE = 4.8  # inches: the width of the Axes of matplotlib's usual figure
CONDITIONS_EACH = 4  # of a feature that are drawn; what is more is counted
INDENT = "    "
NAMES = {
    "sufficient": "sufficient reasons",
    "minimal": "minimal reasons",
    "contrastive": "contrastive explanations",
}


@dataclass(frozen=True)
class _Bar:
    """A feature, or one of its conditions below it; a share of None draws no bar."""

    text: str
    share: Fraction | None
    inner: bool


def importance(
    explanation: Explanation,
    kind: str = "sufficient",
    most: int | None = 20,
    ax: Axes | None = None,
    *,
    timeout: float | None = None,
) -> Axes:
    """Draw how many explanations mention each feature, the most at the top.

    A dark bar is a feature: the share of the explanations that mention it at all. The light bars
    below it are its conditions: the share of the explanations that contain each, which is their
    explanatory importance. A feature with one condition has one bar.

    Parameters
    ----------
    explanation : Explanation
        Of one row.
    kind : {"sufficient", "contrastive"}
        Which explanations are meant.
    most : int, optional
        How many features to show; None for all that are in any explanation. How many more there
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
    [1.0, 0.5, 0.5]
    """
    checked_explanation(explanation)
    if most is not None and not is_whole(most):
        raise TypeError(f"most must be a whole number or None, not {most!r}")
    if most is not None and most < 1:
        raise ValueError(f"most must be 1 or more, or None for all, not {most!r}")
    style.pyplot()  # before what may take long
    conditions = {c: s for c, s in explanation.importance(kind, timeout=timeout).items() if s}
    features = by_feature(explanation, kind, conditions, timeout)
    shown = list(features)[:most]
    bars = [bar for one in shown for bar in _bars_of(explanation, one, features[one], conditions)]
    ax = style.axes(ax, 8.0, 1.5 + BAR_INCHES * max(len(bars), 2))
    decision = style.class_name(explanation.outcome)
    (title,), plainly = as_drawn(f"What the {NAMES.get(kind, kind)} for {decision} mention")
    ax.set_title(title, loc="left", pad=24 if bars else 6, fontsize=1.2 * _size(ax), **plainly)
    if not bars:
        every = f"Every row gets this {noun(explanation)}: no condition matters."
        style.write(ax, 0.5, 0.5, every, ha="center")
        ax.set_xlim(0, 1)
        ax.set_ylim(0, 1)
        ax.axis("off")
        return ax
    _draw(ax, bars)
    _tick_labels(ax, bars)
    below = f"share of the {NAMES.get(kind, kind)}"
    if len(features) > len(shown):
        rest = [features[one] for one in list(features)[len(shown) :]]
        below += f"\n{len(shown)} of {len(features)} features shown; {_said_of(rest)}"
    ax.set_xlabel(below, fontsize=_size(ax))
    return ax


def by_feature(
    explanation: Explanation,
    kind: str,
    conditions: dict[Condition, Fraction],
    timeout: float | None,
) -> dict[str, Fraction]:
    """Return the share of the explanations that mention each feature, the highest first."""
    if kind == "sufficient":
        found = explanation.feature_importance(timeout)
        return {feature: share for feature, share in found.items() if share}
    contrasts = explanation.contrastive()
    mentioned: dict[str, int] = {condition.feature: 0 for condition in conditions}
    for contrast in contrasts:
        for feature in {condition.feature for condition in contrast}:
            mentioned[feature] += 1
    ranked = sorted(mentioned, key=lambda feature: -mentioned[feature])
    return {feature: Fraction(mentioned[feature], len(contrasts)) for feature in ranked}


def _bars_of(
    explanation: Explanation, feature: str, share: Fraction, conditions: dict[Condition, Fraction]
) -> list[_Bar]:
    own = [(c, s) for c, s in conditions.items() if c.feature == feature]
    if len(own) == 1:
        return [_Bar(style.label(explanation, own[0][0]), share, False)]
    bars = [_Bar(name(feature), share, False)]
    few = own if len(own) <= CONDITIONS_EACH + 1 else own[:CONDITIONS_EACH]
    bars += [_Bar(INDENT + style.label(explanation, c), s, True) for c, s in few]
    if len(few) < len(own):
        bars.append(_Bar(f"{INDENT}and {len(own) - len(few)} more conditions", None, True))
    return bars


def _said_of(others: list[Fraction]) -> str:
    in_all = sum(share == 1 for share in others)
    if in_all:
        return f"{in_all} of the others {'is' if in_all == 1 else 'are'} in all of them, too"
    return f"each of the others is in {percent(others[0])} or less"


def _draw(ax: Axes, bars: list[_Bar]) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter

    kinds = (
        (False, "the feature, or its only condition", {"color": style.ON, "height": 0.72}),
        (True, "one of its conditions", {"color": style.PALE, "height": 0.5}),
    )
    for inner, label, look in kinds:
        at = [i for i, bar in enumerate(bars) if bar.inner == inner and bar.share is not None]
        if at:
            lengths = [float(bars[i].share or 0) for i in at]
            ax.barh(at, lengths, edgecolor=style.ON, linewidth=0.6, label=label, **look)  # type: ignore[arg-type]  # a colour and a number
    size = _font_size(ax, len(bars))
    if size >= SMALLEST_FONT:
        for i, bar in enumerate(bars):
            if bar.share is not None:
                place = (float(bar.share), i)
                how = {"textcoords": "offset points", "va": "center", "fontsize": size}
                ax.annotate(percent(bar.share), place, (3, 0), **how)  # type: ignore[arg-type]  # of several types
    # Room for the percentages; of the width, labels on the left may still take some.
    margin = LABEL_INCHES / max(0.7 * style.in_inches(ax)[0] - LABEL_INCHES, 1)
    ax.set_xlim(0, 1 + min(margin, 0.6))
    ax.set_ylim(len(bars) - 0.4, -0.6)
    ax.xaxis.set_major_locator(FixedLocator([0, 0.5, 1]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:.0%}"))
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", labelsize=_size(ax))
    if any(bar.inner for bar in bars):
        ax.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncols=2,
            frameon=False,
            fontsize=_size(ax),
            borderaxespad=0.2,
            borderpad=0,
        )


def _tick_labels(ax: Axes, bars: list[_Bar]) -> None:
    """Label the bars; every second one, or fewer, where there is no room for all."""
    size = _font_size(ax, len(bars))
    step = max(1, math.ceil(SMALLEST_FONT / size))
    room = max(16, int(style.in_inches(ax)[0] * 7))
    at = range(0, len(bars), step)
    texts, plainly = as_drawn(*(shortened(bars[i].text, room) for i in at))
    # Flush left in a column of their own would need their widths: inner ones are smaller instead.
    ax.set_yticks(list(at), labels=texts, fontsize=max(size, SMALLEST_FONT), **plainly)
    for i, label in zip(at, ax.get_yticklabels(), strict=True):
        if bars[i].inner:
            label.set_color(style.GREY)
            label.set_fontsize(max(0.9 * size, SMALLEST_FONT))


def _font_size(ax: Axes, bars: int) -> float:
    return min(_size(ax), 0.8 * 72 * style.in_inches(ax)[1] / bars)


def _size(ax: Axes) -> float:
    """Return the size of the letters: smaller on Axes that are narrow."""
    return style.FONT_SIZE * min(1.0, max(0.65, style.in_inches(ax)[0] / COMFORTABLE))

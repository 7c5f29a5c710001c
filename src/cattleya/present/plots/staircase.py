"""What each further fact gains: how often facts are right, one line per fact that is added.

Every line has its own label at the left, and its figures at the end of its bar, so that no two
texts can meet, however close the shares are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cattleya.explain.explanation import Explanation, checked_explanation
from cattleya.present.plots import style
from cattleya.present.plots.fonts import as_drawn, shortened
from cattleya.reasons.short.share import Share, percent
from cattleya.reasons.short.short_reason import Step

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["trade_off"]

LINE = 0.42  # inches
LONGEST = 52  # characters of a fact


def trade_off(
    explanation: Explanation,
    among: Any = None,
    ax: Axes | None = None,
    *,
    max_size: int | None = None,
    min_coverage: Any = None,
    timeout: float | None = None,
) -> Axes:
    """Draw what each further fact gains: the staircase of short reasons.

    The bars are the ladder of :meth:`cattleya.Explanation.trade_off`: facts that are added one
    after the other, each with the share of the rows with all of them that get the outcome. A mark
    shows the best facts that were found of the same number, which may be others.

    Parameters
    ----------
    explanation : Explanation
        Of one row.
    among, max_size, min_coverage, timeout
        As for :meth:`cattleya.Explanation.trade_off`.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Examples
    --------
    >>> import cattleya
    >>> from cattleya import plots
    >>> tree = cattleya.Tree.from_nested(("a", "no", ("b", "no", "yes")))
    >>> rows = 4 * [[0, 0]] + 3 * [[1, 0]] + 3 * [[1, 1]]
    >>> ax = plots.trade_off(cattleya.Explainer(tree).explain([1, 1]), rows)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['all rows', 'b']
    """
    checked_explanation(explanation)
    style.pyplot()
    found = explanation.trade_off(among, max_size, min_coverage, timeout)
    ladder = found.ladder
    ax = style.axes(ax, 7.6, 1.5 + LINE * len(ladder))
    places = list(range(len(ladder)))
    shares = [float(step.precision) for step in ladder]
    ax.barh(places, shares, height=0.62, color=style.ON, edgecolor=style.DARK, linewidth=0.5)
    best = {step.size: float(step.precision) for step in found}
    marks = [(best[i], i) for i in places if best.get(i, 0.0) > shares[i]]
    if marks:
        ax.plot(
            *zip(*marks, strict=True),
            linestyle="none",
            marker="D",
            color=style.ink(),
            markersize=5,
            label="the best facts of this number that were found",
        )
        ax.legend(loc="upper left", bbox_to_anchor=(0, -0.14), frameon=False, fontsize=8)
    for place, step in zip(places, ladder, strict=True):
        end = max(shares[place], best.get(place, 0.0))
        style.write(ax, end + 0.03, place, _figures(step), va="center", fontsize=style.FONT_SIZE)
    labels, plainly = as_drawn(*(_label(ladder, place) for place in places))
    ax.set_yticks(places, labels, fontsize=style.FONT_SIZE, **plainly)
    ax.invert_yaxis()
    ax.set_xlim(0, 1.45)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    ax.set_xlabel("share that gets the outcome", fontsize=style.FONT_SIZE, loc="left")
    (title,), plainly = as_drawn(f"Usually {style.class_name(explanation.outcome)}")
    ax.set_title(title, loc="left", fontsize=11, **plainly)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=style.FONT_SIZE)
    return ax


def _label(ladder: tuple[Step, ...], place: int) -> str:
    """Return the fact that a rung adds to the one below."""
    if place == 0:
        return "all rows"
    added = [fact for fact in ladder[place].reason if fact not in ladder[place - 1].reason]
    text = shortened(" and ".join(map(str, added)), LONGEST)
    return text if place == 1 else f"and {text}"


def _figures(step: Step) -> str:
    """Return the share of a rung, and how many rows have its facts."""
    share = step.reason.measure
    if isinstance(share, Share):
        rows = "1 row" if share.covered == 1 else f"{share.covered:,} rows"
        return f"{percent(step.precision)} of {rows}"
    return percent(step.precision)

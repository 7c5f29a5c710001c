"""Pictures of whole models: regions as a map of two features, rules with bars of coverage."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cattleya.model.conditions.parts import IntervalPart, Part, ValuesPart
from cattleya.model.domain.domain import said
from cattleya.present.plots import style
from cattleya.present.plots.fonts import as_drawn, shortened
from cattleya.present.words.numbers import class_name, counted, percent
from cattleya.present.words.whole import conditions_text, facts_text
from cattleya.support.guards import is_whole
from cattleya.support.text import grouped, quoted, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cattleya.batch.rules import Rules
    from cattleya.explain.audit import Audit
    from cattleya.explain.compare import ModelComparison

__all__ = ["regions", "rules"]

LONGEST_RULE = 70
LETTERS_ABREAST = 60
MOST_WAYS = 6
LIGHTEST, ENOUGH, DARKEST = 0.05, 6, 0.35  # of a region
HATCHES = ("", "///", "...", "xxx", "\\\\\\")
Spans = list[tuple[float, float]]


def regions(
    found: Audit | ModelComparison, x: str, y: str, most: int = 200, ax: Axes | None = None
) -> Axes:
    """Draw regions as a map of two features: where decisions depend on something, or differ.

    Each region is seen along all other features, so that one may lie over another. The darker a
    place, the more of them are there. Colour and hatching tell how the decisions go.

    Parameters
    ----------
    found : what ``explainer.audit`` or ``cattleya.compare`` returned
    x, y : str
        Two features, numbers or categories.
    most : int
        How many regions to draw, the largest first.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> import cattleya
    >>> from cattleya import plots
    >>> old = cattleya.Tree.from_nested(("sex", ("job", "no", "yes"), "yes"))
    >>> new = cattleya.Tree.from_nested(("job", "no", "yes"), feature_names=["sex", "job"])
    >>> ax = plots.regions(cattleya.compare(old, new), "sex", "job")
    >>> ax.get_xlabel(), ax.get_ylabel(), ax.get_legend().get_texts()[0].get_text()
    ('sex', 'job', 'yes -> no')
    """
    if not is_whole(most) or most < 1:
        raise ValueError(f"most must be a whole number, 1 or more, not {shown(most)}")
    if not hasattr(found, "regions"):
        raise TypeError(
            f"regions are drawn of what explainer.audit or cattleya.compare returned, not of "
            f"{shown(found)}"
        )
    drawn = found.regions[:most]
    parts = [{part.name: part for part in region.conditions} for region in drawn]
    known = sorted({name for one in parts for name in one})
    for name in (x, y):
        if name not in known:
            raise ValueError(f"no region says anything of {shown(name)}; they name {quoted(known)}")
    style.pyplot()
    from matplotlib.patches import Patch, Rectangle

    ax = style.axes(ax, 7.0, 5.2)
    axes = [_Axis([one[name] for one in parts if name in one]) for name in (x, y)]
    ways: dict[str, int] = {}
    alpha = min(max(LIGHTEST, ENOUGH / len(drawn)), DARKEST)  # many lie over each other
    for region, own in zip(drawn, parts, strict=True):
        way = ways.setdefault(_way(region), len(ways))
        looks: dict[str, Any] = {
            "facecolor": (style.ON, style.OFF)[way % 2],
            "hatch": HATCHES[way % len(HATCHES)],
        }
        for left, right in axes[0].spans(own.get(x)):
            for low, high in axes[1].spans(own.get(y)):
                ax.add_patch(
                    Rectangle((left, low), right - left, high - low, alpha=alpha,
                              edgecolor=style.DARK, linewidth=0.5, **looks)
                )  # fmt: skip  # one shape
    for axis, name, scale in ((ax.xaxis, x, axes[0]), (ax.yaxis, y, axes[1])):
        text, plainly = as_drawn(shortened(name, LONGEST_RULE))
        axis.set_label_text(text[0], fontsize=style.FONT_SIZE, **plainly)
        if scale.values:
            names, plain = as_drawn(*(shortened(value, 20) for value in scale.values))
            axis.set_ticks(range(len(names)), labels=names, fontsize=style.FONT_SIZE, **plain)
            if axis is ax.xaxis and sum(map(len, names)) > LETTERS_ABREAST:
                ax.tick_params(axis="x", rotation=40)
                for label in ax.get_xticklabels():
                    label.set(ha="right", rotation_mode="anchor")
    ax.set_xlim(*axes[0].ends)
    ax.set_ylim(*axes[1].ends)
    keys = [
        Patch(facecolor=(style.ON, style.OFF)[i % 2], hatch=HATCHES[i % len(HATCHES)], alpha=0.4)
        for i in ways.values()
    ]
    texts, _ = as_drawn(*(shortened(way, LONGEST_RULE) for way in ways))
    ax.legend(keys[:MOST_WAYS], texts[:MOST_WAYS], loc="lower left", bbox_to_anchor=(0, 1),
              frameon=False, fontsize=8)  # fmt: skip  # one line more otherwise
    count = grouped(len(found.regions))
    of = counted(len(drawn), "region") if len(drawn) == len(found.regions) else (
        f"The {len(drawn)} largest of {count} regions"
    )  # fmt: skip  # as it reads
    lines = 1 + min(len(ways), MOST_WAYS)
    ax.set_title(
        f"{of}, seen along all other features: the darker, the more",
        loc="left", fontsize=10, pad=16 * lines,
    )  # fmt: skip  # as it reads
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def rules(found: Rules, most: int = 20, ax: Axes | None = None) -> Axes:
    """Draw rules as a table with bars of what each covers of the rows of its class.

    Examples
    --------
    >>> import cattleya
    >>> from cattleya import plots
    >>> tree = cattleya.Tree.from_nested(("old", "no", ("rich", "no", "yes")))
    >>> ax = plots.rules(cattleya.Explainer(tree).rules([[1, 1], [1, 0], [0, 1]]))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['yes: old and rich', 'no: not rich', 'no: not old']
    """
    if not is_whole(most) or most < 1:
        raise ValueError(f"most must be a whole number, 1 or more, not {shown(most)}")
    if not hasattr(found, "classes"):
        raise TypeError(f"rules are drawn of what explainer.rules returned, not of {shown(found)}")
    style.pyplot()
    from matplotlib.ticker import PercentFormatter

    drawn: Sequence[Any] = sorted(found, key=lambda rule: -rule.of_class)[:most]
    ax = style.axes(ax, 9.0, 1.4 + 0.42 * max(len(drawn), 2))
    lengths = [float(rule.of_class) for rule in drawn]
    ax.barh(range(len(drawn)), lengths, 0.6, color=style.ON, edgecolor=style.DARK, linewidth=0.6)
    names = [f"{class_name(r.outcome)}: {shortened(facts_text(r), LONGEST_RULE)}" for r in drawn]
    texts, plainly = as_drawn(*names)
    ax.set_yticks(range(len(drawn)), labels=texts, fontsize=style.FONT_SIZE, **plainly)
    for place, rule in enumerate(drawn):
        right = f" {percent(rule.of_class)}, right in {percent(rule.precision)}"
        style.write(ax, lengths[place], place, right, va="center", fontsize=8)
    ax.invert_yaxis()
    ax.set_xlim(0, 1.6)  # room for the text of the longest
    ax.set_xticks([0, 0.5, 1.0])
    ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    ax.set_title("Rows of its class that a rule covers", loc="left", fontsize=11)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _way(region: Any) -> str:
    """Return how decisions go in a region."""
    if hasattr(region, "old"):
        return f"{class_name(region.old)} -> {class_name(region.new)}"
    return "; ".join(
        f"{class_name(outcome)} with {conditions_text(parts)}" for parts, outcome in region.outcomes
    )


class _Axis:
    """One feature of a map: its values, or its numbers from end to end."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.values: list[str] = []
        ends: list[float] = []
        for part in parts:
            if isinstance(part, ValuesPart):
                every = (*part.values, *part.others)
                self.values = sorted({*self.values, *said(every)})
            else:
                ends += [end for end in (part.low, part.high) if math.isfinite(end)]
        if self.values:
            self.ends = (-0.5, len(self.values) - 0.5)
            return
        low, high = min(ends, default=0.0), max(ends, default=1.0)
        room = (high - low) * 0.15 or 1.0
        self.ends = (low - room, high + room)

    def spans(self, part: Part | None) -> Spans:
        """Return what a part of the feature covers of the axis."""
        if isinstance(part, ValuesPart):
            places = [self.values.index(value) for value in said(part.values)]
            return [(place - 0.5, place + 0.5) for place in places]
        if isinstance(part, IntervalPart) and not part.is_missing:
            return [(max(part.low, self.ends[0]), min(part.high, self.ends[1]))]
        return [] if part is not None else [self.ends]

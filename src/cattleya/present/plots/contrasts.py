"""A contrast: what would have to change, from what to what, and where that leads."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from cattleya.explain.explanation import Explanation, checked_explanation
from cattleya.model.conditions.condition import Condition
from cattleya.present.findings import noun
from cattleya.present.plots import style
from cattleya.present.plots.fonts import as_drawn, shortened, width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["contrast"]

MOST_CHARACTERS = 64
LINE_INCHES = 0.4
GAP = 0.9
LOOKED_AT = 500  # minimal changes, for the one that is drawn
BOLD = 1.05  # the classes are in bold letters, which are wider
FROM: dict[str, Any] = {"facecolor": "none", "edgecolor": style.GREY, "linewidth": 0.9}
TO: dict[str, Any] = {"facecolor": style.PALE, "edgecolor": style.ON, "linewidth": 1.8}


def contrast(
    explanation: Explanation, contrast: Collection[Condition] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a minimal change (contrastive explanation): what is, and what would have to be.

    On the left is the row's class with the values of the features that change, on the right the
    values that lead to another class when all else stays as it is, and that class; one line per
    feature.

    Parameters
    ----------
    explanation : Explanation
        Of one row.
    contrast : Reason or collection of Condition, optional
        One of ``explanation.contrastive()``; by default that of the first of
        ``explanation.changes()``, as the text has it.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure of the size that it needs.

    Examples
    --------
    >>> import cattleya
    >>> from cattleya import plots
    >>> tree = cattleya.Tree.from_nested(("a", "no", ("b", "yes", "no")))
    >>> ax = plots.contrast(cattleya.Explainer(tree).explain([1, 0]))
    >>> [text.get_text() for text in ax.texts]
    ['yes', 'no', 'a is 1', 'a is 0']
    """
    checked_explanation(explanation)
    style.pyplot()
    if contrast is None:
        contrast = next((change.contrast for change in explanation.changes(limit=1)), ())
    changes = style.of_the_row(explanation, contrast)
    if not changes:
        raise ValueError(f"there is nothing to change: every row gets this {noun(explanation)}")
    before, after, reached = _sides(explanation, changes)
    texts, plainly = as_drawn(
        style.class_name(explanation.outcome, 40),
        reached,
        *(shortened(t, MOST_CHARACTERS) for pair in zip(before, after, strict=True) for t in pair),
    )
    em = style.FONT_SIZE / 72
    left, right = (em * max(map(width, texts[side::2])) * BOLD + 0.3 for side in (0, 1))
    across, rows = left + GAP + right, len(before) + 1
    ax, scale = style.canvas(ax, across, LINE_INCHES, rows, 0.7)
    together = ", all together" if len(before) > 1 else ""
    what = noun(explanation)
    ax.set_title(f"What would have changed the {what}{together}", loc="left", fontsize=11)
    for row in range(rows):
        heads = {"weight": "bold"} if row == 0 else {}
        how = plainly | heads | {"fontsize": style.FONT_SIZE * scale, "va": "center"}
        _pair(ax, row, (texts[2 * row], texts[2 * row + 1]), (left, right), how)
    return ax


def _sides(explanation: Explanation, changes: list[Condition]) -> tuple[list[str], list[str], str]:
    """Return what is, what would have to be, one line per feature; and the class that follows."""
    wanted = frozenset(changes)
    # Of an ensemble each takes a search, and the one that is drawn is mostly the first.
    found = (
        c
        for limit in (1, LOOKED_AT)
        for c in explanation.changes(limit)
        if frozenset(c.contrast) == wanted
    )
    change = next(found, None)
    if change is not None and change.destinations:
        to = change.destinations[0]
        pairs = [str(moved).partition(": ")[2].partition(" -> ") for moved in to.moved]
        names = [moved.feature for moved in to.moved]
        before = [f"{name} is {pair[0]}" for name, pair in zip(names, pairs, strict=True)]
        after = [f"{name} is {pair[2]}" for name, pair in zip(names, pairs, strict=True)]
        return before, after, style.class_name(to.outcome_name, 40)
    before = [style.label(explanation, condition, with_value=True) for condition in changes]
    after = [style.label(explanation, condition, changed=True) for condition in changes]
    return before, after, f"another {noun(explanation)}"


def _pair(
    ax: Axes, row: int, texts: tuple[str, str], widths: tuple[float, float], how: dict[str, Any]
) -> None:
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

    starts = (0.0, widths[0] + GAP)
    for x, wide, text, look in zip(starts, widths, texts, (FROM, TO), strict=True):
        if row:
            corners = "round,pad=0,rounding_size=0.06"
            ax.add_patch(FancyBboxPatch((x, row - 0.36), wide, 0.72, boxstyle=corners, **look))
        colour = style.DARK if row and look is TO else style.ink()
        ax.text(x + 0.12, row, text, color=colour, **how)
    ends = (widths[0] + 0.08, row), (starts[1] - 0.08, row)
    look = {"color": style.ink(), "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0}
    ax.add_patch(FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=10, **look))

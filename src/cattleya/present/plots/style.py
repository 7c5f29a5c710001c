"""What all pictures share: colours that survive a photocopier, labels, and where to draw."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cattleya.explain.explanation import Explanation
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.parts import IntervalPart
from cattleya.model.conditions.user_condition import Membership
from cattleya.present import words
from cattleya.present.plots.fonts import as_drawn, shortened
from cattleya.support.text import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "BOTH",
    "DARK",
    "FAINT",
    "FONT_SIZE",
    "GREY",
    "HATCH",
    "HEAT",
    "NECESSARY",
    "OFF",
    "OFF_EDGE",
    "ON",
    "PALE",
    "RELEVANT",
    "axes",
    "canvas",
    "class_name",
    "in_inches",
    "ink",
    "is_on",
    "label",
    "of_the_row",
    "paper",
    "pyplot",
    "write",
]

# A blue and a red that colour-blind people tell apart. Red is the lighter of the two, and hatched
# or marked wherever it stands for something, so that they differ without colour.
ON = "#2166ac"
OFF, OFF_EDGE, HATCH = "#f4a582", "#b2182b", "/////"
DARK, GREY, PALE, FAINT = "#1a1a1a", "#6b6b6b", "#d1e5f0", "#cccccc"
BOTH = "#762a83"  # a pixel with conditions on both sides
NECESSARY, RELEVANT = "#252525", "#b3b3b3"
#: From 100% off through 0 to 100% on, each step darker: a photocopy still shows how much.
HEAT = ("#67001f", "#b2182b", "#f4a582", "#ffffff", "#92c5de", "#2166ac", "#053061")
FONT_SIZE = 9.0
TALLEST = 200.0  # inches; matplotlib draws at most 2^16 pixels


def pyplot() -> Any:
    """Return matplotlib's pyplot; say what to do where there is none."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            'plots need matplotlib, which is not installed: pip install "cattleya[plots]"'
        ) from error
    return pyplot


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the Axes to draw on: the given one, or a new one of this size in inches."""
    plt = pyplot()
    if ax is None:
        _, made = plt.subplots(figsize=(width, min(height, TALLEST)), layout="constrained")
        return made  # type: ignore[no-any-return]  # Any, of pyplot
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be a matplotlib Axes or None, not {ax!r}")
    return ax


def ink() -> str:
    """Return the colour of text in the style in use, which may be a dark one."""
    from matplotlib import rcParams

    return str(rcParams["text.color"])


def paper() -> str:
    """Return the colour that text in the style in use is written on."""
    from matplotlib import rcParams

    return str(rcParams["axes.facecolor"])


def in_inches(ax: Axes) -> tuple[float, float]:
    """Return the width and the height of the Axes."""
    dpi = ax.figure.dpi
    return ax.bbox.width / dpi, ax.bbox.height / dpi


def canvas(
    ax: Axes | None, across: float, line: float, lines: int, extra: float
) -> tuple[Axes, float]:
    """Return Axes for lines of text, and the scale at which these fit: 1 on a new figure.

    One unit across is an inch at this scale, one unit down a line. ``line`` and ``extra`` are in
    inches: the height of a line, and what title and notes need.
    """
    made = ax is None
    ax = axes(ax, across + 0.3, line * lines + extra)
    wide, high = in_inches(ax)
    scale = min(1.0, wide / across, high / (line * lines))
    if made:
        scale = min(1.0, (TALLEST - extra) / (line * lines))
    below = lines if made else max(lines, high / line)
    ax.set_xlim(-0.1, across + 0.1)
    ax.set_ylim(below - 0.4, -0.6)
    ax.axis("off")
    return ax, scale


def is_on(condition: Condition) -> bool:
    """Tell whether the row is on the side that is drawn blue.

    Of a Boolean variable that is 1, of a threshold above it, of missing values present, of a
    category that it has a value that is named, of an interval that it has a lower end. What is
    said of a whole feature holds in the row, and is blue.
    """
    if isinstance(condition, Membership):
        return condition.operator in ("=", "in")
    if isinstance(condition, IntervalPart):
        return math.isfinite(condition.above) or math.isinf(condition.up_to)
    if not isinstance(condition, Comparison):
        return True
    return condition.sense == math.isinf(condition.threshold)


def of_the_row(explanation: Explanation, conditions: Iterable[Condition]) -> list[Condition]:
    """Return the conditions of a reason that was given; refuse any that the row does not have."""
    if isinstance(conditions, (str, Condition)) or not isinstance(conditions, Iterable):
        raise TypeError(f"a reason is a set of conditions, not {shown(conditions)}")
    given = list(conditions)
    for condition in given:
        if condition not in explanation.conditions:
            raise ValueError(
                f"{str(condition)!r} is no condition of the row; give a reason of this explanation"
            )
    return given


def label(
    explanation: Explanation,
    condition: Condition,
    *,
    changed: bool = False,
    with_value: bool = False,
) -> str:
    """Return a condition of the row as text, or its opposite; thresholds are rounded."""
    return words.in_words(explanation, condition, changed=changed, with_value=with_value)


def class_name(name: str, most: int = 44) -> str:
    """Return the name of a class as text, as short as a picture needs it."""
    return shortened(words.class_name(name), most)


def write(ax: Axes, x: float, y: float, text: str, **how: Any) -> Any:
    """Write a text on the Axes, exactly as it is."""
    (drawn,), plainly = as_drawn(text)
    return ax.text(x, y, drawn, **plainly | {"fontsize": FONT_SIZE, "va": "center"} | how)

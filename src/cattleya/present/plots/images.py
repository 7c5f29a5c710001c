"""Rows that are images: the four panels of the paper's figure, and each by itself.

Where several conditions are about one pixel, a pixel that has both kinds gets, in the picture of a
reason, a mark and a colour of its own; in the heat map a pixel shows the most important of its
conditions; and it is necessary where one of them is, else relevant where one of them is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cattleya.explain.explanation import Explanation
from cattleya.model.conditions.condition import Condition
from cattleya.present.plots import style
from cattleya.present.plots.fonts import as_drawn
from cattleya.present.plots.pixels import Pixels, Shape
from cattleya.support.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["image", "image_features", "image_heat_map", "image_instance", "image_reason"]

PANEL_INCHES = 3.0
PANELS = 4


def image(
    explanation: Explanation,
    shape: Shape = None,
    reason: Collection[Condition] | None = None,
    ax: Any = None,
    *,
    timeout: float | None = None,
) -> npt.NDArray[np.object_]:
    """Draw the paper's figure: the instance, a reason, the heat map, the explanatory features.

    Where several conditions are about one pixel: a pixel with conditions on both sides has a colour
    of its own in the picture of the reason; the heat map shows the most important condition of a
    pixel; a pixel is necessary where one of its conditions is.

    Parameters
    ----------
    explanation : Explanation
        Of a row that is an image, pixel after pixel, line by line.
    shape : tuple of int, optional
        Height and width, and channels if there are any; by default a square.
    reason : Reason or collection of Condition, optional
        By default ``explanation.sufficient_reason()``.
    ax : array of four matplotlib Axes, optional
        Where to draw; by default a new figure.
    timeout : float, optional
        As for :meth:`cattleya.Explanation.importance`.

    Returns
    -------
    ndarray of four matplotlib Axes

    Examples
    --------
    >>> import cattleya
    >>> from cattleya import plots
    >>> tree = cattleya.Tree.from_nested(("a", 0, ("b", 0, ("c", 1, ("d", 0, 1)))))
    >>> axes = plots.image(cattleya.Explainer(tree).explain([1, 1, 0, 1]), shape=(2, 2))
    >>> [ax.get_title() for ax in axes[:3]]
    ['the instance: class 1', 'a sufficient reason', 'explanatory importance']
    """
    plt = style.pyplot()
    height, width = Pixels(explanation, shape).height_and_width
    # What may fail or take long comes before a figure is made.
    style.of_the_row(explanation, reason or ())
    explanation.importance(timeout=timeout)
    if ax is None:
        inches = max(1.6, PANEL_INCHES * min(width / height, 2))
        _, ax = plt.subplots(
            1, PANELS, figsize=(PANELS * inches + 0.6, PANEL_INCHES + 0.6), layout="constrained"
        )
    axes = np.asarray(ax, dtype=object).ravel()
    if len(axes) != PANELS:
        raise ValueError(
            f"ax must be {PANELS} Axes, not {len(axes)}; draw one panel by itself with "
            "image_instance, image_reason, image_heat_map or image_features"
        )
    image_instance(explanation, shape, axes[0])
    image_reason(explanation, shape, reason, axes[1])
    image_heat_map(explanation, shape, axes[2], timeout=timeout)
    image_features(explanation, shape, axes[3])
    return axes


def image_instance(explanation: Explanation, shape: Shape = None, ax: Axes | None = None) -> Axes:
    """Draw the row itself, in grey, or in colour where ``shape`` has three channels.

    Examples
    --------
    >>> import cattleya
    >>> from cattleya import plots
    >>> tree = cattleya.Tree.from_nested(("a", 0, ("b", 0, ("c", 1, ("d", 0, 1)))))
    >>> e = cattleya.Explainer(tree).explain([1, 1, 0, 1])
    >>> plots.image_instance(e, (2, 2)).get_title()
    'the instance: class 1'
    """
    pixels = Pixels(explanation, shape)
    ax = _panel(ax, f"the instance: {style.class_name(explanation.outcome, 24)}")
    colours = pixels.colours
    if colours is not None:
        ax.imshow(colours)
    else:
        ax.imshow(np.ma.masked_invalid(pixels.grey), cmap="gray_r")
    return ax


def image_reason(
    explanation: Explanation,
    shape: Shape = None,
    reason: Collection[Condition] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the pixels of a reason: blue on, red and marked off.

    A pixel is on where the condition is ``pixel`` or ``pixel > threshold``. One that has
    conditions of both kinds in the reason is violet, and marked with a cross.

    Examples
    --------
    >>> import cattleya
    >>> from cattleya import plots
    >>> tree = cattleya.Tree.from_nested(("a", 0, ("b", 0, ("c", 1, ("d", 0, 1)))))
    >>> e = cattleya.Explainer(tree).explain([1, 1, 0, 1])
    >>> plots.image_reason(e, (2, 2)).get_title()
    'a sufficient reason'
    """
    pixels = Pixels(explanation, shape)
    if reason is None:
        reason = explanation.sufficient_reason()
    sides = pixels.sides(style.of_the_row(explanation, reason))
    ax = _panel(ax, f"a {getattr(reason, 'kind', 'reason')}")
    found = {
        name: [pixel for pixel, met in sides.items() if met == wanted]
        for name, wanted in (("on", {True}), ("off", {False}), ("both", {True, False}))
    }
    # On the instance, faintly, so that one sees where the pixels are.
    canvas = np.repeat(1 - 0.14 * pixels.ink[:, :, np.newaxis], 3, axis=2)
    for name, colour in (("on", style.ON), ("off", style.OFF), ("both", style.BOTH)):
        _paint(canvas, found[name], colour)
    ax.imshow(canvas)
    _mark(ax, pixels, found["off"], "_", style.OFF_EDGE)
    _mark(ax, pixels, found["both"], "x", "white")
    entries = [
        _entry("on", style.ON),
        _entry("off", style.OFF, "_", style.OFF_EDGE),
        _entry("both sides", style.BOTH, "x", "white"),
    ]
    _legend(ax, [entry for entry, there in zip(entries, found.values(), strict=True) if there])
    return ax


def image_heat_map(
    explanation: Explanation,
    shape: Shape = None,
    ax: Axes | None = None,
    *,
    kind: str = "sufficient",
    timeout: float | None = None,
) -> Axes:
    """Draw the explanatory importance of each pixel: blue on, red and marked off, darker is more.

    A pixel shows the most important of the conditions about it; of two that are equally important,
    the one that is on.

    Examples
    --------
    >>> import cattleya
    >>> from cattleya import plots
    >>> tree = cattleya.Tree.from_nested(("a", 0, ("b", 0, ("c", 1, ("d", 0, 1)))))
    >>> e = cattleya.Explainer(tree).explain([1, 1, 0, 1])
    >>> plots.image_heat_map(e, (2, 2)).get_title()
    'explanatory importance'
    """
    style.pyplot()
    from matplotlib.colors import LinearSegmentedColormap

    pixels = Pixels(explanation, shape)
    heat = pixels.heat(explanation.importance(kind, timeout=timeout))
    ax = _panel(ax, "explanatory importance")
    cmap = LinearSegmentedColormap.from_list("cattleya", style.HEAT, N=257)  # 0 is white
    drawn = ax.imshow(heat, cmap=cmap, vmin=-1, vmax=1)
    off = np.flatnonzero(heat < 0).tolist()
    strong = [pixel for pixel in off if heat.flat[pixel] < -0.4]  # noqa: PLR2004 - dark by then
    _mark(ax, pixels, strong, "_", "white")
    _mark(ax, pixels, [pixel for pixel in off if pixel not in strong], "_", style.DARK)
    bar = ax.figure.colorbar(drawn, ax=ax, fraction=0.046, pad=0.03, ticks=[-1, -0.5, 0, 0.5, 1])
    bar.ax.set_yticklabels(["100% off", "50%", "0", "50%", "100% on"], fontsize=8)
    bar.outline.set_visible(False)
    entries = [
        (heat.max() > 0, _entry("on", style.ON)),
        (heat.min() < 0, _entry("off", style.OFF, "_", style.DARK)),
    ]
    _legend(ax, [entry for there, entry in entries if there])
    return ax


def image_features(
    explanation: Explanation,
    shape: Shape = None,
    ax: Axes | None = None,
    *,
    kind: str = "sufficient",
) -> Axes:
    """Draw the explanatory features: dark the pixels that are necessary, light the relevant ones.

    A pixel is necessary where one of the conditions about it is in every explanation, and relevant
    where one is in some.

    Examples
    --------
    >>> import cattleya
    >>> from cattleya import plots
    >>> tree = cattleya.Tree.from_nested(("a", 0, ("b", 0, ("c", 1, ("d", 0, 1)))))
    >>> e = cattleya.Explainer(tree).explain([1, 1, 0, 1])
    >>> plots.image_features(e, (2, 2)).get_title()
    'explanatory features'
    """
    pixels = Pixels(explanation, shape)
    ax = _panel(ax, "explanatory features")
    necessary = pixels.of(explanation.necessary(kind))
    relevant = pixels.of(explanation.relevant(kind)) - necessary
    canvas = np.ones((*pixels.height_and_width, 3))
    _paint(canvas, relevant, style.RELEVANT)
    _paint(canvas, necessary, style.NECESSARY)
    ax.imshow(canvas)
    entries = [
        (necessary, _entry(f"necessary ({len(necessary)})", style.NECESSARY)),
        (relevant, _entry(f"relevant ({len(relevant)})", style.RELEVANT)),
    ]
    _legend(ax, [entry for there, entry in entries if there])
    return ax


def _paint(canvas: Floats, pixels: Iterable[int], colour: str) -> None:
    from matplotlib.colors import to_rgb

    for pixel in pixels:
        canvas[np.unravel_index(pixel, canvas.shape[:2])] = to_rgb(colour)


def _mark(ax: Axes, pixels: Pixels, marked: list[int], marker: str, colour: str) -> None:
    if not marked:
        return
    height, width = pixels.height_and_width
    y, x = np.unravel_index(marked, (height, width))
    points = 72 * min(style.in_inches(ax)[0] / width, style.in_inches(ax)[1] / height)
    ax.scatter(
        x, y, s=(0.6 * points) ** 2, marker=marker, color=colour, linewidths=max(0.5, points / 6)
    )


def _panel(ax: Axes | None, title: str) -> Axes:
    ax = style.axes(ax, PANEL_INCHES + 0.5, PANEL_INCHES + 0.6)
    (drawn,), plainly = as_drawn(title)
    ax.set_title(drawn, fontsize=10, **plainly)
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_color(style.FAINT)
    return ax


def _entry(name: str, colour: str, marker: str = "", edge: str = "") -> tuple[Any, str]:
    from matplotlib.lines import Line2D

    square = Line2D(
        [], [], linestyle="", marker="s", markersize=8, color=colour, markeredgecolor=style.GREY
    )
    if not marker:
        return square, name
    inside = Line2D(
        [], [], linestyle="", marker=marker, markersize=5, color=edge, markeredgewidth=1.2
    )
    return (square, inside), name


def _legend(ax: Axes, entries: list[tuple[Any, str]]) -> None:
    if not entries:
        return
    handles, names = zip(*entries, strict=True)
    ax.legend(
        handles,
        names,
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        ncols=3,
        frameon=False,
        fontsize=style.FONT_SIZE,
        handletextpad=0.3,
        columnspacing=1.0,
        borderaxespad=0.2,
    )

"""The tree along a row's path: which tests a reason keeps and drops, and what that leaves open.

The path runs straight down, one test per line, and the branches that the row did not take stand to
its right. So a path of sixty tests through ten thousand nodes can be read as well as one of three.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from cattleya.adapters.adapted import TrainingRows
from cattleya.changes.general.general_reason import General
from cattleya.explain.explanation import Explanation, checked_explanation, explained_row
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.present.findings import noun
from cattleya.present.plots import style
from cattleya.present.plots.fonts import as_drawn, shortened, width
from cattleya.present.plots.path import Line, NearPath
from cattleya.support.guards import is_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["tree"]

MOST_LINES = 36
MOST_CHARACTERS = 52
MOST_CLASSES = 3
LINE_INCHES = 0.32
INDENT = 0.3
GAP = 0.55
BOLD = 1.08  # how much wider bold letters are
MIX_WIDTH, COUNT_WIDTH = 0.5, 0.55  # inches: of the bar of classes, and of the number beside it
PLURAL = {"class": "classes", "number": "numbers", "outcome": "outcomes"}
MIX = (style.ON, style.OFF, style.GREY, style.FAINT)
MOST_LISTED = 5
ARROW = "\N{RIGHTWARDS ARROW}"


def tree(
    explanation: Explanation,
    reason: Collection[Condition] | None = None,
    around: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the row's path through the tree, with the tests that a reason keeps and drops.

    The path runs from the top to the class at the bottom. A test that the reason keeps has a thick
    frame, and the branch on its other side is closed (a cross). A test that it drops has a dashed
    frame: the branch on its other side stays open, and what the reason leaves open in it ends in
    the same class. Where the model keeps them, as scikit-learn's do, the number of training rows
    that came to each node stands beside it, with a bar of their classes.

    Parameters
    ----------
    explanation : Explanation
        Of one row.
    reason : Reason or collection of Condition, optional
        By default the one that ``print(explanation)`` shows: over intervals
        ``explanation.reason()``, else ``explanation.minimal_reason()``. Where it has conditions
        that are not on the path, they are listed below it.
    around : int, optional
        How many levels of each side branch to draw; what is beyond is counted. By default as many
        as 36 lines have room for: all of a small tree, none of a large one.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure of the size that it needs.

    Examples
    --------
    >>> import cattleya
    >>> from cattleya import plots
    >>> nested = ("a", ("b", "no", "yes"), ("c", "yes", "no"))
    >>> e = cattleya.Explainer(cattleya.Tree.from_nested(nested)).explain([1, 1, 0])
    >>> for text in plots.tree(e, e.sufficient_reason()).texts:
    ...     print(text.get_text())
    a
    not a
    b → yes
    not b → no
    not c
    c → no
    yes
    """
    checked_explanation(explanation)
    if around is not None and not is_whole(around):
        raise TypeError(f"around must be a whole number or None, not {around!r}")
    if around is not None and around < 0:
        raise ValueError(f"around must be 0 or more, not {around!r}")
    style.pyplot()
    if reason is None:
        merges = explanation.over.merges
        reason = explanation.reason() if merges else explanation.minimal_reason()
    if not isinstance(reason, General):
        reason = style.of_the_row(explanation, reason)
    lines = NearPath(explanation, reason).lines(around, MOST_LINES)
    texts, plainly = as_drawn(*(_text(explanation, line) for line in lines))
    note = _not_on_path(explanation, reason, lines)

    em = style.FONT_SIZE / 72
    on_path = [width(t) for t, line in zip(texts, lines, strict=True) if not line.indent]
    column = em * max(on_path) * BOLD + 0.3
    branches = [
        em * width(t) + INDENT * (line.indent - 1)
        for t, line in zip(texts, lines, strict=True)
        if line.indent
    ]
    training = _Training.of(explanation)
    column += training.room
    across = column + GAP + max(branches, default=0) + 0.2 + training.room
    rows = 1 + _row_of(lines)[-1]
    ax, scale = style.canvas(ax, max(across, 5.3), LINE_INCHES, rows, 1.3 + 0.18 * len(note))
    draw = _Drawing(ax, lines, column, scale, training)
    for number, text in enumerate(texts):
        draw.line(number, text, plainly)
    _legend(ax, lines, scale, draw.training)
    name = style.class_name(explanation.outcome)
    (title,), plainly = as_drawn(f"Why {name}: the row's path")
    ax.set_title(
        title, loc="left", fontsize=11, pad=22 if training.found is None else 40, **plainly
    )
    if note:
        note, plainly = as_drawn(*note)
        ax.annotate(
            "\n".join(note),
            (0, 0),
            (0, -4),
            xycoords="axes fraction",
            textcoords="offset points",
            va="top",
            fontsize=style.FONT_SIZE,
            **plainly,
        )
    return ax


def _row_of(lines: list[Line]) -> list[int]:
    """Return how far down each line stands: a side branch begins beside the test it leaves."""
    rows, row = [], -1
    for line in lines:
        row += line.indent != 1
        rows.append(row)
    return rows


def _text(explanation: Explanation, line: Line) -> str:
    names = explanation.class_labels
    if line.condition is None:
        return style.class_name(names[line.classes[0]], MOST_CHARACTERS)
    on_path = line.indent == 0
    said = style.label(explanation, line.condition, changed=not line.taken, with_value=on_path)
    said = shortened(said, MOST_CHARACTERS)
    ends = ", ".join(style.class_name(names[c], 24) for c in line.classes[:MOST_CLASSES])
    if len(line.classes) > MOST_CLASSES:
        ends += f" and {len(line.classes) - MOST_CLASSES} more {PLURAL[noun(explanation)]}"
    if not line.size:
        return f"{said} {ARROW} {ends}" if ends else said
    said += f" {ARROW} {line.size:,} nodes"
    return f"{said}, open: {ends}" if ends else said


def _not_on_path(
    explanation: Explanation, reason: Collection[Condition], lines: list[Line]
) -> list[str]:
    """Say, in a few lines, which conditions of the reason are not tested on the path."""
    met = [line.condition for line in lines if line.indent == 0 and line.condition is not None]
    columns = {test.index for test in met}
    # The same test may be another value in another vocabulary: where missing values are no part.
    tests = {(test.index, test.threshold, test.sense) for test in met}
    others = [
        c
        for c in reason
        if (
            (c.index, c.threshold, c.sense) not in tests
            if isinstance(c, Comparison)
            else columns.isdisjoint(c.columns)
        )
    ]
    if not others:
        return []
    shown = [style.label(explanation, condition) for condition in others[:MOST_LISTED]]
    more = [f"    and {len(others) - MOST_LISTED} more"] if len(others) > MOST_LISTED else []
    listed = [f"    {shortened(text, MOST_CHARACTERS)}" for text in shown]
    return ["The reason also has, off the path:", *listed, *more]


class _Training:
    """The training rows at each node: how many, and how many of each class."""

    def __init__(self, found: TrainingRows | None, names: list[str], own: int) -> None:
        self.found = found
        # The row's own class first, in blue. A tree that predicts numbers has none.
        classes = 0 if found is None else found.mix.shape[1]
        self.order = sorted(range(classes), key=lambda number: number != own)
        self.names = [names[number] for number in self.order]

    @classmethod
    def of(cls, explanation: Explanation) -> _Training:
        """Return what the model keeps; nothing where the tree is drawn with other leaves."""
        context = explained_row(explanation).context
        names = [style.class_name(label, 24) for label in context.class_labels]
        is_class = len(explanation.tree.class_names) == len(names)
        return cls(context.model.training, names, explanation.row_class if is_class else 0)

    @property
    def room(self) -> float:
        """How much wider a line gets, in inches."""
        return 0.0 if self.found is None else MIX_WIDTH + COUNT_WIDTH

    def draw(self, ax: Axes, node: int, x: float, row: float, how: dict[str, Any]) -> None:
        """Draw the number and the mix of a node, from ``x`` on."""
        if self.found is None:
            return
        from matplotlib.patches import Rectangle

        begin = x
        for place, number in enumerate(self.order):
            share = float(self.found.mix[node, number])
            colour = MIX[min(place, len(MIX) - 1)]
            box = Rectangle((begin, row - 0.16), share * MIX_WIDTH, 0.32, color=colour, zorder=4)
            ax.add_patch(box)
            begin += share * MIX_WIDTH
        edge: dict[str, Any] = {
            "fill": False,
            "edgecolor": style.GREY,
            "linewidth": 0.6,
            "zorder": 5,
        }
        if self.order:
            ax.add_patch(Rectangle((x, row - 0.16), MIX_WIDTH, 0.32, **edge))
        count = f"{int(self.found.rows[node]):,}"
        size = how["fontsize"] * 0.85
        ax.text(x + MIX_WIDTH + 0.06, row, count, va="center", fontsize=size, color=style.GREY)


class _Drawing:
    """The lines, as boxes and connectors. One unit across is an inch, one down a line."""

    def __init__(
        self, ax: Axes, lines: list[Line], column: float, scale: float, training: _Training
    ) -> None:
        self.training = training
        self.ax = ax
        self.lines = lines
        self.rows = _row_of(lines)
        self.column = column
        self.scale = scale
        self.above: int | None = None

    def line(self, number: int, text: str, plainly: dict[str, Any]) -> None:
        """Draw one line."""
        how = plainly | {"fontsize": style.FONT_SIZE * self.scale, "va": "center"}
        if self.lines[number].indent:
            self._branch(number, text, how)
        else:
            self._test(number, text, how)

    def _test(self, number: int, text: str, how: dict[str, Any]) -> None:
        from matplotlib.patches import FancyBboxPatch

        line, row = self.lines[number], self.rows[number]
        leaf = line.condition is None
        look = _look(kept=line.kept, leaf=leaf)
        if self.above is not None:
            self.ax.plot([0.2, 0.2], [self.above, row], color=style.ink(), linewidth=2, zorder=1)
        self.above = row
        box = FancyBboxPatch(
            (0, row - 0.34), self.column, 0.68, boxstyle="round,pad=0,rounding_size=0.06", **look
        )
        box.set_zorder(2)
        self.ax.add_patch(box)
        colour = style.paper() if leaf else style.DARK if line.kept else style.GREY
        weight = "bold" if leaf or line.kept else "normal"
        self.ax.text(0.12, row, text, color=colour, weight=weight, zorder=3, **how)
        room = self.training.room
        if not leaf:
            self.training.draw(self.ax, line.node, self.column - room + 0.06, row, how)
        elif room:
            self.training.draw(self.ax, line.node, self.column + 0.12, row, how)

    def _branch(self, number: int, text: str, how: dict[str, Any]) -> None:
        line, row = self.lines[number], self.rows[number]
        x = self.column + GAP + INDENT * (line.indent - 1)
        colour = style.GREY if line.kept else style.ink()
        look: dict[str, Any] = {"color": colour, "linewidth": 1.0, "zorder": 1}
        look["linestyle"] = ":" if line.kept else "-"
        if line.indent == 1:
            corner = (self.column, row)
        else:
            above = self.rows[line.parent]
            corner = (x - INDENT + 0.1, row)
            self.ax.plot([corner[0]] * 2, [above + 0.3, row], **look)
        self.ax.plot([corner[0], x - 0.06], [row, row], **look)
        marker = "x" if line.kept else ">"
        self.ax.plot(
            [(corner[0] + x - 0.06) / 2 if line.kept else x - 0.08],
            [row],
            marker=marker,
            markersize=5 * self.scale,
            color=colour,
            markeredgewidth=1.4,
        )
        room = self.training.room
        self.training.draw(self.ax, line.node, x, row, how)
        self.ax.text(x + room, row, text, color=colour, **how)


def _look(*, kept: bool, leaf: bool = False) -> dict[str, Any]:
    if leaf:
        return {"facecolor": style.ink(), "edgecolor": style.ink(), "linewidth": 1.8}
    if kept:
        return {"facecolor": style.PALE, "edgecolor": style.ON, "linewidth": 1.8}
    return {
        "facecolor": style.paper(),
        "edgecolor": style.GREY,
        "linewidth": 0.9,
        "linestyle": "--",
    }


def _legend(ax: Axes, lines: list[Line], scale: float, training: _Training) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    tests = {line.kept for line in lines if line.indent == 0 and line.condition is not None}
    sides = {line.kept for line in lines if line.indent}
    handles: list[tuple[bool, Any, str]] = [
        (True in tests, Patch(**_look(kept=True)), "kept by the reason"),
        (False in tests, Patch(**_look(kept=False)), "dropped"),
        (
            True in sides,
            Line2D([], [], color=style.GREY, linestyle=":", marker="x", markersize=5),
            "closed by the reason",
        ),
        (
            False in sides,
            Line2D([], [], color=style.ink(), marker=">", markersize=5),
            "left open",
        ),
    ]
    plainly: dict[str, Any] = {}
    if training.found is not None:
        names, plainly = as_drawn(*training.names[: len(MIX)])
        for place, name in enumerate(names):
            last = place == len(MIX) - 1 and len(training.names) > len(MIX)
            said = "training rows of another class" if last else f"training rows: {name}"
            handles.append((True, Patch(color=MIX[place]), said))
    shown = [(handle, name) for there, handle, name in handles if there]
    if shown:
        legend = ax.legend(
            *zip(*shown, strict=True),
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncols=4,
            frameon=False,
            fontsize=style.FONT_SIZE * max(scale, 0.6),
            borderaxespad=0.2,
            borderpad=0,
            columnspacing=1.2,
        )
        for text in legend.get_texts():
            text.set(**plainly)

"""The paper's Figure 2, made again: one digit, two of its reasons that differ most, the heat map.

Of the first fold's drawn rows the one is taken whose number of sufficient reasons is the median, so
that it is neither chosen for its beauty nor for its size. The two reasons are those of
``diverse_reasons(2)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cattleya
from cattleya.experiments.data.coding import Data
from cattleya.experiments.data.protocol import folds
from cattleya.experiments.drawing import check_ending, saved, subplots
from cattleya.support.text import printable

__all__ = ["Caption", "draw"]

PANELS = 5


@dataclass(frozen=True)
class Caption:
    """What the figure shows, in numbers."""

    data: str
    row: int
    prediction: str
    count: int
    necessary: int
    relevant: int
    sizes: tuple[int, int]
    shared: int

    def __str__(self) -> str:
        return (
            f"Row {printable(self.data)} {self.row} (class {printable(self.prediction)}) has "
            f"{self.count:,} sufficient reasons, {self.necessary} necessary and {self.relevant} "
            f"relevant conditions. The two reasons have {self.sizes[0]} and {self.sizes[1]} "
            f"conditions, of which they share {self.shared}."
        )


def draw(data: Data, path: Path, rows: int = 100, seed: int = 0, timeout: float = 100.0) -> Caption:
    """Draw the figure for one of the rows of a data set of square images."""
    from cattleya import plots

    check_ending(path)
    fold = next(folds(data, 10, rows, seed))
    explainer = cattleya.Explainer(fold.model, class_names=data.classes)
    counts = {
        row: explainer.explain(data.dense_row(row)).count(timeout=timeout) for row in fold.drawn
    }
    row = sorted(counts, key=lambda number: (counts[number], number))[len(counts) // 2]
    e = explainer.explain(data.dense_row(row))
    pair = tuple(e.diverse_reasons(2, timeout=timeout))
    figure, axes = subplots(1, PANELS, (3.1 * PANELS, 3.6))
    plots.image_instance(e, ax=axes[0])
    for ax, reason in zip(axes[1:3], (pair[0], pair[-1]), strict=True):
        plots.image_reason(e, reason=reason, ax=ax)
    plots.image_heat_map(e, ax=axes[3], timeout=timeout)
    plots.image_features(e, ax=axes[4])
    saved(figure, path)
    return Caption(
        data.name,
        row,
        e.prediction_name,
        counts[row],
        len(e.necessary()),
        len(e.relevant()),
        (len(pair[0]), len(pair[-1])),
        len(frozenset(pair[0]) & frozenset(pair[-1])),
    )

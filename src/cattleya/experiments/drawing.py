"""Figures in files: matplotlib without a window, and the same bytes from the same figure."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cattleya.files.atomic import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["saved", "subplots"]


def subplots(rows: int, columns: int, inches: tuple[float, float]) -> tuple[Figure, list[Any]]:
    """Return a figure and its Axes, row after row; no window is opened."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ValueError('pictures need matplotlib: pip install "cattleya[plots]"') from None
    figure = Figure(figsize=inches, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False).ravel().tolist()


def saved(figure: Figure, path: Path) -> None:
    """Write a figure as the ending of ``path`` says; an SVG has no date and no random names."""
    import matplotlib

    ending = path.suffix.lstrip(".").lower() or "svg"
    file = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "cattleya", "svg.fonttype": "none"}):
        metadata = {"Date": None} if ending == "svg" else None
        figure.savefig(file, format=ending, metadata=metadata)
    write_bytes(path, file.getvalue())

"""Figures in files: matplotlib without a window, and the same bytes from the same figure."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cattleya.support.files.atomic import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["check_ending", "saved", "subplots"]

ENDINGS = (".svg", ".png", ".pdf")


def subplots(rows: int, columns: int, inches: tuple[float, float]) -> tuple[Figure, list[Any]]:
    """Return a figure and its Axes, row after row; no window is opened."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ValueError('pictures need matplotlib: pip install "cattleya[plots]"') from None
    figure = Figure(figsize=inches, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False).ravel().tolist()


def check_ending(path: Path) -> None:
    """Refuse what is no picture by its name, before it is worked on."""
    if path.suffix.lower() not in ENDINGS:
        raise ValueError(
            f"{str(path)!r} ends in {path.suffix!r}; pictures end in .svg, .png or .pdf"
        )


def saved(figure: Figure, path: Path) -> None:
    """Write a figure as the ending of ``path`` says; an SVG has no date and no random names."""
    import matplotlib

    check_ending(path)
    ending = path.suffix.lstrip(".").lower()
    file = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "cattleya", "svg.fonttype": "none"}):
        metadata = {"Date": None} if ending == "svg" else None
        figure.savefig(file, format=ending, metadata=metadata)
    write_bytes(path, file.getvalue())

"""The paper's figure on a page: a row that is an image, a reason, the heat map, the features.

Drawn as SVG over a small PNG of the row: nothing but the page is needed to see it.
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cattleya.model.conditions.condition import Condition
from cattleya.present.findings import Findings
from cattleya.present.plots import style
from cattleya.present.plots.pixels import Pixels, Shape
from cattleya.present.words import in_words
from cattleya.support.arrays import Bytes

__all__ = ["Cell", "Panel", "panels"]

MOST_TITLED = 1000  # pixels that say what is asked of them, when pointed at
DARK_HEAT = 0.4  # from where on a mark is white


@dataclass(frozen=True)
class Cell:
    """A pixel in a panel: in which colour, with which mark, where, and what is asked of it."""

    fill: str
    mark: str = ""
    ink: str = ""
    x: int = 0
    y: int = 0
    title: str = ""


@dataclass(frozen=True)
class Panel:
    """One of the pictures: its title, what it shows in words, the pixels, and what they mean."""

    title: str
    label: str
    width: int
    height: int
    background: str = ""
    faint: bool = False
    cells: list[Cell] = field(default_factory=list)
    key: list[tuple[Cell, str]] = field(default_factory=list)


def panels(found: Findings, shape: Shape) -> list[Panel]:
    """Return the panels, as many as there is something to show in."""
    pixels = Pixels(found.explanation, shape)
    drawing = _Drawing(found, pixels)
    made = [drawing.instance()]
    if found.reason:
        made.append(drawing.reason(found.reason, "shortest" if found.is_shortest else "sufficient"))
        if found.importance is not None:
            made.append(drawing.heat_map())
        made.append(drawing.features())
    return made


class _Drawing:
    def __init__(self, found: Findings, pixels: Pixels) -> None:
        self._found = found
        self._pixels = pixels
        self._height, self._width = pixels.height_and_width
        colours = pixels.colours
        levels = colours if colours is not None else 1 - pixels.ink
        self._image = _png((255 * levels).round().astype(np.uint8))

    def instance(self) -> Panel:
        return self._panel("the instance", "The row as an image.", background=self._image)

    def reason(self, conditions: Collection[Condition], kind: str) -> Panel:
        looks = {
            "on": ({True}, Cell(style.ON)),
            "off": ({False}, Cell(style.OFF, "-", style.OFF_EDGE)),
            "both sides": ({False, True}, Cell(style.BOTH, "x", "#fff")),
        }
        sides, titles = self._pixels.sides(conditions), self._titles(conditions)
        cells, key, counts = [], [], []
        for name, (wanted, look) in looks.items():
            chosen = [pixel for pixel, met in sides.items() if met == wanted]
            if chosen:
                cells += [self._cell(pixel, look, titles) for pixel in chosen]
                key.append((look, name))
                counts.append(f"{len(chosen)} {name}")
        return self._panel(
            f"a {kind} reason",
            f"The pixels of a {kind} reason: {', '.join(counts)}.",
            background=self._image,
            faint=True,
            cells=cells,
            key=key,
        )

    def heat_map(self) -> Panel:
        importance = self._found.importance or {}
        heat = self._pixels.heat(importance)
        titles = self._titles(c for c, share in importance.items() if share)
        cells = []
        for pixel in np.flatnonzero(heat).tolist():
            share = float(heat.flat[pixel])
            mark = ("", "") if share > 0 else ("-", "#fff" if share < -DARK_HEAT else style.DARK)
            cells.append(self._cell(pixel, Cell(_colour(share), *mark), titles))
        key = [(Cell(_colour(1.0)), "on"), (Cell(_colour(-1.0), "-", "#fff"), "off")]
        return self._panel(
            "explanatory importance",
            f"Heat map of {len(cells)} pixels: {int((heat > 0).sum())} matter because they are on, "
            f"{int((heat < 0).sum())} because they are off.",
            cells=cells,
            key=[(look, f"in every reason, {side}") for look, side in key],
        )

    def features(self) -> Panel:
        necessary = self._pixels.of(self._found.necessary)
        relevant = self._pixels.of(self._found.relevant) - necessary
        titles = self._titles(self._found.relevant)
        looks = {
            "necessary": (Cell(style.NECESSARY), necessary),
            "relevant": (Cell(style.RELEVANT), relevant),
        }
        return self._panel(
            "explanatory features",
            f"{len(necessary)} pixels are necessary, {len(relevant)} more are relevant.",
            cells=[
                self._cell(pixel, look, titles)
                for look, chosen in looks.values()
                for pixel in sorted(chosen)
            ],
            key=[(look, f"{name} ({len(chosen)})") for name, (look, chosen) in looks.items()],
        )

    def _panel(self, title: str, label: str, **rest: Any) -> Panel:
        return Panel(title, label, self._width, self._height, **rest)

    def _titles(self, conditions: Iterable[Condition]) -> dict[int, str]:
        """Return what is asked of each pixel; nothing where there are too many."""
        said: dict[int, list[str]] = {}
        for condition in list(conditions)[:MOST_TITLED]:
            text = in_words(self._found.explanation, condition)
            said.setdefault(self._pixels.at(condition), []).append(text)
        return {pixel: "; ".join(texts) for pixel, texts in said.items()}

    def _cell(self, pixel: int, look: Cell, titles: dict[int, str]) -> Cell:
        y, x = divmod(pixel, self._width)
        return replace(look, x=x, y=y, title=titles.get(pixel, ""))


def _colour(share: float) -> str:
    """Return the colour of the heat map for a share, -1 to 1."""
    stops = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in style.HEAT])
    place = (share + 1) / 2 * (len(stops) - 1)
    mixed = [np.interp(place, range(len(stops)), stops[:, part]) for part in range(3)]
    return "#" + "".join(f"{round(float(level)):02x}" for level in mixed)


def _png(levels: Bytes) -> str:
    """Return an image, grey or in colours, as the address of a PNG."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    height, width = levels.shape[:2]
    in_colour = levels.ndim > 2  # noqa: PLR2004 - height, width, channels
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if in_colour else 0, 0, 0, 0)
    lines = b"".join(b"\0" + line.tobytes() for line in levels)  # 0: the line as it is
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
    return "data:image/png;base64," + b64encode(b"\x89PNG\r\n\x1a\n" + parts).decode("ascii")

"""A row that is an image: which pixels a reason, the importance and the features are about.

No drawing here. Feature ``i`` is pixel ``i`` of the image, read line by line; channels of one pixel
are neighbours. Several conditions may be about one pixel (``pixel > 10``, ``pixel <= 200``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np

from cattleya.explain.explanation import Explanation, checked_explanation
from cattleya.model.conditions.condition import Condition
from cattleya.model.conditions.parts import IntervalPart
from cattleya.present.plots.style import is_on
from cattleya.support.arrays import Floats
from cattleya.support.guards import is_whole
from cattleya.support.text import shown

__all__ = ["Pixels", "Shape"]

Shape = Sequence[int] | None

COLOUR_CHANNELS = 3
FLAT = 2  # dimensions of an image without channels


class Pixels:
    """The pixels of one row.

    Parameters
    ----------
    explanation : Explanation
        Of a row that is an image, pixel after pixel, line by line.
    shape : sequence of int, optional
        Height and width, and channels if there are any; by default a square.

    Examples
    --------
    >>> import cattleya
    >>> tree = cattleya.Tree.from_nested(("a", 0, ("b", 0, ("c", 1, ("d", 0, 1)))))
    >>> e = cattleya.Explainer(tree).explain([1, 1, 0, 1])
    >>> pixels = Pixels(e)
    >>> pixels.size, pixels.sides(e.sufficient_reason())
    ((2, 2), {0: {True}, 1: {True}, 2: {False}})
    >>> pixels.heat(e.importance()).tolist()
    [[1.0, 1.0], [-0.5, 0.5]]
    """

    def __init__(self, explanation: Explanation, shape: Shape = None) -> None:
        self._row = checked_explanation(explanation).row
        self.size = _checked(shape, len(explanation.row))
        self.values = self._row.reshape(self.size)

    @property
    def height_and_width(self) -> tuple[int, int]:
        """How many lines and columns there are."""
        return self.size[0], self.size[1]

    @property
    def colours(self) -> Floats | None:
        """The image in red, green and blue from 0 to 1, where it has these channels."""
        if self.size[FLAT:] != (COLOUR_CHANNELS,):
            return None
        values = np.nan_to_num(self.values)
        low, high = values.min(), values.max()
        return np.asarray((values - low) / (high - low or 1.0), dtype=np.float64)

    @property
    def grey(self) -> Floats:
        """The image without colours; NaN where a value is missing."""
        return self.values if len(self.size) == FLAT else self.values.mean(axis=2)

    @property
    def ink(self) -> Floats:
        """How much ink each pixel has: 0 for the least value, and for a missing one, to 1."""
        grey = self.grey
        there = grey[~np.isnan(grey)]
        low, high = (there.min(), there.max()) if there.size else (0.0, 0.0)
        return np.nan_to_num((grey - low) / (high - low or 1.0))

    def at(self, condition: Condition) -> int:
        """Return the pixel that a condition is about."""
        return condition.index // math.prod(self.size[FLAT:])

    def of(self, conditions: Iterable[Condition]) -> set[int]:
        """Return the pixels that conditions are about."""
        return {self.at(condition) for condition in conditions}

    def sides(self, conditions: Iterable[Condition]) -> dict[int, set[bool]]:
        """Return the pixels that conditions are about, with their sides: True is on."""
        found: dict[int, set[bool]] = {}
        for condition in conditions:
            sides = found.setdefault(self.at(condition), set())
            sides.add(is_on(condition))
            if isinstance(condition, IntervalPart) and math.isfinite(condition.up_to):
                sides.add(False)  # it has an upper end, and perhaps both
        return found

    def heat(self, importance: Mapping[Condition, Fraction]) -> Floats:
        """Return the importance of each pixel: positive where it is on, negative where it is off.

        It is that of the most important of its conditions; of two that are equally important, of
        the one that is on.
        """
        heat = np.zeros(self.height_and_width)
        for condition, share in importance.items():
            at = np.unravel_index(self.at(condition), heat.shape)
            signed = float(share) if is_on(condition) else -float(share)
            if abs(signed) > abs(heat[at]) or signed == -heat[at] > 0:
                heat[at] = signed
        return heat


def _checked(shape: Shape, pixels: int) -> tuple[int, ...]:
    if shape is None:
        side = math.isqrt(pixels)
        if side * side != pixels:
            raise ValueError(
                f"a row has {pixels} features, which is no square; give shape=(height, width)"
            )
        return side, side
    size = tuple(shape) if np.ndim(shape) == 1 else ()
    whole = all(map(is_whole, size))
    if len(size) not in (FLAT, FLAT + 1) or not whole or min(size) < 1:
        raise ValueError(
            f"shape must be (height, width) or (height, width, channels), not {shown(shape)}"
        )
    if math.prod(size) != pixels:
        raise ValueError(f"shape={shape} has {math.prod(size)} pixels; the row has {pixels}")
    return tuple(int(length) for length in size)

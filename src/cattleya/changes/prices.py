"""What changes cost: ``weights`` and ``data``, read once for all the rows that are asked about."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cattleya.changes.costs import Prices, Start
from cattleya.changes.regions import Regions
from cattleya.model.domain.domain import Number
from cattleya.model.domain.scaling import backward
from cattleya.support.arrays import Floats
from cattleya.support.guards import is_real
from cattleya.support.limits import Deadline
from cattleya.support.text import shown

__all__ = ["Pricing", "Sample"]


SCALES = ("range", "mad")


@dataclass(eq=False)
class Sample:
    """The rows that units are taken from, in the tree's columns; NaN where the user's are missing.

    ``ranges`` are the least and the largest number of each column, where these were found without
    reading the rows.
    """

    read: Callable[[], Floats]
    ranges: tuple[Floats, Floats] | None = None

    @cached_property
    def rows(self) -> Floats:
        """The rows, read when they are asked for."""
        return self.read()

    def held(self) -> Sample:
        """Read the rows now: what the user does to the table later is of no matter."""
        _ = self.rows
        return self


class Pricing:
    """What changes cost, whatever the row.

    A unit of a number costs one; with ``data``, in the tree's columns, one over the range (or the
    median absolute deviation) of the number there. Other changes cost one. A mapping of weights
    replaces these.
    """

    def __init__(
        self, regions: Regions, weights: Any, data: Sample | None, deadline: Deadline
    ) -> None:
        self._regions, self._data = regions, data
        self._unit, self._whole = np.ones((2, len(regions.attributes)))
        self._usual: dict[int, float] = {}
        scale = "range" if weights is None or isinstance(weights, Mapping) else weights
        if not isinstance(scale, str) or scale not in SCALES:
            raise ValueError(
                f"weights must be a dict by feature, 'range' or 'mad', not {shown(weights)}"
            )
        if data is not None and data.ranges is None and not len(data.rows):
            raise ValueError(
                "data has 0 rows, so it has no range; give at least one row, or leave data out"
            )
        if data is not None:
            for tested, number in enumerate(regions.attributes):
                if isinstance(number, Number):
                    deadline.check()
                    self._unit[tested] = 1 / self._spread(number, scale)
        elif isinstance(weights, str):
            raise ValueError(f"weights={weights!r} needs data= to take the {weights} of")
        for name, weight in weights.items() if isinstance(weights, Mapping) else ():
            if not _is_positive(weight):
                raise ValueError(f"weights: {name!r} has {shown(weight)}; give a positive number")
            for place in regions.lookup.find("weights", name).attributes:
                if place in regions.tested:
                    tested = regions.tested[place]
                    self._unit[tested] = self._whole[tested] = float(weight)

    def of(self, start: Start) -> Prices:
        """Return what the changes of a row cost."""
        usual = np.zeros(len(self._unit))
        for tested in np.flatnonzero(np.isnan(start.number)).tolist():
            usual[tested] = self._usual_number(tested)
        return Prices(self._unit, self._whole, usual)

    def _usual_number(self, tested: int) -> float:
        """Return what a missing number becomes, where it can: the median of the data."""
        number = self._regions.attributes[tested]
        if self._data is None or not isinstance(number, Number):
            return 0.0
        if tested not in self._usual:
            column = self._column(number)
            with np.errstate(over="ignore"):  # then it is the end of the interval
                self._usual[tested] = float(np.median(column)) if len(column) else 0.0
        return self._usual[tested]

    def _spread(self, number: Number, scale: str) -> float:
        """Return the range or the MAD; the range where the MAD is 0, and 1 where that is 0 too."""
        assert self._data is not None  # it is asked for only then
        with np.errstate(over="ignore", invalid="ignore"):
            if self._data.ranges is not None and scale == "range" and not number.steps:
                low, high = self._data.ranges
                spread = float(high[number.column] - low[number.column]) or 1.0
            else:
                spread = _spread_of(self._column(number), scale)
        if not math.isfinite(spread) or not math.isfinite(1 / spread):
            raise ValueError(
                f"data: the {scale} of {number.name!r} is {spread:g}, which cannot be a unit; "
                f"give weights={{{number.name!r}: ...}} without data"
            )
        return spread

    def _column(self, number: Number) -> Floats:
        """Return the values of a number that there are, in the user's units."""
        assert self._data is not None  # it is asked for only then
        column = self._data.rows[:, number.column]
        return backward(column[np.isfinite(column)], number.steps)  # no matter how it is rounded


def _is_positive(value: Any) -> bool:
    number = is_real(value)
    return number and 0 < _as_float(value) < math.inf


def _as_float(value: Any) -> float:
    """Return a number as a float: infinite where it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value > 0 or -1)


def _spread_of(column: Floats, scale: str) -> float:
    if not len(column):
        return 1.0
    deviation = float(np.median(np.abs(column - np.median(column)))) if scale == "mad" else 0.0
    return deviation or float(np.ptp(column)) or 1.0

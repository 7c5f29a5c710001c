"""What it costs a row to come to each cell of an ensemble: what the nearest permitted value costs.

The cells of all attributes stand in one line, after those of each attribute that of a missing
value. What does not depend on the row is found once for an ensemble.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cattleya.changes.costs import Permitted, Prices
from cattleya.changes.regions import Regions
from cattleya.ensembles.boxes import Layout
from cattleya.model.domain.edges import bounds, edges
from cattleya.support.arrays import Floats, Int32s, Int64s, Places
from cattleya.vocabularies.cells import MISSING, Cells

__all__ = ["CellCosts", "CellSpans"]


@dataclass(frozen=True, eq=False)
class CellCosts:
    """What each cell of the attributes costs: their first entries, the changes and the amounts."""

    first: Int64s
    changes: Floats
    total: Floats

    def of(self, place: int, cell: int) -> float:
        """Return what it costs to come to a cell of an attribute."""
        end = self.first[place + 1] if cell == MISSING else self.first[place] + cell + 1
        return float(self.total[end - 1])


class CellSpans:
    """The values of each cell of the numbers that are tested; never changed.

    Attributes
    ----------
    first : array
        By attribute: its first entry in the line; and the end.
    """

    def __init__(self, regions: Regions, cells: Cells, layout: Layout) -> None:
        self._regions, self._cells = regions, cells
        count = np.where(layout.is_number, layout.n_levels + 1, layout.n_cells) + 1
        self.first: Int64s = np.concatenate(([0], np.cumsum(count))).astype(np.int64)
        self._never_missing: Places = self.first[1:][layout.may_be_missing == 0] - 1
        # The numbers among the tested attributes.
        self._tested: Places = np.flatnonzero(layout.is_number[regions.places])
        place = regions.places[self._tested]
        self._gap: Places = self.first[place + 1] - 1
        self._low, self._high = np.full((2, int(self.first[-1])), np.nan)
        lower, upper = bounds(regions.attributes, regions.tree.row_dtype)
        self._low[self.first[place]] = lower[self._tested]
        self._high[self._gap - 1] = upper[self._tested]
        owner = np.repeat(np.arange(len(layout.n_levels)), np.diff(cells.level_start))
        tested_of = np.zeros(len(layout.n_levels), dtype=np.intp)
        tested_of[regions.places] = np.arange(len(regions.places))
        last, above = edges(
            regions.attributes, tested_of[owner], cells.level_threshold, regions.tree.row_dtype
        )
        entry = self.first[owner] + np.arange(len(owner)) - cells.level_start[owner]
        self._high[entry], self._low[entry + 1] = last, above
        # The entries of the numbers, but for missing values, and whose they are.
        self._entry: Places = np.flatnonzero(~np.isnan(self._low))
        self._owner: Places = np.repeat(self._tested, layout.n_levels[place] + 1)

    def of(self, tested: int, permitted: Permitted) -> tuple[Floats, Floats]:
        """Return the least and the greatest permitted value of each cell of a number."""
        place = int(self._regions.places[tested])
        own = slice(int(self.first[place]), int(self.first[place + 1]) - 1)
        low, high = permitted.low[tested], permitted.high[tested]
        return np.maximum(self._low[own], low), np.minimum(self._high[own], high)

    def costs(
        self, own: Int32s, number: Floats, permitted: Permitted, prices: Prices, metric: str
    ) -> CellCosts:
        """Return what coming to each cell costs; the row's own cost nothing.

        ``own`` has the row's cells, ``number`` the values of its tested attributes.
        """
        total = np.full(len(self._low), np.inf)
        at = self._owner
        low = np.maximum(self._low[self._entry], permitted.low[at])
        high = np.minimum(self._high[self._entry], permitted.high[at])
        value = number[at]
        with np.errstate(over="ignore", invalid="ignore"):  # from infinity, or nearly
            cost = np.abs(np.minimum(np.maximum(value, low), high) - value) * prices.unit[at]
        cost = np.where(np.isnan(value), prices.whole[at], cost)
        # An infinite cost means that it is not permitted; no sum of others is to become one.
        most = np.finfo(np.float64).max / (2 * len(self.first))
        cost = np.minimum(cost, np.sqrt(most) if metric == "l2" else most)
        cost[low > high] = np.inf
        total[self._entry] = cost
        gaps = permitted.missing[self._tested]
        total[self._gap[gaps]] = prices.whole[self._tested[gaps]]
        for tested, values in permitted.values.items():
            place = int(self._regions.places[tested])
            cell = self._cells.cell_of_value[place]
            total[self.first[place] + cell[values]] = prices.whole[tested]
        total[self._never_missing] = np.inf
        home = np.where(own == MISSING, self.first[1:] - 1, self.first[:-1] + own)
        total[home] = 0.0
        changes = np.where(np.isinf(total), np.inf, 1.0 if metric == "l0" else 0.0)
        changes[home] = 0.0
        return CellCosts(self.first, changes, total**2 if metric == "l2" else total)

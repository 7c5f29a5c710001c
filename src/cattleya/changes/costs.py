"""What it costs a row to come to each node of a tree: which attributes change, and how far.

In a product of factors the nearest point is nearest in every factor, so each node is asked about
its own factor only (see ``leaf_regions``): can the row's value stay, and if not, how far is the
nearest permitted one? A number moves to the near end of the interval; a category, or a value that
is missing, to any other value at one price.

Costs are doubles. Where one of them is too large or too small for these (numbers near 1e308, or
squares of 1e200), they are computed again with a wider exponent, where the machine has one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from cattleya.changes.regions import Regions
from cattleya.model.domain.domain import Category, is_missing
from cattleya.support.arrays import Bools, Floats, Places
from cattleya.support.limits import Deadline

__all__ = ["Costs", "Permitted", "Prices", "Start", "cost_of_nodes", "sum_over_regions"]


LEVELS_BETWEEN_LOOKS = 256


@dataclass(frozen=True, eq=False)
class Start:
    """A row in the user's units, by tested attribute.

    A number's value, NaN where it is missing; for a category the place of its value. And the row
    in the tree's columns, as it is when its scaled numbers are given in 64 bits: what was given in
    32 may have been scaled in 32, and been a little beside.
    """

    number: Floats
    category: Places
    row: Floats

    @classmethod
    def of(cls, regions: Regions, row: Floats, raw: dict[int, object] | None = None) -> Start:
        """Read a row in the tree's columns; ``raw`` has the user's own values where there are any.

        They are wanted for scaled numbers, whose value cannot be had back from the tree's, and
        for missing ones that an imputer filled in.
        """
        dtype = regions.tree.row_dtype
        number = np.zeros(len(regions.attributes))
        category = np.full(len(regions.attributes), -1, dtype=np.intp)
        number[:] = row[regions.first_column]
        row = row.copy()
        for place in regions.special:
            attribute = regions.attributes[place]
            if isinstance(attribute, Category):
                category[place] = attribute.value_of(row)
            elif raw is not None and place in raw:
                given = raw[place]
                if is_missing(given):
                    number[place] = math.nan
                elif attribute.steps:
                    number[place] = float(given)  # type: ignore[arg-type]  # steps take numbers only
                    row[attribute.column] = attribute.to_tree(number[place], dtype)
            else:
                number[place] = attribute.to_user(float(row[attribute.column]), dtype)
        return cls(number, category, row)


@dataclass(frozen=True, eq=False)
class Permitted:
    """What a changed attribute may become, by tested attribute; staying is always permitted.

    A number: a value from ``low`` to ``high``, or missing where ``missing`` says so. A category:
    the values that its array marks.
    """

    low: Floats
    high: Floats
    missing: Bools
    values: dict[int, Bools]


@dataclass(frozen=True, eq=False)
class Prices:
    """What changes cost, by tested attribute: one unit of a number; anything else as a whole."""

    unit: Floats
    whole: Floats
    usual: Floats  # the number that a missing value becomes, where it can


@dataclass(frozen=True, eq=False)
class Costs:
    """The outcome, by node.

    ``changes`` and ``total`` are of the whole region; ``changed``, ``reached``, ``value`` and
    ``cost`` of the node's own factor. A value is NaN where it becomes missing, and means nothing in
    a category. What cannot be reached takes infinitely many changes; an infinite cost may also be
    one that is too large for a number.
    """

    changes: Floats
    total: Floats
    changed: Bools
    reached: Bools
    value: Floats
    cost: Floats


def cost_of_nodes(
    regions: Regions,
    start: Start,
    permitted: Permitted,
    prices: Prices,
    power: int,
    deadline: Deadline,
) -> Costs:
    """Return the cost of every node; costs are raised to a power before they are added up."""
    if len(regions) == 1:
        nothing = np.zeros(1)
        return Costs(nothing, nothing, nothing > 0, nothing == 0, nothing, nothing)
    with np.errstate(over="ignore", under="ignore"):
        costs = _costs(regions, start, permitted, prices, power, deadline, np.float64)
        if not _in_range(costs, power):
            costs = _costs(regions, start, permitted, prices, power, deadline, np.longdouble)
    return costs


def _costs(
    regions: Regions,
    start: Start,
    permitted: Permitted,
    prices: Prices,
    power: int,
    deadline: Deadline,
    kind: type[np.floating[Any]],
) -> Costs:
    changed, reached, value, cost = _numbers(regions, start, permitted, prices, kind)
    for place, sets in regions.sets.items():
        away = ~sets.contain(int(start.category[place]))
        changed[sets.nodes] = away
        reached[sets.nodes] = ~away | sets.meet(permitted.values[place])
        cost[sets.nodes] = np.where(away, prices.whole[place], 0.0)
    changed[0], reached[0], cost[0] = False, True, 0.0
    cost[~reached] = np.inf
    deadline.check()
    changes = sum_over_regions(regions, np.where(reached, changed, np.inf), deadline)
    total = sum_over_regions(regions, cost**power if power != 1 else cost, deadline)
    return Costs(changes, total, changed, reached, value, cost)


def _in_range(costs: Costs, power: int) -> bool:
    """Tell whether every cost is a double of full precision, and so are their sums."""
    own = costs.cost[costs.changed & np.isfinite(costs.changes)]
    sums = costs.total[np.isfinite(costs.changes)]
    smallest = np.finfo(np.float64).tiny
    return bool(np.isfinite(sums).all() and (own.size == 0 or (own**power).min() >= smallest))


def sum_over_regions(regions: Regions, own: Floats, deadline: Deadline) -> Floats:
    """Return for each node the sum over its region's factors, given each node's own factor's.

    On the way down, as a factor gets smaller, its term must not.
    """
    # So every difference is at least zero, and the sum has the precision of its terms.
    before = np.append(own, np.zeros(len(regions.attributes))).take(regions.link)
    with np.errstate(invalid="ignore"):
        total: Floats = own - before
    total[np.isinf(own)] = np.inf  # also where it was infinite before
    total[0] = 0.0
    for count, (level, parents) in enumerate(regions.levels):
        total[level] += total.take(parents)
        if count % LEVELS_BETWEEN_LOOKS == 0:
            deadline.check()
    return total


def _numbers(
    regions: Regions,
    start: Start,
    permitted: Permitted,
    prices: Prices,
    kind: type[np.floating[Any]],
) -> tuple[Bools, Bools, Floats, Floats]:
    """Return by node whether the number changes, whether it can, to what, and at what cost."""
    attribute, low, high = regions.attribute, regions.low, regions.high
    own = start.number[attribute]
    least = np.maximum(low, permitted.low[attribute])
    most = np.minimum(high, permitted.high[attribute])
    stays = (low <= own) & (own <= high)
    value = np.where(stays, own, np.minimum(np.maximum(own, least), most)) + 0.0  # no -0.0
    cost = np.abs(value.astype(kind) - own.astype(kind)) * prices.unit[attribute].astype(kind)
    reached = stays | (least <= most)
    absent = np.isnan(start.number)
    if absent.any():
        here = absent[attribute]
        stays |= here & regions.missing
        usual = np.minimum(np.maximum(prices.usual[attribute], least), most)
        value = np.where(here, np.where(stays, np.nan, usual), value)
        cost = np.where(here, np.where(stays, 0.0, prices.whole[attribute]), cost)
        reached |= stays
    if permitted.missing.any():
        whole = prices.whole[attribute]
        vanishes = ~stays & regions.missing & permitted.missing[attribute]
        vanishes &= ~reached | (whole < cost)
        value[vanishes], cost[vanishes] = np.nan, whole[vanishes]
        reached |= vanishes
    return ~stays, reached, value, cost

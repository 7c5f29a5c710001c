"""The nearest rows of another class: what would have to change, and to what.

All leaves are considered, each by its nearest point (``change_costs``), so that nearest is proved
and not searched for. A counterfactual is checked against the model itself before it is given.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cattleya.changes.costs import Costs, Start, cost_of_nodes, sum_over_regions
from cattleya.changes.counterfactual import Counterfactual, Question, distance
from cattleya.changes.drafts import Drafts, confirmed
from cattleya.changes.errors import NoSuchCounterfactual
from cattleya.changes.limits import Limits
from cattleya.changes.prices import Pricing, Sample
from cattleya.changes.raw_row import RawRow
from cattleya.changes.regions import Regions
from cattleya.support.arrays import Places
from cattleya.support.guards import is_whole
from cattleya.support.limits import Deadline

__all__ = ["Wanted", "first", "nearest"]


METRICS = ("l0", "l1", "l2")
MOST_LISTED = 5


@dataclass(frozen=True, eq=False)
class Wanted:
    """What is asked of a row, or of many: how many others, of which class, within which limits.

    Parameters
    ----------
    n : int
        How many at the most.
    toward : label of a class, optional
        Only rows of this class.
    immutable : list of names
        Attributes that stay as they are.
    ranges : dict, optional
        What attributes may change to; they may always stay. A number: ``(low, high)`` with None
        for no bound, ``"increase"``, ``"decrease"``, or a list of these. A category: the set of
        values. A value that is there does not become missing, unless ``"missing"`` (for a
        category None among the values) is permitted here.
    metric : {"l0", "l1", "l2"}
        How many attributes change, the sum of absolute changes deciding between equals; the sum
        of absolute changes; or the root of the sum of squares.
    data : Sample, optional
        Rows: a change of a number is then measured in units of its range
        there. Without, a unit is 1. A change of category costs 1, and so does one from or to a
        missing value.
    weights : dict, "range" or "mad", optional
        What a unit of a number, or a change of category, costs by name; or what a number's unit is
        in ``data``: its range or its median absolute deviation (its range where that is 0).
    """

    n: int = 3
    toward: Hashable = None
    immutable: Any = ()
    ranges: Mapping[Any, Any] | None = None
    metric: str = "l0"
    data: Sample | None = None
    weights: Any = None
    _pricing: dict[Regions, Pricing] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        n = self.n
        if not is_whole(n) or n < 1:
            raise ValueError(f"n must be a whole number, 1 or more, not {n!r}")
        if self.metric not in METRICS:
            raise ValueError(f"metric must be 'l0', 'l1' or 'l2', not {self.metric!r}")

    def drafts(self, question: Question, deadline: Deadline) -> Drafts:
        """Return the nearest rows of another class, the nearest first, one per leaf.

        They are still to be held against the model.
        """
        regions, target = question.regions, question.toward(self.toward)
        raw = None if question.raw is None else RawRow(regions, question.raw)
        start = Start.of(regions, question.row, None if raw is None else raw.values)
        limits = Limits(regions, start, self.immutable, self.ranges)
        if regions not in self._pricing:
            self._pricing[regions] = Pricing(regions, self.weights, self.data, deadline)
        prices = self._pricing[regions].of(start)
        leaves = question.leaves(target)
        power = 2 if self.metric == "l2" else 1
        costs = cost_of_nodes(regions, start, limits.permitted, prices, power, deadline)
        chosen = first(regions, costs, leaves, self.n, self.metric)
        if not len(chosen):
            free = cost_of_nodes(regions, start, limits.without, prices, power, deadline)
            raise NoSuchCounterfactual(_why_none(question, target, limits, costs, free))
        return Drafts(question, raw, start, limits, costs, chosen, self.metric, deadline)


def nearest(
    question: Question, *, timeout: float | Deadline | None = None, **wanted: Any
) -> tuple[Counterfactual, ...]:
    """Return the nearest rows of another class, the nearest first, one per leaf.

    What is ``wanted`` is said as for :class:`Wanted`.
    """
    deadline = Deadline.of(timeout)
    (found,) = confirmed([Wanted(**wanted).drafts(question, deadline)])
    return found


def first(regions: Regions, costs: Costs, leaves: Places, n: int, metric: str) -> Places:
    """Return the nearest of some leaves, in order; equally near ones in the order of the tree."""
    # A leaf of another class takes a change, unless the row was given in 32 bits (see Start).
    leaves = leaves[np.isfinite(costs.changes[leaves]) & (costs.changes[leaves] > 0)]
    total = costs.total[leaves]
    key = costs.changes[leaves] if metric == "l0" else total.copy()
    if n < len(leaves):
        close = key <= np.partition(key, n - 1)[n - 1]
        leaves, total, key = leaves[close], total[close], key[close]
    for i in np.flatnonzero(np.isinf(total) | (total == 0)):  # too large or small to tell apart
        own = [float(costs.cost[node]) for node in regions.above(int(leaves[i]))]
        total[i] = distance(own, "l2" if metric == "l2" else "l1")
    ordered: Places = leaves[np.lexsort((total, key))[:n]]
    return ordered


def _why_none(
    question: Question, target: int | None, limits: Limits, costs: Costs, free: Costs
) -> str:
    """Say which constraint stands in the way of every leaf."""
    regions, noun = question.regions, question.classes.noun
    leaves = question.leaves(target)
    leaves = leaves[np.isfinite(free.changes[leaves])]
    if not len(leaves):
        if target is None:
            return (
                f"there is no counterfactual: every row gets the {noun} "
                f"{question.shown(question.row_class)}"
            )
        others = question.leaves()
        more = f"; another {noun} can be reached" if np.isfinite(free.changes[others]).any() else ""
        return f"there is no counterfactual: no row gets the {noun} {question.shown(target)}{more}"
    blocked = ~costs.reached
    number = sum_over_regions(regions, blocked.astype(float), Deadline(None))[leaves]
    fewest = int(number.min())
    closest = {
        tuple(sorted(int(regions.attribute[i]) for i in regions.above(leaf) if blocked[i]))
        for leaf in leaves[number == fewest].tolist()
    }
    goal = f"another {noun}" if target is None else f"the {noun} {question.shown(target)}"
    if fewest == 1:
        return (
            f"no row under these constraints gets {goal}; it takes only one of them to be lifted: "
            f"{_alternatives([limits.words[place] for (place,) in sorted(closest)])}"
        )
    words = [limits.words[place] for place in min(closest)]
    return (
        f"no row under these constraints gets {goal}, nor would lifting a single one be enough; "
        f"without these {fewest} there would be one: {', '.join(words)}"
    )


def _alternatives(words: list[str]) -> str:
    shown = ", or ".join(words[:MOST_LISTED])
    rest = len(words) - MOST_LISTED
    return f"{shown}, or one of {rest} more" if rest > 0 else shown

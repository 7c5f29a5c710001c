"""Makes a reason as general as it can be: intervals as wide, sets of values as large.

A reason leaves a box of rows: of each attribute an interval or a set of values. What keeps an
attribute from getting more are the leaves of other classes that only this attribute keeps away:
where every other one agrees with a leaf, none of the leaf's values may be let in. So one attribute
after the other, in the order of the domain, gets all that these leaves leave it: a category all
other values, a number all up to the next one on either side. That is unique, given the boxes of the
others. As these only grow, what has kept an attribute back keeps it back to the end: no single one
can be made larger then. Another order may give another such box.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from cattleya.changes.cell_regions import CellRegions
from cattleya.changes.general.box import Box
from cattleya.changes.general.general_reason import General
from cattleya.changes.regions import Regions
from cattleya.model.conditions.condition import Condition
from cattleya.model.conditions.fact import Fact
from cattleya.support.arrays import Bools, Floats, Int32s, Places
from cattleya.support.limits import Deadline

__all__ = ["general_of", "generalise", "widen"]


def generalise(
    cells: CellRegions,
    row: Floats,
    row_class: int,
    conditions: Iterable[Condition],
    timeout: float | Deadline | None = None,
    noun: str = "class",
) -> General:
    """Return a reason with every interval and every set of values as large as it can be.

    Parameters
    ----------
    cells : CellRegions
        The regions of the tree and the domain, counted in cells.
    row : array
        The row, in the tree's columns, as the tree sees it.
    row_class : int
        The number of its class.
    conditions : iterable of Condition
        Conditions that hold in the row and force its class: over the tree's conditions, features
        or intervals.
    timeout : float, optional
        Seconds after which :class:`cattleya.TimeoutExpired` is raised.
    noun : str
        What the class is called in messages.

    Notes
    -----
    Where a number is missing in the row, and the reason allows nothing else, there is no interval
    to start from: it gets the one with the most of the tree's thresholds in it, the lowest of
    several.

    Examples
    --------
    >>> from cattleya.model.domain.domain import Domain
    >>> from cattleya.model.tree.tree import Tree
    >>> tree = Tree([1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -1, 0, -1, -1],
    ...             [18.5, 0, 30.5, 0, 0], [-1, 0, -1, 1, 0], n_features=1, feature_names=["age"])
    >>> cells = CellRegions.of(tree, Domain.plain(tree))
    >>> age = Fact("age", 0, 20.0, (0,), (20.0,))
    >>> print(generalise(cells, np.array([20.0]), 1, [age]))
    18.5 < age <= 30.5
    """
    deadline = Deadline.of(timeout)
    regions = cells.regions
    given = _checked(regions, row, conditions)
    box = Box(cells)
    deadline.check()
    for condition in given:
        box.narrow(condition)
    if not widen(box, row_class, sorted(box.narrowed), deadline):
        said = " and ".join(map(str, given)) or "no condition"
        raise ValueError(
            f"{said} does not force the {noun} {regions.tree.class_names[row_class]}; give a "
            f"sufficient reason of this row"
        )
    return general_of(box, regions.tree.class_names[row_class])


def general_of(box: Box, label: Hashable) -> General:
    """Return a box that forces a class, in the user's terms."""
    regions = box.regions
    parts = (box.part(attribute) for attribute in sorted(box.narrowed))
    kept = tuple(part for part in parts if part is not None)
    return General(kept, label, regions.domain.n_columns, width=box.width)


def widen(box: Box, row_class: int, attributes: Iterable[int], deadline: Deadline) -> bool:
    """Make a box of one class as large as it can be, one attribute after the other.

    False where it has a row of another class.
    """
    blockers = _Blockers(box, row_class, deadline)
    if blockers.inside:
        return False
    for attribute in attributes:
        if box.widen(attribute, blockers.of(attribute)):
            deadline.check()
            blockers.look_again(attribute)
    return True


def _checked(regions: Regions, row: Floats, conditions: Iterable[Condition]) -> list[Condition]:
    """Return the conditions, each once; refuse what is none of the row's."""
    if isinstance(conditions, (str, Condition)):
        raise TypeError(f"a reason is a set of conditions, not the one condition {conditions!r}")
    given = list(dict.fromkeys(conditions))
    for condition in given:
        if not isinstance(condition, Condition):
            raise TypeError(f"{condition!r} is not a Condition")
        if not 0 <= condition.index < regions.domain.n_columns:
            raise ValueError(
                f"the tree has no column for {str(condition)!r}; "
                f"give a sufficient reason of this row"
            )
        if isinstance(condition, Fact):
            holds = bool(condition.holds_in(row[None, :])[0])
        else:
            holds = condition.holds(float(row[condition.index]))
        if not holds:
            raise ValueError(
                f"{str(condition)!r} does not hold in the row; give a sufficient reason of this row"
            )
    return given


class _Blockers:
    """The leaves of other classes that a single attribute keeps out of a box.

    Attributes
    ----------
    inside : bool
        Whether a leaf of another class is not kept out at all.
    """

    def __init__(self, box: Box, row_class: int, deadline: Deadline) -> None:
        cells, self._box = box.cells, box
        others = cells.others(row_class)
        self._nodes: dict[int, Int32s] = {}  # by attribute: those with the factor of each leaf
        self._away: dict[int, Bools] = {}  # and which of them keep their leaves out
        self._times = np.zeros(len(others), dtype=np.int32)
        for attribute in box.narrowed:
            deadline.check()
            self._nodes[attribute] = cells.above(attribute).take(others)
            self._away[attribute] = box.away_from(attribute, self._nodes[attribute])
            self._times += self._away[attribute]
        self.inside = not self._times.all()

    def look_again(self, attribute: int) -> None:
        """See which leaves an attribute keeps out, after it was widened."""
        self._times -= self._away[attribute]
        self._away[attribute] = self._box.away_from(attribute, self._nodes[attribute])
        self._times += self._away[attribute]

    def of(self, attribute: int) -> Places:
        """Return the nodes whose factors, of one attribute, alone keep a leaf out."""
        alone = self._away[attribute] & (self._times == 1)
        return np.unique(self._nodes[attribute].compress(alone)).astype(np.intp)

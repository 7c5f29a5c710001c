"""The widest of the reasons that mention the fewest features.

Of every set of features, the box that a reason leaves is first widened one attribute after the
other, which gives a good box at once; then a search (``largest``) looks for a wider one, of this
set and of all others, within a number of steps for all of them together.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from cattleya.changes.cell_regions import CellRegions
from cattleya.changes.general.box import Box
from cattleya.changes.general.general_reason import General, Widest, with_proof
from cattleya.changes.general.generalise import general_of, widen
from cattleya.changes.general.largest import Largest, Steps
from cattleya.model.conditions.condition import Condition
from cattleya.support.arrays import Floats
from cattleya.support.limits import Deadline

__all__ = ["widest"]

STEPS = 4000  # of the search for wider boxes


def widest(
    cells: CellRegions,
    row: Floats,
    row_class: int,
    sets: Iterable[Iterable[Condition]],
    most: int,
    deadline: Deadline,
) -> General:
    """Return the widest of several reasons, each given by the facts of its features."""
    best: Box | None = None
    width = Fraction(0)
    compared, more, exact = 0, False, True
    search, steps = Largest(cells, row, row_class), Steps(STEPS)
    for facts in sets:
        if compared == most:
            more = True
            break
        compared += 1
        box = Box(cells)
        for fact in facts:
            box.narrow(fact)
        attributes = sorted(box.narrowed)
        if best is None or steps.left <= 0:
            _must_widen(box, row_class, deadline)
            if best is None or box.width > width:
                best, width = box, box.width
        wider, ended = search.search(attributes, width, steps, deadline)
        exact &= ended
        if wider is not None:
            _must_widen(wider, row_class, deadline)
            best, width = wider, wider.width
    assert best is not None
    proof = Widest(compared, not more, exact)
    return with_proof(general_of(best, row_class), proof)


def _must_widen(box: Box, row_class: int, deadline: Deadline) -> None:
    if not widen(box, row_class, sorted(box.narrowed), deadline):
        raise RuntimeError("internal error: a reason does not force the class")

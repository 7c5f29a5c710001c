"""The widest of the reasons that mention the fewest features.

Of every set of features, the box that a reason leaves is first widened one attribute after the
other, which gives a good box at once; then a search (``largest``) looks for a wider one, of this
set and of all others, within a number of steps for all of them together.

Where there is a table, wide is what covers most of its rows (all of them of the class: a reason
covers no others); the share of the cells decides between equals, and alone without a table.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from cattleya.changes.cell_regions import CellRegions
from cattleya.changes.general.box import Box
from cattleya.changes.general.general_reason import General, Widest, with_proof
from cattleya.changes.general.generalise import general_of, widen
from cattleya.changes.general.largest import Largest, Steps, Width
from cattleya.changes.general.table_rows import TableRows
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
    table: TableRows | None = None,
) -> General:
    """Return the widest of several reasons, each given by the facts of its features.

    ``table`` has the rows of a table that get the class, where there is one.
    """
    best: Box | None = None
    width = Width(0, Fraction(0))
    compared, more, exact = 0, False, True
    rows = TableRows(cells, np.zeros((0, len(row)))) if table is None else table
    search, steps = Largest(cells, row, row_class, rows), Steps(STEPS)
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
            own = _widened(box, row_class, rows, deadline)
            if best is None or own > width:
                best, width = box, own
        wider, ended = search.search(attributes, width, steps, deadline)
        exact &= ended
        if wider is not None:
            best, width = wider, _widened(wider, row_class, rows, deadline)
    assert best is not None
    proof = Widest(compared, not more, exact, None if table is None else width.rows)
    return with_proof(general_of(best, cells.regions.tree.class_names[row_class]), proof)


def _widened(box: Box, row_class: int, rows: TableRows, deadline: Deadline) -> Width:
    """Make a box as large as it can be; return how wide it is then."""
    if not widen(box, row_class, sorted(box.narrowed), deadline):
        raise RuntimeError("internal error: a reason does not force the class")
    return Width(rows.covered(box), box.width)

"""The widest of the reasons that mention the fewest features."""

from __future__ import annotations

from collections.abc import Iterable

from cattleya.changes.cell_regions import CellRegions
from cattleya.changes.general.box import Box
from cattleya.changes.general.general_reason import General, Widest, with_proof
from cattleya.changes.general.generalise import general_of, widen
from cattleya.model.conditions.condition import Condition
from cattleya.support.arrays import Floats
from cattleya.support.limits import Deadline

__all__ = ["widest"]


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
    compared, more = 0, False
    for facts in sets:
        if compared == most:
            more = True
            break
        compared += 1
        box = Box(cells)
        for fact in facts:
            box.narrow(fact)
        if not widen(box, row_class, sorted(box.narrowed), deadline):
            raise RuntimeError("internal error: a reason does not force the class")
        if best is None or box.width > best.width:
            best = box
    assert best is not None
    exact = len(best.narrowed) <= 1
    proof = Widest(compared, not more, exact)
    return with_proof(general_of(best, row_class), proof)

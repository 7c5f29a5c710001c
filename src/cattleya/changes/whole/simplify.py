"""The smallest tree that is left when splits go, over the values that rows can have.

``model.tree.simplify`` does the same where nothing is known of the columns, and says what goes.
"""

from __future__ import annotations

from dataclasses import dataclass

from cattleya.changes.whole.cell_sets import CellWords
from cattleya.changes.whole.joined import joined_trees
from cattleya.changes.whole.regions import find
from cattleya.model.tree.simplify import DIFFERENT, Tests, small_tree
from cattleya.model.tree.tree import Tree
from cattleya.support.limits import Deadline
from cattleya.vocabularies.cells import Cells

__all__ = ["Simplified", "simplified"]


@dataclass(frozen=True)
class Simplified:
    """A tree that decides as another one, and whether none of its kind is smaller."""

    tree: Tree
    smallest: bool


def simplified(cells: Cells, deadline: Deadline, memory: int) -> Simplified:
    """Return the smallest tree over a domain."""
    tests = cells.tests
    found = cells.core.simplified(deadline.seconds(), memory)
    own = Tests(tests.feature, tests.threshold, tests.missing_left)
    made: Tree = small_tree(cells.tree, own, found)
    both = joined_trees(cells, made)
    which = [len(both.domain.attributes) - 1]
    differ = find(CellWords(both), which, most=1, deadline=deadline, memory=memory)
    if len(differ):
        raise AssertionError(DIFFERENT)
    deadline.check()
    return Simplified(made, found[0])

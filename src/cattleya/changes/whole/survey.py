"""What rows can come to: facts of every row of a class, and branches that no row reaches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cattleya.changes.whole.cell_sets import CellWords, cell_set
from cattleya.model.conditions.parts import Part
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bytes
from cattleya.support.limits import Deadline

__all__ = ["Branch", "Survey", "survey"]


@dataclass(frozen=True)
class Branch:
    """A branch of a tree that no row of the domain reaches.

    Attributes
    ----------
    node : int
        Its topmost node.
    leaves : int
        How many leaves it has.
    conditions : tuple of str
        What a row would have to have, from the root on.
    """

    node: int
    leaves: int
    conditions: tuple[str, ...]

    def __str__(self) -> str:
        return " and ".join(self.conditions)


@dataclass(frozen=True)
class Survey:
    """What rows can come to.

    Attributes
    ----------
    facts : tuple
        By class: what all of its rows have, a part per attribute that says something; None where
        no row gets it.
    unreachable : tuple of Branch
        The topmost branches that no row reaches.
    """

    facts: tuple[tuple[Part, ...] | None, ...]
    unreachable: tuple[Branch, ...]


def survey(words: CellWords, deadline: Deadline, memory: int) -> Survey:
    """Look at all of a tree."""
    found_all = words.cells.core.survey(deadline.seconds(), memory)
    reached, has, attribute, low, high, missing, bits = found_all
    count = len(attribute) // len(has)
    facts: list[tuple[Part, ...] | None] = []
    for own in range(len(has)):
        if not has[own]:
            facts.append(None)
            continue
        found = []
        for i in range(own * count, (own + 1) * count):
            place = int(attribute[i])
            ends = int(low[i]), int(high[i]), bool(missing[i])
            cells = cell_set(words.is_number(place), *ends, bits)
            if words.size(cells) < words.all_cells(place):
                found.append((place, words.part(place, cells)))
        facts.append(tuple(part for _, part in sorted(found, key=lambda one: one[0])))
    return Survey(tuple(facts), tuple(_branches(words, reached)))


def _branches(words: CellWords, reached: Bytes) -> list[Branch]:
    tree, tests = words.cells.tree, words.cells.tests
    inner = np.flatnonzero(tree.left >= 0)
    parent = np.full(tree.n_nodes, -1, dtype=np.intp)
    parent[tree.left[inner]] = inner
    parent[tree.right[inner]] = inner
    out = np.flatnonzero(reached == 0)
    tops = out[reached[parent[out]] != 0]  # the root is always reached
    found = []
    for top in tops.tolist():
        conditions, node = [], top
        while parent[node] >= 0:
            above = int(parent[node])
            holds = bool(tree.left[above] == node)
            conditions.append(str(tests.side(2 * int(tests.of_node[above]) + holds)))
            node = above
        found.append(Branch(top, _leaves(tree, top), tuple(reversed(conditions))))
    return found


def _leaves(tree: Tree, top: int) -> int:
    left, right = tree.left, tree.right
    count, open_ = 0, [top]
    while open_:
        node = open_.pop()
        if left[node] < 0:
            count += 1
        else:
            open_ += [int(left[node]), int(right[node])]
    return count

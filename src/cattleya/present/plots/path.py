"""What is near the path of a row: its tests, the branches it did not take, and where they end.

No drawing here. A branch is *closed* where a test on the way into it goes against a condition of
the reason, or against an earlier test on the same way. What a sufficient reason leaves open ends
in one class: that is what makes it sufficient, and what the picture of the tree shows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from cattleya.changes.general.general_reason import General
from cattleya.explain.explanation import Explanation
from cattleya.model.conditions.condition import Comparison, Condition
from cattleya.model.conditions.fact import Fact
from cattleya.model.conditions.implication import implies
from cattleya.vocabularies.over import Over

__all__ = ["Line", "NearPath"]


@dataclass(frozen=True)
class Line:
    """One line of the picture: a test on the path, the leaf at its end, or a side branch.

    Attributes
    ----------
    node : int
        The node that is tested on the path; of a side branch, the node that it leads to.
    indent : int
        0 on the path; in side branches how many branches away from it.
    condition : Condition or None
        The test, on the row's side; of a side branch, the last test on the way. None at the leaf.
    taken : bool
        Whether it is the row's side that leads here.
    kept : bool
        On the path: the reason keeps the test. In a branch: it is closed.
    parent : int
        The number of the line that this one hangs from; -1 on the path.
    size : int
        How many nodes of the branch are not drawn; 0 at a leaf, and where its lines follow.
    classes : tuple of int
        The leaf's class; of what is not drawn, the classes that are left open.
    """

    node: int
    indent: int
    condition: Comparison | None
    taken: bool
    kept: bool
    parent: int = -1
    size: int = 0
    classes: tuple[int, ...] = ()


@dataclass(frozen=True)
class _Way:
    """A node off the path, and how one comes there: the tests met on the row's side and against."""

    node: int
    closed: bool
    along: frozenset[Condition]
    against: frozenset[Condition]


class NearPath:
    """The tree around the path of one row."""

    def __init__(self, explanation: Explanation, reason: Collection[Condition] = ()) -> None:
        self._explanation = explanation
        self.tree = explanation.tree
        self._reason = frozenset(reason)
        # Where each condition is a variable of its own, none implies another, and the tree alone
        # says which classes are left open. Elsewhere the domain of the rows has a say, too.
        self._independent = explanation.over is Over.CONDITIONS and not isinstance(reason, General)
        # A condition on the value of a feature, such as job = nurse, fixes every test of it.
        self._fixed = {
            column
            for condition in self._reason
            if isinstance(condition, Fact)
            for column in condition.columns
        }

    def decides(self, test: Condition) -> bool:
        """Tell whether the reason fixes a test of the row, which is given on the row's side."""
        if test in self._reason or test.index in self._fixed:
            return True
        return not self._independent and any(implies(c, test) for c in self._reason)

    def condition(self, node: int) -> Comparison:
        """Return the test of a node, on the side that the row is on."""
        return self._explanation.test_at(node)

    def child(self, node: int, condition: Comparison, *, taken: bool = True) -> int:
        """Return the child on the row's side of a test, or on the other."""
        side = self.tree.left if condition.sense == taken else self.tree.right
        return int(side[node])

    def is_leaf(self, node: int) -> bool:
        """Tell whether a node is a leaf."""
        return int(self.tree.left[node]) < 0

    def leaf(self, changed: Collection[Condition] = ()) -> int:
        """Return the leaf that the row comes to, or would with some of its conditions changed."""
        node = 0
        while not self.is_leaf(node):
            condition = self.condition(node)
            node = self.child(node, condition, taken=condition not in changed)
        return node

    def lines(self, around: int | None, most: int) -> list[Line]:
        """Return the lines of the picture, from the root to the leaf.

        ``around`` is how many levels of side branches are drawn below the first; None for as many
        as stay within ``most`` lines.
        """
        if around is not None:
            return list(self._lines(around))
        best = list(self._lines(0))
        for levels in range(1, self.tree.depth):
            more = self._at_most(levels, most)
            if len(more) > most or len(more) == len(best):  # too many, or there are no more
                break
            best = more
        return best

    def _at_most(self, levels: int, most: int) -> list[Line]:
        lines = []
        for line in self._lines(levels):
            lines.append(line)
            if len(lines) > most:
                break
        return lines

    def _lines(self, around: int) -> Iterator[Line]:
        way = _Way(0, False, frozenset(), frozenset())
        number = 0
        while not self.is_leaf(way.node):
            test = self.condition(way.node)
            yield Line(way.node, 0, test, True, self.decides(test))
            branch = self._step(way, test, taken=False)
            for line in self._branch(branch, test, number, around):
                number += 1
                yield line
            number += 1
            way = self._step(way, test, taken=True)
        yield Line(way.node, 0, None, True, True, classes=self._class(way.node))

    def _branch(self, first: _Way, test: Comparison, parent: int, around: int) -> Iterator[Line]:
        """Give the lines of a side branch, each before those that hang from it."""
        number = parent
        waiting = [(first, test, False, 1, parent)]
        while waiting:
            way, test, taken, indent, parent = waiting.pop()
            number += 1
            node, closed = way.node, way.closed
            if self.is_leaf(node):
                yield Line(node, indent, test, taken, closed, parent, 0, self._class(node))
            elif indent > around:
                yield Line(node, indent, test, taken, closed, parent, *self._beyond(way))
            else:
                yield Line(node, indent, test, taken, closed, parent)
                inner = self.condition(node)
                for side in (False, True):
                    step = self._step(way, inner, taken=side)
                    waiting.append((step, inner, side, indent + 1, number))

    def _step(self, way: _Way, test: Comparison, *, taken: bool) -> _Way:
        node = self.child(way.node, test, taken=taken)
        if taken:
            closed = way.closed or test in way.against
            return _Way(node, closed, way.along | {test}, way.against)
        closed = way.closed or test in way.along or self.decides(test)
        return _Way(node, closed, way.along, way.against | {test})

    def _beyond(self, first: _Way) -> tuple[int, tuple[int, ...]]:
        """Return the size of a subtree, and the classes of the leaves that are left open in it."""
        size, classes = 0, set[int]()
        waiting = [first]
        shut: list[int] = []
        while waiting:
            way = waiting.pop()
            if way.closed:
                shut.append(way.node)
                continue
            size += 1
            if self.is_leaf(way.node):
                classes.update(self._class(way.node))
            else:
                test = self.condition(way.node)
                waiting += [self._step(way, test, taken=side) for side in (True, False)]
        while shut:
            node = shut.pop()
            size += 1
            if not self.is_leaf(node):
                shut += [int(self.tree.left[node]), int(self.tree.right[node])]
        return size, tuple(sorted(classes)) if self._independent else ()

    def _class(self, leaf: int) -> tuple[int]:
        return (int(self.tree.leaf_class[leaf]),)

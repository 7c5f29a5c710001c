"""The part of the domain behind each node of a tree, attribute by attribute.

A row comes to a node when every attribute agrees with the tests on the way there, and attributes
are independent: the node's region is a product. Only the attribute that the last test was about
differs from the parent's region, so a node keeps that one factor, and a link to the nearest node
above whose factor is of the same attribute. What is additive over attributes (how many have to
change, how far) is then a sum along the path of differences between a node and its link: one pass
over the nodes, and memory for one factor per node, however many leaves and columns there are.

Numbers are in the user's units, and bounds are values that the number can take, both included.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np

from cattleya.model.domain.domain import Attribute, Category, Domain, Number
from cattleya.model.domain.edges import bounds, edges
from cattleya.model.domain.lookup import FeatureLookup
from cattleya.model.tree.tree import Tree
from cattleya.support.arrays import Bools, Bytes, Places
from cattleya.support.limits import Deadline

__all__ = ["Regions", "ValueSets"]


NODES_BETWEEN_LOOKS = 4096


@dataclass(frozen=True, eq=False)
class ValueSets:
    """Sets of values of one category, a line of bits for each node that tests it."""

    nodes: Places
    bits: Bytes

    def contain(self, value: int) -> Bools:
        """Tell for each node whether a value is in its set."""
        return (self.bits[:, value >> 3] >> (7 - (value & 7)) & 1).astype(np.bool_)

    def meet(self, values: Bools) -> Bools:
        """Tell for each node whether any of some values is in its set."""
        met: Bools = np.any(self.bits & np.packbits(values), axis=1)
        return met

    def of(self, node: int, n_values: int) -> Bools:
        """Return the set of one node."""
        line = self.bits[np.searchsorted(self.nodes, node)]
        return np.unpackbits(line, count=n_values).astype(np.bool_)

    def lines(self, nodes: Places, n_values: int) -> Bools:
        """Return the sets of some nodes, a line each."""
        bits = self.bits[np.searchsorted(self.nodes, nodes)]
        return np.unpackbits(bits, axis=1, count=n_values).astype(np.bool_)


class Regions:
    """The regions of a tree's nodes; made once for a tree and a domain, never changed.

    Nodes are numbered level by level here, the two children of a node side by side. Attributes
    are numbered among those that the tree tests.

    Attributes
    ----------
    node : array
        The tree's own number of each node.
    parent, link : array
        By node. A link past the last node means that no test above is about the same attribute.
    attribute : array
        By node: whose factor it keeps, -1 for the root.
    attributes, places : tuple of Attribute, array
        The attributes that are tested, and their places in the domain.
    first_column, special : array, list of int
        The (first) column of each; and which are categories, or numbers that reach the tree in
        another form.
    low, high, missing : array
        By node, where its factor is a number's: the least and the greatest value, and whether it
        can be missing.
    sets : dict of int to ValueSets
        The factors of each category.
    levels : list of (slice, array)
        The nodes of each level, from the one below the root, and their parents.
    leaves, leaf_class : array
        The nodes that are leaves, in the order of the tree's own numbers, and their classes.
    """

    def __init__(self, tree: Tree, domain: Domain, deadline: Deadline | None = None) -> None:
        self.tree, self.domain = tree, domain
        deadline = deadline or Deadline(None)
        self._number_nodes(deadline)
        test = self.node[self.parent]
        owner = domain.of_column[tree.feature[test]][1:]  # the root has no test above
        self.places, attribute = np.unique(owner, return_inverse=True)
        self.attribute: Places = np.concatenate(([-1], attribute.ravel())).astype(np.intp)
        self.attributes = tuple(domain.attributes[place] for place in self.places.tolist())
        self.first_column = np.array([a.columns[0] for a in self.attributes], dtype=np.intp)
        self.special = [i for i, a in enumerate(self.attributes) if not _is_plain(a)]
        self._link(deadline)
        self._bound_numbers(test, deadline)
        self.sets = dict(self._collect_values(test, deadline))
        leaf = np.flatnonzero(tree.left[self.node] < 0)
        self.leaves: Places = leaf[np.argsort(self.node[leaf])]
        self.leaf_class = tree.leaf_class[self.node[self.leaves]]

    def __len__(self) -> int:
        return len(self.node)

    def above(self, node: int) -> Iterator[int]:
        """Give the nodes on the path to a node that keep its region's factors, each once."""
        seen: set[int] = set()
        while node:
            attribute = int(self.attribute[node])
            if attribute not in seen:
                seen.add(attribute)
                yield node
            node = int(self.parent[node])

    @cached_property
    def tested(self) -> dict[int, int]:
        """The tested attributes by their places in the domain."""
        return {place: tested for tested, place in enumerate(self.places.tolist())}

    @cached_property
    def lookup(self) -> FeatureLookup:
        """Finds attributes by the names that users have for them."""
        return FeatureLookup(self.domain, self.tree.feature_names)

    def _number_nodes(self, deadline: Deadline) -> None:
        left, right = self.tree.left, self.tree.right
        level = np.zeros(1, dtype=np.intp)
        nodes, parents = [level], [level]
        self.levels: list[tuple[slice, Places]] = []
        start = 0
        while (inner := np.flatnonzero(left[level] >= 0)).size:
            parents.append(np.repeat(start + inner, 2))
            start += len(level)
            pairs = left[level[inner]], right[level[inner]]
            level = np.column_stack(pairs).ravel().astype(np.intp)
            nodes.append(level)
            deadline.check()
            self.levels.append((slice(start, start + len(level)), parents[-1]))
        self.node: Places = np.concatenate(nodes)
        self.parent: Places = np.concatenate(parents)
        self.is_left: Bools = np.arange(len(self.node)) % 2 == 1  # pairs follow the root

    def _link(self, deadline: Deadline) -> None:
        """Find the nearest node above with the same attribute, all in one walk."""
        n = len(self)
        first_child = np.zeros(n, dtype=np.intp)
        first_child[self.parent[1::2]] = np.arange(1, n, 2)
        child, attribute = first_child.tolist(), self.attribute.tolist()
        latest = list(range(n, n + len(self.attributes)))
        link = [n] * n
        stack = [child[0], child[0] + 1] if child[0] else []
        for step in count():
            if not stack:
                break
            if step % NODES_BETWEEN_LOOKS == 0:
                deadline.check()
            node = stack.pop()
            if node < 0:  # on the way back up
                latest[attribute[~node]] = link[~node]
                continue
            link[node] = latest[attribute[node]]
            if child[node]:
                latest[attribute[node]] = node
                stack += (~node, child[node], child[node] + 1)
        self.link: Places = np.array(link, dtype=np.intp)

    def _bound_numbers(self, test: Places, deadline: Deadline) -> None:
        tree, n, is_left = self.tree, len(self), self.is_left
        threshold = tree.threshold[test]
        last, first = edges(self.attributes, self.attribute[1:], threshold[1:], tree.row_dtype)
        least, most = bounds(self.attributes, tree.row_dtype)
        low = np.concatenate(([0.0], np.where(is_left[1:], -math.inf, first), least))
        high = np.concatenate(([0.0], np.where(is_left[1:], last, math.inf), most))
        takes_missing = tree.missing_left is not None
        missing = np.full(n + len(self.attributes), takes_missing, dtype=np.bool_)
        if tree.missing_left is not None:
            missing[:n] = tree.missing_left[test] == is_left
        for place, number in enumerate(self.attributes):
            if isinstance(number, Number) and number.extra:  # an imputer fills it in
                missing[n + place] = True
                nodes = np.flatnonzero(self.attribute == place)
                missing[nodes] = (number.extra[0] <= threshold[nodes]) == is_left[nodes]
        for level, _ in self.levels:
            deadline.check()
            link = self.link[level]
            low[level] = np.maximum(low[level], low[link])
            high[level] = np.minimum(high[level], high[link])
            missing[level] &= missing[link]
        self.low, self.high, self.missing = low[:n], high[:n], missing[:n]

    def _collect_values(self, test: Places, deadline: Deadline) -> Iterator[tuple[int, ValueSets]]:
        tree, n = self.tree, len(self)
        for place, category in enumerate(self.attributes):
            if not isinstance(category, Category):
                continue
            nodes = np.flatnonzero(self.attribute == place)
            points = dict(zip(category.columns, np.array(category.points).T, strict=True))
            line = {n + place: np.packbits(np.ones(len(category.values), dtype=np.bool_))}
            sides: dict[tuple[int, float, bool, bool], Bytes] = {}
            for node, link in zip(nodes.tolist(), self.link[nodes].tolist(), strict=True):
                if node % NODES_BETWEEN_LOOKS == 0:
                    deadline.check()
                at = int(test[node])
                routed = tree.missing_left is not None and bool(tree.missing_left[at])
                column, threshold = int(tree.feature[at]), float(tree.threshold[at])
                key = column, threshold, routed, bool(self.is_left[node])
                if key not in sides:
                    value = points[column]
                    goes_left = (value <= threshold) | (np.isnan(value) & routed)
                    sides[key] = np.packbits(goes_left == self.is_left[node])
                line[node] = line[link] & sides[key]
            yield place, ValueSets(nodes, np.array([line[node] for node in nodes.tolist()]))


def _is_plain(attribute: Attribute) -> bool:
    """Tell whether the tree sees the user's own number."""
    return isinstance(attribute, Number) and not attribute.steps and not attribute.extra

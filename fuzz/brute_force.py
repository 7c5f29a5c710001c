"""The definitions, word for word, over all rows that a small tree can tell apart.

A set of rows is a whole number, one bit a row; so is a set of atoms. A set of atoms is sufficient
where all rows in which they hold have the row's class: that is looked up for each set of atoms, and
everything else is read off this table. No path, leaf or clause of the tree is looked at after the
classes of all rows are known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

__all__ = ["Family", "World", "family", "members", "minimal", "reversed_sets"]


@lru_cache(maxsize=1 << 14)
def _rows_with(stride: int, size: int, place: int, total: int) -> int:
    """Return the rows, of all combinations, in which one factor has its value at a place."""
    block = ((1 << stride) - 1) << (place * stride)
    return block * (((1 << total) - 1) // ((1 << stride * size) - 1))


class World:
    """All rows: every combination of the places of some factors.

    Parameters
    ----------
    sizes : how many values each factor has
    own : the place of the row's value of each
    nodes : for each node of the tree, its children, its factor, the places that go left as bits,
        and its class; the class of an inner node is -1
    """

    def __init__(
        self,
        sizes: Sequence[int],
        own: Sequence[int],
        nodes: Sequence[tuple[int, int, int, int, int]],
    ) -> None:
        self.sizes, self.own = sizes, own
        total = 1
        self._strides = []
        for size in sizes:
            self._strides.append(total)
            total *= size
        self.everything = (1 << total) - 1
        self._total = total
        self.row = 1 << sum(s * o for s, o in zip(self._strides, own, strict=True))
        self.leaves = self._walk(nodes)
        self.of_class: Counter[int] = Counter()
        for label, rows in self.leaves:
            self.of_class[label] |= rows
        self.row_class = next(c for c, rows in self.of_class.items() if rows & self.row)
        self.others = self.everything ^ self.of_class[self.row_class]

    def rows_with(self, factor: int, places: int) -> int:
        """Return the rows in which a factor has one of its values at some places."""
        stride, size, total = self._strides[factor], self.sizes[factor], self._total
        rows = 0
        for place in range(size):
            if places >> place & 1:
                rows |= _rows_with(stride, size, place, total)
        return rows

    def places(self, row: int) -> list[int]:
        """Return the places of a row that is given by its number."""
        return [row // s % n for s, n in zip(self._strides, self.sizes, strict=True)]

    def _walk(self, nodes: Sequence[tuple[int, int, int, int, int]]) -> list[tuple[int, int]]:
        """Return the class of each leaf and the rows that come to it."""
        found, open_ = [], [(0, self.everything)]
        while open_:
            at, rows = open_.pop()
            left, right, factor, places, label = nodes[at]
            if left < 0:
                found.append((label, rows))
                continue
            goes_left = self.rows_with(factor, places)
            open_.append((left, rows & goes_left))
            open_.append((right, rows & ~goes_left))
        return found

    def sufficient(self, atoms: Sequence[int], others: int) -> int:
        """Return, as bits, the sets of atoms that hold in none of the other rows.

        An atom is the rows in which it holds.
        """
        held = [others]
        for atom in atoms:
            held += [rows & atom for rows in held]
        table = 0
        for number, rows in enumerate(held):
            if not rows:
                table |= 1 << number
        return table


@lru_cache(maxsize=16)
def _with_atom(n: int) -> tuple[int, ...]:
    """Return, for each of n atoms, the sets that have it."""
    return tuple(_rows_with(1 << i, 2, 1, 1 << n) for i in range(n))


def minimal(table: int, n: int) -> int:
    """Return the sets of a table that is closed upwards from which no atom can be taken."""
    result = table
    for i, having in enumerate(_with_atom(n)):
        result &= ~((table & ~having) << (1 << i))
    return result


def reversed_sets(table: int, n: int) -> int:
    """Return the complements of the sets of a table."""
    for i, having in enumerate(_with_atom(n)):
        step = 1 << i
        table = (table & having) >> step | (table & ~having) << step
    return table


def members(bits: int) -> list[int]:
    """Return the places of the bits that are set."""
    found = []
    while bits:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return found


@dataclass(frozen=True)
class Family:
    """Explanations of one kind, as numbers whose bits are atoms."""

    sets: frozenset[int]
    n: int

    @cached_property
    def necessary(self) -> int:
        """What is in every one; nothing where there is none."""
        common = (1 << self.n) - 1 if self.sets else 0
        for one in self.sets:
            common &= one
        return common

    @cached_property
    def relevant(self) -> int:
        """What is in some."""
        found = 0
        for one in self.sets:
            found |= one
        return found

    @cached_property
    def by_size(self) -> dict[int, int]:
        """How many of each size there are."""
        return dict(sorted(Counter(one.bit_count() for one in self.sets).items()))

    @cached_property
    def least(self) -> frozenset[int]:
        """Those of the fewest atoms."""
        size = min((one.bit_count() for one in self.sets), default=0)
        return frozenset(one for one in self.sets if one.bit_count() == size)

    @cached_property
    def shares(self) -> tuple[Fraction, ...]:
        """Of each atom, the share of them that have it."""
        total = len(self.sets) or 1
        return tuple(Fraction(sum(one >> i & 1 for one in self.sets), total) for i in range(self.n))

    def where(self, including: int, excluding: int) -> Family:
        """Return those with all of some atoms and none of others."""
        kept = (s for s in self.sets if s & including == including and not s & excluding)
        return Family(frozenset(kept), self.n)


@lru_cache(maxsize=1 << 15)
def family(sufficient: int, n: int, contrastive: bool) -> Family:
    """Return the sufficient reasons of a table, or its contrastive explanations.

    The minimal sets that are sufficient; the minimal ones without which the rest is not.
    """
    if contrastive:
        everything = (1 << (1 << n)) - 1
        sufficient = reversed_sets(everything ^ sufficient, n)
    return Family(frozenset(members(minimal(sufficient, n))), n)

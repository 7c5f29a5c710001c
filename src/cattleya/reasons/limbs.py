"""How many sufficient reasons there are, and how often each condition is in one.

The native counter works on the clauses of the complete reason; this turns its limbs into Python's
integers, exactly.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from typing import Any

import numpy as np

from cattleya.model.conditions.condition import Condition
from cattleya.support.arrays import Int64s, Words
from cattleya.support.limits import MEMORY_LIMIT, Deadline, check_answer

__all__ = ["Weights", "integer", "integers", "ranked", "weights_from"]

COPIES = 5


@dataclass(frozen=True)
class Weights:
    """The number of sufficient reasons, and of those with each atom: as a number, as a share."""

    count: int
    containing: tuple[int, ...]
    shares: tuple[Fraction, ...]


def integer(limbs: Words) -> int:
    """Return the natural number with these 64-bit limbs, the least first."""
    return int.from_bytes(limbs.astype("<u8", copy=False).tobytes(), "little")


def integers(limbs: Words, start: Int64s) -> list[int]:
    """Return the natural numbers that follow each other in an array of limbs."""
    raw = limbs.astype("<u8", copy=False).view(np.uint8).data
    ends: list[int] = (8 * start).tolist()
    return [int.from_bytes(raw[a:b], "little") for a, b in itertools.pairwise(ends)]


def ranked(
    conditions: Iterable[Condition], numbers: Iterable[int], shares: Iterable[Fraction]
) -> dict[Condition, Fraction]:
    """Return the share of each condition, the highest first.

    Sorted by the numbers of explanations: whole numbers are compared much faster than fractions.
    """
    triples = zip(numbers, conditions, shares, strict=True)
    return {c: share for _, c, share in sorted(triples, key=itemgetter(0), reverse=True)}


def weights_from(
    answer: Sequence[Any], memory_limit: int = MEMORY_LIMIT, deadline: Deadline | None = None
) -> Weights:
    """Read the native counter's answer about every atom.

    Components without common atoms are independent: the share of an atom is its share of the
    reasons of its component.
    """
    count, component_of, component_limbs, component_start, atom_limbs, atom_start = answer
    # Each number, and what its share is made of, beside the numbers that are there.
    check_answer(COPIES * atom_limbs.nbytes, memory_limit)
    components = integers(component_limbs, component_start)
    total = integer(count)
    # Many atoms have the same numbers, and reducing a fraction of long ones is what costs.
    known: dict[tuple[int, int], tuple[int, Fraction]] = {}

    def weight(with_atom: int, component: int) -> tuple[int, Fraction]:
        if not total or component < 0:
            return 0, Fraction(0)
        pair = with_atom, components[component]
        if pair not in known:
            if deadline is not None:
                deadline.check()
            known[pair] = with_atom * (total // pair[1]), Fraction(*pair)
        return known[pair]

    atoms = zip(integers(atom_limbs, atom_start), component_of.tolist(), strict=True)
    weights = [weight(with_atom, component) for with_atom, component in atoms]
    return Weights(total, tuple(n for n, _ in weights), tuple(share for _, share in weights))

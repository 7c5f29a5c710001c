"""How many sufficient reasons there are, and how often each condition is in one.

The native counter works on the clauses of the complete reason; this turns its limbs into Python's
integers, exactly.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Weights", "integer", "integers", "weights_from"]

Limbs = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Weights:
    """The number of sufficient reasons, and the share of them that contain each atom."""

    count: int
    shares: tuple[Fraction, ...]


def integer(limbs: Limbs) -> int:
    """Return the natural number with these 64-bit limbs, the least first."""
    return int.from_bytes(limbs.astype("<u8", copy=False).tobytes(), "little")


def integers(limbs: Limbs, start: npt.NDArray[np.int64]) -> list[int]:
    """Return the natural numbers that follow each other in an array of limbs."""
    raw = limbs.astype("<u8", copy=False).tobytes()
    ends: list[int] = (8 * start).tolist()
    return [int.from_bytes(raw[a:b], "little") for a, b in itertools.pairwise(ends)]


def weights_from(answer: Sequence[Any]) -> Weights:
    """Read the native counter's answer about every atom.

    Components without common atoms are independent: the share of an atom is its share of the
    reasons of its component.
    """
    count, component_of, component_limbs, component_start, atom_limbs, atom_start = answer
    components = integers(component_limbs, component_start)
    total = integer(count)
    shares = tuple(
        Fraction(with_atom, components[component]) if total and component >= 0 else Fraction(0)
        for with_atom, component in zip(
            integers(atom_limbs, atom_start), component_of.tolist(), strict=True
        )
    )
    return Weights(total, shares)

"""A range of numbers that is asked about: its ends, its words, and what is in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cattleya.support.arrays import Bools, Numbers
from cattleya.support.guards import is_real
from cattleya.support.text import shown

__all__ = ["Bound", "chosen_bound", "number_text"]

TWO = 2


@dataclass(frozen=True)
class Bound:
    """A range: ``kind`` is "at_least", "below", "between" or "within"; ``numbers`` its ends.

    Examples
    --------
    >>> bound = Bound("between", (10.0, 20.0))
    >>> bound.words()
    ('below 10 or above 20', 'at least 10 and at most 20')
    >>> bound.holds(np.array([9.5, 10, 20]))
    array([False,  True,  True])
    """

    kind: str
    numbers: tuple[float, ...]

    @property
    def by_row(self) -> bool:
        """Whether the range is around the row's own number."""
        return self.kind == "within"

    def holds(self, numbers: Numbers, own: float | None = None) -> Bools:
        """Tell which numbers are in the range, in as many bits as they have."""
        with np.errstate(over="ignore"):  # a threshold beyond 32 bits is above all numbers
            ends = [numbers.dtype.type(end) for end in self.numbers]
            if self.kind == "at_least":
                found = numbers >= ends[0]
            elif self.kind == "below":
                found = numbers < ends[0]
            elif self.kind == "between":
                found = (numbers >= ends[0]) & (numbers <= ends[1])
            else:
                assert own is not None  # a bound that is by_row gets the row's number
                found = np.abs(numbers - numbers.dtype.type(own)) <= ends[0]
        return np.asarray(found, dtype=np.bool_)

    def words(self, own: float | None = None, dtype: str = "float64") -> tuple[str, str]:
        """Return the words for what is outside, and for what is inside."""
        first, last = number_text(self.numbers[0]), number_text(self.numbers[-1])
        below, at_least = f"below {first}", f"at least {first}"
        if self.kind == "at_least":
            return below, at_least
        if self.kind == "below":
            return at_least, below
        if self.kind == "between":
            return f"{below} or above {last}", f"{at_least} and at most {last}"
        assert own is not None  # likewise
        center = number_text(own, dtype)
        return f"more than {first} from {center}", f"within {first} of {center}"

    def form(self) -> dict[str, Any]:
        """Return the range as JSON values, under its name."""
        one = len(self.numbers) == 1
        return {self.kind: self.numbers[0] if one else list(self.numbers)}


def chosen_bound(name: str, given: dict[str, Any]) -> Bound:
    """Return the one range that was given; refuse none, several, and what is no number."""
    chosen = {kind: value for kind, value in given.items() if value is not None}
    if len(chosen) != 1:
        told = "both " if len(chosen) == TWO else ""
        said = f"{told}{' and '.join(chosen)} were given" if chosen else "none was given"
        raise ValueError(f"{name} takes exactly one of {', '.join(given)}; {said}")
    ((kind, value),) = chosen.items()
    if kind == "between":
        ends = value if isinstance(value, Sequence) and not isinstance(value, str) else ()
        if len(ends) != TWO:
            raise ValueError(f"between must be two numbers, such as (10, 20), not {shown(value)}")
        numbers = tuple(_number(kind, end) for end in ends)
        if numbers[0] > numbers[1]:
            raise ValueError(f"between must be from the smaller to the larger, not {shown(value)}")
    else:
        numbers = (_number(kind, value),)
    if kind == "within" and numbers[0] < 0:
        raise ValueError(f"within must be 0 or more, not {shown(value)}")
    return Bound(kind, numbers)


def _number(kind: str, value: Any) -> float:
    if not is_real(value):
        raise TypeError(f"{kind} must be a number, not {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{kind} must be a finite number, not {shown(value)}")
    if number != value:
        raise ValueError(
            f"{kind}={shown(value)} is no floating point number, which is what models compare "
            f"with; give {number!r}"
        )
    return number + 0.0  # one zero


def number_text(number: Any, dtype: str = "float64") -> str:
    """Return a number with all the digits that it has in so many bits, in groups.

    >>> number_text(100000.0), number_text(0.1 + 0.2), number_text(-1234.5)
    ('100,000', '0.30000000000000004', '-1,234.5')
    >>> number_text(0.10000000149011612, "float32")
    '0.1'
    """
    digits = str(np.dtype(dtype).type(number))
    return f"{float(digits):,}".removesuffix(".0")

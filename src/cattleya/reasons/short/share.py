"""How often facts are right: counts, the shares that they are, and how safe these are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

from cattleya._core import wilson_steps
from cattleya.support.guards import is_real, is_whole
from cattleya.support.text import printable, shown

__all__ = ["Share", "Wanted", "checked_share", "percent", "wanted"]

STEPS = 1 << 28  # of the core's lower bounds
MOST_FACTS = 30
LARGEST_DENOMINATOR = 10**18
# Where nothing is said: among the rows of a table, and where rows are weighed.
DEFAULT_SIZE, DEFAULT_COVERAGE = (7, 12), (Fraction(1, 100), Fraction(0))


def percent(share: Fraction) -> str:
    """Return a share in words, rounded down: what is not all is never said to be 100%.

    >>> percent(Fraction(999999, 1000000)), percent(Fraction(1)), percent(Fraction(19, 20))
    ('99.9%', '100%', '95%')
    """
    tenths = floor(share * 1000)
    return f"{tenths // 10}%" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}%"


@dataclass(frozen=True)
class Share:
    """How many rows of a table have some facts, and how many of these get an outcome.

    Attributes
    ----------
    right : int
        The rows that have the facts and get the outcome.
    covered : int
        The rows that have the facts.
    rows : int
        All rows.

    Examples
    --------
    >>> share = Share(95, 100, 1000)
    >>> print(share, "|", share.precision, share.coverage, share.wrong)
    95 of 100 rows (95%), 10% of 1,000 | 19/20 1/10 5
    """

    right: int
    covered: int
    rows: int

    @property
    def wrong(self) -> int:
        """The rows that have the facts and get another outcome."""
        return self.covered - self.right

    @property
    def precision(self) -> Fraction | None:
        """The share of the rows with the facts that get the outcome; None where none has them."""
        return Fraction(self.right, self.covered) if self.covered else None

    @property
    def coverage(self) -> Fraction:
        """The share of all rows that have the facts; 0 where there are no rows."""
        return Fraction(self.covered, self.rows) if self.rows else Fraction(0)

    @property
    def about(self) -> str:
        """What was counted."""
        return (
            f"counted on the {self.rows:,} rows of the table: each row once, equal rows each "
            f"time, the explained row if it is among them, and no weights"
        )

    def sentence(self, facts: str, outcome: str) -> str:
        """Return what was counted and found, in a sentence."""
        having = f" with {facts}" if facts else ""
        among = "the" if facts else "all"
        wrong = f"; {self.wrong:,} do not" if self.wrong > 1 else "; 1 row does not"
        wrong = wrong if self.wrong else ", without exception"
        told = f"{among} {self.covered:,} {'row' if self.covered == 1 else 'rows'}"
        told = told.replace("all 1 row", "the only row")
        return printable(
            f"of {told} of the table{having}, "
            f"{percent(self.precision or Fraction(0))} ({self.right:,}) get {outcome}{wrong}"
        )

    @property
    def lower_bound(self) -> Fraction:
        """The lower end of Wilson's interval at 95%, rounded down to a multiple of 2^-28."""
        return Fraction(wilson_steps(self.right, self.wrong), STEPS)

    def __str__(self) -> str:
        if self.precision is None:
            return f"no row of {self.rows:,} has these facts"
        rows = "row" if self.covered == 1 else "rows"
        return (
            f"{self.right:,} of {self.covered:,} {rows} ({percent(self.precision)}), "
            f"{percent(self.coverage)} of {self.rows:,}"
        )


@dataclass(frozen=True)
class Wanted:
    """What is asked for: a share of right rows, so few facts, so many rows."""

    precision: Fraction
    max_size: int
    min_coverage: Fraction

    def least_rows(self, rows: int) -> int:
        """Return how many of so many rows must have the facts: one at least."""
        return max(1, ceil(self.min_coverage * rows))


def wanted(
    precision: object, max_size: object, min_coverage: object, *, is_weighed: bool = False
) -> Wanted:
    """Return what a user asks for; refuse what cannot be."""
    if max_size is None:
        max_size = DEFAULT_SIZE[is_weighed]
    if not is_whole(max_size):
        raise TypeError(f"max_size must be a whole number, not {shown(max_size)}")
    if not 0 <= max_size <= MOST_FACTS:
        raise ValueError(f"max_size must be 0 to {MOST_FACTS}, not {shown(max_size)}")
    least = DEFAULT_COVERAGE[is_weighed]
    if min_coverage is not None:
        least = checked_share("min_coverage", min_coverage, lambda share: 0 <= share <= 1)
    share = checked_share("precision", precision, lambda share: 0 < share <= 1)
    return Wanted(share, int(max_size), least)


def checked_share(what: str, value: object, is_possible: Callable[[Fraction], bool]) -> Fraction:
    """Return a share as a fraction: 0.95 is 19/20, as it is written."""
    if not isinstance(value, Decimal) and not is_real(value):
        raise TypeError(f"{what} must be a number from 0 to 1, such as 0.95, not {shown(value)}")
    try:
        exact = isinstance(value, (Fraction, int))
        share = Fraction(value) if exact else Fraction(str(value))
    except (ValueError, OverflowError):  # NaN, infinite
        share = Fraction(-1)
    if not is_possible(share):
        raise ValueError(f"{what} must be a share from 0 to 1, such as 0.95, not {shown(value)}")
    if share.denominator > LARGEST_DENOMINATOR:
        raise ValueError(f"{what} has too many digits: {shown(value)}; give fewer than 18")
    return share

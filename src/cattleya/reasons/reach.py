"""How far a reason reaches in a table: which rows have it, and which decisions it explains."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cattleya.support.text import printable

__all__ = ["Reach"]


@dataclass(frozen=True)
class Reach:
    """How many rows of a table a reason covers.

    Attributes
    ----------
    covered : int
        The rows that have all that the reason says. All of them get its class.
    rows : int
        All rows of the table.
    decisions : int
        The rows that get its class, for whichever reason.
    outcome : str
        That class, as it is shown.

    Examples
    --------
    >>> from cattleya import Reach
    >>> reach = Reach(30, 100, 40, "yes")
    >>> print(reach, "|", reach.share_of_decisions)
    covers 30 of 100 rows, 75.0% of the 40 that get yes | 3/4
    >>> reach.share
    Fraction(3, 10)
    """

    covered: int
    rows: int
    decisions: int
    outcome: str

    @property
    def share(self) -> Fraction:
        """The share of the rows that it covers; 0 where there are none."""
        return Fraction(self.covered, self.rows) if self.rows else Fraction(0)

    @property
    def share_of_decisions(self) -> Fraction:
        """The share of the decisions for its class that it explains; 0 where there are none."""
        return Fraction(self.covered, self.decisions) if self.decisions else Fraction(0)

    def __str__(self) -> str:
        share = f"{float(self.share_of_decisions):.1%}"
        return printable(
            f"covers {self.covered:,} of {self.rows:,} rows, {share} of the {self.decisions:,} "
            f"that get {self.outcome}"
        )

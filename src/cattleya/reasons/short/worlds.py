"""What facts are weighed by where no table of rows is counted."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cattleya.reasons.short.share import percent
from cattleya.support.text import printable

__all__ = ["Chance", "Independent", "TrainingWeights", "Uniform", "World"]


class World:
    """What rows there are and how likely each is, where no table of rows is counted."""

    __slots__ = ()


class TrainingWeights(World):
    """The counts of training rows in the nodes of the tree: no data are needed.

    A test that the facts decide is passed as the row passes it; every other test by the share of
    the training rows there that went each way. Each training row counts once, weights do not.

    Examples
    --------
    >>> import cattleya
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rows, labels = [[0], [0], [0], [1]], ["no", "no", "no", "yes"]
    >>> tree = DecisionTreeClassifier(max_depth=2).fit(rows, labels)
    >>> e = cattleya.Explainer(tree).explain([0])
    >>> print(e.short_reason(0.7, among=cattleya.TrainingWeights()).precision)
    3/4
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "TrainingWeights()"


class Uniform(World):
    """Everything is equally likely, as in papers: to compare with them.

    Over conditions every test is a fair coin of its own; otherwise every feature is on its own, and
    all that the tree tells apart of its values is equally likely.

    Examples
    --------
    >>> import cattleya
    >>> tree = cattleya.Tree.from_nested(("a", "no", ("b", "no", "yes")))
    >>> e = cattleya.Explainer(tree).explain([0, 1])
    >>> e.short_reason(0.7, among=cattleya.Uniform()).precision
    Fraction(3, 4)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "Uniform()"


class Independent(World):
    """Each feature on its own, as often as a table has its values: for rows unlike the table.

    Parameters
    ----------
    data : table of rows, as the model takes them

    Examples
    --------
    >>> import cattleya
    >>> tree = cattleya.Tree.from_nested(("a", "no", ("b", "no", "yes")))
    >>> rows = [[0, 0], [1, 1], [0, 1], [1, 1]]
    >>> e = cattleya.Explainer(tree).explain([1, 1])
    >>> short = e.short_reason(0.7, among=cattleya.Independent(rows))
    >>> print(short, short.precision, short.coverage)
    a 3/4 1/2
    """

    __slots__ = ("data", "made")

    def __init__(self, data: Any) -> None:
        self.data = data
        self.made: dict[Hashable, Any] = {}  # what explainers have read of it

    def __repr__(self) -> str:
        return f"Independent({type(self.data).__name__})"

    def __reduce__(self) -> tuple[object, ...]:
        return Independent, (self.data,)


@dataclass(frozen=True)
class Chance:
    """How likely facts are right, exactly, where rows are weighed and not counted.

    Attributes
    ----------
    precision : Fraction
        The share of what has the facts that gets the outcome.
    coverage : Fraction
        The share of all that has the facts; by training weights the share of the training rows in
        the leaves that the facts leave open.
    lead : str
        How all else is drawn, as a sentence about it has it.
    about : str
        What was weighed.

    Examples
    --------
    >>> print(Chance(Fraction(19, 20), Fraction(1, 2), "every other test a coin", "coins"))
    95%, of 50%
    """

    precision: Fraction
    coverage: Fraction
    lead: str
    about: str

    @property
    def lower_bound(self) -> Fraction:
        """The precision itself: it is no count of a sample."""
        return self.precision

    def sentence(self, facts: str, outcome: str) -> str:
        """Return what was weighed and found, in a sentence."""
        wrong = "; the others do not" if self.precision < 1 else ", without exception"
        given = f"with {facts}, and {self.lead}" if facts else f"with {self.lead}"
        return printable(f"{given}, {percent(self.precision)} get {outcome}{wrong}")

    def __str__(self) -> str:
        return f"{percent(self.precision)}, of {percent(self.coverage)}"

"""A short reason: few facts of a row, and how often rows with these facts get its outcome."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, Protocol, overload

import numpy as np

from cattleya.model.conditions.condition import Condition
from cattleya.model.tree.rows import RowReader
from cattleya.reasons.errors import NoSuchReason
from cattleya.reasons.reason import GivenSource, Reason
from cattleya.reasons.short.share import Share, percent
from cattleya.reasons.short.worlds import Chance
from cattleya.support.arrays import Bools, Floats

__all__ = ["NoShortReason", "Outcome", "ShortReason", "Step", "TradeOff", "counted"]

KIND = "short reason"


class Outcome(Protocol):
    """Tells which rows get the outcome of the row that is explained."""

    @property
    def name(self) -> str:
        """The outcome, as it is shown."""

    @property
    def reader(self) -> RowReader:
        """How to read rows."""

    def gets(self, matrix: Floats) -> Bools:
        """Tell of each row, in the tree's columns, whether it gets the outcome."""

    def text(self, facts: Sequence[Condition]) -> str:
        """Return facts as they are true of the rows that were counted."""


def counted(conditions: Sequence[Condition], matrix: Floats, gets: Bools) -> Share:
    """Count the rows with some facts, and those of them that get the outcome."""
    covered = np.ones(len(matrix), dtype=np.bool_)
    for condition in conditions:
        covered &= condition.holds_in(matrix)
    return Share(int((covered & gets).sum()), int(covered.sum()), len(matrix))


class ShortReason(Reason):
    """Few facts of a row, most of whose rows in a table get its outcome.

    It is a :class:`cattleya.Reason` like others (a set of conditions, with ``covers``), but it does
    not force the outcome: ``share.wrong`` rows of the table are exceptions. All figures are counts.

    Attributes
    ----------
    share : Share
        The counts: rows with these facts, those that get the outcome, all rows.
    measure : Share or Chance
        The same; or, where rows are weighed and not counted, how likely it is.
    precision, coverage : Fraction
        The share of the rows with these facts that get the outcome; the share of all rows that have
        these facts.
    at_least : int
        No set of fewer facts reaches the wanted precision and covers enough rows: proved.
    wanted : Fraction
        The precision that was asked for.

    Examples
    --------
    >>> import cattleya
    >>> tree = cattleya.Tree.from_nested(("a", ("b", "no", "yes"), "yes"))
    >>> rows = [[0, 0]] + 5 * [[0, 1]] + 14 * [[1, 0]]
    >>> short = cattleya.Explainer(tree).explain([1, 0]).short_reason(0.9, among=rows)
    >>> print(short.sentence)
    of all 20 rows of the table, 95% (19) get yes; 1 row does not
    >>> short.precision, short.coverage, short.proved_smallest
    (Fraction(19, 20), Fraction(1, 1), True)
    >>> short.share.wrong, short.gap, short.outcome, round(float(short.lower_bound), 3)
    (1, 0, 'yes', 0.764)
    >>> print(short.about[:36], "|", short.caution[:30])
    counted on the 20 rows of the table: | So few rows vouch for 76.3% on
    """

    __slots__ = ("_merges", "_outcome", "_warning", "at_least", "measure", "wanted")

    measure: Share | Chance
    at_least: int
    wanted: Fraction

    def __init__(
        self,
        conditions: tuple[Condition, ...],
        measure: Share | Chance,
        outcome: Outcome,
        wanted: Fraction,
        at_least: int,
        *,
        merges: bool,
        warning: str = "",
    ) -> None:
        definition = (
            "facts of the row, such that at least the wanted share of the rows that have them get "
            "its outcome"
        )
        super().__init__(GivenSource(KIND, definition, outcome.reader, conditions, merges), 0)
        self.measure, self._outcome, self._merges = measure, outcome, merges
        self.wanted, self.at_least = wanted, min(at_least, len(conditions))
        self._warning = warning

    @property
    def share(self) -> Share:
        """The counts, where rows of a table were counted."""
        if not isinstance(self.measure, Share):
            raise AttributeError(
                "nothing was counted for this short reason: rows were weighed; see precision, "
                "coverage and about"
            )
        return self.measure

    @property
    def precision(self) -> Fraction:
        """The share of the rows with these facts that get the outcome."""
        return self.measure.precision or Fraction(0)

    @property
    def coverage(self) -> Fraction:
        """The share of the rows of the table that have these facts."""
        return self.measure.coverage

    @property
    def lower_bound(self) -> Fraction:
        """The lower end of Wilson's interval at 95% for a counted precision, rounded down."""
        return self.measure.lower_bound

    @property
    def proved_smallest(self) -> bool:
        """Whether it is proved that no fewer facts are right often enough, and of enough rows."""
        return self.at_least >= len(self)

    @property
    def gap(self) -> int:
        """How many facts fewer a set might have, for all that is proved."""
        return len(self) - self.at_least

    @property
    def outcome(self) -> str:
        """The outcome that rows with these facts usually get."""
        return self._outcome.name

    @property
    def about(self) -> str:
        """What was counted, or weighed."""
        return self.measure.about

    @property
    def caution(self) -> str:
        """What to beware of: few rows, or rows that the model was trained on; else nothing."""
        said = [self._warning] if self._warning else []
        if self.lower_bound < self.wanted <= self.precision:
            said.append(
                f"So few rows vouch for {percent(self.lower_bound)} only (95% confidence); check "
                f"it on other rows, too."
            )
        return " ".join(said)

    @property
    def sentence(self) -> str:
        """What was counted and found, in a sentence."""
        return self.measure.sentence(str(self) if len(self) else "", self.outcome)

    def exceptions(self, X: Any) -> Any:
        """Return the rows of ``X`` that have these facts, but get another outcome.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", "no", "yes"), "yes"))
        >>> rows = [[0, 0]] + 5 * [[0, 1]] + 14 * [[1, 0]]
        >>> short = cattleya.Explainer(tree).explain([1, 0]).short_reason(0.9, among=rows)
        >>> short.exceptions(rows)
        [[0, 0]]
        """
        wrong = self.is_exception(self._source.rows.matrix(X))
        if hasattr(X, "iloc"):
            return X.iloc[np.flatnonzero(wrong)]
        if isinstance(X, np.ndarray) or hasattr(X, "tocsr"):
            return (X.tocsr() if hasattr(X, "tocsr") else X)[np.flatnonzero(wrong)]
        return [row for row, is_wrong in zip(X, wrong.tolist(), strict=True) if is_wrong]

    def is_exception(self, matrix: Floats) -> Bools:
        """Tell which rows, in the tree's columns, have these facts, but get another outcome.

        :meta private:
        """
        return self.covers_numbers(matrix) & ~self._outcome.gets(matrix)

    def check(self, rows: Any) -> Share:
        """Count the same on other rows, which were not used for choosing the facts.

        Examples
        --------
        >>> import cattleya
        >>> tree = cattleya.Tree.from_nested(("a", ("b", "no", "yes"), "yes"))
        >>> rows = [[0, 0]] + 5 * [[0, 1]] + 14 * [[1, 0]]
        >>> short = cattleya.Explainer(tree).explain([1, 0]).short_reason(0.9, among=rows)
        >>> print(short.check([[0, 0], [1, 0]]).precision)
        1/2
        """
        matrix = self._source.rows.matrix(rows)
        return counted(self.conditions, matrix, self._outcome.gets(matrix))

    def with_bound(self, at_least: int) -> ShortReason:
        """Return the same with another proved bound of the size.

        :meta private:
        """
        given = (self.conditions, self.measure, self._outcome, self.wanted, at_least)
        return ShortReason(*given, merges=self._merges, warning=self._warning)

    def __str__(self) -> str:
        return self._outcome.text(self.conditions)

    def covers_numbers(self, matrix: Floats) -> Bools:
        """Tell of each row, in the tree's columns, whether it has these facts.

        :meta private:
        """
        covered = np.ones(len(matrix), dtype=np.bool_)
        for condition in self.conditions:
            covered &= condition.holds_in(matrix)
        return covered

    def __reduce__(self) -> tuple[object, ...]:
        given = (self.conditions, self.measure, self._outcome, self.wanted, self.at_least)
        return _remade, (given, self._merges, self._warning)


def _remade(given: tuple[Any, ...], merges: bool, warning: str) -> ShortReason:
    return ShortReason(*given, merges=merges, warning=warning)


class Step(NamedTuple):
    """The safest facts of one size that were found."""

    size: int
    precision: Fraction
    coverage: Fraction
    reason: ShortReason


class TradeOff(Sequence[Step]):
    """What each further fact gains: the safest facts that were found of every size.

    Attributes
    ----------
    ladder : tuple of Step
        Facts that are added one after the other, each the safest next: to be read aloud.

    Examples
    --------
    >>> import cattleya
    >>> tree = cattleya.Tree.from_nested(("a", "no", ("b", "no", "yes")))
    >>> rows = 4 * [[0, 0]] + 3 * [[1, 0]] + 3 * [[1, 1]]
    >>> trade = cattleya.Explainer(tree).explain([1, 1]).trade_off(among=rows)
    >>> print(trade)
    0: 30% of 100% of the rows: (no condition)
    1: 100% of 30% of the rows: b
    >>> len(trade), [str(step.reason) for step in trade.ladder]
    (2, ['(no condition)', 'b'])
    """

    def __init__(self, steps: Sequence[Step], ladder: Sequence[Step]) -> None:
        self._steps, self.ladder = tuple(steps), tuple(ladder)

    @overload
    def __getitem__(self, place: int) -> Step: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Step]: ...
    def __getitem__(self, place: int | slice) -> Step | Sequence[Step]:
        return self._steps[place]

    def __len__(self) -> int:
        return len(self._steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self._steps)

    def __str__(self) -> str:
        return "\n".join(
            f"{size}: {percent(precision)} of {percent(coverage)} of the rows: {reason}"
            for size, precision, coverage, reason in self
        )

    def __repr__(self) -> str:
        return f"<TradeOff of {len(self)} sizes>"


class NoShortReason(NoSuchReason):
    """No set of so few facts reaches the wanted precision; ``best`` has what comes nearest."""

    def __init__(
        self, best: Sequence[Step], wanted: Fraction, max_size: int, at_least: int
    ) -> None:
        super().__init__(())
        self.best, self.wanted, self.at_least = tuple(best), wanted, at_least
        self._given = (self.best, wanted, max_size, at_least)
        self.args = (self._text(max_size),)

    def _text(self, max_size: int) -> str:
        none = "no short reason was found"
        if self.at_least > max_size:
            none = "there is no short reason"
        facts = "1 fact" if max_size == 1 else f"{max_size} facts"
        text = f"{none} with {percent(self.wanted)} precision and up to {facts}"
        if self.best:
            step = max(self.best, key=lambda one: (one.precision, -one.size))
            said = "fact" if step.size == 1 else "facts"
            share = step.reason.measure
            of = f" of {share.covered:,} rows" if isinstance(share, Share) else ""
            text += (
                f"; the best has {step.size} {said} and {percent(step.precision)}{of}: "
                f"{step.reason}"
            )
        return f"{text}. Ask for less precision, more facts or less coverage"

    def __reduce__(self) -> tuple[Any, ...]:
        return NoShortReason, self._given

"""What the rows of a data set have in common: the paper's medians and maxima, exactly.

Rows that did not finish are not left out. They may be anywhere between the smallest and the largest
number there is: the median is told where it is the same either way, and else by its two ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean, median

from cattleya.experiments.table.paper_table import COLUMNS
from cattleya.experiments.table.row_record import STEPS, RowRecord

__all__ = ["FoldRecord", "OurSpread", "Summary", "spread", "summarise"]


@dataclass(frozen=True)
class FoldRecord:
    """One tree: the share of its fold that it gets right, its nodes and its binary features."""

    data: str
    setting: str
    fold: int
    accuracy: float
    nodes: int
    binary_features: int


@dataclass(frozen=True)
class OurSpread:
    """A median between two ends, mostly equal, and a maximum; None where nothing is known.

    ``open`` is the number of values that are not known. With any, the maximum is a lower bound.
    """

    low: Fraction | None
    high: Fraction | None
    maximum: int | None
    open: int = 0


@dataclass(frozen=True)
class Summary:
    """One data set: a line of the table, the time, and what did not finish."""

    data: str
    rows: int
    folds: int
    accuracy: float
    nodes: float
    binary_features: float
    spreads: dict[str, OurSpread]
    seconds: dict[str, tuple[float, float]]  # of each step and of the row: the median, the maximum
    total_seconds: float
    unfinished: tuple[tuple[int, int, dict[str, str]], ...]  # fold, row, why by step


def spread(values: Iterable[int | None]) -> OurSpread:
    """Return the median and the maximum of values, of which some may not be known.

    Examples
    --------
    >>> spread([5, 1, 2])
    OurSpread(low=Fraction(2, 1), high=Fraction(2, 1), maximum=5, open=0)
    >>> spread([2, 2, 2, 2, None])
    OurSpread(low=Fraction(2, 1), high=Fraction(2, 1), maximum=2, open=1)
    """
    sizes = Counter(values)
    unknown = sizes.pop(None, 0)
    return _spread({v: n for v, n in sizes.items() if v is not None}, unknown)


def _spread(sizes: dict[int, int], unknown: int) -> OurSpread:
    if not sizes:
        return OurSpread(None, None, None, unknown)
    ordered = sorted(sizes.items())
    total = sum(sizes.values()) + unknown
    middle = ((total - 1) // 2, total // 2)
    # With the unknown ones below all others, and above: then there is no upper end of the median.
    low = [_at(ordered, place - unknown) for place in middle]
    high = [_at(ordered, place) for place in middle]
    return OurSpread(
        Fraction(sum(v if v is not None else 0 for v in low), 2),
        None if None in high else Fraction(sum(v for v in high if v is not None), 2),
        ordered[-1][0],
        unknown,
    )


def _at(ordered: list[tuple[int, int]], place: int) -> int | None:
    """Return the value at a place; what lies below is 0, what lies above is not known."""
    if place < 0:
        return 0
    for value, number in ordered:
        if place < number:
            return value
        place -= number
    return None


def summarise(data: str, trees: Sequence[FoldRecord], rows: Sequence[RowRecord]) -> Summary:
    """Summarise the records of one data set."""
    sizes: Counter[int] = Counter()
    for row in rows:
        sizes.update(row.contrastive or {})
    spreads = {
        "|Sufficient|": spread(row.sufficient for row in rows),
        "|Minimal|": spread(row.minimal for row in rows),
        "#Nec. Features": spread(row.necessary for row in rows),
        "#Rel. Features": spread(row.relevant for row in rows),
        "#Sufficient": spread(row.count for row in rows),
        "#Contrastive": spread(
            None if row.contrastive is None else sum(row.contrastive.values()) for row in rows
        ),
        # Of all the contrastive explanations of all rows; a row without any has no say.
        "|Contrastive|": _spread(sizes, 0),
        "#Minimal": spread(row.count_minimal for row in rows),
    }
    seconds = {
        step: _seconds([row.seconds[step] for row in rows if step in row.seconds])
        for step in STEPS  # of the rows that came so far
    }
    totals = [sum(row.seconds.values()) for row in rows]
    late = sorted((row.fold, row.row, row.unfinished) for row in rows if row.unfinished)
    return Summary(
        data,
        len(rows),
        len(trees),
        100 * mean(tree.accuracy for tree in trees),
        mean(tree.nodes for tree in trees),
        mean(tree.binary_features for tree in trees),
        {column: spreads[column] for column in COLUMNS},
        seconds | {"row": _seconds(totals)},
        sum(totals),
        tuple(late),
    )


def _seconds(taken: list[float]) -> tuple[float, float]:
    return (median(taken), max(taken)) if taken else (0.0, 0.0)

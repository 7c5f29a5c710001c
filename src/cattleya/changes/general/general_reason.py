"""A general reason: of each feature an interval or a set of values, all of which force a class."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np

from cattleya._core import NamedSets
from cattleya.model.conditions.parts import IntervalPart, Part, ValuesPart
from cattleya.model.tree.rows import RowReader
from cattleya.reasons.reason import Reason, given_set
from cattleya.support.arrays import Bools, Floats

__all__ = [
    "MEASURE",
    "General",
    "IntervalPart",
    "ValuesPart",
    "Widest",
    "Worded",
    "with_proof",
    "with_rows",
]

#: How wide a general reason is where there is no table: what :attr:`General.width` measures.
MEASURE = (
    "the share of the cells that it allows, multiplied over its features; a cell is what the model "
    "can tell apart of a feature: what lies between two thresholds, a value of a category, or a "
    "number that is missing"
)
#: How wide it is where there is one.
IN_ROWS = f"the rows of the table that it covers; of as many, {MEASURE}"
#: How far one of an ensemble is widened.
BOUNDED = (
    "widened one feature after the other, in their order, each as far as a search of bounded "
    "length proves"
)


@dataclass(frozen=True)
class Widest:
    """What is proved of a widest reason, besides that it forces the class.

    Attributes
    ----------
    compared : int
        How many sets of the fewest features were compared.
    all_compared : bool
        Whether these were all there are.
    exact : bool
        Whether of each of them the widest intervals and sets of values are known: the search for
        them came to its end.
    rows : int or None
        How many rows of the table it covers that get the class, where wide means that.
    bounded : bool
        Whether each was only widened as far as a search of bounded length proves: so it is for
        ensembles.
    """

    compared: int = 1
    all_compared: bool = False
    exact: bool = False
    rows: int | None = None
    bounded: bool = False

    @property
    def proved(self) -> bool:
        """Whether no other reason of as few features is wider."""
        return self.all_compared and self.exact

    @property
    def comparison(self) -> str:
        """What was compared, where the widest is not proved."""
        which = "all " if self.all_compared else ""
        found = f"{which}{self.compared} sets of as few were compared"
        if self.compared == 1:
            found = "only one set of as few " + (
                "is enough" if self.all_compared else "was looked at"
            )
        if self.bounded:
            return f"{found}, {'' if self.compared == 1 else 'each '}{BOUNDED}"
        return found if self.exact else f"{found}, of some of them not all intervals"

    @property
    def measure(self) -> str:
        """What wide means."""
        return MEASURE if self.rows is None else IN_ROWS


class General(Reason):
    """A reason as general as it can be: a set of intervals and of sets of values.

    It is a :class:`cattleya.Reason` like others: a set of conditions (one per feature, its
    ``parts``) with a length, a text, ``covers(X)``, a ``kind`` and a ``definition``.

    Attributes
    ----------
    parts : tuple of IntervalPart or ValuesPart
        What each feature may be, in the order of the features; those left out may be anything.
    prediction : label
        The class that the tree gives to every row that it covers.
    width : Fraction or None
        The share of the cells that it allows.
    widest : Widest or None
        What is proved of :meth:`cattleya.Explanation.reason`: by which ``measure``, how many
        ``rows`` of a table it covers where it was chosen by them, and whether no other is wider.

    Examples
    --------
    >>> import cattleya
    >>> tree = cattleya.Tree(
    ...     [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -1, 0, -1, -1], [30.5, 0, 41.5, 0, 0],
    ...     [-1, 0, -1, 1, 0], n_features=2, feature_names=["age", "hours"])
    >>> general = cattleya.Explainer(tree, over="intervals").explain([38, 40]).reason()
    >>> print(general)
    30.5 < age <= 41.5
    >>> general.covers([[38, 1], [45, 40]]).tolist()
    [True, False]
    >>> len(general), [part.feature for part in general]
    (1, ['age'])

    The one that is shown of a row:

    >>> tree = cattleya.Tree.from_nested(("old", ("tall", "no", "yes"), "yes"))
    >>> reason = cattleya.Explainer(tree).explain([1, 1]).reason()
    >>> print(reason, "|", reason.prediction, reason.width, reason.widest.proved)
    old | yes 1/2 True
    >>> reason.parts, reason.measure[:38]
    ((<IntervalPart old>,), 'the share of the cells that it allows,')
    >>> reason.share([[1, 0], [0, 1], [0, 0], [1, 1]])
    0.5
    """

    __slots__ = ("_n_columns", "_noun", "_prediction", "_rows", "_widest", "_width")

    def __init__(
        self,
        parts: Iterable[Part],
        prediction: Any,
        n_columns: int,
        rows: RowReader | None = None,
        width: Fraction | None = None,
        widest: Widest | None = None,
        noun: str = "class",
    ) -> None:
        source = _Parts(tuple(parts), prediction, rows or _TreeColumns(n_columns), widest, noun)
        super().__init__(source, 0)
        self._prediction, self._n_columns, self._rows = prediction, n_columns, rows
        self._width, self._widest, self._noun = width, widest, noun

    @property
    def parts(self) -> tuple[Part, ...]:
        """What each feature may be, in the order of the features."""
        return cast("tuple[Part, ...]", self.conditions)

    @property
    def prediction(self) -> Any:
        """The class that the tree gives to every row that it covers."""
        return self._prediction

    @property
    def measure(self) -> str:
        """What a wider reason has more of, in words."""
        return MEASURE if self._widest is None else self._widest.measure

    @property
    def width(self) -> Fraction | None:
        """The share of the cells that it allows, which ``measure`` says more about."""
        return self._width

    @property
    def widest(self) -> Widest | None:
        """What is proved of how wide it is; None where nothing was compared."""
        return self._widest

    def share(self, X: Any) -> float:
        """Return the share of the rows that it covers."""
        covered = self.covers(X)
        if len(covered) == 0:
            raise ValueError("there are no rows, so no share of them is covered: give at least one")
        return float(covered.mean())

    def __repr__(self) -> str:
        return f"<General: {self}>"

    def __reduce__(self) -> tuple[object, ...]:
        how = (self._n_columns, self._rows, self._width, self._widest, self._noun)
        return General, (self.parts, self._prediction, *how)


def with_rows(general: General, rows: RowReader, noun: str = "class") -> General:
    """Return a general reason for rows as a model takes them; an outcome is called ``noun``."""
    how = (general._n_columns, rows, general._width, general._widest, noun)
    return General(general.parts, general._prediction, *how)


def with_proof(general: General, widest: Widest) -> General:
    """Return a general reason with what is proved of how wide it is."""
    how = (general._n_columns, general._rows, general._width, widest)
    return General(general.parts, general._prediction, *how)


class Worded(Reason):
    """A reason over intervals that prints as wide as it can be; its conditions stay what they are.

    Of two intervals that force the class, a reader is never left with the narrower. ``general`` is
    what it prints, and what ``covers`` is about.
    """

    __slots__ = ("_general",)

    def __init__(self, reason: Reason, general: Callable[[], General] | General) -> None:
        super().__init__(reason._source, reason._position)
        self._general = general

    @property
    def general(self) -> General:
        """The reason with every interval and set of values as large as it can be."""
        if not isinstance(self._general, General):
            self._general = self._general()
        return self._general

    def covers(self, X: Any) -> Bools:
        """Tell for each row of ``X`` whether it has what the reason prints."""
        return self.general.covers(X)

    def __str__(self) -> str:
        return str(self.general)

    def __reduce__(self) -> tuple[object, ...]:
        make, own = super().__reduce__()
        return _worded, (make, own, self.general)


def _worded(make: Any, own: tuple[Any, ...], general: General) -> Worded:
    return Worded(make(*own), general)


@dataclass(frozen=True)
class _Parts:
    """The source of a general reason."""

    parts: tuple[Part, ...]
    prediction: Any
    rows: RowReader
    widest: Widest | None
    noun: str = "class"
    merges = False
    undecided = ()

    @property
    def kind(self) -> str:
        chosen = self.widest is not None and self.widest.compared
        return "widest reason" if chosen else "general reason"

    @property
    def definition(self) -> str:
        text = (
            f"An interval or a set of values of some features, such that every row that has these "
            f"gets the {self.noun} {self.prediction}, under the logic of the features' values; "
        )
        if self.widest is not None and self.widest.bounded:
            text += f"they were {BOUNDED}"
        else:
            text += (
                f"none of them can be made larger without letting in a row of another {self.noun}"
            )
        if self.widest is None or not self.widest.compared:
            return f"{text}."
        width = f"wide by {self.widest.measure}"
        if self.widest.proved:
            return f"{text}; no such reason has fewer features, and none of as few is as {width}."
        return (
            f"{text}; no such reason has fewer features; {self.widest.comparison}, and this is the "
            f"widest of what was: {width}."
        )

    @property
    def sets(self) -> NamedSets:
        return given_set(self.parts)


@dataclass(frozen=True)
class _TreeColumns:
    """Reads rows that are given in the tree's columns."""

    count: int

    def matrix(self, X: Any) -> Floats:
        if np.shape(X)[1:] != (self.count,):
            raise ValueError(
                f"rows must be a matrix with the tree's {self.count} columns, not of shape "
                f"{np.shape(X)}"
            )
        matrix: Floats = X
        return matrix

    def row(self, x: Any) -> Floats:
        row: Floats = self.matrix(np.asarray(x)[None, :])[0]
        return row

    def lines(self, X: Any) -> Any:
        return X

"""What is explained of an ensemble: which outcome its sums come to.

By default the outcome is the class that the sums decide. A threshold on a probability or on a
number is a cut of one sum, because the links are monotone: the cut is the least sum whose number
reaches the threshold, found by halving, among all floating point numbers, with the link's own
arithmetic and compared as numpy compares it. A range has two cuts; what is below it and what is
above it are then two outcomes. Some links (a softmax) waver in their last bit, so that of two sums
next to each other the larger may have the smaller number; a row whose own number is told otherwise
by the cuts is refused as too close to call (:meth:`Outcomes.has`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from cattleya.model.ensemble.ensemble import Ensemble, one_output
from cattleya.model.ensemble.links import LINKS, probabilities, values
from cattleya.model.tree.classes import Classes
from cattleya.model.tree.target import Probability, Target
from cattleya.model.tree.threshold import Bound, number_text
from cattleya.support.arrays import Floats, Int32s

__all__ = ["Outcomes", "outcomes_of"]

Numbers = npt.NDArray[np.floating[Any]]
ONE_BY_ONE = ("identity", "c_logistic")  # links by which a class's sum alone makes its probability


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The outcomes of an ensemble.

    Attributes
    ----------
    ensemble : Ensemble
        Its sums decide: the model, or one output of it.
    classes : Classes
        The outcomes, and how they are shown.
    cuts : ndarray, optional
        Outcome ``i`` has reached ``i`` of these; None where the ensemble decides between classes.
    by_number : callable, optional
        Gives the outcomes of sums by the numbers that they stand for.
    rounding : float
        How many times the ensemble's own rounding bound two numbers may be apart and be the same.
    """

    ensemble: Ensemble
    classes: Classes
    cuts: Floats | None = None
    by_number: Callable[[Numbers], Int32s] | None = None
    rounding: float = 1.0

    @cached_property
    def doubt(self) -> Floats:
        """How far off a sum may be when outcomes are told apart, by output; empty: not at all."""
        found = self.ensemble.rounding_bound * self.rounding
        return found if found.any() else np.zeros(0)

    def of(self, matrix: Floats) -> Int32s:
        """Return the outcome of each row, by its place."""
        margins = self.ensemble.margins_of(matrix)
        if self.cuts is None:
            return self.ensemble.classes_of(margins)
        return np.asarray(np.searchsorted(self.cuts, margins[:, 0], "right"), dtype=np.int32)

    def has(self, row: Floats, outcome: int) -> bool:
        """Tell whether a row has an outcome by the model's own numbers, to the bit."""
        if self.by_number is None:
            return self.ensemble.class_of(row) == outcome
        return int(self.by_number(self.ensemble.margins_of(row[None, :]))[0]) == outcome


def outcomes_of(
    ensemble: Ensemble, target: Target, classes: Classes, row: Floats | None = None
) -> Outcomes:
    """Return what is explained of an ensemble; refuse a target that it has no numbers for.

    Parameters
    ----------
    ensemble : Ensemble
    target : Target
    classes : Classes
        The ensemble's classes; none where it predicts numbers.
    row : ndarray, optional
        The row that is explained, where the outcome is around its own number.

    Examples
    --------
    >>> from cattleya.model.tree.target import Value
    >>> one = Ensemble([0, 3], [1, -1, -1], [2, -1, -1], [0, -1, -1], [30.5, 0, 0], [95, 120],
    ...                n_features=1)
    >>> found = outcomes_of(one, Value(between=(100, 110)), Classes((), ()))
    >>> found.classes.names
    ('below 100', 'at least 100 and at most 110', 'above 110')
    >>> found.of(np.array([[20.0], [40.0]]))
    array([0, 2], dtype=int32)
    """
    bound = target.bound
    if bound is None and ensemble.class_names is not None:
        return Outcomes(ensemble, classes)
    single, number, rises = _number(ensemble, target, classes)
    said = ""
    if isinstance(target, Probability):
        said = f"probability of {classes.names[classes.meant(target.label, 'label')]} "
    dtype = np.dtype(single.sum_dtype)
    own: np.floating[Any] | None = None
    if row is not None:
        own = number(single.margins_of(row[None, :]))[0]
    reached, names = _steps(bound, own)
    if not rises:
        names = names[::-1]
        reached = [_not(step) for step in reached[::-1]]
    cuts = np.array([_first(step, number, dtype) for step in reached])
    noun = "outcome" if bound is not None else "number"
    known = Classes.of([f"{said}{name}" for name in names], noun=noun)

    def by_number(margins: Numbers) -> Int32s:
        numbers = np.asarray(number(margins))
        return np.asarray(sum(step(numbers).astype(np.int32) for step in reached), dtype=np.int32)

    # Exactly a number is that of the sum in order; the distance of two of them is off twice.
    rounding = 0.0 if bound is None else 2.0 if bound.by_row else 1.0
    return Outcomes(single, known, cuts, by_number, rounding)


Step = Callable[[Numbers], npt.NDArray[np.bool_]]


def _not(step: Step) -> Step:
    return lambda numbers: ~step(numbers)


def _steps(bound: Bound | None, own: np.floating[Any] | None) -> tuple[list[Step], list[str]]:
    """Return what numbers reach one after the other as they grow, and the words between."""
    if bound is not None and bound.kind in ("at_least", "below"):
        outside, inside = bound.words()
        if bound.kind == "at_least":
            return [bound.holds], [outside, inside]
        return [_not(bound.holds)], [inside, outside]
    if bound is not None and bound.kind == "between":
        low, high = bound.numbers
        first, last = Bound("at_least", (low,)), Bound("between", (low, high))
        names = [first.words()[0], bound.words()[1], f"above {number_text(high)}"]
        return [first.holds, lambda n: first.holds(n) & ~last.holds(n)], names
    assert own is not None  # the outcome is around the row's own number
    center = number_text(own, own.dtype.name)
    if bound is None:
        names = [f"below {center}", f"exactly {center}", f"above {center}"]
        return [lambda n: n >= own, lambda n: n > own], names
    width, middle = number_text(bound.numbers[0]), float(own)
    names = [
        f"more than {width} below {center}",
        f"within {width} of {center}",
        f"more than {width} above {center}",
    ]
    return [
        lambda n: bound.holds(n, middle) | (n > own),
        lambda n: ~bound.holds(n, middle) & (n > own),
    ], names


def _number(
    ensemble: Ensemble, target: Target, classes: Classes
) -> tuple[Ensemble, Callable[[Numbers], Numbers], bool]:
    """Return the ensemble of the one sum behind a number, the number of sums, and if it rises."""
    link, scale = ensemble.link, ensemble.link_scale
    if not isinstance(target, Probability):
        if ensemble.class_names is not None:
            raise ValueError(
                "the model predicts classes, not numbers: ask about the probability of one with "
                f"cattleya.Probability, such as Probability({classes.labels[-1]!r}, at_least=0.3)"
            )
        if ensemble.n_outputs > 1:
            raise ValueError("this ensemble predicts several numbers at once; give one of them")
        return ensemble, lambda margins: values(link, margins, scale)[:, 0], True
    if ensemble.class_names is None:
        raise ValueError(
            "the model predicts numbers, not classes: ask about them with cattleya.Value, "
            "such as Value(at_least=100)"
        )
    place = classes.meant(target.label, "label")
    if ensemble.n_outputs == 1:
        return (
            ensemble,
            lambda margins: probabilities(link, margins, scale)[:, place],
            place == 1,
        )
    if link not in ONE_BY_ONE:
        raise TypeError(
            "a threshold on a probability is not explained for this model: the probability of a "
            f"class ({LINKS[link].words}) depends on the sums of all {ensemble.n_outputs} classes "
            "at once; explain the predicted class (without target), a model of this class against "
            "all others, or a forest, whose probabilities are sums"
        )
    return one_output(ensemble, place), lambda margins: values(link, margins, scale)[:, 0], True


def _first(step: Step, number: Callable[[Numbers], Numbers], dtype: np.dtype[Any]) -> float:
    """Return the least sum whose number has reached a step; infinity where none does."""
    whole: Any = np.int32 if dtype == np.float32 else np.int64
    top = int(np.array(np.inf, dtype=dtype).view(whole))

    def sum_at(place: int) -> Numbers:
        """Return the floating point number at a place in their order; 0 is at 0."""
        size = np.array(abs(place), dtype=whole).view(dtype)
        return np.asarray([[-size if place < 0 else size]], dtype=dtype)

    def has_reached(place: int) -> bool:
        with np.errstate(over="ignore", invalid="ignore"):
            return bool(step(np.asarray(number(sum_at(place))))[0])

    low, high = -top + 1, top - 1  # the least and the greatest finite number
    if has_reached(low):
        return -np.inf
    if not has_reached(high):
        return np.inf
    while low + 1 < high:
        middle = (low + high) // 2
        if has_reached(middle):
            high = middle
        else:
            low = middle
    return float(sum_at(high)[0, 0])

"""What makes probabilities, or numbers, of the sums of an ensemble.

Each is computed with the functions, in the order and in the precision of the library that has it,
so that probabilities are equal to the last bit. scipy, whose logistic function scikit-learn uses,
is imported when it is first needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["LINKS", "Link", "probabilities", "values"]

Numbers = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Link:
    """A link: margins in, one line per row; numbers out.

    ``of_classes`` tells whether it makes probabilities (True), or numbers (False); None: both.
    Of one margin it may give one column, the probability of the second class.
    """

    apply: Callable[[Numbers], Numbers]
    of_classes: bool | None
    words: str


def probabilities(link: str, margins: Numbers) -> Numbers:
    """Return one column per class."""
    found = LINKS[link].apply(margins)
    if found.shape[1] == 1 and margins.shape[1] == 1:
        second = found[:, 0]
        return np.column_stack((1 - second, second))
    return found


def values(link: str, margins: Numbers) -> Numbers:
    """Return one column per output."""
    return LINKS[link].apply(margins)


def _identity(margins: Numbers) -> Numbers:
    return margins


def _logistic(margins: Numbers) -> Numbers:
    from scipy.special import expit

    found: Numbers = expit(margins)
    return found


def _half_logistic(margins: Numbers) -> Numbers:
    return _logistic(2 * margins)


def _softmax(margins: Numbers) -> Numbers:
    """As scikit-learn on columns: the exponentials are added from the first to the last."""
    found = np.exp(margins - margins.max(axis=1)[:, None])
    total = np.zeros(len(found), dtype=found.dtype)
    for column in found.T:
        total += column
    return np.asarray(found / total[:, None])


def _softmax_pairwise(margins: Numbers) -> Numbers:
    """As scikit-learn on rows: numpy adds the exponentials of a row in pairs."""
    found = np.exp(np.ascontiguousarray(margins - margins.max(axis=1)[:, None]))
    return np.asarray(found / found.sum(axis=1)[:, None])


def _samme(margins: Numbers) -> Numbers:
    """As scikit-learn's AdaBoostClassifier."""
    classes = margins.shape[1]
    if classes == 1:
        return _softmax(np.column_stack((-margins[:, 0], margins[:, 0])) / 2)
    return _softmax(margins / (classes - 1))


LINKS = {
    "identity": Link(_identity, None, "the sum itself"),
    "exp": Link(np.exp, False, "the exponential of the sum"),
    "logistic": Link(_logistic, True, "the logistic function of the sum"),
    "half_logistic": Link(_half_logistic, True, "the logistic function of twice the sum"),
    "softmax": Link(_softmax, True, "the softmax of the sums"),
    "softmax_pairwise": Link(_softmax_pairwise, True, "the softmax of the sums"),
    "samme": Link(_samme, True, "the softmax of the sums, each divided by the classes but one"),
}

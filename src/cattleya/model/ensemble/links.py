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

from cattleya._core import link32, link64

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


def probabilities(link: str, margins: Numbers, scale: float = 1.0) -> Numbers:
    """Return one column per class."""
    found = values(link, margins, scale)
    if found.shape[1] == 1 and margins.shape[1] == 1:
        second = found[:, 0]
        return np.column_stack((1 - second, second))
    return found


def values(link: str, margins: Numbers, scale: float = 1.0) -> Numbers:
    """Return one column per output, of the margins times ``scale``."""
    return LINKS[link].apply(margins if scale == 1 else margins * margins.dtype.type(scale))


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


def _of_c(name: str) -> Callable[[Numbers], Numbers]:
    """Return a function of the C library, which boosting libraries call number by number."""

    def apply(margins: Numbers) -> Numbers:
        numbers, width = np.ascontiguousarray(margins).reshape(-1), margins.shape[1]
        if margins.dtype == np.float32:
            return link32(name, numbers.astype(np.float32, copy=False), width).reshape(-1, width)
        return link64(name, numbers.astype(np.float64, copy=False), width).reshape(-1, width)

    return apply


def _signed_square(margins: Numbers) -> Numbers:
    """As LightGBM, where it learned square roots."""
    return np.asarray(np.sign(margins) * margins * margins)


def _positive(margins: Numbers) -> Numbers:
    """As XGBoost's hinge loss."""
    return np.asarray(margins > 0, dtype=margins.dtype)


LINKS = {
    "identity": Link(_identity, None, "the sum itself"),
    "exp": Link(np.exp, False, "the exponential of the sum"),
    "logistic": Link(_logistic, True, "the logistic function of the sum"),
    "half_logistic": Link(_half_logistic, True, "the logistic function of twice the sum"),
    "softmax": Link(_softmax, True, "the softmax of the sums"),
    "softmax_pairwise": Link(_softmax_pairwise, True, "the softmax of the sums"),
    # With the functions of the C library: XGBoost's in float32, those of others in float64.
    "c_exp": Link(_of_c("exp"), False, "the exponential of the sum"),
    "c_logistic": Link(_of_c("logistic"), None, "the logistic function of the sum"),
    "c_softmax": Link(_of_c("softmax"), True, "the softmax of the sums"),
    "c_log1p_exp": Link(_of_c("log1p_exp"), False, "log(1 + the exponential of the sum)"),
    "signed_square": Link(_signed_square, False, "the square of the sum, with its sign"),
    "positive": Link(_positive, None, "1 where the sum is positive, or else 0"),
    "samme": Link(_samme, True, "the softmax of the sums, each divided by the classes but one"),
}

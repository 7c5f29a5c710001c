"""The values that a number can have beside a threshold, for proofs: checked by their definition.

Where the user's values part at a threshold is asked of ``Number``, as the search asks it, but not
believed. The two values there must follow each other among the user's, and the tree must see
(``Number.to_tree``) one at most the threshold, the other above it. The arithmetic in between is
monotone, so no other value can be nearer.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cattleya.model.domain.domain import Domain, Number
from cattleya.support.arrays import Floats, Int32s

__all__ = ["beside", "beside_each", "beside_one"]


def beside(number: Number, thresholds: float | Floats, dtype: str) -> tuple[Floats, Floats]:
    """Return what the tree sees as the greatest value up to each threshold, and the least above.

    They are -inf and inf where the number has none.

    Examples
    --------
    >>> age = Number("age", 0, integer=True, upper=99.0, steps=(("divide", 10.0),))
    >>> below, above = beside(age, np.array([0.15, 9.9]), "float64")
    >>> below.tolist(), above.tolist()
    ([0.1, 9.9], [0.2, inf])
    """
    limits = np.asarray(thresholds, dtype=np.float64)
    last = np.minimum(number.last(limits, dtype), number.upper)
    last = np.floor(last) if number.integer else last
    with np.errstate(over="ignore", under="ignore"):
        first = np.maximum(np.nextafter(last, np.inf), number.lower)
    first = np.ceil(first) if number.integer else first
    below, above = np.asarray(number.to_tree(last, dtype)), np.asarray(number.to_tree(first, dtype))
    none_below = (last < number.lower) | np.isneginf(last)
    none_above = (first > number.upper) | np.isposinf(first)
    if not ((none_below | (below <= limits)) & (none_above | (above > limits))).all():
        raise RuntimeError(
            f"internal error: the values of {number.name!r} do not part where they are said to; "
            f"please report this tree"
        )
    below = np.where(none_below | np.isinf(below), -np.inf, below)
    above = np.where(none_above | np.isinf(above), np.inf, above)
    for value in number.extra:
        below = np.where(value <= limits, np.maximum(below, value), below)
        above = np.where(value > limits, np.minimum(above, value), above)
    return below, above


@lru_cache(maxsize=1 << 16)
def beside_one(number: Number, threshold: float, dtype: str) -> tuple[float, float]:
    """Return the same for one threshold; kept, as proofs about a model ask for few of them."""
    below, above = beside(number, threshold, dtype)
    return float(below), float(above)


def beside_each(
    domain: Domain, columns: Int32s, thresholds: Floats, dtype: str
) -> tuple[Floats, Floats]:
    """Return the same for thresholds of many columns.

    Both are inf for an infinite threshold, which tells a missing value from the others, and for
    the columns of categories, which have no such values.
    """
    below, above = np.full(len(columns), np.inf), np.full(len(columns), np.inf)
    # Numbers with the same values are asked at once: there may be thousands of columns.
    kinds: dict[object, int] = {}
    kind = np.array(
        [
            kinds.setdefault((a.integer, a.lower, a.upper, a.steps, a.extra), place)
            if isinstance(a, Number)
            else -1
            for place, a in enumerate(domain.attributes)
        ],
        dtype=np.intp,
    )[domain.of_column[columns]]
    order = np.flatnonzero(np.isfinite(thresholds) & (kind >= 0))
    order = order[np.argsort(kind[order], kind="stable")]
    places, start = np.unique(kind[order], return_index=True)
    for place, chosen in zip(places.tolist(), np.split(order, start[1:]), strict=False):
        number = domain.attributes[place]
        assert isinstance(number, Number)
        below[chosen], above[chosen] = beside(number, thresholds[chosen], dtype)
    return below, above

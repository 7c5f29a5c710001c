"""Which decisions are right, and how a model decides about the rows with each value of a feature.

A number with many values is cut into four groups of about as many rows each, which are named by
the least and the greatest value in them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cattleya.explain.context import ModelContext
from cattleya.model.domain.domain import is_missing, plain
from cattleya.model.domain.lookup import FeatureLookup
from cattleya.support.arrays import Floats
from cattleya.support.text import quoted, shown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["checked_truth", "decisions_by_group", "judged", "values_of"]

MOST_GROUPS = 12  # of values that are shown one by one
QUARTERS = 4
MISSING = "missing"
SHARE = "share, "  # before the name of a class, in a column of its own


def checked_truth(truth: Any, count: int, context: ModelContext) -> list[Any]:
    """Return the true classes as the model's labels, where it has them; None where one is missing.

    A label may also be given by the name that is shown for it, or as text.
    """
    if isinstance(truth, (str, bytes)) or not isinstance(truth, Iterable):
        raise TypeError(f"truth must be a list of classes, one per row, not {shown(truth)}")
    given = [plain(value) for value in truth]
    if len(given) != count:
        raise ValueError(
            f"truth has {len(given):,} classes, but there are {count:,} rows; give one per row"
        )
    if context.predicts_numbers:
        raise ValueError(
            "truth is a class of each row, but the model predicts numbers; leave it out"
        )
    labels = context.model_classes.labels
    known: dict[Any, Any] = {}
    for name, label in zip(context.class_labels, labels, strict=True):
        known |= {str(label): label, name: label}
    known |= {label: label for label in labels}
    meant = [None if is_missing(value) else known.get(value, value) for value in given]
    told = [value for value in meant if value is not None]
    if told and not any(value in known for value in told):
        raise ValueError(
            f"truth: {shown(told[0])} is no class of the model; it has {quoted(labels)}"
        )
    return meant


def judged(truth: Sequence[Any], predictions: Sequence[Any]) -> list[bool | None]:
    """Tell of each row whether its class is the true one; None where either is not known."""
    pairs = zip(truth, predictions, strict=True)
    return [None if is_missing(t) or is_missing(p) else bool(t == p) for t, p in pairs]


def values_of(context: ModelContext, matrix: Floats, feature: Any) -> list[Any] | None:
    """Return the values of a feature in the rows; None where it is made of several columns."""
    lookup = FeatureLookup(context.domain, context.tree.feature_names)
    places = lookup.find("protected", feature).attributes
    if len(places) != 1:
        return None
    domain, dtype = context.domain, context.tree.row_dtype
    return [domain.user_value(places[0], row, None, dtype) for row in matrix]


def decisions_by_group(
    values: Sequence[Any],
    predictions: Sequence[Hashable],
    names: dict[Any, str],
    right: Sequence[bool | None] | None,
) -> pd.DataFrame:
    """Return how many rows each group has, and the share of them that gets each class.

    ``accuracy`` is there where the truth is known (``right``).
    """
    import pandas as pd

    group = _groups(values)
    sizes = Counter(group)
    decided = Counter(zip(group, predictions, strict=True))
    order = _order(values, group)
    columns: dict[str, list[Any]] = {"rows": [sizes[key] for key in order]}
    for label, name in names.items():
        columns[f"{SHARE}{name}"] = [decided[key, label] / sizes[key] for key in order]
    if right is not None:
        told: dict[str, list[bool]] = {key: [] for key in order}
        for key, one in zip(group, right, strict=True):
            if one is not None:
                told[key].append(one)
        columns["accuracy"] = [sum(r) / len(r) if r else None for r in told.values()]
    return pd.DataFrame(columns, index=order)


def _groups(values: Sequence[Any]) -> list[str]:
    present = [value for value in values if not is_missing(value)]
    numeric = all(isinstance(v, (int, float, np.number)) for v in present)
    if not numeric or len(set(present)) <= MOST_GROUPS:
        return [_text(value) for value in values]
    numbers = np.array(present, dtype=np.float64)
    shares = [part / QUARTERS for part in range(1, QUARTERS)]
    cuts = np.unique(np.quantile(numbers, shares, method="inverted_cdf"))
    part = np.searchsorted(cuts, numbers)  # a cut belongs to the group below it
    ends = {
        int(p): f"{_text(numbers[part == p].min())} to {_text(numbers[part == p].max())}"
        for p in np.unique(part)
    }
    own = iter(part.tolist())
    return [MISSING if is_missing(value) else ends[next(own)] for value in values]


def _order(values: Sequence[Any], group: Sequence[str]) -> list[str]:
    """Return the groups: of numbers from the least, of anything else the largest first."""
    first: dict[str, Any] = {}
    for value, key in zip(values, group, strict=True):
        first.setdefault(key, value)
        if key != MISSING and isinstance(value, (int, float)) and value < first[key]:
            first[key] = value
    if all(isinstance(v, (int, float)) for k, v in first.items() if k != MISSING):
        return sorted(first, key=lambda k: (k == MISSING, first[k] if k != MISSING else 0))
    sizes = Counter(group)
    return sorted(first, key=lambda key: -sizes[key])


def _text(value: Any) -> str:
    if is_missing(value):
        return MISSING
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return f"{value:g}" if isinstance(value, float) else str(value)

"""Many rows of an ensemble: nearest rows of another outcome, and fairness, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from cattleya.changes.counterfactual import Counterfactual
from cattleya.changes.errors import NoSuchCounterfactual
from cattleya.changes.fairness import DataFairness, Fairness
from cattleya.changes.nearest import Wanted
from cattleya.explain.ensemble.context import EnsembleContext
from cattleya.explain.ensemble.row import EnsembleRow
from cattleya.model.domain.lookup import listed
from cattleya.model.tree.rows import RawRows, is_frame, is_sparse
from cattleya.support.limits import Deadline

__all__ = ["counterfactuals_of", "fairness_of", "is_fair"]


def rows_of(context: EnsembleContext, X: Any, deadline: Deadline) -> Iterator[EnsembleRow]:
    """Give the rows of a table, each ready to be asked about."""
    reader = context.model.rows
    matrix = reader.matrix(X)
    context.check_rows(matrix, deadline)
    raw: Any = reader.raw_row(X) if isinstance(reader, RawRows) else None
    raw = raw.tocsr() if is_sparse(raw) else raw
    for i, row in enumerate(matrix):
        deadline.check()
        own = None if raw is None else raw.iloc[[i]] if is_frame(raw) else raw[[i]]
        yield EnsembleRow(context, row, own)


def counterfactuals_of(
    context: EnsembleContext, X: Any, wanted: Wanted, deadline: Deadline
) -> Iterator[tuple[Counterfactual, ...]]:
    """Give the counterfactuals of each row, none where there are none."""
    found = (_nearest(row, wanted, deadline) for row in rows_of(context, X, deadline))
    # The first now: what is wrong with the question is said when it is asked.
    first = next(found, None)
    return iter(()) if first is None else chain([first], found)


def _nearest(row: EnsembleRow, wanted: Wanted, deadline: Deadline) -> tuple[Counterfactual, ...]:
    toward = wanted.toward
    if toward is not None and row.classes.meant(toward) == row.row_class:
        return ()  # it is there already
    try:
        return row.changes.nearest(
            wanted.n,
            toward,
            wanted.immutable,
            wanted.ranges,
            wanted.metric,
            wanted.data,
            wanted.weights,
            deadline,
        )
    except NoSuchCounterfactual:
        return ()


def fairness_of(
    context: EnsembleContext, X: Any, protected: Iterable[Any], deadline: Deadline
) -> Iterator[Fairness]:
    """Tell of each row whether its outcome depends on some features, with a witness if it does."""
    names = listed("protected", protected)
    return (row.changes.is_fair(names, deadline) for row in rows_of(context, X, deadline))


def is_fair(
    context: EnsembleContext, X: Any, protected: Iterable[Any], deadline: Deadline
) -> DataFairness:
    """Tell of many rows whether each keeps its outcome whatever some features are."""
    names = listed("protected", protected)
    if not names:
        raise ValueError("protected is empty: name at least one feature")
    context.features.check("protected", names)
    told = list(fairness_of(context, X, names, deadline))
    shown = told[0].protected if told else tuple(map(str, names))
    noun = told[0].noun if told else "class"
    return DataFairness(shown, np.array([bool(one) for one in told], dtype=np.bool_), noun)

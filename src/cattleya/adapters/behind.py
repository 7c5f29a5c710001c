"""A model behind the steps of a pipeline: its rows are the user's, and so are the names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cattleya.adapters.adapted import AdaptedModel
from cattleya.adapters.category_sets import SetRows
from cattleya.adapters.ensembles import AdaptedEnsemble
from cattleya.adapters.pipeline.rows import PipelineRows, RawColumns
from cattleya.adapters.sklearn_tree import TreeRows
from cattleya.model.domain.domain import Domain
from cattleya.model.ensemble.rows import EnsembleRows
from cattleya.model.tree.rows import RowReader, is_frame

__all__ = ["Adapted", "behind_steps", "with_columns"]

Adapted = AdaptedModel | AdaptedEnsemble


def behind_steps(
    adapted: Adapted, raw: RawColumns, transformer: Any, trace: Callable[[], Domain]
) -> Adapted:
    """Return a model as it is behind a transformer, of which ``trace`` finds the domain."""
    of_tree = with_columns(adapted.rows, labels=partial(_users_names, trace))
    rows = PipelineRows(
        *(raw.names, raw.count, raw.fitted_on_frame), transformer, of_tree, adapted, trace
    )
    predict = partial(_through, rows, adapted.predict)
    proba = None if adapted.own_proba is None else partial(_through, rows, adapted.own_proba)
    return replace(adapted, rows=rows, trace=trace, own_predict=predict, own_proba=proba)


def with_columns(rows: RowReader, **changes: Any) -> RowReader:
    """Return a reader of rows with other names or labels for the columns."""
    if isinstance(rows, SetRows):
        return rows.named(**changes)
    assert isinstance(rows, (TreeRows, EnsembleRows))
    return replace(rows, columns=replace(rows.columns, **changes))


def _through(rows: PipelineRows, predict: Callable[[Any], Any], X: Any) -> Any:
    transformed = rows.transform(X)
    return predict(np.asarray(transformed) if is_frame(transformed) else transformed)


def _users_names(trace: Callable[[], Domain]) -> list[str]:
    """Return what the user calls each of the tree's columns."""
    domain = trace()
    return [domain.attributes[place].name for place in domain.of_column.tolist()]

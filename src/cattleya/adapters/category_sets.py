"""Ensembles that test sets of categories, in the user's categories.

Such an ensemble is taken as one that tests thresholds, behind a step that makes a column of 0 and 1
of each set (:mod:`cattleya.model.ensemble.category_columns`). What that step does to the user's
columns is told as of any step of a pipeline, by wires: so the values of a feature are the groups of
categories that no set tells apart, with what is missing and what was never seen among them, where
the library takes it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from cattleya.adapters.pipeline.rows import RawColumns
from cattleya.adapters.pipeline.wires import (
    MISSING,
    REFUSED,
    Coded,
    Mixed,
    Scaled,
    Wire,
    domain_of,
    mapped,
)
from cattleya.model.domain.domain import Domain, is_missing
from cattleya.model.ensemble.category_columns import CategoryColumns, OneFeature
from cattleya.model.ensemble.rows import EnsembleRows
from cattleya.model.tree.rows import one_row
from cattleya.support.arrays import Floats
from cattleya.support.text import shown

__all__ = ["CategoryStep", "SetRows"]

UNSEEN: Any = object()


@dataclass(frozen=True, eq=False)
class CategoryStep:
    """The step from the columns of an ensemble with categories to those of one without.

    ``takes_missing`` tells whether categories may be missing; ``names`` are those of the columns
    that it makes.
    """

    columns: CategoryColumns
    takes_missing: bool
    names: tuple[str, ...]

    def wires(self, before: Sequence[Wire]) -> list[Wire]:
        """Return the columns that are made of those before."""
        made: list[Wire] = list(before) + [Mixed(frozenset())] * (self.columns.count - len(before))
        for feature in self.columns.ensemble.categories:  # its codes, where no set tests it
            made[feature] = self._wire(feature, before[feature], None, 0)
        for feature, one in self.columns.features.items():
            for place, column in enumerate(one.columns):
                made[column] = self._wire(feature, before[feature], one, place)
        return made

    def domain(self) -> Domain:
        """Return the domain of the columns, where nothing comes before this step."""
        names = self.columns.ensemble.feature_names
        before: list[Wire] = [Scaled(i, (), {}) for i in range(len(names))]
        return self.traced(before, names, ())

    def traced(
        self, before: Sequence[Wire], raw_names: Sequence[str], untraced: Sequence[str]
    ) -> Domain:
        """Return the domain of the columns behind what comes before."""
        dtype = self.columns.ensemble.row_dtype
        groups = [one.columns for one in self.columns.features.values()]
        start: list[Wire] = [Scaled(i, (), {}) for i in range(len(before))]
        by_themselves = self.wires(start)
        return domain_of(
            self.wires(before),
            raw_names,
            self.names,
            dtype,
            untraced,
            [(columns, [by_themselves[column] for column in columns]) for columns in groups],
        )

    def _wire(self, feature: int, wire: Wire, one: OneFeature | None, place: int) -> Wire:
        became = partial(self._became, feature, one, place)
        if isinstance(wire, Coded):
            return mapped(wire, became)
        if isinstance(wire, Mixed) or wire.steps:
            return Mixed(frozenset([wire.raw])) if isinstance(wire, Scaled) else wire
        table: dict[Hashable, Any] = {MISSING: became(MISSING)}
        table |= {value: became(value) for value in self.columns.values(feature)}
        table |= {value: became(instead) for value, instead in wire.instead.items()}
        return Coded(wire.raw, table, became(UNSEEN))

    def _became(self, feature: int, one: OneFeature | None, place: int, value: Any) -> Any:
        """Return what a value of the ensemble's column becomes, in one of the columns."""
        try:
            code = self._read(feature, value)
        except (TypeError, ValueError):  # no number, or a label that the model refuses
            return REFUSED
        if math.isnan(code) and not self.takes_missing:
            return REFUSED
        return code if one is None else float(one.table[one.lines(np.array([code]))[0], place])

    def _read(self, feature: int, value: Any) -> float:
        """Return the code of a value, as the ensemble reads it."""
        ensemble, rows = self.columns.ensemble, self.columns.ensemble.columns
        if feature in ensemble.categories:
            return rows.code(feature, value)
        if value is UNSEEN:
            return -1.0
        row = np.zeros(ensemble.n_features)
        row[feature] = math.nan if is_missing(value) else np.dtype(ensemble.row_dtype).type(value)
        return float(rows.read(row)[feature])


@dataclass(frozen=True)
class SetRows(RawColumns):
    """Reads rows as the ensemble with categories takes them, and makes the columns of them."""

    read: EnsembleRows
    step: CategoryStep

    def row(self, x: Any) -> Floats:
        """Read one row."""
        matrix = self.read.row(x)[None, :]
        refused = self._refused(matrix)
        if refused.size:
            raise ValueError(self._ruled_out(refused[0, 1], self.raw_values(x)))
        return one_row(self.step.columns.columns_of(matrix))

    def matrix(self, X: Any) -> Floats:
        """Read any number of rows."""
        matrix = self.read.matrix(X)
        refused = self._refused(matrix)
        if refused.size:
            line, feature = refused[0]
            where = f"row {line}: " if len(matrix) > 1 else ""
            raise ValueError(where + self._ruled_out(feature, None))
        return self.step.columns.columns_of(matrix)

    def _refused(self, matrix: Floats) -> Any:
        """Return lines and features of categories that count as missing, where none may be."""
        if self.step.takes_missing:
            return np.empty((0, 2), dtype=np.int64)
        coded = np.array(sorted(self.step.columns.features), dtype=np.int64)
        found = np.argwhere(np.isnan(matrix[:, coded]))
        return np.column_stack([found[:, 0], coded[found[:, 1]]])

    def _ruled_out(self, feature: int, values: Sequence[Any] | None) -> str:
        value = None if values is None else values[feature]
        told = "missing, or a category that the model does not know"
        if not is_missing(value):
            told = f"{shown(value)}, a category that the model does not know and takes as missing"
        return (
            f"{self.read.columns.name(feature)!r} is {told}, but missing values were ruled out; "
            f"give a known one, or leave missing_values=False out"
        )

    def named(self, **changes: Any) -> SetRows:
        """Return the same with other names or labels for the columns."""
        columns = replace(self.read.columns, **changes)
        framed = columns.names is not None
        read = replace(self.read, columns=columns)
        return replace(self, names=columns.names, fitted_on_frame=framed, read=read)

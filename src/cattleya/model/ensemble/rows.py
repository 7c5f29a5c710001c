"""Rows of an ensemble: numbers, and labels where a feature has categories."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from cattleya.model.tree.rows import Columns, is_frame, is_series
from cattleya.support.arrays import Floats
from cattleya.support.text import shown

__all__ = ["EnsembleRows"]

TINY = float(np.float32(1e-35))  # LightGBM's zero


@dataclass(frozen=True)
class EnsembleRows:
    """Reads rows: labels become codes, what is not known is missing, and then as ``columns`` do."""

    columns: Columns
    categories: Mapping[int, tuple[Hashable, ...]]
    missing_value: float = math.nan
    reading: Mapping[int, str] = field(default_factory=dict)

    def row(self, x: Any) -> Floats:
        """Read one row."""
        return self.read(self.columns.row(self._coded(x)))

    def matrix(self, X: Any) -> Floats:
        """Read any number of rows."""
        return self.read(self.columns.matrix(self._coded(X)))

    def ranges(self, X: Any) -> tuple[Floats, Floats] | None:
        """Return the ranges of the columns, where numbers are taken as they are."""
        as_they_are = not self.categories and not self.reading and math.isnan(self.missing_value)
        return self.columns.ranges(X) if as_they_are else None

    def lines(self, X: Any) -> Any:
        """Return rows in a form of which :meth:`matrix` reads a part without looking at names."""
        return X if self.categories else self.columns.lines(X)

    def read(self, numbers: Floats) -> Floats:
        """Return numbers as the library takes them: what it reads as missing is NaN."""
        if not math.isnan(self.missing_value):
            numbers[numbers == self.missing_value] = math.nan
        for feature, how in self.reading.items():
            column = numbers[..., feature]
            if how == "whole part":
                numbers[..., feature] = np.trunc(column) + 0.0
            elif how == "zero is missing":
                numbers[..., feature] = np.where(np.abs(column) <= TINY, math.nan, column)
        return numbers

    @cached_property
    def _codes(self) -> dict[int, dict[Hashable, float]]:
        return {
            feature: {label: float(code) for code, label in enumerate(labels)}
            for feature, labels in self.categories.items()
        }

    def code(self, feature: int, label: Any) -> float:
        """Return the code of a label; NaN is missing. ``ValueError`` where it is refused."""
        try:
            code = self._codes[feature].get(label, math.nan)
        except TypeError:  # a list, which is no label
            code = math.nan
        if not math.isnan(code) or self.reading.get(feature) != "known labels":
            return code
        if label is None or type(label).__name__ == "NAType" or _is_nan(label):
            return code
        raise ValueError(
            f"{self.columns.name(feature)!r} is {shown(label)}, a category that the model does not "
            f"know; give one of those that it was trained with, or None"
        )

    def _coded(self, X: Any) -> Any:
        """Return rows with codes for labels, in the form in which they came."""
        if not self.categories:
            return X
        if is_frame(X):
            if not hasattr(X, "assign") and hasattr(X, "to_pandas"):
                X = X.to_pandas()
            places = {str(name): place for place, name in enumerate(X.columns)}
            X = X.copy()
            for feature in self.categories:
                name = X.columns[places.get(self.columns.name(feature), feature)]
                X[name] = [self.code(feature, label) for label in X[name].tolist()]
            return X
        if isinstance(X, Mapping):
            names = {self.columns.name(feature): feature for feature in self.categories}
            return {
                key: self.code(names[key], value) if key in names else value
                for key, value in X.items()
            }
        if is_series(X):
            return self._coded(X.to_frame().T)
        if isinstance(X, (Sequence, np.ndarray)) and not isinstance(X, (str, bytes)) and len(X):
            return self._coded_lines(X)
        return X

    def _coded_lines(self, X: Any) -> Any:
        if isinstance(X[0], (str, bytes)) or not isinstance(X[0], (Sequence, np.ndarray)):
            return self._coded_line(X)
        return [self._coded_line(line) for line in X]

    def _coded_line(self, line: Any) -> list[Any]:
        values = list(line)
        for feature in self.categories:
            if feature < len(values):
                values[feature] = self.code(feature, values[feature])
        return values


def _is_nan(label: Any) -> bool:
    return isinstance(label, (float, np.floating)) and math.isnan(label)

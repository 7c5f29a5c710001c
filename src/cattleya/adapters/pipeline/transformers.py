"""What a single transformer of scikit-learn does to columns; ``tracing`` puts them together."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

from cattleya.adapters.pipeline import encoders, scalers
from cattleya.adapters.pipeline.wires import (
    MISSING,
    Block,
    CannotTrace,
    Coded,
    Mixed,
    Scaled,
    Wire,
    key,
    mapped,
)
from cattleya.model.domain.domain import is_missing
from cattleya.model.domain.scaling import Steps

__all__ = ["carry_out", "weighted"]


def carry_out(step: Any, block: Block) -> Block:
    """Return the columns after a fitted transformer."""
    if isinstance(step, str) or step is None:  # "passthrough"
        return block
    if isinstance(step, SelectorMixin):
        chosen = np.flatnonzero(step.get_support())
        return replace(block, wires=[block.wires[i] for i in chosen])
    for kind, carry in _KINDS.items():
        # A subclass that transforms in its own way is not understood.
        if isinstance(step, kind) and type(step).transform is kind.transform:
            return carry(step, block)
    raise CannotTrace


def weighted(block: Block, weight: float | None) -> Block:
    """Return the columns times a ColumnTransformer's or FeatureUnion's weight."""
    if weight is None:
        return block
    steps: Steps = (("multiply", float(weight)),)
    made: list[Wire] = []
    for wire in block.wires:
        if isinstance(wire, Scaled):
            made.append(wire.scaled(steps))
        elif isinstance(wire, Coded):
            made.append(mapped(wire, lambda value: value * weight))
        else:
            made.append(wire)
    return replace(block, wires=made)


def _identity(step: Any, block: Block) -> Block:
    if step.func is not None:
        raise CannotTrace
    return block


def _imputer(step: Any, block: Block) -> Block:
    statistics = step.statistics_
    kept = [
        place
        for place, value in enumerate(statistics)
        if step.keep_empty_features or not (value is not None and is_missing(value))
    ]
    gap = key(step.missing_values)
    made: list[Wire] = []
    for place in kept:
        wire, filled = block.wires[place], key(statistics[place])
        if isinstance(wire, Mixed):
            made.append(wire)
        elif isinstance(wire, Coded):
            made.append(mapped(wire, partial(_filled, gap, filled)))
        elif wire.steps and gap is not MISSING:
            raise CannotTrace  # a number that is replaced after scaling
        else:
            instead = {v: _filled(gap, filled, became) for v, became in wire.instead.items()}
            made.append(replace(wire, instead={gap: filled} | instead))
    if step.add_indicator:
        made += [_indicator(block.wires[place], gap) for place in step.indicator_.features_]
    return replace(block, wires=made)


def _filled(gap: Hashable, filled: Any, value: Any) -> Any:
    return filled if _same(value, gap) else value


def _same(value: Any, gap: Hashable) -> bool:
    known = key(value)
    return known is gap or bool(known == gap)


def _indicator(wire: Wire, gap: Hashable) -> Wire:
    """Return the column that is 1 where there was a gap."""
    if isinstance(wire, Coded):
        return mapped(wire, lambda value: float(_same(value, gap)))
    if isinstance(wire, Scaled) and (gap is MISSING or not wire.steps):
        table = {v: float(_same(b, gap)) for v, b in wire.instead.items()}
        return Coded(wire.raw, {gap: 1.0} | table, 0.0)
    return Mixed(frozenset((wire.raw,))) if isinstance(wire, Scaled) else wire


_KINDS: dict[Any, Callable[[Any, Block], Block]] = {
    FunctionTransformer: _identity,
    StandardScaler: scalers.standard,
    MinMaxScaler: scalers.min_max,
    MaxAbsScaler: scalers.max_abs,
    RobustScaler: scalers.robust,
    SimpleImputer: _imputer,
    OneHotEncoder: encoders.one_hot,
    OrdinalEncoder: encoders.ordinal,
    TargetEncoder: encoders.target,
}

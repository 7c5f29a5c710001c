"""From the tree's columns back to the user's: what each step of a fitted pipeline does to columns.

Steps that are understood are carried out on descriptions of columns (``wires``): scalers add their
arithmetic, in scikit-learn's own order; encoders make finitely many values codes; selectors choose.
On columns of finitely many values, a scaler is simply asked. Every other step gives columns of
which only their names are known, and that is said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import FeatureUnion, Pipeline

from cattleya.adapters.pipeline.transformers import carry_out, weighted
from cattleya.adapters.pipeline.wires import (
    Block,
    CannotTrace,
    Mixed,
    Scaled,
    Wire,
    domain_of,
    raws_of,
)
from cattleya.model.domain.domain import Domain

__all__ = ["Traced", "trace", "traced"]

Wires = list[Wire]


@dataclass(frozen=True)
class Traced:
    """The columns after the steps of a pipeline, by the user's, and what was not traced.

    ``is_whole`` tells whether they show all that some step reads: else a step could refuse a value,
    or say something of it, that no column depends on.
    """

    wires: Wires
    raw_names: tuple[str, ...]
    untraced: list[str]
    is_whole: bool


def traced(
    transformer: Any, raw_names: Sequence[str] | None, raw_count: int | None, count: int
) -> Traced:
    """Return the ``count`` columns that a fitted transformer makes."""
    columns = 0 if raw_count is None else raw_count
    known = tuple(raw_names) if raw_names is not None else tuple(f"x{i}" for i in range(columns))
    tracer = _Tracer(known)
    if raw_count is None:  # texts or dicts, not columns
        wires: Wires = [Mixed(frozenset())] * count
        tracer.untraced.append("the pipeline's first step takes no columns: its own are used")
    else:
        start = Block([Scaled(i, (), {}) for i in range(columns)])
        wires = tracer.through("", transformer, start, count).wires
    return Traced(wires, known, tracer.untraced, tracer.is_whole)


def trace(
    transformer: Any,
    raw_names: Sequence[str] | None,
    raw_count: int | None,
    names: Sequence[str],
    dtype: str,
    behind: Callable[[Wires, Sequence[str], Sequence[str]], Domain] | None = None,
) -> Domain:
    """Return the domain of a tree behind a fitted transformer, in the user's columns.

    ``names`` are those of the columns that the transformer makes, ``dtype`` is what the tree casts
    its rows to. ``behind`` finds the domain where there is a further step before the tree, of the
    columns, the user's names and what was not traced.
    """
    found = traced(transformer, raw_names, raw_count, len(names))
    if behind is not None:
        return behind(found.wires, found.raw_names, found.untraced)
    return domain_of(found.wires, found.raw_names, names, dtype, found.untraced)


@dataclass
class _Tracer:
    raw_names: tuple[str, ...]
    untraced: list[str] = field(default_factory=list)
    is_whole: bool = True

    def through(self, name: str, step: Any, block: Block, width: int | None) -> Block:
        """Return the columns after a step; ``width`` is how many they are, where that is known."""
        before = len(self.untraced)
        try:
            after = self._traced(name, step, block, width)
            if width in (None, len(after.wires)):
                return after
        except CannotTrace:
            pass
        del self.untraced[before:]
        sources = raws_of(block.wires)
        shown = f"{name!r} ({type(step).__name__})" if name else type(step).__name__
        behind = ", ".join(repr(self.raw_names[raw]) for raw in sorted(sources))
        self.untraced.append(
            f"the step {shown} cannot be traced back to {behind or 'any column'}: "
            f"the columns that it makes are used"
        )
        made = Mixed(sources, _called(step))
        return Block([made] * (_width_of(step, block) if width is None else width))

    def _traced(self, name: str, step: Any, block: Block, width: int | None) -> Block:
        if isinstance(step, Pipeline):
            return self._through_pipeline(name, step, block, width)
        if isinstance(step, ColumnTransformer):
            return self._through_columns(name, step, block)
        if isinstance(step, FeatureUnion):
            return self._through_union(name, step, block)
        after = carry_out(step, block)
        fewer = len(after.wires) < len(block.wires)
        self.is_whole &= not fewer and raws_of(after.wires) == raws_of(block.wires)
        return after

    def _through_pipeline(
        self, name: str, pipeline: Pipeline, block: Block, width: int | None
    ) -> Block:
        steps = [(n, s) for n, s in pipeline.steps if s is not None and s != "passthrough"]
        if not steps:
            return block
        following = [getattr(step, "n_features_in_", None) for _, step in steps[1:]]
        for (inner, step), after in zip(steps, [*following, width], strict=True):
            block = self.through(f"{name}__{inner}" if name else inner, step, block, after)
        return block

    def _through_columns(self, name: str, columns: ColumnTransformer, block: Block) -> Block:
        names_in = getattr(columns, "feature_names_in_", None)
        weights = columns.transformer_weights or {}
        places = columns.output_indices_
        wires: Wires = [Mixed(frozenset())] * max((s.stop for s in places.values()), default=0)
        dtypes: list[npt.DTypeLike] = []
        for inner, step, chosen in columns.transformers_:
            if isinstance(step, str) and step == "drop":
                continue
            at = _places(chosen, names_in, len(block.wires))
            where = places[inner]
            if not at or where.start == where.stop:
                self.is_whole &= not at
                continue
            part = Block([block.wires[i] for i in at], block.is_sparse, block.dtype)
            path = f"{name}__{inner}" if name else inner
            after = self.through(path, step, part, where.stop - where.start)
            wires[where] = weighted(after, weights.get(inner)).wires
            dtypes.append(after.dtype)
        return Block(wires, bool(columns.sparse_output_), _common(dtypes))

    def _through_union(self, name: str, union: FeatureUnion, block: Block) -> Block:
        weights = union.transformer_weights or {}
        blocks = []
        for inner, step in union.transformer_list:
            if not (isinstance(step, str) and step == "drop"):
                path = f"{name}__{inner}" if name else inner
                after = self.through(path, step, block, None)
                blocks.append(weighted(after, weights.get(inner)))
        wires = [wire for part in blocks for wire in part.wires]
        return Block(wires, any(b.is_sparse for b in blocks), _common([b.dtype for b in blocks]))


def _called(step: Any) -> str:
    """Return what a step is called in the names of the columns that it makes."""
    name = getattr(getattr(step, "func", None), "__name__", "")
    return f"{name}()" if name.isidentifier() else type(step).__name__


def _width_of(step: Any, block: Block) -> int:
    """Return how many columns a step gives, by the names that it has for them."""
    try:
        return len(step.get_feature_names_out())
    except (AttributeError, ValueError, NotFittedError):
        raise CannotTrace from None


def _common(dtypes: Sequence[npt.DTypeLike]) -> npt.DTypeLike:
    return np.result_type(*dtypes) if dtypes else np.float64


def _places(chosen: Any, names: Any, count: int) -> list[int]:
    """Return the columns that a ColumnTransformer chose, by their places.

    They may be names, places, a slice of either (of names: its end included) or a mask.
    """
    order = {name: i for i, name in enumerate([] if names is None else names)}
    if isinstance(chosen, slice):
        start, stop = chosen.start, chosen.stop
        if isinstance(start, str):
            start = order[start]
        if isinstance(stop, str):
            stop = order[stop] + 1
        return list(range(count))[slice(start, stop, chosen.step)]
    listed: list[Any] = [chosen] if np.isscalar(chosen) else list(chosen)
    if listed and all(isinstance(one, (bool, np.bool_)) for one in listed):
        return [i for i, taken in enumerate(listed) if taken]
    return [order[one] if isinstance(one, str) else range(count)[int(one)] for one in listed]

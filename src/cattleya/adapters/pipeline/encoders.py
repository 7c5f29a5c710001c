"""Encoders: which code, or which column, each category gets, and what any other value does."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
from sklearn.preprocessing import OrdinalEncoder

from cattleya.adapters.pipeline.wires import (
    MISSING,
    REFUSED,
    Block,
    Coded,
    Mixed,
    Scaled,
    Wire,
    key,
)

__all__ = ["one_hot", "ordinal", "target"]


def _encoder(
    columns_of: Callable[[Any, int], tuple[list[dict[Hashable, float]], list[Any]]],
) -> Callable[[Any, Block], Block]:
    """Return how an encoder is carried out.

    Given is, for one of its columns, what each category becomes in each of the columns that it
    makes, and what any other value does.
    """

    def carry(step: Any, block: Block) -> Block:
        made: list[Wire] = []
        for place, wire in enumerate(block.wires):
            tables, others = columns_of(step, place)
            for table, other in zip(tables, others, strict=True):
                made.append(_encoded(wire, table, other))
        is_sparse = bool(getattr(step, "sparse_output", False))
        return Block(made, is_sparse, np.dtype(getattr(step, "dtype", np.float64)))

    return carry


def _encoded(wire: Wire, table: dict[Hashable, float], other: Any) -> Wire:
    """Return a column after an encoder has given each of its values a code."""
    if isinstance(wire, Coded):
        became = {value: table.get(key(b), other) for value, b in wire.table.items()}
        rest = REFUSED if wire.other is REFUSED else table.get(key(wire.other), other)
        return Coded(wire.raw, became, rest)
    if isinstance(wire, Scaled) and not wire.steps:
        if not wire.instead:
            return Coded(wire.raw, table, other)
        became = table | {v: table.get(key(b), other) for v, b in wire.instead.items()}
        return Coded(wire.raw, became, other)
    return Mixed(frozenset((wire.raw,))) if isinstance(wire, Scaled) else wire


def _codes(step: Any, place: int) -> tuple[dict[Hashable, int], int | None]:
    """Return the code of each category, and the code of the rare ones where some are."""
    categories = [key(value) for value in step.categories_[place]]
    grouped = getattr(step, "infrequent_categories_", None)  # unknown where none are grouped
    rare = set() if grouped is None or grouped[place] is None else set(map(key, grouped[place]))
    if isinstance(step, OrdinalEncoder):
        categories = [value for value in categories if value is not MISSING]
    frequent = [value for value in categories if value not in rare]
    codes = {value: code for code, value in enumerate(frequent)}
    # In the order of the encoder: that of a set of texts differs from one process to the next.
    codes |= {value: len(frequent) for value in categories if value in rare}
    return codes, len(frequent) if rare else None


def _one_hot(step: Any, place: int) -> tuple[list[dict[Hashable, float]], list[Any]]:
    codes, rare = _codes(step, place)
    dropped = None if step.drop_idx_ is None else step.drop_idx_[place]
    if dropped is not None:
        dropped = codes[key(step.categories_[place][dropped])]
    kept = [code for code in range(len(set(codes.values()))) if code != dropped]
    tables = [{value: float(code == own) for value, code in codes.items()} for own in kept]
    if step.handle_unknown == "error":
        return tables, [REFUSED] * len(kept)
    as_rare = rare if step.handle_unknown in ("infrequent_if_exist", "warn") else None
    return tables, [float(own == as_rare) for own in kept]


def _ordinal(step: Any, place: int) -> tuple[list[dict[Hashable, float]], list[Any]]:
    def cast(code: Any) -> float:
        return float(np.asarray(code).astype(step.dtype))

    codes, _ = _codes(step, place)
    table = {value: cast(code) for value, code in codes.items()}
    if any(key(value) is MISSING for value in step.categories_[place]):
        table[MISSING] = cast(step.encoded_missing_value)
    return [table], [REFUSED if step.handle_unknown == "error" else cast(step.unknown_value)]


def _target(step: Any, place: int) -> tuple[list[dict[Hashable, float]], list[Any]]:
    categories = [key(value) for value in step.categories_[place]]
    width = len(step.classes_) if step.target_type_ == "multiclass" else 1
    own = step.encodings_[place * width : (place + 1) * width]
    tables = [dict(zip(categories, encoding.tolist(), strict=True)) for encoding in own]
    return tables, np.ravel(step.target_mean_).tolist()


one_hot = _encoder(_one_hot)
ordinal = _encoder(_ordinal)
target = _encoder(_target)

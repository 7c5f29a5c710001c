"""Small random ensembles over cells, and all their rows: what the native searches are held against.

Written from the definitions alone: an ensemble adds up the numbers of its leaves in its own
precision and order, and every row of cells is tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from cattleya._core import EnsembleCells
from cattleya.support.arrays import Int32s

__all__ = ["Box", "CellEnsemble", "box_of", "draw", "grow"]

MISSING = -1
CATEGORY = -1
Box = list[set[int]]  # the cells that are allowed of each attribute


@dataclass
class CellEnsemble:
    """The arguments of the native ensemble, and what follows from the definitions."""

    n_levels: list[int]
    n_cells: list[int]
    may_be_missing: list[int]
    tree_start: list[int] = field(default_factory=lambda: [0])
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    test: list[int] = field(default_factory=list)
    output: list[int] = field(default_factory=list)
    value: list[list[float]] = field(default_factory=list)
    attribute: list[int] = field(default_factory=list)
    level: list[int] = field(default_factory=list)
    missing_left: list[int] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    base: list[float] = field(default_factory=lambda: [0.0])
    single: bool = False
    divisor: float = 1.0
    factor: float = 1.0
    offset: list[float] = field(default_factory=lambda: [0.0])
    cut: list[float] = field(default_factory=list)

    def native(self) -> EnsembleCells:
        """Return the native ensemble."""
        return EnsembleCells(
            _ints(self.n_levels),
            _ints(self.n_cells),
            np.array(self.may_be_missing, dtype=np.uint8),
            _ints(self.tree_start),
            _ints(self.left),
            _ints(self.right),
            _ints(self.test),
            _ints(self.output),
            np.array(self.value, dtype=np.float64).ravel(),
            _ints(self.attribute),
            _ints(self.level),
            np.array(self.missing_left, dtype=np.uint8),
            np.array(self.words, dtype=np.uint64),
            np.array(self.base),
            self.single,
            self.divisor,
            self.factor,
            np.array(self.offset),
            np.array(self.cut, dtype=np.float64),
            np.zeros(0),
            True,
            "",
            1.0,
        )

    def cells_of(self, attribute: int) -> list[int]:
        """Return all cells of an attribute, that of a missing number first."""
        if self.n_levels[attribute] == CATEGORY:
            return list(range(self.n_cells[attribute]))
        missing = [MISSING] if self.may_be_missing[attribute] else []
        return [*missing, *range(self.n_levels[attribute] + 1)]

    def goes_left(self, test: int, cell: int) -> bool:
        """Tell where a test sends a cell."""
        if self.n_levels[self.attribute[test]] == CATEGORY:
            return bool(self.words[self.level[test] + cell // 64] >> (cell % 64) & 1)
        return bool(self.missing_left[test]) if cell == MISSING else cell <= self.level[test]

    def outcome(self, row: tuple[int, ...]) -> int:
        """Return the outcome of a row, added up as the ensemble does."""
        kind: Any = np.float32 if self.single else np.float64
        total = [kind(number) for number in self.base]
        leaf_of_node = np.cumsum(np.array(self.left) < 0) - 1
        for tree, node in enumerate(self.tree_start[:-1]):
            at = node
            while self.left[at] >= 0:
                goes = self.goes_left(self.test[at], row[self.attribute[self.test[at]]])
                at = self.left[at] if goes else self.right[at]
            values = self.value[leaf_of_node[at]]
            if self.output:
                total[self.output[tree]] += kind(values[0])
            else:
                for number, value in enumerate(values):
                    total[number] += kind(value)
        for number in range(len(total)):
            total[number] = total[number] / kind(self.divisor) * kind(self.factor)
            total[number] += kind(self.offset[number])
        if self.cut:
            return sum(float(total[0]) >= cut for cut in self.cut)
        return total.index(max(total))

    def rows(self, box: Box | None = None) -> Iterator[tuple[int, ...]]:
        """Give all rows of a box, or all there are."""
        count = range(len(self.n_levels))
        yield from product(*(self.cells_of(a) if box is None else sorted(box[a]) for a in count))

    def everything(self) -> Box:
        """Return the box of all rows."""
        return [set(self.cells_of(a)) for a in range(len(self.n_levels))]

    def arrays(self, box: Box) -> tuple[Int32s, Int32s, Any, Any]:
        """Return a box as the core takes it; the cells of a number must be next to each other."""
        low, high, missing, words = [], [], [], []
        for attribute, cells in enumerate(box):
            present = sorted(cells - {MISSING})
            category = self.n_levels[attribute] == CATEGORY
            low.append(present[0] if present and not category else 0)
            high.append(0 if category else present[-1] if present else -1)
            missing.append(int(MISSING in cells))
            if category:
                for start in range(0, self.n_cells[attribute], 64):
                    here = (1 << (cell - start) for cell in cells if start <= cell < start + 64)
                    words.append(sum(here))
        return (
            _ints(low),
            _ints(high),
            np.array(missing, dtype=np.uint8),
            np.array(words, dtype=np.uint64),
        )


def box_of(ensemble: CellEnsemble, low: Any, high: Any, missing: Any, words: Any) -> Box:
    """Return a box as the core gives it."""
    box, at = [], 0
    for attribute, count in enumerate(ensemble.n_cells):
        if ensemble.n_levels[attribute] == CATEGORY:
            box.append({c for c in range(count) if int(words[at + c // 64]) >> (c % 64) & 1})
            at += -(-count // 64)
        else:
            cells = set(range(int(low[attribute]), int(high[attribute]) + 1))
            box.append(cells | ({MISSING} if missing[attribute] else set()))
    return box


def draw(
    rng: np.random.Generator, *, most_attributes: int = 4, most_trees: int = 6
) -> CellEnsemble:
    """Draw an ensemble with numbers, some of which may be missing, and categories."""
    count = int(rng.integers(1, most_attributes + 1))
    category = rng.random(count) < 0.3
    gaps = rng.random(count) < rng.choice([0.0, 0.5])
    ensemble = CellEnsemble(
        [CATEGORY if c else int(rng.integers(0, 5)) for c in category],
        [int(rng.integers(1, 5)) if c else 0 for c in category],
        [int(g and not c) for g, c in zip(gaps, category, strict=True)],
    )
    outputs = int(rng.choice([1, 1, 2, 3]))
    ensemble.base = [_number(rng) for _ in range(outputs)]
    ensemble.single = bool(rng.random() < 0.4)
    ensemble.offset = [0.0] * outputs
    if rng.random() < 0.3:
        ensemble.divisor = float(rng.integers(1, 5))
        ensemble.factor = float(rng.choice([1.0, 0.3]))
        ensemble.offset = [_number(rng) for _ in range(outputs)]
    by_tree = outputs > 1 and rng.random() < 0.5
    kind = rng.choice(["exact", "rough", "mixed"])
    trees = int(rng.integers(1, most_trees + 1))
    for tree in range(trees):
        grow(rng, ensemble, int(rng.integers(0, 4)), 1 if by_tree else outputs, str(kind))
        ensemble.tree_start.append(len(ensemble.left))
        if by_tree:
            ensemble.output.append(int(rng.integers(outputs)) if tree else 0)
    if outputs == 1:
        cuts = sorted({_value(rng, str(kind)) for _ in range(int(rng.integers(1, 3)))})
        ensemble.cut = [*cuts]
    return ensemble


def grow(
    rng: np.random.Generator, ensemble: CellEnsemble, depth: int, width: int, kind: str = "exact"
) -> int:
    """Add the nodes of a tree of so many levels of tests; return its root."""
    node = len(ensemble.left)
    for column in (ensemble.left, ensemble.right, ensemble.test):
        column.append(-1)
    if depth == 0:
        ensemble.value.append([_value(rng, kind) for _ in range(width)])
        return node
    ensemble.test[node] = _draw_test(rng, ensemble)
    # In the order of the nodes: the leaves' values are.
    ensemble.left[node] = grow(rng, ensemble, depth - 1, width, kind)
    ensemble.right[node] = grow(rng, ensemble, int(rng.integers(0, depth)), width, kind)
    return node


def _draw_test(rng: np.random.Generator, ensemble: CellEnsemble) -> int:
    attribute = int(rng.integers(len(ensemble.n_levels)))
    ensemble.attribute.append(attribute)
    ensemble.missing_left.append(int(rng.random() < 0.5))
    if ensemble.n_levels[attribute] == CATEGORY:
        ensemble.level.append(len(ensemble.words))
        ensemble.words.append(int(rng.integers(1 << ensemble.n_cells[attribute])))
    else:
        ensemble.level.append(int(rng.integers(-1, ensemble.n_levels[attribute] + 1)))
    return len(ensemble.attribute) - 1


def _value(rng: np.random.Generator, kind: str) -> float:
    exact = kind == "exact" or (kind == "mixed" and rng.random() < 0.7)
    if exact:
        return float(rng.integers(-2, 3)) / 2
    return float(np.float32(rng.choice([0.1, 0.3, -0.1, 1 / 3, -0.2, rng.normal()])))


def _number(rng: np.random.Generator) -> float:
    return float(rng.choice([0.0, 0.0, 0.5, -0.1]))


def _ints(values: Any) -> Int32s:
    return np.array(values, dtype=np.int32)

"""The searches about ensembles, against all rows of thousands of small ones."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from cattleya._core import EnsembleRow
from tests.samples.cell_ensembles import (
    CATEGORY,
    MISSING,
    Box,
    CellEnsemble,
    box_of,
    draw,
    grow,
)

MEMORY = 1 << 30
NO, YES, OPEN = 0, 1, 2
ANY, DOWN, UP, GONE = 0, 1, 2, 3


def _drawn(seed: int) -> tuple[CellEnsemble, tuple[int, ...], EnsembleRow, dict[Any, int]]:
    rng = np.random.default_rng(seed)
    ensemble = draw(rng)
    outcomes = {row: ensemble.outcome(row) for row in ensemble.rows()}
    rows = list(outcomes)
    row = rows[rng.integers(len(rows))]
    native = ensemble.native()
    for one, outcome in outcomes.items():
        assert native.decide(np.array(one, dtype=np.int32)) == outcome
    return ensemble, row, EnsembleRow(native, np.array(row, dtype=np.int32)), outcomes


def _random_box(rng: np.random.Generator, ensemble: CellEnsemble) -> Box:
    box = []
    for attribute in range(len(ensemble.n_levels)):
        cells = ensemble.cells_of(attribute)
        if ensemble.n_levels[attribute] == CATEGORY:
            chosen = {c for c in cells if rng.random() < 0.6}
        else:
            present = [c for c in cells if c != MISSING]
            first, last = sorted(rng.integers(len(present), size=2).tolist())
            chosen = set(present[first : last + 1]) if rng.random() < 0.9 else set()
            if MISSING in cells and rng.random() < 0.5:
                chosen.add(MISSING)
        box.append(chosen or set(cells))
    return box


@pytest.mark.parametrize("start", range(0, 1200, 150))
def test_a_row_of_another_outcome_is_found_exactly_where_there_is_one(start: int) -> None:
    for seed in range(start, start + 150):
        ensemble, row, asked, outcomes = _drawn(seed)
        rng = np.random.default_rng(seed)
        own = outcomes[row]
        assert asked.outcome == own
        for _ in range(4):
            box = _random_box(rng, ensemble)
            others = {r for r in ensemble.rows(box) if outcomes[r] != own}
            answer, cells = asked.other_outcome(*ensemble.arrays(box), 60.0, MEMORY)
            assert answer == (YES if others else NO), seed
            assert not others or tuple(cells.tolist()) in others, seed


def _facts(ensemble: CellEnsemble, row: tuple[int, ...], box: Box, sides: bool) -> list[Box]:
    """Return the box without each of the facts that it is made of."""
    freed = []
    for attribute, cells in enumerate(box):
        everything = set(ensemble.cells_of(attribute))
        if cells == everything:
            continue
        number = ensemble.n_levels[attribute] != CATEGORY
        if not sides or not number or row[attribute] == MISSING:
            freed.append([*box[:attribute], everything, *box[attribute + 1 :]])
            continue
        low, high, last = min(cells), max(cells), ensemble.n_levels[attribute]
        for kept in [set(range(low, last + 1))] * (high < last) + [set(range(high + 1))] * (
            low > 0
        ):
            other = everything if kept == set(range(last + 1)) else kept
            freed.append([*box[:attribute], other, *box[attribute + 1 :]])
    return freed


def _forces(ensemble: CellEnsemble, box: Box, own: int, outcomes: dict[Any, int]) -> bool:
    return all(outcomes[r] == own for r in ensemble.rows(box))


@pytest.mark.parametrize("start", range(0, 1200, 150))
def test_reasons_force_the_outcome_and_nothing_in_them_can_go(start: int) -> None:
    for seed in range(start, start + 150):
        ensemble, row, asked, outcomes = _drawn(seed)
        rng, own = np.random.default_rng(seed), outcomes[row]
        freed = np.zeros(len(row), dtype=np.uint8)
        if rng.random() < 0.3:
            freed[rng.integers(len(row))] = 1
        sides = bool(rng.random() < 0.5)
        start_box = [set(ensemble.cells_of(a)) if freed[a] else {row[a]} for a in range(len(row))]
        can = _forces(ensemble, start_box, own, outcomes)
        forces, *arrays, _ = asked.quick_reason(freed, sides, 60.0, MEMORY)
        quick = box_of(ensemble, *arrays)
        if forces:
            assert row in set(ensemble.rows(quick))
            assert _forces(ensemble, quick, own, outcomes), seed
        forces, low, high, missing, words, open_ = asked.sufficient_reason(
            freed, sides, 60.0, MEMORY
        )
        assert forces == can
        assert not open_.any()
        if forces:
            box = box_of(ensemble, low, high, missing, words)
            assert row in set(ensemble.rows(box))
            assert _forces(ensemble, box, own, outcomes), seed
            for wider in _facts(ensemble, row, box, sides):
                assert not _forces(ensemble, wider, own, outcomes), seed
            _, *arrays, _ = asked.wider(low, high, missing, words, 1 << 40, 60.0, MEMORY)
            wide = box_of(ensemble, *arrays)
            assert _forces(ensemble, wide, own, outcomes), seed
            assert all(one <= other for one, other in zip(box, wide, strict=True))


@pytest.mark.parametrize("seed", range(4))
def test_leaves_of_least_weight_count_as_one_without_another_answer(seed: int) -> None:
    """Votes of 0 and 1 in trees of many leaves: searches that take smaller tables of few leaves."""
    rng = np.random.default_rng(seed)
    ensemble = CellEnsemble([11, 11, 11], [0, 0, 0], [0, 0, 0], base=[0.0, 0.0], offset=[0.0, 0.0])
    for _ in range(61):
        grow(rng, ensemble, 9, 2)
        ensemble.tree_start.append(len(ensemble.left))
    votes = (rng.random(len(ensemble.value)) < 0.3).astype(float)
    ensemble.value = [[1 - vote, vote] for vote in votes.tolist()]
    outcomes = {row: ensemble.outcome(row) for row in ensemble.rows()}
    rows = [r for r, outcome in outcomes.items() if outcome == 0]
    row = rows[rng.integers(len(rows))]
    asked = EnsembleRow(ensemble.native(), np.array(row, dtype=np.int32))
    forces, low, high, missing, words, open_ = asked.sufficient_reason(
        np.zeros(3, dtype=np.uint8), True, 60.0, MEMORY
    )
    assert forces
    assert not open_.any()
    box = box_of(ensemble, low, high, missing, words)
    assert _forces(ensemble, box, 0, outcomes)
    for wider in _facts(ensemble, row, box, True):
        assert not _forces(ensemble, wider, 0, outcomes)
    for _ in range(20):
        box = _random_box(rng, ensemble)
        answer, _ = asked.other_outcome(*ensemble.arrays(box), 60.0, MEMORY)
        assert answer == (NO if _forces(ensemble, box, 0, outcomes) else YES)


def _costs(
    rng: np.random.Generator, ensemble: CellEnsemble, row: tuple[int, ...], kind: str
) -> list[dict[int, tuple[float, float]]]:
    """Draw what each cell costs: nothing where the row is, and no less further away."""
    costs = []
    for attribute, own in enumerate(row):
        unit = float(rng.choice([0.5, 1.0, 0.3]))
        cells: dict[int, tuple[float, float]] = {}
        for cell in ensemble.cells_of(attribute):
            category = ensemble.n_levels[attribute] == CATEGORY
            far = 1.0 if category or MISSING in (cell, own) else abs(cell - own)
            cells[cell] = (far, 0.0) if kind == "atoms" else (1.0, far * unit)
            if kind == "total":
                cells[cell] = (0.0, far * unit)
            if cell == own:
                cells[cell] = (0.0, 0.0)
            elif rng.random() < 0.1:
                cells[cell] = (np.inf, np.inf)
        costs.append(cells)
    return costs


def _nearest(
    ensemble: CellEnsemble,
    asked: EnsembleRow,
    costs: list[dict[int, tuple[float, float]]],
    blocked: list[list[tuple[int, int, int]]],
    toward: int,
) -> tuple[int, tuple[int, ...], tuple[float, float]]:
    first, changes, total = [0], [], []
    for attribute, cells in enumerate(costs):
        present = [c for c in ensemble.cells_of(attribute) if c != MISSING]
        for cell in [*present, MISSING]:
            one, other = cells.get(cell, (np.inf, np.inf))
            changes.append(one)
            total.append(other)
        first.append(len(changes))
    answer, cells_, one, other = asked.nearest(
        *ensemble.arrays(ensemble.everything()),
        np.array(first, dtype=np.int64),
        np.array(changes),
        np.array(total),
        np.cumsum([0, *map(len, blocked)]).astype(np.int64),
        np.array([part for change in blocked for item in change for part in item], dtype=np.int32),
        toward,
        60.0,
        MEMORY,
    )
    return answer, tuple(cells_.tolist()), (one, other)


def _is_made(change: tuple[int, int, int], row: tuple[int, ...], other: tuple[int, ...]) -> bool:
    attribute, kind, at = change
    cell = other[attribute]
    if kind == ANY:
        return cell != row[attribute]
    if kind == GONE or cell == MISSING:
        return cell == MISSING
    return cell <= at if kind == DOWN else cell >= at


@pytest.mark.parametrize("start", range(0, 1200, 150))
def test_the_cheapest_row_of_another_outcome_is_found(start: int) -> None:
    for seed in range(start, start + 150):
        ensemble, row, asked, outcomes = _drawn(seed)
        rng, own = np.random.default_rng(seed), outcomes[row]
        kind = str(rng.choice(["atoms", "counted", "total"]))
        costs = _costs(rng, ensemble, row, kind)
        toward = -1
        if rng.random() < 0.3 and len(set(outcomes.values())) > 1:
            toward = int(rng.choice(sorted(set(outcomes.values()) - {own})))
        blocked: list[list[tuple[int, int, int]]] = []
        for _ in range(4):
            wanted = [
                r
                for r in outcomes
                if (outcomes[r] != own if toward < 0 else outcomes[r] == toward)
                and not any(all(_is_made(c, row, r) for c in one) for one in blocked)
            ]
            by_cost = {
                r: tuple(np.sum([costs[a][c] for a, c in enumerate(r)], axis=0)) for r in wanted
            }
            finite = {r: c for r, c in by_cost.items() if np.isfinite(c[0])}
            answer, found, cost = _nearest(ensemble, asked, costs, blocked, toward)
            assert answer == (YES if finite else NO), seed
            if not finite:
                break
            least = min(finite.values())
            assert found in finite, seed
            assert cost == pytest.approx(least), seed
            assert finite[found] == pytest.approx(least), seed
            blocked.append(_change(ensemble, row, found, kind))


def _change(
    ensemble: CellEnsemble, row: tuple[int, ...], found: tuple[int, ...], kind: str
) -> list[tuple[int, int, int]]:
    change = []
    for attribute, (own, cell) in enumerate(zip(row, found, strict=True)):
        if own == cell:
            continue
        number = ensemble.n_levels[attribute] != CATEGORY and own != MISSING
        if kind != "atoms" or not number:
            change.append((attribute, ANY, 0))
        elif cell == MISSING:
            change.append((attribute, GONE, 0))
        else:
            change.append((attribute, DOWN if cell < own else UP, cell))
    return change


@pytest.mark.parametrize("count", [1, 2])
def test_boxes_that_are_none_are_refused(count: int) -> None:
    rng = np.random.default_rng(count)
    ensemble = draw(rng)
    row = next(iter(ensemble.rows()))
    asked = EnsembleRow(ensemble.native(), np.array(row, dtype=np.int32))
    low, high, missing, words = ensemble.arrays(ensemble.everything())
    for bad in combinations([low + 99, high + 99], count):
        with pytest.raises(ValueError, match=r"the box allows|a box has"):
            asked.other_outcome(
                bad[0][:1] if count > 1 else bad[0], high, missing, words, 1.0, MEMORY
            )

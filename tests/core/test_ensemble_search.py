"""The searches about ensembles, against all rows of thousands of small ones."""

from __future__ import annotations

from fractions import Fraction
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


def _numbered(
    ensemble: CellEnsemble, row: tuple[int, ...]
) -> list[list[tuple[int, frozenset[int]]]]:
    """Return by attribute its facts over intervals, from left to right: the cells that each leaves.

    Each with the mark of the side that it is; before them the one beside these.
    """
    facts = []
    for attribute, own in enumerate(row):
        cells = ensemble.cells_of(attribute)
        whole = ensemble.n_levels[attribute] == CATEGORY or own == MISSING
        if whole:
            facts.append([(1, frozenset([own]))])
            continue
        last = ensemble.n_levels[attribute]
        present = [(1, frozenset(range(last + 1)))] if MISSING in cells else []
        low = [(2, frozenset(range(level + 1, last + 1))) for level in range(last) if own > level]
        high = [(4, frozenset(range(level + 1))) for level in range(last) if own <= level]
        facts.append([*present, *low, *high])
    return facts


def _with_facts(ensemble: CellEnsemble, row: tuple[int, ...]) -> EnsembleRow:
    facts = _numbered(ensemble, row)
    first = np.cumsum([0, *map(len, facts)])[:-1].astype(np.int32)
    single = np.array([bool(one) and one[0][0] == 1 for one in facts])
    return EnsembleRow(ensemble.native(), np.array(row, dtype=np.int32), first, single)


def _left_by(ensemble: CellEnsemble, row: tuple[int, ...], facts: Any, sides: bool) -> Box:
    """Return the box that facts leave, from what each of them says."""
    box = ensemble.everything()
    if not sides:
        for attribute in facts.tolist():
            box[attribute] = {row[attribute]}
        return box
    every = [(a, left) for a, own in enumerate(_numbered(ensemble, row)) for _, left in own]
    for fact in facts.tolist():
        attribute, left = every[fact]
        box[attribute] &= left
    return box


@pytest.mark.parametrize("start", range(0, 600, 150))
def test_facts_are_the_fewest_that_leave_a_box(start: int) -> None:
    for seed in range(start, start + 150):
        ensemble, row, plain, _ = _drawn(seed)
        rng = np.random.default_rng(seed)
        box = []
        for attribute, facts in enumerate(_numbered(ensemble, row)):
            chosen = [left for _, left in facts if rng.random() < 0.3]
            box.append(set(ensemble.cells_of(attribute)).intersection(*chosen))
        marks = rng.choice([0, 1, 2, 4, 6], size=len(row)).astype(np.uint8)
        found, open_ = _with_facts(ensemble, row).facts(*ensemble.arrays(box), marks)
        assert _left_by(ensemble, row, found, sides=True) == box, seed
        for left_out in range(len(found)):
            fewer = np.delete(found, left_out)
            assert _left_by(ensemble, row, fewer, sides=True) != box, seed
        every = [(a, bit) for a, own in enumerate(_numbered(ensemble, row)) for bit, _ in own]
        known = [(fact, *every[fact]) for fact in found.tolist()]
        assert open_.tolist() == [fact for fact, a, bit in known if marks[a] & (bit | 1)], seed
        whole = [{row[a]} if rng.random() < 0.5 else cells for a, cells in enumerate(box)]
        tight = [a for a, cells in enumerate(whole) if cells != set(ensemble.cells_of(a))]
        assert plain.facts(*ensemble.arrays(whole))[0].tolist() == tight, seed


@pytest.mark.parametrize("start", range(0, 600, 150))
def test_the_facts_of_the_ways_are_those_of_the_tests_on_them(start: int) -> None:
    for seed in range(start, start + 150):
        ensemble, row, _, _ = _drawn(seed)
        box = ensemble.everything()
        for root in ensemble.tree_start[:-1]:
            at = root
            while ensemble.left[at] >= 0:
                test = ensemble.test[at]
                a = ensemble.attribute[test]
                left = {c for c in ensemble.cells_of(a) if ensemble.goes_left(test, c)}
                goes = row[a] in left
                side = left if goes else set(ensemble.cells_of(a)) - left
                if side != set(ensemble.cells_of(a)):
                    one = row[a] == MISSING or ensemble.n_levels[a] == CATEGORY
                    box[a] &= {row[a]} if one else side - {MISSING}
                at = ensemble.left[at] if goes else ensemble.right[at]
        found = _with_facts(ensemble, row).path_facts()
        assert _left_by(ensemble, row, found, sides=True) == box, seed


def _forces(ensemble: CellEnsemble, box: Box, own: int, outcomes: dict[Any, int]) -> bool:
    return all(outcomes[r] == own for r in ensemble.rows(box))


def _gains(ensemble: CellEnsemble, own: int) -> list[tuple[int, int, float]]:
    """Return the rivals' margins: the outputs for and against, and what has to be reached."""
    shift = [
        Fraction(base) + Fraction(offset) / Fraction(ensemble.factor) * Fraction(ensemble.divisor)
        for base, offset in zip(ensemble.base, ensemble.offset, strict=True)
    ]
    if not ensemble.cut:
        others = (k for k in range(len(shift)) if k != own)
        return [(k, own, float(shift[own] - shift[k])) for k in others]
    cuts = [Fraction(c) / Fraction(ensemble.factor) * Fraction(ensemble.divisor)
            for c in ensemble.cut]  # fmt: skip  # as it reads
    up = [(0, -1, float(cuts[own] - shift[0]))] if own < len(cuts) else []
    return up + ([(-1, 0, float(shift[0] - cuts[own - 1]))] if own > 0 else [])


def _may_fail(ensemble: CellEnsemble, box: Box, own: int) -> bool:
    """Tell whether the quick bound fails, by its definition: all trees at their worst leaves."""
    leaf_of_node = np.cumsum(np.array(ensemble.left) < 0) - 1
    for up, down, need in _gains(ensemble, own):
        total = 0.0
        for tree, root in enumerate(ensemble.tree_start[:-1]):
            reached, best = [root], -np.inf
            while reached:
                at = reached.pop()
                if ensemble.left[at] < 0:
                    values = ensemble.value[leaf_of_node[at]]
                    added = dict(enumerate(values))
                    if ensemble.output:
                        added = {ensemble.output[tree]: values[0]}
                    best = max(best, added.get(up, 0.0) - added.get(down, 0.0))
                    continue
                test = ensemble.test[at]
                ways = {ensemble.goes_left(test, c) for c in box[ensemble.attribute[test]]}
                reached += [ensemble.left[at]] * (True in ways)
                reached += [ensemble.right[at]] * (False in ways)
            total += best
        if total >= need - 1e-5:  # sums of 32 bits have room for their rounding
            return True
    return False


@pytest.mark.parametrize("start", range(0, 1200, 150))
def test_no_fact_of_a_quick_reason_can_go_without_the_bound_failing(start: int) -> None:
    freed = [np.zeros(count, dtype=np.uint8) for count in range(5)]
    for seed in range(start, start + 150):
        ensemble, row, plain, outcomes = _drawn(seed)
        for sides in (False, True):
            asked = _with_facts(ensemble, row) if sides else plain
            facts = asked.quick_reason(freed[len(row)], 60.0, MEMORY)
            own = outcomes[row]
            if facts is None:
                assert _may_fail(ensemble, [{cell} for cell in row], own), seed
                continue
            box = _left_by(ensemble, row, facts, sides)
            for wider in _facts(ensemble, row, box, sides):
                assert _may_fail(ensemble, wider, own), seed
            for attribute, cells in enumerate(box if sides else []):  # nor can a side be wider
                last = ensemble.n_levels[attribute]
                if last == CATEGORY or row[attribute] == MISSING:
                    continue
                low, high = min(cells - {MISSING}), max(cells - {MISSING})
                for one in [low - 1] * (low > 1) + [high + 1] * (high + 1 < last):
                    wider = [*box[:attribute], cells | {one}, *box[attribute + 1 :]]
                    assert _may_fail(ensemble, wider, own), seed


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
        facts = (_with_facts(ensemble, row) if sides else asked).quick_reason(freed, 60.0, MEMORY)
        if facts is not None:
            quick = _left_by(ensemble, row, facts, sides)
            assert all(not freed[a] or quick[a] == start_box[a] for a in range(len(row)))
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
        _check_cheapest(ensemble, row, asked, outcomes, costs, kind, toward)


def _check_cheapest(
    ensemble: CellEnsemble,
    row: tuple[int, ...],
    asked: EnsembleRow,
    outcomes: dict[Any, int],
    costs: list[dict[int, tuple[float, float]]],
    kind: str,
    toward: int,
) -> float:
    """Hold the cheapest row, and those after it, against all rows; return the most changes."""
    blocked: list[list[tuple[int, int, int]]] = []
    most = 0.0
    for _ in range(4):
        by_cost = {
            other: tuple(np.sum([costs[a][c] for a, c in enumerate(other)], axis=0))
            for other, outcome in outcomes.items()
            if (outcome != outcomes[row] if toward < 0 else outcome == toward)
            and not any(all(_is_made(c, row, other) for c in one) for one in blocked)
        }
        finite = {r: c for r, c in by_cost.items() if np.isfinite(c[0])}
        answer, found, cost = _nearest(ensemble, asked, costs, blocked, toward)
        assert answer == (YES if finite else NO)
        if not finite:
            break
        assert cost == pytest.approx(min(finite.values()))
        assert finite[found] == pytest.approx(cost)
        most = max(most, cost[0])
        blocked.append(_change(ensemble, row, found, kind))
    return most


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_the_cheapest_row_of_an_outcome_where_each_has_trees_of_its_own(start: int) -> None:
    """What only other outcomes' trees ask about may have to change, too, for one to be largest."""
    for seed in range(start, start + 100):
        rng = np.random.default_rng([seed, 2])
        outputs = int(rng.integers(3, 5))
        ensemble = CellEnsemble([2, 2, 1, 1], [0] * 4, rng.integers(0, 2, 4).tolist())
        ensemble.base = ensemble.offset = [0.0] * outputs
        for tree in range(outputs + int(rng.integers(0, 3))):
            grow(rng, ensemble, int(rng.integers(1, 3)), 1)
            ensemble.tree_start.append(len(ensemble.left))
            ensemble.output.append(tree % outputs)
        outcomes = {row: ensemble.outcome(row) for row in ensemble.rows()}
        row = list(outcomes)[rng.integers(len(outcomes))]
        asked = EnsembleRow(ensemble.native(), np.array(row, dtype=np.int32))
        for kind in ("atoms", "counted", "total"):
            costs = _costs(rng, ensemble, row, kind)
            for toward in {*outcomes.values()} - {outcomes[row]}:
                _check_cheapest(ensemble, row, asked, outcomes, costs, kind, toward)


@pytest.mark.parametrize("start", range(0, 800, 200))
def test_rows_whose_sums_are_equal_but_for_rounding(start: int) -> None:
    """Trees that add the same to all rows of a box, but for the last bit, decide there, too."""
    for seed in range(start, start + 200):
        rng = np.random.default_rng([seed, 3])
        outputs, count = int(rng.integers(2, 4)), int(rng.integers(3, 6))
        ensemble = CellEnsemble([1] * count, [0] * count, [0] * count)
        ensemble.base = ensemble.offset = [0.0] * outputs
        for attribute in range(count):
            node = len(ensemble.left)
            ensemble.left += [node + 1, -1, -1]
            ensemble.right += [node + 2, -1, -1]
            ensemble.test += [attribute, -1, -1]
            ensemble.attribute.append(attribute)
            ensemble.level.append(0)
            ensemble.missing_left.append(1)
            numbers = [-0.2, -0.1, 0.1, 0.2, 0.3 - 0.1, 0.3, 0.6, 0.7]
            ensemble.value += rng.choice(numbers, (2, outputs)).tolist()
            ensemble.tree_start.append(len(ensemble.left))
        outcomes = {row: ensemble.outcome(row) for row in ensemble.rows()}
        for row in list(outcomes)[:: 1 + len(outcomes) // 8]:
            asked = EnsembleRow(ensemble.native(), np.array(row, dtype=np.int32))
            costs = _costs(rng, ensemble, row, "counted")
            for toward in {-1, *outcomes.values()} - {outcomes[row]}:
                _check_cheapest(ensemble, row, asked, outcomes, costs, "counted", toward)
            for _ in range(4):
                box = _random_box(rng, ensemble)
                answer, _ = asked.other_outcome(*ensemble.arrays(box), 60.0, MEMORY)
                known = {outcomes[one] for one in ensemble.rows(box)}
                assert answer == (NO if known <= {outcomes[row]} else YES), seed


@pytest.mark.parametrize("start", range(0, 120, 30))
def test_several_attributes_change_where_fewer_do_not_suffice(start: int) -> None:
    """Of rows whose nearest is far, the cheapest, and then those that change other attributes."""
    most = 0.0
    for seed in range(start, start + 30):
        rng = np.random.default_rng([seed, 1])
        ensemble = draw(rng, most_attributes=7, most_trees=16)
        if np.prod([len(ensemble.cells_of(a)) for a in range(len(ensemble.n_levels))]) > 800:
            continue
        outcomes = {row: ensemble.outcome(row) for row in ensemble.rows()}
        rows, of = np.array(list(outcomes)), np.array(list(outcomes.values()))
        if len(set(of.tolist())) == 1:
            continue
        far = [
            (rows[of != own] != row).sum(axis=1).min() for row, own in zip(rows, of, strict=True)
        ]
        row = tuple(rows[int(np.argmax(far))].tolist())
        asked = EnsembleRow(ensemble.native(), np.array(row, dtype=np.int32))
        costs = _costs(rng, ensemble, row, "counted")
        for toward in {-1, int(rng.choice(of[of != outcomes[row]]))}:
            found = _check_cheapest(ensemble, row, asked, outcomes, costs, "counted", toward)
            most = max(most, found)
    assert most >= 3


@pytest.mark.parametrize("needed", range(1, 10))
def test_as_many_attributes_change_as_must(needed: int) -> None:
    """Of eight attributes that each have one vote, the cheapest; nine cannot change."""
    count = 8
    votes = CellEnsemble([1] * count, [0] * count, [0] * count)
    for attribute in range(count):
        votes.left += [3 * attribute + 1, -1, -1]
        votes.right += [3 * attribute + 2, -1, -1]
        votes.test += [attribute, -1, -1]
        votes.value += [[0.0], [1.0]]
        votes.tree_start.append(3 * attribute + 3)
    votes.attribute, votes.level, votes.missing_left = list(range(count)), [0] * count, [0] * count
    votes.cut = [float(needed)]
    asked = EnsembleRow(votes.native(), np.zeros(count, dtype=np.int32))
    price = [0.5, 0.25, 1.0, 0.25, 2.0, 0.125, 1.0, 0.75]
    costs = [{0: (0.0, 0.0), 1: (1.0, p)} for p in price]
    answer, found, cost = _nearest(votes, asked, costs, [], -1)
    assert answer == (YES if needed <= count else NO)
    if needed <= count:
        assert sum(found) == needed
        assert cost == (needed, sum(sorted(price)[:needed]))


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

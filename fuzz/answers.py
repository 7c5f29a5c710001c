"""The answers that are shown to a person, with theirs from brute force over all rows.

The widest reason, with a table and without one; where changes lead; which features matter; how far
a reason reaches; and what is printed, pasted back.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

import cattleya
from fuzz.questions import Asked, Question
from fuzz.what_if import allowed_by
from tests.oracles.definitions import Truths
from tests.oracles.rows import check_change

__all__ = ["ANSWERS"]

MOST_BOXES = 3000  # that are all looked at
Width = tuple[int, Fraction]  # the rows of a table, then the share of the cells


def widest(a: Asked) -> None:
    """The fewest features, and of these the widest box, by rows of a table or by cells."""
    table = _table(a) if a.rng.random() < 0.5 else None
    reason = a.e.reason(among=table)
    places = np.array([[a.truth.place_of(f, v) for f, v in enumerate(row)] for row in table or ()])
    allowed = allowed_by(a, reason)
    assert all(marks[own] for marks, own in zip(allowed, a.truth.own, strict=True))
    assert not (_inside(a, allowed) & a.truth.others).any(), "it does not force the class"
    fewest = {n.bit_count() for n in a.truth.features.reasons.least}
    assert {len(reason)} == fewest
    proof = reason.widest
    assert proof is not None
    own = _width(a, allowed, places)
    assert proof.rows == (own[0] if table else None)
    boxes = [list(_boxes(a, number)) for number in a.truth.features.reasons.least]
    if proof.proved and sum(map(len, boxes)) <= MOST_BOXES:
        forced = (
            one for each in boxes for one in each if not (_inside(a, one) & a.truth.others).any()
        )
        assert own == max(_width(a, one, places) for one in forced)
    if table:
        reach = a.e.reach(reason, table)
        gets = [a.truth.drawn.walk(row)[0] == a.truth.row_class for row in table]
        assert (reach.covered, reach.rows, reach.decisions) == (own[0], len(table), sum(gets))


def _table(a: Asked) -> list[list[float]]:
    """Draw some rows: ends of cells, without missing values."""
    present = [[cell for cell in known if not math.isnan(cell[0])] for known in a.truth.cells]
    return [
        [a.rng.choice(a.rng.choice(known)) for known in present]
        for _ in range(a.rng.randint(1, 12))
    ]


def _inside(a: Asked, allowed: list[list[bool]]) -> Truths:
    """Return which of all rows a box has."""
    having = [a.truth.rows.having(feature, marks) for feature, marks in enumerate(allowed)]
    found: Truths = np.logical_and.reduce(having)
    return found


def _width(a: Asked, allowed: list[list[bool]], places: np.ndarray) -> Width:
    """Return how wide a box is: the rows of a table in it, and the share of the cells."""
    rows = sum(all(marks[p] for marks, p in zip(allowed, row, strict=True)) for row in places)
    return rows, math.prod((Fraction(sum(m), len(m)) for m in allowed), start=Fraction(1))


def _boxes(a: Asked, features: int) -> Iterator[list[list[bool]]]:
    """Give all boxes about some features that have the row in them."""
    sides = []
    for feature, own in enumerate(a.truth.own):
        n = len(a.truth.cells[feature])
        if not features >> feature & 1:
            sides.append([[True] * n])
            continue
        top = n - 1 if a.truth.drawn.takes_missing else n
        spans = [(low, up) for low in range(top) for up in range(low + 1, top + 1)]
        gaps = [()] if top == n else [(False,), (True,)]
        every = [
            [low <= place < up for place in range(top)] + list(gap)
            for low, up in [*spans, (0, 0)]
            for gap in gaps
        ]
        sides.append([marks for marks in every if marks[own]])
    yield from map(list, product(*sides))


def feature_shares(a: Asked) -> None:
    """The share of the reasons that mention a feature, highest first."""
    found = a.e.feature_importance()
    names = a.explainer.tree.feature_names
    mentions = dict.fromkeys(range(len(names)), 0)
    for condition, place in a.place.items():
        mentions[condition.index] |= 1 << place
    sets = a.reasons.sets
    assert found == {
        names[feature]: Fraction(sum(bool(one & atoms) for one in sets), len(sets))
        for feature, atoms in mentions.items()
    }
    assert list(found.values()) == sorted(found.values(), reverse=True)


def destinations(a: Asked) -> None:
    """Where each minimal change leads: every class that some values do it for, and only those."""
    changes = a.e.changes()
    assert a.numbers(change.contrast for change in changes) == a.contrasts.sets
    toward = a.rng.choice(changes[0].outcomes or (None,)) if changes else None
    lows = [np.array([low for low, _ in cells]) for cells in a.truth.cells]
    matrix = np.column_stack([low[p] for low, p in zip(lows, a.truth.rows.places.T, strict=True)])

    def classify(rows: np.ndarray) -> np.ndarray:
        return np.array([a.outcome(a.truth.drawn.walk(row)[0]) for row in rows.tolist()])

    for change in changes[:5]:
        check_change(change, matrix, matrix[a.truth.own_row], classify)
    for change in () if toward is None else a.e.changes(toward=toward)[:5]:
        check_change(change, matrix, matrix[a.truth.own_row], classify, toward)


def paste_back(a: Asked) -> None:
    """What is printed is read as what it says, and proved again."""
    texts = {str(condition) for condition in a.place}
    if len(texts) < a.n:
        return  # two conditions print alike: neighbours on the grid of 32 bits
    for reason in (a.e.sufficient_reason(), a.e.minimal_reason(), a.e.reason()):
        if not reason:
            continue
        verdict = a.e.verify(str(reason))
        if isinstance(reason, cattleya.General) and a.explainer.over == "conditions":
            # Each test is a variable of its own there: assignments that no row has may refute it.
            assert verdict.sufficient or verdict.in_rows
        else:
            assert verdict, f"{reason}: {verdict}"


ANSWERS: tuple[Question, ...] = (widest, feature_shares, destinations, paste_back)

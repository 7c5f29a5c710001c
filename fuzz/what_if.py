"""The questions about other rows, and about the tree itself, with their answers by brute force."""

from __future__ import annotations

import math
import pickle

import numpy as np

import cattleya
from fuzz.questions import Asked, Question

__all__ = ["WHAT_IF", "allowed_by"]

METRICS = ("l0", "l1", "l2")
CLOSE = 1e-9


def nearest(a: Asked) -> None:
    """The nearest rows of another class: how near, and that they are what they are said to be."""
    drawn, row_class = a.truth.drawn, a.truth.row_class
    metric = a.rng.choice(METRICS)
    fixed = [f for f in range(drawn.n_features) if a.rng.random() < 0.15]
    label = a.rng.choice([None, *a.used])
    if label == row_class:
        label = None
    costs = [_costs(a, feature, feature in fixed) for feature in range(drawn.n_features)]
    best = a.truth.rows.nearest(a.truth.own, costs, metric, label)
    try:
        toward = None if label is None else a.outcome(label)
        found = a.e.counterfactuals(n=3, toward=toward, immutable=fixed, metric=metric)
    except cattleya.NoSuchCounterfactual:
        assert not best, "there is a counterfactual"
        return
    assert len(found) == min(3, len(best))
    for one, expected in zip(found, best, strict=False):
        row = one.row.tolist()
        reached = drawn.walk(row)[0]
        assert one.prediction == a.predicted(row)
        assert a.used[a.e.class_labels.index(one.outcome)] == reached != row_class
        assert label in (None, reached)
        changed = [f for f, (x, y) in enumerate(zip(drawn.row, row, strict=True)) if _differ(x, y)]
        assert len(changed) == len(one.changes)
        assert not set(changed) & set(fixed)
        if metric == "l0":
            assert len(changed) == one.distance == expected[0]
        else:
            assert math.isclose(one.distance, expected[0], rel_tol=CLOSE)


def _costs(a: Asked, feature: int, fixed: bool) -> list[float]:
    """Return what it costs a feature to become each of its values; NaN where it may not."""
    own, known = a.truth.drawn.row[feature], a.truth.cells[feature]
    found: list[float] = []
    for place, (low, high) in enumerate(known):
        if place == a.truth.own[feature]:
            found.append(0.0)
        elif fixed or math.isnan(low):  # what is there does not become missing
            found.append(math.nan)
        elif math.isnan(own):
            found.append(1.0)
        else:
            found.append(low - own if own < low else own - high)  # infinite where too large
    return found


def _differ(one: float, other: float) -> bool:
    return one != other and not (math.isnan(one) and math.isnan(other))


def fair(a: Asked) -> None:
    """Whether the class can change when only some features do."""
    drawn = a.truth.drawn
    protected = [f for f in range(drawn.n_features) if a.rng.random() < 0.5] or [0]
    sharing = a.truth.having_own(f for f in range(drawn.n_features) if f not in protected)
    verdict = a.e.is_fair(protected)
    assert bool(verdict) == (not (sharing & a.truth.others).any())
    if not verdict:
        row = verdict.witness.tolist()
        reached = drawn.walk(row)[0]
        assert verdict.prediction == a.predicted(row)
        assert a.used[a.e.class_labels.index(verdict.outcome)] == reached != a.truth.row_class
        changed = {f for f, (x, y) in enumerate(zip(drawn.row, row, strict=True)) if _differ(x, y)}
        assert changed <= set(protected)


def general(a: Asked) -> None:
    """A reason made as general as can be: it still forces the class, and nothing can be added."""
    rows = a.truth.rows
    reason = a.number(a.e.minimal_reason())
    allowed = allowed_by(a, a.e.generalise(a.named(reason)))
    inside = [rows.having(feature, places) for feature, places in enumerate(allowed)]
    assert not (np.logical_and.reduce(inside) & a.truth.others).any(), "it does not force the class"
    for feature, places in enumerate(allowed):
        rest = a.truth.others.copy()
        for other, rows_inside in enumerate(inside):
            if other != feature:
                rest &= rows_inside
        for place in _next_places(a, feature, places):
            more = rest & (rows.places[:, feature] == place)
            assert more.any(), "it can be made more general"


def allowed_by(a: Asked, wide: cattleya.General) -> list[list[bool]]:
    """Return which cells of each feature a general reason allows; the row's own is one of them."""
    row = a.truth.drawn.row
    # The row with one value changed, to both ends of each cell of each feature.
    changed = [
        [*row[:feature], value, *row[feature + 1 :]]
        for feature, known in enumerate(a.truth.cells)
        for cell in known
        for value in cell
    ]
    covered = iter(wide.covers(np.array(changed)).tolist())
    allowed: list[list[bool]] = []
    for feature, known in enumerate(a.truth.cells):
        ends = [(next(covered), next(covered)) for _ in known]
        assert all(low == high for low, high in ends)
        allowed.append([low for low, _ in ends])
        assert allowed[-1][a.truth.own[feature]]
    return allowed


def _next_places(a: Asked, feature: int, places: list[bool]) -> list[int]:
    """Return the values that a set could have besides, any one of them."""
    last = len(places) - 1
    inside = [place for place, allowed in enumerate(places) if allowed]
    others = [place for place, allowed in enumerate(places) if not allowed]
    if not a.truth.drawn.takes_missing:
        return [place for place in others if place in (inside[0] - 1, inside[-1] + 1)]
    present = [place for place in inside if place != last]
    if not present:
        return [place for place in others if place != last]
    near = present[0] - 1, present[-1] + 1, last
    return [place for place in others if place in near]


def tree(a: Asked) -> None:
    """The tree survives its file, and predicts what walking it gives."""
    made = a.explainer.tree
    again = a.rng.random() < 0.5
    kept = _pickled(made) if again else cattleya.Tree.from_json(made.to_json())
    assert kept == made
    rows = [[a.rng.choice(a.rng.choice(known)) for known in a.truth.cells] for _ in range(4)]
    assert made.predict(rows).tolist() == [a.predicted(row) for row in rows]


def _pickled(made: cattleya.Tree) -> cattleya.Tree:
    again: cattleya.Tree = pickle.loads(pickle.dumps(made))
    return again


WHAT_IF: tuple[Question, ...] = (nearest, fair, general, tree)

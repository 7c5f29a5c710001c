"""The native core checks what it is given: no array can make it read where it should not.

Python never hands it such arrays; these are for the day when it does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cattleya import _core

Arguments = dict[str, Any]


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int32)


def reals(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def bytes_of(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.uint8)


def signs(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int8)


# age <= 30.5: 0; else income <= 20.5: 0, else 1. Nodes 0 and 2 test, the others are leaves.
SHAPE: Arguments = {"left": ints(1, -1, 3, -1, -1), "right": ints(2, -1, 4, -1, -1)}
CLASSES: Arguments = {"leaf_class": ints(-1, 0, -1, 0, 1)}
CONDITIONS: Arguments = {
    "condition": ints(0, -1, 1, -1, -1),
    "feature": ints(0, 1),
    "threshold": reals(30.5, 20.5),
    "missing_left": bytes_of(0, 0),
}
ENGINE: Arguments = SHAPE | CLASSES | CONDITIONS | {"n_features": 2, "n_classes": 2}
VERIFIER: Arguments = (
    SHAPE | CLASSES | CONDITIONS | {"domain": bytes_of(0, 0), "takes_missing": False}
)
# The second attribute is a category of two cells; its test sends cell 0 to the left.
DOMAIN: Arguments = (
    SHAPE
    | CLASSES
    | {
        "test": ints(0, -1, 1, -1, -1),
        "attribute": ints(0, 1),
        "level": ints(0, 0),
        "missing_left": bytes_of(0, 0),
        "n_levels": ints(1, -1),
        "n_cells": ints(0, 2),
        "level_value": reals(30.5),
        "words": np.array([1], dtype=np.uint64),
        "takes_missing": False,
        "n_classes": 2,
        "never_missing": bytes_of(),
    }
)
VALUES: Arguments = (
    SHAPE
    | CLASSES
    | {
        "column": ints(0, -1, 1, -1, -1),
        "threshold": reals(30.5, 0, 0.5, 0, 0),
        "missing_left": bytes_of(0, 0, 0, 0, 0),
        "below": reals(30.5, 0, 0, 0, 0),
        "above": reals(30.6, 0, 0, 0, 0),
        "attribute": ints(0, 1),
        "place": ints(0, 0),
        "width": ints(0, 1),
        "first_point": np.array([0, 0, 2], dtype=np.int64),
        "points": reals(0, 1),
        "takes_missing": False,
    }
)
WRONG: list[tuple[Callable[..., Any], Arguments, Arguments, str]] = [
    (_core.Engine, ENGINE, {"n_features": -1}, "negative"),
    (_core.Engine, ENGINE, {"condition": ints(0)}, "condition has 1 entries, expected 5"),
    (_core.Engine, ENGINE, {"leaf_class": ints(0)}, "leaf_class has 1 entries"),
    (_core.Engine, ENGINE, {"threshold": reals(1)}, "threshold has 1 entries"),
    (_core.Engine, ENGINE, {"missing_left": bytes_of(1)}, "missing_left has 1 entries"),
    (_core.Engine, ENGINE, {"feature": ints(0, 2)}, "feature 2 of 2"),
    (_core.Engine, ENGINE, {"feature": ints(0, -1)}, "feature -1 of 2"),
    (_core.Engine, ENGINE, {"condition": ints(0, -1, 2, -1, -1)}, "node 2 has the condition 2"),
    (_core.Engine, ENGINE, {"condition": ints(-1, -1, 1, -1, -1)}, "condition -1"),
    (_core.Engine, ENGINE, {"leaf_class": ints(-1, 0, -1, 0, 2)}, "node 4 has the class 2"),
    (_core.Engine, ENGINE, {"right": ints(2, -1, 4, -1)}, "different lengths"),
    (_core.Engine, ENGINE, {"right": ints(2, -1, 5, -1, -1)}, "out of range"),
    (_core.Engine, ENGINE, {"right": ints(2, -1, 1, -1, -1)}, "two parents"),
    (_core.Verifier, VERIFIER, {"condition": ints(0)}, "unequal lengths"),
    (_core.Verifier, VERIFIER, {"threshold": reals(1)}, "unequal lengths"),
    (
        _core.Verifier,
        VERIFIER,
        {"condition": ints(0, -1, 2, -1, -1)},
        "condition 2 is out of range",
    ),
    (_core.Verifier, VERIFIER, {"feature": ints(0, 2)}, "feature 2 is out of range"),
    (_core.DomainTree, DOMAIN, {"test": ints(0)}, "tree have unequal lengths"),
    (_core.DomainTree, DOMAIN, {"level": ints(0)}, "tests have unequal lengths"),
    (_core.DomainTree, DOMAIN, {"n_cells": ints(0)}, "n_levels and n_cells"),
    (_core.DomainTree, DOMAIN, {"level_value": reals()}, "one entry per level"),
    (_core.DomainTree, DOMAIN, {"attribute": ints(0, 2)}, "attribute that is out of range"),
    (_core.DomainTree, DOMAIN, {"level": ints(0, 1)}, "set that is out of range"),
    (_core.DomainTree, DOMAIN, {"level": ints(2, 0)}, "level that is out of range"),
    (_core.DomainTree, DOMAIN, {"level": ints(-2, 0)}, "level that is out of range"),
    (
        _core.DomainTree,
        DOMAIN,
        {"n_levels": ints(-2, -1), "level_value": reals()},
        "negative number of levels",
    ),
    (_core.DomainTree, DOMAIN, {"n_cells": ints(0, -1)}, "negative number of levels or cells"),
    (_core.DomainTree, DOMAIN, {"test": ints(0, -1, 2, -1, -1)}, "test or class"),
    (_core.DomainTree, DOMAIN, {"leaf_class": ints(-1, 0, -1, 0, 2)}, "test or class"),
    (_core.DomainVerifier, VALUES, {"column": ints(0)}, "unequal lengths"),
    (_core.DomainVerifier, VALUES, {"place": ints(0)}, "attribute and place"),
    (_core.DomainVerifier, VALUES, {"points": reals(0)}, "first_point"),
    (_core.DomainVerifier, VALUES, {"width": ints(0, 3)}, "no points, or not all"),
    (_core.DomainVerifier, VALUES, {"width": ints(0, -1)}, "no points, or not all"),
    (_core.DomainVerifier, VALUES, {"attribute": ints(0, 2)}, "a column has an attribute"),
    (_core.DomainVerifier, VALUES, {"place": ints(0, 1)}, "a column has an attribute or a place"),
    (_core.DomainVerifier, VALUES, {"column": ints(0, -1, 2, -1, -1)}, "tests a column"),
]


@pytest.mark.parametrize(("make", "good", "bad", "message"), WRONG)
def test_what_a_tree_is_made_of_is_checked(
    make: Callable[..., Any], good: Arguments, bad: Arguments, message: str
) -> None:
    make(**good)
    with pytest.raises(ValueError, match=message):
        make(**good | bad)


def test_rows_and_classes_are_checked_by_the_engine() -> None:
    engine = _core.Engine(**ENGINE)
    truth = engine.evaluate(reals(40, 30))
    assert truth.tolist() == [0, 0]
    with pytest.raises(ValueError, match="the row has 1 entries, expected 2"):
        engine.evaluate(reals(40))
    with pytest.raises(ValueError, match="truth has 1 entries"):
        engine.path(bytes_of(1))
    for toward in (2, -2):
        with pytest.raises(ValueError, match=f"toward is class {toward}"):
            engine.complete_reason(truth, 1, toward, 1.0, 1 << 20)


def test_what_is_fixed_is_checked_by_the_verifier() -> None:
    verifier = _core.Verifier(**VERIFIER)
    assert verifier.refuting_leaf(signs(0, 0), 1, False) == -1
    with pytest.raises(ValueError, match="one entry per condition"):
        verifier.refuting_leaf(signs(0), 1, False)
    with pytest.raises(ValueError, match="one entry per condition"):
        verifier.removable(signs(0), ints(0), 1)
    with pytest.raises(ValueError, match="condition 2 is out of range"):
        verifier.removable(signs(0, 0), ints(2), 1)
    for node in (5, -1):
        with pytest.raises(ValueError, match=f"node {node} is out of range"):
            verifier.path_to(node)


def test_cells_and_classes_are_checked_by_the_domain() -> None:
    tree = _core.DomainTree(**DOMAIN)
    cells, lacks = tree.cells(reals(40, 0))
    assert cells.tolist() == [1, 0]
    assert not lacks
    assert tree.cells(reals(np.nan, 0))[1]
    with pytest.raises(ValueError, match="one entry per attribute"):
        tree.cells(reals(40))
    for wrong in (ints(2, 0), ints(-1, 0), ints(0, 2), ints(0, -1)):
        with pytest.raises(ValueError, match="a cell is out of range"):
            tree.path(wrong)
    with pytest.raises(ValueError, match="one entry per attribute"):
        tree.path(ints(0))
    with pytest.raises(ValueError, match="row_class is out of range"):
        tree.feature_reason(cells, 2, -1, 1.0, 1 << 20)
    with pytest.raises(ValueError, match="toward is out of range"):
        tree.feature_reason(cells, 0, 2, 1.0, 1 << 20)
    with pytest.raises(ValueError, match="first_atom"):
        tree.interval_reason(cells, ints(0), 0, -1, 1.0, 1 << 20)


def test_what_is_fixed_is_checked_by_the_domain_verifier() -> None:
    verifier = _core.DomainVerifier(**VALUES)
    free = (reals(-np.inf, -np.inf), reals(np.inf, np.inf), bytes_of(0, 0), ints(-1, -1))
    assert verifier.refute(*free, ints(-1, 0), 0)[0] == 4
    with pytest.raises(ValueError, match="own must have one entry"):
        verifier.refute(*free, ints(0), 0)
    for point in (2, -2):
        with pytest.raises(ValueError, match="a point is out of range"):
            verifier.refute(*free[:3], ints(-1, point), ints(-1, 0), 0)
    with pytest.raises(ValueError, match="low, high, missing and point have unequal lengths"):
        verifier.refute(*free[:3], ints(-1), ints(-1, 0), 0)
    with pytest.raises(ValueError, match="fixed must have one entry"):
        verifier.needed(reals(0), reals(1), bytes_of(0), ints(-1), 0)


def test_what_lies_inside_every_other_clause_is_left() -> None:
    start, atom = _core.minimal_clauses(
        np.array([0, 2, 3, 3, 4], dtype=np.int64), ints(0, 1, 0, 1), 2, 1.0, 1 << 20
    )
    assert start.tolist() == [0, 0]
    assert not len(atom)


def test_clauses_are_checked() -> None:
    start, atom = np.array([0, 2], dtype=np.int64), ints(0, 1)
    assert _core.greedy_hitting_set(start, atom, ints(1), 2).tolist() == [1]
    with pytest.raises(ValueError, match="condition 2 is out of range"):
        _core.greedy_hitting_set(start, atom, ints(2), 2)
    with pytest.raises(ValueError, match="does not hit clause 0"):
        _core.greedy_hitting_set(start, atom, ints(), 2)
    with pytest.raises(ValueError, match="atom 2 is out of range"):
        _core.minimal_clauses(start, ints(0, 2), 2, 1.0, 1 << 20)
    for wrong in ([1, 2], [0, 1], [0, 3, 2], []):
        with pytest.raises(ValueError, match="start does not divide"):
            _core.minimal_clauses(np.array(wrong, dtype=np.int64), atom, 2, 1.0, 1 << 20)
    with pytest.raises(ValueError, match="negative"):
        _core.HittingSets(start, atom, -1)


LIMITS = (1.0, 1 << 20)
NO_WEIGHTS = np.array([], dtype=np.uint64)
#: Everything that is asked of clauses: (start, atom, n_atoms).
ASKED_OF_CLAUSES: dict[str, Callable[..., Any]] = {
    "count": lambda s, a, n: _core.count_hitting_sets(s, a, n, *LIMITS),
    "weigh": lambda s, a, n: _core.weigh_hitting_sets(s, a, n, *LIMITS),
    "sizes": lambda s, a, n: _core.count_hitting_sets_by_size(s, a, n, *LIMITS),
    "sample": lambda s, a, n: _core.sample_hitting_sets(s, a, n, 1, 0, *LIMITS),
    "compile": lambda s, a, n: _core.Circuit.compile(s, a, n, *LIMITS),
    "all": _core.HittingSets,
    "lightest": lambda s, a, n: _core.minimum_hitting_set(s, a, n, NO_WEIGHTS, *LIMITS),
    "how many shortest": lambda s, a, n: _core.count_minimum_hitting_sets(s, a, n, *LIMITS),
    "all shortest": _core.MinimumHittingSets,
    "minimal": lambda s, a, n: _core.minimal_clauses(s, a, n, *LIMITS),
    "greedy": lambda s, a, n: _core.greedy_hitting_set(s, a, ints(0, 1), n),
}


@pytest.mark.parametrize("ask", ASKED_OF_CLAUSES.values(), ids=ASKED_OF_CLAUSES.keys())
def test_clauses_are_checked_whatever_is_asked(ask: Callable[..., Any]) -> None:
    start, atom = np.array([0, 2], dtype=np.int64), ints(0, 1)
    ask(start, atom, 2)
    for wrong in ([1, 2], [0, 1], [0, 1 << 40, 2], [0, 3, 2], []):
        with pytest.raises(ValueError, match="start does not divide"):
            ask(np.array(wrong, dtype=np.int64), atom, 2)
    for beyond in (2, -1):
        with pytest.raises(ValueError, match=f"atom {beyond} is out of range"):
            ask(start, ints(0, beyond), 2)
    with pytest.raises(ValueError, match="clause 0 has atom 1 twice"):
        ask(start, ints(1, 1), 2)


def test_a_negative_number_of_samples_is_refused() -> None:
    with pytest.raises(ValueError, match="the number of samples is negative"):
        _core.sample_hitting_sets(np.array([0, 2], dtype=np.int64), ints(0, 1), 2, -1, 0, *LIMITS)


def test_numbers_are_rounded_to_32_bits_as_numpy_does() -> None:
    rng = np.random.default_rng(0)
    row = rng.normal(size=200) * 10.0 ** rng.integers(-60, 30, 200)
    assert _core.on_grid(row, single=True).tolist() == row.astype(np.float32).tolist()
    assert _core.on_grid(row, single=False).tolist() == row.tolist()
    assert not np.signbit(_core.on_grid(reals(-0.0, -1e-60), single=True)).any()
    assert _core.on_grid(row[::2], single=False).tolist() == row[::2].tolist()


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e300])
def test_numbers_that_are_not_finite_have_no_place_on_the_grid(number: float) -> None:
    assert len(_core.on_grid(reals(1, number), single=True)) == 0
    assert len(_core.on_grid(reals(1, number), single=False)) == 2 * np.isfinite(number)
    assert _core.any_missing(reals(1, number)) == np.isnan(number)

"""Defects that random trees, load and the sanitizers found; each stays mended."""

from __future__ import annotations

import math
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from sklearn.tree import DecisionTreeClassifier

import cattleya
from cattleya import _core
from tests.samples.families import complete, explain_ones

LARGEST = sys.float_info.max


def stump(threshold: float) -> cattleya.Tree:
    return cattleya.Tree([1, -1, -1], [2, -1, -1], [0, -1, -1], [threshold, 0, 0], [-1, 0, 1], 1)


@pytest.mark.parametrize("metric", ["l0", "l1", "l2"])
def test_a_row_further_away_than_any_number_is_reached(metric: str) -> None:
    """Its distance is infinite as a number, and was taken for "cannot be reached"."""
    e = cattleya.Explainer(stump(1e308)).explain([-LARGEST])
    (found,) = e.counterfactuals(metric=metric)
    assert found.row.tolist() == [math.nextafter(1e308, math.inf)]
    assert found.prediction == 1
    assert found.distance > 0


def two_ways(near: float, far: float) -> cattleya.Tree:
    """Of class 1 from `far` of the first number on, and from `near` of the second."""
    return cattleya.Tree(
        [1, 2, -1, -1, -1],
        [4, 3, -1, -1, -1],
        [0, 1, -1, -1, -1],
        [far, near, 0, 0, 0],
        [-1, -1, 0, 1, 1],
        2,
    )


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1.0, 1e200, 1e300])
@pytest.mark.parametrize("metric", ["l0", "l1", "l2"])
def test_squares_too_large_or_too_small_for_a_number(scale: float, metric: str) -> None:
    """Whose squares all were 0, or all infinite, were taken for equally near."""
    tree = two_ways(near=2 * scale, far=3 * scale)
    found = cattleya.Explainer(tree).explain([0, 0]).counterfactuals(n=2, metric=metric)
    assert [[change.feature for change in one.changes] for one in found] == [["x1"], ["x0"]]


@pytest.mark.parametrize(
    "ask",
    [
        lambda e, timeout: e.counterfactuals(timeout=timeout),
        lambda e, timeout: e.is_fair([0], timeout=timeout),
        lambda e, timeout: e.generalise(e.direct_reason(), timeout=timeout),
        lambda e, timeout: e.contrastive(timeout=timeout),
        lambda e, timeout: e.contrastive(toward=0, timeout=timeout),
        lambda e, timeout: e.sufficient_reason(timeout=timeout),
    ],
)
def test_time_limits_where_there_were_none(ask: Callable[..., Any]) -> None:
    """What is made for all rows of a model was made before the clock was looked at."""
    e = explain_ones(complete(14))
    with pytest.raises(cattleya.TimeoutExpired):
        ask(e, 1e-9)
    assert ask(e, 600) is not None
    with pytest.raises((TypeError, ValueError), match="timeout"):
        ask(explain_ones(complete(2)), -1)


def test_regions_are_kept_for_both_trees_of_a_model_also_when_pickled() -> None:
    model = DecisionTreeClassifier(random_state=0).fit([[1.0], [2.0], [3.0]], [0, 1, 1])
    explainer = cattleya.Explainer(model)
    found = [str(explainer.explain(row).counterfactuals()[0]) for row in ([1.0], [3.0])]
    again = pickle.loads(pickle.dumps(explainer))
    assert [str(again.explain(row).counterfactuals()[0]) for row in ([1.0], [3.0])] == found


def test_a_circuit_whose_first_component_ends_beyond_the_program() -> None:
    """It was read before it was known that the second one, which has to begin there, cannot."""
    tree = cattleya.Tree.from_nested(("a", 0, ("b", ("c", ("d", 0, 1), 1), 1)))
    arrays: list[Any] = list(explain_ones(tree).compile()._core.arrays())
    assert len(arrays[3]) > 2
    arrays[3] = arrays[3].copy()
    arrays[3][1] = 1 << 40
    with pytest.raises(ValueError, match="out of order"):
        _core.Circuit(*arrays)


STARVED = """
import resource, sys
sys.path[:0] = {path!r}
import cattleya, numpy as np
from tests.support.test_limits import hard_tree

tree = hard_tree()
explainer = cattleya.Explainer(tree, memory_limit=1 << 50)
pages = int(open("/proc/self/statm").read().split()[0])
most = pages * resource.getpagesize() + (24 << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
for ask in (
    lambda e: e.compile(timeout=60),
    lambda e: e.count(threads=4, timeout=0.5),
    lambda e: e.sample(10**9, seed=0, timeout=60),
):
    try:
        ask(explainer.explain(np.ones(tree.n_features)))
    except (MemoryError, cattleya.TimeoutExpired) as error:
        print("refused", flush=True)
e = explainer.explain(np.ones(tree.n_features))
print(e.count("contrastive"), bool(e.verify(e.sufficient_reason())))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a bound on the address space")
def test_a_system_that_has_no_more_memory() -> None:
    """Long before our own bound is reached; also none for another thread, which ended Python."""
    path = [entry for entry in sys.path if entry]
    done = subprocess.run(
        [sys.executable, "-c", STARVED.format(path=path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout.splitlines() == ["refused"] * 3 + ["512 True"], done.stderr[-500:]


def test_two_ways_to_one_change_of_a_missing_value() -> None:
    """A value that is there can go either way, so that one change leads to two places.

    In one of them the class has changed; what more would change in the other is no contrast.
    """
    tree = cattleya.Tree(
        [1, 7, 3, 5, -1, -1, -1, 9, -1, -1, -1],
        [2, 8, 4, 6, -1, -1, -1, 10, -1, -1, -1],
        [0, 1, 1, 0, -1, -1, -1, 2, -1, -1, -1],
        [1.0, 2.0, 2.0, 2.0, 0, 0, 0, 2.0, 0, 0, 0],
        [-1, -1, -1, -1, 0, 0, 1, -1, 0, 0, 1],
        n_features=3,
        missing_left=[False, True, False, True, *[False] * 7],
    )
    e = cattleya.Explainer(tree, over="intervals").explain([math.nan, 2.5, 0.5])
    (contrast,) = e.contrastive()
    assert set(map(str, contrast)) == {"x0 is missing", "x1 > 2.0"}


@pytest.mark.parametrize("metric", ["l0", "l1", "l2"])
def test_a_value_beyond_any_distance_is_not_in_the_way(metric: str) -> None:
    """Its cost is infinite as a number, and was taken for a constraint that nobody had given."""
    tree = cattleya.Tree(
        [1, -1, 3, -1, -1],
        [2, -1, 4, -1, -1],
        [1, -1, 0, -1, -1],
        [0.5, 0, 1e308, 0, 0],
        [-1, 0, -1, 0, 1],
        2,
        feature_names=["far", "fixed"],
    )
    e = cattleya.Explainer(tree).explain([-LARGEST, 0])
    with pytest.raises(cattleya.NoSuchCounterfactual, match="one of them to be lifted: fixed is"):
        e.counterfactuals(immutable=["fixed"], metric=metric)
    (found,) = e.counterfactuals(metric=metric)
    assert found.prediction == 1


def test_many_counterfactuals_within_their_time() -> None:
    rng = random.Random(0)
    table = [[rng.random() for _ in range(8)] for _ in range(20_000)]
    model = DecisionTreeClassifier(random_state=0).fit(table, [rng.random() < 0.5 for _ in table])
    e = cattleya.Explainer(model).explain(table[0])
    e.counterfactuals()  # what all of them share
    with pytest.raises(cattleya.TimeoutExpired):
        e.counterfactuals(n=20_000, timeout=0.05)


def test_a_leaf_that_no_row_comes_to_narrows_no_reason() -> None:
    """It could not be kept out by the other feature, whose wider reason was said not to be."""
    tree = cattleya.Tree(
        [1, 3, 5, -1, -1, -1, -1],
        [2, 4, 6, -1, -1, -1, -1],
        [0, 0, 1, -1, -1, -1, -1],
        [0.5, 0.7, 0.5, 0, 0, 0, 0],
        [-1, -1, -1, 0, 1, 0, 1],  # the fifth has at most 0.5, and more than 0.7
        2,
    )
    reason = cattleya.Explainer(tree).explain([0, 0]).reason()
    assert (str(reason), reason.width) == ("x1 <= 0.5", Fraction(1, 2))


@pytest.mark.parametrize(
    ("leaf", "over", "told"),
    [
        (2, "features", ["x0: -1 -> 1 or more gives 2", "x0: -1 -> missing gives 1"]),
        (0, "intervals", ["x0: -1 -> missing gives 1"]),
    ],
)
def test_a_change_to_missing_where_only_that_leads_to_a_class(
    leaf: int, over: str, told: list[str]
) -> None:
    """An interval was taken to hold for missing values where the tree sends them to its side."""
    tree = cattleya.Tree(
        [1, -1, 3, -1, -1],
        [2, -1, 4, -1, -1],
        [0, -1, 0, -1, -1],
        [0.0, 0, math.inf, 0, 0],
        [-1, 0, -1, leaf, 1],
        1,
        missing_left=[False] * 5,
    )
    (change,) = cattleya.Explainer(tree, over=over).explain([-1]).changes()
    assert [str(one) for one in change.destinations] == told


def test_what_stands_in_brackets_is_the_condition_that_prints_so() -> None:
    """Another that 32 bits cannot tell from it was taken for it."""
    tree = cattleya.Tree(
        [1, 3, -1, -1, -1],
        [2, 4, -1, -1, -1],
        [0, 0, -1, -1, -1],
        [0.3, 0.30000000000000004, 0, 0, 0],
        [-1, -1, 1, 0, 1],
        1,
        missing_left=[True] * 5,
        row_dtype="float32",
    )
    e = cattleya.Explainer(tree).explain([0])
    assert len(e.minimal_reason()) == 2
    assert e.verify(str(e.minimal_reason()))

"""Short reasons where rows are weighed: each kind from its definition, over all sets of facts."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import cattleya

OVER = ("conditions", "features", "intervals")
Weigh = Callable[[tuple[Any, ...]], tuple[Fraction, Fraction]]


def drawn(seed: int, *, gaps: bool = False) -> tuple[Any, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 4, size=(40, 3)).astype(float)
    if gaps:
        rows[rng.random(rows.shape) < 0.15] = np.nan
    known = np.nan_to_num(rows, nan=2.0)
    label = (known[:, 0] * known[:, 1] + rng.integers(0, 3, 40) > 3).astype(int)
    tree = DecisionTreeClassifier(max_depth=3, random_state=seed).fit(rows, label)
    return tree, rows, rng.integers(0, 4, size=(3, 3)).astype(float)


def by_all_rows(e: Any, model: Any, values: list[list[float]], mass: list[list[int]]) -> Weigh:
    """Weigh every row there is, one by one: each feature on its own."""
    every = np.array(list(product(*values)))
    weight = np.array([np.prod(one, dtype=object) for one in product(*mass)], dtype=object)
    gets = model.predict(every) == e.prediction

    def weigh(facts: tuple[Any, ...]) -> tuple[Fraction, Fraction]:
        has = np.ones(len(every), dtype=bool)
        for fact in facts:
            has &= fact.holds_in(every)
        covered = int(weight[has].sum())
        right = int(weight[has & gets].sum())
        return Fraction(right, covered or 1), Fraction(covered, int(weight.sum()))

    return weigh


def by_nodes(e: Any, tree: Any, decides: Callable[[tuple[Any, ...], int], bool]) -> Weigh:
    """Weigh by the training rows: bottom up, as the definition says."""
    inner, count = tree.tree_, tree.tree_.n_node_samples

    def weigh(facts: tuple[Any, ...]) -> tuple[Fraction, Fraction]:
        def below(node: int) -> tuple[Fraction, int]:
            left, right = inner.children_left[node], inner.children_right[node]
            if left < 0:
                own = tree.classes_[inner.value[node, 0].argmax()] == e.prediction
                return Fraction(int(own)), int(count[node])
            value = e.row[inner.feature[node]]
            goes = inner.missing_go_to_left[node] if np.isnan(value) else None
            goes = value <= inner.threshold[node] if goes is None else goes
            if decides(facts, node):
                return below(left if goes else right)
            a, b = below(left), below(right)
            share = Fraction(int(count[left]), int(count[node]))
            return share * a[0] + (1 - share) * b[0], a[1] + b[1]

        precision, covered = below(0)
        return precision, Fraction(covered, int(count[0]))

    return weigh


def decided_by(e: Any, tree: Any, over: str) -> Callable[[tuple[Any, ...], int], bool]:
    inner = tree.tree_

    def decides(facts: tuple[Any, ...], node: int) -> bool:
        feature, at = inner.feature[node], inner.threshold[node]
        mine = [fact for fact in facts if fact.index == feature]
        if over == "features":
            return bool(mine)
        if over == "conditions" or np.isinf(at):
            return any(fact.threshold == at for fact in mine)
        if any(np.isinf(fact.threshold) for fact in mine) and np.isnan(e.row[feature]):
            return True
        mine = [fact for fact in mine if np.isfinite(fact.threshold)]
        return any(fact.threshold <= at if fact.sense else fact.threshold >= at for fact in mine)

    return decides


def by_coins(e: Any, tree: Any) -> Weigh:
    inner = tree.tree_
    tests = sorted({(c.index, c.threshold) for c in e.conditions})

    def weigh(facts: tuple[Any, ...]) -> tuple[Fraction, Fraction]:
        given = {(fact.index, fact.threshold): fact.sense for fact in facts}
        free = [test for test in tests if test not in given]
        right = 0
        for sides in product((False, True), repeat=len(free)):
            truth = given | dict(zip(free, sides, strict=True))
            node = 0
            while inner.children_left[node] >= 0:
                test = int(inner.feature[node]), float(inner.threshold[node])
                node = (inner.children_left if truth[test] else inner.children_right)[node]
            right += tree.classes_[inner.value[node, 0].argmax()] == e.prediction
        return Fraction(right, 2 ** len(free)), Fraction(1, 2 ** len(given))

    return weigh


def uniform_cells(e: Any) -> tuple[list[list[float]], list[list[int]]]:
    """Return a value of each cell of each feature; that of the row where it is in it."""
    tree, values = e.tree, []
    for feature in range(3):
        ends = np.unique(tree.threshold[(tree.feature == feature) & (tree.left >= 0)])
        own = float(e.row[feature])
        points = [float(end) for end in ends] + [float(ends[-1]) + 1 if len(ends) else own]
        points[int(np.searchsorted(ends, own))] = own
        values.append(points)
    return values, [[1] * len(points) for points in values]


def counted(table: np.ndarray) -> tuple[list[list[float]], list[list[int]]]:
    values, mass = [], []
    for column in table.T:
        known, count = np.unique(column, return_counts=True)
        values.append(known.tolist())
        mass.append(count.tolist())
    return values, mass


@pytest.mark.parametrize("over", OVER)
@pytest.mark.parametrize("kind", ["training", "independent", "uniform"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("gaps", [False, True])
def test_the_smallest_of_all_sets(over: str, kind: str, seed: int, gaps: bool) -> None:
    tree, table, rows = drawn(seed, gaps=gaps and kind != "uniform")
    explainer = cattleya.Explainer(tree, over=over)
    for row, wanted in zip(np.vstack((rows[:2], table[:2])), (0.8, 0.9, 0.95, 1), strict=True):
        if kind == "uniform" and np.isnan(row).any():
            continue
        e = explainer.explain(row)
        among: Any
        if kind == "training":
            among, weigh = cattleya.TrainingWeights(), by_nodes(e, tree, decided_by(e, tree, over))
        elif kind == "independent":
            among = cattleya.Independent(table)
            weigh = by_all_rows(e, tree, *counted(table))
        else:
            among = cattleya.Uniform()
            coins = over == "conditions"
            weigh = by_coins(e, tree) if coins else by_all_rows(e, tree, *uniform_cells(e))
        tested = set(e.tree.feature[e.tree.left >= 0].tolist())
        facts = sorted((c for c in e.conditions if tested & set(c.columns)), key=str)
        least = Fraction(seed % 2, 10)
        share = Fraction(str(wanted))
        reaching = []
        for size in range(4):
            for chosen in combinations(facts, size):
                precision, coverage = weigh(chosen)
                if precision >= share and coverage >= least and coverage > 0:
                    reaching.append((precision, coverage))
            if reaching:
                break
        if not reaching:
            with pytest.raises(cattleya.NoSuchReason) as caught:
                e.short_reason(wanted, among, 3, least, prove=True)
            assert caught.value.at_least == 4  # type: ignore[attr-defined]  # of short reasons
            for step in caught.value.best:
                assert (step.precision, step.coverage) == weigh(tuple(step.reason))
            continue
        short = e.short_reason(wanted, among, 3, least, prove=True)
        assert len(short) == size == short.at_least
        assert (short.precision, short.coverage) == weigh(tuple(short))
        assert short.proved_smallest
        verified = e.verify(short, among=among)
        assert verified, str(verified)
        assert e.precision(list(short), among) == short.measure
        found = e.short_reason(wanted, among, 3, least)
        assert found.at_least <= len(short) <= len(found)


@pytest.mark.parametrize("over", ["conditions", "features", "intervals"])
def test_facts_that_are_excluded_or_that_nothing_has_are_not_taken_for_others(over: str) -> None:
    tree = cattleya.Tree.from_nested(("a", "no", ("b", "no", "yes")))
    e = cattleya.Explainer(tree, over=over).explain([1, 0], exclude=["b"])
    (fact,) = [fact for fact in e.conditions if fact.feature == "b"]
    assert e.precision([fact], among=cattleya.Uniform()).precision == 1
    assert e.precision([fact], among=cattleya.Independent([[1, 0], [1, 1]])).precision == 1
    with pytest.raises(ValueError, match="nothing that is weighed has"):
        e.precision([fact], among=cattleya.Independent([[1, 1], [0, 1]]))


def test_a_share_that_is_reached_exactly_needs_no_facts() -> None:
    # Half is right without a fact, less than half with any single one: found by fuzzing.
    rng = np.random.default_rng(15316808608)
    rows = rng.integers(0, 4, (40, 3)).astype(float)
    labels = rng.integers(0, int(rng.integers(2, 4)), 40)
    depth = int(rng.integers(1, 5))
    model = DecisionTreeClassifier(max_depth=depth, random_state=608).fit(rows, labels)
    e = cattleya.Explainer(model, over="features").explain([0, 3, 0])
    weights = cattleya.TrainingWeights()
    wanted = e.precision([], among=weights).precision
    short = e.short_reason(wanted, weights, prove=True)
    assert (len(short), short.precision, short.at_least) == (0, wanted, 0)

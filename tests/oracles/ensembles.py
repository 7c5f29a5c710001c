"""All rows of a small ensemble, and what the definitions make of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np

import cattleya
from cattleya.explain.ensemble.explanation import EnsembleExplanation
from cattleya.model.conditions.condition import Condition
from tests.samples.explained_ensembles import drawn

__all__ = ["OVERS", "VALUES", "Oracle", "case", "check", "check_the_rest"]

OVERS = ("features", "intervals", "conditions")
VALUES = (0.0, 1.0, 2.0, 3.0, 4.0)
HALF = 0.5
MOST_FACTS = 10  # of which all sets are looked at
MOST_TESTS = 9  # each of which is a Boolean variable of its own


class Oracle:
    """All assignments of a small ensemble, and the facts of one row that each of them has."""

    def __init__(self, ensemble: cattleya.Ensemble, row: list[float], over: str) -> None:
        self.e: Any = cattleya.Explainer(ensemble, over=over).explain(row)
        assert isinstance(self.e, EnsembleExplanation)
        search = self.e._search
        self.facts: list[Condition] = list(search.atoms.named(range(len(search.boxes))))
        matrix = np.array(list(product(values_of(ensemble), repeat=ensemble.n_features)))
        own = ensemble.predict([row])[0]
        if over == "conditions":  # each test a Boolean of its own
            self.other: list[frozenset[int]] = list(self._of_tests(self.e.ensemble, own))
        else:
            others = self.e._row.context.model.rows.matrix(matrix[ensemble.predict(matrix) != own])
            holds = [fact.holds_in(others) for fact in self.facts]
            self.other = [
                frozenset(np.flatnonzero(~c)) for c in np.array(holds).T.reshape(-1, len(holds))
            ]
            if not self.facts:
                self.other = [frozenset()] * len(others)
        self.other = list(dict.fromkeys(self.other))

    def _of_tests(self, ensemble: cattleya.Ensemble, own: Any) -> Iterator[frozenset[int]]:
        tests = self.e._row.ready.tests
        truth = self.e._row.ready.truth_of(self.e.row) == 0
        node_test = self.e._row.ready._skeleton.test_of_node
        leaf_of_node = ensemble.leaf_of_node
        kind = np.dtype(ensemble.sum_dtype).type
        for change in product([False, True], repeat=len(tests)):
            total = ensemble.base.astype(kind)
            for tree, root in enumerate(ensemble.tree_start[:-1]):
                at = int(root)
                while ensemble.left[at] >= 0:
                    test = int(node_test[at])
                    at = int((ensemble.left if truth[test] != change[test] else ensemble.right)[at])
                own_output = ensemble.output_of_tree
                place = slice(None) if own_output is None else own_output[[tree]]
                total[place] += ensemble.value[leaf_of_node[at]].astype(kind)
            if ensemble.decided(total[None, :])[0] != own:
                yield frozenset(i for i, changed in enumerate(change) if changed)

    def forces(self, kept: Iterable[int]) -> bool:
        """Tell whether some facts force the class: every other row lacks one of them."""
        chosen = set(kept)
        return all(chosen & lacking for lacking in self.other)

    def numbers(self, reason: Iterable[Condition]) -> frozenset[int]:
        return frozenset(self.facts.index(condition) for condition in reason)

    def contrasts(self) -> set[frozenset[int]]:
        """Return the minimal sets of facts that another row lacks."""
        return {c for c in self.other if not any(d < c for d in self.other)}

    def reasons(self) -> set[frozenset[int]]:
        """Return all irredundant sets of facts that force the class."""
        found: list[frozenset[int]] = []
        for size in range(len(self.facts) + 1):
            for kept in map(frozenset, combinations(range(len(self.facts)), size)):
                if not any(r <= kept for r in found) and self.forces(kept):
                    found.append(kept)
        return set(found)


def values_of(ensemble: cattleya.Ensemble) -> list[float]:
    """Return values so that every cell has one: the usual ones, and some between tests."""
    cuts = np.unique(ensemble.threshold).tolist()
    between = [
        (low + high) / 2
        for low, high in pairwise(cuts)
        if not any(low < value <= high for value in VALUES)
    ]
    return [*VALUES, *between, *gaps(ensemble)]


def gaps(ensemble: cattleya.Ensemble) -> list[float]:
    return [] if ensemble.missing_left is None else [np.nan]


def case(seed: int, over: str, *, sets: bool = False) -> Oracle | None:
    """Return the ensemble of a seed with one of its rows; None where it is too large."""
    rng = np.random.default_rng([seed, OVERS.index(over)])
    ensemble = drawn(rng, missing=bool(rng.random() < 0.3), sets=sets)
    row = rng.choice([*VALUES, *gaps(ensemble)], ensemble.n_features).tolist()
    tests = len(np.unique(ensemble.threshold)) * ensemble.n_features + len(ensemble.set_left)
    return None if over == "conditions" and tests > MOST_TESTS else Oracle(ensemble, row, over)


def check(oracle: Oracle) -> None:
    """Hold the answers about a row against the definitions."""
    e = oracle.e
    assert e.prediction == e.ensemble.predict(e.row[None, :])[0]
    for reason in (e.direct_reason(), e.quick_reason()):
        assert oracle.forces(oracle.numbers(reason))
    reason = e.sufficient_reason()
    kept = oracle.numbers(reason)
    assert reason.irredundant
    assert oracle.forces(kept)
    assert not any(oracle.forces(kept - {n}) for n in kept)
    contrasts = [oracle.numbers(c) for c in e.contrastive()]
    assert set(contrasts) == oracle.contrasts()
    assert len(contrasts) == len(set(contrasts))
    assert [len(c) for c in contrasts] == sorted(len(c) for c in contrasts)
    everything = frozenset(range(len(oracle.facts)))
    needed = {n for n in everything if not oracle.forces(everything - {n})}
    assert oracle.numbers(e.necessary()) == needed
    in_all = frozenset.intersection(*contrasts) if contrasts else frozenset()
    assert oracle.numbers(e.necessary("contrastive")) == in_all


def check_the_rest(oracle: Oracle, seed: int) -> None:
    """Hold the costly answers against the definitions: of all reasons, changes and proofs."""
    e, rng = oracle.e, np.random.default_rng(seed)
    if len(oracle.facts) <= MOST_FACTS:
        reasons = oracle.reasons()
        minimal = oracle.numbers(e.minimal_reason())
        assert minimal in reasons
        assert len(minimal) == min(map(len, reasons))
        found = [oracle.numbers(reason) for reason in e.sufficient_reasons()]
        assert len(found) == len(set(found))
        assert set(found) == reasons
        assert oracle.numbers(e.relevant()) == frozenset().union(*reasons)
    chosen = [fact for fact in oracle.facts if rng.random() < HALF]
    forces = oracle.forces(oracle.numbers(chosen))
    assert e.is_sufficient(chosen) == forces
    assert e.verify(chosen).sufficient == forces
    ensemble = e.ensemble
    matrix = np.array(list(product(values_of(ensemble), repeat=ensemble.n_features)))
    predicted = ensemble.predict(matrix)
    same = (matrix == e.row) | (np.isnan(matrix) & np.isnan(e.row))
    others = predicted != e.prediction
    if np.isnan(e.row).any() or not gaps(ensemble):  # else rows with gaps are not asked about
        # A value that is there does not become missing.
        wanted = others & ~(np.isnan(matrix) & ~np.isnan(e.row)).any(axis=1)
        if wanted.any():
            (nearest,) = e.counterfactuals()
            assert ensemble.predict(nearest.row[None, :])[0] == nearest.prediction != e.prediction
            assert len(nearest.changes) == (~same[wanted]).sum(axis=1).min()
        alone = same[:, 1:].all(axis=1)
        assert bool(e.is_fair([0])) == bool((predicted[alone] == e.prediction).all())
    covered = e.generalise(e.sufficient_reason()).covers(matrix)
    if not gaps(ensemble):
        assert covered.any()
        assert not (covered & others).any()

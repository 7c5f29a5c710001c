"""Short reasons on a random table: against every set of facts there is."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import ceil

import numpy as np

import cattleya
from fuzz.questions import Asked
from tests.oracles import short_reasons as oracle

__all__ = ["short_reason", "weighed_reason"]

MOST_FACTS = 12  # whose sets are all counted
LARGEST = 1e30  # beyond, a model of 32 bits takes no value
SIZE = 3


def short_reason(asked: Asked) -> None:
    """Ask for the smallest set, proved, and compare it with all sets."""
    e, rng, tree = asked.e, asked.rng, asked.explainer.tree
    tested = set(tree.feature[tree.left >= 0].tolist())
    facts = sorted((c for c in e.conditions if tested & set(c.columns)), key=str)
    if len(facts) > MOST_FACTS or asked.explainer.target.bound is not None:
        return
    table = np.array([_row(asked) for _ in range(rng.randint(1, 30))])
    gets = np.array([asked.explainer.explain(row).prediction == e.prediction for row in table])
    share = Fraction(rng.choice((50, 60, 75, 90, 95, 100)), 100)
    coverage = Fraction(rng.choice((0, 5, 20)), 100)
    least = max(1, ceil(coverage * len(table)))
    every = oracle.reaching(facts, e_rows(asked, table), gets, share, least, SIZE)
    try:
        found = e.short_reason(share, table, SIZE, coverage, prove=True)
    except cattleya.NoSuchReason:
        if every:
            raise
        return
    right, covered = oracle.counts(tuple(found), e_rows(asked, table), gets)
    assert (found.share.right, found.share.covered) == (right, covered)
    assert found.proved_smallest
    assert every
    assert len(every[0]) == len(found)
    assert e.verify(found, among=table)


def weighed_reason(asked: Asked) -> None:
    """Ask for facts that are weighed: none fewer reach the share, and they weigh the same again."""
    e, rng = asked.e, asked.rng
    if asked.explainer.target.bound is not None or np.isnan(np.asarray(e.row)).any():
        return
    table = np.array([_row(asked) for _ in range(rng.randint(1, 12))])
    among = rng.choice((cattleya.Uniform(), cattleya.Independent(table)))
    share = Fraction(rng.choice((50, 75, 90, 100)), 100)
    try:
        found = e.short_reason(share, among, SIZE, prove=True)
    except cattleya.NoSuchReason:
        _none_reach(asked, among, share, SIZE)
        return
    _none_reach(asked, among, share, len(found) - 1)
    assert found.precision >= share
    assert found.proved_smallest
    verified = e.verify(found, among=among)
    assert verified, str(verified)


def _none_reach(asked: Asked, among: object, share: Fraction, size: int) -> None:
    """Weigh every set of at most so many facts."""
    facts = sorted(asked.e.conditions, key=str)
    if len(facts) > MOST_FACTS:
        return
    for chosen in (some for n in range(size + 1) for some in combinations(facts, n)):
        try:
            weighed = asked.e.precision(list(chosen), among=among).precision
        except ValueError:  # no row has them
            continue
        assert weighed is None or weighed < share, chosen


def e_rows(asked: Asked, table: np.ndarray) -> np.ndarray:
    """Return rows as the model rounds them."""
    dtype = asked.explainer.tree.row_dtype
    return table.astype(dtype).astype(np.float64)


def _row(asked: Asked) -> list[float]:
    """Draw a row near the thresholds of the tree."""
    rng, tree, row = asked.rng, asked.explainer.tree, list(map(float, asked.e.row))
    for feature in range(len(row)):
        known = tree.threshold[(tree.feature == feature) & (tree.left >= 0)].tolist()
        near = [t for t in known if abs(t) < LARGEST]
        if feature in tree.boolean:
            row[feature] = float(rng.randint(0, 1))
        else:
            row[feature] = rng.choice([row[feature], *near, *(t + 1 for t in near)])
    return row

"""``python -m fuzz.middling``: trees too large for brute force, the answers against each other.

The number of reasons also against a model counter, Ganak, where it is installed: on the CNF of the
paper, made of the contrastive explanations. Every identity here follows from the definitions.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import sys
import time
from fractions import Fraction

import cattleya
from cattleya.experiments.peers.prime_cnf import prime_cnf

__all__ = ["check"]

OVER = ("conditions", "features", "intervals")
MOST_LISTED = 500
CNF_LIMIT = 300  # variables: what Ganak counts in a moment
SECONDS = 3.0  # a question; what takes longer is passed over
HAS_GANAK = importlib.util.find_spec("pyganak") is not None


def draw(rng: random.Random) -> tuple[cattleya.Tree, list[float]]:
    """Draw a tree of some dozens or hundreds of tests, with conditions that come again."""
    n_features, n_values = rng.choice((5, 10, 20, 60)), rng.choice((1, 2, 8))
    left, right, leaves = [-1], [-1], [0]
    for _ in range(rng.choice((20, 50, 100, 300))):
        node = leaves.pop(rng.randrange(len(leaves)))
        left[node], right[node] = len(left), len(left) + 1
        leaves += [len(left), len(left) + 1]
        left, right = [*left, -1, -1], [*right, -1, -1]
    rare = rng.choice((0.1, 0.3, 0.5))
    inner = [child >= 0 for child in left]
    tree = cattleya.Tree(
        left,
        right,
        [rng.randrange(n_features) if i else -1 for i in inner],
        [rng.randrange(n_values) + 0.5 for _ in inner],
        [int(rng.random() < rare) for _ in inner],
        n_features=n_features,
    )
    return tree, [float(rng.randrange(n_values + 1)) for _ in range(n_features)]


def check(seed: int) -> bool:
    """Ask about the tree of a seed; tell whether there was time for all of it."""
    rng = random.Random(seed)
    tree, row = draw(rng)
    over = OVER[seed % len(OVER)]
    e = cattleya.Explainer(tree, over=over).explain(row)
    assert e.prediction == tree.predict([row])[0]
    try:
        check_counts(e, rng)
    except cattleya.TimeoutExpired:
        return False
    return True


def check_counts(e: cattleya.Explanation, rng: random.Random) -> None:
    """Hold every number against every other."""
    total = e.count(timeout=SECONDS)
    sizes = e.count_by_size(timeout=SECONDS)
    shares = e.importance(timeout=SECONDS)
    contrasts = [frozenset(contrast) for contrast in e.contrastive(timeout=SECONDS)]
    assert total == sum(sizes.values()) > 0
    assert sum(shares.values(), Fraction(0)) * total == sum(n * k for n, k in sizes.items())
    assert e.count("minimal", timeout=SECONDS) == sizes[min(sizes)]
    assert len(e.minimal_reason(timeout=SECONDS)) == min(sizes)
    assert {c for c, share in shares.items() if share == 1} == e.necessary()
    assert {c for c, share in shares.items() if share} == e.relevant()
    assert e.relevant() == frozenset().union(*contrasts)
    assert e.necessary() == {c for contrast in contrasts if len(contrast) == 1 for c in contrast}

    found = [*e.sample(5, seed=rng.getrandbits(32), timeout=SECONDS), e.sufficient_reason()]
    for reason in found:
        assert e.verify(reason)
        assert all(contrast & frozenset(reason) for contrast in contrasts)
    for contrast in rng.sample(contrasts, min(3, len(contrasts))):
        assert e.is_contrastive(contrast)
    circuit = e.compile(timeout=SECONDS)
    assert circuit.count(timeout=SECONDS) == total
    for condition in rng.sample(circuit.conditions, min(4, len(circuit.conditions))):
        with_it = circuit.count(including=[condition], timeout=SECONDS)
        assert with_it == shares[condition] * total
        assert with_it + circuit.count(excluding=[condition], timeout=SECONDS) == total
    listed = list(e.sufficient_reasons(limit=MOST_LISTED, timeout=SECONDS))
    assert len(listed) == len(set(listed)) == min(total, MOST_LISTED)
    if total <= MOST_LISTED:
        counted = {c: sum(c in reason for reason in listed) for c in shares}
        assert counted == {c: share * total for c, share in shares.items()}
    if HAS_GANAK:
        check_against_ganak(e, contrasts, total)


def check_against_ganak(
    e: cattleya.Explanation, contrasts: list[frozenset[cattleya.Condition]], total: int
) -> None:
    """Count the models of the paper's CNF."""
    import pyganak

    number = {condition: i for i, condition in enumerate(sorted(e.relevant(), key=str))}
    variables, cnf = prime_cnf([[number[c] for c in contrast] for contrast in contrasts])
    if 0 < variables <= CNF_LIMIT:
        counter = pyganak.Counter()
        counter.new_vars(variables)
        counter.add_clauses(cnf)
        assert int(counter.count()) == total


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.middling", description=__doc__)
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(40))
    parser.add_argument("--only", type=int, metavar="SEED", help="this tree once more")
    options = parser.parse_args()
    if options.only is not None:
        print("in time" if check(options.only) else "out of time")
        return 0
    print(f"first seed {options.seed}" + ("" if HAS_GANAK else "; without Ganak"), flush=True)
    until, trees, passed_over = time.monotonic() + 60 * options.minutes, 0, 0
    while time.monotonic() < until:
        seed = options.seed + trees
        try:
            passed_over += not check(seed)
        except Exception:
            print(f"WRONG: python -m fuzz.middling --only {seed}", flush=True)
            raise
        trees += 1
    print(f"done: {trees:,} trees, none wrong, {passed_over:,} passed over for time")
    return 0


if __name__ == "__main__":
    sys.exit(main())

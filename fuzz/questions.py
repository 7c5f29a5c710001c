"""Every question about reasons, each with its answer from brute force.

A question is a function of what was ``Asked`` that raises ``AssertionError`` where the library is
wrong. They come in any order and more than once: answers are kept, and must not depend on it.
"""

from __future__ import annotations

import math
import pickle
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import cattleya
from cattleya import Condition
from cattleya.model.conditions.condition import Comparison
from fuzz.vocabularies import Truth
from tests.oracles.definitions import Explained, Explanations, Truths

__all__ = ["LONG", "SHORT", "Asked", "Question"]

MOST_CHOICES = 200


@dataclass(eq=False)
class Asked:
    """An explanation under test, and the truth about it."""

    explainer: cattleya.Explainer
    e: cattleya.Explanation
    truth: Truth
    atoms: Explained
    rng: random.Random
    folder: Path
    predictions: list[Any]  # by leaf

    def __post_init__(self) -> None:
        self.place = self.truth.numbered(self.explainer.over, tuple(self.e.conditions))
        self.condition = {place: condition for condition, place in self.place.items()}
        self.reasons = self.atoms.reasons
        self.contrasts = self.atoms.contrasts
        # Of numbers, only those that a leaf has are outcomes.
        drawn = self.truth.drawn
        found = range(drawn.n_classes)
        by_number = self.explainer.target.bound is None and self.explainer.tree.predicts_numbers
        self.used = [n for n in found if not by_number or n in drawn.leaf_class]

    def predicted(self, row: list[float]) -> Any:
        """Return what the model predicts for a row."""
        return self.predictions[self.truth.drawn.leaf(row)]

    def outcome(self, number: int) -> Any:
        """Return the outcome that stands for a class, as questions take it."""
        return self.e.tree.class_names[self.used.index(number)]

    @property
    def n(self) -> int:
        """The number of atoms."""
        return len(self.condition)

    def number(self, conditions: Iterable[Condition]) -> int:
        """Return a set of conditions as a number; none of them may come twice."""
        found = 0
        for condition in conditions:
            bit = 1 << self.place[condition]
            assert not found & bit, "a condition twice"
            found |= bit
        return found

    def numbers(self, reasons: Iterable[cattleya.Reason]) -> frozenset[int]:
        """Return reasons as numbers; none of them may come twice."""
        found: set[int] = set()
        for reason in reasons:
            number = self.number(reason.conditions)
            assert number not in found, "a reason twice"
            assert number.bit_count() == len(reason)
            found.add(number)
        return frozenset(found)

    def named(self, atoms: int) -> list[Condition]:
        """Return a number as conditions."""
        return [self.condition[i] for i in range(self.n) if atoms >> i & 1]

    def some_atoms(self) -> int:
        """Draw a set of atoms."""
        return self.rng.getrandbits(self.n) if self.n else 0


def direct(a: Asked) -> None:
    """The conditions on the path, which force the class."""
    found = a.number(a.e.direct_reason())
    assert a.atoms.sufficient[found]
    label, path = a.truth.drawn.walk(a.truth.drawn.row)
    assert a.used[a.e.row_class] == label == a.atoms.predicted
    assert a.e.prediction == a.predicted(a.truth.drawn.row)
    assert a.e.outcome == a.e.class_labels[a.e.row_class]
    if a.explainer.over == "conditions":
        tests = {a.truth.tests.index(test) for test in path}
        assert found == sum(1 << i for i in tests)


def one_reason(a: Asked) -> None:
    """One sufficient reason, and one of the fewest conditions."""
    assert a.number(a.e.sufficient_reason()) in a.reasons.sets
    assert a.number(a.e.minimal_reason()) in a.reasons.least


def all_reasons(a: Asked) -> None:
    """All sufficient reasons, all minimal ones, and some of each."""
    assert a.numbers(a.e.sufficient_reasons()) == a.reasons.sets
    assert a.numbers(a.e.minimal_reasons()) == a.reasons.least
    limit = a.rng.randrange(8)
    if limit < 4:
        some = a.numbers(a.e.sufficient_reasons(limit=limit))
        assert some <= a.reasons.sets
        assert len(some) == min(limit, len(a.reasons.sets))


def least_weight(a: Asked) -> None:
    """A reason of the least weight, by condition and exactly."""
    weight = {i: Fraction(a.rng.randint(1, 9), a.rng.choice((1, 1, 3, 10))) for i in range(a.n)}
    found = a.number(a.e.minimal_reason(weights={a.condition[i]: w for i, w in weight.items()}))

    def total(atoms: int) -> Fraction:
        return sum((w for i, w in weight.items() if atoms >> i & 1), Fraction(0))

    assert found in a.reasons.sets
    assert total(found) == min(map(total, a.reasons.sets))


def contrasts(a: Asked) -> None:
    """All contrastive explanations, the smallest first; toward each class; the first ones."""
    _check_contrasts(a, a.e.contrastive(), a.contrasts)
    limit = a.rng.randrange(8)
    if limit < 3:
        assert a.e.contrastive(limit=limit) == a.e.contrastive()[:limit]
    label = a.rng.choice(a.used)
    if label != a.atoms.predicted:
        _check_contrasts(a, a.e.contrastive(toward=a.outcome(label)), a.atoms.toward(label))


def _check_contrasts(a: Asked, found: tuple[cattleya.Reason, ...], expected: Explanations) -> None:
    assert a.numbers(found) == expected.sets
    sizes = [len(reason) for reason in found]
    assert sizes == sorted(sizes)


def roles(a: Asked) -> None:
    """What is in every, in some, in no explanation."""
    everything = (1 << a.n) - 1
    for kind, expected in (("sufficient", a.reasons), ("contrastive", a.contrasts)):
        assert a.number(a.e.necessary(kind)) == expected.necessary
        assert a.number(a.e.relevant(kind)) == expected.relevant
        assert a.number(a.e.irrelevant(kind)) == everything ^ expected.relevant


def counts(a: Asked) -> None:
    """How many there are of each kind and size."""
    threads = 2 if a.rng.random() < 0.02 else 1
    assert a.e.count(threads=threads) == len(a.reasons.sets)
    assert a.e.count("minimal") == len(a.reasons.least)
    assert a.e.count("contrastive") == len(a.contrasts.sets)
    assert a.e.count_by_size() == a.reasons.by_size


def shares(a: Asked) -> None:
    """The importance of each condition, highest first."""
    for kind, expected in (("sufficient", a.reasons), ("contrastive", a.contrasts)):
        if not expected.sets:
            continue
        found = a.e.importance(kind)
        assert {a.place[c]: share for c, share in found.items()} == dict(enumerate(expected.shares))
        assert list(found.values()) == sorted(found.values(), reverse=True)
        if a.rng.random() < 0.8:
            continue
        conditions, rounded = a.e.importance_array(kind)
        assert [a.place[c] for c in conditions] == [a.place[c] for c, s in found.items() if s]
        assert rounded.tolist() == [float(share) for share in found.values() if share]


def samples(a: Asked) -> None:
    """Each drawn one is a reason, and the same seed draws the same."""
    seed = a.rng.getrandbits(70)
    drawn = a.e.sample(2, seed=seed)
    numbers = [a.number(reason) for reason in drawn]
    assert numbers == [a.number(reason) for reason in a.e.sample(2, seed)]
    assert a.reasons.sets.issuperset(numbers)
    assert a.e.verify(drawn[0])


def circuit(a: Asked) -> None:
    """The circuit, asked under assumptions; also after it was pickled or was in a file."""
    compiled = a.e.compile()
    way = a.rng.random()
    if way < 0.02:
        compiled.save(a.folder / "circuit")
        compiled = cattleya.Circuit.load(a.folder / "circuit")
    elif way < 0.1:
        compiled = pickle.loads(pickle.dumps(compiled))
    assert a.number(compiled.conditions) == a.reasons.relevant
    assert compiled.count() == len(a.reasons.sets)
    including = a.some_atoms() & a.reasons.relevant
    excluding = a.some_atoms() & a.some_atoms() & a.reasons.relevant & ~including
    expected = a.reasons.where(including, excluding)
    assumed = a.named(including), a.named(excluding)
    assert compiled.count(*assumed) == len(expected.sets)
    found = compiled.importance(*assumed)
    assert {a.place[c]: share for c, share in found.items()} == {
        i: share for i, share in enumerate(expected.shares) if a.reasons.relevant >> i & 1
    }


def proofs(a: Asked) -> None:
    """Any set of conditions is proved, or refuted by an assignment and where there is one a row."""
    for atoms in (a.some_atoms(), a.rng.choice(tuple(a.reasons.sets))):
        verdict = a.e.verify(a.named(atoms))
        assert verdict.sufficient == a.atoms.sufficient[atoms]
        assert bool(verdict) == (atoms in a.reasons.sets)
        sharing = a.truth.others.copy()
        for condition in a.named(atoms):
            sharing &= _rows_in_which(a, condition)
        if not sharing.any():
            assert verdict.row is None
        else:
            assert verdict.row is not None
            row = verdict.row.tolist()
            assert a.truth.drawn.walk(row)[0] != a.truth.row_class
            for condition in a.named(atoms):
                assert condition.holds(row[condition.index])
        if verdict.sufficient:
            gone = a.number(verdict.redundant)
            assert atoms & ~gone in a.reasons.sets
    changed = a.rng.choice((a.some_atoms(), *list(a.contrasts.sets)[:2]))
    assert a.e.is_contrastive(a.named(changed)) == (changed in a.contrasts.sets)


def _rows_in_which(a: Asked, condition: Condition) -> Truths:
    if not isinstance(condition, Comparison):
        return a.truth.having_own([condition.index])
    held = [condition.holds(low) for low, _ in a.truth.cells[condition.index]]
    return a.truth.rows.having(condition.index, held)


def differing(a: Asked) -> None:
    """Reasons that overlap little: as many as asked for, and least where that is said."""
    k = a.rng.choice((1, 2, 2, 3))
    found = a.e.diverse_reasons(k)
    numbers = a.numbers(found)
    assert numbers <= a.reasons.sets
    assert len(found) == min(k, len(a.reasons.sets))

    def overlap(sets: Iterable[int]) -> int:
        return sum((one & other).bit_count() for one, other in combinations(sets, 2))

    assert found.overlap == overlap(numbers)
    covered = 0
    for number in numbers:
        covered |= number
    relevant = a.reasons.relevant.bit_count()
    assert found.coverage == (Fraction(covered.bit_count(), relevant) if relevant else 1)
    if found.proved and math.comb(len(a.reasons.sets), len(found)) <= MOST_CHOICES:
        assert found.overlap == min(map(overlap, combinations(a.reasons.sets, len(found))))
    represented = a.e.representative(found[0])
    assert represented.distance_to_relevant == relevant - len(found[0])
    assert represented.distance_to_necessary == len(found[0]) - a.reasons.necessary.bit_count()


def constrained(a: Asked) -> None:
    """Without some features, and with some that must stay; the questions about both."""
    n = a.truth.drawn.n_features
    excluded, fixed = ([f for f in range(n) if a.rng.random() < 0.3] for _ in range(2))
    without, immutable = (
        sum(1 << i for c, i in a.place.items() if c.index in some) for some in (excluded, fixed)
    )
    expected = a.reasons.where(0, without)
    assert a.e.is_free_of(excluded) == bool(expected.sets)
    e = a.explainer.explain(a.truth.drawn.row, exclude=excluded, immutable=fixed)
    contrasts = a.contrasts.where(0, immutable)
    _check_contrasts(a, e.contrastive(), contrasts)
    assert e.count("contrastive") == len(contrasts.sets)
    if not expected.sets:
        try:
            e.count()
        except cattleya.NoSuchReason:
            return
        raise AssertionError("there is no such reason")
    assert e.count() == len(expected.sets)
    assert a.number(e.sufficient_reason()) in expected.sets
    assert a.number(e.minimal_reason()) in expected.least
    assert a.numbers(e.sufficient_reasons()) == expected.sets
    assert a.number(e.necessary()) == expected.necessary
    assert a.number(e.relevant()) == expected.relevant
    assert e.count_by_size() == expected.by_size
    assert {a.place[c]: s for c, s in e.importance().items()} == dict(enumerate(expected.shares))


def texts(a: Asked) -> None:
    """A condition is found by its text, a reason covers its own row, and all of it prints."""
    reason = a.e.sufficient_reason()
    seen = {str(condition) for condition in a.place}
    if len(seen) == a.n:
        for condition in reason:
            assert a.e.condition(str(condition)) == condition
    assert reason.covers([a.truth.drawn.row]).tolist() == [True]
    assert len(str(reason)) > 0
    assert pickle.loads(pickle.dumps(reason)) == reason


Question = Callable[[Asked], None]

#: Asked about every tree.
SHORT: tuple[Question, ...] = (
    direct,
    one_reason,
    all_reasons,
    contrasts,
    roles,
    counts,
    shares,
)
#: Asked in turn, unless all are wanted: each costs as much as most of the others together.
LONG: tuple[Question, ...] = (
    least_weight,
    samples,
    circuit,
    proofs,
    differing,
    constrained,
    texts,
)

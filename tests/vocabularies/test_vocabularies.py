"""Features and intervals, against brute force over all the rows of small domains."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cattleya import _core
from cattleya.vocabularies.interface import RowAtoms
from cattleya.vocabularies.over import Over
from tests.oracles.definitions import Explained
from tests.oracles.rows import Atom
from tests.samples.domains import KINDS, Family, World, key, worlds
from tests.samples.prepared import AskedRow, asked, prepared

ANY = -1
NO_LIMIT = (1e9, 1 << 30)

over = pytest.mark.parametrize("over", ["features", "intervals"])
MOST_ATOMS = 13


def ask(world: World, over: str, number: int) -> tuple[Explained, AskedRow]:
    """A row's question to the oracle, and the library's row."""
    places = world.numbers[number].tolist()
    atoms = world.features(places) if over == "features" else world.intervals(places)
    return (
        world.explained(number, atoms),
        asked(world.tree, over, world.rows[number], world.domain),
    )


def meanings(world: World, row: RowAtoms, numbers: Any) -> frozenset[Atom]:
    conditions = row.named(numbers)
    found = frozenset(map(world.meaning, conditions))
    assert len(found) == len(conditions)
    return found


def clauses(world: World, row: RowAtoms, toward: int = ANY) -> Family:
    start, atom = row.complete_reason(toward, *NO_LIMIT)
    assert (np.diff(np.diff(start)) >= 0).all()  # the smallest first
    found = [atom[i:j].tolist() for i, j in pairwise(start)]
    family = frozenset(meanings(world, row, clause) for clause in found)
    assert len(family) == len(found)
    return family


def hitting_sets(row: RowAtoms) -> list[list[int]]:
    start, atom = row.complete_reason(ANY, *NO_LIMIT)
    found = []
    sets = _core.HittingSets(start, atom, len(row))
    more = True
    while more:
        more, begin, member = sets.next(1000, 1e9)
        found += [member[i:j].tolist() for i, j in pairwise(begin)]
    return found


def check_row(world: World, over: str, number: int) -> None:
    question, asked_row = ask(world, over, number)
    if len(question.atoms) > MOST_ATOMS:
        return
    row = asked_row.atoms
    attributes = row.attributes(world.domain)
    assert row.row_class == question.predicted
    assert len(row) == len(question.atoms) == len(attributes)
    assert meanings(world, row, range(len(row))) == frozenset(question.atoms)
    assert attributes.tolist() == [world.meaning(c)[0] for c in row.named(range(len(row)))]
    assert [row.number(c) for c in row.named(range(len(row)))] == list(range(len(row)))
    for attribute in range(len(world.kinds)):
        of = [i for i, place in enumerate(attributes.tolist()) if place == attribute]
        assert row.of_attribute(world.domain, attribute).tolist() == of

    assert clauses(world, row) == question.contrasts.terms
    for toward in set(range(world.nodes.n_classes)) - {question.predicted}:
        assert clauses(world, row, toward) == question.toward(toward).terms
    # Duality: what meets every contrast, with nothing to spare, forces the class.
    reasons = hitting_sets(row)
    assert frozenset(meanings(world, row, reason) for reason in reasons) == question.reasons.terms
    check_path(world, question, row)


def check_path(world: World, question: Explained, row: RowAtoms) -> None:
    """The direct reason forces the class, is what the path tells, and says nothing twice."""
    said = [world.meaning(condition) for condition in row.named(row.path)]
    assert question.sufficient[question.number(said)]
    assert not any(a != b and a[0] == b[0] and a[1] <= b[1] for a in said for b in said)
    told = world.told_on_path(question.row)
    order = list(dict.fromkeys(attribute for attribute, _ in told))
    assert {attribute for attribute, _ in said} == set(order)
    if row.over is Over.FEATURES:
        assert [attribute for attribute, _ in said] == order
        return
    for a in order:
        held = frozenset.intersection(*(values for b, values in said if b == a))
        own = key(world.of_row(question.row, a))
        if KINDS[world.kinds[a]].number is None or own == ("missing",):
            assert held == {own}
        else:
            left = frozenset.intersection(*(values for b, values in told if b == a))
            assert held == left - {("missing",)}


@over
@settings(max_examples=150)
@given(data=st.data())
def test_clauses_and_reasons_are_those_of_the_definition(over: str, data: st.DataObject) -> None:
    world = data.draw(worlds())
    check_row(world, over, data.draw(st.integers(0, len(world.rows) - 1)))


@over
@settings(max_examples=150)
@given(data=st.data())
def test_the_same_with_missing_values(over: str, data: st.DataObject) -> None:
    world = data.draw(worlds(missing=True))
    check_row(world, over, data.draw(st.integers(0, len(world.rows) - 1)))


# Verification


@over
@settings(max_examples=200)
@given(data=st.data(), missing=st.booleans())
def test_verification_is_the_definition(over: str, data: st.DataObject, missing: bool) -> None:
    world = data.draw(worlds(missing=missing))
    question, row = ask(world, over, data.draw(st.integers(0, len(world.rows) - 1)))
    if len(question.atoms) > MOST_ATOMS:
        return
    atoms = range(len(row.atoms))
    chosen = data.draw(st.sets(st.sampled_from(atoms)) if atoms else st.just(set()))
    check_verification(world, question, row, sorted(chosen))
    for reason in hitting_sets(row.atoms)[:5]:
        assert row.verify(row.atoms.named(reason))
        check_verification(world, question, row, reason)
        check_verification(world, question, row, reason[1:])


def check_verification(world: World, question: Explained, row: AskedRow, chosen: list[int]) -> None:
    conditions = row.atoms.named(chosen)
    verdict = row.verify(conditions)
    number = question.number([world.meaning(c) for c in conditions])
    assert verdict.conditions == frozenset(conditions)
    assert not verdict.foreign
    assert verdict.sufficient == question.sufficient[number]
    without = [number & ~(1 << i) for i in range(len(question.atoms)) if number >> i & 1]
    assert verdict.irredundant == (
        verdict.sufficient and not any(question.sufficient[other] for other in without)
    )
    if verdict.sufficient:
        assert verdict.row is None
        assert not verdict.witness
        kept = [world.meaning(c) for c in conditions if c not in verdict.redundant]
        assert frozenset(kept) in question.reasons.terms
        return
    assert not verdict.redundant
    check_witness(world, question, conditions, verdict)


class WrongCore:
    """A search that takes every row for another, but for its class, and cannot search."""

    def __init__(self, core: Any, row_class: int) -> None:
        self._core, self._row_class = core, row_class

    def path(self, cells: Any) -> tuple[int, Any]:
        return self._row_class, self._core.path(cells)[1][:0]

    def cells(self, values: Any) -> Any:
        return np.zeros_like(self._core.cells(values)[0]), False


@over
@settings(max_examples=200)
@given(data=st.data(), missing=st.booleans())
def test_a_broken_search_changes_no_verdict(over: str, data: st.DataObject, missing: bool) -> None:
    """All that is asked about comes from the definition, and so does what is expected."""
    world = data.draw(worlds(missing=missing))
    question, row = ask(world, over, data.draw(st.integers(0, len(world.rows) - 1)))
    if len(question.atoms) > MOST_ATOMS:
        return
    broken = prepared(world.tree, over, world.domain)
    wrong: Any = WrongCore(broken.cells.core, question.predicted)
    broken.cells.core = wrong
    judge = AskedRow(broken, world.rows[question.row])
    own = row.atoms.named(range(len(row.atoms)))
    named = {world.meaning(condition): condition for condition in own}
    chosen = st.lists(st.sampled_from(question.atoms), unique=True) if named else st.just([])
    drawn = frozenset(data.draw(chosen))
    contrasts, reasons = question.contrasts.terms, question.reasons.terms
    for atoms in (drawn, *list(contrasts)[:3], *list(reasons)[:3]):
        conditions = [named[atom] for atom in atoms]
        assert judge.prover.is_contrast(conditions) == (atoms in contrasts)
        assert row.prover.is_contrast(conditions) == (atoms in contrasts)
        verdict = judge.verify(conditions)
        assert not verdict.foreign
        assert bool(verdict) == (atoms in reasons)
        assert verdict.sufficient == question.sufficient[question.number(list(atoms))]


def check_witness(world: World, question: Explained, conditions: Any, verdict: Any) -> None:
    """A row of the domain in which the conditions hold, and which gets another class."""
    witness, own = verdict.row, world.rows[question.row]
    assert world.nodes.class_of(witness) != question.predicted
    for a, attribute in enumerate(world.domain.attributes):
        columns = list(attribute.columns)
        value = tuple(witness[columns].tolist())
        kind = KINDS[world.kinds[a]]
        if kind.number is None or kind.values is not None:
            assert key(value) in map(key, world.listed[a])
        about = [c for c in conditions if world.meaning(c)[0] == a]
        assert all(world.holds(condition, value) for condition in about)
        changed = key(value) != key(tuple(own[columns].tolist()))
        said = [fact for fact in verdict.witness if fact.columns == attribute.columns]
        assert len(said) == changed
        assert all(world.holds(fact, value) for fact in said)
    assert world.tree.predict(witness[None, :])[0] != question.predicted

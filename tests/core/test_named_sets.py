"""Sets of atoms with names: in order, made once, and refused where an atom is none."""

from __future__ import annotations

import gc
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import cattleya
from cattleya._core import NamedSet, NamedSets, Names


def ints(*values: int) -> Any:
    return np.array(values, dtype=np.int32)


def sets_of(
    start: list[int], atoms: list[int], names: Names, *, in_order: bool = False
) -> tuple[NamedSet, ...]:
    sets = NamedSets(names, np.array(start), ints(*atoms), in_order)
    return sets.all(NamedSet, SimpleNamespace(sets=sets))


def upper(n_atoms: int) -> Names:
    return Names([None] * n_atoms, str, None, None)


@pytest.mark.parametrize("size", [0, 1, 5, 12, 13, 40, 300])
@pytest.mark.parametrize("spread", [1, 7, 1000])
def test_names_come_in_the_order_of_their_numbers(size: int, spread: int) -> None:
    rng = np.random.default_rng(size + spread)
    atoms = (rng.permutation(size) * spread).tolist()
    names = upper(size * spread + 1)
    (one,) = sets_of([0, size], atoms, names)
    assert list(one.conditions) == [str(n) for n in sorted(atoms)]
    assert len(one) == size  # type: ignore[arg-type]  # Reason has the signature
    (as_given,) = sets_of([0, size], atoms, names, in_order=True)
    assert list(as_given.conditions) == [str(n) for n in atoms]


def test_a_name_is_made_once_and_shared() -> None:
    made: list[int] = []

    def make(code: int) -> Any:
        made.append(code)
        return f"n{code}"

    table: list[Any] = [None] * 6
    names = Names(table, make, np.array([0, 1, 0], dtype=np.uint8), ints(2, 1))
    first, second = sets_of([0, 2, 3], [1, 0, 1], names)
    assert first.conditions == ("n4", "n3")
    assert second.conditions[0] is first.conditions[1] is table[3]
    assert made == [4, 3]


def test_what_makes_a_name_may_fail() -> None:
    def fail(code: int) -> Any:
        raise KeyError(code)

    (one,) = sets_of([0, 1], [0], Names([None], fail, None, None))
    with pytest.raises(KeyError):
        _ = one.conditions


@pytest.mark.parametrize("atoms", [[0, 3], [-1, 0]])
def test_an_atom_without_a_name_is_refused(atoms: list[int]) -> None:
    (one,) = sets_of([0, 2], atoms, upper(3))
    with pytest.raises(IndexError, match="there is no atom"):
        _ = one.conditions


def test_an_atom_that_is_there_twice_is_refused() -> None:
    (one,) = sets_of([0, 20], [*range(19), 3], upper(30))
    with pytest.raises(ValueError, match="twice"):
        _ = one.conditions


@pytest.mark.parametrize("start", [[], [1, 2], [0, 3], [0, 2, 1, 2]])
def test_starts_that_cut_nothing_are_refused(start: list[int]) -> None:
    with pytest.raises(ValueError, match="does not cut"):
        NamedSets(upper(3), np.array(start, dtype=np.int64), ints(0, 1), False)


def test_a_table_has_two_names_for_an_atom_with_sides() -> None:
    with pytest.raises(ValueError, match="two per atom"):
        Names([None] * 3, str, np.zeros(2, dtype=np.uint8), None)


def test_a_set_needs_a_source_and_a_place() -> None:
    sets = NamedSets(upper(1), np.array([0, 1]), ints(0), False)
    source = SimpleNamespace(sets=sets)
    make: Any = NamedSet
    assert make(source, 0).conditions == ("0",)
    for position in (-1, 1):
        with pytest.raises(IndexError, match="there is no reason"):
            make(source, position)
    with pytest.raises(TypeError, match="NamedSets"):
        make(SimpleNamespace(sets=3), 0)
    with pytest.raises(TypeError):
        make(source, 0, where=1)
    with pytest.raises(TypeError, match="never changes"):
        make(source, 0).__init__(source, 0)
    with pytest.raises(ValueError, match="needs a source"):
        len(make.__new__(make))
    any_class: Any = int
    with pytest.raises(TypeError, match="class of named sets"):
        sets.all(any_class, source)


def test_the_search_for_cycles_passes_over_reasons_and_tables() -> None:
    tree = cattleya.Tree.from_nested(("a", ("b", 0, 1), ("c", 0, 1)))
    reasons = cattleya.Explainer(tree).explain([1, 1, 1]).contrastive()
    assert not any(map(gc.is_tracked, reasons))
    assert not gc.is_tracked(type(reasons[0])(reasons[0]._source, 0))
    table: list[Any] = [None] * 2
    names = Names(table, str, None, None)
    assert not gc.is_tracked(table)
    (one,) = sets_of([0, 2], [1, 0], names)
    assert one.conditions == ("0", "1")
    assert table == ["0", "1"]

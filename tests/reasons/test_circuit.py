"""Circuits: counts and importance under assumptions, and circuits in files.

A file that is damaged, or made by someone who means harm, gives a ValueError and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import pickle
import re
import stat
import tracemalloc
from collections.abc import Callable, Collection, Iterable
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cattleya
from cattleya import _core
from tests.checks.explanation import listed, naming
from tests.samples.families import comb, complete, explain_ones, grid_tree

Reasons = Collection[frozenset[cattleya.Condition]]


@pytest.fixture(scope="module")
def middling() -> tuple[cattleya.Circuit, Reasons]:
    """A circuit over 34 conditions and all of the 391 reasons."""
    e = explain_ones(grid_tree(8, 40, 1))
    return e.compile(), listed(e)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "row.circuit"
    explain_ones(complete(4)).compile().save(path)
    return path


# Assumptions


def shares_of(reasons: Reasons, conditions: Iterable[cattleya.Condition]) -> dict[Any, Fraction]:
    total = max(len(reasons), 1)
    return {c: Fraction(sum(c in reason for reason in reasons), total) for c in conditions}


def check_assumptions(
    circuit: cattleya.Circuit,
    reasons: Reasons,
    including: Collection[cattleya.Condition],
    excluding: Collection[cattleya.Condition],
) -> None:
    left = [r for r in reasons if r.issuperset(including) and r.isdisjoint(excluding)]
    assert circuit.count(including, excluding) == len(left)
    shares = circuit.importance(including, excluding)
    assert shares == shares_of(left, circuit.conditions)
    assert list(shares.values()) == sorted(shares.values(), reverse=True)


@given(st.data())
@settings(max_examples=100)
def test_assumptions_against_listing(
    middling: tuple[cattleya.Circuit, Reasons], data: st.DataObject
) -> None:
    circuit, reasons = middling
    picked = data.draw(st.lists(st.sampled_from(circuit.conditions), unique=True, max_size=8))
    at = data.draw(st.integers(0, len(picked)))
    check_assumptions(circuit, reasons, picked[:at], picked[at:])


def test_every_pair_of_conditions() -> None:
    e = explain_ones(complete(4))
    circuit, reasons = e.compile(), listed(e)
    for a, b in combinations(circuit.conditions, 2):
        check_assumptions(circuit, reasons, [a, b], [])
        check_assumptions(circuit, reasons, [a], [b])
        check_assumptions(circuit, reasons, [], [a, b])


def test_all_conditions_assumed(middling: tuple[cattleya.Circuit, Reasons]) -> None:
    circuit, reasons = middling
    everything = frozenset(circuit.conditions)
    for reason in list(reasons)[:20]:
        check_assumptions(circuit, reasons, reason, everything - reason)
    assert circuit.count(including=everything) == 0
    assert circuit.count(excluding=everything) == 0
    assert set(circuit.importance(excluding=everything).values()) == {0}


def test_large_counts_under_assumptions() -> None:
    """With and without a condition make up all, and give its importance."""
    circuit = explain_ones(complete(10)).compile()
    shares, total = circuit.importance(), circuit.count()
    for condition in circuit.conditions[::97]:
        within = circuit.count(including=[condition])
        assert within + circuit.count(excluding=[condition]) == total
        assert shares[condition] == Fraction(within, total)


def test_conditions_by_their_text(middling: tuple[cattleya.Circuit, Reasons]) -> None:
    circuit, _ = middling
    a, b = circuit.conditions[:2]
    assert circuit.count([str(a)], [str(b)]) == circuit.count([a], [b])
    assert circuit.importance([str(a), a]) == circuit.importance([a])
    assert circuit.count(iter([a]), {b}) == circuit.count((a,), frozenset({b}))


def test_a_condition_that_the_circuit_does_not_have() -> None:
    circuit = explain_ones(complete(3)).compile()
    other = circuit.conditions[0].negated()
    for ask in (circuit.count, circuit.importance):
        for wrong in (other, "not x0", "no such condition", 3):
            for where in ("including", "excluding"):
                with pytest.raises(ValueError, match=naming("x0", "condition")) as raised:
                    ask(**{where: [wrong]})  # type: ignore[arg-type]  # wrong on purpose
                assert str(wrong) in str(raised.value)


def test_a_condition_both_included_and_excluded() -> None:
    circuit = explain_ones(complete(3)).compile()
    for ask in (circuit.count, circuit.importance):
        with pytest.raises(ValueError, match=naming("x1", "included", "excluded")):
            ask(including=["x1"], excluding=["x2", "x1"])


def test_one_condition_where_a_set_is_needed() -> None:
    circuit = explain_ones(complete(3)).compile()
    ones: list[Any] = ["x1", circuit.conditions[1]]
    for one in ones:
        with pytest.raises(TypeError, match=naming("including", "set", "x1")):
            circuit.count(including=one)
        with pytest.raises(TypeError, match=naming("excluding", "set", "x1")):
            circuit.importance(excluding=one)


def test_a_circuit_without_conditions(tmp_path: Path) -> None:
    tree = cattleya.Tree.from_nested(("x1", 1, 1), class_names=(0, 1))
    circuit = cattleya.Explainer(tree).explain([1]).compile()
    assert (circuit.count(), circuit.conditions, circuit.importance()) == (1, (), {})
    with pytest.raises(ValueError, match=naming("x1", "empty")):
        circuit.count(including=["x1"])
    circuit.save(tmp_path / "empty")
    assert cattleya.Circuit.load(tmp_path / "empty").count() == 1


# What it says about itself


def test_size_and_definition() -> None:
    sizes = [explain_ones(complete(depth)).compile().size for depth in range(2, 8)]
    assert sizes == sorted(sizes)
    assert 0 < sizes[-1] < 100_000
    assert "sufficient reasons" in explain_ones(complete(2)).compile().definition


def test_the_explanation_compiles_once() -> None:
    e = explain_ones(complete(5))
    assert e.compile() is e.compile()


@pytest.mark.parametrize(
    ("tree", "shown"),
    [
        (comb(1), "<Circuit: 1 sufficient reason over 1 conditions?>"),
        (comb(4), "<Circuit: 8 sufficient reasons over 7 conditions>"),
        (comb(101), "<Circuit: .{1,40} sufficient reasons over 201 conditions>"),
        (comb(3000), "<Circuit: .{1,40} sufficient reasons over 5999 conditions>"),
        (comb(20_000), "<Circuit: .{1,40} sufficient reasons over 39999 conditions>"),
    ],
)
def test_representation(tree: cattleya.Tree, shown: str) -> None:
    """Short, whatever the number of reasons."""
    assert re.fullmatch(shown, repr(explain_ones(tree).compile()))


# Files and pickles


def check_same(circuit: cattleya.Circuit, other: cattleya.Circuit) -> None:
    assert other.conditions == circuit.conditions
    assert other.size == circuit.size
    assert other.count() == circuit.count()
    assert other.importance() == circuit.importance()
    assert list(other.importance()) == list(circuit.importance())
    some = circuit.conditions[::3]
    assert other.count(some[:1], some[1:]) == circuit.count(some[:1], some[1:])


@pytest.mark.parametrize("tree", [comb(1), comb(40), complete(7), grid_tree(8, 40, 1)])
def test_saving_and_loading(tree: cattleya.Tree, tmp_path: Path) -> None:
    circuit = explain_ones(tree).compile()
    for path in (tmp_path / "a.circuit", str(tmp_path / "b.circuit")):
        circuit.save(path)
        check_same(circuit, cattleya.Circuit.load(path))
    assert sorted(os.listdir(tmp_path)) == ["a.circuit", "b.circuit"]
    first, second = ((tmp_path / name).read_bytes() for name in ("a.circuit", "b.circuit"))
    assert first == second


def test_conditions_of_every_kind_survive(tmp_path: Path) -> None:
    tree = cattleya.Tree(
        [1, 3, -1, 5, -1, -1, -1],
        [2, 4, -1, 6, -1, -1, -1],
        [0, 1, -1, 0, -1, -1, -1],
        [0.1, 1e-300, 0, math.inf, 0, 0, 0],
        [-1, -1, 1, -1, 1, 0, 1],
        n_features=2,
        missing_left=[False, True, False, False, False, False, False],
        feature_names=["größe\n", 'a "quoted" name'],
    )
    circuit = cattleya.Explainer(tree).explain([0.0, 0.0]).compile()
    assert len(circuit.conditions) == 3
    circuit.save(tmp_path / "c")
    check_same(circuit, cattleya.Circuit.load(tmp_path / "c"))


def test_facts_keep_their_values(tmp_path: Path) -> None:
    tree = cattleya.Tree(
        [1, 3, 5, -1, -1, -1, -1],
        [2, 4, 6, -1, -1, -1, -1],
        [0, 1, 2, -1, -1, -1, -1],
        [0.5, 1.5, 0.5, 0, 0, 0, 0],
        [-1, -1, -1, 0, 1, 1, 0],
        n_features=3,
        missing_left=[False] * 7,
    )
    explainer = cattleya.Explainer(tree, over="features", categories={"x0": [3, "a"]})
    for row in ([0, 2.5, 1], [1, 1.0, math.nan]):
        circuit = explainer.explain(row).compile()
        circuit.save(tmp_path / "c")
        again = cattleya.Circuit.load(tmp_path / "c")
        kept = [[(type(c.value), c.value) for c in one.conditions] for one in (circuit, again)]  # type: ignore[attr-defined]  # facts, not conditions
        assert kept[0] == kept[1]
    assert {type(c.value) for c in circuit.conditions} >= {str}  # type: ignore[attr-defined]  # facts, not conditions


def test_saving_replaces_what_was_there(saved: Path) -> None:
    circuit = explain_ones(comb(5)).compile()
    circuit.save(saved)
    check_same(circuit, cattleya.Circuit.load(saved))


@pytest.mark.skipif(os.name == "nt", reason="file modes of another kind")
def test_the_file_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    explain_ones(comb(3)).compile().save(tmp_path / "circuit")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "circuit")}
    assert len(modes) == 1


@pytest.mark.parametrize("tree", [comb(1), comb(40), complete(7)])
def test_pickling(tree: cattleya.Tree) -> None:
    circuit = explain_ones(tree).compile()
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        check_same(circuit, pickle.loads(pickle.dumps(circuit, protocol)))


def test_a_save_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    circuit = explain_ones(complete(3)).compile()
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        circuit.save(tmp_path / "folder")
    with pytest.raises(OSError, match="nowhere"):
        circuit.save(tmp_path / "nowhere" / "circuit")
    assert os.listdir(tmp_path) == ["folder"]
    assert os.listdir(tmp_path / "folder") == []


def test_a_disk_that_fills_up_leaves_the_old_file(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    before = saved.read_bytes()
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        explain_ones(complete(5)).compile().save(saved)
    assert saved.read_bytes() == before
    assert os.listdir(saved.parent) == [saved.name]


# Damage


def check_refused(path: Path, content: bytes, *parts: str) -> None:
    path.write_bytes(content)
    with pytest.raises(ValueError, match=naming(path.name, *parts)):
        cattleya.Circuit.load(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        cattleya.Circuit.load(tmp_path / "nothing")


def test_a_file_that_was_cut_off(saved: Path) -> None:
    content = saved.read_bytes()
    for length in [*range(0, len(content), 7), *range(len(content) - 40, len(content))]:
        check_refused(saved, content[:length])


def test_a_file_with_something_added(saved: Path) -> None:
    content = saved.read_bytes()
    for more in (b"\0", b"\n", bytes(32), content):
        check_refused(saved, content + more, "damaged")


@pytest.mark.parametrize("bits", [0x01, 0x80, 0xFF])
def test_a_file_with_one_byte_changed(saved: Path, bits: int) -> None:
    content = saved.read_bytes()
    for place in [*range(20), *range(20 + bits % 7, len(content), 7)]:
        changed = bytearray(content)
        changed[place] ^= bits
        check_refused(saved, bytes(changed))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"{}",
        b"cattleya-circuit",
        b"cattleya-circuit \n",
        b"cattleya-circuit 1",
        b"cattleya-circuit 1\n",
        bytes(1000),
        b"\xff" * 1000,
        b"PK\x03\x04" + bytes(100),
        pickle.dumps({"a": 1}),
        cattleya.Tree.from_nested(("x1", 0, 1)).to_json().encode(),
    ],
)
def test_a_file_that_is_no_circuit(content: bytes, tmp_path: Path) -> None:
    check_refused(tmp_path / "other.circuit", content)


def with_checksum(content: bytes) -> bytes:
    return content + hashlib.sha256(content).digest()


@pytest.mark.parametrize("version", [b"0", b"2", b"99", b"1.0", b"\xff"])
def test_a_file_of_another_version(saved: Path, version: bytes) -> None:
    rest = saved.read_bytes()[:-32].partition(b"\n")[2]
    content = b"cattleya-circuit " + version + b"\n" + rest
    check_refused(saved, with_checksum(content), "version", "reads version 1")


# Harm: the checksum is right, and what it covers is not


def forged(content: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """A file with another header, and the checksum that belongs to it."""
    magic, head, body = content[:-32].split(b"\n", 2)
    header = json.loads(head)
    change(header)
    return with_checksum(magic + b"\n" + json.dumps(header).encode() + b"\n" + body)


HUGE = 10**400
WRONG: dict[str, list[Any]] = {
    "n_atoms": [-1, 0, 14, 16, 2**31 - 1, 2**31, 2**64, HUGE, math.inf, math.nan, None, "x", []],
    "lengths": [
        *([], None, 5, "1111111", [0] * 7, [-1] * 7, ["a"] * 7, [None] * 7),
        *([n, 5, 5, 15, 4, 4, 4] for n in (36, 38, -37, 2**40, 2**63, 2**70, HUGE, 1.5)),
        *([37, 5, 5, 15, 4, 4, -1], [37, 5, 5, 15, 4, 4], [37, 5, 5, 15, 4, 4, 4, 0]),
    ],
    "conditions": [None, [], "abc", {"a": 1}, 5, [[]] * 15, [None] * 15],
}
HEADERS = [{name: value} for name, values in WRONG.items() for value in values]


def test_the_forger_can_write_good_files(saved: Path) -> None:
    before = cattleya.Circuit.load(saved)
    saved.write_bytes(forged(saved.read_bytes(), lambda header: None))
    check_same(before, cattleya.Circuit.load(saved))


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: str(header)[:40])
def test_a_hostile_header(saved: Path, header: dict[str, Any]) -> None:
    content = forged(saved.read_bytes(), lambda good: good.update(header))
    saved.write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="circuit"):
            cattleya.Circuit.load(saved)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1 << 20  # nothing is made as large as the header says


def replaced(place: int, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(header: dict[str, Any]) -> None:
        header["conditions"][3][place] = value

    return change


CONDITIONS: dict[str, Callable[[dict[str, Any]], object]] = {
    "one twice": lambda header: header["conditions"].__setitem__(3, header["conditions"][2]),
    "one more": lambda header: header["conditions"].append(header["conditions"][0]),
    "one less": lambda header: header["conditions"].pop(),
    "too long": lambda header: header["conditions"][3].append(1),
    "index text": replaced(1, "x"),
    "index infinite": replaced(1, math.inf),
    "threshold text": replaced(2, "x"),
    "threshold huge": replaced(2, HUGE),
    "threshold nan": replaced(2, math.nan),
    "threshold null": replaced(2, None),
    "missing_left a list": replaced(4, [1]),
}


@pytest.mark.parametrize("change", CONDITIONS.values(), ids=CONDITIONS.keys())
def test_hostile_conditions(saved: Path, change: Callable[[dict[str, Any]], object]) -> None:
    saved.write_bytes(forged(saved.read_bytes(), change))
    with pytest.raises(ValueError, match=r"circuit|condition"):
        cattleya.Circuit.load(saved)


@pytest.mark.parametrize(
    "head", [b"", b"[]", b"null", b"5", b'"x"', b"{}", b"\xff", b"[" * 100_000, b'{"a":' * 100_000]
)
def test_a_header_that_is_none(saved: Path, head: bytes) -> None:
    magic, _, body = saved.read_bytes()[:-32].split(b"\n", 2)
    check_refused(saved, with_checksum(magic + b"\n" + head + b"\n" + body), "damaged")


@pytest.mark.parametrize("seed", range(4))
def test_hostile_arrays_are_refused_or_do_no_harm(saved: Path, seed: int) -> None:
    """Any bytes for the arrays: a ValueError, or a circuit that can be asked, within its limits."""
    content = saved.read_bytes()[:-32]
    at = len(content) - len(content.split(b"\n", 2)[2])
    rng = np.random.default_rng(seed)
    for _ in range(250):
        changed = bytearray(content)
        for place in rng.integers(at, len(content), size=rng.integers(1, 4)):
            changed[place] = rng.choice([0, 1, 2, 3, 16, 0x3F, 0x7F, 0x80, 0xFF])
        saved.write_bytes(with_checksum(bytes(changed)))
        try:
            circuit = cattleya.Circuit.load(saved, memory_limit=1 << 24)
        except ValueError:
            continue
        some = circuit.conditions
        for assumed in ((), some[:3]):
            try:
                circuit.count(including=assumed, timeout=1)
                circuit.importance(including=assumed, timeout=1)
            except (cattleya.MemoryLimitExceeded, cattleya.TimeoutExpired):
                pass


def test_the_core_checks_every_index() -> None:
    good = explain_ones(complete(4)).compile()._core.arrays()
    for place, values in enumerate(good):
        if not isinstance(values, np.ndarray):
            continue
        for wrong in (values[:-1], np.append(values, values[-1:]), np.full_like(values, 2**30)):
            arrays: list[Any] = list(good)
            arrays[place] = wrong
            with pytest.raises(ValueError, match="circuit"):
                _core.Circuit(*arrays)

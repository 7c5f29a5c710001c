"""The faults that ``make mutants`` plants still fit the source, and each has its tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import ROOT

PACKAGE = ROOT / "src" / "cattleya"

if not (ROOT / "mutation").is_dir():
    pytest.skip("this is not the project's folder", allow_module_level=True)


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))


def test_every_fault_of_the_core_is_planted_once_and_has_tests() -> None:
    from mutation.core_build import planted
    from mutation.core_faults import FAULTS
    from mutation.selections import core_tests

    core = ROOT / "src" / "core"
    texts = {str(file.relative_to(core)): file.read_text() for file in core.rglob("*.?pp")}
    changed = planted(texts)
    assert sum(text.count("planted_fault == ") for text in changed.values()) == len(FAULTS)
    for file in {fault.file for fault in FAULTS}:
        assert all((ROOT / test).exists() for test in core_tests(file)), file


def test_modules_are_changed_wherever_they_are_but_in_presentation() -> None:
    from mutation.selections import PRESENTATION, modules_of

    chosen = modules_of(PACKAGE)
    folders = {part for module in chosen for part in Path(module).parts[:-1]}
    assert folders >= {"adapters", "batch", "files"}
    assert folders.isdisjoint(PRESENTATION)
    every = [file.relative_to(PACKAGE) for file in PACKAGE.rglob("*.py")]
    left_out = [file for file in every if str(file) not in chosen]
    assert all(any(folder in file.parts for file in left_out) for folder in PRESENTATION)
    assert all(not PRESENTATION.isdisjoint(file.parts) for file in left_out)
    few = modules_of(PACKAGE, ["batch", "present/plots"])
    assert {Path(module).parts[0] for module in few} == {"batch", "present"}


def test_what_is_judged_is_there() -> None:
    from mutation.definitions import definitions_in
    from mutation.judged import JUDGED

    there = {
        f"{file.stem}.{definition.name}"
        for file in PACKAGE.rglob("*.py")
        for definition in definitions_in(file.read_text(encoding="utf-8"))
    }
    assert {place.split()[0] for place in JUDGED} <= there


def test_a_line_is_in_its_innermost_definition() -> None:
    from mutation.definitions import definitions_in, innermost

    source = """\
A = 1
@dataclass(eq=False)
class B:
    c = 2
    def d(self, e=3):
        def f():
            return 4
        return f
"""
    found = [innermost(definitions_in(source), line) for line in range(1, 9)]
    names = [None if one is None else one.name for one in found]
    assert names == [None, "B", "B", "B", "B.d", "B.d.f", "B.d.f", "B.d"]
    assert [one.is_function for one in found if one] == [False] * 3 + [True] * 4


def test_tests_are_chosen_by_what_they_run() -> None:
    from mutation.definitions import Definition
    from mutation.reach import Reach, tests_of

    wide = Reach("wide", 1.0, frozenset(["a.py f", "a.py C.g", "b.py h", "b.py i"]))
    slow = Reach("slow", 60.0, frozenset(["a.py f"]))
    other = Reach("other", 0.1, frozenset(["b.py h"]))

    def chosen(file: str, name: str = "", *, is_function: bool = True) -> list[str]:
        where = Definition(name, 1, 2, 3, is_function) if name else None
        return [reach.test for reach in tests_of([slow, wide, other], file, where)]

    assert chosen("a.py", "f") == ["wide", "slow"]
    assert chosen("a.py", "nobody") == []
    assert chosen("a.py", "C", is_function=False) == ["wide"]
    assert chosen("a.py", "Empty", is_function=False) == chosen("a.py") == ["wide", "slow"]
    assert chosen("constants.py") == ["other", "wide", "slow"]

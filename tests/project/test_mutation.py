"""The faults that ``make mutants`` plants still fit the source, and each has its tests."""

from __future__ import annotations

import pytest

from tests import ROOT

if not (ROOT / "mutation").is_dir():
    pytest.skip("this is not the project's folder", allow_module_level=True)


def test_every_fault_is_planted_once_and_has_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from mutation.core_build import planted
    from mutation.core_faults import FAULTS
    from mutation.selections import OTHERS, QUERY_LAYERS, tests_of

    core = ROOT / "src" / "core"
    texts = {str(file.relative_to(core)): file.read_text() for file in core.rglob("*.?pp")}
    changed = planted(texts)
    assert sum(text.count("planted_fault == ") for text in changed.values()) == len(FAULTS)
    for file in {fault.file for fault in FAULTS} | {f"{module}.py" for module in QUERY_LAYERS}:
        assert all((ROOT / test).exists() for test in tests_of(file)), file
    modules = {file.stem for file in (ROOT / "src" / "cattleya").glob("*.py")}
    assert modules == OTHERS | set(QUERY_LAYERS)

"""The rooms of the native core: which may include which, and what is compiled where."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import ROOT

CORE = ROOT / "src" / "core"
#: As in docs/design.md.
MAY_INCLUDE = {
    "support": set(),
    "tree": {"support"},
    "reasons": {"support", "tree"},
    "domain": {"support", "tree"},
    "ensemble": {"support"},
    "ensemble_search": {"support", "ensemble"},
    "counting": {"support"},
    "minimum": {"support"},
    "short_reasons": {"support"},
    "batch": {"support", "tree", "reasons", "domain", "counting", "minimum"},
    "proof": {"support", "tree"},
    "bind": {
        "support",
        "tree",
        "reasons",
        "domain",
        "ensemble",
        "ensemble_search",
        "counting",
        "minimum",
        "short_reasons",
        "batch",
        "proof",
    },
}

pytestmark = pytest.mark.skipif(not CORE.is_dir(), reason="the source of the core is not here")


def _sources() -> list[Path]:
    return sorted(CORE.rglob("*.?pp"))


def test_every_source_is_in_a_room() -> None:
    assert {source.relative_to(CORE).parts[0] for source in _sources()} == set(MAY_INCLUDE)


@pytest.mark.parametrize("room", MAY_INCLUDE)
def test_a_room_includes_only_what_it_may(room: str) -> None:
    for source in (CORE / room).glob("*.?pp"):
        included = re.findall(r'^#include "(\w+)/(.+)"', source.read_text("utf-8"), re.MULTILINE)
        assert included or source.suffix == ".hpp" or source.name == "module.cpp", source
        assert {other for other, _ in included} <= MAY_INCLUDE[room] | {room}, source
        assert not [name for _, name in included if name.endswith(".cpp")], source


def test_every_source_is_compiled() -> None:
    """What nobody lists would be dead."""
    listed = re.findall(r"src/core/(\S+\.cpp)", (ROOT / "CMakeLists.txt").read_text("utf-8"))
    assert sorted(listed) == sorted(
        str(source.relative_to(CORE)) for source in _sources() if source.suffix == ".cpp"
    )


def test_a_room_has_its_own_namespace() -> None:
    for source in _sources():
        room = source.relative_to(CORE).parts[0]
        names = set(
            re.findall(r"^namespace (cattleya\S*) \{", source.read_text("utf-8"), re.MULTILINE)
        )
        if source.name != "module.cpp":
            assert names == {"cattleya" if room == "support" else f"cattleya::{room}"}, source

"""One core with all the faults in it, of which the environment chooses one, or none.

A build takes minutes, and there are many faults; so every fault is compiled in beside what is right
(``CATTLEYA_FAULT`` is read when the core is loaded), and only the tests are run for each.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from mutation.core_faults import FAULTS

__all__ = ["VARIABLE", "build_core", "planted"]

VARIABLE = "CATTLEYA_FAULT"
HEADER = f"""#pragma once
#include <cstdlib>
inline const int planted_fault =
    std::getenv("{VARIABLE}") == nullptr ? 0 : std::atoi(std::getenv("{VARIABLE}"));
"""


def planted(core: dict[str, str]) -> dict[str, str]:
    """Return the source of the core, by file, with every fault in it; they count from 1."""
    result = dict(core)
    for number, fault in enumerate(FAULTS, 1):
        source = core[fault.file]
        if source.count(fault.line) != 1:
            raise ValueError(f"{fault.file} has {fault.line!r} {source.count(fault.line)} times")
        at = source.index(fault.line)
        end = source.index("\n", at + len(fault.line))
        if fault.part not in source[at:end]:
            raise ValueError(f"the line {source[at:end]!r} of {fault.file} has no {fault.part!r}")
        is_it = f"planted_fault == {number}"
        if fault.part.endswith(";"):
            both = f"if ({is_it}) {{ {fault.instead} }} else {{ {fault.part} }}"
        else:
            both = f"(({is_it}) ? ({fault.instead}) : ({fault.part}))"
        # In what earlier faults have made of the file; the line is there once all the same.
        before = result[fault.file]
        at = before.index(fault.line) if fault.line in before else -1
        if at < 0:
            raise ValueError(f"two faults in one line of {fault.file}: {fault.line!r}")
        place = before.index(fault.part, at)
        result[fault.file] = before[:place] + both + before[place + len(fault.part) :]
    return result


def build_core(root: Path, folder: Path) -> Path:
    """Build the package with all faults; return the folder to import it from."""
    source, package = folder / "source", folder / "core"
    core = root / "src" / "core"
    texts = {str(f.relative_to(core)): f.read_text() for f in core.rglob("*.?pp")}
    source.mkdir(parents=True, exist_ok=True)
    for name in ("CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(root / name, source / name)
    python = source / "src" / "cattleya"
    shutil.copytree(root / "src" / "cattleya", python, dirs_exist_ok=True)
    for name, text in planted(texts).items():
        _write(source / "src" / "core" / name, text)
    header = folder / "planted.hpp"
    _write(header, HEADER)
    shutil.rmtree(folder / "wheel", ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    flags = f"-O1 -include {header}"  # tests take seconds: what matters is how soon it is built
    options = [
        f"-Cbuild-dir={folder / 'build'}",
        "-Ccmake.build-type=Planted",
        f"-Ccmake.define.CMAKE_CXX_FLAGS_PLANTED={flags}",
    ]
    subprocess.run([*pip, *options, "--wheel-dir", folder / "wheel", source], check=True)
    (wheel,) = (folder / "wheel").glob("*.whl")
    shutil.rmtree(package, ignore_errors=True)
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(package)
    return package


def _write(path: Path, text: str) -> None:
    """Write what is new only, so that no more than that is compiled again."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

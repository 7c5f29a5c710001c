"""Which tests run which function: measured, once for each file of tests.

Every file of tests runs without a fault, and coverage.py notes the lines that are run, also in the
processes that the tests start. So nobody says which tests are about which module: one that is new
or that was moved has the tests that run it. A file of tests that fails by itself is refused: it
would find every fault.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mutation.definitions import Definition, definitions_in
from mutation.trial import Limits, run_tests

__all__ = ["Reach", "measured", "tests_of"]


@dataclass(frozen=True)
class Reach:
    """How long a file of tests takes, in seconds, and the functions that it runs."""

    test: str
    seconds: float
    functions: frozenset[str]  # "batch/disk/checkpoint.py Parts.write"

    def runs(self, file: str, definition: Definition | None) -> bool:
        """Say whether it runs a function, or any that is in a class or a module."""
        if definition is None:
            return any(name.startswith(f"{file} ") for name in self.functions)
        name = f"{file} {definition.name}"
        if definition.is_function:
            return name in self.functions
        return any(other.startswith(f"{name}.") for other in self.functions)

    @property
    def limits(self) -> Limits:
        """What it may take with a fault, on a machine that may be busier now."""
        return Limits(processor=int(3 * self.seconds) + 30, waiting=5 * self.seconds + 120)


def tests_of(reaches: Iterable[Reach], file: str, definition: Definition | None) -> list[Reach]:
    """Return the tests that run a function, the quick ones that run little else first.

    What is in no function, in a class without any, or in a module without any, is for all tests of
    the class, of the module, or for all there are.
    """
    every = sorted(reaches, key=lambda reach: reach.seconds * len(reach.functions))
    found = [reach for reach in every if reach.runs(file, definition)]
    if found or (definition is not None and definition.is_function):
        return found
    return [reach for reach in every if reach.runs(file, None)] or every


def measured(package: Path, tests: Sequence[Path], kept: Path, log: Path) -> list[Reach]:
    """Return what tests run of the package in a folder; measure what is not known yet.

    A test is measured again when its file or the names of the modules have changed.
    """
    modules = sorted((package / "cattleya").rglob("*.py"))
    names = "\n".join(str(module.relative_to(package)) for module in modules)
    reaches = []
    for test in tests:
        digest = hashlib.sha256(test.read_bytes() + names.encode()).hexdigest()
        found = _known(kept).get(digest)  # read again: another part may have measured it
        if found is None:
            found = _measure(package, modules, test, log)
            with kept.open("a", encoding="utf-8") as file:
                line = {"digest": digest, "seconds": found.seconds, "test": found.test}
                functions = sorted(found.functions)
                print(json.dumps(line | {"functions": functions}), file=file, flush=True)
            print(f"{found.seconds:8.1f} s, {len(functions):5} functions  {found.test}", flush=True)
        reaches.append(found)
    return reaches


def _known(kept: Path) -> dict[str, Reach]:
    if not kept.exists():
        return {}
    lines = map(json.loads, kept.read_text(encoding="utf-8").splitlines())
    return {
        line["digest"]: Reach(line["test"], line["seconds"], frozenset(line["functions"]))
        for line in lines
    }


def _measure(package: Path, modules: list[Path], test: Path, log: Path) -> Reach:
    import coverage  # what the tests of this folder do without

    name = str(test)
    folder = log.with_suffix(".lines").resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    began = time.monotonic()
    outcome = run_tests(package, [name], log, lines=folder)
    seconds = round(time.monotonic() - began, 1)
    if outcome not in ("survived", "no tests"):
        raise SystemExit(f"{name} fails without a fault: {outcome}; see {log}")
    ran: dict[Path, set[int]] = {}
    for part in folder.iterdir():
        data = coverage.CoverageData(str(part))
        try:
            data.read()
        except coverage.CoverageException:  # of a process that was ended while it wrote
            continue
        for file in data.measured_files():
            ran.setdefault(Path(file).resolve(), set()).update(data.lines(file) or ())
    functions = set()
    for module in modules:
        lines = ran.get(module.resolve(), set())
        for found in definitions_in(module.read_text(encoding="utf-8")) if lines else ():
            if found.is_function and not lines.isdisjoint(range(found.body, found.last + 1)):
                functions.add(f"{module.relative_to(package / 'cattleya')} {found.name}")
    return Reach(name, seconds, frozenset(functions))

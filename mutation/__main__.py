"""``python -m mutation``: plants faults one after the other; goes on where it was stopped."""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from mutation.core_build import VARIABLE, build_core
from mutation.core_faults import FAULTS
from mutation.judged import JUDGED
from mutation.python_mutants import Mutant, mutants_of
from mutation.reach import Reach, measured, tests_of
from mutation.selections import core_tests, modules_of
from mutation.trial import run_tests, warm_up

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "mutants"
ENOUGH = 0.90
HOLE = "NOT JUDGED: find it, or say why not"


@dataclass(frozen=True)
class Planted:
    """What is wrong, how to try it, its name where it is judged, and what is said of it."""

    name: str
    attempt: Callable[[], str]
    place: str
    judged: str


@dataclass(frozen=True)
class Journal:
    """What became of each fault, a line each, so that a run can be stopped at any moment."""

    path: Path

    def known(self) -> dict[str, str]:
        """Return what became of the faults that were tried."""
        if not self.path.exists():
            return {}
        lines = map(json.loads, self.path.read_text(encoding="utf-8").splitlines())
        return {line["fault"]: line["outcome"] for line in lines}

    def note(self, fault: str, outcome: str) -> None:
        """Add a line."""
        with self.path.open("a", encoding="utf-8") as file:
            print(json.dumps({"fault": fault, "outcome": outcome}), file=file, flush=True)


def check_core_tests(package: Path, journal: Journal, known: dict[str, str], log: Path) -> None:
    """Refuse to begin where a test fails by itself: every fault would be found."""
    for test in sorted({test for fault in FAULTS for test in core_tests(fault.file)}):
        name = f"nothing, in {test}"
        if known.get(name) != "survived":
            outcome = run_tests(package, [test], log)
            if outcome != "survived":
                raise SystemExit(f"{test} fails without a fault: {outcome}; see {log}")
            journal.note(name, outcome)


def python_package(part: int) -> Path:
    """Return a copy of the installed package, to be changed."""
    package = FOLDER / f"python-{part}"
    installed = subprocess.run(
        [sys.executable, "-c", "import cattleya; print(cattleya.__path__[0])"],
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
    ).stdout.strip()
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(installed, package / "cattleya")
    return package


def python_faults(
    package: Path, reaches: list[Reach], under: list[str], each: int, seed: int, log: Path
) -> Iterator[Planted]:
    """Give mutants of every module."""
    for module in modules_of(package / "cattleya", under):
        path = package / "cattleya" / module
        draw = random.Random(f"{seed} {path.name}")  # the same in another folder
        for mutant in islice(mutants_of(path, module, draw), each):

            def attempt(mutant: Mutant = mutant, path: Path = path) -> str:
                kept, when = path.read_text(encoding="utf-8"), path.stat()
                try:
                    path.write_text(mutant.source, encoding="utf-8")
                    for reach in tests_of(reaches, mutant.file, mutant.definition):
                        outcome = run_tests(package, [reach.test], log, limits=reach.limits)
                        if outcome != "survived":
                            return f"{outcome} ({reach.test})"
                    return "survived"
                finally:
                    path.write_text(kept, encoding="utf-8")
                    os.utime(path, ns=(when.st_atime_ns, when.st_mtime_ns))

            yield Planted(mutant.name, attempt, mutant.place, JUDGED.get(mutant.place, HOLE))


def core_faults(package: Path, log: Path) -> Iterator[Planted]:
    """Give the faults planted in the core."""
    for number, fault in enumerate(FAULTS, 1):

        def attempt(number: int = number, file: str = fault.file) -> str:
            return run_tests(package, core_tests(file), log, {VARIABLE: str(number)})

        yield Planted(fault.name, attempt, f"fault {number}", fault.judged or HOLE)


def report(title: str, outcomes: list[tuple[Planted, str]]) -> bool:
    """Print how many were found, and those that were not; return whether it is enough."""
    survivors = [fault for fault, outcome in outcomes if outcome == "survived"]
    found = len(outcomes) - len(survivors)
    print(f"{title}: {found} of {len(outcomes)} found ({found / max(1, len(outcomes)):.1%})")
    for fault in survivors:
        print(f"  survived: {fault.name}\n    {fault.place}: {fault.judged}")
    return found >= ENOUGH * len(outcomes)


def main() -> int:
    """Try every fault that was not tried yet; fail where fewer than nine in ten are found."""
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    parser.add_argument("--each", type=int, default=10, help="mutants of each Python module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=["python", "core"])
    parser.add_argument("--under", nargs="*", default=[], help="folders of the package")
    parser.add_argument(
        "--tests", nargs="*", default=["*"], help="files of tests: 'batch*' sklearn"
    )
    parser.add_argument(
        "--part",
        type=int,
        nargs=2,
        default=(1, 1),
        metavar=("K", "N"),
        help="every Nth, from the Kth",
    )
    parser.add_argument("--again", action="store_true", help="try the survivors once more")
    given = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    part, parts = given.part
    log = FOLDER / f"last-{part}.log"
    os.chdir(ROOT)
    warm_up()
    enough = True
    for kind in [given.only] if given.only else ["core", "python"]:
        journal = Journal(FOLDER / f"{kind}.jsonl")
        known = journal.known()
        if kind == "core":
            package = build_core(ROOT, FOLDER / "planted")
            if part == 1:  # not twice
                check_core_tests(package, journal, known, log)
            faults = core_faults(package, log)
        else:
            package = python_package(part)
            tests = sorted(
                {t for name in given.tests for t in Path("tests").rglob(f"test_{name}.py")}
            )
            first = len(tests) * (part - 1) // parts  # parts that begin at once share the work
            tests = tests[first:] + tests[:first]
            reaches = measured(package, tests, FOLDER / "reach.jsonl", log)
            faults = python_faults(package, reaches, given.under, given.each, given.seed, log)
        if given.again:
            known = {fault: how for fault, how in known.items() if how != "survived"}
        outcomes = []
        for fault in islice(faults, part - 1, None, parts):
            if fault.name not in known:
                known[fault.name] = fault.attempt()
                journal.note(fault.name, known[fault.name])
                print(f"{known[fault.name]:<24} {fault.name}", flush=True)
            outcomes.append((fault, known[fault.name]))
        enough &= report(kind, outcomes)
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())

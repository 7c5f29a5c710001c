"""``python -m mutation``: plants faults one after the other; goes on where it was stopped."""

from __future__ import annotations

import argparse
import json
import os
import random
import re
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
from mutation.selections import QUERY_LAYERS, tests_of
from mutation.trial import run_tests, warm_up

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "mutants"
ENOUGH = 0.90
LINE_NUMBER = re.compile(r"(?<=\.py):\d+: ")

Planted = tuple[str, Callable[[], str]]  # what is wrong, and how to try it


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


def check_tests(
    package: Path, files: set[str], journal: Journal, known: dict[str, str], log: Path
) -> None:
    """Refuse to begin where a test fails by itself: every fault would be found."""
    for test in sorted({test for file in files for test in tests_of(file)}):
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


def python_faults(package: Path, each: int, seed: int, log: Path) -> Iterator[Planted]:
    """Give mutants of every module of the query layers."""
    for module in QUERY_LAYERS:
        path = package / "cattleya" / f"{module}.py"
        draw = random.Random(f"{seed} {module}")
        for _, mutant in zip(range(each), mutants_of(path, f"{module}.py", draw), strict=False):

            def attempt(mutant: Mutant = mutant, path: Path = path) -> str:
                kept, when = path.read_text(encoding="utf-8"), path.stat()
                try:
                    path.write_text(mutant.source, encoding="utf-8")
                    return run_tests(package, tests_of(mutant.file), log)
                finally:
                    path.write_text(kept, encoding="utf-8")
                    os.utime(path, ns=(when.st_atime_ns, when.st_mtime_ns))

            yield mutant.name, attempt


def core_faults(package: Path, log: Path) -> Iterator[Planted]:
    """Give the faults planted in the core."""
    for number, fault in enumerate(FAULTS, 1):

        def attempt(number: int = number, file: str = fault.file) -> str:
            return run_tests(package, tests_of(file), log, {VARIABLE: str(number)})

        yield fault.name, attempt


def report(title: str, outcomes: dict[str, str]) -> bool:
    """Print how many were found, and those that were not; return whether it is enough."""
    survivors = [fault for fault, outcome in outcomes.items() if outcome == "survived"]
    found = len(outcomes) - len(survivors)
    print(f"{title}: {found} of {len(outcomes)} found ({found / max(1, len(outcomes)):.1%})")
    for fault in survivors:
        why = JUDGED.get(
            LINE_NUMBER.sub(": ", fault, count=1), "NOT JUDGED: find it, or say why not"
        )
        print(f"  survived: {fault}\n    {why}")
    return found >= ENOUGH * len(outcomes)


def main() -> int:
    """Try every fault that was not tried yet; fail where fewer than nine in ten are found."""
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    parser.add_argument("--each", type=int, default=10, help="mutants of each Python module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=["python", "core"])
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
            files, faults = {fault.file for fault in FAULTS}, core_faults(package, log)
        else:
            package = python_package(part)
            files, faults = set(QUERY_LAYERS), python_faults(package, given.each, given.seed, log)
        if part == 1:  # not twice
            check_tests(package, files, journal, known, log)
        if given.again:
            known = {fault: how for fault, how in known.items() if how != "survived"}
        outcomes = {}
        for name, attempt in islice(faults, part - 1, None, parts):
            if name not in known:
                known[name] = attempt()
                journal.note(name, known[name])
                print(f"{known[name]:<24} {name}", flush=True)
            outcomes[name] = known[name]
        enough &= report(kind, outcomes)
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
